"""The fit that the scripts beside this one share: a logistic model with a ridge penalty, by Newton's method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.floating[Any]]

STEPS = 50
CLOSE = 1e-4  # Largest step at which it has converged: Newton's next one is its square


def fit_logistic(
    table: Array,  # one row a case, one column a feature
    said: Array,  # share of yes of each case
    weight: Array | None = None,  # of each case, all alike if None
    *,
    ridge: float,  # penalty of squared weights of standardised features
    # standard deviation from which a feature is standardised by it, not by this; None leaves features as they are
    least_spread: float | None = 1e-6,
) -> tuple[list[float], float]:
    """Return a weight per feature, as the features are given, and the base."""
    mean, spread = np.zeros(table.shape[1]), np.ones(table.shape[1])
    if least_spread is not None:
        mean, spread = table.mean(0), np.maximum(table.std(0), least_spread)
        table = (table - mean) / spread
    known = np.c_[table, np.ones(len(table), table.dtype)]
    each = np.ones(len(table), table.dtype) if weight is None else weight
    penalty = np.diag([*[ridge] * table.shape[1], 1e-3])
    found = np.zeros(known.shape[1])
    for _ in range(STEPS):
        share = 1.0 / (1.0 + np.exp(-np.clip(known @ found.astype(known.dtype), -30, 30)))
        slope = known.T @ (each * (share - said)) + penalty @ found
        curve = (known.T * (each * share * (1 - share))) @ known + penalty
        step = np.linalg.solve(curve, slope)
        found -= step
        if np.abs(step).max() < CLOSE:
            break
    weights = found[:-1] / spread
    return weights.tolist(), float(found[-1] - weights @ mean)
