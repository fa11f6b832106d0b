-- What `memtui check` holds commits to, one rule an item. NULL for memories of before.

ALTER TABLE memories ADD COLUMN rules VARCHAR[];
