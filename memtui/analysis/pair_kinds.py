"""Of what kind two memories are to each other: a logistic model over many kinds.

Two causes of one failure are a kind, a rule and its exception another, a digest of a paragraph a third. A model that
knows the kinds weighs each by its own signs. `pair_kinds.json` holds the weights in hundredths:
`tests/scripts/pair_weights.py` fits them with those of `pair_weights.json`, with whose odds the model's are averaged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from math import log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.analysis.pair_phrases import FEWEST_SIGNS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float32]

LABELS = ("conflict", "duplicate", "near-miss", "no-conflict", "related")
"""What the name of a kind begins with; the kinds of a label stand together, in this order."""


@dataclass(frozen=True, slots=True)
class KindOdds:
    """Logarithms of odds, as the kinds of two memories tell them."""

    duplicate: float  # that two say the same, against all that neither says the same nor contradicts
    contradiction: float  # that two contradict each other, against what seems to and what is only related
    either: float  # that two contradict each other, against saying the same


@dataclass(frozen=True, slots=True)
class PairKinds:
    """The weights of all kinds."""

    starts: Sequence[int]  # the first kind of each label
    features: Sequence[str]  # the names of the rows of `weights`
    weights: Numbers  # per unit of a feature, shape (features, kinds)
    base: Numbers  # one a kind
    places: Mapping[str, int]  # of signs, the rows of `by_sign`
    by_sign: Numbers  # shape (signs, kinds)

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> PairKinds:
        """Return the weights as they are stored: lists of hundredths, one for each kind."""
        import numpy as np

        def table(rows: Sequence[Sequence[int]]) -> Numbers:
            return np.array(rows, np.float32).reshape(-1, len(stored["kinds"])) / np.float32(100.0)

        labels = [kind.partition(", ")[0] for kind in stored["kinds"]]
        return cls(
            [labels.index(label) for label in LABELS],
            list(stored["features"]),
            table(list(stored["features"].values())),
            table([stored["base"]])[0],
            {sign: place for place, sign in enumerate(stored["signs"])},
            table(list(stored["signs"].values())),
        )

    def odds(self, found: Mapping[str, float], signs: AbstractSet[str]) -> KindOdds:
        """Return the odds of two memories. `signs`: as `signs_between` returns them; their sum is weighed as there."""
        import numpy as np

        known = [self.places[sign] for sign in self.places.keys() & signs]
        sums = self.base + np.array([found[name] for name in self.features], np.float32) @ self.weights
        sums += self.by_sign[known].sum(axis=0) / sqrt(max(FEWEST_SIGNS, len(known)))
        shares = np.exp(sums - sums.max())
        conflict, same, near, apart, related = np.maximum(np.add.reduceat(shares, self.starts), _LEAST_SHARE).tolist()
        return KindOdds(
            log(same / (near + apart + related)),
            log(conflict / (apart + related)),
            log(conflict / same),
        )


_LEAST_SHARE = 1e-9


@cache
def pair_kinds() -> PairKinds:
    """Return the weights as stored; reading them takes some 20 ms at the first time."""
    return PairKinds.read(json.loads(Path(__file__).with_name("pair_kinds.json").read_text("utf-8")))
