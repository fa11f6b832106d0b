"""What a user relies on in compiled payloads: far fewer tokens, the evidence still there, each line traceable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recall_story import memory

from memtui.domain.memory import Memory
from memtui.pack.budget import Detail
from memtui.pack.build import build_pack
from memtui.pack.compile import KEPT, Compiler
from memtui.pack.openings import mark, shortened
from memtui.pack.options import PackOptions
from memtui.pack.sentences import sentences_of
from memtui.pack.targets.base import PackItem, PayloadInfo, short_ids
from memtui.pack.targets.formats import target_named
from memtui.recall.result import Hit, Recall, Task
from memtui.text.token_count import get_counter

LOCK = memory(
    "zpuwvdkl",
    "Lock refunds by payment_id, never by user_id",
    "Hold the Redis lock `lock:payment:{payment_id}` around every capture and refund, TTL 30 s. "
    "Never build the key from `user_id`. It is worth noting that the support tool shares it.",
    kind="constraint",
    rationale="Users with several cards pay concurrently, so a lock per user makes them wait for each other. And one "
    "payment is touched under two names, so a lock per user does not even protect it: that charged 41 customers twice.",
    snippet="with lock(payment_id, ttl=30):\n    acquirer.refund(payment_id)",
    files=("payments/service.py", "payments/lock.py"),
)
CHAT = target_named("chat")


def compiled(one: Memory, task: str = "", *, detail: Detail = "some") -> Memory:
    return Compiler.for_task(Task(task)).compiled(one, detail=detail)


def test_what_the_task_asks_for_is_kept_word_for_word_and_the_rest_is_not() -> None:
    text = compiled(LOCK, "how long does the redis lock live").insight
    assert "Hold the Redis lock `lock:payment:{payment_id}` around every capture and refund, TTL 30 s." in text
    assert "Never build the key from `user_id`." in text
    assert "several cards" not in text
    assert len(text) < 0.5 * len(LOCK.insight + LOCK.rationale)


def test_the_reason_comes_where_the_task_asks_for_it() -> None:
    assert "41 customers" in compiled(LOCK, "why were customers charged twice").insight


def test_code_comes_only_where_the_task_needs_it() -> None:
    assert compiled(LOCK, "lock a refund").snippet == ""
    assert "acquirer.refund" in compiled(LOCK, "call the acquirer with a ttl").snippet


def test_a_title_goes_without_the_list_that_is_kept_below_it_and_never_says_how_long_it_is() -> None:
    text = "Mooring by hand:\n\n```bash\nwinch --left --slow\nwinch --left --slow --bow\n```"
    one = memory("aaaaaaaa", "Quay: Mooring by hand: winch --left --slow and 1 more", text)
    told = compiled(one, "mooring with the left winch slow at the bow")
    assert told.insight == "Quay: Mooring by hand:"
    assert "--bow" in told.snippet
    ropes = "\n".join(f"- rope {number} is {colour}" for number, colour in enumerate(("red", "blue", "green", "grey")))
    many = memory("aaaaaaaa", "Quay: rope 0, rope 1, rope 2 and 1 more", f"Ropes:\n\n{ropes}")
    assert compiled(many, "where is the grey rope", detail="little").insight.startswith("Quay: rope 0, rope 1, rope 2.")
    earlier = Compiler.for_task(Task("mooring"), says_lists_once=False)
    assert "and 1 more" in earlier.compiled(one).insight


def test_a_title_that_a_sentence_says_again_is_said_once() -> None:
    one = memory("aaaaaaaa", "Money is integer cents", "Money is integer cents everywhere, even in logs.")
    assert compiled(one).insight == "Money is integer cents everywhere, even in logs."


def test_of_a_title_the_label_is_told_where_the_text_says_the_rest() -> None:
    one = memory("aaaaaaaa", "At night: Never moor at the old quay", "Never moor at the old quay while it is repaired.")
    assert compiled(one).insight == "At night: Never moor at the old quay while it is repaired."
    nested = memory("aaaaaaaa", "Quay: Bell: Ring twice", "Bell (north): Ring twice before casting off.")
    assert compiled(nested).insight == "Quay: Bell (north): Ring twice before casting off."
    led = memory("aaaaaaaa", "At night: Ring twice", "Quay > At night:\n\n- Ring twice\n- Keep both lamps lit")
    assert compiled(led).insight == "Quay > At night: Ring twice. Keep both lamps lit."


@pytest.mark.parametrize("detail", KEPT)
@pytest.mark.parametrize("lead", ["禁止事項", "**禁止事項**", "禁止事項：", "Forbidden", "Never allowed:"])
def test_what_forbids_is_told_although_the_title_ends_with_it(lead: str, detail: Detail) -> None:
    bare = lead.strip("*：:")
    one = memory("aaaaaaaa", f"Quay rules: {bare}", f"{lead}\n\n- force push\n- drafts of the log in a bag")
    told = compiled(one, detail=detail).insight
    assert bare in told
    assert told.endswith("force push. drafts of the log in a bag.")


def test_a_sentence_is_told_as_it_stands_there() -> None:
    one = memory("aaaaaaaa", "Webhooks", "Please note that in fact `basically, x` is **retried** 3 times.")
    assert compiled(one).insight == "Webhooks. Please note that in fact `basically, x` is retried 3 times."


def test_numbers_of_a_list_and_dots_inside_words_are_no_ends_of_sentences() -> None:
    one = memory("aaaaaaaa", "Steps", "1. Take v2.1 (e.g. the Redis one).\n2. Call `a. B`; then wait.")
    assert [sentence.text for sentence in sentences_of(one)] == [
        "Steps", "Take v2.1 (e.g. the Redis one).", "Call `a. B`; then wait.",
    ]  # fmt: skip


def test_what_ends_sentences_ends_none_within_a_comment_or_a_word() -> None:
    text = "Keep the line <!-- Begin of ours --> as it is."
    texts = [sentence.text for sentence in sentences_of(memory("aaaaaaaa", "", f"{text} Set a!b and /pay?Id=5 too."))]
    assert texts == [text, "Set a!b and /pay?Id=5 too."]
    assert compiled(memory("aaaaaaaa", "Never leave <!-- open", text)).insight.startswith("Never leave <!-- open. ")


def test_signs_inside_a_sentence_are_no_marks_of_a_list() -> None:
    text = "In JavaScript `19.99 * 100` is 1998.99, and (rv:60.0) > 2 holds."
    assert compiled(memory("aaaaaaaa", "", text)).insight == text


def test_of_what_is_less_near_the_rules_are_told_or_else_the_sentence_that_says_most() -> None:
    rule = memory("aaaaaaaa", "Amounts are integers in minor units", f"No float holds money. {'It is long. ' * 20}")
    assert compiled(rule, detail="little").insight == "Amounts are integers in minor units. No float holds money."
    told = memory("aaaaaaaa", "Berths", "The harbour has nine berths. They were dug in 1931 and deepened in 1975.")
    assert compiled(told, detail="little").insight == "The harbour has nine berths."


@pytest.mark.parametrize("detail", KEPT)
def test_what_a_colon_announces_stays_with_it(detail: Detail) -> None:
    text = "They are per address.\n\nLimits:\n- General: 100 a minute\n- Login: 10 a minute"
    one = memory("aaaaaaaa", "Logging in", text)
    told = compiled(one, "what are the login limits", detail=detail).insight
    assert "Limits: " in told
    assert "Login: 10 a minute." in told or told.endswith("…")


def test_the_nearer_a_memory_is_the_more_of_it_is_kept() -> None:
    lengths = [len(compiled(LOCK, "refund", detail=detail).insight) for detail in KEPT]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]
    assert compiled(LOCK, "refund", detail="little").insight == (
        "Lock refunds by payment_id, never by user_id. Hold the Redis lock `lock:payment:{payment_id}` around every "
        "capture and refund, TTL 30 s. Never build the key from `user_id`."
    )
    assert "support tool" in compiled(LOCK, "refund", detail="most").insight


def test_a_title_that_was_cut_from_the_text_is_not_told_beside_it() -> None:
    text = "Chose the small store over the large one because it needs a tiny process and little memory. It took 3 days."
    one = memory("aaaaaaaa", text[:58], text)
    assert compiled(one).insight == text.removesuffix(" It took 3 days.")
    assert compiled(one, "days", detail="most").insight == text


def test_a_sentence_that_leans_on_another_comes_with_it() -> None:
    one = memory(
        "aaaaaaaa",
        "Read attributes of the object directly",
        "Never go through the metadata dict. This pattern caused 3 bugs in v10.13.1.",
    )
    text = compiled(one, "which pattern caused bugs").insight
    assert text.endswith("Never go through the metadata dict. This pattern caused 3 bugs in v10.13.1.")


def test_what_a_semicolon_goes_on_with_is_no_sentence_of_its_own() -> None:
    text = "Files were merged by hand; the second merge destroyed a subnet."
    one = memory("aaaaaaaa", "State lives in a bucket", text)
    assert compiled(one, "destroyed").insight == f"State lives in a bucket. {text}"


RULES = [
    ("en", "The quay is old.", "Never moor at the old quay.", "Unless the pilot is aboard, wait outside."),
    ("de", "Der Kai ist alt.", "Lege niemals am alten Kai an.", "Außer der Lotse ist an Bord."),
    ("fr", "Le quai est vieux.", "Ne jamais accoster au vieux quai.", "Sauf si le pilote est à bord."),
    ("es", "El muelle es viejo.", "Nunca atraques en el muelle viejo.", "Salvo que el práctico esté a bordo."),
    ("pt", "O cais é velho.", "Nunca atraque no cais velho.", "Exceto se o prático estiver a bordo."),
    ("zh", "码头很旧。", "不要停靠在旧码头。", "除非引航员在船上。"),
    ("ja", "埠頭は古い。", "古い埠頭に接岸しないこと。", "ただし水先人がいる場合は除く。"),
]


@pytest.mark.parametrize(
    "rule", ["Anchor the tug to the pier.", "Steer clear of the weir.", "Sounding the horn is mandatory."]
)
def test_an_instruction_with_an_unknown_verb_is_kept_too(rule: str) -> None:
    one = memory(
        "aaaaaaaa", "Weir", f"The weir is 40 m wide and was built by 300 men. - {rule}\n- {rule}\n- Never swim."
    )
    assert rule in compiled(one, detail="little").insight


@pytest.mark.parametrize("detail", KEPT)
@pytest.mark.parametrize(("language", "told", "rule", "limit"), RULES, ids=[row[0] for row in RULES])
def test_no_prohibition_and_no_exception_is_dropped(
    language: str, told: str, rule: str, limit: str, detail: Detail
) -> None:
    space = "" if language in {"zh", "ja"} else " "
    text = compiled(memory("aaaaaaaa", "Harbour", space.join((told, rule, limit))), detail=detail).insight
    assert rule in text
    assert limit in text


def test_always_beats_its_explanation() -> None:
    one = memory(
        "aaaaaaaa",
        "Weighing",
        "The first scale drifts by up to 3 kg in the cold, as measured in v2.4 of `scale.py`. "
        "Always weigh containers twice. This takes a minute at most.",
    )
    assert compiled(one, detail="little").insight == "Always weigh containers twice."


def test_lines_that_were_wrapped_are_one_sentence() -> None:
    one = memory(
        "aaaaaaaa",
        "Locks",
        "Before opening the gates, check whether\n"
        "`tug --inside` reports a tug. Never open both gates at\nonce: the chamber floods. Lamps burn all night.",
    )
    assert [sentence.text for sentence in sentences_of(one)][1:] == [
        "Before opening the gates, check whether `tug --inside` reports a tug.",
        "Never open both gates at once: the chamber floods.",
        "Lamps burn all night.",
    ]


def test_an_item_comes_with_what_its_list_says_of_it() -> None:
    text = "Never do on the bridge:\n\n- eat\n- whistle,\n  not even in fog\n\nThe bridge is painted white."
    assert compiled(memory("aaaaaaaa", "Bridge", text), detail="little").insight == (
        "Never do on the bridge: eat. whistle, not even in fog."
    )


def test_an_item_comes_with_the_heading_above_it() -> None:
    text = "### In harbour\n- Keep the radio on channel 9.\n\n### At sea\n- The radio draws 4 A."
    assert compiled(memory("aaaaaaaa", "Radio", text), detail="little").insight == (
        "In harbour: Keep the radio on channel 9."
    )


def test_a_heading_comes_with_the_line_that_announces_it_and_the_heading_above_it() -> None:
    text = "Rejected:\n\n### Wooden gates\n- They rot in 9 years.\n\n## Dock\n### North\n- Never moor here."
    told = compiled(memory("aaaaaaaa", "Steel gates", text), "how long do wooden gates last").insight
    assert "Rejected: Wooden gates: They rot in 9 years." in told
    assert "North: Never moor here." in told


@pytest.mark.parametrize("text", ["- drafts of the log\n- cargo in the bow", "| What |\n|---|\n| a | \n| b |"])
def test_all_that_a_title_forbids_is_told(text: str) -> None:
    told = compiled(memory("aaaaaaaa", "Never keep in the wheelhouse", text), detail="little").insight
    assert told.startswith("Never keep in the wheelhouse. ")
    assert told.endswith("cargo in the bow." if "cargo" in text else "b.")


def test_indented_code_is_code() -> None:
    one = memory("aaaaaaaa", "Sluice", "Close it by:\n\n    sluice --close\n    > log.txt\n\nIt is slow.")
    assert [(part.text, part.is_code) for part in sentences_of(one)][2:] == [
        ("sluice --close\n> log.txt", True),
        ("It is slow.", False),
    ]


def test_what_is_left_out_of_a_list_is_marked_and_can_be_looked_up() -> None:
    items = "\n".join(f"- {name} takes {number} minutes" for number, name in enumerate(("Coal", "Sand", "Grain"), 1))
    one = memory("grainlog", "Unloading", f"Times per hatch:\n{items}")
    short = compiled(one, "how long does grain take")
    assert short.insight == "Unloading. Times per hatch: Grain takes 3 minutes. …"
    payload = CHAT.render([PackItem(short)], PayloadInfo("shop", "compiled"))
    assert "Grain takes 3 minutes. … [grain]" in payload
    assert "… [id]: `memtui show id`" in payload


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Ask Dr. Marsh first. Then sail.", ["Ask Dr. Marsh first.", "Then sail."]),
        ("Take ropes, anchors, etc. Stow them.", ["Take ropes, anchors, etc.", "Stow them."]),
        ("Nimm z. B. Taue. Danach ablegen.", ["Nimm z. B. Taue.", "Danach ablegen."]),
        ('Say "Stop. Now." twice. Wait.', ['Say "Stop. Now." twice.', "Wait."]),
        ("**Never dive. Ever.** Swim.", ["**Never dive. Ever.**", "Swim."]),
        ("Wait 30 s. Then ask J. Marsh. Sail.", ["Wait 30 s.", "Then ask J. Marsh.", "Sail."]),
        ("Treat `!` Classes as a smell. Wait.", ["Treat `!` Classes as a smell.", "Wait."]),
        ("缆绳要干。不要拖船。", ["缆绳要干。", "不要拖船。"]),
        ("水門を閉める（満潮時。夜も同じ）。待つ。", ["水門を閉める（満潮時。夜も同じ）。", "待つ。"]),
    ],
)
def test_a_sentence_ends_where_a_reader_ends_it(text: str, sentences: list[str]) -> None:
    assert [one.text for one in sentences_of(memory("aaaaaaaa", "", text))] == sentences


def test_ids_that_begin_alike_say_it_once() -> None:
    items = [PackItem(memory(f"bench:{name}", f"Rule {name}", "Steps: …")) for name in ("one", "two", "three")]
    for target in (CHAT, target_named("plain")):
        payload = target.render(items, PayloadInfo("shop", "compiled"))
        assert payload.count("bench:") == 1
        assert "`memtui show bench:id`" in payload
        assert "[one]" in payload
    assert "[bench:one]" in CHAT.render(items[:2], PayloadInfo("shop", "compiled"))
    assert "show id" in CHAT.render(
        [*items, PackItem(memory("abcdefgh", "Own", "Steps: …"))], PayloadInfo("shop", "compiled")
    )


def test_a_whole_payload_is_less_than_half_and_says_shared_files_once() -> None:
    other = memory(
        "abcdefgh",
        "Release only your own lock",
        "Compare the token first.",
        kind="constraint",
        files=("payments/service.py", "payments/lock.py"),
    )
    task = Task("lock refunds")
    items = [PackItem(LOCK), PackItem(other)]
    short = [PackItem(Compiler.for_task(task).compiled(item.memory)) for item in items]
    full = CHAT.render(items, PayloadInfo("shop"))
    payload = CHAT.render(short, PayloadInfo("shop", "compiled"))
    count = get_counter("o200k_base").count
    assert count(payload) < 0.55 * count(full)
    assert payload.count("payments/service.py, payments/lock.py") == 1
    assert "stale" not in payload  # nothing in it is a mere fact


def test_short_ids_tell_all_memories_of_a_payload_apart() -> None:
    items = [PackItem(memory(identifier, "x")) for identifier in ("abcdefgh", "abcdefzz22aa", "bench:decision-1")]
    found = short_ids(items)
    assert found == {"abcdefgh": "abcdefg", "abcdefzz22aa": "abcdefz", "bench:decision-1": "bench:decision-1"}


def test_an_id_that_begins_like_a_longer_one_stays_whole() -> None:
    found = short_ids([PackItem(memory(identifier, "x")) for identifier in ("abcdefgh", "abcdefgh2345")])
    assert found == {"abcdefgh": "abcdefgh", "abcdefgh2345": "abcdefgh2"}


def test_an_unconfirmed_memory_says_so() -> None:
    waiting = memory("aaaaaaaa", "Post the logs", status="candidate")
    assert compiled(waiting).insight.startswith("(not confirmed by a person)")
    assert "Not confirmed by a person" in CHAT.render([PackItem(waiting)], PayloadInfo("shop"))


@pytest.mark.parametrize("text", ["", "   ", "...", "```", "```\ncode only\n```", "\u202e", "x" * 300_000])
def test_odd_texts_compile_to_something(text: str) -> None:
    assert compiled(memory("aaaaaaaa", "Title", text), "title x").insight
    assert compiled(memory("aaaaaaaa", "", text or "t"), "x").insight is not None


@given(st.text(alphabet="ab1.`:;()[]-*\n é退。!? \x1b", max_size=200), st.text(alphabet="ab1 ", max_size=20))
def test_compiling_is_deterministic_and_invents_nothing(text: str, task: str) -> None:
    one = memory("aaaaaaaa", "Title", text)
    first = compiled(one, task)
    assert first == compiled(one, task)
    source = set("Title" + text) | set(".` ")
    assert set(first.insight) <= source


def test_a_pasted_file_gives_its_opening() -> None:
    huge = memory("hugehuge", "The whole log", "A line of it. " * 30_000)
    found = Recall((Hit(huge, 1.0, 1.0, (), ()),), (), (), {}, 0, None)
    options = PackOptions(budget="500", encoding="o200k_base", max_memories=5, style="compiled")
    info = PayloadInfo("shop", "compiled")
    pack = build_pack(found, options, target=CHAT, info=info, compiler=Compiler.for_task(Task("log")))
    assert "- The whole log A line of it." in pack.payload
    assert "[shortened: memtui show hugehuge]" in pack.payload
    assert pack.tokens <= 500


@pytest.mark.parametrize("name", ["json", "xml"])
def test_programs_are_told_what_is_unconfirmed(name: str) -> None:
    waiting = memory("aaaaaaaa", "Post the logs", status="candidate")
    payload = target_named(name).render([PackItem(waiting)], PayloadInfo("shop"))
    assert ('"confirmed": false' if name == "json" else 'verified="unconfirmed"') in payload


def _short(one: Memory, most: int) -> Memory | None:
    def fits(tried: Memory) -> bool:
        return len(tried.insight) + len(tried.rationale) + len(tried.snippet) <= most

    return shortened(one, fits=fits, longest=most)


PARAGRAPHS = "\n\n".join(f"Paragraph {number} says something of its own." for number in range(9))


def test_whole_paragraphs_are_kept_with_a_mark() -> None:
    one = memory("bigbigbi", "Big", PARAGRAPHS, rationale="Why not.")
    short = _short(one, 160)
    assert short is not None
    assert short.insight == (
        "Paragraph 0 says something of its own.\n\nParagraph 1 says something of its own.\n\n"
        "[shortened: memtui show bigbigbi]"
    )
    assert short.rationale == "Why not."
    assert (short.id, short.version, short.title) == (one.id, one.version, one.title)


def test_the_snippet_goes_first() -> None:
    one = memory("bigbigbi", "Big", "Short text.", rationale="Why.", snippet="x = 1\n" * 200)
    short = _short(one, 100)
    assert short is not None
    assert short.insight == f"Short text.\n\n{mark(one)}"
    assert (short.rationale, short.snippet) == ("Why.", "")


def test_a_text_is_not_cut_where_a_line_was_wrapped_or_after_what_it_announces() -> None:
    text = "Open one gate at a time, never\nboth of them. Before that:\n- ring the bell\n- wait for nine minutes or so"
    short = _short(memory("bigbigbi", "Big", text), 95)
    assert short is not None
    assert short.insight == "Open one gate at a time, never\nboth of them.\n\n[shortened: memtui show bigbigbi]"


def test_a_giant_rationale_goes_before_the_first_paragraph() -> None:
    short = _short(memory("bigbigbi", "Big", PARAGRAPHS, rationale="because " * 100), 120)
    assert short is not None
    assert short.insight.startswith("Paragraph 0 says something of its own.")
    assert short.rationale == ""


def test_one_long_paragraph_is_cut_between_sentences_or_lines() -> None:
    sentences = " ".join(f"Sentence {number} is here." for number in range(50))
    short = _short(memory("bigbigbi", "Big", sentences), 100)
    assert short is not None
    assert (
        short.insight
        == "Sentence 0 is here. Sentence 1 is here. Sentence 2 is here.\n\n[shortened: memtui show bigbigbi]"
    )
    lines = _short(memory("bigbigbi", "Big", "\n".join(f"- line {number}" for number in range(50))), 70)
    assert lines is not None
    assert lines.insight.startswith("- line 0\n- line 1\n")


def test_chinese_sentences_are_boundaries_too() -> None:
    short = _short(memory("bigbigbi", "Big", "退款必须加锁。" * 60), 80)
    assert short is not None
    assert short.insight.startswith("退款必须加锁。")


def test_a_line_without_any_boundary_is_not_cut() -> None:
    assert _short(memory("bigbigbi", "Big", "x" * 1_000_000), 500) is None


def test_what_cannot_fit_at_all_is_none() -> None:
    assert _short(memory("bigbigbi", "Big", PARAGRAPHS), 10) is None


def test_a_megabyte_is_shortened_without_reading_all_of_it() -> None:
    tried: list[int] = []

    def fits(one: Memory) -> bool:
        tried.append(len(one.insight))
        return len(one.insight) <= 400

    short = shortened(memory("bigbigbi", "Big", PARAGRAPHS * 3_000), fits=fits, longest=2_000)
    assert short is not None
    assert len(short.insight) > 300
    assert max(tried) < 2_100
