"""`pytest -p reworded`: every sentence of `memtui.wording` and of services becomes nonsense; none may depend on one.

The nonsense is made from the source of the modules: each string that people read is turned by thirteen letters. Of
`memtui.wording` that is every string but those that only code reads: keys, what is compared, arguments of `get`,
formats. Of the modules of services that say something, in `SAYING`, it is what has several words; of `SkipWords`, the
values.
"""

from __future__ import annotations

import ast
import codecs
import re
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

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


def install() -> None:
    """Turn the sentences of every such module that is imported from now on."""
    sys.meta_path.insert(0, _Finder())


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Reword before a `conftest.py` imports a sentence."""
    install()
