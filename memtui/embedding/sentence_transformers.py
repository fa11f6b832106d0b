"""Any Sentence Transformers model, by name or path, through the extra. Only `download` uses the network."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui.errors import MemtuiError, ModelMissingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PREFIX = "sentence-transformers:"  # Precedes the name or path of a model in the setting

_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_SAMPLED_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Found:
    """Where a model is."""

    name: str  # the name or path in the setting
    folder: Path | None  # its folder, None if it is not there
    searched: Path  # the place that was searched
    installed: bool  # whether the extra is installed

    @property
    def recorded_name(self) -> str:
        """What is stored with the vectors of the model.

        A model of the hub is identified by its commit, a folder, whose contents may change, by a digest of its
        configuration and of the ends of its weights.
        """
        if self.folder is None:
            return ""
        if not _looks_like_path(self.name):
            return f"{PREFIX}{self.name}@{self.folder.name[:12]}"
        digest = hashlib.blake2b(digest_size=6)
        for path in sorted(self.folder.rglob("*")):
            if path.suffix in {".json", ".safetensors", ".bin"} and path.is_file():
                digest.update(f"{path.relative_to(self.folder).as_posix()} {path.stat().st_size}\n".encode())
                with path.open("rb") as file:
                    digest.update(file.read(_SAMPLED_BYTES))
                    file.seek(max(0, path.stat().st_size - _SAMPLED_BYTES))
                    digest.update(file.read(_SAMPLED_BYTES))
        return f"{PREFIX}{self.folder.resolve().name}@{digest.hexdigest()}"

    def error(self) -> ModelMissingError:
        """Return the error for a model that cannot be used: which, where, and what to do."""
        off = 'Or set embedding.model = "bundled".'
        if not self.installed:
            return ModelMissingError(
                f"The model {self.name} needs sentence-transformers, which is not installed",
                where=str(self.searched),
                remedy=f"Run pip install 'memtui[sentence-transformers]'. {off}",
            )
        do = "Check the path." if _looks_like_path(self.name) else f"Run `memtui model get {self.name}`."
        return ModelMissingError(f"The model {self.name} was not found", where=str(self.searched), remedy=f"{do} {off}")


def _looks_like_path(name: str) -> bool:
    """Return whether a name means a folder and not a model of the hub."""
    return name.startswith(("/", ".", "~", "\\")) or Path(name).expanduser().is_dir() or Path(name).is_absolute()


def find_model(name: str) -> Found:
    """Return where a model is, from files alone."""
    installed = find_spec("sentence_transformers") is not None
    if _looks_like_path(name):
        folder = Path(name).expanduser()
        exists = (folder / "modules.json").is_file() or (folder / "config.json").is_file()
        return Found(name, folder if exists else None, folder, installed)
    for full in (name, f"sentence-transformers/{name}"):
        place = _cached_at(full)
        folders = [path for path in sorted(place.glob("snapshots/*")) if (path / "config.json").is_file()]
        if folders:
            return Found(name, max(folders, key=lambda path: path.stat().st_mtime), place, installed)
    return Found(name, None, _cached_at(full_name(name)), installed)


def _cached_at(full: str) -> Path:
    return cache_folder() / f"models--{full.replace('/', '--')}"


def cache_folder() -> Path:
    """Return the folder in which the hub's client keeps models, by the environment variables that it reads."""
    for variable, below in (("HF_HUB_CACHE", ""), ("HUGGINGFACE_HUB_CACHE", ""), ("HF_HOME", "hub")):
        if os.environ.get(variable):
            return Path(os.environ[variable]).expanduser() / below
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "huggingface" / "hub"


class SentenceTransformersEngine:
    """A Sentence Transformers model, loaded from this machine only.

    Attributes:
        name: stored with every vector.
        dimensions: as the model states.


    Raises `ModelMissingError`: the extra or the model is missing, or the model cannot be loaded.
    """

    def __init__(self, name: str) -> None:
        found = find_model(name)
        if not found.installed or found.folder is None:
            raise found.error()
        with _offline():
            try:
                from sentence_transformers import SentenceTransformer

                self._model: Any = SentenceTransformer(str(found.folder), local_files_only=True)
            except Exception as error:
                # Someone else's model can raise anything.
                raise ModelMissingError(
                    f"The model {name} cannot be loaded ({type(error).__name__}: {str(error)[:200]})",
                    where=str(found.folder),
                    remedy='Download it again, or set embedding.model = "bundled".',
                ) from error
        self.name = found.recorded_name
        measure = getattr(self._model, "get_embedding_dimension", None) or self._model.get_sentence_embedding_dimension
        self.dimensions = int(measure())

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one normalised vector per text, with the model's prompt for documents if it has one."""
        return self._embed(texts, "encode_document", ("document", "passage", "corpus"))

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one normalised vector per text, with the model's prompt for queries if it has one."""
        return self._embed(texts, "encode_query", ("query",))

    def _embed(self, texts: Sequence[str], method: str, prompts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        options: dict[str, Any] = {
            "batch_size": 32,
            "normalize_embeddings": True,
            "convert_to_numpy": True,
            "show_progress_bar": False,
        }
        encode = getattr(self._model, method, None)
        if encode is None:
            # Sentence Transformers before 5 has prompts, but does not choose one.
            encode = self._model.encode
            known = getattr(self._model, "prompts", None) or {}
            options["prompt_name"] = next((name for name in prompts if name in known), None)
        with _offline():
            return np.asarray(encode(list(texts), **options), dtype=np.float32)


@contextmanager
def _offline() -> Iterator[None]:
    """Keep the hub's client from the network, where it would wait for time-outs behind a firewall."""
    before = {name: os.environ.get(name) for name in _OFFLINE}
    os.environ.update(dict.fromkeys(_OFFLINE, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def download(name: str) -> Path:
    """Download a model of the hub into its cache; returns the folder. Nothing else in memtui uses the network.

    Raises:
        ModelMissingError: the extra is missing.
        MemtuiError: the download failed.
    """
    if find_spec("huggingface_hub") is None or not find_model(name).installed:
        raise Found(name, None, cache_folder(), installed=False).error()
    try:
        from huggingface_hub import snapshot_download

        # What a Sentence Transformers model is loaded from, without other engines' weights.
        wanted = ["*.json", "*.txt", "*.safetensors", "*.model"]
        return Path(snapshot_download(full_name(name), allow_patterns=wanted))
    except Exception as error:
        # Time-outs, refusals and unknown names each have a class of their own.
        raise MemtuiError(
            f"The model cannot be downloaded ({type(error).__name__}: {' '.join(str(error).split())[:200]})",
            where=full_name(name),
            remedy="Check the name and the network. Nothing was changed.",
        ) from error


def folder_bytes(folder: Path) -> int:
    """Return the size of a model's files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def full_name(name: str) -> str:
    return name if "/" in name else f"sentence-transformers/{name}"
