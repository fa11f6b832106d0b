"""What Textual parses, caches or shows more than once: style sheets, caches of removed widgets, toasts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual._styles_cache import StylesCache
from textual.app import App
from textual.cache import LRUCache
from textual.content import Content
from textual.css.stylesheet import Stylesheet
from textual.notifications import Notification, Notifications, SeverityLevel
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widget import Widget

from memtui.text.words import steady

MOST_SOURCES = 512  # Parsed texts that are kept: every screen open brings 150 under one theme

_parsed: LRUCache[Any, Any] = LRUCache(MOST_SOURCES)


class KeptStylesheet(Stylesheet):
    """A style sheet that parses each text once per set of variables, whichever app of the process has it.

    Textual parses all texts again with every kind of widget that comes up, and keeps only the last 64 of them, which
    with more texts than that keeps none: measured, the first picture parsed the same rules five times.
    """

    def _parse_rules(self, *arguments: Any, **values: Any) -> Any:
        key = (arguments, tuple(sorted(values.items())), frozenset(self._variables.items()))
        rules = _parsed.get(key)
        if rules is None:
            rules = _parsed[key] = super()._parse_rules(*arguments, **values)
        return rules

    def reparse(self) -> None:
        """Parse again with other variables; the rules stay as they are if that fails."""
        self.parse()


def drop_pictures() -> None:
    """Release the lines that closed screens drew.

    Textual remembers two colours for each of the last 1,024 widgets, and by them the widget's whole cache of lines:
    some 100 kB each. Computing the colours again takes less than a line of the next picture.
    """
    clear = getattr(StylesCache.get_inner_outer, "cache_clear", None)
    if clear is not None:
        clear()


def stop_watching_app(widget: Widget) -> None:
    """Let the app forget who watches it: it keeps even those that are gone, until what they watch changes."""
    for watching in getattr(widget.app, "__watchers", {}).values():
        watching[:] = [(node, callback) for node, callback in watching if node is not widget]


MOST_SHOWN = 2  # Toasts at once: more would cover the list that they speak of

SECONDS: dict[SeverityLevel, float] = {"information": 4.0, "warning": 6.0, "error": 10.0}
"""How long each sort stays: what was done is seen in the list as well, an error is to be read."""

ABOVE = "-above"  # Class of toasts that stand at the top of the screen
PANES = ".pane, #list, #detail, #facets"  # What a screen shows side by side or one over the other
ASKED = "asked"  # Class of what asks a person something at the foot of the screen

_GRAVITY: dict[SeverityLevel, int] = {"information": 0, "warning": 1, "error": 2}


def crowded_out(shown: Sequence[Notification], coming: Notification) -> list[Notification]:
    """Return the toasts that make room for another.

    One of the same sort, because the newer tells how things are now: what was undone is no longer done. Of the others
    the least severe and oldest, until few enough are left.

    `shown`: the toasts on the screen, the oldest first. `coming`: the one to be shown.
    """
    going = [one for one in shown if one.severity == coming.severity]
    others = sorted((one for one in shown if one not in going), key=lambda one: (_GRAVITY[one.severity], one.raised_at))
    return going + others[: max(0, len(others) - (MOST_SHOWN - 1))]


class FewNotifications(Notifications):
    """The toasts of an app, never more than `MOST_SHOWN`."""

    def add(self, notification: Notification) -> FewNotifications:
        """Add a toast in place of those that it crowds out."""
        for one in crowded_out(list(self), notification):
            del self[one]
        super().add(notification)
        return self


def take_away(app: App[Any], text: str) -> None:
    """Take the toasts away that say this as `over_labels` has it; blanks behind the text aside."""
    # Textual has a public method only for taking all away.
    for one in [one for one in app._notifications if one.message.rstrip() == steady(text).rstrip()]:  # noqa: SLF001
        app._unnotify(one)  # noqa: SLF001


def stand_clear(screen: Screen[Any], coming: str = "") -> None:
    """Let toasts stand at the bottom of a screen, at its top where they would cover what the person looks at.

    They stand on the outermost border of the panes there and grow inward: a single line covers no row.

    What is asked, a child of the screen with the class `ASKED`, is looked at before the current line.

    `coming`: the text of one that is about to be shown.
    """
    _clear_holders(screen)
    line = _current_line(screen)
    is_asked = any(child.display for child in screen.query_children(f".{ASKED}"))
    framed = [pane.region for pane in screen.query(PANES) if pane.region and pane.styles.border_top[0]]
    foot = max((one.bottom for one in framed), default=screen.size.height - 1)
    is_low = is_asked or (line is not None and line >= foot - _lines_of_toasts(screen, coming))
    for rack in screen.query_children("ToastRack"):
        rack.set_class(is_low, ABOVE)
        if framed:
            above, below = min(one.y for one in framed), screen.size.height - max(one.bottom for one in framed)
            rack.styles.margin = (above, 0, 0, 0) if is_low else (0, 0, below, 0)


def _lines_of_toasts(screen: Screen[Any], coming: str) -> int:
    """Return how many lines toasts take, at most; a text that wraps may take one more than it has to."""
    width = max(1, screen.size.width - _TOAST_CELLS - _BESIDE_LABEL)
    shown = [(one.message.rstrip(), one.severity) for one in screen.app._notifications]  # noqa: SLF001 - as in `take_away`
    lines = 0
    for text, severity in [*shown, *([(coming, "error")] if coming else [])]:
        needed = -(-cell_len(text) // width)
        lines += min(needed + (needed > 1), _MOST_LINES[severity])
    return lines


_MOST_LINES = {"information": 4, "warning": 4, "error": 9}  # As in `toasts.tcss`


def keep_clear(screen: Screen[Any]) -> None:
    """Let the toasts that are shown stand clear of a line that became the current one since."""
    if len(screen.app._notifications):  # noqa: SLF001 - as in `take_away`
        stand_clear(screen)


_TOAST_CELLS = 5  # Beside the text of a toast at the bottom: what holds it, its edge, and a blank on either side
_BESIDE_LABEL = 2  # Cells of a border right of the blank behind its label
_LONGEST_LABEL = 30  # Cells that a label may grow to while a toast lies beside it


def over_labels(screen: Screen[Any], text: str) -> str:
    """Return a toast's text with blanks up to the end of the label that it would otherwise hide one half of.

    Its emoji have forms of undisputed width, so that no terminal pushes the border beside it.
    """
    text = steady(text)
    panes = [pane for pane in screen.query(PANES) if pane.region and pane.styles.border_top[0]]
    lowest = max((pane.region.bottom for pane in panes), default=0)
    if any(rack.has_class(ABOVE) for rack in screen.query_children("ToastRack")):
        return text
    right = _TOAST_CELLS + cell_len(text)
    for pane in panes:
        if pane.region.bottom == lowest and pane.region.x < right:
            end = pane.region.right - _BESIDE_LABEL
            label = cell_len(Content.from_markup(pane.border_subtitle or "").plain) + 2
            start = end - max(label, min(_LONGEST_LABEL, pane.region.width // 3))  # it may grow meanwhile
            if start < right < end:
                return text + "\N{NO-BREAK SPACE}" * (end - right)
    return text


def _clear_holders(screen: Screen[Any]) -> None:
    """Take away what held the toasts that are gone.

    A toast whose time is up goes with its holder, but of one that was crowded out Textual leaves the holder standing:
    unseen, laid out with every picture, and with all that the toast drew.
    """
    for rack in screen.query_children("ToastRack"):
        for holder in list(rack.children):
            # One that was put up only now has its toast once it is mounted.
            if holder.is_mounted and not holder.children:
                holder.remove()


def _current_line(screen: Screen[Any]) -> int | None:
    """Return the line of the screen that the person looks at; None where nothing says so."""
    focused = screen.focused
    if focused is None:
        return None
    cursor = getattr(focused, "cursor", None)
    if isinstance(focused, ScrollView) and isinstance(cursor, int):
        return focused.content_region.y + cursor - focused.scroll_offset.y
    return focused.region.y
