"""What a file imports is read from its code alone: never from a comment, a string or a look-alike."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memtui
from memtui.recall.imports.follow import BY_SUFFIX, language_of, parse
from memtui.recall.imports.sources import Language


def _language(suffix: str) -> Language:
    language = language_of("a" + suffix)
    assert language is not None
    return language


def _said(suffix: str, source: str) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.kind, one.path, one.names) for one in parse(source.encode(), _language(suffix))]


def _paths(suffix: str, source: str, kind: str | None = None) -> list[str]:
    return [path for said, path, _ in _said(suffix, source) if kind in {None, said}]


def test_python_imports_of_every_form() -> None:
    source = """
from __future__ import annotations
import a.b as c, d; import e
from . import f as g
from ..h . i import (j,  # not ) k
    l as m)
from .n import *
if True: import o
def late():
    from p \\
        import q, \\
        r
    yield from import_module("s.t")
"""
    assert _said(".py", source) == [
        ("from", "__future__", ("annotations",)),
        ("import", "a.b", ()),
        ("import", "d", ()),
        ("import", "e", ()),
        ("from", ".", ("f",)),
        ("from", "..h.i", ("j", "l")),
        ("from", ".n", ()),
        ("import", "o", ()),
        ("from", "p", ("q", "r")),
        ("import", "s.t", ()),
    ]


def test_python_look_alikes_are_none() -> None:
    source = r'''
# import a
"""
import b
"""
x = 'import c \' import d'
y = r"\" import e"
z = f"{x["import f"]}"
important = reimport = x.imports
raise E from e
'''
    assert _paths(".py", source) == []


def test_python_is_read_as_the_language_itself_reads_it() -> None:
    for path in Path(memtui.__file__).parent.rglob("*.py"):
        source = path.read_bytes()
        expected: set[tuple[str, str, tuple[str, ...]]] = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                expected.update(("import", alias.name, ()) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names = tuple(alias.name for alias in node.names if alias.name != "*")
                expected.add(("from", "." * node.level + (node.module or ""), names))
        assert {(one.kind, one.path, one.names) for one in parse(source, _language(".py"))} == expected, path


def test_a_file_that_is_just_being_edited_is_read_too() -> None:
    assert _paths(".py", "import a\n\ndef f(:\n    x = (\n\nfrom b import c\n") == ["a", "b"]
    assert _paths(".ts", "import \nimport x from './a';\nfunction f( {\nconst y = `${\n") == ["./a"]


@pytest.mark.parametrize("suffix", [".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"])
def test_javascript_imports_of_every_form(suffix: str) -> None:
    source = """
import a, { b as c } from './1'
import type { D } from "./2";
import {
  e, // it's } from './no'
  f, /* from "./no" */
} from "./3";
import * as g from './4'; import './5'
export { h } from './6';
export * from "./7"
export type { I } from './8';
import j = require('./9');
const k = require("./10"), l = await import(`./11`);
const m = import(/* webpackChunkName: "x" */ './12');
type N = import('./13').N;
const o = `a ${ require('./14') + `${ { p: import('./15') } }` } import('./no')`;
require.resolve('./16');
export { q }
import r from './17'
"""
    assert _paths(suffix, source) == [f"./{number}" for number in range(1, 18)]


def test_javascript_look_alikes_are_none() -> None:
    source = r"""
// import a from './1'
/* require('./2') */
const a = "import b from './3'", b = 'require("./4")', c = `import './5' \` ${'import("./6")'}`;
const d = /require('.\/7')[/'"`]/g, e = 1 / 2; /import '8'/.test("x");
const f = <p title="import './9'">Don't import("it")</p>;
obj.import('./10'); $require('./11'); require(name + './12'); import(`./${name}`); import.meta.url;
export const g = "./13"; export default "./14";
import { h } = "./15";
"""
    assert _paths(".tsx", source) == []


def test_a_word_in_the_text_of_a_page_is_no_specifier_that_leads_anywhere() -> None:
    assert _paths(".tsx", "const a = <p>Don't `quote`, see http://x.example/'</p>\nconst b = require('./b')") == ["./b"]


def test_go_imports_of_every_form() -> None:
    source = """package main
// import "no"
import (
\t"a/b" // ) "no"
\t. "c"
\t_ `d` /* "no" */
\te "f/g"
)
import h "i"; import "j"
var s, r = `import "no"`, '"'
"""
    assert _paths(".go", source) == ["a/b", "c", "d", "f/g", "i", "j"]


def test_rust_uses_of_every_form() -> None:
    source = r"""
//! use crate::no;
/* /* nested */ mod no; */
mod a;
#[path = "other.rs"]
pub mod b;
use crate::c::{self, d::E, f::*, g as h,};
pub(crate) use super::i; use j;
mod inner { mod k; use super::l; use self::m; mod deep { use super::super::super::n; } }
fn f<'a>(x: &'a str) { let _ = ("mod no;", r#"use crate::"no";"#, '"', '\''); crate::o::p(x); self.q(); }
"""
    said = [(kind, path) for kind, path, _ in _said(".rs", source)]
    assert said == [
        ("mod", "a"),
        ("path", "other.rs"),
        ("use", "crate::c"),
        ("use", "crate::c::d::E"),
        ("use", "crate::c::f"),
        ("use", "crate::c::g"),
        ("use", "super::i"),
        ("use", "j"),
        ("mod", "inner/k"),
        ("use", "self::l"),
        ("use", "self::inner::m"),
        ("use", "super::n"),
        ("use", "crate::o::p"),
    ]


def test_java_imports_of_every_form() -> None:
    source = '''package shop.cart; // import no.A;
import shop.pricing.Pricing;
import static shop.money.Money.of;
import shop . tax . *;
/* import no.B; */
@Checked class Cart { String s = "import no.C;"; String t = """
  import no.D; " Quoted """; char c = '"'; Basket b = Vat.RATE; }
'''
    said = _said(".java", source)
    assert [(kind, path) for kind, path, _ in said[:-1]] == [
        ("package", "shop.cart"),
        ("import", "shop.pricing.Pricing"),
        ("import", "shop.money.Money.of"),
        ("all", "shop.tax"),
    ]
    assert said[-1][2] == ("Basket", "Cart", "Checked", "String", "Vat")


def test_only_known_endings_are_read() -> None:
    assert language_of("Makefile") is None
    assert language_of("a.py.txt") is None
    assert language_of("A.PY") is _language(".py")


_WORDS = ["import ", "from ", "require(", "use ", "mod x", "crate::", "export ", "package ", "a.b", "./c", "r#", "é"]
_MARKS = ["`", "${", "}", "{", "/*", "*/", "//", "#", '"', "'", '"""', "'''", "\\", "\n", ";", "(", ")", ",", "*", "/"]
_PIECES = st.sampled_from([*_WORDS, *_MARKS, "\ud800", " "])


@given(st.lists(_PIECES, max_size=60).map("".join), st.sampled_from(sorted(BY_SUFFIX)))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_without_an_error_and_the_same_each_time(text: str, suffix: str) -> None:
    source = text.encode("utf-8", "surrogatepass")
    first = parse(source, _language(suffix))
    assert parse(source, _language(suffix)) == first
    assert all(isinstance(name, str) for one in first for name in (one.kind, one.path, *one.names))


@pytest.mark.parametrize("suffix", sorted({language: suffix for suffix, language in BY_SUFFIX.items()}.values()))
@pytest.mark.parametrize(
    "piece",
    ["{", "import ", "from ", "/*", "= /[", 'r##"', "use a::{", "export {", "`${", "mod a { ", "import(/*", "'\\"],
)
def test_a_large_file_of_nothing_but_beginnings_ends(suffix: str, piece: str) -> None:
    parse(piece.encode() * 20_000, _language(suffix))
