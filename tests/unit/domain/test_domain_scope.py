"""Globs of rule files: what fits, and that no pattern is slow."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtui.domain.scope import MOST_ALTERNATIVES, expand_braces, matches

FITS = [
    ("src/a.py", "src/a.py"),
    ("./src/a.py", "src/a.py"),
    ("src", "src/a.py"),
    ("src/", "src/deep/a.py"),
    ("src/pay.py::charge", "src/pay.py"),
    ("*.py", "a.py"),
    ("?.py", "a.py"),
    ("**", "a/b/c.py"),
    ("**/*", "a.py"),
    ("**/*.ts", "a.ts"),
    ("**/*.ts", "src/deep/a.ts"),
    ("src/**", "src/a/b.ts"),
    ("src/**/a.ts", "src/a.ts"),
    ("src/**/a.ts", "src/x/y/a.ts"),
    ("src/*/a.ts", "src/x/a.ts"),
    ("**/test/**/*.py", "pkg/test/unit/a.py"),
    ("**/test/**/*.py", "test/a.py"),
    ("src/**.ts", "src/x/y/a.ts"),
    ("a**z", "a/b/z"),
    ("a**z", "abz"),
    ("**.md", "docs/a.md"),
    ("***/a.md", "docs/a.md"),
    ("**/**/a.md", "docs/a.md"),
    ("src/**/*.{ts,tsx}", "src/a/b.tsx"),
    ("{src,lib}/**", "lib/a.c"),
    ("{a,{b,c}}.md", "c.md"),
    ("{,sub/}a.md", "a.md"),
    ("{,sub/}a.md", "sub/a.md"),
    ("file[0-9].txt", "file7.txt"),
    ("file[!0-9].txt", "filex.txt"),
    ("file[^0-9].txt", "filex.txt"),
    ("[]]x", "]x"),
    ("[!]]x", "ax"),
    ("a[-b]c", "a-c"),
    ("a[.]c", "a.c"),
    ("app/[id]/page.tsx", "app/[id]/page.tsx"),
    ("app/[id]/**", "app/[id]/page.tsx"),
    ("app/[...slug]/*.tsx", "app/[...slug]/page.tsx"),
    ("app/(group)/*.tsx", "app/(group)/page.tsx"),
    ("a+b/*.c", "a+b/x.c"),
    ("日本/**/*.md", "日本/語/a.md"),
    ("*.md", "it's (a) [note].md"),
    ("a[b", "a[b"),
    ("[x*", "[xyz"),
    ("{a}.md", "{a}.md"),
    ("{a*", "{abc"),
]

MISSES = [
    ("*.py", "src/a.py"),
    ("?.py", "ab.py"),
    ("?", "/"),
    ("src/*", "src/a/b"),
    ("src", "srcs/a.py"),
    ("src/a.py", "src/a.pyc"),
    ("src/**", "lib/a"),
    ("src/**", "src"),
    ("src/*/a.ts", "src/a.ts"),
    ("**/test/*.py", "test/unit/a.py"),
    ("*.{ts,tsx}", "a.js"),
    ("a[!b]c", "a/c"),
    ("a[+-9]c", "a/c"),
    ("a?c", "a/c"),
    ("file[0-9].txt", "filex.txt"),
    ("a[z-a]c", "amc"),
    ("a.c", "abc"),
    ("a+b/*.c", "aab/x.c"),
    ("", "a.py"),
    ("", "/etc/passwd"),
    ("/", "/etc/passwd"),
    ("./", "a.py"),
]


@pytest.mark.parametrize(("pattern", "path"), FITS)
def test_it_fits(pattern: str, path: str) -> None:
    assert matches(pattern, path)


@pytest.mark.parametrize(("pattern", "path"), MISSES)
def test_it_does_not_fit(pattern: str, path: str) -> None:
    assert not matches(pattern, path)


def test_braces_expand_to_every_choice() -> None:
    assert sorted(expand_braces("{a,b}/{c,d}")) == ["a/c", "a/d", "b/c", "b/d"]
    assert expand_braces("src/{a}/b,c") == ["src/{a}/b,c"]
    assert expand_braces("{a,b") == ["{a,b"]


def test_braces_without_end_are_taken_literally() -> None:
    bomb = "{a,b}" * 40
    assert expand_braces(bomb) == [bomb]
    assert MOST_ALTERNATIVES < 2**40
    assert matches(bomb, bomb)
    assert not matches(bomb, "a" * 40)


def fits_slowly(pattern: str, path: str, *, new_part: bool = True) -> bool:
    """Try every way in which a pattern without braces and sets may fit, as the definition has it."""
    if not pattern:
        return not path
    if new_part and pattern.startswith("**/"):
        ends = [0, *(match.end() for match in re.finditer("/", path))]
        return any(fits_slowly(pattern[3:], path[end:]) for end in ends)
    if pattern[0] == "*":
        longest = len(path) if pattern.startswith("**") or "/" not in path else path.find("/")
        rest = pattern.lstrip("*")
        return any(fits_slowly(rest, path[end:], new_part=False) for end in range(longest + 1))
    fits_one = bool(path) and (path[0] == pattern[0] or (pattern[0] == "?" and path[0] != "/"))
    return fits_one and fits_slowly(pattern[1:], path[1:], new_part=pattern[0] == "/")


part = st.text("ab*?", min_size=1, max_size=5).filter(lambda text: "***" not in text)
patterns = st.lists(st.one_of(part, st.just("**")), min_size=1, max_size=4).map("/".join)
paths = st.lists(st.text("ab", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


@settings(max_examples=200)
@given(patterns, paths)
@example("a**b*a", "ab/aba")
@example("**a*b/**/b", "a/ab/b")
@example("**/a/**/b/a", "a/b/a/b/a")
def test_fitting_fast_says_the_same_as_fitting_slowly(pattern: str, path: str) -> None:
    folder = path == pattern or path.startswith(pattern + "/")
    assert matches(pattern, path) == (folder or fits_slowly(pattern, path))


@given(st.text("ab/*?[]{},!^-&|~\\.:\x00\n", max_size=40), st.text("ab/[]-\n", max_size=20))
def test_any_pattern_gives_an_answer(pattern: str, path: str) -> None:
    assert matches(pattern, path) in {True, False}
