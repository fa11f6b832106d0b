-- A vector now stands for the title and the text of a memory. Those of before are made anew, in the background or when
-- somebody asks; until then their memories are found by their words.

DELETE FROM vectors;
