"""Prints how well lessons are found in the exchanges of `tests/lessons`, for each language: `dev` or `locked`."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from lessons.exchanges import Figures, judge, read_exchanges

from memtui.capture.lessons.detect import propose


def figures(half: str) -> tuple[dict[str, Figures], list[str]]:
    """Return the figures by language, `all` last, and what is wrong."""
    found: dict[str, Figures] = {}
    wrong: list[str] = []
    for exchange in read_exchanges(f"exchanges-{half}"):
        one, notes = judge(exchange, propose(exchange.session))
        found.setdefault(exchange.language, Figures()).add(one)
        wrong.extend(notes)
    whole = Figures()
    for each in list(found.values()):
        whole.add(each)
    return {**found, "all": whole}, wrong


def main() -> None:
    half = sys.argv[1] if len(sys.argv) > 1 else "dev"
    found, wrong = figures(half)
    if "-v" in sys.argv:
        print("\n".join(wrong))
    for language, one in found.items():
        print(f"{language:4} {one}")


if __name__ == "__main__":
    main()
