-- What a pack or a recipe was made with beside task, files, target and budget, as JSON: style, phase, ticks, day.
-- NULL for those of before.

ALTER TABLE packs ADD COLUMN options VARCHAR;
ALTER TABLE recipes ADD COLUMN options VARCHAR;
