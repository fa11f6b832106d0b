-- What put a memory out of use and what left a tombstone, apart from the reason in words. Until now a word in place of
-- the reason was the cause.

ALTER TABLE memories ADD COLUMN cause VARCHAR DEFAULT '';

UPDATE memories SET cause = CASE
    WHEN confirmed_at IS NOT NULL OR status_reason = 'retired' THEN 'retired'
    WHEN status_reason = 'expired' THEN 'expired'
    WHEN ends_with(status_reason, ' is never offered again') THEN 'passed-over'
    ELSE 'rejected' END
WHERE status = 'retired';

ALTER TABLE tombstones ADD COLUMN cause VARCHAR DEFAULT 'retired';

UPDATE tombstones SET cause = reason WHERE reason IN ('purged', 'rejected');
