"""The commands: name, module, one line of help. Modules are imported only when their command runs."""

from __future__ import annotations

from types import ModuleType


class Command:
    """One command of `memtui`.

    `module` has `configure(parser)` and `run(arguments, session) -> exit code`; where a module serves several
    commands it looks at `arguments.command`. A plain class: importing what makes finer ones costs more than
    all the rest of `--help`.
    """

    __slots__ = ("group", "help", "module", "name")

    def __init__(self, name: str, module: str, help: str, group: str) -> None:  # noqa: A002 - what it is called
        self.name = name
        self.module = module
        self.help = help
        self.group = group


COMMANDS = (
    Command("demo", "demo", "look around in a private copy of the sample vault", "Start"),
    Command("add", "add", "remember one thing", "Memories"),
    Command("list", "list_command", "list memories", "Memories"),
    Command("show", "show", "show one memory, or its history", "Memories"),
    Command("edit", "edit", "edit a memory in $EDITOR or by options", "Memories"),
    Command("search", "search", "find memories by words, with the reasons", "Recall"),
    Command("context", "context", "print the exact context payload for a task", "Recall"),
    Command("why", "why", "say why a memory is in a payload or not, and what brings it in", "Recall"),
    Command("recipe", "recipe", "save tasks and run them again", "Recall"),
    Command("pack", "pack", "list and show recorded packs", "Recall"),
    Command("eval", "eval", "measure how well recall finds what it should", "Recall"),
    Command("feedback", "feedback", "say whether a pack or a memory helped", "Recall"),
    Command("verify", "lifecycle", "say that memories are still true", "Curate"),
    Command("pin", "lifecycle", "pin memories: never stale, first in every payload", "Curate"),
    Command("unpin", "lifecycle", "unpin memories", "Curate"),
    Command("retire", "lifecycle", "take memories out of use", "Curate"),
    Command("restore", "lifecycle", "bring memories back, or one to an earlier version", "Curate"),
    Command("snooze", "lifecycle", "keep memories out of the review for a while", "Curate"),
    Command("review", "review", "go through the memories that are due", "Curate"),
    Command("tidy", "tidy", "list what should be put right; changes nothing", "Curate"),
    Command("settle", "settle", "settle a contradiction, or say that there is none", "Curate"),
    Command("half-life", "half_life", "how fast each kind fades; change it", "Curate"),
    Command("merge", "merge", "merge memories into one", "Curate"),
    Command("unmerge", "merge", "take a merge apart again", "Curate"),
    Command("reflect", "reflect", "write one conclusion from several notes or lessons", "Curate"),
    Command("link", "link", "link two memories; list what might be linked", "Curate"),
    Command("unlink", "link", "take a link away", "Curate"),
    Command("undo", "history", "undo the last change", "History"),
    Command("redo", "history", "do the undone change again", "History"),
    Command("log", "history", "show what was changed, by whom and when", "History"),
    Command("purge", "purge", "erase memories or a text for good, backups included", "History"),
    Command("import", "importing", "import memory and rule files", "In and out"),
    Command("inbox", "inbox", "accept or reject what waits in the inbox", "In and out"),
    Command("export", "export", "write memories out", "In and out"),
    Command("sql", "sql", "ask the vault in SQL, read-only", "Vault"),
    Command("stats", "stats", "count what the vault holds", "Vault"),
    Command("doctor", "doctor", "check the vault and repair it", "Vault"),
    Command("reindex", "reindex", "rebuild the search index and the vectors", "Vault"),
    Command("model", "model", "say which embedding model is in use; fetch another", "Vault"),
    Command("vault", "vault", "where the vault is; back it up and restore it", "Vault"),
    Command("config", "config", "where the configuration is; show and start it", "Vault"),
    Command("project", "project", "list projects, link folders, add aliases", "Vault"),
    Command("completion", "completion", "print a completion script for your shell", "Vault"),
)

BY_NAME = {command.name: command for command in COMMANDS}


def load(command: Command) -> ModuleType:
    """Import the module of a command."""
    from importlib import import_module

    return import_module(f"memtui.cli.{command.module}")
