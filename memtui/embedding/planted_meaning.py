"""Planted instructions by what they mean: a small network over the vector of the bundled model.

It looks at what is worded almost as planted texts are (`memtui.text.injection_second_look`), since a text of a writer
of whom nothing was learned has its own words, but no meaning of its own. `data/planted_meaning.npz` holds it:
`tests/scripts/planted_meaning.py` fits it and prints what it is worth on writers that it has not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from memtui.errors import MemtuiError
from memtui.text.injection_second_look import use_second_look

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memtui.embedding.engine import Engine

FILE = Path(__file__).parent / "data" / "planted_meaning.npz"
NEAR = -2.0
"""The weight of a wording from which a text is looked at, as it stands in the file, which takes long to read."""

LONGEST = 900  # Characters of a text that are looked at
_CACHED = 1_000  # Texts whose answers are kept


class Network:
    """What tells planted texts from others by their vectors, read from its file.

    Raises `OSError`, `ValueError`, `KeyError` or `BadZipFile`: there is no such file, or it is another or damaged.
    """

    def __init__(self, file: Path = FILE) -> None:
        import numpy as np

        with file.open("rb") as opened, np.load(opened) as stored:
            self._hidden: NDArray[np.float32] = stored["hidden"].astype(np.float32)
            self._hidden_bias: NDArray[np.float32] = stored["hidden_bias"]
            self._out: NDArray[np.float32] = stored["out"]
            self._out_bias = float(stored["out_bias"])
            self.near = float(stored["near"])
            self._share = float(stored["share"])
            self._least = float(stored["least"])

    def logit(self, vector: NDArray[np.float32]) -> float:
        """Return what a vector of length 1 says: above zero where it means what planted texts mean."""
        hidden = (vector @ self._hidden + self._hidden_bias).clip(min=0)
        return float(hidden @ self._out) + self._out_bias

    def decides(self, logit: float, weight: float) -> bool:
        """Return whether a text is planted, by what its vector says and by the weight of its wording."""
        return weight + self._share * logit >= self._least


class PlantedMeaning:
    """The second look by meaning. It loads network and model for the first text that it is asked about.

    It has nothing to say where they cannot be loaded, where the settings say that no model is to be, and of texts in
    scripts that the model cannot read.
    """

    near = NEAR

    def __init__(self, network: Callable[[], Network] = Network) -> None:
        self._load_network = network
        self._lock = Lock()
        self._loaded: list[tuple[Network, Engine] | None] = []
        self._logit = lru_cache(maxsize=_CACHED)(self._find_logit)

    def __reduce__(self) -> tuple[type[PlantedMeaning], tuple[Callable[[], Network]]]:
        """A child process loads its own."""
        return PlantedMeaning, (self._load_network,)

    def decides(self, text: str, weight: float) -> bool | None:
        """Return whether a text is planted; None if nothing can be said."""
        ready = self._ready()
        logit = self._logit(text[:LONGEST]) if ready is not None else None
        return None if ready is None or logit is None else ready[0].decides(logit, weight)

    def _ready(self) -> tuple[Network, Engine] | None:
        with self._lock:
            if not self._loaded:
                self._loaded.append(self._load())
            return self._loaded[0]

    def _load(self) -> tuple[Network, Engine] | None:
        if not _is_wanted():
            return None
        from zipfile import BadZipFile

        from memtui.embedding.bundled import loaded_engine

        with suppress(MemtuiError, ImportError, OSError, ValueError, KeyError, BadZipFile):
            return self._load_network(), loaded_engine()
        return None

    def _find_logit(self, text: str) -> float | None:
        from memtui.embedding.engine import can_read

        ready = self._ready()
        if ready is None or not can_read(ready[1], text):
            return None
        # One by one: in company a vector differs in its last digits, and an answer would depend on it.
        return ready[0].logit(ready[1].embed_passages([text])[0])


def _is_wanted() -> bool:
    """Return whether the settings let a model be loaded."""
    from memtui import locations
    from memtui.config import load_config
    from memtui.embedding.engine import NONE

    try:
        return load_config(locations.config_file()).embedding.model != NONE
    except (MemtuiError, OSError):
        return False  # whoever needs the settings reports it


def look_twice(*, is_on: bool = True) -> None:
    """Let this process look twice at what is worded almost as planted instructions are, or no more."""
    use_second_look(PlantedMeaning() if is_on else None)
