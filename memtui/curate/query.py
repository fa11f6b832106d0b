"""The query language of lists, filters and bulk changes: `kind:tooling age>180d -pinned "exact words"`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memtui.clock import days_after
from memtui.domain.kinds import Kinds
from memtui.domain.memory import STATUSES
from memtui.errors import QueryError, UsageError
from memtui.text.words import begun, did_you_mean, nearest, parse_duration
from memtui.vault.filters import EVERYTHING, Condition, MemoryFilter
from memtui.vault.vault import Vault

FIELDS: Mapping[str, str] = {
    "kind": "kind:tooling or a beginning as kind:tool, or kind:tooling,note for either",
    "tag": "tag:redis",
    "project": "project:shop, or project:unassigned",
    "status": "status:retired, or status:any; without it active ones",
    "is": "is:pinned, is:due, is:confirmed, is:snoozed, or a status as is:retired",
    "file": "file:payments/service.py, a folder payments, the end of a path, or a pattern 'src/*.py'",
    "source": "source:claude-md, the format it was imported from",
    "id": "id:nkr3, the beginning of an id",
    "age": "age>180d since it was verified, else observed or made; h, d, w, m, y",
    "fresh": "fresh<0.5, freshness from 0 to 1",
    "used": "used=0, how often it was injected, copied, referenced or helped",
    "importance": "importance>=4, from 1 to 5",
    "confidence": "confidence<0.7, from 0 to 1",
}
"""The fields, each with its syntax."""

FLAGS: Mapping[str, str] = {
    "pinned": "is pinned",
    "due": "is due for review",
    "confirmed": "was accepted by a person",
    "snoozed": "is snoozed",
}
"""Flags; in quotes they are words of the text."""

_COMPARED = ("age", "fresh", "used", "importance", "confidence")
_TOKEN = re.compile(
    r"(?P<not>-(?=\S))?(?:(?P<field>[A-Za-z]+)(?P<operator>:|<=|>=|<|>|=))?"
    r"(?:\"(?P<quoted>[^\"]*)\"?|(?P<bare>[^\s\"]+))?"
)
_RANGES = {"fresh": (0.0, 1.0), "used": (0.0, 1e9), "importance": (1.0, 5.0), "confidence": (0.0, 1.0)}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query."""

    text: str
    conditions: tuple[Condition, ...] = ()  # all of them must match
    names_status: bool = False  # whether it has a condition on the status
    names_project: bool = False  # whether it has a condition on the project

    @property
    def names_file(self) -> bool:
        """Whether it asks for a file."""
        return any(one.field == "file" and not one.negated for one in self.conditions)

    def narrow(self, base: MemoryFilter) -> MemoryFilter:
        """Return a filter narrowed by the query; its status and project replace those of the filter."""
        return replace(
            base,
            statuses=None if self.names_status else base.statuses,
            scope=EVERYTHING if self.names_project else base.scope,
            conditions=(*base.conditions, *self.conditions),
        )


@dataclass(frozen=True, slots=True)
class _Token:
    negated: bool
    field: str
    operator: str
    value: str
    quoted: bool
    position: int
    text: str


def is_query(text: str) -> bool:
    """Return whether a text is meant as a query rather than plain words: it compares a field, or negates a flag."""
    return _ASKING.search(text) is not None


_ASKING = re.compile(
    rf"(?:^|\s)(?:-?(?:{'|'.join(FIELDS)})(?::|<=|>=|<|>|=)|-(?:{'|'.join(FLAGS)})(?=\s|$))", re.IGNORECASE
)


def misnamed_field(text: str) -> tuple[str, str] | None:
    """Return the first name of plain words that stands like a field, and the field it may mean, if any.

    None without one. A name that is near no field counts where it could be one: in lower case, before a word.
    """
    found = [(match[1], _meant(match[1]), match) for match in _LIKE_A_FIELD.finditer(text)]
    near = ((typed, field) for typed, field, _ in found if field)
    others = ((typed, "") for typed, _, match in found if match[2] == ":" and _A_NAME.match(match[0] + match[3]))
    return next(near, None) or next(others, None)


def _meant(typed: str) -> str:
    """Return the field that a name means or is near to, empty for none."""
    return _OTHER_NAMES.get(typed.lower()) or nearest(typed, FIELDS) or ""


_OTHER_NAMES = {
    **dict.fromkeys(("path", "paths", "files", "folder", "dir", "directory"), "file"),
    **dict.fromkeys(("type", "category"), "kind"),
    **dict.fromkeys(("label", "topic"), "tag"),
    **dict.fromkeys(("repo", "repository"), "project"),
    **dict.fromkeys(("format", "origin"), "source"),
    "state": "status",
    "freshness": "fresh",
    "priority": "importance",
}
"""What people call fields elsewhere."""

_LIKE_A_FIELD = re.compile(r"(?:^|(?<=\s))-?([A-Za-z]+)(:|<=|>=|<|>|=)(?=([^\s:/<>=]\S*))")
_A_NAME = re.compile(r"-?[a-z]+:[A-Za-z]")


def parse_query(text: str, kinds: Kinds, now: datetime) -> Query:
    """Return a query.

    Terms are joined by "and"; values of one `kind`, `status` or `project` by "or". A minus negates a term. Words
    match anywhere in the texts, tags and files of a memory. Ages and freshness are computed at `now`.

    Raises `QueryError`: with the position and the correct syntax.
    """
    conditions: list[Condition] = []
    alternatives: dict[tuple[str, bool], list[str]] = {}
    names_status = names_project = False
    for token in _tokens(text):
        field = "status" if token.field == "is" and begun(token.value, (*FLAGS, *STATUSES)) in STATUSES else token.field
        names_status |= field == "status"
        names_project |= field == "project"
        if field in {"kind", "status", "project"}:
            values = [_known(field, token, value, kinds) for value in _values(token)]
            if values != ["any"]:
                alternatives.setdefault((field, token.negated), []).extend(values)
        else:
            conditions += _conditions(token, now)
    choices = [Condition(name, "is", tuple(dict.fromkeys(values)), no) for (name, no), values in alternatives.items()]
    return Query(text, (*choices, *conditions), names_status, names_project)


def parse_choice(text: str, kinds: Kinds, now: datetime) -> Query:
    """Return a query that must have a condition, as a command's `--where`: an empty one does not mean "all".

    Raises `QueryError`: it has no condition; else see `parse_query`.
    """
    says = any(character.isprintable() and character not in ' -"' for character in text)
    query = parse_query(text, kinds, now) if says else Query(text)
    if not (query.conditions or query.names_status or query.names_project):
        raise QueryError(
            "The query is empty",
            where=repr(text[:60]),
            remedy="Write a filter such as kind:tooling; status:active matches everything in use.",
        )
    return query


def words_beside(text: str) -> tuple[str, str]:
    """Return the plain words of a query, and the query without them; what is quoted or negated is no plain word."""
    words: list[str] = []
    rest: list[str] = []
    for token in _tokens(text):
        is_plain = not (token.field or token.negated or token.quoted or token.value.lower() in FLAGS)
        (words if is_plain else rest).append(token.text)
    return " ".join(words), " ".join(rest)


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        match = _TOKEN.match(text, at)
        if match is None or match.end() == at:
            raise _wrong("Nothing follows this sign", text[at], at, "Leave it out, or put it in quotes.")
        yield _token(match)
        at = match.end()


def _token(match: re.Match[str]) -> _Token:
    piece, at, quoted = match[0], match.start(), match["quoted"]
    if not (match["field"] or match["bare"] or quoted is not None):
        raise _wrong("Nothing follows this sign", piece, at, "Leave it out, or put it in quotes.")
    if quoted is not None and not piece.endswith('"'):
        raise _wrong("A quotation mark is not closed", piece, at, 'Write "exact words".')
    name, operator = (match["field"] or "").lower(), match["operator"] or ""
    value = (match["bare"] or "") if quoted is None else quoted
    if name and name not in FIELDS and operator == ":" and (match["bare"] or "").startswith("//"):
        # An address: `https://…` is a word, not a field.
        name, operator, value = "", "", f"{match['field']}:{value}"
    return _Token(bool(match["not"]), name, operator, value, quoted is not None, at, piece)


def _values(token: _Token) -> list[str]:
    values = [part.strip() for part in ([token.value] if token.quoted else token.value.split(","))]
    if token.operator not in {":", "="}:
        raise _wrong(f"{token.field} is not compared", token.text, token.position, _how(token.field))
    if not all(values):
        raise _wrong("A value is missing", token.text, token.position, _how(token.field))
    return values


def _known(field: str, token: _Token, value: str, kinds: Kinds) -> str:
    """Return a kind, status or project; a kind or status may be shortened, and an unknown one is an error."""
    known = {"kind": kinds.names(), "status": (*STATUSES, "any")}.get(field)
    if known is None:
        return value.lower()
    found = begun(value, known)
    if found is None:
        raise _wrong(f"Unknown {token.field}", token.text, token.position, _nearest(value.lower(), known))
    return found.lower()


def _conditions(token: _Token, now: datetime) -> list[Condition]:
    if not token.field:
        if token.value.lower() in FLAGS and not token.quoted:
            return [Condition(token.value.lower(), "is", (), token.negated, now)]
        words = token.value.strip().lower()
        return [Condition("words", "is", (words,), token.negated)] if words else []
    if token.field not in FIELDS:
        hint = _nearest(token.field, tuple(FIELDS))
        raise _wrong(
            "Unknown field", token.text, token.position, f'{hint} Words with a sign go in quotes: "{token.text}".'
        )
    if token.field == "is":
        return [_flag(token, now)]
    if token.field in _COMPARED:
        return [_comparison(token, now)]
    values = _values(token)
    if token.field == "tag":
        values = [value.lstrip("#") for value in values]
    return [Condition(token.field, "is", tuple(value.lower() for value in values), token.negated)]


def _flag(token: _Token, now: datetime) -> Condition:
    """Return the condition of `is:pinned`, which says the same as the flag alone."""
    known, typed = (*FLAGS, *STATUSES), _values(token)[0].lower()
    flag = begun(typed, known)
    if flag is None or "," in token.value:
        raise _wrong("Unknown flag", token.text, token.position, _nearest(typed, known))
    return Condition(flag, "is", (), token.negated, now)


def _comparison(token: _Token, now: datetime) -> Condition:
    operator = "=" if token.operator == ":" else token.operator
    if not token.value:
        raise _wrong("A value is missing", token.text, token.position, _how(token.field))
    if token.field == "age":
        return Condition("trusted", _FLIPPED[operator], (_moment(token, now),), token.negated)
    lowest, highest = _RANGES[token.field]
    try:
        number = float(token.value)
    except ValueError:
        number = lowest - 1.0
    if not lowest <= number <= highest:
        raise _wrong(
            f"{token.field} is a number from {lowest:g} to {highest:g}", token.text, token.position, _how(token.field)
        )
    return Condition(token.field, operator, (number,), token.negated, now)


def _moment(token: _Token, now: datetime) -> datetime:
    try:
        days = parse_duration(token.value)
    except UsageError as error:
        raise _wrong("This is not a time span", token.text, token.position, _how("age")) from error
    if token.operator in {":", "="}:
        raise _wrong("Compare an age with < or >", token.text, token.position, _how("age"))
    return days_after(now, -days)


def _wrong(what: str, piece: str, position: int, hint: str) -> QueryError:
    return QueryError(what, where=f"{piece[:60]} (at character {position + 1})", remedy=hint, position=position)


def _how(field: str) -> str:
    return f"Write it like {FIELDS[field]}."


def _nearest(name: str, known: Sequence[str]) -> str:
    if (meant := _OTHER_NAMES.get(name)) in known:
        return f"Did you mean {meant}?"
    several = [one for one in known if one.lower().startswith(name)]
    if len(several) > 1:
        return f"It may be {' or '.join(several)}."
    return did_you_mean(name, known, otherwise=f"Known: {', '.join(known)}.")


def chosen_by(vault: Vault, query: Query, base: MemoryFilter) -> dict[str, int]:
    """Return the ids that a query matches, with their versions, so that a bulk change can skip what changed since."""
    with vault.read() as reader:
        found = reader.select(query.narrow(base), sort="updated", now=vault.now())
    return {memory.id: memory.version for memory in found}


def help_lines() -> list[tuple[str, str]]:
    """Return the terms of a query with their syntax, for `?` and `--help`."""
    return [*FIELDS.items(), *FLAGS.items(), ("-", "a minus negates: -pinned, -tag:redis"), ('"…"', "exact words")]
