"""Rule files that include others with `@path`: read alike whatever assistant they are for."""

from __future__ import annotations

from memtui.capture.draft import ReadResult, Skipped, SourceFile
from memtui.capture.drafting import (
    drafts_from_markdown,
    folder_anchors,
    folder_of,
    in_order,
    is_below_home,
    read_settings,
)
from memtui.capture.imports import link_target, resolve_imports
from memtui.capture.prose import IMPORT


def read_with_imports(file: SourceFile, *, format_name: str, agent: str | None, home_folder: str) -> ReadResult:
    """Return a file's memories, a nested one's anchored to its folder; the caller follows the includes.

    Args:
        file: the file.
        format_name: the reader's format.
        agent: the assistant that the file is for.
        home_folder: the assistant's folder in the user's home, such as `.claude`: what lies there holds everywhere.
    """
    if target := link_target(file):
        reason = f"only names {file.text.strip()}, which is read instead"
        return ReadResult(skipped=[Skipped(file.name, (1, 1), reason)], includes=[target])
    settings = read_settings(file)
    result = drafts_from_markdown(
        file,
        format=format_name,
        agent=agent,
        anchors=folder_anchors(folder_of(file, home_folder)),
        scope="global" if is_below_home(file, home_folder) else "project",
        first_line=settings.body_first_line,
        text=settings.body,
    )
    includes, unread = resolve_imports(file, settings.body, first_line=settings.body_first_line)
    told = {skipped.span for skipped in unread}
    gaps = [gap for gap in result.skipped if gap.reason != IMPORT or gap.span not in told]
    result.skipped = in_order([*gaps, *unread])
    result.includes.extend(includes)
    return result
