-- Settings of imported files that memtui has no place for, as JSON: they are written back when the file's memory is
-- exported in that format.

CREATE TABLE foreign_keys (
    memory_id VARCHAR NOT NULL,
    format VARCHAR NOT NULL,
    keys VARCHAR NOT NULL
);
