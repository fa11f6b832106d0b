"""Every key and mark, from the registry."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from memtui.tui.actions import groups
from memtui.tui.wording import MARK_DUE, MARK_PINNED

_KEY_CELLS = 16

_MARKS = (
    (MARK_PINNED, "pinned: never stale, first in every payload"),
    (MARK_DUE, "due: nobody has verified it for too long"),
    ("████▊", "freshness: the share of trust that is left"),
    ("12 d", "age: since verified, else since observed"),
)

_NOTES = (
    "The filter finds words as memtui search does, and parts of titles.",
    "Drag over the details to select text, ctrl+c copies it.",
    "Retired memories stay in the vault; u brings them back.",
)


class HelpScreen(ModalScreen[None]):
    """The keys by group, the marks, and what else helps."""

    BINDINGS = [  # noqa: RUF012 - Textual declares it as a class variable
        Binding("escape,q,question_mark,enter", "dismiss", "close"),
        Binding("j,down", "scroll('down')", show=False),
        Binding("k,up", "scroll('up')", show=False),
        Binding("g,home", "scroll('home')", show=False),
        Binding("G,end", "scroll('end')", show=False),
        Binding("ctrl+d,pagedown", "scroll('page_down')", show=False),
        Binding("ctrl+u,pageup", "scroll('page_up')", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Lay out the text."""
        with VerticalScroll(id="help-box") as box:
            box.border_title = Content("Help")  # a plain str would be read as markup
            box.border_subtitle = Content("esc closes")
            yield Static(help_content(), id="help-text")

    def action_scroll(self, how: str) -> None:
        """Scroll the text."""
        box = self.query_one("#help-box", VerticalScroll)
        getattr(box, f"scroll_{how}")(animate=False)


def help_content() -> Content:
    """Return the whole help."""
    lines: list[Content] = []
    for group, actions in groups().items():
        lines.append(Content.styled(group, "bold $primary"))
        lines += [_line(action.shown_keys, action.help) for action in actions]
        lines.append(Content(""))
    lines.append(Content.styled("Marks", "bold $primary"))
    lines += [_line(mark, meaning) for mark, meaning in _MARKS]
    lines.append(Content(""))
    lines += [Content.styled(note, "$memtui-dim") for note in _NOTES]
    return Content("\n").join(lines)


def _line(left: str, right: str) -> Content:
    return Content.assemble((left.ljust(_KEY_CELLS), "bold"), right)
