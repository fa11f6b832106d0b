"""Release caches that Textual keeps for removed widgets."""

from __future__ import annotations

from textual._styles_cache import StylesCache
from textual.widget import Widget


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
