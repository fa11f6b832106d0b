"""What a user relies on when memories are linked: a strong hit brings its kin, a weak one does not."""

from __future__ import annotations

from recall_story import link

from memtui.recall.scoring import NEIGHBOUR_SHARE, SUCCESSION_SHARE, neighbour_shares, neighbours_part


def test_relations_pass_a_share_both_ways() -> None:
    links = [link("a", "relates", "b"), link("c", "derived-from", "a")]
    shares = neighbour_shares(links, {"a": 0.8})
    assert {name: round(offer.share, 6) for name, offer in shares.items()} == {
        "b": round(0.8 * NEIGHBOUR_SHARE, 6),
        "c": round(0.8 * NEIGHBOUR_SHARE, 6),
    }


def test_who_asks_for_a_replaced_memory_gets_its_replacement_and_not_the_reverse() -> None:
    links = [link("new", "supersedes", "old")]
    assert neighbour_shares(links, {"old": 1.0})["new"].share == SUCCESSION_SHARE
    assert neighbour_shares(links, {"new": 1.0}) == {}


def test_a_weak_hit_passes_nothing_on() -> None:
    assert neighbour_shares([link("a", "relates", "b")], {"a": 0.49}) == {}


def test_contradictions_and_duplicates_pass_nothing_on() -> None:
    assert neighbour_shares([link("a", "contradicts", "b"), link("a", "duplicates", "c")], {"a": 1.0}) == {}


def test_many_links_do_not_add_up() -> None:
    links = [link("a", "relates", "hub"), link("b", "relates", "hub")]
    offer = neighbour_shares(links, {"a": 0.6, "b": 0.9})["hub"]
    assert (offer.seed, offer.share) == ("b", 0.9 * NEIGHBOUR_SHARE)
    reason = neighbours_part(offer).reason
    assert (reason.other, reason.link) == ("b", "relates")


def test_a_relation_lifts_nothing_above_the_hit_that_it_comes_from() -> None:
    links = [link("a", "relates", "b"), link("new", "supersedes", "a")]
    shares = neighbour_shares(links, {"a": 0.8}, {"a": 0.8, "b": 0.7})
    assert 0 < shares["b"].share < 0.1
    assert shares["new"].share == 0.8 * SUCCESSION_SHARE
    assert "b" not in neighbour_shares(links, {"a": 0.8}, {"a": 0.8, "b": 0.79})
