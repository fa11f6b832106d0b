"""English words that say nothing about a topic.

Function words and the fillers of chat with an assistant. Words that name a language, a command or a part of
a program (go, make, set, get, id, use, test, new, none) are no stop words, whatever their frequency: BM25
weighs the frequent ones down by itself.
"""

from __future__ import annotations

_ARTICLES_AND_PRONOUNS = """
a an the this that these those i me my mine myself we us our ours ourselves you your yours yourself
yourselves he him his himself she her hers herself it its itself they them their theirs themselves one ones
who whom whose which what whatever whichever whoever someone somebody something anyone anybody anything
everyone everybody everything nobody nothing other others another each every either neither both all any
some such same own self thing things
"""

_PREPOSITIONS_AND_CONJUNCTIONS = """
about above across after against along among around as at before behind below beneath beside besides between
beyond but by despite down during except for from in inside into near of off on onto out outside over per
regarding since through throughout till to toward towards under until up upon versus via with within without
and or nor so yet because although though unless whereas whether while if then else than when whenever where
wherever why how however therefore thus hence otherwise
"""

_VERBS = """
am is are was were be been being have has had having do does did doing done can could cannot may might must
shall should will would ought need needs needed needing let lets gets got getting seem seems seemed become
became becomes want wants wanted
"""

_ADVERBS_AND_FILLERS = """
again ago almost already also always anyhow anyway apart aside away enough especially etc even ever far few
fewer further furthermore here indeed instead just largely lately least less lot lots mainly many maybe
meanwhile merely more moreover most mostly much namely nearly never nevertheless no not now often once only
perhaps possibly probably quite rather really recently several sometimes somewhat soon still there together
too usually various very well actually basically certainly clearly exactly generally obviously particularly
please simply specifically okay yes yeah thanks thank sure like likely unlikely
"""

_CONTRACTIONS = """
isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt cant couldnt mustnt shouldnt wont wouldnt aint
thats theres whats youre theyre e.g i.e eg ie vs
"""

STOP_WORDS = (
    frozenset(_ARTICLES_AND_PRONOUNS.split())
    | frozenset(_PREPOSITIONS_AND_CONJUNCTIONS.split())
    | frozenset(_VERBS.split())
    | frozenset(_ADVERBS_AND_FILLERS.split())
    | frozenset(_CONTRACTIONS.split())
)
"""The stop words, in lower case; those with an apostrophe are known to the tokeniser."""
