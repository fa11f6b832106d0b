-- Where an edited source and an edited memory part ways: what the source said when it was last taken in, and what it
-- says now. Written by imports, never journaled; what was decided stands in the memory itself, as its imported_hash.

CREATE TABLE source_texts (
    memory_id VARCHAR NOT NULL,
    path VARCHAR NOT NULL,
    native_id VARCHAR NOT NULL,
    span INTEGER[],
    base STRUCT(title VARCHAR, insight VARCHAR, rationale VARCHAR, snippet VARCHAR),
    stated STRUCT(title VARCHAR, insight VARCHAR, rationale VARCHAR, snippet VARCHAR),
    seen_hash VARCHAR NOT NULL,
    seen_at TIMESTAMP NOT NULL
);
