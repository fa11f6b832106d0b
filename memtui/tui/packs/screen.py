"""Packs: recorded payloads and feedback on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from memtui.errors import MemtuiError
from memtui.tui.actions import registry
from memtui.tui.actions.action import Action
from memtui.tui.actions.table import CONTEXT, PACKS
from memtui.tui.context.choices import of_kept
from memtui.tui.launch_options import Opening
from memtui.tui.list_detail import ListDetail
from memtui.tui.messages import LookFailed
from memtui.tui.packs import queries
from memtui.tui.packs.lists import MemberList, PackList
from memtui.tui.packs.queries import PackRead, PacksAccess, PackSince
from memtui.tui.screens.dialogs import CardScreen
from memtui.tui.screens.memory_cards import MemoryCards
from memtui.tui.state import State
from memtui.tui.text_layout import counted, tame
from memtui.tui.widgets.lines import AskLine, Question, TitleLine
from memtui.tui.widgets.lists import PickList

if TYPE_CHECKING:
    from memtui.curate.packs import UsedPack

RESTING_SECONDS = 0.05
"""Pause of the cursor before a pack is read in full."""

VERDICT_OF = {
    "packs-helped": "helped",
    "packs-hurt": "hurt",
    "packs-corrected": "corrected",
    "packs-unused": "unused",
}
"""Actions that give feedback, with the verdict of each."""

_REASON = "reason"
_QUESTIONS = {_REASON: Question("Because", verb="keeps it", longest=400)}
_NEED_A_PACK = frozenset(
    {*VERDICT_OF, "packs-leave", "packs-context", "packs-copy", "packs-read", "packs-told", "packs-since"}
)
_NONE_YET = (
    "No payload was used yet.",
    "Copy one in Context (c, then y); a week later you are asked whether it helped.",
)


@dataclass
class PacksListed(Message):
    """The packs were read."""

    packs: Sequence[UsedPack]
    ticket: int


@dataclass
class PackShown(Message):
    """A pack was read in full."""

    read: PackRead


@dataclass
class PackCompared(Message):
    """What a pack's task gives today was made."""

    used: UsedPack
    since: PackSince


class PacksScreen(ListDetail, MemoryCards):
    """The packs beside the memories of one of them; feedback is of the focused pane: the pack, or one memory.

    Args:
        opening: what the app was opened with.
    """

    AREA = PACKS
    BINDINGS: ClassVar[list[BindingType]] = registry.bindings(PACKS)
    AUTO_FOCUS = "#packs-list"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it as a class variable
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]  # noqa: RUF012 - the same

    def __init__(self, opening: Opening) -> None:
        self._list = PackList(id="packs-list")
        self._members = MemberList(id="packs-members")
        super().__init__(opening, self._list, self._members)
        self._packs = PacksAccess(opening)
        self._title = TitleLine("Packs", id="packs-title")
        self._line = AskLine(_QUESTIONS, id="packs-ask")
        self._used: dict[str, UsedPack] = {}
        self._shown: PackRead | None = None
        self._reason = ""
        self._asked_from: PickList = self._list
        self._listed = False
        self._ticket = 0
        self._rest: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._title
        with Horizontal(id="packs-panes"):
            yield self._list
            yield self._members
        yield self._line
        yield self.hints

    def on_mount(self) -> None:
        """Draw the empty panes; the vault is asked after the first picture."""
        self._list.set_title("1 Packs")
        self._members.set_title("2 Memories")
        self.begin_looking()

    @property
    def current_memory(self) -> str | None:
        """The memory under the cursor, for screens that are gone to from here."""
        row = self._members.current if self.focused is self._members else None
        return row.id if row is not None and row.is_there else None

    # -- reading ----------------------------------------------------------------------------------

    def look_again(self) -> None:
        """Read the packs."""
        self._ticket += 1
        self.looked_at = self.access.signature()
        self._read_packs(self._ticket)

    @work(thread=True, exclusive=True, group="list", exit_on_error=False)
    def _read_packs(self, ticket: int) -> None:
        if ticket != self._ticket:
            return
        try:
            packs = self._packs.packs()
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(PacksListed(packs, ticket))

    @work(thread=True, exclusive=True, group="detail", exit_on_error=False)
    def _read_pack(self, used: UsedPack) -> None:
        try:
            read = self._packs.read(used)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(PackShown(read))

    # -- what workers report ----------------------------------------------------------------------

    @on(PacksListed)
    def _show_packs(self, message: PacksListed) -> None:
        if message.ticket != self._ticket:
            return
        self.trouble_is_over()
        self._listed = True
        self._used = {used.pack.id: used for used in message.packs}
        now = self.opening.vault.now()
        self._list.show([queries.pack_row(used, now) for used in message.packs], notice=_NONE_YET)
        waiting = sum(used.awaits for used in message.packs)
        self._tell_reason()
        self._title.note = f"{counted(waiting, 'pack waits', 'packs wait')} for a word" if waiting else ""

    @on(PickList.Highlighted)
    def _follow_cursor(self, message: PickList.Highlighted) -> None:
        message.stop()
        if message.list is not self._list:
            return
        if self._rest is not None:
            self._rest.stop()
        if self._list.current is None:
            self._shown = None
            self._members.show((), (), same=False)
            self._members.set_title("2 Memories")
        else:
            self._rest = self.set_timer(RESTING_SECONDS, self._read_current)

    def _read_current(self) -> None:
        row = self._list.current
        if row is not None:
            self._read_pack(self._used[row.id])

    @on(PackShown)
    def _show_pack(self, message: PackShown) -> None:
        row, read = self._list.current, message.read
        if row is None or row.id != read.used.pack.id:
            return
        is_same = self._shown is not None and self._shown.used.pack.id == row.id
        self._shown = read
        rows = [queries.member_row(one) for one in read.members]
        self._members.show(queries.head_lines(read.used, read.members), rows, same=is_same)
        self._members.set_title(f"2 Memories of pack {row.id}", "o opens its task in Context, d compares")

    def look_failed(self, error: MemtuiError) -> None:
        """Tell of a look that failed, in place of the packs where none were read yet."""
        super().look_failed(error)
        if not self._listed:
            self._list.show((), notice=tuple(filter(None, (error.what, error.where, error.remedy))))

    # -- feedback ---------------------------------------------------------------------------------

    def why_not(self, action: Action) -> str | None:
        """Return why an act cannot be done now."""
        if action.id in _NEED_A_PACK and self._list.current is None:
            return "No pack is under the cursor."
        if action.id == "packs-told" and self._read_of_current() is None:
            return "The pack is being read."
        if action.id in VERDICT_OF and self._is_on_memory and self._members.current is None:
            return "No memory is under the cursor."
        if action.id == "packs-leave" and not self._current_pack().awaits:
            return "Nobody asks about this pack."
        return super().why_not(action)

    @property
    def _is_on_memory(self) -> bool:
        """Whether feedback is of one memory rather than of the pack."""
        return self.focused is self._members

    def _current_pack(self) -> UsedPack:
        """Return the pack under the cursor; `why_not` lets nothing through without one."""
        row = self._list.current
        return self._used[row.id if row is not None else ""]

    def _read_of_current(self) -> PackRead | None:
        """Return the pack under the cursor in full, None while it is being read."""
        row = self._list.current
        shown = self._shown
        return shown if shown is not None and row is not None and shown.used.pack.id == row.id else None

    def _give(self, verdict: str) -> None:
        row = self._members.current if self._is_on_memory else None
        shown = self._shown
        pack_id = shown.used.pack.id if row is not None and shown is not None else self._current_pack().pack.id
        only = (row.id,) if row is not None else ()
        reason, self._reason = self._reason, ""
        self._line.close()
        self._tell_reason()
        self.do(lambda: self._packs.give(pack_id, verdict, only=only, reason=reason))

    def action_packs_helped(self) -> None:
        """Say that it helped."""
        self._give("helped")

    def action_packs_hurt(self) -> None:
        """Say that it hurt."""
        self._give("hurt")

    def action_packs_corrected(self) -> None:
        """Say that it had to be corrected."""
        self._give("corrected")

    def action_packs_unused(self) -> None:
        """Say that it was not used."""
        self._give("unused")

    def action_packs_leave(self) -> None:
        """Leave a pack unanswered."""
        pack = self._current_pack().pack
        self.do(lambda: self._packs.leave(pack))

    def action_packs_reason(self) -> None:
        """Ask for the reason of the next word of feedback."""
        self._asked_from = self._members if self._is_on_memory else self._list
        self._line.open(_REASON, self._reason)

    @on(AskLine.Given)
    def _keep_reason(self, message: AskLine.Given) -> None:
        message.stop()
        self._reason = " ".join(message.text.split())
        self._close_line()

    def _close_line(self) -> None:
        self._line.close()
        self._tell_reason()
        self._asked_from.focus()

    def _tell_reason(self) -> None:
        """Show what the next word of feedback takes with it."""
        self._list.set_title("1 Packs", self._reason_words() or counted(len(self._used), "pack", "packs"))

    def _reason_words(self) -> str:
        return f"because: {tame(self._reason, 50)}" if self._reason else ""

    # -- looking ----------------------------------------------------------------------------------

    def action_packs_context(self) -> None:
        """Open the pack's task in Context."""
        pack = self._current_pack().pack
        state = getattr(self.app, "state", None)
        if isinstance(state, State):
            lines, choices = of_kept(pack)
            state.remember(CONTEXT, {**lines, **choices.remembered()})
        # In the app's own turn: this screen would wait in its turn for itself to be gone.
        self.app.call_later(self.action_act, "go-context")

    def action_packs_copy(self) -> None:
        """Copy the payload again."""
        pack = self._current_pack().pack
        self.do(lambda: self._packs.copy_again(pack, self.send_escape))

    def action_packs_since(self) -> None:
        """Show what its task gives today beside what it gave then."""
        self._read_since(self._current_pack())

    @work(thread=True, exclusive=True, group="memory", exit_on_error=False)
    def _read_since(self, used: UsedPack) -> None:
        try:
            since = self._packs.since(used.pack)
        except MemtuiError as error:
            self.post_message(LookFailed(error))
        else:
            self.post_message(PackCompared(used, since))

    @on(PackCompared)
    def _show_since(self, message: PackCompared) -> None:
        self.app.push_screen(CardScreen("Since then", queries.since_blocks(message.used, message.since)))

    def action_packs_told(self) -> None:
        """Read all that is known of the pack."""
        read = self._read_of_current()
        if read is not None:
            self.app.push_screen(CardScreen("Pack", queries.told(read.used, read.verdicts)))

    def action_packs_read(self) -> None:
        """Go to the memories; from there, read one in full."""
        row = self._members.current
        if not self._is_on_memory:
            self.enter_second()
        elif row is not None:
            self.read_memory(row.id)

    @on(PickList.Chosen)
    async def _choose(self, message: PickList.Chosen) -> None:
        message.stop()
        await self.action_act("packs-read")

    def action_packs_members(self) -> None:
        """Go to the memories of the pack."""
        self.enter_second()

    def action_packs_list(self) -> None:
        """Go to the packs."""
        self.enter_first()

    def action_packs_pane(self) -> None:
        """Go to the other pane."""
        self.enter_other()

    def leave_line(self) -> bool:
        """Close the line of the reason; False where it is closed."""
        if not self._line.is_open:
            return False
        self._close_line()
        return True

    @property
    def hint_place(self) -> str:
        """Which keys the footer shows."""
        return "packs-line" if isinstance(self.focused, Input) else PACKS

    def on_descendant_focus(self) -> None:
        """Show the pane that is focused; its keys are shown by what all screens of panes share."""
        if isinstance(self.focused, PickList):
            self.set_class(self.focused is self._members, "-reading")
