"""The budget by section: how many tokens each kind takes, and what is left."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.tui.context_rows import Section
from memtui.tui.wording import freshness_bar

_GAP = "   "
_BAR_CELLS = 6


class BudgetMeter(Widget):
    """One line: kinds with a bar and their tokens, the largest first; the shown numbers add up to the payload."""

    ALLOW_SELECT = False
    parts: reactive[Sequence[Section]] = reactive(())
    free: reactive[int | None] = reactive(None)
    """Tokens left of the budget; None where it is counted in another unit."""

    def render(self) -> Content:
        """Return the line."""
        if not self.parts:
            return Content("")
        tail = "" if self.free is None else f"{self.free:,} left"
        shown = list(self.parts)
        while len(shown) > 1 and self._line(shown, tail).cell_length > self.size.width:
            # The smallest sections share one figure, so that the sum still holds.
            last, before = shown[-1].tokens, shown[-2].tokens
            shown = [*shown[:-2], Section("other", last + before)]
        return self._line(shown, tail)

    def _line(self, parts: Sequence[Section], tail: str) -> Content:
        whole = sum(part.tokens for part in parts) + (self.free or 0) or 1
        found = []
        for part in parts:
            share = min(1.0, part.tokens / whole)
            cells = max(1, round(share * _BAR_CELLS * 2))
            bar = freshness_bar(min(1.0, share * _BAR_CELLS * 2 / cells), cells).strip() or "▏"
            found.append(Content.assemble((f"{part.name} ", "$memtui-dim"), (bar, "$memtui-bar"), f" {part.tokens:,}"))
        if tail:
            found.append(Content.styled(tail, "$memtui-dim"))
        return Content.assemble(" ", Content(_GAP).join(found))
