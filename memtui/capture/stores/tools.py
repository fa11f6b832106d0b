"""The tools whose stores can be imported: where each lies, what it is recognised by, and its reader."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtui.capture.stores import lists, memories, memorix, notes, observations, workspaces
from memtui.capture.stores.location import Place
from memtui.capture.stores.rows import Contents, loaded
from memtui.capture.stores.sqlite_copy import Database, is_sqlite
from memtui.capture.stores.text_files import begun_value, fault, file_text
from memtui.errors import SourceError
from memtui.text.words import unknown

Tables = tuple[tuple[str, ...], ...]  # Each a table with columns that it must have


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool with a store of its own."""

    name: str
    label: str
    read: Callable[[Place], Contents]
    home: tuple[str, ...] = ()  # its default places: patterns below the home folder, or below `$VARIABLE`
    repository: tuple[str, ...] = ()  # places below a repository, which is then the project of its memories
    root: tuple[str, ...] = ()  # names in a repository's own folder, which must hold what the tool writes
    first_only: bool = False  # whether the first of its default places that is there holds all of it
    ends: tuple[str, ...] = ()  # other names of its files, found in a folder that a person names
    tables: tuple[Tables, ...] = ()  # what its database holds: all tables of one of these
    keys: tuple[frozenset[str], ...] = ()  # what its JSON holds: all keys of one of these, or of its lines
    inside: tuple[str, ...] = ()  # what its folder holds: one of these

    def columns_in(self, database: Database) -> int:
        """Return how many columns tell a database as this tool's, at most; 0 if it is not."""
        known = (tables for tables in self.tables if all(database.table(*table) for table in tables))
        return max((sum(len(table) - 1 for table in tables) for tables in known), default=0)

    def knows_keys(self, value: object) -> bool:
        return isinstance(value, dict) and any(keys <= value.keys() for keys in self.keys)

    def knows_folder(self, path: Path) -> bool:
        return not self.inside or any(next(path.glob(pattern), None) is not None for pattern in self.inside)


_CODE = (
    *(
        f"{base}/{product}/User"
        for base in (".config", "Library/Application Support", "AppData/Roaming")
        for product in ("Code", "Code - Insiders", "VSCodium")
    ),
    ".vscode-server/data/User",
)
_NOTES = ("*.md", "*/*.md", "*/*/*.md", "*/*/*/*.md")
_COPILOT = (
    "globalStorage/github.copilot-chat/memory-tool/memories",
    "workspaceStorage/*/GitHub.copilot-chat/memory-tool/memories",
)

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            "claude-mem",
            "claude-mem",
            observations.claude_mem,
            home=("$CLAUDE_MEM_DATA_DIR/claude-mem.db", ".claude-mem/claude-mem.db"),
            ends=("claude-mem.db",),
            tables=((("observations", "project", "type", "created_at_epoch"),),),
            keys=(frozenset({"observations", "totalObservations"}), frozenset({"observations", "exportedAtEpoch"})),
        ),
        Tool(
            "basic-memory",
            "basic-memory",
            notes.basic_memory,
            home=(
                "$BASIC_MEMORY_CONFIG_DIR/config.json",
                ".basic-memory/config.json",
                "$BASIC_MEMORY_HOME",
                "basic-memory",
            ),
            first_only=True,
            ends=(".basic-memory/config.json",),
            keys=(frozenset({"projects", "default_project"}),),
            inside=_NOTES,
        ),
        Tool(
            "engram",
            "engram",
            observations.engram,
            home=("$ENGRAM_DATA_DIR/engram.db", ".engram/engram.db"),
            repository=(".engram",),
            ends=("engram.db", "engram-export.json"),
            tables=(
                (("observations", "content", "normalized_hash", "scope"),),
                (("observations", "content", "topic_key", "scope"),),
                (("observations", "content", "normalized_hash"), ("sync_chunks", "target_key", "chunk_id")),
            ),
            keys=(frozenset({"version", "exported_at", "observations"}),),
            inside=("manifest.json",),
        ),
        Tool(
            "mcp-memory",
            "MCP memory server",
            memories.mcp_memory,
            home=(
                "$MEMORY_FILE_PATH",
                ".npm/_npx/*/node_modules/@modelcontextprotocol/server-memory/dist/memory.json*",
            ),
            ends=("memory.jsonl", "memory.json"),
            keys=(
                frozenset({"entityType", "name"}),
                frozenset({"relationType", "from", "to"}),
                frozenset({"entities", "relations"}),
            ),
        ),
        Tool(
            "mcp-memory-service",
            "mcp-memory-service",
            memories.mcp_memory_service,
            home=(
                "$MCP_MEMORY_SQLITE_PATH",
                "$MCP_MEMORY_BASE_DIR/sqlite_vec.db",
                "$XDG_DATA_HOME/mcp-memory/sqlite_vec.db",
                ".local/share/mcp-memory/sqlite_vec.db",
                "Library/Application Support/mcp-memory/sqlite_vec.db",
                "AppData/Local/mcp-memory/sqlite_vec.db",
            ),
            ends=("sqlite_vec.db",),
            tables=((("memories", "content_hash", "content", "memory_type"),),),
            keys=(frozenset({"export_metadata", "memories"}),),
        ),
        Tool(
            "mem0",
            "mem0",
            memories.mem0,
            home=("$MEM0_DIR/history.db", ".mem0/history.db"),
            ends=("history.db", "collection/*/storage.sqlite"),
            tables=((("history", "memory_id", "new_memory", "event"),), (("points", "id", "point"),)),
            keys=(frozenset({"results"}), frozenset({"memory", "id", "hash"})),
        ),
        Tool(
            "openmemory",
            "OpenMemory",
            memories.openmemory,
            ends=("openmemory.db",),
            tables=((("memories", "app_id", "content", "state"),),),
            keys=(frozenset({"memories", "export_meta"}), frozenset({"content", "state", "app"})),
        ),
        Tool(
            "cass",
            "cass_memory_system",
            workspaces.cass,
            home=(
                "$CASS_MEMORY_HOME/playbook.yaml",
                ".cass-memory/playbook.yaml",
                "$XDG_DATA_HOME/cass-memory/playbook.yaml",
                ".local/share/cass-memory/playbook.yaml",
            ),
            repository=(".cass/playbook.yaml",),
            ends=(".cass-memory/playbook.yaml", "playbook.yaml"),
        ),
        Tool(
            "serena",
            "Serena",
            notes.serena,
            home=(".serena/memories/global",),
            repository=(".serena/memories",),
            ends=(".serena/memories/global",),
            inside=_NOTES,
        ),
        Tool(
            "beads",
            "beads",
            workspaces.beads,
            repository=(".beads/issues.jsonl", ".beads/beads.db"),
            root=("issues.jsonl",),
            first_only=True,
            ends=("issues.jsonl", "beads.db"),
            tables=((("issues", "title", "issue_type"),),),
            keys=(frozenset({"_type"}), frozenset({"issue_type", "priority", "status"})),
        ),
        Tool(
            "korva",
            "Korva",
            observations.korva,
            home=(".korva/vault/observations.db", "AppData/Roaming/korva/vault/observations.db"),
            ends=("observations.db",),
            tables=((("observations", "team", "country", "content"),),),
        ),
        Tool(
            "agentmemory",
            "agentmemory",
            memories.agentmemory,
            home=("$STANDALONE_PERSIST_PATH", ".agentmemory/standalone.json"),
            ends=(".agentmemory/standalone.json",),
            keys=(frozenset({"mem:memories"}), frozenset({"version", "memories", "sessions"})),
        ),
        Tool(
            "memorix",
            "memorix",
            memorix.memorix,
            home=("$MEMORIX_DATA_DIR/memorix.db", ".memorix/data/memorix.db"),
            ends=("memorix.db",),
            tables=((("observations", "entityName", "narrative", "projectId"),),),
            keys=(frozenset({"observations", "projectId"}),),
        ),
        Tool(
            "byterover",
            "ByteRover",
            notes.byterover,
            repository=(".brv/context-tree",),
            inside=_NOTES,
        ),
        Tool(
            "letta",
            "Letta",
            notes.letta,
            home=(
                "$LETTA_MEMORY_DIR",
                "$LETTA_LOCAL_BACKEND_DIR/memfs/*/memory",
                ".letta/agents/*/memory",
                ".letta/lc-local-backend/memfs/*/memory",
            ),
            ends=(".letta/agents/*/memory", "memfs/*/memory", "*.af"),
            inside=_NOTES,
            keys=(frozenset({"agents", "blocks"}), frozenset({"core_memory"})),
        ),
        Tool(
            "conport",
            "ConPort",
            workspaces.conport,
            repository=("context_portal/context.db",),
            root=("context.db",),
            first_only=True,
            ends=("context.db",),
            tables=((("decisions", "summary", "rationale"), ("custom_data", "category", "key", "value")),),
        ),
        Tool(
            "codex",
            "Codex memories",
            lists.codex,
            home=("$CODEX_HOME/memories", ".codex/memories"),
            ends=(".codex/memories",),
            inside=("MEMORY.md",),
        ),
        Tool(
            "gemini",
            "Gemini CLI",
            lists.gemini,
            home=(".gemini",),
            ends=(".gemini",),
            inside=("GEMINI.md", "tmp/*/memory"),
        ),
        Tool(
            "goose",
            "goose",
            lists.goose,
            home=(".config/goose/memory", "$XDG_CONFIG_HOME/goose/memory", "AppData/Roaming/Block/goose/config/memory"),
            repository=(".goose/memory",),
            ends=(".config/goose/memory", "goose/config/memory"),
            inside=("*.txt",),
        ),
        Tool(
            "copilot-vscode",
            "VS Code Copilot Chat",
            lists.copilot,
            home=tuple(f"{user}/{place}" for user in _CODE for place in _COPILOT),
            ends=_COPILOT,
        ),
        Tool(
            "cursor",
            "Cursor user rules",
            lists.cursor,
            home=tuple(
                f"{base}/Cursor/User/globalStorage/state.vscdb"
                for base in (".config", "Library/Application Support", "AppData/Roaming")
            ),
            ends=("globalStorage/state.vscdb",),
            tables=((("ItemTable", "key", "value"),),),
        ),
    )
}
"""By name, in the order in which a store is asked whose it is."""

AUTO = "auto"


def tool_named(name: str) -> Tool:
    """Return a tool. Raises `UsageError`: its name is unknown."""
    if name not in TOOLS:
        raise unknown("tool", name, (AUTO, *TOOLS), where=f"--from {name[:60]}")
    return TOOLS[name]


_READ_AT_FIRST = 64_000
_LOOKED_AT_LINES = 50


def owners(path: Path, database: Database | None = None) -> list[Tool]:
    """Return the tools whose store a file may be, by what it holds: those that most columns speak for."""
    if database is not None:
        columns = {name: tool.columns_in(database) for name, tool in TOOLS.items()}
        most = max(columns.values())
        return [TOOLS[name] for name, number in columns.items() if number == most > 0]
    if is_sqlite(path):
        from memtui.capture.stores.sqlite_copy import opened

        with opened(path) as found:
            return owners(path, found)
    if path.suffix.lower() in {".yaml", ".yml"}:
        return [TOOLS["cass"]] if "bullets:" in file_text(path) else []
    if zipfile.is_zipfile(path):
        return [TOOLS["openmemory"]]
    values = list(_first_values(file_text(path)))
    return [tool for tool in TOOLS.values() if any(map(tool.knows_keys, values))]


def _first_values(written: str) -> Iterable[Any]:
    whole = loaded(written)
    if whole is None and loaded(written.partition("\n")[0]) is None:
        whole = begun_value(written[: fault(written)])
    lines = written[:_READ_AT_FIRST].split("\n")[:_LOOKED_AT_LINES] if whole is None else ()
    yield from whole[:1] if isinstance(whole, list) else [whole]
    yield from map(loaded, lines)


def read_store(place: Place) -> Contents:
    """Return what a store holds.

    Raises:
        SourceError: it is not that tool's, or cannot be read.
    """
    tool = tool_named(place.tool)
    if place.repository is not None and not place.path.resolve().is_relative_to(place.repository.resolve()):
        raise SourceError("A link that leads outside its repository", where=str(place.path), remedy="It was not read.")
    if place.path.is_file():
        if _is_empty(place.path):
            if tool.tables and place.path.suffix != ".jsonl" and place.path.stat().st_size == 0:
                remedy = "A database holds its tables even without memories; name a backup, or let its tool start anew."
                raise SourceError("The file is empty and no database", where=str(place.path), remedy=remedy)
            return Contents()
        known = owners(place.path)
        if tool not in known and (known or tool.tables or tool.keys):
            raise SourceError(
                f"Not a store of {tool.label}", where=str(place.path), remedy=_looks_like(place.path, known)
            )
    contents = tool.read(place)
    contents.settle()
    return contents


def _looks_like(path: Path, known: list[Tool]) -> str:
    """Return what a file seems to be instead of a tool's store."""
    if known:
        return f"It looks like the store of {known[0].label}: --from {known[0].name} reads it."
    if not is_sqlite(path):
        written = file_text(path)
        where = fault(written)
        if where and written.lstrip().startswith(("{", "[")) and loaded(written.partition("\n")[0]) is None:
            return f"Its JSON is damaged in line {written.count(chr(10), 0, where) + 1}; let the tool export it again."
    return "Not a store that is known here; nothing was read."


def _is_empty(path: Path) -> bool:
    """Return whether a file holds nothing at all, nor its log: a store without memories."""
    return path.stat().st_size <= len("[]\n") and not is_sqlite(path)
