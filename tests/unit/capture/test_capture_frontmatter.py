from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.capture.frontmatter import globs_of, split_frontmatter
from memtui.capture.skip_codes import FrontmatterProblem


def test_settings_and_body_are_parted() -> None:
    found = split_frontmatter("---\ndescription: Fares\nalwaysApply: false\n---\n\n# Fares\n")
    assert found.values == {"description": "Fares", "alwaysApply": False}
    assert found.body == "\n# Fares\n"
    assert found.body_first_line == 5


def test_a_closing_line_may_end_the_file() -> None:
    found = split_frontmatter("---\ntitle: EOF\n---")
    assert (found.values, found.body) == ({"title": "EOF"}, "")


def test_dashes_inside_a_value_close_nothing() -> None:
    assert split_frontmatter("---\ntitle: a --- b\n---\nx").values == {"title": "a --- b"}


@pytest.mark.parametrize(
    "text", ["", "plain\n", "---\n", "---\nopen: true\n", "text\n---\na: b\n---\n", "----\na: b\n---\n"]
)
def test_without_a_block_the_body_is_the_whole_text(text: str) -> None:
    found = split_frontmatter(text)
    assert (found.values, found.raw, found.body, found.body_first_line) == ({}, "", text, 1)


def test_prose_between_two_thematic_breaks_is_body() -> None:
    text = "---\n\nSome prose, not settings.\n\n---\n\nMore.\n"
    assert split_frontmatter(text).body == text


def test_a_thematic_break_in_the_body_stays_there() -> None:
    assert split_frontmatter("---\na: b\n---\nx\n\n---\n\nc: d\n---\n").body == "x\n\n---\n\nc: d\n---\n"


@pytest.mark.parametrize("inside", ["# managed by the platform team\n# no keys\n", "", "\n"])
def test_a_block_of_comments_alone_is_frontmatter_without_settings(inside: str) -> None:
    found = split_frontmatter(f"---\n{inside}---\nbody\n")
    assert (found.values, found.body) == ({}, "body\n")


def test_empty_values_are_none() -> None:
    values = split_frontmatter("---\ndescription:\nglobs: \npaths: null\nalwaysApply: true\n---\n").values
    assert values == {"description": None, "globs": None, "paths": None, "alwaysApply": True}


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("globs: *", "globs", "*"),
        ("globs: **/*.ts,**/*.tsx", "globs", "**/*.ts,**/*.tsx"),
        ("description: Fix: the thing", "description", "Fix: the thing"),
        ('name: "no mocks": why', "name", '"no mocks": why'),
        ("globs: [*.ts, src/*.py]", "globs", ["*.ts", "src/*.py"]),
        ("description: @team's rule", "description", "@team's rule"),
    ],
)
def test_what_is_no_yaml_is_read_line_by_line(line: str, key: str, value: object) -> None:
    found = split_frontmatter(f"---\n{line}\nalwaysApply: true\nnote: 'quoted'\n---\nx")
    assert found.values == {key: value, "alwaysApply": True, "note": "quoted"}


def test_lists_and_folded_text_survive_invalid_yaml() -> None:
    found = split_frontmatter("---\npaths:\n  - *.ts\n  - 'b/**'\ndescription: >\n  two\n  lines\n---\n")
    assert found.values == {"paths": ["*.ts", "b/**"], "description": "two lines"}


def test_dates_and_odd_numbers_stay_text() -> None:
    values = split_frontmatter("---\ndate: 2024-01-31\nat: 12:30\ncode: 007\nflag: yes\nn: 3\nv: 3.10\n---\n").values
    assert values == {"date": "2024-01-31", "at": "12:30", "code": "007", "flag": "yes", "n": "3", "v": "3.10"}


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r\n", 2),
    ],
)
def test_line_ends_and_bom_change_nothing(encode: object) -> None:
    text = "---\npaths:\n  - src/**\nname: x\n---\nbody\n"
    found = split_frontmatter(encode(text))  # type: ignore[operator] # one of the functions above
    assert found.values == {"paths": ["src/**"], "name": "x"}
    assert found.body_first_line == 6
    assert found.body.strip() == "body"


def test_an_empty_block_above_the_authors_own_counts_with_it() -> None:
    text = (
        '---\ndescription: \nglobs: **/a.md\nalwaysApply: false\n---\n---\ndescription: "Own"\nglobs: "b"\n---\n# T\n'
    )
    found = split_frontmatter(text)
    assert found.values == {"description": "Own", "globs": "**/a.md", "alwaysApply": False}
    assert found.body == "# T\n"


def test_tags_construct_no_objects() -> None:
    found = split_frontmatter('---\na: !!python/object/apply:os.system ["exit 1"]\nb: ok\n---\n')
    assert found.values == {"a": '!!python/object/apply:os.system ["exit 1"]', "b": "ok"}


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    "inside",
    [
        BOMB,
        "a: " + "[" * 30_000 + "\n",
        "a: " + "x" * 1_000_000 + "\n",
        "key: value\n" * 40_000,
        "a:\n" + "- *x\n" * 40_000,
        "a: *\n" + "  more\n" * 40_000,
        "n: " + "1" * 9_000 + "\n",
    ],
    ids=["aliases", "depth", "long line", "many keys", "many items", "long text", "huge number"],
)
def test_hostile_blocks_are_read_and_the_body_is_kept(inside: str) -> None:
    found = split_frontmatter(f"---\n{inside}---\nbody\n")
    assert found.body == "body\n"
    assert len(str(found.values)) <= 2 * len(inside)


@given(st.text(alphabet="-: \n#ab*[]{}'\"\r\t|>&!", max_size=80))
def test_nothing_is_lost_whatever_the_block(inside: str) -> None:
    for text in (inside, f"---\n{inside}\n---\nbody\n"):
        found = split_frontmatter(text)
        assert found.raw + found.body == text
        assert found.raw.count("\n") + 1 == found.body_first_line


@pytest.mark.parametrize(
    ("value", "globs"),
    [
        ("src/**/*.{ts,tsx}, docs/*.md", ("src/**/*.{ts,tsx}", "docs/*.md")),
        (["a/**", " 'b' ", "c,d"], ("a/**", "b", "c", "d")),
        ('["a", "b"]', ("a", "b")),
        ("[ab]*.ts", ("[ab]*.ts",)),
        ("a, a,", ("a",)),
        ('"**/*.py"', ("**/*.py",)),
        ("{a,{b,c}}/x,}y,z", ("{a,{b,c}}/x", "}y", "z")),
        (None, ()),
        (True, ()),
        ({"a": 1}, ()),
    ],
)
def test_globs_come_from_text_and_lists(value: object, globs: tuple[str, ...]) -> None:
    assert globs_of(value) == globs


RULE = "description: Tide tables\nglobs: *.ts, **/*.tsx\nalwaysApply: false\n"
WANTED = {"description": "Tide tables", "globs": "*.ts, **/*.tsx", "alwaysApply": False}


@pytest.mark.parametrize("before", ["\n\n", "<!-- lint off -->\n", "\ufeff<!-- a\n  b -->\n\n<!-- c -->\n", " \n\t\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_comments_and_empty_lines_may_stand_above_the_block(before: str, newline: str) -> None:
    text = f"{before}---\n{RULE}---\n\nNever cache them.\n".replace("\n", newline)
    found = split_frontmatter(text)
    assert found.values == WANTED
    assert found.body.strip() == "Never cache them."
    assert found.body_first_line == text.count("\n") - 1


@pytest.mark.parametrize(
    "body", ["# Rules\n\n- Never cache.\n", "- Never cache.\n\n---\n\n- Log.\n", "Never: cache them\n\n---\n\nLog.\n"]
)
def test_a_block_that_is_never_closed_ends_where_the_text_begins(body: str) -> None:
    found = split_frontmatter(f"---\n{RULE}\n{body}")
    assert (found.values, found.body, found.problem) == (WANTED, body, FrontmatterProblem.FRONTMATTER_UNCLOSED)


def test_comments_at_the_end_of_a_block_belong_to_it() -> None:
    found = split_frontmatter(f"---\n{RULE}\n# Optional:\n# owner: {{who}}\n\n---\nNever cache.\n")
    assert (found.values, found.body, found.problem) == (WANTED, "Never cache.\n", "")


def test_a_block_that_is_never_opened_is_read_where_only_a_rule_file_has_it() -> None:
    found = split_frontmatter(f"{RULE}---\nNever cache.\n")
    assert (found.values, found.body, found.problem) == (
        WANTED,
        "Never cache.\n",
        FrontmatterProblem.FRONTMATTER_UNOPENED,
    )
    for prose in ("Note: never cache.\n\nMore.\n", "description: what this is\n\nMore.\n"):
        assert split_frontmatter(prose).values == {}


def test_what_a_key_says_twice_counts_together() -> None:
    values = split_frontmatter("---\nglobs: a/**\nglobs: [b/**]\nname: x\nname: y\n---\n").values
    assert values == {"globs": ["a/**", "b/**"], "name": "y"}


@pytest.mark.parametrize("spelling", ["applyTo", "ApplyTo", "apply_to", "apply-to", '"applyTo"'])
def test_a_setting_is_known_in_every_spelling(spelling: str) -> None:
    assert split_frontmatter(f"---\n{spelling}: '**/*.ts'\n---\n").values == {"applyTo": "**/*.ts"}


@pytest.mark.parametrize(
    "written",
    [
        "globs: a/*.ts, b/*.ts",
        "globs: a/*.ts b/*.ts",
        "globs:\ta/*.ts,b/*.ts",
        'globs: "a/*.ts", "b/*.ts"',
        "globs: [a/*.ts, b/*.ts]",
        "globs: ['a/*.ts', \"b/*.ts\"]",
        "globs:\n  - a/*.ts\n  - b/*.ts",
        "globs:\n- a/*.ts\n- 'b/*.ts'",
        "globs:\n\t- a/*.ts\n\t- b/*.ts",
        "globs: |\n  a/*.ts\n  b/*.ts",
        "  globs: a/*.ts, b/*.ts # both\n  name: x",
    ],
)
def test_patterns_are_read_however_they_are_written(written: str) -> None:
    for inside in (written, f"description: Fix: it\n{written}" if written[0] != " " else written):
        assert globs_of(split_frontmatter(f"---\n{inside}\n---\n").values["globs"]) == ("a/*.ts", "b/*.ts")


@pytest.mark.parametrize("pattern", ["*", "**/*", "{src,lib}/**/*.ts", "{src,lib}", "[ab]*.ts", "!(test)/**"])
def test_a_bare_pattern_is_itself(pattern: str) -> None:
    assert globs_of(split_frontmatter(f"---\nglobs: {pattern}\n---\n").values["globs"]) == (pattern,)


@pytest.mark.parametrize(
    "inner",
    [
        "Note: the mast light is called bruno\nWarning: never climb to bruno alone",
        "Berth: 7 is for pilots, 8 for tugs",
        "The harbour master: Ada, ask her first",
        "Type: steel hulls only\nBerth: 9",
    ],
)
def test_facts_between_two_thematic_breaks_are_text_where_a_format_has_no_frontmatter(inner: str) -> None:
    text = f"---\n{inner}\n---\n\n- Log every tide.\n"
    assert split_frontmatter(text, documented=False).body == text
    assert split_frontmatter(text).body != text


@pytest.mark.parametrize(
    "inner", ["title: Tides", "Title: Tides\nAuthor: Ada", "# none yet", "apply_to: a/**\nmood: calm", "weight: 3"]
)
def test_known_settings_are_frontmatter_in_every_file(inner: str) -> None:
    assert split_frontmatter(f"---\n{inner}\n---\nBody.\n", documented=False).body == "Body.\n"


def test_frontmatter_may_be_toml() -> None:
    found = split_frontmatter('+++\npaths = ["quay/**"]\ndate = 2031-02-03\n+++\n\nBody.\n', documented=False)
    assert (found.values, found.body) == ({"paths": ["quay/**"], "date": "2031-02-03"}, "\nBody.\n")
    broken = split_frontmatter("+++\npaths = quay\n+++\nBody.\n")
    assert (broken.values, broken.body, broken.problem) == ({}, "Body.\n", FrontmatterProblem.FRONTMATTER_UNKNOWN)
    prose = "+++\nNot settings.\n+++\n"
    assert split_frontmatter(prose).body == prose
