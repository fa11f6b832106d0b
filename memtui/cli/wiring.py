"""What is installed in assistants: `memtui install --list`, and the checks of `memtui doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memtui.cli.output import say
from memtui.cli.session import Session
from memtui.domain.wiring import Part
from memtui.errors import EXIT_DONE
from memtui.text.words import some_of
from memtui.workspace import project_root

if TYPE_CHECKING:
    from memtui.assist.install.status import AssistantState
    from memtui.vault.doctor import Check

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
        hint = "memtui is installed in none; `memtui install --list` lists them"
        checks.append(Check("assistants", ok=True, detail=hint, vital=False))
    return checks
