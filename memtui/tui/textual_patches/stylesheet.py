"""Parse the app's style sheets once per process."""

from __future__ import annotations

from typing import Any

from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet

MOST_SOURCES = 512
"""Parsed texts that are kept: every screen open brings 150 under one theme."""

_parsed: LRUCache[Any, Any] = LRUCache(MOST_SOURCES)


class KeptStylesheet(Stylesheet):
    """A style sheet that parses each text once per set of variables, whichever app of the process has it.

    Textual parses all texts again with every kind of widget that comes up, and keeps only the last 64 of them, which
    with more texts than that keeps none: measured, the first picture parsed the same rules five times.
    """

    def _parse_rules(self, *arguments: Any, **values: Any) -> Any:
        key = (arguments, tuple(sorted(values.items())), frozenset(self._variables.items()))
        rules = _parsed.get(key)
        if rules is None:
            rules = _parsed[key] = super()._parse_rules(*arguments, **values)
        return rules

    def reparse(self) -> None:
        """Parse again with other variables; the rules stay as they are if that fails."""
        self.parse()
