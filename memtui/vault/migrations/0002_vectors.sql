-- Derived: what each memory means, as a vector of length 1. Models differ in dimension, hence a list and no
-- array. A vector is current while its content_hash is that of the memory; nothing else marks it as stale.

CREATE TABLE vectors (
    memory_key BIGINT NOT NULL,
    model VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    vector FLOAT[] NOT NULL
);
