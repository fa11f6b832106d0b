"""How well two memories are judged: `python tests/bench/pairs.py [FILE.jsonl…]` prints precision, recall and F1.

A file has a pair a line: `set` (duplicate or conflict), `label`, `one`, `other`, maybe `title_one`, `title_other`.
Each pair is judged alone, in a project of its own, and then all of a file together in one project.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from memtui.analysis.pair_features import Nearness, features
from memtui.analysis.snapshot import TextCache, nearness
from memtui.analysis.titles import title_for
from memtui.curate.snapshot_reader import pairs_by_meaning, read_snapshot
from memtui.curate.tidy import TidyOptions, tidy
from memtui.curate.tidy_report import TidyReport
from memtui.domain.memory import Memory
from memtui.embedding.bundled import NAME, BundledEngine
from memtui.recall.embedding_cache import embed_missing
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CURATION = Path(__file__).parents[1] / "curation"
SAME = frozenset({"true-duplicate", "true duplicate", "same sentence other case", "other-case", "case"})
"""Types of pairs of the contradictions' set that are duplicates."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A labelled pair."""

    set: str  # duplicate or contradiction: the question that it was written for
    label: str
    type: str
    writer: str  # `own`, or the number of a stranger
    memories: tuple[Memory, Memory]

    @property
    def says_yes(self) -> bool:
        """Whether the answer to the question is yes."""
        return self.label == ("duplicate" if self.set == "duplicate" else "conflict")

    @property
    def is_same(self) -> bool:
        return self.label == "duplicate" or self.type in SAME

    @property
    def clashes(self) -> bool:
        return self.label == "conflict"


def read_pairs(*names: str | Path) -> list[Pair]:
    """Return the pairs of files, or of `own`, `strangers-dev` and `strangers-locked`; a missing file has none."""
    found: list[Pair] = []
    for name in names:
        if name == "own":
            for question in ("duplicate", "conflict"):
                found += _read(CURATION / f"{question}-pairs.jsonl", question)
        else:
            path = CURATION / f"{name}.jsonl" if isinstance(name, str) else name
            found += _read(path, "") if path.exists() else []
    return found


def _read(path: Path, question: str) -> Iterator[Pair]:
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        row: dict[str, Any] = json.loads(line)
        asked = row.get("set", question)
        memories = tuple(_memory(row, side, f"{number:05}{side}") for side in ("one", "other"))
        yield Pair(
            "duplicate" if asked == "duplicate" else "contradiction",
            row["label"],
            row.get("type") or "",
            str(row.get("writer", "own" if question else path.stem)),
            (memories[0], memories[1]),
        )


def _memory(row: dict[str, Any], side: str, identifier: str) -> Memory:
    text = row[side]
    title, now = row.get(f"title_{side}") or title_for(text, ()), datetime(2026, 3, 1, tzinfo=UTC)
    return Memory(id=identifier, title=title, insight=text, project="pairs", created_at=now, updated_at=now)


def strangers(pairs: Iterable[Pair]) -> list[str]:
    return sorted({pair.writer for pair in pairs} - {"own"})


def vault_of(pairs: Sequence[Pair], folder: Path, engine: BundledEngine, *, together: bool) -> Vault:
    """Return a vault with the pairs, each in a project of its own unless together, and their vectors."""
    vault = Vault(folder / f"{'together' if together else 'alone'}.duckdb")
    with vault.write(actor="bench", action="fill") as writer:
        writer.put_many(
            replace(memory, id=f"{number:05}{side}", project="pairs" if together else f"pair-{number}")
            for number, pair in enumerate(pairs)
            for side, memory in zip("ab", pair.memories, strict=True)
        )
    embed_missing(vault, engine)
    return vault


def cosines(pairs: Sequence[Pair], engine: BundledEngine) -> list[float]:
    """Return the cosine of the vectors of each pair, made as a vault makes them."""
    from memtui.vault.search.vectors import all_vectors

    with tempfile.TemporaryDirectory() as folder:
        vault = vault_of(pairs, Path(folder), engine, together=False)
        keys = read_snapshot(vault, MemoryFilter()).keys
        with vault.read() as reader:
            table = all_vectors(reader, NAME)
    rows: dict[int, NDArray[np.float32]] = dict(zip(table.keys.tolist(), table.matrix, strict=True))
    return [float(rows[keys[f"{n:05}a"]] @ rows[keys[f"{n:05}b"]]) for n in range(len(pairs))]


def neighbours(
    vaults: Iterable[Vault], *, is_noted: bool = False
) -> Iterator[tuple[Memory, Memory, Nearness, dict[str, float]]]:
    """Yield the pairs of vaults whose vectors are near, with what is known of each."""
    for vault in vaults:
        texts = TextCache()
        snapshot = read_snapshot(vault, MemoryFilter())
        known = {memory.id: memory for memory in snapshot.memories}
        for alike in pairs_by_meaning(vault, snapshot, NAME):
            one, other = sorted((known[alike.one], known[alike.other]), key=lambda memory: memory.insight)
            near = nearness(alike, len(known) - 1, is_noted=is_noted)
            first, second = (texts.facts[memory.title, memory.insight] for memory in (one, other))
            yield one, other, near, features(first, second, near)


@dataclass(frozen=True, slots=True)
class Figures:
    """Precision and recall of what was proposed."""

    right: int
    proposed: int
    wanted: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.proposed)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.wanted)

    @property
    def f1(self) -> float:
        return 2 * self.right / max(1, self.proposed + self.wanted)

    def __str__(self) -> str:
        return f"precision {self.precision:.2f}  recall {self.recall:.2f}  F1 {self.f1:.2f}"


def judged(pairs: Sequence[Pair], engine: BundledEngine, *, together: bool) -> TidyReport:
    with tempfile.TemporaryDirectory() as folder:
        vault = vault_of(pairs, Path(folder), engine, together=together)
        return tidy(vault, TidyOptions(model=NAME))


def measured(pairs: Sequence[Pair], report: TidyReport) -> tuple[Figures, Figures, list[str]]:
    """Return the figures of duplicates and of contradictions, and what in the easy pile is no duplicate."""
    same = [(group.ids, group.pile) for group in report.duplicates]
    easy = {int(ids[0][:5]) for ids, pile in same if pile == "easy" and _is_pair(ids)}
    proposed = {int(one[:5]) for ids, _ in same for one, other in combinations(ids, 2) if one[:5] == other[:5]}
    clashing = {int(found.ids[0][:5]) for found in report.contradictions if _is_pair(found.ids)}
    wrong = [pairs[n].label for n in sorted(easy) if not pairs[n].is_same]
    return _figures(pairs, "duplicate", proposed), _figures(pairs, "contradiction", clashing), wrong


def _is_pair(ids: Sequence[str]) -> bool:
    return len({identifier[:5] for identifier in ids}) == 1


def _figures(pairs: Sequence[Pair], question: str, proposed: Iterable[int]) -> Figures:
    asked = {number for number, pair in enumerate(pairs) if pair.set == question}
    wanted = {number for number in asked if pairs[number].says_yes}
    found = asked & set(proposed)
    return Figures(len(found & wanted), len(found), len(wanted))


def main() -> None:
    names: list[str | Path] = [Path(name) for name in sys.argv[1:]]
    engine = BundledEngine()
    for name in names or ["own", "strangers-dev", "strangers-locked"]:
        pairs = read_pairs(name)
        for together in (False, True) if pairs else ():
            duplicates, contradictions, wrong = measured(pairs, judged(pairs, engine, together=together))
            print(f"{name}, {len(pairs)} pairs, {'all in one project' if together else 'each in its project'}")
            print(f"  duplicates      {duplicates}")
            print(f"  contradictions  {contradictions}")
            print(f"  no duplicates in the easy pile: {', '.join(wrong) or 'none'}")


if __name__ == "__main__":
    main()
