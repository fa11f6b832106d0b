"""Dialogs: cards, choices and themes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from memtui.curate.moved_paths import Moves
from memtui.text.planted import Planted
from memtui.text.sanitize import reveal, tame, without_surrogates
from memtui.text.words import cell_width, counted
from memtui.tui.list_detail import MemtuiScreen
from memtui.tui.memory_view import describe
from memtui.tui.styled_text import Block, StyleName, fit
from memtui.tui.values import Detail, FileWrite
from memtui.tui.widgets.detail import DetailPane
from memtui.wording.outcomes import planted_claim


class CardScreen(ModalScreen[None]):
    """Text to read; esc, enter and q close it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q,i", "leave", "close")]
    AUTO_FOCUS = "#card"

    def __init__(self, title: str, blocks: Sequence[Block]) -> None:
        super().__init__()
        self._title = title
        self._blocks = tuple(blocks)

    def compose(self) -> ComposeResult:
        card = DetailPane(id="card")
        card.border_title = Content(self._title)  # a plain str would be read as markup
        card.border_subtitle = Content("esc closes")
        yield card

    def on_mount(self) -> None:
        """Show the text once the card has its width."""
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        self.query_one("#card", DetailPane).show(self._blocks, from_top=True)

    def action_leave(self) -> None:
        self.dismiss(None)


class DiffScreen(ModalScreen[bool]):
    """What a change does, shown before it is made; True where the person wants it.

    `verb`: what enter does; empty where there is nothing to do.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "accept", "write"),
        Binding("escape,q", "leave", "leave"),
    ]
    AUTO_FOCUS = "#card"

    def __init__(self, title: str, blocks: Sequence[Block], verb: str) -> None:
        super().__init__()
        self._title = title
        self._blocks = tuple(blocks)
        self._verb = verb

    def compose(self) -> ComposeResult:
        card = DetailPane(id="card")
        card.border_title = Content(self._title)  # a plain str would be read as markup
        card.border_subtitle = Content(f"enter {self._verb} · esc leaves" if self._verb else "esc leaves")
        yield card

    def on_mount(self) -> None:
        """Show the text once the card has its width."""
        self.call_after_refresh(lambda: self.query_one("#card", DetailPane).show(self._blocks, from_top=True))

    def action_accept(self) -> None:
        self.dismiss(bool(self._verb))

    def action_leave(self) -> None:
        self.dismiss(False)


_TONES: Mapping[str, StyleName] = {"+": "good", "-": "warning", "@": "dim"}
_MOST_LINES = 400  # Lines of a change that are shown
_LONGEST_LINE = 2_000


def line_blocks(lines: Sequence[str]) -> list[Block]:
    """Return how a file changes, a line each: those that come begin with `+`, those that go with `-`."""
    shown = lines[:_MOST_LINES]
    blocks = [Block(((reveal(line[:_LONGEST_LINE]) or " ", _TONES.get(line[:1], "text")),)) for line in shown]
    more = len(lines) - len(shown)
    return [*blocks, Block(((f"… {more:,} more lines", "dim"),))] if more else blocks


def write_blocks(files: Sequence[FileWrite]) -> list[Block]:
    """Return what becomes of files, one after the other."""
    blocks: list[Block] = []
    for file in files:
        blocks.append(Block(((tame(file.path, 300), "path"), (f"  {file.fate}", "dim")), gap=bool(blocks)))
        blocks += line_blocks(file.lines)
    return blocks


def ask_to_follow(app: App[Any], moves: Moves, follow: Callable[[], None]) -> None:
    """Show where files moved and which texts name the old path, and follow them if the person wants it."""
    counts = Counter((old, new) for paths in moves.paths.values() for old, new in paths.items())
    blocks: list[Block] = []
    for place, ((old, new), number) in enumerate(sorted(counts.items(), key=lambda one: (-one[1], one[0]))):
        tied = counted(number, "memory")
        blocks.append(Block(((f"{tame(old)}  ", "path"), (tied, "dim")), gap=place > 0))
        sign = "→ maybe " if (old, new) in moves.maybe else "→ "
        blocks.append(Block(((sign, "dim"), (tame(new), "path"))))
        texts = [one.title for one in moves.named if moves.paths[one.id].get(old) == new]
        blocks += [Block((("in the text too: ", "dim"), (tame(title), "text"))) for title in texts]
    title = f"Follow moved files ─ {counted(len(moves.paths), 'memory', 'memories')}"
    app.push_screen(DiffScreen(title, blocks, "follows, u undoes it"), lambda wanted: follow() if wanted else None)


def ask_to_untie(app: App[Any], title: str, path: str, untie: Callable[[], None]) -> None:
    """Show which file leaves the Files of a memory of this title, and take it out if the person wants it."""
    blocks = [Block(((tame(title), "title"),)), Block((("- ", "dim"), (tame(path), "path")), label="Files", gap=True)]
    app.push_screen(
        DiffScreen("Remove from Files", blocks, "removes it, u undoes it"), lambda wanted: untie() if wanted else None
    )


def ask_planted(app: App[Any], reason: Planted, texts: Mapping[str, str], take: Callable[[], object]) -> None:
    """Show why what is taken into use looks planted, and take it if the person stands for it.

    `texts`: title, insight and others by field.
    """
    shown = [tame(texts.get(name, ""), 1_000) for name in ("insight", "rationale", "snippet")]
    blocks = [
        Block(((f"This text looks planted: {planted_claim(reason)}.", "warning"),)),
        Block(((tame(texts.get("title", ""), 1_000), "title"),), gap=True),
        *(Block(((text, "text"),)) for text in shown if text),
        Block((("Accepting it also verifies it: assistants receive it from then on.", "dim"),), gap=True),
    ]

    def answer(agreed: bool | None) -> None:
        if agreed:
            take()

    app.push_screen(DiffScreen("This looks planted", blocks, "accepts it"), answer)


class OptionScreen(ModalScreen[str | None]):
    """One list of options; returns None where it is left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "list('cursor_down')", show=False),
        Binding("k", "list('cursor_up')", show=False),
    ]

    def action_list(self, move: str) -> None:
        getattr(self.query_one(OptionList), f"action_{move}")()

    def action_leave(self) -> None:
        self.dismiss(None)


_SAME_NAME_SECONDS = 1.0  # A letter that comes later begins another name
NUMBERED = 9  # Choices that a single digit chooses
NAME_CELLS = 26  # Of a name that something is said of besides


class ChoiceScreen(OptionScreen):
    """Returns the name that was chosen, None where it was left.

    `choices`: (name, what people call it); a name that is the choice's own number is shown as that alone.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "leave"),
        *(Binding(str(number), f"take({number})", show=False) for number in range(1, NUMBERED + 1)),
    ]

    takes_letters = True  # They go to the name that they begin

    def __init__(self, title: str, choices: Sequence[tuple[str, str]], current: str) -> None:
        super().__init__()
        self._title = title
        self._choices = list(choices)
        self._current = current
        self._letters, self._at = "", 0.0  # What was typed to go to a name, and when its last letter was

    def compose(self) -> ComposeResult:
        width = max((cell_width(tame(name)) for name, _ in self._choices), default=0)
        if any(label for _, label in self._choices):
            width = min(width, NAME_CELLS)
        options = [
            Option(_line(number, name, label, width), id=f"n{number}")
            for number, (name, label) in enumerate(self._choices, 1)
        ]
        names = [name for name, _ in self._choices]
        choices = OptionList(*options, id="choice-list", markup=False)
        choices.border_title = Content(self._title)  # a plain str would be read as markup
        choices.border_subtitle = Content("letters find · number or enter chooses · esc cancels")
        choices.highlighted = names.index(self._current) if self._current in names else 0
        yield choices

    @on(OptionList.OptionSelected, "#choice-list")
    def _take(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[event.option_index][0])

    def on_key(self, event: events.Key) -> None:
        """Go to the name that begins with the letters, else holds them; a key of the dialog begins none."""
        begun = self._letters if event.time - self._at < _SAME_NAME_SECONDS else ""
        if not event.is_printable or event.character is None or not (begun or event.character.isalpha()):
            return
        if not begun and event.key in self.active_bindings:
            return
        event.stop()
        self._letters, self._at = f"{begun}{event.character}".casefold(), event.time
        names = [name.casefold() for name, _ in self._choices]
        fitting = [place for place, name in enumerate(names) if name.startswith(self._letters)]
        fitting += [place for place, name in enumerate(names) if self._letters in name]
        if fitting:
            self.query_one(OptionList).highlighted = fitting[0]

    def action_take(self, number: int) -> None:
        """Choose by number."""
        if number <= len(self._choices):
            self.dismiss(self._choices[number - 1][0])


def _line(number: int, name: str, label: str, width: int) -> Content:
    key = str(number) if number <= NUMBERED else " "
    if name == str(number):
        return Content.assemble((name, "bold $primary"), f"  {label}")
    return Content.assemble(
        (key, "bold $primary"), f"  {fit(tame(name), width)}", (f"  {label}", "$memtui-dim") if label else ""
    )


def pick(
    app: App[Any],
    title: str,
    choices: Sequence[tuple[str, str]],
    current: str,
    take: Callable[[str], object],
    *,
    left: str | None = None,
) -> None:
    """Let a name be chosen over the screen; `left` is taken where the choice is left, nothing if it is None."""

    def take_chosen(name: str | None) -> None:
        name = left if name is None else name
        if name is not None:
            take(name)

    app.push_screen(ChoiceScreen(title, choices, current), take_chosen)


class ThemePicker(OptionScreen):
    """A list of themes; returns the one that was kept."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", "back to the old theme")]

    def __init__(self, names: Sequence[str], current: str) -> None:
        super().__init__()
        self._names = list(names)
        self._current = current

    def compose(self) -> ComposeResult:
        choices = OptionList(*(Option(Content(name), id=name) for name in self._names), id="theme-list", markup=False)
        choices.border_title = Content("Theme")
        choices.border_subtitle = Content("enter keeps · esc goes back")
        choices.highlighted = self._names.index(self._current)
        yield choices

    @on(OptionList.OptionHighlighted, "#theme-list")
    def _preview(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_id is not None:
            self.app.theme = event.option_id

    @on(OptionList.OptionSelected, "#theme-list")
    def _keep(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id)

    def action_leave(self) -> None:
        """Go back to the theme that was in force."""
        self.app.theme = self._current
        super().action_leave()


def read_memory(screen: MemtuiScreen, identifier: str) -> None:
    def show(detail: Detail | None) -> None:
        if detail is None:
            screen.say("This memory no longer exists.", severity="warning")
        else:
            screen.app.push_screen(CardScreen("Memory", describe(detail)))

    screen.loader.read(lambda: screen.access.detail(identifier), show, group="memory")


def send_escape(app: App[Any], text: str) -> bool:
    """Send a text as OSC 52 between two frames rather than into one."""
    app.copy_to_clipboard(without_surrogates(text))
    return True
