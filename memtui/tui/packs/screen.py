"""Packs: recorded payloads, and feedback on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from memtui.curate.packs import UsedPack, used_packs
from memtui.errors import MemtuiError
from memtui.text.sanitize import tame
from memtui.text.words import counted
from memtui.tui.actions import registry
from memtui.tui.actions.registry import LISTING, PACKS, Action
from memtui.tui.context.ask import Ask, lines_of
from memtui.tui.list_detail import ListDetail
from memtui.tui.list_filter import ListFilter
from memtui.tui.packs.view import (
    NOT_READ,
    MemberRow,
    PackRead,
    PackRow,
    PackSince,
    copy_again,
    give_feedback,
    member_cells,
    member_lines,
    pack_blocks,
    pack_cells,
    pack_row,
    read_pack,
    sent_blocks,
    sent_text,
    since_blocks,
    since_pack,
    stop_asking,
)
from memtui.tui.screens.dialogs import CardScreen, read_memory, send_escape
from memtui.tui.state import Opening, state_of
from memtui.tui.widgets.detail import DetailPane
from memtui.tui.widgets.lines import AskLine, Question, TitleLine
from memtui.tui.widgets.lists import PickList
from memtui.tui.widgets.row_list import RowList

_VERDICTS = frozenset({"packs-helped", "packs-hurt", "packs-corrected", "packs-unused"})
_REASON = "reason"
_QUESTIONS = {_REASON: Question("Reason", verb="saves it", longest=400)}
_DONE_TO_A_PACK = {
    **dict.fromkeys(_VERDICTS, "rate"),
    "packs-leave": "leave unrated",
    "packs-context": "open in Context",
    "packs-copy": "copy",
    "packs-since": "compare",
    "packs-read": "read",
    "packs-told": "show details of",
}
_HOW_TO_COPY = "Copy one in Context (c, then y); a week later you are asked whether it helped."


class PacksScreen(ListDetail):
    """The packs beside the memories of one; feedback is on the pack, or on one memory where their pane is focused."""

    AREA = PACKS
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(PACKS, LISTING)
    ANSWERS: ClassVar[Mapping[str, tuple[Any, ...]]] = {
        "packs-helped": ("_give", "helped"),
        "packs-hurt": ("_give", "hurt"),
        "packs-corrected": ("_give", "corrected"),
        "packs-unused": ("_give", "unused"),
        "packs-list": ("enter_first",),
        "packs-members": ("enter_second",),
        "packs-pane": ("enter_other",),
    }
    AUTO_FOCUS = "#packs-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall"), (34, "-high")]  # noqa: RUF012 - the same

    def __init__(self, opening: Opening) -> None:
        self._list: RowList[PackRow] = RowList(pack_cells, id="packs-list")
        self._members: RowList[MemberRow] = RowList(member_cells, id="packs-members")
        self._text = DetailPane(id="packs-text")
        self._text.add_class("pane")
        super().__init__(opening, self._list, self._members)
        self.sifting = ListFilter(self, self._list, "words of a task, or what became of it")
        self.parts = (self.sifting,)
        self._title = TitleLine("Packs", id="packs-title")
        self._line = AskLine(_QUESTIONS, id="packs-ask")
        self._used: dict[str, UsedPack] = {}
        self._shown: PackRead | None = None
        self._sent: dict[str, str | None] = {}  # Texts by pack, as the vault is now
        self._reason = ""  # Why the next feedback is given
        self._asked_from: PickList = self._list
        self._listed = False

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="packs-panes"):
            yield self._list
            with Vertical(id="packs-beside"):
                yield self._members
                yield self._text
        yield self._line
        yield from self.typed_lines()
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is read after the first paint."""
        self._list.set_title("1 Packs")
        self._members.set_title("2 Memories")
        self._text.set_title("Text as it was sent")
        self.begin_looking()

    @property
    def current_memory(self) -> str | None:
        """The memory under the cursor, for screens that are opened from here."""
        row = self._members.current if self._is_on_memory else None
        return row.id if row is not None and row.exists else None

    def on_descendant_focus(self) -> None:
        """Show the pane that is focused, and its keys."""
        super().on_descendant_focus()
        if isinstance(self.focused, PickList):
            self.set_class(self._is_on_memory, "-reading")

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        self.looked_at = self.access.signature()
        self._sent = {}
        self.loader.read(self._read_packs, self._show_packs, group="list")

    def _read_packs(self) -> Sequence[UsedPack]:
        """Return the packs of what is in view."""
        vault = self.access.read_vault
        with vault.read() as reader:
            scope = self.access.view_of(reader).listing_scope
        return used_packs(vault, scope)

    @property
    def _in_project(self) -> str:
        """Where the packs are listed of: those of other projects are not told of."""
        view = self.access.view
        return f" in {tame(view.project, 40)}" if view is not None and view.project else ""

    def _show_packs(self, packs: Sequence[UsedPack]) -> None:
        self.trouble_is_over()
        self._listed = True
        self._used = {used.pack.id: used for used in packs}
        now, current = self.opening.vault.now(), self._list.current
        self._list.show(
            [pack_row(used, now) for used in packs],
            follow=(lambda row: row.id == current.id) if current is not None else None,
            notice=(f"No payload has been copied yet{self._in_project}.", _HOW_TO_COPY),
        )
        waiting = sum(used.awaits for used in packs)
        self._show_reason()
        self._title.place = self.access.place_words
        self._title.note = f"{counted(waiting, 'pack waits', 'packs wait')} for feedback" if waiting else ""

    def look_failed(self, error: MemtuiError) -> None:
        """Show the error, in the list too where nothing was read yet."""
        super().look_failed(error)
        if not self._listed:
            self._list.show((), notice=tuple(filter(None, (error.what, error.where, error.remedy))))

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        if message.list is not self._list:
            return
        if self._list.current is None:
            self.stop_rest()
            self._shown = None
            self._text.show((), from_top=True)
            self._members.show(())
            self._members.set_title("2 Memories")
        else:
            used = self._used[self._list.current.id]
            self.read_rested(lambda: read_pack(self.access, used), self._show_pack)

    def _show_pack(self, read: PackRead) -> None:
        row = self._list.current
        if row is None or row.id != read.used.pack.id:
            return
        is_same = self._shown is not None and self._shown.used.pack.id == row.id
        self._shown = read
        self._members.show(member_lines(read), from_top=not is_same)
        if not is_same:
            self._members.scroll_to(y=0, animate=False)
        self._members.set_title(f"2 Memories of pack {row.id}", "o opens its task in Context, d compares")
        if not is_same:
            self._text.show(NOT_READ, from_top=True)
        self._read_text()

    def on_resize(self) -> None:
        """Read the text where it came into sight."""
        self.call_after_refresh(self._read_text)

    def _read_text(self) -> None:
        """Show the exact text of the pack under the cursor where there is room for it."""
        read, kept = self._read_of_current(), self._sent
        if read is None or not self._text.display:
            return
        pack = read.used.pack

        def show(text: str | None) -> None:
            kept[pack.id] = text
            if self._shown is not None and self._shown.used.pack.id == pack.id:
                self._text.show(sent_blocks(text), from_top=False)

        if pack.id in kept:
            show(kept[pack.id])
        else:
            self.loader.read(lambda: sent_text(self.access, pack), show, group="text")

    # -- feedback ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an action is not possible now."""
        if action.id in _DONE_TO_A_PACK and self._list.current is None:
            return f"No pack to {_DONE_TO_A_PACK[action.id]}."
        if action.id == "packs-told" and self._read_of_current() is None:
            return "The pack is being read."
        if action.id in _VERDICTS and self._is_on_memory and self._members.current is None:
            return "No memory is under the cursor."
        if action.id == "packs-leave" and not self._current.awaits:
            return "This pack is not waiting for feedback."
        return super().why_not(action)

    @property
    def _is_on_memory(self) -> bool:
        """Whether feedback is on one memory rather than on the pack."""
        return self.focused is self._members

    @property
    def _current(self) -> UsedPack:
        """The pack under the cursor; `why_not` lets no action through without one."""
        row = self._list.current
        return self._used[row.id if row is not None else ""]

    def _read_of_current(self) -> PackRead | None:
        """Return the pack under the cursor in full, None while it is being read."""
        row, shown = self._list.current, self._shown
        return shown if shown is not None and row is not None and shown.used.pack.id == row.id else None

    def _give(self, verdict: str) -> None:
        row = self._members.current if self._is_on_memory else None
        pack_id = self._shown.used.pack.id if row is not None and self._shown is not None else self._current.pack.id
        only = (row.id,) if row is not None else ()
        reason, self._reason = self._reason, ""
        self._line.close()
        self._show_reason()
        self.do(lambda: give_feedback(self.access, pack_id, verdict, only=only, reason=reason))

    @property
    def typed_about(self) -> str:
        """The pack that a reason is of."""
        return self._current.pack.id if self._used else ""

    def action_packs_leave(self) -> None:
        """Stop asking for feedback on a pack."""
        pack = self._current.pack
        self.do(lambda: stop_asking(self.access, pack))

    def action_packs_reason(self) -> None:
        """Ask for the reason of the next feedback."""
        self._asked_from = self._members if self._is_on_memory else self._list
        self._line.open(_REASON, self._reason)

    @on(AskLine.Given)
    def _keep_reason(self, message: AskLine.Given) -> None:
        message.stop()
        self._reason = " ".join(message.text.split())
        self._close_line()

    def _close_line(self) -> None:
        self._line.close()
        self._show_reason()
        self._asked_from.focus()

    def _show_reason(self) -> None:
        """Show the reason that the next feedback gets."""
        reason = f"because: {tame(self._reason, 50)}" if self._reason else ""
        self._list.set_title("1 Packs", reason or counted(len(self._used), "pack"))

    def leave_line(self) -> bool:
        """Close the line of the reason; False where it is closed."""
        if not self._line.is_open:
            return super().leave_line()
        self._close_line()
        return True

    # -- the payload ------------------------------------------------------------------------------

    def action_packs_context(self) -> None:
        pack = self._current.pack
        state = state_of(self.app, self.opening.vault)
        state.in_run[self.opening.place] = {**lines_of(pack), **Ask.of(pack).choices.remembered()}
        # In the app's own turn: a screen that awaits its own removal would wait for ever.
        self.app.call_later(self.action_act, "go-context")

    def action_packs_copy(self) -> None:
        pack = self._current.pack
        self.do(lambda: copy_again(self.access, pack, lambda text: send_escape(self.app, text)))

    def action_packs_since(self) -> None:
        """Compare what its task gives today with what it gave then."""
        used = self._current

        def show(since: PackSince) -> None:
            self.app.push_screen(CardScreen("Since then", since_blocks(used, since)))

        self.loader.read(lambda: since_pack(self.access, used.pack), show, group="memory")

    def action_packs_told(self) -> None:
        """Read everything about the pack."""
        read = self._read_of_current()
        if read is not None:
            self.app.push_screen(CardScreen("Pack", pack_blocks(read)))

    # -- panes ------------------------------------------------------------------------------------

    def action_packs_read(self) -> None:
        """Go to the memories; from there, read one in full."""
        row = self._members.current
        if not self._is_on_memory:
            self.enter_second()
        elif row is not None:
            read_memory(self, row.id)

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("packs-read")
