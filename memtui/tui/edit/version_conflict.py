"""Version conflicts and source conflicts: base, stored and typed texts, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import TextArea

from memtui.capture.source_conflicts import SourceConflict, resolve_by_hand
from memtui.curate.form import Basis, texts_of
from memtui.domain.combine import LINE_TEXTS, Difference, differences
from memtui.domain.memory import Memory
from memtui.errors import ConflictError, MemtuiError, NotFoundError, SecretRefusedError
from memtui.text.sanitize import reveal, tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import CONFLICT, Action
from memtui.tui.edit.form import PLAN, EditingAccess, FormError, Wish, read_values
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.state import Opening
from memtui.tui.styled_text import LONGEST_SHOWN, Block, Piece
from memtui.tui.values import Done
from memtui.tui.widgets.choice_list import ChoiceList, ChoiceRow
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.form_fields import FormArea
from memtui.tui.widgets.lines import TitleLine
from memtui.vault.source_texts import Texts

Choice = Literal["", "theirs", "mine", "both", "written"]

_LABELS = {plan.name: plan.label for plan in PLAN}
_WORDS: dict[Choice, str] = {
    "": "? choose",
    "theirs": "→ theirs",
    "mine": "→ mine",
    "both": "→ both",
    "written": "→ written",
}


@dataclass(frozen=True, slots=True)
class Parties:
    """Between whom a conflict is."""

    title: str  # of the screen
    sides: Mapping[str, str]  # titles of the three texts
    who: Mapping[str, str]  # who changed a field
    changing: Literal["theirs", "mine"]  # the side whose text changes what is stored
    leaving: str  # what is said before the screen is left without a save


VERSIONS = Parties(
    title="Version conflict",
    sides={"base": "Base: when you started", "theirs": "Theirs: stored now", "mine": "Mine: typed"},
    who={"theirs": "they changed it", "mine": "you changed it", "both": "both changed it"},
    changing="mine",
    leaving="Nothing is saved yet. esc again goes back and keeps what you typed.",
)
SOURCE = Parties(
    title="Source conflict",
    sides={"base": "Base: the last import", "theirs": "Theirs: the source now", "mine": "Mine: in the vault"},
    who={"theirs": "source changed", "mine": "vault changed", "both": "both changed it"},
    changing="theirs",
    leaving="Nothing is resolved yet. esc again discards your choices; the conflict stays in the Inbox.",
)
TEAM = Parties(
    title="Conflict with the team",
    sides={
        "base": "Base: before both edits",
        "theirs": "Theirs: the team's, in the vault",
        "mine": "Mine: not sent",
    },
    who={"theirs": "team changed", "mine": "you changed", "both": "both changed it"},
    changing="mine",
    leaving=SOURCE.leaving,
)


class ConflictScreen(MemtuiScreen):
    """Choose one of the texts of each field, combine both, or write a new one.

    `wish`: the save that was refused. `last`: who changed the memory last, and how.
    """

    AREA = CONFLICT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(CONFLICT)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "conflict-theirs": ("_choose", "theirs"),
        "conflict-mine": ("_choose", "mine"),
        "conflict-both": ("_choose", "both"),
    }
    AUTO_FOCUS = "#conflict-fields"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable

    def __init__(
        self,
        opening: Opening,
        base: Memory,
        theirs: Memory,
        wish: Wish,
        last: str = "",
        *,
        parties: Parties = VERSIONS,
    ) -> None:
        super().__init__(opening)
        self.parties = parties
        self.saved: Memory | None = None  # The memory as stored, once that is done
        self._editing = EditingAccess(self.access)
        self._title = TitleLine(parties.title, warns=True, id="conflict-head")
        self._fields = ChoiceList(id="conflict-fields")
        self._panes = {name: DetailPane(id=f"conflict-{name}") for name in ("base", "theirs", "mine")}
        self._made = Vertical(id="conflict-made")
        self._result = FormArea(id="conflict-result")
        self._filling = False
        self._begin(base, theirs, wish, last)

    def _begin(self, base: Memory, theirs: Memory, wish: Wish, last: str) -> None:
        if wish.decision != "edit" and theirs.status != {"verify": "active", "accept": "candidate"}[wish.decision]:
            # Somebody accepted or retired it: only the edit is left to save.
            wish = replace(wish, decision="edit")
        self._base, self._theirs, self._wish, self._last = base, theirs, wish, last
        self._differences = differences(base, theirs, wish.values)
        # What only one side changed is chosen already; the user can still choose otherwise.
        self._choices: dict[str, Choice] = {
            each.field: "" if each.changed_by == "both" else each.changed_by for each in self._differences
        }
        self._at_first = dict(self._choices)
        self._written: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._fields.add_class("pane")
        with Horizontal(id="conflict-sides"):
            yield from (pane.add_class("pane") for pane in self._panes.values())
        with self._made:
            yield self._result
        yield self.hints

    def on_mount(self) -> None:
        """Show the first field."""
        self._show_all()

    # -- showing ----------------------------------------------------------------------------------

    def _show_all(self) -> None:
        self._title.place, self._title.note = self._theirs.title, self.about()
        self._show_rows()
        first = next((at for at, each in enumerate(self._differences) if not self._choices[each.field]), 0)
        self._fields.cursor = first
        self._show_field()

    def about(self) -> str:
        """Return what the head shows beside the title."""
        theirs, base = self._theirs, self._base
        status = f" · now {theirs.standing}" if theirs.status != base.status else ""
        by = f" · {self._last}" if self._last else ""
        return f"version {base.version} → {theirs.version}{status}{by}"

    def _show_rows(self) -> None:
        rows = [
            ChoiceRow(
                _LABELS.get(each.field, each.field),
                self.parties.who[each.changed_by],
                _WORDS[self._choices[each.field]],
            )
            for each in self._differences
        ]
        self._fields.show(rows)
        open_ones = sum(not choice for choice in self._choices.values())
        self._fields.border_title = Content("Fields that differ")
        self._fields.border_subtitle = Content(
            f"{counted(open_ones, 'choice', 'choices')} left" if open_ones else "ctrl+s saves"
        )

    @property
    def _current(self) -> Difference | None:
        at = self._fields.cursor
        return self._differences[at] if at < len(self._differences) else None

    def _show_field(self) -> None:
        difference = self._current
        if difference is None:
            return
        for name, title in self.parties.sides.items():
            pane = self._panes[name]
            pane.set_title(title)
            text = self._text(difference.field, getattr(difference, name))
            old = self._text(difference.field, difference.base) if difference.field in LINE_TEXTS else None
            pane.show((Block(_pieces(text, old if name != "base" else None)),), from_top=True)
        self._show_result()

    def _show_result(self) -> None:
        difference = self._current
        if difference is None:
            return
        choice = self._choices[difference.field]
        text = self._chosen_text(difference, choice) if choice else ""
        overlaps = difference.combined[1] if choice == "both" and difference.combined else 0
        note = f" · {counted(overlaps, 'overlap')}: both texts kept, e edits" if overlaps else ""
        self._made.border_title = Content(f"Result: {_WORDS[choice].removeprefix('→ ')}{note}")
        self.set_class(choice in {"both", "written"}, "-combined")
        self._filling = True
        self._result.fill(text)
        self._result.read_only = True

    def _text(self, name: str, value: Any) -> str:
        if name == "due_at":
            return str(value or "")
        return texts_of(None, {name: value})[name]

    def _chosen_text(self, difference: Difference, choice: Choice) -> str:
        if choice == "written":
            return self._written[difference.field]
        if choice == "both" and difference.combined is not None:
            return self._text(difference.field, difference.combined[0])
        return self._text(difference.field, difference.theirs if choice == "theirs" else difference.mine)

    @on(ChoiceList.Moved)
    def _follow(self, message: ChoiceList.Moved) -> None:
        message.stop()
        self._show_field()

    # -- choosing ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if self.acting and action.owner == CONFLICT:
            return "The result is being saved."
        if action.id == "conflict-both" and self._current is not None and self._current.combined is None:
            return "This field cannot be combined; choose one text, or write it with e."
        if action.id == "conflict-edit" and self._current is not None and self._current.field not in _LABELS:
            return "This field cannot be written by hand; choose theirs or mine."
        if action.id == "conflict-save" and not all(self._choices.values()):
            return "Choose a text for each field that both changed: t theirs, m mine, e write."
        if action.id in {"undo", "redo"}:
            return "Resolve the conflict first; esc leaves it."
        return super().why_not(action)

    def _choose(self, choice: Choice) -> None:
        difference = self._current
        if difference is None:
            return
        self._choices[difference.field] = choice
        self._show_rows()
        left = next((at for at, each in enumerate(self._differences) if not self._choices[each.field]), None)
        if (
            left is not None
            and choice != "written"
            and not (choice == "both" and difference.combined and difference.combined[1])
        ):
            self._fields.cursor = left
        self._show_field()

    def action_conflict_edit(self) -> None:
        """Write the result of the field, starting with both texts."""
        difference = self._current
        if difference is None:
            return
        choice = self._choices[difference.field] or ("both" if difference.combined else "mine")
        text = self._chosen_text(difference, choice)
        self._written.setdefault(difference.field, text)
        if choice != "written":
            self._written[difference.field] = text
        self._choices[difference.field] = "written"
        self._show_rows()
        self._show_result()
        self._result.read_only = self._result.is_too_long
        self._result.move_cursor(self._result.document.end)
        self.add_class("-writing")
        self.hints.place = "conflict-text"
        self._result.focus()

    @on(TextArea.Changed, "#conflict-result")
    def _take_written(self, event: TextArea.Changed) -> None:
        event.stop()
        difference = self._current
        if self._filling:
            self._filling = False
        elif difference is not None and self.has_class("-writing"):
            self._written[difference.field] = self._result.typed

    def unsaved(self) -> dict[str, dict[str, str]]:
        """Return the texts that were written, as of the memory's form: there they are back after an end."""
        chosen = {name: text for name, text in self._written.items() if self._choices.get(name) == "written"}
        return {self._theirs.id: chosen} if chosen and self.saved is None else {}

    def action_back(self) -> None:
        """Leave the text, else the screen; warn once that nothing is saved."""
        if self.has_class("-writing"):
            self.remove_class("-writing")
            self.hints.place = CONFLICT
            self._result.read_only = True
            self._fields.focus()
        elif not self.would_lose or self.again.agrees("back", self.parties.leaving, lambda: dict(self._choices)):
            self.dismiss(None)

    @property
    def would_lose(self) -> bool:
        """Whether something was typed, or chosen, that is not saved."""
        return True

    def action_quit(self) -> None:
        """Quit; warn once that nothing is saved."""
        words = "Nothing is saved yet: ctrl+s saves the result. Quit again to leave without saving."
        is_unsaved = self.would_lose and not self.acting
        if not is_unsaved or self.again.agrees("quit", words, lambda: dict(self._choices)):
            super().action_quit()

    # -- saving -----------------------------------------------------------------------------------

    def action_conflict_save(self) -> None:
        """Save the result against the version that is shown."""
        if self.has_class("-writing"):
            self.action_back()
        chosen = {each.field: self._choices[each.field] for each in self._differences}
        written = {name: self._written[name] for name, choice in chosen.items() if choice == "written"}

        def run() -> Done:
            values = {**self.taken(chosen), **_read_written(written, self._theirs, self._editing)}
            self.saved, done = self.store(values)
            return done

        self.do(run)

    def store(self, values: Mapping[str, Any]) -> tuple[Memory, Done]:
        """Save the result; called in a thread."""
        theirs, wish = self._theirs, replace(self._wish, values=values)
        try:
            return self._editing.save(theirs, wish)
        except ConflictError:
            newest, last = self._editing.current(theirs.id)
            self.call_later(self._changed_again, theirs, newest, wish, last)
            raise

    def taken(self, chosen: Mapping[str, Choice]) -> dict[str, Any]:
        """Return the chosen values that differ from what is stored now."""
        values: dict[str, Any] = {}
        for each in self._differences:
            if chosen[each.field] == self.parties.changing:
                values[each.field] = getattr(each, self.parties.changing)
            elif chosen[each.field] == "both" and each.combined is not None:
                values[each.field] = each.combined[0]
        return values

    def acts_ended(self, focus: str | None) -> None:
        """Close once saved."""
        del focus
        if self.saved is not None and self.is_current:
            self.dismiss(None)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Say which written text is invalid; another conflict is shown at once."""
        if isinstance(error, FormError):
            self.say(f"Not saved: {_LABELS[error.finding.field]}: {error.finding.text}", severity="warning")
            return True
        if isinstance(error, SecretRefusedError):
            self.say(f"{error.what}: {error.where}. Nothing was saved.", severity="error")
            return True
        return isinstance(error, ConflictError)

    def _changed_again(self, base: Memory, theirs: Memory, wish: Wish, last: str) -> None:
        self._begin(base, theirs, wish, last)
        self._show_all()
        self.say("The memory changed again; nothing was saved. Here is the new version.", severity="warning")


def _read_written(written: Mapping[str, str], theirs: Memory, access: EditingAccess) -> dict[str, Any]:
    """Return the values of fields that were written by hand. Raises `FormError`: one is invalid."""
    if not written:
        return {}
    basis = access.basis(theirs.id)
    return read_values({**texts_of(theirs), **written}, Basis(theirs, basis.kinds, basis.root, basis.project))


def _pieces(text: str, old: str | None) -> tuple[Piece, ...]:
    """Return a text; lines that are not in the old one are marked with a plus."""
    rest = len(text) - LONGEST_SHOWN
    end: tuple[Piece, ...] = ((f"\n… {rest:,} more characters", "dim"),) if rest > 0 else ()
    text = reveal(text[:LONGEST_SHOWN])
    if not text:
        return (("(empty)", "dim"), *end)
    if old is None:
        return ((text, "text"), *end)
    known = set(reveal(old).split("\n"))
    lines: list[Piece] = [
        (f"{line}\n", "text") if line in known else (f"+ {line}\n", "good") for line in text.split("\n")
    ]
    return (*lines, *end)


_TEXTS = ("title", "insight", "rationale", "snippet")


class SourceConflictScreen(ConflictScreen):
    """Choose for each field between two texts: that of a source, or of the team, and one's own.

    `left`: how many such conflicts are left, this one included. `moved`: whether the source file is no longer where it
    was.
    """

    def __init__(self, opening: Opening, conflict: SourceConflict, left: int, *, moved: bool = False) -> None:
        self._conflict = conflict
        self._moved = moved
        self._left = left
        stored, stated = Texts.of(conflict.memory), conflict.text.stated
        # What the team wrote stands in the vault, and one's own text waits beside it. Of what it erased, and of a
        # source, it is the other way round.
        is_theirs_stored = conflict.text.is_team and not conflict.text.is_erasure
        sides = (stored, stated) if is_theirs_stored else (stated, stored)
        base, theirs, mine = (conflict.as_memory(texts) for texts in (conflict.base, *sides))
        asked = [name for name in _TEXTS if name != "title" or not conflict.title_follows_text]
        if "title" not in asked:
            base, theirs = (replace(one, title=conflict.memory.title) for one in (base, theirs))
        wish = Wish({name: getattr(mine, name) for name in asked})
        super().__init__(opening, base, theirs, wish, parties=TEAM if is_theirs_stored else SOURCE)

    @property
    def would_lose(self) -> bool:
        return self._choices != self._at_first or bool(self._written)

    def about(self) -> str:
        """Return where the source is, and how many conflicts are left."""
        text, left = self._conflict.text, f"{self._left:,} left" if self._left > 1 else ""
        if self.parties is TEAM:
            return left
        name = text.path.replace("\\", "/").rsplit("/", 1)[-1]
        place = f"{name}:{text.span[0]}" if text.span else name
        now = " (moved away)" if self._moved else ""
        return " · ".join(filter(None, (tame(place, 40) + now, left)))

    def store(self, values: Mapping[str, Any]) -> tuple[Memory, Done]:
        """Save the result, and that the source was seen; called in a thread."""
        memory = self._conflict.memory
        stored = resolve_by_hand(
            self.opening.vault,
            memory.id,
            {name: value for name, value in values.items() if value != getattr(memory, name)},
            actor=self.opening.actor,
            if_version=memory.version,
            seen_hash=self._conflict.text.seen_hash,
            secret_patterns=self.opening.secret_patterns,
            before=self.opening.before_change,
        )
        word = "Kept" if stored.insight == memory.insight else "Resolved"
        return stored, Done(f"{word}: {tame(stored.title, 60)}; u undoes it")

    def answers_failure(self, error: MemtuiError) -> bool:
        """Close where the memory changed; it is read again."""
        if isinstance(error, ConflictError | NotFoundError):
            self.say("The memory changed meanwhile; nothing was saved. d shows it again.", severity="warning")
            self.dismiss(None)
            return True
        return super().answers_failure(error)
