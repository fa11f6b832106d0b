"""Rules of constraints are read as people write them, say what is wrong, and cannot hang."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.domain.rules import FORMS, MOST_RULES, clean_rules, fits, names_module, parse_rule, readable_rules
from memtui.errors import RefusedError, UsageError
from memtui.text.guarded_patterns import Matcher, hanging_reason


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        (r"forbid 'print\(' in 'src/**'", r"forbid 'print\(' in 'src/**'"),
        ("forbid 'TODO'", "forbid 'TODO' in '**'"),
        ("WARN  Protect generated/", "warn protect 'generated/'"),
        ("forbid-import 'ui/**' -> db except ui/seed.py", "forbid-import 'ui/**' -> 'db' except 'ui/seed.py'"),
        ('with api/schema.json change "CHANGELOG.md"', "with 'api/schema.json' change 'CHANGELOG.md'"),
        ("""forbid "don't" in '*.md'""", """forbid "don't" in '*.md'"""),
        (r"""forbid 'don\'t say "x"' in '*.md'""", r"""forbid 'don\'t say "x"' in '*.md'"""),
        ("forbid-command 'git push --force'", "forbid-command 'git push --force'"),
    ],
)
def test_a_rule_is_stored_in_one_form_that_reads_as_itself(typed: str, stored: str) -> None:
    rule = parse_rule(typed)
    assert str(rule) == stored
    assert parse_rule(stored) == rule


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("forbd 'x' in 'y'", "Did you mean forbid?"),
        ("", "A rule is one of"),
        ("forbid", FORMS["forbid"]),
        ("with 'a' chnge 'b'", FORMS["with"]),
        ("forbid '(' in 'a'", "not valid"),
        ("protect ''", "empty"),
        ("protect 'a' except 'b' 'c'", "stands after the rule"),
        ("forbid '(x+)+y'", "a repeat holds another repeat"),
        (r"forbid '(.)\1'", "refers back"),
        ("protect '" + "x" * 600 + "'", "at most 500 characters"),
    ],
)
def test_what_is_no_rule_says_what_is_missing(typed: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_rule(typed)
    assert said in str(refused.value)


def test_rules_are_kept_once_and_there_is_an_end_to_them() -> None:
    assert clean_rules(["protect a", "protect 'a'", ""]) == ("protect 'a'",)
    with pytest.raises(RefusedError, match="at most 20 rules"):
        clean_rules([f"protect a{number}" for number in range(MOST_RULES + 1)])


def test_a_stored_rule_that_this_memtui_cannot_read_stays_and_is_named() -> None:
    later = "forbid-license 'GPL'"
    assert clean_rules([later, "protect a"], in_use=[later]) == (later, "protect 'a'")
    found, broken = readable_rules([later, "protect 'a'"])
    assert [line for line, _ in found] == ["protect 'a'"]
    assert broken == [(later, "No such rule")]


@pytest.mark.parametrize(
    ("glob", "path", "meant"),
    [
        ("*.lock", "web/yarn.lock", True),
        ("generated", "web/generated/api.ts", True),
        ("generated/", "web/generated", False),
        ("/setup.py", "tools/setup.py", False),
        ("src/**", "src/a/b.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**/*.py", "src/b.py", True),
        ("{a,b}/x", "b/x", True),
        ("db", "dbx/a.py", False),
    ],
)
def test_globs_mean_what_they_mean_to_git(glob: str, path: str, *, meant: bool) -> None:
    assert fits(glob, path) is meant


def test_a_rule_leaves_out_the_files_it_spares() -> None:
    rule = parse_rule("forbid 'duckdb' in '**/*.py' except 'store/**'")
    assert [rule.concerns(path) for path in ("app/a.py", "store/a.py", "app/a.md")] == [True, False, False]


def test_modules_are_the_same_with_dots_slashes_and_colons() -> None:
    assert names_module("app.db", "app.db.pool")
    assert names_module("app/db", "app::db")
    assert not names_module("app.db", "app.dbx")


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(\w+\s*)*x", r"(x+x+)+y", r"(a*)*", r"(a?b*){20}c"])
def test_patterns_with_repeats_in_repeats_are_refused(pattern: str) -> None:
    assert hanging_reason(pattern)


@pytest.mark.parametrize("pattern", [r"(ab)+c", r"(?:\d{1,3}\.){3}\d{1,3}", r"\b(import|from)\s+duckdb\b", r"a.*b.*c"])
def test_patterns_that_people_write_are_taken(pattern: str) -> None:
    assert hanging_reason(pattern) == ""


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            "a.*a.*a.*a.*b",
            "(a|a)*b",
            "(a?){30}c",
            "(a{1,9}){1,9}b",
            "(?:(?:a|aa){16}){16}!",
            "(?:(?:(?:a?){4}){4}){4}!",
        ),
        *("(a|aa)" * 40 + "!", "a?" * 60 + "a" * 60 + "!", "(?>(?:(?:a|aa){16}){16}!)", "(?=(?:(?:a|aa){9}){9}!)"),
        "(a)?(?(1)(?:(?:a|aa){16}){16}!|b)",
    ],
)
def test_a_pattern_that_takes_too_long_is_given_up_in_time(pattern: str) -> None:
    matcher = Matcher(seconds=0.3)
    began = time.monotonic()
    looked = [matcher.search(pattern, ["a" * 2_000] * 20) for _ in range(3)]
    assert not any(one.in_time for one in looked)
    assert time.monotonic() - began < 2


def test_lines_are_found_by_their_position_whichever_way_they_are_matched() -> None:
    lines = ["one", "two three", "x" * 5_000 + "three"]
    assert Matcher(seconds=5).search("three", lines).lines == (1,)
    assert Matcher(seconds=5).search("t.*r.*e", lines).lines == (1,)
    for pattern, found in {"two three": (1,), "three": (), "t.*w.*r.*e": (1,), "t.*w.*r": ()}.items():
        assert Matcher(seconds=5).search(pattern, lines, whole=True).lines == found


def test_many_patterns_that_take_too_long_are_given_up_together() -> None:
    matcher = Matcher(seconds=0.3, patience=0.7)
    began = time.monotonic()
    assert not any(matcher.search(f"(a|a)*{number}", ["a" * 2_000]).in_time for number in range(100))
    assert time.monotonic() - began < 3
    assert matcher.search("a+b", ["aab"]).lines == (0,)


PIECES = st.recursive(
    st.sampled_from(["a", "b", "a?", "a*?", "a+", ".", r"\w"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["{3}", "{16}", "{0,5}", "*", "++", "?"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
        inner.map(lambda one: f"(?={one})"),
    ),
    max_leaves=8,
)


@given(PIECES)
@settings(max_examples=60, deadline=None)
def test_no_pattern_is_matched_longer_than_its_time(pattern: str) -> None:
    began = time.monotonic()
    Matcher(seconds=0.3).search(f"{pattern}!", ["a" * 300, "ab" * 500])
    assert time.monotonic() - began < 2.5


def test_a_pattern_of_many_groups_within_each_other_is_matched_or_refused_however_deep_the_stack() -> None:
    pattern = "(" * 240 + "tide" + ")" * 240

    def below(frames: int) -> tuple[tuple[int, ...], str]:
        if frames:
            return below(frames - 1)
        return Matcher(seconds=5).search(pattern, ["low", "tide"]).lines, hanging_reason(pattern)

    lines, refused = below(300)
    assert lines == (1,)
    assert not refused or "too deep" in refused
