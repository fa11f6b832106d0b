"""The help of `memtui` itself, which needs no parser."""

from __future__ import annotations

from memtui.cli.registry import COMMANDS

DESCRIPTION = "The terminal workbench for the memories of AI coding assistants. Without a command it opens the app."


def help_text() -> str:
    """Return the help of `memtui` itself."""
    lines = ["usage: memtui [--vault PATH] [--project NAME] [--actor NAME] [--json] [COMMAND …]", "", DESCRIPTION, ""]
    group = ""
    for command in COMMANDS:
        if command.group != group:
            group = command.group
            lines += [] if group == COMMANDS[0].group else [""]
            lines.append(f"{group}:")
        lines.append(f"  {command.name:<12}{command.help}")
    lines += [
        "",
        "Global options, before or after the command:",
        "  --vault PATH    the vault file, or the folder that holds it (default: MEMTUI_VAULT, else your data folder)",
        "  --project NAME  that project and global (default: the one of the folder you are in)",
        "  --actor NAME    an agent's name (default: MEMTUI_ACTOR, else you); what an agent adds waits in the inbox",
        "  --json          print JSON",
        "  --version       print the version",
        "",
        "Exit codes: 0 done, 1 error, 2 wrong usage, 3 nothing found, 4 conflict, 5 vault busy, 6 refused, 7 findings.",
        "`memtui COMMAND --help` tells more. Memory is advice to an assistant, not a barrier: what must not happen",
        "belongs into permissions, hooks and tests.",
    ]
    return "\n".join(lines)
