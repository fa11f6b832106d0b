"""What a user relies on when files are named: the more precisely a memory is tied to them, the more it counts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pack_story import packed
from recall_story import NOON, PAYMENTS, SETTINGS, ids, memory, set_state, story_vault

from memtui.recall import anchors as renamed
from memtui.recall.anchors import (
    FLOOR_STRENGTH,
    NARROWEST,
    Surroundings,
    best_matches,
    files_part,
    former_names,
    places_of,
    strength,
    surroundings_of,
)
from memtui.recall.imports.follow import Reached
from memtui.recall.imports.sources import OF_PACKAGE, SAME_PACKAGE
from memtui.recall.rank import recall
from memtui.recall.result import Task
from memtui.tree import Tree
from memtui.wording.reasons import hit_words

FILE = "payments/core/service.py"


def test_a_more_precise_anchor_counts_more() -> None:
    anchors = [
        FILE,
        "payments/core",
        "payments/core/*.py",
        "payments",
        "payments/**/*.py",
        "payments/**",
        "**/*.py",
        "**",
    ]
    values = [strength(anchor, FILE) for anchor in anchors]
    assert values == sorted(values, reverse=True)
    assert values[0] == 1.0
    assert values[-1] < FLOOR_STRENGTH <= values[-2]


@pytest.mark.parametrize("anchor", ["payments/core/service.py::refund", "./payments/core/service.py"])
def test_a_symbol_of_the_file_counts_as_the_file(anchor: str) -> None:
    assert strength(anchor, FILE) == 1.0


@pytest.mark.parametrize("anchor", ["payments/core/service", "service.py", "core", "*.py", "payments/*.py", ""])
def test_another_place_does_not_count(anchor: str) -> None:
    assert strength(anchor, FILE) == 0.0


def test_a_given_folder_finds_what_is_tied_to_files_in_it() -> None:
    assert strength(FILE, "payments/core/") > 0.5
    assert strength("other/service.py", "payments/core") == 0.0


def test_a_root_file_is_found_by_pattern() -> None:
    assert strength("*.toml", "pyproject.toml") >= FLOOR_STRENGTH


def test_of_several_anchors_and_files_the_strongest_tie_counts() -> None:
    anchored = [(1, "payments/**"), (1, "payments/lock.py"), (2, "docs/*.md")]
    best = best_matches(anchored, ["payments/service.py", "payments/lock.py"])
    assert set(best) == {1}
    assert best[1].strength == 1.0
    reason = files_part(best[1]).reason
    assert (reason.path, reason.file) == ("payments/lock.py", "payments/lock.py")


def test_a_tie_to_an_imported_file_counts_less_per_hop_and_says_the_way() -> None:
    pricing = Reached("shop/pricing/total.py", 1, "shop/cart.py")
    money = Reached("lib/money.py", 2, pricing.file, before=pricing)
    anchored = [(1, "shop/cart.py"), (2, "shop/pricing/total.py::total"), (3, "lib/money.py"), (4, "lib/*.py")]
    anchored += [(5, "shop/pricing/"), (6, "other.py"), (7, "**")]
    best = best_matches(anchored, ["shop/cart.py"], Surroundings((pricing, money)))
    assert best[1].reached is None
    assert best[1].strength > best[2].strength > best[3].strength > best[4].strength
    assert best[3].strength >= FLOOR_STRENGTH > best[4].strength
    assert best[2].strength > best[5].strength >= FLOOR_STRENGTH
    assert 6 not in best
    assert best[7].reached is None, "a tie to the file in hand goes before an equal one through an import"
    reasons = {key: files_part(match).reason for key, match in best.items()}
    assert reasons[2].because == reasons[5].because == (pricing.reason,)
    assert [one.other for one in (*reasons[3].because, *reasons[3].because[0].because)] == [
        pricing.file,
        "shop/cart.py",
    ]


def test_files_of_one_package_are_tied_less_than_by_an_import() -> None:
    reached = (Reached("a.go", 1, "x.go"), Reached("b.go", 1, "x.go", SAME_PACKAGE))
    best = best_matches([(1, "a.go"), (2, "b.go")], ["x.go"], Surroundings(reached))
    assert best[1].strength > best[2].strength >= FLOOR_STRENGTH
    assert files_part(best[2]).reason.because[0].link == SAME_PACKAGE


def test_one_of_many_files_of_an_imported_package_is_tied_less_than_all_of_it() -> None:
    reached = (Reached("lone/a.go", 1, "x.go"), *(Reached(f"lib/{name}.go", 1, "x.go", OF_PACKAGE) for name in "abcd"))
    best = best_matches(
        [(1, "lone/a.go"), (2, "lib/a.go"), (3, "lib/"), (4, "lib/**")], ["x.go"], Surroundings(reached)
    )
    assert best[1].strength > best[2].strength >= FLOOR_STRENGTH
    assert best[3].strength > best[2].strength
    assert best[4].strength >= FLOOR_STRENGTH
    assert files_part(best[2]).reason.because[0].link == OF_PACKAGE


def test_the_end_of_a_path_is_a_tie_where_it_means_that_file() -> None:
    meant = {"service.py": FILE, "core/lines.py": "other/core/lines.py"}
    asked = []

    def resolve(path: str) -> str | None:
        asked.append(path)
        return meant.get(path)

    reached = (Reached("payments/core/lines.py", 1, FILE), Reached("payments/lock.py", 1, FILE))
    anchored = [(1, "service.py"), (2, "core/lines.py"), (3, "lock.py"), (4, "elsewhere.py"), (5, FILE)]
    best = best_matches(anchored, [FILE], Surroundings(reached, resolve))
    assert set(best) == {1, 5}
    assert best[1].strength == 1.0
    reason = files_part(best[1]).reason
    assert (reason.path, reason.file) == ("service.py", FILE)
    assert asked == ["service.py", "core/lines.py", "lock.py"], "only where the path of a file at hand has that end"


def test_an_anchor_with_the_former_name_of_a_file_in_hand_counts_as_the_file() -> None:
    former = Surroundings(former={"payments/old.py": FILE})
    best = best_matches([(1, "payments/old.py::refund"), (2, "payments/other.py")], [FILE], former)
    assert set(best) == {1}
    assert best[1].strength == 1.0
    reason = files_part(best[1]).reason
    assert (reason.link, reason.file, reason.path) == ("moved", FILE, "payments/old.py::refund")


TEXT = "def pay():\n    return 1\n\n\nRATE = 3\n"


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A tree below the root of its repository, whose src/a.py became src/b.py and then lib/c.py."""
    root = tmp_path / "repo" / "shop"
    (root / "src").mkdir(parents=True)
    (root / "lib").mkdir()
    (root / "src" / "a.py").write_text(TEXT)
    git(root, "init", "-q", "..")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    git(root, "mv", "src/a.py", "src/b.py")
    git(root, "commit", "-q", "-m", "two")
    git(root, "mv", "src/b.py", "lib/c.py")
    return Tree("payments-api", root)


def test_all_former_names_are_found_committed_or_staged(tree: Tree) -> None:
    anchors = ["src/a.py::pay", "./src/b.py", "src/never.py", "src/*.py", "https://x.y/a.py", "lib/c.py"]
    assert former_names(tree, ["lib/c.py"], anchors) == {"src/a.py": "lib/c.py", "src/b.py": "lib/c.py"}


def test_git_is_not_asked_where_no_anchor_of_this_ending_is_gone(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(renamed, "run_git", lambda *words, **_: asked.append(words))
    assert former_names(tree, ["lib/c.py"], ["lib/c.py", "docs/gone.md"]) == {}
    assert former_names(tree, [], ["src/a.py"]) == {}
    assert former_names(None, ["lib/c.py"], ["src/a.py"]) == {}
    assert asked == []


def test_without_git_nothing_moved(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(TEXT)
    assert former_names(Tree("shop", tmp_path), ["b.py"], ["a.py"]) == {}


def test_what_a_check_knows_to_have_moved_is_not_gone_for_recall(tmp_path: Path) -> None:
    moved, gone = (memory(f"{name}mem2", "The refund ledger", files=(f"{name}.py",)) for name in ("moved", "goned"))
    vault = story_vault(tmp_path, [moved, gone], [])
    set_state(vault, moved.id, "moved.py", "moved")
    set_state(vault, gone.id, "goned.py", "fresh")
    folder = tmp_path / "tree"
    folder.mkdir()
    found = recall(
        vault, Task("refund ledger"), PAYMENTS, settings=SETTINGS, now=NOON, tree=Tree("payments-api", folder)
    )
    assert ids(found.hits) == [moved.id, gone.id]
    penalties = [{part.name for part in hit.parts} & {"files gone"} for hit in found.hits]
    assert penalties == [set(), {"files gone"}]
    assert found.states[moved.id, "moved.py"] == "moved"


def test_a_tie_that_many_memories_share_is_weaker_than_one_of_a_few() -> None:
    few = best_matches([(n, "kiln/**") for n in range(5)], ["kiln/fire.py"])
    many = best_matches([(n, "kiln/**") for n in range(90)], ["kiln/fire.py"])
    assert many[0].strength == pytest.approx(few[0].strength * (12 / 90) ** 0.3)
    own = best_matches([(n, "kiln/fire.py") for n in range(90)], ["kiln/fire.py"])
    assert own[0].strength == 1.0


def test_a_pattern_that_fits_half_of_the_project_is_weaker_than_one_of_a_few_files() -> None:
    breadths = {"**/*.ts": 0.9, "kiln/*.ts": 0.02}
    around = Surroundings(breadth=breadths.__getitem__)
    anchored = [(1, "**/*.ts"), (2, "kiln/*.ts")]
    plain = best_matches(anchored, ["kiln/fire.ts"])
    weighed = best_matches(anchored, ["kiln/fire.ts"], around)
    assert weighed[1].strength < FLOOR_STRENGTH <= plain[1].strength
    assert weighed[2].strength == plain[2].strength


def test_the_tree_knows_what_share_of_its_files_a_pattern_fits(tmp_path: Path) -> None:
    (tmp_path / "kiln").mkdir()
    for name in ("kiln/a.ts", "kiln/b.ts", "readme.md", "kiln/c.md"):
        (tmp_path / name).write_text("x", "utf-8")
    assert Tree("pots", tmp_path).breadth("kiln/*.ts") == 0.5


def test_the_tree_knows_what_share_of_its_files_lies_below_a_folder(tmp_path: Path) -> None:
    for name in ("kiln/fire.ts", "kiln/glaze.ts", "kilns.ts", "shop.ts"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    tree = Tree("pots", tmp_path)
    assert tree.breadth("kiln") == 0.5
    assert tree.breadth("shop.ts") == 0.25


def test_the_place_of_a_rule_and_one_that_its_text_names_are_told_apart() -> None:
    around = Surroundings(breadth={"kiln/**": 0.01, "kiln": 0.01}.__getitem__)
    rule = memory("ruleplac", "Close the damper", files=("kiln/**",))
    naming = memory("namesplc", "Lint with care", "`make lint` reads kiln/ and shop/.", files=("kiln/",))
    other = memory("otherplc", "Sweep the floor", files=("shop/**",))
    of_rule, of_naming, of_other = (places_of(one, ["kiln/fire.ts"], around) for one in (rule, naming, other))
    assert (of_rule.holds_for, of_rule.names) == (2.0, 0.0)
    assert (of_naming.holds_for, of_naming.names) == (0.0, 2.0)
    assert (of_other.holds_for, of_other.has_place) == (0.0, True)
    assert places_of(rule, ["kiln/fire.ts"], Surroundings(breadth=lambda _: 1e-9)).holds_for == NARROWEST


def test_the_words_of_the_files_in_hand_are_read_and_nothing_outside_the_tree(tmp_path: Path) -> None:
    root = tmp_path / "pots"
    root.mkdir()
    (root / "fire.ts").write_text("const peakHeat = 1240;\0", encoding="utf-8")
    (tmp_path / "secret.ts").write_text("hiddenGlaze", encoding="utf-8")
    words = surroundings_of(Tree("pots", root), ["fire.ts", "gone.ts", "../secret.ts", "."]).words
    assert "peakheat" in words
    assert "hiddenglaze" not in words


def test_a_pattern_for_files_holds_for_a_folder_but_for_no_file_of_another_sort() -> None:
    assert strength("**/*.rs", "mill/race/") > 0
    assert strength("mill/**/*.rs", "mill/race/") > 0
    assert strength("**/*.rs", "mill/Dockerfile") == 0
    assert strength("dam/**/*.rs", "mill/race/") == 0


@pytest.mark.words
def test_a_text_that_names_a_file_in_code_is_tied_to_it_where_no_other_file_has_its_name(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    for name in ("mint.py", "coin/press.py", "coin/dies.py", "vault/dies.py", "setup.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", encoding="utf-8")
    memories = [
        memory("rootfile", "Coins", "Always start `mint.py` with the wizard."),
        memory("deepfile", "Presses", "Oil what `press.py` drives: `python press.py --slow`."),
        memory("manyfile", "Dies", "Keep `dies.py` free of side effects."),
        memory("generic2", "Setup", "Never run `setup.py` twice."),
        memory("inwords2", "Talk", "Somebody spoke of mint.py and press.py."),
        memory("elsewher", "Others", "The `museum/press.py` of the neighbours is no concern."),
    ]
    vault, tree = story_vault(tmp_path, memories, []), Tree("payments-api", root)

    def tied(file: str) -> dict[str, bool]:
        task = Task("sum up the day", (file,))
        found = recall(vault, task, PAYMENTS, settings=SETTINGS, now=NOON, tree=tree)
        return {one.memory.id: bool(one.signs and one.signs.is_exact) for one in found.hits}

    assert tied("mint.py") == {"rootfile": True}
    assert tied("coin/press.py") == {"deepfile": True}
    assert tied("coin/dies.py") == tied("setup.py") == {}
    pack = packed(vault, Task("sum up the day", ("mint.py",)), tree=tree)
    assert [one.memory.id for one in pack.included] == ["rootfile"]
    assert hit_words(pack.included[0].hit) == "tied to mint.py"
