"""Project identity: the same repository however its remote is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.domain.identity import commit_identity, normalise_remote, path_identity, remote_identity, suggest_name

SAME = [
    "https://github.com/acme/shop",
    "https://github.com/acme/shop.git",
    "https://github.com/acme/shop/",
    "https://github.com/acme/shop.git/",
    "https://GitHub.com/acme/shop",
    "https://ada@github.com/acme/shop.git",
    "https://ada:token@github.com:443/acme/shop.git",
    "https://ada:to@ken@github.com/acme/shop.git",
    "http://github.com/acme/shop",
    "git://github.com/acme/shop.git",
    "git+ssh://git@github.com/acme/shop.git",
    "ssh://git@github.com/acme/shop.git",
    "ssh://git@github.com:22/acme/shop.git",
    "git@github.com:acme/shop.git",
    "git@github.com:/acme/shop.git",
    "github.com:acme/shop",
    "  git@github.com:acme/shop.git\n",
]


@pytest.mark.parametrize("url", SAME)
def test_one_repository_has_one_identity_however_its_remote_is_written(url: str) -> None:
    assert normalise_remote(url) == "github.com/acme/shop"


@pytest.mark.parametrize(
    "url", ["https://ada:token@[::1]/acme/shop", "https://ada:token@host.org", "https://ada:token@host.org:x/acme"]
)
def test_no_identity_holds_a_password_however_odd_its_remote_is(url: str) -> None:
    assert "token" not in remote_identity(url)


@pytest.mark.parametrize(
    "url",
    [
        "git@github.com-work:acme/shop.git",
        "ssh://git@github.com-work/acme/shop.git",
        "ssh://git@ssh.github.com:443/acme/shop.git",
        "git@ssh.github.com:acme/shop.git",
        "https://www.github.com/acme/shop",
    ],
)
def test_a_host_alias_and_the_ssh_host_on_port_443_are_the_same_host(url: str) -> None:
    assert normalise_remote(url) == "github.com/acme/shop"


@pytest.mark.parametrize(
    "url",
    [
        "https://dev.azure.com/quay/tide/_git/pump",
        "https://quay@dev.azure.com/quay/tide/_git/pump",
        "git@ssh.dev.azure.com:v3/quay/tide/pump",
        "https://quay.visualstudio.com/tide/_git/pump",
        "https://quay.visualstudio.com/DefaultCollection/tide/_git/pump",
        "quay@vs-ssh.visualstudio.com:v3/quay/tide/pump",
    ],
)
def test_azure_repositories_have_one_identity_in_every_form(url: str) -> None:
    assert normalise_remote(url) == "dev.azure.com/quay/tide/pump"
    same_name = url.replace("/tide/_git/pump", "/_git/pump").replace("/tide/", "/pump/")
    assert normalise_remote(same_name) == "dev.azure.com/quay/pump/pump"


def test_a_hyphen_inside_a_host_name_is_no_alias() -> None:
    assert normalise_remote("git@git-west.example.org:acme/shop") == "git-west.example.org/acme/shop"
    assert normalise_remote("git@git.xn--p1ai:acme/shop") == "git.xn--p1ai/acme/shop"


def test_other_hosts_owners_and_names_stay_apart() -> None:
    urls = [
        "git@github.com:acme/shop",
        "git@gitlab.com:acme/shop",
        "git@github.com:acme2/shop",
        "git@github.com:acme/shop2",
        "git@gitlab.com:acme/team/shop",
    ]
    assert len({normalise_remote(url) for url in urls}) == len(urls)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/srv/git/shop.git/", "/srv/git/shop"),
        ("../shop", "../shop"),
        (r"C:\work\shop", r"C:\work\shop"),
        ("C:/work/shop.git", "C:/work/shop"),
        ("file:///srv/git/shop.git", "file:///srv/git/shop"),
        ("", ""),
    ],
)
def test_a_local_remote_is_taken_as_it_stands(url: str, expected: str) -> None:
    assert normalise_remote(url) == expected


def test_a_password_in_a_remote_never_becomes_part_of_an_identity() -> None:
    assert "hunter" not in remote_identity("https://ada:hunter2@example.org/acme/shop.git")


@given(st.text(max_size=60))
def test_any_text_has_a_stable_identity(url: str) -> None:
    assert normalise_remote(normalise_remote(url).strip()) is not None
    assert remote_identity(url).startswith("remote:")


def test_the_kinds_of_identity_never_meet() -> None:
    assert len({remote_identity("/a"), commit_identity("/a"), path_identity("/a")}) == 3


def test_a_project_is_called_after_its_last_part() -> None:
    assert suggest_name("github.com/acme/shop", ()) == "shop"
    assert suggest_name("/home/ada/my shop!", ()) == "my-shop"


def test_a_taken_name_gets_its_owner_and_then_a_number() -> None:
    assert suggest_name("github.com/acme/shop", {"shop"}) == "acme-shop"
    assert suggest_name("github.com/acme/shop", {"shop", "acme-shop"}) == "acme-shop-2"
    assert suggest_name("github.com/acme/shop", {"shop", "acme-shop", "acme-shop-2"}) == "acme-shop-3"


@pytest.mark.parametrize("candidate", ["", "/", "///", "...", "!!!"])
def test_a_name_is_found_even_for_nothing(candidate: str) -> None:
    assert suggest_name(candidate, ()) == "project"


@pytest.mark.parametrize("candidate", ["global", "github.com/acme/global"])
def test_no_project_is_called_global_by_itself(candidate: str) -> None:
    assert suggest_name(candidate, ()) != "global"
