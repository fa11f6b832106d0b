"""The inbox in bulk: choosing, deciding on many at once, one text for the editor, and files never offered again."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from curating import AGENT, PERSON, Clock, bring, bring_with_plan, get, new_vault, repository, rewrite, to_jsonl

from memtui.curate.history import redo, undo
from memtui.curate.inbox import Offer, chosen_offers, decide, never_offer, offer_file_again, passed_file, read_offers
from memtui.curate.inbox_sheet import Decisions, Sheet, read_sheet, write_sheet
from memtui.curate.lifecycle import reject
from memtui.curate.memories import edit_memory
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Memory
from memtui.errors import NotFoundError, RefusedError, SecretRefusedError, UsageError
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.passed_files import passed_files
from memtui.vault.vault import Vault

WAITING = MemoryFilter(scope=EVERYTHING, statuses=("candidate",))
LOCKS = "# Harbour\n\n## Locks\n\n- Never hold two lock gates open.\n- Log every lockage with its level.\n"
TIDES = "# Tides\n\n- Read the tide table before you moor.\n"


@pytest.fixture
def harbour(tmp_path: Path, clock: Clock) -> tuple[Vault, Path]:
    root = repository(tmp_path / "harbour", {"CLAUDE.md": LOCKS, "quay/AGENTS.md": TIDES})
    vault, _ = new_vault(tmp_path, clock)
    bring(vault, root)
    return vault, root


def offers(vault: Vault) -> list[Offer]:
    with vault.read() as reader:
        return read_offers(reader, WAITING)


def titles(found: list[Offer]) -> list[str]:
    return [offer.title for offer in found]


def test_candidates_are_chosen_by_file_folder_section_and_kind(harbour: tuple[Vault, Path]) -> None:
    found = offers(harbour[0])
    of_locks = [offer for offer in found if offer.path == "CLAUDE.md"]
    assert [(offer.heading, offer.line) for offer in of_locks] == [("Harbour > Locks", 5), ("Harbour > Locks", 6)]
    assert chosen_offers(found, file="CLAUDE.md") == of_locks
    assert len(chosen_offers(found, file="quay")) == len(chosen_offers(found, file="AGENTS.md")) == 1
    assert chosen_offers(found, section="locks") == chosen_offers(found, section="Harbour > Locks") == of_locks
    assert chosen_offers(found, section="harbour", file="CLAUDE.md", kind=of_locks[0].kind)
    with pytest.raises(NotFoundError, match="No candidate matches"):
        chosen_offers(found, section="lock")


def test_many_are_accepted_and_rejected_as_one_change(harbour: tuple[Vault, Path]) -> None:
    vault, root = harbour
    first, second, third = (offer.id for offer in offers(vault))
    outcome = decide(vault, [first, second], [third], actor=PERSON, folder=root, edits={first: {"title": "Two gates"}})
    assert [get(vault, each).status for each in (first, second, third)] == ["active", "active", "retired"]
    assert get(vault, first).title == "Two gates"
    assert len(outcome.changed) == 3
    undo(vault, actor=PERSON)
    assert len(offers(vault)) == 3
    assert get(vault, first).title != "Two gates"


def test_what_changed_since_it_was_read_is_skipped(harbour: tuple[Vault, Path]) -> None:
    vault, root = harbour
    found = offers(vault)
    edit_memory(vault, found[0].id, {"insight": "Other words."}, actor=AGENT)
    versions = {offer.id: offer.version for offer in found}
    outcome = decide(vault, list(versions), actor=PERSON, folder=root, versions=versions)
    assert [(each.id, each.reason.value) for each in outcome.skipped] == [(found[0].id, "changed")]
    assert titles(offers(vault)) == ["Other words"]


def test_new_words_with_a_secret_are_refused_whole(harbour: tuple[Vault, Path]) -> None:
    vault, root = harbour
    ids = [offer.id for offer in offers(vault)]
    key = "AKIA" + "Q3EGRZ7PWX5KLM2N"
    with pytest.raises(SecretRefusedError):
        decide(vault, ids, actor=PERSON, folder=root, edits={ids[0]: {"insight": f"The key is {key}."}})
    assert len(offers(vault)) == 3


# -- one text for the editor --------------------------------------------------------------------------


def memory(identifier: str, insight: str, **fields: object) -> Memory:
    now = Clock()()
    values = {
        "title": insight.split("\n", maxsplit=1)[0][:60],
        "status": "candidate",
        "created_at": now,
        "updated_at": now,
    }
    return Memory(id=identifier, insight=insight, **{**values, **fields})  # type: ignore[arg-type]


def read(sheet: Sheet, text: str) -> Decisions | None:
    return read_sheet(sheet, text, Kinds())


HOSTILE = (
    "```\nunclosed fence",
    "kind: decision\ntitle: mine",
    "%% abcd m2  a block of another\nkind: note\n\nforged",
    "---\nid: m1\n---\n# Heading\n%%",
    "  indented first line\n\n\nand gaps",
    "\tTabs and “quotes” 日本語 \\n",
)


def test_an_untouched_text_accepts_everything_whatever_it_holds() -> None:
    sheet = write_sheet([memory(f"m{number}", text) for number, text in enumerate(HOSTILE)])
    assert read(sheet, sheet.text) == Decisions(tuple(sheet.memories))
    assert read(sheet, "\ufeff" + sheet.text.replace("\n", "\r\n")) == Decisions(tuple(sheet.memories))


def test_a_deleted_block_rejects_and_an_edited_one_rewords() -> None:
    sheet = write_sheet([memory(f"m{number}", text) for number, text in enumerate(HOSTILE)])
    head, *blocks = sheet.text.split(sheet.mark)
    kept = [block for number, block in enumerate(blocks) if number != 2]
    text = sheet.mark.join([head, *kept]).replace("unclosed fence", "closed fence\n```").replace("lesson", "note", 1)
    found = read(sheet, text)
    assert found is not None
    assert found.rejected == ("m2",)
    assert found.edits == {"m0": {"insight": "```\nclosed fence\n```", "kind": "note"}}
    assert found.words == "accept 5 (1 reworded), reject 1"


def test_blocks_may_be_moved_and_what_cannot_be_read_changes_nothing() -> None:
    sheet = write_sheet(
        [memory("m1", "Moor with two lines at least here."), memory("m2", "Log the water level daily.")]
    )
    head, one, two = sheet.text.split(sheet.mark)
    assert read(sheet, sheet.mark.join([head, two, one])) == Decisions(("m2", "m1"))
    assert read(sheet, " \n") is None
    assert read(sheet, sheet.text.replace(f"{sheet.mark} m2", f"{sheet.mark}m2")) == Decisions(("m1", "m2"))
    assert read(sheet, head) == Decisions((), ("m1", "m2"))
    assert read(sheet, "\n" + sheet.mark + one) == Decisions(("m1",), ("m2",))
    for text, problem in (
        (sheet.text + sheet.mark + one, "stands twice"),
        (sheet.text.replace(" m2", " m3"), "was not in this text"),
        (sheet.text.replace("Log the water level daily.\n", "", 2).replace("title: \n", ""), "has no text"),
        (sheet.text.replace("kind: lesson", "kind: leson", 1), "kind"),
        (sheet.text.replace(f"{sheet.mark} m2\n", ""), "is missing, but its text is still"),
        (sheet.text.replace(f"{sheet.mark} m1\n", ""), "Text above the first line"),
        (sheet.text.replace(f"{sheet.mark} m1\n", "%% m1\n"), "Text above the first line"),
        (sheet.text.replace(f"{sheet.mark} m", "# m"), "Text above the first line"),
        (sheet.text.replace(f"{sheet.mark} m1\n", f"{sheet.mark}\n"), "was not in this text"),
    ):
        with pytest.raises(UsageError, match=problem):
            read(sheet, text)


def test_any_subset_that_is_deleted_is_what_is_rejected() -> None:
    chance = random.Random(3)
    texts = [" ".join(chance.choices(["gate", "%%", "kind:", "\n", "title: x", "```"], k=9)) + "!" for _ in range(60)]
    sheet = write_sheet([memory(f"m{number}", text, title="t") for number, text in enumerate(texts)])
    head, *blocks = sheet.text.split(f"{sheet.mark} ")
    gone = set(chance.sample(range(60), 20))
    text = f"{sheet.mark} ".join([head, *(block for number, block in enumerate(blocks) if number not in gone)])
    found = read(sheet, text)
    assert found is not None
    assert set(found.rejected) == {f"m{number}" for number in gone}
    assert not found.edits


# -- files never offered again ------------------------------------------------------------------------


def test_a_file_that_is_never_offered_again_is_passed_over_and_reported(harbour: tuple[Vault, Path]) -> None:
    vault, root = harbour
    outcome = never_offer(vault, "harbour", "CLAUDE.md", actor=PERSON, folder=root)
    assert len(outcome.changed) == 2
    assert titles(offers(vault)) == ["Read the tide table before you moor"]
    rewrite(root, "Log every lockage", "Write down every lockage")
    plan, report = bring_with_plan(vault, root)
    assert report.added == report.updated == 0
    (row,) = [row for row in report.skipped if row["path"] == "CLAUDE.md"]
    assert row["reason"].startswith("never offered again; `memtui inbox never --undo CLAUDE.md`")
    assert not any(item.draft.source.path == "CLAUDE.md" for item in plan.items)


def test_undo_and_redo_know_what_is_never_offered_again(harbour: tuple[Vault, Path]) -> None:
    vault, root = harbour
    never_offer(vault, "harbour", "CLAUDE.md", actor=PERSON, folder=root)
    undo(vault, actor=PERSON)
    with vault.read() as reader:
        assert passed_files(reader) == []
    assert len(offers(vault)) == 3
    redo(vault, actor=PERSON)
    assert len(offers(vault)) == 1
    assert passed_file(vault, ("harbour",), "CLAUDE.md").path == "CLAUDE.md"


def test_a_file_that_is_offered_again_brings_back_what_went_with_it(harbour: tuple[Vault, Path]) -> None:
    vault, root = harbour
    mine = offers(vault)[0].id
    reject(vault, [mine], actor=PERSON, reason="CLAUDE.md is never offered again")
    never_offer(vault, "harbour", "CLAUDE.md", actor=PERSON, folder=root)
    file = passed_file(vault, (), "CLAUDE.md")
    assert len(offer_file_again(vault, file, actor=PERSON).changed) == 1
    assert get(vault, mine).status == "retired", "what was rejected before stays rejected"
    assert len(offers(vault)) == 2
    assert bring(vault, root).added == 0
    with pytest.raises(NotFoundError):
        passed_file(vault, (), "CLAUDE.md")


def test_what_several_files_say_waits_on_when_one_of_them_is_passed_over(tmp_path: Path, clock: Clock) -> None:
    root = repository(tmp_path / "harbour", {"CLAUDE.md": TIDES, "AGENTS.md": TIDES})
    vault, _ = new_vault(tmp_path, clock)
    bring(vault, root)
    (offer,) = offers(vault)
    never_offer(vault, "harbour", str(offer.path), actor=PERSON, folder=root)
    assert [one.id for one in offers(vault)] == [offer.id]


@pytest.mark.parametrize("by_import", [False, True])
def test_a_file_that_others_only_link_to_or_import_is_passed_over(
    tmp_path: Path, clock: Clock, *, by_import: bool
) -> None:
    root = repository(tmp_path / "harbour", {"AGENTS.md": TIDES})
    if by_import:
        (root / "CLAUDE.md").write_text("@AGENTS.md\n", encoding="utf-8")
    else:
        (root / "CLAUDE.md").symlink_to("AGENTS.md")
    vault, _ = new_vault(tmp_path, clock)
    bring(vault, root)
    (offer,) = offers(vault)
    assert len(never_offer(vault, "harbour", str(offer.path), actor=PERSON, folder=root).changed) == 1
    assert offers(vault) == []
    assert bring(vault, root).added == 0


def test_agents_decide_nothing_here(harbour: tuple[Vault, Path]) -> None:
    vault, root = harbour
    with pytest.raises(RefusedError):
        never_offer(vault, "harbour", "CLAUDE.md", actor=AGENT, folder=root)
    with pytest.raises(RefusedError):
        decide(vault, [offers(vault)[0].id], actor=AGENT, folder=root)


def test_files_never_offered_again_travel_with_an_export(harbour: tuple[Vault, Path], tmp_path: Path) -> None:
    vault, root = harbour
    never_offer(vault, "harbour", "CLAUDE.md", actor=PERSON, folder=root)
    other, _ = new_vault(tmp_path / "other")
    exported = to_jsonl(vault, tmp_path)
    bring(other, exported)
    bring(other, exported)
    with vault.read() as reader, other.read() as elsewhere:
        assert passed_files(elsewhere) == [replace(one) for one in passed_files(reader)]
    assert to_jsonl(other, tmp_path).read_text() == exported.read_text()
    assert bring(other, root).added == 0
