"""The question that a key asks before it acts."""

from __future__ import annotations

from collections.abc import Callable


class AskedAgain:
    """Says what a key would do; pressed again the key does it.

    The question goes, and its toast with it, once it is answered, another action runs, what it is about is another
    thing (the row under the cursor, what is typed), or another screen comes.

    Attributes:
        words: what is asked now; empty if nothing is.
    """

    def __init__(self, say: Callable[[str], object], unsay: Callable[[str], object]) -> None:
        self._say, self._unsay = say, unsay
        self._keys: tuple[str, ...] = ()
        self._about: Callable[[], object] = str
        self._was: object = None  # What it was about when it was asked
        self.words = ""

    def agrees(self, actions: str | tuple[str, ...], words: str, about: Callable[[], object]) -> bool:
        """Return whether this was asked already; else say what the key would do.

        `actions`: ids of those that answer it when they are run. `about`: returns what the question is about now.
        """
        keys = (actions,) if isinstance(actions, str) else actions
        is_second = self._keys == keys and self._was == about()
        self.drop()
        if not is_second:
            self._keys, self._about, self._was, self.words = keys, about, about(), words
            self._say(words)
        return is_second

    def answers(self, action: str) -> bool:
        """Return whether running this action now answers what is asked, where `agrees` is not what asks it.

        What is answered is asked no longer: a third press is about something else.
        """
        is_second = self._keys == (action,) and self._was == self._about()
        if is_second:
            self.drop()
        return is_second

    def look(self, identifier: str = "") -> bool:
        """Drop the question where it no longer fits, or an action runs that is another; return whether it did."""
        is_over = bool(self._keys) and (identifier not in {"", *self._keys} or self._was != self._about())
        if is_over:
            self.drop()
        return is_over

    def drop(self) -> None:
        """Ask no longer, and take the question off the screen."""
        words, self._keys, self.words = self.words, (), ""
        if words:
            self._unsay(words)
