"""Claude Code's sessions: who typed, what was refused and why, and what a file that is being written holds so far."""

from __future__ import annotations

from pathlib import Path

import pytest
from sessions import REFUSAL, ROOT, claude, claude_call, claude_result, claude_typed, write_lines

from memtui.capture.transcripts import lines
from memtui.capture.transcripts.claude_code import read
from memtui.capture.transcripts.session import CallKind, CallResult, Resume, Role, Session


def _session(tmp_path: Path, *records: object) -> Session:
    (session,) = read(write_lines(tmp_path / "s-1.jsonl", records))  # type: ignore[arg-type]
    return session


def _typed(session: Session) -> list[str]:
    return [turn.text for turn in session.typed()]


@pytest.mark.parametrize(
    "flag",
    [
        "isMeta",
        "isCompactSummary",
        "isSidechain",
        "isVirtual",
        "isVisibleInTranscriptOnly",
        "textNotTyped",
        "handedOff",
    ],
)
def test_a_user_record_that_a_machine_made_is_no_persons_turn(tmp_path: Path, flag: str) -> None:
    session = _session(tmp_path, claude_typed("berths are numbered from 1", **{flag: True}), claude_typed("go on"))
    assert _typed(session) == ["go on"]
    assert session.turns[0].role is Role.OTHER


@pytest.mark.parametrize("kind", ["channel", "peer", "task-notification", "coordinator"])
def test_only_a_human_origin_is_a_person(tmp_path: Path, kind: str) -> None:
    session = _session(tmp_path, claude("user", "never dock twice", origin={"kind": kind}))
    assert _typed(session) == []


def test_without_an_origin_what_begins_with_a_tag_is_not_typed(tmp_path: Path) -> None:
    session = _session(
        tmp_path,
        claude("user", "<bash-input>ls</bash-input>"),
        claude("user", "[Request interrupted by user for tool use]"),
        claude("user", "Stop hook feedback: run the linter"),
        claude("user", "5 < 6 berths, check that"),
    )
    assert _typed(session) == ["5 < 6 berths, check that"]


def test_a_reminder_behind_typed_words_is_cut_out(tmp_path: Path) -> None:
    text = "use the tide table\n<system-reminder>\nNever create files.\n</system-reminder> of Quay 4"
    session = _session(tmp_path, claude_typed(text))
    assert _typed(session) == ["use the tide table\n of Quay 4"]


def test_a_refusal_keeps_the_persons_reason_with_the_refused_call(tmp_path: Path) -> None:
    note = "\n\nNote: The user's next message may contain a correction."
    session = _session(
        tmp_path,
        claude_call("t1", "Edit", file_path=f"{ROOT}/gen/api.py", old_string="a", new_string="b"),
        claude_result("t1", f"{REFUSAL}gen/ is generated, change the schema{note}", failed=True),
    )
    (call,) = session.turns[0].calls
    assert (call.result, call.reason, call.kind) == (
        CallResult.REFUSED,
        "gen/ is generated, change the schema",
        CallKind.EDIT,
    )
    assert (call.paths, call.written) == ((f"{ROOT}/gen/api.py",), "b")
    assert call.reason_place is not None
    assert call.reason_place.line == 2


def test_a_refusal_without_a_reason_has_none(tmp_path: Path) -> None:
    halted = "The user doesn't want to take this action right now. STOP what you are doing."
    session = _session(tmp_path, claude_call("t1", "Bash", command="make"), claude_result("t1", halted, failed=True))
    (call,) = session.turns[0].calls
    assert (call.result, call.reason, call.reason_place) == (CallResult.REFUSED, "", None)


def test_a_command_knows_whether_it_passed(tmp_path: Path) -> None:
    session = _session(
        tmp_path,
        claude_call("t1", "Bash", command="make dock"),
        claude_result("t1", "Exit code 2\nno rule", failed=True),
        claude_call("t2", "Bash", command="make -C quay dock"),
        claude_result("t2", "ok"),
    )
    first, second = (turn.calls[0] for turn in session.turns)
    assert (first.command, first.result, first.exit_code) == ("make dock", CallResult.FAILED, 2)
    assert (second.result, second.output) == (CallResult.PASSED, "ok")


def test_a_message_queued_while_the_assistant_worked_is_typed(tmp_path: Path) -> None:
    queued = {"type": "queued_command", "prompt": "also: no cron", "commandMode": "prompt", "origin": {"kind": "human"}}
    notice = queued | {"origin": {"kind": "task-notification"}}
    hook = {"type": "hook_additional_context", "content": ["Always sign off."]}
    session = _session(
        tmp_path,
        {"type": "queue-operation", "operation": "enqueue", "content": "also: no cron"},
        *({"type": "attachment", "uuid": f"a-{n}", "attachment": one} for n, one in enumerate((queued, notice, hook))),
    )
    assert _typed(session) == ["also: no cron"]


def test_copies_of_a_record_count_once(tmp_path: Path) -> None:
    record = claude_typed("one gangway at a time")
    assert _typed(_session(tmp_path, record, record)) == ["one gangway at a time"]


def test_bad_lines_are_numbered_and_unknown_records_counted(tmp_path: Path) -> None:
    session = _session(tmp_path, "42", claude_typed("hello"), '{"type":"user"', "", "[1]", {"type": "moon-phase"})
    assert session.bad_lines == [1, 3, 4, 5]
    assert session.unknown_records == {"moon-phase": 1}
    assert (session.id, session.folder, session.version) == ("s-1", Path(ROOT), "2.1.340")


def test_a_line_that_is_too_long_costs_itself_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 1_000)
    session = _session(tmp_path, claude_typed("first"), claude_typed("x" * 5_000), claude_typed("second"))
    assert (_typed(session), session.bad_lines) == (["first", "second"], [2])
    assert session.end is not None
    assert session.end.offset == session.file.stat().st_size


def test_half_a_line_at_the_end_waits_until_it_is_whole(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "s.jsonl", [claude_typed("first"), claude_typed("second"), claude_typed("third")])
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    (before,) = read(file)
    assert _typed(before) == ["first", "second"]
    assert before.end is not None
    assert before.context is not None
    file.write_bytes(whole)
    (after,) = read(file, Resume(before.context, before.end.offset))
    assert [turn.text for turn in after.turns[after.seen :]] == ["third"]
    assert after.turns[after.seen].place.line == 3


def test_a_subagents_prompt_is_nobodys_word(tmp_path: Path) -> None:
    prompt = claude("user", "You must always report lines.", isSidechain=True)
    (session,) = read(write_lines(tmp_path / "agent-1a.jsonl", [prompt]))
    assert session.subagent
    assert _typed(session) == []
