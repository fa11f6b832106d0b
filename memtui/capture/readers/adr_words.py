"""The words by which architecture decision records name their parts, their state and themselves."""

from __future__ import annotations

import re
from typing import Literal

Role = Literal["status", "date", "people", "context", "drivers", "decision", "why", "consequences", "options", "other"]

OVER = frozenset({"superseded", "rejected", "deprecated"})
"""States of a record that is in force no more."""

FOLDERS = re.compile(
    r"adrs?|madr|decisions?|decision[-_]?records?|decision[-_]?log|architecture[-_]decisions?"
    r"|architecture[-_]decision[-_]records?|architectural[-_]decisions?",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"(?:adr|madr|dr)?[-_ ]?(?P<number>\d{1,6})(?:[-_. ].*)?$|adr[-_ ].+$", re.IGNORECASE)
DATED_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[-_ ]|$)")
TEMPLATE_NAME = re.compile(
    r"(?:0*[-_])?(?:(?:adr|madr|dr|decision|record|decision[-_]record)[-_])?template"
    r"(?:[-_](?:bare|minimal|short|long|full|simple|nygard|madr|adr|en))*$"
    r"|(?:adr[-_])?(?:n{3,5}|x{3,5})(?:[-_]|$)",
    re.IGNORECASE,
)
NOT_RECORDS = frozenset({"readme", "index", "contributing", "changelog", "summary", "_index", "toc"})

SETTING = re.compile(
    r"[ \t]*(?:[-*+][ \t]+|\|[ \t]*)?(?:\*\*|__)?"
    r"(?P<key>status|date|deciders?|decision[- ]makers?|authors?|consulted|informed|owners?"
    r"|last updated|updated|created)(?:\*\*|__)?[ \t]*(?::|\uff1a|\|)(?:\*\*|__)?[ \t]*(?P<value>.*?)[ \t|]*$",
    re.IGNORECASE,
)
"""A line above the first section that says what the frontmatter would: `* Status: accepted`."""

_TITLE_PREFIX = re.compile(
    r"\[?(?:adr|madr|dr|rfc|decision)[-_ #]*(?:\d{1,6}|n{3,5}|x{3,5})\]?(?:\s*[:.)\u2013\u2014-]+)?\s+"
    r"|\d{1,6}(?:\s*[:.)\u2013\u2014]+|\s+-+)\s+|(?:adr|decision record)\s*:\s+",
    re.IGNORECASE,
)
_NAME_PREFIX = re.compile(r"(?:\d{4}-\d{2}-\d{2}|(?:adr|madr|dr)?[-_ ]?\d{1,6}|adr)[-_. ]+", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{[^{}\n]{1,200}\}|<[A-Za-z][^<>\n/]{0,200}>|\[[^\[\]\n]{1,200}\](?![(\[:])")
_FEW_WORDS = 3

_ROLE_WORDS: tuple[tuple[Role, str], ...] = (
    ("status", r"status\b|statut\b|estado\b|状态|状態"),
    ("date", r"(?:dates?|datum|fecha)(?:$|:)"),
    (
        "people",
        r"(?:deciders?|decision[- ]makers?|authors?|consulted|informed|participants|stakeholders|owners?)\b",
    ),
    (
        "drivers",
        r"(?:decision )?(?:drivers?|criteria)\b|forces\b|requirements\b|assumptions\b|goals\b|constraints\b",
    ),
    (
        "options",
        (
            r"(?:considered |decision |other |rejected |evaluated )?(?:options?|alternatives?)\b"
            r"|pros (?:and|&|/) cons\b|optionen\b|選択肢|方案"
        ),
    ),
    (
        "consequences",
        (
            r"(?:positive |negative |neutral |expected )?"
            r"(?:consequences?|implications?|impacts?|trade-?offs?|outcomes|results?|benefits|risks|drawbacks)\b"
            r"|konsequenzen|conséquences|consecuencias|影響|后果|後果|結果"
        ),
    ),
    ("why", r"rationale\b|reasons?\b|reasoning\b|why\b|justification\b|arguments?\b|理由|begründung"),
    (
        "decision",
        (
            r"(?:the |our |final )?decision\b|resolution\b|outcome\b|chosen (?:option|solution)"
            r"|(?:proposed )?solution\b|proposal\b|entscheidung|décision|decisión|決定|决策|决定"
        ),
    ),
    (
        "context",
        (
            r".*\b(?:context|problem|background|motivation|issue|introduction|summary|situation)\b"
            r"|kontext|contexte|contexto|背景|上下文|問題"
        ),
    ),
)
_ROLES = tuple((role, re.compile(rf"(?:\d+[.)]\s*)?\W*(?:{words})", re.IGNORECASE)) for role, words in _ROLE_WORDS)
_STATES = tuple(
    (state, re.compile(rf"(?<!not )(?<!not yet )\b(?:{words})", re.IGNORECASE))
    for state, words in (
        ("superseded", r"super[sc]eded\b|replaced by\b|obsoleted by\b|ersetzt\b|remplac"),
        ("rejected", r"rejected\b|declined\b|withdrawn\b|abandoned\b|cancell?ed\b|abgelehnt\b"),
        ("deprecated", r"deprecated\b|obsolete\b|retired\b|no longer (?:valid|relevant|applies)"),
        (
            "accepted",
            r"(?:accepted|approved|adopted|decided|implemented|active|final|done|agreed|akzeptiert)\b|accepté",
        ),
        ("proposed", r"(?:proposed|proposal|draft|pending|in review|under (?:discussion|review)|wip|open)\b"),
    )
)
_PARTLY = re.compile(r"\bpart(?:ly|ially|s)?\b", re.IGNORECASE)


def role_of(heading: str) -> Role:
    """Return what a section of a record is for, by its heading; `other` for anything else."""
    return next((role for role, words in _ROLES if words.match(heading.strip())), "other")


def state_of(status: str) -> str:
    """Return accepted, proposed, rejected, deprecated or superseded; empty for anything else."""
    if status.count("|") > 1:  # a choice that is still to be made
        return ""
    found = [state for state, words in _STATES if words.search(status)]
    if "accepted" in found and _PARTLY.search(status):
        return "accepted"
    return found[0] if found else ""


def bare_title(heading: str) -> str:
    """Return a heading without the record's number."""
    prefix = _TITLE_PREFIX.match(heading)
    return heading[prefix.end() if prefix else 0 :].strip()


def title_of_name(stem: str) -> str:
    """Return a title made of a file's name."""
    prefix = _NAME_PREFIX.match(stem)
    words = re.sub(r"[-_]+", " ", stem[prefix.end() if prefix else 0 :]).strip() or stem
    return words[0].upper() + words[1:]


def native_id(stem: str) -> str:
    """Return the record's number as its file is named, else the name itself."""
    number = None if DATED_NAME.match(stem) else NUMBERED.match(stem)
    return (number["number"] if number else None) or stem


def is_template(stem: str, title: str, decision: str) -> bool:
    """Return whether a record is a form still to be filled in, by its name, its title or its decision."""
    if TEMPLATE_NAME.match(stem):
        return True
    bare = title.strip().strip("*_`")
    if bare and not _PLACEHOLDER.sub("", bare).strip(" .:-"):
        return True
    words, left = (len(re.findall(r"\w+", text)) for text in (decision, _PLACEHOLDER.sub("", decision)))
    return (left == 0 < words) or (left <= _FEW_WORDS and words > 2 * _FEW_WORDS)
