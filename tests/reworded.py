"""`pytest --reworded`: every sentence of `memtui.wording` becomes nonsense, and no service may depend on one.

The table of nonsense is made from the source of the modules: each string that people read is turned by thirteen
letters. Strings that only code reads stay: keys, what is compared, arguments of `get`, formats.
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

ROOM = "memtui.wording"
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
        is_lookup = isinstance(node.func, ast.Attribute) and node.func.attr in {"get", "count"}
        return node if is_lookup else self.generic_visit(node)

    def _kept(self, node: ast.AST) -> ast.AST:
        return node

    visit_Compare = visit_Subscript = _kept  # noqa: N815


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        source = self.get_source(fullname)
        tree = ast.parse(source or "")
        return compile(ast.fix_missing_locations(_Turned().visit(tree)), self.path, "exec", dont_inherit=True)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(f"{ROOM}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin)
        return spec


def install() -> None:
    """Turn the sentences of every module of the room that is imported from now on."""
    sys.meta_path.insert(0, _Finder())
