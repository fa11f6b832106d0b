"""`memtui install` and `uninstall`, and what is installed in assistants."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtui import clock
from memtui.cli.output import say, write_json, write_line
from memtui.cli.parsing import Parser
from memtui.cli.session import Commands, Session
from memtui.domain.wiring import Part, Scope
from memtui.errors import EXIT_DONE, NotFoundError, UsageError
from memtui.text.sanitize import reveal
from memtui.text.words import some_of
from memtui.workspace import project_root

if TYPE_CHECKING:
    from memtui.assist.install.assistants import Assistant
    from memtui.assist.install.command import Program
    from memtui.assist.install.plan import Plan
    from memtui.assist.install.status import AssistantState
    from memtui.assist.splice import FileEdit
    from memtui.vault.doctor import Check


_GATES = "git-hook, pre-commit, lefthook, github-action"
"""What runs `memtui check`; a test holds it to the gates that there are."""


def _scope_arguments(parser: Parser) -> None:
    parser.drop_option("--project")
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--user", action="store_true", help="for you, in every project (default)")
    scope.add_argument(
        "--project", dest="project_scope", action="store_true", help="in the project of the working directory"
    )
    parser.add_flag("--dry-run", "show the changes of each file; write nothing")


def _install_arguments(parser: Parser) -> None:
    parser.add_value("assistant", "ASSISTANT", f"the assistant, --list names them; or {_GATES}", nargs="?")
    _scope_arguments(parser)
    parser.add_flag("--list", "list the assistants found here, and what is installed")
    parser.add_flag(
        "--block", "also publish the standing payload into the project's rule file, as `memtui export` does"
    )
    parser.add_flag("--skill", "install a skill that uses the command line instead of the MCP server")
    parser.add_flag("--commands", "also check before each command whether a constraint forbids it")


def _install(arguments: argparse.Namespace, session: Session) -> int:
    """Install memtui into an assistant: its MCP server and its hooks. Or let a gate run `memtui check`.

    Shows the change of each file, writes it, and says what is left to do. Everything else in the files keeps its bytes;
    `memtui uninstall` gives back those of before. For some assistants it prints the lines to paste.
    """
    from memtui.assist.install.assistants import assistant_named
    from memtui.assist.install.command import program_for
    from memtui.assist.install.gates import GATES
    from memtui.assist.install.plan import Wishes, plan_install
    from memtui.assist.install.status import state_of

    if arguments.list:
        return list_assistants(session)
    if not arguments.assistant:
        raise UsageError("Which assistant?", remedy="`memtui install --list` names them.")
    if arguments.assistant in GATES:
        return _install_gate(arguments, session)
    assistant = assistant_named(arguments.assistant)
    session.only_a_person("install memtui")
    if arguments.block and (session.json or not assistant.block):
        remedy = f"Use `memtui export --target {assistant.block} --json`." if assistant.block else ""
        raise UsageError("--block cannot be used here", where=assistant.name, remedy=remedy)
    program = program_for(session.vault_path)
    scope = Scope.PROJECT if arguments.project_scope else Scope.USER
    commands = arguments.commands or session.config.hooks.stop_commands
    plan = plan_install(
        assistant, scope, _root(session, scope), program, Wishes(skill=arguments.skill, commands=commands)
    )
    _carry_out([plan], arguments, session)
    if arguments.block:
        _publish_block(assistant.block, arguments, session)
    if plan.pastes or session.json:
        return EXIT_DONE
    if not arguments.dry_run:
        _say_next(plan, program)
        if state_of(assistant, project_root(session.folder), program).is_doubled:
            say(
                f"{assistant.title} now runs memtui's hooks twice: for you and for this project; uninstall one of them."
            )
    return EXIT_DONE


def _publish_block(target: str, arguments: argparse.Namespace, session: Session) -> None:
    """Publish the standing payload into the rule file of an assistant."""
    from memtui.cli.parsing import command_parser
    from memtui.cli.publish import run_publish
    from memtui.cli.registry import BY_NAME

    words = ["--target", target, *(["--dry-run"] if arguments.dry_run else [])]
    run_publish(command_parser(BY_NAME["export"]).read(words), session)


def _install_gate(arguments: argparse.Namespace, session: Session) -> int:
    """Let something run `memtui check` before a commit, or on a pull request."""
    from memtui.assist.install.command import program_for
    from memtui.assist.install.gates import GATES, plan_gate

    session.only_a_person("install memtui")
    program = program_for(session.vault_path)
    plan = plan_gate(GATES[arguments.assistant], session.folder, program)
    _carry_out([plan], arguments, session)
    if not session.json and not arguments.dry_run:
        if not plan.is_change:
            say(f"memtui check is already installed in {plan.assistant.title}.")
        for step in plan.assistant.steps:
            say(f"Next: {step}")
    return EXIT_DONE


def _say_next(plan: Plan, program: Program) -> None:
    """Say what the person still has to do."""
    if not plan.is_change:
        say(f"memtui is already installed in {plan.assistant.title}.")
    if program.is_ephemeral:
        say(f"{program.path} belongs to a temporary environment; install memtui permanently and run this again.")
    if plan.scope is Scope.PROJECT:
        say(f"The files name {program.path}, which others do not have: do not commit them.")
    for step in plan.assistant.steps:
        say(f"Next: {step}")


def _uninstall_arguments(parser: Parser) -> None:
    parser.add_value("assistant", "ASSISTANT", f"the assistant, `memtui install --list` names them; or {_GATES}")
    _scope_arguments(parser)


def _uninstall(arguments: argparse.Namespace, session: Session) -> int:
    """Remove memtui from an assistant: its files are as they were before.

    Without --user or --project it is removed from both. Memories stay in the vault.
    """
    from memtui.assist.install.assistants import assistant_named
    from memtui.assist.install.command import program_for
    from memtui.assist.install.gates import GATES
    from memtui.assist.install.plan import plan_uninstall

    session.only_a_person("uninstall memtui")
    if arguments.assistant in GATES:
        return _uninstall_gate(arguments, session)
    assistant = assistant_named(arguments.assistant)
    scopes = [Scope.PROJECT] if arguments.project_scope else [Scope.USER]
    if not (arguments.user or arguments.project_scope) and project_root(session.folder) is not None:
        scopes.append(Scope.PROJECT)
    program = program_for(session.vault_path)
    plans = [plan_uninstall(assistant, scope, _root(session, scope), program) for scope in scopes]
    if not any(plan.is_change or plan.blocked for plan in plans):
        raise NotFoundError(
            f"memtui is not installed in {assistant.title}",
            where=_looked_at(plans),
            remedy="`memtui install --list` shows where it is installed.",
        )
    _carry_out(plans, arguments, session)
    _say_block(assistant, session)
    return EXIT_DONE


def _say_block(assistant: Assistant, session: Session) -> None:
    """Say that a block stays in the project's rule file, which other assistants may read too."""
    from memtui.publish.plan import standing_publications

    root = project_root(session.folder)
    if root is not None and not session.json and assistant.block in standing_publications(session.vault, root):
        say(f"The block in the project's rule file stays: `memtui export --target {assistant.block} --remove`.")


def _uninstall_gate(arguments: argparse.Namespace, session: Session) -> int:
    """Let something no longer run `memtui check`."""
    from memtui.assist.install.command import program_for
    from memtui.assist.install.gates import GATES, plan_gate_removal

    plan = plan_gate_removal(GATES[arguments.assistant], session.folder, program_for(session.vault_path))
    if not (plan.is_change or plan.blocked):
        raise NotFoundError(
            f"memtui check is not installed in {plan.assistant.title}",
            remedy="`memtui install --list` shows where it is installed.",
        )
    _carry_out([plan], arguments, session)
    return EXIT_DONE


def _looked_at(plans: Sequence[Plan]) -> str:
    return ", ".join(scope.value for scope in dict.fromkeys(plan.scope for plan in plans))


def _root(session: Session, scope: Scope) -> Path:
    root = project_root(session.folder)
    if scope is Scope.PROJECT and root is None:
        raise UsageError("Not inside a repository", where=str(session.folder), remedy="Run it inside a project.")
    return root or session.folder


def _carry_out(plans: Sequence[Plan], arguments: argparse.Namespace, session: Session) -> None:
    """Show the changes, then make them, unless they were only asked for."""
    from memtui.assist.install.plan import carry_out

    if not session.json:
        for plan in plans:
            _show(plan)
    blocked = [plan for plan in plans if plan.blocked]
    for plan in [*blocked, *plans] if blocked or not arguments.dry_run else ():
        carry_out(plan, clock.now().isoformat())
    if session.json:
        write_json([_record(plan) for plan in plans])


def _show(plan: Plan) -> None:
    """Print how files change, and what to paste where memtui does not write."""
    from memtui.assist.installed import hand_made_copy
    from memtui.wording.publishing import changed_by_hand

    for edit in plan.edits:
        _write_diff(edit)
        if edit.by_hand:
            say(changed_by_hand(str(edit.path), str(hand_made_copy(edit.path))))
    for paste in plan.pastes:
        say(f"memtui does not write the files of {plan.assistant.title}. Paste this into {paste.path}:")
        write_line(paste.lines.rstrip("\n"))
    for step in plan.assistant.steps if plan.pastes else ():
        say(f"Then: {step}")
    for blocked in plan.blocked:
        for paste in blocked.pastes:
            say(f"To do it by hand, put this into {paste.path}:\n{paste.lines}")


def _write_diff(edit: FileEdit) -> None:
    """Print how a file changes."""
    state = "new" if edit.before is None else "removed" if edit.after is None else "changed"
    write_line(f"{edit.path} ({state})")
    for line in edit.diff:
        write_line(reveal(f"  {line.sign} {line.text}".rstrip()))


def _record(plan: Plan) -> dict[str, Any]:
    from memtui.assist.installed import hand_made_copy

    return {
        "assistant": plan.assistant.name,
        "scope": plan.scope,
        "files": [
            {
                "path": str(edit.path),
                "state": "created" if edit.before is None else "removed" if edit.after is None else "changed",
                "kept": str(hand_made_copy(edit.path)) if edit.by_hand else None,
                "diff": [f"{line.sign} {line.text}" for line in edit.diff],
            }
            for edit in plan.edits
        ],
        "unchanged": [str(path) for path in plan.kept],
        "refused": [
            {"path": str(one.path), "reason": str(one.error), "paste": [paste.lines for paste in one.pastes]}
            for one in plan.blocked
        ],
        "paste": [{"path": paste.path, "lines": paste.lines} for paste in plan.pastes],
        "next": list(plan.assistant.steps),
    }


COMMANDS: Commands = {
    "install": (_install_arguments, _install),
    "uninstall": (_uninstall_arguments, _uninstall),
}


_PATHS_SHOWN = 4  # Files of other projects that the list names


def list_assistants(session: Session) -> int:
    """List the assistants."""
    from memtui.assist.install.command import program_for
    from memtui.assist.install.status import states
    from memtui.wording.publishing import remedy

    found = states(project_root(session.folder), program_for(session.vault_path))
    session.put_rows([_state_record(state) for state in found], [_row(state) for state in found])
    if session.json:
        return EXIT_DONE
    for state in found:
        for part in state.parts:
            advice = remedy(part.wiring, state.assistant.name, state.assistant.title)
            if advice:
                say(f"{state.assistant.title}, {part.part} ({part.path}): {advice}")
        if state.is_doubled:
            say(f"{state.assistant.title} runs memtui's hooks twice: for you and for this project")
        if state.elsewhere:
            say(f"{state.assistant.title} also: {some_of(state.elsewhere, _PATHS_SHOWN)}")
    return EXIT_DONE


def _row(state: AssistantState) -> list[str]:
    """Return an assistant as the cells of a table."""
    from memtui.wording.publishing import WIRING_WORDS

    assistant = state.assistant
    if not assistant.is_written:
        return [assistant.name, "here" if state.is_here else "-", "prints the lines to paste", ""]
    server, skill = state.of(Part.SERVER), state.of(Part.SKILL)
    asks = skill if skill is not None and skill.is_there and not (server and server.is_there) else server
    cells = [f"{part.part} {WIRING_WORDS[part.wiring]}" for part in (asks, state.of(Part.HOOKS)) if part is not None]
    return [assistant.name, "here" if state.is_here else "-", *cells, ", ".join(state.scopes)]


def _state_record(state: AssistantState) -> dict[str, Any]:
    return {
        "assistant": state.assistant.name,
        "title": state.assistant.title,
        "here": state.is_here,
        "written": state.assistant.is_written,
        "doubled": state.is_doubled,
        "parts": [
            {"part": part.part, "scope": part.scope, "state": part.wiring, "path": str(part.path), "runs": part.argv}
            for part in state.parts
        ],
        "elsewhere": list(state.elsewhere),
    }


def wiring_checks(session: Session) -> list[Check]:
    """Call what is installed in assistants as they would, and return a check for each part."""
    from memtui.assist.install.command import program_for
    from memtui.assist.install.probe import probe
    from memtui.assist.install.status import states
    from memtui.vault.doctor import Check
    from memtui.wording.publishing import PART_WORDS, WIRING_WORDS, answer_remedy, answer_words, remedy

    found = states(project_root(session.folder), program_for(session.vault_path))
    checks = []
    for one in probe(found, session.folder):
        assistant, wiring = one.state.assistant, one.part.wiring
        advice = remedy(wiring, assistant.name, assistant.title)
        detail = WIRING_WORDS[wiring] if advice else ""
        if one.answer is not None:
            words = answer_words(one.answer, one.seconds, one.tools, one.detail)
            detail, advice = f"{detail}; {words}" if detail else words, answer_remedy(one.answer) or advice
        name = f"{assistant.name} {PART_WORDS[one.part.part]}"
        checks.append(Check(name, ok=not advice, detail=detail, remedy=advice, vital=False))
    if not checks:
        hint = "memtui is not installed in any assistant; `memtui install --list` lists them"
        checks.append(Check("assistants", ok=True, detail=hint, vital=False))
    return checks
