"""What turns texts into vectors, chosen by `embedding.model`: the bundled model, a Sentence Transformers one, none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from memtui.errors import ConfigError, MemtuiError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NONE = "none"
BUNDLED = "bundled"
PREFIX = "sentence-transformers:"
"""Before the name or path of a Sentence Transformers model."""


class Engine(Protocol):
    """A loaded model. Vectors are float32, shape (texts, dimensions), of length 1, so that a product is a cosine."""

    @property
    def name(self) -> str:
        """What is recorded with every vector; vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts that are to be found."""

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts that ask."""


@runtime_checkable
class KnowsItsScripts(Protocol):
    """A model that says what it cannot read."""

    def reads(self, text: str) -> bool:
        """Return whether a text is mostly in a script that the model was trained on."""


def can_read(engine: Engine, text: str) -> bool:
    """Return whether a model can read a text; one that does not say is taken to."""
    return engine.reads(text) if isinstance(engine, KnowsItsScripts) else True


@dataclass(frozen=True, slots=True)
class ModelState:
    """What can be said of a model without loading it.

    Attributes:
        state: `off`, `bundled`, `sentence-transformers`, or `missing`.
        name: what is recorded with its vectors, empty if there is none.
        where: the file or folder it is read from, empty if there is none.
        problem: what is wrong, empty unless it is missing.
        remedy: what to do about it.
    """

    model: str
    state: Literal["off", "bundled", "sentence-transformers", "missing"]
    name: str = ""
    where: str = ""
    problem: str = ""
    remedy: str = ""

    @property
    def usable(self) -> bool:
        """Whether there is a model to load."""
        return self.state in {"bundled", "sentence-transformers"}


def model_state(model: str) -> ModelState:
    """Return what can be said of a model by looking at files alone; takes a millisecond and imports nothing heavy.

    Raises:
        ConfigError: the setting is none that there is.
    """
    kind = check_model(model)
    if kind == NONE:
        return ModelState(model, "off")
    if kind == BUNDLED:
        return _bundled_state(model)
    from memtui.embedding.sentence_transformers import find_model

    return find_model(model.removeprefix(PREFIX).strip()).state(model)


def open_engine(model: str) -> Engine | None:
    """Return the loaded engine of a setting; None for `none`. Never reaches for the network.

    Raises:
        ConfigError: the setting is none that there is.
        ModelMissingError: the model, or what runs it, is missing or damaged.
    """
    while _begun:
        begun = _begun.pop()
        begun.join()
        if begun.model == model and begun.engine is not None:
            return begun.engine
    return _opened(model)


def begin_opening(find_model: Callable[[], str]) -> None:
    """Open the engine of a setting in a thread, for whoever opens it next; what fails is left for that one to tell.

    Args:
        find_model: returns the setting; is asked in that thread.
    """
    begun = _Begun(find_model)
    _begun.append(begun)
    begun.start()


def drop_begun() -> None:
    """Forget an engine that was begun and that nobody asked for, so that no later command is given it."""
    _begun.clear()


class _Begun(Thread):
    """An engine that is being opened ahead."""

    def __init__(self, find_model: Callable[[], str]) -> None:
        super().__init__(name="model", daemon=True)
        self._find_model = find_model
        self.model = ""
        self.engine: Engine | None = None

    def run(self) -> None:
        with suppress(MemtuiError):
            self.model = self._find_model()
            self.engine = _opened(self.model)


_begun: list[_Begun] = []


def _opened(model: str) -> Engine | None:
    kind = check_model(model)
    if kind == NONE:
        return None
    if kind == BUNDLED:
        from memtui.embedding.bundled import BundledEngine

        return BundledEngine()
    from memtui.embedding.sentence_transformers import SentenceTransformersEngine

    return SentenceTransformersEngine(model.removeprefix(PREFIX).strip())


def damage_of(state: ModelState) -> str:
    """Return what is wrong with the files of a usable model, as far as that shows without loading it, else nothing.

    The bundled model is held against the hash that it was shipped with.
    """
    if state.state != "bundled":
        return ""
    from memtui.embedding.bundled import problem_of

    return problem_of() or ""


def check_model(model: str) -> str:
    """Return `none`, `bundled` or the prefix of the Sentence Transformers models.

    Raises:
        ConfigError: the setting is none of them.
    """
    if model in {NONE, BUNDLED}:
        return model
    if model.startswith(PREFIX) and model.removeprefix(PREFIX).strip():
        return PREFIX
    raise ConfigError(
        "There is no such embedding model",
        where=f"embedding.model = {model[:80]!r}",
        remedy='It is "bundled", "none", or "sentence-transformers:" and a name or path.',
    )


def _bundled_state(model: str) -> ModelState:
    from importlib.util import find_spec

    from memtui.embedding import bundled

    path = bundled.DATA / bundled.MODEL_FILE
    if not path.is_file():
        return ModelState(model, "missing", "", str(path), "the bundled model is missing", bundled.REMEDY)
    if find_spec("onnxruntime") is None:
        return ModelState(
            model, "missing", "", str(path), "onnxruntime, which runs it, is missing", "pip install onnxruntime"
        )
    return ModelState(model, "bundled", bundled.NAME, str(path), remedy=bundled.REMEDY)
