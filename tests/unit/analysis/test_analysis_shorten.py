"""What a reader relies on when a sentence is shortened: it ends at a clause and forbids no less."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.analysis.clause_ends import _is_parallel
from memtui.analysis.grammar import is_balanced, language_of, without_filler
from memtui.analysis.headlines import compact, without_asides
from memtui.analysis.shorten import cut_off, shortened
from memtui.text.words import cell_width

MOST = 80


def _short(text: str) -> str | None:
    return shortened(text, MOST, cell_width)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (
            "Queue the mail in the outbox instead of sending it from the handler, because the gateway drops slow ones",
            "Queue the mail in the outbox instead of sending it from the handler",
        ),
        (
            "Keep every crane (the two old ones and the new one at the north quay) in the list of movable things",
            "Keep every crane in the list of movable things",
        ),
        (
            "Name each rope after the berth that it serves; a rope that moves between berths is named by its crane",
            "Name each rope after the berth that it serves",
        ),
        (
            "Write the log line before the lift starts so that a crash in the middle of a lift differs from a pause",
            "Write the log line before the lift starts",
        ),
        (
            "Use the harbour clock for every timestamp, such as those of lifts, of tides and of lamps at the quay",
            "Use the harbour clock for every timestamp",
        ),
        (
            "When you move a crane from one quay to another quay, update the berth table and inform the night crew",
            "When you move a crane from one quay to another quay, update the berth table",
        ),
        (
            "To lift a boat from the northern dock at night, use the blue crane, which is the only one with lamps",
            "To lift a boat from the northern dock at night, use the blue crane",
        ),
        (
            "Verwende für Zeitstempel immer die Uhr des Hafens, damit sich alle Protokolle später vergleichen lassen",
            "Verwende für Zeitstempel immer die Uhr des Hafens",
        ),
        (
            "Utilisez toujours l'horloge du port pour les journaux, afin de pouvoir les comparer après un incident",
            "Utilisez toujours l'horloge du port pour les journaux",
        ),
        (
            "Usa siempre el reloj del puerto para los registros, para que se puedan comparar después de un incidente",
            "Usa siempre el reloj del puerto para los registros",
        ),
        (
            "Use sempre o relógio do porto nos registros, porque sem ele não se comparam dois guindastes diferentes",
            "Use sempre o relógio do porto nos registros",
        ),
        (
            "所有时间戳必须使用港口时钟，以便在发生事故之后可以比较不同吊车的日志，并且找出事故的真正原因",
            "所有时间戳必须使用港口时钟，以便在发生事故之后可以比较不同吊车的日志",
        ),
        (
            "夜間はランプの電力が不足するため、二台のクレーンを同時に動かしてはならず、必ず順番に操作する",
            "二台のクレーンを同時に動かしてはならず、必ず順番に操作する",
        ),
    ],
)
def test_reasons_examples_and_asides_go_first(text: str, short: str) -> None:
    assert cell_width(text) > MOST
    assert _short(text) == short


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Never move the blue crane of the northern dock during the night unless the harbour master has signed",
            "unless",
        ),
        (
            "Do not write to the berth table from the web server of the harbour, except in the nightly repair job",
            "except",
        ),
        (
            "Restart the planner process of the northern quay together with its queue only if the tide table changed",
            "only if",
        ),
        (
            "Der blaue Kran am nördlichen Kai darf während der gesamten Nacht nicht bewegt werden, außer bei Sturm",
            "außer",
        ),
        (
            "Ne déplacez jamais la grue bleue du quai nord pendant toute la nuit, sauf si le maître du port a signé",
            "sauf",
        ),
        (
            "Nunca mueva la grúa azul del muelle norte durante toda la noche, salvo que el jefe del puerto lo firme",
            "salvo",
        ),
        (
            "Nunca mova o guindaste azul do cais norte durante a noite inteira, exceto se o chefe do porto assinar",
            "exceto",
        ),
        ("夜间绝对禁止移动北码头的蓝色吊车以及与其相连的所有设备和缆绳，除非港务长已经书面签字同意", "除非"),
        ("夜間に北埠頭の青いクレーンおよびそれに接続されたすべての設備とロープを動かしてはならない", "ならない"),
    ],
)
def test_what_limits_a_rule_is_kept_or_no_clause_is_found(text: str, kept: str) -> None:
    assert cell_width(text) > MOST
    short = _short(text)
    assert short is None or kept in short


@pytest.mark.parametrize(
    "text",
    [
        "The crane that stands at the northern quay of the old harbour and carries the heaviest boats depends on",
        "Treat cranes, ropes, hooks, lamps, anchors and buoys of every quay in this harbour as one inventory item",
        "In the harbour office all the settings of every crane and lamp are accessed through one export of the planner",
        "The log of the crane motor, which every shift has to sign before it leaves the harbour, is kept for ten years",
        "Do not put a timer that has to run for the whole of every single night shift inside the loop of the motor",
    ],
)
def test_a_sentence_is_not_ended_within_a_phrase(text: str) -> None:
    short = _short(text) or ""
    assert not short.endswith((" depends", " on", " hooks", " lamps", " anchors", " accessed", " harbour"))
    assert "loop" in short or not text.startswith("Do not put") or not short


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Use the clock of the harbour for all logs", "en"),
        ("Verwende die Uhr des Hafens für alle Protokolle", "de"),
        ("Utilisez l'horloge du port pour tous les journaux", "fr"),
        ("Usa el reloj del puerto para todos los registros", "es"),
        ("Use o relógio do porto para todos os registros", "pt"),
        ("所有日志使用港口时钟", "zh"),
        ("ログには港の時計を使う", "ja"),
        ("모든 로그는 항구 시계를 사용한다", "ko"),
    ],
)
def test_the_language_is_told_by_script_and_short_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_filler_goes_and_its_sentence_keeps_a_capital() -> None:
    assert without_filler("Please note the tide") == "Note the tide"
    assert without_filler("Make sure to note the tide") == "Note the tide"
    assert without_filler("Bitte die Tide notieren") == "Die Tide notieren"
    assert without_filler("Please `make` it") == "`make` it"
    assert without_filler("Please") == "Please"
    assert without_filler("Butter melts") == "Butter melts"


@given(st.text(max_size=300), st.integers(1, 90))
def test_a_short_sentence_fits_and_is_balanced(text: str, most: int) -> None:
    line = " ".join(text.split())
    short = shortened(line, most, cell_width)
    assert short is None or cell_width(short) <= most
    assert short is None or short == line or is_balanced(short) or not is_balanced(line)
    assert cell_width(line) <= most or cell_width(cut_off(line, most)) <= most


def test_brackets_in_quotes_are_what_is_spoken_of_and_no_aside() -> None:
    line = 'Berths marked "(tidal only)" on the chart hold for barges (of any size) that lie in the outer harbour'
    short = shortened(line, 80, cell_width) or cut_off(line, 80)
    assert '"(tidal only)"' in short
    assert "of any size" not in short


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        (
            "Loads are accepted at the northern quay only if they pass the scales and carry a seal of the yard",
            "Loads are accepted at the northern quay only if they pass the scales…",
        ),
        (
            "Do not add exceptions or waivers of cranes without approval by the yard for that one rule",
            "Do not add exceptions or waivers of cranes without approval by the yard…",
        ),
    ],
)
def test_a_cut_shows_what_limits_a_rule_if_there_is_room(text: str, cut: str) -> None:
    assert cut_off(text, 76) == cut


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        ("Check any gear, such as ropes, hooks of the old crane, and chains", "Check any gear"),
        (
            "Facts about a lift, such as its time, its crane, and its load.",
            "Facts about lift, such as its time, its crane, and its load.",
        ),
        ("Take a rope, such as the blue one, to lift", "Take rope to lift"),
    ],
)
def test_an_example_goes_from_a_headline_with_all_of_its_list_or_not_at_all(text: str, headline: str) -> None:
    assert compact(text) == headline


def test_the_brackets_of_a_call_are_no_aside() -> None:
    assert without_asides("Lift each boat with lift() and hold it with hold()", 10).count("()") == 2


def test_what_a_conjunction_joins_is_no_aside() -> None:
    text = "Routes live in groups of pages like (harbour) and (yard)"
    assert without_asides(text, 40) == text


@pytest.mark.parametrize(
    ("head", "tail", "is_parallel"),
    [
        ("Keep a rope for boats and chains", "for cranes at the quay", True),
        (f"Keep a rope for {'b' * 60} and chains", "for cranes", True),
        (f"Keep a rope for {'b' * 61} and chains", "for cranes", False),
        ("Keep a rope for boats, barges and chains", "for cranes", False),
        ("Keep a rope for  and chains", "for cranes", False),
        ("Keep a rope for boats and a heavy chain", "for cranes", False),
        ("Keep a rope in boats and chains", "for cranes", False),
        ("for boats or chains", "for cranes", False),
    ],
)
def test_a_phrase_behind_the_second_of_two_may_follow_the_first_as_well(
    head: str, tail: str, is_parallel: bool
) -> None:
    by_pattern = re.search(rf" {re.escape(tail.split(maxsplit=1)[0])} [^,;:]{{1,60}} (?:and|or) \S+$", head)
    assert _is_parallel(head, tail) is is_parallel is bool(by_pattern)


def test_a_step_in_brackets_is_none_of_the_asides() -> None:
    text = "开闸（慢）→（等待水位）→ 放行 → 关闸（落锁）→ 记录"
    assert without_asides(text, 10) == "开闸→（等待水位）→ 放行 → 关闸→ 记录"


def test_a_text_of_many_labels_is_shortened_in_no_time() -> None:
    """Behind each label there were two ways to go on: a row of JSON with sixteen keys took minutes."""
    asked: list[str] = []

    def width(text: str) -> int:
        asked.append(text)
        return cell_width(text)

    rows = ", ".join(f'"lift{number}": {{ "boat": {number} }}' for number in range(16))
    shortened(f"{{ {rows} }}", MOST, width)
    assert len(asked) < 20_000
