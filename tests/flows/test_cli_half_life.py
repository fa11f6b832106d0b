"""`memtui half-life`: the Decay lab by commands."""

from __future__ import annotations

from flows.cli_driver import Cli


def test_the_effect_is_told_before_it_is_applied_and_undone_after(demo: Cli) -> None:
    before = demo("review", "--list", "--json").json
    told = demo("half-life", "tooling=30d", "--dry-run", "--json").json
    assert told["due_before"] == len(before)
    assert demo("review", "--list", "--json").json == before
    assert "tooling 90 d → 30 d" in demo("half-life", "tooling=30d").err
    after = {row["id"] for row in demo("review", "--list", "--json").json}
    assert (len(after), after - {row["id"] for row in before}) == (told["due_after"], set(told["entering"]))
    kinds = {row["kind"]: row for row in demo("half-life", "--json").json}
    assert (kinds["tooling"]["half_life_days"], kinds["tooling"]["set_by"]) == (30.0, "vault")
    demo("undo")
    assert demo("review", "--list", "--json").json == before


def test_one_project_alone_what_was_learned_and_the_way_back(demo: Cli) -> None:
    assert (
        "tooling in payments-api 90 d → 14 d"
        in demo("half-life", "tooling=2w", "--here", "--project", "payments-api").err
    )
    assert _days(demo, "--here", "--project", "payments-api") == 14.0
    assert _days(demo) == 90.0
    demo("half-life", "tooling=default", "--here", "--project", "payments-api")
    assert _days(demo, "--here", "--project", "payments-api") == 90.0
    learned = next(row for row in demo("half-life", "--json").json if row["learned_days"])
    demo("half-life", f"{learned['kind']}=learned")
    assert _days(demo, kind=learned["kind"]) == learned["learned_days"]


def _days(demo: Cli, *options: str, kind: str = "tooling") -> float:
    rows = demo("half-life", "--json", *options).json
    return next(float(row["half_life_days"]) for row in rows if row["kind"] == kind)


def test_what_is_no_half_life_is_told(demo: Cli) -> None:
    wrongs = (("tooling", "KIND=TIME"), ("tooling=soon", "soon"), ("nonsense=30d", "nonsense"), ("note=0d", "0.01 to"))
    for wrong, told in wrongs:
        assert told in demo("half-life", wrong, code=2).err
        assert told in demo("half-life", wrong, "--dry-run", code=2).err
