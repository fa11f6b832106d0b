"""What titles take from code below a heading, and from texts made of fields."""

from __future__ import annotations

import pytest
from title_rules import title_by_rules

from memtui.analysis.titles import title_for


def fenced(language: str, *lines: str) -> str:
    return "\n".join((f"```{language}", *lines, "```"))


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (
            fenced("py", "# ❌ Lifting single ropes", "lift(rope)", "# ✅ Lift the whole net", "lift(net)"),
            ("Harbour", "Crane work"),
            "Harbour: Crane work: Lift the whole net, not lifting single ropes",
        ),
        (
            "Bad:\n"
            + fenced("ts", "// WRONG — tide tables in the view", "show(tide())")
            + "\n\nGood:\n"
            + fenced("ts", "// RIGHT — ask the pilot", "show(pilot.tide())"),
            ("Quay view",),
            "Quay view: ask the pilot, not tide tables in the view",
        ),
        (
            fenced("py", "# ❌ Mooring single boats", "moor(boat)"),
            ("What harbour tests should not do",),
            "What harbour tests should not do: Mooring single boats",
        ),
        (
            fenced("py", '# BAD: log(f"Key: {key}")', "# GOOD: log('opened')"),
            ("Harbour", "Crane keys"),
            "Crane keys: log('opened'), not log(f\"Key: {key}\")",
        ),
        (  # code that is right says nothing of why where there is no room for the wrong one
            fenced(
                "py",
                '# BAD: log(f"Boat {name} left the quay at {time} with {rope}")',
                "# GOOD: log('Boat %s left the quay', name)",
            ),
            ("Harbour", "Lines of the log"),
            'Lines of the log: Avoid: log(f"Boat {name} left the quay at {time} with {rope}")',
        ),
        (
            fenced("toml", "[harbour]", 'name = "East"', "[tool.crane]", "tons = 4", "[[gate]]", "open = 6"),
            ("Harbour", "Settings (harbour.toml)"),
            "Settings (harbour.toml): harbour, tool.crane, gate",
        ),
        (
            fenced("", "Pilot (radio)", "   ↓ calls", "Gate keeper", "   ↓", "Crane  # lifts"),
            ("Harbour", "Way of a call"),
            "Way of a call: Pilot → Gate keeper → Crane",
        ),
        (
            fenced("", "Pilot → Gate → Crane", "          ↓", "        Hold"),
            ("Harbour", "Way of a call"),
            "Way of a call: Pilot → Gate → Crane",
        ),
        # a heading that states the rule says more
        (
            fenced("py", "# ❌ Lifting ropes", "lift(rope)"),
            ("Harbour", "Never lift a rope at night"),
            "Never lift a rope at night",
        ),
    ],
)
def test_code_says_what_its_heading_is_about(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path).endswith(title)


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (
            "**层次**: 港口 / Harbour\n**職責**: 管理所有起重機的班次。\n**不包含**: 燈號",
            ("harbour.module — 檔案",),
            "harbour.module — 檔案: 管理所有起重機的班次",
        ),
        (
            "**描述**: 起重機的 Port 定義。\n**函數清單**:\n- `liftBoat` — 吊起\n- `lowerBoat` — 放下",
            ("harbour", "src/cranes/_ports.ts"),
            "src/cranes/_ports.ts: 起重機的 Port 定義",
        ),
        ("**描述**: 起重機改為雙臂。", ("harbour", "_parts/crane-view.tsx"), "_parts/crane-view.tsx: 起重機改為雙臂"),
        (
            "**Route**: `/crane`\n**Purpose**: Shows which crane lifts next.\n**Owner**: quay",
            ("Pages", "Crane page"),
            "Crane page: Shows which crane lifts next",
        ),
        (
            "- **Lamps:** switch them on\n- **About:** version, links\n- **Leave:** close the gate",
            ("Harbour", "Gate menu"),
            "Gate menu: Lamps, About, Leave",
        ),
    ],
)
def test_a_record_is_titled_by_what_describes_it(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_for(text, path).endswith(title)


def test_a_record_below_a_long_path_is_titled_below_its_end() -> None:
    text = "**描述**: 起重機班次批次寫入器 — 緩衝寫入操作並原子性沖刷，支援超過五百操作限制\n**函數清單**:\n- `lift`"

    title = title_for(text, ("harbour", "src/harbour/cranes/night/shift/batchWriter.ts"))

    assert title.startswith("…/batchWriter.ts: ")


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (
            (
                "Rented or borrowed cranes such as `north`, `south`, and whatever the neighbours' yard sends over "
                "should not be oiled by hand."
            ),
            ("Harbour",),
            "Rented or borrowed cranes should not be oiled by hand",
        ),
        (
            (
                "Add a rehearsal for the whole crew that moves:\n\n"
                "1. `north` on a real barge of the outer pier until nobody waits there any longer at all today.\n"
                "2. `south` to lift whatever stands behind the sheds of the inner pier and blocks the way."
            ),
            ("Harbour",),
            "Add a rehearsal for the whole crew",
        ),
        (
            (
                "The log has the following kinds of rows, to tell the pilots of the next watch what happened:\n\n"
                "- fix: a rope was mended\n- lift: a boat was lifted\n- fog: no boat was lifted"
            ),
            ("Harbour log",),
            "The log has kinds of rows: fix, lift, fog",
        ),
        (
            "Two reasons. The cranes of the east pier turn slowly.",
            ("Harbour", "Why two piers"),
            "Why two piers: The cranes of the east pier turn slowly",
        ),
        (
            "Use plain words for every knot.",
            ("Knot rule files", "Style"),
            "Knot rule files: Style: Use plain words for every knot",
        ),
    ],
)
def test_a_title_ends_with_what_its_words_wait_for(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path).endswith(title)


def test_a_title_does_not_say_half_of_its_heading_and_then_all_of_it() -> None:
    text = "The cranes of the east pier turn slowly in the morning, when all of the lamps along the quay are still wet."

    title = title_by_rules(text, ("Harbour", "Why the east pier has cranes of its own instead of borrowed ones"))

    assert title.count("Why the east pier") <= 1


def test_a_heading_of_one_long_run_of_capitals_is_read() -> None:
    heading = f"H2{'A' * 200} guide"  # a pattern that tries all its parts would not come to an end
    assert title_for("Boats are lifted at noon.", ["Harbour", heading])


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (  # long commands are named by what their comments say
            fenced(
                "bash",
                "# Lift a boat out of the water",
                "crane --berth north --slings 4 --wind-limit 6 lift",
                "",
                "# Launch it again (at high tide)",
                "crane --berth north --slings 4 --wait-for-tide launch",
            ),
            ("Harbour", "Crane"),
            "Harbour: Crane: Lift a boat out of the water, Launch it again",
        ),
        (  # short ones name themselves
            fenced("bash", "# Lift a boat", "crane lift", "", "# Launch it", "crane launch"),
            ("Harbour", "Crane"),
            "Harbour: Crane: crane lift, crane launch",
        ),
        (  # what the code begins with has no comment
            fenced(
                "sql", "SELECT * FROM boats;", "", "-- Boats that left", "SELECT 1;", "", "-- All cranes", "SELECT 2;"
            ),
            ("Harbour", "Stored queries"),
            "Harbour: Stored queries",
        ),
        (
            "Marks that the gate keeper looks for:\n\n"
            + fenced("regex", "# Names of boats", "[A-Z]+", "---", "", "# Berths and quays", "[NS][0-9]"),
            ("Harbour", "Gate"),
            "Marks that the gate keeper looks for: Names of boats, Berths and quays",
        ),
        (  # a remark behind code that states no rule says less than the parts of the code
            fenced(
                "bash",
                "# Survey of the whole harbour",
                "survey --everything --with-cranes --season winter",
                "",
                "# Survey of one quay",
                "survey --quay north --season winter --brief",
            )
            + "\n\nReports go to `reports/surveys/`.",
            ("Harbour", "Survey scripts"),
            "Survey scripts: Survey of the whole harbour, Survey of one quay",
        ),
    ],
)
def test_parts_of_code_are_named_by_the_comments_above_them(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path) == title


def test_a_long_sentence_keeps_what_its_first_call_is_given() -> None:
    settings = '`crane_config = CraneConfiguration(env_file=".crane")`'
    text = f"**Settings of cranes**: `class Crane(HarbourMachine)` with {settings}"
    title = title_by_rules(text, ("Harbour",))
    assert "class Crane(HarbourMachine)" in title
    assert "CraneConfiguration()" in title
