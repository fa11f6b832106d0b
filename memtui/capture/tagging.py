"""Tags of drafts that are longer than a tag may be: cut short, and said so."""

from __future__ import annotations

from dataclasses import replace

from memtui.capture.draft import Draft
from memtui.domain.tags import fit_tags, long_tag

LONG_TAG = "long-tag-cut"
"""Note of a draft with a tag that was cut short; the source still has it in full."""


def with_fit_tags(draft: Draft) -> Draft:
    """Return a draft whose tags all fit; one that was cut short is noted.

    An export of memtui's own is taken as it is, so that what one vault holds another holds too.
    """
    if long_tag(draft.tags) is None or _is_export(draft):
        return draft
    tags = fit_tags(draft.tags)
    record = None if draft.record is None else {**draft.record, "tags": list(tags)}
    stated = None if draft.stated is None else replace(draft.stated, tags=tags)
    return replace(draft, tags=tags, record=record, stated=stated, notes=(*draft.notes, LONG_TAG))


def _is_export(draft: Draft) -> bool:
    from memtui.capture.applying import EXPORTED

    return draft.record is not None and draft.record.keys() >= EXPORTED
