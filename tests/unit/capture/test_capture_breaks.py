"""What stands below a heading is what it speaks of: breaks end a section, steps stay whole, pointers are none."""

from __future__ import annotations

import pytest

from memtui.capture.markdown import split_markdown

FORBIDDEN = "# Harbour\n\n## Berths\n\n### Anti-patterns to avoid\n\n```sh\nmoor --unlit\n```\n\n"
REMEMBER = "Remember: the pilots of this harbour read each message twice."


def placed(markdown: str) -> dict[str, tuple[str, ...]]:
    return {piece.text: piece.heading_path for piece in split_markdown(markdown).pieces}


def reasons(markdown: str) -> list[str]:
    return [gap.reason for gap in split_markdown(markdown).skipped if not gap.reason.startswith("heading")]


# -- breaks ----------------------------------------------------------------------------------------


def test_what_follows_a_break_at_the_end_speaks_for_the_whole_document() -> None:
    assert placed(f"{FORBIDDEN}---\n\n{REMEMBER}\n")[REMEMBER] == ("Harbour",)


def test_what_follows_a_break_stands_below_the_heading_around_the_next_section() -> None:
    assert placed(f"{FORBIDDEN}---\n\n{REMEMBER}\n\n## Tides\n\nTides are read hourly.\n")[REMEMBER] == ("Harbour",)
    path = placed(f"{FORBIDDEN}---\n\n{REMEMBER}\n\n### Lights\n\nEach pier has two lights.\n")[REMEMBER]
    assert path == ("Harbour", "Berths")


def test_a_document_of_several_chapters_has_no_heading_for_what_follows_its_last_break() -> None:
    assert placed(f"# Ferry\n\nThe ferry runs hourly.\n\n{FORBIDDEN}---\n\n{REMEMBER}\n")[REMEMBER] == ()


@pytest.mark.parametrize(
    "section",
    [
        f"## Messages\n\n---\n\n{REMEMBER}\n",
        f"## Messages\n\nMessages are signed.\n\n---\n\n{REMEMBER}\n\n---\n\nMessages are kept for a year.\n",
        f"## Messages\n\nMessages are signed.\n\n---\n\n{REMEMBER}\n\n### Kinds\n\nThere is one kind of message.\n",
    ],
    ids=["right below the heading", "between items that several breaks part", "above a subsection"],
)
def test_a_break_within_a_section_ends_nothing(section: str) -> None:
    assert placed(f"# Harbour\n\n{section}")[REMEMBER] == ("Harbour", "Messages")


def test_rules_of_number_signs_part_a_title_and_its_comment() -> None:
    comment = "# The reader waits, because a tide\n# that is read too early is wrong for the day.\n"
    banner = f"# ======\n# Tide reader\n# （潮位）\n#\n{comment}# ======\n\nAlways read the tide twice.\n"
    assert placed(f"# Harbour\n\n{banner}") == {
        "The reader waits, because a tide\nthat is read too early is wrong for the day.": ("Tide reader （潮位）",),
        "Always read the tide twice.": ("Tide reader （潮位）",),
    }
    kept = [gap.span for gap in split_markdown(banner).skipped if gap.reason == "heading: kept as context"]
    assert kept == [(2, 2), (3, 3)]
    assert placed(f"# ------\n{comment}# ------\n\nAlways read the tide twice.\n") == {
        "The reader waits, because a tide\nthat is read too early is wrong for the day.": (),
        "Always read the tide twice.": (),
    }
    assert placed("# Harbour\n\n# =====\n\nAlways read the tide twice.\n") == {
        "Always read the tide twice.": ("Harbour",)
    }


def test_a_break_ends_what_a_bold_line_heads() -> None:
    text = f"# Harbour\n\n**Never do**\n\nMooring a barge without its lights.\n\n---\n\n{REMEMBER}\n"
    assert placed(text)[REMEMBER] == ("Harbour",)


# -- places to read --------------------------------------------------------------------------------

PLACES = "- `piers/AGENTS.md` for work on piers\n- Root `AGENTS.md` for general project overview\n"


@pytest.mark.parametrize(
    "label",
    [
        "See also",
        "Related",
        "Related documentation",
        "Further reading",
        "References",
        "Siehe auch",
        "Voir aussi",
        "Véase también",
        "Veja também",
        "另见",
        "参考资料",
        "関連ドキュメント",
    ],
)
@pytest.mark.parametrize("form", ["## {}\n\n", "**{}:**\n\n", "{}:\n"])
def test_a_list_of_places_to_read_is_no_memory(label: str, form: str) -> None:
    markdown = f"# Harbour\n\n{form.format(label)}{PLACES}"
    assert placed(markdown) == {}
    assert "links only" in reasons(markdown)


def test_a_rule_among_places_to_read_is_kept() -> None:
    rule = "- Never edit `piers/plan.md` by hand\n"
    assert any("Never edit" in text for text in placed(f"## See also\n\n{PLACES}{rule}"))


def test_headings_with_nothing_but_places_to_read_are_no_memory() -> None:
    pages = "- Tides: https://tides.example/guide\n"
    assert (
        placed(f"# Harbour\n\n## Additional resources\n\n### Related files\n\n{PLACES}\n### References\n\n{pages}")
        == {}
    )


# -- steps -----------------------------------------------------------------------------------------

STEPS = (
    "1. Create the class of the rule in `src/piers/rules/`\n"
    "2. Define its code, name and groups\n"
    "3. Add cases to `tests/rules/<group>.yml`\n"
    "4. Run `make rules`"
)


@pytest.mark.parametrize(
    "heading",
    [
        "Adding mooring rules",
        "Creating a New Rule",
        "How to add a convention",
        "Writing a custom lint rule",
        "Neue Regel hinzufügen",
        "Ajouter une règle",
        "Añadir una nueva regla",
        "Adicionar uma regra",
        "添加新规则",
        "ルールの追加方法",
    ],
)
def test_steps_to_a_new_rule_stay_together(heading: str) -> None:
    assert list(placed(f"# Harbour\n\n## {heading}\n\n{STEPS}\n")) == [STEPS]


@pytest.mark.parametrize("heading", ["Mooring rules", "Writing conventions", "Rules for adding piers"])
def test_numbered_rules_are_parted(heading: str) -> None:
    rules = "1. Never moor a barge at night.\n2. Always log the draught in metres.\n3. Sign the log before noon.\n"
    assert len(placed(f"## {heading}\n\n{rules}")) == 3


# -- pointers that state a rule --------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        "Tide notes live in TIDES.md; keep the newest on top.",
        "See docs/piers.md and keep it current.",
        "See docs/piers.md; never edit it by hand.",
        "See docs/piers.md, then run `make piers`.",
        "For moorings see docs/moorings.md; run them by hand",
        "**Prefer the floating pier** — see [the piers](docs/piers.md).",
        "**Barges Must Pass the Lock Alone** — see [the locks](docs/locks.md).",
    ],
)
def test_a_pointer_that_also_states_a_rule_is_a_memory(rule: str) -> None:
    assert list(placed(f"# Harbour\n\n- {rule}\n")) == [rule]


@pytest.mark.parametrize(
    "pointer",
    [
        "See docs/piers.md; read it first.",
        "Details: docs/piers.md; see also docs/tides.md",
        "See docs/piers.md and follow the links.",
        "See docs/tides.md for build, test and release notes.",
        "Lock naming (as prefixes, trailing numbers, names of old) →\n  see `docs/piers.md`.",
        "**`Tide` ordering errors** — see the guide above and [the tides](docs/tides.md) for all troubles.",
        "Full list of the moorings, their depths and\n  the tolls of each: [`docs/moorings.md`](docs/moorings.md)",
        "**Rules of the pilots** have moved to `pilots/AGENTS.md`.",
    ],
)
def test_a_pointer_that_only_reads_on_is_none(pointer: str) -> None:
    assert placed(f"# Harbour\n\n- {pointer}\n") == {}
