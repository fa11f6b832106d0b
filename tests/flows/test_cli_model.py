"""`memtui model`, and how `reindex` and `doctor` speak of meaning."""

from __future__ import annotations

import socket

import pytest
from flows.cli_driver import Cli

from memtui.embedding import bundled


def config(cli: Cli, model: str) -> None:
    path = cli.home / "config" / "memtui.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'[embedding]\nmodel = "{model}"\n', encoding="utf-8")


@pytest.fixture
def filled(cli: Cli) -> Cli:
    for text in ("Refunds lock the payment row", "The replica lags behind the primary"):
        cli("add", text, "--project", "shop")
    return cli


def semantic(cli: Cli) -> dict[str, str]:
    checks = cli("doctor", "--json").json["checks"]
    (check,) = [check for check in checks if check["name"] == "semantic"]
    found: dict[str, str] = check
    return found


def test_reindex_embeds_and_status_and_doctor_say_how_far_it_is(filled: Cli) -> None:
    before = filled("model", "status", "--json").json
    assert (before["state"], before["name"]) == ("bundled", "all-MiniLM-L6-v2-int8")
    assert before["vectors"] == {"stored": 0, "missing": 2, "other_models": 0}
    assert semantic(filled)["remedy"].startswith("`memtui reindex`")
    done = filled("reindex", "--json")
    assert done.json == {"memories": 2, "embedded": 2, "semantic": "on"}
    assert "Embedded 2 memories" in done.err
    assert filled("model", "--json").json["vectors"] == {"stored": 2, "missing": 0, "other_models": 0}
    assert semantic(filled)["detail"] == "on (all-MiniLM-L6-v2-int8), 2 memories with a vector"
    filled("add", "A third one", "--project", "shop")
    assert "2 memories with a vector, 1 without" in filled("model").out


def test_none_is_off_and_everything_else_works(filled: Cli) -> None:
    config(filled, "none")
    assert filled("reindex", "--json").json == {"memories": 2, "embedded": 0, "semantic": "off"}
    check = semantic(filled)
    assert (check["state"], check["detail"]) == ("ok", 'off (embedding.model is "none")')
    assert filled("model", "status", "--json").json["state"] == "off"
    assert "Refunds" in filled("search", "refunds", "--all-projects").out


def test_a_missing_model_is_told_with_its_place_and_the_command(filled: Cli) -> None:
    config(filled, "sentence-transformers:/no/such/model")
    status = filled("model", "status", code=1)
    assert "/no/such/model" in status.out
    assert "embedding.model" in status.err
    check = semantic(filled)
    assert (check["state"], check["detail"][:5]) == ("warn", "off: ")
    assert filled("reindex", "--json").json["semantic"] != "on"
    assert filled("search", "refunds", "--all-projects").code == 0


def test_an_unknown_setting_is_an_error_that_says_what_there_is(filled: Cli) -> None:
    config(filled, "minilm")
    for command in (("model", "status"), ("search", "x"), ("doctor",)):
        run = filled(*command, code=2)
        assert '"bundled", "none"' in run.err
        assert "line 2" in run.err


def test_switching_models_drops_the_vectors_of_the_old_one_at_the_end(
    filled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled("reindex")
    monkeypatch.setattr(bundled, "NAME", "a-newer-model")
    monkeypatch.setattr(bundled.BundledEngine, "name", "a-newer-model")
    assert filled("model", "--json").json["vectors"] == {"stored": 0, "missing": 2, "other_models": 2}
    filled("reindex")
    assert filled("model", "--json").json["vectors"] == {"stored": 2, "missing": 0, "other_models": 0}


def test_a_damaged_model_is_told_and_harms_nothing_else(filled: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "MODEL_SHA256", "0" * 64)
    assert "not the file that was shipped" in filled("model", "status", code=1).out
    assert "Reinstall memtui" in semantic(filled)["remedy"]
    failed = filled("reindex", code=1)
    assert "not the file that was shipped" in failed.err
    assert "Indexed 2 memories" in failed.err


def test_get_fetches_nothing_but_models_of_the_hub_and_status_never_asks_the_network(
    filled: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    for name in ("create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)
    filled("model", "status")
    filled("reindex")
    assert "comes with memtui" in filled("model", "get", "bundled", code=2).err
