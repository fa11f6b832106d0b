"""What the places of two memories in files say: headings, lists, sections, records."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from curating import START
from support import make_memory

from memtui.analysis.contradictions import find_contradictions
from memtui.analysis.duplicates import DuplicateGroup, find_duplicates
from memtui.analysis.section_context import are_in_one_section, hold_elsewhere, unheaded
from memtui.analysis.snapshot import Alike, Snapshot, pair_of
from memtui.analysis.suggestions import propose_links
from memtui.domain.kinds import Kinds
from memtui.domain.memory import Anchor, Memory, Source

MOOR = "Moor with two lines."


def filed(identifier: str, insight: str, native: str, path: str = "AGENTS.md", format_: str = "agents-md") -> Memory:
    source = Source(format=format_, path=path, native_id=native)
    return make_memory(id=identifier, title=insight[:40], insight=insight, project="port", sources=(source,))


def rest() -> list[Memory]:
    return [
        filed(f"rest{number}", f"Pier {name} is swept at dawn.", f"Sweep {name}#1") for number, name in enumerate("abc")
    ]


def group_of(one: Memory, other: Memory, cosine: float | None = None) -> DuplicateGroup | None:
    alike = [] if cosine is None else [Alike(one.id, other.id, cosine)]
    found = find_duplicates(Snapshot([one, other, *rest()]), alike=alike)
    return next((group for group in found if {one.id, other.id} == set(group.ids)), None)


@pytest.mark.parametrize(
    ("insight", "native", "told"),
    [
        (f"Harbour > Berths: {MOOR}", "Harbour > Berths#2", MOOR),
        (f"Harbour > Berths: {MOOR}", "Harbour Work Rules > Daily > 4. Berths#2", MOOR),  # Shortened, one left out
        (f"Berths:\n\n- {MOOR}", "Harbour > Berths (all of them)#1", f"- {MOOR}"),
        (f"A06: Old Ropes: {MOOR}", "Harbour > A06: Old Ropes#1", MOOR),
        (f"Mates: {MOOR}", "Harbour > Berths#1", f"Mates: {MOOR}"),
        (f"Berths > Harbour: {MOOR}", "Harbour > Berths#1", f"Berths > Harbour: {MOOR}"),
        (f"What not to do: {MOOR}", "Harbour > What not to do#1", f"What not to do: {MOOR}"),  # It turns the meaning
    ],
)
def test_the_headings_put_before_a_text_are_known_though_they_were_shortened(
    insight: str, native: str, told: str
) -> None:
    assert unheaded(filed("one", insight, native)) == told


@pytest.mark.parametrize(
    ("here", "there", "pile"),
    [
        (("Harbour > Berths", "AGENTS.md"), ("Crane > Loads > Lines", "crane.md"), "easy"),
        (("Harbour > Berths", "AGENTS.md"), ("Harbour > A06: Loads > Lines", "AGENTS.md"), "easy"),
        (("Harbour > Berths", "AGENTS.md"), ("Harbour > Cranes", "AGENTS.md"), None),  # Of a list of things
        (("Backend > Berths", "AGENTS.md"), ("Mobile > Loads > Lines", "crane.md"), None),
        (("Testing > Berths", "AGENTS.md"), ("Development > Loads > Lines", "crane.md"), "easy"),
    ],
)
def test_the_same_sentence_below_other_headings_is_an_easy_duplicate(
    here: tuple[str, str], there: tuple[str, str], pile: str | None
) -> None:
    one, other = (
        filed(name, f"{heading.rpartition(' > ')[2]}: {MOOR}", f"{heading}#1", path)
        for name, (heading, path) in (("one", here), ("other", there))
    )
    group = group_of(one, other)
    assert (group and (group.pile, group.warnings, group.score)) == (pile and (pile, (), 1.0))


def test_what_keeps_the_same_sentence_apart_is_told() -> None:
    one, other = (
        make_memory(
            id=name, title=MOOR, insight=MOOR, anchors=(Anchor(path),), project="port",
            sources=(Source(format="agents-md", path=f"{name}.md", native_id=f"{name} > Lines#1"),),
        )
        for name, path in (("one", "a.py"), ("other", "b.py"))
    )  # fmt: skip
    short = [
        filed(name, f"{name.title()}: Moor well.", f"{name.title()} > Ropes > Lines#1", f"{name}.md")
        for name in ("quay", "lock")
    ]
    group = group_of(one, other)
    assert group is not None
    assert (group.pile, group.warnings) == ("look", ("tied to different files",))
    assert group_of(short[0], short[1]) is None, "three words are the same by chance"


def test_the_same_sentences_are_easy_beside_the_longer_one_that_opens_with_them() -> None:
    one, other = filed("one", MOOR, "Berths#1"), filed("other", f"Lines: {MOOR}", "Crane > Lines#1", "crane.md")
    code = filed("code", f"{MOOR}\n\n```sh\nmoor --lines 2\n```", "Tools > Moor#1", "tools.md")
    found = find_duplicates(Snapshot([one, other, code, *rest()]))
    assert (found[0].pile, set(found[0].ids)) == ("easy", {"one", "other"})
    assert ("look", "code") in [(group.pile, group.ids[0]) for group in found[1:]], "it holds what they say"


STEPS = "1. Read the chart.\n2. Call the pilot, who never boards after sunset.\n3. Cast off.\n4. Log the hour."
LOAD = "Every load stands on the sheet of the mate"
BOXES = f"Before a lift:\n- [ ] {LOAD}\n- [ ] The brake holds\n- [ ] The hook is shut"
GATES = "\n".join(f"- `port/{side}/gate.md`" for side in ("east", "west", "north"))
TABLE = "Read at night:\n| File | Of |\n|---|---|\n" + "\n".join(
    f"| `port/{side}/gate.md` | the {of} |"
    for side, of in (("east", "lock"), ("west", "mole and its lamp"), ("north", "old yard"), ("south", "coal quay"))
)


@pytest.mark.parametrize(
    ("inner", "outer", "found"),
    [
        ("The pilot never boards after sunset at all.", STEPS, False),
        (f"{LOAD}.", BOXES, False),
        (f"{LOAD}.", f"- {LOAD}\n- The brake holds the whole load", True),
        (GATES, TABLE, False),
    ],
)
def test_one_step_of_a_procedure_or_a_bare_list_of_names_is_no_whole_duplicate(
    inner: str, outer: str, *, found: bool
) -> None:
    group = group_of(filed("inner", inner, "Rules > Loads#1"), filed("outer", outer, "Lift > Work#1", "lift.md"))
    assert (group is not None) == found


BELL = "The watch is not over until the bell rings"
WATCH = (
    f"At the end of a watch do all of this. {BELL}.\n\n1. Read the chart.\n2. Call the pilot.\n3. Log the hour.\n\n"
    "- Never leave the bridge in the dark"
)


@pytest.mark.parametrize(
    ("inner", "outer", "found"),
    [
        (f"- {BELL}", WATCH, True),
        (f"{BELL}. Never leave the bridge in the dark.", WATCH, True),
        (f"{BELL} twice", WATCH, False),
        ("Call the pilot.", WATCH, False),
        ("Call the old pilot of the port", WATCH.replace("Call the pilot", "Call the old pilot of the port"), False),
        (f"{BELL}.", WATCH.replace("over until", "over\nuntil"), True),
        ("Log it.", f"{WATCH}\n- Log it.", False),
    ],
)
def test_a_whole_sentence_of_a_longer_memory_is_said_there_already(inner: str, outer: str, *, found: bool) -> None:
    group = group_of(filed("inner", inner, "Watch > Rules#1"), filed("outer", outer, "Watch#1"))
    assert (group is not None) == found
    assert group is None or (group.ids, group.pile) == (("outer", "inner"), "look")


BACK = "Ships with torn sails in a storm go back to the inner harbour without delay"
SAIL = "A storm with a torn sail means the ship returns to the inner harbour at once"
LIST = ("Rules > Weather > Storms#1", "Rules > Weather > Storms#2")


@pytest.mark.parametrize(
    ("there", "path", "other", "found"),
    [
        (LIST[1], "AGENTS.md", SAIL.replace("torn sail", "lost mast").replace("at once", "under tow"), False),
        (LIST[1], "AGENTS.md", f"{SAIL} and waits", True),
        ("Ships > Sails#1", "ships.md", SAIL.replace("torn sail", "lost mast").replace("at once", "under tow"), True),
    ],
)
def test_two_items_of_one_list_are_duplicates_only_where_they_are_nearly_the_same(
    there: str, path: str, other: str, *, found: bool
) -> None:
    headed = [f"{native.rpartition('#')[0]}: {text}" for native, text in ((LIST[0], SAIL), (there, other))]
    group = group_of(filed("one", headed[0], LIST[0]), filed("other", headed[1], there, path), 0.97)
    assert (group is not None) == found


def test_a_decision_or_code_is_no_duplicate_of_a_rule_that_follows_from_it() -> None:
    rule = filed("rule", f"{SAIL}.", "Ships > Sails#1", "ships.md")
    assert group_of(rule, filed("note", BACK, "Ships#1", "a.md"), 0.97)
    for format_, native, path in (("adr", "0007", "docs/adr/0007.md"), ("skill", "storms", "skills/storms/SKILL.md")):
        record = filed("record", BACK, native, path, format_)
        assert group_of(rule, record, 0.97) is None
    code = "```sh\nmoor --lines 2 --at east\nlamp on --pier east\nlog hour --pier east\n```"
    told = "Moor with `moor --lines 2 --at east`, put the lamp on, log the hour of the pier."
    pair = filed("told", told, "Ships > Lines#1", "ships.md"), filed("code", code, "Tools > Moor#1", "tools.md")
    assert group_of(*pair, 0.9) is None


def test_two_versions_of_one_block_or_table_are_looked_at() -> None:
    calls = [f"port.add{name}(berths)  // {name} first" for name in ("Cranes", "Pilots", "Tugs", "Lamps", "Locks")]
    blocks = [
        "\n".join(("```ts", *calls, "```")),
        "\n".join(("```ts", *calls[:2], "port.addBuoys(berths)", *calls[2:], "```")),
    ]
    rows = "| Ship | Berth | Notes |\n|---|---|---|\n| Heron | 3 | {} |\n| Gannet | 5 | laid up since the storm |"
    tables = [
        rows.format("lies deep, so two tugs"),
        rows.format("two tugs · waits for the tide and for the pilot of the day"),
    ]
    for one, other in (blocks, tables):
        group = group_of(filed("one", one, "Port > Work#1"), filed("other", other, "Yard > Set up#1", "yard.md"))
        assert group is not None
        assert group.pile == "look"


def test_sections_and_scopes_are_read_from_the_headings() -> None:
    def at(native: str, path: str = "AGENTS.md") -> Memory:
        return filed(native, MOOR, native, path)

    one = at("Port > Ships > Heron#1")
    assert all(
        are_in_one_section(one, at(native)) for native in ("Port > Ships > Gannet#1", "Port#1", "Port > Ships#4")
    )
    assert not are_in_one_section(one, at("Port > Cranes > Heron#1"))
    assert not are_in_one_section(one, at("Port > Ships > Heron#2", "b.md"))
    assert hold_elsewhere(at("Staging > Ships#1"), at("Production > Ships#1"))
    assert not hold_elsewhere(at("Staging > Ships#1"), at("Ships#1"))


def links(one: Memory, other: Memory, near: float | None, crowd: float = 0.4, *, apart: bool = False) -> list[str]:
    alike = [] if near is None else [Alike(one.id, other.id, near, crowd)]
    pairs = [pair_of(one.id, other.id)] if apart else []
    return [found.type for found in propose_links(Snapshot([one, other]), [], Kinds(), alike=alike, apart=pairs)]


QUAY = "Quay lamps burn from dusk until the last ship is moored"
DARK = "The harbour master puts each lamp of the quay out when no more boats are expected"
LAMP = "Lamps of the quay go out when the last ship of the evening lies still"


def test_no_link_is_proposed_where_the_source_joins_two_already_or_they_are_another_finding() -> None:
    one = filed("one", QUAY, "Port > Lamps > Quay#1")
    for native, path, found in (
        ("Port > Lamps > Quay#2", "AGENTS.md", []),
        ("Port > Lamps > Mole#1", "AGENTS.md", []),
        ("Port > Ships > Mole#1", "AGENTS.md", ["relates"]),
        ("Port > Lamps > Quay#2", "lamps.md", ["relates"]),
    ):
        other = filed("other", LAMP, native, path)
        assert links(one, other, 0.8) == found
        assert links(one, other, 0.8, apart=True) == []


def test_what_is_near_to_all_around_it_or_shares_only_a_heading_is_no_link() -> None:
    one = filed("one", f"Port > Lamp Rules: {QUAY}", "Port > Lamp Rules#1")
    other = filed("other", f"Yard > Lamp Rules: {DARK}", "Yard > Lamp Rules#1", "yard.md")
    assert links(one, other, 0.78, crowd=0.7) == []
    assert links(one, other, 0.78) == ["relates"]
    shared = "Safe Crane Work Order"
    texts = ("Grease the winch", "Paint the boom")
    pair = [filed(str(at), f"{shared}: {text}", f"{shared}#1", f"{at}.md") for at, text in enumerate(texts)]
    assert links(pair[0], pair[1], None) == links(pair[0], pair[1], 0.8) == [], "only the heading is the same"
    rows = [
        filed(str(at), f"[#{at}](https://forge.example/port/yard/tide/harbour/berth/{at}) {text}", "Done#1", f"{at}.md")
        for at, text in enumerate(("lamps of the mole", "crew of the tug"))
    ]
    assert links(rows[0], rows[1], None) == [], "only the address is the same"


@pytest.mark.parametrize(("days", "found"), [(0, ["relates"]), (3, ["derived-from"])])
def test_nothing_is_derived_from_what_was_written_at_once(days: int, found: list[str]) -> None:
    note = replace(filed("note", f"On Friday {QUAY}", "Log#1", "log.md"), kind="note", observed_at=START)
    rule = replace(
        filed("rule", LAMP, "Lamps#1", "lamps.md"), kind="constraint", observed_at=START + timedelta(days=days)
    )
    assert links(note, rule, 0.8) == found


@pytest.mark.parametrize(
    ("one", "other", "here", "there"),
    [
        ("Tide tables use CSV files", "Crew data uses JSON files", False, True),
        ("A ship waits 4 hours before the lock", "A ship waits 6 hours before the lock", True, True),
    ],
)
def test_neighbours_of_one_list_contradict_each_other_only_where_they_are_about_one_thing(
    one: str, other: str, *, here: bool, there: bool
) -> None:
    def clash(path: str) -> bool:
        pair = filed("one", one, "Port > Berths#1"), filed("other", other, "Port > Berths#2", path)
        return bool(find_contradictions(Snapshot([*pair, *rest()])))

    assert (clash("AGENTS.md"), clash("b.md")) == (here, there)
