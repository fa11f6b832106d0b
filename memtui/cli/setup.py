"""`memtui config`, `completion`, `model` and `project`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memtui import locations
from memtui.cli.output import say, write_json, write_line, write_table
from memtui.cli.parsing import Parser, full_parser
from memtui.cli.session import Commands, Session
from memtui.config import default_text
from memtui.curate.off_switch import SWITCH_FILE, is_off_by_file, projects_off, switch_project
from memtui.curate.projects import alias_remote, link_folder
from memtui.domain.identity import linked_folder
from memtui.embedding.engine import BUNDLED, NONE, damage_of
from memtui.embedding.sentence_transformers import PREFIX, cache_folder, download, folder_bytes, full_name
from memtui.errors import EXIT_DONE, EXIT_ERROR, UsageError
from memtui.text.words import counted
from memtui.vault.projects import check_name, list_projects
from memtui.workspace import find_workspace

if TYPE_CHECKING:
    from memtui.recall.embedding_cache import SemanticState


def _config_arguments(parser: Parser) -> None:
    add = parser.add_actions()
    add("path", "print the path of the configuration file", _config_path)
    add("show", "print the current configuration", _show_config)
    add("init", "write a file with every key commented out; never over an existing one", _init_config)
    add("keys", "list the app's actions: id, current keys, what each does", _list_keys)


def _config(arguments: argparse.Namespace, session: Session) -> None:
    """Show or create the configuration."""
    raise UsageError("Which action?", remedy="Choose from path, show, init and keys.")


def _config_path(arguments: argparse.Namespace, session: Session) -> None:
    path = str(locations.config_file())
    session.put({"path": path}, [path])


def _init_config(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.publish.files import write_atomically

    path = locations.config_file()
    if path.exists():
        raise UsageError("The configuration already exists", where=str(path), remedy="Edit it, or move it away first.")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, default_text().encode())
    session.put({"path": str(path)}, [str(path)])


def _show_config(arguments: argparse.Namespace, session: Session) -> None:
    from dataclasses import asdict

    values = asdict(session.config)
    values.pop("path")
    values["keys"] = dict(values["keys"])
    values["kinds"] = dict(values["kinds"])
    values["targets"] = {
        name: {key: value for key, value in asdict(target).items() if value is not None}
        for name, target in session.config.targets
    }
    values["secrets"] = {"patterns": dict(values["secrets"]["patterns"])}
    if session.json:
        write_json(values)
        return
    say(f"From {session.config.path}" if session.config.path else "Defaults; no configuration file exists.")
    for section, keys in values.items():
        for line in _toml(section, keys):
            write_line(line)


def _toml(name: str, table: dict[str, Any]) -> Iterator[str]:
    """Yield a table as lines of TOML, tables within it last."""
    import json

    inner = {key: value for key, value in table.items() if isinstance(value, dict)}
    if len(inner) < len(table) or not table:
        yield f"[{name}]"
    for key, value in table.items():
        if key not in inner:
            # JSON's strings, numbers and booleans are also TOML.
            yield f"{_key(key)} = {json.dumps(value, ensure_ascii=False)}"
    for key, value in inner.items():
        yield from _toml(f"{name}.{_key(key)}", value)


def _key(name: str) -> str:
    import json
    import re

    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _list_keys(arguments: argparse.Namespace, session: Session) -> None:
    from memtui.tui.actions.registry import ACTIONS, Keymap

    keymap = Keymap(dict(session.config.keys))
    for problem in keymap.problems:
        say(problem)
    session.put(
        [{"id": one.id, "keys": list(keymap.keys(one)), "area": one.area, "title": one.title} for one in ACTIONS],
        (f"{one.id:<16} {keymap.shown(one):<16} {one.palette_title}" for one in ACTIONS),
    )


def _completion_arguments(parser: Parser) -> None:
    from shtab import SUPPORTED_SHELLS

    parser.add_value("shell", "SHELL", "bash, zsh, fish or tcsh", choices=SUPPORTED_SHELLS)
    parser.add_value("--key", "KEY", f"also bind a key to `memtui pick` ({', '.join(_KEY_BINDINGS)}), e.g. ctrl-o")


def _completion(arguments: argparse.Namespace, session: Session) -> None:
    """Print a shell completion script.

    bash: eval "$(memtui completion bash)"; zsh: memtui completion zsh > a file _memtui in a folder of $fpath; fish:
    memtui completion fish > ~/.config/fish/completions/memtui.fish
    """
    import shtab

    binding = _key_binding(arguments.shell, arguments.key) if arguments.key else ""
    write_line(shtab.complete(full_parser(), shell=arguments.shell) + binding)


_KEY_BINDINGS = {
    "bash": "bind -x '\"\\C-{letter}\": memtui pick'",
    "zsh": "memtui-pick() {{ memtui pick <$TTY; zle reset-prompt }}\n"
    "zle -N memtui-pick\nbindkey '^{upper}' memtui-pick",
    "fish": "bind \\c{letter} 'memtui pick; commandline -f repaint'",
}
"""Lines that bind a control key to `memtui pick`, by shell."""


def _key_binding(shell: str, key: str) -> str:
    """Return the lines that bind a key. Raises `UsageError`: no such key, or the shell has no bindings here."""
    found = re.fullmatch(r"(?:ctrl|c|control)[-+]([a-z])|\^([A-Za-z])", key.lower())
    if found is None:
        raise UsageError("Not a key that can be bound", where=key, remedy="Name a control key: --key ctrl-o.")
    if shell not in _KEY_BINDINGS:
        raise UsageError("No key can be bound for this shell", where=shell, remedy=f"{', '.join(_KEY_BINDINGS)} can.")
    letter = found[1] or found[2]
    return "\n\n# memtui pick\n" + _KEY_BINDINGS[shell].format(letter=letter, upper=letter.upper())


def _model_arguments(parser: Parser) -> None:
    add = parser.add_actions()
    add(
        "status",
        "show which model is in use and how many memories have vectors (default)",
        _show_model,
        is_default=True,
    )
    get = add("get", "download a Sentence Transformers model from its hub", _get_model)
    get.add_value("name", "NAME", "its name on the hub, e.g. intfloat/e5-small-v2")


def _show_model(arguments: argparse.Namespace, session: Session) -> int:
    """Show the embedding model, which finds memories by meaning, or download another.

    embedding.model in the configuration selects it: bundled, none, or sentence-transformers:NAME-or-path. Only `get`
    uses the network.
    """
    from memtui.recall.embedding_cache import semantic_state

    state = semantic_state(session.vault, session.config.embedding.model)
    model = state.model
    damage = damage_of(model) if model.usable else ""
    works = model.usable and not damage
    problem = damage or model.problem
    if session.json:
        write_json(
            {
                "model": model.model,
                "state": "missing" if damage else model.state,
                "name": model.name or None,
                "where": model.where or None,
                "problem": problem or None,
                "remedy": model.remedy if problem else None,
                "vectors": {"stored": state.embedded, "missing": state.missing, "other_models": state.others},
            }
        )
    else:
        write_table(_model_rows(state, damage, works=works))
    if problem:
        say(model.remedy)
    elif works and state.missing:
        say("`memtui reindex` computes the missing vectors.")
    return EXIT_ERROR if problem else EXIT_DONE


def _model_rows(state: SemanticState, damage: str, *, works: bool) -> list[list[str]]:
    model = state.model
    rows = [["setting", f"embedding.model = {model.model}"]]
    rows.append(["semantic", f"off: {damage}" if damage else state.words])
    if model.where:
        rows.append(["where", model.where])
    if works and model.state == "bundled":
        rows.append(["file", "unchanged since release"])
    if state.others:
        hint = "; `memtui reindex` drops them" if works else ""
        rows.append(["other models", f"{state.others:,} vectors{hint}"])
    return rows


def _get_model(arguments: argparse.Namespace, session: Session) -> None:
    name = arguments.name.strip().removeprefix(PREFIX)
    if name in {BUNDLED, NONE, ""}:
        remedy = "The bundled model comes with memtui; name a Sentence Transformers model."
        raise UsageError("Nothing to download", where=name or "(empty)", remedy=remedy)
    say(f"Downloading {full_name(name)} to {cache_folder()}; small models take about 100 MB, large ones several GB")
    folder = download(name)
    size = folder_bytes(folder)
    session.put({"name": name, "path": str(folder), "bytes": size})
    say(f'{size / 1e6:,.0f} MB in {folder}. To use it: embedding.model = "{PREFIX}{name}"')


def _project_arguments(parser: Parser) -> None:
    add = parser.add_actions()
    add("list", "list projects and how they are recognised (default)", _list_projects, is_default=True)
    link = add("link", "make a folder belong to a project", _link_project)
    link.add_value("name", "NAME", "the project")
    link.add_value("path", "PATH", "the folder (default: the current one)", nargs="?", default=".")
    alias = add("alias", "make another git remote refer to the project, too", _alias_project)
    alias.add_value("name", "NAME", "the project")
    alias.add_value("remote", "REMOTE", "the remote's URL")
    add("off", "stop serving this project's assistants, and capturing from them", _project_off)
    add("on", "resume serving and capturing", _project_on)


def _list_projects(arguments: argparse.Namespace, session: Session) -> None:
    """List projects, link folders, add aliases, switch a project off and on for assistants.

    A project is a git repository, recognised by its remote, else by its root commit. Other folders belong to a project
    only when they are linked. `@` in the app switches to a project in its linked folder, else where memtui was used in
    it last. `memory = "off"` in the `.memtui.toml` of a repository switches it off for everybody.
    """
    with session.vault.read() as reader:
        projects, off = list_projects(reader), projects_off(reader)
    session.put_rows(
        (
            {"name": p.name, "memories": p.memories, "identities": list(p.identities)}
            | ({"off": True} if p.name in off else {})
            for p in projects
        ),
        (
            [
                p.name,
                counted(p.memories, "memory"),
                ", ".join(p.identities) + _missing(p.identities) + ("  (off)" if p.name in off else ""),
            ]
            for p in projects
        ),
    )
    if not projects and not session.json:
        say("No projects yet. The first memory of a repository creates one.")


def _missing(identities: tuple[str, ...]) -> str:
    """Return which linked folders no longer exist, so that a moved project can be linked again."""
    missing = [str(folder) for name in identities if (folder := linked_folder(name)) and not folder.is_dir()]
    return f"  (missing: {', '.join(missing)}; link the new folder)" if missing else ""


def _project_name(arguments: argparse.Namespace, session: Session) -> str:
    session.only_a_person("say what a project is")
    name = check_name(arguments.name)
    if name == "global":
        raise UsageError("`global` is not a folder's project", remedy="Use it for one memory: --project global.")
    return name


def _link_project(arguments: argparse.Namespace, session: Session) -> None:
    name, folder = _project_name(arguments, session), session.path(arguments.path).resolve()
    _say_owner(session, str(folder), name, link_folder(session.vault, name, folder))


def _alias_project(arguments: argparse.Namespace, session: Session) -> None:
    name = _project_name(arguments, session)
    _say_owner(session, arguments.remote, name, alias_remote(session.vault, name, arguments.remote))


def _say_owner(session: Session, what: str, name: str, before: str | None) -> None:
    session.put({"project": name, "before": before})
    say(f"{what} belongs to {name}" + (f" (was {before})" if before and before != name else ""))


def _project_off(arguments: argparse.Namespace, session: Session) -> None:
    _switch(session, off=True)


def _project_on(arguments: argparse.Namespace, session: Session) -> None:
    _switch(session, off=False)


def _switch(session: Session, *, off: bool) -> None:
    session.only_a_person("switch a project off or on")
    name, changed = switch_project(session.vault, session.folder, session.project, off=off, actor=session.actor)
    session.put({"project": name, "off": off, "changed": changed})
    state = "off: nothing is served to its assistants or captured from them" if off else "on"
    say(f"{name} {'is now' if changed else 'was already'} {state}.")
    if not off and is_off_by_file(find_workspace(session.folder)):
        say(f"{SWITCH_FILE} here still says otherwise.")


COMMANDS: Commands = {
    "config": (_config_arguments, _config),
    "completion": (_completion_arguments, _completion),
    "model": (_model_arguments, _show_model),
    "project": (_project_arguments, _list_projects),
}
