"""What was exported comes back the same, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flows.cli_driver import Cli


def test_jsonl_and_the_portable_vault_reproduce_a_vault_exactly(demo: Cli) -> None:
    demo("link", "zpuwvdkl", "relates", "lzrwxxnl")
    demo("retire", "ioddebrc", "--why", "wrong")
    whole = demo.exported()
    folder, file = demo.home / "portable", demo.home / "all.jsonl"
    assert "memories" in demo("export", "--target", "vault", "--out", folder).err
    demo("export", "--target", "jsonl", "--out", file)
    assert file.read_text(encoding="utf-8") == whole
    for source in (folder, file):
        vault = demo.home / f"{source.name}.duckdb"
        demo.globals = ["--vault", str(vault)]
        demo("import", source)
        assert demo.exported() == whole
        assert demo("import", source, "--json").json["added"] == 0


def test_importing_ones_own_export_changes_nothing(demo: Cli) -> None:
    folder = demo.home / "portable"
    demo("export", "--target", "vault", "--out", folder)
    before = demo.exported()
    report = demo("import", folder, "--json").json
    assert (report["added"], report["updated"], report["conflicts"], report["ids"]) == (0, 0, 0, [])
    assert demo.exported() == before


def test_an_export_is_the_same_by_whatever_path_it_is_named(demo: Cli) -> None:
    file, inside = demo.home / "all.jsonl", demo.home / "inside"
    inside.mkdir()
    demo("export", "--target", "jsonl", "--out", file)
    demo.globals = ["--vault", str(demo.home / "other.duckdb")]
    demo("import", inside / ".." / "all.jsonl")
    assert demo.exported() == file.read_text(encoding="utf-8"), "status and confirmations come along"


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_export_is_byte_stable_and_writes_only_what_differs(demo: Cli) -> None:
    folder = demo.home / "portable"
    dry = demo("export", "--target", "vault", "--out", folder, "--dry-run", "--json").json
    assert not folder.exists()
    assert demo("export", "--target", "vault", "--out", folder, "--json").json == dry
    before = _files(folder)
    again = demo("export", "--target", "vault", "--out", folder, "--json").json
    assert (again["written"], again["removed"]) == ([], [])
    demo("edit", "zpuwvdkl", "--title", "Lock refunds by payment")
    changed = demo("export", "--target", "vault", "--out", folder, "--json").json
    assert len(changed["written"]) <= 2
    assert _files(folder) != before
    demo("undo")
    demo("export", "--target", "vault", "--out", folder)
    assert _files(folder) == before


def test_an_export_removes_no_memory_that_it_does_not_speak_of(demo: Cli) -> None:
    folder = demo.home / "portable"
    demo("export", "--target", "vault", "--out", folder)
    before = _files(folder)
    other = ("--vault", demo.home / "other.duckdb")
    demo(*other, "add", "Of another vault.", "--project", "p")
    for words in (("--project", "storefront"), other):
        run = demo("export", "--target", "vault", "--out", folder, *words, code=6)
        assert "--prune" in run.err
        assert _files(folder) == before
    made = demo("add", "Undone at once.", "--project", "storefront").id
    demo("export", "--target", "vault", "--out", folder)
    demo("undo")
    report = demo("export", "--target", "vault", "--out", folder, "--json").json
    assert [name.rsplit(".", 2)[1] for name in report["removed"]] == [made]
    pruned = demo("export", "--target", "vault", "--out", folder, *other, "--prune", "--json").json
    assert len(pruned["removed"]) >= 100


def test_an_export_writes_over_no_file_that_was_edited_since(cli: Cli) -> None:
    made, other = cli("add", "Berths are numbered.").id, cli("add", "Fenders are checked on Mondays.").id
    export = ("export", "--target", "vault", "--out", "notes")
    cli(*export)
    (path,) = Path("notes").rglob(f"*.{made}.md")
    edited = path.read_bytes() + b"Odd ones lie to the east.\n"
    path.write_bytes(edited)
    for title in ("Numbers", "Numbers of berths"):
        assert f"{made}.md" in cli(*export, code=4).err
        assert path.read_bytes() == edited
        cli("edit", made, "--title", title)
    cli("undo")
    cli("undo")
    cli("import", "notes", "--replace")
    cli(*export)
    assert path.read_bytes() == edited
    longer = edited + b"And even ones to the west.\n"
    line = f'id: "{made}"'.encode()
    for broken in (
        longer.replace(line, b'id: "another2"'),
        longer.replace(line + b"\n", b""),
        b"<<<<<<< own\n" + longer,
    ):
        path.write_bytes(broken)
        assert f"{made}.md" in cli(*export, code=4).err
        assert path.read_bytes() == broken
    cli(*export, "--force")
    assert path.read_bytes() == edited
    cli("purge", "--text", "Odd ones", "--yes")
    cli("purge", other, "--yes")
    cli(*export)
    assert b"Odd ones" not in path.read_bytes()
    assert [one.name for one in Path("notes").rglob("*.md")] == [path.name]


def test_an_export_of_one_project_holds_that_project_alone(demo: Cli) -> None:
    run = demo("export", "--target", "jsonl", "--project", "storefront")
    memories = [json.loads(line) for line in run.lines if '"type": "memory"' in line]
    assert {memory["project"] for memory in memories} == {"storefront"}


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--target", "jsonl", "--out", "."), 6, "is a folder"),
        (("--target", "jsonl", "--out", "no/such/x.jsonl"), 2, "no/such"),
        (("--target", "vault", "--out", "busy/README.txt"), 6, "README.txt"),
    ],
)
def test_an_export_that_cannot_be_written_says_why(cli: Cli, options: tuple[str, ...], code: int, said: str) -> None:
    cli("add", "Something to write.")
    cli.write("busy/README.txt", "mine\n")
    run = cli("export", *options, code=code)
    assert said in run.err
    assert (cli.folder / "busy" / "README.txt").read_text(encoding="utf-8") == "mine\n"
