-- The vault, version 1. No indexes: at 100,000 rows a scan of an id column costs about a millisecond,
-- while index maintenance slows every write and an index checked within a transaction refuses delete-then-insert.

CREATE TABLE projects (
    name VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL
);

-- What identifies a project: 'remote:host/owner/name', 'commit:sha' or 'path:/absolute'. Aliases are further rows.
CREATE TABLE project_identities (
    identity VARCHAR NOT NULL,
    project VARCHAR NOT NULL,
    seen_at TIMESTAMP NOT NULL
);

CREATE TABLE memories (
    key BIGINT NOT NULL,
    id VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    project VARCHAR,
    kind VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    status_reason VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    insight VARCHAR NOT NULL,
    rationale VARCHAR NOT NULL,
    snippet VARCHAR NOT NULL,
    anchors STRUCT(path VARCHAR, content_hash VARCHAR)[],
    tags VARCHAR[],
    importance INTEGER NOT NULL,
    confidence DOUBLE NOT NULL,
    pinned BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    observed_at TIMESTAMP,
    confirmed_at TIMESTAMP,
    confirmed_by VARCHAR,
    verified_at TIMESTAMP,
    verified_by VARCHAR,
    valid_from TIMESTAMP,
    valid_until TIMESTAMP,
    due_at TIMESTAMP,
    snoozed_until TIMESTAMP,
    half_life_days DOUBLE,
    sources STRUCT(format VARCHAR, path VARCHAR, span INTEGER[], native_id VARCHAR, agent VARCHAR, imported_hash VARCHAR)[],
    content_hash VARCHAR NOT NULL
);

-- What each source said of a memory at the last import: derived, refreshed by every import, never journaled.
CREATE TABLE source_states (
    memory_id VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    native_id VARCHAR NOT NULL,
    seen_hash VARCHAR NOT NULL,
    seen_at TIMESTAMP NOT NULL
);

-- Derived: what the last check of an anchor found.
CREATE TABLE anchor_states (
    memory_id VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    checked_at TIMESTAMP NOT NULL
);

CREATE TABLE links (
    from_id VARCHAR NOT NULL,
    type VARCHAR NOT NULL,
    to_id VARCHAR NOT NULL,
    weight DOUBLE NOT NULL,
    origin VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL
);

CREATE TABLE verdicts (
    memory_id VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    made_at TIMESTAMP NOT NULL,
    actor VARCHAR NOT NULL,
    exposure_days DOUBLE NOT NULL,
    reason VARCHAR NOT NULL
);

CREATE TABLE signals (
    memory_id VARCHAR NOT NULL,
    signal VARCHAR NOT NULL,
    made_at TIMESTAMP NOT NULL,
    actor VARCHAR NOT NULL,
    pack_id VARCHAR,
    weight DOUBLE NOT NULL,
    reason VARCHAR NOT NULL
);

CREATE TABLE tombstones (
    content_hash VARCHAR NOT NULL,
    project VARCHAR,
    memory_id VARCHAR NOT NULL,
    made_at TIMESTAMP NOT NULL,
    actor VARCHAR NOT NULL,
    reason VARCHAR NOT NULL
);

CREATE TABLE packs (
    id VARCHAR NOT NULL,
    made_at TIMESTAMP NOT NULL,
    actor VARCHAR NOT NULL,
    project VARCHAR,
    task VARCHAR NOT NULL,
    files VARCHAR[],
    target VARCHAR NOT NULL,
    budget VARCHAR NOT NULL,
    encoding VARCHAR NOT NULL,
    tokens INTEGER NOT NULL,
    payload_hash VARCHAR NOT NULL,
    members STRUCT(memory_id VARCHAR, version INTEGER, tokens INTEGER, score DOUBLE)[]
);

CREATE TABLE recipes (
    name VARCHAR NOT NULL,
    project VARCHAR,
    task VARCHAR NOT NULL,
    files VARCHAR[],
    target VARCHAR NOT NULL,
    budget VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL
);

-- The journal. A change that cannot be undone (an undo itself, a recorded use) has undoable false.
CREATE TABLE changes (
    number BIGINT NOT NULL,
    made_at TIMESTAMP NOT NULL,
    actor VARCHAR NOT NULL,
    action VARCHAR NOT NULL,
    summary VARCHAR NOT NULL,
    reason VARCHAR NOT NULL,
    state VARCHAR NOT NULL,
    undoable BOOLEAN NOT NULL
);

-- before and after are portable records as JSON; NULL where the thing did not exist.
CREATE TABLE revisions (
    change_number BIGINT NOT NULL,
    position INTEGER NOT NULL,
    entity VARCHAR NOT NULL,
    entity_key VARCHAR NOT NULL,
    version INTEGER NOT NULL,
    before VARCHAR,
    after VARCHAR
);

-- Derived, for BM25: 64-bit hashes of terms, and the length of each memory in terms.
CREATE TABLE postings (
    term BIGINT NOT NULL,
    memory_key BIGINT NOT NULL,
    frequency USMALLINT NOT NULL
);

CREATE TABLE documents (
    memory_key BIGINT NOT NULL,
    length INTEGER NOT NULL
);
