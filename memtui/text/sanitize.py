"""Decode foreign bytes, also those that are not UTF-8, and neutralise control and invisible characters."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from memtui.text.tables import read_table

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
)
_BAD_LINES = 0.05
"""A text with bytes that are not UTF-8 in at most so many of its lines is UTF-8 with a few broken lines."""

NOT_UTF8 = "not UTF-8, and its encoding cannot be told; save it as UTF-8, e.g. `iconv -f ENCODING -t UTF-8`"
"""Why a file, or a part of one, is not read."""

LOST_CHARACTER = "it contains replacement characters (U+FFFD or a lone surrogate)"
"""Why a part of a text is not read."""

_LOST = re.compile("\\w[\ufffd\ud800-\udfff]|[\ufffd\ud800-\udfff]\\w|[\ud800-\udfff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_LOOKED_AT_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A file's text, with LF line ends and without a byte order mark."""

    text: str
    replaced: int = 0  # undecodable bytes; each UTF-8 byte, or each UTF-16 unit, becomes one U+FFFD in the text
    encoding: str = "utf-8"  # what it was read as; empty if that could not be told


def decode(raw: bytes) -> DecodedText:
    """Return bytes as text; never fails.

    A byte order mark decides, else it is UTF-8 where the bytes are, else another encoding if they can hardly be
    anything else.
    """
    decoded = _decode(raw)
    if "\r" in decoded.text:
        return replace(decoded, text=decoded.text.replace("\r\n", "\n").replace("\r", "\n"))
    return decoded


def _decode(raw: bytes) -> DecodedText:
    mark, encoding = next(((mark, name) for mark, name in _BOMS if raw.startswith(mark)), (b"", ""))
    body = raw[len(mark) :]
    if encoding.startswith("utf-16"):
        half = body[-1:] if len(body) % 2 else b""
        text, units = _SURROGATE.subn(_REPLACEMENT, body[: len(body) - len(half)].decode(encoding, "surrogatepass"))
        return DecodedText(text + _REPLACEMENT * len(half), units * 2 + len(half), encoding)
    if encoding.startswith("utf-32"):
        text = body.decode(encoding, "replace")
        return DecodedText(text, text.count(_REPLACEMENT), encoding)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_other(body)
    guessed = "" if "\0" not in text[:_LOOKED_AT_CHARS] else _guess_encoding(body)
    return DecodedText(body.decode(guessed), encoding=guessed) if guessed else DecodedText(text)


def _decode_other(body: bytes) -> DecodedText:
    """Return bytes that are not UTF-8, or not everywhere, as text."""
    # surrogateescape makes one surrogate of each bad byte, which counts bytes, not runs.
    escaped = body.decode("utf-8", "surrogateescape")
    text, replaced = _SURROGATE.subn(_REPLACEMENT, escaped)
    bad_lines = sum(1 for line in escaped.split("\n") if _SURROGATE.search(line))
    good = sum(1 for sign in text if sign > "\x7f") - replaced
    if good < replaced:
        if guessed := _guess_encoding(body):
            return DecodedText(body.decode(guessed), encoding=guessed)
        if bad_lines > _BAD_LINES * (text.count("\n") + 1):
            return DecodedText(text, replaced, "")
    return DecodedText(text, replaced)


def _guess_encoding(body: bytes) -> str:

    return guess_encoding(body)


_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Scripts whose letters join: Arabic and its neighbours, the Indic scripts, Burmese, Khmer, Mongolian.
_MONGOLIAN = "\u1800-\u180a\u1810-\u18af"  # letters, without the selectors among them
_JOINING = (
    "\u0600-\u061b\u061d-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u17b3\u17b6-\u17ff\ufb50-\ufdff\ufe70-\ufefc"
    + _MONGOLIAN
)
_VARIATION = "\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f" + _VARIATION
)

_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor, bracketed paste
    r"|\x9b[0-?]*[ -/]*[@-~]"
    # OSC, DCS and the like, up to their end on the same line
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]+[0-~]"
    r"|\x1b[\]PX^_\\78=>cDEHMNOZ]"
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_LINE_LIKE = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
_LINES = dict.fromkeys((0x0B, 0x0C, 0x1C, 0x1D, 0x1E, 0x85), "\n") | {0x1F: " "}
_SEPARATORS = re.compile("[\u2028\u2029]")
_SUSPECT = re.compile(f"[{_BIDI}{_INVISIBLE}]")
_UNDISPLAYABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


@cache
def _hidden() -> re.Pattern[str]:
    # Compiling it takes 8 ms, and few texts need it.
    return re.compile(
        f"(?=[{_BIDI}{_INVISIBLE}])"  # one test per character decides for nearly all of them
        "(?:(?P<normal>"
        f"(?<=[{_EMOJI}])[\ufe0e\ufe0f](?![{_VARIATION}])"
        "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
        f"|(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e01ef](?![{_VARIATION}])"
        f"|(?<=[\u2190-\u2aff])\ufe00(?![{_VARIATION}])"
        f"|(?<=[{_MONGOLIAN}])[\u180b-\u180f](?![{_VARIATION}])"
        f"|(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d(?=[{_EMOJI}])"
        f"|(?:(?<=[{_JOINING}])|(?<=[{_MONGOLIAN}][\u180b-\u180f]))[\u200c\u200d](?![\u200b-\u200f])"
        "|(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
        f")|(?P<bidi>[{_BIDI}])|(?P<invisible>.))"
    )


@dataclass(frozen=True, slots=True)
class Sanitised:
    """A text that may be shown and stored, and what was wrong with it."""

    text: str  # with LF line ends and without control characters other than tab and line feed
    removed: int = 0  # escape sequences and control characters removed, lone surrogates replaced
    invisible: int = 0  # invisible characters still in the text that no script or emoji needs there
    bidi: int = 0  # bidirectional controls still in the text


def sanitise(text: str) -> Sanitised:
    """Return the text without control characters and escape sequences, with counts of what is unusual in it.

    Idempotent. An escape sequence that is never closed loses only its opening. Controls that end a line or separate
    fields become a line feed or a space, so that no two words are joined.
    """
    if text.isascii() and text.replace("\n", " ").isprintable():
        return Sanitised(text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _LINE_LIKE.search(text):
        text = text.translate(_LINES)
    text, removed = _CONTROL.subn("", text)
    if text.isascii():
        return Sanitised(text, removed)
    text, surrogates = _SURROGATE.subn("\ufffd", text)
    if not _SUSPECT.search(text):
        return Sanitised(text, removed + surrogates)
    kinds = [match.lastgroup for match in _hidden().finditer(text)]
    return Sanitised(text, removed + surrogates, kinds.count("invisible"), kinds.count("bidi"))


def lost_a_character(text: str) -> bool:
    """Return whether a text has U+FFFD in a word, where a converter put it, or half of a surrogate pair."""
    return not text.isascii() and _LOST.search(text) is not None


def in_lines(text: str) -> str:
    """Return a text whose only line ends are line feeds: readers disagree on U+2028 and U+2029."""
    return text if text.isascii() else _SEPARATORS.sub("\n", text)


def reveal(text: str) -> str:
    """Return the text with hidden characters written out, as U+202E in angle quotes, for the screen."""
    if not text.isascii() and _SUSPECT.search(text):
        text = _hidden().sub(_reveal_hidden, text)
    return _UNDISPLAYABLE.sub(_reveal_character, text)


def without_surrogates(text: str) -> str:
    """Return the text with lone surrogates, which databases and terminals reject, as question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def tame(text: str, longest: int = 400) -> str:
    """Return the beginning of a text as one line, with hidden and control characters written out."""
    return reveal(" ".join(text[:longest].split())) + ("…" if len(text) > longest else "")


def one_line(text: str) -> str:
    """Return the text as one line: no control characters, every run of white space one space."""
    return " ".join(sanitise(text).text.split())


def _reveal_hidden(match: re.Match[str]) -> str:
    return match.group() if match.lastgroup == "normal" else _reveal_character(match)


def _reveal_character(match: re.Match[str]) -> str:
    return f"\u2039U+{ord(match.group()):04X}\u203a"


_SAMPLE_BYTES = 32_000
_LEAST_SHARE = 0.2
"""Of the characters of a script, so many are frequent ones; text in a wrong encoding has less than 0.1."""

_LEAST_LEAD = 2.0  # How many times better than any other reading a reading must be

_NO_WORDS = 0.01
"""The score of a text whose letters fit an alphabet, but which has none of the language's frequent words."""

_LEAST_ASCII = 0.5
_WORD = re.compile(r"[^\W\d_]+")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
_INSIDE_A_WORD = re.compile(r"(?<=[^\W\d_])[^\s\x00-\x7f](?=[^\W\d_])")
_APOSTROPHES = frozenset("’‘·–—")


def guess_encoding(raw: bytes) -> str:
    """Return the encoding of a text that is neither UTF-8 nor marked as UTF-16; empty where it is not safe to say.

    Every encoding that can hold the bytes is tried. A reading counts for something only if it looks like one of the
    languages written in that encoding, and it wins only if no other reading looks half as good.
    """
    if b"\0" in raw:
        return next((name for name in ("utf-16-le", "utf-16-be") if _is_utf_16(raw, name)), "")
    scores: dict[str, tuple[float, str]] = {}
    for score, encoding, text in _readings(raw[:_SAMPLE_BYTES]):
        if score > scores.get(text, (0.0, ""))[0]:
            scores[text] = (score, encoding)
    best = sorted(scores.values(), reverse=True)
    if not best or (len(best) > 1 and best[0][0] < _LEAST_LEAD * best[1][0]):
        return ""
    return best[0][1] if _decoded(raw, best[0][1]) is not None else ""


def _is_utf_16(raw: bytes, encoding: str) -> bool:
    text = _decoded(raw, encoding)
    if not text or _CONTROLS.search(text):
        return False
    known = sum(1 for sign in text if sign.isascii() or sign in _frequent_anywhere())
    return known >= _LEAST_ASCII * len(text)


def _decoded(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None


def _readings(sample: bytes) -> Iterator[tuple[float, str, str]]:
    """Yield a score, the encoding and the text of each plausible reading."""
    # A sample may end within a character, which a line never does.
    sample = sample[: sample.rfind(b"\n") + 1] or sample
    table = _table()
    for kind, score_of in (("scripts", _script_score), ("alphabets", _alphabet_score)):
        for language in table[kind]:
            for encoding in language["encodings"]:
                text = _decoded(sample, encoding)
                if text is not None and not _CONTROLS.search(text) and (score := score_of(text, language)):
                    yield score, encoding, text


def _table() -> dict[str, list[dict[str, str]]]:
    return read_table(__file__, "encodings.toml")


@cache
def _marks() -> frozenset[str]:
    return frozenset(read_table(__file__, "encodings.toml")["marks"])


@cache
def _frequent_anywhere() -> frozenset[str]:
    table = _table()
    letters = (one["letters"] for one in table["alphabets"])
    return frozenset("".join((*letters, *(one["frequent"] for one in table["scripts"])))) | _marks()


def _script_score(text: str, language: dict[str, str]) -> float:
    letters = [sign for sign in text if not sign.isascii() and sign not in _marks()]
    frequent = frozenset(language["frequent"])
    share = sum(1 for sign in letters if sign in frequent) / len(letters) if letters else 0.0
    return share if share >= _LEAST_SHARE else 0.0


def _alphabet_score(text: str, language: dict[str, str]) -> float:
    """Return the share of frequent words, if every letter belongs to the language and stands where letters stand."""
    alphabet = frozenset(language["letters"]) | _marks()
    if any(sign.lower() not in alphabet for sign in _BEYOND_ASCII.findall(text)):
        return 0.0
    if any(not sign.isalpha() and sign not in _APOSTROPHES for sign in _INSIDE_A_WORD.findall(text)):
        return 0.0
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    if any(not (word.islower() or word.isupper() or word[1:].islower()) for word in words):
        return 0.0
    frequent = frozenset(language["words"].split())
    found = [word.lower() in frequent for word in _WORD.findall(text)]
    return sum(found) / len(found) + _NO_WORDS if found else 0.0
