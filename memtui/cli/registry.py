"""The commands and the help of `memtui` itself; a command's module is imported only when it runs."""

from __future__ import annotations


class Command:
    """One command of `memtui`, listed in the `COMMANDS` of its module.

    A plain class: importing `dataclasses` costs more than all the rest of `--help`.
    """

    __slots__ = ("group", "help", "module", "name")

    def __init__(self, name: str, module: str, help: str, group: str) -> None:  # noqa: A002 - argparse's own word
        self.name = name
        self.module = module
        self.help = help
        self.group = group


COMMANDS = (
    Command("demo", "demo", "explore a private copy of the sample vault", "Start"),
    Command("add", "memories", "add a memory", "Memories"),
    Command("list", "show", "list memories", "Memories"),
    Command("show", "show", "show a memory or its history", "Memories"),
    Command("edit", "memories", "edit a memory in $EDITOR or with options", "Memories"),
    Command("search", "recall", "search memories by words and meaning", "Recall"),
    Command("context", "recall", "print the exact context payload for a task", "Recall"),
    Command("why", "recall", "explain why a memory is or is not in a payload", "Recall"),
    Command("pick", "app", "pick a memory under the prompt and copy it", "Recall"),
    Command("recipe", "packs", "save tasks and run them again", "Recall"),
    Command("pack", "packs", "list and show recorded packs", "Recall"),
    Command("eval", "evaluation", "measure how well recall finds what it should", "Recall"),
    Command("feedback", "memories", "record whether a pack or a memory helped", "Recall"),
    Command("verify", "memories", "confirm that memories are still true", "Curate"),
    Command("pin", "memories", "pin memories: never stale, first in every payload", "Curate"),
    Command("unpin", "memories", "unpin memories", "Curate"),
    Command("retire", "memories", "take memories out of use", "Curate"),
    Command("restore", "memories", "bring memories back, or revert one to an earlier version", "Curate"),
    Command("snooze", "memories", "keep memories out of review for a while", "Curate"),
    Command("review", "review", "review the memories that are due", "Curate"),
    Command("tidy", "tidy", "report what needs attention; changes nothing", "Curate"),
    Command("mend", "tidy", "fix what tidy calls oversized, vague or a fragment: join, split, retire", "Curate"),
    Command("settle", "relations", "settle a contradiction, or dismiss it", "Curate"),
    Command("half-life", "review", "show or change how fast each kind fades", "Curate"),
    Command("merge", "relations", "merge memories into one", "Curate"),
    Command("unmerge", "relations", "split a merged memory into its originals", "Curate"),
    Command("reflect", "relations", "write one conclusion from several memories", "Curate"),
    Command("link", "relations", "link two memories, or list suggested links", "Curate"),
    Command("unlink", "relations", "remove a link", "Curate"),
    Command("undo", "vault", "undo your last change, or a given one", "History"),
    Command("redo", "vault", "redo the last undone change", "History"),
    Command("log", "vault", "show who changed what, and when", "History"),
    Command("purge", "vault", "erase memories or a text for good, backups included", "History"),
    Command("import", "transfer", "import memory and rule files", "In and out"),
    Command("capture", "capture", "propose lessons from your assistants' sessions", "In and out"),
    Command("inbox", "inbox", "accept or reject what is waiting in the inbox", "In and out"),
    Command("export", "transfer", "export memories, or publish them into assistants' files", "In and out"),
    Command("sync", "sync", "exchange memories with a git remote or a team", "In and out"),
    Command("team", "sync", "share memories with a team", "In and out"),
    Command("withdraw", "publish", "remove retired memories from files that still state them", "In and out"),
    Command("loaded", "publish", "show what an assistant loads automatically here, and what it costs", "In and out"),
    Command("install", "assistants", "install memtui into an assistant", "Assistants"),
    Command("uninstall", "assistants", "remove memtui from an assistant", "Assistants"),
    Command("check", "check", "check changes against the rules of constraints", "Assistants"),
    Command("mcp", "mcp", "serve an assistant over the Model Context Protocol", "Assistants"),
    Command("hook", "hook", "answer an assistant's hook event", "Assistants"),
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
