"""The commands and the help of `memtui` itself; a command's module is imported only when it runs."""

from __future__ import annotations

NOTHING, VAULT, MODEL, TOKENS = range(4)
"""What is loaded ahead, each with all before it: what the vault needs, the model of meaning, the counter of tokens."""


class Command:
    """One command of `memtui`, listed in the `COMMANDS` of its module.

    A plain class: importing `dataclasses` costs more than all the rest of `--help`.
    """

    __slots__ = ("ahead", "folds_spool", "group", "help", "looks_twice", "module", "name")

    def __init__(
        self,
        name: str,
        module: str,
        help: str,  # noqa: A002 - argparse's own word
        group: str,  # the heading that help lists it under
        ahead: int = NOTHING,  # what is loaded while its line is parsed, as it will need it
        *,
        folds_spool: bool = True,  # whether what assistants were served since the last command is noted first
        looks_twice: bool = True,  # whether it may wait for the model that judges planted texts
    ) -> None:
        self.name = name
        self.module = module
        self.help = help
        self.group = group
        self.ahead = ahead
        self.folds_spool = folds_spool
        self.looks_twice = looks_twice


COMMANDS = (
    Command("demo", "demo", "explore a private copy of the sample vault", "Start", folds_spool=False),
    Command("add", "memories", "add a memory", "Memories", VAULT),
    Command("list", "show", "list memories", "Memories", VAULT),
    Command("show", "show", "show a memory or its history", "Memories", VAULT),
    Command("edit", "memories", "edit a memory in $EDITOR or with options", "Memories", VAULT),
    Command("search", "recall", "search memories by words and meaning", "Recall", MODEL),
    Command("context", "recall", "print the exact context payload for a task", "Recall", TOKENS),
    Command("why", "recall", "explain why a memory is or is not in a payload", "Recall", VAULT),
    Command("pick", "app", "pick a memory under the prompt and copy it", "Recall", VAULT),
    Command("recipe", "packs", "save tasks and run them again", "Recall", VAULT),
    Command("pack", "packs", "list and show recorded packs", "Recall", VAULT),
    Command("eval", "evaluation", "measure how well recall finds what it should", "Recall", VAULT),
    Command("feedback", "memories", "record whether a pack or a memory helped", "Recall", VAULT),
    Command("verify", "memories", "confirm that memories are still true", "Curate", VAULT),
    Command("pin", "memories", "pin memories: never stale, first in every payload", "Curate", VAULT),
    Command("unpin", "memories", "unpin memories", "Curate", VAULT),
    Command("retire", "memories", "take memories out of use", "Curate", VAULT),
    Command("restore", "memories", "bring memories back, or revert one to an earlier version", "Curate", VAULT),
    Command("snooze", "memories", "keep memories out of review for a while", "Curate", VAULT),
    Command("review", "review", "review the memories that are due", "Curate", VAULT),
    Command("tidy", "tidy", "report what needs attention; changes nothing", "Curate", VAULT),
    Command("mend", "tidy", "fix what tidy calls oversized, vague or a fragment: join, split, retire", "Curate", VAULT),
    Command("settle", "relations", "settle a contradiction, or dismiss it", "Curate", VAULT),
    Command("half-life", "review", "show or change how fast each kind fades", "Curate", VAULT),
    Command("merge", "relations", "merge memories into one", "Curate", VAULT),
    Command("unmerge", "relations", "split a merged memory into its originals", "Curate", VAULT),
    Command("reflect", "relations", "write one conclusion from several memories", "Curate", VAULT),
    Command("link", "relations", "link two memories, or list suggested links", "Curate", VAULT),
    Command("unlink", "relations", "remove a link", "Curate", VAULT),
    Command("undo", "vault", "undo your last change, or a given one", "History", VAULT),
    Command("redo", "vault", "redo the last undone change", "History", VAULT),
    Command("log", "vault", "show who changed what, and when", "History", VAULT),
    Command("purge", "vault", "erase memories or a text for good, backups included", "History", VAULT),
    Command("import", "transfer", "import memory and rule files", "In and out", VAULT),
    Command("capture", "capture", "propose lessons from your assistants' sessions", "In and out"),
    Command("inbox", "inbox", "accept or reject what is waiting in the inbox", "In and out"),
    Command("export", "transfer", "export memories, or publish them into assistants' files", "In and out"),
    Command("sync", "sync", "exchange memories with a git remote or a team", "In and out"),
    Command("team", "sync", "share memories with a team", "In and out"),
    Command("withdraw", "publish", "remove retired memories from files that still state them", "In and out"),
    Command("loaded", "publish", "show what an assistant loads automatically here, and what it costs", "In and out"),
    Command("install", "assistants", "install memtui into an assistant", "Assistants", folds_spool=False),
    Command("uninstall", "assistants", "remove memtui from an assistant", "Assistants", folds_spool=False),
    Command(
        "check",
        "check",
        "check changes against the rules of constraints",
        "Assistants",
        VAULT,
        folds_spool=False,
        looks_twice=False,
    ),
    Command("mcp", "mcp", "serve an assistant over the Model Context Protocol", "Assistants", folds_spool=False),
    Command("hook", "hook", "answer an assistant's hook event", "Assistants", folds_spool=False),
    Command("sql", "show", "query the vault with read-only SQL", "Vault"),
    Command("stats", "vault", "show counts and the health of the vault", "Vault"),
    Command("doctor", "vault", "check the vault and repair it", "Vault"),
    Command("reindex", "vault", "rebuild the search index and the vectors", "Vault"),
    Command("model", "setup", "show the embedding model, or download another", "Vault"),
    Command("vault", "vault", "show, back up or restore the vault file", "Vault"),
    Command("config", "setup", "show or create the configuration", "Vault"),
    Command("project", "setup", "list projects, link folders, add aliases", "Vault"),
    Command("completion", "setup", "print a shell completion script", "Vault"),
)

BY_NAME = {command.name: command for command in COMMANDS}

_WITH_VALUE, _FLAGS = frozenset({"--actor", "--vault", "--project"}), frozenset({"--json"})  # Global options


class Peek:
    """What a command line seems to ask for, before it is parsed; mistakes in it are reported by the parser."""

    __slots__ = ("asks_help", "command", "has_words", "is_fast", "vault")

    def __init__(self, argv: list[str]) -> None:
        place = command_position(argv)
        after = argv[place + 1 :]
        self.command = BY_NAME.get(argv[place]) if place < len(argv) else None
        self.asks_help = "-h" in argv or "--help" in argv
        self.is_fast = "--fast" in after
        # Whether a word after the command can be a task: it is neither an option nor the value of one.
        self.has_words = any(
            not word.startswith("-") and (not last.startswith("--") or "=" in last or last in _FLAGS)
            for last, word in zip(["", *after], after, strict=False)
        )
        self.vault = ""  # as it is named, empty where it is not
        for before, word in zip(["", *argv], argv, strict=False):
            if before == "--vault" or word.startswith("--vault="):
                self.vault = word.removeprefix("--vault=")


def command_position(argv: list[str]) -> int:
    """Return the index of the first word that is not a global option or its value."""
    index = 0
    while index < len(argv) and argv[index].startswith("-"):
        index += 2 if argv[index] in _WITH_VALUE else 1
    return min(index, len(argv))


DESCRIPTION = "A terminal workbench for the memories of AI coding assistants. Without a command it opens the app."


def help_text() -> str:
    """Return the help of `memtui` itself, which needs no parser."""
    lines = ["usage: memtui [--vault PATH] [--project NAME] [--actor NAME] [--json] [COMMAND …]", "", DESCRIPTION]
    group = ""
    for command in COMMANDS:
        if command.group != group:
            group = command.group
            lines += ["", f"{group}:"]
        lines.append(f"  {command.name:<12}{command.help}")
    lines += [
        "",
        "Global options, before or after the command:",
        "  --vault PATH    the vault file or its folder (default: MEMTUI_VAULT, else the user's data folder)",
        "  --project NAME  this project and global (default: the project of the working directory)",
        "  --actor NAME    the agent's name (default: MEMTUI_ACTOR, else you); what an agent adds waits in the inbox",
        "  --json          print JSON",
        "  --version       print the version",
        "",
        "Exit codes: 0 done, 1 error, 2 wrong usage, 3 nothing found, 4 conflict, 5 vault busy, 6 refused, 7 findings.",
        "Run `memtui COMMAND --help` for details.",
        "A memory is advice to an assistant, not a safeguard. What must never happen belongs in permissions, hooks and",
        "tests.",
    ]
    return "\n".join(lines)


def version_text() -> str:
    """Return `memtui` and its version."""
    from memtui import __version__

    return f"memtui {__version__}"
