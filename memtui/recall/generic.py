"""Words that say what is to be done or asked, not what it is about.

They stay in BM25, which weighs them by how common they are. But no memory is relevant because it shares
"fix" with the task: in a small vault such a word can be rare.
"""

from __future__ import annotations

from functools import cache

from memtui.text.stemming import stem

_DOING = """
add adjust allow apply begin bring build call change check choose clean come continue convert create define
delete do edit enable ensure fix follow forget give go handle help implement improve include introduce keep
make modify move need prepare provide put refactor remove rename replace require rewrite run set show start
stop support switch try turn update use want work write
"""

_ASKING = """
answer ask compare describe exist explain find happen know learn look mean recommend remember say see suggest
tell think understand wonder
"""

_SAYING_LITTLE = """
approach best better case code correct current different example file first function general good idea
important issue kind last latest main method new next old part place point possible previous problem project
proper question reason right second simple solution step stuff task thing time way whole wrong
"""


@cache
def generic_terms() -> frozenset[str]:
    """Return the stems of the generic words."""
    return frozenset(stem(word) for text in (_DOING, _ASKING, _SAYING_LITTLE) for word in text.split())
