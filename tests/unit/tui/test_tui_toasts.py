"""Toasts: at most two, one of each sort, the gravest stays."""

from __future__ import annotations

from textual.notifications import Notification, SeverityLevel

from memtui.tui.textual_patches.display import MOST_SHOWN, SECONDS, FewNotifications


def told(*severities: SeverityLevel) -> list[str]:
    """Return what stands on the screen after toasts of these sorts came one after the other."""
    toasts = FewNotifications()
    for number, severity in enumerate(severities):
        toasts.add(Notification(f"{severity} {number}", severity=severity, timeout=99, raised_at=4e9 + number))
    return [toast.message for toast in toasts]


def test_a_newer_toast_of_the_same_sort_takes_the_place_of_the_older() -> None:
    assert told("information", "information") == ["information 1"]
    assert told("error", "error", "error") == ["error 2"]


def test_two_sorts_stand_side_by_side_and_the_least_grave_makes_room() -> None:
    assert told("error", "information") == ["error 0", "information 1"]
    assert told("information", "error", "warning") == ["error 1", "warning 2"]
    assert told("warning", "error", "information") == ["error 1", "information 2"]
    assert len(told("information", "warning", "error", "information", "warning")) == MOST_SHOWN


def test_errors_stay_longer_than_facts() -> None:
    assert SECONDS["error"] > SECONDS["warning"] > SECONDS["information"]
