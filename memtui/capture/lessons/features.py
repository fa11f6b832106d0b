"""What the shape of a statement and its place in the exchange say of whether it holds a lesson, in numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import exp, log1p
from pathlib import Path

from memtui.analysis.sentence_acts import acts_of
from memtui.capture.lessons.cues import only_agrees, says
from memtui.capture.lessons.speech import Statement
from memtui.text.words import CJK

NAME = re.compile(
    r"`[^`\n]{1,80}`|(?<![\w-])--?[A-Za-z][\w-]+|[\w.@~-]{0,80}/[\w./@*-]*\w|[\w.-]{2,80}/(?!\w)|\w{1,80}\(\)|[A-Za-z_]\w{0,80}(?:(?:\.|::)[A-Za-z_]\w{0,80})+"
    r"|[a-z]{2,80}[A-Z]\w*|[A-Z][a-z]{1,80}[A-Z]\w*|[A-Za-z]\w{0,80}_\w+|\b[A-Z]{2,}[A-Z0-9_]*\b|\b\w+=\S+"
    r"|<[a-z][\w -]*>|%\w\b|~> ?[\d.]+"
)
"""A name of code in prose: a span, an option, a path, a call, snake_case, camelCase, an acronym, `KEY=value`."""

_CONTRAST = re.compile(
    r"[,;–—] ?(?:not|never|nicht|nie|kein\w*|non|pas|jamais|no|nunca|não|e não|y no|et pas|und nicht)\b"
    r"|(?:而不是|不是|而非)|ではなく|じゃなくて",
)
_POINTS = re.compile(
    r"^(?:it|that|this|these|those|they|there|das|dies\w*|es|ça|c'est|cela|eso|esto|isso|isto|这|那|それ|これ|そこ)\b",
)
_ASKED = re.compile(r"[?？]\s*\W*$")


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a statement stands in the exchange."""

    language: str = ""
    is_refusal: bool = False
    """Whether it is the reason given for refusing a tool call."""

    is_reply: bool = False
    """Whether it follows a refusal that was given no reason."""

    after_edit: bool = False
    after_command: bool = False
    after_options: bool = False
    """Whether the assistant laid out several ways, or the person asked for one, just before."""

    is_opening: bool = False
    """Whether it is the first thing a person typed in the session."""

    after_task: bool = False
    """Whether a statement before it in the turn orders something: what follows may only specify it."""

    opened_no: bool = False
    """Whether the turn began by contradicting."""

    is_alone: bool = False
    """Whether the turn is one line."""

    acted_on: frozenset[str] = field(default_factory=frozenset)
    """Stems of what the assistant just did and said."""

    next_plain: str = ""
    """The next statement of the same paragraph."""


CUES = (
    "opens_no", "wishes", "observes", "approves", "keeps", "temporary",
    "own_state", "task", "handles_it", "blames", "reports", "remembers", "general", "ours",
    "reason", "chooses", "this_thing",
)  # fmt: skip


def features(statement: Statement, setting: Setting) -> dict[str, float]:
    """Return what the model weighs."""
    plain = statement.plain
    said = {cue: float(says(cue, plain, setting.language)) for cue in CUES}
    if says("again", plain, setting.language):
        said["own_state"] = 0.0
    acts = acts_of(statement.text)
    forbids, obliges = float("forbids" in acts), float("obliges" in acts)
    found = {
        **said,
        **{name: float(name in acts) for name in ("orders", "advises", "tells", "decide", "failed", "fails", "now")},
        "forbids": forbids,
        "obliges": obliges,
        "commands": float(not acts.isdisjoint({"command", "command_first", "command_told"})),
        "caused": max(said["reason"], _gives_cause(plain, setting)),
        "explained": float(_is_explained(setting)),
        **_form(statement, plain, setting),
        **_place(setting),
    }
    found["rule"] = max(forbids, obliges, said["general"])
    found["rule_caused"] = found["rule"] * found["caused"]
    found["rule_named"] = found["rule"] * min(1.0, found["names"])
    found["acted_rule"] = found["rule"] * max(found["after_edit"], found["is_refusal"])
    found["acted_tells"] = found["tells"] * max(found["after_edit"], found["is_refusal"])
    found["task_bare"] = said["task"] * (1.0 - found["rule"])
    found["choice_caused"] = said["chooses"] * found["caused"]
    found["rule_told"] = found["rule"] * float(_told_after(plain))
    found["contrast_acted"] = found["contrast"] * max(found["after_edit"], found["after_command"], found["is_refusal"])
    found["orders_acted"] = found["orders"] * found["after_edit"] * min(1.0, found["names"])
    settled = max(said["ours"], found["caused"], said["remembers"], found["after_edit"], found["is_refusal"])
    told = float(_told_after(plain))
    found["no_bare"] = said["opens_no"] * (1.0 - max(told, found["explained"]))
    found["refusal_told"] = found["is_refusal"] * max(told, found["explained"])
    found["bare_duty"] = max(obliges, found["advises"]) * (1.0 - settled) * float(not found["names"])
    found["report_caused"] = said["reports"] * found["caused"]
    found["keeps_told"] = said["keeps"] * max(told, found["explained"])
    found["task_rule"] = said["task"] * found["rule"]
    calm = 1.0 - max(found["after_edit"], found["after_command"], found["is_refusal"])
    found["task_calm"], found["this_calm"] = said["task"] * calm, said["this_thing"] * calm
    found["after_task"] = float(setting.after_task)
    found["short"] = float(found["length"] < SHORT)
    return found


SHORT = 1.8  # Logarithm of the words up to which a statement is too short to say why


def is_kept(statement: Statement, setting: Setting) -> bool:
    """Return whether a turn is typed to be kept: `# rule`, as Claude Code takes it, or `/remember rule`."""
    is_noted = statement.text.startswith("# ") and setting.is_alone
    return statement.start == 0 and (is_noted or _KEEPS.match(statement.text) is not None)


_KEEPS = re.compile(r"/(?:remember|memori[sz]e|note)\s")


def _told_after(plain: str) -> bool:
    """Return whether a clause of some words follows the first."""
    parts = _CLAUSE.split(plain)
    return any(len(part.split()) + len(CJK.findall(part)) / 2 >= _CLAUSE_WORDS for part in parts[1:])


_CLAUSE = re.compile(r"[,;:，；：。] ?| [–—-] ")
_CLAUSE_WORDS = 3


def _gives_cause(plain: str, setting: Setting) -> float:
    return float(bool(setting.next_plain) and says("reason", f"{plain} {setting.next_plain}", setting.language))


def _is_explained(setting: Setting) -> bool:
    """Return whether a statement follows that neither asks, agrees nor orders something."""
    after = setting.next_plain
    is_talk = _ASKED.search(after) or says("task", after, setting.language) or only_agrees(after)
    return bool(after) and not is_talk


def _form(statement: Statement, plain: str, setting: Setting) -> dict[str, float]:
    wide = len(CJK.findall(plain))
    words = len(plain.split()) + wide / 2
    asked = bool(_ASKED.search(plain)) or says("asks_last", plain, setting.language)
    return {
        "asks": float(asked or says("asks", plain, setting.language)),
        "names": log1p(min(4, len(NAME.findall(statement.text)))),
        "contrast": float(bool(_CONTRAST.search(plain))),
        "points": float(bool(_POINTS.search(plain))),
        "length": log1p(min(40.0, words)),
        "clauses": log1p(
            plain.count(",") + plain.count(";") + plain.count(":") + plain.count("，") + plain.count("、")
        ),
    }


def _place(setting: Setting) -> dict[str, float]:
    return {
        "is_refusal": float(setting.is_refusal),
        "after_edit": float(setting.after_edit),
        "after_command": float(setting.after_command),
        "is_opening": float(setting.is_opening),
        "opened_no": float(setting.opened_no),
        "no_after_act": float(setting.opened_no and (setting.after_edit or setting.after_command)),
    }


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic model of whether a careful colleague would write a statement down."""

    weights: Mapping[str, float]
    base: float

    def share(self, found: Mapping[str, float]) -> float:
        """Return the share of such statements that hold a lesson."""
        total = self.base + sum(weight * found.get(name, 0.0) for name, weight in self.weights.items())
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, total))))


@cache
def model() -> Model:
    """Return the model that `tests/scripts/lesson_weights.py` fits."""
    stored = json.loads(Path(__file__).with_name("weights.json").read_text("utf-8"))
    return Model(stored["weights"], stored["base"])
