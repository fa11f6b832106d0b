"""What a pass of Tidy found, as data and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from memtui.analysis.contradictions import Contradiction
from memtui.analysis.dismissals import Hidden, Lesson
from memtui.analysis.duplicates import DuplicateGroup
from memtui.analysis.flaws import Flaw
from memtui.analysis.suggestions import RipeGroup
from memtui.curate.anchors import CheckedAnchor
from memtui.errors import NotFoundError
from memtui.text.planted import Planted

FINDINGS = (
    "duplicates",
    "contradictions",
    "anchors",
    "stale",
    "oversized",
    "vague",
    "fragments",
    "secrets",
    "unconfirmed",
    "unused",
)
"""The findings in their order."""

FLAWED = ("oversized", "vague", "fragments")
"""The findings about one memory by itself."""

Alikeness = Literal["shape", "file", "sort"]
ALIKENESSES: tuple[Alikeness, ...] = ("shape", "file", "sort")

Proposal = DuplicateGroup | Contradiction | RipeGroup | Flaw

WORDS = {"anchors": "dead anchors", "stale": "due for review", "unused": "never used"}
"""How people read a finding, where that differs from its name."""

_KEYS = {"contradictions": "conflicts"}  # Keys of the JSON contract that differ from the name of a finding


@dataclass(frozen=True, slots=True, kw_only=True)
class TidyReport:
    """Findings of a pass; ids unless said otherwise."""

    duplicates: tuple[DuplicateGroup, ...] = ()  # groups, the surest first
    contradictions: tuple[Contradiction, ...] = ()  # pairs, linked ones before proposed ones
    # paths of which the file moved or is gone, and rule files that hold for no file, each with all of its memories
    anchors: tuple[CheckedAnchor, ...] = ()
    stale: tuple[str, ...] = ()  # memories that are due for review
    oversized: tuple[str, ...] = ()  # memories of more than `OVERSIZED_TOKENS` tokens
    vague: tuple[str, ...] = ()  # memories that hold no fact
    fragments: tuple[str, ...] = ()  # memories that do not stand by themselves
    secrets: tuple[str, ...] = ()  # memories that hold what looks like a secret
    unconfirmed: tuple[str, ...] = ()  # memories that no person accepted or verified
    # memories that no pack held for `UNUSED_AFTER`, and those that were served often and never used
    unused: tuple[str, ...] = ()
    ripe: tuple[RipeGroup, ...] = ()  # groups that may share a conclusion: an offer, not a finding
    records: tuple[str, ...] = ()  # long memories that tell a whole file each, such as decisions with all reasons
    # why unconfirmed memories look planted, of those that do
    planted: Mapping[str, Planted] = field(default_factory=dict)
    flaws: Mapping[str, Flaw] = field(default_factory=dict)  # of each that is oversized, vague or a fragment
    hidden: tuple[Hidden, ...] = ()  # proposals that are not made, since enough like them were dismissed
    learned: tuple[Lesson, ...] = ()  # what dismissals teach, whether or not it hides anything
    waiting: frozenset[str] = frozenset()  # examined memories that wait in the inbox
    tokens: Mapping[str, int] = field(default_factory=dict)  # tokens of each examined memory
    titles: Mapping[str, str] = field(default_factory=dict)  # title of each examined memory
    files: Mapping[str, str] = field(default_factory=dict)  # file that each examined memory came from, if any
    unchecked: tuple[str, ...] = ()  # projects whose files could not be checked
    without_vector: int = 0  # memories in use that could not be compared by meaning because they have no vector yet

    @property
    def total(self) -> int:
        """Number of findings of all kinds."""
        return sum(len(getattr(self, name)) for name in FINDINGS)

    @property
    def lessons(self) -> tuple[tuple[Lesson, int], ...]:
        """What dismissals teach, each with how many proposals are not made for it, the most first."""
        counts = Counter(one.lesson.name for one in self.hidden)
        order = sorted(self.learned, key=lambda lesson: (-counts[lesson.name], lesson.finding, lesson.place))
        return tuple((lesson, counts[lesson.name]) for lesson in order)

    def lesson(self, name: str) -> Lesson:
        """Return the lesson of a name. Raises `NotFoundError`: there is none."""
        found = next((lesson for lesson in self.learned if lesson.name == name), None)
        if found is None:
            raise NotFoundError(
                "No such lesson was learned", where=name, remedy="`memtui tidy --learned` lists what dismissals teach."
            )
        return found

    def finding_about(self, ids: Iterable[str]) -> str:
        """Return the finding under which these memories are proposed together. Raises `NotFoundError`: under none."""
        wanted = set(ids)
        for finding in ("contradictions", "duplicates", "ripe", *FLAWED):
            if any(wanted <= set(proposal.ids) for proposal in self.proposals(finding)):
                return finding
        raise _not_proposed(wanted)

    def alike(self, finding: str, ids: Iterable[str], by: Alikeness = "shape") -> list[tuple[str, ...]]:
        """Return the ids of a proposal and of those like it, that one first.

        `by`: those of the same shape, from the same files, or all of the same sort.

        Raises `NotFoundError`: these memories are not proposed together.
        """
        proposed = self.proposals(finding)
        wanted = set(ids)
        one = next((proposal for proposal in proposed if wanted <= set(proposal.ids)), None)
        if one is None:
            raise _not_proposed(wanted)
        rest = [each.ids for each in proposed if each is not one and self._is_like(each, one, by)]
        return [one.ids, *rest]

    def _is_like(self, proposal: Proposal, other: Proposal, by: Alikeness) -> bool:
        if by == "shape":
            return proposal.shape == other.shape
        return by == "sort" or self.files_of(proposal.ids) == self.files_of(other.ids) != ""

    def files_of(self, ids: Iterable[str]) -> str:
        """Return the files that memories came from, joined with ` + `; empty where one came from none."""
        files = {self.files.get(identifier, "") for identifier in ids}
        return "" if "" in files else " + ".join(sorted(files))

    def proposals(self, finding: str) -> Sequence[Proposal]:
        """Return what is proposed: `contradictions`, `duplicates`, `ripe`, or flaws by the name of their finding."""
        if finding in FLAWED:
            return [self.flaws[identifier] for identifier in getattr(self, finding)]
        found: Sequence[Proposal] = getattr(self, finding)
        return found

    def ids(self, finding: str) -> list[str]:
        """Return the memories of a finding, each once."""
        found = getattr(self, finding)
        if finding in {"duplicates", "contradictions", "ripe"}:
            return list(dict.fromkeys(identifier for proposal in found for identifier in proposal.ids))
        if finding == "anchors":
            return list(dict.fromkeys(identifier for anchor in found for identifier in anchor.ids))
        return list(found)

    def token_mass(self, finding: str) -> int:
        """Return the tokens of a finding's memories; of duplicates, what merging all of them would save."""
        if finding == "duplicates":
            return sum(self.tokens[name] for group in self.duplicates for name in group.ids[1:])
        return sum(self.tokens[identifier] for identifier in self.ids(finding))

    @property
    def sure_savings(self) -> int:
        """Tokens that merging the easy duplicates would save: of the others a person has yet to say what they are."""
        return sum(self.tokens[name] for name in self._easily_merged)

    @property
    def _easily_merged(self) -> set[str]:
        """Memories of which nothing would be lost in those that they repeat."""
        return {name for group in self.duplicates if group.pile == "easy" for name in group.ids[1:]}

    @property
    def records_share(self) -> float:
        """Part of all tokens that the long memories of whole files take, 0–1."""
        return sum(self.tokens[identifier] for identifier in self.records) / max(1, sum(self.tokens.values()))

    def counts(self) -> dict[str, Any]:
        """Return the counts: per finding, of memories and tokens, now and after every easy merge."""
        total = sum(self.tokens.values())
        return {
            "memories": len(self.tokens),
            "memories_after": len(self.tokens) - len(self._easily_merged),
            "tokens": total,
            "tokens_after": total - self.sure_savings,
            **{_KEYS.get(name, name): len(getattr(self, name)) for name in FINDINGS},
            "token_mass": {_KEYS.get(name, name): self.token_mass(name) for name in FINDINGS},
        }


def _not_proposed(ids: Iterable[str]) -> NotFoundError:
    return NotFoundError(
        "These are not proposed together", where=" ".join(sorted(ids)), remedy="`memtui tidy` lists the proposals."
    )


def report_record(report: TidyReport) -> dict[str, Any]:
    """Return the `--json` form of a report: the contract's keys, in its order."""
    return {
        "duplicates": [
            {
                "ids": list(group.ids),
                "score": group.score,
                "pile": group.pile,
                "warnings": list(group.warnings),
                "warning_codes": [each.code for each in group.differ],
                "why": group.why,
            }
            for group in report.duplicates
        ],
        "conflicts": [
            {
                "ids": list(contradiction.ids),
                "type": contradiction.type,
                "why": contradiction.why,
                "winner": contradiction.winner,
            }
            for contradiction in report.contradictions
        ],
        "anchors": [
            {"id": anchor.id, "path": anchor.path, "state": anchor.state}
            | ({"suggestion": anchor.suggestion} if anchor.suggestion else {})
            | ({"ids": list(anchor.ids)} if anchor.others else {})
            | ({"file": anchor.file, "paths": list(anchor.paths)} if anchor.file else {})
            | ({"meant": anchor.meant} if anchor.file and anchor.meant else {})
            for anchor in report.anchors
        ],
        **{name: list(getattr(report, name)) for name in FINDINGS[3:]},
        "counts": report.counts(),
        "ripe": [{"ids": list(group.ids), "score": group.score, "why": group.why} for group in report.ripe],
        "mends": [flaw_record(flaw) for flaw in report.flaws.values()],
        "records": list(report.records),
        "hidden": len(report.hidden),
        "unchecked_projects": list(report.unchecked),
    } | ({"partial_vectors": report.without_vector} if report.without_vector else {})


def flaw_record(flaw: Flaw) -> dict[str, Any]:
    """Return the `--json` form of what is wrong with one memory, and of what would mend it."""
    record = {"id": flaw.id, "finding": flaw.finding, "reason": flaw.reason, "said": flaw.said, "mend": flaw.mend}
    record |= {"with": flaw.other} if flaw.other else {}
    return record | ({"and_with": list(flaw.more)} if flaw.more else {})


def lesson_record(lesson: Lesson, hidden: int) -> dict[str, Any]:
    """Return the `--json` form of a lesson, and how many proposals are not made for it."""
    return {
        "name": lesson.name,
        "finding": lesson.finding,
        "shape": list(lesson.shape),
        "by": lesson.sort,
        "place": lesson.place,
        "dismissals": lesson.number,
        "hidden": hidden,
    }
