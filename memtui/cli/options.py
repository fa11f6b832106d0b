"""Options that several commands share, each declared once."""

from __future__ import annotations

from memtui.cli.parsing import Parser, at_least, whole_number


def add_ids(parser: Parser, *, nargs: str = "+") -> None:
    """Add the ids of memories."""
    parser.add_value("id", "ID", "ids or their first characters", nargs=nargs)


def add_id(parser: Parser, what: str = "id or its first characters") -> None:
    """Add one id."""
    parser.add_value("id", "ID", what)


def add_repeatable(parser: Parser, name: str, metavar: str, help_text: str) -> None:
    """Add an option that may be given several times."""
    parser.add_value(name, metavar, f"{help_text}; repeatable", action="append", default=[])


def add_allow_secret(parser: Parser, what: str = "it") -> None:
    """Add the option that stores what looks like a secret."""
    parser.add_flag("--allow-secret", f"store {what} even if it looks like a secret")


def add_reason(parser: Parser) -> None:
    """Add the reason of a decision."""
    parser.add_value("--why", "TEXT", "the reason", default="")
    add_allow_secret(parser, "the reason")


def add_where(parser: Parser, help_text: str) -> None:
    """Add a query that selects memories."""
    parser.add_value("--where", "QUERY", f"{help_text}: 'kind:note age>180d -pinned \"exact words\"'")


def add_if_version(parser: Parser) -> None:
    """Add the version that a decision is based on."""
    help_text = "only if this is still its version, else exit 4"
    parser.add_value("--if-version", "N", help_text, type=whole_number)


def add_all_projects(parser: Parser) -> None:
    """Add the option that looks beyond the project in view."""
    parser.add_flag("--all-projects", "every project, and unassigned memories")


def add_limit(parser: Parser, default: str, *, least: int = 0) -> None:
    """Add the largest number of rows."""
    parser.add_value("--limit", "N", f"maximum number of rows (default: {default})", type=at_least(least))


def add_kinds(parser: Parser) -> None:
    """Add the kinds that memories must have."""
    add_repeatable(parser, "--kind", "KIND", "only this kind")


def add_files(parser: Parser, help_text: str = "a file you are working on") -> None:
    """Add paths."""
    add_repeatable(parser, "--file", "PATH", help_text)


def add_list_changes(parser: Parser, tag: str, file: str) -> None:
    """Add the options that add and remove tags and files."""
    for name, metavar, what in (("tag", "TAG", tag), ("file", "PATH", file)):
        add_repeatable(parser, f"--add-{name}", metavar, f"add {what}")
        add_repeatable(parser, f"--remove-{name}", metavar, f"remove {what}")
