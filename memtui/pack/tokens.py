"""Which token counter a payload is measured with."""

from __future__ import annotations

from memtui.text.token_count import ESTIMATE, TokenCounter, get_counter


def counter_for(encoding: str, *, fast: bool = False) -> TokenCounter:
    """Return the counter of an encoding, or the estimate where no tokenizer may be loaded.

    The estimate stays above the exact count of ordinary text, so that a budget holds either way.

    Args:
        encoding: `o200k_base`, `cl100k_base` or `estimate`.
        fast: whether to spare the start of a tokenizer.

    Raises:
        UsageError: the encoding is unknown.
    """
    return get_counter(ESTIMATE if fast else encoding)
