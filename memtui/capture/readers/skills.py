"""Skills: a folder with a SKILL.md, whose description an assistant always has and whose steps it reads when needed."""

from __future__ import annotations

import re

from memtui.capture.draft import (
    DraftMaker,
    ReadResult,
    Skipped,
    SourceFile,
    folder_anchors,
    folder_of,
    is_below_home,
)
from memtui.capture.frontmatter import split_frontmatter

_SKILL = re.compile(r"(?P<home>(?:^|.*/)(?P<owner>\.[\w-]+)/skills?|(?:^|.*/)skills)/(?P<name>.+)$")
_PLUGIN_MARKS = (".claude-plugin", ".codex-plugin", "gemini-extension.json")
_SKILL_FILE = "SKILL.md"
_STEPS = "steps of a skill: the assistant reads them when it uses the skill"
_AGENTS = {".claude": "claude-code", ".github": "copilot", ".agents": None, ".agent": None}


def skill_of(file: SourceFile) -> str:
    """Return the folder of the skill that a file belongs to, relative to the root; empty if it belongs to none.

    Skills of an assistant's folder count (`.claude/skills/NAME`), and those of a plugin's `skills` folder. Any other
    folder of that name holds skills that a program offers, and no assistant of this project reads them.
    """
    found = _SKILL.match(file.name)
    if found is None:
        return ""
    if found["owner"] is None:
        plugin = file.root / found["home"].rpartition("/")[0]
        if not any((plugin / mark).exists() for mark in _PLUGIN_MARKS):
            return ""
    folder = file.path.parent
    home = file.root / found["home"]
    while folder != home and not (folder / _SKILL_FILE).is_file():
        folder = folder.parent
    return "" if folder == home else folder.relative_to(file.root).as_posix()


class SkillReader:
    """Reads SKILL.md: one memory of what the skill is for and when to use it.

    Its steps stay where they are: an assistant reads them from there, and pieces of a procedure are no memories.
    """

    format = "skill"
    label = "Skills"
    agent: str | None = None

    def detect(self, file: SourceFile) -> bool:
        """Return whether the file is the SKILL.md of a skill that an assistant of this project has."""
        return file.path.name == _SKILL_FILE and bool(skill_of(file))

    def read(self, file: SourceFile) -> ReadResult:
        """Return the skill's description; without one, nothing says when it is to be used."""
        settings = split_frontmatter(file.text)
        name = settings.text("name") or file.path.parent.name
        description = settings.text("description")
        lines = file.text.rstrip("\n").count("\n") + 1
        if not description:
            return ReadResult(skipped=[Skipped(file.name, (1, lines), "a skill without a description")])
        first = settings.body_first_line
        folder = folder_of(file, in_rule_folder=True)
        is_global = is_below_home(file, ".")
        maker = DraftMaker(
            file=file,
            format=self.format,
            agent=_AGENTS.get(next((part for part in file.name.split("/") if part.startswith(".")), "")),
            anchors=() if is_global else folder_anchors(folder),
            scope="global" if is_global and file.root == file.home else "project",
            tags=("skill",),
        )
        result = ReadResult()
        result.add(
            maker.draft(
                f"{description}\n\nSkill `{name}`",
                span=(1, first - 1),
                native_id=name,
                heading_path=(name,),
                kind="tooling",
            )
        )
        if first <= lines:
            result.skipped.append(Skipped(file.name, (first, lines), _STEPS))
        return result


READER = SkillReader()
