"""Comments and code fences that nothing closes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate

from memtui.capture.skip_codes import SkipWords


class Unclosed(SkipWords):
    """Why a line that opens or closes something is left out or reported."""

    COMMENT_UNCLOSED = "comment that is never closed"
    FENCE_UNCLOSED = "code fence that is never closed"
    FENCE_UNOPENED = "code fence that closes nothing"


FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})(.*)$")
EXPORT_BEGIN = re.compile(r" {0,3}<!--\s*memtui:begin\b")
EXPORT_END = re.compile(r" {0,3}<!--\s*memtui:end\b")
_COMMENT_OPENING = re.compile(r" {0,3}<!--")
_CHAPTER = re.compile(r"#{2,6} \S")
_NEXT_TEXT = re.compile(r"(?:#|[-*+]|\d{1,3}[.)]) \S")


@dataclass(slots=True)
class Mended:
    """Ends comments and fences that nothing closes: read to the letter, they would swallow the rest of the text."""

    lines: list[str]
    set_aside: list[tuple[int, str]] = field(default_factory=list)  # lines that are left out, with the reason
    fences: list[tuple[int, int]] = field(default_factory=list)  # lines of fences ended where the next text begins
    unclosed: list[tuple[int, str]] = field(default_factory=list)  # the lines that open one, with the reason
    balance: list[int] = field(default_factory=list)  # for each line, how many more `<!--` than `-->` follow from it on
    never_closed: set[str] = field(default_factory=set)  # marks of fences below which none like them closes

    @property
    def code(self) -> frozenset[int]:
        """The numbers of the lines in the ended fences."""
        return frozenset(number for first, last in self.fences for number in range(first, last + 1))

    def mend(self) -> None:
        """Mend the lines in place; what memtui's export wrote stays as it is."""
        lines, number = self.lines, 0
        last_end = max((at for at, line in enumerate(lines) if EXPORT_END.match(line)), default=-1)
        while number < len(lines):
            line = lines[number]
            if mark := FENCE.match(line):
                number = self._after_fence(number, mark[1])
            elif number < last_end and EXPORT_BEGIN.match(line):
                number = next(at for at in range(number + 1, last_end + 1) if EXPORT_END.match(lines[at]))
            elif _COMMENT_OPENING.match(line):
                number = self._after_comment(number)
            else:
                number += 1

    def _after_fence(self, opened: int, fence: str) -> int:
        lines = self.lines
        if self._closes_nothing(opened, fence):
            self._leave(opened, Unclosed.FENCE_UNOPENED)
            return opened + 1
        if closed := self._closing(opened, fence):
            return closed + 1
        self.never_closed.add(fence)
        if not lines[opened].startswith(fence):
            return opened + 1  # it ends with the list or quote around it
        self.unclosed.append((opened, Unclosed.FENCE_UNCLOSED))
        end = next((at for at in range(opened + 1, len(lines)) if self._begins_text(at)), len(lines))
        last = max(at for at in range(opened, end) if at == opened or lines[at].strip())
        if last == opened:
            self.unclosed.pop()
            self._leave(opened, Unclosed.FENCE_UNCLOSED)
        elif end < len(lines):
            if last + 1 < end:
                last += 1
                lines[last] = fence
            self.fences.append((opened, last))
        return end

    def _closing(self, opened: int, fence: str) -> int:
        """Return the line that closes a fence; 0 if none does, as is known once one of its kind was not closed."""
        if any(fence.startswith(mark) for mark in self.never_closed):
            return 0
        for number in range(opened + 1, len(self.lines)):
            closing = self.lines[number].strip(" \t>")
            if closing.startswith(fence) and not closing.strip(fence[0]):
                return number
        return 0

    def _closes_nothing(self, number: int, fence: str) -> bool:
        """Return whether a fence ends a text, stands before a heading, and those below it are pairs without it."""
        above, below = self.lines[number - 1] if number else "", self.lines[number + 1 :]
        if self.lines[number].strip() != fence or not above.strip() or not below or below[0].strip():
            return False
        if not _CHAPTER.match(next(filter(str.strip, below), "")):
            return False
        others = sum(line.startswith(fence) for line in below)
        return others > 0 and others % 2 == 0

    def _balanced(self) -> list[int]:
        more = accumulate(line.count("<!--") - line.count("-->") for line in reversed(self.lines))
        return list(more)[::-1]

    def _leave(self, opened: int, reason: str) -> None:
        self.lines[opened] = ""
        self.unclosed.append((opened, reason))
        self.set_aside.append((opened, reason))

    def _begins_text(self, number: int) -> bool:
        line = self.lines[number]
        return bool(_CHAPTER.match(line) or (not self.lines[number - 1].strip() and _NEXT_TEXT.match(line)))

    def _after_comment(self, opened: int) -> int:
        lines = self.lines
        rest = lines[opened].partition("<!--")[2]
        for number in range(opened, len(lines)):
            if "-->" in rest:
                return number + 1
            rest = lines[number + 1] if number + 1 < len(lines) else ""
            if _COMMENT_OPENING.match(rest):
                self.balance = self.balance or self._balanced()
                if self.balance[opened] > 0:
                    break
        self._leave(opened, Unclosed.COMMENT_UNCLOSED)
        return opened + 1
