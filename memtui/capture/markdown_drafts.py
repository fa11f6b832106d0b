"""Drafts of the body of a Markdown file, split by meaning or whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memtui.analysis.title_words import is_document
from memtui.capture.blocks import Span
from memtui.capture.draft import DraftMaker, ReadResult, Skipped, skipped_frontmatter
from memtui.capture.frontmatter import Frontmatter
from memtui.capture.markdown import Gap, Piece, Split, split_markdown, text_without
from memtui.capture.skip_codes import SkipReason
from memtui.capture.stable_split import Familiar

_KEPT_INSIDE = frozenset(SkipReason) - {SkipReason.COMMENT, SkipReason.NO_TEXT, SkipReason.IMPORT}
_RATIONALE = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)(why|reason|rationale|how to apply|when to apply)\b[^*_\n]{0,60}?"
    r"[:：]?(?:\*\*|__)[ \t]*[:：—–-]?[ \t]*",
    re.IGNORECASE,
)
_NEXT_PARAGRAPH = re.compile(r"[ \t]*(?:$|#{1,6}[ \t]|\*\*|__|[-*+][ \t]+(?:\*\*|__)|`{3}|~{3})")


def drafts_from_markdown(
    maker: DraftMaker,
    settings: Frontmatter,
    *,
    # title of the memory when a text of several lines stays whole, else context for the titles of its pieces
    title: str = "",
    name: str = "",  # the source's own name for the text; native ids start with it
    whole_chars: int = 0,  # a text up to this many characters stays one memory
    one_subject: bool = True,  # whether it stays one only if all of it stands under one heading
    part_why: bool = False,  # whether `**Why:**` and `**How to apply:**` paragraphs become the rationale
    each_item: bool = False,  # whether every item of a list is a memory of its own
) -> ReadResult:
    """Return what the body of a Markdown file holds, split by meaning."""
    file, text, first_line = maker.file, settings.body, settings.body_first_line
    split = split_markdown(text, first_line=first_line, each_item=each_item, familiar=file.familiar)
    if is_document(title) and _is_list(split, _lines(text), first_line):
        whole_chars = 0
    whole = _whole(split, text, first_line, whole_chars, one_subject=one_subject)
    whole = _whole_as_before(file.familiar, split, whole, text, first_line) if whole_chars else None
    result = ReadResult(skipped=skipped_frontmatter(file, settings))
    taken = whole or split
    is_one = len(taken.pieces) == 1
    for piece in taken.pieces:
        insight, why = part_rationale(piece.text) if part_why else (piece.text, "")
        result.add(
            maker.draft(
                insight,
                rationale=why,
                span=piece.span,
                native_id=_native_id(piece, name, is_whole=taken is whole),
                heading_path=(*[title][: bool(title)], *piece.heading_path),
                title=title if is_one and (part_why or "\n" in piece.text.strip()) else "",
                lead=not (whole or each_item),
            )
        )
    gaps = dict.fromkeys([*taken.skipped, *split.unclosed])
    result.skipped.extend(Skipped(file.name, gap.span, gap.reason) for gap in gaps)
    result.sort_skipped()
    result.note_if_empty(file.name)
    return result


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


_FEWEST_RULES = 3
_BULLET = re.compile(r"\s*[-*+]\s")


def _is_list(split: Split, lines: Sequence[str], first_line: int) -> bool:
    """Return whether a text is several items that stand by themselves: "Quay rules" is the title of none of them."""
    starts = [lines[piece.span[0] - first_line] for piece in split.pieces]
    return len(starts) >= _FEWEST_RULES and all(map(_BULLET.match, starts))


def _native_id(piece: Piece, name: str, *, is_whole: bool) -> str:
    if not name:
        return piece.native_id
    return name if is_whole else replace(piece, heading_path=(name, *piece.heading_path)).native_id


def _whole_as_before(
    familiar: Familiar | None, split: Split, whole: Split | None, text: str, first_line: int
) -> Split | None:
    """Return the text as one piece where it was one at the last import, and not where it was several."""
    if familiar is None:
        return whole
    units = familiar.distinct(piece.text for piece in split.pieces)
    if len(set(units)) > 1:
        return None
    return _whole(split, text, first_line, len(text), one_subject=False) if len(units) > 1 else whole


def _whole(split: Split, text: str, first_line: int, most_chars: int, *, one_subject: bool) -> Split | None:
    """Return a short text as one piece, without its comments and the headings above its first words."""
    if not split.pieces or len(text) > most_chars:
        return None
    if one_subject and len({piece.heading_path for piece in split.pieces}) > 1:
        return None
    lines = _lines(text)
    first, last = split.pieces[0], split.pieces[-1]
    start, end = _with_leads(first.span[0], split.skipped), last.span[1]
    inside = [gap for gap in split.skipped if start <= gap.span[0] <= end]
    left_out = [gap for gap in inside if gap.reason not in _KEPT_INSIDE]
    dropped = (Span(gap.span[0] - first_line, gap.span[1] - first_line) for gap in left_out)
    kept = text_without(lines, Span(start - first_line, end - first_line), dropped)
    piece = Piece(first.heading_path, 1, kept, (start, end))
    return Split([piece], [gap for gap in split.skipped if gap not in inside or gap in left_out])


def _with_leads(start: int, skipped: Sequence[Gap]) -> int:
    """Return the first line of a text together with the words above it that only lead to it."""
    leads = (gap.span for gap in skipped if gap.reason == SkipReason.LEAD and gap.span[1] < start)
    return min((lead[0] for lead in leads), default=start)


def part_rationale(text: str) -> tuple[str, str]:
    """Split a text into the rule and its rationale: the paragraphs below a bold "Why" or "How to apply".

    A text that would be left without a rule stays whole.
    """
    rule: list[str] = []
    why: list[str] = []
    target = rule
    for line in text.split("\n"):
        label = _RATIONALE.match(line)
        if label:
            named = label[1].lower()
            prefix = "" if named in {"why", "reason", "rationale"} else f"{label[1]}: "
            why.append(f"{prefix}{line[label.end() :].strip()}")
            target = why
        elif target is why and _NEXT_PARAGRAPH.match(line):
            target = rule
            rule.append(line)
        else:
            target.append(line.rstrip())
    parted = re.sub(r"\n{3,}", "\n\n", "\n".join(rule)).strip("\n")
    return (parted, "\n".join(why).strip()) if parted.strip() and why else (text, "")
