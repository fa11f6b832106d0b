from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support import make_memory

from memtui.analysis.classify import KindGuess, kind_confidence, kind_guess
from memtui.analysis.named_paths import MAX_ANCHORS, anchors_in
from memtui.analysis.titles import title_for
from memtui.domain.kinds import DEFAULT_KINDS
from memtui.domain.memory import Source

SAMPLES = [
    ("We are currently moving the berths to the new pier", ("Harbour", "Current status"), "note"),
    ("The move to the new pier is in progress; the cranes come next", ("Harbour", "Status"), "note"),
    (
        "We are currently moving the berths to the new pier. Until that is done, `old/` stays as it is.",
        ("Harbour", "Current status"),
        "note",
    ),
    ("The cranes are being replaced this month", ("Harbour", "Active work"), "note"),
    (
        "Back-filling is done by replaying dumps through the same path with `--replay`",
        ("Harbour", "Data flow"),
        "architecture",
    ),
    ("A level passes the filter and is stored by hour", ("Harbour", "Data flow"), "architecture"),
    ("Never push to main", (), "constraint"),
    ("Always run `make check` before you commit", ("Rules",), "constraint"),
    ("Amounts must be integers", (), "constraint"),
    ("提交信息必须使用英文", ("提交规范",), "convention"),
    ("本番データを使うことは禁止", (), "constraint"),
    ("Use snake_case for functions", (), "convention"),
    ("Suffix background jobs with `_job`", ("Naming",), "convention"),
    ("Prefer dataclasses for values", (), "convention"),
    ("函数命名使用下划线", (), "convention"),
    ("```bash\nnpm test\n```", ("Commands",), "tooling"),
    ("`uv run pytest -k fares` runs one test", (), "tooling"),
    ("The dev server listens on port 3000", ("Getting started",), "tooling"),
    ("Requests pass the middleware, which sets the tenant", ("Architecture",), "architecture"),
    ("The API layer lives in `src/api/` and depends on the core", (), "architecture"),
    ("```\nferry/\n├── api/\n```", (), "architecture"),
    ("```text\nbooking -> queue -> ledger\n```", ("Ferry", "Signal chain"), "architecture"),
    ("```rust\npub trait Berth {\n    fn toll(&self) -> u32;\n}\n```", ("Ferry", "Key Types"), "architecture"),
    ("We chose Postgres instead of Redis, because holds must roll back", (), "decision"),
    ("2024: decided against GraphQL", (), "decision"),
    ("The worker charged twice because of a race; fixed with a lock", (), "bug-pattern"),
    ("**Symptom**: sold twice\n**Root cause**: replica lag\n**Fix**: lock", ("Gotchas", "Seats"), "bug-pattern"),
    ("Currently migrating auth to OIDC", (), "note"),
    ("- [ ] rename the job\n- [ ] drop the table", ("Work",), "note"),
    ("Skylark tracks drones for farms.", ("Skylark",), "architecture"),
    ("This service books ferries.", ("Ferry",), "architecture"),
    ("This repository holds the booking API and its workers.", ("CLAUDE.md",), "architecture"),
    ("Skylark must never fly in fog", ("Skylark",), "constraint"),
    ("Pagination is 1-based", ("Pagination", "Pages"), "architecture"),
    ("Pagination is 1-based", (), "architecture"),
    ("It turns out that the vendor rounds down", (), "lesson"),
    ("The tide table lies on the pier, written only by the harbour office.", (), "architecture"),
    ("`tide.ps1` manages the life of the pier: `start`, `stop`, `log`.", ("Harbour", "Operations"), "tooling"),
    ("- Run all of them: `bin/tide test`\n- Run one: `bin/tide test one`", ("Harbour", "Trials"), "tooling"),
    ("Two cranes on one rope cause a collision of boats, since each pulls.", ("Harbour", "Cranes"), "bug-pattern"),
    ("No mooring service or ticket desk", ("Harbour", "What this harbour does NOT include"), "architecture"),
    ("No mooring service or ticket desk", ("Harbour", "Rules"), "constraint"),
    (
        "**Dry by default in trials:** `moor()` and `lift()` select a toy crane. Pass `crane=` for a real one.",
        ("H", "6. Gotchas"),
        "architecture",
    ),
    ("> **Note:** The tide gauge delivers `Level` to all boats.", ("Harbour", "Trials", "Test notes"), "architecture"),
    ("Rust harbour app (crates `tide`, `pier`). No Gantry project: the old `GANTRY/` is gone.", ("H",), "architecture"),
    (
        "Action: `kill -9 tide` on the live pier — Rule: Confirm first (trials run as `tide-dev`)",
        ("Piers",),
        "constraint",
    ),
    ("Action: bare `cargo run -p tide` — Rule: Opens the live pier, never use it for trials", ("Piers",), "constraint"),
    ("Stopping the pier **requires explicit permission**:\n\n```sh\nkill 1\n```", ("Harbour", "Stop"), "constraint"),
    ("If the captain agreed this hour (e.g. to moor), proceed without asking", (), "convention"),
    (
        "- `/tide` -- tables\n- `/pier` -- output of `npm run pier`\n- `/pier/crane` -- cranes",
        ("Harbour",),
        "architecture",
    ),
    ("- `/tide` -- print the tables\n- `/pier` -- print it\n- `/crane` -- lift", ("Harbour",), "tooling"),
    ("The unload path (`unload()`) mirrors it: find -> lift -> stack the crates", ("Harbour",), "architecture"),
    ("```rust\nBerth { id, depth }\n```", ("Harbour", "Key types (Rust, mooring side)"), "architecture"),
    ("- `npm run tide` -- NEVER CANCEL: takes 40 seconds.\n- `npm run pier` -- builds it.", ("Harbour",), "tooling"),
    ("`tidewatch check` is the one gate of this harbour. It weighs every crate.", ("Harbour", "Checks"), "tooling"),
    ("**Purpose**: unload ships of any flag and stack their crates by weight.", ("Harbour",), "architecture"),
    ("Weighing a crate requires a running crane server and calm sea.", ("Harbour", "Trials"), "tooling"),
    ("Node.js >= 20 required", ("Harbour", "Conventions"), "tooling"),
    ("1. 更新 `package.json` 的版本号\n2. 提交变更\n3. 创建 tag", ("港口", "发布流程"), "tooling"),
    ("Berth lists: root `berths.yaml` is the source; do not edit the generated `quay/` files.", ("H",), "constraint"),
    ("Dock keys: `pier.key` + `pier.pub` are used by the crane. Never publish them.", ("Harbour",), "constraint"),
    ("The old log lies frozen in `log/2020`. Never extend it.", ("Harbour", "Index"), "constraint"),
    ("All cranes have a brake and a bell", ("Harbour layer", "Standards"), "convention"),
    ("All `moor()` calls: `moor('a/b')` not `moor('/a/b')`.", ("Harbour",), "convention"),
    (
        "| Variable | Use |\n|---|---|\n| `TIDE_URL` | the gauge |\n| `TIDE_KEY` | its key |",
        ("H", "Reference"),
        "tooling",
    ),
    ("Ropes written in a hurry are an anti-pattern, even if old piers still have some.", ("Harbour",), "constraint"),
    (
        "- [ ] run `make scales`\n- [ ] the log has an entry\n- [ ] no crate is open",
        ("H", "Review checklist"),
        "convention",
    ),
    ("**When in doubt, write one.** A record costs less than a lost reason.", ("H", "Decision records"), "convention"),
    ("Integration-test crane queues with `lift()` and `lower()` so that waits show.", ("Cranes, ropes",), "convention"),
    ("Generated charts (`tides.d.ts`) should NOT be edited manually.", ("Harbour", "Charts"), "constraint"),
    ("The gauge may not be reachable at low tide", ("Harbour", "Notes"), "architecture"),
    (
        "**Offen über Zweifel.** Eine Vermutung ist ein voller Beitrag, keine Schwäche.",
        ("Hafen", "Kommunikation"),
        "convention",
    ),
    ("Ein Logbuch ohne Nachtrag gilt als unvollständig.", ("Hafen", "Doku-Pflege"), "convention"),
    ("あなたは経験豊富な港長です。\n貨物の記録を確認してください。", ("港長",), "convention"),
    ("係留索の色を決める", ("港", "マイルストーン2: 係留"), "note"),
    ("**Pre-push hook** (`.tide/pre-push`) runs the scales on crates that changed", ("Harbour", "Critical"), "tooling"),
]


@pytest.mark.parametrize(("text", "path", "kind"), SAMPLES)
def test_words_headings_and_shape_tell_the_kind(text: str, path: tuple[str, ...], kind: str) -> None:
    assert kind_guess(text, title_for(text, path), path).kind == kind


VOICES = [
    ("The release reviewer checks every manifest against the hold plan", ("Loading",), "convention"),
    ("QA-Agent prüft den Ladeplan", ("Ablauf",), "convention"),
    ("Fügen Sie jeder Rampe einen Kommentar hinzu", (), "convention"),
    ("Every time a berth has been moved, run that single crane test", (), "convention"),
    ("When naming a berth, you use its harbour code", (), "convention"),
    ("A cargo type earns its own class when two ports load it", (), "convention"),
    ("Der Tagesbericht wird als `bericht.md` abgelegt", ("Ablauf",), "convention"),
    ("PREFER `Hold` over `Bay` if both must be loaded", (), "convention"),
    ("`load` boots the crane against the plan of the port (which must list the crane)", (), "architecture"),
    ("Keep cargo moving between ports", ("Harbour", "Purpose"), "architecture"),
    ("Frachtgut zwischen Häfen verteilen", ("Hafen", "Zweck"), "architecture"),
    ("**Backend:** Django Ninja mit Celery", ("Hafen",), "architecture"),
    ("Der Kran folgt dem Ladeplan", ("Hafen", "Anlagenübersicht"), "architecture"),
    ("**Relay**: `crane_tool` reads the plan and keeps it as `plan(port)`", (), "architecture"),
    ("一定要在两个模式下保持货舱的布局一致", (), "constraint"),
    ("Der Kranführer hebt nur bei grünem Licht", (), "constraint"),
    ("Ask before you change the tide tables", ("Boundaries",), "constraint"),
    ("Changes of the tide tables require explicit approval", (), "constraint"),
    ("To disable: pass `--no-crane` or set `CRANE_OFF=1`", (), "tooling"),
    ("Get an API key from the port office\nSet the environment variable", ("Prerequisites",), "tooling"),
    ("- crane: `npm run crane`\n- dock: `npm run dock`", (), "tooling"),
    ("- `./harbour plan`: print the plan\n- `./harbour tide`: print the tides", ("Plans",), "tooling"),
    ("When weighing crates, barrels and drums, you use the dock scale", (), "convention"),
    ("**Obligatoire avant tout départ :**\n1. Lire le plan\n2. Vérifier la marée", (), "constraint"),
    ("Use `Crane`, which bundles rope and hook:", ("Dependencies of cranes",), "convention"),
    ("- Check the rope\n- Try `crane reset`", ("Troubleshooting", "Error: hook not found"), "bug-pattern"),
    ("Share the scale between docks", ("Port", "One scale (don't repeat it)"), "convention"),
    ("A crate that was opened twice has to be weighed", (), "constraint"),
    ("Nur der Hafenmeister darf Schleusen öffnen", ("Rollen",), "constraint"),
    ("Ask before new cranes, ropes or tide tables", ("Dock rules",), "constraint"),
    ("Manter código de guindastes em `src/guindastes/`", (), "convention"),
    ("航海日誌は `log/` に保存", (), "convention"),
    ("```bash theme={dark}\nnpm run crane\n```", ("Examples",), "tooling"),
    ("- [x] Crane certified\n- [x] Dock flooded", ("Harbour",), "note"),
    ("**2031-02-03:** crane certified, dock flooded", ("Changelog",), "note"),
]


@pytest.mark.parametrize(("text", "path", "kind"), VOICES)
def test_the_main_clause_tells_the_kind_whoever_it_speaks_of(text: str, path: tuple[str, ...], kind: str) -> None:
    assert kind_guess(text, title_for(text, path), path).kind == kind


def test_words_count_whole_only() -> None:
    for text in ("The neverland map", "A mustard seed", "The bugle", "An unfixedly point", "Forbiddenness"):
        assert kind_guess(text, text, ()).kind == "architecture"


def test_a_check_list_is_no_note() -> None:
    assert kind_guess("- [ ] tests pass", "When adding a berth: tests pass", ()).kind != "note"
    assert kind_guess("- [ ] tests pass", "tests pass", ("Before opening a pull request",)).kind != "note"


def test_the_documents_title_is_no_evidence() -> None:
    assert kind_guess("Pagination is 1-based", "x", ("Decisions", "Paging")).kind == "architecture"


@pytest.mark.parametrize(
    ("hint", "text", "kind"),
    [
        ("claude-memory:feedback", "Do it with fakes", "constraint"),
        ("claude-memory:feedback", "The suite was green because mocks lied", "lesson"),
        ("claude-memory:feedback", "Never use mocks, because they lied", "constraint"),
        ("claude-memory:project", "Launch is in May", "decision"),
        ("claude-memory:user", "Likes short answers", "convention"),
        ("claude-memory:reference", "The board is at /d/abc", "tooling"),
        ("claude-memory:reference", "Never lift a boat from the board.", "constraint"),
        ("adr", "The pipeline must never fail; bugs and races were fixed", "decision"),
        ("memory-bank:activeContext", "Deploys are frozen", "note"),
        ("memory-bank:systemPatterns", "Hexagonal", "architecture"),
        ("post-mortem", "The queue was always full", "bug-pattern"),
        ("decision", "Nothing special", "decision"),
        ("unknown:word", "Nothing special", "architecture"),
        (None, "Nothing special", "architecture"),
    ],
)
def test_the_source_may_hint_at_the_kind(hint: str | None, text: str, kind: str) -> None:
    assert kind_guess(text, text, (), hint=hint).kind == kind


def test_a_guess_says_how_well_it_is_founded() -> None:
    assert kind_guess("Never push to main", "Never push to main", ("Rules",)) == KindGuess("constraint", "sure")
    assert kind_guess("x", "x", ()).confidence == "guess"


def test_the_confidence_of_a_stored_kind_is_computed_again_from_its_sources() -> None:
    source = Source(format="claude-md", path="CLAUDE.md", native_id="Rules > Git#1")
    memory = make_memory(insight="Never push to main", kind="constraint", sources=(source,))
    assert kind_confidence(memory) == "sure"
    assert kind_confidence(replace(memory, kind="note")) is None


def test_the_headings_before_a_stored_text_do_not_change_its_confidence() -> None:
    source = Source(format="claude-md", path="CLAUDE.md", native_id="Port > Setup > Cranes#1")
    memory = make_memory(insight="Setup > Cranes: Never push to main", kind="constraint", sources=(source,))
    bare = replace(memory, insight="Never push to main")
    assert kind_confidence(memory) == kind_confidence(bare) is not None


NOT_ONE_WORD = [
    (
        "**Tide table**: `data/tides.csv` (computed every spring)",
        ("Harbour", "Critical File Locations"),
        "architecture",
    ),
    ("No need to start the pumps. They already run.", ("Harbour", "Exclusions"), "convention"),
    ("Log entries are expected; write them once.", ("Harbour", "Bells"), "convention"),
    ("- [ ] 記錄潮位\n- [ ] 檢查纜繩", ("港口", "核心檢查清單"), "convention"),
    ("**CRITICAL**: The pilot picks a berth by its length.", ("Harbour", "Berths"), "architecture"),
    ("**CRITICAL**: All moorings follow the plan of the week.", ("Harbour", "Berths"), "constraint"),
    ("IMPORTANT: close the lock behind every ship.", ("Harbour", "Locks"), "constraint"),
    ("【重要】現在の港は「青港」です。必ず船名を確認してください。", ("港",), "constraint"),
    ("A green `make tide` is NOT sufficient. The harbour decides.", ("Harbour", "Critical rules"), "constraint"),
    ("`TIDE_FILE` may be honored only when `TIDE_TEST=1`; it is an override.", ("Harbour",), "constraint"),
    ("`#![forbid(unsafe_code)]` and `#![warn(missing_docs)]` — every item has docs.", ("Harbour",), "constraint"),
    (
        "`isMoored` is an intentional guard. The alerts are dismissed — don't rewrite it.",
        ("Harbour", 'Landmines — do NOT "fix" these without understanding'),
        "constraint",
    ),
    ("```\nMUST:\n  - Weigh the cargo\n\nDON'T:\n  - Guess\n```", ("Harbour", "Loading rules"), "constraint"),
    ("**Split when:** a berth list has more than 100 lines", ("Harbour", "File organization"), "convention"),
    ("`quay/map.rs` — re-export surface of the berths", ("Harbour", "Key files"), "architecture"),
    ("When a berth becomes permanent, re-read the nearest rule files.", ("Harbour",), "convention"),
    ("| Task | Steps |\n|---|---|\n| Add a berth | 1. Add it to the map |", ("Harbour", "Tasks"), "convention"),
    ("Berthing — a service that moors ships and issues passes.", ("Harbour", "What this is"), "architecture"),
    (
        "1. Open via `POST /stays`.\n2. Read via `GET /stays/{id}`.\n3. Close via `DELETE /stays/{id}`.",
        ("Harbour", "Stay contract"),
        "architecture",
    ),
    (
        "The tide ping is **opt-in**: gated by `tide.ping` (default `false`).",
        ("Port", "Tide rules"),
        "architecture",
    ),
    ("`/login` opens a stay through the backend.", ("Harbour", "Contracts"), "architecture"),
    ("`/moor` plans the next berth.", ("Harbour",), "tooling"),
    ("Owns `quay.conf`, `tide.json` and `render-tide.sh`.", ("Harbour", "Ownership"), "architecture"),
    ("- Live: the terminal where `./script/develop` runs\n- File: `tide.log`", ("Port", "Reading logs"), "tooling"),
    (
        "The first test only covered the map and would have left the fault green. A test MUST moor a ship.",
        ("Harbour", "Mooring review"),
        "lesson",
    ),
    ("When mooring a ship, first look in `ropes/` for one that holds it.", ("Harbour",), "convention"),
]


@pytest.mark.parametrize(("text", "headings", "kind"), NOT_ONE_WORD)
def test_the_kind_follows_what_is_said_and_not_one_loud_word(text: str, headings: tuple[str, ...], kind: str) -> None:
    assert kind_guess(text, text[:60], headings).kind == kind


def test_a_guess_is_always_a_known_kind() -> None:
    for text in ("never run " * 100_000, "x" * 1_000_000, "\n" * 100_000, "", "`" * 100_000):
        assert kind_guess(text, text[:50], ()).kind in DEFAULT_KINDS


@pytest.mark.parametrize(
    ("text", "anchors"),
    [
        ("See `payments/service.py` and `src/api/`.", ("payments/service.py", "src/api/")),
        ("The [guide](docs/guide.md#part) and [site](https://x.example/a.md)", ("docs/guide.md",)),
        ("The [`docs/tides.md`](https://x.example/docs/tides.md) of the port; [`a/b.md`](a/b.md)", ("a/b.md",)),
        ("See [the `docs/tides.md`][port] and [`pier/map.md`][].\n\n[port]: https://x.example/t", ("pier/map.md",)),
        ("Run `pytest tests/unit/test_a.py::test_b -q`", ("tests/unit/test_a.py",)),
        ("At `core/a.py:12:3`, then `./core/b.py`", ("core/a.py", "core/b.py")),
        ("`.github/workflows/ci.yml` and `config/.env`", (".github/workflows/ci.yml", "config/.env")),
        ("`web/src/legacy/` then `web/src/legacy/`", ("web/src/legacy/",)),
        ("`README.md`, `config.js`", ()),
        ("`/etc/app/x.conf`, `~/x/y.md`, `../up/z.py`, `C:\\a\\b.py`", ()),
        ("`https://x.example/a/b.html`, `github.com/a/b.git`, `example.com/x.js`", ()),
        ("`src/**/*.ts`, `origin/main`, `application/json`, `1.2/3.4`", ()),
        ("`@scope/pkg/index.ts`, `path/to/file.py`, `node_modules/a/b.js`, `<dir>/x.py`", ()),
        ("`src/foo.py`, `app/path/to/page.tsx`, `docs/adr/NNNN-title.md`, `lib/your_module.rb`, `src/.../deep.ts`", ()),
        ("plain payments/service.py", ()),
        ("Of each berth, `hull/BERTH_NNN.BIN` and `logs/tide-yyyy-mm.log`.", ()),
        ("Tests lie in each pump's `tests/`, data in `tests/data/`.", ("tests/data/",)),
        ("Every small dock has its own `src/`; a `docs/` folder in every dock says why.", ()),
        ("Each release is noted in `notes/releases/`.", ("notes/releases/",)),
        ("```\n`in/fence.py`\n```\n`out/side.py`", ("out/side.py",)),
        ("The bow is `moor/bow.{h,cpp}`; ``moor/{a,b}/*.c`` are many.", ("moor/bow.h", "moor/bow.cpp")),
    ],
)
def test_anchors_are_relative_paths_in_code_and_links(text: str, anchors: tuple[str, ...]) -> None:
    assert anchors_in(text) == anchors


@pytest.mark.parametrize(
    "text",
    [
        "It is fine to keep them under `moor/bow/`, `moor/stern/`, or similar.",
        "Keep them under `moor/bow/`, or\n  similar folders.",
        "Ropes are coiled by hand: there is no `moor/bow/` directory.",
        "No `moor/stern/`, `moor/bow/` or any other store of ropes.",
        "The folder `moor/bow/` does not exist.",
        "Put it into a folder such as\n  `moor/bow/`.",
        "Put it into a folder such as `moor/bow/` or `moor/stern/`.",
        "A shared helper (e.g. `moor/bow/`) saves time.",
        "It could live in `moor/bow/`.",
        "Both docks copy the knot. Promote it to `moor/bow/` *if* they ever drift apart.",
        "Once a third dock needs it, move the knot into\n  `moor/bow/`.",
        "A knot of both docks would live in `moor/bow/`.",
    ],
)
def test_a_path_that_there_may_be_is_an_anchor_only_if_there_is_one(text: str) -> None:
    assert anchors_in(text, lambda _: False) == ()
    assert "moor/bow/" in anchors_in(text, lambda path: path == "moor/bow/")
    sure = "- such as\n- Make no knots in `moor/bow/`. If it rains, we moved to land; see `moor/stern/`."
    assert anchors_in(sure, lambda _: False) == ("moor/bow/", "moor/stern/")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("1. Create `moor/new-knot.md` and link it.", "moor/new-knot.md"),
        ("Keep spare lines for the tests in the `moor/lines/` folder.", "moor/lines/"),
        ("Store tide data in `moor/tides/`.", "moor/tides/"),
        ("`moor/knots.Tie` must see every rope.", "moor/knots.Tie"),
        ("The tide tables are read with `harbour.example/tides.v2`.", "harbour.example/tides.v2"),
        ("Alle Seile: erstelle `moor/seil.md`.", "moor/seil.md"),
    ],
)
def test_a_path_to_be_made_and_a_name_of_code_are_anchors_only_if_they_are_there(text: str, named: str) -> None:
    assert anchors_in(text, lambda _: False) == ()
    assert anchors_in(text, lambda path: path == named) == (named,)
    sure = "Add a knot to `moor/knots.py` and create no other; it is tied in `moor/bow/`."
    assert anchors_in(sure, lambda _: False) == ("moor/knots.py", "moor/bow/")


def test_anchors_are_few() -> None:
    assert len(anchors_in(" ".join(f"`a/f{n}.py`" for n in range(50)))) == MAX_ANCHORS


SENTENCES = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "kinds.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize("language", sorted({row[1] for row in SENTENCES}))
def test_at_most_one_sentence_in_ten_gets_a_wrong_kind_in_any_language(language: str) -> None:
    rows = [row for row in SENTENCES if row[1] == language]
    wrong = [
        (text, guess.kind)
        for _, _, kind, heading, text in rows
        if (guess := kind_guess(text, text, ("Notes", heading) if heading else ())).kind != kind
    ]
    assert len(wrong) * 10 <= len(rows), wrong


@pytest.mark.parametrize(
    "text",
    [
        "- The harbour's books lie in `~/.config/harbour/`:\n    - `ropes/` - Of each boat\n        - `bow/`",
        "Books lie in `~/.config/harbour/`:\n\n- `ropes/`: of each boat\n- `bow/`: of the bow",
        "The harbour writes `ropes/` under `$HOME/.harbour/`.",
        "In `/var/lib/harbour/`: `ropes/` and `bow/log.txt`.",
        "`%APPDATA%/harbour/` holds `ropes/`.",
    ],
)
def test_what_is_said_to_lie_outside_the_repository_is_no_path_of_it(text: str) -> None:
    assert anchors_in(text, lambda _: False) == ()
    assert "ropes/" in anchors_in(text, lambda path: path == "ropes/")


def test_what_follows_a_list_of_what_lies_outside_is_a_path_again() -> None:
    text = "- Books in `~/.harbour/`:\n    - `ropes/`\n- The code is in `src/ropes/`, read from `~/.harbour/`."
    assert anchors_in(text, lambda _: False) == ("src/ropes/",)


SET_UP_OR_PLANNED = [
    # what is set up, although it is ordered, and what runs, although something cannot
    ("Set `TIDE_URL` in `.env` or the shell before the checks run.", ("Harbour", "Testing"), "tooling"),
    (
        "Run each rope file alone; `hoist find` cannot read those.\n\n```bash\nhoist check ropes.toml\n```",
        ("Harbour", "Checks"),
        "tooling",
    ),
    (
        "`tox` and `tox-rope` are declared as the default dev dependencies of the crane.",
        ("Harbour", "Tox"),
        "tooling",
    ),
    # what the system does where something fails
    (
        "If the hook fails or times out, the lift waits for the foreman.",
        ("Harbour", "Core Lifting Logic", "Fallback"),
        "architecture",
    ),
    (
        "1. **Rope grammar** for the language of the cranes\n2. **Knot parser**",
        ("Harbour", "Immediate Goals"),
        "note",
    ),
]


@pytest.mark.parametrize(("text", "headings", "kind"), SET_UP_OR_PLANNED)
def test_what_is_run_or_set_up_and_what_is_planned_have_kinds_of_their_own(
    text: str, headings: tuple[str, ...], kind: str
) -> None:
    assert kind_guess(text, text[:40], headings).kind == kind


def test_a_file_of_rules_for_some_files_states_how_they_are_written() -> None:
    text = "Crane classes represent what lifts boats.\n\n```cs\n/// <summary>[what it lifts]</summary>\n```"
    above = ("Harbour notes for cranes", "Common patterns", "Crane classes")

    assert (
        kind_guess(text, "Crane classes", above, path=".github/instructions/cranes.instructions.md").kind
        == "convention"
    )
    assert (
        kind_guess("The crane module holds the ropes.", "Cranes", ("Cranes",), path="docs/cranes.md").kind
        == "architecture"
    )


def test_what_a_file_of_lessons_plans_is_a_note() -> None:
    text = "Ring the bell in fog — Owner: Bo — Priority: HIGH"

    assert kind_guess(text, "", ("Voyage 5", "Action Items"), hint="lessons").kind == "note"
    assert kind_guess(text, "", ("Voyage 5", "What went well"), hint="lessons").kind == "lesson"


@pytest.mark.parametrize(
    ("text", "headings", "kind"),
    [
        (
            "问题:\n\n夜里渡船丢失货物清单。\n\n**根本原因**：码头时钟慢了一小时\n\n解决方案:\n\n同步时钟",
            (),
            "bug-pattern",
        ),
        (
            "**Error**: `crane lift` says that there is no rope\n\n**Solution**:\n```bash\nmake ropes\n```",
            ("Harbour", "Common Issues and Solutions", "Issue: No rope"),
            "bug-pattern",
        ),
        (
            "No crew list yet—use Conventional Commits (e.g. `feat: ...`).",
            ("Harbour", "Commit Guidelines"),
            "convention",
        ),
        ("- `feat/<berth>-rope`\n- `fix/<berth>-rope`\n- `hotfix/<berth>`", ("Harbour", "Branch naming"), "convention"),
        (
            "```\nfeature/クレーン - 新しい\nfix/ロープ - 直す\n```",
            ("港", "ブランチ戦略", "ブランチ命名"),
            "convention",
        ),
    ],
)
def test_faults_with_their_cures_and_how_work_is_done_are_no_facts(
    text: str, headings: tuple[str, ...], kind: str
) -> None:
    assert kind_guess(text, "", headings, path="docs/DEBUG_LESSONS.md" if "问题" in text else "").kind == kind
