"""What a user relies on in the text that an assistant gets."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pack_story import memories_in
from recall_story import days_ago, memory

from memtui.domain.memory import Anchor
from memtui.errors import UsageError
from memtui.pack.compile import Compiler
from memtui.pack.targets.base import EDITIONS, STYLES, PackItem, PayloadInfo, Style, Target, heading
from memtui.pack.targets.formats import target_named, target_names
from memtui.pack.targets.markdown import bold, close_fences, fenced, indented, says_title

INFO = PayloadInfo("payments-api")
CHAT = target_named("chat")


def _chat(*items: PackItem) -> str:
    return CHAT.render(items, INFO)


def test_a_payload_says_what_it_is_and_groups_by_kind() -> None:
    lock = memory(
        "lockpaym",
        "Lock refunds by payment_id",
        "The lock key is the payment.",
        kind="constraint",
        rationale="A double charge in March.",
        files=("payments/service.py", "payments/lock.py"),
        verified_at=days_ago(12),
    )
    note = memory("twicebug", "Calls double", "Two rows.\n\nSeen twice.", kind="bug-pattern")
    states = {"payments/service.py": "changed", "payments/lock.py": "fresh"}
    assert _chat(PackItem(note), PackItem(lock, states)) == (
        "## Memories of payments-api\n"
        "\n"
        "Facts may be stale.\n"
        "\n"
        "### Constraints\n"
        "\n"
        "#### Lock refunds by payment_id\n"
        "The lock key is the payment.\n"
        "Why: A double charge in March.\n"
        "Files: payments/service.py (changed), payments/lock.py\n"
        "\n"
        "### Bug patterns\n"
        "\n"
        "#### Calls double\n"
        "Two rows.\n"
        "\n"
        "Seen twice.\n"
        "\n"
        "Never verified, from 2025-12-13.\n"
    )


def test_what_is_one_line_comes_before_the_sections_of_its_kind_and_what_would_end_one_has_a_margin() -> None:
    texts = ("Wax the hull.\n\nTwice.", "Never paint in rain.", "Tools:\n\n- a brush\n- a cloth", "A\n# B", "<pre>\nC")
    items = [
        PackItem(memory(f"id{n}", f"Title {n}" if n % 4 == 0 else t[:5], t, pinned=True)) for n, t in enumerate(texts)
    ]
    payload = _chat(*items)
    listed, *sections = payload.split("#### ")
    assert [one.splitlines()[0] for one in sections] == ["Title 0", "Tools"]
    assert sections[1] == "Tools\n- a brush\n- a cloth\n"
    assert listed.index("- Never paint") < listed.index("\n  # B") < listed.index("\n  <pre>")
    assert "#### " not in CHAT.render(items, PayloadInfo("dock", edition=2))
    # In a file of another each memory is an item, by which an edit by hand is found again.
    assert "#### " not in CHAT.render(items, PayloadInfo.published("dock"))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", target_names())
def test_a_payload_says_of_facts_alone_that_they_may_be_stale_and_of_constraints_nothing(
    name: str, style: Style
) -> None:
    def told(*kinds: str) -> str:
        items = [PackItem(memory(f"id{kind}", f"About hulls {n}", kind=kind)) for n, kind in enumerate(kinds)]
        return target_named(name).render(items, PayloadInfo("dock", style))

    assert "stale" not in told("constraint", "convention")
    for kinds in (("note",), ("constraint", "decision"), ("convention", "runbook")):
        assert told(*kinds).count("Facts may be stale.") == 1
        assert "are rules" not in told(*kinds)
    for edition in EDITIONS[2:]:
        items = [PackItem(memory("a", "A", kind="convention"))]
        [note] = PayloadInfo(style=style, edition=edition).notes(items)
        assert note in target_named("chat").render(items, PayloadInfo(style=style, edition=edition))
        assert "instructions" not in note or "no" in note


@pytest.mark.parametrize("name", ["chat", "plain", "xml", "json"])
@pytest.mark.parametrize("known", ["pinned", "confirmed_at", "verified_at"])
def test_nothing_is_said_of_the_age_of_what_a_person_vouched_for(name: str, known: str) -> None:
    values: dict[str, Any] = {known: True if known == "pinned" else days_ago(1)}
    payload = target_named(name).render([PackItem(memory("rulerule", "Fire slowly", **values))], INFO)
    assert not any(word in payload.lower() for word in ("verified", "accepted", "20"))
    unknown = target_named(name).render([PackItem(memory("rulerule", "Fire slowly"))], INFO)
    assert "2025-12-13" in unknown


@pytest.mark.parametrize("name", ["chat", "plain", "xml"])
def test_files_that_the_text_names_or_that_are_in_hand_are_not_named_again(name: str) -> None:
    files = ("kiln/fire.py", "kiln/**", "shop/prices.toml", "lost/oven.py")
    one = PackItem(
        memory("rulerule", "Fire slowly", "Set `cone` in prices.toml.", files=files), {"lost/oven.py": "gone"}
    )
    away = target_named(name).render([one], INFO)
    assert "kiln/fire.py" in away
    assert "lost/oven.py" in away
    assert "shop/prices.toml" not in away
    here = target_named(name).render([one], PayloadInfo("payments-api", files=("kiln/glaze.py",)))
    assert "kiln" not in here
    assert "lost/oven.py" in here
    assert "kiln/**" in target_named(name).render([one], PayloadInfo("payments-api", edition=4))


@pytest.mark.parametrize("name", ["chat", "plain", "xml", "json"])
def test_the_folder_before_a_memory_is_not_said_again_at_its_beginning(name: str) -> None:
    stuttering = memory(
        "rulerule", "docks/quay: Moor twice", "docks/quay/ > Ropes: Moor it twice.", files=("docks/quay/**",)
    )
    for style in STYLES:
        payload = target_named(name).render([PackItem(stuttering)], PayloadInfo("dock", style))
        assert payload.count("docks/quay") == 1
        assert "Ropes: Moor it twice." in payload
    assert target_named(name).render([PackItem(stuttering)], PayloadInfo("dock", edition=1)).count("docks/quay") > 1
    # A name that goes on is another one, and what no folder stands before keeps its own.
    for files in (("docks/quayside/**",), ()):
        kept = target_named(name).render(
            [PackItem(replace(stuttering, anchors=tuple(map(Anchor, files))))], PayloadInfo("dock")
        )
        assert "docks/quay" in kept.replace("docks/quayside", "")


def test_a_folder_is_said_although_a_file_in_hand_lies_there_where_paths_begin_from_it() -> None:
    files = ("docks/quay/**", "docks/quay/lib/rope.py")
    rule = memory("rulerule", "Ropes", "`lib/rope.py` moors.", files=files)
    here = PayloadInfo("dock", files=("docks/quay/app/boat.py",))
    assert "In docks/quay/:" in CHAT.render([PackItem(rule)], here)
    assert "In docks" not in CHAT.render([PackItem(rule)], replace(here, edition=1))
    whole = replace(rule, insight="`docks/quay/lib/rope.py` moors.")
    assert "In docks" not in CHAT.render([PackItem(whole)], here)


def test_the_folder_that_a_memory_holds_for_is_named_whatever_is_bold_in_its_text() -> None:
    note = memory("abcdefgh", "Wrap ids", "**Declare a newtype** for ids of dock.", files=("dock/**",))
    assert "#### In dock/: Wrap ids" in _chat(PackItem(note))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["chat", "plain"])
def test_where_alone_a_rule_holds_stands_before_it(name: str, style: Style) -> None:
    def told(paths: tuple[str, ...], *files: str) -> str:
        hull = "Never repaint the hull"
        one = memory("rulerule", hull, f"{hull}.", kind="constraint", files=paths, pinned=True)
        one = Compiler().compiled(one) if style == "compiled" else one
        return target_named(name).render([PackItem(one)], PayloadInfo("dock", style, files=files))

    for paths, place in (
        (("yard/**",), "In yard/"),
        (("yard/**", "pier/north/**", "yard/log.md"), "In yard/ and pier/north/"),
        (("**/*.svg", "yard/**"), "For **/*.svg and yard/"),
        (("a/**", "b/**", "c/**", "d/**"), "In a/, b/ and 2 others"),
    ):
        assert f"{place}: Never repaint" in told(paths).replace("**Never", "Never")
        # What lies there is in the right place, and what lies elsewhere as well is not.
        inside = paths[0].replace("**/*", "ink").replace("**", "hull.txt")
        assert ": Never" not in told(paths, inside).replace("CONSTRAINT: Never", "")
        assert f"{place}: " in told(paths, inside, "office/desk.txt")
    for anywhere in (("**",), ("**/*", "yard/**"), ("log.md",)):
        assert "In " not in told(anywhere)
        assert "For " not in told(anywhere)


@pytest.mark.parametrize("style", STYLES)
def test_where_alone_a_rule_holds_is_told_to_programs(style: Style) -> None:
    one = PackItem(memory("rulerule", "Never repaint", files=("yard/**", "yard/log.md")))
    record = json.loads(target_named("json").render([one], PayloadInfo("dock", style)))["memories"][0]
    assert record["only_for"] == ["yard/**"]
    assert "yard/log.md" in str(record["files"])
    assert "yard/**" not in str(record["files"])
    xml = target_named("xml").render([one], PayloadInfo("dock", style))
    assert 'only-for="yard/**"' in xml
    assert xml.count("yard/**") == 1


def test_a_rule_that_is_tied_to_a_file_elsewhere_does_not_hold_for_its_folders_alone() -> None:
    def told(text: str, paths: tuple[str, ...], *files: str) -> str:
        one = PackItem(memory("rulerule", "Never repaint", text, files=paths))
        record = json.loads(target_named("json").render([one], PayloadInfo("dock", files=files)))["memories"][0]
        return " ".join(record.get("only_for", ()))

    paths = ("yard/**", "office/desk.txt")
    assert not told("Never repaint.", paths)
    assert not told("Never repaint.", paths, "office/desk.txt")
    assert not told("Never repaint.", paths, "pier.txt", "office/desk.txt")
    assert told("Never repaint, see office/desk.txt.", paths, "pier.txt") == "yard/**"
    assert not told("Never repaint, see office/desk.txt.", paths, "pier.txt", "office/desk.txt")
    assert told("Never repaint.", ("yard/**", "yard/hull.txt::paint", "yard/"), "pier.txt") == "yard/**"
    assert not told("Never repaint.", ("yard/north/**", "yard/"), "pier.txt")


def test_a_place_that_several_rules_hold_for_is_said_once_when_compiled() -> None:
    rules = [memory(f"rule000{n}", f"Never repaint hull {n}", files=("yard/**",)) for n in range(3)]
    payload = CHAT.render([PackItem(Compiler().compiled(one)) for one in rules], PayloadInfo("dock", "compiled"))
    assert payload.count("yard") == 1
    assert "#### In yard/\n- Never repaint hull" in payload


def test_a_title_whose_words_the_text_begins_with_is_not_said_again() -> None:
    text = "Where to look: the glaze recipes are in `recipes/` and the firing curves in `curves/`."
    payload = _chat(PackItem(memory("rulerule", "Glaze recipes: recipes/; firing curves: curves/", text)))
    assert "**" not in payload
    assert text in payload
    assert "#### Glaze in March" in _chat(PackItem(memory("rulerule", "Glaze in March", text)))


KNOTS = "Knots for ropes:\n\n- `bowline` holds a loop\n- `hitch` holds a pole\n- `bend` joins two\n- `splice` lasts"
LISTED = "Deck: Knots for ropes: bowline, hitch, bend and 1 more"


@pytest.mark.parametrize("name", target_names())
def test_a_list_that_the_text_says_is_not_said_above_it_nor_how_long_it_is(name: str) -> None:
    payload = target_named(name).render([PackItem(memory("rulerule", LISTED, KNOTS))], INFO)
    assert "Knots for ropes" in payload
    assert payload.count("hitch") == payload.count("bend") == 1
    assert "more" not in payload
    earlier = target_named(name).render([PackItem(memory("rulerule", LISTED, KNOTS))], PayloadInfo(edition=3))
    assert "bowline, hitch, bend and 1 more" in earlier


def test_a_list_in_a_title_stays_where_the_text_does_not_say_it() -> None:
    for text in ("Ask the mate.", "Knots for ropes:\n\n- `bowline` holds a loop\n\n[shortened: memtui show rulerule]"):
        payload = _chat(PackItem(memory("rulerule", LISTED, text)))
        assert "bowline, hitch, bend" in payload
        assert ("and 1 more" in payload) is (text == "Ask the mate.")


def test_how_many_more_there_are_is_not_said_of_what_the_first_line_names() -> None:
    one = memory("rulerule", "Leaks: What to do and 2 more", "Leaks: **What to do:**\n- Pump.\n- Caulk.")
    payload = _chat(PackItem(one))
    assert "What to do" in payload
    assert "more" not in payload


def test_one_command_is_said_once_in_every_form() -> None:
    one = memory("rulerule", "Deck: Wash it: mop --all", "Wash it:\n\n```bash\nmop --all\n```")
    for name in ("chat", "plain", "xml", "json"):
        assert target_named(name).render([PackItem(one)], INFO).count("mop --all") == 1


def test_kinds_come_in_a_fixed_order_and_ones_own_last() -> None:
    kinds = [
        "runbook",
        "note",
        "lesson",
        "tooling",
        "convention",
        "architecture",
        "bug-pattern",
        "decision",
        "constraint",
    ]
    payload = _chat(*(PackItem(memory(f"id{kind}", f"About {kind}", kind=kind)) for kind in kinds))
    headings = [line[4:] for line in payload.splitlines() if line.startswith("### ")]
    assert headings == [
        "Constraints", "Decisions", "Bug patterns", "Architecture", "Conventions", "Tooling", "Lessons", "Notes",
        "Runbooks",
    ]  # fmt: skip
    assert heading("house-rules") == "House rules"


def test_a_title_that_its_text_repeats_is_written_once() -> None:
    assert _chat(PackItem(memory("a", "Money is cents"))).count("Money is cents") == 1
    cut = memory("a", "Never store card numbers in the log…", "Never store card numbers in the log, not even masked.")
    assert _chat(PackItem(cut)).count("Never store card numbers") == 1
    assert "not even masked" in _chat(PackItem(cut))


def test_a_text_of_mere_signs_does_not_become_a_rule() -> None:
    for title in ("-", ""):
        tokens = MarkdownIt().parse(_chat(PackItem(memory("a", title, "--\nnext"))))
        assert [token.type for token in tokens].count("list_item_open") == 1


def test_gone_files_are_marked() -> None:
    one = memory("a", "Exports round", files=("legacy/export.py",))
    assert "legacy/export.py (gone)" in _chat(PackItem(one, {"legacy/export.py": "gone"}))


def test_code_stays_code_and_what_follows_does_not_become_code() -> None:
    open_fence = memory("a", "Retry", "Use this:\n```py\nretry(3)\n", rationale="Flaky net")
    with_snippet = memory("b", "Lock", "Like so", snippet="with lock(payment_id):\n    refund()")
    payload = _chat(PackItem(open_fence), PackItem(with_snippet))
    tokens = MarkdownIt().parse(payload)
    assert [token.content for token in tokens if token.type == "fence"] == [
        "retry(3)\n",
        "with lock(payment_id):\n    refund()\n",
    ]
    assert any(token.type == "inline" and token.content.startswith("Why: Flaky net") for token in tokens)


def test_hostile_text_is_tamed_on_the_way_out() -> None:
    bad = memory("a", "Title \x1b[31mred\x00", "pay\u202egnp.exe\x1b]52;c;eA==\x07 [/x]\r\nnext", files=("a\x1bb.py",))
    payload = _chat(PackItem(bad))
    assert "\x1b" not in payload
    assert "\x00" not in payload
    assert "\u202e" not in payload
    assert "‹U+202E›" in payload
    assert "[/x]\nnext" in payload


def test_no_memories_give_no_text() -> None:
    for name in target_names():
        assert target_named(name).render([], INFO) == ""


@pytest.mark.parametrize("name", target_names())
def test_the_same_memories_give_the_same_bytes_with_one_line_end(name: str) -> None:
    items = [PackItem(memory("a", "A")), PackItem(memory("b", "B", kind="note"))]
    payload = target_named(name).render(items, INFO)
    assert payload == target_named(name).render(items, INFO)
    assert payload.endswith("\n")
    assert not payload.endswith("\n\n")


TEXT = st.text(alphabet="ab`~*-#>_\n \t1.[](){}\\|<!é日\u202e\x1b", min_size=1, max_size=60).filter(str.strip)


@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=4))
def test_any_text_keeps_the_payload_well_formed(texts: list[tuple[str, str, str]]) -> None:
    items = [
        PackItem(memory(f"id{number}", title, insight, rationale=why, kind="lesson"))
        for number, (title, insight, why) in enumerate(texts)
    ]
    assert memories_in(_chat(*items)) == len(items)


@pytest.mark.parametrize("name", target_names())
def test_pieces_add_up_to_the_payload(name: str) -> None:
    target: Target = target_named(name)
    items = [PackItem(memory(f"id{n}", f"Title {n}", kind=kind)) for n, kind in enumerate(("note", "note", "lesson"))]
    pieces = target.pieces(items, INFO)
    assert "".join(piece.text for piece in pieces) == target.render(items, INFO)
    assert sorted(piece.memory_id for piece in pieces if piece.memory_id) == ["id0", "id1", "id2"]
    assert all(piece.text[0].strip() and piece.text.endswith("\n") for piece in pieces)


def test_json_is_json_with_the_note_and_every_memory() -> None:
    items = [
        PackItem(memory("b", "B\nline", 'say "x"', files=("a.py",), snippet="s"), {"a.py": "gone"}),
        PackItem(memory("a", "A", kind="constraint", rationale="why", verified_at=days_ago(1))),
    ]
    record = json.loads(target_named("json").render(items, INFO))
    assert record["project"] == "payments-api"
    assert record["note"] == "Facts may be stale."
    assert [one["id"] for one in record["memories"]] == ["a", "b"]
    assert record["memories"][0] | {"insight": "A"} == {
        "id": "a",
        "kind": "constraint",
        "title": "A",
        "insight": "A",
        "rationale": "why",
    }
    assert record["memories"][1]["files"] == [{"path": "a.py", "state": "gone"}]


def test_an_unknown_target_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean chat"):
        target_named("chats")


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["chat", "plain", "xml"])
def test_a_title_with_code_is_said_once_with_its_marks(name: str, style: Style) -> None:
    one = memory("aaaaaaaa", "Never call pay() twice in src/a.py", "Never call `pay()` twice in `src/a.py`.")
    if style == "compiled":
        one = Compiler().compiled(one)
    payload = target_named(name).render([PackItem(one)], PayloadInfo("shop", style))
    assert payload.count("twice in") == 1
    assert "Never call `pay()` twice in `src/a.py`" in payload


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("plain", "plain"),
        ("```py\nx = 1", "```py\nx = 1\n```"),
        ("```py\nx = 1\n```", "```py\nx = 1\n```"),
        ("~~~\n```\nx", "~~~\n```\nx\n~~~"),
        ("````\n```\nx\n```", "````\n```\nx\n```\n````"),
        ("```\na\n``` not a close", "```\na\n``` not a close\n```"),
        ("```inline``` text", "```inline``` text"),
        ("    ```\nindented code", "    ```\nindented code"),
    ],
)
def test_a_fence_that_was_left_open_is_closed(text: str, closed: str) -> None:
    assert close_fences(text) == closed


@given(st.lists(st.sampled_from(["```", "````", "~~~", "```py", "text", "", "  ```", "``` x"]), max_size=8))
def test_after_closing_nothing_that_follows_is_code(lines: list[str]) -> None:
    tokens = MarkdownIt().parse(close_fences("\n".join(lines)) + "\n\nAFTER")
    assert any(token.type == "inline" and token.content == "AFTER" for token in tokens)


def test_code_gets_a_fence_longer_than_any_inside_and_fenced_code_stays() -> None:
    assert fenced("x = 1") == "```\nx = 1\n```"
    assert fenced("a\n```\nb").startswith("````\n")
    assert fenced("```py\nx\n```") == "```py\nx\n```"


def test_indentation_leaves_no_trailing_blanks() -> None:
    assert indented("a\n\n  b", "  ") == "  a\n\n    b"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Lock refunds", "**Lock refunds**"),
        ("Use `payment_id`", "**Use `payment_id`**"),
        ("Use **kwargs", "Use **kwargs"),
        ("an odd ` tick", "an odd ` tick"),
        ("* a list", "\\* a list"),
        ("```", "\\```"),
        ("", ""),
    ],
)
def test_a_title_is_bold_unless_its_own_signs_forbid(title: str, shown: str) -> None:
    assert bold(title) == shown


def test_a_title_cut_from_its_text_is_known_as_such() -> None:
    assert says_title("Chose SQLite over …", "Chose SQLite over FAISS because …")
    assert says_title("Never log cards", "Never log cards.")
    assert not says_title("Lock refunds", "The lock key is the payment")
    assert not says_title("", "anything")


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Never call pay() twice in src/a.py", "Never call `pay()` twice in `src/a.py`"),
        ("Never call `pay()` twice", "**Never** call pay() twice: it charges twice."),
        ("Use uv, not pip", "use uv, not pip!"),
        ("Chose the store ov…", "Chose the store over the cache"),
    ],
)
def test_marks_case_and_an_end_make_no_other_title(title: str, body: str) -> None:
    assert says_title(title, body)


def test_the_beginning_of_a_longer_word_is_no_title() -> None:
    assert not says_title("Use red", "Use redis for locks")
    assert not says_title("`", "`x`")


@pytest.mark.parametrize(
    ("title", "text", "said"),
    [
        (
            "Glazes: Never mix two reds",
            "Never mix two reds in a bucket.",
            "- **Glazes:** Never mix two reds in a bucket.\n",
        ),
        (
            "Kiln: Shelves: Wash them",
            "- Wash them.\n- Dry them.",
            "#### Kiln: Shelves\n- Wash them.\n- Dry them.\n",
        ),
        ("Glaze the foot", "Glaze the foot\nof every bowl.", "- Glaze the foot\n  of every bowl.\n"),
        ("Glaze the foot", "Glaze the foot\n\nof every bowl.", "#### Glaze the foot\nof every bowl.\n"),
    ],
)
def test_of_a_title_with_its_heading_what_the_text_says_is_said_once(title: str, text: str, said: str) -> None:
    assert said in _chat(PackItem(memory("rulerule", title, text, pinned=True)))


def test_a_payload_says_a_wrapped_paragraph_in_one_line() -> None:
    first = "Fire the kiln slowly to six hundred degrees and hold it there for an hour,"
    payload = _chat(PackItem(memory("rulerule", "Firing", f"{first}\nthen open the lid.", pinned=True)))
    assert f"{first} then open the lid." in payload
