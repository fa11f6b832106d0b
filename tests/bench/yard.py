"""What comes out of real repositories: `python tests/bench/yard.py DIR…` imports each and prints a scorecard.

`--json FILE` writes all of it; `--sample N FILE --seed S` writes N random memories of each as JSONL, for judges.
The repositories are listed in `yard.tsv`; nothing of what is in them is kept here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.yard_faults import fragment_faults, is_expected, is_heading, is_loaded, lines_lost, title_faults

if TYPE_CHECKING:
    from memtui.capture.import_plan import ImportPlan
    from memtui.capture.importer import SourcesRead
    from memtui.domain.memory import Memory

LONGEST_INSIGHT = 1_200
_XDG = tuple(f"XDG_{name}" for name in ("DATA_HOME", "CONFIG_HOME", "STATE_HOME", "CACHE_HOME", "RUNTIME_DIR"))
HOME_VARIABLES = ("HOME", "USERPROFILE", *_XDG, "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME")
EXAMPLES = 4
HEADING = " (heading)"


@dataclass(slots=True)
class Card:
    """The scorecard of one repository.

    Attributes:
        titles, fragments: memories with each fault; one memory may have several.
        bad_titles, broken: memories with any fault of the title, and of the text.
        foreign: memories from files that no assistant loads.
        lines: lines with text in the sources that were read.
        lost: `path:line` of each line that is in no memory and not reported; headings are marked.
        sources: memories by source that was read.
        left_out: sources that were not read, by reason.
        unread: files that an assistant loads and the import neither read nor told of.
        skipped_lines: lines told as left out, by reason.
        app_files: recognised files in the places that the app offers.
        again: what a second import of the same folder would add or change.
    """

    name: str
    memories: int = 0
    titles: Counter[str] = field(default_factory=Counter)
    fragments: Counter[str] = field(default_factory=Counter)
    bad_titles: int = 0
    broken: int = 0
    twice: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    foreign: int = 0
    lines: int = 0
    longest: int = 0
    shortest: int = 0
    too_long: int = 0
    lost: list[str] = field(default_factory=list)
    sources: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, list[str]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    skipped_lines: Counter[str] = field(default_factory=Counter)
    app_files: int = 0
    again: int = 0
    seconds: float = 0.0
    details: list[dict[str, Any]] = field(default_factory=list)


def score(folder: Path) -> Card:
    """Import a folder into a fresh vault, as `memtui import DIR` does, and return its scorecard."""
    from memtui.capture.importer import ImportRequest, plan_import, read_sources, run_import
    from memtui.capture.places import find_places
    from memtui.domain.identity import Actor
    from memtui.vault.filters import EVERYTHING, MemoryFilter
    from memtui.vault.vault import Vault

    folder = folder.resolve()
    with tempfile.TemporaryDirectory(prefix="memtui-yard-") as scratch:
        home = Path(scratch, "home")
        home.mkdir()
        os.environ.update({name: str(home) for name in HOME_VARIABLES})
        vault = Vault(Path(scratch, "vault.duckdb"))
        with vault.read():
            pass  # making the vault is no part of the import
        request = ImportRequest(paths=[folder], folder=folder, home=home)
        start = time.perf_counter()
        read = read_sources(request)
        plan, _ = run_import(vault, read, request, actor=Actor())
        seconds = time.perf_counter() - start
        again = plan_import(vault, read_sources(request), request)
        with vault.read() as reader:
            ids = reader.select_ids(MemoryFilter(scope=EVERYTHING, statuses=None), sort="created", now=vault.now())
            memories = list(reader.get_many(ids).values())
        card = Card(folder.name, len(memories), seconds=round(seconds, 2))
        card.again = sum(item.action not in {"unchanged", "skip"} for item in again.items)
        card.app_files = sum(len(place.sources) for place in find_places(folder, home)[0] if place.where == "project")
    _judge(card, memories, read, folder)
    _count_sources(card, memories, read, plan, folder)
    return card


def _judge(card: Card, memories: Sequence[Memory], read: SourcesRead, folder: Path) -> None:
    """Count the faults of titles and texts, and keep each memory for the sample."""
    included = {target for one in read.files for target in one.result.includes}
    imported = {_relative(one.file.name, folder) for one in read.files if one.file.path in included}
    for memory in memories:
        titled, broken = sorted(set(title_faults(memory.title))), sorted(set(fragment_faults(memory.insight)))
        source = memory.sources[0]
        paths = [_relative(one.path or "", folder) for one in memory.sources]
        card.titles.update(titled)
        card.fragments.update(broken)
        card.bad_titles += bool(titled)
        card.broken += bool(broken)
        is_foreign = not any(is_loaded(path) or path in imported for path in paths)
        card.foreign += is_foreign
        card.kinds[memory.kind] += 1
        card.details.append(
            {
                "repository": card.name,
                "id": memory.id,
                "path": paths[0],
                "lines": source.span,
                "heading": (source.native_id or "").rpartition("#")[0].strip(" >") or source.native_id,
                "title": memory.title,
                "insight": memory.insight,
                "kind": memory.kind,
                "why": memory.rationale,
                "faults": [*titled, *broken, *(["foreign"] if is_foreign else [])],
            }
        )
    lengths = [len(memory.insight) for memory in memories] or [0]
    card.longest, card.shortest = max(lengths), min(lengths)
    card.too_long = sum(length > LONGEST_INSIGHT for length in lengths)
    card.twice = sum(number for number in Counter(memory.title for memory in memories).values() if number > 1)


def _count_sources(card: Card, memories: Sequence[Memory], read: SourcesRead, plan: ImportPlan, folder: Path) -> None:
    """Count what was read, what was left out, and the lines that got lost."""
    held: dict[str, list[tuple[tuple[int, int], str]]] = {}
    for memory in memories:
        body = f"{memory.title}\n{memory.insight}\n{memory.rationale}\n{memory.snippet}"
        for source in memory.sources:
            held.setdefault(_relative(source.path or "", folder), []).append((source.span or (1, 10**9), body))
    told: dict[str, list[tuple[int, int]]] = {}
    for skipped in plan.skipped:
        if skipped.span is None:
            card.left_out.setdefault(_general(skipped.reason), []).append(_relative(skipped.path, folder))
        else:
            told.setdefault(_relative(skipped.path, folder), []).append(skipped.span)
            card.skipped_lines[skipped.reason] += skipped.span[1] - skipped.span[0] + 1
    for item in plan.items:
        span = item.draft.source.span
        if item.action != "add" and span is not None:
            told.setdefault(_relative(item.draft.source.path or "", folder), []).append(span)
            card.skipped_lines[item.reason or item.action] += span[1] - span[0] + 1
    for one in read.files:
        name, text = _relative(one.file.name, folder), one.file.text
        card.sources[name] = len(held.get(name, ()))
        card.lines += sum(bool(line.strip()) for line in text.split("\n"))
        if not any(draft.record for draft in one.result.drafts):
            lines = text.split("\n")
            for number in lines_lost(lines, held.get(name, ()), told.get(name, ())):
                card.lost.append(
                    f"{_relative(name, folder)}:{number}{HEADING if is_heading(lines[number - 1]) else ''}"
                )
    real = {one.file.path.resolve() for one in read.files}
    left = {path for paths in card.left_out.values() for path in paths}
    card.unread = [
        path
        for path in _tracked(folder)
        if is_expected(path) and path not in left and (folder / path).resolve() not in real
    ]


def _general(reason: str) -> str:
    return reason.partition(" as ")[0].partition(", imported by")[0]


def _relative(path: str, folder: Path) -> str:
    return Path(path).relative_to(folder).as_posix() if Path(path).is_relative_to(folder) else path


def _tracked(folder: Path) -> Iterable[str]:
    if not (folder / ".git").exists():
        return (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
    listed = subprocess.run(["git", "-C", str(folder), "ls-files", "-z"], check=True, capture_output=True)
    paths = listed.stdout.decode("utf-8", "replace").split("\0")
    return (path for path in paths if path and (folder / path).is_file())


def shown(card: Card) -> str:
    """Return a scorecard for people."""
    number = card.memories
    rows = {
        "titles": f"{_faults(card.bad_titles, card.titles, number)}; shared by several {card.twice}",
        "fragments": _faults(card.broken, card.fragments, number),
        "kinds": _shares(card.kinds, number),
        "lines": f"{card.lines}, {number / max(card.lines, 1):.2f} memories a line; {_lost([card])} {_some(card.lost)}",
        "insight": f"{card.shortest} to {card.longest} characters; {card.too_long} over {LONGEST_INSIGHT}",
        "foreign": f"{share(card.foreign, number)} memories from files that no assistant loads",
        "app": f"offers {card.app_files} files",
        "again": f"a second import changes {card.again}",
        "unread": f"{len(card.unread)} {_some(card.unread)}",
        "told": ", ".join(f"{reason} {count}" for reason, count in card.skipped_lines.most_common(8)) or "nothing",
    }
    left = (f"left out   {len(paths)}× {reason} {_some(paths)}" for reason, paths in card.left_out.items())
    head = f"## {card.name}: {number} memories from {len(card.sources)} sources in {card.seconds} s"
    return "\n".join([head, *(f"{name:<11}{row}" for name, row in rows.items()), *left])


def total(cards: Sequence[Card]) -> str:
    """Return the sums, for people."""
    number = sum(card.memories for card in cards)
    titles: Counter[str] = sum((card.titles for card in cards), Counter())
    broken: Counter[str] = sum((card.fragments for card in cards), Counter())
    kinds: Counter[str] = sum((card.kinds for card in cards), Counter())
    lines = sum(card.lines for card in cards)
    sources, seconds = sum(len(card.sources) for card in cards), sum(card.seconds for card in cards)
    rows = {
        "titles": _faults(sum(card.bad_titles for card in cards), titles, number),
        "fragments": _faults(sum(card.broken for card in cards), broken, number),
        "kinds": _shares(kinds, number),
        "lines": f"{lines}, {number / max(lines, 1):.2f} memories a line; {_lost(cards)}",
        "insight": f"{sum(card.too_long for card in cards)} over {LONGEST_INSIGHT} characters",
        "foreign": f"{share(sum(card.foreign for card in cards), number)} memories from files that no assistant loads",
        "app": f"offers {sum(card.app_files for card in cards)} files",
        "again": f"a second import changes {sum(card.again for card in cards)}",
        "unread": f"{sum(len(card.unread) for card in cards)} files that an assistant loads",
    }
    head = f"# {len(cards)} repositories: {number} memories from {sources} sources in {seconds:.1f} s"
    return "\n".join([head, *(f"{name:<11}{row}" for name, row in rows.items())])


def share(part: float, whole: float) -> str:
    return f"{part} ({part / whole:.0%})" if whole else str(part)


def _faults(bad: int, by_name: Counter[str], number: int) -> str:
    named = ", ".join(f"{name} {share(count, number)}" for name, count in by_name.most_common())
    return f"bad {share(bad, number)}: {named or 'none'}"


def _shares(counts: Counter[str], number: int) -> str:
    return ", ".join(f"{name} {count / number:.0%}" for name, count in counts.most_common())


def _lost(cards: Sequence[Card]) -> str:
    lost = [line for card in cards for line in card.lost]
    return f"lost {len(lost)}, of them headings {sum(line.endswith(HEADING) for line in lost)}"


def _some(names: Sequence[str]) -> str:
    more = f" … {len(names) - EXAMPLES} more" if len(names) > EXAMPLES else ""
    return f"[{', '.join(names[:EXAMPLES])}{more}]" if names else ""


def sampled(card: Card, number: int, seed: int) -> list[dict[str, Any]]:
    """Return some memories of a repository, the same ones for the same seed and outcome; without what the marks say."""
    chosen = random.Random(f"{seed}:{card.name}").sample(card.details, min(number, len(card.details)))
    return [{key: value for key, value in memory.items() if key != "faults"} for memory in chosen]


def main(words: Sequence[str] | None = None) -> None:
    """Print the scorecards."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the scorecards with every memory")
    parser.add_argument("--sample", nargs=2, metavar=("N", "FILE"), help="write N random memories of each as JSONL")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(words)
    cards = []
    for folder in chosen.folders:
        cards.append(score(folder))
        print(shown(cards[-1]), end="\n\n", flush=True)
    print(total(cards))
    if chosen.json:
        written = [{one.name: getattr(card, one.name) for one in fields(card)} for card in cards]
        chosen.json.write_text(json.dumps(written, ensure_ascii=False, indent=1), "utf-8")
    if chosen.sample:
        rows = [row for card in cards for row in sampled(card, int(chosen.sample[0]), chosen.seed)]
        Path(chosen.sample[1]).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main()
