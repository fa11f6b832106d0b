"""The gates that run `memtui check`: git's own hook, the hook managers pre-commit and lefthook, and GitHub Actions.

What memtui adds to a file of others stands between two comment lines, and goes with them. Files in YAML are parsed
before and after: nothing but memtui's entry may differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memtui import __version__
from memtui.assist.check_git import GitError, Repository
from memtui.assist.install import gate_yaml
from memtui.assist.install.command import Program, shell_line
from memtui.assist.install.plan import Blocked, Paste, Plan
from memtui.assist.installed import Installed, is_as_written, without_ours
from memtui.assist.splice import FileEdit, TextFile, read_file
from memtui.domain.wiring import Scope
from memtui.errors import MemtuiError, RefusedError, UsageError
from memtui.publish.portable import MANIFEST

BEGIN, END = "# memtui check: begin (memtui uninstall {name} removes it)", "# memtui check: end"
_OURS = re.compile(r"(?m)^[ \t]*# memtui check: begin[^\n]*\n(?:.*\n)*?[ \t]*# memtui check: end[ \t]*\r?\n?")

_SHELL = re.compile(r"#!\s*(?:\S*/env\s+(?:-\S+\s+)*)?(?:\S*/)?(?:ba|da|z|k|a)?sh\b")
_EXECUTABLE = 0o755
_LEFTHOOK_FILES = ("lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", ".config/lefthook.yml")


@dataclass(frozen=True, slots=True)
class Gate:
    """Something that runs the check."""

    name: str
    title: str
    steps: tuple[str, ...]  # what the person still has to do


GATES = {
    one.name: one
    for one in (
        Gate("git-hook", "the git hook", ()),
        Gate("pre-commit", "pre-commit", ("run `pre-commit install` in each clone",)),
        Gate("lefthook", "lefthook", ("run `lefthook install` in each clone",)),
        Gate(
            "github-action",
            "GitHub Actions",
            ("commit the file, and the portable vault whenever a constraint changes",),
        ),
    )
}
"""The gates by name."""


@dataclass(frozen=True, slots=True)
class _File:
    """One file, and how memtui gets into it."""

    path: Path
    root: Path  # the folder that it must lie in
    put: Callable[[str], str]  # from the text without memtui's part to that with it; raises `RefusedError`
    paste: str  # what to put into it by hand
    mode: int | None = None


def plan_gate(gate: Gate, folder: Path, program: Program) -> Plan:
    """Return what installing a gate into the repository of a folder would change.

    Raises:
        UsageError: the folder lies in no repository.
        RefusedError: GitHub Actions would have no constraints to read.
    """
    return _plan(gate, _file_of(gate, _repository(folder), program), is_install=True)


def plan_gate_removal(gate: Gate, folder: Path, program: Program) -> Plan:
    """Return what removing a gate would change; raises `UsageError` as above."""
    return _plan(gate, _file_of(gate, _repository(folder), program, is_install=False), is_install=False)


def _plan(gate: Gate, target: _File, *, is_install: bool) -> Plan:
    try:
        file = read_file(target.path, target.root)
        without = without_ours(file, _strip)
        base = TextFile(file.path, without)
        wanted = base.encoded(_put(target, base)) if is_install else without
    except MemtuiError as error:
        blocked = Blocked(target.path, error, (Paste(str(target.path), target.paste),))
        return Plan(gate, Scope.PROJECT, blocked=(blocked,))
    mode = target.mode if is_install else None
    by_hand = not is_install and is_as_written(file) is False and _is_changed_by_hand(file, target, base)
    edit = FileEdit(target.path, file.data, wanted, without, mode=mode, by_hand=by_hand)
    kept = (target.path,) if file.data is not None and not edit.is_change else ()
    return Plan(gate, Scope.PROJECT, (edit,) if edit.is_change else (), kept)


def _is_changed_by_hand(file: TextFile, target: _File, base: TextFile) -> bool:
    """Return whether memtui's lines are there and say something else than memtui would write."""
    there = _OURS.search(file.text.replace("\r\n", "\n"))
    try:
        ours = _OURS.search(_put(target, base).replace("\r\n", "\n"))
    except MemtuiError:
        ours = None
    return there is not None and (ours is None or there[0] != ours[0])


def _put(target: _File, base: TextFile) -> str:
    """Return the text of a file with memtui's part, its line ends as they were."""
    plain = base.text.replace("\r\n", "\n")
    if plain.replace("\n", base.newline) != base.text:
        raise RefusedError("The file mixes line endings", where=str(target.path))
    return target.put(plain).replace("\n", base.newline)


def _strip(file: TextFile, record: Installed | None) -> bytes | None:
    rest = _OURS.sub("", file.text)
    is_ours = record is not None and record.without is None
    if not rest.strip() or (is_ours and rest.strip() == "#!/bin/sh"):
        return None if rest != file.text else file.data
    return file.encoded(rest)


def _repository(folder: Path) -> Repository:
    try:
        return Repository(folder)
    except GitError as error:
        raise UsageError("Not inside a repository", where=str(folder), remedy="Run it inside a project.") from error


def _file_of(gate: Gate, repository: Repository, program: Program, *, is_install: bool = True) -> _File:
    top = repository.top
    if gate.name == "git-hook":
        return _hook(repository, program)
    if gate.name == "pre-commit":
        return _managed(gate, top / ".pre-commit-config.yaml", top)
    if gate.name == "lefthook":
        found = next((top / name for name in _LEFTHOOK_FILES if (top / name).is_file()), top / _LEFTHOOK_FILES[0])
        return _managed(gate, found, top)
    source = written_vault(repository) if is_install else ""
    workflow = _between(gate, _WORKFLOW.format(version=__version__, source=shell_line([source])))
    return _File(top / ".github" / "workflows" / "memtui.yml", top, lambda text: _new_file(text, workflow), workflow)


# -- git's own hook -----------------------------------------------------------------------------------


def _hook(repository: Repository, program: Program) -> _File:
    """Return the hook file that git runs: of husky the one that its users write, never the one that it generates."""
    asked = repository.git("rev-parse", "--git-path", "hooks", "--git-common-dir").decode("utf-8", "surrogateescape")
    hooks, common = (repository.top / line for line in asked.split("\n")[:2])
    if hooks.name == "_" and hooks.parent.name == ".husky":
        hooks = hooks.parent
    root = common if hooks.is_relative_to(common) else repository.top
    command, check = shell_line([program.path]), shell_line(program.argv("check", "--staged"))
    lines = _between(
        GATES["git-hook"],
        f"if command -v {command} >/dev/null 2>&1; then\n"
        f'    {check} --message "$1" || exit $?\n'
        "else\n"
        f"    echo {shell_line([f'memtui check: nothing was checked: {program.path} is gone'])} >&2\n"
        "fi\n",
    )
    path = hooks / "commit-msg"
    return _File(path, root, lambda text: _chained(path, text, lines), lines, _EXECUTABLE)


def _chained(path: Path, text: str, lines: str) -> str:
    """Return a hook with memtui's lines before its own, so that no `exit` of it passes them by.

    Raises `RefusedError`: it is no shell script, or git does not run it.
    """
    if not text.strip():
        return f"#!/bin/sh\n{lines}"
    first, newline, rest = text.partition("\n")
    if first.startswith("#!") and not _SHELL.match(first):
        raise RefusedError("The existing hook is not a shell script", where=str(path))
    if path.is_file() and not path.stat().st_mode & 0o100:
        raise RefusedError(
            "The existing hook is not executable, so git does not run it",
            where=str(path),
            remedy="Make it executable or remove it first.",
        )
    return f"{first}{newline or chr(10)}{lines}{rest}" if first.startswith("#!") else f"{lines}{text}"


# -- hook managers ------------------------------------------------------------------------------------


def _managed(gate: Gate, path: Path, root: Path) -> _File:
    """Return the file of a hook manager, into which memtui's command goes."""
    begin, end = BEGIN.format(name=gate.name), END
    with_check = gate_yaml.with_pre_commit if gate.name == "pre-commit" else gate_yaml.with_lefthook
    return _File(path, root, lambda text: with_check(path, text, begin, end), with_check(path, "", begin, end))


# -- GitHub Actions -----------------------------------------------------------------------------------

_WORKFLOW = """\
name: memtui check
on: pull_request
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - uses: actions/setup-python@v5
        with:
          python-version: "3.x"
      - run: pip install memtui=={version}
      - run: memtui check --from {source} --diff "origin/$BASE" --strict --github
        env:
          BASE: ${{{{ github.base_ref }}}}
"""


def written_vault(repository: Repository) -> str:
    """Return the portable vault that lies in a repository, relative to its top; of several the one nearest to it.

    Raises `RefusedError`: there is none.
    """
    listed = repository.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = listed.decode("utf-8", "surrogateescape").split("\0")
    found = [name for name in names if name.rsplit("/", 1)[-1] == MANIFEST]
    if not found:
        raise RefusedError(
            "The repository contains no portable vault, which a workflow needs",
            where=str(repository.top),
            remedy="`memtui export --target vault --out .memtui --where 'kind:constraint'` writes one.",
        )
    nearest = min(found, key=lambda name: (name.count("/"), name))
    return nearest.rpartition("/")[0] or "."


def _between(gate: Gate, text: str) -> str:
    return f"{BEGIN.format(name=gate.name)}\n{text}{END}\n"


def _new_file(text: str, workflow: str) -> str:
    if text.strip():
        raise RefusedError("A workflow that memtui did not write already exists", where=".github/workflows/memtui.yml")
    return workflow
