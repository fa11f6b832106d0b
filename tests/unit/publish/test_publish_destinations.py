"""The tables of what is published where and of what assistants read: every row means something."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memtui.capture.loads import assistant_named, assistant_names
from memtui.domain.memory import Anchor, Memory
from memtui.errors import UsageError
from memtui.pack.targets.formats import target_named
from memtui.publish.destinations import globs_of, head_for, place_named, places


def memory(*paths: str) -> Memory:
    at = datetime(2026, 11, 1, tzinfo=UTC)
    anchors = tuple(map(Anchor, paths))
    return Memory(id="abcdefgh2345", title="t", insight="i", kind="note", anchors=anchors, created_at=at, updated_at=at)


def test_every_place_is_a_target_and_every_assistants_target_a_place() -> None:
    for place in places():
        assert target_named(place.target).name == place.target
        assert place_named(place.target.upper()) is place
        assert all(place_named(alias) is place for alias in place.aliases)
    for name in assistant_names():
        assistant = assistant_named(name)
        assert place_named(assistant.target).target == assistant.target
        assert assistant.rules
        assert assistant.version
        assert assistant.source


def test_an_unknown_target_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="published") as refused:
        place_named("curser")
    assert "Did you mean cursor" in refused.value.remedy


@pytest.mark.parametrize(
    ("paths", "globs"),
    [
        (("api/refund.py",), ("api/refund.py",)),
        (("api/",), ("api/**",)),
        (("api/refund.py::lock", "src/**/*.ts"), ("api/refund.py", "src/**/*.ts")),
        (("a,b.py",), ()),
        (("src/*.{ts,tsx}",), ()),
        (("https://example.org/x",), ()),
        (("my file.py", "api/x.py"), ()),
        ((), ()),
    ],
)
def test_only_patterns_that_every_assistant_reads_alike_scope_a_rule(
    paths: tuple[str, ...], globs: tuple[str, ...]
) -> None:
    assert globs_of(memory(*paths)) == globs


def test_the_settings_of_rules_are_written_as_each_assistant_reads_them() -> None:
    globs = ("src/b.ts", "src/a.ts")
    assert "globs: src/a.ts,src/b.ts\n" in head_for(place_named("cursor"), globs)
    assert 'applyTo: "src/a.ts,src/b.ts"\n' in head_for(place_named("copilot"), globs)
    assert 'paths:\n  - "src/a.ts"\n  - "src/b.ts"\n' in head_for(place_named("cline"), globs)
    assert "alwaysApply: true" in head_for(place_named("cursor"), ())
    assert head_for(place_named("codex"), ()) == head_for(place_named("cline"), ()) == ""
