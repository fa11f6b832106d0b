"""What is typed into a form before it stands: kept in order, and put in once its fields take it."""

from __future__ import annotations

from collections.abc import Iterable

from textual import events
from textual.screen import Screen
from textual.widget import Widget

from memtui.tui.widgets.form_fields import FormArea, FormLine, FormToggle

_MOVES = frozenset({"enter", "backspace", "delete", "tab", "shift+tab", "left", "right", "up", "down", "home", "end"})

_OF_A_LINE = {
    "backspace": "delete_left",
    "delete": "delete_right",
    "left": "cursor_left",
    "right": "cursor_right",
    "home": "home",
    "end": "end",
}
_OF_A_TEXT = {
    **_OF_A_LINE,
    "up": "cursor_up",
    "down": "cursor_down",
    "home": "cursor_line_start",
    "end": "cursor_line_end",
}
"""Names of the fields' own actions by key."""

Early = events.Key | events.Paste
"""A key, or a paste."""


def is_typing(event: events.Key) -> bool:
    """Return whether a key belongs to the text and its cursor, not to the screen."""
    return event.is_printable or event.key in _MOVES


def put_in(screen: Screen[None], typed: Iterable[Early]) -> None:
    """Put what was typed early into the focused field, and into those that it went on to."""
    for event in typed:
        field = screen.focused
        if isinstance(event, events.Paste):
            if isinstance(field, FormLine | FormArea):
                field.take(event.text)
        elif event.key == "tab":
            screen.focus_next()
        elif event.key == "shift+tab":
            screen.focus_previous()
        else:
            _press(field, event)


def _press(field: Widget | None, event: events.Key) -> None:
    if isinstance(field, FormLine):
        if event.is_printable and event.character is not None:
            field.insert_text_at_cursor(event.character)
        elif event.key in _OF_A_LINE:
            getattr(field, f"action_{_OF_A_LINE[event.key]}")()
    elif isinstance(field, FormArea) and not field.read_only:
        if event.key == "enter" or (event.is_printable and event.character is not None):
            field.insert("\n" if event.key == "enter" else str(event.character))
        elif event.key in _OF_A_TEXT:
            getattr(field, f"action_{_OF_A_TEXT[event.key]}")()
    elif isinstance(field, FormToggle) and event.key in {"space", "enter"}:
        field.action_form_change()
