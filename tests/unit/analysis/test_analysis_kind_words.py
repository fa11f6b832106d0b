from __future__ import annotations

from memtui.analysis.classify import cues_and_signs, kind_guess
from memtui.analysis.kind_words import odds_of_kinds, signs_of
from memtui.domain.kinds import DEFAULT_KINDS


def test_signs_are_words_in_a_row_with_a_mark_of_where_they_stand() -> None:
    signs = signs_of("Tie the boats. Then ring 3 bells", ("Harbour", "Mooring"), "docs/tide-log.md", {"orders"})

    assert {"1tie", "1^ tie", "1the boats", "2bells", "2ring 3", "Hharbou", "hmoorin", "ptide", "Forders"} <= signs
    assert not {"1ring", "hharbou", "Hmoorin"} & signs


def test_a_chinese_text_is_weighed_by_its_characters() -> None:
    assert {"1^ 系", "1系 泊", "2泊"} <= signs_of("系泊", (), "", ())


def test_words_turn_what_cues_alone_would_take_for_a_limit_into_a_way_of_working() -> None:
    text = "Do not write comments that repeat the code"

    cues, signs = cues_and_signs(text, text, ("Harbour", "Comments"))

    assert max(cues, key=cues.__getitem__) == "constraint"
    assert kind_guess(text, text, ("Harbour", "Comments")).kind == "convention"
    assert set(odds_of_kinds(cues, signs)) == set(DEFAULT_KINDS)


def test_a_language_of_which_little_was_learned_goes_by_its_cues() -> None:
    text = "Der Kran stürzt bei Sturm ab; ein Anker behebt das"

    assert kind_guess(text, text, ("Hafen",)).kind == "bug-pattern"


def test_without_any_sign_the_cues_and_the_base_decide() -> None:
    assert odds_of_kinds({"decision": 3.0}, ())["decision"] > odds_of_kinds({}, ())["decision"]
    assert odds_of_kinds({"decision": 300.0}, ()) == odds_of_kinds({"decision": 12.0}, ())
