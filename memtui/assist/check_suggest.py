"""Rules that a constraint suggests, and what rules would have stopped: both are looked at before a rule is set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memtui.assist.check import Finding as Broken
from memtui.assist.check import lines_wanted, run_check
from memtui.assist.check_constraints import KIND, Constraint, Constraints
from memtui.assist.check_git import GitError, Repository
from memtui.curate.form import Basis, Finding, Texts
from memtui.domain.memory import Memory
from memtui.domain.rules import Rule, parse_rule, readable_rules
from memtui.errors import UsageError
from memtui.text.guarded_patterns import Matcher
from memtui.wording import checks

MOST_SUGGESTED = 4

_NEVER = r"\b(?:never|not|don['\u2019]?t|no longer|must not|may not|nobody|no one|avoid|forbidden)\b"
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_SUFFIXES = "py|ts|js|go|rs|java|sql|json|ya?ml|toml|lock|md"
_PATH = re.compile(rf"(?<![\w`/])(?:(?:[\w.-]{{1,100}}/)+(?:[\w.*-]+)?(?![\w`])|[\w-]{{1,100}}\.(?:{_SUFFIXES})\b)")


def _phrase(pattern: str) -> re.Pattern[str]:
    """Compile a pattern in which `<name>` stands for code in backticks and `~` for a few words between."""
    named = re.sub(r"<(\w+)>", r"`(?P<\1>[^`\\n]{1,120})`", pattern)
    return re.compile(named.replace("~", r"[^.\n`]{0,50}"), re.IGNORECASE)


_EDIT = _phrase(
    rf"{_NEVER}~\b(?:edit|edited|touch|touched|change|changed|modif\w+|rewrit\w+|alter\w*)\b"
    r"|\bby hand\b|\bread-only\b|\b(?:is|are) generated\b"
)
_APPLIED = _phrase(r"\b(?:applied|released|published|shipped|merged|existing)\b")
_TOGETHER = _phrase(
    r"\b(?:when(?:ever)?|if|each time|with)\b~<first>~\b(?:change|edit)\w*\b~"
    r"\b(?:update|change|bump|edit|adapt|regenerate)\b~<second>"
)
_IMPORT = _phrase(rf"<who>~{_NEVER}~\b(?:import|depend)\w*\b~<what>")
_ONLY = _phrase(r"\bonly\b~<who>~\b(?:imports?|uses?|talks? to)\b~<what>")
_RUN = _phrase(rf"{_NEVER}~\b(?:run|call|execute|type|use)\b~<command>")
_USE = _phrase(rf"(?:{_NEVER}~\b(?:use|call|write|add|introduce|log|throw|raise|catch)\b~|\bno )<code>")
_COMMANDS = frozenset(
    {"git", "npm", "pnpm", "yarn", "pip", "uv", "cargo", "go", "make", "docker", "kubectl", "terraform", "rm", "sudo"}
    | {"psql", "alembic", "poetry", "npx", "bun", "brew", "apt", "helm", "curl", "ssh"}
)


def suggested_rules(memory: Memory) -> list[str]:
    """Return the rules that a memory's words suggest and that it does not carry yet."""
    found: dict[str, None] = {}
    globs = [anchor.path.split("::", 1)[0] for anchor in memory.anchors]
    for sentence in _SENTENCE.split(f"{memory.title}\n{memory.insight}"):
        for rule in _suggested(sentence, globs):
            try:
                found[str(parse_rule(str(rule)))] = None
            except UsageError:
                continue
    return [rule for rule in found if rule not in memory.rules][:MOST_SUGGESTED]


def _suggested(sentence: str, globs: list[str]) -> Iterator[Rule]:
    if together := _TOGETHER.search(sentence):
        yield Rule("with", together["first"], together["second"])
    elif imported := _IMPORT.search(sentence):
        yield Rule("forbid-import", _tree(imported["who"]), imported["what"])
    elif only := _ONLY.search(sentence):
        yield Rule("forbid-import", "**", only["what"], spared=_tree(only["who"]))
    elif _EDIT.search(sentence):
        applied = bool(_APPLIED.search(sentence))
        for path in dict.fromkeys([*_paths(sentence), *globs]):
            yield Rule("protect", path, spares_new=applied)
    elif (run := _RUN.search(sentence)) and run["command"].split()[0] in _COMMANDS:
        yield Rule("forbid-command", r"\s+".join(map(re.escape, run["command"].split())))
    elif used := _USE.search(sentence):
        code = used["code"].strip()
        if "/" not in code and " " not in code:
            yield from (Rule("forbid", _pattern(code), _tree(glob)) for glob in globs or ["**"])


def _pattern(code: str) -> str:
    """Return a pattern for a piece of code; a call is matched at its parenthesis."""
    plain = code.removesuffix("()").removesuffix("(…)").removesuffix("(...)")
    call = r"\s*\(" if plain != code else ""
    start, end = (r"\b" if side.isalnum() or side == "_" else "" for side in (plain[:1], plain[-1:]))
    return f"{start}{re.escape(plain)}{call or end}"


def _paths(sentence: str) -> Iterator[str]:
    for code in re.findall(r"`([^`\n]+)`", sentence):
        if "/" in code or re.fullmatch(r"[\w*.-]+\.\w{1,8}", code):
            yield code
    yield from _PATH.findall(sentence)


def _tree(path: str) -> str:
    """Return the glob of everything in a folder; a dotted module is the folder of that name."""
    if any(mark in path for mark in "*?[{") or re.search(r"/[^/]*\.\w{1,8}$", path):
        return path
    plain = path.strip("/") if "/" in path else path.replace("::", "/").replace(".", "/")
    return f"**/{plain}/**" if "/" not in path else f"{plain}/**"


LAST_COMMITS = 200  # Commits that are looked back on, merges left out


@dataclass(frozen=True, slots=True)
class Stopped:
    """A commit that a rule would have stopped."""

    commit: str
    subject: str
    finding: Broken  # the first one


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of the last commits."""

    commits: int  # how many there were
    stopped: tuple[Stopped, ...]  # the newest first


@lru_cache(maxsize=64)
def try_rules(rules: tuple[str, ...], folder: Path, root: Path) -> Trial | None:
    """Return which of the last commits of a repository rules would have stopped; None outside of one.

    `folder`: a folder of the working tree. `root`: the folder that globs are relative to.
    """
    found, _ = readable_rules(rules)
    held = Constraints((Constraint("trial", "", "", tuple(found)),), root)
    matcher = Matcher(seconds=0.5)
    try:
        repository = Repository(folder, root)
        commits = list(_commits(repository))
        stopped = [
            Stopped(commit, subject, report.findings[0])
            for (commit, subject), changes in zip(
                commits, repository.of_commits([commit for commit, _ in commits], lines_wanted(held)), strict=True
            )
            if (report := run_check(held, changes, repository=repository, matcher=matcher)).findings
        ]
    except GitError:
        return None
    return Trial(len(commits), tuple(stopped))


def _commits(repository: Repository) -> Iterator[tuple[str, str]]:
    """Yield (id, subject) of the last commits, the newest first. Raises `GitError`: there is none."""
    output = repository.git("log", f"-{LAST_COMMITS}", "--no-merges", "-z", "--format=%H%n%s")
    for entry in filter(None, output.decode("utf-8", "replace").split("\0")):
        commit, _, subject = entry.partition("\n")
        yield commit, subject.strip()


def about_rules(texts: Texts, basis: Basis) -> list[Finding]:
    """Return what to say beside the rules of a form: what new ones would have stopped, or which its words suggest."""
    before = basis.memory.rules if basis.memory is not None else ()
    lines = [line.strip() for line in texts.get("rules", "").split("\n") if line.strip()]
    if not lines:
        suggested = suggested_rules(basis.memory) if basis.memory and basis.memory.kind == KIND else []
        return [Finding("rules", "hint", checks.suggested(rule)) for rule in suggested[:1]]
    new = [str(rule) for _, rule in readable_rules(lines)[0] if str(rule) not in before]
    return list(_trials(new, basis.root)) if basis.root is not None else []


def _trials(rules: Sequence[str], root: Path) -> Iterator[Finding]:
    """Yield what each rule would have stopped among the last commits."""
    for rule in rules:
        trial = try_rules((rule,), root, root)
        if trial is not None and trial.commits:
            words = checks.trial(trial.commits, [(one.commit, one.subject) for one in trial.stopped])
            yield Finding("rules", "hint", f"{rule}: {words}" if len(rules) > 1 else words)
