"""Records of decisions are linked with those that they replace, as their sources say."""

from __future__ import annotations

from pathlib import Path

import pytest
from curating import PERSON, bring, everything, repository

from memtui.capture.draft import Draft, SourceFile, Succession
from memtui.capture.readers.adr import READER
from memtui.curate.history import log, undo
from memtui.curate.lifecycle import accept
from memtui.curate.links import unlink
from memtui.domain.identity import Actor
from memtui.domain.memory import Memory
from memtui.vault.filters import MemoryFilter
from memtui.vault.vault import Vault

BODY = "## Context\n\nTills were slow.\n\n## Decision\n\nKeep the tills on {what}, because it is quick.\n"


def record(title: str, what: str, status: str = "Status: Accepted", more: str = "", head: str = "") -> str:
    return f"{head}# {title}\n\n{status}\n\n{BODY.format(what=what)}{more}"


def put(root: Path, **records: str) -> Path:
    folder = root / "docs" / "adr"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in records.items():
        (folder / f"{name.removeprefix('n').replace('_', '-')}.md").write_text(text)
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return repository(tmp_path / "shop", {"README.md": "# Shop\n"}, remote="git@example.org:acme/shop.git")


def by_number(vault: Vault) -> dict[str, Memory]:
    with vault.read() as reader:
        found = reader.select(MemoryFilter(statuses=None), sort="created", now=vault.now())
    return {str(memory.sources[0].native_id): memory for memory in found}


def links(vault: Vault) -> set[tuple[str, str]]:
    """Return the numbers of the records of which one replaces the other."""
    numbers = {memory.id: number for number, memory in by_number(vault).items()}
    with vault.read() as reader:
        return {(numbers[one.from_id], numbers[one.to_id]) for one in reader.links() if one.type == "supersedes"}


def stated(tmp_path: Path, text: str) -> Succession | None:
    path = tmp_path / "docs" / "adr" / "0009-tills.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    (draft,) = READER.read(SourceFile(path=path, root=tmp_path, home=tmp_path / "home")).drafts
    assert isinstance(draft, Draft)
    return draft.succession


@pytest.mark.parametrize(
    ("status", "head", "more", "of", "by"),
    [
        ("Status: Superseded by [ADR-0012](0012-ledger.md)", "", "", (), ("0012 0012-ledger.md",)),
        ("Status: Superseded (2026-03-01, 2.1) by ADR-12", "", "", (), ("12",)),
        ("> **Superseded (2026-03) by [12](12-ledger.md).** It was slow.", "", "", (), ("12 12-ledger.md",)),
        ("Status: Accepted\n\n**Supersedes:** ADR-0003, ADR-0004 and 6", "", "", ("0003", "0004", "6"), ()),
        ("| Status | Accepted |\n|---|---|\n| Supersedes | 0003 |", "", "", ("0003",), ()),
        ("", "---\nstatus: accepted\nsupersedes: [0003-tape.md, 4]\n---\n", "", (" 0003-tape.md", "4"), ()),
        ("", "---\nsuperseded_by: Ledger of tills\n---\n", "", (), ("  Ledger of tills",)),
        (
            "",
            "",
            "\n## Supersedes\n\n- [3](0003-tape.md)\n- 0004, only its printing\n",
            ("3 0003-tape.md", "0004~"),
            (),
        ),
        ("Status: Accepted\n\nSupersedes **ADR-3** (tape on tills). Builds on ADR-2.", "", "", ("3",), ()),
        ("Status: Accepted\n\nThis ADR supersedes [[0003-tape]].", "", "", (" 0003-tape",), ()),
        ("Status: Accepted, partially superseded by ADR-9", "", "", (), ("9~",)),
        ("Supersedes (in part): ADR-3", "", "", ("3~",), ()),
        ("Supersedes: ADR-3 — printing only", "", "", ("3~",), ()),
        ("Status: Ersetzt durch ADR-12", "", "", (), ("12",)),
        ("Ersetzt: ADR-3", "", "", ("3",), ()),
        ("Remplacé par : ADR-12", "", "", (), ("12",)),
        ("Reemplaza a: ADR-3", "", "", ("3",), ()),
        ("被取代：ADR-12", "", "", (), ("12",)),
        ("取代：ADR-3", "", "", ("3",), ()),
        ("Supersedes: `none`", "", "", (), ()),
        ("Supersedes: `—`", "", "", (), ()),
        ("Supersedes the printing of ADR-3", "", "", (), ()),
        ("Supersedes: Nothing. [ADR-0004](0004-x.md) stays.", "", "", (), ()),
        ("Status: Accepted\n\nIt amends, does not supersede, ADR-0003.", "", "", (), ()),
        ("A till\nreplaces 3 clerks.", "", "", (), ()),
        ("```\nSupersedes: ADR-3\n```", "", "", (), ()),
        ("Status: Accepted\n\nSupersedes [ADR-3](https://example.org/adr/3.md)", "", "", (), ()),
    ],
)
def test_a_record_says_which_it_replaces(
    tmp_path: Path, status: str, head: str, more: str, of: tuple[str, ...], by: tuple[str, ...]
) -> None:
    said = stated(tmp_path, record("9. Tills", "paper", status, more, head)) or Succession()
    shown = [
        tuple(f"{one.number} {one.path} {one.title}".rstrip() + "~" * one.partly for one in named)
        for named in (said.replaces, said.replaced_by)
    ]
    assert shown == [of, by]


def test_either_end_says_it_whichever_comes_first(vault: Vault, root: Path) -> None:
    put(
        root,
        n0001_tape=record("1. Tape", "tape", "Status: Superseded by [2](0002-disk.md)"),
        n0002_disk=record("2. Disk", "disk", "Status: Superseded by ADR-0005"),
        n0003_drum=record("3. Drum", "a drum", "Status: Superseded"),
        n0004_wire=record("4. Wire", "wire"),
        n0005_cloud=record("5. Cloud", "the cloud", more="\n## Supersedes\n\n- Drum\n- 0004, only its printing\n"),
    )
    report = bring(vault, root)
    assert report.linked == 3
    assert links(vault) == {("0002", "0001"), ("0005", "0002"), ("0005", "0003")}
    found = by_number(vault)
    assert found["0001"].standing_words == f"superseded: superseded by {found['0002'].id}"
    assert found["0003"].status_reason == f"superseded by {found['0005'].id}"
    assert found["0004"].status == "candidate"
    before, entries = everything(vault), len(log(vault))
    assert bring(vault, root).linked == 0
    assert (everything(vault), len(log(vault))) == (before, entries)
    undo(vault, actor=PERSON)
    assert by_number(vault) == {}


def test_a_record_of_a_later_import_replaces_one_in_use(vault: Vault, root: Path) -> None:
    put(root, n0001_tape=record("1. Tape", "tape"), n0002_disk=record("2. Disk", "disk"))
    bring(vault, root, active=True)
    put(root, n0003_cloud=record("3. Cloud", "the cloud", "Status: Accepted\n\nSupersedes: 1"))
    bring(vault, root)
    assert links(vault) == {("0003", "0001")}
    assert by_number(vault)["0001"].status == "active"
    accept(vault, [by_number(vault)["0003"].id], folder=root, actor=PERSON)
    found = by_number(vault)
    assert (found["0001"].status, found["0001"].status_reason) == ("superseded", f"superseded by {found['0003'].id}")
    put(root, n0004_hub=record("4. Hub", "the hub", "Status: Accepted\n\nSupersedes: ADR 2"))
    bring(vault, root, active=True)
    assert by_number(vault)["0002"].status == "superseded"
    undo(vault, actor=PERSON)
    assert (by_number(vault)["0002"].status, links(vault)) == ("active", {("0003", "0001")})


def test_what_a_person_took_apart_stays_apart(vault: Vault, root: Path) -> None:
    put(
        root,
        n0001_tape=record("1. Tape", "tape", "Status: Superseded by ADR-2"),
        n0002_disk=record("2. Disk", "disk"),
    )
    bring(vault, root, active=True)
    found = by_number(vault)
    unlink(vault, found["0002"].id, "supersedes", found["0001"].id, actor=PERSON)
    assert bring(vault, root).linked == 0
    assert (links(vault), by_number(vault)["0001"].status) == (set(), "active")


def test_an_agent_only_proposes_it(vault: Vault, root: Path) -> None:
    put(root, n0001_tape=record("1. Tape", "tape"))
    bring(vault, root, active=True)
    put(root, n0002_disk=record("2. Disk", "disk", "Status: Accepted\n\nSupersedes: 1"))
    bring(vault, root, actor=Actor("claude", is_person=False))
    with vault.read() as reader:
        assert [link.origin for link in reader.links()] == ["claude"]
    assert by_number(vault)["0001"].status == "active"


def test_records_of_other_folders_have_numbers_of_their_own(vault: Vault, root: Path) -> None:
    put(root, n0002_disk=record("2. Disk", "disk", "Status: Accepted\n\nSupersedes: ADR-1"))
    for folder, what in (("docs/adr/tills", "tape"), ("tills/adr", "wire")):
        (root / folder).mkdir(parents=True)
        (root / folder / "0001-old.md").write_text(record(f"1. {what}", what))
    bring(vault, root)
    with vault.read() as reader:
        (link,) = reader.links()
        assert reader.get(link.to_id).sources[0].path == "docs/adr/tills/0001-old.md"
