-- What memtui wrote into files of assistants: the block as last written, and the memories in it. Journaled, so that undo
-- takes it out of the file again.

CREATE TABLE publications (
    path VARCHAR NOT NULL,
    block VARCHAR NOT NULL,
    project VARCHAR,
    text VARCHAR NOT NULL,
    head VARCHAR NOT NULL,
    memory_ids VARCHAR[] NOT NULL,
    hashes VARCHAR[] NOT NULL,
    recipe VARCHAR,
    query VARCHAR,
    made_at TIMESTAMP NOT NULL,
    actor VARCHAR NOT NULL
);
