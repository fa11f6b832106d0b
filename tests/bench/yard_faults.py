"""What a stranger would fault in a memory.

The marks do not come from the readers: they have to find the readers' faults.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CODE = re.compile(
    r"`[^`]*`|\bhttps?://\S+|(?<![\w/])[\w.@~-]*/[\w./@*{}<>-]+|\b\w[\w-]*\.[a-z]{1,4}\b|\$\w+|--?\w[\w-]*"
)
_FENCE = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[^\n]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_EDGES = " \t*_#>:：.。!！-–—|[]()（）【】"

_LISTS = tomllib.loads(Path(__file__).with_name("yard_words.toml").read_text(encoding="utf-8"))
_LABELS = frozenset(_LISTS["labels"].split())
_VERBS = frozenset(_LISTS["verbs"].split())
_LABELLED = re.compile(
    r"\W*(?:in)?correct\b|\W*(?:wrong|good|bad|right|example|note|warning|tip|important|caution)(?: example)?\s*[:：]"
    r"|\W*(?:richtig|falsch|beispiel|hinweis|achtung|exemple|remarque|attention|ejemplo|nota|exemplo)\s*[:：]"
    r"|[✅❌⚠✓✗]|\W*(?:正确|错误|示例|注意|警告|提示|良い例|悪い例|例)\s*[:：]|\[![A-Z]+\]",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\W*(?:step|phase|schritt|étape|paso|passo|第)\s*\d+|\W*\d{1,2}[.)、]\s|\W*(?:步骤|手順)\s*\d", re.IGNORECASE
)
_POINTS = re.compile(
    r"\W*(?:see|refer to|check out|more (?:info|details)|for (?:more|details|further)|documented in|details in|"
    r"siehe|mehr dazu|weitere|voir|consulte[zr]?|ver|vea|véase|veja|参见|参考|请参阅|详见|参照|詳細は)(?!\w)",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"(?:\$ )?(?:npm|npx|pnpm|yarn|bun|deno|git|gh|docker|make|cargo|go|pip|uv|python3?|pytest|poetry|cd|ls|curl|rg|"
    r"grep|export|sudo|kubectl|terraform|mvn|gradle|\./\S+)(?: [\w@./:=${}<>-]+)+$"
)
_MID_SENTENCE = re.compile(
    r"(?:and|or|but|which|because|so that|then|und|oder|aber|et|mais|y|pero|e|mas|ou)\s", re.IGNORECASE
)
_HANGING = re.compile(r"(?:it|this|that|these|those|they|same|es|dies|diese|cela|ceux-ci|esto|isso)\b", re.IGNORECASE)
_VERB_ENDS = re.compile(r"(?:ed|ing|ize|ise|ify|izes|ises|ifies|ates|t's)$")
_ORDERS = re.compile(
    r"\w+ (?:the|an?|every|each|all|any|both|no|only|your|our|its|this|that|these|new)\b", re.IGNORECASE
)
HELD_SHARE = 0.8
"""Share of the words of a line that memories must hold: a mark or a label may be left away."""

REPEATED_SIGNS = 20
"""Length of a line that counts as held wherever in the file a memory says the same."""

_TERSE_WORDS = 12
_POINTER_WORDS = 14
_HANGING_WORDS = 16


def plain(text: str) -> str:
    """Return a text without fences, link targets and marks of emphasis."""
    return re.sub(
        r"[*_]{2,}|^[ \t]*(?:[-*+]|\d+[.)])[ \t]+", "", _LINK.sub(r"\1", _FENCE.sub(" ", text)), flags=re.MULTILINE
    )


def words(text: str) -> list[str]:
    """Return the words outside code and paths."""
    return [word.lower() for word in _WORD.findall(_CODE.sub(" ", plain(text)))]


def size(text: str) -> int:
    """Return the number of words; three signs of a script without spaces count as two words."""
    signs = len(CJK.findall(text))
    return len([word for word in words(text) if not CJK.search(word)]) + signs * 2 // 3


def title_faults(title: str) -> Iterator[str]:
    """Yield what is wrong with a title: cut, label, code, short, numbered, pointer."""
    bare = title.strip(_EDGES + "✅❌⚠️✓✗ ").lower()
    if title.rstrip().endswith(("…", "...")):
        yield "cut"
    if bare in _LABELS or _LABELLED.match(title):
        yield "label"
    if _COMMAND.match(title.strip("` ")) or (title.strip() and not words(title)):
        yield "code"
    elif size(title) < 2:
        yield "short"
    if _NUMBERED.match(title):
        yield "numbered"
    if _POINTS.match(title):
        yield "pointer"


def fragment_faults(insight: str) -> Iterator[str]:
    """Yield why a memory does not hold by itself: colon, code, pointer, no-verb, hanging, mid-sentence."""
    text = plain(insight).strip()
    said, number = words(insight), size(insight)
    if re.search(r"[:：][*_ \t]*$", insight.strip()):
        yield "colon"
    if not number:
        yield "code"
        return
    linked = bool(_LINK.search(insight)) or bool(_CODE.search(text))
    if linked and number <= _POINTER_WORDS and (_POINTS.match(text) or (number <= 2 and not any(map(_is_verb, said)))):
        yield "pointer"
    is_latin = not CJK.search(insight)
    if is_latin and number <= _TERSE_WORDS and not any(map(_is_verb, said)) and not _ORDERS.match(text):
        yield "no-verb"
    if is_latin and number <= _HANGING_WORDS and _HANGING.match(text):
        yield "hanging"
    if _MID_SENTENCE.match(text) and text[:1].islower():
        yield "mid-sentence"


def _is_verb(word: str) -> bool:
    return bool({word, word.removesuffix("s"), word.removesuffix("es")} & _VERBS or _VERB_ENDS.search(word))


# Names and places that an assistant or a team reads by itself, as the makers document them.
_LOADED = re.compile(
    r"(?:^|.*/)(?:AGENTS?(?:\.override|\.local)?|CLAUDE(?:\.local)?|GEMINI|QWEN|WARP)\.md$"
    r"|(?:^|.*/)\.(?:cursorrules|windsurfrules|clinerules|roorules(?:-\w+)?|rules|goosehints|voidrules|augment-guidelines)$"
    r"|(?:^|.*/)\.(?:claude|windsurf|devin|cline|amazonq|augment|continue|kilocode|kilo|trae|aiassistant|qwen|agents?|"
    r"factory)/rules/.*\.(?:md|txt)$|(?:^|.*/)\.cursor/(?:rules/.*\.mdc|BUGBOT\.md)$"
    r"|(?:^|.*/)\.(?:clinerules/(?!workflows/|hooks/)|roo/rules(?:-[\w-]+)?/).*\.(?:md|txt)$"
    r"|(?:^|.*/)\.(?:kiro/steering|junie|serena/memories|openhands/microagents|claude/agent-memory|windsurf/memories)/.*\.md$"
    r"|(?:^|.*/)\.github/copilot-instructions\.md$|(?:^|.*/)[\w.-]+\.instructions\.md$"
    r"|(?:^|.*/)memory-bank/.*\.md$|(?:CONVENTIONS|best_practices|LESSONS)\.md$|docs?/(?:lessons(?:\.md$|/)|postmortems/)"
    r"|(?:^|.*/)(?:skills/.*|SKILL)\.md$"
    r"|(?:^|.*/)(?:adrs?|decisions|decision-records?|architecture-decision(?:s|-records?))/(?:.*/)?(?:adr-?)?\d[^/]*\.md$"
    r"|(?:^|.*/)(?:adrs?|decisions)/(?:.*/)?adr-[^/]*\.md$"
    r"|\.beads/issues\.jsonl$|\.cass/playbook\.yaml$|\.memtui/.*",
)
_ANY_CASE = re.compile(r"\.claude/claude\.md$", re.IGNORECASE)
_ON_DEMAND = re.compile(r"(?:^|/)skills/.*\.md$|(?:^|/)SKILL\.md$")
_NOT_OWN = re.compile(
    r"(?:^|/)(?:node_modules|vendor|third_party|fixtures?|__fixtures__|testdata|test-data|templates?|examples?|\.git|"
    r"dist|build|target)/"
)


def is_loaded(path: str) -> bool:
    """Return whether an assistant, or a team's habit, reads a file of that path by itself."""
    return bool(_LOADED.match(path) or _ANY_CASE.search(path))


def is_expected(path: str) -> bool:
    """Return whether an import should read a file of that path: loaded always, and the project's own."""
    return is_loaded(path) and not _ON_DEMAND.search(path) and not _NOT_OWN.search(path)


def lines_lost(
    lines: Sequence[str], memories: Sequence[tuple[tuple[int, int], str]], told: Sequence[tuple[int, int]]
) -> list[int]:
    """Return the numbers of the lines that neither a memory holds nor the report tells.

    Args:
        lines: the file's.
        memories: the lines that each memory came from, with everything it says.
        told: the lines that were reported as left out.
    """
    reported = {number for first, last in told for number in range(first, last + 1)}
    said = [(first, last, _squeezed(body), frozenset(words_of(body))) for (first, last), body in memories]
    lost = []
    for number, line in enumerate(lines, 1):
        bare = _squeezed(re.sub(r"^\s*(?:[-*+>]\s+|#{1,6}\s+)*(?:\d+[.)]\s+)?(?:\[[ xX]\]\s+)?", "", line))
        if not bare or number in reported or line.lstrip().startswith(("```", "~~~")):
            continue
        mine = words_of(line)
        over = [(body, known) for first, last, body, known in said if first <= number <= last]
        known = frozenset().union(*(known for _, known in over))  # a long line may be parted among several
        repeated = len(bare) >= REPEATED_SIGNS and any(bare in body for _, _, body, _ in said)
        held = (
            repeated
            or any(bare in body for body, _ in over)
            or (bool(mine) and sum(word in known for word in mine) >= HELD_SHARE * len(mine))
        )
        if not held:
            lost.append(number)
    return lost


def is_heading(line: str) -> bool:
    """Return whether a line is a heading, or a label alone, as in `**Findings:**`, which is one in all but form."""
    return bool(re.match(r"\s*(?:#|(?:[-*+>]\s+)?[*_]{0,2}[\w' -]{1,40}[*_]{0,2}[:：][*_]{0,2}\s*$)", line))


def words_of(text: str) -> list[str]:
    """Return every word and number, code included."""
    return re.findall(r"\w+", text.lower())


def _squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
