"""Lessons of sessions: what is proposed, what is not, and what a proposal says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from lessons.exchanges import session_of

from memtui.capture.lessons.detect import propose
from memtui.capture.lessons.proposal import LONGEST_QUOTE, LessonSignal, Proposal
from memtui.capture.lessons.until import end_of


def proposed(*turns: list[Any], name: str = "one") -> list[Proposal]:
    return propose(session_of(name, [["person", "next one please"], *map(list, turns)]))


def only(*turns: list[Any]) -> Proposal:
    found = proposed(*turns)
    assert len(found) == 1, found
    return found[0]


EDIT = ["edit", "src/stamps.py", "stamp = float(row.time)"]


def test_the_reason_for_a_refused_call_is_a_lesson_that_names_the_call() -> None:
    reason = "seed data is frozen, every auditor compares it byte by byte. Add a new file under seeds/"
    found = only(["refused", "run", "sed -i s/a/b/ seeds/base.sql", reason])
    assert found.signal == LessonSignal.REJECTED_TOOL
    assert found.quote == reason
    assert "sed -i s/a/b/ seeds/base.sql" in found.rationale
    assert found.files == ("seeds/",)
    assert found.evidence[0].quote == "`sed -i s/a/b/ seeds/base.sql`"


def test_a_refusal_without_a_lesson_is_none() -> None:
    assert not proposed(["refused", "run", "make deploy", "not now, wait for Jo"])
    assert not proposed(["refused", "edit", "src/stamps.py", ""])


def test_a_correction_after_an_edit_is_a_lesson() -> None:
    found = only(EDIT, ["person", "no, stamps are integer milliseconds everywhere, floats lose the last digits"])
    assert found.signal == LessonSignal.CORRECTION
    assert not found.title.lower().startswith("no,")


def test_a_correction_is_tied_to_the_edited_file_and_names_no_folder_above_the_project() -> None:
    words = ["person", "no, stamps are integer milliseconds everywhere, floats lose the last digits"]
    session = session_of("one", [["person", "next one please"], EDIT, words])
    root = Path("/home/jo/secret-client/clock")
    session.folder = root
    for path, file, named in (
        (f"{root}/src/stamps.py", ("src/stamps.py",), "`src/stamps.py`"),
        ("/home/jo/secret-client/other/stamps.py", None, "`stamps.py`"),
    ):
        turns = [
            replace(turn, calls=tuple(replace(call, paths=(path,)) for call in turn.calls)) for turn in session.turns
        ]
        (found,) = propose(replace(session, turns=turns))
        assert file is None or found.files == file
        assert [each.quote for each in found.evidence] == [named]
        assert "secret-client" not in f"{found.rationale}{found.insight}"


def test_words_that_point_at_what_was_done_are_put_after_its_name() -> None:
    found = only(
        ["edit", "gen/routes.ts", "export const a"], ["person", "no, this is generated from routes.yaml, never edit it"]
    )
    assert found.insight.startswith("`gen/routes.ts`:")


def test_what_was_corrected_twice_is_one_proposal_with_both_places_and_a_higher_score() -> None:
    words = "no, stamps are integer milliseconds everywhere, floats lose the last digits"
    first = only(EDIT, ["person", words])
    twice = only(EDIT, ["person", words], EDIT, ["person", f"{words}!"])
    assert twice.signal == LessonSignal.REPEATED_CORRECTION
    assert twice.score > first.score
    assert len({each.place for each in twice.evidence} | {twice.place}) >= 3


def test_a_prompt_that_was_sent_again_word_for_word_is_no_repeated_correction() -> None:
    words = "no, stamps are integer milliseconds everywhere, floats lose the last digits"
    found = only(EDIT, ["person", words], EDIT, ["person", words])
    assert found.signal == LessonSignal.CORRECTION
    assert found.score == only(EDIT, ["person", words]).score


def test_what_was_said_in_an_earlier_session_raises_that_proposal() -> None:
    words = "no, stamps are integer milliseconds everywhere, floats lose the last digits"
    sessions = [session_of(name, [["person", "go on"], EDIT, ["person", words]]) for name in ("mon", "tue")]
    (found,) = propose(sessions[1], earlier=propose(sessions[0]))
    assert found.signal == LessonSignal.REPEATED_CORRECTION
    assert {each.session for each in found.evidence} == {"mon", "tue"}


@pytest.mark.parametrize(
    "words",
    [
        "remember: every tariff is stored with its validity, old bills are printed again",
        "merk dir: jeder Tarif wird mit seiner Gültigkeit gespeichert, alte Rechnungen werden nachgedruckt",
        "retiens que chaque tarif est stocké avec sa validité, on réimprime de vieilles factures",
        "recuerda que cada tarifa se guarda con su vigencia, se reimprimen facturas viejas",
        "lembra: cada tarifa é guardada com a vigência, faturas antigas são reimpressas",
        "记住：每个资费都要带有效期保存，旧账单会重新打印",
        "覚えておいて：料金は必ず有効期間と一緒に保存すること。古い請求書を再印刷するため",
    ],
)
def test_what_shall_be_remembered_is_a_lesson_in_every_language(words: str) -> None:
    assert only(["person", words]).signal == LessonSignal.REMEMBER


@pytest.mark.parametrize("words", ["# tariffs carry their validity", "/remember tariffs carry their validity"])
def test_a_line_that_is_typed_to_be_kept_is_a_lesson(words: str) -> None:
    found = only(["person", words])
    assert (found.signal, found.insight) == (LessonSignal.REMEMBER, "Tariffs carry their validity")


def test_an_answer_of_a_word_stands_with_its_reason() -> None:
    found = only(
        ["assistant", "Redis is faster, Postgres means one thing less to run. Which one?"],
        ["person", "postgres. nobody here wants to be woken up for a second datastore"],
    )
    assert found.title == "Postgres: nobody here wants to be woken up for a second datastore"


def test_what_to_use_stands_with_the_reason_after_it() -> None:
    found = only(
        ["edit", "pdf/bill.ts", 'font("Sans")'],
        ["person", "use `IPAex` for names. Old signs are never in Sans, we lose them in print"],
    )
    assert "IPAex" in found.insight


@pytest.mark.parametrize(
    "words",
    [
        "I tried to create an order with some items in it but got this error: no clause matching in `Orders.new/3`",
        "still the same issue, the delete button doesn't work and the console shows undefined",
        "I want to be able to see how many litres we sold on each order, so that I can compare it with the stock",
        "schema looks good. Now to answer your questions:",
        "the page is scrolling without the list being open, see the screenshot",
        "sigo sin ver todas las columnas, cuando abro el pedido no aparece",
        "je n'arrive toujours pas à redimensionner les colonnes, rien ne se passe",
        "还是一样的错误，点击按钮没有反应，控制台报错",
        "12 | const total = rows.reduce((a, b) => a + b.price, 0);",
        "INSERT INTO orders (id, total) VALUES (4, 12.0), (5, 13.5)",
        "**Note**: never deploy it there.\n\n**Edge**: it is always fast, as it is near.\n\n**Cost**: none at all.",
    ],
)
def test_wishes_reports_praise_and_what_is_pasted_are_no_lessons(words: str) -> None:
    assert not proposed(EDIT, ["person", words])


@pytest.mark.parametrize(
    "words",
    [
        "should we always compress these?",
        "for now skip the slow tests in this branch, they take an hour",
        "what if we never stored the raw file",
        "thanks, that looks great",
        "no problem, take your time",
        "put the button on the left and rename the handler",
        "I'm away until Monday, carry on with the list",
        "forget what I said about the tariffs, I was wrong",
        'the manual says "you must always calibrate the probe before a run" - is that so?',
        "> Never call the old endpoint, it is slow for every client\n\nis that still true?",
        "```\n# never call this twice, the driver always crashes\n```\nfix the crash",
        "die Tests laufen heute nicht, ignoriere das erst mal",
        "pour l'instant on laisse toujours la lampe allumée",
        "por ahora deja siempre el registro en modo detallado",
        "por enquanto deixa sempre o log ligado",
        "这次先不用写测试，所有用例明天再补",
        "とりあえず今回は全てのテストを飛ばして",
    ],
)
def test_what_holds_for_now_asks_thanks_or_quotes_is_no_lesson(words: str) -> None:
    assert not proposed(EDIT, ["person", words])


def test_only_a_person_is_listened_to() -> None:
    rule = "Never write to the ledger directly, everything goes through post(), otherwise balances drift"
    assert not propose(session_of("one", [["person", "go on"], ["assistant", rule], ["other", rule]]))
    session = session_of("two", [["person", "go on"], ["person", rule]])
    session.subagent = True
    assert not propose(session)


def test_an_option_chosen_for_a_reason_is_a_decision() -> None:
    found = only(
        ["assistant", "We can poll or use a socket. Polling is simpler."],
        ["person", "let's go with polling, because the kiosks drop idle sockets after a minute"],
    )
    assert (found.signal, found.kind) == (LessonSignal.DECISION, "decision")


def test_a_command_that_failed_and_the_one_that_worked_are_one_lesson() -> None:
    found = only(
        ["run", "make test", 2, "ld: cannot find -lproj"],
        ["run", "PROJ_DIR=/opt/proj make test", 0, "ok"],
    )
    assert (found.signal, found.kind) == (LessonSignal.FAIL_THEN_PASS, "tooling")
    assert "PROJ_DIR=/opt/proj make test" in found.insight
    assert "cannot find -lproj" in found.rationale
    assert [each.quote for each in found.evidence] == ["make test", "PROJ_DIR=/opt/proj make test"]


def test_what_was_run_before_the_same_command_passed_is_a_lesson() -> None:
    found = only(
        ["run", "rake spec", 1, "no database"], ["run", "rake db:create", 0, ""], ["run", "rake spec", 0, "ok"]
    )
    assert "rake db:create" in found.quote
    assert "rake spec" in found.insight


@pytest.mark.parametrize(
    "turns",
    [
        [["run", "make test", 2, "1 failed"], EDIT, ["run", "make test", 0, "ok"]],
        [["run", "pytest -q", 1, "1 failed"], EDIT, ["run", "pytest -q -x", 0, "ok"]],
        [["run", "pytest tests/a.py", 1, "1 failed"], ["run", "pytest tests/a.py -v", 0, "ok"]],
        [["run", "grep foo a.py", 1, ""], ["run", "grep bar a.py", 0, "bar"]],
        [["run", "make test", 2, "x"], ["run", "docker ps", 0, ""]],
        [["run", "make test", 2, "x"], ["run", "timeout 60 make test", 0, ""]],
        [["run", "git commit -m x", 1, "hook"], ["run", "git commit -m x --no-verify", 0, ""]],
        [["run", "make install", 1, "denied"], ["run", "sudo make install", 0, ""]],
        [["run", "python -c 'import a'", 1, "x"], ["run", "python -X utf8 -c 'import b'", 0, ""]],
        [["run", "curl localhost:80/x", 7, "x"], ["run", "curl -s localhost:80/x", 0, ""]],
    ],
)
def test_a_command_that_passes_after_an_edit_or_with_other_output_teaches_nothing(turns: list[list[Any]]) -> None:
    assert not proposed(*turns)


def test_a_command_that_the_person_explained_is_no_proposal_of_its_own() -> None:
    found = only(
        ["run", "cargo test", 101, "linker error"],
        ["person", "no, always with --features mock here, the real driver needs the board"],
        ["run", "cargo test --features mock", 0, "ok"],
    )
    assert found.signal == LessonSignal.CORRECTION
    assert [each.quote for each in found.evidence[-2:]] == ["cargo test", "cargo test --features mock"]


def test_a_way_around_that_the_person_objects_to_is_not_proposed() -> None:
    found = proposed(
        ["run", "terraform plan", 1, "locked"],
        ["run", "terraform plan -lock=false", 0, "ok"],
        ["person", "no no no"],
    )
    assert not found


def test_what_the_assistant_found_is_proposed_where_a_person_takes_it_up() -> None:
    finding = "The queue leaks because `drain()` never closes the socket, so the broker hangs after 1,000 jobs."
    found = only(["assistant", finding], ["person", "that explains it, thanks"])
    assert (found.signal, found.kind, found.quote) == (LessonSignal.ROOT_CAUSE, "bug-pattern", finding)
    assert not proposed(["assistant", finding], ["person", "ok, go on"])


def test_what_holds_until_a_date_is_a_note_with_that_end() -> None:
    words = "for now we stay on schema 3 until March 2031, because the readers in the trams cannot be updated before"
    found = only(["person", words])
    assert (found.kind, found.until) == ("note", datetime(2031, 4, 1, tzinfo=UTC))
    lasting = only(["person", "we always stay on schema 3, the readers in the trams cannot be updated"])
    assert lasting.until is None


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("until 2026-11-05", (2026, 11, 6)),
        ("until march 2", (2027, 3, 3)),
        ("bis ende november", (2026, 12, 1)),
        ("bis zum 3. januar", (2027, 1, 4)),
        ("jusqu'au 14 juillet 2027", (2027, 7, 15)),
        ("hasta finales de octubre", (2026, 11, 1)),
        ("até 1 de dezembro", (2026, 12, 2)),
        ("2027年3月末まで", (2027, 4, 1)),
        ("到10月为止", (2026, 11, 1)),
        ("until the market opens", None),
        ("until 2026-13-40", (2027, 1, 1)),
    ],
)
def test_the_end_is_read_in_every_language(words: str, end: tuple[int, int, int] | None) -> None:
    said = datetime(2026, 9, 1, tzinfo=UTC)
    assert end_of(words, said) == (None if end is None else datetime(*end, tzinfo=UTC))


@pytest.mark.parametrize(
    "words",
    [
        "In this branch we use the recorded feed. Never call the live one, it locks the account after ten requests",
        "Never call the live feed, it locks the account after ten requests. Just for this demo.",
        "in diesem Branch nehmen wir den Mitschnitt. Nie die echte Schnittstelle rufen, sie sperrt nach zehn Anfragen",
        "pour l'instant on prend l'enregistrement. Ne jamais appeler le vrai flux, il bloque le compte",
        "de momento usamos la grabación. Nunca llames al servicio real, bloquea la cuenta a las diez peticiones",
        "por enquanto usamos a gravação. Nunca chame o serviço real, ele bloqueia a conta depois de dez pedidos",
        "这个分支先用录制的数据。永远不要调用真实接口，十次之后账号会被锁",
        "このブランチでは録画データを使います。実際の接続先は絶対に呼ばないでください。十回でロックされます",
    ],
)
def test_what_is_said_beside_a_passing_scope_passes_with_it(words: str) -> None:
    assert not proposed(EDIT, ["person", words])


def test_what_lasts_is_kept_beside_what_passes() -> None:
    found = only(
        EDIT,
        ["person", "For now leave the feed. From now on every feed needs a timeout, otherwise the importer hangs"],
    )
    assert "timeout" in found.quote
    assert "For now" not in found.quote


def test_the_reason_typed_after_a_refusal_is_the_reason_of_that_refusal() -> None:
    words = "the labels are printed from that folder every night, so files in it must never be renamed"
    found = only(
        ["refused", "run", "git mv labels/a.zpl labels/b.zpl", ""],
        ["assistant", "You declined it. What shall I do?"],
        ["person", words],
    )
    assert (found.signal, found.quote) == (LessonSignal.REJECTED_TOOL, words)
    assert "git mv labels/a.zpl" in found.rationale


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("Sure, but please remember that every tariff has a validity, old bills are reprinted", "Every tariff has"),
        ("ok. one more thing before you go on: every tariff has a validity, remember that", "Every tariff has"),
        ("and don't forget to run `make tariffs` after a schema change, otherwise old bills break", "Run make tariffs"),
        ("ja gut, aber merk dir: jeder Tarif hat eine Gültigkeit, alte Rechnungen werden nachgedruckt", "Jeder Tarif"),
        ("好的，请记住：每个资费都有有效期，旧账单会重新打印", "每个资费"),
    ],
)
def test_a_title_begins_with_what_is_to_be_kept(words: str, title: str) -> None:
    assert only(["person", words]).title.startswith(title)


def test_secrets_are_in_no_proposal() -> None:
    key = "sk_live_51HabcdEFGHijklMNOPqrstUV"
    turns: list[list[Any]] = [
        ["run", f"TOKEN={key} make push", 1, "error: no region"],
        ["run", f"TOKEN={key} REGION=eu make push", 0, "ok"],
        ["person", f"never print the token {key}, every log is public"],
        ["person", "remember: the password of the kiosk is Maple!4471x and must never change"],
    ]
    for found in proposed(*turns):
        assert key not in str(found)
        assert "Maple" not in str(found)


def test_rules_beside_a_secret_are_proposed_without_it() -> None:
    said = (
        "never run the importer before six, the feed is empty. the password of the kiosk is Maple!4471x."
        " it is empty because the harbour sends it at six."
    )
    found = only(["person", said])
    assert "never run the importer before six" in found.quote
    assert "Maple" not in str(found)


def test_a_long_turn_keeps_its_first_words_only() -> None:
    long = "remember: every tariff has a validity, " + "and so on and so forth, " * 40
    assert len(only(["person", long]).quote) <= LONGEST_QUOTE


def test_hostile_text_is_read_and_harmless() -> None:
    for text in (
        "[/x]\x1b[31m always \x00 never",
        "」" * 2_000,
        "never " * 40_000,
        "\u202e always \u2066",
        "<" * 5_000,
    ):
        proposed(EDIT, ["person", text])
