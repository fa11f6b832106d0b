"""The actions of the app: what one is, and all of them."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.domain.memory import MOST_MERGED

GLYPHS = {
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
    "slash": "/",
    "question_mark": "?",
    "colon": ":",
    "asterisk": "*",
    "number_sign": "#",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "plus": "+",
    "minus": "-",
    "comma": ",",
    "full_stop": ".",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "escape": "esc",
    "pagedown": "pgdn",
    "pageup": "pgup",
}
"""Keys in Textual's spelling, and as people read them."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a person can do with a key or from the palette."""

    id: str  # a stable name, by which the configuration remaps it; with `_` for `-` it is the action method's name
    keys: tuple[str, ...]  # in Textual's spelling, the one to show first; none for what only the palette offers
    title: str  # what it does, as the palette and the help name it
    area: str  # heading in the help, and the part before the colon in the palette
    owner: str  # who answers: a screen by its `AREA`, `everywhere` for all screens, or a widget
    label: str = ""  # word in the footer; empty to leave it out
    places: tuple[str, ...] = ()  # where the footer shows it, most important first in the table
    words: str = ""  # other names for it, in lower case, by which palette and help find it
    menu: bool = True  # whether help and palette can run it; moving and typing are done by keys alone

    @property
    def method(self) -> str:
        """Name of the action method, without its prefix."""
        return self.id.replace("-", "_")

    @property
    def palette_title(self) -> str:
        """The action as the palette lists it: `area: verb`."""
        return f"{self.area}: {self.title}"

    @property
    def known_by(self) -> str:
        """What palette and help search: area, title, id and other names, in lower case."""
        return f"{self.palette_title} {self.id} {self.words}".lower()


def key_text(key: str) -> str:
    """Return a key as people read it."""
    return GLYPHS.get(key, key)


# Who answers a key: a screen by its AREA, all screens, or a widget.
BROWSE, CONTEXT, PACKS, INBOX, REVIEW, MERGE = "browse", "context", "packs", "inbox", "review", "merge"
BULK, REFLECT, TIDY, CLASH, HISTORY, IMPORT = "bulk", "reflect", "tidy", "clash", "history", "import"
LAB, HEALTH, EDIT, CONFLICT, RESEMBLING, EVERYWHERE = "lab", "health", "edit", "conflict", "resembling", "everywhere"

DUE = "browse-due"  # What a key of the list means where only what is due is listed

PANE, FILTER, FACETS, FILES = "pane", "filter", "facets", "files"
FORM_LINE, FORM_TOGGLE, MERGE_FIELDS, CLASH_TEXT = "form-line", "form-toggle", "merge-fields", "clash-text"
SCREEN_ANSWERS = frozenset({MERGE_FIELDS, CLASH_TEXT})
"""Widgets with keys of their own that their screen answers: there `b` is both, not the inbox."""
WIDGETS = frozenset({PANE, FILTER, FACETS, FILES, FORM_LINE, FORM_TOGGLE}) | SCREEN_ANSWERS
"""Widgets with keys of their own."""

GO = "go-"  # Start of the ids of actions that open a screen; the rest is its name
MERGE_TAKE = "merge-take-"  # Start of the ids of actions that take the text of one memory; the rest is its number

_GONE, _CONFIRM = "delete remove forget erase drop archive", "confirm approve keep"
_CHANGE, _SETTINGS = "change rename retitle modify write", "options settings preferences"

ERASING = frozenset(_GONE.split()) | {"purge"}
"""Words that may mean more than retiring: only the command line erases for good."""


def _row(
    owner: str,
    identifier: str,
    keys: str,
    area: str,
    title: str,
    label: str = "",
    places: str = "",
    *,
    words: str = "",
    menu: bool = True,
) -> Action:
    return Action(identifier, tuple(keys.split()), title, area, owner, label, tuple(places.split()), words, menu)


# fmt: off
ACTIONS: tuple[Action, ...] = (
    _row(BROWSE, "read", "enter", "look", "read the memory: scroll its details", "read", "retired"),
    _row(BROWSE, "next-pane", "tab", "look", "to the next pane"),
    _row(BROWSE, "facets", "1", "look", "to the facets: project, kind, tag, status, due …"),
    _row(BROWSE, "list", "2", "look", "to the list", "list", "facets"),
    _row(BROWSE, "detail", "3", "look", "to the details"),
    _row(FILTER, "filter-keep", "enter", "look", "in the filter: keep it and go to the list", "to list", "filter",
         menu=False),
    _row(FILTER, "filter-down", "down", "look", "in the filter: next row", menu=False),
    _row(FILTER, "filter-up", "up", "look", "in the filter: previous row", menu=False),
    _row(FACETS, "facet-choose", "space enter", "look", "in the facets: choose a value, or fold a heading", "choose",
         "facets", menu=False),
    _row(FACETS, "facet-fold", "left", "look", "in the facets: fold", menu=False),
    _row(FACETS, "facet-unfold", "right", "look", "in the facets: unfold", menu=False),
    _row(BROWSE, "filter", "slash", "look", "filter as you type", "filter", "list", words="find search query"),
    _row(BROWSE, "clear", "backspace", "look", "clear every chosen facet", "clear", "facets"),
    _row(DUE, "verify", "y", "memory", "still true: restart its freshness (in the list of what is due)", "still true",
         "due", words=_CONFIRM),
    _row(BROWSE, "due", "d", "look", "only what is due for review, and back to all", "all", "due"),
    _row(BROWSE, "sort", "S", "look", "sort: newest, stalest, by title, most used, best match", words="order"),
    _row(BROWSE, "narrower", "less_than_sign", "look", "make the list narrower"),
    _row(BROWSE, "wider", "greater_than_sign", "look", "make the list wider"),
    _row(BROWSE, "mark", "space", "mark", "mark the memory, or unmark it", "mark", "marks", words="select choose"),
    _row(BROWSE, "mark-range", "v", "mark", "mark from here to where the cursor goes; again to end", words="select"),
    _row(BROWSE, "mark-all", "asterisk", "mark", "mark everything listed, or nothing", "all", "marks", words="select"),
    _row(BROWSE, "restore", "R", "memory", "restore: back into use", "restore", "retired",
         words="undelete unarchive bring back"),
    _row(BROWSE, "pin", "p", "memory", "pin or unpin: a pinned memory never goes stale", "pin", "due marks",
         words="favourite favorite star"),
    _row(BROWSE, "retire", "x", "memory", "retire: out of use, kept in the vault", "retire", "due marks", words=_GONE),
    _row(BROWSE, "copy", "y", "memory", "copy the text", "copy", "list detail retired", words="clipboard yank export"),
    _row(BROWSE, "open-source", "o", "memory", "open its source, or its first file, at the line in your editor",
         "source", "detail", words="file editor"),
    _row(BROWSE, "follow", "f", "look", "follow a link to another memory", "link", "detail"),
    _row(BROWSE, "explain", "i", "look", "why it ranks here: every part of its score", "why", "detail"),
    _row(BROWSE, "markdown", "M", "look", "rendered Markdown, or plain text", "rendered", "detail"),
    _row(BROWSE, "edit", "e", "memory", "edit in a form", "edit", "list detail", words=_CHANGE),
    _row(BROWSE, "edit-external", "E", "memory", "edit as a file in your editor ($EDITOR)", words=f"{_CHANGE} vim"),
    _row(BROWSE, "add", "a", "memory", "add a memory", "add", "empty", words="new create remember insert note"),
    _row(EDIT, "edit-save", "ctrl+s", "form", "save the form", "save", "edit edit-accept"),
    _row(EDIT, "edit-verify", "ctrl+t", "form", "save, and say “still true”", "save + still true", "edit"),
    _row(EDIT, "edit-stored", "ctrl+l", "form", "back to what is stored, or to what was typed", "reset",
         "edit edit-accept"),
    _row(EDIT, "edit-insist", "ctrl+n", "form", "save although it looks like a secret"),
    _row(CONFLICT, "conflict-theirs", "t", "conflict", "take theirs: what is stored now", "theirs", "conflict"),
    _row(CONFLICT, "conflict-mine", "m", "conflict", "take mine: what you typed", "mine", "conflict"),
    _row(CONFLICT, "conflict-both", "plus", "conflict", "combine both, line by line", "combine", "conflict"),
    _row(CONFLICT, "conflict-edit", "e", "conflict", "write the result yourself", "write", "conflict"),
    _row(CONFLICT, "conflict-save", "ctrl+s", "conflict", "save the result", "save", "conflict conflict-text"),
    _row(FORM_LINE, "form-next", "down", "form", "in a one-line field: the next completion", menu=False),
    _row(FORM_LINE, "form-previous", "up", "form", "in a one-line field: the previous completion", menu=False),
    _row(FORM_TOGGLE, "form-change", "space enter", "form", "in a yes-or-no field: change it", menu=False),
    _row(CONTEXT, "context-tick", "space", "payload", "include or exclude a memory, a withheld one too", "tick",
         "context"),
    _row(CONTEXT, "context-copy", "y", "payload", "copy the payload, recorded as a pack", "copy", "context",
         words="clipboard yank export"),
    _row(CONTEXT, "context-write", "w", "payload", "write the payload to a file", "write", "context",
         words="export save"),
    _row(CONTEXT, "context-why", "i", "payload", "why: the explanation of a score", "why", "context"),
    _row(CONTEXT, "context-task", "slash", "task", "type the task", "task", "context"),
    _row(CONTEXT, "context-files", "F", "task", "type the files being edited"),
    _row(CONTEXT, "context-target", "t", "task", "choose the target: which assistant the payload is for", "target",
         "context"),
    _row(CONTEXT, "context-budget", "B", "task", "type the budget: 1200, 2k, 10000 chars, 32 KiB"),
    _row(CONTEXT, "context-phase", "P", "task", "choose the phase of the work; guessed by default"),
    _row(CONTEXT, "context-style", "s", "task", "style: full or compiled"),
    _row(CONTEXT, "context-load", "L", "task", "load a recipe: a saved task"),
    _row(CONTEXT, "context-save", "R", "task", "save the task as a recipe"),
    _row(CONTEXT, "context-since", "d", "look", "what changed since the last pack of this task"),
    _row(CONTEXT, "context-unconfirmed", "", "payload", "include what waits in the inbox, or leave it out"),
    _row(CONTEXT, "context-loaded", "", "payload", "include what the target loads by itself, or leave it out"),
    _row(CONTEXT, "context-secrets", "", "payload", "what looks like a secret: leave it out, mask it, or include it"),
    _row(CONTEXT, "context-question", "", "payload", "record as an evaluation question: what is ticked is expected"),
    _row(CONTEXT, "context-read", "enter", "look", "read the memory in full"),
    _row(CONTEXT, "context-reset", "asterisk", "payload", "clear all ticks made by hand"),
    _row(CONTEXT, "context-next", "tab", "look", "next line or pane", "next", "context-lines"),
    _row(CONTEXT, "context-previous", "shift+tab", "look", "previous line or pane"),
    _row(CONTEXT, "context-list", "1", "look", "to the ranked memories"),
    _row(CONTEXT, "context-payload", "2", "look", "to the payload"),
    _row(FILES, "offer-enter", "enter", "task", "in a line: take the suggestion, else go to the list", "to list",
         "context-lines", menu=False),
    _row(FILES, "offer-take", "tab", "task", "in the files: take the suggestion, else next line", menu=False),
    _row(FILES, "offer-down", "down", "task", "in the files: next suggestion, else to the list", menu=False),
    _row(FILES, "offer-up", "up", "task", "in the files: previous suggestion", menu=False),
    _row(PACKS, "packs-helped", "h", "feedback", "it helped: the pack, or the memory under the cursor", "helped",
         "packs"),
    _row(PACKS, "packs-hurt", "x", "feedback", "it hurt: wrong or misleading", "hurt", "packs"),
    _row(PACKS, "packs-corrected", "C", "feedback", "it had to be corrected", "corrected", "packs"),
    _row(PACKS, "packs-unused", "n", "feedback", "it was not used", "not used", "packs"),
    _row(PACKS, "packs-reason", "w", "feedback", "type a reason first: it goes with the next feedback", "why", "packs"),
    _row(PACKS, "packs-leave", "z", "feedback", "leave it unanswered: never ask about it again"),
    _row(PACKS, "packs-context", "o", "look", "open its task in Context"),
    _row(PACKS, "packs-copy", "y", "look", "copy the same text again, from the versions it held"),
    _row(PACKS, "packs-since", "d", "look", "compare what its task gives today with what it gave then"),
    _row(PACKS, "packs-read", "enter", "look", "its memories; on a memory: read it in full"),
    _row(PACKS, "packs-told", "i", "look", "everything about it: task, files, feedback with reasons"),
    _row(PACKS, "packs-pane", "tab", "look", "to the other pane"),
    _row(PACKS, "packs-list", "1", "look", "to the packs"),
    _row(PACKS, "packs-members", "2", "look", "to the memories of the pack"),
    _row(INBOX, "inbox-accept", "a", "inbox", "accept: into use", "accept", "inbox inbox-marked inbox-detail",
         words=_CONFIRM),
    _row(INBOX, "inbox-edit", "e", "inbox", "edit, and accept by saving", "edit + accept", "inbox inbox-detail",
         words=_CHANGE),
    _row(INBOX, "inbox-reject", "x", "inbox", "reject: turned down for good, kept in the vault", "reject",
         "inbox inbox-marked inbox-detail", words=f"{_GONE} decline"),
    _row(INBOX, "inbox-kind", "t", "inbox", "change its kind", "kind", "inbox-marked inbox-detail"),
    _row(INBOX, "inbox-project", "P", "inbox", "put it into a project", "project", "inbox-marked"),
    _row(INBOX, "inbox-source", "o", "inbox", "open its source at the line in your editor", "source", "inbox-detail"),
    _row(INBOX, "inbox-conflicts", "d", "inbox", "resolve what was edited both in its source and here"),
    _row(INBOX, "inbox-mark", "space", "mark", "mark it, or unmark it", "mark", "inbox"),
    _row(INBOX, "inbox-range", "v", "mark", "mark from here to where the cursor goes; again to end"),
    _row(INBOX, "inbox-all", "asterisk", "mark", "mark all, or none", "all", "inbox-marked"),
    _row(INBOX, "inbox-read", "enter", "look", "read it in full"),
    _row(INBOX, "inbox-list", "1", "look", "to the list"),
    _row(INBOX, "inbox-detail", "2", "look", "to the candidate"),
    _row(INBOX, "inbox-pane", "tab", "look", "to the other pane"),
    _row(REVIEW, "review-verify", "y", "verdict", "still true: restart its freshness", "still true", "review",
         words=_CONFIRM),
    _row(REVIEW, "review-edit", "e", "verdict", "edit, which verifies it too", "edit", "review", words=_CHANGE),
    _row(REVIEW, "review-merge", "m", "verdict", "merge into a similar one", "merge", "review"),
    _row(REVIEW, "review-supersede", "s", "verdict", "supersede by another memory", "supersede", "review"),
    _row(REVIEW, "review-retire", "x", "verdict", "retire: wrong or out of date", "retire", "review", words=_GONE),
    _row(REVIEW, "review-snooze", "z", "verdict", "snooze: ask again later", "snooze", "review",
         words="later postpone remind"),
    _row(REVIEW, "review-pin", "p", "verdict", "pin: never stale, first in every payload", "pin", "review",
         words="favourite favorite star"),
    _row(REVIEW, "review-kind", "t", "verdict", "change the kind"),
    _row(REVIEW, "review-half-life", "h", "verdict", "set its half-life"),
    _row(REVIEW, "review-next", "right n", "move", "the next undecided memory"),
    _row(REVIEW, "review-previous", "left N", "move", "the previous undecided memory"),
    _row(REVIEW, "review-source", "o", "look", "open the source at its line"),
    _row(REVIEW, "review-re-anchor", "f", "files", "follow its files to where they moved"),
    _row(REVIEW, "review-re-anchor-all", "F", "files", "follow every moved file, after a preview"),
    _row(REVIEW, "review-undo-all", "U", "verdict", "undo every verdict of this session"),
    _row(REVIEW, "review-pack-helped", "1", "pack", "the pack asked about helped"),
    _row(REVIEW, "review-pack-hurt", "2", "pack", "the pack asked about hurt"),
    _row(REVIEW, "review-pack-unused", "3", "pack", "the pack asked about was not used"),
    _row(REVIEW, "review-pack-skip", "4", "pack", "do not rate the pack asked about"),
    _row(REVIEW, "review-copy", "Y", "receipt", "copy the receipt", "copy receipt", "review-done"),
    _row(REVIEW, "review-write", "w", "receipt", "write the receipt to a file", "write receipt", "review-done"),
    _row(REVIEW, "review-anew", "a", "receipt", "start a new queue", "new queue", "review-done review-none"),
    _row(BROWSE, "merge", "m", "memory", "merge the marked memories, field by field", "merge", "marks",
         words="combine join duplicates"),
    _row(MERGE, "merge-apply", "enter", "merge", "make the merge: one change, undone by u", "merge", "merge"),
    _row(MERGE, "merge-left", "left", "merge", "take the text to the left", "left", "merge"),
    _row(MERGE, "merge-right", "right", "merge", "take the text to the right", "right", "merge"),
    _row(MERGE_FIELDS, "merge-both", "b plus", "merge", "keep every text, one after the other", "both", "merge",
         menu=False),
    _row(MERGE, "merge-edit", "e", "merge", "write the text yourself", "edit", "merge"),
    *(
        _row(MERGE, f"{MERGE_TAKE}{number}", str(number), "merge", f"take the text of memory {number}", menu=False)
        for number in range(1, MOST_MERGED + 1)
    ),
    _row(BROWSE, "bulk", "B", "mark",
         "change everything marked, else everything the filter lists: tags, kind, half-life, verify, retire",
         "change all", "marks", words="tag label rename many"),
    _row(BULK, "bulk-tags", "number_sign", "all of them", "tags: add or remove", "tags", "bulk"),
    _row(BULK, "bulk-kind", "t", "all of them", "give them another kind", "kind", "bulk"),
    _row(BULK, "bulk-half-life", "h", "all of them", "set their half-life", "half-life", "bulk"),
    _row(BULK, "bulk-verify", "y", "all of them", "still true: restart their freshness", "still true", "bulk",
         words=_CONFIRM),
    _row(BULK, "bulk-retire", "x", "all of them", "retire: out of use, kept in the vault", "retire", "bulk",
         words=_GONE),
    _row(BULK, "bulk-query", "slash", "look", "choose others by a query", "query", "bulk"),
    _row(BULK, "bulk-pane", "tab", "look", "to the other pane"),
    _row(BROWSE, "reflect", "C", "memory", "conclude: write one conclusion from what is marked", "conclude", "marks"),
    _row(REFLECT, "reflect-save", "ctrl+s", "reflect", "save the conclusion: one change, undone by u", "save",
         "reflect"),
    _row(REFLECT, "reflect-retire", "ctrl+t", "reflect", "retire the sources, or keep them", "retire", "reflect"),
    _row(REFLECT, "reflect-outline", "ctrl+l", "reflect", "insert the titles of the sources as an outline", "outline",
         "reflect"),
    _row(REFLECT, "reflect-down", "ctrl+down", "reflect", "scroll the sources down", "sources", "reflect", menu=False),
    _row(REFLECT, "reflect-up", "ctrl+up", "reflect", "scroll the sources up", menu=False),
    _row(REFLECT, "reflect-insist", "ctrl+n", "reflect", "save although it looks like a secret"),
    _row(BROWSE, "link-accept", "plus", "memory", "accept the first suggested link"),
    _row(BROWSE, "link-dismiss", "minus", "memory", "dismiss the first suggested link for good"),
    _row(RESEMBLING, "resembling-link", "L", "resembling", "link the new memory with the similar one"),
    _row(RESEMBLING, "resembling-supersede", "X", "resembling", "let the new memory supersede the similar one"),
    _row(RESEMBLING, "resembling-both", "O", "resembling", "open both side by side, to merge them"),
    _row(TIDY, "tidy-open", "enter", "tidy", "fix it: merge, resolve, re-anchor, edit", "open", "tidy"),
    _row(TIDY, "tidy-all", "a", "tidy",
         "all of this kind at once: merge exact copies, follow moved files, retire what was never used", "all", "tidy"),
    _row(TIDY, "tidy-not", "n", "tidy", "not a duplicate, not a contradiction: never suggest it again", "dismiss",
         "tidy"),
    _row(TIDY, "tidy-edit", "e", "tidy", "edit the memory", "edit", "tidy", words=_CHANGE),
    _row(TIDY, "tidy-retire", "x", "tidy", "retire the memory: out of use, kept in the vault", "retire", "tidy",
         words=_GONE),
    _row(TIDY, "tidy-keep", "y", "tidy", "still true: keep the memory as it is", "still true", "tidy"),
    _row(TIDY, "tidy-again", "R", "tidy", "scan the vault again", "scan again", "tidy"),
    _row(CLASH, "clash-first", "1 left", "settle", "A is right: it supersedes B", "A is right", "clash"),
    _row(CLASH, "clash-second", "2 right", "settle", "B is right: it supersedes A", "B is right", "clash"),
    _row(CLASH_TEXT, "clash-both", "b plus", "settle", "both are right, in different places", "both", "clash",
         menu=False),
    _row(CLASH, "clash-none", "n", "settle", "not a contradiction: never suggest it again", "dismiss", "clash"),
    _row(HISTORY, "history-read", "enter", "look", "read what the change did", "read", "history"),
    _row(HISTORY, "history-restore", "R", "edit", "restore what the memory said after this change", "restore",
         "history"),
    _row(HISTORY, "history-memory", "m", "look", "only this memory's changes, and back to all", "memory/all",
         "history"),
    _row(HISTORY, "history-filter", "slash", "look", "filter by words, who, or what was done", "filter", "history",
         words="find search"),
    _row(HISTORY, "history-next", "n", "look", "next memory of the change"),
    _row(HISTORY, "history-previous", "N", "look", "previous memory of the change"),
    _row(HISTORY, "history-pane", "tab", "look", "to the other pane", "to list", "history-line"),
    _row(HISTORY, "history-list", "1", "look", "to the changes"),
    _row(HISTORY, "history-diff", "2", "look", "to what the change did"),
    _row(IMPORT, "import-tick", "space", "import", "tick a source in or out", "tick", "import"),
    _row(IMPORT, "import-run", "I", "import", "import what is ticked", "import", "import"),
    _row(IMPORT, "import-active", "A", "import", "into the inbox, or active at once", "inbox/active", "import"),
    _row(IMPORT, "import-path", "slash", "import", "type another file or folder", "path", "import"),
    _row(IMPORT, "import-all", "asterisk", "import", "tick every source, or none"),
    _row(IMPORT, "import-read", "enter", "look", "read a source's memory in full", "read", "import"),
    _row(IMPORT, "import-pane", "tab", "look", "to the other pane", "to list", "import-line"),
    _row(IMPORT, "import-sources", "1", "look", "to the sources"),
    _row(IMPORT, "import-preview", "2", "look", "to the preview"),
    _row(LAB, "lab-next", "down j", "lab", "the next kind", "kind", "lab"),
    _row(LAB, "lab-previous", "up k", "lab", "the previous kind"),
    _row(LAB, "lab-faster", "left minus", "lab", "a shorter half-life: it fades faster", "faster", "lab"),
    _row(LAB, "lab-slower", "right plus", "lab", "a longer half-life: it fades slower", "slower", "lab"),
    _row(LAB, "lab-learned", "t", "lab", "use the learned half-life", "use learned", "lab"),
    _row(LAB, "lab-as-now", "0", "lab", "reset this kind"),
    _row(LAB, "lab-default", "d", "lab", "the default half-life"),
    _row(LAB, "lab-line-down", "less_than_sign", "lab", "due later: a lower review threshold"),
    _row(LAB, "lab-line-up", "greater_than_sign", "lab", "due earlier: a higher review threshold"),
    _row(LAB, "lab-here", "p", "lab", "for this project alone, or for the kind everywhere", "project", "lab"),
    _row(LAB, "lab-floor-down", "left_square_bracket", "lab", "old memories keep less trust: a lower floor"),
    _row(LAB, "lab-floor-up", "right_square_bracket", "lab", "old memories keep more trust: a higher floor"),
    _row(LAB, "lab-hurt-down", "left_curly_bracket", "lab", "feedback that it hurt weighs less"),
    _row(LAB, "lab-hurt-up", "right_curly_bracket", "lab", "feedback that it hurt weighs more"),
    _row(LAB, "lab-apply", "a enter", "lab", "apply the trial as one change", "apply", "lab"),
    _row(HEALTH, "health-pane", "tab", "look", "to the other pane", "other pane", "health"),
    _row(HEALTH, "health-again", "R", "look", "check the vault again", "check again", "health"),
    _row(PANE, "down", "j down", "move", "one row or line down", menu=False),
    _row(PANE, "up", "k up", "move", "one row or line up", menu=False),
    _row(PANE, "half-down", "ctrl+d", "move", "half a page down", menu=False),
    _row(PANE, "half-up", "ctrl+u", "move", "half a page up", menu=False),
    _row(PANE, "page-down", "pagedown", "move", "a page down", menu=False),
    _row(PANE, "page-up", "pageup", "move", "a page up", menu=False),
    _row(PANE, "first", "g home", "move", "to the top", menu=False),
    _row(PANE, "last", "G end", "move", "to the bottom", menu=False),
    _row(EVERYWHERE, "go-context", "c", "go", "Context: the payload for a task", "context", "list",
         words="prompt payload pack"),
    _row(EVERYWHERE, "go-review", "r", "go", "Review: what is due, one by one", "review", "list health"),
    _row(EVERYWHERE, "undo", "u", "edit", "undo the last change", "undo",
         "list due retired empty inbox context packs history import lab bulk", words="revert back"),
    _row(EVERYWHERE, "redo", "ctrl+r", "edit", "redo the change that was undone", words="repeat again"),
    _row(EVERYWHERE, "go-browse", "", "go", "all memories", words="list home"),
    _row(EVERYWHERE, "go-inbox", "b", "go", "Inbox: what waits to be accepted", "inbox", "list empty"),
    _row(EVERYWHERE, "go-tidy", "T", "go", "Tidy: duplicates, contradictions, dead anchors, and more",
         words="clean duplicates"),
    _row(EVERYWHERE, "go-history", "H", "go", "History of the memory under the cursor; m there: every change",
         words="log journal changes"),
    _row(EVERYWHERE, "go-packs", "K", "go", "Packs: did what was copied help?"),
    _row(EVERYWHERE, "go-lab", "l", "go", "Decay lab: how fast each kind fades", "decay lab", "health",
         words=f"{_SETTINGS} half-life"),
    _row(EVERYWHERE, "go-health", "", "go", "Health: the state of the vault", words="doctor statistics stats"),
    _row(EVERYWHERE, "go-import", "", "go", "Import: bring in rule files and memories", words="load read files add"),
    _row(EVERYWHERE, "back", "escape", "app", "back: clear, leave, close", "back",
         "detail filter facets marks inbox context packs history import context-lines packs-line "
         "history-line import-line lab health review-none bulk-line clash-line merge clash tidy edit "
         "edit-accept conflict conflict-text reflect inbox-marked inbox-detail"),
    _row(EVERYWHERE, "theme", "", "app", "choose a theme, previewed as you move",
         words="colours colors dark light options settings preferences"),
    _row(EVERYWHERE, "help", "question_mark", "app", "help: find and run any action", words="keys shortcuts manual"),
    _row(EVERYWHERE, "palette", "colon ctrl+p", "app", "command palette", menu=False),
    _row(EVERYWHERE, "quit", "q ctrl+q", "app", "quit", "quit",
         "list due retired empty inbox context packs history import", words="exit leave close"),
)
# fmt: on
