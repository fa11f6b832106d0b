"""What Context shows and asks over itself: choices of a setting, what is loaded anyway, what changed since a pack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from memtui.capture.loaded import Loaded, LoadedFile, loaded
from memtui.capture.loads import assistant_named, assistant_names
from memtui.pack.budget import counter_for
from memtui.pack.filters import SECRET_WORDS
from memtui.pack.targets.formats import target_named, target_names
from memtui.recall.eligibility import PHASES
from memtui.text.sanitize import tame
from memtui.tui.context.queries import Answer, Payloads, Since
from memtui.tui.context.task_lines import GUESSED
from memtui.tui.context.view import since_blocks
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.screens.dialogs import CardScreen, pick
from memtui.tui.styled_text import Block, Piece
from memtui.tui.switching import no_folder
from memtui.tui.vault_access import VaultAccess
from memtui.wording.publishing import loaded_notes, stale_words


def pick_target(screen: MemtuiScreen, current: str, take: Callable[[str], object]) -> None:
    choices = [(name, target_named(name).label) for name in target_names()]
    pick(screen.app, "Target", choices, current, take)


def pick_phase(screen: MemtuiScreen, current: str, take: Callable[[str], object]) -> None:
    """Let a phase be chosen; none stands for one that is guessed."""
    choices = [(GUESSED, "from the words of the task"), *((phase, "") for phase in PHASES)]
    pick(screen.app, "Phase", choices, current or GUESSED, lambda name: take("" if name == GUESSED else name))


def pick_secrets(screen: MemtuiScreen, current: str, take: Callable[[str], object]) -> None:
    """Let be chosen what happens to memories that hold what looks like a secret."""
    pick(screen.app, "Secrets", list(SECRET_WORDS.items()), current or screen.opening.context.secrets, take)


_OF_TARGETS = {"claude-code": "claude-md", "claude-memory": "claude-md"}
"""Targets by another that their assistant is published to by."""


def show_own_files(screen: MemtuiScreen, target: str) -> None:
    """Show on a card what the target's assistants read by themselves in the screen's folder."""

    def show(found: list[Loaded]) -> None:
        why = [] if screen.opening.has_folder else [Block(((no_folder(screen.opening), "warning"),))]
        screen.app.push_screen(CardScreen("Loaded automatically", [*why, *own_files_blocks(found)]))

    screen.loader.read(lambda: read_own_files(screen.access, target), show, group="own-files")


def show_since(screen: MemtuiScreen, payloads: Payloads, answer: Answer) -> None:
    """Show on a card what changed since the last pack of the task, where there was one."""

    def show(since: Since) -> None:
        screen.app.push_screen(CardScreen("Since last time", since_blocks(since)))

    if (diff := answer.diff) is not None:
        screen.loader.read(lambda: payloads.since(diff), show, group="detail")


def read_own_files(access: VaultAccess, target: str) -> list[Loaded]:
    """Return what the target's assistants read by themselves; for a target of no assistant, what any reads."""
    opening = access.opening
    counter = counter_for(opening.context.encoding)
    known = [assistant_named(name) for name in assistant_names()]
    wanted = _OF_TARGETS.get(target, target)
    meant = [one for one in known if one.target == wanted]
    found = [
        loaded(one, opening.folder, Path.home(), counter=counter, vault=access.read_vault) for one in meant or known
    ]
    return [one for one in found if one.files or meant]


def own_files_blocks(found: Sequence[Loaded]) -> list[Block]:
    """Return what assistants read by themselves, file by file, and what it costs a session."""
    blocks: list[Block] = []
    for one in found:
        blocks.append(
            Block(((one.assistant.label, "heading"), (f"  {one.assistant.version}", "dim")), gap=bool(blocks))
        )
        for file in one.files:
            blocks += _file(file)
        total = f"{one.total_tokens:,} tokens a session, before the first word" if one.files else "reads no files here"
        blocks.append(Block(((total, "text"),)))
    return blocks or [Block((("No assistant reads any files here.", "text"),))]


def _file(file: LoadedFile) -> Iterator[Block]:
    # What is read only with files, or when it is asked for, costs a session nothing at its start.
    size = f"  {file.bytes:,} bytes" + (f", {file.tokens:,} tokens" if file.tokens else "")
    pieces: list[Piece] = [(tame(file.shown, 300), "path"), (size, "dim")]
    if notes := loaded_notes(file):
        pieces.append((f"  {tame(notes, 300)}", "warning" if file.cut or file.twice or file.stale else "dim"))
    yield Block(tuple(pieces))
    for stale in file.stale:
        yield Block(((f"  {tame(stale_words(stale), 300)}", "warning"),))
