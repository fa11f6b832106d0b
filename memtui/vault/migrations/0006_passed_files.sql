-- Files that a person does not want to be offered from again; imports pass them over. Journaled, so that undo knows them.

CREATE TABLE passed_files (
    project VARCHAR,
    path VARCHAR NOT NULL,
    made_at TIMESTAMP NOT NULL,
    actor VARCHAR NOT NULL
);
