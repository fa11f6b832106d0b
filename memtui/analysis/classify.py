"""Guess the kind of a text from what its sentences do, its headings and its file; find the paths it names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from memtui.analysis.sentence_acts import (
    CODE_SPAN,
    RULES,
    SENTENCE_CHARS,
    acts_of,
    is_command,
    openings,
    pattern,
    sightings,
    table,
    words_of,
)
from memtui.domain.kinds import DEFAULT_KINDS
from memtui.domain.memory import Memory, Source

MAX_ANCHORS = 8
_READ_CHARS = 4_000

Confidence = Literal["sure", "likely", "guess"]  # How well a guessed kind is founded
_SURE, _LIKELY = 2.0, 0.8  # By how much the best kind leads

_LONGEST_FIRST = ("architecture", "convention", "constraint", "decision", "lesson", "bug-pattern", "tooling", "note")
"""Of two kinds with the same evidence, the one that stays true for longer."""


@dataclass(frozen=True, slots=True)
class KindGuess:
    """A guessed kind and how well it is founded."""

    kind: str
    confidence: Confidence


def kind_guess(
    text: str, title: str, heading_path: Sequence[str], *, path: str = "", hint: str | None = None
) -> KindGuess:
    """Guess the kind of a text; with little evidence, one that stays true for longer.

    Args:
        title: its title.
        heading_path: the headings above it, outermost first; the last weighs most.
        path: the file that holds it; empty for typed text.
        hint: the source's own word for it, e.g. `claude-memory:feedback`, `adr`, or the name of a kind.
    """
    start = text[:_READ_CHARS]
    lacking = bool(heading_path) and bool(pattern("lacking").search(heading_path[-1].lower()))
    features = [*_sentence_features(start, lacking=lacking), *_form_features(start, (title, *heading_path[-2:]))]
    names = {feature for feature, _ in features}
    scores: defaultdict[str, float] = defaultdict(float)
    for feature, share in features:
        for kind, weight in table("weights").get(feature, {}).items():
            scores[kind] += weight * share
    for kind, weight in [*_heading_weights(heading_path, names), *_source_weights(path, hint, start, names)]:
        scores[kind] += weight
    best, second = sorted((scores[kind] for kind in DEFAULT_KINDS), reverse=True)[:2]
    lead = best - second
    kind = max(_LONGEST_FIRST, key=lambda name: scores[name])
    return KindGuess(kind, "sure" if lead >= _SURE else "likely" if lead >= _LIKELY else "guess")


def states_rule(text: str) -> bool:
    """Return whether one of the first sentences of a text forbids, obliges, orders, advises, denies or restricts."""
    sentences = list(islice(_sentences(text[:_READ_CHARS]), _MOST_SENTENCES))
    binds = any(not acts_of(sentence).isdisjoint(RULES | {"only", "forbids_later"}) for sentence in sentences)
    return binds or any(_DENIES.search(sentence.lower()) for sentence in sentences)


_DENIES = re.compile(
    r"\b(?:not|never|no|don't|cannot|can't|must|always|without|nicht|kein\w*|nie\w*|immer|muss|müssen|nur|pas|jamais|aucune?"
    r"|toujours|faut|n'y|ne|nunca|siempre|sin|sólo|solo|hay que|não|sempre|só|sem|tem que|precisa)\b"
    r"|不能|不得|不要|不可|禁止|必须|只能|一律|别|ないで|ません|禁止|必ず|こと[。\s]*$|経由|のみ|だけ"
)
"""What denies or binds, in seven languages; a fact may have such a word too, and is then taken for a rule."""


def kind_confidence(memory: Memory) -> Confidence | None:
    """Return how well founded the kind of a stored memory is; None if it is not what memtui would guess."""
    source = memory.source or Source(format="")
    headings = (source.native_id or "").rsplit("#", 1)[0].split(" > ")
    text = f"{_without_lead(memory.insight, headings)}\n{memory.rationale}"
    guess = kind_guess(text, memory.title, headings, path=source.path or "", hint=source.format)
    return guess.confidence if guess.kind == memory.kind else None


def _without_lead(text: str, headings: Sequence[str]) -> str:
    """Return a stored text without the headings that were put before it."""
    lead = _LEAD.match(text)
    above = " ".join(headings)
    return text[lead.end() :] if lead and all(part in above for part in lead[1].split(" > ")) else text


# What its sentences do

_MOST_SENTENCES = 12
_LEAD = re.compile(r"([^\n]{1,160}?)(?:: |：|:?\n\n)")
_SEVERAL = 2
_SHARE_OF_REST, _SHARE_OF_LEAD_IN = 0.65, 0.7

_MARK = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-*+•][ \t]+|\d{1,3}[.)、][ \t]+|#{1,6}[ \t]+|\|[ \t]*)?(?:\[[ xX]\][ \t]+)?")
_COLUMNS = re.compile(r"[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+[ \t:-]*$")
_STEPS = re.compile(r"\b(?:steps?|how(?: to)?|schritte?|étapes?|pasos|passos)\b|步骤|手順", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=\S)|(?<=[。！？])")


_RULE_OF_ROW = re.compile(
    r".*?\s[—–-]{1,2}\s(?:\*\*)?(?:rule|policy|requirement|regel|règle|regla|regra|规则|ルール)(?:\*\*)?[:：]\s*",
    re.IGNORECASE,
)
"""What stands in a row of a table before its rule: what the rule is about."""
_NONE = re.compile(r"(?:no|kein\w*|aucune?|sin|sem)\s", re.IGNORECASE)
_ACTS_OF_RUNNING = frozenset({"command", "command_first", "command_told"})


def _acts_in(sentence: str, *, lacking: bool, paths: bool) -> frozenset[str]:
    """Return what a sentence does; below a heading of what is lacking, `No server` tells how things are."""
    if lacking and _NONE.match(sentence):
        return frozenset({"tells"})
    about = _RULE_OF_ROW.match(sentence)
    acts = acts_of(sentence[about.end() :] if about else sentence)
    return acts - _ACTS_OF_RUNNING if paths else acts


def _sentence_features(text: str, *, lacking: bool = False) -> Iterator[tuple[str, float]]:
    """Yield what each sentence does and its share: the first weighs more than all others together."""
    paths = _lists_paths(text)
    if paths:
        yield "paths", 1.0
    sentences = list(islice(_sentences(text), _MOST_SENTENCES))
    if len(sentences) > 1 and _only_leads(sentences[0]):
        del sentences[0]
    commands = 0
    for number, sentence in enumerate(sentences):
        share = _SHARE_OF_REST / (len(sentences) - 1) if number else 1.0
        acts = _acts_in(sentence, lacking=lacking, paths=paths)
        if not number and len(sentences) > 1 and sentence.endswith((":", "：")) and "orders" not in acts:
            share = _SHARE_OF_LEAD_IN
        commands += not acts.isdisjoint(_ACTS_OF_RUNNING)
        # "Set `TIDE_URL` in `.env`" says what is set up, not how things are done.
        yield from ((act, share) for act in acts - ({"orders"} if "setting" in acts else set()))
    if commands >= _SEVERAL:
        yield "commands", 1.0


def _only_leads(sentence: str) -> bool:
    """Return whether a sentence only points elsewhere, or names the occasion of what follows."""
    lower = sentence.lower()
    occasion = sentence.endswith((":", "：")) and lower.partition(" ")[0] in words_of("conditions")
    points = pattern("points").match(lower)
    return bool(occasion or points) and RULES.isdisjoint(acts_of(sentence) - ({"orders"} if points else set()))


def _sentences(text: str) -> Iterator[str]:
    for block in _blocks(text):
        yield from filter(None, map(str.strip, _SENTENCE_END.split(block[:SENTENCE_CHARS])))


def _blocks(text: str) -> Iterator[str]:
    """Yield paragraphs, list items and table rows, each as one line, without fenced code."""
    block: list[str] = []
    for line in _prose(text):
        mark = _MARK.match(line)
        marked = mark[0] if mark else ""
        bare = line[len(marked) :].strip()
        if _COLUMNS.match(line) and any(map(_STEPS.search, block)):
            block, bare = [], ""  # the rows are what is to be done
        if marked.strip() or not bare:
            yield " ".join(block)
            block = []
        block.append(bare)
    yield " ".join(block)


# Its form

_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S.*)$", re.MULTILINE)
_PATH_ITEM = re.compile(r"(?:\*\*)?`(?:[\w.@*-]*/[\w./@*\[\]-]*)`(?:\*\*)?(?=\s*(?:$|[,:：—–(-]))")
_DEEP_PATH = re.compile(r"`[^`\s]*(?:[^/`\s]/[^/`\s]|/`)")
_LEAST_PATHS = 3
_SHELL_FENCE = re.compile(
    r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:(?:ba|z|fi)?sh|shell|console|powershell|ps1|cmd)(?:[ \t][^\n`]*)?$", re.MULTILINE
)
_PLAIN_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:te?xt|plain)?[ \t]*\n[ \t]*(?!`|~)(\S[^\n]*)$", re.MULTILINE)
_TREE = re.compile(r"[├└]─|^[ \t]*[|`]--[ \t]|^[ \t]*[\w.-]+/[ \t]*(?:#|$)", re.MULTILINE)
_DIAGRAM = re.compile(r"^`{3,}(?:te?xt|plain)?[ \t]*\n(?:(?!```)[^\n]*\n)*?[^\n]*(?:[→↓▼⟶⇒]|--?>|[┌└]──)", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*1[.)][ \t]", re.MULTILINE)
_SETTINGS = re.compile(r"^[ \t]*(?:export )?[A-Z][A-Z0-9_]{2,}=", re.MULTILINE)
_CODE_RULES = re.compile(
    r"\bMUST\b|^[ \t]*(?:NEVER|ALWAYS|DO NOT|DON['’]T|FORBIDDEN|NIEMALS|IMMER|JAMAIS|NUNCA|SIEMPRE|SEMPRE)\b"
    r"|^[ \t]*(?:禁止|必须|必ず)",
    re.MULTILINE,
)
_RUNS = frozenset({"run", "execute", "launch", "start"})
_ENDPOINT = re.compile(r"`(?:GET|POST|PUT|PATCH|DELETE|HEAD) +/[^`\s]*")
_SEVERAL_ENDPOINTS = 3
_TICKED_BOX = re.compile(r"[ \t]*(?:[-*+][ \t]+)?\[[xX]\][ \t]")
_OPEN_BOX = re.compile(r"[ \t]*(?:[-*+][ \t]+)?\[ \][ \t]")
_CHECKLIST = re.compile(
    r"\b(?:check ?list|before|after|when(?:ever)?|every|each|criteria|definition of done|validation|plan)\b"
    r"|检查|檢查|チェック",
    re.IGNORECASE,
)


def _lists_paths(text: str) -> bool:
    """Return whether a text is a list of paths and what lies there: a slash command has no second slash."""
    items = _ITEM.findall(text)
    listed = len(items) >= _LEAST_PATHS and all(map(_PATH_ITEM.match, items))
    return listed and any(map(_DEEP_PATH.search, items))


def _form_features(text: str, context: Iterable[str]) -> Iterator[tuple[str, float]]:
    only_code = not any(block.strip() for block in _blocks(text))
    if _TREE.search(text) or (only_code and _DIAGRAM.search(text) and not _NUMBERED.search(text)):
        yield "tree", 1.0
    elif _SHELL_FENCE.search(text) or any(is_command(f"{found[1]} ;") for found in _PLAIN_FENCE.finditer(text)):
        yield ("shell_alone" if only_code else "shell"), 1.0
        if first_word(text) in _RUNS:
            yield "runs", 1.0
    elif only_code:
        yield _kind_of_code(text), 1.0
    if len(set(_ENDPOINT.findall(text))) >= _SEVERAL_ENDPOINTS:
        yield "endpoints", 1.0
    if any(map(_TICKED_BOX.match, _prose(text))):
        yield "ticked", 1.0
    elif any(map(_OPEN_BOX.match, _prose(text))):
        yield "checklist" if any(map(_CHECKLIST.search, context)) else "open_box", 1.0


def _kind_of_code(text: str) -> str:
    if _SETTINGS.search(text):
        return "settings"
    return "code_rules" if _CODE_RULES.search(text) else "code_alone"


# Its headings and its source

_HEADING_SHARES = (1.0, 0.6, 0.3)
_CLASSES = {"rules": "convention", "purpose": "architecture"}  # Headings that stand for a kind in a way of their own
_SYMPTOM = 5.0  # Outweighs the commands of its cure
_FADING = 0.9  # What a heading further out says less
_FITTING, _WEAKENED = 1.2, 0.5
_SAYS_MORE = frozenset({"forbids", "obliges", "command_first"})  # What outweighs that a text stands among conventions
_LONG_HEADING, _LONG_SHARE, _WHOLE_SHARE = 4, 0.4, 1.3
_SOLE_HEADING, _FILE_SHARE = 0.6, 0.4
_WEAK_WEIGHT, _MILD_WEIGHT, _HINT_WEIGHT, _FIRM_WEIGHT = 1.3, 1.9, 4.0, 20.0
_RULES_FOR_FILES = ".instructions.md"
_FILE_OF_RULES = (("architecture", -1.2), ("convention", 0.4))
"""What it says that a file tells how those files are to be written that it names."""
_OF_SYSTEMS = frozenset({"architecture", "tooling", "note"})
_WHY = re.compile(r"\b(?:because|since|why|reason)\b|原因|因为|理由|ため", re.IGNORECASE)
_HEAD = re.compile(r"\s[—–-]{1,2}\s|[:：]\s")
_PARENS = re.compile(r"[(（][^()（）]*[)）]")
_WEIGHT_OF_PART = re.compile(
    r"\b(?:critical|important|key|essential)\s+"
    r"(?=(?:\w+\s+)?(?:files?|paths?|locations?|folders?|directories|components?|modules?|services?|dependencies)\b)"
)
"""What calls a part of the project critical, which is no rule about it."""
_MEMORY_BANKS = frozenset({"memory-bank", "memory_bank"})


def _heading_weights(heading_path: Sequence[str], features: set[str]) -> Iterator[tuple[str, float]]:
    """Yield the kinds that the headings stand for, and how much each counts: more if the text does what fits it."""
    above = heading_path[1:] if len(heading_path) > 1 else heading_path  # the first of several is the document's title
    if heading_path and pattern("symptom").search(heading_path[-1].lower()):
        troubles = any(map(pattern("troubles").search, " ".join(heading_path).lower().split()))
        yield "bug-pattern", _SYMPTOM if troubles else 0.0
    named = [
        (kinds, _FADING**distance)
        for distance, heading in enumerate(reversed(above))
        if (kinds := dict(_named_kinds(heading)))
    ]
    entry = {"entry"} if named and above and not dict(_named_kinds(above[-1])) else set()
    shares = _HEADING_SHARES if len(heading_path) > 1 else (_SOLE_HEADING,)  # it may be the document's title
    for (kinds, fading), rank_share in zip(named, shares, strict=False):
        share = rank_share * fading
        for kind, weight in kinds.items():
            fits = not (features | entry).isdisjoint(table("heading_fits").get(kind, ()))
            weakened = _WEAKENED if kind == "convention" and features & _SAYS_MORE else 1.0
            yield kind, (weight * weakened + _FITTING * fits) * share


def _named_kinds(heading: str) -> Iterator[tuple[str, float]]:
    lower = _WEIGHT_OF_PART.sub("", _PARENS.sub("", heading[:SENTENCE_CHARS]).lower())
    if pattern("reasons").match(lower):
        return
    named = _HEAD.split(heading.lower(), maxsplit=1)[0]  # behind it stands what the heading goes on about
    found = sorted(sightings(lower, "headings"), key=lambda one: -one[1] if one[0] == "constraint" else 0)
    for name, position in found:  # of constraints the first is last, which a dict keeps
        is_named = name == "constraint" and position < len(named)
        words = len((named if is_named else heading).split())
        share = _WHOLE_SHARE if words == 1 else 1.0 if words <= _LONG_HEADING else _LONG_SHARE
        yield _CLASSES.get(name, name), table("heading_weights")[name] * share


def _source_weights(path: str, hint: str | None, text: str, features: set[str]) -> Iterator[tuple[str, float]]:
    """Yield the kind that the source's own word for a memory stands for, else those that its file's name stands for."""
    *folders, name = path.lower().split("/")
    stem = name.partition(".")[0]
    in_bank = not _MEMORY_BANKS.isdisjoint(folders) or stem == "conventions"
    word = stem if in_bank else (hint or "").rpartition(":")[2].strip().lower()
    kind = word if word in DEFAULT_KINDS else table("hints")["kinds"].get(word)
    if kind is None:
        places = re.sub(r"[-_]", " ", " ".join([*folders[-2:], stem]))
        named = dict(_named_kinds(places))
        if name.endswith(_RULES_FOR_FILES) and named.keys().isdisjoint(_OF_SYSTEMS) and "tree" not in features:
            yield from _FILE_OF_RULES
        yield from ((kind, weight * _FILE_SHARE) for kind, weight in named.items())
        return
    if word == "feedback" and _WHY.search(text) and features.isdisjoint(RULES):
        kind = "lesson"
    yield kind, next((weight for name, weight in _HINTS if word in table("hints")[name].split()), _HINT_WEIGHT)


_HINTS = (("firm", _FIRM_WEIGHT), ("weak", _WEAK_WEIGHT), ("mild", _MILD_WEIGHT))

_FIRST_WORD = re.compile(r"[\s*_>`-]*(?:please\s+)?([\w'\u2019]+)", re.IGNORECASE)


def is_imperative(text: str) -> bool:
    """Return whether a text begins with an instruction."""
    return first_word(text) in openings("verbs")


def first_word(text: str) -> str:
    """Return the first word of a text in lower case, `please` and mark-up left out."""
    found = _FIRST_WORD.match(text[:SENTENCE_CHARS])
    return found[1].lower().replace("\u2019", "'") if found else ""


# The paths that a text names

_FENCED = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LINK_TARGET = re.compile(r"\]\(<?([^()\s<>]{1,300})>?(?:\s[^()]{0,100})?\)")
_PATH = re.compile(r"(?:\./)?((?:[\w.@+-]+/)+(?:[\w.@+-]*[\w@+-]\.[A-Za-z][A-Za-z0-9]{0,9}|[\w-]*\.[a-z]\w{1,12})?)$")
_DOMAIN = re.compile(
    r"[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|app|co|edu|gov|rs|de|uk|cn|jp|me|sh|local|internal)$"
)
_LOCATION = re.compile(r"(?:::.*|:\d+(?:[:-]\d+)*|[#?].*)$")
_PLACEHOLDER = re.compile(
    r"(?:^|/)(?:path/to|(?:foo(?:bar)?|baz|quu?x|your(?:[-_][\w-]*)?|some[-_][\w-]*|x{3,}|y{4}|n{3,})(?=[./-]|$))"
    r"|^node_modules/|\.\.\.",
    re.IGNORECASE,
)
"""A path that stands for any other, or one that is not the repository's own."""


_OWNER_CHARS = 60  # On either side of a path, in which it may be said whose it is
_OWNER_BEFORE = re.compile(
    r"\b(?:each|every)\s+(?:[\w-]+\s+){0,2}[\w-]+(?:['\u2019]s|\s+(?:has|have|with|keeps?)\s+(?:an?|its(?:\s+own)?))"
    r"\s+$",
    re.IGNORECASE,
)
_OWNER_AFTER = re.compile(
    r"\s+(?:(?:sub)?(?:folders?|director(?:y|ies)|dirs?)\s+)?(?:of|in|inside|within|under|for)\s+(?:each|every)\b",
    re.IGNORECASE,
)
"""Whose a path is: `each crate's X`, `every package has its own X`, `the X folder of each service`."""


_BEGINS = re.compile(r"\s*(?:$|[-*+•>|#]|\d{1,3}[.)]\s)")  # A line that does not go on with the one above
_POSSIBLE_CHARS = 120  # On either side of a path, in which it may be said that it is one of several that there may be
_MAY_BE_BEFORE = re.compile(
    r"\b(?:(?:such as|e\.\s?g\.|for (?:example|instance)|could|might|may|perhaps"
    r"|z\.\s?b\.|par exemple|por ejemplo|por exemplo)(?!\s+not\b)[^.;`]{0,40}"
    r"|(?:no|without|(?:never|not|don['’]t) create|keine?[nms]?|ohne|aucune?|pas de|sans|sin|sem)\s+(?:\w+\s+)?)"
    r"(?:`[^`]*`,?\s*(?:(?:or|and|oder|ou|o)\s+)?)*$",
    re.IGNORECASE,
)
_MAY_BE_AFTER = re.compile(
    r"(?:,?\s*(?:or\s+|and\s+)?`[^`]*`)*(?:,?\s*(?:or|and)\s+(?:(?:something|anything|some)\s+)?"
    r"(?:similar|the like|so on|such)\b|\s+(?:\w+\s+)?(?:do(?:es)?(?:\s+not|n['’]t)|no longer) exists?\b)",
    re.IGNORECASE,
)
"""A path that there may be, or is not: `under X, Y, or similar`, `a folder such as X`, `there is no X directory`."""

_OUTSIDE = r"`(?:~/|/|\$\{?[A-Z]\w*\}?[/\\]|%\w+%[/\\])[^`\n]*`"  # A folder of the home or the machine
_OUTSIDE_BEFORE = re.compile(rf"{_OUTSIDE}\s*(?:[:(–—-]|(?:has|holds|contains)\b)(?:[^.\n]|\.(?=\S))*$")
_OUTSIDE_AFTER = re.compile(
    rf"\s+(?:[\w-]+\s+){{0,3}}?(?:in|under|inside|within|below)\s+(?:the\s+)?{_OUTSIDE}", re.IGNORECASE
)
_OUTSIDE_LEAD = re.compile(rf"{_OUTSIDE}[^`\n]*:[*_]*\s*$")
_MARKED = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
"""What says that a path lies outside the repository: `X in Y`, `Y: X`, and a list below a line that ends in `Y:`."""


def anchors_in(text: str, is_there: Callable[[str], bool] = lambda _: True) -> tuple[str, ...]:
    """Return the relative paths in code spans and links, at most eight, in order.

    A path has a slash, and an extension or a trailing slash. URLs, absolute paths, globs, bare file names and paths in
    fenced code do not count, nor do those of each part of a project, such as every package's tests.

    `is_there`: whether a path exists, asked of those that are named as a possibility, or as lying outside the
    repository, and count only then.
    """
    found: dict[str, None] = {}
    lines = ["", *_prose(text[:_READ_CHARS]), ""]
    outside = _lines_outside(lines)
    for number, (previous, line, following) in enumerate(zip(lines, lines[1:], lines[2:], strict=False), start=1):
        spans = [
            (span.start(), span[2].split(), number in outside or _is_possible(line, span, previous, following))
            for span in CODE_SPAN.finditer(line)
            if not _is_of_each(line, span)
        ]
        links = [(link.start(), [link[1]], False) for link in _LINK_TARGET.finditer(line)]
        for _, words, is_possible in sorted(spans + links):
            for word in words:
                if (path := _relative_path(word)) and (not is_possible or is_there(path)):
                    found[path] = None
    return tuple(found)[:MAX_ANCHORS]


def _lines_outside(lines: Sequence[str]) -> frozenset[int]:
    """Return the numbers of the lines of lists that stand below the name of a folder outside the repository."""
    found: set[int] = set()
    lead: str | None = None
    for number, line in enumerate(lines):
        if lead is not None and line.strip():
            deeper = _indent(line) > _indent(lead) or (_MARKED.match(line) and not _MARKED.match(lead))
            if deeper:
                found.add(number)
                continue
            lead = None
        if _OUTSIDE_LEAD.search(line):
            lead = line
    return frozenset(found)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_of_each(line: str, span: re.Match[str]) -> bool:
    """Return whether a code span names what each of several folders has."""
    before, after = line[max(0, span.start() - _OWNER_CHARS) : span.start()], line[span.end() :][:_OWNER_CHARS]
    return bool(_OWNER_BEFORE.search(before) or _OWNER_AFTER.match(after))


def _is_possible(line: str, span: re.Match[str], previous: str, following: str) -> bool:
    """Return whether a code span names what there may be, or what lies elsewhere; a sentence may go over lines."""
    before, after = line[: span.start()], line[span.end() :]
    if _OUTSIDE_BEFORE.search(before) or _OUTSIDE_AFTER.match(after):
        return True
    if not _BEGINS.match(line):
        before = f"{previous} {before}"
    if not _BEGINS.match(following):
        after = f"{after} {following.strip()}"
    return bool(_MAY_BE_BEFORE.search(before[-_POSSIBLE_CHARS:]) or _MAY_BE_AFTER.match(after[:_POSSIBLE_CHARS]))


def _prose(text: str) -> Iterator[str]:
    fence = ""
    for line in text.split("\n"):
        mark = _FENCED.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence:
            yield line


def _relative_path(word: str) -> str | None:
    bare = _LOCATION.sub("", word.strip("\"'(),;"))
    path = _PATH.match(bare)
    if path is None or ".." in path[1].split("/") or path[1].startswith("@") or _PLACEHOLDER.search(path[1]):
        return None
    first = path[1].split("/", 1)[0]
    return None if _DOMAIN.match(first) or first in {".", "-"} or first.startswith("-") else path[1]
