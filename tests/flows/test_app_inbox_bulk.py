"""The Inbox with many candidates: groups, the filter, marks by file, section and kind, the editor, never again."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from curating import AGENT, add, bring, new_vault, repository
from flows.app_driver import NARROW, WIDE, app_on, says, screen_text, shows, toasts, unsays, until
from flows.editing_driver import form_closes, form_opens, inbox_opens, set_editor, terminal_of_its_own, waits
from textual.pilot import Pilot

from memtui.curate import inbox_sheet
from memtui.curate.lifecycle import accept
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory
from memtui.errors import VaultBusyError
from memtui.tui.inbox.screen import InboxScreen
from memtui.tui.textual_patches.display import ABOVE
from memtui.vault.filters import MemoryFilter
from memtui.vault.passed_files import passed_files
from memtui.vault.vault import Vault

pytestmark = pytest.mark.usefixtures("isolated")

HARBOUR = """# Harbour

## Locks

- Never hold two lock gates open at once.
- Log every lockage with its water level.

## Tides

- Read the tide table before you moor.
- Never moor a barge at the pilot quay.
"""
QUAY = "# Quay\n\n- Keep the fenders out on quay four.\n- Never paint the bollards red.\n"


@pytest.fixture
def harbour(tmp_path: Path) -> Vault:
    root = repository(tmp_path / "harbour", {"CLAUDE.md": HARBOUR, "quay/AGENTS.md": QUAY})
    vault, _ = new_vault(tmp_path / "data")
    bring(vault, root, project="harbour")
    return vault


def statuses(vault: Vault) -> Mapping[str | None, int]:
    with vault.read() as reader:
        return reader.counts_by("status", MemoryFilter(statuses=None))


def texts(folder: Path) -> list[Path]:
    return list(folder.glob("memtui-inbox-*"))


async def opened(pilot: Pilot[Any], number: int = 6) -> InboxScreen:
    await pilot.press("b")
    return await inbox_opens(pilot, number)


async def test_files_and_sections_stand_over_their_candidates_and_fold(harbour: Vault, tmp_path: Path) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        inbox = await opened(pilot)
        await shows(pilot, "▾ CLAUDE.md")
        await shows(pilot, "▾ Locks")
        await shows(pilot, ":5")
        await pilot.press("left")
        await shows(pilot, "▸ Locks")
        assert "lock gates" not in screen_text(pilot).split("││")[0]
        await pilot.press("left")
        await shows(pilot, "▸ CLAUDE.md")
        await shows(pilot, "4 candidates")
        await shows(pilot, "Harbour > Tides")
        titles = "".join("\n".join(inbox._detail.plain_lines).partition("Titles")[2].split())
        held = [inbox._list.offers[each].title for each in inbox._list.members]
        assert titles == "".join("".join(held).split())
        await pilot.press("minus")
        await shows(pilot, "▸ quay/AGENTS.md")
        await pilot.press("minus", "g", "right")
        await shows(pilot, "▾ Tides")
        assert inbox._list.arranged.shown == tuple(offer.id for offer in inbox._list.offers.values())


async def test_after_an_edit_that_accepts_the_next_is_in_hand_and_not_its_group(tmp_path: Path) -> None:
    text = HARBOUR.replace("## Tides", "- Ring the bell before a gate moves.\n\n## Tides")
    root, (vault, _) = repository(tmp_path / "harbour", {"CLAUDE.md": text}), new_vault(tmp_path / "data")
    bring(vault, root, project="harbour")
    async with app_on(vault, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        inbox = await opened(pilot, 5)
        order = inbox._list.arranged.shown
        await pilot.press("j", "j")
        assert inbox._list.current == order[2], "the last of its group"
        await pilot.press("e")
        await form_opens(pilot)
        await pilot.press("ctrl+s")
        await form_closes(pilot)
        await waits(pilot, 4)
        assert (inbox._list.current, inbox._list.group) == (order[3], None)
        await pilot.press("x")
        await waits(pilot, 3)
        assert statuses(vault) == {"candidate": 3, "active": 1, "retired": 1}


async def test_a_candidate_that_another_decided_on_leaves_the_cursor_on_the_next(
    harbour: Vault, tmp_path: Path
) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        inbox = await opened(pilot)
        order = inbox._list.arranged.shown
        await pilot.press("j")
        accept(harbour, [order[0], order[1]], actor=Actor(), folder=tmp_path)
        inbox.look_again()
        await waits(pilot, 4)
        assert (inbox._list.current, inbox._list.group) == (order[2], None)


async def test_a_group_is_accepted_rejected_and_brought_back_by_one_key_each(harbour: Vault, tmp_path: Path) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        await opened(pilot)
        await pilot.press("k", "a")
        await says(pilot, "Accepted 2 memories of “Locks”")
        await waits(pilot, 4)
        await pilot.press("g", "x")
        await says(pilot, "Rejected 2 memories of “CLAUDE.md”")
        await waits(pilot, 2)
        await pilot.press("u", "u")
        await waits(pilot, 6)
        assert statuses(harbour) == {"candidate": 6}


async def test_one_by_one_never_lands_on_a_group(harbour: Vault, tmp_path: Path) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=NARROW) as pilot:
        inbox = await opened(pilot)
        await pilot.press("minus", "g", "right", "down", "right", "down")
        for left in range(5, -1, -1):
            assert inbox._list.group is None
            await pilot.press("a")
            await waits(pilot, left)
        assert statuses(harbour) == {"active": 6}


async def test_everything_typed_goes_to_the_filter(harbour: Vault, tmp_path: Path) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        inbox = await opened(pilot)
        await pilot.press("slash", *"axfqNE")
        assert inbox._filter.line.value == "axfqNE"
        await shows(pilot, "No candidate matches.")
        await shows(pilot, "esc clears the filter: 6 candidates wait behind it.")
        assert statuses(harbour) == {"candidate": 6}
        await pilot.press("escape")
        await pilot.press("slash", *"kind:constraint")
        offers = inbox._list.offers

        def kinds() -> set[str]:
            return {offers[one].kind for one in inbox._list.arranged.shown if one in offers}

        await until(pilot, lambda: kinds() == {"constraint"}, "a field means the same as in Browse")
        await pilot.press("ctrl+u", *"age>3d")
        await shows(pilot, "Fields here: kind: project: file: source: heading:")
        await pilot.press("escape")
        await pilot.press("slash", *"tides never")
        await shows(pilot, "1 of 6")
        await pilot.press("enter", "a")
        await says(pilot, "Accepted: Tides: Never moor a barge at the pilot quay")
        await pilot.press("escape")
        await waits(pilot, 5)
        await pilot.press("slash", *"quay/", "enter", "asterisk", "x")
        await says(pilot, "Rejected 2 memories")
        await pilot.press("escape")
        await waits(pilot, 3)


async def test_keys_mark_the_file_the_section_and_the_kind(harbour: Vault, tmp_path: Path) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        inbox = await opened(pilot)
        await pilot.press("f")
        await shows(pilot, "4 marked of 6")
        await pilot.press("s")
        await shows(pilot, "2 marked of 6")
        await pilot.press("escape", "m")
        kind = inbox._offer.kind
        alike = [offer.id for offer in inbox._list.offers.values() if offer.kind == kind]
        await until(pilot, lambda: inbox._list.marked == alike, "all of the kind")
        await pilot.press("escape", "minus", "g", "space")
        await shows(pilot, "4 marked of 6")
        await pilot.press("S")
        await shows(pilot, "Waiting · by kind")
        await shows(pilot, "CLAUDE.md:")
        await pilot.press("x")
        await says(pilot, "Rejected 4 memories")


async def test_the_kind_of_a_whole_file_is_set_at_once(harbour: Vault, tmp_path: Path) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        inbox = await opened(pilot)
        await pilot.press("F")
        await shows(pilot, "Kind of 4 candidates")
        await pilot.press("2")
        await says(pilot, "Now decision")
        await until(pilot, lambda: not inbox.acting, "it is done")
        with harbour.read() as reader:
            assert reader.counts_by("kind", MemoryFilter(statuses=("candidate",)))["decision"] >= 4


async def test_a_file_that_is_never_offered_again_comes_back_by_undo(harbour: Vault, tmp_path: Path) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        await opened(pilot)
        await pilot.press("N")
        await says(pilot, "N again: ignore CLAUDE.md and reject its 4 candidates")
        await pilot.press("f", "f", "N")
        assert statuses(harbour) == {"candidate": 6}, "another key drops it"
        await pilot.press("N")
        await says(pilot, "Ignored in future imports: CLAUDE.md; 4 candidates rejected. u undoes it")
        await waits(pilot, 2)
        with harbour.read() as reader:
            assert [file.path for file in passed_files(reader)] == ["CLAUDE.md"]
        await pilot.press("u")
        await waits(pilot, 6)
        with harbour.read() as reader:
            assert passed_files(reader) == []


async def test_the_editor_decides_on_a_file_after_a_question(
    harbour: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = (
        "text = path.read_text()\n"
        "mark = next(line for line in text.split('\\n') if line.startswith('%% ') and 'CLAUDE' in line).split()[1]\n"
        "head, *blocks = text.split(f'%% {mark} ')\n"
        "path.write_text(f'%% {mark} '.join([head, *blocks[1:]]).replace('every lockage', 'each lockage'))"
    )
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        await opened(pilot)
        with terminal_of_its_own(monkeypatch):
            set_editor(monkeypatch, tmp_path, "path.write_text('')")
            await pilot.press("E")
            await says(pilot, "The text is empty: nothing was changed")
            set_editor(monkeypatch, tmp_path, cut)
            await pilot.press("E")
            await shows(pilot, "Accept 3 (1 reworded), reject 1")
            await pilot.press("escape")
            assert statuses(harbour) == {"candidate": 6}
            await pilot.press("E")
            await shows(pilot, "Accept 3 (1 reworded), reject 1")
            await pilot.press("1")
        await says(pilot, "Accepted 3 memories; Rejected: Never hold two lock gates open at once")
        await waits(pilot, 2)
        assert statuses(harbour) == {"active": 3, "candidate": 2, "retired": 1}
        await pilot.press("u")
        await waits(pilot, 6)
        with terminal_of_its_own(monkeypatch):
            set_editor(monkeypatch, tmp_path, "path.write_text('')")
            await write_slowly_and_fail(pilot, monkeypatch)


async def write_slowly_and_fail(pilot: Pilot[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Press E while the text is being written, where that fails, and where nothing waits any more."""
    held, asked = threading.Event(), list[int]()
    write_sheet = inbox_sheet.write_sheet

    def slowly(memories: Sequence[Memory]) -> inbox_sheet.Sheet:
        asked.append(len(memories))
        held.wait(10)
        return write_sheet(memories)

    def fails(_: Sequence[Memory]) -> inbox_sheet.Sheet:
        raise VaultBusyError("The vault is in use", where="harbour")

    monkeypatch.setattr(inbox_sheet, "write_sheet", slowly)
    await pilot.press("*", "E")
    await says(pilot, "Writing the text of 6 candidates …")
    await pilot.press("E", "E")
    held.set()
    await says(pilot, "The text is empty: nothing was changed")
    assert asked == [6], "a second press does not begin again"
    await unsays(pilot, "Writing the text")
    monkeypatch.setattr(inbox_sheet, "write_sheet", fails)
    for times in (1, 2):
        await pilot.press("E")
        told = partial(lambda number: sum("is in use" in toast for toast in toasts(pilot)) == number, times)
        await until(pilot, told, "the failure is told each time")
    monkeypatch.setattr(inbox_sheet, "write_sheet", lambda _: write_sheet([]))
    await pilot.press("E")
    await says(pilot, "Nothing is left to decide")


@pytest.mark.parametrize("command", ["/nonexistent/editor", "fails", "not 'a command"])
async def test_the_app_comes_back_from_an_editor_that_fails(
    harbour: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    set_editor(monkeypatch, tmp_path, "path.write_text('my words'); sys.exit(1)")
    if command != "fails":
        monkeypatch.setenv("EDITOR", command)
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        inbox = await opened(pilot)
        with terminal_of_its_own(monkeypatch) as happened:
            await pilot.press("E")
            await says(pilot, {"fails": "status 1", "not 'a command": "not a valid command"}.get(command, "editor"))
        assert happened in ([], ["suspended", "resumed"])
        assert (len(happened) == 2) == (command != "not 'a command")
        kept = texts(tmp_path)
        assert [each.read_text() for each in kept] == (["my words"] if command == "fails" else [])
        assert all(any(str(each) in toast for toast in toasts(pilot)) for each in kept)
        await pilot.press("j", "a")
        await says(pilot, "Accepted")
        assert len(inbox._list.offers) < 6


async def test_a_text_with_a_secret_is_kept_and_opened_again(
    harbour: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "AKIA" + "QY7WZL3MNPV2RTXB"
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        await opened(pilot)
        with terminal_of_its_own(monkeypatch):
            set_editor(monkeypatch, tmp_path, f"path.write_text(path.read_text().replace('every lockage', '{key}'))")
            await pilot.press("E")
            await shows(pilot, "1 reworded")
            await pilot.press("1")
            await shows(pilot, "looks like a secret")
            await waits(pilot, 6)
            set_editor(monkeypatch, tmp_path, f"path.write_text(path.read_text().replace('{key}', 'each lockage'))")
            await pilot.press("1")
            await shows(pilot, "Accept 4 (1 reworded), reject 0")
            await pilot.press("escape")
            (kept,) = texts(tmp_path)
            await says(pilot, f"Nothing was changed; the text is kept in {kept}")
        assert statuses(harbour) == {"candidate": 6}


async def test_an_editor_left_without_saving_changes_nothing_by_enter(
    harbour: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        await opened(pilot)
        with terminal_of_its_own(monkeypatch):
            set_editor(monkeypatch, tmp_path, "import time; time.sleep(1.1)")
            await pilot.press("E")
            await shows(pilot, "Nothing was edited: accept all 4 as they are")
            await pilot.press("enter")
            await says(pilot, "Nothing was changed")
            assert not texts(tmp_path)
            assert statuses(harbour) == {"candidate": 6}
            await pilot.press("E")
            await shows(pilot, "Nothing was edited: accept all 4 as they are")
            await pilot.press("2")
        await waits(pilot, 2)


@pytest.fixture
def crowded(tmp_path: Path) -> Vault:
    """Return a vault in which 1,000 candidates from ten files wait."""
    files = {
        f"docs/part{file:02}/AGENTS.md": f"# Part {file}\n\n"
        + "".join(
            f"## Section {section}\n\n"
            + "".join(f"- Never open valve {file}-{section}-{rule} before pump {rule} runs.\n" for rule in range(10))
            + "\n"
            for section in range(10)
        )
        for file in range(10)
    }
    root = repository(tmp_path / "plant", files)
    vault, _ = new_vault(tmp_path / "data")
    bring(vault, root, project="plant")
    return vault


async def test_a_thousand_are_folded_filtered_and_left_as_they_were(crowded: Vault, tmp_path: Path) -> None:
    async with app_on(crowded, tmp_path, project="plant").run_test(size=WIDE) as pilot:
        inbox = await opened(pilot, 1_000)
        await shows(pilot, "▸ docs/part00/AGENTS.md")
        assert len(inbox._list.ids) == 10, "files are folded where so many wait"
        await pilot.press("minus", "f", "slash", *"valve 7-3", "escape", "m", "escape")
        await pilot.press("minus", "g", "j", "right", "j")
        left = (inbox._list.line, len(inbox._list.ids))
        await pilot.press("escape", "b")
        await until(pilot, lambda: pilot.app.screen is not inbox, "the inbox is opened again")
        inbox = await opened(pilot, 1_000)
        assert (inbox._list.line, len(inbox._list.ids)) == left, "as it was left"
        await pilot.press("minus", "g", "a", "a")
        await waits(pilot, 900)


async def test_the_less_sure_proposals_of_an_agent_are_folded_at_first(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    for number in range(13):
        add(vault, f"Rule {number}: buoy {number} is checked", actor=AGENT, project="harbour")
    async with app_on(vault, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        inbox = await opened(pilot, 13)
        await shows(pilot, "▸ less sure")
        assert len([line for line in inbox._list.arranged.lines if not line.startswith("\0")]) == 10
        assert len(inbox._list.arranged.shown) == 13


def asked(pilot: Pilot[Any]) -> bool:
    """Return whether a toast that is on the screen asks for a second press."""
    return any("again accepts all" in one.message for one in pilot.app._notifications)


async def test_a_group_that_fills_a_screen_is_accepted_at_a_second_press(tmp_path: Path) -> None:
    rules = "".join(f"- Keep winch number {number} greased with oil {number}.\n" for number in range(40))
    root = repository(tmp_path / "harbour", {"CLAUDE.md": f"# Harbour\n\n{rules}"})
    vault, _ = new_vault(tmp_path / "data")
    bring(vault, root, project="harbour")
    number = statuses(vault)["candidate"]
    assert number > 20
    async with app_on(vault, tmp_path, project="harbour").run_test(size=WIDE, notifications=True) as pilot:
        inbox = await opened(pilot, number)
        (rack,) = inbox.query_children("ToastRack")
        await pilot.press("end")
        inbox.say("The tide turns.")
        await says(pilot, "The tide turns.")
        assert not rack.has_class(ABOVE), "a single line on the border covers no row"
        inbox.say("The tide turns. " * 20)
        await until(pilot, lambda: rack.has_class(ABOVE), "it stands clear of the last row")
        await pilot.press("home")
        await until(pilot, lambda: not rack.has_class(ABOVE), "and of the first, once the cursor is there")
        await pilot.press("a")
        await says(pilot, f"a again accepts all {number} of this group")
        for other, back in (("f", "f"), ("j", "k"), ("colon", "escape")):
            await until(pilot, lambda: asked(pilot), "it is asked")
            await pilot.press(other)
            await until(pilot, lambda: not asked(pilot), f"{other} drops the question")
            await pilot.press(back, "a")
        await pilot.press("j", "k", "x")
        await says(pilot, f"x again rejects all {number} of this group")
        await pilot.press("asterisk", "a")
        await says(pilot, f"a again accepts all {number} that are marked")
        await pilot.press("escape")
        await until(pilot, lambda: not asked(pilot), "esc says no")
        assert pilot.app.screen is inbox
        assert len(inbox._list.marked) == number, "and does nothing else"
        await pilot.press("a")
        await until(pilot, lambda: asked(pilot), "it is asked anew")
        await pilot.press("u")
        await says(pilot, "Nothing was done; u again undoes your last change.")
        assert not asked(pilot), "u says no as well"
        await pilot.press("escape")
        assert not inbox._list.marked
        await pilot.press("a")
        await until(pilot, lambda: asked(pilot), "the other key asks by itself")
        assert statuses(vault) == {"candidate": number}, "and what was asked"
        await pilot.press("a")
        await says(pilot, f"Accepting {number} …")
        await says(pilot, f"Accepted {number} memories")
        assert not asked(pilot), "the answer ends the question"
        assert statuses(vault) == {"active": number}


async def test_a_filter_whose_matches_are_all_decided_on_says_how_to_clear_it(harbour: Vault, tmp_path: Path) -> None:
    async with app_on(harbour, tmp_path, project="harbour").run_test(size=WIDE) as pilot:
        screen = await opened(pilot)
        await pilot.press("slash", *"bollards", "enter", "asterisk", "a")
        await says(pilot, "Accepted")
        await until(pilot, lambda: not screen.acting and not screen.loader.is_reading, "the list is read again")
        await shows(pilot, "No candidate matches.")
        await shows(pilot, "esc clears the filter: ")
