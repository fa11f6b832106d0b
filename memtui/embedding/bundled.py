"""The bundled engine: all-MiniLM-L6-v2 in int8 with BERT's uncased WordPiece, run by onnxruntime."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from threading import Thread, get_native_id
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from memtui.embedding.tokens import QueryTokens, packed, sentences
from memtui.errors import ModelMissingError
from memtui.progress import BACKGROUND

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LONGEST = 256  # Tokens of a text including [CLS] and [SEP]: the model was trained on no more
_LONGEST_TEXT = 16_384  # Characters that are read. The first few thousand contain 256 tokens of words
_LONGEST_WORD = 100  # Longer words are unknown, as in BERT
_CACHED_WORDS = 50_000  # Words whose pieces are cached, about 10 MB

_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_ASCII_TOKENS = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_ASCII_CONTROLS = {code: None for code in range(128) if (code < 32 or code == 127) and chr(code) not in "\t\n\r"}  # noqa: PLR2004 - C0 and DEL
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
"""Ideographs are words of their own, as in BERT; kana and hangul are not."""


class _Table(dict[int, str]):
    """A table for `str.translate` that is computed character by character."""

    def __init__(self, replacement: Callable[[str], str]) -> None:
        super().__init__()
        self._replacement = replacement

    def __missing__(self, code: int) -> str:
        self[code] = value = self._replacement(chr(code))
        return value


def _cleaned(character: str) -> str:
    """Drop control characters, turn white space into blanks, and separate ideographs."""
    if character in "\t\n\r":
        return " "
    if character in "\0\ufffd" or unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs"}:
        return ""
    if character.isspace():
        return " "
    return f" {character} " if any(first <= ord(character) <= last for first, last in _IDEOGRAPHS) else character


def _separated(character: str) -> str:
    """Drop combining marks, and separate punctuation."""
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    if category[0] == "P" or (character.isascii() and category[0] == "S"):
        return f" {character} "
    # Letter by letter, because a whole word in Greek capitals would get a final sigma.
    return character.lower()


_CLEANING = _Table(_cleaned)
_SPLITTING = _Table(_separated)


def _words_of(text: str) -> list[str]:
    """Return the words and punctuation marks of a text, in lower case and without accents."""
    if text.isascii():
        return _ASCII_TOKENS.findall(text.translate(_ASCII_CONTROLS).lower())
    return unicodedata.normalize("NFD", text.translate(_CLEANING)).translate(_SPLITTING).split()


class WordPiece:
    """A tokenizer over one vocabulary. `vocabulary`: file with one piece per line; the line number is the id."""

    def __init__(self, vocabulary: Path) -> None:
        pieces = vocabulary.read_text(encoding="utf-8").split("\n")
        self._ids = {piece: number for number, piece in enumerate(pieces) if piece}
        self._longest = max(map(len, self._ids))
        self._unknown = self._ids["[UNK]"]
        self._start, self._end = self._ids["[CLS]"], self._ids["[SEP]"]
        self._pieces = lru_cache(maxsize=_CACHED_WORDS)(self._split)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, at most 256, [CLS] first and [SEP] last."""
        return self.encode_parts([text])[0]

    def encode_parts(self, parts: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return the ids of the parts of a text in a row, as `encode`, and how many of them each part has."""
        ids, lengths = [self._start], list[int]()
        for part in parts:
            before = len(ids)
            ids += islice(self._numbers(part[:_LONGEST_TEXT]), LONGEST - 1 - before)
            lengths.append(len(ids) - before)
        ids.append(self._end)
        return ids, lengths

    def _numbers(self, text: str) -> Iterator[int]:
        for place, part in enumerate(_SPECIAL.split(text)):
            if place % 2:
                yield self._ids[part]
                continue
            for word in _words_of(part):
                yield from self._pieces(word)

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the pieces of a word, each the longest that fits; unknown if it cannot be divided into pieces."""
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = self._ids.get(f"##{word[start:end]}" if start else word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return (self._unknown,)
        return tuple(found)


DATA = Path(__file__).parent / "data"
MODEL_FILE = "model.onnx"
VOCABULARY_FILE = "vocab.txt"
MODEL_SHA256 = "a1ef4d329f125be0974fd7e0c7735145266b006461ce1195e99a7788242a90e1"
NAME = "all-MiniLM-L6-v2-int8"
_DIMENSIONS = 384
_EMBEDDING, _TOKENS = "embedding", "layer5.down.norm"  # Outputs of the graph

_LAST_LATIN = "\u024f"  # End of Latin Extended-B; other scripts follow, apart from rare letters
_SAMPLED_LETTERS = 4_000  # Characters of a text that decide its script: more than the model reads

MOST_TEXTS = 16
MOST_TOKENS = 1_024
"""Bounds of one batch: its widest layer takes 6 MB, and a chunk of memories makes a batch for every core."""

_LOW_PRIORITY = 10  # Nice value of a thread that gives way
_MOST_THREADS = 4  # Concurrent batches; each takes memory, and other programs need the processor too

REMEDY = 'Reinstall memtui: pip install --force-reinstall memtui. Or turn it off: embedding.model = "none".'


class BundledEngine:
    """The bundled model, loaded. Threads may share it.

    Attributes:
        name: stored with every vector.
        dimensions: 384.


    Raises `ModelMissingError`: a file of the model is missing or is not the one that was shipped, or onnxruntime cannot
    be imported.
    """

    name = NAME
    dimensions = _DIMENSIONS

    def __init__(self, folder: Path | None = None) -> None:
        folder = folder or DATA
        onnxruntime = _import_while_checking(folder)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # The graph was optimised when it was built.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        # One thread per batch instead of several within one takes a third less work, and no thread spins idly.
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            str(folder / MODEL_FILE), options, providers=["CPUExecutionProvider"]
        )
        self._words = WordPiece(folder / VOCABULARY_FILE)
        self._gives_way = False
        if folder == DATA:
            _loaded.add(self)

    def give_way(self) -> None:
        """Work in the background from now on: several texts leave the processor to what a person waits for."""
        self._gives_way = True

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one normalised vector per text, shape (texts, 384)."""
        import numpy as np

        ids = [self._words.encode(text) for text in texts]
        vectors = np.empty((len(ids), _DIMENSIONS), np.float32)

        def embed(batch: list[int]) -> None:
            vectors[batch] = self._run([_EMBEDDING], [ids[number] for number in batch])[0]

        _for_each(embed, list(batches([len(numbers) for numbers in ids])), gives_way=self._gives_way)
        return vectors

    def embed_with_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], list[bytes]]:
        """Return the same as `embed_passages`, and the packed token vectors of each text, from one pass."""
        import numpy as np

        parts = [self._words.encode_parts(sentences(text)) for text in texts]
        vectors, tokens = np.empty((len(parts), _DIMENSIONS), np.float32), [b""] * len(parts)

        def embed(batch: list[int]) -> None:
            vectors[batch], hidden = self._run([_EMBEDDING, _TOKENS], [parts[number][0] for number in batch])
            for number, rows in zip(batch, hidden, strict=True):
                tokens[number] = packed(rows[1:], parts[number][1])

        _for_each(embed, list(batches([len(ids) for ids, _ in parts])), gives_way=self._gives_way)
        return vectors, tokens

    def embed_query(self, text: str) -> QueryTokens:
        """Return the vector of a query and those of its tokens."""
        ids = self._words.encode(text)
        vectors, hidden = self._run([_EMBEDDING, _TOKENS], [ids])
        return QueryTokens.of(vectors[0], hidden[0][1:-1] if len(ids) > 2 else hidden[0])  # noqa: PLR2004 - both ends

    def _run(self, outputs: list[str], ids: Sequence[Sequence[int]]) -> Any:
        """Run the graph on one batch, the longest text first."""
        import numpy as np

        padded = np.zeros((len(ids), len(ids[0])), np.int32)
        mask = np.zeros_like(padded)
        for row, numbers in enumerate(ids):
            padded[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        return self._session.run(outputs, {"input_ids": padded, "attention_mask": mask})

    def reads(self, text: str) -> bool:
        """Return whether at least half of a text's letters are Latin.

        The model was trained on English; to it, all texts in another script are alike.
        """
        if text.isascii():
            return True
        letters = [letter for letter in text[:_SAMPLED_LETTERS] if letter.isalpha()]
        return 2 * sum(letter <= _LAST_LATIN for letter in letters) >= len(letters)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same as `embed_passages`, because this model does not distinguish queries."""
        return self.embed_passages(texts)


_loaded: WeakSet[BundledEngine] = WeakSet()


def loaded_engine() -> BundledEngine:
    """Return an engine that this process has loaded and still holds, else one that is loaded now.

    Raises `ModelMissingError`, as `BundledEngine` does.
    """
    return next(iter(list(_loaded)), None) or BundledEngine()


def _import_while_checking(folder: Path) -> Any:
    """Return onnxruntime, imported while the files are checked, which takes 60 ms of hashing.

    Raises `ModelMissingError`: one of them failed.
    """
    found: list[str | None] = []
    checking = Thread(target=lambda: found.append(problem_of(folder)))
    checking.start()
    # Builds such as 1.32 have a telemetry client, which writes a session file at import. Nothing may be reported
    # from this machine, whatever the environment says.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime

        onnxruntime.disable_telemetry_events()
    except ImportError as error:
        raise ModelMissingError(
            f"The engine of the bundled model cannot be imported ({error})",
            where="onnxruntime",
            remedy='Install it: pip install onnxruntime. Or turn it off: embedding.model = "none".',
        ) from error
    finally:
        checking.join()
    if found != [None]:
        problem = (found or [None])[0] or "The bundled model cannot be checked"
        raise ModelMissingError(problem, where=str(folder / MODEL_FILE), remedy=REMEDY)
    return onnxruntime


def _for_each(act: Callable[[list[int]], None], found: Sequence[list[int]], *, gives_way: bool) -> None:
    """Act on every batch, on several cores if possible."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min(cores, _MOST_THREADS, len(found))
    if threads <= 1:
        for batch in found:
            act(batch)
        return
    from concurrent.futures import ThreadPoolExecutor

    initializer = _lower_priority if gives_way else None
    # Whoever asked waits for these itself; the end of the process does not.
    with ThreadPoolExecutor(threads, thread_name_prefix=BACKGROUND, initializer=initializer) as pool:
        list(pool.map(act, found))


def _lower_priority() -> None:
    """Let this thread have the processor only where nobody else wants it; only Linux knows this of a thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, get_native_id(), _LOW_PRIORITY)


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield places of texts of similar length, the longest first, so that there is little padding."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        width = lengths[batch[0]] if batch else 0
        if batch and (len(batch) == MOST_TEXTS or (len(batch) + 1) * width > MOST_TOKENS):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def problem_of(folder: Path | None = None) -> str | None:
    """Return what is wrong with the model's files, None if they are as shipped; takes 20 to 60 ms."""
    folder = folder or DATA
    try:
        with (folder / MODEL_FILE).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if not (folder / VOCABULARY_FILE).is_file():
            return "The vocabulary of the bundled model is missing"
    except OSError as error:
        return f"The bundled model cannot be read ({error.strerror})"
    return None if digest == MODEL_SHA256 else "The bundled model is not the file that was shipped"
