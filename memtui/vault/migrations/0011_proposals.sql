-- What transcripts proposed: the quoted words, where and when, by which signal. Kept when the memory is rejected, so that
-- it is not proposed again and the rate of acceptance of each signal is known.

CREATE TABLE proposals (
    memory_id VARCHAR NOT NULL,
    digest VARCHAR NOT NULL,
    signal VARCHAR NOT NULL,
    score DOUBLE NOT NULL,
    quote VARCHAR NOT NULL,
    assistant VARCHAR NOT NULL,
    session VARCHAR NOT NULL,
    task VARCHAR NOT NULL,
    file VARCHAR NOT NULL,
    line INTEGER,
    place VARCHAR NOT NULL,
    said_at TIMESTAMP,
    evidence VARCHAR NOT NULL
);
