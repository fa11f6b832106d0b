"""What a file imports is read from its code alone: never from a comment, a string or a look-alike."""

from __future__ import annotations

import ast
import json
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memtui
from memtui.recall.imports import follow
from memtui.recall.imports.follow import BY_SUFFIX, Imports, follow_imports, language_of, parse
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
            elif isinstance(node, ast.Call) and ast.unparse(node.func) == "importlib.import_module":
                (named,) = node.args
                if isinstance(named, ast.Constant):
                    expected.add(("import", str(named.value), ()))
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


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def _write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def _first(imports: Imports) -> list[str]:
    return [one.file for one in imports.reached if one.hop == 1]


LAYOUTS: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "python, package below src, from its tests": (
        {"src/shop/__init__.py": "", "src/shop/cart.py": "", "tests/unit/test_cart.py": "from shop import cart"},
        "tests/unit/test_cart.py",
        ["src/shop/cart.py"],
    ),
    "python, relative": (
        {
            "shop/__init__.py": "",
            "shop/cart/__init__.py": "",
            "shop/money.py": "",
            "shop/cart/tax.py": "",
            "shop/cart/page.py": "from .. import money\nfrom .tax import rate\nfrom . import missing",
        },
        "shop/cart/page.py",
        ["shop/money.py", "shop/cart/tax.py", "shop/cart/__init__.py"],
    ),
    "python, no look into the own package for an absolute import, nor for the standard library": (
        {"shop/__init__.py": "", "shop/tax.py": "", "json.py": "", "shop/cart.py": "import tax, json"},
        "shop/cart.py",
        [],
    ),
    "python, namespace package": (
        {"shop/cart.py": "from shop.tax import rate", "shop/tax/rate.py": ""},
        "shop/cart.py",
        ["shop/tax/rate.py"],
    ),
    "typescript, index, compiled names, json, loader": (
        {
            "src/a/index.ts": "",
            "src/b.tsx": "",
            "src/c.mts": "",
            "src/d.json": "{}",
            "src/e.d.ts": "",
            "src/f.svg": "",
            "src/x.ts": "import './a'; import './b.js'; import './c.mjs'; import './d';"
            "import './e'; import './f.svg?raw'",
        },
        "src/x.ts",
        ["src/a/index.ts", "src/b.tsx", "src/c.mts", "src/d.json", "src/e.d.ts", "src/f.svg"],
    ),
    "typescript, paths of an extended configuration, base url, convention, subpath": (
        {
            "base.json": '{"compilerOptions": {"baseUrl": "lib", "paths": {"@m/*": ["none/*", "money/*"],'
            ' "@t": ["tax.ts"],},}}',
            "app/tsconfig.json": '// the app\n{"extends": "../base", /* as is */ "include": ["src//**"]}',
            "app/package.json": '{"imports": {"#log/*": {"default": "./src/log/*.js"}}}',
            "lib/money/round.ts": "",
            "lib/tax.ts": "",
            "lib/vat.ts": "",
            "app/src/cart.ts": "",
            "app/src/log/file.ts": "",
            "app/src/x.ts": "import '@m/round'; import '@t'; import 'vat';"
            "import '@/cart'; import '#log/file'; import 'react'",
        },
        "app/src/x.ts",
        ["lib/money/round.ts", "lib/tax.ts", "lib/vat.ts", "app/src/cart.ts", "app/src/log/file.ts"],
    ),
    "typescript, a configuration of settings that are switched off": (
        {
            "tsconfig.json": '{"compilerOptions": {\n  "target": "es2022",   /* The language */\n'
            + "".join(f'  // "option{n}": [],      /* What it does, {n} */\n' for n in range(60))
            + '  "paths": {"@/*": ["./lib/*"]},\n  // "strict": true   /* off */\n}}\n',
            "lib/tide.ts": "",
            "src/x.ts": "import '@/tide'; import 'react'",
        },
        "src/x.ts",
        ["lib/tide.ts"],
    ),
    "go, nested module, replace, workspace": (
        {
            "go.work": "go 1.23\nuse (\n\t./till // the till\n\t./lib\n)\n",
            "till/go.mod": "module shop.example/till\n\nreplace shop.example/old v1.0.0 => ../old\n",
            "lib/go.mod": "module shop.example/lib\n",
            "old/old.go": "package old",
            "lib/tax/tax.go": "package tax",
            "lib/tax/tax_test.go": "package tax",
            "till/cart/cart.go": 'package cart\nimport ("shop.example/lib/tax"; "shop.example/old"; "fmt")\n'
            'import "shop.example/tillage"',
            "till/cart/line.go": "package cart",
        },
        "till/cart/cart.go",
        ["lib/tax/tax.go", "old/old.go", "till/cart/line.go"],
    ),
    "rust, modules and siblings": (
        {
            "Cargo.toml": '[package]\nname = "my-shop"\n',
            "src/lib.rs": "mod cart; mod money;",
            "src/money.rs": "",
            "src/cart/mod.rs": "mod line; pub mod tax; use line::Line;",
            "src/cart/line.rs": "use super::tax::rate;\nuse crate::money;\n"
            "mod tests { use super::*; use super::super::tax; }",
            "src/cart/tax.rs": "",
        },
        "src/cart/line.rs",
        ["src/cart/tax.rs", "src/money.rs"],
    ),
    "rust, from a test, and another crate of the workspace": (
        {
            "Cargo.toml": '[workspace]\nmembers = ["*"]\n[workspace.dependencies]\ntax-core = { path = "tax" }\n',
            "shop/Cargo.toml": '[package]\nname = "my-shop"\n[dependencies]\ntax-core.workspace = true\nserde = "1"\n',
            "shop/src/lib.rs": "pub mod cart;",
            "shop/src/cart.rs": "",
            "tax/Cargo.toml": '[package]\nname = "tax-core"\n',
            "tax/src/lib.rs": "",
            "tax/src/vat.rs": "",
            "shop/tests/common/mod.rs": "",
            "shop/tests/it.rs": "mod common;\nuse my_shop::cart::Cart;\nuse tax_core::vat;\nuse serde::Serialize;",
        },
        "shop/tests/it.rs",
        ["shop/tests/common/mod.rs", "shop/src/cart.rs", "tax/src/vat.rs"],
    ),
    "rust, declarations tie the root file to its modules": (
        {"src/main.rs": 'mod cart;\n#[path = "odd/place.rs"]\nmod place;', "src/cart.rs": "", "src/odd/place.rs": ""},
        "src/main.rs",
        ["src/cart.rs", "src/odd/place.rs"],
    ),
    "java, test and other module, static, wildcard, own package": (
        {
            "app/src/main/java/shop/Cart.java": "",
            "app/src/main/java/shop/Unused.java": "",
            "tax/src/main/java/tax/Vat.java": "",
            "tax/src/main/java/tax/Rate.java": "",
            "tax/src/main/java/money/Money.java": "",
            "app/src/test/java/shop/Help.java": "",
            "app/src/test/java/shop/CartTest.java": "package shop;\nimport static money.Money.of;\nimport tax.*;\n"
            "import shop.Cart;\nimport java.util.List;\nclass CartTest { Help h; Rate r; }",
        },
        "app/src/test/java/shop/CartTest.java",
        [
            "tax/src/main/java/money/Money.java",
            "tax/src/main/java/tax/Rate.java",
            "app/src/main/java/shop/Cart.java",
            "app/src/test/java/shop/Help.java",
        ],
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_imports_lead_to_the_files_that_the_language_would_take(root: Path, cache: Path, layout: str) -> None:
    files, given, expected = LAYOUTS[layout]
    _write(root, files)
    imports = follow_imports(root, [given], cache=cache)
    assert _first(imports) == expected
    assert imports.notes == ()
    assert follow_imports(root, [given], cache=cache) == imports


def test_two_hops_each_file_once_by_its_nearest_way_and_never_the_files_in_hand(root: Path, cache: Path) -> None:
    _write(root, {"a.py": "import b, c", "b.py": "import c, d, a", "c.py": "import a", "d.py": "import e", "e.py": ""})
    reached = follow_imports(root, ["./a.py::main", "a.py"], cache=cache).reached
    assert [(one.file, one.hop) for one in reached] == [("b.py", 1), ("c.py", 1), ("d.py", 2)]
    assert reached[2].before == reached[0]
    both = follow_imports(root, ["a.py", "b.py"], cache=cache).reached
    assert [(one.file, one.hop) for one in both] == [("c.py", 1), ("d.py", 1), ("e.py", 2)]


def test_a_folder_in_hand_means_the_files_in_it(root: Path, cache: Path) -> None:
    _write(root, {"cart/a.py": "import tax", "cart/notes.md": "import no", "tax.py": ""})
    assert _first(follow_imports(root, ["cart/"], cache=cache)) == ["tax.py"]


def test_nothing_outside_the_tree_is_ever_reached(root: Path, cache: Path, tmp_path: Path) -> None:
    _write(tmp_path, {"secret.py": "import inner", "elsewhere/deep.ts": ""})
    _write(root, {"inner.py": "", "real/ok.ts": "", "a.py": "import secret, link, inner", "b.ts": ""})
    (root / "link.py").symlink_to(tmp_path / "secret.py")
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "inside").symlink_to(root / "real")
    (root / "loop.py").symlink_to(root / "loop.py")
    specifiers = ["../secret", "./out/deep", "../../secret.py", "/etc/passwd", "./inside/ok", "./loop", f"{tmp_path}/x"]
    _write(root, {"b.ts": "\n".join(f"import '{one}'" for one in specifiers)})
    assert _first(follow_imports(root, ["a.py"], cache=cache)) == ["inner.py"]
    assert _first(follow_imports(root, ["b.ts"], cache=cache)) == ["inside/ok.ts"]
    assert (
        follow_imports(root, ["../secret.py", "link.py", "/etc/passwd", "", "no.py", "**/*.py"], cache=cache)
        == Imports()
    )
    assert follow_imports(tmp_path / "nowhere", ["a.py"], cache=cache) == Imports()


def test_broken_configurations_lead_nowhere_and_break_nothing(root: Path, cache: Path) -> None:
    nested = "[" * 100_000
    for broken in ("", "{", nested, '{"compilerOptions": 7, "extends": ["./tsconfig.json", 7], "imports": []}', "\0"):
        _write(
            root, {"tsconfig.json": broken, "package.json": broken, "a.ts": "import '@/b'; import '#c'", "src/b.ts": ""}
        )
        assert _first(follow_imports(root, ["a.ts"], cache=cache)) == ["src/b.ts"]
        _write(
            root,
            {"Cargo.toml": broken, "src/lib.rs": "use other::x; use super::super::y; use crate::z;", "src/z.rs": ""},
        )
        assert _first(follow_imports(root, ["src/lib.rs"], cache=cache)) == ["src/z.rs"]
        _write(root, {"go.mod": broken, "a.go": 'package a\nimport "x/y"'})
        assert _first(follow_imports(root, ["a.go"], cache=cache)) == []


def test_modules_of_go_are_found_in_short_time(root: Path, cache: Path) -> None:
    odd = "\n" * 100_000 + "replace\n" * 20_000 + "a " * 20_000
    _write(
        root, {"go.mod": f"module shop.example/till\n{odd}", "go.work": f"use .\n{odd}", "tax/tax.go": "package tax"}
    )
    _write(root, {"a.go": 'package a\nimport "shop.example/till/tax"'})
    began = time.process_time()
    assert _first(follow_imports(root, ["a.go"], cache=cache)) == ["tax/tax.go"]
    assert time.process_time() - began < 2


def test_reading_for_the_second_hop_is_bounded_and_says_so(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(root, {"a.py": "import b, c", "b.py": "import d\n" + "#" * 600, "c.py": "import e\n" + "#" * 600})
    _write(root, {"d.py": "", "e.py": ""})
    monkeypatch.setattr(follow, "MOST_READ", 1_000)
    assert [one.file for one in follow.follow_imports(root, ["a.py"], cache=cache).reached] == [
        "b.py",
        "c.py",
        "d.py",
    ]
    assert follow_imports(root, ["a.py"], cache=cache).notes == ("c.py: not followed further, enough was read",)


def test_the_cache_follows_the_content_and_stays_bounded(root: Path, cache: Path) -> None:
    _write(root, {"a.py": "import b", "b.py": "", "c.py": ""})
    assert _first(follow_imports(root, ["a.py"], cache=cache)) == ["b.py"]
    kept = {path: path.read_bytes() for path in cache.rglob("*.json")}
    assert kept
    (entry,) = [path for path, content in kept.items() if json.loads(content)]
    entry.write_text('[["import", "c"]]')
    assert _first(follow_imports(root, ["a.py"], cache=cache)) == ["c.py"], "it is taken from the cache"
    _write(root, {"a.py": "import b  # edited"})
    assert _first(follow_imports(root, ["a.py"], cache=cache)) == ["b.py"], "another content is another entry"
    for number in range(follow.MOST_PER_SHARD + 40):
        (entry.parent / f"{number:032}.json").write_text("[]")
    entry.unlink()
    _write(root, {"a.py": "import b"})
    follow_imports(root, ["a.py"], cache=cache)
    assert len(list(entry.parent.iterdir())) == follow.MOST_PER_SHARD
    assert entry.exists()
