"""Markdown payloads: memories by kind under a heading, always well-formed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memtui.pack.targets.base import (
    PackItem,
    PayloadInfo,
    Piece,
    clean,
    clean_line,
    compiled_line,
    ended,
    grouped,
    heading,
    shared_id_start,
    short_ids,
    trust_line,
)
from memtui.pack.targets.beside import files_beside, place_before, shared, without_places
from memtui.pack.targets.heads import without_list
from memtui.text.inline import NESTED_FENCE, ends_fence, unwrapped

_FENCE = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_NO_QUOTE = re.compile("[^>]")  # What of the marks around a fence is a margin of spaces in the lines below
_BLOCK_START = re.compile(r"#{1,6}(?:\s|$)|[-+*>](?:\s|$)|\d{1,9}[.)](?:\s|$)|`{3}|~{3}|[-=_]{3,}\s*$")
_MARKUP = re.compile(r"<(?=!--|\s*/?\s*background-facts\b)", re.IGNORECASE)
_ELLIPSES = ("…", "...")
_SIGNS = {ord("`"): None, ord("*"): None}
_ENDS = " .…!?;:。！？"
_MARKS_WITHIN = 200  # Characters of a body beyond twice its title that may be marks and spaces before the title is said


def defused(text: str) -> str:
    """Return a text that opens no comment, which would hide what follows, and speaks no tag of our own."""
    return _MARKUP.sub("\u2039", text)


def close_fences(text: str) -> str:
    """Return a text in which every code fence is closed where the text, or the list item or quote around it, ends."""
    lines: list[str] = []
    opened = margin = ""
    for line in text.split("\n"):
        if opened and margin and line.strip() and not line.startswith(margin):
            lines.append(margin + opened)
            opened = ""
        found = NESTED_FENCE.match(line)
        if found:
            fence, info = found["fence"], found["info"]
            if ends_fence(found, opened):
                opened = ""
            elif not opened and (fence[0] == "~" or "`" not in info):
                opened, margin = fence, _NO_QUOTE.sub(" ", found["around"])
        lines.append(line)
    return "\n".join([*lines, margin + opened] if opened else lines)


def fenced(code: str) -> str:
    """Return code in a fence longer than any inside it; fenced code is unchanged."""
    if _FENCE.match(code):
        return close_fences(code)
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"


def indented(text: str, prefix: str) -> str:
    """Return a text with every line but blank ones indented."""
    return "\n".join(prefix + line if line.strip() else "" for line in text.split("\n"))


def bold(title: str) -> str:
    """Return a title in bold, or unchanged if its own marks would break that."""
    if not title:
        return ""
    if "*" not in title and title.count("`") % 2 == 0 and not title.endswith("\\"):
        return f"**{title}**"
    return "\\" + title if _BLOCK_START.match(title) else title


def says_title(title: str, body: str) -> bool:
    """Return whether a body begins with its title, so that the title need not be repeated.

    Marks of code and emphasis, case and what ends a sentence make no difference.
    """
    stem, whole = _bare(title), _bare(body[: 2 * len(title) + _MARKS_WITHIN])
    if not stem or not whole.startswith(stem):
        return False
    # A title that was cut may end within a word.
    is_cut = title.rstrip().endswith(_ELLIPSES)
    return is_cut or not (whole[len(stem) :][:1].isalnum() and stem[-1].isalnum())


_WORD = re.compile(r"\w+")
_LEAD_READ = 300  # Characters of a body beyond twice its title in which it may say the words of its title


def repeats_title(title: str, body: str) -> bool:
    """Return whether a body begins with all words of its title, in whatever form."""
    words = set(_WORD.findall(title.casefold()))
    return bool(words) and words <= set(_WORD.findall(body[: 2 * len(title) + _LEAD_READ].casefold()))


def said_apart(title: str, body: str) -> str:
    """Return what a title says beside what its text begins with, without marks; empty where the text says it all."""
    if says_title(title, body):
        return ""
    parts = title.split(": ")
    fitting = (place for place in range(len(parts)) if repeats_title(": ".join(parts[place:]), body))
    return ": ".join(parts[: next(fitting, len(parts))])


def same_words(one: str, other: str) -> bool:
    """Return whether two lines differ in nothing but marks of code and emphasis, case and what ends a sentence."""
    return _bare(one) == _bare(other) != "" or one.strip() == other.strip()


def with_code(one: str, other: str) -> str:
    """Return the one of two such lines that marks more of its words as code; the first where both mark as much."""
    return other if other.count("`") > one.count("`") else one


def _bare(text: str) -> str:
    """Return a text as one line without marks of code and emphasis, case and what ends a sentence."""
    return " ".join(text.translate(_SIGNS).split()).casefold().rstrip(_ENDS)


_INDENT = "  "
_TITLE = re.compile(r"\*\*([^*\n]+)\*\*")  # What a memory begins with where its title stands above its text
_LEAD = re.compile(r"(?![-+*>#|`~]|\d+[.)])([^\n]{1,120}):\n+(?=.)")  # The line of a text that leads to all the rest
_UNFREE = re.compile(r"\s{0,3}(?:#|<|(?:=+|-{2,}|(?:\*\s*){3,}|(?:_\s*){3,})\s*$)")


def may_stand_free(text: str) -> bool:
    """Return whether a text opens nothing outside a list that ends what is around it: no heading, rule or HTML."""
    opened = ""
    for line in text.split("\n"):
        found = NESTED_FENCE.match(line)
        if found:
            opened = "" if ends_fence(found, opened) else opened or found["fence"]
        elif not opened and _UNFREE.match(line):
            return False
    return not opened


@dataclass(frozen=True, slots=True)
class MarkdownWriter:
    """Writes Markdown."""

    title: str = "Memories{of}"  # the heading, in which `{of}` becomes ` of PROJECT` or nothing
    level: int = 2  # of that heading; kinds are one deeper
    tag: str = ""  # name of the tags around all of it, empty for none

    def __call__(self, items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
        """Return the parts of the payload in order."""
        items = without_places(items, info)
        project = defused(clean_line(info.project or ""))
        title = f"{'#' * self.level} {self.title.format(of=f' of {project}' if project else '')}\n\n"
        opening = [Piece(f"<{self.tag}>\n\n")] if self.tag else []
        start = shared_id_start(items) if info.style == "compiled" else ""
        notes = [Piece(f"{defused(note)}\n\n") for note in info.notes(items, start)]
        told = self._compiled(items, start, info) if info.style == "compiled" else self._full(items, info)
        pieces = [*opening, Piece(title), *notes, *told]
        if not self.tag:
            return ended(pieces)
        last = pieces[-1]
        return [*pieces[:-1], Piece(last.text.rstrip("\n") + "\n\n", last.memory_id), Piece(f"</{self.tag}>\n")]

    def _full(self, items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
        pieces = []
        for kind, group in grouped(items):
            pieces.append(Piece(f"{'#' * (self.level + 1)} {defused(heading(kind))}\n\n"))
            texts = [(item.memory.id, *self._text(item, info)) for item in group]
            # What follows a section would be read as part of it, so that the items of lists come before.
            listed, sections = ([one for one in texts if one[2] is apart] for apart in (False, True))
            pieces += [Piece(f"{text}\n", name) for name, text, _ in listed[:-1]]
            pieces += [Piece(f"{text}\n\n", name) for name, text, _ in (*listed[-1:], *sections)]
        return pieces

    def _text(self, item: PackItem, info: PayloadInfo) -> tuple[str, bool]:
        """Return a memory as a section or as an item of a list, and whether it is a section."""
        text = _section_text(item, info, "#" * (self.level + 2)) if info.has_sections and not info.is_public else ""
        return text or item_text(item, info), bool(text)

    def _compiled(self, items: Sequence[PackItem], id_start: str, info: PayloadInfo) -> list[Piece]:
        ids = {identifier: short.removeprefix(id_start) for identifier, short in short_ids(items).items()}
        pieces = []
        for kind, group in grouped(items):
            pieces.append(Piece(f"{'#' * (self.level + 1)} {defused(heading(kind))}\n"))
            for place, members in shared(group, info):
                if place:
                    pieces.append(Piece(f"{'#' * (self.level + 2)} {defused(place)}\n"))
                for item in members:
                    text = compiled_text(item, ids[item.memory.id], info, is_below=bool(place))
                    pieces.append(Piece(f"{text}\n", item.memory.id))
        return pieces


def compiled_text(item: PackItem, short_id: str, info: PayloadInfo, *, is_below: bool = False) -> str:
    """Return one memory as a list item of one line, and its snippet where it has one.

    `is_below`: whether it stands below a heading with the place that it has in common with others.
    """
    told, place = compiled_line(item, short_id), place_before(item, info)
    told = "\\" + told if NESTED_FENCE.match(told) else told
    files = "" if is_below and not place else files_beside(item, info)
    line = f"- {f'{place}: ' if place and not is_below else ''}{told}" + (f" ({files})" if files else "")
    snippet = clean(item.memory.snippet).strip("\n")
    text = defused(line)
    return f"{text}\n{indented(fenced(defused(snippet)), _INDENT)}" if snippet.strip() else text


def item_text(item: PackItem, info: PayloadInfo) -> str:
    """Return one memory as a list item, without a line end."""
    head, blocks, facts = _parts(item, info)
    blocks = [_placed(defused(place_before(item, info)), head), *blocks]
    return "- " + indented(_joined(blocks, facts), _INDENT).removeprefix(_INDENT)


def _parts(item: PackItem, info: PayloadInfo) -> tuple[str, list[str], list[str]]:
    """Return what a memory begins with, what stands below it, and the lines about it."""
    memory = item.memory
    title, body = defused(clean_line(memory.title)), close_fences(defused(clean(memory.insight)).strip("\n"))
    facts = _facts(item, info)
    title = without_list(title, f"{body}\n{memory.snippet}") if info.says_lists_once else title
    if memory.id in info.explained:
        return bold(title), [], facts
    head, body = _headed(title, body if info.is_early else unwrapped(body), is_new=not info.is_early)
    blocks = [body] if body.strip() else []
    if memory.snippet.strip():
        blocks.append(fenced(defused(clean(memory.snippet)).strip("\n")))
    return head, blocks, facts


def _joined(blocks: Sequence[str], facts: Sequence[str]) -> str:
    # A blank line keeps the facts out of a list, a table or a code block that the text may end with.
    separator = "\n\n" if any("\n" in block for block in blocks) else "\n"
    return "\n".join(blocks) + (separator + "\n".join(facts) if facts else "")


def _section_text(item: PackItem, info: PayloadInfo, mark: str) -> str:
    """Return a memory of several lines below a heading, without a margin; empty where it has to be an item of a list.

    `mark`: of the heading.
    """
    head, blocks, facts = _parts(item, info)
    title = _TITLE.fullmatch(head)
    lead = _LEAD.match(head) if not blocks else None
    if title and blocks:
        shown = title[1]
    elif lead:
        shown, blocks = lead[1], [head[lead.end() :].strip("\n")]
    else:
        return ""
    if not all(map(may_stand_free, [*blocks, *facts])):
        return ""
    place = defused(place_before(item, info))
    return f"{mark} {f'{place}: ' if place else ''}{shown}\n{_joined(blocks, facts)}"


def _placed(place: str, head: str) -> str:
    """Return the beginning of a memory behind where alone it holds."""
    if not place:
        return head
    return f"{place}:\n{head}" if _BLOCK_START.match(head) else f"{place}: {head}"


_MARKDOWN_LIST_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def _headed(title: str, body: str, *, is_new: bool) -> tuple[str, str]:
    """Return what follows the list mark, and the text below it: the title is said once.

    `is_new`: whether a title may also go where the text says it in other forms; payloads of before did not do that.
    """
    first, _, rest = body.partition("\n")
    fence = NESTED_FENCE if is_new else _MARKDOWN_LIST_FENCE
    if same_words(first, title) and not fence.match(first):  # the fence's end would open a block
        if is_new and _may_lead(first) and _goes_on(first, rest):
            return body, ""
        return bold(with_code(title, first.strip())), rest.strip("\n")
    if not _may_lead(first):
        return bold(title or "Untitled"), body
    if not title or says_title(title, body):
        return body.lstrip(), ""
    around = _label_before(title, body) if is_new else None
    if around is None:
        return bold(title), body
    if around and _BLOCK_START.match(first):
        return around, body
    return f"{around} {body.lstrip()}".strip(), ""


def _label_before(title: str, body: str) -> str | None:
    """Return what a title says in front of what the body repeats of it, in bold; None where it repeats nothing."""
    apart = said_apart(title, body)
    return None if apart == title else bold(f"{apart}:") if apart else ""


def _goes_on(first: str, rest: str) -> bool:
    """Return whether a sentence that was wrapped goes on below its first line."""
    return first[-1:] not in ".:!?" and bool(rest[:1].strip()) and not _BLOCK_START.match(rest)


def _may_lead(line: str) -> bool:
    """Return whether a line may follow the list mark: one of mere signs could make a rule of both."""
    return any(character.isalnum() for character in line)


def _facts(item: PackItem, info: PayloadInfo) -> list[str]:
    memory = item.memory
    facts = []
    if memory.rationale.strip():
        why = close_fences(defused(clean(memory.rationale)).strip())
        # A fence opens a block only where it starts a line.
        facts.append(f"Why:\n{why}" if NESTED_FENCE.match(why) else f"Why: {why}")
    files, trust = files_beside(item, info), trust_line(item, info)
    facts += [f"Files: {defused(files)}"] if files else []
    return [*facts, defused(trust)] if trust else facts
