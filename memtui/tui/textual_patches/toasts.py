"""Few toasts at once, clear of the current line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.notifications import Notification, Notifications, SeverityLevel
from textual.screen import Screen
from textual.scroll_view import ScrollView

MOST_SHOWN = 2
"""Toasts at once: more would cover the list that they speak of."""

SECONDS: dict[SeverityLevel, float] = {"information": 4.0, "warning": 6.0, "error": 10.0}
"""How long each sort stays: what was done is seen in the list as well, an error is to be read."""

ABOVE = "-above"
"""Class of toasts that stand at the top of the screen."""

_GRAVITY: dict[SeverityLevel, int] = {"information": 0, "warning": 1, "error": 2}


def crowded_out(shown: Sequence[Notification], coming: Notification) -> list[Notification]:
    """Return the toasts that make room for another.

    One of the same sort, because the newer tells how things are now: what was undone is no longer done. Of the others
    the least severe and oldest, until few enough are left.

    Args:
        shown: the toasts on the screen, the oldest first.
        coming: the one to be shown.
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


def stand_clear(screen: Screen[Any]) -> None:
    """Let toasts stand at the top of a screen while the current line is in its lower half, else at the bottom."""
    _clear_holders(screen)
    line = _current_line(screen)
    screen.query_children("ToastRack").set_class(line is not None and line >= screen.size.height // 2, ABOVE)


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
