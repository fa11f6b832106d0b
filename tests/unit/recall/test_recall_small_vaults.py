"""With the bundled model: vaults of one, five and no memories, other scripts than the model reads, and codes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from recall_story import NOON, PAYMENTS, SETTINGS, ids, memory, story_vault

from memtui.domain.memory import Memory
from memtui.embedding.bundled import BundledEngine
from memtui.recall.embedding_cache import embed_missing
from memtui.recall.rank import recall
from memtui.recall.result import Recall, Task
from memtui.recall.semantic import ModelMeaning
from memtui.vault.vault import Vault

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

    def __call__(self, query: str) -> Recall:
        return recall(self._vault, Task(query), PAYMENTS, settings=SETTINGS, now=NOON, meaning=self._meaning)


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


@pytest.mark.parametrize("vault", ["one", "five", "none", "cjk", "both"])
def test_what_is_foreign_gets_nothing_however_few_memories_there_are(vaults: dict[str, Asked], vault: str) -> None:
    assert vaults[vault](FOREIGN).hits == ()
    assert vaults[vault]("ライ麦パンの焼き方").hits == ()


def test_what_the_model_cannot_read_is_near_to_nothing(vaults: dict[str, Asked]) -> None:
    # To an English model all of these look alike, and the nearest of them would answer whatever is asked.
    assert vaults["cjk"]("double charge").hits == ()
    assert {*ids(vaults["both"]("two refunds at the same time").hits)}.isdisjoint(one.id for one in CJK)
