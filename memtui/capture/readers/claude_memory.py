"""Claude Code's own notes: MEMORY.md, the index, and one topic file per memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

from memtui.analysis.title_fit import cut_title
from memtui.capture.draft import DraftMaker, DraftScope, ReadResult, Skipped, SourceFile
from memtui.capture.folders import is_below_home
from memtui.capture.frontmatter import Frontmatter, split_frontmatter
from memtui.capture.markdown_drafts import drafts_from_markdown
from memtui.capture.skip_codes import SkipCode
from memtui.domain.record import RecordError, parse_time
from memtui.text.sanitize import decode

TOPIC_CHARS = 2_400  # A topic file up to this size is one memory, as its author meant it

_INDEX = "memory.md"
_FOLDER = re.compile(r"/\.claude/(?:projects/[^/]+/memory|agent-memory(?:-local)?/[^/]+)(?:/|$)")
_ENTRY = re.compile(
    r"[ \t]*[-*+][ \t]+.{0,200}?"
    r"(?:\[[^\[\]]{0,300}\]\(<?([^()<>]{1,300}?\.md)>?(?:#[^()]{0,100})?\)|`?([\w./-]{1,200}\.md)\b`?)"
)
_CONTINUATION = re.compile(r"[ \t]+(?![-*+][ \t]|\d{1,9}[.)][ \t])\S")
_SLUG = re.compile(r"[\w.]+(?:[-_][\w.]+)*")
_LONGEST_ENTRY = 2_000
_TYPES = ("user", "feedback", "project", "reference")


class ClaudeMemoryReader:
    """Reads MEMORY.md and the topic files beside it."""

    format = "claude-memory"
    label = "Claude Code auto memory"
    agent: str | None = "claude-code"

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file lies in a memory folder, known by its path or by its index."""
        if file.path.suffix.lower() != ".md":
            return False
        if _FOLDER.search(file.path.parent.as_posix()):
            return True
        if file.path.name.lower() == _INDEX:
            return _is_index(file.text, file.path.parent)
        return _has_index(file.path.parent) and _is_topic(split_frontmatter(file.text))

    def read(self, file: SourceFile) -> ReadResult:
        """Return an index's or a topic file's memories; index lines that point to topics are skipped."""
        return self._index(file) if file.path.name.lower() == _INDEX else self._topic(file)

    def _index(self, file: SourceFile) -> ReadResult:
        settings = split_frontmatter(file.text)
        lines = settings.body.split("\n")
        entries: list[Skipped] = []
        for number, topic, last in _entries(lines, file.path.parent):
            span = (number + settings.body_first_line, last + settings.body_first_line)
            entries.append(Skipped(file.name, span, f"index of topic file {topic}", code=SkipCode.INDEX))
            lines[number : last + 1] = [""] * (last - number + 1)
        maker = DraftMaker(file=file, format=self.format, agent=self.agent, scope=_scope(file))
        result = drafts_from_markdown(maker, replace(settings, body="\n".join(lines)), each_item=True)
        result.skipped += entries
        result.sort_skipped()
        return result

    def _topic(self, file: SourceFile) -> ReadResult:
        settings = split_frontmatter(file.text)
        kind = _type_of(settings, file)
        maker = DraftMaker(
            file=file,
            format=self.format,
            agent=self.agent,
            scope=_scope(file),
            hint=f"{self.format}:{kind}" if kind else None,
            observed_at=_modified(settings),
        )
        return drafts_from_markdown(
            maker,
            settings,
            title=_title(settings) or _heading(settings.body),
            name=settings.text("name"),
            whole_chars=TOPIC_CHARS,
            one_subject=False,
            part_why=True,
        )


def _scope(file: SourceFile) -> DraftScope:
    """Return the scope: a user's subagent remembers for every project, everything else for one."""
    return "global" if is_below_home(file, ".claude/agent-memory") else "project"


def _entries(lines: list[str], folder: Path) -> Iterator[tuple[int, str, int]]:
    """Yield the first line, the topic file and the last line of each index entry whose file exists."""
    for number, line in enumerate(lines):
        entry = _ENTRY.match(line[:_LONGEST_ENTRY])
        if entry is None or not (topic := _existing(folder, entry[1] or entry[2])):
            continue
        last = number
        while last + 1 < len(lines) and _CONTINUATION.match(lines[last + 1]):
            last += 1
        yield number, topic, last


def _existing(folder: Path, written: str) -> str:
    topic = unquote(written).removeprefix("./")
    try:
        there = (folder / topic).is_file() and topic.lower() != _INDEX
    except (OSError, ValueError):
        return ""
    return topic if there else ""


def _is_index(text: str, folder: Path) -> bool:
    return any(True for _ in _entries(text.split("\n"), folder))


def _has_index(folder: Path) -> bool:
    index = next((path for name in ("MEMORY.md", "memory.md") if (path := folder / name).is_file()), None)
    return index is not None and _is_index(decode(index.read_bytes()).text, folder)


def _is_topic(settings: Frontmatter) -> bool:
    return _stated_type(settings) in _TYPES or bool(settings.text("name"))


def _stated_type(settings: Frontmatter) -> str:
    nested = settings.values.get("metadata")
    stated = settings.text("type") or (str(nested.get("type") or "") if isinstance(nested, dict) else "")
    return stated.strip().lower()


def _type_of(settings: Frontmatter, file: SourceFile) -> str:
    """Return the stated type, else the one in the file's name."""
    stated = _stated_type(settings)
    named = re.split(r"[-_]", file.path.stem.lower(), maxsplit=1)[0]
    return stated if stated in _TYPES else named if named in _TYPES else ""


def _title(settings: Frontmatter) -> str:
    """Return the description, or the name if that is prose and the description too long for a title."""
    name, description = settings.text("name"), settings.text("description")
    is_slug = bool(_SLUG.fullmatch(name)) and name.isascii()
    if description and (not name or is_slug or cut_title(description) == description):
        return description
    return re.sub(r"[-_]+", " ", name) if is_slug else name


def _heading(body: str) -> str:
    first = body.lstrip("\n").split("\n", 1)[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


def _modified(settings: Frontmatter) -> datetime | None:
    try:
        return parse_time(settings.text("modified"), "modified")
    except RecordError:
        return None


READER = ClaudeMemoryReader()
