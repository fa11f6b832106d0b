-- With whom a vault shares memories, which of its projects, and what each side last knew. Empty without a team.

CREATE TABLE teams (
    id VARCHAR NOT NULL,
    carrier VARCHAR NOT NULL,
    place VARCHAR NOT NULL,
    branch VARCHAR NOT NULL,
    team VARCHAR NOT NULL,
    person VARCHAR NOT NULL,
    proposes BOOLEAN NOT NULL,
    synced_at TIMESTAMP
);

-- One row for each shared project; project is NULL for unassigned memories. cursor: how far the other side was read.
-- pushed: the last change of the journal that was looked at, NULL to look at everything. waiting: things to look at
-- again, as JSON.
CREATE TABLE team_projects (
    team VARCHAR NOT NULL,
    project VARCHAR,
    remote VARCHAR NOT NULL,
    cursor VARCHAR NOT NULL,
    pushed BIGINT,
    waiting VARCHAR NOT NULL
);

-- The last common state of each thing, as a hash of its record; NULL for one that was deleted.
CREATE TABLE team_heads (
    team VARCHAR NOT NULL,
    project VARCHAR,
    entity VARCHAR NOT NULL,
    entity_key VARCHAR NOT NULL,
    seq BIGINT NOT NULL,
    content_hash VARCHAR
);

-- Purges that others ordered and nobody has run here yet.
CREATE TABLE team_orders (
    team VARCHAR NOT NULL,
    project VARCHAR,
    memory_id VARCHAR NOT NULL,
    author VARCHAR NOT NULL,
    made_at TIMESTAMP NOT NULL
);
