"""What a reader of a list relies on: a title says what its memory says, and stands alone."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from title_rules import title_by_rules

from memtui.analysis.grammar import is_balanced
from memtui.analysis.title_fit import MAX_TITLE_CELLS, cut_title
from memtui.analysis.title_headings import scoped, subject_of
from memtui.text.inline import plain_text
from memtui.text.words import cell_width


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("**Never edit `gen/`**: it is overwritten.", "Never edit gen/"),
        ("Never store money as floats. Use cents.", "Never store money as floats"),
        ("**Naming**: use snake_case, e.g. `foo_bar`. More.", "Naming: use snake_case, e.g. foo_bar"),
        ("__Refunds__: a new row", "Refunds: a new row"),
        ("**NEVER touch the seal** (`tank.lock`). Ask first:\n\n```sh\nask\n```", "NEVER touch the seal (tank.lock)"),
        ("Use [the guide](https://x.example/a_(b)) and *care*", "Use the guide and care"),
        ("- [ ] `make check` passes, then push.", "make check passes, then push"),
        ("1. First of all, fetch", "First of all, fetch"),
        ("> Quoted wisdom about locks", "Quoted wisdom about locks"),
        ("Call `a.b. c` first. Then d.", "Call a.b. c first"),
        ("`datetime.now()` is wrong here! Use the clock", "datetime.now() is wrong here!"),
        ("Files in **/*.ts and **/*.tsx are typed", "Files in **/*.ts and **/*.tsx are typed"),
        ("Keep __init__.py and snake_case_names as they are", "Keep __init__.py and snake_case_names as they are"),
        ("2026-01-05: Found that v1.2 crashes at start", "Found that v1.2 crashes at start"),
        ("**Ferry** sells tickets for islands.", "Ferry sells tickets for islands"),
        ("提交信息必须使用英文。不要混合。", "提交信息必须使用英文"),
        ("**先理解全局**：先阅读测试", "先理解全局: 先阅读测试"),
        ("Escaped \\*stars\\* stay visible", "Escaped *stars* stay visible"),
        ("*Boats are counted from May on", "Boats are counted from May on"),
        ("Two spaces  and\na second line", "Two spaces and a second line"),
        ("Override it with `x` !important in CSS", "Override it with x !important in CSS"),
        ("Ask /pay?id=5 first. Then go", "Ask /pay?id=5 first"),
        ("Never leave <!-- open", "Never leave <!-- open"),
        ("必ず閉じる！次へ", "必ず閉じる！"),
        ("A crane (with a hook. And a rope.) lifts it. Then rest.", "A crane (with a hook. And a rope.) lifts it"),
    ],
)
def test_a_title_is_the_first_thing_that_is_stated(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


SURVEY = """A full survey of the harbour takes most of a working day and half of the night, so you should try to survey
only the basins that changed, and leave the rest to the yearly survey."""
MOVED = """If a plan moves a berth, a light or a buoy that any of the three harbour charts shows to pilots or crews,
it must also mark the former place there."""
OPTIONS = """If the `Depth`, `Width` or any other documented size is not a number, but a table of numbers by month,
all rows of it are kept in the `Sizes.Base` table of the chart that shows the basin."""
DOCKS = """```bash
cd wharf && wharf run tides
wharf survey --all-docks --with-divers -- -D night
wharf signal lamps
```"""
ONE_DOCK = """```bash
wharf --dock "the-north-quay" --night run survey  # one dock
wharf --dock "the-north-*" --night run survey  # several docks
```"""


@pytest.mark.parametrize(
    ("text", "headings", "title"),
    [
        (
            "Examples (`samples/`) are ships of their own — never use `anchor:` for their ropes. Use chains.",
            (),
            "Examples (samples/) are ships of their own — never use anchor: for their ropes",
        ),
        (
            MOVED,
            ("Harbour", "Charts"),
            "Harbour: Charts: Must also mark the former place there",
        ),
        (
            "```\nwharf/\n├── north/  # cranes\n└── south/\n```",
            ("Harbour", "Layout"),
            "Harbour: Layout: north/, south/",
        ),
        (
            OPTIONS,
            ("Charts", "Basins"),
            "All rows of it are kept in the Sizes.Base table of the chart that shows the basin",
        ),
        (
            "are forbidden. If a ship needs one, ask the pilot.",
            ("Harbour", 'No "loose" ropes on deck'),
            'No "loose" ropes on deck are forbidden',
        ),
        (SURVEY, (), "Try to survey only the basins that changed, and leave the rest to the yearly survey"),
        (
            "When making changes to a berth, here are the general steps to take:\n1. Close it\n2. Tell the pilots",
            (),
            "When making changes to a berth: Close it, Tell the pilots",
        ),
        (
            "- **Version**: Tide 20 + Buoy 4\n- **Signals**: Follow the three-lamp system from pier to pilot",
            ("Harbour", "Pier"),
            "Signals: Follow the three-lamp system from pier to pilot",
        ),
        (ONE_DOCK, ("Surveys",), 'Surveys: wharf --dock "the-north-quay" --night run survey and 1 more'),
        (DOCKS, ("Surveys",), "Surveys: wharf run tides, wharf survey, wharf signal lamps"),
        ("> Instructions for LLM agents. Ring the bell at every shift.", ("Bells",), "Ring the bell at every shift"),
        (
            "When adding a basin to a plan, make sure to also document its depth in the chart of piers and the log.",
            (),
            "When adding basin to plan, also document its depth in chart of piers and log",
        ),
    ],
)
def test_a_title_says_the_rule_and_not_what_leads_to_it(text: str, headings: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, headings) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("**Note:** Berths are numbered from the sea.", "Berths are numbered from the sea"),
        ("Note: berths are numbered from the sea", "berths are numbered from the sea"),
        ("> [!WARNING]\n> Never start two planners against one table", "Never start two planners against one table"),
        ('!!! note "Why two?"\n    Tides come twice a day here.', "Tides come twice a day here"),
        ("⚠️ Boil the water first", "Boil the water first"),
        ("Step 2: Drain the tank before the survey", "Drain the tank before the survey"),
        ("3.2 Drain the tank before the survey", "Drain the tank before the survey"),
        ("Rule 7. Lamps stay lit until sunrise", "Lamps stay lit until sunrise"),
        ("Please make a copy of the chart first", "Make a copy of the chart first"),
        ("Hinweis: Anker werden nachts geprüft", "Anker werden nachts geprüft"),
        ("**Achtung:** Anker werden nachts geprüft", "Anker werden nachts geprüft"),
        ("Remarque : les ancres sont vérifiées la nuit", "les ancres sont vérifiées la nuit"),
        ("**Importante:** Las anclas se revisan de noche", "Las anclas se revisan de noche"),
        ("**Observação:** As âncoras são revistas à noite", "As âncoras são revistas à noite"),
        ("**注意**：夜间检查锚链", "夜间检查锚链"),
        ("**ポイント**: 夜に錨を点検する", "夜に錨を点検する"),
        ('"Lamps stay lit until sunrise."', "Lamps stay lit until sunrise"),
        ("3.12 is the oldest Python that the crane runs on", "3.12 is the oldest Python that the crane runs on"),
        ("Part-time crews sign the log as well", "Part-time crews sign the log as well"),
    ],
)
def test_labels_marks_and_numbers_are_left_out(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("❌ Winding by hand", ("Cranes",), "Cranes: Avoid: Winding by hand"),
        ("**Bad:** wind the crane by hand", (), "Avoid: wind the crane by hand"),
        ("❌ Never wind the crane by hand", (), "Never wind the crane by hand"),
        ("**Falsch:** den Kran von Hand drehen", (), "Vermeiden: den Kran von Hand drehen"),
        ("**不推荐**：手动转动吊车", (), "避免: 手动转动吊车"),
        ("Wind the crane by hand", ("Cranes", "Don't"), "Don't: Wind the crane by hand"),
        ("手动转动吊车", ("吊车", "禁止事项"), "禁止事项: 手动转动吊车"),
    ],
)
def test_what_is_to_be_avoided_is_not_recommended(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path) == title


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("```bash\nnpm run build\nnpm test\n```", ("Guide", "Commands"), "Commands: npm run build, npm test"),
        ("`npm run build`", ("Guide", "Build"), "Build: npm run build"),
        ("```\nsrc/\n├── api/\n```", ("Directory layout",), "Directory layout"),
        ("```python\nx = 1\n```", ("Parsing dates",), "Parsing dates"),
        ("```python\nx = 1\n```\n\nDates are kept in UTC.", ("Parsing dates",), "Parsing dates: Dates are kept in UTC"),
        ("| command | when |\n|--|--|\n| lift | noon |\n| drop | dusk |", ("Tasks",), "Tasks: lift, drop"),
        ("| lift | at noon only |", ("Crane tasks",), "Crane tasks: lift: at noon only"),
        ("- Python 3.12\n- FastAPI", ("Tech stack",), "Tech stack: Python 3.12, FastAPI"),
        (
            "- Install: `cargo fetch`\n- Test: `cargo test`",
            ("Setup",),
            "Setup: Install (cargo fetch), Test (cargo test)",
        ),
        (
            "1. Drain the tank\n2. Dry it\n3. Paint it",
            ("Tank survey",),
            "Tank survey: Drain the tank, Dry it, Paint it",
        ),
        (
            "The layers are:\n\n- `api/`: HTTP\n- **core**: rules",
            ("Design",),
            "Design: The layers are: api/ (HTTP), core (rules)",
        ),
        ("When adding a migration:\n- write the down step", (), "When adding a migration: write the down step"),
        ("The following rules apply:\n\n- lamps stay lit\n- ropes stay dry", ("Night watch",), None),
        ("See below", ("Payments", "Refunds"), "Payments: Refunds"),
        ("Note:", ("Deployment windows",), "Deployment windows"),
        ("**Symptom**: sold twice\n**Fix**: lock", ("Seats after failover",), "Seats after failover: sold twice"),
        ("**Scope**: all\n**Owner**: us", ("Test strategy",), "Test strategy: Scope, Owner"),
        ("Ferry sells tickets. It has:\n- seats\n- fares", ("Overview",), "Ferry sells tickets"),
        ("**Impact: HIGH**\n\nLift the anchor before the engine starts.", ("Anchors",), None),
        ("# Anchors\n\n- heavy\n- rusty", (), "Anchors: heavy, rusty"),
        ("- **Severity**: HIGH\n- Grease the hook weekly", ("R1: Hooks",), "Grease the hook weekly"),
        ("**Before any repair:**\n- Ask whether the crane has to be repaired at all this year", (), None),
        ("### Step 1: drain it\n\nAt dawn.\n\n### Step 2: dry it\n\nBy noon.", ("Tank survey",), None),
        ("The list is for guests.\n\n**Bad: by hand**\n\n```\nx\n```", ("Sort berths by the hour of the tide",), None),
        ("- `crane.py` - lifts boats at the quay\n- `tide.py` - tells the tide", ("Files",), None),
        ("- Never lift boats by night in the old harbour\n- Log all", ("Miscellaneous",), None),
        ("Lift in area 7. Never lift in area 8.", (), "Lift in area 7; never lift in area 8"),
        ("Command: `lift` — Does: raises a boat", (), "lift: raises a boat"),
        (
            "Sign: A — Was: ok by day and night and in fog — Is: refused by the harbour office at once (R) — Cure: ask",
            ("Signs",),
            "Signs: A: refused by the harbour office at once (R)",
        ),
    ],
)
def test_the_heading_helps_where_the_text_does_not_speak(text: str, path: tuple[str, ...], title: str | None) -> None:
    expected = {
        "Night watch": "Night watch: lamps stay lit, ropes stay dry",
        "Anchors": "Lift the anchor before the engine starts",
        "Tank survey": "Tank survey: drain it, dry it",
        "Sort berths by the hour of the tide": "Sort berths by the hour of the tide",
        "Files": "Files: crane.py (lifts boats), tide.py (tells the tide)",
        "Miscellaneous": "Never lift boats by night in the old harbour",
        "": "Before any repair: Ask whether the crane has to be repaired at all this year",
    }
    assert title_by_rules(text, path) == (title or expected["".join(path[-1:])])


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("Use tabs", ("Guide", "Formatting"), "Formatting: Use tabs"),
        ("Custom parsers supported", ("Guide", "CLI options"), "CLI options: Custom parsers supported"),
        ("It restarts by itself after ten minutes", ("Guide", "Crane motor"), None),
        ("Runs when a crane stalls", ("Guide", "onStall"), "onStall: Runs when a crane stalls"),
        ("Built for night shifts by the harbour crew", ("Lamp firmware",), None),
        ("write the down step", ("Guide", "When adding a migration"), "When adding a migration: write the down step"),
        ("a rope and a hook", ("Guide", "The crane needs"), "The crane needs: a rope and a hook"),
        ("Crane ropes are changed every spring", ("Guide", "Crane ropes"), "Crane ropes are changed every spring"),
        (
            "Cranes: Log every lift that is above ten tonnes",
            ("Guide", "Cranes"),
            "Cranes: Log every lift that is above ten tonnes",
        ),
        ("Use tabs", ("Guide", "General rules"), "Use tabs"),
        ("Use tabs", ("CLAUDE.md",), "Use tabs"),
        (
            "Es startet nach zehn Minuten neu",
            ("Kran", "Der Motor"),
            "Kran: Der Motor: Es startet nach zehn Minuten neu",
        ),
        ("Elle redémarre après dix minutes", ("Guide", "La grue"), "La grue: Elle redémarre après dix minutes"),
        ("它会在十分钟后自动重启", ("吊车", "电机"), "吊车: 电机: 它会在十分钟后自动重启"),
        ("これは十分後に再起動する", ("クレーン", "モーター"), "クレーン: モーター: これは十分後に再起動する"),
    ],
)
def test_the_subject_comes_from_the_heading_only_where_the_text_lacks_one(
    text: str, path: tuple[str, ...], title: str | None
) -> None:
    assert title_by_rules(text, path) == (title or f"{path[-1]}: {text}")


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("See tests.md for the list. Cranes are tested at dawn.", (), "Cranes are tested at dawn"),
        ("Siehe tests.md. Kräne werden morgens geprüft.", (), "Kräne werden morgens geprüft"),
        ("Voir tests.md. Les grues sont testées le matin.", (), "Les grues sont testées le matin"),
        ("This section describes the cranes. Lift at dawn only.", (), "Lift at dawn only"),
        ("Where do ropes go? Ropes hang in the loft.", (), "Where do ropes go? Ropes hang in the loft"),
        ("详见 tests.md。吊车在清晨测试。", (), "吊车在清晨测试"),
        ("See tests.md", ("Crane tests",), "Crane tests: See tests.md"),
    ],
)
def test_pointers_and_remarks_on_the_text_itself_are_passed_over(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path) == title


def test_a_parent_is_added_to_a_heading_that_names_no_subject() -> None:
    assert title_by_rules("```py\nx = 1\n```", ("Harbour", "Crane motor", "Example")) == "Harbour: Crane motor"
    assert title_by_rules("- one\n- two", ("Harbour", "Crane motor", "Rules")) == "Harbour: Crane motor: one, two"
    assert title_by_rules("```py\nx\n```", ("CLAUDE.md", "Commands")) == "Commands"
    assert (
        title_by_rules("```py\nx\n```", ("Harbour guide for agents", "3. Cranes (src/cranes/)"))
        == "Harbour guide for agents: Cranes"
    )
    assert title_by_rules("", ()) == "Untitled"


def test_a_long_path_in_a_title_keeps_its_end() -> None:
    text = "`backend/packages/harbour/cranes/motors/limits.py` holds every motor limit of the cranes and the hoists"
    assert title_by_rules(text, ()) == "…/motors/limits.py holds every motor limit of the cranes and the hoists"


def test_a_text_without_a_clause_is_cut_at_a_word() -> None:
    words = "Understand requested behaviour alongside nearest comparable crane blueprint details immediately today"
    assert (
        title_by_rules(words, ())
        == "Understand requested behaviour alongside nearest comparable crane blueprint details immediately…"
    )


def test_wide_letters_count_twice_and_emoji_stay_whole() -> None:
    assert cell_width(title_by_rules("必须先理解全局" * 20, ())) <= MAX_TITLE_CELLS
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    cut = cut_title("x " + family * 60)
    assert cut.removesuffix("…").count(family) * 5 == len(cut.removesuffix("…")) - 2
    assert not unicodedata.combining(cut_title("e\u0301" * 150)[-1])


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Always call the pilot when a ship has to be moved, turned, or towed within the inner basin.",
            "Always call the pilot when a ship has to be moved, turned, or towed within the inner basin",
        ),
        (
            "Ask a foreman before moving the big cranes, changing the limits of any motor, or loading a second hook.",
            "Ask foreman before moving big cranes, changing limits of any motor, or loading second hook",
        ),
        (
            "Trage jeden neuen Kran sofort im Hafenbuch ein, wenn er zum ersten Mal an einem Kai gearbeitet hat.",
            "Trage jeden neuen Kran sofort im Hafenbuch ein, wenn er zum ersten Mal an einem Kai gearbeitet hat",
        ),
        (
            "Being an old harbour, the quays, basins, sheds and cranes need care. This means work.",
            "Being an old harbour, the quays, basins, sheds and cranes need care",
        ),
        (
            "Being an old harbour with ships of all sizes, the six basins are dredged in each of the months of a year.",
            "The six basins are dredged in each of the months of a year",
        ),
        (
            "To berth a ship at a quay other than its own — say, a tug — write its name in `quays.toml` (one a line).",
            "To berth a ship at a quay other than its own, write its name in quays.toml (one a line)",
        ),
        (
            (
                "Tugs tow on a short rope in a calm sea as a rule, so that they look like a safe choice for all basins"
                " — but they capsize in a swell."
            ),
            "Tugs tow on short rope in calm sea as rule…",
        ),
        (
            (
                "A crane gets a second hook when both hold:\n\n- it lifts more than forty tonnes on most of the days"
                " of a month, as its log tells\n- its foreman asks for it in writing before the end of the year"
            ),
            "A crane gets a second hook when both hold: it lifts more than forty tonnes, its foreman asks",
        ),
        (
            "For common work at the quay\n\n```bash\n# moor\n./bin/moor.sh\n./bin/cast-off.sh\n```",
            "For common work at the quay: ./bin/moor.sh, ./bin/cast-off.sh",
        ),
        ("- [x] Poller inkl. Taue für Fähren.\n- [x] Kran geprüft.", "Poller inkl. Taue für Fähren, Kran geprüft"),
        (
            (
                "`pilot`, `tug`, `crew`, `berth`, `cargo_manifest`, and `harbour_master_name` differ from ship to ship"
                " and are asked for, one by one."
            ),
            "pilot and others differ from ship to ship and are asked for, one by one",
        ),
        ("-必须在开船和靠岸之前检查所有缆绳", "必须在开船和靠岸之前检查所有缆绳"),
    ],
)
def test_a_title_says_the_whole_of_a_sentence_or_says_that_it_goes_on(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "- Moor with two lines\n- Exception: a dinghy takes one\n- Log each mooring",
            "Harbour: Mooring: Moor with two lines, Log each mooring",
        ),
        ("**DO NOT moor for:** loading ammunition, fuelling, or repairs.", "DO NOT moor for: loading ammunition"),
    ],
)
def test_a_label_beside_others_or_a_lead_without_its_object_is_no_title(text: str, title: str) -> None:
    assert title_by_rules(text, ("Harbour", "Mooring")).startswith(title)


def test_captions_above_code_give_way_to_the_heading() -> None:
    text = "**✅ Knot (recommended)**\n\n```py\nx\n```\n\n**❌ Loop**\n\n```py\ny\n```"
    assert title_by_rules(text, ("Harbour", "2. Use a knot, not a loop")) == "Use a knot, not a loop"


def test_a_heading_above_mere_code_stands_below_its_parent() -> None:
    path = ("Harbour", "Cranes", "Start of a shift", "Setting limits")
    assert title_by_rules("```py\nx\n```", path) == "Start of a shift: Setting limits"


@pytest.mark.parametrize("lead", ["Weigh the anchor:", "**Weigh it in this way:**", "錨を上げる："])
def test_words_that_lead_to_more_code_are_no_title_of_the_code_above_them(lead: str) -> None:
    path = ("Harbour", "Cranes", "Start of a shift", "Setting limits")
    text = f"```py\nx\n```\n\n{lead}\n\n```sh\nweigh anchor\n```"
    assert title_by_rules(text, path) == "Start of a shift: Setting limits"


def test_a_rule_that_leads_to_more_code_is_the_title_of_the_code_above_it_too() -> None:
    text = "```py\nx\n```\n\nNever lift a boat by hand:\n\n```py\ny\n```"
    assert title_by_rules(text, ("Harbour", "Cranes", "The old crane")) == "The old crane: Never lift a boat by hand"


def test_a_sentence_below_code_is_its_title_though_words_that_lead_to_more_follow() -> None:
    text = "```py\nx\n```\n\nEach crane holds one limit that its foreman sets.\n\nWeigh it:\n\n```sh\nweigh anchor\n```"
    assert title_by_rules(text, ("Harbour", "Cranes")) == "Each crane holds one limit that its foreman sets"


def test_a_number_before_a_dot_is_left_out() -> None:
    assert title_by_rules("- Moor\n- Cast off", ("Harbour", "7 · Order of a day")) == "Order of a day: Moor, Cast off"


@pytest.mark.parametrize(
    "text",
    [
        "Use for heavy loads at the quay",
        "All three run at night",
        "Loading also wakes the foreman",
        "Both of them need oil",
    ],
)
def test_what_refers_to_the_text_before_it_stands_after_its_heading(text: str) -> None:
    assert title_by_rules(text, ("Harbour", "Harbour pumps")) == f"Harbour pumps: {text}"


@pytest.mark.parametrize(
    ("text", "heading", "title"),
    [
        (
            "For pumps, cranes, ropes or winches, mooring lines, tide tables, lights, fuel, or oil, read the yard book",
            "Quay",
            "Quay: Read yard book for pumps, cranes, ropes or winches, mooring lines, tide tables, lights, fuel",
        ),
        (
            "If a rope in the northern or in the southern basin of the harbour was replaced, the lists must be signed.",
            "Winches",
            "Winches: If rope in northern or in southern basin of harbour was replaced, lists must be signed",
        ),
        (
            "Every new crane, tide table, winding engine, mooring line of a big boat, or lamp must map to a yard book",
            "Yard",
            "Every new crane, tide table, winding engine, mooring line of big boat, or lamp must map to yard book",
        ),
    ],
)
def test_a_long_sentence_is_shortened_to_its_rule_rather_than_to_its_condition(
    text: str, heading: str, title: str
) -> None:
    assert title_by_rules(text, ("Harbour", heading)) == title


def test_a_condition_stays_before_a_rule_of_which_enough_fits() -> None:
    text = (
        "Before moving a boat in the basin, check the neighbours' ropes, the tide, the lamps, and the wind of the hour."
    )
    assert title_by_rules(text, ("Harbour", "Moving")).startswith("Before moving boat")


@pytest.mark.parametrize(
    "text",
    [
        "A device that lifts boats out of the water",
        "A list of moorings and their owners",
        "Rope settings for boats moored at the quay",
        "A state where no boat leaves the basin",
    ],
)
def test_a_definition_stands_after_the_term_that_it_defines(text: str) -> None:
    assert title_by_rules(text, ("Glossary", "Slip gear")) == f"Slip gear: {text}"


@pytest.mark.parametrize(
    "text",
    ["A boat needs two ropes at the quay", "Boats that lie in the basin must have a lamp", "Slip gear for boats"],
)
def test_a_statement_with_its_subject_is_no_definition(text: str) -> None:
    assert title_by_rules(text, ("Glossary", "Slip gear")) == (
        text if text.startswith("Slip") else f"Slip gear: {text}"
    )
    assert title_by_rules(text, ("Glossary",)) == text


def test_a_definition_that_does_not_fit_behind_its_term_is_cut() -> None:
    text = "A winch that builds up the tension for the mooring ropes of the boats at the big northern quay"
    title = title_by_rules(text, ("Glossary", "Mooring winch tender"))
    assert title.startswith("Mooring winch tender: A winch that builds up the tension")


@pytest.mark.parametrize("text", ["", " \n", "\x00\x1b", "```", "---", "\u200b", "# ", "- ", "|", "**", "⚠️", "1."])
def test_a_title_is_never_empty(text: str) -> None:
    assert title_by_rules(text, ()).strip()
    assert title_by_rules(text, ("",)).strip()


_PIECES = re.findall(
    r"\S+",
    """
    - # > ** __ ` ``` | : ; , . ( ) [ ] " “ ” 、 ， 。 （ ） — never use the crane when it rains because of wind and
    [!NOTE] ❌ Note: Bad: Step 1: 不要 吊车 クレーンは der Kran la grue `x.y(z)` src/a/b/c.py
    """,
)
_MARKDOWN = st.lists(st.sampled_from([*_PIECES, "\n"]), max_size=60).map(" ".join)


@example('-" 0', [])
@example(". - 0", [])
@example("# A)", [])
@given(st.one_of(st.text(max_size=300), _MARKDOWN), st.lists(st.text(max_size=40), max_size=3))
def test_a_title_is_one_short_balanced_line_without_markup(text: str, path: list[str]) -> None:
    for title in (title_by_rules(text, path), title_by_rules(f"- **{text}**: x", path), cut_title(text)):
        assert title == title.strip()
        assert not any(unicodedata.category(letter) == "Cc" for letter in title)
        assert cell_width(title) <= MAX_TITLE_CELLS
    title = title_by_rules(_without_marks(text), ())
    assert title
    assert is_balanced(title)
    assert not re.match(r"(?:[-*+>#]|\d+[.)])\s", title)


def _without_marks(text: str) -> str:
    """Return a text without the letters that a code span may hold unbalanced."""
    return text.replace("`", "").replace("\\", "")


def test_plain_text_keeps_what_code_spans_hold() -> None:
    assert plain_text("Run `a **b** _c_` and ``x`y``") == "Run a **b** _c_ and x`y"


@pytest.mark.parametrize(
    ("text", "headings", "title"),
    [
        (
            "Say what is seen before why it matters",
            ("Yard", "Tide reports"),
            "Yard: Tide reports: Say what is seen before why it matters",
        ),
        ("Keep tide reports to one page", ("Yard", "Tide reports"), "Keep tide reports to one page"),
        ("Ask the foreman first", ("Yard", "Winches", "Hooks"), "Winches: Hooks: Ask the foreman first"),
        ("Ask the foreman first", ("AGENTS.md", "Rules"), "Ask the foreman first"),
        ("Ask the foreman first", ("Yard", "Winches", "Notes"), "Yard: Winches: Ask the foreman first"),
        (
            "Record every winch that was opened at night (by its number, never by the name of its owner)",
            ("Yard", "Inspections of the harbour"),
            "Inspections of the harbour: Record every winch that was opened at night",
        ),
    ],
)
def test_the_heading_stands_before_a_statement_that_does_not_name_it(
    text: str, headings: tuple[str, ...], title: str
) -> None:
    assert title_by_rules(text, headings) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "1. Open the gate of the northern basin in time\n2. Pull the boat through the basin by tug\n3. Moor it",
            "Yard: Passage: Open the gate of the northern basin, Pull the boat, Moor it",
        ),
        (
            "- Never open the gate at night without a lamp\n- Pull the boat through the basin with two tugs and a rope",
            "Yard: Passage: Never open the gate at night without a lamp, Pull the boat",
        ),
        (
            "When a gate opens:\n\n- Lights the lamp\n- Rings the bell",
            "Yard: Passage: When a gate opens: Lights the lamp, Rings the bell",
        ),
        (
            "Never do any of the following at night:\n\n- Open the northern gate of the basin\n- Tow big boats",
            "Yard: Passage: Never do at night: Open the northern gate of the basin, Tow big boats",
        ),
    ],
)
def test_a_list_is_titled_by_its_topic_and_as_many_items_in_brief_as_fit(text: str, title: str) -> None:
    assert title_by_rules(text, ("Harbour", "Yard", "Passage")) == title


def test_a_bold_condition_before_a_comma_goes_on_to_its_rule() -> None:
    title = title_by_rules(
        "**Before lifting any boat**, ask the pilot for the list of cranes.", ("Harbour", "Hard rules")
    )
    assert title == "Harbour: Before lifting any boat, ask the pilot for the list of cranes"


def test_a_heading_for_which_there_is_no_room_gets_it_from_the_articles() -> None:
    text = "Begin every list with a line that names the crane, the berth and the hour at which the tide is highest."
    assert title_by_rules(text, ("Harbour", "Crane lists", "Tide sheets")) == (
        "Tide sheets: Begin every list with line that names crane, berth and hour at which tide is highest"
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        # a mere number or sign says nothing without the cell beside it
        ("| Code | Meaning |\n|---|---|\n| 0 | calm |\n| 1 | swell |", "Harbour: Layout: 0 calm, 1 swell"),
        ("```\nBoat ── Crane\n  |\n  v\nYard ── Hall\n```", "Harbour: Layout: Boat ── Crane, v, Yard ── Hall"),
    ],
)
def test_a_list_says_more_than_its_heading_if_it_can(text: str, title: str) -> None:
    assert title_by_rules(text, ("Guide", "Harbour", "Layout")) == title


def test_a_list_of_which_one_item_fits_is_titled_by_that_if_it_is_a_rule() -> None:
    items = (
        "Take a fresh hook for each boat with a wrapper",
        "Do not share hooks that another crane of the yard has used",
    )
    text = "".join(f"- {item}\n" for item in items)
    assert title_by_rules(text, ("Guide", "Harbour", "Layout")).endswith(
        "Layout: Take a fresh hook for each boat with a wrapper, and 1 more"
    )


def test_commands_in_a_wrong_and_a_right_way_are_no_names_of_a_title() -> None:
    text = (
        "Even in chains, lift with `hook`:\n\n```sh\n# \u274c Wrong\nlift boat\n\n# \u2705 Right\nhook lift boat\n```\n"
    )
    assert (
        title_by_rules(text, ("Guide", "Harbour", "Lifts by night")) == "Lifts by night: Even in chains, lift with hook"
    )


def test_of_two_long_rules_the_first_says_more_than_a_heading_of_few_words() -> None:
    text = (
        "- Do not move cranes, hooks, or ropes of the yard unless required to reach the goal that was stated.\n"
        "- If it is unclear whether a move is needed or allowed by these rules, ask the master before that.\n"
    )
    assert title_by_rules(text, ("Borders",)) == (
        "Borders: Do not move cranes, hooks, or ropes of yard unless required to reach goal that was stated"
    )


def test_bold_words_between_letters_of_a_script_without_spaces_lose_their_marks() -> None:
    assert title_by_rules("这是**唯一的来源**。所有工具都从这里生成。", ()) == "这是唯一的来源"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Tests that moor boats should follow this pattern:\n\n```python\nmoor(boat)\n```", "Tests that moor boats"),
        ("Harbour migrations must look like this:\n\n```sql\nselect 1\n```", "Harbour migrations"),
    ],
)
def test_a_title_does_not_end_with_the_verb_of_a_lead_to_an_example(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        # what a thing is treated as is no reason
        (
            (
                "Treat `berths/northern_quay_v4.toml` as the accepted list until a new one passes the review and the "
                "acceptance of the night crew."
            ),
            "Treat berths/northern_quay_v4.toml as accepted list…",
        ),
        # adjectives and the members of a list stay with their noun
        (
            (
                "Every lift of the northern quay uses explicit crane tokens plus a Secure, HttpOnly,\n"
                "SameSite cookie scoped to it."
            ),
            "Every lift of the northern quay uses explicit crane tokens",
        ),
        (
            (
                "Lamp-driven lifts, moves, turns, stops, weighings, tide checks, and other such acts of a crane "
                "must always be written to the book."
            ),
            "Lamp-driven lifts and moves must always be written to the book",
        ),
        # a participle needs what follows it
        (
            (
                "Keep lift and lamp views in the owner-only hall of the northern quay backed by the owner-guarded\n"
                "`/api/cranes/northern-quay` list."
            ),
            "Keep lift and lamp views in owner-only hall of northern quay backed…",
        ),
        # `only` needs what it takes
        (
            (
                "When adding a mooring to a `moorings/*.toml` file, the `kind:` field accepts\n"
                "only: `harbour`, `yard_and_quay`, `open_sea`, `river`."
            ),
            "The kind: field accepts only: harbour, yard_and_quay, open_sea, river",
        ),
        # a headline leaves no verb without its opener, and nothing of `Q&A`
        (
            "When the moorings of your boat hold, ask the master of the quay to make sure everything is still well.",
            "When moorings of boat hold, ask master of quay to make sure everything is still well",
        ),
        (
            "The harbour is a tide-powered crane and berthing Q&A system that was derived by the yard for an old port",
            "The harbour is tide-powered crane and berthing Q&A system that was derived by yard for old port",
        ),
        ("请求统一走 `src/hafen.ts`。", "请求统一走 src/hafen.ts"),
    ],
)
def test_a_title_does_not_break_off_within_what_belongs_together(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("```text\nBoat\n  -> crane by night\n  -> hall\n```", "Harbour: Layout"),
        (
            '<code-snippet name="A lift by night" lang="php">\nlift($boat);\n</code-snippet>',
            "Harbour: Layout: A lift by night",
        ),
        (
            "| Verb | Path |\n|---|---|\n| GET | `/boats` |\n| GET | `/cranes` |\n| POST | `/lifts` |",
            "Harbour: Layout: GET /boats, GET /cranes, POST /lifts",
        ),
        (
            "- Moor the smallest number of boats, using a rope, before the tide\n- To moor all boats: `moor --all`.",
            "Harbour: Layout: Moor the smallest number of boats, using a rope, before the tide; To moor all boats",
        ),
    ],
)
def test_a_list_is_titled_by_what_tells_its_rows_apart(text: str, title: str) -> None:
    assert title_by_rules(text, ("Guide", "Harbour", "Layout")) == title


def test_how_to_apply_a_rule_stands_below_the_rule() -> None:
    assert title_by_rules("- Weigh it.", ("Guide", "Never lift a boat unweighed", "How to apply")).startswith(
        "Never lift"
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            (
                "After each boat, crane, hook, rope, or quay change of the northern harbour, explicitly check whether "
                "tides, charts and lamps must be updated as well."
            ),
            "Explicitly check whether tides, charts and lamps must be updated as well",
        ),
        # what is to be reused stands in the condition
        (
            (
                "When an existing crane of the harbour already carries the load that the captain has asked for, "
                "reuse it with a hook that suits the boat."
            ),
            "When existing crane of harbour already carries load that the captain has asked…",
        ),
        # the first of several acts stands behind the colon
        (
            (
                "When adding new cranes: Create a new folder in `cranes/`, copy Hookfile from a template, create "
                "`hook.mk`, `rope.c`, and `lamp.cc`."
            ),
            "When adding new cranes: Create new folder in cranes/, copy Hookfile from template, create hook.mk…",
        ),
        # a comma of a list parts no clauses in Chinese
        (
            (
                "只要本次作业会新增或修改系泊定义、缆绳、吊钩、Crane/Berth 关键流程，或会新增/修订航行日志的注释，"
                "先参考港口根目录 `HARBOUR.md` 中的手册。"
            ),
            "先参考港口根目录 HARBOUR.md 中的手册",
        ),
    ],
)
def test_the_main_clause_of_a_long_sentence_stands_for_it_if_it_is_whole(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


def test_a_heading_of_one_word_is_titled_with_the_items_below_it() -> None:
    text = "- Crate of the yard - may be lifted by any crane.\n- Does NOT lean on quays, piers, or lamps of others.\n"
    assert title_by_rules(text, ("Guide", "yard-crate", "Rules")) == (
        "yard-crate: Crate of the yard; Does NOT lean on quays, piers, or lamps of others"
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            (
                "**Berth fences:** Before adding a fence to a berth of the northern quay of the harbour, ask: "
                '"Can this boat drift in a way that the ropes cannot hold?" Only add one if so.'
            ),
            'Berth fences: ask: "Can this boat drift in a way that the ropes cannot hold?" Only add one if so',
        ),
        (
            (
                "After a boat has left the named northern berth slot of the old town:\n"
                '`bash "$HOME/.harbour/manage-berth/berth.sh" reset <slot-name>`'
            ),
            "After a boat has left named northern berth slot of old town…",
        ),
    ],
)
def test_a_cut_title_does_not_begin_another_act(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


def test_a_topic_says_more_than_a_condition_that_is_cut_off() -> None:
    text = (
        "When a crane of the night crew has to read the state of the tide before calling a service and write it\n"
        "after, use a `caller_owns_tide` flag:\n\n- **Crane path**: the caller wrote it.\n- **Quay path**: not.\n"
    )
    assert title_by_rules(text, ("Guide", "Handoff of the tide between layers")) == "Handoff of the tide between layers"


@pytest.mark.parametrize(
    ("text", "headings", "title"),
    [
        (
            "```\nMUST:\n  - Check the tide table\n  - Lift the bridge\n\nDON'T:\n  - Ring at night\n```",
            ("WHEN opening the bridge",),
            "WHEN opening the bridge: Check the tide table, Lift the bridge",
        ),
        (
            "```\n1. Raise the ramp:\n   - bolts\n2. Ring twice\n```",
            ("Leaving the quay",),
            "Leaving the quay: Raise the ramp, bolts, Ring twice",
        ),
        (
            "**Group moored boats:** `a.py`, `b.py`\n\n**Split when:** more than 100 boats lie at one quay",
            ("Berths",),
            "Berths: Group moored boats: a.py, b.py",
        ),
        (
            "- ❌ **Never**: moor at the bridge\n- ❌ **Never**: ring at night",
            ("Quay",),
            "Quay: Never moor at the bridge, Never ring at night",
        ),
        (
            "**❌ Don't:**\n\n- Ring the bell from the deck\n- Moor boats by hand\n\n**✅ Do:**\n\n- Use the horn",
            ("Quay Work",),
            "Quay Work: Don't: Ring the bell from the deck, Moor boats by hand",
        ),
        (
            "Ask the pilot for a free berth:\n\n```markdown\n# Your Berth\n\nNorth or south?\n```",
            (),
            "Ask the pilot for a free berth",
        ),
    ],
)
def test_a_title_does_not_end_with_a_word_that_only_opens_the_rule(
    text: str, headings: tuple[str, ...], title: str
) -> None:
    assert title_by_rules(text, headings) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("**Never write a depth** without sounding it first.", "Never write a depth without sounding it first"),
        ("**Never amend a log** unless the harbour master asks.", "Never amend a log unless the harbour master asks"),
        (
            "**Lift single docks** (`--only <dock>`) for a quick look",
            "Lift single docks (--only <dock>) for a quick look",
        ),
    ],
)
def test_a_bold_rule_keeps_what_the_sentence_limits_it_with(text: str, title: str) -> None:
    assert title_by_rules(text, ("Soundings",)).removeprefix("Soundings: ") == title


def test_brackets_of_code_are_no_aside() -> None:
    text = (
        "`#![forbid(loose_ropes)]` and `#![warn(missing_knots)]` — every rope needs a label before it leaves the shed, "
        "and each knot its name."
    )

    assert title_by_rules(text, ("Ropes",)) == ("#![forbid(loose_ropes)] and #![warn(missing_knots)]")


@pytest.mark.parametrize(
    ("headings", "file", "title"),
    [
        (("tide-log — Agent orientation", "Conventions & never-do"), "crates/log/AGENTS.md", "tide-log: Not a clock"),
        (("AGENTS.md", "Key files"), "crates/log/AGENTS.md", "log: Not a clock"),
        (("AGENTS.md (tides)", "Ownership"), "crates/log/AGENTS.md", "tides: Not a clock"),
        (("Tide Rules", "Local Contracts"), ".crane/rules/tides.md", "Tide: Not a clock"),
        (("Harbour Agent Guide", "Invariants"), "AGENTS.md", "Invariants: Not a clock"),
        (("Harbour Agent Guide", "Invariants"), ".github/copilot-instructions.md", "Invariants: Not a clock"),
        (("Agents", "Invariants"), "/elsewhere/log/AGENTS.md", "Invariants: Not a clock"),
        ((), "crates/log/AGENTS.md", "Not a clock"),
    ],
)
def test_the_title_of_a_nested_file_begins_with_what_the_file_is_about(
    headings: tuple[str, ...], file: str, title: str
) -> None:
    assert title_by_rules("Not a clock", scoped(headings, file)) == title


@pytest.mark.parametrize(
    ("title", "subject"),
    [
        ("Mooring Layer Instructions", "Mooring Layer"),
        ("General yarn conventions", "General yarn"),
        ("harbour-log — Agent orientation", "harbour-log"),
        ("harbour-log agent guide", "harbour-log"),
        ("AGENTS.md — piers/log", "piers/log"),
        # nothing would be left but an adjective
        ("Custom Agent File Guidelines", "Custom Agent File Guidelines"),
        # only the kind of document
        ("Coding Guidelines", ""),
        ("CLAUDE.md (guide)", ""),
        ("Agent Guide", ""),
        ("Guidance for agents working in piers/", ""),
        ("CLAUDE.md — a change of either log is seen in both", ""),
        ("Mooring Layer (agent guide)", "Mooring Layer"),
        ("Mooring Layer (ML) — Conventions", "Mooring Layer (ML)"),
    ],
)
def test_the_title_of_a_document_says_what_it_is_about(title: str, subject: str) -> None:
    assert subject_of(title) == subject


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "The old `bell` may stay on the quay as a spare one for a foggy night, but new signals should use a horn.",
            "New signals should use a horn",
        ),
        (
            "`a.hold()` may remain a spare way to hold smaller boats, but it must not be what holds ferries at night.",
            "a.hold() must not be what holds ferries at night",
        ),
        (
            "港の利用者への案内、潮の表、灯りの一覧、係留の申し込み、曳船の手配などの「掲示」はすべて英語で書くこと。",
            "潮の表、灯りの一覧、係留の申し込み、曳船の手配などの「掲示」はすべて英語で書くこと",
        ),
    ],
)
def test_a_title_keeps_the_rule_and_not_the_concession_or_list_before_it(text: str, title: str) -> None:
    assert title_by_rules(text, ()) == title


def test_a_list_below_a_section_that_every_file_has_is_titled_by_what_its_first_item_states() -> None:
    text = (
        "- `TideError` codes keep the `TIDE:` prefix of the harbour — do not rename them on a move.\n"
        "- Keep this a leaf: no clock and no `serde` here."
    )

    assert title_by_rules(text, ("tide-log", "Conventions & never-do")) == (
        "tide-log: TideError codes keep the TIDE: prefix of the harbour — do not rename them on a move"
    )


def test_a_lead_that_means_the_heading_is_titled_by_it() -> None:
    text = "Two things make this class worse than a loose rope:\n\n- They look tight.\n- They hold until it blows."

    assert title_by_rules(text, ("Knots", "Wet ropes are the first to loosen where nobody looks")) == (
        "Wet ropes are the first to loosen where nobody looks"
    )


def test_a_list_for_whose_items_there_is_no_room_is_titled_by_the_first_that_is_a_rule() -> None:
    text = (
        "- Seventy harbour stations report tides, winds, currents.\n"
        "- Never copy any tide table of the outer basin by hand."
    )

    assert title_by_rules(text, ("Harbour", "Paper charts")) == (
        "Harbour: Paper charts: Never copy any tide table of the outer basin by hand, and 1 more"
    )


def test_a_name_that_begins_like_another_is_not_taken_for_it() -> None:
    assert title_by_rules("Do not add a `tide-log` or other dependency", ("tide-log-probe",)) == (
        "tide-log-probe: Do not add a tide-log or other dependency"
    )
