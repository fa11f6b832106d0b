-- What sessions of assistants were served by hooks and servers, one event a row: figures and names, no text.

CREATE TABLE servings (
    session VARCHAR NOT NULL,
    assistant VARCHAR NOT NULL,
    project VARCHAR,
    event VARCHAR NOT NULL,
    made_at TIMESTAMP NOT NULL,
    tokens INTEGER NOT NULL,
    memories INTEGER NOT NULL,
    repeats INTEGER NOT NULL
);
