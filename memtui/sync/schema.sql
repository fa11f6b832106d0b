-- What a team's database holds, schema 1. Run once by a role that may create a schema; no superuser, no extension.
-- Whoever connects sees and changes only what `members` says of the role that logged in.

CREATE SCHEMA team;

CREATE TABLE team.settings (key text PRIMARY KEY, value text NOT NULL);
INSERT INTO team.settings VALUES
    ('schema', '1'),
    ('oldest_client', '1'),
    ('team', replace(gen_random_uuid()::text, '-', ''));

-- top: the position of the last write; the lock on this row makes the order of positions that of commits.
CREATE TABLE team.projects (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text UNIQUE NOT NULL,
    identities text[] NOT NULL DEFAULT '{}',
    top bigint NOT NULL DEFAULT 0
);

-- project NULL: every project, later ones included.
CREATE TABLE team.members (
    role name NOT NULL,
    project int REFERENCES team.projects,
    may text NOT NULL CHECK (may IN ('read', 'propose', 'write', 'admin'))
);
CREATE UNIQUE INDEX members_once ON team.members (role, coalesce(project, 0));

-- What stands now, a row for each thing; record NULL: deleted.
CREATE TABLE team.heads (
    project int NOT NULL REFERENCES team.projects,
    entity text NOT NULL,
    key text NOT NULL,
    seq bigint NOT NULL,
    record jsonb,
    PRIMARY KEY (project, entity, key)
);
CREATE UNIQUE INDEX heads_seq ON team.heads (project, seq);

-- Everything that was ever accepted, only added to. A purge empties the records of what it erases.
CREATE TABLE team.log (
    project int NOT NULL REFERENCES team.projects,
    seq bigint NOT NULL,
    entity text NOT NULL,
    key text NOT NULL,
    base bigint NOT NULL,
    record jsonb,
    origin text NOT NULL,
    author name NOT NULL,
    actor text NOT NULL,
    made_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    action text NOT NULL,
    summary text NOT NULL,
    PRIMARY KEY (project, seq)
);
CREATE INDEX log_thing ON team.log (project, entity, key);

-- Patterns of secrets that no client may send, however old it is.
CREATE TABLE team.secret_rules (name text PRIMARY KEY, pattern text NOT NULL);
INSERT INTO team.secret_rules VALUES
    ('aws-access-key', '(AKIA|ASIA)(?![0-9A-Z]*EXAMPLE)[0-9A-Z]{16}'),
    ('private-key', '-----BEGIN [A-Z ]*PRIVATE KEY'),
    ('github-token', 'gh[pousr]_[A-Za-z0-9]{36}'),
    ('gitlab-token', 'glpat-[A-Za-z0-9_-]{20}'),
    ('slack-token', 'xox[abprs]-[A-Za-z0-9-]{10,}');

CREATE FUNCTION team.rank(may text) RETURNS int IMMUTABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$ SELECT array_position(ARRAY['read', 'propose', 'write', 'admin'], may) $$;

-- What the role that logged in may do in a project, NULL: nothing. For p_project NULL: in every project.
CREATE FUNCTION team.may(p_project int) RETURNS text STABLE LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT m.may FROM team.members m
    WHERE m.role = session_user AND (m.project IS NULL OR m.project = p_project)
    ORDER BY team.rank(m.may) DESC LIMIT 1
$$;

CREATE FUNCTION team.mine() RETURNS int[] STABLE LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(array_agg(p.id), '{}') FROM team.projects p
    WHERE EXISTS (SELECT 1 FROM team.members m
                  WHERE m.role = session_user AND (m.project IS NULL OR m.project = p.id))
$$;

ALTER TABLE team.heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE team.log ENABLE ROW LEVEL SECURITY;
ALTER TABLE team.projects ENABLE ROW LEVEL SECURITY;
ALTER TABLE team.members ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON team.heads FOR SELECT USING (project = ANY ((SELECT team.mine())::int[]));
CREATE POLICY see ON team.log FOR SELECT USING (project = ANY ((SELECT team.mine())::int[]));
CREATE POLICY see ON team.projects FOR SELECT USING (id = ANY ((SELECT team.mine())::int[]));
CREATE POLICY see ON team.members FOR SELECT
    USING (role = session_user OR project = ANY ((SELECT team.mine())::int[]) OR team.may(NULL) IS NOT NULL);

-- Make a project known, or add identities to one; only for those who may write everywhere.
CREATE FUNCTION team.register(p_name text, p_identities text[]) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE found_id int;
BEGIN
    IF coalesce(team.rank(team.may(NULL)), 0) < team.rank('write') THEN
        RAISE EXCEPTION 'may not add a project' USING ERRCODE = '42501';
    END IF;
    INSERT INTO team.projects AS p (name, identities) VALUES (p_name, p_identities)
        ON CONFLICT (name) DO UPDATE
        SET identities = (SELECT coalesce(array_agg(DISTINCT i ORDER BY i), '{}')
                          FROM unnest(p.identities || excluded.identities) i)
        RETURNING p.id INTO found_id;
    RETURN found_id;
END $$;

-- What a role that only proposes may send: candidates, and links from them.
CREATE FUNCTION team.is_proposal(p_project int, p_item jsonb, p_items jsonb) RETURNS boolean STABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE p_item->>'entity'
        WHEN 'memory' THEN coalesce(p_item->'record'->>'status' = 'candidate', false)
            AND NOT EXISTS (SELECT 1 FROM team.heads h
                WHERE h.project = p_project AND h.entity = 'memory' AND h.key = p_item->>'key'
                  AND h.record->>'status' IS DISTINCT FROM 'candidate')
        WHEN 'link' THEN jsonb_typeof(p_item->'record') = 'object' AND (
            EXISTS (SELECT 1 FROM team.heads h
                WHERE h.project = p_project AND h.entity = 'memory' AND h.key = split_part(p_item->>'key', ' ', 1)
                  AND h.record->>'status' = 'candidate')
            OR EXISTS (SELECT 1 FROM jsonb_array_elements(p_items) i
                WHERE i->>'entity' = 'memory' AND i->>'key' = split_part(p_item->>'key', ' ', 1)))
        ELSE false
    END
$$;

-- Whether links, verdicts and tombstones name the memories that their keys name.
CREATE FUNCTION team.is_about_its_key(p_item jsonb) RETURNS boolean IMMUTABLE LANGUAGE sql
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_typeof(p_item->'record') <> 'object' OR coalesce(CASE p_item->>'entity'
        WHEN 'link' THEN p_item->>'key' = concat_ws(' ', p_item->'record'->>'from', p_item->'record'->>'link',
                                                    p_item->'record'->>'to')
        WHEN 'tombstone' THEN p_item->>'key' = concat_ws(' ', p_item->'record'->>'memory',
                                                         p_item->'record'->>'content_hash')
        WHEN 'verdict' THEN split_part(p_item->>'key', ' ', 1) = p_item->'record'->>'memory'
        ELSE true
    END, false)
$$;

-- Store things, all or none. Every item states the position that it was based on: one that is stale refuses them all.
CREATE FUNCTION team.push(p_project int, p_origin text, p_client int, p_known text[], p_items jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    allowed text := team.may(p_project);
    first_seq bigint;
    count_ int := jsonb_array_length(p_items);
    received timestamptz := clock_timestamp();
    secrets jsonb;
BEGIN
    IF coalesce(team.rank(allowed), 0) < team.rank('propose') THEN
        RAISE EXCEPTION 'may not write to this project' USING ERRCODE = '42501';
    END IF;
    IF p_client < (SELECT value::int FROM team.settings WHERE key = 'oldest_client') THEN
        RAISE EXCEPTION 'this memtui is too old for the team' USING ERRCODE = '0A000';
    END IF;
    -- The lock first: what is checked below must still hold when it is stored.
    SELECT top INTO first_seq FROM team.projects WHERE id = p_project FOR UPDATE;
    IF first_seq IS NULL THEN
        RAISE EXCEPTION 'no such project' USING ERRCODE = '42501';
    END IF;
    IF allowed = 'propose' AND EXISTS (SELECT 1 FROM jsonb_array_elements(p_items) i
            WHERE NOT team.is_proposal(p_project, i, p_items)) THEN
        RAISE EXCEPTION 'may only propose candidates' USING ERRCODE = '42501';
    END IF;
    IF EXISTS (SELECT 1 FROM jsonb_array_elements(p_items) i WHERE NOT team.is_about_its_key(i)) THEN
        RAISE EXCEPTION 'a record that is about something else than its key' USING ERRCODE = '22023';
    END IF;
    IF EXISTS (SELECT 1 FROM jsonb_array_elements(p_items) i
            JOIN team.projects p ON p.id <> p_project
            JOIN team.heads h ON h.project = p.id AND h.entity = 'memory' AND h.key = i->>'key'
            WHERE i->>'entity' = 'memory' AND jsonb_typeof(i->'record') = 'object' AND h.record IS NOT NULL
                AND coalesce(team.rank(team.may(p.id)), 0) < team.rank('write')) THEN
        RAISE EXCEPTION 'a memory is in a project that you may not change' USING ERRCODE = '42501';
    END IF;
    IF allowed <> 'admin' AND EXISTS (SELECT 1 FROM jsonb_array_elements(p_items) i
            WHERE i->>'entity' = 'tombstone' AND i->'record'->>'reason' = 'purged') THEN
        RAISE EXCEPTION 'only an admin may purge' USING ERRCODE = '42501';
    END IF;
    SELECT jsonb_agg(jsonb_build_array(i->>'entity', i->>'key')) INTO secrets
        FROM jsonb_array_elements(p_items) i
        WHERE EXISTS (SELECT 1 FROM team.secret_rules r WHERE i::text ~ r.pattern);
    IF secrets IS NOT NULL THEN
        RETURN jsonb_build_object('secrets', secrets);
    END IF;
    IF EXISTS (SELECT 1 FROM jsonb_array_elements(p_items) i
            LEFT JOIN team.heads h ON h.project = p_project AND h.entity = i->>'entity' AND h.key = i->>'key'
            WHERE coalesce(h.seq, 0) <> (i->>'base')::bigint) THEN
        RETURN jsonb_build_object('stale', true);
    END IF;
    UPDATE team.projects SET top = first_seq + count_ WHERE id = p_project;
    WITH pushed AS (
        SELECT first_seq + x.o AS seq, x.i->>'entity' AS entity, x.i->>'key' AS key, x.i AS item,
            CASE WHEN jsonb_typeof(x.i->'record') <> 'object' THEN NULL
                 -- Keys that this client does not know stay as they are.
                 WHEN x.i->>'entity' = 'memory' THEN coalesce(h.record - p_known, '{}') || (x.i->'record')
                 ELSE x.i->'record' END AS record
        FROM jsonb_array_elements(p_items) WITH ORDINALITY x(i, o)
        LEFT JOIN team.heads h ON h.project = p_project AND h.entity = x.i->>'entity' AND h.key = x.i->>'key'
    ), logged AS (
        INSERT INTO team.log (project, seq, entity, key, base, record, origin, author, actor, made_at, received_at,
                              action, summary)
        SELECT p_project, seq, entity, key, (item->>'base')::bigint, record, p_origin, session_user, item->>'actor',
               least(coalesce((item->>'at')::timestamptz, received), received), received,
               item->>'action', item->>'summary'
        FROM pushed
    )
    INSERT INTO team.heads (project, entity, key, seq, record)
        SELECT p_project, entity, key, seq, record FROM pushed
        ON CONFLICT (project, entity, key) DO UPDATE SET seq = excluded.seq, record = excluded.record;
    IF allowed = 'admin' THEN
        PERFORM team.erase(p_project, (SELECT array_agg(DISTINCT i->'record'->>'memory')
            FROM jsonb_array_elements(p_items) i
            WHERE i->>'entity' = 'tombstone' AND i->'record'->>'reason' = 'purged'));
    END IF;
    PERFORM pg_notify('memtui_team', p_project || ' ' || (first_seq + count_));
    RETURN jsonb_build_object('first', first_seq + 1, 'stamp', p_origin || ' ' || extract(epoch FROM received));
END $$;

-- Erase memories: their texts go from every row, the rows stay. Files and backups of the server may keep the bytes.
CREATE FUNCTION team.erase(p_project int, p_keys text[]) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF p_keys IS NULL THEN RETURN; END IF;
    UPDATE team.log SET record = NULL, summary = '[purged]' WHERE project = p_project
        AND (entity = 'memory' AND key = ANY (p_keys)
             OR entity IN ('link', 'verdict') AND string_to_array(key, ' ') && p_keys);
    DELETE FROM team.heads WHERE project = p_project
        AND entity IN ('link', 'verdict') AND string_to_array(key, ' ') && p_keys;
    UPDATE team.heads SET record = NULL WHERE project = p_project AND entity = 'memory' AND key = ANY (p_keys);
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA team FROM PUBLIC;
GRANT USAGE ON SCHEMA team TO PUBLIC;
GRANT SELECT ON team.settings, team.projects, team.members, team.heads, team.log TO PUBLIC;
-- They ask for the member themselves.
GRANT EXECUTE ON FUNCTION team.rank, team.may, team.mine, team.register, team.push TO PUBLIC;
INSERT INTO team.members VALUES (session_user, NULL, 'admin');
