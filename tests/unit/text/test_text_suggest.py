from __future__ import annotations

from memtui.text.words import did_you_mean, nearest

KINDS = ("decision", "lesson", "Runbook")


def test_the_nearest_name_is_found_whatever_its_case() -> None:
    assert nearest("desicion", KINDS) == "decision"
    assert nearest("RUNBOK", KINDS) == "Runbook"
    assert nearest("zzz", KINDS) is None


def test_a_remedy_names_the_nearest_else_what_is_known() -> None:
    assert did_you_mean("leson", KINDS) == "Did you mean lesson?"
    assert did_you_mean("leson", KINDS, then="Or write a note.") == "Did you mean lesson? Or write a note."
    assert did_you_mean("zzz", KINDS) == ""
    assert did_you_mean("zzz", KINDS, otherwise="Known: lesson.", then="Try again.") == "Known: lesson. Try again."
