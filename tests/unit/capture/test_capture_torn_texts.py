"""Texts that strangers' files came to without what they need, or glued to what they do not."""

from __future__ import annotations

import pytest
from title_rules import title_by_rules

from memtui.analysis.titles import title_for
from memtui.capture.blocks import outline
from memtui.capture.context import context_lead, with_lead, without_lead
from memtui.capture.markdown import split_markdown
from memtui.capture.skip_codes import SkipReason


def texts(source: str) -> list[str]:
    return [piece.text for piece in split_markdown(source).pieces]


def test_a_numbered_list_with_a_fragment_stays_whole() -> None:
    source = (
        "# Mill\n\n## Aims for spring\n\n1. **Formal weave** for the loom (twill)\n2. **Reader** that gives a weave\n"
        "3. **Checker** that tells all of:\n   - threads within frames\n   - width of cloth\n"
        "4. **Dryer** that gives clean cloth from all weaves\n"
    )

    assert len(texts(source)) == 1


def test_code_with_an_aside_can_be_the_subject_of_a_sentence() -> None:
    source = (
        "## Pitfalls\n\n- `lift --all` (without a rope) fails or resolves to the crane of yesterday.\n"
        "- If the tide is out, the log answers 401. Sign in at the pier first.\n"
    )

    assert len(texts(source)) == 2


@pytest.mark.parametrize(
    "second",
    [
        "The script reads the tide table and rewrites the block between the marks.",
        "Mixing the two on one quay causes a collision of boats.",
        "The two are never tied to the same ring.",
    ],
)
def test_what_goes_on_about_the_item_before_stays_with_it(second: str) -> None:
    source = f"## Boats\n\n- After adding a boat, write the list anew: `python3 boats.py`\n- {second}\n"

    [text] = texts(source)
    assert title_by_rules(text, ("Boats",)) == "After adding a boat, write the list anew: python3 boats.py"


@pytest.mark.parametrize(
    "line",
    [
        "Read and strictly follow AGENTS.md",
        "Always look at the @AGENTS.md in the root before working.",
        "Read and follow the rules in `docs/CONTRIBUTING.md` before you start.",
    ],
)
def test_words_that_send_to_the_other_instruction_file_are_no_memory(line: str) -> None:
    split = split_markdown(f"{line}\n")

    assert not split.pieces
    assert [gap.reason for gap in split.skipped] == [SkipReason.POINTER]


def test_a_rule_about_when_to_read_it_stays() -> None:
    assert texts("Read CONTRIBUTING.md before changing the tide tables of the outer pier.\n")


def test_a_text_below_the_subject_of_its_file_names_its_own_heading_too() -> None:
    path, text = ("Weave Syntax Guide", "Edge Block"), "One per frame. Handles the threads at the border."

    lead = context_lead(text, path, "Edge Block: One per frame", document=path[0])

    assert lead == "Weave Syntax > Edge Block"
    assert without_lead(with_lead(text, lead), path) == text


@pytest.mark.parametrize(("title", "lead"), [("The frame keeps its threads", "Weave"), ("Weave: The frame keeps", "")])
def test_where_a_file_holds_stands_in_title_or_text(title: str, lead: str) -> None:
    path = ("Weave Guidelines",)
    text = "The frame keeps all of its threads in one row until the cloth is cut, whoever asks for another one."

    assert context_lead(text, path, title, document=path[0]) == lead


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("**Phase 9**: Frames — twill sugar, thread templates, checks. Tools: `add`.", "Completed Phases"),
        ("**Completed Phases**: Frames — twill sugar, thread templates, checks.", ""),
    ],
)
def test_a_label_does_not_stand_for_the_heading_above_it(text: str, lead: str) -> None:
    assert context_lead(text, ("Loom", "Completed Phases"), text) == lead


def test_a_name_between_underscores_keeps_them_as_a_heading() -> None:
    assert context_lead("```json\n{}\n```", ("Loom", "_frames.json"), "x") == "_frames.json"


def test_a_heading_that_means_another_goes_before_a_text_with_that() -> None:
    path = ("Loom — the first weave", "When this does NOT apply")

    assert context_lead("Not for twill.", path, "x") == "Loom — the first weave > When this does NOT apply"


def test_an_item_that_leads_to_the_code_below_it_keeps_that() -> None:
    source = (
        "## Style\n\n- Keep the owners of folders as they are now:\n- `tide.log` owns the tables of all the tides.\n"
        "- `tide.rope` owns the ropes.\n- Use short names for functions and long ones for folders.\n"
    )

    assert [text.count("`") for text in texts(source)] == [4, 0]


def test_words_that_announce_what_became_other_memories_are_left_out() -> None:
    crane = "The crane lifts one crate at a time and waits for the bell before it turns to the quay. " * 13
    lead = "**Cranes turn slowly, never by wind.** Two rules that differ by the weather:"
    source = f"## Cranes\n\n{lead}\n\n- {crane}\n- {crane}\n"

    assert texts(source)[0] == "**Cranes turn slowly, never by wind.**"


def test_an_item_keeps_the_short_list_that_it_announces() -> None:
    shape = "Moor the boat at a free ring, tie both ropes and write the hour into the log of the pier. " * 4
    never = f"Never moor across the tide. {shape} Two safe ways:\n  - {shape}\n  - {shape}"
    source = f"## Boats\n\n- {never}\n- Count the boats.\n"

    assert [text.count("Moor the boat") for text in texts(source)] == [12, 0]


def test_an_alternative_to_code_stays_with_it() -> None:
    assert len(texts("## 停泊\n\n```bash\nmoor --all\n```\n\n或在任意码头通过 settings.json 引用本地路径。\n")) == 1


def test_labels_with_a_slash_are_no_paths() -> None:
    source = (
        "## Parts around the harbour\n\n- Pier: the gauge and `tide-token.txt` are used for the log and the bell.\n"
        "- Ropes/knots: the crew uses `knot` with sailor keys (`rope.key`), expected by all scripts.\n"
    )

    assert len(texts(source)) == 2


def test_what_a_project_leaves_out_stands_before_no_other_heading() -> None:
    path = ("Harbour", "Out of scope (not in the first year)", "Tides")

    assert context_lead("Use the moon table.", path, "Use the moon table") == "Tides"


@pytest.mark.parametrize(
    "second",
    [
        "This check is wanted in spring, but is no gate.",
        "When that signal appears, stop the crane.",
        "Witnessed (roughly) by the pilots of the outer pier.",
        "Exception: boats of the pilots may moor before the check.",
        "Rowing boats are exempt from this rule.",
        "If you must go beyond this, ask the harbour master.",
        "This is the opposite case from the rule of the outer pier.",
        "Fixed with a second ring on each bollard.",
        "Export those on top of the usual settings.",
        "What this still keeps apart: the two quays and their books.",
        "Why these are left out: nobody moors there in winter.",
    ],
)
def test_a_paragraph_that_means_the_one_above_stays_with_it(second: str) -> None:
    source = f"## Boats\n\nThe harbour master checks every boat for its keel blocks at noon.\n\n{second}\n"

    assert len(texts(source)) == 1


def test_a_label_of_exceptions_begins_a_statement_of_its_own() -> None:
    source = "## Style\n\n- Always tie boats with two ropes at night.\n- **Exceptions:** throw what the crane names.\n"

    assert len(texts(source)) == 2


def test_each_problem_begins_a_memory_of_its_own() -> None:
    source = (
        "## Common issues\n\n**Issue**: The rope slips off\n**Solution**: Use the second ring of the bollard.\n\n"
        "**Issue**: The crane stops\n**Solution**:\n1. Oil the brake\n2. Lift again\n"
    )

    first, second = texts(source)
    assert "rope" in first
    assert "crane" not in first
    assert "Oil" in second


def test_values_are_not_glued_to_the_paragraph_above() -> None:
    source = "## Quay\n\n**Pilots:** They moor forty boats a day and want no noise.\n\nCrane: `K-12`\nLoad: `12t`\n"

    assert texts(source)[-1] == "Crane: `K-12`\nLoad: `12t`"


def test_a_list_right_below_a_fragment_belongs_to_it() -> None:
    source = (
        "## Dues\n\n**2021**: Major reduction\n- Half the dues of boats\n- Only for boats of pilots\n\n"
        "**2022**: Increase of the extra rate for boats\n- The rate rose from two to three crowns.\n"
    )

    assert not any(text.endswith("for boats") and "2022" in text for text in texts(source))


@pytest.mark.parametrize(
    ("path", "text", "title", "lead"),
    [
        # the noun stands in the heading
        (
            ("Log", "Historical tide repair"),
            "Qualification: run the repair twice on a copy of the tide book.",
            "Run the repair twice on a copy",
            "Historical tide repair",
        ),
        (
            ("Log", "Mooring check (first phase)", "Behavior contract"),
            "If a rope is missing, the command fails fast with a hint.",
            "Behavior contract: If a rope is missing",
            "Mooring check (first phase) > Behavior contract",
        ),
        (
            ("AGENTS.md", "Outer pier suites"),
            "These suites hold a thousand tides.",
            "These suites",
            "Outer pier suites",
        ),
        # the heading says when it holds
        (
            ("Loose ropes", "If a knot exists"),
            "Tie the boat to the ring at once.",
            "Tie the boat to the ring at once",
            "Loose ropes > If a knot exists",
        ),
        # no subject, though the heading's words stand in the text
        (("Log", "Test boats"), "Focuses on the boats in the test.", "Test boats: Focuses", "Test boats"),
        # the heading's words stand in a few words that say little
        (("Testing", "Mock boats"), "Mock with: `oak`", "Mock with oak", "Mock boats"),
        # it goes on with what the heading begins, though it holds words of it
        (("Log", "[Night Meta Watch]"), "owns the lamps in `night/meta/`.", "Night Meta Watch", "[Night Meta Watch]"),
        # it says itself what it means
        (("Log", "Tide repair"), "The tide repair runs twice.", "The tide repair runs twice", ""),
        (("Log", "Before mooring"), "Before mooring a boat, ring the bell.", "Ring the bell", ""),
    ],
)
def test_what_only_a_heading_names_is_said_before_the_text(
    path: tuple[str, ...], text: str, title: str, lead: str
) -> None:
    assert context_lead(text, path, title) == lead
    assert without_lead(with_lead(text, lead), path) == text


def test_this_layer_is_told_with_what_its_file_is_about() -> None:
    text, path = (
        "- Ropes come from the shed\n- This layer is never used by the pilots.",
        ("Rules: Rope Layer", "Limits"),
    )
    assert context_lead(text, path, "Limits", document=path[0]) == "Rope Layer > Limits"

    path = ("AGENTS", "How it connects to the rest of the quay")
    lead = context_lead("**Pilots** moor through this layer.", path, "Pilots moor", document=path[0], folder="ropes")
    assert lead == "ropes > How it connects to the rest of the quay"
    assert without_lead(with_lead("**Pilots** moor.", lead), path) == "**Pilots** moor."


def test_this_file_is_told_by_its_name() -> None:
    path, text = ("Guide for the pier", "Upkeep"), "Update this file in the same change when a ring is added."

    lead = context_lead(text, path, "Update this file", document=path[0], file="pier/AGENTS.md")

    assert lead == "pier/AGENTS.md > Upkeep"
    assert without_lead(with_lead(text, lead), path) == text
    assert without_lead(with_lead(text, "pier/AGENTS.md"), path) == text
    other = "Rings are listed in `rings.toml`; this file is made anew each night."
    assert "pier/AGENTS.md" not in context_lead(other, path, "Rings", document=path[0], file="pier/AGENTS.md")


def test_a_name_in_code_above_a_list_is_what_its_items_are_said_of() -> None:
    source = (
        "## Crews\n\n`[Pilot of the pier]`\n\n- owns the ropes and the crane of the outer pier\n"
        "- must not lift boats unless the harbour master asks for it\n\n`[Night watch]`\n\n- owns the lamps and bells\n"
    )

    pieces = split_markdown(source).pieces

    assert {"Pilot of the pier", "Night watch"} <= {piece.heading_path[-1].strip("[]") for piece in pieces}


def test_a_name_in_lower_case_that_the_heading_says_is_not_said_twice() -> None:
    assert not context_lead("quayvet is a tool that checks whether boats are tied.", ("quayvet",), "quayvet is a tool")


def test_the_named_parts_of_a_rule_stay_together_with_their_code() -> None:
    parts = (
        "**Trigger:** Boats that are too heavy:\n- ferries\n- tugs\n\n**Message:**\n```\nCR-1: too heavy\n```\n\n"
        "**Why:** The rope tears.\n\n**Fix hint:** Use the outer crane."
    )
    assert texts(f"## Cranes\n\n### Heavy boats\n\n{parts}\n\n### Others\n\nOthers are lifted inside.\n")[0] == parts


def test_a_list_stands_below_a_heading_as_long_as_a_sentence() -> None:
    heading = 'Boats that the outer crane lifts by itself (marked with `Crane("outer", "alone")`, and only in summer)'
    path, text = ("Quay", "Cranes", heading), "- `boats/ferry.toml`\n- `boats/tug.toml`\n- `boats/yacht.toml`"
    lead = context_lead(text, path, title_for(text, path))
    assert lead.startswith("Boats that the outer crane lifts by itself")
    assert without_lead(with_lead(text, lead), path) == text
    assert title_for(text, path).startswith("Boats that the outer crane lifts by itself: boats/ferry.toml")
    assert not context_lead("Boats are lifted at noon, when the tide is high.", path, "Boats are lifted at noon")


def test_a_label_leads_to_its_list_and_no_further() -> None:
    source = (
        "## Signals\n\nKnow when to blow the horn.\n\n**Stay silent (fog) when:**\n\n- The ferry is asleep\n"
        "- A bell has rung already\n\n**Never blow twice:** One blast is heard by all piers of the harbour at once.\n\n"
        "Horns are for danger, and bells are for joy and for the hour of the day.\n"
    )

    paths = {piece.text[:8]: piece.heading_path for piece in split_markdown(source).pieces}
    assert paths["- The fe"] == ("Signals", "Stay silent (fog) when")
    assert paths["**Never "] == paths["Horns ar"] == ("Signals",)


def test_steps_of_a_heading_stay_together_though_it_says_always() -> None:
    steps = "1. Always weigh the boat with the scale\n2. Never lift it by night\n3. Sign the log at the pier"
    assert texts(f"# Always do these steps before a lift\n\n{steps}\n") == [steps]


@pytest.mark.parametrize(
    "lead",
    [
        "Your paper names both:\n\n- a **pier** that the boat lies at by day\n- a **master** who signs for it by night",
        "Two ways of lifting coexist:\n\n- by hand, which is used for all the small boats\n- by crane, for the others",
        (
            "Work in DRAIN-LIFT-TIE for every boat. No other order.\n\n1. **DRAIN:** Open the plug. Wait for the end.\n"
            "2. **LIFT:** Turn the crane slowly. Look at the rope.\n3. **TIE:** Tie the boat while it is still wet."
        ),
        "Rows of keys by crane:\n\n- Upper: `[Up, Stop, Down] [Lamp, Horn]`\n- Lower: `[Up, Turn, Down] [Lamp, Bell]`",
    ],
)
def test_what_a_lead_counts_or_names_stays_together(lead: str) -> None:
    assert texts(f"## Harbour\n\n{lead}\n") == [lead]


def test_a_labelled_line_behind_a_list_is_not_its_last_item() -> None:
    source = (
        "## Ties\n\nRules of the quay:\n\n- Ropes: every rope must be dry before it is used.\n"
        "- Hooks: every hook must be greased in spring.\n- Left out: `manila`, `sisal`, `hemp`, `jute` etc.\n\n"
        "Limits: `ROPES` (5), `HOOKS` (50).\n"
    )

    assert texts(source)[-1].startswith("Limits:")


def test_sections_below_bold_labels_are_texts_of_their_own() -> None:
    first = "**Piers** (`piers.txt`):\n- `/a` is upper\n- `/b` is lower"
    second = "**Cranes** - two of them stand:\n1. By hand, with a rope\n2. By steam, with a boiler"

    assert texts(f"## Town\n\n{first}\n\n{second.replace(' - ', ' — ')}\n") == [first, second.replace(" - ", " — ")]


@pytest.mark.parametrize(
    "line",
    [
        "This configuration applies to all ropes that are used at the quays of the town.",
        "Applies to rope files and rope directories.",
    ],
)
def test_words_on_what_a_file_applies_to_are_no_memory(line: str) -> None:
    assert texts(f"## Ropes\n\n{line}\n") == []


def test_a_text_of_code_alone_names_its_heading_though_the_title_does() -> None:
    path, title = ("Guide", "Ropes (really kept)"), "Ropes: /quay/*, *.rope, hooks/"
    assert context_lead("`/quay/*`, `*.rope`, `hooks/`", path, title) == "Ropes (really kept)"
    lead = context_lead(
        "`/quay/*`, `*.rope`, `hooks/`", ("Guide", "Ropes that are kept"), "Ropes that are kept: /quay/*"
    )
    assert lead == "Ropes that are kept"


def test_a_wrapped_line_that_begins_with_a_plus_goes_on_with_its_sentence() -> None:
    sentence = (
        "Moving the mill to another hill means the old millstone, the sails of last year\n"
        "+ their ropes, and no `new` beam. The roof is kept, so that the\ncat stays dry.\n"
    )
    source = f"# Mill\n\n- Grease the axle on Mondays.\n- Never grind in a storm.\n\n## Moving\n\n{sentence}"

    assert any("last year\n+ their ropes" in text and "cat stays dry" in text for text in texts(source))


@pytest.mark.parametrize(
    "listed",
    [
        "What the miller always takes along to another hill:\n+ the cat, which never walks by itself\n",
        "What the miller always takes along to another hill\n+ the cat, never in a sack\n+ the ropes, always dry\n",
        "What the miller takes along to another hill on Monday\n+ the cat\n\n## Roof\n\n+ Mend it.\n+ Never tar it.\n",
        "- What the miller takes along to another hill on Monday\n  + the cat, which never walks by itself\n",
    ],
)
def test_a_plus_begins_an_item_below_a_lead_among_others_or_within_an_item(listed: str) -> None:
    assert any(block.kind == "bullets" for block in outline(listed.split("\n")).blocks)
