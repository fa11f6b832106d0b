"""Imports the stores below a folder as its `EXPECT.json` files describe, and prints what differs.

Usage: python tests/scripts/expectations.py FOLDER [NAME ...]

FOLDER holds a folder for each tool, with its stores and an `EXPECT.json`: `{"tool", "cases": [{"input", "counts",
"memories", "links", "left_out", "never"}]}`. Each case is one import into an empty vault with `--active`, in a home and
a copy of the folder of its own. Also checked of every case: nothing beside the store changes, a second import changes
nothing, one undo takes the import back, and what was retired stays retired. Ends with 1 if anything differs.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from stores import state_of

from memtui.capture.stores.tools import TOOLS
from memtui.cli.main import main as run_memtui

Case = Mapping[str, Any]
AS_STATED = ("kind", "status", "project", "importance", "confidence", "pinned", "half_life_days")
TIMES = {
    "created": "created_at",
    "verified": "verified_at",
    "due": "due_at",
    "valid_from": "valid_from",
    "valid_until": "valid_until",
}
SIGNALS = {"helped": "helped", "hurt": "hurt", "uses": "referenced"}
UNSET = ("MEMTUI_VAULT", "MEMTUI_ACTOR", "MEMTUI_NOW", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME")


@dataclass(frozen=True, slots=True)
class Vault:
    """What an export holds."""

    memories: Sequence[Mapping[str, Any]]
    links: Sequence[Mapping[str, Any]]
    signals: Sequence[Mapping[str, Any]]

    def of(self, expected: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the memory that is meant: by its id if its texts are there, else by texts and title."""
        said = [one for one in self.memories if all(folded(text) in told(one) for text in expected.get("says", ()))]
        named = [one for one in said if expected["native_id"] in _native_ids(one)]
        titled = [one for one in said if one["title"] == expected.get("title")]
        return next(iter([*named, *titled, *said]), None)


def folded(text: str) -> str:
    return " ".join(text.split())


def told(memory: Mapping[str, Any]) -> str:
    return folded("\n".join(memory.get(name) or "" for name in ("insight", "rationale", "snippet")))


def _sources(memory: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    return memory.get("sources") or [memory.get("source") or {}]


def _native_ids(memory: Mapping[str, Any]) -> list[object]:
    return [source.get("native_id") for source in _sources(memory)]


def memtui(*words: object) -> str:
    """Run a command line in this process and return what it prints. Raises `SystemExit`: it fails."""
    out, told_beside = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(told_beside):
        code = run_memtui([*map(str, words)])
    if code not in {0, 4}:
        raise SystemExit(f"memtui {' '.join(map(str, words))}: {told_beside.getvalue()}")
    return out.getvalue()


def exported() -> Vault:
    """Return what the vault holds."""
    rows = [json.loads(line) for line in memtui("export", "--target", "jsonl").splitlines()]
    by_type: dict[str, list[Any]] = {"memory": [], "link": [], "signal": []}
    for row in rows:
        by_type.setdefault(row.get("type", "memory"), []).append(row)
    return Vault(by_type["memory"], by_type["link"], by_type["signal"])


def use_home(home: Path) -> None:
    """Let this process work in a home of its own."""
    home.mkdir()
    for name in UNSET:
        os.environ.pop(name, None)
    beside = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    os.environ.update(HOME=str(home), MEMTUI_CONFIG=str(home / "memtui.toml"), **beside)
    os.chdir(home)


def faults_of(tool: str, case: Case, folder: Path) -> Iterator[str]:
    """Yield what differs from a case; `folder`: a copy of its stores."""
    place = (folder / case["input"]).resolve()
    before = state_of(folder)
    words = ("import", "--from", tool, place, "--active", "--json")
    first = json.loads(memtui(*words))
    again = json.loads(memtui(*words))
    if again["added"] or again["updated"] or again["conflicts"]:
        yield f"the second import changes something: {again}"
    vault = exported()
    yield from _count_faults(case, first, vault)
    for expected in case.get("memories", ()):
        yield from (f"{expected['native_id']}: {fault}" for fault in _memory_faults(expected, vault))
    yield from _link_faults(case, vault)
    everything = json.dumps([*vault.memories, *vault.links, *vault.signals], ensure_ascii=False)
    yield from (f"may not be anywhere: {text!r}" for text in case.get("never", ()) if text in everything)
    memtui("undo")
    if exported().memories:
        yield "one undo does not take the import back"
    memtui(*words)
    if vault.memories:
        yield from _revived(vault.memories[0]["id"], words)
    if state_of(folder) != before:
        yield "something beside the store changed"


def _revived(identifier: str, words: Sequence[object]) -> Iterator[str]:
    memtui("retire", identifier)
    memtui(*words)
    if json.loads(memtui("show", identifier, "--json"))["status"] not in {"retired", "superseded"}:
        yield f"{identifier} was retired and is back"


def _count_faults(case: Case, report: Mapping[str, Any], vault: Vault) -> Iterator[str]:
    counts = case.get("counts", {})
    statuses = Counter(memory["status"] for memory in vault.memories)
    found = {
        "memories": len(vault.memories),
        "links": len(vault.links),
        "left_out": sum(report["left_out"].values()),
        **{status: statuses[status] for status in counts if status not in {"memories", "links", "left_out"}},
    }
    yield from (f"{name}: {found[name]}, not {number}" for name, number in counts.items() if found[name] != number)


def _memory_faults(expected: Mapping[str, Any], vault: Vault) -> Iterator[str]:
    memory = vault.of(expected)
    if memory is None:
        yield "no memory says this"
        return
    yield from _value_faults(expected, memory)
    yield from _title_faults(expected, memory)
    yield from _lacking(expected, memory)
    signals = Counter(one["signal"] for one in vault.signals if one["memory"] == memory["id"])
    for name, signal in SIGNALS.items():
        if name in expected and signals[signal] != expected[name]:
            yield f"{name} is {signals[signal]}, not {expected[name]}"


def _value_faults(expected: Mapping[str, Any], memory: Mapping[str, Any]) -> Iterator[str]:
    for name in AS_STATED:
        wanted = expected.get(name)
        allowed = wanted if isinstance(wanted, list) else [wanted]
        if name in expected and allowed and not any(_is_equal(memory.get(name), one) for one in allowed):
            yield f"{name} is {memory.get(name)!r}, not {wanted!r}"
    for name, key in TIMES.items():
        if name in expected and (memory.get(key) or "")[:19] != (expected[name] or "")[:19]:
            yield f"{name} is {memory.get(key)!r}, not {expected[name]!r}"
    if "agent" in expected and expected["agent"] not in [source.get("agent") for source in _sources(memory)]:
        yield f"agent is not {expected['agent']!r}"


def _title_faults(expected: Mapping[str, Any], memory: Mapping[str, Any]) -> Iterator[str]:
    title, words = memory["title"], expected.get("title_has") or []
    if title != (expected.get("title") or title):
        yield f"title is {title!r}, not {expected['title']!r}"
    for word in [words] if isinstance(words, str) else words:
        if word.casefold() not in title.casefold():
            yield f"title {title!r} lacks {word!r}"
    if (expected.get("status_reason_has") or "").casefold() not in (memory.get("status_reason") or "").casefold():
        yield f"reason is {memory.get('status_reason')!r}"


def _lacking(expected: Mapping[str, Any], memory: Mapping[str, Any]) -> Iterator[str]:
    anchors = [one["path"] if isinstance(one, dict) else one for one in memory.get("anchors", ())]
    for name, there in (("tags", memory.get("tags", ())), ("anchors", anchors)):
        if lacking := [one for one in expected.get(name, ()) if one not in there]:
            yield f"{name} lack {lacking}, have {list(there)}"


def _is_equal(found: object, wanted: object) -> bool:
    if isinstance(found, float) and isinstance(wanted, int | float):
        return abs(found - wanted) < 1e-6
    return found == wanted


def _link_faults(case: Case, vault: Vault) -> Iterator[str]:
    ids = {one["native_id"]: (vault.of(one) or {}).get("id") for one in case.get("memories", ())}
    found = {(link["from"], link["link"], link["to"]) for link in vault.links}
    for link in case.get("links") or ():
        start, end = ids.get(link["from"]), ids.get(link["to"])
        either = {(start, link["type"], end)} | ({(end, "relates", start)} if link["type"] == "relates" else set())
        if start and end and not either & found:
            yield f"no link {link['from']} {link['type']} {link['to']}"


def main(arguments: Sequence[str]) -> int:
    if not arguments:
        raise SystemExit(__doc__)
    root, names = Path(arguments[0]).resolve(), set(arguments[1:])
    faulty = 0
    for file in sorted(root.glob("*/EXPECT.json")):
        name = file.parent.name
        if names and name not in names:
            continue
        tool = next(one for one in sorted(TOOLS, key=len, reverse=True) if name.startswith(one))
        for case in json.loads(file.read_text("utf-8"))["cases"]:
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary) / "stores" / name
                shutil.copytree(file.parent, folder, symlinks=True)
                use_home(Path(temporary) / "home")
                faults = list(faults_of(tool, case, folder))
                os.chdir(root)
            faulty += bool(faults)
            print(f"{name} {case['input']}: {'; '.join(faults) or 'as expected'}", flush=True)
    print(f"{faulty} cases differ")
    return int(faulty > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
