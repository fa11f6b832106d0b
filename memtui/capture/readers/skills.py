"""Skills: a folder with a SKILL.md, whose description an assistant always has and whose steps it reads when needed."""

from __future__ import annotations

import re
from pathlib import Path

from memtui.analysis.grammar import capital
from memtui.analysis.shorten import cut_off, shortened
from memtui.analysis.title_fit import MAX_TITLE_CELLS
from memtui.analysis.title_words import sentences
from memtui.capture.draft import DraftMaker, ReadResult, Skipped, SourceFile
from memtui.capture.folders import folder_anchors, folder_of
from memtui.capture.frontmatter import Frontmatter, split_frontmatter
from memtui.capture.skip_codes import SkipCode, SkipReason
from memtui.text.inline import plain_text
from memtui.text.words import cell_width

SKILL_FILE = "SKILL.md"

_OWN = re.compile(r".*?/\.(?!rulesync/)[\w-]+/skills?(?=/)")
_STEPS = "steps of a skill, read when the skill is used"
_AGENTS = {".claude": "claude-code", ".github": "copilot", ".codex": "codex", ".cursor": "cursor", ".gemini": "gemini"}
_USE = re.compile(
    r"(?:this skill (?:should|must|can|may|is to) be )?(?:must )?(?:use|apply|invoke)d? (?:this skill |this )?"
    r"(?=when|whenever|to\b|for\b|after|before)",
    re.IGNORECASE,
)
_ASKS = re.compile(r"the user (?:explicitly )?(?:asks|wants|requests)(?: you)? to\b")
_WHEN = re.compile(
    rf"{_USE.pattern}|this skill\b|when(?:ever)?\b|activated (?:by|when)\b"
    r"|also (?:use|apply|invoke|trigger)\w*\b|(?:it )?triggers? (?:on|when(?:ever)?|for|this|include)\b",
    re.IGNORECASE,
)
_PURPOSE = re.compile(rf"{_USE.pattern}(?!\"|“|[^.]{{0,40}}(?:\bsays?\b|\bmentions?\b|[\"“]))", re.IGNORECASE)
_OF_ITSELF = re.compile(r"(?:this|it|covers|includes|contains|supports|seeds|do not|only)\b", re.IGNORECASE)
_PHRASE_END = re.compile(
    r",\s(?=[\"“])"
    r"|(?<! asked),?\s(?:for|when|with|to|using|by|under|in|after|before|at|from|that|into|across|via|so|as)\s"
)
_SHORTEST_PHRASE = 12
_WORD = re.compile(r"\w+")


def skill_of(file: SourceFile) -> Path | None:
    """Return the folder of the skill that a file belongs to; None if it belongs to none.

    Only skills of an assistant's folder count (`.claude/skills/NAME`). Any other folder of that name, as in a
    repository that is a plugin, holds skills for other projects, and no assistant of this one has them.
    """
    home = _home_of(file)
    if home is None:
        return None
    folder = file.path.parent
    while folder != home and not (folder / SKILL_FILE).is_file():
        folder = folder.parent
    return None if folder == home else folder


def _home_of(file: SourceFile) -> Path | None:
    """Return the folder of skills that a file lies in."""
    path, start = file.path.as_posix(), len(file.root.as_posix())
    found = _OWN.match(path, start) or _OWN.match(path)
    return Path(path[: found.end()]) if found else None


class SkillReader:
    """Reads SKILL.md: one memory of what the skill is for and when to use it.

    Its steps stay where they are: an assistant reads them from there, and pieces of a procedure are no memories.
    """

    format = "skill"
    label = "Skills"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is the SKILL.md of a skill that an assistant of this project has."""
        return file.path.name == SKILL_FILE and skill_of(file) is not None

    def read(self, file: SourceFile) -> ReadResult:
        """Return the skill's description; without one, nothing says when it is to be used."""
        settings = split_frontmatter(file.text)
        name = settings.text("name") or file.path.parent.name
        lines = file.text.rstrip("\n").count("\n") + 1
        if settings.text("generated-by") == "memtui":
            return ReadResult(skipped=[Skipped(file.name, (1, lines), "memtui's own skill", code=SkipCode.OWN_SKILL)])
        description, first, last = settings.text("description"), 1, settings.body_first_line - 1
        if not description:
            description, first, last = _introduction(settings)
        if not description or _says_no_more(name, description):
            return ReadResult(
                skipped=[Skipped(file.name, (1, lines), "a skill without a description", code=SkipCode.NO_DESCRIPTION)]
            )
        home = _home_of(file) or file.path.parent.parent
        is_global = home.parent.parent == file.home
        maker = DraftMaker(
            file=file,
            format=self.format,
            agent=_AGENTS.get(home.parent.name),
            anchors=() if is_global else folder_anchors(folder_of(file, in_rule_folder=True)),
            scope="global" if is_global else "project",
            tags=("skill",),
        )
        text = f"Skill `{name}`: {description.rstrip(' :')}"  # what a colon leads to is a step
        result = ReadResult()
        result.add(
            maker.draft(text, span=(first, last), native_id=name, title=_title(name, description), kind="tooling")
        )
        if settings.raw:
            result.skipped.append(Skipped(file.name, (1, settings.body_first_line - 1), SkipReason.FRONTMATTER))
        if first > settings.body_first_line:
            above = (settings.body_first_line, first - 1)
            result.skipped.append(Skipped(file.name, above, SkipReason.CONTEXT))
        if last < lines:
            result.skipped.append(Skipped(file.name, (last + 1, lines), _STEPS, code=SkipCode.STEPS))
        return result


def _says_no_more(name: str, description: str) -> bool:
    """Return whether a description only repeats the name, as in "Execute berth-review"."""
    named = {"skill", "execute", "executes", "run", "runs", "the", "a", *_WORD.findall(name.lower())}
    return named.issuperset(_WORD.findall(description.lower()))


def _introduction(settings: Frontmatter) -> tuple[str, int, int]:
    """Return the first paragraph below the title, and its first and last line; empty if none comes first."""
    words: list[str] = []
    for number, line in enumerate(settings.body.split("\n"), settings.body_first_line):
        if not line.strip() or line.startswith("#"):
            if words:
                return " ".join(words), number - len(words), number - 1
        elif not line[0].isalnum():
            break
        else:
            words.append(line.strip())
    return "", 0, 0


def _title(name: str, description: str) -> str:
    """Return what a skill is for, in a line that ends with a phrase."""
    told = list(sentences(plain_text(description))) or [plain_text(description)]
    says = told[0] if _PURPOSE.match(told[0]) else next((one for one in told if not _WHEN.match(one)), told[0])
    if says is not told[0] and _OF_ITSELF.match(says):
        says = told[0]
    use = _USE.match(says)
    if use:
        says = says[use.end() :]
        says = capital(says[3:]) if says.startswith("to ") else f"use {_ASKS.sub('asked to', says)}"
    heads = (f"Skill {name}: ", f"{name}: ", *(() if use else ("",)))
    phrases = (_phrase(says.rstrip(" .:\u3002"), MAX_TITLE_CELLS - cell_width(head)) for head in heads)
    return next(
        (head + phrase for head, phrase in zip(heads, phrases, strict=True) if phrase),
        cut_off(heads[0] + says, MAX_TITLE_CELLS),
    )


def _phrase(says: str, room: int) -> str:
    """Return what of a sentence fits and ends with a clause or at least a phrase; empty if nothing does."""
    short = shortened(says, room, cell_width) or ""
    if 3 * cell_width(short) > room:
        return short
    ends = (says[: found.start()] for found in _PHRASE_END.finditer(says))
    return max((end for end in (short, *ends) if _SHORTEST_PHRASE <= cell_width(end) <= room), key=len, default="")


READER = SkillReader()
