"""Stores of Markdown notes: basic-memory, Serena, ByteRover, Letta."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from memtui.capture.draft import Skipped
from memtui.capture.frontmatter import split_frontmatter
from memtui.capture.skip_codes import SkipCode
from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import Contents, Row, first, listed, mapping, number_of, objects, text
from memtui.capture.stores.text_files import file_text, json_object, note_text, notes_of, yaml_value
from memtui.errors import SourceError
from memtui.text.guarded_patterns import Matcher

MADE_BY_TOOL = "made by the tool"
OWN_SELF = "the agent's own self or a skill"

_HEADING = re.compile(r"\A\s*#\s+(.+?)\s*#*\s*\n+")
_RELATION = re.compile(
    r"^\s*[-*]\s+(?:\"([^\"]+)\"|'([^']+)'|([^\[\]\n(]*?))\s*\[\[([^\]\n]+)\]\]\s*(?:\([^)\n]*\))?\s*$"
)
_OBSERVATION = re.compile(r"^\s*[-*]\s+\[([^\]\n]{2,}|[^\] xX\n])\]\s+(?!\()(.+)$")
_WIKI_LINK = re.compile(r"\[\[([^\]|#\n]+)(?:[|#][^\]\n]*)?\]\]")
_HASHTAG = re.compile(r"(?<![\w/#&])#([^\W\d][\w/-]*)")
_CONTEXT = re.compile(r"\(([^()\n]+)\)\s*$")
_FILE = re.compile(r"[\w.@+/\\-]*[\w-]\.\w{1,8}|[\w.@+-]+(?:/[\w.@+-]+)+/?|Makefile|Dockerfile|Justfile|Procfile")
_INLINE_FENCE = re.compile(r"^\s*(?:```|~~~)")

NOTE_KINDS = {
    "decision": "decision",
    "rule": "constraint",
    "constraint": "constraint",
    "problem": "bug-pattern",
    "bug": "bug-pattern",
    "issue": "bug-pattern",
    "design": "architecture",
    "architecture": "architecture",
    "convention": "convention",
    "style": "convention",
    "preference": "convention",
    "tool": "tooling",
    "command": "tooling",
    "config": "tooling",
    "lesson": "lesson",
    "insight": "lesson",
    "tip": "lesson",
}
NOTE_LINKS = {
    "supersedes": "supersedes",
    "replaces": "supersedes",
    "contradicts": "contradicts",
    "conflicts_with": "contradicts",
    "derived_from": "derived-from",
}
NOTE_STATES = {"superseded": "superseded", "deprecated": "retired", "archived": "retired", "retired": "retired"}


def without_heading(body: str) -> tuple[str, str]:
    """Return the first heading of a text and the text below it; the whole text if it has none."""
    found = _HEADING.match(body)
    return (
        (found[1], body[found.end() :].strip("\n")) if found and body[found.end() :].strip() else ("", body.strip("\n"))
    )


def is_file_name(name: str) -> bool:
    return bool(_FILE.fullmatch(name.strip()))


def basic_memory(place: Place) -> Contents:
    """Read the notes of basic-memory's projects, whose folders its configuration names; never its index."""
    contents = Contents()
    projects = _basic_projects(place) if place.path.is_file() else {place.path.name: place.path}
    aliases: dict[str, str] = {}
    pending: list[tuple[str, str, str, str]] = []
    for name, folder in projects.items():
        if not folder.is_dir():
            contents.problems.append(
                Skipped(
                    folder.as_posix(), None, f"the folder of the project {name} is not there", code=SkipCode.MISSING
                )
            )
            continue
        project = None if name in {"main", "basic-memory"} else name
        for relative, path in notes_of(folder, contents):
            if any(part.startswith(".") for part in PurePosixPath(relative).parts):
                continue
            _basic_note(path, relative, (name, project), contents, aliases, pending)
    for key, relation, target, project_name in pending:
        found = aliases.get(f"{project_name}\n{_folded(target)}") or aliases.get(f"\n{_folded(target)}")
        if found and relation == "supersedes":
            contents.supersede(key, found)
        elif found:
            contents.link(key, relation, found)
    return contents


def _folded(target: str) -> str:
    return target.strip().removesuffix(".md").casefold()


def _basic_projects(place: Place) -> dict[str, Path]:
    """Return the folders of the projects by name; those of a copied home are looked for below it."""
    config = mapping(file_text(place.path))
    stated = config.get("projects")
    if not isinstance(stated, dict):
        raise SourceError("Not a basic-memory configuration", where=str(place.path))
    base = place.path.parent.parent
    found = {}
    for name, value in stated.items():
        written = text(value.get("path") if isinstance(value, dict) else value)
        found[name] = _moved(Path(written.replace("\\", "/")).expanduser() if written else base / name, base)
    return found


def _moved(folder: Path, base: Path) -> Path:
    """Return a folder below a base where it lies there, else as it is written."""
    if folder.is_relative_to(base):
        return folder
    parts = folder.parts
    return next(
        (base.joinpath(*parts[start:]) for start in range(1, len(parts)) if base.joinpath(*parts[start:]).is_dir()),
        folder,
    )


def _basic_note(
    path: Path,
    relative: str,
    project: tuple[str, str | None],
    contents: Contents,
    aliases: dict[str, str],
    pending: list[tuple[str, str, str, str]],
) -> None:
    written = note_text(path, contents)
    settings = split_frontmatter(written)
    values = settings.values
    heading, body = without_heading(settings.body)
    title = text(values.get("title")) or heading or PurePosixPath(relative).stem
    if heading and _folded(heading) != _folded(title):
        body = settings.body.strip("\n")
    key = f"{project[0]}\n{text(values.get('permalink')) or relative}"
    kept, tags, files, categories = _note_lines(body, key, project[0], pending)
    kind = next(
        (NOTE_KINDS[word] for word in (*categories[:1], text(values.get("type")).lower()) if word in NOTE_KINDS), "note"
    )
    state = text(values.get("status")).lower()
    importance = number_of(values.get("importance"))
    contents.add(
        Row(
            native_id=relative,
            key=key,
            title=title,
            insight=kept,
            type=text(values.get("type")) or next(iter(categories), "note"),
            kind=kind,
            project=project[1],
            tags=[*(tag.removeprefix("#") for tag in listed(values.get("tags"))), *tags],
            files=files,
            created=first(values, "created", "created_at", "date") or path.stat().st_mtime,
            updated=first(values, "modified", "updated_at"),
            importance=int(importance) if importance in {1, 2, 3, 4, 5} else None,
            status=NOTE_STATES.get(state, ""),
            reason=state if state in NOTE_STATES else "",
            path=path,
        )
    )
    permalink = text(values.get("permalink"))
    names = (title, permalink, permalink.removeprefix(f"{project[0]}/"), relative, PurePosixPath(relative).stem)
    for name in filter(None, names):
        aliases.setdefault(f"{project[0]}\n{_folded(name)}", key)
        aliases.setdefault(f"\n{_folded(name)}", key)


def _note_lines(
    body: str, key: str, project: str, pending: list[tuple[str, str, str, str]]
) -> tuple[str, list[str], list[str], list[str]]:
    """Return a note's text without its relation lines, with its hashtags, files and the categories of observations."""
    kept: list[str] = []
    tags: list[str] = []
    files: list[str] = []
    categories: list[str] = []
    in_code = False
    for line in body.split("\n"):
        in_code ^= bool(_INLINE_FENCE.match(line))
        relation = None if in_code else _RELATION.match(line)
        if relation is not None:
            name = (relation[1] or relation[2] or relation[3] or "").strip().lower().replace(" ", "_").replace("-", "_")
            pending.append((key, NOTE_LINKS.get(name, "relates"), relation[4], project))
            continue
        kept.append(line)
        if in_code:
            continue
        pending += [(key, "relates", target, project) for target in _WIKI_LINK.findall(line)]
        observation = _OBSERVATION.match(line)
        if observation is not None:
            categories.append(observation[1].strip().lower())
            tags += _HASHTAG.findall(observation[2])
            context = _CONTEXT.search(observation[2])
            files += [part.strip() for part in context[1].split(",") if is_file_name(part)] if context else []
    text_kept = "\n".join(kept).strip("\n")
    return _EMPTY_SECTION.sub("", text_kept).strip("\n"), tags, files, categories


_EMPTY_SECTION = re.compile(r"(?:^|\n)#{1,6}[ \t]+(?:Relations|Links)[ \t]*\n*(?=\n#|\Z)", re.IGNORECASE)


_MENTION = re.compile(r"mem:([\w./-]+[\w-])")
SHIPPED = "memory_maintenance"


def serena(place: Place) -> Contents:
    """Read Serena's memories of a repository, or its global ones."""
    contents = Contents()
    is_global = place.path.name == "global"
    prefix = "global/" if is_global else ""
    project = None if is_global else place.project
    mentions: list[tuple[str, str]] = []
    notes = [(f"{prefix}{relative.removesuffix('.md')}", path) for relative, path in notes_of(place.path, contents)]
    ignored = _matching(_patterns(place, contents), [name for name, _ in notes])
    for name, path in notes:
        shipped = name.rsplit("/", 1)[-1] == SHIPPED
        contents.left_out[MADE_BY_TOOL] += shipped
        if shipped or name.startswith(f"{prefix}global/"):  # a store of its own
            continue
        body = note_text(path, contents)
        heading, insight = without_heading(body)
        hidden = name in ignored
        key = f"{project or ''}\n{name}"
        contents.add(
            Row(
                native_id=name,
                key=key,
                title=heading,
                insight=insight,
                type=name.rpartition("/")[0].split("/")[0] or "memory",
                project=project,
                is_global=is_global,
                status="retired" if hidden else "",
                reason="hidden in Serena" if hidden else "",
                path=path,
            )
        )
        mentions += [(key, found.removesuffix(".md").rstrip(".")) for found in _MENTION.findall(body)]
    _link_known(contents, [(key, f"{project or ''}\n{target}") for key, target in mentions])
    return contents


def _link_known(contents: Contents, mentions: Iterable[tuple[str, str]]) -> None:
    """Link rows to those of the store that they mention."""
    known = {row.key for row in contents.rows}
    for start, end in mentions:
        if end in known:
            contents.link(start, "relates", end)


def _patterns(place: Place, contents: Contents) -> list[str]:
    base = place.path.parent if place.path.name != "global" else place.path.parent.parent
    found: list[str] = []
    for path in (base / "project.yml", base / "serena_config.yml"):
        if path.is_file():
            try:
                value = yaml_value(path, contents)
            except SourceError:
                continue
            found += listed(value.get("ignored_memory_patterns")) if isinstance(value, dict) else []
    return found


LONGEST_PATTERN, MOST_PATTERNS, PATTERN_SECONDS = 500, 50, 0.2


def _matching(patterns: Iterable[str], names: Sequence[str]) -> set[str]:
    """Return the names that a pattern matches as a whole; one that is not valid or takes too long is passed over."""
    matcher = Matcher(seconds=PATTERN_SECONDS)
    found: set[str] = set()
    for pattern in islice(patterns, MOST_PATTERNS):
        if len(pattern) > LONGEST_PATTERN:
            continue
        try:
            re.compile(pattern)
        except (re.error, OverflowError, RecursionError):
            continue
        found.update(names[position] for position in matcher.search(pattern, names, whole=True).lines)
    return found


_SECTION = re.compile(r"^##[ \t]+(.+?)[ \t]*$", re.MULTILINE)
_RAW_PART = re.compile(r"^\*\*(Task|Changes|Files|Flow|Timestamp|Author|Patterns):\*\*[ \t]*", re.MULTILINE)
TREE_SUMMARIES = ("_index.md", "context.md", ".stub.md", ".abstract.md", ".overview.md")


def byterover(place: Place) -> Contents:
    """Read ByteRover's context tree."""
    contents = Contents()
    related: list[tuple[str, str]] = []
    space = place.project or ""
    for relative, path in notes_of(place.path, contents, suffixes=(".md", "_manifest.json")):
        name = PurePosixPath(relative).name
        if not name.endswith(".md") or name in TREE_SUMMARIES or name.endswith(TREE_SUMMARIES[2:]):
            contents.left_out[MADE_BY_TOOL] += 1
            continue
        settings = split_frontmatter(note_text(path, contents))
        archived = relative.startswith("_archived/")
        row = _tree_row(settings.values, settings.body)
        row.native_id, row.key, row.path, row.project = relative, f"{space}\n{relative}", path, place.project
        row.title = row.title or PurePosixPath(relative).stem.replace("_", " ")
        row.type = relative.split("/")[0] if "/" in relative and not archived else "archived" if archived else "memory"
        row.status, row.reason = ("retired", "archived") if archived else ("", "")
        contents.add(row)
        related += [(row.key, one.lstrip("@").lstrip("/")) for one in listed(settings.values.get("related"))]
    for key, target in related:
        contents.link(key, "relates", f"{space}\n{target}")
    return contents


def _tree_row(values: dict[str, object], body: str) -> Row:
    found = list(_SECTION.finditer(body))
    sections = {
        match[1].strip().lower(): body[
            match.end() : found[number + 1].start() if number + 1 < len(found) else len(body)
        ].strip("\n")
        for number, match in enumerate(found)
    }
    last = list(sections)[-1] if sections else ""
    snippet = ""
    if last and (cut := sections[last].rfind("\n---\n")) >= 0:
        snippet = sections[last][cut + 5 :].strip("\n")
        sections[last] = sections[last][:cut].strip("\n")
    narrative, facts = sections.get("narrative", ""), sections.get("facts", "")
    fresh = [line for line in facts.split("\n") if line.strip() and _stated(line) not in narrative]
    told = "\n\n".join(filter(None, (narrative.strip(), "\n".join(fresh).strip())))
    legacy = number_of(values.get("importance"))
    return Row(
        native_id="",
        title=values.get("title"),
        insight=told or values.get("summary") or (body if not sections else ""),
        rationale=sections.get("reason", ""),
        snippet=snippet,
        tags=listed(values.get("tags")),
        files=_raw_part(sections.get("raw concept", ""), "Files"),
        created=values.get("createdAt"),
        updated=values.get("updatedAt"),
        importance=None if legacy is None else min(5, max(1, 1 + round(legacy / 25))),
    )


def _stated(line: str) -> str:
    """Return what a fact states, without its subject and category."""
    return re.sub(r"\s*\[[^\]]*\]\s*$", "", re.sub(r"^\s*[-*]\s+\*\*[^*]+\*\*:\s*", "", line)).strip()


def _raw_part(section: str, name: str) -> list[str]:
    found = list(_RAW_PART.finditer(section))
    for number, match in enumerate(found):
        if match[1] == name:
            end = found[number + 1].start() if number + 1 < len(found) else len(section)
            return [
                line.strip().lstrip("-* ").strip("`") for line in section[match.end() : end].split("\n") if line.strip()
            ]
    return []


def letta(place: Place) -> Contents:
    """Read the memory files of a Letta agent, or the blocks of an agent file."""
    contents = Contents()
    if place.path.is_file():
        return _agent_file(place, contents)
    agent = place.path.parent.name
    mentions: list[tuple[str, str]] = []
    for relative, path in notes_of(place.path, contents):
        name = relative.removesuffix(".md")
        if name.split("/")[0] == "skills" or name.rsplit("/", 1)[-1] == "persona":
            contents.left_out[OWN_SELF] += 1
            continue
        settings = split_frontmatter(note_text(path, contents))
        key = f"{agent}\n{name}"
        described = settings.text("description") or settings.text("label")
        contents.add(
            Row(
                native_id=name,
                key=key,
                title=described,
                insight=settings.body.strip("\n"),
                type=name.split("/")[0],
                agent="letta",
                path=path,
            )
        )
        mentions += [
            (key, f"{agent}\n{target.strip().removesuffix('.md')}") for target in _WIKI_LINK.findall(settings.body)
        ]
    _link_known(contents, mentions)
    return contents


def _agent_file(place: Place, contents: Contents) -> Contents:
    value = json_object(place.path, place.tool, contents)
    agent = text(first(value, "name", "id")) or next(
        (text(one.get("name")) for one in objects(value.get("agents"))), ""
    )
    blocks: Iterable[dict[str, Any]] = objects(value.get("blocks")) or objects(value.get("core_memory"))
    for number, record in enumerate(blocks):
        label = text(record.get("label"))
        name = text(record.get("id")) or f"block-{number}"
        if label == "persona":
            contents.left_out[OWN_SELF] += 1
            continue
        contents.add(
            Row(
                native_id=name,
                key=f"{agent}\n{label or name}",
                title=first(record, "description", "label"),
                insight=record.get("value"),
                type=label or "block",
                created=record.get("created_at"),
                updated=record.get("updated_at"),
                agent="letta",
            )
        )
    contents.version = text(value.get("version"))
    return contents
