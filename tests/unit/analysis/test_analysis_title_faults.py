"""Kinds of titles that strangers' files came to, and that said less or something else than their texts."""

from __future__ import annotations

import pytest
from title_rules import title_by_rules

from memtui.analysis.headlines import compact


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (
            (
                "A boat that ties up to a pier at night — a ferry, or a barge on anything other than a slip — "
                "cannot leave by calling inside its own berth, because that berth no longer answers."
            ),
            ("Harbour",),
            "Harbour: A boat that ties up to a pier at night cannot leave by calling inside its own berth",
        ),
        (
            (
                "If a tool writes a lower-case `ropes/` folder on the quay, the harbour's store — which knows "
                "capitals — won't find it. Rename it in two steps."
            ),
            (),
            "If a tool writes a lower-case ropes/ folder on the quay, the harbour's store won't find it",
        ),
        (
            (
                "Crane directory names under `cranes/` and the `name =` field in `crane.nix` must use the short slug "
                "of the pier as the canonical identifier."
            ),
            (),
            "Crane directory names under cranes/ and name = field in crane.nix must use short slug of pier…",
        ),
    ],
)
def test_a_title_does_not_end_with_its_subject(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path) == title


def test_two_verbs_keep_the_object_that_they_share() -> None:
    text = (
        "A library for people at the quay that helps the dock workers create and carefully check all of the larger "
        "moorings of the outer harbour."
    )

    assert not title_by_rules(text, ()).endswith("create")


def test_articles_stay_before_a_number() -> None:
    text = (
        "Mixing the two on the same quay causes a collision of the boat that was lifted by hand and of the later boat."
    )

    assert title_by_rules(text, ()).startswith("Mixing the two on")


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("Recap", "Cranes — rope pattern: Don't drop old ropes — pick by length"),
        ("When this does NOT apply", "Cranes — rope pattern: When this does NOT apply: Steel holds by itself"),
        ("Resolution (once per crane)", "Cranes — rope pattern: Resolution (once per crane): Steel holds by itself"),
    ],
)
def test_a_heading_that_means_another_stands_below_that(heading: str, title: str) -> None:
    text = "Steel holds by itself." if heading != "Recap" else "Don't drop old ropes — pick by length."

    assert title_by_rules(text, ("Cranes — rope pattern", heading)) == title


def test_a_heading_keeps_the_verb_that_it_ends_with() -> None:
    assert title_by_rules("Pull the rope.", ("Cranes", "When to use this pattern")).startswith(
        "Cranes: When to use this"
    )


def test_a_heading_within_its_parent_stands_alone() -> None:
    text = "Tie the boat."

    assert title_by_rules(text, ("Pier log constraints for the harbour", "Pier log")) == "Pier log: Tie the boat"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("**NEVER TIE**\n\n- Old ropes (use new ones)\n- Wire", "Moorings: NEVER TIE"),
        (
            (
                "The log of the crane returns one of:\n\n"
                '- `CraneGateway_UnknownError` with `"the rope of the outer crane is not configured"`\n'
                "- `Crane.Error`: `Rope needed`"
            ),
            "The log of the crane returns one of: CraneGateway_UnknownError…",
        ),
        ("At the quay, lifting fails with a message similar to:\n\n> No rope", "At the quay, lifting fails"),
        (
            (
                "**Groups of cranes**: `north`, `south`, `harbour`, `outer-pier`, `inner-pier`, `dry-dock`, "
                "`wet-dock`, `crossing`, or `all`. The default is `north`."
            ),
            "Groups of cranes: north, south, harbour, outer-pier, inner-pier, dry-dock, wet-dock…",
        ),
        (
            "- Red, green, white (by night)\n- `buoys/` is a part of its own\n- Fog signals",
            "Moorings: Red, green, white; buoys/ is a part of its own; Fog signals",
        ),
        (
            "- Cranes are lifted using winches\n- Ropes in the `ropes/` directory\n- Bells",
            "Moorings: Cranes are lifted using winches, Ropes in the ropes/ directory, Bells",
        ),
    ],
)
def test_a_list_is_titled_by_all_of_what_its_label_and_first_items_say(text: str, title: str) -> None:
    assert title_by_rules(text, ("Moorings",)).endswith(title)


@pytest.mark.parametrize(
    ("code", "title"),
    [
        ("LOG=$(crane log --all)\nEXIT=$?\nif [ $EXIT -eq 0 ]; then\n  echo done\nfi", "crane log --all"),
        ("CRANE_KEY=your_key\n# the outer one\nPIER_URL=http://pier", "CRANE_KEY, PIER_URL"),
    ],
)
def test_a_script_is_named_by_its_commands_and_settings_by_their_names(code: str, title: str) -> None:
    assert title_by_rules(f"```bash\n{code}\n```", ("Harbour", "Faults of cranes")) == f"Faults of cranes: {title}"


def test_a_drawing_of_folders_is_named_by_the_folders_at_its_root() -> None:
    tree = "piers/\n├── north/     - the ferries\n│   └── log.txt\nropes/     - Ropes\nbells/     - Bells"

    assert (
        title_by_rules(f"```\n{tree}\n```", ("Harbour", "Where things lie"))
        == "Where things lie: piers/, ropes/, bells/"
    )
    assert title_by_rules("```\nlog/rope.txt   -- ropes\ncrane.sh   — lifts\n```", ("Harbour", "Where things lie")) == (
        "Harbour: Where things lie"
    )


def test_how_an_assistant_is_to_answer_stands_below_no_other_subject() -> None:
    assert title_by_rules("Be concise in answers.", ("Harbour", "Folders of ropes")) == "Be concise in answers"
    assert title_by_rules("Be concise: short words.", ("Harbour", "Writing of signs")).startswith(
        "Writing of signs: Be"
    )


def test_a_headline_does_not_leave_you_get() -> None:
    assert compact("At night, make sure you get familiar with the ropes") == "At night, get familiar with ropes"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "Ropes should lie at the top of the quay with the following rules:\n\n- Coil them",
            "Ropes should lie at the top of the quay: Coil them",
        ),
        ("**Principle:** Scan all of the ropes at night.", "Scan all of the ropes at night"),
        (
            "**Deeper Dive:**\n  - **Early checks:** of wire\n  - **Late checks:** of hemp",
            "Harbour: Ropes: Early checks (of wire), Late checks (of hemp)",
        ),
        ("- **Principle:** Tie them twice.\n- **Deeper Dive:** See knots.", "Tie them twice"),
    ],
)
def test_a_lead_keeps_its_verb_and_a_label_that_says_nothing_goes(text: str, title: str) -> None:
    assert title_by_rules(text, ("Harbour", "Ropes")).endswith(title)


def test_a_rule_that_is_listed_behind_its_occasion_keeps_both() -> None:
    text = (
        "During storms, floods, fog, repairs, or inspections of the pier, never lift the boats of the harbour, the "
        "ferries, or the barges; move or sink the outer mooring; or otherwise touch the crane that is in use."
    )

    assert (
        title_by_rules(text, ())
        == "Never lift the boats of the harbour, the ferries, or the barges during storms, floods, fog, repairs"
    )


def test_a_list_below_words_that_mean_the_heading_is_titled_by_that() -> None:
    text = "Available without any install steps:\n\n- crane 1.15.0\n- winch 12.16.0\n- rope"

    assert title_by_rules(text, ("Harbour", "Crane runtime 1.3 — what was lifted there before")) == (
        "Crane runtime 1.3 — what was lifted there before: crane 1.15.0, winch 12.16.0, rope"
    )


def test_steps_below_a_heading_that_means_its_parent_are_titled_by_that() -> None:
    title = title_by_rules(
        "1. Open it.\n2. Lift it.", ("Harbour — the first lift of a crane needs a rope that is bound", "Resolution")
    )

    assert title.startswith("Harbour — the first lift of a crane needs a rope that is bound: Resolution")


def test_numbers_within_a_sentence_do_not_end_it() -> None:
    text = "In general, work by 1. lifting the boat, 2. tying it, and 3. writing the log."

    assert title_by_rules(text, ()) == "Work by 1. lifting the boat, 2. tying it, and 3. writing the log"


def test_of_bold_sentences_as_many_as_fit_are_the_title() -> None:
    text = (
        "> **This is a trial. Cranes lift real boats. Try it at the small quay first, before any of the ferries "
        "comes in.**"
    )

    assert title_by_rules(text, ()) == "This is a trial. Cranes lift real boats"


LAYOUT = """```
harbour/
  quay/      — berths, and what lies at them
    lamps/   — lamps of the quay
  cranes/    — cranes and their ropes
  tides.log
```"""
SERVICES = """```text
quay/
  north/     the northern quay
  south/     the southern quay

cranes/
  hooks/     hooks
```"""
STACK = """- **Language**: Tidal 3 (strict mode)
- **Framework**: Quay with its lamps
- **Database**: Ropebase
- **Tests**: `lift test` (run them by night)"""
FEATURES = """- **Mooring**: how a boat is tied
- **Towing**: how a boat is drawn
- **Testing**: how a rope is pulled"""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (LAYOUT, "Layout: quay/, cranes/"),
        (SERVICES, "Layout: quay/, cranes/"),
        (
            "- `quay/`: berths of the harbour.\n- `cranes/`: cranes and their ropes.",
            "Layout: quay/ (berths of the harbour), cranes/ (cranes and their ropes)",
        ),
        (
            "".join(
                f"- `{name}/` — of the harbour\n"
                for name in ("boats", "cranes", "ferries", "lamps", "quays", "tides", "winches")
            ),
            "Layout: boats/, cranes/, ferries/, lamps/, quays/, tides/ and 1 more",
        ),
        # labels that every project has say less than what follows them
        (STACK, "Layout: Tidal 3, Quay with its lamps, Ropebase, lift test"),
        (FEATURES, "Layout: Mooring, Towing, Testing"),
        # no item is broken off before what it was made with, or within a pair
        (
            "- Hooks smoke-tested via `spec/hooks/every_lift_spec.rb` at night\n- Ropes between cranes and all quays",
            "Layout: Hooks smoke-tested via spec/hooks/every_lift_spec.rb at night and 1 more",
        ),
    ],
)
def test_a_list_is_titled_by_its_heading_and_its_items(text: str, title: str) -> None:
    assert title_by_rules(text, ("Harbour", "Layout")).removeprefix("Harbour: ") == title


def test_a_list_does_not_pass_for_its_first_item() -> None:
    text = "- Never lift a boat that nobody has weighed that day.\n- Call the foreman.\n- Write the log into the book."

    assert title_by_rules(text, ("Harbour", "Lifting by night")).endswith(", and 1 more")


def test_what_a_list_is_about_goes_before_the_number_of_its_items() -> None:
    text = "- Keep ropes dry all winter\n- Keep hooks clean all summer\n- Keep every lamp lit\n- Ask\n- Look\n- Wait"
    above = ("Guide", "Harbour of the northern islands", "Cranes")

    title = title_by_rules(text, above)

    assert title.startswith("Harbour of the northern islands: Cranes: ")
    assert not title.endswith("more")


def test_the_number_of_items_is_counted_in_english_titles_alone() -> None:
    text = "".join(
        f"- Die {name} der Werft sind immer mit dem Seil zu vertäuen\n" for name in ("Boote", "Kräne", "Fähren")
    )

    assert " more" not in title_by_rules(text, ("Hafen", "Regeln für die Nacht"))


TEMPLATE = """```csharp
/// <summary>
/// Lifts [what the crane lifts].
/// </summary>
```"""
LIFT_FAILS = """If the hook slips, drops the boat, or jams:

```
lift = 0
→ WAIT (the foreman looks first)
```"""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        # the main clause behind a label and a condition
        (
            (
                "**Tide constants**: before writing a `TideKey` for the harbour-convention of the northern basin, "
                "search the old and the new books of the harbour office."
            ),
            "Ropes: Tide constants: before writing TideKey, search old and new books of harbour office",
        ),
        (
            "**If you add a berth or a quay**: update `quay.toml`, then the log.",
            "Ropes: If you add a berth or a quay: update quay.toml, then the log",
        ),
        # a sentence may end with a passive before a sign
        (
            (
                "Call `crane.waitForRopes(count)` before the log of the crane is emptied, whether by `crane.empty()` "
                "or by the end of the shift of the harbour."
            ),
            "Call crane.waitForRopes(count) before the log of the crane is emptied",
        ),
        # no statement is taken for the definition of a thing without a name
        (
            "Boats that carry lamps or draw a barge are not ferries — keep their names, and do not ask for `ferry(1)`.",
            "Ropes: Boats that carry lamps or draw a barge are not ferries — keep their names",
        ),
        (LIFT_FAILS, "Ropes: If the hook slips, drops the boat, or jams: lift = 0, → WAIT (the foreman looks first)"),
        (
            "For mending, drying and storing tasks, read `ropes/knots/README.md`\nand learn the knots.",
            "Ropes: Read ropes/knots/README.md and learn the knots",
        ),
        (TEMPLATE, "Harbour handbook of the north: Ropes"),
    ],
)
def test_a_title_keeps_what_the_text_states(text: str, title: str) -> None:
    assert title_by_rules(text, ("Harbour handbook of the north", "Ropes")) == title


def test_headings_alone_stand_below_what_the_document_is_about() -> None:
    assert title_by_rules(TEMPLATE, ("Comments of the cranes", "Templates by kind", "Hoists")) == (
        "Comments of the cranes: Templates by kind: Hoists"
    )


def test_a_path_that_lost_its_head_says_so() -> None:
    text = (
        "Every motor of a crane is told its limits in `harbour/src/cranes/motors/limits.toml` by the foremen of the "
        "quay at night."
    )

    assert "…/motors/limits.toml" in title_by_rules(text, ())


def test_a_list_of_names_does_not_end_within_it() -> None:
    text = (
        "`Rope.toml` has a `<map>` that points `Crane.Hooks`, `CRANE-LAMPS` and `Crane.Winches` of every quay at the "
        "private store of the harbour, which needs a key."
    )

    assert not title_by_rules(text, ()).endswith(("Crane.Hooks", "CRANE-LAMPS"))


def test_a_heading_that_is_a_tag_is_the_subject() -> None:
    above = ("Harbour comments", "Tags", "Required tags")

    assert title_by_rules("Describes what the crane lifts.", (*above, "<lifts>")) == (
        "Required tags: <lifts>: Describes what the crane lifts"
    )
    assert "<example>" in title_by_rules("Code examples that show how a boat is lifted", (*above, "<example>"))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            (
                "- Import `hook`, `rope`, and `lamp` from `@crane/quay-tools-of-the-harbour`.\n"
                "- Use `lift.by` for every lift that is made by night."
            ),
            "Ropes: Import hook, rope, and lamp; Use lift.by",
        ),
        (
            "- **The foreman is the first to know about each lift.** Yes.\n- **The log says what was done.** Yes.",
            "Ropes: The foreman is the first to know about each lift, The log says what was done",
        ),
        (
            (
                "- `quay/src/cranes/hooks/tools/generated/log.toml`: of the hooks\n"
                "- `quay/src/winches/ropes/generated/map.toml`: of the ropes"
            ),
            "Ropes: …/log.toml (of the hooks), …/map.toml (of the ropes)",
        ),
        (
            "1. Output of the crane is written to the log\n2. `crane.py` packs it up and sends it to the office",
            None,
        ),
    ],
)
def test_the_items_of_a_list_are_not_broken_off(text: str, title: str | None) -> None:
    told = title_by_rules(text, ("Harbour", "Ropes")).removeprefix("Harbour: ")

    assert told == title if title else told.startswith("Ropes: Output of the crane is written")


def test_the_name_of_a_file_keeps_its_beginning() -> None:
    text = (
        "`Harbour.Crane.props` carries the rules of the analyser for all of the cranes of the northern and outer quay."
    )

    assert title_by_rules(text, ()).startswith("Harbour.Crane.props ")


def test_a_long_item_below_the_beginning_of_a_sentence_keeps_that() -> None:
    item = "Purely local moves, painting, naming of berths, or rules of winches that can be derived from the charts."

    assert title_by_rules(item, ("Harbour", "When to ask for tide tables", "Skip tide tables for")).startswith(
        "Skip tide tables for: Purely local moves"
    )


CAPTIONED = """**Northern Cranes** (in `cranes/north/`):

```bash
crane lift
```

**Southern Cranes** (in `cranes/south/`):

```bash
crane drop
```"""


def test_captions_above_code_tell_what_is_shown() -> None:
    assert title_by_rules(CAPTIONED, ("Harbour", "Commands for each quay")).endswith(
        "Commands for each quay: Northern Cranes (in cranes/north/), Southern Cranes (in cranes/south/)"
    )
    shown = "**Wrong**:\n\n```bash\nlift\n```\n\n**Right**:\n\n```bash\ncrane lift\n```"
    assert title_by_rules(shown, ("Harbour", "Commands for each quay")).endswith("Commands for each quay")


def test_a_verb_keeps_the_object_that_it_shares_behind_an_adverb() -> None:
    text = (
        "Before declaring any of the many lifts of the night done, carefully check and mend your own ropes until a "
        "foreman of the harbour has nothing to say."
    )

    assert not title_by_rules(text, ()).endswith("carefully check")


def test_of_many_names_behind_a_label_that_every_project_has_the_first_is_told() -> None:
    text = (
        "- **Frontend**: Quay 19, Quay Router, Quay Query, Harbour CSS v4, Lamp UI\n- **Backend**: Crane Workers\n"
        "- **Database**: Ropebase ORM"
    )

    assert title_by_rules(text, ("Harbour", "Stack")) == "Harbour: Stack: Quay 19, Crane Workers, Ropebase ORM"


def test_of_two_things_the_second_keeps_what_it_is_for() -> None:
    text = "Keep `.harbour/boats/` for books of boats and `.harbour/cranes/` for disposable, ignored state of cranes."

    assert not title_by_rules(text, ("Quay",)).endswith(".harbour/cranes/")


def test_types_listed_with_their_fields_are_told_below_their_heading() -> None:
    types = '// quay.ts\nBerth { id, depth }\nCrane { id,\n  ropes }\n\nLight = "red" | "green"'

    assert title_by_rules(f"```typescript\n{types}\n```", ("Harbour", "Key types (TypeScript)")).endswith(
        "Key types (TypeScript): Berth, Crane, Light"
    )
    class_alone = "```typescript\nclass Berth {\n  id = 1\n}\nlift()\n```"
    assert title_by_rules(class_alone, ("Harbour", "Key types (TypeScript)")).endswith("Key types (TypeScript)")


def test_a_tree_in_whatever_language_it_is_marked_tells_its_folders() -> None:
    tree = "wharf/\n  cranes/    # lifts\n  ropes/     # ropes\n  lamps/     # light"

    assert title_by_rules(f"```javascript\n{tree}\n```", ("Harbour", "File Organization")).endswith(
        "File Organization: cranes/, ropes/, lamps/"
    )


def test_what_a_heading_is_about_goes_before_how_to_do_it() -> None:
    text = "A boat that moors at the pier and nothing else **cannot land** — the bell stays silent. Ring it."

    assert title_by_rules(text, ("The crane rope", "How to moor")) == (
        "The crane rope: A boat that moors at the pier and nothing else cannot land — the bell stays silent"
    )


def test_a_purpose_is_no_order() -> None:
    assert title_by_rules("Purpose: lift crates from ships and stack them.", ("Harbour", "Aims of the year")).endswith(
        "Purpose: lift crates from ships and stack them"
    )


def test_words_that_only_announce_a_test_are_dropped() -> None:
    text = "The test: Every crate should have a reason tied to the captain's request or to a clear pier."

    assert "test" not in title_by_rules(text, ("Harbour", "Small loads"))


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        ("- hemp ropes\n- old lamps", ("Harbour", "Work", "Don't"), "Harbour: Work: Don't: hemp ropes, old lamps"),
        ("- hemp ropes\n- old lamps", ("Harbour", "Anti-patterns"), "Harbour: Anti-patterns: hemp ropes, old lamps"),
        (
            "| Avoid | Prefer |\n|---|---|\n| hemp ropes | wire |\n| old lamps | new ones |",
            ("Harbour", "Gear"),
            "Harbour: Gear: Avoid: hemp ropes, old lamps",
        ),
        (
            "| # | Avoid | Prefer |\n|---|---|---|\n| 1 | hemp ropes | wire |\n| 2 | old lamps | new ones |",
            ("Harbour", "Gear"),
            "Harbour: Gear: Avoid: hemp ropes, old lamps",
        ),
    ],
)
def test_what_a_heading_or_column_forbids_is_forbidden_in_the_title(
    text: str, path: tuple[str, ...], title: str
) -> None:
    assert title_by_rules(text, path) == title


@pytest.mark.parametrize(
    ("text", "path", "title"),
    [
        (
            (
                "**New pier? Run `moor/setup.sh` (or `moor link && moor --dir crane link`) as the FIRST step — before "
                "any lift.** A new pier has no ropes."
            ),
            ("Harbour",),
            "Harbour: New pier? Run moor/setup.sh as the FIRST step — before any lift",
        ),
        (
            "**May a ferry moor twice? Never. It blocks the quay.**",
            (),
            "May a ferry moor twice? Never. It blocks the quay",
        ),
        (
            "Database:\n\n- Postgres\n- Redis\n\nFrontend:\n\n- Svelte\n\nTests:\n\n- pytest",
            ("Harbour", "Tech"),
            "Harbour: Tech: Postgres, Svelte, pytest",
        ),
        (
            "Cranes:\n\n- lift boats\n- turn\n\nWinches:\n\n- pull boats\n- stop",
            ("Harbour log", "Daily gear"),
            "Harbour log: Daily gear: Cranes, Winches",
        ),
        (
            "| Pier | Use |\n|---|---|\n| north | ferries |\n| south | barges |",
            ("kismethis", "Piers"),
            "kismethis: Piers: north, south",
        ),
        (
            "- Name each lamp after its pier\n- For most piers: write it in the log",
            ("Harbour", "Night lamps"),
            "Harbour: Night lamps: Name each lamp after its pier",
        ),
        (
            "- **Day lifts**: `lift/day/` with a log in `log/`\n- **Night lifts**: one lamp for each boat",
            ("Harbour log", "Lift plans"),
            "Harbour log: Lift plans: Day lifts (lift/day/), Night lifts (one lamp)",
        ),
    ],
)
def test_a_title_names_all_parts_and_says_what_they_are(text: str, path: tuple[str, ...], title: str) -> None:
    assert title_by_rules(text, path) == title


def test_a_chinese_title_goes_on_behind_its_subject_and_to_what_is_listed() -> None:
    subject = (
        "**装卸收敛**：码头上任何由模型移动的大型起重设备，必须先经过 `dock/tools` 的登记和检查流程，"
        "不允许在船上直接操作任何设备，也不允许跳过记录。"
    )
    assert "必须先经过" in title_by_rules(subject, ("港口", "原则"))
    listed = (
        "修改 `crane` 时，重点检查：新增绳索的长度、默认灯光和夜间信号、旧船的停靠位置、超重控制、"
        "错误记录、潮汐限制和停泊区域的标志。"
    )
    assert "新增绳索的长度" in title_by_rules(listed, ("港口", "检查"))
