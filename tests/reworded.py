"""`pytest -p reworded`: every sentence of `memtui.wording` and of services becomes nonsense; none may depend on one.

The nonsense is made from the source of the modules: each string that people read is turned by thirteen letters. Of
`memtui.wording` that is every string but those that only code reads: keys, what is compared, arguments of `get`,
formats. Of the modules of services that say something, in `SAYING`, it is what has several words; of `SkipWords`, the
values.
"""

from __future__ import annotations

import ast
import codecs
import functools
import inspect
import re
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

WORDING = "memtui.wording"
SAYING = frozenset(
    {
        "memtui.analysis.duplicates",
        "memtui.analysis.pair_differences",
        "memtui.capture.import_plan",
        "memtui.curate.review_queue",
        "memtui.text.planted",
    }
)
"""Modules of services that have sentences, and no string of several words that code reads."""

WORDS = frozenset({"frontmatter", "left_out", "merge_conflicts", "skip_codes", "unclosed"})
"""Modules of `memtui.capture` that have a class of reasons among patterns and names."""

TESTS_OF_SAYING = (
    "analysis/test_analysis_duplicates.py",
    "capture/test_capture_merge_conflicts.py",
    "capture/test_capture_reimport.py",
    "capture/test_capture_stores_importing.py",
    "capture/test_readers_adr.py",
    "curate/test_curate_review_queue.py",
    "text/test_text_injection.py",
    "text/test_text_injection_roles.py",
)
"""Tests, in `tests/unit`, of services that have sentences of their own, which decide by a code what they say."""

ABOVE = re.compile(r"memtui\.(?:wording|sync|assist|tui|cli)\.")
"""Packages that hold sentences, and those above them; by the import contracts no service reaches one."""

_FIELD = re.compile(r"(\{[^{}]*\})")


def nonsense(text: str) -> str:
    """Return a text with its letters turned, and the fields of a template as they are."""
    return "".join(part if place % 2 else codecs.encode(part, "rot13") for place, part in enumerate(_FIELD.split(text)))


class _Turned(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            return ast.copy_location(ast.Constant(nonsense(node.value)), node)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        node.values = [self.visit(value) for value in node.values]
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        is_lookup = isinstance(node.func, ast.Attribute) and node.func.attr in {"get", "count", "compile"}
        return node if is_lookup else self.generic_visit(node)

    def _kept(self, node: ast.AST) -> ast.AST:
        return node

    visit_Compare = visit_Subscript = _kept  # noqa: N815


class _SentencesTurned(_Turned):
    """Turns what has several words."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        is_sentence = isinstance(node.value, str) and " " in node.value and any(map(str.isalpha, node.value))
        return super().visit_Constant(node) if is_sentence else node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        return self.generic_visit(node)


class _ReasonsTurned(ast.NodeTransformer):
    """Turns the values of `SkipWords`."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        is_words = any(isinstance(base, ast.Name) and base.id == "SkipWords" for base in node.bases)
        return _Turned().generic_visit(node) if is_words else node


def _turner(module: str) -> ast.NodeTransformer | None:
    """Return what makes nonsense of a module, None of one that stays as it is."""
    if module.startswith(f"{WORDING}."):
        return _Turned()
    if module in SAYING:
        return _SentencesTurned()
    return _ReasonsTurned() if module.removeprefix("memtui.capture.") in WORDS else None


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        source = self.get_source(fullname)
        tree, turner = ast.parse(source or ""), _turner(fullname)
        turned = tree if turner is None else turner.visit(tree)
        return compile(ast.fix_missing_locations(turned), self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if _turner(fullname) is None:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


def _names(code: CodeType) -> set[str]:
    """Return the names that a function uses, also in the functions within it."""
    inner = (const for const in code.co_consts if isinstance(const, CodeType))
    return set(code.co_names).union(*map(_names, inner))


@functools.cache
def imported_sentences(file: Path) -> set[str]:
    """Return what a file of the tests imports from a package above the services, itself or through a helper."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            helper = Path(__file__).with_name(f"{node.module}.py")
            whole = helper.is_file() and helper != Path(__file__) and bool(imported_sentences(helper))
            found |= {
                one.asname or one.name for one in node.names if whole or ABOVE.match(f"{node.module}.{one.name}.")
            }
    return found


def meets_sentences(test: pytest.Function) -> bool:
    """Return whether a test, a fixture of it or a function of its file that they call uses such a name."""
    sentences = imported_sentences(test.path)
    fixtures = test._fixtureinfo.name2fixturedefs.values()
    waiting: list[Callable[..., Any]] = [test.function, *(one.func for found in fixtures for one in found)]
    seen: set[FunctionType] = set()
    while waiting:
        function = inspect.unwrap(waiting.pop())
        if function in seen or not isinstance(function, FunctionType):
            continue
        seen.add(function)
        names = _names(function.__code__)
        if names & sentences:
            return True
        called = (function.__globals__.get(name) for name in names)
        waiting += [one for one in called if isinstance(one, FunctionType) and one.__module__ == test.module.__name__]
    return False


def install() -> None:
    """Turn the sentences of every such module that is imported from now on."""
    sys.meta_path.insert(0, _Finder())


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Reword before a `conftest.py` imports a sentence."""
    install()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what meets no sentence, but in the tests of services that have sentences themselves."""
    whole = {Path(__file__).parent / "unit" / name for name in TESTS_OF_SAYING}
    left_out = [
        item
        for item in items
        if item.path not in whole and not (isinstance(item, pytest.Function) and meets_sentences(item))
    ]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
