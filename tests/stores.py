"""Small stores of other memory tools, with the tables that those tools make, in our own words."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from memtui.capture.stores.find import places_at
from memtui.capture.stores.rows import Contents, Row
from memtui.capture.stores.tools import read_store

SCHEMAS = {
    "claude-mem": """
        CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, memory_session_id TEXT, platform_source TEXT);
        CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT
            NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts
            TEXT, files_read TEXT, files_modified TEXT, created_at TEXT, created_at_epoch INTEGER NOT NULL,
            merged_into_project TEXT);
        CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,
            learned TEXT, completed TEXT, created_at_epoch INTEGER);
        CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, prompt_text TEXT);
    """,
    "engram": """
        CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT, directory TEXT);
        CREATE TABLE observations (id INTEGER PRIMARY KEY, sync_id TEXT, session_id TEXT, type TEXT, title TEXT,
            content TEXT, project TEXT, scope TEXT, topic_key TEXT, normalized_hash TEXT, duplicate_count INTEGER,
            last_seen_at TEXT, pinned INTEGER, created_at TEXT, updated_at TEXT, deleted_at TEXT, review_after TEXT);
        CREATE TABLE memory_relations (id INTEGER PRIMARY KEY, source_id TEXT, target_id TEXT, relation TEXT,
            judgment_status TEXT, confidence REAL, reason TEXT, marked_by_kind TEXT, updated_at TEXT);
    """,
    "mcp-memory-service": """
        CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT UNIQUE, content TEXT, tags TEXT, memory_type
            TEXT, metadata TEXT, created_at REAL, updated_at REAL, deleted_at REAL, store TEXT DEFAULT 'default',
            confidence REAL DEFAULT 1.0, superseded_by TEXT);
        CREATE TABLE memory_graph (source_hash TEXT, target_hash TEXT, similarity REAL, relationship_type TEXT);
    """,
    "mem0": """
        CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
            created_at TEXT, updated_at TEXT, is_deleted INTEGER, actor_id TEXT, role TEXT);
    """,
    "openmemory": """
        CREATE TABLE apps (id TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE categories (id TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE memory_categories (memory_id TEXT, category_id TEXT);
        CREATE TABLE memories (id TEXT PRIMARY KEY, app_id TEXT, content TEXT, metadata TEXT, state TEXT, created_at
            TEXT, updated_at TEXT, archived_at TEXT, deleted_at TEXT);
    """,
    "korva": """
        CREATE TABLE observations (id TEXT PRIMARY KEY, project TEXT, team TEXT, country TEXT, type TEXT, title TEXT,
            content TEXT, tags TEXT, author TEXT, created_at TEXT, content_hash TEXT, topic_key TEXT, normalized_hash
            TEXT, duplicate_count INTEGER, last_seen_at TEXT);
        CREATE TABLE sync_log (key TEXT, value TEXT);
        CREATE TABLE observation_relations (id TEXT, source_id TEXT, target_id TEXT, relation TEXT, status TEXT,
            judgment_status TEXT, confidence REAL);
    """,
    "memorix": """
        CREATE TABLE observations (id INTEGER PRIMARY KEY, entityName TEXT, type TEXT, title TEXT, narrative TEXT, facts
            TEXT, filesModified TEXT, concepts TEXT, createdAt TEXT, projectId TEXT, status TEXT, valueCategory TEXT);
        CREATE TABLE mini_skills (id INTEGER PRIMARY KEY, title TEXT, instruction TEXT, trigger_desc TEXT, tags TEXT,
            sourceObservationIds TEXT, usedCount INTEGER, projectId TEXT, createdAt TEXT);
        CREATE TABLE long_term_memories (id TEXT, originProjectId TEXT, scope TEXT, kind TEXT, state TEXT, title TEXT,
            content TEXT, createdAt TEXT, supersededBy TEXT, lastValidatedAt TEXT, accessCount INTEGER);
        CREATE TABLE apps (id TEXT, name TEXT);
        CREATE TABLE settings (key TEXT, value TEXT);
        CREATE TABLE knowledge_claims (id TEXT, projectId TEXT, subject TEXT, predicate TEXT, objectValue TEXT, status
            TEXT, confidence REAL, reviewState TEXT, validTo TEXT, supersededBy TEXT, createdAt TEXT);
    """,
    "conport": """
        CREATE TABLE decisions (id INTEGER PRIMARY KEY, timestamp TEXT, summary TEXT, rationale TEXT,
            implementation_details TEXT, tags TEXT);
        CREATE TABLE system_patterns (id INTEGER PRIMARY KEY, timestamp TEXT, name TEXT, description TEXT, tags TEXT);
        CREATE TABLE custom_data (id INTEGER PRIMARY KEY, timestamp TEXT, category TEXT, key TEXT, value TEXT);
        CREATE TABLE progress_entries (id INTEGER PRIMARY KEY, status TEXT, description TEXT);
        CREATE TABLE context_links (id INTEGER PRIMARY KEY, source_item_type TEXT, source_item_id TEXT,
            target_item_type TEXT, target_item_id TEXT, relationship_type TEXT);
    """,
    "cursor": "CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB);",
}

Records = list[dict[str, Any]]
Tables = dict[str, Records]
Rows = Mapping[str, Iterable[Mapping[str, Any]]]


def make_store(path: Path, tool: str, rows: Rows, *, log: Rows | None = None) -> Path:
    """Write a store of a tool; rows of `log` are in its write-ahead log alone, as after a crash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMAS[tool])
    _insert(connection, rows)
    connection.commit()
    if log is not None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        _insert(connection, log)
        connection.commit()
        for side in ("", "-wal"):
            shutil.copyfile(f"{path}{side}", f"{path}{side}.kept")
    connection.close()
    if log is not None:
        Path(f"{path}-shm").unlink(missing_ok=True)
        for side in ("", "-wal"):
            Path(f"{path}{side}.kept").replace(f"{path}{side}")
    return path


def add_rows(path: Path, rows: Rows) -> None:
    """Add rows to a store, as its tool would later."""
    with closing(sqlite3.connect(path)) as connection, connection:
        _insert(connection, rows)


def _insert(connection: sqlite3.Connection, rows: Rows) -> None:
    for table, records in rows.items():
        for record in records:
            values = [json.dumps(value) if isinstance(value, list | dict) else value for value in record.values()]
            marks = ", ".join("?" * len(values))
            connection.execute(f"INSERT INTO {table} ({', '.join(record)}) VALUES ({marks})", values)  # noqa: S608 - names of the tests


def observation(title: str, narrative: str, **more: Any) -> dict[str, Any]:
    """Return an observation of claude-mem."""
    return {
        "memory_session_id": "session-a",
        "project": "tide-api",
        "type": "decision",
        "title": title,
        "narrative": narrative,
        "created_at_epoch": 1_770_000_000_000,
    } | more


def state_of(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Return name, size, time and hash of every file of a folder."""
    return {
        str(path.relative_to(folder)): (
            os.lstat(path).st_size,
            os.lstat(path).st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def read(tool: str, path: Path) -> Contents:
    """Return what the one store of a tool at a path holds."""
    (place,) = places_at(tool, path, path.parent)
    return read_store(place)


def one(contents: Contents) -> Row:
    (row,) = contents.rows
    return row


def by_id(contents: Contents) -> dict[str, Row]:
    return {row.native_id: row for row in contents.rows}


def links(contents: Contents) -> set[tuple[str, str, str]]:
    names = {row.key: row.native_id for row in contents.rows}
    return {(names.get(start, start), kind, names.get(end, end)) for start, kind, end, _ in contents.links}
