"""A second look at what is worded almost as planted instructions are: the port for a judge that the faces bring.

What a text means is told by a model, which lies above this package and which not everybody may load: a hook has no
time for it. Who may says so once, with `use_second_look`; without it the rules of `memtui.text.injection` decide alone.
"""

from __future__ import annotations

from typing import Protocol


class SecondLook(Protocol):
    """A judge of texts whose wording leaves a doubt.

    Threads share it, and it can be pickled: child processes look with it as well.
    """

    @property
    def near(self) -> float:
        """The sum of `injection_model.weight_of_wording` from which it is asked."""

    def __hash__(self) -> int:
        """Tell it from others: answers are cached by it."""

    def decides(self, text: str, weight: float) -> bool | None:
        """Return whether a text is planted; None where it has nothing to say, as without its model.

        `text`: all of it. `weight`: the highest sum of one of its sentences or paragraphs, at least `near`.
        """


_in_use: list[SecondLook] = []


def use_second_look(look: SecondLook | None) -> None:
    """Let texts of this process, and of child processes that start from now on, be looked at twice; None: no more."""
    _in_use[:] = [] if look is None else [look]


def second_look() -> SecondLook | None:
    """Return who looks a second time, None if nobody does."""
    return next(iter(_in_use), None)
