"""What a user relies on when memories are recalled for a task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from recall_story import (
    LINKS,
    NOON,
    PAYMENTS,
    SETTINGS,
    STORY,
    days_ago,
    ids,
    link,
    memory,
    recalled,
    set_state,
    story_vault,
)

from memtui.domain.memory import Memory, Signal
from memtui.domain.reasons import Reason, ReasonCode
from memtui.embedding.bundled import BundledEngine
from memtui.errors import UsageError
from memtui.recall.embedding_cache import embed_missing
from memtui.recall.rank import recall
from memtui.recall.result import Hit, Recall, Task
from memtui.recall.search import search
from memtui.recall.semantic import ModelMeaning
from memtui.vault.filters import EVERYTHING, Scope
from memtui.vault.reader import VaultReader
from memtui.vault.vault import Vault


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("story"))


def _why(found: object, identifier: str) -> Reason | None:
    return next((one.reason for one in found.withheld if one.id == identifier), None)  # type: ignore[attr-defined] # a Recall


# -- with a task ------------------------------------------------------------------------------------


def test_a_natural_question_is_answered_though_no_memory_holds_all_its_words(vault: Vault) -> None:
    assert ids(recalled(vault, "which port does the replica use?").hits) == ["replica2"]


def test_every_point_of_a_score_is_in_its_explanation(vault: Vault) -> None:
    hit = recalled(vault, "make refunds idempotent", "payments/service.py").hits[0]
    terms = [part for part in hit.parts if part.role == "term"]
    factors = [part for part in hit.parts if part.role == "factor"]
    assert hit.memory.id == "lockpaym"
    assert sum(part.value for part in terms) == pytest.approx(hit.relevance)
    assert hit.relevance * math.prod(part.value for part in factors) == pytest.approx(hit.score)
    assert [part.name for part in terms] == ["words", "files", "neighbours"]
    assert [part.name for part in factors] == ["freshness", "usefulness", "importance", "kind"]
    words, files = hit.reasons[:2]
    assert "refunds" in words.names
    assert files.file == "payments/service.py"


def test_linked_memories_come_along_below_what_matches(vault: Vault) -> None:
    found = recalled(vault, "make refunds idempotent")
    assert ids(found.hits) == ["lockpaym", "twicebug"]


def test_what_matches_and_may_not_be_used_is_named_with_its_reason(vault: Vault) -> None:
    found = recalled(vault, "refunds")
    assert {one.id: one.reason for one in found.withheld} == {
        "lockuser": Reason(ReasonCode.SUPERSEDED, other="lockpaym"),
        "inboxed2": Reason(ReasonCode.UNCONFIRMED),
        "retired2": Reason(ReasonCode.RETIRED),
        "nowhere2": Reason(ReasonCode.UNASSIGNED),
    }


def test_other_projects_are_told_by_number_alone(vault: Vault) -> None:
    found = recalled(vault, "refund button for guests")
    assert found.other_projects == 1
    assert "guestref" not in {*ids(found.hits), *ids(found.withheld)}


def test_the_same_words_in_the_other_project_find_its_memory(vault: Vault) -> None:
    found = recalled(vault, "refund button for guests", scope=Scope.of_project("storefront"))
    assert ids(found.hits) == ["guestref"]


def test_global_memories_belong_to_every_project(vault: Vault) -> None:
    for name in ("payments-api", "storefront", None):
        assert ids(recalled(vault, "commit messages", scope=Scope.of_project(name)).hits) == ["imperati"]


def test_unassigned_memories_are_withheld_even_when_every_project_is_in_view(vault: Vault) -> None:
    found = recalled(vault, "the refund limit in euros", scope=EVERYTHING)
    assert "nowhere2" not in ids(found.hits)
    assert _why(found, "nowhere2") == Reason(ReasonCode.UNASSIGNED)


def test_of_two_that_contradict_each_other_the_better_stands(vault: Vault) -> None:
    found = recalled(vault, "retry webhooks")
    assert ids(found.hits) == ["retryyes"]
    assert _why(found, "retrynot") == Reason(ReasonCode.CONTRADICTED, other="retryyes")


def test_a_memory_counts_only_while_it_is_true(vault: Vault) -> None:
    now = recalled(vault, "deployments in December")
    then = recalled(vault, "deployments in December", as_of=days_ago(20))
    assert _why(now, "freezes2") == Reason(ReasonCode.EXPIRED, date=days_ago(11))
    assert ids(then.hits) == ["freezes2"]


def test_a_memory_that_is_not_true_yet_is_withheld(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, [memory("future22", "Node 30 from June", valid_from=days_ago(-100))], [])
    assert _why(recalled(vault, "node 30"), "future22") == Reason(ReasonCode.NOT_YET_VALID, date=days_ago(-100))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("bake sourdough bread", Reason(ReasonCode.NO_KNOWN_WORD)),
        ("?!", Reason(ReasonCode.NO_TELLING_WORD)),
        ("deployments in December", Reason(ReasonCode.ALL_WITHHELD, because=(Reason(ReasonCode.EXPIRED),))),
        ("guests", Reason(ReasonCode.NO_SHARED_WORD)),
        ("fix config.js", Reason(ReasonCode.NO_KNOWN_WORD)),
    ],
)
def test_nothing_relevant_is_an_answer_with_a_reason(vault: Vault, text: str, reason: Reason) -> None:
    found = recalled(vault, text)
    assert found.hits == ()
    assert found.abstained == reason
    assert ids(found.pins) == ["cardlogs"]


def test_a_word_of_doing_in_common_makes_nothing_relevant(tmp_path: Path) -> None:
    memories = [memory("gmailfil", "Fix gmail-filters.js by hand"), memory("otherone", "Tabs are four wide")]
    found = recalled(story_vault(tmp_path, memories, []), "fix config.js")
    assert found.hits == ()
    assert [one.reason.code for one in found.withheld] == [ReasonCode.BELOW_FLOOR]
    assert found.abstained == Reason(ReasonCode.TOO_LITTLE_SHARED)


def test_what_lies_below_the_floor_is_measured_aside_and_all_of_a_small_vault(tmp_path: Path) -> None:
    """The payload judges it too, also what shares no word with the task; files without a task have no use for it."""
    kiln = [memory(f"kiln{n:04}", f"Dip glaze number {n}", f"Dip the glaze of shelf {n} twice.") for n in range(8)]
    vault = story_vault(
        tmp_path,
        [
            *kiln,
            memory("dampers1", "Dampers", "Oil the glaze damper of the kiln yearly."),
            memory("anderess", "Rauchabzug", "Einmal im Jahr fegen."),
        ],
        [],
    )
    found = recalled(vault, "dip the glaze of shelf 3 twice", "kiln/fire.py")
    hits, near = set(ids(found.hits)), ids(found.near)
    assert {"dampers1", "anderess"} <= set(near)
    assert not hits.intersection(near)
    assert all(hit.reasons and hit.signs and hit.signs.is_below for hit in found.near)
    assert not any(hit.signs and hit.signs.is_below for hit in found.hits)
    assert {"dampers1", "anderess"} <= set(ids(recalled(vault, "dip the glaze of shelf 3 twice").near))
    assert not recalled(vault, "", "kiln/fire.py").near


def test_a_pinned_memory_that_matches_is_an_answer(vault: Vault) -> None:
    found = recalled(vault, "log numbers")
    assert found.hits == ()
    assert found.abstained is None
    assert found.pins[0].reasons[-1].code is ReasonCode.PINNED


# -- trust ------------------------------------------------------------------------------------------


def test_a_fresh_memory_whose_file_is_gone_stands_below_an_old_one_that_holds(tmp_path: Path) -> None:
    vault = story_vault(tmp_path)
    before = recalled(vault, "how do exports round")
    set_state(vault, "legacyre", "legacy/export.py", "gone")
    after = recalled(vault, "how do exports round")
    assert ids(before.hits) == ["legacyre", "newexpor"]
    assert ids(after.hits) == ["newexpor", "legacyre"]
    assert [(part.value, part.reason.names) for part in after.hits[1].parts if part.name == "files gone"] == [
        (0.3, ("legacy/export.py",))
    ]
    assert after.states["legacyre", "legacy/export.py"] == "gone"


def test_verdicts_on_use_move_a_memory(tmp_path: Path) -> None:
    twins = [memory("twinaaaa", "Cache the ledger totals"), memory("twinbbbb", "Cache the ledger sums")]
    vault = story_vault(tmp_path, twins, [])
    assert ids(recalled(vault, "cache ledger").hits) == ["twinaaaa", "twinbbbb"]
    with vault.write(actor="person", action="feedback") as writer:
        writer.add_signals([Signal(memory_id="twinbbbb", signal="helped", at=NOON, actor="person")])
    assert ids(recalled(vault, "cache ledger").hits) == ["twinbbbb", "twinaaaa"]


def test_looking_changes_nothing(vault: Vault) -> None:
    first = recalled(vault, "make refunds idempotent")
    for _ in range(3):
        assert recalled(vault, "make refunds idempotent") == first


def test_equal_scores_are_ordered_by_age_then_id(tmp_path: Path) -> None:
    same = [
        memory("bbbbbbbb", "Same words", verified_at=days_ago(1)),
        memory("aaaaaaaa", "Same words", verified_at=days_ago(1)),
        memory("cccccccc", "Same words", verified_at=days_ago(1), created_at=days_ago(31)),
    ]
    kin = [memory("dddddddd", "Other text entirely")]
    vault = story_vault(tmp_path, [*same, *kin], [])
    assert ids(recalled(vault, "same words").hits) == ["cccccccc", "aaaaaaaa", "bbbbbbbb"]


def test_a_live_memory_that_another_replaces_gives_way(tmp_path: Path) -> None:
    pair = [memory("oldvalue", "Batch size is 50"), memory("newvalue", "Batch size is 80")]
    vault = story_vault(tmp_path, pair, [link("newvalue", "supersedes", "oldvalue")])
    found = recalled(vault, "batch size 50")
    assert ids(found.hits) == ["newvalue"]
    assert _why(found, "oldvalue") == Reason(ReasonCode.SUPERSEDED, other="newvalue")


def test_a_retired_replacement_replaces_nothing(tmp_path: Path) -> None:
    pair = [memory("oldvalue", "Batch size is 50"), memory("newvalue", "Batch size is 80", status="retired")]
    vault = story_vault(tmp_path, pair, [link("newvalue", "supersedes", "oldvalue")])
    assert ids(recalled(vault, "batch size").hits) == ["oldvalue"]


def test_two_memories_that_replace_each_other_leave_one(tmp_path: Path) -> None:
    pair = [memory("oldvalue", "Batch size is 50"), memory("newvalue", "Batch size is 80")]
    loop = [link("newvalue", "supersedes", "oldvalue"), link("oldvalue", "supersedes", "newvalue")]
    assert len(recalled(story_vault(tmp_path, pair, loop), "batch size").hits) == 1


# -- files and no task ------------------------------------------------------------------------------


def test_with_files_alone_what_is_tied_to_them_comes_first(vault: Vault) -> None:
    found = recalled(vault, "", "payments/service.py")
    assert ids(found.hits)[:3] == ["lockpaym", "intcents", "twicebug"]
    assert found.hits[3].reasons == (Reason(ReasonCode.SAME_PROJECT),)


def test_without_task_and_files_the_most_useful_come_first(vault: Vault) -> None:
    found = recalled(vault)
    assert ids(found.hits)[0] == "retryyes"
    assert ids(found.hits)[-2:] == ["newexpor", "intcents"], "the oldest, and what applies only to some files"
    assert "cardlogs" not in ids(found.hits)
    assert found.abstained is None


def test_without_a_task_the_withheld_are_counted(vault: Vault) -> None:
    found = recalled(vault)
    assert found.withheld_counts == {
        Reason(ReasonCode.UNCONFIRMED): 1,
        Reason(ReasonCode.OUTSIDE_VALID_TIME): 1,
        Reason(ReasonCode.RETIRED): 1,
        Reason(ReasonCode.SUPERSEDED): 1,
        Reason(ReasonCode.UNASSIGNED): 1,
    }


def test_what_helped_often_is_found_among_many_without_a_task(tmp_path: Path) -> None:
    many = [memory(f"memory{number:03}", f"Fact number {number}") for number in range(200)]
    old = memory("oldhelps", "Old and helpful", created_at=days_ago(31))
    vault = story_vault(tmp_path, [*many, old], [])
    with vault.write(actor="person", action="feedback") as writer:
        writer.add_signals(Signal(memory_id="oldhelps", signal="helped", at=NOON, actor="person") for _ in range(5))
    assert ids(recalled(vault, limit=10).hits)[0] == "oldhelps"


def test_without_a_task_the_rules_of_an_import_come_before_its_many_facts(tmp_path: Path) -> None:
    facts = [memory(f"fact{number:04}", f"Part {number} feeds another", kind="architecture") for number in range(150)]
    rule = memory("zzzzrule", "Never feed a part by hand", kind="constraint")
    assert ids(recalled(story_vault(tmp_path, [*facts, rule], [])).hits)[0] == "zzzzrule"


def test_an_empty_vault_abstains(tmp_path: Path) -> None:
    vault = story_vault(tmp_path, [], [])
    assert recalled(vault).abstained == Reason(ReasonCode.NO_ACTIVE_MEMORY)
    assert recalled(vault, "anything").abstained == Reason(ReasonCode.NO_KNOWN_WORD)


# -- limits -----------------------------------------------------------------------------------------


def test_beyond_the_limit_fifty_are_named_and_the_rest_counted(tmp_path: Path) -> None:
    many = [memory(f"memory{number:03}", f"Ledger rule number {number}") for number in range(300)]
    found = recalled(story_vault(tmp_path, many, []), "ledger rule", limit=20)
    assert len(found.hits) == 20
    assert len(found.withheld) == 50
    assert sum(found.withheld_counts.values()) == 300 - 20 - 50
    assert {one.reason for one in found.withheld} == {Reason(ReasonCode.BEYOND_LIMIT)}


def test_a_full_inbox_does_not_crowd_out_what_is_active(tmp_path: Path) -> None:
    inbox = [memory(f"inbox{number:04}", "Lock refund refund", status="candidate") for number in range(300)]
    others = [memory(f"garden{number:04}", f"Tulip bed {number}") for number in range(300)]
    vault = story_vault(tmp_path, [*inbox, *others, *STORY], LINKS)
    found = recalled(vault, "lock refunds")
    assert ids(found.hits)[0] == "lockpaym"
    assert found.withheld_counts[Reason(ReasonCode.UNCONFIRMED)] > 200


def test_a_huge_task_is_cut_to_what_can_be_looked_up(vault: Vault) -> None:
    assert ids(recalled(vault, "replica port " + "x" * 1_000_000).hits) == ["replica2"]
    assert recalled(vault, "word " * 200_000).hits == ()


@pytest.mark.parametrize("text", ["[/x] \x1b[31m refunds", "'); DROP refunds; --", "refunds\x00", "\ud800 refunds"])
def test_hostile_words_are_only_words(vault: Vault, text: str) -> None:
    assert "lockpaym" in ids(recalled(vault, text).hits)


def test_an_unknown_phase_is_refused(vault: Vault) -> None:
    with pytest.raises(UsageError):
        recalled(vault, "refunds", phase="cooking")


def test_a_given_phase_beats_the_guess(vault: Vault) -> None:
    assert recalled(vault, "fix refunds").phase == "debug"
    assert recalled(vault, "fix refunds", phase="review").phase == "review"


def test_the_vault_is_leased_once_and_free_again_before_ranking(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    leases = []
    read = type(vault).read

    @contextmanager
    def counting(self: Vault) -> Iterator[VaultReader]:
        leases.append("taken")
        with read(self) as reader:
            yield reader

    monkeypatch.setattr(type(vault), "read", counting)
    recalled(vault, "make refunds idempotent", "payments/service.py", scope=PAYMENTS)
    assert leases == ["taken"]


FIVE = (
    memory("refundlk", "Lock refunds by payment_id", insight="Two refunds of one payment must not run at once."),
    memory("minorcnt", "Amounts are integers in minor units", insight="Money is stored in cents, never as a float."),
    memory("nofriday", "Never deploy on Friday", insight="No release after Thursday noon; nobody is there."),
    memory("err1043x", "ERR_1043 means the webhook signature failed", insight="Check the secret of the HMAC first."),
    memory("pnpmonly", "Use pnpm, not npm", insight="The lock file is pnpm-lock.yaml."),
)
CJK = (
    memory("doublech", "二重課金はロックのキーが違うと起きる", insight="ロックキーは payment_id でなければならない。"),
    memory("stocknow", "在庫数は60秒以上キャッシュしない", insight="価格は一分古くてもよいが、在庫は必ず最新を読む。"),
    memory("noformat", "日付はサーバーで整形しない", insight="サーバーのタイムゾーンで整形すると表示が壊れる。"),
    memory("disableb", "退款按钮提交后必须立即禁用", insight="用户双击会产生两次退款请求，提交后立刻禁用按钮。"),
)
FOREIGN = "sourdough bread with rye"


class Asked:
    """A vault with its vectors, to be asked."""

    def __init__(self, folder: Path, engine: BundledEngine, memories: Sequence[Memory]) -> None:
        folder.mkdir()
        self._vault: Vault = story_vault(folder, list(memories), [])
        embed_missing(self._vault, engine)
        self._meaning = ModelMeaning(self._vault, "bundled", engine=engine)

    def __call__(self, query: str, *files: str) -> Recall:
        return recall(self._vault, Task(query, files), PAYMENTS, settings=SETTINGS, now=NOON, meaning=self._meaning)


@pytest.fixture(scope="module")
def vaults(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Asked]:
    folder, engine = tmp_path_factory.mktemp("small"), BundledEngine()
    held = {"five": FIVE, "one": FIVE[:1], "none": (), "cjk": CJK, "both": (*CJK, *FIVE)}
    return {name: Asked(folder / name, engine, memories) for name, memories in held.items()}


@pytest.mark.parametrize(
    ("vault", "query", "first"),
    [
        ("one", "refund lock", "refundlk"),
        ("one", "concurrent reimbursements", "refundlk"),
        ("five", "store the price of an item", "minorcnt"),
        ("five", "may I release this at the end of the week", "nofriday"),
        ("five", "paymentId", "refundlk"),
        ("five", "we got ERR_1043 from the gateway", "err1043x"),
        ("cjk", "二重課金を直す", "doublech"),
        ("cjk", "退款按钮", "disableb"),
        ("cjk", "payment_id", "doublech"),
        ("both", "在庫のキャッシュ時間を延ばしたい", "stocknow"),
        ("both", "how is money represented", "minorcnt"),
    ],
)
def test_what_a_person_would_expect_comes_first(vaults: dict[str, Asked], vault: str, query: str, first: str) -> None:
    found = vaults[vault](query)
    assert ids(found.hits)[:1] == [first]
    assert found.hits[0].score > 0.3


def test_what_shares_nothing_with_a_task_has_a_reason_all_the_same(vaults: dict[str, Asked]) -> None:
    far = [hit for hit in vaults["both"](FOREIGN, "bread/rye.py").near if not hit.relevance]
    assert far
    assert {reason.code for hit in far for reason in hit.reasons[:1]} == {ReasonCode.WEAK}
    assert all(hit.reasons for hit in far)


@pytest.mark.parametrize("vault", ["one", "five", "none", "cjk", "both"])
def test_what_is_foreign_gets_nothing_however_few_memories_there_are(vaults: dict[str, Asked], vault: str) -> None:
    assert vaults[vault](FOREIGN).hits == ()
    assert vaults[vault]("ライ麦パンの焼き方").hits == ()


def test_what_the_model_cannot_read_is_near_to_nothing(vaults: dict[str, Asked]) -> None:
    # To an English model all of these look alike, and the nearest of them would answer whatever is asked.
    assert vaults["cjk"]("double charge").hits == ()
    assert {*ids(vaults["both"]("two refunds at the same time").hits)}.isdisjoint(one.id for one in CJK)


@pytest.fixture(scope="module")
def vault_search(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    return story_vault(tmp_path_factory.mktemp("search"))


def _search(
    vault_search: Vault,
    query: str,
    *files: str,
    scope: Scope = PAYMENTS,
    limit: int = 20,
    statuses: Sequence[str] | None = ("active",),
) -> list[Hit]:
    return search(
        vault_search, query, scope, files=files, limit=limit, settings=SETTINGS, now=NOON, statuses=statuses
    ).hits


def test_words_are_or_ed(vault_search: Vault) -> None:
    assert ids(_search(vault_search, "which port does the replica use?"))[0] == "replica2"


def test_one_telling_word_is_enough_where_recall_would_abstain(vault_search: Vault) -> None:
    assert ids(_search(vault_search, "kubernetes ingress certificates for webhooks")) == ["retryyes", "retrynot"]


def test_contradicting_memories_are_both_shown(vault_search: Vault) -> None:
    assert set(ids(_search(vault_search, "retry webhooks"))) == {"retryyes", "retrynot"}


def test_pinned_memories_are_found_like_others_and_only_when_they_match(vault_search: Vault) -> None:
    assert ids(_search(vault_search, "log numbers")) == ["cardlogs"]
    assert "cardlogs" not in ids(_search(vault_search, "refunds"))


@pytest.mark.parametrize("query", ["lockpaym", "LOCKPAYM", "Lock refunds by payment_id", "lock refunds by PAYMENT_ID "])
def test_an_id_or_a_title_comes_first(vault_search: Vault, query: str) -> None:
    hits = _search(vault_search, query)
    assert ids(hits)[0] == "lockpaym"
    assert hits[0].parts[-5].name == "name"


def test_the_start_of_an_id_is_enough_when_no_word_matches(vault_search: Vault) -> None:
    assert ids(_search(vault_search, "impe")) == ["imperati"]
    assert _search(vault_search, "lock") != []
    assert _search(vault_search, "inbo") == []


def test_candidates_are_found_only_when_asked_for(vault_search: Vault) -> None:
    assert "inboxed2" not in ids(_search(vault_search, "refund mails"))
    assert ids(_search(vault_search, "refund mails", statuses=("candidate",))) == ["inboxed2"]
    assert {"inboxed2", "retired2", "lockuser"} <= set(ids(_search(vault_search, "refunds", statuses=None)))


def test_the_scope_decides_over_projects_and_the_unassigned(vault_search: Vault) -> None:
    assert {"guestref", "nowhere2"}.isdisjoint(ids(_search(vault_search, "refund")))
    assert {"guestref", "nowhere2"} <= set(ids(_search(vault_search, "refund", scope=EVERYTHING)))


def test_files_alone_find_what_is_tied_to_them(vault_search: Vault) -> None:
    assert ids(_search(vault_search, "", "payments/lock.py")) == ["lockpaym", "intcents"]


def test_hits_carry_the_same_explanation_as_in_recall(vault_search: Vault) -> None:
    hit = _search(vault_search, "refunds", "payments/service.py")[0]
    assert [part.name for part in hit.parts] == ["words", "files", "freshness", "usefulness", "importance", "kind"]


def test_the_limit_is_kept_and_nothing_found_is_an_empty_list(vault_search: Vault) -> None:
    assert len(_search(vault_search, "refunds", scope=EVERYTHING, statuses=None, limit=2)) == 2
    assert _search(vault_search, "sourdough") == []
    assert _search(vault_search, "") == []
