"""Rules that the words of a constraint suggest: proposals for a person to look at, never set by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtui.domain.memory import Memory
from memtui.domain.rules import Rule, parse_rule
from memtui.errors import UsageError

MOST_SUGGESTED = 4

_NEVER = r"\b(?:never|not|don['\u2019]?t|no longer|must not|may not|nobody|no one|avoid|forbidden)\b"
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_SUFFIXES = "py|ts|js|go|rs|java|sql|json|ya?ml|toml|lock|md"
_PATH = re.compile(rf"(?<![\w`/])(?:(?:[\w.-]+/)+(?:[\w.*-]+)?(?![\w`])|[\w-]+\.(?:{_SUFFIXES})\b)")


def _phrase(pattern: str) -> re.Pattern[str]:
    """Compile a pattern in which `<name>` stands for code in backticks and `~` for a few words between."""
    named = re.sub(r"<(\w+)>", r"`(?P<\1>[^`\\n]{1,120})`", pattern)
    return re.compile(named.replace("~", r"[^.\n`]{0,50}"), re.IGNORECASE)


_EDIT = _phrase(
    rf"{_NEVER}~\b(?:edit|edited|touch|touched|change|changed|modif\w+|rewrit\w+|alter\w*)\b"
    r"|\bby hand\b|\bread-only\b|\b(?:is|are) generated\b"
)
_APPLIED = _phrase(r"\b(?:applied|released|published|shipped|merged|existing)\b")
_TOGETHER = _phrase(
    r"\b(?:when(?:ever)?|if|each time|with)\b~<first>~\b(?:change|edit)\w*\b~"
    r"\b(?:update|change|bump|edit|adapt|regenerate)\b~<second>"
)
_IMPORT = _phrase(rf"<who>~{_NEVER}~\b(?:import|depend)\w*\b~<what>")
_ONLY = _phrase(r"\bonly\b~<who>~\b(?:imports?|uses?|talks? to)\b~<what>")
_RUN = _phrase(rf"{_NEVER}~\b(?:run|call|execute|type|use)\b~<command>")
_USE = _phrase(rf"(?:{_NEVER}~\b(?:use|call|write|add|introduce|log|throw|raise|catch)\b~|\bno )<code>")
_COMMANDS = frozenset(
    {"git", "npm", "pnpm", "yarn", "pip", "uv", "cargo", "go", "make", "docker", "kubectl", "terraform", "rm", "sudo"}
    | {"psql", "alembic", "poetry", "npx", "bun", "brew", "apt", "helm", "curl", "ssh"}
)


def suggested_rules(memory: Memory) -> list[str]:
    """Return the rules that a memory's words suggest and that it does not carry yet."""
    found: dict[str, None] = {}
    globs = [anchor.path.split("::", 1)[0] for anchor in memory.anchors]
    for sentence in _SENTENCE.split(f"{memory.title}\n{memory.insight}"):
        for rule in _suggested(sentence, globs):
            try:
                found[str(parse_rule(str(rule)))] = None
            except UsageError:
                continue
    return [rule for rule in found if rule not in memory.rules][:MOST_SUGGESTED]


def _suggested(sentence: str, globs: list[str]) -> Iterator[Rule]:
    if together := _TOGETHER.search(sentence):
        yield Rule("with", together["first"], together["second"])
    elif imported := _IMPORT.search(sentence):
        yield Rule("forbid-import", _tree(imported["who"]), imported["what"])
    elif only := _ONLY.search(sentence):
        yield Rule("forbid-import", "**", only["what"], spared=_tree(only["who"]))
    elif _EDIT.search(sentence):
        applied = bool(_APPLIED.search(sentence))
        for path in dict.fromkeys([*_paths(sentence), *globs]):
            yield Rule("protect", path, spares_new=applied)
    elif (run := _RUN.search(sentence)) and run["command"].split()[0] in _COMMANDS:
        yield Rule("forbid-command", r"\s+".join(map(re.escape, run["command"].split())))
    elif used := _USE.search(sentence):
        code = used["code"].strip()
        if "/" not in code and " " not in code:
            yield from (Rule("forbid", _pattern(code), _tree(glob)) for glob in globs or ["**"])


def _pattern(code: str) -> str:
    """Return a pattern for a piece of code; a call is matched at its parenthesis."""
    plain = code.removesuffix("()").removesuffix("(…)").removesuffix("(...)")
    call = r"\s*\(" if plain != code else ""
    start, end = (r"\b" if side.isalnum() or side == "_" else "" for side in (plain[:1], plain[-1:]))
    return f"{start}{re.escape(plain)}{call or end}"


def _paths(sentence: str) -> Iterator[str]:
    for code in re.findall(r"`([^`\n]+)`", sentence):
        if "/" in code or re.fullmatch(r"[\w*.-]+\.\w{1,8}", code):
            yield code
    yield from _PATH.findall(sentence)


def _tree(path: str) -> str:
    """Return the glob of everything in a folder; a dotted module is the folder of that name."""
    if any(mark in path for mark in "*?[{") or re.search(r"/[^/]*\.\w{1,8}$", path):
        return path
    plain = path.strip("/") if "/" in path else path.replace("::", "/").replace(".", "/")
    return f"**/{plain}/**" if "/" not in path else f"{plain}/**"
