"""Tidy: one read-only pass that lists what a person might fix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from curating import (
    AGENT,
    PERSON,
    Clock,
    add,
    commit,
    counter,
    everything,
    get,
    git,
    new_vault,
    repository,
    write_files,
)
from support import make_memory

from memtui.analysis.snapshot import NOT_CONTRADICTION, pair_of
from memtui.analysis.text_features import is_platitude
from memtui.curate.anchors import check_anchors, check_trees, dead_anchors, re_anchor, remember_states
from memtui.curate.history import undo
from memtui.curate.lifecycle import retire, verify
from memtui.curate.links import link
from memtui.curate.memories import edit_memory
from memtui.curate.merge import merge
from memtui.curate.packs import give_feedback
from memtui.curate.projects import link_folder
from memtui.curate.resolutions import Validity, dismiss, keep_both, keep_one
from memtui.curate.tidy import TidyCache, TidyOptions, listed_as_alike, tidy
from memtui.curate.tidy_report import FINDINGS, TidyReport, report_record
from memtui.domain.identity import Actor
from memtui.domain.memory import Anchor, Memory, Source
from memtui.errors import RefusedError, UsageError
from memtui.progress import Cancelled
from memtui.tree import Tree, file_hash
from memtui.vault.filters import EVERYTHING, MemoryFilter
from memtui.vault.vault import Vault


def look(vault: Vault, **options: object) -> TidyReport:
    return tidy(vault, TidyOptions(**options))  # type: ignore[arg-type] # passed through


def littered(folder: Path) -> tuple[Vault, Clock, dict[str, Memory]]:
    """Return a vault with one finding of nearly every kind."""
    vault, clock = new_vault(folder)
    made = {
        "used": add(vault, "Refunds are locked by payment_id."),
        "unused": add(vault, "The mail relay drops mails of more than 10 MB."),
    }
    clock.pass_days(120)
    give_feedback(vault, made["used"].id, "helped", actor=PERSON)
    clock.pass_days(1)
    made |= {
        "copy": add(vault, "Integration tests need Docker running."),
        "twin": add(vault, "integration tests need docker running"),
        "old": add(vault, "We run Postgres 13 in production."),
        "new": add(vault, "We run Postgres 14 in production."),
        "long": add(vault, " ".join(f"Step {number} moves the folder{number}." for number in range(120))),
        "vague": add(vault, "Be careful with errors."),
        "stale": add(vault, "The sandbox is down.", kind="note"),
        "secret": add(vault, "The key is ghp_abcdefghijklmnopqrstuvwxyz0123456789", allow_secret=True),
    }
    clock.pass_days(60)
    return vault, clock, made


def test_every_finding_is_listed_with_its_tokens_and_nothing_is_changed(tmp_path: Path) -> None:
    vault, _, made = littered(tmp_path)
    before = counter(vault)
    report = look(vault)
    assert counter(vault) == before
    assert [set(group.ids) for group in report.duplicates] == [{made["copy"].id, made["twin"].id}]
    assert [conflict.ids for conflict in report.contradictions] == [(made["old"].id, made["new"].id)]
    assert made["stale"].id in report.stale
    assert report.oversized == (made["long"].id,)
    assert report.vague == (made["vague"].id,)
    assert report.secrets == (made["secret"].id,)
    assert made["unused"].id in report.unused
    assert made["used"].id not in report.unused
    assert report.total
    counts = report.counts()
    assert counts["memories_after"] == counts["memories"] - 1
    saved = counts["token_mass"]["duplicates"]
    assert counts["tokens"] - counts["tokens_after"] == saved == report.sure_savings > 0
    doubtful = replace(report, duplicates=tuple(replace(group, pile="look") for group in report.duplicates))
    assert (doubtful.token_mass("duplicates"), doubtful.sure_savings) == (saved, 0)


def test_what_is_called_alike_elsewhere_is_what_a_pass_lists_as_alike(tmp_path: Path) -> None:
    vault, _, _ = littered(tmp_path)
    report = look(vault)
    groups = [*(group.ids for group in report.duplicates), *(pair.ids for pair in report.contradictions)]
    assert groups
    assert listed_as_alike(vault, EVERYTHING, None) == {identifier for group in groups for identifier in group}


def test_long_decisions_are_summed_up_and_what_can_be_split_is_not(tmp_path: Path) -> None:
    vault, _ = new_vault(tmp_path)
    text = " ".join(f"The crane of pier {number} was weighed against a floating one." for number in range(90))
    pier = "\n\n".join(
        f"Pier {number}: {'the crane lifts up to nine tonnes of grain there. ' * 20}" for number in range(8)
    )
    sources = [
        ("adr", "0001", text),
        ("adr", "0002", f"{text} It stays."),
        ("adr", "0003", pier),
        ("agents-md", "A#1", text),
    ]
    with vault.write(actor="person", action="test") as writer:
        for number, (format_, native, said) in enumerate(sources):
            source = Source(format=format_, path=f"docs/{number}.md", native_id=native)
            writer.put(make_memory(id=f"n{number:07d}", title=f"Crane {number}", insight=said, sources=(source,)))
    report = look(vault)
    assert set(report.records) == {"n0000000", "n0000001"}
    assert set(report.oversized) == {"n0000002", "n0000003"}
    assert 0.3 < report.records_share < 0.6
    assert report_record(report)["records"] == list(report.records)


def test_the_record_has_the_keys_of_the_contract(tmp_path: Path) -> None:
    vault, _, _ = littered(tmp_path)
    record = report_record(look(vault))
    assert list(record) == [
        "duplicates",
        "conflicts",
        *FINDINGS[2:],
        "counts",
        "ripe",
        "mends",
        "records",
        "hidden",
        "unchecked_projects",
    ]
    assert set(record["duplicates"][0]) == {"ids", "score", "pile", "warnings", "warning_codes", "why"}
    assert set(record["conflicts"][0]) == {"ids", "type", "why", "winner"}


@pytest.mark.parametrize("way", ["keep", "both", "none"])
@pytest.mark.parametrize("actor", [PERSON, AGENT], ids=["person", "agent"])
def test_what_is_linked_as_contradicting_comes_first_until_it_is_settled(
    tmp_path: Path, actor: Actor, way: str
) -> None:
    vault, _, made = littered(tmp_path)
    old, new, copy, unused = (made[name].id for name in ("old", "new", "copy", "unused"))
    link(vault, new, "contradicts", old, actor=actor)
    link(vault, copy, "contradicts", unused, actor=actor)
    before = everything(vault)
    found = report_record(look(vault))["conflicts"]
    assert {tuple(sorted(conflict["ids"])) for conflict in found} == {pair_of(old, new), pair_of(copy, unused)}
    assert [conflict["type"] for conflict in found] == ["linked", "linked"]
    whys = [conflict["why"] for conflict in found]
    assert any(why.startswith("13 against 14: ") for why in whys)
    assert any(
        why.startswith("a link says so: ") and made["copy"].title in why and made["unused"].title in why for why in whys
    )
    for conflict in look(vault).contradictions:
        if way == "keep":
            keep_one(vault, conflict, conflict.ids[1], actor=PERSON)
        elif way == "both":
            keep_both(vault, conflict, {conflict.ids[0]: Validity(words="the archive")}, actor=PERSON)
        else:
            dismiss(vault, NOT_CONTRADICTION, conflict.ids, actor=PERSON)
    assert look(vault).contradictions == ()
    verified = {identifier for identifier in (old, new, copy, unused) if get(vault, identifier).verified_at}
    assert len(verified) == {"keep": 2, "both": 4, "none": 0}[way], "what was decided for is as good as verified"
    with vault.read() as reader:
        assert [one for one in reader.links() if one.type == "contradicts"] == []
    undo(vault, actor=PERSON)
    undo(vault, actor=PERSON)
    assert everything(vault) == before


def test_a_pass_that_was_stopped_goes_on_with_what_it_had_worked_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, _, _ = littered(tmp_path)
    whole, cache = look(vault), TidyCache()

    def stop_at_duplicates(name: str) -> Callable[[int, int], None]:
        def step(_done: int, _total: int) -> None:
            if name == "duplicates":
                raise Cancelled

        return step

    with pytest.raises(Cancelled):
        tidy(vault, TidyOptions(), stage=stop_at_duplicates, cache=cache)
    made: list[object] = []
    for known in (cache.flaws, cache.texts.wordings):
        monkeypatch.setattr(known, "_make", made.append)
    assert tidy(vault, TidyOptions(), cache=cache) == whole
    assert made == []


def test_a_linked_pair_of_which_one_is_out_of_use_is_no_finding(tmp_path: Path) -> None:
    vault, _, made = littered(tmp_path)
    link(vault, made["unused"].id, "contradicts", made["vague"].id, actor=PERSON)
    assert [conflict.type for conflict in look(vault).contradictions] == ["linked", "version"]
    retire(vault, [made["vague"].id], actor=PERSON)
    assert [conflict.type for conflict in look(vault).contradictions] == ["version"]


def test_after_everything_is_accepted_a_second_run_finds_nothing(tmp_path: Path) -> None:
    vault, _, _ = littered(tmp_path)
    report = look(vault)
    for group in report.duplicates:
        merge(vault, group.ids, actor=PERSON, texts=group.texts)
    for conflict in report.contradictions:
        keep_one(vault, conflict, conflict.ids[1], actor=PERSON)
    retire(vault, [*report.oversized, *report.vague, *report.secrets], actor=PERSON)
    left = [identifier for name in ("stale", "unused") for identifier in report.ids(name)]
    verify(vault, [identifier for identifier in left if get(vault, identifier).status == "active"], actor=PERSON)
    assert not look(vault).total


def test_a_pass_that_looks_only_at_what_moved_finds_what_a_whole_one_finds(tmp_path: Path) -> None:
    vault, clock, made = littered(tmp_path)
    cache = TidyCache()
    group, conflict = look(vault).duplicates[0], look(vault).contradictions[0]
    acts: list[Callable[[], object]] = [
        lambda: None,
        lambda: merge(vault, group.ids, actor=PERSON, texts=group.texts),
        lambda: undo(vault, actor=PERSON),
        lambda: keep_one(vault, conflict, conflict.ids[1], actor=PERSON),
        lambda: undo(vault, actor=PERSON),
        lambda: dismiss(vault, NOT_CONTRADICTION, conflict.ids, actor=PERSON),
        lambda: retire(vault, [made["vague"].id, made["secret"].id], actor=PERSON),
        lambda: edit_memory(vault, made["new"].id, {"insight": "We run Postgres 13 in production."}, actor=PERSON),
        lambda: undo(vault, actor=PERSON),
        lambda: add(vault, "Integration tests need docker running!"),
        lambda: clock.pass_days(200),
    ]
    seen = []
    for act in acts:
        act()
        seen.append(tidy(vault, TidyOptions(), cache=cache))
        assert seen[-1] == look(vault)
    assert len({str(report) for report in seen}) >= len(acts) - 3, "the acts changed what is found"


def test_a_pass_that_was_stopped_spoils_nothing_for_the_next(tmp_path: Path) -> None:
    vault, _, _ = littered(tmp_path)
    cache = TidyCache()

    def stop(_done: int, _total: int) -> None:
        raise Cancelled

    for name in ("texts", "duplicates", "contradictions"):
        with pytest.raises(Cancelled):
            tidy(vault, TidyOptions(), stage=lambda stage, wanted=name: stop if stage == wanted else None, cache=cache)  # type: ignore[misc] # mypy cannot infer the default
        assert tidy(vault, TidyOptions(), cache=cache) == look(vault)


def test_an_unused_memory_is_told_only_where_others_are_used(tmp_path: Path) -> None:
    vault, clock = new_vault(tmp_path)
    add(vault, "The mail relay drops mails of more than 10 MB.")
    clock.pass_days(120)
    assert look(vault).unused == ()


def test_a_pass_can_be_stopped_at_every_stage(tmp_path: Path) -> None:
    vault, _, _ = littered(tmp_path)

    def stop(_done: int, _total: int) -> None:
        raise Cancelled

    for name in ("reading", "contradictions", "duplicates", "texts"):
        with pytest.raises(Cancelled):
            tidy(vault, TidyOptions(), stage=lambda stage, wanted=name: stop if stage == wanted else None)  # type: ignore[misc] # mypy cannot infer the default


@pytest.mark.parametrize(
    ("text", "vague"),
    [
        ("Be careful.", True),
        ("Follow best practices.", True),
        ("Always write clean code and handle errors properly.", True),
        ("Make sure everything works.", True),
        ("Be careful with `reset_index()`: it drops the index.", False),
        ("Be careful when rotating the webhook secret: both stay valid for a day.", False),
        ("Refunds are locked by payment_id.", False),
        ("Use tabs.", False),
        ("退款按钮提交后必须立即禁用", False),
    ],
)
def test_a_vague_memory_holds_no_fact(text: str, *, vague: bool) -> None:
    assert is_platitude("", text) is vague


FILES = {
    "src/lib/auth.ts": "export const auth = 1\n" * 5,
    "src/lib/session.ts": "export const session = 2\n" * 5,
    "src/pay.py": "def pay(): ...\n" * 5,
    "docs/lock.md": "how the lock works\n" * 5,
    "CONTRIBUTING.md": "how to contribute\n" * 5,
    "README.md": "read me\n",
}


def tied(root: Path, *paths: str) -> Memory:
    from support import make_memory

    anchors = tuple(Anchor(path, file_hash(root / path.split("::")[0])) for path in paths)
    return make_memory(project="shop", anchors=anchors)


def found(memories: list[Memory], root: Path) -> dict[str, tuple[str, str | None]]:
    return {check.path: (check.state, check.suggestion) for check in check_anchors(memories, Tree("shop", root))}


def test_renames_are_found_in_git_staged_committed_chained_and_without_git(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", FILES)
    memory = tied(root, *FILES, "src/lib/auth.ts::auth", "src/lib/**")
    assert {state for state, _ in found([memory], root).values()} == {"fresh"}
    (root / "packages/auth").mkdir(parents=True)
    git(root, "mv", "src/lib/auth.ts", "packages/auth/index.ts")
    assert found([memory], root)["src/lib/auth.ts"] == ("moved", "packages/auth/index.ts")
    git(root, "commit", "--quiet", "--message", "Move")
    git(root, "mv", "packages/auth/index.ts", "packages/auth/entry.ts")
    git(root, "mv", "src/lib/session.ts", "packages/auth/session.ts")
    git(root, "commit", "--quiet", "--message", "Move again")
    (root / "docs/lock.md").rename(root / "docs/locking.md")
    git(root, "rm", "--quiet", "CONTRIBUTING.md")
    (root / "src/pay.py").write_text("def pay(): return 1\n")
    states = found([memory], root)
    assert states["src/lib/auth.ts"] == ("moved", "packages/auth/entry.ts")
    assert states["src/lib/auth.ts::auth"] == ("moved", "packages/auth/entry.ts::auth")
    assert states["src/lib/session.ts"] == ("moved", "packages/auth/session.ts")
    assert states["src/lib/**"] == ("moved", "packages/auth/**")
    assert states["docs/lock.md"] == ("moved", "docs/locking.md")
    assert states["CONTRIBUTING.md"] == ("gone", None)
    assert states["src/pay.py"] == ("changed", None)


def test_a_module_that_became_a_folder_may_be_its_first_file(tmp_path: Path) -> None:
    firsts = ("tests/flume/mod.rs", "mill/race/__init__.py", "web/weir/index.ts", "web/quay/index.ts", "web/quay.tsx")
    root = repository(tmp_path / "mill", dict.fromkeys(firsts, "x\n"))
    gone = ("tests/flume.rs", "mill/race.py", "web/weir.js", "web/quay.js", "mill/flume.rs")
    checks = found([make_memory(project="shop", anchors=tuple(map(Anchor, gone)))], root)
    where = {path: suggestion for path, (_, suggestion) in checks.items()}
    assert where == dict(zip(gone, (*firsts[:3], None, None), strict=True)), "two files, or none, tell nothing"


def test_a_move_is_found_in_a_clone_that_lacks_content_and_where_other_commits_add_the_file(tmp_path: Path) -> None:
    root = repository(tmp_path / "mill", {f"big{n}.txt": "".join(f"{n} {m}\n" for m in range(20)) for n in range(2)})
    write_files(root, {"race/flume.md": "flume\n" * 9, "race/weir.md": "weir\n" * 9, "race/sluice.md": "sluice\n" * 9})
    commit(root, on="2026-01-16")
    memory = replace(
        tied(root, "race/flume.md", "race/weir.md", "race/sluice.md"),
        anchors=tuple(Anchor(f"race/{name}.md") for name in ("flume", "weir", "sluice")),
    )
    git(root, "mv", "race/flume.md", "leat.md")
    (root / "race/weir.md").rename(tmp_path / "kept")
    commit(root, on="2026-01-17")
    (tmp_path / "kept").rename(root / "barrage.md")
    git(root, "mv", "big0.txt", "large0.txt")
    (root / "large0.txt").write_text((root / "large0.txt").read_text() + "more\n")
    commit(root, on="2026-01-18")
    (root / "race/sluice.md").rename(root / "gate.md")
    lacking = git(root, "rev-parse", "HEAD~1:big0.txt").strip()
    (root / ".git/objects" / lacking[:2] / lacking[2:]).unlink()
    assert found([memory], root) == {
        "race/flume.md": ("moved", "leat.md"),
        "race/weir.md": ("moved", "barrage.md"),
        "race/sluice.md": ("moved", "gate.md"),
    }


def test_a_name_that_many_folders_have_is_never_suggested(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", {"docs/README.md": "one\n", "docs/locks.md": "two\n"})
    memory = tied(root, "README.md", "old/locks.md")
    assert found([memory], root) == {"README.md": ("gone", None), "old/locks.md": ("gone", "docs/locks.md")}


def test_what_is_missing_below_a_hidden_folder_of_the_repository_is_gone(tmp_path: Path) -> None:
    root = repository(tmp_path / "kiln", {".kiln/fire.yml": "hot: 1\n", "README.md": "one\n"})
    memory = tied(root, ".kiln/glazes/README.md", ".oven/glazes/README.md")
    memory = replace(memory, anchors=tuple(Anchor(anchor.path) for anchor in memory.anchors))
    expected = {".kiln/glazes/README.md": ("gone", None), ".oven/glazes/README.md": ("unverifiable", None)}
    assert found([memory], root) == expected


def test_a_path_is_gone_where_history_knows_it_and_foreign_where_nothing_does(tmp_path: Path) -> None:
    root = repository(tmp_path / "kiln", {"old/glaze/mix.py": "mix = 1\n" * 5, "README.md": "one\n"})
    memory = tied(root, "old/glaze/mix.py", "old/glaze/", "sdk/heat.h", "plans/fire.md")
    memory = replace(memory, anchors=tuple(Anchor(anchor.path) for anchor in memory.anchors))
    git(root, "rm", "--quiet", "-r", "old")
    expected = {
        "old/glaze/mix.py": ("gone", None),
        "old/glaze/": ("gone", None),
        "sdk/heat.h": ("unverifiable", None),
        "plans/fire.md": ("unverifiable", None),
    }
    assert found([memory], root) == expected, "what is staged counts"
    git(root, "commit", "--quiet", "--message", "Fire electric")
    assert found([memory], root) == expected
    vault, _ = new_vault(tmp_path)
    with vault.write(actor="person", action="import") as writer:
        writer.put_many([memory])
    link_folder(vault, "shop", root)
    tree = Tree("shop", root)
    assert dead_anchors(vault, MemoryFilter(), tree) == {}, "a glance sees nothing of what was there"
    check_trees(vault, [tree])
    assert {path for _, path in dead_anchors(vault, MemoryFilter(), tree)} == {"old/glaze/mix.py", "old/glaze/"}


def test_memories_are_tied_anew_in_bulk_as_one_change(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", FILES)
    vault, _ = new_vault(tmp_path)
    made = [add(vault, f"Fact {number}.", files=["src/pay.py"], folder=root) for number in range(3)]
    git(root, "mv", "src/pay.py", "src/payment.py")
    tree = Tree("shop", root)
    checked = check_anchors(made, tree)
    assert remember_states(vault, checked) == 3
    assert remember_states(vault, checked) == 0
    moves = {check.id: {check.path: str(check.suggestion)} for check in checked}
    outcome = re_anchor(vault, moves, actor=PERSON)
    assert len(outcome.changed) == 3
    assert [check.state for check in check_trees(vault, [tree])["shop"]] == ["fresh"] * 3
    assert re_anchor(vault, moves, actor=PERSON).skipped
    undo(vault, actor=PERSON)
    assert all(get(vault, memory.id).anchors[0].path == "src/pay.py" for memory in made)
    with pytest.raises(UsageError):
        re_anchor(vault, {made[0].id: {"src/pay.py": " "}}, actor=PERSON)


def test_an_agent_ties_nothing_anew(tmp_path: Path) -> None:
    from curating import AGENT

    vault, _ = new_vault(tmp_path)
    with pytest.raises(RefusedError):
        re_anchor(vault, {"x": {"a": "b"}}, actor=AGENT)


def test_moved_and_gone_anchors_are_findings(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop", FILES)
    vault, _ = new_vault(tmp_path)
    add(vault, "The login is in one file.", files=["src/lib/auth.ts", "src/pay.py"], folder=root)
    git(root, "mv", "src/lib/auth.ts", "src/auth.ts")
    (root / "src/pay.py").write_text("changed\n")
    record = report_record(look(vault, tree=Tree("shop", root)))
    assert [(a["path"], a["state"], a["suggestion"]) for a in record["anchors"]] == [
        ("src/lib/auth.ts", "moved", "src/auth.ts")
    ]
