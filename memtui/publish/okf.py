"""The Open Knowledge Format: memories as a bundle of Markdown files that other tools read, and reading any bundle."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import yaml

from memtui.domain.memory import Change, Link, Memory, Verdict
from memtui.domain.record import Record, link_record, memory_record, verdict_record
from memtui.errors import UnsafePathError
from memtui.publish.files import Snapshot, refuse_outside, write_atomically
from memtui.publish.portable import WriteReport, file_name, folder_name
from memtui.text.words import clip

VERSION = "0.2"
INDEX, LOG = "index.md", "log.md"
RESERVED = frozenset({INDEX, LOG})
OWN = "memtui"  # The key under which memtui keeps what the format has no place for
LARGEST_FRONTMATTER = 256_000  # Characters; more is no settings

_KNOWN = frozenset(
    {"type", "title", "description", "resource", "tags", "sources", "usage_window", "generated", "verified", "status"}
    | {"stale_after", "timestamp", OWN}
)
_STATUS = {"candidate": "draft", "active": "stable"}
_SECTION = re.compile(r"^# (Why|Examples|Links)[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<code>.*?)\n?(?P=fence)`*\s*\Z", re.DOTALL)
_SENTENCE = re.compile(r".+?[.!?。！？](?=\s|$)", re.DOTALL)
_DESCRIPTION_CELLS = 200
_LOGGED = 200  # Changes in `log.md`
_HELD = frozenset({"title", "insight", "rationale", "snippet", "tags", "kind"})
"""Keys of a record that the format itself holds."""


@dataclass(slots=True)
class Concept:
    """A file of a bundle."""

    keys: dict[str, Any] = field(default_factory=dict)  # the frontmatter
    body: str = ""
    problem: str = ""  # why it cannot be read, else empty

    @property
    def own(self) -> Mapping[str, Any]:
        """What memtui keeps in it; empty in files of others."""
        own = self.keys.get(OWN)
        return own if isinstance(own, dict) else {}

    @property
    def unknown(self) -> dict[str, Any]:
        """The keys that the format does not know."""
        return {key: value for key, value in self.keys.items() if key not in _KNOWN}


# -- writing ------------------------------------------------------------------------------------------


def render_concept(
    memory: Memory,
    *,
    verdicts: Sequence[Verdict] = (),
    links: Sequence[Link] = (),
    places: Mapping[str, str] = {},
    unknown: Mapping[str, Any] = {},
) -> str:
    """Return the file of a memory.

    Args:
        verdicts: what people said of it.
        links: the links that begin at it.
        places: the path of each memory of the bundle, by id.
        unknown: keys that its file had and that the format does not know.
    """
    record = memory_record(memory)
    own = {key: value for key, value in record.items() if key not in _HELD}
    body = _body(memory, links, places)
    apart = {key: record[key] for key, value in parts_of(body).items() if record.get(key, "") != value}
    keys = {
        "type": memory.kind,
        "title": memory.title,
        "description": _description(memory),
        "tags": list(memory.tags),
        "sources": _sources(memory),
        "generated": {"by": _actor(memory), "at": record["created_at"]},
        "verified": _verified(memory, verdicts),
        "status": _STATUS.get(memory.status, "deprecated"),
        "stale_after": memory.due_at.date() if memory.due_at else None,
        **{key: value for key, value in unknown.items() if key not in _KNOWN},
        OWN: own
        | _without_empty(
            {
                "verdicts": [verdict_record(verdict) for verdict in verdicts],
                "links": [link_record(link) for link in links],
                "texts": apart,  # what a reader of Markdown would not read back as it is
            }
        ),
    }
    return f"---\n{_dumped(_without_empty(keys) | {'title': memory.title})}---\n\n{body}"


def _without_empty(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value not in (None, "", [], {})}


def _dumped(keys: Mapping[str, Any]) -> str:
    return str(yaml.safe_dump(dict(keys), sort_keys=False, allow_unicode=True, width=10**6))


def _description(memory: Memory) -> str:
    text = " ".join(memory.insight.split())
    found = _SENTENCE.match(text)
    return clip(found[0] if found else text, _DESCRIPTION_CELLS)


def _sources(memory: Memory) -> list[dict[str, str]]:
    """Return where a memory comes from, and the files it is about."""
    places = [source.path for source in memory.sources if source.path]
    named = [{"id": f"source-{number}", "resource": path} for number, path in enumerate(dict.fromkeys(places), 1)]
    files = [anchor.path for anchor in memory.anchors]
    return [*named, *({"id": f"file-{number}", "resource": path} for number, path in enumerate(files, 1))]


def _actor(memory: Memory) -> str:
    agent = next((source.agent for source in memory.sources if source.agent), None)
    return f"{agent}/unknown" if agent else f"human:{memory.confirmed_by or 'person'}"


def _verified(memory: Memory, verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    held = [{"by": f"human:{one.actor}", "at": verdict_record(one)["at"]} for one in verdicts if _holds(one)]
    if held or memory.verified_at is None:
        return held
    return [{"by": f"human:{memory.verified_by or 'person'}", "at": memory_record(memory)["verified_at"]}]


def _holds(verdict: Verdict) -> bool:
    return verdict.verdict in {"still-true", "edited"}


def _body(memory: Memory, links: Sequence[Link], places: Mapping[str, str]) -> str:
    parts = [memory.insight]
    if memory.rationale:
        parts.append(f"# Why\n\n{memory.rationale}")
    if memory.snippet:
        longest = max(map(len, re.findall("`+", memory.snippet)), default=0)
        fence = "`" * max(3, longest + 1)
        parts.append(f"# Examples\n\n{fence}\n{memory.snippet}\n{fence}")
    lines = [f"- {link.type}: [{link.to_id}](/{places[link.to_id]})" for link in links if link.to_id in places]
    if lines:
        parts.append("# Links\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def parts_of(body: str) -> dict[str, str]:
    """Return the texts of a body: what stands above its sections, why, and the example."""
    found = list(_SECTION.finditer(body))
    ends = [*(one.start() for one in found[1:]), len(body)]
    texts = {"insight": body[: found[0].start() if found else len(body)].strip("\n")}
    sections = {one[1]: body[one.end() : end].strip("\n") for one, end in zip(found, ends, strict=False)}
    texts["rationale"] = sections.get("Why", "")
    example = sections.get("Examples", "")
    code = _FENCE.match(example)
    texts["snippet"] = code["code"] if code else example
    return texts


# -- reading ------------------------------------------------------------------------------------------


def parse_concept(text: str) -> Concept:
    """Return a file of a bundle; never raises."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    head, mark, rest = text[4:].partition("\n---") if text.startswith("---\n") else ("", "", "")
    if not mark or (rest and not rest.startswith(("\n", " ", "\t"))):
        return Concept(body=text.strip("\n"), problem="" if not text.startswith("---\n") else "no closing ---")
    body = rest.partition("\n")[2].strip("\n")
    if len(head) > LARGEST_FRONTMATTER or ("&" in head and re.search(r"(?m)[:\-]\s+[&*]\w", head)):
        return Concept(body=body, problem="the frontmatter is too large, or grows by aliases")
    try:
        keys = yaml.safe_load(head)
    except (yaml.YAMLError, ValueError, RecursionError):
        return Concept(body=body, problem="the frontmatter is not YAML")
    if not isinstance(keys, dict):
        return Concept(body=body, problem="the frontmatter holds no keys" if keys is not None else "")
    return Concept({str(key): _plain(value) for key, value in keys.items()}, body)


def _plain(value: Any) -> Any:
    """Return a value of YAML as JSON has it: times as text, keys as text."""
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def own_record(concept: Concept) -> Record:
    """Return the record of a file that memtui wrote, with what was edited in it since."""
    own = concept.own
    texts = parts_of(concept.body) | (own["texts"] if isinstance(own.get("texts"), dict) else {})
    record: Record = {key: value for key, value in own.items() if key not in {"texts", "verdicts", "links"}}
    record |= {key: value for key, value in texts.items() if value or key == "insight"}
    record["title"] = concept.keys.get("title") or ""
    record["kind"] = concept.keys.get("type") or "note"
    if isinstance(concept.keys.get("tags"), list):
        record["tags"] = concept.keys["tags"]
    return record


def foreign_record(concept: Concept, kinds: Iterable[str]) -> Record:
    """Return the record of a file of somebody else; nothing in it counts as confirmed."""
    keys = concept.keys
    record: Record = {key: value for key, value in parts_of(concept.body).items() if value or key == "insight"}
    if isinstance(keys.get("description"), str) and not record["insight"]:
        record["insight"] = keys["description"]
    if isinstance(keys.get("title"), str):
        record["title"] = keys["title"]
    kind = str(keys.get("type") or "").strip().lower().replace(" ", "-").replace("_", "-")
    tags = _tags(keys.get("tags"))
    if kind in set(kinds):
        record["kind"] = kind
    elif kind:
        tags.append(kind)
    stated = {"tags": list(dict.fromkeys(tags)), "anchors": _files(keys.get("sources")), "observed_at": _moment(keys)}
    record |= {key: value for key, value in stated.items() if value}
    if isinstance(keys.get("stale_after"), str):
        record["due_at"] = keys["stale_after"]
    if keys.get("status") == "deprecated":
        record |= {"status": "retired", "status_reason": "deprecated in its bundle"}
    return record


def _tags(stated: Any) -> list[str]:
    listed = stated if isinstance(stated, list) else [stated]
    return [str(tag) for tag in listed if isinstance(tag, str | int)]


def _files(sources: Any) -> list[str]:
    """Return the files of a repository among the sources of a concept."""
    listed = sources if isinstance(sources, list) else [sources]
    named = [one.get("resource") for one in listed if isinstance(one, dict)]
    return [path for path in named if isinstance(path, str) and "://" not in path and not path.startswith("/")]


def _moment(keys: Mapping[str, Any]) -> str:
    generated = keys.get("generated")
    at = generated.get("at") if isinstance(generated, dict) else keys.get("timestamp")
    return str(at or "")


# -- bundles ------------------------------------------------------------------------------------------


def is_bundle(folder: Path) -> bool:
    """Return whether a folder is the root of a bundle: its index names the version of the format."""
    try:
        text = (folder / INDEX).read_text(encoding="utf-8-sig") if (folder / INDEX).is_file() else ""
    except (OSError, UnicodeDecodeError):
        return False
    return "okf_version" in parse_concept(text).keys


def plan_bundle(
    snapshot: Snapshot, changes: Sequence[Change] = (), unknown: Mapping[str, Mapping[str, Any]] = {}
) -> dict[str, bytes]:
    """Return every file of a bundle: POSIX path, content. `unknown`: keys of others by memory."""
    places = {memory.id: f"{folder_name(memory.project)}/{file_name(memory)}" for memory in snapshot.memories}
    verdicts: dict[str, list[Verdict]] = {}
    for verdict in snapshot.verdicts:
        verdicts.setdefault(verdict.memory_id, []).append(verdict)
    links: dict[str, list[Link]] = {}
    for link in snapshot.links:
        links.setdefault(link.from_id, []).append(link)
    plan = {
        places[memory.id]: render_concept(
            memory,
            verdicts=sorted(verdicts.get(memory.id, ()), key=lambda one: (one.at, one.verdict)),
            links=sorted(links.get(memory.id, ()), key=lambda one: (one.to_id, one.type)),
            places=places,
            unknown=unknown.get(memory.id, {}),
        )
        for memory in snapshot.memories
    }
    plan |= _indexes(snapshot, places)
    if log := _log(changes):
        plan[LOG] = log
    return {path: plan[path].encode() for path in sorted(plan)}


def _indexes(snapshot: Snapshot, places: Mapping[str, str]) -> dict[str, str]:
    folders: dict[str, list[Memory]] = {}
    for memory in snapshot.memories:
        folders.setdefault(folder_name(memory.project), []).append(memory)
    root = "".join(f"- [{_linked(name)}]({name}/{INDEX}): {len(folders[name])}\n" for name in sorted(folders))
    files = {INDEX: f'---\nokf_version: "{VERSION}"\n---\n\n# {_OF_INDEX}\n\n{root}'}
    for name, memories in folders.items():
        lines = (
            f"- [{_linked(memory.title)}]({places[memory.id].partition('/')[2]}): {_linked(_description(memory))}\n"
            for memory in sorted(memories, key=lambda one: places[one.id])
        )
        files[f"{name}/{INDEX}"] = f"# {_linked(name)}\n\n{''.join(lines)}"
    return files


def _linked(text: str) -> str:
    """Return a text as it may stand in a link or an item of a list."""
    return " ".join(text.split()).replace("[", "\\[").replace("]", "\\]").replace("<", "\\<")


def _log(changes: Sequence[Change]) -> str:
    """Return the dated history, the newest day first."""
    days: dict[str, list[str]] = {}
    for change in sorted(changes, key=lambda one: -one.number)[:_LOGGED]:
        days.setdefault(f"{change.at:%Y-%m-%d}", []).append(f"- {_linked(change.summary)}")
    return "\n".join(f"# {day}\n\n" + "\n".join(lines) + "\n" for day, lines in days.items())


def write_bundle(
    folder: Path, plan: Mapping[str, bytes], *, gone: frozenset[str], prune: bool = False, dry_run: bool = False
) -> WriteReport:
    """Write a bundle into a folder, touching only files that differ; files of others stay.

    Args:
        folder: a bundle, or an empty or missing folder.
        plan: as `plan_bundle` returns it.
        gone: ids of memories that the vault once held; their files are removed.
        prune: whether files of other memories that memtui wrote are removed too.
        dry_run: report, but write nothing.

    Raises `UnsafePathError`: the folder holds something else, a page of somebody else, or leads outside by a link.
    """
    _check_folder(folder)
    for path in plan:
        refuse_outside(folder / path, folder)
    written = [path for path, data in plan.items() if not _holds_bytes(folder / path, data)]
    ids = {identifier for path, data in plan.items() if (identifier := _id_in(path, data))}
    ours = _ours(folder)
    _refuse_pages(folder, [path for path in written if Path(path).name in RESERVED], ours)
    outdated = [
        path
        for path, identifier in ours.items()
        if path not in plan and (identifier in ids or identifier in gone or prune)
    ]
    if not dry_run:
        for path in written:
            write_atomically(folder / path, plan[path], durable=False)
        for path in outdated:
            (folder / path).unlink(missing_ok=True)
    unchanged = tuple(sorted(plan.keys() - set(written)))
    return WriteReport(tuple(sorted(written)), unchanged, tuple(sorted(outdated)))


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UnsafePathError("A bundle needs a folder, and this is a file", where=str(folder))
    if folder.is_dir() and any(folder.iterdir()) and not is_bundle(folder):
        raise UnsafePathError(
            "The folder is not empty, and no bundle",
            where=str(folder),
            remedy=f"Name another one, or put `okf_version` into its {INDEX}.",
        )


_MOVE_PAGE = "move this page away first"
_MOVE_ROOT = f"keep an {INDEX} with nothing but `okf_version`"  # Without it the folder is no bundle
_OF_INDEX, _DAY = "Memories", re.compile(r"\d{4}-\d{2}-\d{2}")
_ENTRY = re.compile(r"- \[.*?(?<!\\)\]\((?P<file>[^()]+)\): ")


def _refuse_pages(folder: Path, pages: Iterable[str], ours: Mapping[str, str]) -> None:
    """Refuse to write over a page that says something else than memtui writes, or lists files of others."""
    for path in pages:
        is_log = path == LOG
        heading = _DAY if is_log else re.compile(re.escape(_linked(Path(path).parent.name) or _OF_INDEX))
        if not _is_own(folder / path, heading, folder, ours) or (
            is_log and (folder / LOG).exists() and f"# {_OF_INDEX}" not in _lines(folder / INDEX)
        ):
            raise UnsafePathError(
                "A page of this bundle was written by somebody else",
                where=str(folder / path),
                remedy=f"Nothing was written. Name another folder, or {_MOVE_ROOT if path == INDEX else _MOVE_PAGE}.",
            )


def _is_own(page: Path, heading: re.Pattern[str], folder: Path, ours: Mapping[str, str]) -> bool:
    """Return whether memtui may have written a page, as far as its headings, its lines and what it lists tell."""
    for line in _lines(page):
        entry = _ENTRY.match(line)
        listed = page.parent / entry["file"] if entry else None
        if listed is not None and listed.name not in RESERVED and listed.exists():
            if not listed.is_relative_to(folder) or listed.relative_to(folder).as_posix() not in ours:
                return False
        elif not line.startswith("- ") and not (line.startswith("# ") and heading.fullmatch(line[2:])):
            return False
    return True


def _lines(page: Path) -> list[str]:
    """Return the lines of a page's body that are not blank; none where there is no page."""
    text = page.read_bytes().decode("utf-8-sig", "replace") if page.exists() else ""
    return [line for line in parse_concept(text).body.split("\n") if line.strip()]


def _holds_bytes(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False


def _ours(folder: Path) -> dict[str, str]:
    """Return the files that memtui wrote, with the memory's id."""
    found: dict[str, str] = {}
    for path in folder.glob("*/*.md"):
        relative = path.relative_to(folder).as_posix()
        if path.is_file() and not path.is_symlink() and (identifier := _id_in(relative, path.read_bytes())):
            found[relative] = identifier
    return found


def _id_in(path: str, data: bytes) -> str:
    if Path(path).name in RESERVED:
        return ""
    identifier = parse_concept(data.decode("utf-8", "replace")).own.get("id")
    return identifier if isinstance(identifier, str) else ""
