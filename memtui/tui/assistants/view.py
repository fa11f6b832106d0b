"""The Assistants screen's reads, rows and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memtui import clock
from memtui.assist.install.assistants import Assistant
from memtui.assist.install.command import program_for
from memtui.assist.install.plan import Plan, Wishes, carry_out, plan_install, plan_uninstall, server_pastes
from memtui.assist.install.probe import Probed, probe
from memtui.assist.install.status import AssistantState, PartState, state_of, states
from memtui.assist.installed import hand_made_copy
from memtui.assist.sessions import Used, sessions_of
from memtui.assist.splice import FileEdit
from memtui.domain.wiring import Answer, Part, Scope, Wiring
from memtui.pack.clipboard import CopyResult, copy
from memtui.text.sanitize import reveal, tame
from memtui.text.words import counted
from memtui.tui.memory_view import ago, days_between, short_age
from memtui.tui.styled_text import Block, Piece, StyleName
from memtui.tui.values import Done
from memtui.tui.vault_access import VaultAccess
from memtui.tui.widgets.lists import Cell
from memtui.tui.widgets.row_list import TextRow
from memtui.wording.publishing import (
    PART_WORDS,
    SCOPE_WORDS,
    WIRING_WORDS,
    answer_remedy,
    answer_words,
    changed_by_hand,
    remedy,
)
from memtui.workspace import project_root

MOST_TITLES = 12  # Memories named of those that an assistant was served last


@dataclass(frozen=True, slots=True)
class AssistantRow:
    """An assistant in the list."""

    state: AssistantState
    used: tuple[Used, ...] = ()  # its sessions, the last used first

    @property
    def name(self) -> str:
        return self.state.assistant.name

    @property
    def worst(self) -> Wiring | None:
        """The state of what is installed that a person should look at; None where all is well."""
        parts = [part for part in self.state.parts if part.is_there or part.wiring is Wiring.UNREADABLE]
        return next((part.wiring for part in parts if part.wiring is not Wiring.INSTALLED), None)


@dataclass(frozen=True, slots=True)
class AssistantsRead:
    """All assistants, and the titles of the memories that they were served."""

    rows: tuple[AssistantRow, ...]
    titles: Mapping[str, str]
    project: Path | None  # the repository's root
    place: str  # what is in view, as every head names it


class Installer:
    """What the screen reads and changes."""

    def __init__(self, access: VaultAccess) -> None:
        self._access = access
        self._program = program_for(access.vault.path)
        self._root = project_root(access.opening.folder)

    def read(self) -> AssistantsRead:
        """Read the assistants' files, and what they asked for."""
        used = sessions_of(self._access.vault.path)
        rows = tuple(
            AssistantRow(state, tuple(one for one in used if one.assistant == state.assistant.name))
            for state in states(self._root, self._program)
        )
        wanted = [identifier for row in rows for identifier in served_last(row)]
        return AssistantsRead(rows, self._titles(wanted), self._root, self._access.read_place())

    def _titles(self, ids: Sequence[str]) -> dict[str, str]:
        if not ids or not self._access.vault.exists:
            return {}
        with self._access.read_vault.read() as reader:
            return {memory.id: tame(memory.title, 200) for memory in reader.get_many(ids).values()}

    def plan(self, assistant: Assistant, scope: Scope, *, removal: bool) -> Plan:
        """Return what installing or removing would change."""
        root = self._root or self._access.opening.types_from
        if removal:
            return plan_uninstall(assistant, scope, root, self._program)
        return plan_install(assistant, scope, root, self._program, Wishes())

    def carry_out(self, plan: Plan, *, removal: bool) -> Done:
        """Write what a plan shows."""
        carry_out(plan, clock.now().isoformat())
        title = plan.assistant.title
        return Done(f"Removed from {title}" if removal else f"Installed into {title}. {plan.assistant.steps[0]}")

    def probe(self, assistant: Assistant) -> list[Probed]:
        """Call what is installed in an assistant as it would."""
        return list(probe([state_of(assistant, self._root, self._program)], self._access.opening.types_from))

    def copy_lines(self, assistant: Assistant, scope: Scope) -> CopyResult:
        """Copy the lines of the server's entry."""
        return copy("".join(paste.lines for paste in server_pastes(assistant, self._program, scope)))

    def lines(self, assistant: Assistant, scope: Scope) -> list[Block]:
        """Return the lines of the server's entry, and where they go."""
        blocks = []
        for paste in server_pastes(assistant, self._program, scope):
            blocks.append(Block(((f"Paste into {paste.path}:", "text"),), gap=True))
            blocks += [Block(((f"  {line}", "code"),)) for line in paste.lines.splitlines()]
        return blocks


def served_last(row: AssistantRow) -> list[str]:
    """Return the memories that an assistant was served last, the newest first, each once."""
    found = (identifier for used in row.used for identifier in reversed(used.memories))
    return list(dict.fromkeys(found))[:MOST_TITLES]


# -- the list ------------------------------------------------------------------------------------------


def assistant_lines(rows: Sequence[AssistantRow]) -> list[AssistantRow | TextRow]:
    """Return the assistants under headings: installed, on this machine, not found here."""
    installed = [row for row in rows if row.state.is_installed]
    here = [row for row in rows if row.state.is_here and row not in installed]
    others = [row for row in rows if row not in installed and row not in here]
    lines: list[AssistantRow | TextRow] = []
    for heading, part in (("Installed", installed), ("On this machine", here), ("Not found on this machine", others)):
        lines += [TextRow(heading, count=str(len(part))), *part] if part else []
    return lines


def assistant_cells(row: AssistantRow, width: int) -> list[Cell]:
    """Return an assistant: how it stands, its name, and when it last asked."""
    del width
    mark, tone, words = _standing(row)
    asked = short_age(days_between(row.used[0].at, clock.now())) if row.used else ""
    return [
        Cell(mark, tone, 2),
        Cell(row.state.assistant.title, "base"),
        Cell(words, tone, 24, since=42, before=1, snug=True),
        Cell(asked, "dim", 5, since=30, right=True, before=2, snug=True),
    ]


def _standing(row: AssistantRow) -> tuple[str, str, str]:
    if row.state.is_installed or row.worst is not None:
        return ("!", "warning", WIRING_WORDS[row.worst]) if row.worst else ("●", "good", WIRING_WORDS[Wiring.INSTALLED])
    if not row.state.assistant.is_written:
        return " ", "dim", "lines to paste"
    return " ", "dim", "not installed"


# -- one assistant -------------------------------------------------------------------------------------


def assistant_blocks(
    row: AssistantRow, read: AssistantsRead, scope: Scope, probed: Sequence[Probed], lines: Sequence[Block]
) -> list[Block]:
    """Return everything about an assistant. `lines`: what a person can paste, where memtui does not write."""
    assistant = row.state.assistant
    here = "is on this machine" if row.state.is_here else "was not found on this machine"
    blocks = [Block(((assistant.title, "title"),)), Block(((here, "dim"),))]
    if assistant.is_written:
        for kind in (Part.SERVER, Part.HOOKS, Part.SKILL):
            parts = [part for part in row.state.parts if part.part is kind]
            if kind is not Part.SKILL or any(part.is_there for part in parts):
                blocks += _part_blocks(row.state, parts)
        blocks += _notes(row.state)
        if scope is Scope.PROJECT or read.project is not None:
            blocks.append(Block(((f"i installs {SCOPE_WORDS[scope]}; s changes that", "dim"),), gap=True))
    else:
        blocks += [Block((("memtui does not write its files. y copies the lines:", "text"),), gap=True), *lines]
    blocks += _probed_blocks(probed)
    blocks += _use_blocks(row, read.titles)
    blocks.append(Block((("Loaded automatically", "heading"),), gap=True))
    blocks += [Block(((f"- {words.replace('`', '')}", "text"),)) for words in assistant.loads_here]
    blocks.append(Block(((f"limit: {assistant.limit}", "dim"),)))
    blocks.append(Block((("Left to do", "heading"),), gap=True))
    blocks += [Block(((f"- {words.replace('`', '')}", "text"),)) for words in assistant.steps]
    return blocks


def _part_blocks(state: AssistantState, parts: Sequence[PartState]) -> Iterator[Block]:
    """Yield a part: where it is, else that it is not."""
    there = [part for part in parts if part.wiring is not Wiring.ABSENT] or list(parts[:1])
    for place, part in enumerate(there):
        is_well = part.wiring is Wiring.INSTALLED
        tone: StyleName = "good" if is_well else "dim" if part.wiring is Wiring.ABSENT else "warning"
        pieces: list[Piece] = [(f"{PART_WORDS[part.part]}: ", "label"), (WIRING_WORDS[part.wiring], tone)]
        if part.wiring is not Wiring.ABSENT:
            pieces.append((f" {SCOPE_WORDS[part.scope]}", "dim"))
        yield Block(tuple(pieces), gap=place == 0)
        yield Block(((f"  {_shown(part.path)}", "path"),))
        advice = remedy(part.wiring, state.assistant.name, state.assistant.title).replace("`", "")
        if advice:
            yield Block(((f"  {advice}", "text"),))


def _shown(path: Path) -> str:
    """Return a path as people write it, `~` for the home."""
    home = Path.home()
    return tame(f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path), 300)


def _notes(state: AssistantState) -> Iterator[Block]:
    if state.is_doubled:
        yield Block((("Its hooks run twice: for you and for this project. x removes one.", "warning"),), gap=True)
    for path in state.elsewhere:
        yield Block((("also: ", "label"), (_shown(Path(path)), "path")))


def _probed_blocks(probed: Sequence[Probed]) -> Iterator[Block]:
    if probed:
        yield Block((("Test call", "heading"),), gap=True)
    for one in probed:
        if one.answer is None:
            yield Block(((f"{PART_WORDS[one.part.part]}: ", "label"), ("not called", "dim")))
            continue
        tone: StyleName = "good" if one.answer is Answer.WORKS else "warning"
        words = answer_words(one.answer, one.seconds, one.tools, one.detail)
        yield Block(((f"{PART_WORDS[one.part.part]}: ", "label"), (words, tone)))
        if advice := answer_remedy(one.answer).replace("`", ""):
            yield Block(((f"  {advice}", "text"),))


def _use_blocks(row: AssistantRow, titles: Mapping[str, str]) -> Iterator[Block]:
    """Yield when an assistant last asked, and what it was served."""
    yield Block((("Requests and answers", "heading"),), gap=True)
    if not row.used:
        yield Block((("It has not requested anything yet.", "dim"),))
        return
    last, now = row.used[0], clock.now()
    events = ", ".join(f"{name} {number}" for name, number in sorted(last.events.items()))
    yield Block(((f"last {_when(last.at, now)}: {tame(events, 200)}", "text"),))
    tokens, memories = sum(one.tokens for one in row.used), sum(len(one.memories) for one in row.used)
    words = f"{counted(len(row.used), 'session')}, {counted(memories, 'memory')} served, {tokens:,} tokens"
    yield Block(((words, "text"),))
    for identifier in served_last(row):
        yield Block((("  · ", "dim"), (titles.get(identifier, f"{identifier} (no longer in the vault)"), "text")))


def _when(at: datetime, now: datetime) -> str:
    minutes = int(days_between(at, now) * 24 * 60)
    if minutes < 1:
        return "just now"
    return f"{minutes} min ago" if minutes < 120 else ago(days_between(at, now))  # noqa: PLR2004 - after two hours the day is enough


# -- a change, before it is made -----------------------------------------------------------------------

_TONES: Mapping[str, StyleName] = {"+": "good", "-": "warning", " ": "text", "…": "dim"}


def plan_blocks(plan: Plan, *, removal: bool) -> list[Block]:
    """Return a plan as the lines that change, file by file, and what cannot be changed."""
    blocks: list[Block] = []
    for edit in plan.edits:
        blocks += _edit_blocks(edit, gap=bool(blocks))
    for blocked in plan.blocked:
        blocks.append(Block(((_shown(blocked.path), "path"),), gap=bool(blocks)))
        blocks.append(Block(((tame(str(blocked.error), 500), "warning"),)))
        for paste in blocked.pastes:
            blocks.append(Block((("To do it by hand, put this into the file:", "text"),)))
            blocks += [Block(((f"  {line}", "code"),)) for line in paste.lines.splitlines()]
    if not blocks:
        words = "memtui is not installed here." if removal else "Everything is already installed."
        blocks.append(Block(((words, "text"),)))
    return blocks


def _edit_blocks(edit: FileEdit, *, gap: bool) -> Iterator[Block]:
    fate = "new" if edit.before is None else "removed" if edit.after is None else "changed"
    yield Block(((_shown(edit.path), "path"), (f"  {fate}", "dim")), gap=gap)
    if edit.by_hand:
        yield Block(((changed_by_hand(_shown(edit.path), _shown(hand_made_copy(edit.path))), "warning"),))
    for line in edit.diff:
        yield Block(((reveal(f"{line.sign} {line.text}"), _TONES[line.sign]),))
