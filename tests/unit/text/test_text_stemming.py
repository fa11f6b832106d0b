"""Inflected English words share a stem, the same stem in every installation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui.text.stemming import stem

# What the published algorithm (Snowball 3.1) gives, one word or more for each of its rules.
EXPECTED = """
running:run ran:ran memories:memori memory:memori configuration:configur configured:configur dying:die
tying:tie hopping:hop hoping:hope agreed:agre feed:feed proceed:proceed succeed:succeed ties:tie cries:cri
gas:gas kiwis:kiwi caress:caress caresses:caress conditional:condit rational:ration valence:valenc
digitizer:digit conformably:conform radically:radic differently:differ vilely:vile analogously:analog
vietnamization:vietnam predication:predic operator:oper feudalism:feudal decisiveness:decis
callousness:callous formality:formal sensitivity:sensit sensibility:sensibl triplicate:triplic
formative:format formalize:formal electricity:electr electrical:electr hopeful:hope goodness:good
revival:reviv allowance:allow inference:infer airliner:airlin gyroscopic:gyroscop adjustable:adjust
defensible:defens irritant:irrit replacement:replac adjustment:adjust dependent:depend adoption:adopt
communism:communism activate:activ effective:effect cease:ceas controller:control skies:sky news:news
early:earli evening:evening inning:inning yesterday:yesterday enjoy:enjoy syzygy:syzygi by:by cry:cri
fluently:fluentli singly:singl geology:geolog psychologist:psycholog generate:generat generic:generic
universe:univers universal:universal organization:organiz organic:organic paste:paste pasted:paste
lateral:lateral international:internat emergency:emergenc ogling:ogl egged:egg added:add off:off yes:yes
bus:bus us:us
"""


@pytest.mark.parametrize("pair", EXPECTED.split())
def test_a_word_has_the_stem_of_the_published_algorithm(pair: str) -> None:
    word, expected = pair.split(":")
    assert stem(word) == expected


@given(st.text("aeiouybcdflnrstgz", max_size=20))
def test_any_word_has_a_stem_that_is_hardly_longer(word: str) -> None:
    result = stem(word)
    assert len(result) <= len(word) + 1
    assert result.isalpha() or not word
    assert result.islower() or not word
