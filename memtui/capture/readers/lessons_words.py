"""The words by which lessons and post-mortems name their parts, and what in a heading is no title."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memtui.capture.dates import date_in

Role = Literal["rule", "why", "about", "tags", "date", "apart", "timeline"]
"""rule: the lesson itself; why: when and why it holds; about: who, when, how bad; apart: a text of its own."""

_ROLE_WORDS: tuple[tuple[Role, str], ...] = (
    ("date", r"dates?|when|date of (?:the )?incident|incident date|created|datum|日期|日付"),
    ("tags", r"tags?|labels?|keywords|categor(?:y|ies)|areas?|topics?"),
    (
        "about",
        (
            r"authors?|owners?|status|severity|priority|duration|(?:incident |lesson )?ids?|reviewers?"
            r"|participants|sources?|incident (?:lead|commander)|lead|scribe|reported by|detected by|last updated"
            r"|updated|version|project|frequency|confidence|score|times? (?:start|end)|start time|end time"
            r"|services?(?: affected)?|date of post-?mortem"
        ),
    ),
    ("timeline", r"time ?line(?: of events)?|chronology|sequence of events|zeitlinie|时间线|時系列"),
    (
        "apart",
        (
            r"action items?|actions|corrective (?:actions?|and preventat?ive measures?)"
            r"|follow[- ]?ups?(?: actions?| tasks?)?|next steps|todos?|lessons(?: learn(?:ed|t))?(?: (?:&"
            r"|and) follow[- ]?ups)?|what we learn(?:ed|t)|learnings|takeaways|what went (?:well|wrong|poorly"
            r"|badly)|where we got lucky|what (?:worked|did not work|didn't work)|went well|went wrong|appendix"
            r"|references?|related(?: .*)?|links|see also|supporting .*"
        ),
    ),
    (
        "why",
        (
            r"why(?: (?:it|this) matters| it happened| it works)?|context|background|reason(?:s|ing)?|rationale"
            r"|motivation|because|situation|setting|environment|impact(?: assessment)?|consequences?"
            r"|contributing factors?|detection|evidence|our experience|when (?:to apply|this applies)"
            r"|how to apply|origin|begründung|kontext|背景|原因|理由"
        ),
    ),
    (
        "rule",
        (
            r"lesson|learning|takeaway|key takeaway|rule|insight|action|actions? taken|what to do|fix(?: pattern"
            r"| applied)?|solution|resolution|remediation|mitigation|work-?around|prevention"
            r"|preventat?ive (?:actions?|measures?)|how to (?:avoid|verify|fix|prevent)(?: it| this)?|next time"
            r"|recommendations?|guard ?rails?|problem|symptoms?|issue|mistake|error(?: message)?"
            r"|root causes?(?: analysis| and resolution| / analysis)?|causes?|trigger|what happened"
            r"|behaviou?r(?: observed)?|bug|(?:executive |incident |quick )?summary|tl;?dr|overview|description"
            r"|examples?|code|pattern|anti-?pattern|worked|failed|results?|outcome|implication(?:/action)?"
            r"|decision|before|after|correct|wrong|do|don't|lektion|empfehlung|ursache|lösung|教训|问题|解决方案|解決"
        ),
    ),
)
_ROLES = tuple((role, re.compile(rf"(?:{words})$", re.IGNORECASE)) for role, words in _ROLE_WORDS)
_FAULT = re.compile(
    r"(?:root causes?|causes?|symptoms?|problem|fix|bug|issue|what happened|resolution|mistake|error)\b",
    re.IGNORECASE,
)
_TASKS = re.compile(r"(?:action items?|corrective|follow[- ]?ups?|next steps|todos?)\b", re.IGNORECASE)
_LABEL = re.compile(
    r"(?P<lead>[ \t]*(?:>[ \t]*)?(?:[-*+][ \t]+)?)"
    r"(?:(?P<bold>\*\*|__)(?P<name>[^*_\n:\uff1a]{2,60})(?P<inner>[:\uff1a]?)(?P=bold)"
    r"|(?P<plain>[^\W\d_][^*_\n:\uff1a]{1,30}))"
    r"[ \t]*(?:\([^()\n]{1,40}\)[ \t]*)?(?P<colon>[:\uff1a]?)[ \t]*(?P<rest>.*)$"
)
_ASIDE = re.compile(r"\s*\([^()]{1,40}\)\s*$")
_HOW_TO = re.compile(
    r"(?:how to (?:use|contribute|add|read|update|maintain)|(?:lesson |entry |new )?(?:entry )?(?:format"
    r"|template)s?\b|usage$|purpose$|categories(?: for reference)?$|examples?(?: entr(?:y|ies))?:?$|beispiel"
    r"|about(?: this (?:file|document))?$|legend$"
    r"|(?:table of )?contents$|index$|maintenance(?: rules)?$)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"y{4}-mm-dd|[\[{<][^\[\]{}<>]{0,40}\b(?:date|title|name|category|topic|lesson|brief"
    r"|description)\b[^\[\]{}<>]{0,40}[\]}>]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:lesson|entry|case|incident|#)?\s*#?\d{1,4}\s*(?:[.):\u2013\u2014]|-\s)\s*", re.IGNORECASE)
_KIND_PREFIX = re.compile(
    r"(?:incident )?(?:post[- ]?mortem|incident|retrospective|retro|rca)(?: report)?\s*[:\u2013\u2014-]\s*",
    re.IGNORECASE,
)
_BARE_ID = re.compile(r"[A-Z]{1,10}[-_#]?\d[\d-]*$")
_LOOKED_AT_CHARS = 2_000
_EDGES = " \t-:\u2013\u2014|.,#"


def role_of(name: str) -> Role | None:
    """Return what a part of a lesson is for, by its label or heading; None for words that are no part's name."""
    bare = _NUMBER.sub("", name.strip(), count=1) if name[:1].isdigit() else name
    bare = re.sub(r"^\W+|\W+$", "", bare)
    return next((role for role, words in _ROLES if words.match(bare)), None)


def names_a_fault(name: str) -> bool:
    """Return whether a part's name tells of something that went wrong."""
    return bool(_FAULT.search(name))


def names_tasks(name: str) -> bool:
    """Return whether a part's name announces things to be done."""
    return bool(_TASKS.match(name.strip()))


@dataclass(frozen=True, slots=True)
class Label:
    """A line that begins a part, as in `- **Root cause:** the pool`.

    Attributes:
        name: the label's words.
        rest: what follows on the line.
        depth: 0 at the margin, else one more than the indentation of its list marker.
    """

    name: str
    rest: str
    depth: int


def label_of(line: str) -> Label | None:
    """Return the label that a line begins with; None without one that names a part."""
    found = _LABEL.match(line[:_LOOKED_AT_CHARS])
    if found is None:
        return None
    name = _ASIDE.sub("", (found["name"] or found["plain"]).strip())
    marked = bool(found["colon"] or found["inner"] or (found["bold"] and not found["rest"].strip()))
    if not marked or role_of(name) is None:
        return None
    lead = found["lead"].replace(">", " ")
    depth = 1 + len(lead) - len(lead.lstrip()) if lead.strip() else 0
    return Label(name, line[found.start("rest") :].strip(), depth)


def is_how_to(heading: str) -> bool:
    """Return whether a section explains the file itself."""
    return bool(_HOW_TO.match(heading.strip()))


def is_placeholder(heading: str) -> bool:
    """Return whether a heading is a form still to be filled in."""
    return bool(_PLACEHOLDER.search(heading))


def bare_title(heading: str) -> str:
    """Return a heading without its date, its number and the name of its kind; empty when nothing is left."""
    title = heading
    found = date_in(title)
    if found is not None:
        start, end = found[1]
        title = f"{title[:start].rstrip(' ([')} {title[end:].lstrip(' )]')}"
    title = title.strip(_EDGES)
    for prefix in (_NUMBER, _KIND_PREFIX):
        if match := prefix.match(title):
            title = title[match.end() :]
    title = title.strip(_EDGES)
    return "" if _BARE_ID.match(title) else title
