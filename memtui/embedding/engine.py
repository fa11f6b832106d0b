"""What turns texts into vectors, chosen by `embedding.model`: the bundled model, a Sentence Transformers one, none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from memtui.embedding.sentence_transformers import PREFIX, find_model
from memtui.errors import ConfigError, MemtuiError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memtui.embedding.tokens import QueryTokens

NONE = "none"
BUNDLED = "bundled"


class Engine(Protocol):
    """A loaded model. Vectors are float32, shape (texts, dimensions), of length 1, so that a product is a cosine."""

    @property
    def name(self) -> str:
        """What is stored with every vector; vectors of different names are never compared."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts to be found."""

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of queries."""


@runtime_checkable
class TokenEngine(Protocol):
    """A model that gives the vectors of single tokens as well."""

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[bytes]]:
        """Return the vectors of texts to be found, and their token vectors as `tokens.packed` packs them."""

    def embed_query(self, text: str) -> QueryTokens:
        """Return the vector of a query and those of its tokens."""


@runtime_checkable
class _KnowsItsScripts(Protocol):
    """A model that tells what it cannot read."""

    def reads(self, text: str) -> bool:
        """Return whether a text is mostly in a script that the model was trained on."""


@runtime_checkable
class _CanGiveWay(Protocol):
    """A model that can work in the background."""

    def give_way(self) -> None:
        """Leave the processor to others from now on."""


def give_way(engine: Engine) -> None:
    """Let a model work in the background, if it can."""
    if isinstance(engine, _CanGiveWay):
        engine.give_way()


def can_read(engine: Engine, text: str) -> bool:
    """Return whether a model can read a text; assumed of one that does not tell."""
    return engine.reads(text) if isinstance(engine, _KnowsItsScripts) else True


@dataclass(frozen=True, slots=True)
class ModelState:
    """What is known about a model without loading it."""

    model: str
    state: Literal["off", "bundled", "sentence-transformers", "missing"]
    name: str = ""  # what is stored with its vectors, empty if there is none
    where: str = ""  # the file or folder it is read from, empty if there is none
    problem: str = ""  # what is wrong, empty unless it is missing
    remedy: str = ""  # what to do about it

    @property
    def usable(self) -> bool:
        return self.state in {"bundled", "sentence-transformers"}


def model_state(model: str) -> ModelState:
    """Return what is known about a model from its files alone, in a millisecond and without heavy imports.

    Raises `ConfigError`: the setting is invalid.
    """
    own = _check(model)
    if own:
        found = find_model(own)
        if found.installed and found.folder:
            return ModelState(model, "sentence-transformers", found.recorded_name, str(found.folder))
        error = found.error()
        return ModelState(model, "missing", "", str(found.searched), error.what, error.remedy)
    if model == NONE:
        return ModelState(model, "off")
    from memtui.embedding import bundled

    path = bundled.DATA / bundled.MODEL_FILE
    if not path.is_file():
        return ModelState(model, "missing", "", str(path), "the bundled model is missing", bundled.REMEDY)
    if find_spec("onnxruntime") is None:
        problem = "onnxruntime, which runs it, is missing"
        return ModelState(model, "missing", "", str(path), problem, "pip install onnxruntime")
    return ModelState(model, "bundled", bundled.NAME, str(path), remedy=bundled.REMEDY)


def open_engine(model: str) -> Engine | None:
    """Return the loaded engine of a setting; None for `none`. Never uses the network.

    Raises:
        ConfigError: the setting is invalid.
        ModelMissingError: the model, or what runs it, is missing or damaged.
    """
    with suppress(IndexError):  # another thread may take the last one at any moment
        while True:
            begun = _begun.pop()
            begun.join()
            if begun.model == model and begun.engine is not None:
                return begun.engine
    return _opened(model)


def begin_opening(find_setting: Callable[[], str]) -> None:
    """Open the engine of a setting in a thread, for the next `open_engine`, which also reports what fails.

    `find_setting`: returns the setting; called in that thread.
    """
    begun = _Begun(find_setting)
    begun.start()
    _begun.append(begun)  # started: whoever takes it from here joins it


def drop_begun() -> None:
    """Forget an engine that was begun and not used, so that no later command gets it."""
    _begun.clear()


class _Begun(Thread):
    """An engine that is being opened in advance."""

    def __init__(self, find_setting: Callable[[], str]) -> None:
        super().__init__(name="model", daemon=True)
        self._find_setting = find_setting
        self.model = ""
        self.engine: Engine | None = None

    def run(self) -> None:
        with suppress(MemtuiError):
            self.model = self._find_setting()
            self.engine = _opened(self.model)


_begun: list[_Begun] = []


def _opened(model: str) -> Engine | None:
    own = _check(model)
    if own:
        from memtui.embedding.sentence_transformers import SentenceTransformersEngine

        return SentenceTransformersEngine(own)
    if model == NONE:
        return None
    from memtui.embedding.bundled import BundledEngine

    return BundledEngine()


def damage_of(state: ModelState) -> str:
    """Return what is wrong with the files of a usable model, as far as that shows without loading it, else nothing.

    The bundled model is compared with the hash that it was shipped with.
    """
    if state.state != "bundled":
        return ""
    from memtui.embedding.bundled import problem_of

    return problem_of() or ""


def _check(model: str) -> str:
    """Return the name or path of a Sentence Transformers model, empty for `none` and `bundled`."""
    own = model.removeprefix(PREFIX).strip() if model.startswith(PREFIX) else ""
    if own or model in {NONE, BUNDLED}:
        return own
    raise ConfigError(
        "Unknown embedding model",
        where=f"embedding.model = {model[:80]!r}",
        remedy='Use "bundled", "none", or "sentence-transformers:" with a name or path.',
    )
