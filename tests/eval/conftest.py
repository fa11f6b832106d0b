"""The trees beside the evaluation sets are material: nothing in them is a test of memtui."""

collect_ignore = ["trees"]
