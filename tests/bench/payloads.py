"""How much of a payload is relevant: `python tests/bench/payloads.py LABELS.jsonl [--json FILE]`.

Each line of the labels is `{"directory", "task", "files": [path…], "relevant": [text…], "essential"?: text}`: a
repository, a task in it, and what of its memories an engineer would hand over, by their texts. Each repository is
imported into a throw-away vault; per repository and in all it prints the share of the memories in the payload that are
relevant, the share of the relevant ones that are in it, how often the essential one is, and the share of tokens that is
metadata: headings, notes, files, ages and marks. Nothing of what is in the repositories is kept here.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from memtui.text.token_count import get_counter

_XDG = tuple(f"XDG_{name}" for name in ("DATA_HOME", "CONFIG_HOME", "STATE_HOME", "CACHE_HOME"))
HOMES = ("HOME", "USERPROFILE", *_XDG, "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME")
COMPARED = 160  # Characters by which a memory is known again
_FRAME = re.compile(
    r"#{2,3} |(?:Constraints are rules; )?[Ff]acts may be stale|Files: |Never verified, from|</?background-facts>"
)
_FULL = re.compile(r"(?m)^### .*\n\n")
_INDENT = re.compile(r"- |  ")
_PLACE = re.compile(r"(?:In|For) [^\s:]+(?: and [^\s:]+|, [^\s:]+|(?<=d) \d+ others)*: ")  # where alone a memory holds


@dataclass(slots=True)
class Tally:
    """Counts over the tasks of a repository."""

    name: str
    tasks: int = 0
    included: int = 0
    right: int = 0  # relevant ones among them
    relevant: int = 0
    essential: int = 0
    found: int = 0  # essential ones that are included
    tokens: int = 0
    content: int = 0  # tokens of titles, texts, reasons and code

    def add(self, other: Tally) -> None:
        for name in ("tasks", "included", "right", "relevant", "essential", "found", "tokens", "content"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def record(self) -> dict[str, Any]:
        return {
            "repository": self.name,
            "tasks": self.tasks,
            "precision": self.right / max(1, self.included),
            "recall": self.right / max(1, self.relevant),
            "essential": self.found / self.essential if self.essential else None,
            "metadata": 1 - self.content / max(1, self.tokens),
            "memories": self.included / max(1, self.tasks),
        }


def known(text: str) -> str:
    return " ".join(text.split())[:COMPARED]


def content_tokens(payload: str) -> int:
    """Return the tokens of a Markdown payload without its headings, notes, files, ages and marks."""
    told, in_section = [], False
    has_sections = _FULL.search(payload) is not None  # below a kind; in the compiled style such headings name places
    for line in payload.splitlines():
        is_section = line.startswith("#### ")
        in_section = has_sections and (is_section or (in_section and not _FRAME.match(line)))
        text = line.removeprefix("#### ") if in_section else _INDENT.sub("", line, count=1)
        text = _PLACE.sub("", text) if is_section or not in_section else text
        if not (_FRAME.match(text) or (is_section and not has_sections)):
            told.append(text.replace("**", "", 2) if text.startswith("**") and not in_section else text)
    return get_counter("o200k_base").count("\n".join(told).strip())


def run(program: str, words: Iterable[str], folder: str, home: Path) -> str:
    """Return what memtui prints in a folder, with every home below a throw-away one."""
    env = os.environ | {name: str(home / name.lower()) for name in HOMES} | {"MEMTUI_VAULT": str(home / "v.duckdb")}
    done = subprocess.run([program, *words], cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.stdout


def tally(program: str, directory: str, questions: Iterable[Mapping[str, Any]], home: Path) -> Tally:
    found = Tally(Path(directory).name)
    run(program, ["import", ".", "--active"], directory, home)
    run(program, ["reindex"], directory, home)
    texts = {one["id"]: known(one["insight"]) for one in json.loads(run(program, ["list", "--json"], directory, home))}
    for question in questions:
        files = [word for path in question["files"] for word in ("--file", path)]
        pack = json.loads(run(program, ["context", question["task"], *files, "--json"], directory, home) or "{}")
        included = [texts.get(one["id"], "") for one in pack.get("included", [])]
        relevant = {known(text) for text in question["relevant"]}
        found.tasks += 1
        found.included += len(included)
        found.right += sum(text in relevant for text in included)
        found.relevant += len(relevant)
        if question.get("essential"):
            found.essential += 1
            found.found += known(question["essential"]) in included
        found.tokens += pack.get("tokens", 0)
        found.content += content_tokens(pack.get("payload", ""))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--program", default=str(Path(sys.executable).with_name("memtui")))
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.labels.read_text("utf-8").splitlines() if line.strip()]
    rows.sort(key=lambda row: row["directory"])
    whole, found = Tally("all"), []
    for directory, questions in groupby(rows, key=lambda row: row["directory"]):
        with tempfile.TemporaryDirectory() as home:
            found.append(tally(arguments.program, directory, questions, Path(home)))
        whole.add(found[-1])
    for one in (*found, whole):
        record = one.record
        essential = "" if record["essential"] is None else f"  essential {record['essential']:.0%}"
        print(
            f"{one.name:<24} {one.tasks:>3} tasks  relevant {record['precision']:.0%}  of all relevant "
            f"{record['recall']:.0%}{essential}  metadata {record['metadata']:.1%}  memories {record['memories']:.1f}"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps([one.record for one in (*found, whole)], indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
