"""Why something of a source becomes no memory, as codes: code compares these, scripts read them, people read words."""

from __future__ import annotations

from enum import StrEnum


class SkipWords(StrEnum):
    """Reasons that say the same of everything: the values are for people; code compares the members, never words."""

    @property
    def code(self) -> str:
        """What scripts read: `no-text` of NO_TEXT."""
        return self.name.lower().replace("_", "-")


class SkipReason(SkipWords):
    """Why lines become no memory."""

    COMMENT = "comment"
    FRONTMATTER = "frontmatter: read as settings"
    CONTEXT = "heading: kept as context"
    NO_TEXT = "heading without text"
    CALLOUT = "callout mark"
    COLUMNS = "column heads: kept with each row"
    LEAD = "words that lead to the list"
    RULE = "horizontal rule"
    LINKS = "links only"
    LINK_DEFINITION = "link definition"
    CONTENTS = "table of contents"
    IMPORT = "import of another file"
    POINTER = "only points elsewhere"
    PERSONA = "tells the assistant who it is"
    INTRO = "says what the file is for"
    CHATTER = "asks whoever asked for the file"
    METADATA = "metadata: author, date, version or rank"
    HISTORY = "change log of the file or project"
    TASKS = "tasks: what was done or is planned, or who does it"
    PLACEHOLDER = "empty place of a template"
    LICENCE = "licence note"
    IMAGES = "badges or images"
    MARKUP = "mark-up without text"
    EMPTY = "holds no text"
    DATA = "data rather than text"
    PAGES = "pages of documentation, put between tags"
    NOTICE = "says that what it names is history"
    NOTICE_OF_NOTHING = "says that something here is history, but nothing that it names was found"
    SESSIONS = "a list of sessions that a tool rewrites"


STRUCTURE = frozenset(
    {
        SkipReason.COMMENT,
        SkipReason.CONTEXT,
        SkipReason.NO_TEXT,
        SkipReason.RULE,
        SkipReason.MARKUP,
        SkipReason.CALLOUT,
        SkipReason.COLUMNS,
    }
)
"""Not reported line by line: they have no content of their own."""


class FrontmatterProblem(SkipWords):
    """What is wrong with frontmatter."""

    FRONTMATTER_UNKNOWN = "frontmatter that is not TOML: its settings are not known"
    FRONTMATTER_UNCLOSED = "frontmatter that is never closed: read as settings"
    FRONTMATTER_UNOPENED = "frontmatter without its first ---: read as settings"


class SkipCode(StrEnum):
    """Reasons whose words name something; the values are part of `--json`."""

    SETTINGS = "settings"  # says something of its record, not by it
    EMPTY = "empty"
    NO_TEXT_LEFT = "no-text-left"
    UNREADABLE = "unreadable"
    NOT_UTF8 = "not-utf8"
    LOST_CHARACTER = "lost-character"
    BAD_ROW = "bad-row"
    BAD_SETTING = "bad-setting"
    BAD_LINK = "bad-link"
    DAMAGED = "damaged"
    MISSING = "missing"  # what it names is not there
    OUTSIDE = "outside"
    IRREGULAR = "irregular"
    TOO_LARGE = "too-large"
    TOO_DEEP = "too-deep"
    NO_READER = "no-reader"
    CONFLICT = "conflict"
    SECRET_LINE = "secret-line"  # noqa: S105 - a code
    REPEATED = "repeated"
    TEMPLATE = "template"
    WEB_PAGE = "web-page"
    INDEX = "index"
    CONFIGURATION = "configuration"
    READ_INSTEAD = "read-instead"  # another file, which it only names
    OWN_SKILL = "own-skill"
    NO_DESCRIPTION = "no-description"
    STEPS = "steps"
    NEVER_OFFERED = "never-offered"
    OTHER = "other"
