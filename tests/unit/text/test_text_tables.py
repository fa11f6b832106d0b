from __future__ import annotations

from pathlib import Path

from memtui.text.tables import compile_lines, read_table, read_words


def test_a_table_beside_a_module_is_parsed_once(tmp_path: Path) -> None:
    module, table = tmp_path / "module.py", tmp_path / "words.toml"
    table.write_text('words = "one two"\n')
    assert read_table(str(module), "words.toml")["words"].split() == ["one", "two"]
    table.unlink()
    assert read_table(str(module), "words.toml")["words"].split() == ["one", "two"]


def test_a_pattern_over_several_lines_is_one_pattern() -> None:
    assert compile_lines("\none |\ntwo words\n").fullmatch("TWO WORDS")


def test_comments_are_no_words(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("# Not these\none two\nthree\n")
    assert read_words(str(tmp_path / "module.py"), "words.txt") == {"one", "two", "three"}
