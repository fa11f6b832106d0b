"""What Textual parses or keeps more than once: style sheets, and caches of removed widgets."""

from __future__ import annotations

from typing import Any

from textual._styles_cache import StylesCache
from textual.cache import LRUCache
from textual.css.stylesheet import Stylesheet
from textual.widget import Widget

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


def drop_pictures() -> None:
    """Release the lines that closed screens drew.

    Textual remembers two colours for each of the last 1,024 widgets, and by them the widget's whole cache of lines:
    some 100 kB each. Computing the colours again takes less than a line of the next picture.
    """
    clear = getattr(StylesCache.get_inner_outer, "cache_clear", None)
    if clear is not None:
        clear()


def stop_watching_app(widget: Widget) -> None:
    """Let the app forget who watches it: it keeps even those that are gone, until what they watch changes."""
    for watching in getattr(widget.app, "__watchers", {}).values():
        watching[:] = [(node, callback) for node, callback in watching if node is not widget]
