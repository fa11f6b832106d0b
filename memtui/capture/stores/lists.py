"""Stores of short notes: Codex, Gemini CLI, goose, VS Code's Copilot Chat, Cursor's user rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from memtui.capture.stores.location import Place
from memtui.capture.stores.notes import without_heading
from memtui.capture.stores.rows import Contents, Row, loaded, mapping, text
from memtui.capture.stores.sqlite_copy import opened
from memtui.capture.stores.text_files import file_text, note_text, notes_of
from memtui.errors import SourceError

_ITEM = re.compile(r"^[-*+][ \t]+(.*)$")
_NUMBERED = re.compile(r"^\d{1,3}[.)][ \t]+(.*)$")
_POINTER = re.compile(r"\[[^\]]+\]\([^)]+\.md\)")
_HEADING = re.compile(r"^#{1,6}[ \t]+\S")


def items(body: str) -> list[str]:
    """Return the items of a list with the lines that belong to them; headings and text around it are left out."""
    found: list[str] = []
    inside = False
    for line in body.split("\n"):
        item = _ITEM.match(line) or _NUMBERED.match(line)
        if item is not None:
            found.append(item[1])
            inside = True
        elif inside and line.strip() and line[:1] in {" ", "\t"}:
            found[-1] += f"\n{line.strip()}"
        elif line.strip():
            inside = False
    return [one.strip() for one in found if one.strip()]


CODEX_KINDS = {
    "user preferences": "convention",
    "reusable knowledge": "lesson",
    "failures and how to do differently": "bug-pattern",
}
EVIDENCE = "summary, evidence or procedure of the tool"
_REFERENCES = re.compile(r"(?:\s*\[(?:Task \d+|ad-hoc note)\])+\s*$", re.IGNORECASE)
_CWD = re.compile(r"\bcwd=([^;\n]+)")
_GROUP = re.compile(r"^#[ \t]+Task Group:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_SECTION = re.compile(r"^##[ \t]+(.+?)[ \t]*$", re.MULTILINE)


def codex(place: Place) -> Contents:
    """Read the handbook of Codex: one memory for each bullet of three of its sections."""
    contents = Contents()
    book = place.path / "MEMORY.md"
    for beside in sorted(place.path.iterdir()):
        if beside.name in {"memory_summary.md", "raw_memories.md", "rollout_summaries", "skills", "extensions"}:
            contents.left_out[EVIDENCE] += 1
    written = note_text(book, contents) if book.is_file() else ""
    groups = list(_GROUP.finditer(written))
    for number, group in enumerate(groups):
        block = written[group.end() : groups[number + 1].start() if number + 1 < len(groups) else len(written)]
        folder = _CWD.search(block)
        for section, body in _parted(block):
            if section.lower() not in CODEX_KINDS:
                continue
            for position, item in enumerate(items(body), 1):
                insight = _REFERENCES.sub("", item)
                contents.add(
                    Row(
                        native_id=f"{group[1]} > {section}#{position}",
                        key=f"{group[1]}\n{section}\n{insight}",
                        insight=insight,
                        type=section.lower(),
                        kind=CODEX_KINDS[section.lower()],
                        project=folder[1].strip() if folder else None,
                        agent="codex",
                        path=book,
                    )
                )
    return contents


def _parted(block: str) -> Iterator[tuple[str, str]]:
    found = list(_SECTION.finditer(block))
    for number, match in enumerate(found):
        yield match[1], block[match.end() : found[number + 1].start() if number + 1 < len(found) else len(block)]


ADDED = "Gemini Added Memories"
_ADDED = re.compile(rf"^##[ \t]+{ADDED}[ \t]*$(.*?)(?=^#{{1,2}}[ \t]|\Z)", re.MULTILINE | re.DOTALL)


def gemini(place: Place) -> Contents:
    """Read what Gemini CLI remembered: the section of its GEMINI.md, and its private notes of each project."""
    contents = Contents()
    base = place.path
    own = base / "GEMINI.md"
    section = _ADDED.search(note_text(own, contents)) if own.is_file() else None
    for number, item in enumerate(items(section[1]) if section else (), 1):
        name = f"GEMINI.md > {ADDED}"
        contents.add(
            Row(
                native_id=f"{name}#{number}",
                key=f"{name}\n{item}",
                insight=item,
                type="saved memory",
                is_global=True,
                agent="gemini",
                path=own,
            )
        )
    registry = base / "projects.json"
    known = (
        {text(name): path for path, name in mapping(mapping(file_text(registry)).get("projects")).items()}
        if registry.is_file()
        else {}
    )
    for folder in sorted((base / "tmp").glob("*/memory")):
        if folder.is_symlink() or folder.parent.is_symlink():
            continue
        root = folder.parent / ".project_root"
        project = file_text(root).strip() if root.is_file() else known.get(folder.parent.name)
        _gemini_notes(folder, project, contents)
    return contents


def _gemini_notes(folder: Path, project: str | None, contents: Contents) -> None:
    short = folder.parent.name
    for relative, path in notes_of(folder, contents):
        if relative.startswith("skills/"):
            contents.left_out["skills"] += 1
            continue
        name, body = f"tmp/{short}/memory/{relative}", note_text(path, contents)
        if relative == "MEMORY.md":
            for number, item in enumerate(items(body), 1):
                if not _POINTER.match(item):
                    contents.add(
                        Row(
                            native_id=f"{name}#{number}",
                            key=f"{project or short}\n{item}",
                            insight=item,
                            type="project memory",
                            project=project,
                            agent="gemini",
                            path=path,
                        )
                    )
            continue
        heading, insight = without_heading(body)
        contents.add(
            Row(
                native_id=name,
                key=f"{project or short}\n{relative}",
                title=heading,
                insight=insight,
                type="project memory",
                project=project,
                agent="gemini",
                path=path,
            )
        )


def goose(place: Place) -> Contents:
    """Read the memory files of goose: entries with an optional line of tags, parted by empty lines."""
    contents = Contents()
    scope = "local" if place.repository is not None else "global"
    for relative, path in notes_of(place.path, contents, suffixes=(".txt",)):
        if "/" in relative:
            continue
        category = relative.removesuffix(".txt")
        for number, entry in enumerate(re.split(r"\n[ \t]*\n", note_text(path, contents).strip("\n")), 1):
            lead, _, rest = entry.strip("\n").partition("\n")
            tagged = lead.startswith("#")
            told = rest if tagged else entry
            if not entry.strip():
                continue
            contents.add(
                Row(
                    native_id=f"{scope}/{category}#{number}",
                    key=f"{scope} {place.project or ''}\n{category}\n{told.strip()}",
                    insight=told.strip("\n"),
                    type=category,
                    tags=[category, *(lead.lstrip("#").split() if tagged else ())],
                    project=place.project,
                    is_global=place.repository is None,
                    agent="goose",
                    path=path,
                )
            )
    return contents


def copilot(place: Place) -> Contents:
    """Read the memories of VS Code's Copilot Chat: the user's, or those of a workspace's repository."""
    contents = Contents()
    is_global = "globalStorage" in place.path.parts
    owner = None if is_global else _workspace_folder(place.path)
    for relative, path in notes_of(place.path, contents):
        if not is_global and not relative.startswith("repo/"):
            contents.left_out["notes of one chat"] += 1
            continue
        body = note_text(path, contents)
        heading, insight = without_heading(body)
        scope = "" if is_global else owner or place.path.parts[-4]
        listed_items = [] if any(map(_HEADING.match, body.split("\n"))) else items(body)
        for number, told in enumerate(listed_items or [insight], 1):
            name = f"{relative}#{number}" if listed_items else relative
            key = f"{scope}\n{told}" if listed_items else f"{scope}\n{relative}"
            contents.add(
                Row(
                    native_id=name,
                    key=key,
                    title=heading,
                    insight=told,
                    type="user" if is_global else "repository",
                    project=owner,
                    is_global=is_global,
                    agent="copilot",
                    path=path,
                )
            )
    return contents


def _workspace_folder(path: Path) -> str | None:
    """Return the folder that a workspace's storage is of."""
    storage = next((parent for parent in path.parents if parent.parent.name == "workspaceStorage"), None)
    described = storage / "workspace.json" if storage is not None else None
    if described is None or not described.is_file():
        return None
    folder = text(mapping(loaded(file_text(described))).get("folder"))
    return unquote(urlsplit(folder).path) or None


PERSONAL_CONTEXT = "aicontext.personalContext"


def cursor(place: Place) -> Contents:
    """Read the user rules of Cursor from its state database; nothing else in it."""
    contents = Contents()
    with opened(place.path) as database:
        contents.problems = database.problems
        if not database.table("ItemTable", "key", "value"):
            raise SourceError("Not a state database of Cursor", where=str(place.path))
        found = list(database.rows("ItemTable", where=" WHERE key = ?", parameters=(PERSONAL_CONTEXT,)))
    written = text(found[0].get("value")) if found else ""
    unquoted = loaded(written)
    lines = (unquoted if isinstance(unquoted, str) else written).replace("\r\n", "\n").split("\n")
    told = [re.sub(r"^(?:[-*+]|\d{1,3}[.)])[ \t]+", "", line.strip()) for line in lines]
    for number, line in enumerate((line for line in told if line and not _HEADING.match(line)), 1):
        contents.add(
            Row(
                native_id=f"{PERSONAL_CONTEXT}#{number}",
                key=f"{PERSONAL_CONTEXT}\n{line}",
                insight=line,
                type="user rule",
                kind="convention",
                is_global=True,
                agent="cursor",
            )
        )
    return contents
