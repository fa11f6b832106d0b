"""A version conflict: base, stored and typed texts, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static, TextArea

from memtui.curate.form import Basis, read_form, texts_of
from memtui.domain.combine import LINE_TEXTS, Difference, differences
from memtui.domain.memory import Memory
from memtui.errors import ConflictError, MemtuiError, SecretRefusedError
from memtui.text.sanitize import reveal
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import CONFLICT
from memtui.tui.edit.fields import PLAN, FormArea
from memtui.tui.edit.messages import FormSaved, SaveConflicted
from memtui.tui.edit.queries import EditingAccess, FormError, Wish
from memtui.tui.launch_options import Opening
from memtui.tui.memory_view import LONGEST_SHOWN, Block, Piece
from memtui.tui.screen import MemtuiScreen
from memtui.tui.text_layout import counted, tame
from memtui.tui.values import Done
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lists import ChoiceList, ChoiceRow

Choice = Literal["", "theirs", "mine", "both", "written"]

_LABELS = {plan.name: plan.label for plan in PLAN}
_WORDS: dict[Choice, str] = {
    "": "? choose",
    "theirs": "→ theirs",
    "mine": "→ mine",
    "both": "→ both",
    "written": "→ written",
}


class ConflictScreen(MemtuiScreen):
    """Base, theirs and mine of every field that differs; the person takes one, or combines both.

    Args:
        opening: what the app was opened with.
        base: the memory that the edit began with.
        theirs: the memory as stored now.
        wish: the save that found it changed.
        last: who changed it last, and by what.
    """

    AREA = CONFLICT
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(CONFLICT)
    AUTO_FOCUS = "#conflict-fields"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (84, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable
    SIDES: ClassVar[Mapping[str, str]] = {
        "base": "Base: when you began",
        "theirs": "Theirs: stored now",
        "mine": "Mine: typed",
    }
    """Titles of the three texts."""
    WHO: ClassVar[Mapping[str, str]] = {
        "theirs": "they changed it",
        "mine": "you changed it",
        "both": "both changed it",
    }
    """Who changed a field."""

    def __init__(self, opening: Opening, base: Memory, theirs: Memory, wish: Wish, last: str = "") -> None:
        super().__init__(opening)
        self.saved: Memory | None = None
        """The memory as stored, once that is done."""
        self._editing = EditingAccess(self.access)
        self._head = Static("", id="conflict-head", markup=False)
        self._fields = ChoiceList(id="conflict-fields")
        self._panes = {name: DetailPane(id=f"conflict-{name}") for name in ("base", "theirs", "mine")}
        self._result = FormArea(id="conflict-result")
        self._warned = False
        self._filling = False
        self._begin(base, theirs, wish, last)

    def _begin(self, base: Memory, theirs: Memory, wish: Wish, last: str) -> None:
        if wish.decision != "edit" and theirs.status != {"verify": "active", "accept": "candidate"}[wish.decision]:
            # It was accepted or retired meanwhile: what is left to save is the edit.
            wish = replace(wish, decision="edit")
        self._base, self._theirs, self._wish, self._last = base, theirs, wish, last
        self._differences = differences(base, theirs, wish.values)
        # What one side alone changed is no question; the person can still decide otherwise.
        self._choices: dict[str, Choice] = {
            each.field: "" if each.changed_by == "both" else each.changed_by for each in self._differences
        }
        self._written: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._head
        yield self._fields
        with Horizontal(id="conflict-sides"):
            yield from self._panes.values()
        with Vertical(id="conflict-made"):
            yield self._result
        yield self.hints

    def on_mount(self) -> None:
        """Show the first field."""
        self.hints.place = CONFLICT
        self._show_all()

    # -- showing ----------------------------------------------------------------------------------

    def _show_all(self) -> None:
        head = (
            " ",
            ("Conflict", "bold $memtui-due"),
            "  ",
            tame(self._theirs.title, 60),
            (self.about(), "$memtui-dim"),
        )
        self._head.update(Content.assemble(*head))
        self._show_rows()
        first = next((at for at, each in enumerate(self._differences) if not self._choices[each.field]), 0)
        self._fields.cursor = first
        self._show_field()

    def about(self) -> str:
        """Return what the head says beside the title."""
        theirs, base = self._theirs, self._base
        status = f" · now {theirs.status}" if theirs.status != base.status else ""
        by = f" · {self._last}" if self._last else " · somebody changed it"
        return f"   version {base.version} → {theirs.version}{status}{by}"

    def _show_rows(self) -> None:
        rows = [
            ChoiceRow(_LABELS.get(each.field, each.field), self.WHO[each.changed_by], _WORDS[self._choices[each.field]])
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
        for name, title in self.SIDES.items():
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
        clashes = difference.combined[1] if choice == "both" and difference.combined else 0
        note = f" · {counted(clashes, 'clash', 'clashes')}: both stand there, e writes it" if clashes else ""
        self._result.parent.border_title = Content(f"Result: {_WORDS[choice].removeprefix('→ ')}{note}")  # type: ignore[union-attr] # it is in the layout
        self.set_class(choice in {"both", "written"}, "-combined")
        self._filling = True
        self._result.fill(text)
        self._result.read_only = True

    def _text(self, name: str, value: Any) -> str:
        """Return a value as the form shows it."""
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
        """Return why an act cannot be done now."""
        if self.acting and action.owner == CONFLICT:
            return "A save is on its way."
        if action.id == "conflict-both" and self._current is not None and self._current.combined is None:
            return "This field has no parts to combine; take one, or e writes it."
        if action.id == "conflict-edit" and self._current is not None and self._current.field not in _LABELS:
            return "This field is not written by hand; take theirs or mine."
        if action.id == "conflict-save" and not all(self._choices.values()):
            return "A field that both changed waits for your choice: t theirs, m mine, e write."
        if action.id in {"undo", "redo"}:
            return "The conflict comes first; esc leaves it."
        return super().why_not(action)

    def action_conflict_theirs(self) -> None:
        """Take what is stored now."""
        self._choose("theirs")

    def action_conflict_mine(self) -> None:
        """Take what was typed."""
        self._choose("mine")

    def action_conflict_both(self) -> None:
        """Combine both."""
        self._choose("both")

    def _choose(self, choice: Choice) -> None:
        difference = self._current
        if difference is None:
            return
        self._warned = False
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
        """Write the result of the field by hand, beginning with both texts."""
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

    def action_back(self) -> None:
        """Leave the text; leave the screen, saying first that nothing is saved."""
        if self.has_class("-writing"):
            self.remove_class("-writing")
            self.hints.place = CONFLICT
            self._result.read_only = True
            self._fields.focus()
        elif not self._warned:
            self._warned = True
            self.say("Nothing is saved yet. esc again goes back; what you typed is kept.", severity="warning")
        else:
            self.dismiss(None)

    def action_quit(self) -> None:
        """Quit, saying first that nothing is saved."""
        if not self._warned and not self.acting:
            self._warned = True
            self.say(
                "Nothing is saved yet: ctrl+s saves the result. Quitting again leaves without it.", severity="warning"
            )
            return
        super().action_quit()

    # -- saving -----------------------------------------------------------------------------------

    def action_conflict_save(self) -> None:
        """Save the result against the version that was looked at."""
        if self.has_class("-writing"):
            self.action_back()
        chosen = {each.field: self._choices[each.field] for each in self._differences}
        written = {name: self._written[name] for name, choice in chosen.items() if choice == "written"}

        def run() -> Done:
            memory, done = self.store({**self.taken(chosen), **_read_written(written, self._theirs, self._editing)})
            self.post_message(FormSaved(memory))
            return done

        self.do(run)

    def store(self, values: Mapping[str, Any]) -> tuple[Memory, Done]:
        """Save the result; called in a thread worker.

        Raises:
            MemtuiError: see its text.
        """
        theirs, wish = self._theirs, self._wish
        again = Wish(values, wish.decision, wish.allow_secret)
        try:
            return self._editing.save(theirs, again)
        except ConflictError:
            newest, last = self._editing.current(theirs.id)
            self.post_message(SaveConflicted(theirs, newest, again, last))
            raise

    def taken(self, chosen: Mapping[str, Choice]) -> dict[str, Any]:
        """Return the values of the choices that change what is stored now."""
        values: dict[str, Any] = {}
        for each in self._differences:
            if chosen[each.field] == "mine":
                values[each.field] = each.mine
            elif chosen[each.field] == "both" and each.combined is not None:
                values[each.field] = each.combined[0]
        return values

    @on(FormSaved)
    def _take_saved(self, message: FormSaved) -> None:
        self.saved = message.memory

    def acts_ended(self, focus: str | None) -> None:
        """Close once it is saved."""
        del focus
        if self.saved is not None and self.is_current:
            self.dismiss(None)

    def answers_failure(self, error: MemtuiError) -> bool:
        """Tell of what was written wrongly; another conflict is shown at once."""
        if isinstance(error, FormError):
            self.say(f"Not saved: {_LABELS[error.finding.field]}: {error.finding.text}", severity="warning")
            return True
        if isinstance(error, SecretRefusedError):
            self.say(f"{error.what}: {error.where}. Nothing was stored.", severity="error")
            return True
        return isinstance(error, ConflictError)

    @on(SaveConflicted)
    def _changed_again(self, message: SaveConflicted) -> None:
        self._begin(message.base, message.theirs, message.wish, message.last)
        self._show_all()
        self.say("Somebody changed it once more; look again. Nothing was overwritten.", severity="warning")


def _read_written(written: Mapping[str, str], theirs: Memory, access: EditingAccess) -> dict[str, Any]:
    """Return the values of fields that were written by hand.

    Raises:
        FormError: one cannot be read.
    """
    if not written:
        return {}
    basis = access.basis(theirs.id)
    basis = Basis(theirs, basis.kinds, basis.root, basis.project)
    values, errors = read_form({**texts_of(theirs), **written}, basis)
    if errors:
        raise FormError(errors[0])
    return values


def _pieces(text: str, old: str | None) -> tuple[Piece, ...]:
    """Return a text to be shown; lines that another text does not hold are marked with a plus."""
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
