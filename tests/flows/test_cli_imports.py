"""`--file`: memories of what the file imports come too, with the reason; what cannot be read is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from flows.cli_driver import Cli

ROUNDING = "Round half to even after adding up, never per line"

TREES = {
    "python": {
        "src/checkout/__init__.py": "",
        "src/checkout/cart.py": "from checkout.pricing import total\n",
        "src/checkout/pricing.py": "def total(lines): ...\n",
    },
    "typescript": {
        "tsconfig.json": '{"compilerOptions": {"paths": {"@shop/*": ["./src/*"]}}}',
        "src/checkout/cart.ts": 'import { type Line, total } from "@shop/checkout/pricing";\n',
        "src/checkout/pricing.ts": "export const total = () => 0;\n",
    },
    "go": {
        "go.mod": "module shop.example/till\n\ngo 1.23\n",
        "cart/cart.go": 'package cart\n\nimport (\n\t"fmt"\n\n\tp "shop.example/till/pricing"\n)\n',
        "pricing/pricing.go": "package pricing\n",
    },
    "rust": {
        "Cargo.toml": '[package]\nname = "till"\n',
        "src/lib.rs": "mod cart;\nmod pricing;\n",
        "src/cart.rs": "use crate::{pricing::{self, total}, Error};\n",
        "src/pricing.rs": "pub fn total() {}\n",
    },
    "java": {
        "src/main/java/shop/cart/Cart.java": "package shop.cart;\n\nimport shop.pricing.Pricing;\n\nclass Cart {}\n",
        "src/main/java/shop/pricing/Pricing.java": "package shop.pricing;\n\npublic class Pricing {}\n",
    },
}


def _tree(cli: Cli, files: dict[str, str]) -> tuple[str, str]:
    """Write a tree, tie a memory to its pricing; returns the files of the cart and of the pricing."""
    for name, text in files.items():
        cli.write(name, text)
    cart, pricing = (next(name for name in files if Path(name).stem.lower() == stem) for stem in ("cart", "pricing"))
    cli("add", ROUNDING, "--kind", "constraint", "--file", pricing)
    return cart, pricing


@pytest.mark.parametrize("language", TREES)
def test_a_memory_of_an_imported_file_comes_with_the_reason(cli: Cli, language: str) -> None:
    cli.repository("shop")
    cart, pricing = _tree(cli, TREES[language])
    reason = f"{pricing} is imported by {cart}"

    run = cli("context", "add a coupon field", "--file", cart, "--explain")
    assert ROUNDING in run.out
    assert reason in run.err

    (included,) = cli("context", "add a coupon field", "--file", cart, "--json").json["included"]
    assert reason in included["reason"]

    (hit,) = cli("search", "--file", cart, "--json").json
    (part,) = [part for part in hit["explain"]["parts"] if part["name"] == "files"]
    assert part["detail"] == reason
    assert part["value"] > 0

    cli("context", "add a coupon field", "--file", pricing)
    cli.write(cart, "")
    cli("context", "add a coupon field", "--file", cart, code=3)


def test_the_nearer_file_counts_more_and_the_third_step_nothing(cli: Cli) -> None:
    cli.repository("shop")
    names = ["cart", "pricing", "money", "locale"]
    for name, imported in zip(names, [*names[1:], "json"], strict=True):
        cli.write(f"{name}.py", f"import {imported}\n")
    ids = [cli("add", f"A rule about {name} in general", "--file", f"{name}.py").id for name in names]
    hits = cli("search", "--file", "cart.py", "--json").json
    assert [hit["id"] for hit in hits] == ids[:3]
    values = [next(part["value"] for part in hit["explain"]["parts"] if part["name"] == "files") for hit in hits]
    assert values == sorted(set(values), reverse=True)
    assert hits[2]["explain"]["reason"].startswith("money.py is imported by pricing.py, itself imported by cart.py")


def test_what_cannot_be_read_is_named_and_the_rest_is_followed(cli: Cli) -> None:
    cli.repository("shop")
    outside = cli.home / "outside.py"
    outside.write_text("import money\n")
    cli.write("blob.py", b"import money\n\x00\xff")
    cli.write("huge.py", "import money\n" * 80_000)
    cli.write("money.py", b"# caf\xe9\n")
    Path("leak.py").symlink_to(outside)
    _tree(cli, {"cart.py": "import blob, huge, leak, pricing\n", "pricing.py": "x = (((\nimport vat\n", "vat.py": ""})
    cli("add", "The rate of VAT is a setting", "--file", "vat.py")
    cli("add", "Money is an integer of minor units", "--file", "money.py")

    run = cli("search", "--file", "cart.py", "--explain")
    assert "pricing.py is imported by cart.py" in run.out
    assert "vat.py is imported by pricing.py, itself imported by cart.py" in run.out
    assert "money.py" not in run.out
    assert "note: blob.py: its imports are unknown, it is not text" in run.err
    assert "note: huge.py: its imports are unknown, it is larger than 1 MB" in run.err
    assert "leak" not in run.err
    assert "note" in cli("context", "round the price after adding a coupon", "--file", "cart.py", "--explain").err


def test_a_cache_that_is_spoilt_or_cannot_be_written_changes_nothing(cli: Cli) -> None:
    cli.repository("shop")
    cart, _ = _tree(cli, TREES["python"])
    cli.patch.setenv("MEMTUI_NOW", "2030-01-01T12:00:00Z")
    first = cli("search", "--file", cart, "--json").json
    entries = [path for path in (cli.home / "cache").rglob("*.json") if "imports" in path.parts]
    assert entries
    for path in entries:
        path.write_bytes(b'[["import", "os"], 7]')
    assert cli("search", "--file", cart, "--json").json == first
    assert all(b"7]" not in path.read_bytes() for path in entries)
    cli.patch.setenv("XDG_CACHE_HOME", os.devnull)
    assert cli("search", "--file", cart, "--json").json == first


def test_a_memory_tied_to_the_end_of_a_path_is_found_by_the_one_file_that_has_it(cli: Cli) -> None:
    cli.repository("shop")
    for name, text in TREES["python"].items():
        cli.write(name, text)
    lines = '{"insight": "Round once", "anchors": [{"path": "pricing.py"}], "project": "shop", "status": "active"}'
    cli("import", "--format", "jsonl", "--active", cli.write("../rows.jsonl", lines))
    (row,) = cli("list", "--json").json
    assert row["anchors"] == [{"path": "pricing.py", "state": "fresh"}]
    (hit,) = cli("search", "--file", "src/checkout/cart.py", "--json").json
    assert "src/checkout/pricing.py is imported by src/checkout/cart.py" in hit["explain"]["reason"]

    cli.write("src/returns/pricing.py", "")
    (row,) = cli("list", "--json").json
    assert row["anchors"] == [{"path": "pricing.py", "state": "unverifiable"}]
    assert cli("search", "--file", "src/checkout/cart.py", "--json", code=3).json == []
