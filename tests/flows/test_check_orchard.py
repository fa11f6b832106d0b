"""A second repository for the gate, in other languages: what breaks a rule is stopped, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from checking import Repo
from flows.cli_driver import Cli

FIVE = (
    ("The pages never reach into the press", "forbid-import 'pages/**' -> 'press' except 'pages/trial/**'"),
    ("A new field of a label is told to the growers", "with 'labels/*.proto' change 'labels/GROWERS.txt'"),
    ("Whoever leaves work behind signs it", r"forbid 'LATER(?!\(\w+\))' in '*.go'"),
    ("Borrowed code comes from upstream alone", "protect 'borrowed/'"),
    ("Addresses of hosts stand in the environment", r"forbid '\bhttps?://(?!localhost)' in 'settings/**/*.yaml'"),
)

START: dict[str, str | bytes] = {
    "pages/pick.ts": "import { ripe } from './ripe';\nexport const pick = ripe;\n",
    "pages/ripe.ts": "export const ripe = 3;\n",
    "press/squeeze.ts": "export const squeeze = 1;\n",
    "labels/crate.proto": 'syntax = "proto3";\nmessage Crate { string sort = 1; }\n',
    "labels/GROWERS.txt": "crate: sort\n",
    "tools/weigh.go": "package tools\n\n// LATER: an old sin\nfunc Weigh() int { return 1 }\n",
    "borrowed/juice/juice.go": "package juice\n",
    "borrowed/README": "From upstream.\n",
    "settings/shop.yaml": 'shop: "${SHOP_URL}"\n# http was here before: http://old.example.org\n',
    "settings/deep/till.yaml": "till: 4\n",
    "NOTES.md": "# Orchard\n",
}

Files = dict[str, str | bytes]
Change = Files | Callable[[Repo], str]


def _moved(before: str, after: str) -> Callable[[Repo], str]:
    return lambda repo: repo.git("mv", before, after)


def _removed(name: str) -> Callable[[Repo], str]:
    return lambda repo: repo.git("rm", "-q", name)


COMMITS: tuple[tuple[Change, int | None], ...] = (
    ({"pages/pick.ts": "import { ripe } from './ripe';\nexport const pick = ripe + 1;\n"}, None),
    ({"pages/sell.ts": "import { squeeze } from '../press/squeeze';\n"}, 0),
    ({"NOTES.md": "# Orchard\n\nThe press stands in the barn; `import '../press/squeeze'` is for the press.\n"}, None),
    ({"pages/trial/all.test.ts": "import { squeeze } from '../../press/squeeze';\n"}, None),
    ({"pages/late.ts": "export const load = () => import('../press/squeeze');\n"}, 0),
    ({"pages/words.ts": "export const words = \"import x from '../press/squeeze'\";\n"}, None),
    ({"pages/pressure.ts": "import { gauge } from '../pressure/gauge';\n"}, None),
    ({"press/squeeze.ts": "import { ripe } from '../pages/ripe';\nexport const squeeze = ripe;\n"}, None),
    ({"labels/crate.proto": 'syntax = "proto3";\nmessage Crate { string sort = 1; int32 kilos = 2; }\n'}, 1),
    (
        {
            "labels/crate.proto": 'syntax = "proto3";\nmessage Crate { string sort = 1; int32 kilos = 2; }\n',
            "labels/GROWERS.txt": "crate: sort, kilos\n",
        },
        None,
    ),
    ({"labels/GROWERS.txt": "crate: sort, kilos in whole numbers\n"}, None),
    ({"labels/old/box.proto": 'syntax = "proto3";\n'}, None),
    ({"labels/bag.proto": 'syntax = "proto3";\nmessage Bag {}\n'}, 1),
    ({"tools/weigh.go": "package tools\n\n// LATER: an old sin\nfunc Weigh() int { return 2 }\n"}, None),
    (
        {"tools/weigh.go": "package tools\n\n// LATER: an old sin\n// LATER round it\nfunc Weigh() int { return 2 }\n"},
        2,
    ),
    ({"tools/sort.go": "package tools\n\n// LATER(ada) sort by size\n"}, None),
    ({"tools/sort.py": "# LATER sort by size\n"}, None),
    ({"tools/crlf.go": b"package tools\r\n// LATER()\r\n"}, 2),
    ({"tools/gr\xf6sse.go": "package tools\n// Gr\xf6\xdfe: LATER\n"}, 2),
    (_moved("tools/weigh.go", "tools/scale.go"), None),
    ({"borrowed/juice/juice.go": "package juice\n\nvar Sweet = true\n"}, 3),
    ({"borrowed/juice/more.go": "package juice\n"}, 3),
    (_removed("borrowed/README"), 3),
    (_moved("borrowed/juice/juice.go", "tools/juice.go"), 3),
    ({"tools/borrowed.go": "package tools\n"}, None),
    ({"docs/borrowed.md": "What is borrowed.\n"}, None),
    ({"settings/shop.yaml": 'shop: "${SHOP_URL}"\n# http was here before: http://old.example.org\nopen: 8\n'}, None),
    ({"settings/deep/till.yaml": "till: 5\nprinter: https://printer.example.org/a\n"}, 4),
    ({"settings/dev.yaml": "shop: http://localhost:8080\n"}, None),
    ({"settings/new.yaml": "a: 1\nb: 'http://10.0.0.7'\n"}, 4),
    ({"settings/shop.json": '{"shop": "https://shop.example.org"}\n'}, None),
    ({"web/settings.yaml": "shop: https://shop.example.org\n"}, None),
    (_removed("settings/deep/till.yaml"), None),
    ({"pages/pick.ts": "// import { squeeze } from '../press/squeeze';\nexport const pick = 1;\n"}, None),
    ({"pages/pick.ts": "export { squeeze } from '../press/squeeze';\n"}, 0),
    ({"pages/view.tsx": "const press = require('../press');\n"}, 0),
    ({"tools/blob.bin": b"\0\1LATER\0"}, None),
    ({"a b/c d.go": "package c\n// nothing later\n"}, None),
    ({"labels/crate.proto": 'syntax = "proto3";\n// kilos are whole\n', "labels/GROWERS.md": "told\n"}, 1),
    ({"NOTES.md": "# Orchard\n\nDone.\n"}, None),
)
"""What forty commits change, and which of the five constraints each breaks."""


@pytest.fixture
def repo(cli: Cli) -> Repo:
    made = Repo(cli.home / "orchard")
    made.git("remote", "add", "origin", "git@example.org:grove/orchard.git")
    cli.cd(made.folder)
    return made


def _write(repo: Repo, files: Files) -> Path:
    for name, content in files.items():
        repo.write(name, content)
    repo.git("add", "-A")
    return repo.folder


def test_of_forty_commits_in_other_languages_the_right_ones_are_stopped(cli: Cli, repo: Repo) -> None:
    ids = []
    for words, rule in FIVE:
        ids.append(cli("add", words, "--kind", "constraint").id)
        cli("edit", ids[-1], "--rule", rule)
    _write(repo, START)
    repo.git("commit", "-q", "-m", "start")
    assert len(COMMITS) == 40
    found = []
    for change, _ in COMMITS:
        if callable(change):
            change(repo)
        else:
            _write(repo, change)
        run = cli("check", "--staged", "--json", code=(0, 7))
        broken = {one["memory"] for one in run.json["findings"]}
        found.append([ids.index(one) for one in broken])
        if broken:
            repo.git("reset", "-q", "--hard")
            repo.git("clean", "-qfd")
        else:
            repo.git("commit", "-q", "--allow-empty", "-m", "next")
    assert found == [[] if which is None else [which] for _, which in COMMITS]
