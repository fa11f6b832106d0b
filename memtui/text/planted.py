"""Why a text looks planted to steer an assistant, as a code and fields, with the clause that people read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class PlantedSort(StrEnum):
    """What a planted text does; `injection*.toml` name the first of them."""

    OVERRIDE = "override"
    SECRECY = "secrecy"
    APPROVAL = "approval"
    APPROVES_ALL = "approves-all"
    OFF = "off"
    TRACKING = "tracking"
    SEND = "send"
    CALL = "call"
    RUN = "run"
    DECODE = "decode"
    MEMORY = "memory"
    SELF_WRITING = "self-writing"
    ROLE = "role"
    REVEAL = "reveal"
    FALSIFY = "falsify"
    SYSTEM = "system"
    # What no table finds: it only resembles planted texts
    WORDED = "worded"  # a sentence or paragraph, in its wording
    ALIKE = "alike"  # a text as a whole, in its meaning
    # Of how it is written
    TAGS = "tags"
    SELECTORS = "selectors"
    ZERO_WIDTH = "zero-width"
    DIRECTION = "direction"
    COMMENT = "comment"
    VEILED = "veiled"


_CLAUSES: Mapping[PlantedSort, str] = {
    PlantedSort.OVERRIDE: "tells the assistant to ignore its other instructions",
    PlantedSort.SECRECY: "asks to keep something from the person",
    PlantedSort.APPROVAL: "claims an approval that no person gave here",
    PlantedSort.APPROVES_ALL: "asks to approve every action unseen",
    PlantedSort.OFF: "switches off confirmations, checks, tests or hooks",
    PlantedSort.TRACKING: "plants tracking content in files",
    PlantedSort.SEND: "sends secrets or the conversation to an outside address",
    PlantedSort.CALL: "makes the assistant call an outside address every time",
    PlantedSort.RUN: "runs what is downloaded unseen",
    PlantedSort.DECODE: "asks to decode something and act on it",
    PlantedSort.MEMORY: "changes what memtui remembers",
    PlantedSort.SELF_WRITING: "writes itself into what assistants remember",
    PlantedSort.ROLE: "gives the assistant another role without limits",
    PlantedSort.REVEAL: "asks for the hidden instructions of the assistant",
    PlantedSort.FALSIFY: "asks to hide faults or to say what is not so",
    PlantedSort.SYSTEM: "imitates a message of the system",
    PlantedSort.WORDED: "is worded like an instruction planted for assistants",
    PlantedSort.ALIKE: "resembles, by its meaning, an instruction planted for assistants",
    PlantedSort.TAGS: "carries text in invisible tag characters",
    PlantedSort.SELECTORS: "carries data in a run of variation selectors",
    PlantedSort.ZERO_WIDTH: "carries data in a run of zero-width characters",
    PlantedSort.DIRECTION: "shows text in another order than it is read",
    PlantedSort.COMMENT: "hides an instruction in a comment",
    PlantedSort.VEILED: "hides an instruction {veil}",
}
"""What follows "it" in a sentence."""


@dataclass(frozen=True, slots=True)
class Planted:
    """Why a text looks planted; `str` gives the clause that follows "it"."""

    sort: PlantedSort
    excerpt: str = ""  # the words that show it; of `WORDED` and `ALIKE` the sentence that weighs most
    like: PlantedSort | None = None  # of these two: what the planted texts do that it resembles most, if that is known
    veil: str = ""  # of `VEILED`: how, such as `in base64`

    @property
    def only_resembles(self) -> bool:
        """Whether nothing was found in the text: it is like planted ones, and need not do what these do."""
        return self.sort in {PlantedSort.WORDED, PlantedSort.ALIKE}

    def __str__(self) -> str:
        clause = _CLAUSES[self.sort].format(veil=self.veil)
        if self.only_resembles:
            like = f", most like one that {_CLAUSES[self.like]}" if self.like else ""
            return f"{clause}{like}: “{self.excerpt.removesuffix('.')}”"
        return f"{clause}{f': {self.excerpt}' if self.excerpt else ''}"
