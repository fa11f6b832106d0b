"""The target `xml`: elements whose text is escaped, so that no memory can close or open one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memtui.pack.targets.base import (
    COMPILED_NOTE,
    NOTE,
    PackItem,
    PayloadInfo,
    Piece,
    clean,
    clean_line,
    grouped,
    short_ids,
    status_words,
)
from memtui.pack.targets.markdown import same_words, with_code

_NO_XML = re.compile("[\ufffe\uffff]")
"""Beside control characters and surrogates, which are gone by then, what XML 1.0 does not allow (production 2)."""


def write_xml(items: Sequence[PackItem], info: PayloadInfo) -> list[Piece]:
    """Return the parts of the payload in order."""
    compiled = info.style == "compiled"
    project = _attributes([("project", clean_line(info.project or ""))])
    pieces = [Piece(f"<memories{project}>\n"), Piece(_element("note", COMPILED_NOTE if compiled else NOTE))]
    ids = short_ids(items) if compiled else {}
    for _, group in grouped(items):
        for item in group:
            text = _compiled(item, ids[item.memory.id]) if compiled else _full(item)
            pieces.append(Piece(text, item.memory.id))
    return [*pieces, Piece("</memories>\n")]


def _full(item: PackItem) -> str:
    memory = item.memory
    verified = f"{memory.verified_at:%Y-%m-%d}" if memory.verified_at else "never"
    verified = "unconfirmed" if memory.status == "candidate" else verified
    known = f"{memory.observed_at or memory.created_at:%Y-%m-%d}"
    attributes = _attributes(
        [
            ("id", clean_line(memory.id)),
            ("kind", clean_line(memory.kind)),
            ("status", status_words(memory, item.status)),
            ("verified", verified),
            ("from", known),
        ]
    )
    title, insight = clean_line(memory.title), clean(memory.insight).strip("\n")
    is_same = same_words(insight, title)
    title = with_code(title, clean_line(insight)) if is_same else title
    parts = [
        _element("title", title) if title else "",
        "" if is_same else _element("insight", insight),
        _element("snippet", clean(memory.snippet).strip("\n")) if memory.snippet.strip() else "",
        _element("why", clean(memory.rationale).strip()) if memory.rationale.strip() else "",
        *_files(item),
    ]
    return f"<memory{attributes}>\n{''.join(parts)}</memory>\n"


def _compiled(item: PackItem, short_id: str) -> str:
    files = " ".join(clean_line(anchor.path) for anchor in item.memory.anchors)
    attributes = _attributes([("id", short_id), ("kind", clean_line(item.memory.kind)), ("files", files)])
    snippet = clean(item.memory.snippet).strip("\n")
    code = "\n" + _element("snippet", snippet) if snippet.strip() else ""
    return f"<memory{attributes}>{_escaped(clean_line(item.memory.insight))}{code}</memory>\n"


def _files(item: PackItem) -> list[str]:
    return [
        f"<file{_attributes([('path', clean_line(anchor.path)), ('state', item.states.get(anchor.path, ''))])}/>\n"
        for anchor in item.memory.anchors
    ]


def _attributes(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f' {name}="{_escaped(value, quote=True)}"' for name, value in pairs if value)


def _element(name: str, text: str) -> str:
    return f"<{name}>{_escaped(text)}</{name}>\n"


def _escaped(text: str, *, quote: bool = False) -> str:
    text = _NO_XML.sub("\ufffd", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;") if quote else text
