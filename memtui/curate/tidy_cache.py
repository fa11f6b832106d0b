"""What earlier passes of tidy read and worked out, so that the next one looks only at what moved since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from threading import Lock

from memtui.capture.draft import ProgressCallback
from memtui.curate.anchoring import CheckedAnchor, check_anchors
from memtui.curate.gathering import Gathered
from memtui.curate.meaning import pairs_by_meaning
from memtui.curate.pass_cache import Kept, PassCache, Text
from memtui.curate.vagueness import is_vague
from memtui.domain.memory import Memory
from memtui.text.secrets import find_secrets
from memtui.text.token_count import get_counter
from memtui.vault.vault import Vault
from memtui.workspace import Tree

Texts = tuple[str, str, str, str]
"""Title, insight, rationale and snippet of a memory."""


class TidyCache:
    """Kept between the passes of one screen: a pass with it finds what a pass without it would.

    Files and vectors are looked at again only where a memory moved; `look_anew` lets go of what was seen of them.

    Args:
        encoding: the token encoding that memories are weighed in.
        secret_patterns: the user's own patterns.

    Attributes:
        lock: held by a pass; one that was stopped lets go of it at its next look at cancelling.
        texts: readings of texts.
        gathered: the memories of the last pass.
        tokens: of a memory's texts.
        vague: whether a text holds no fact.
        secret: whether a memory's texts hold what looks like a secret.
    """

    def __init__(self, encoding: str = "o200k_base", secret_patterns: Sequence[tuple[str, str]] = ()) -> None:
        counter = get_counter(encoding)
        self.lock = Lock()
        self.texts = PassCache()
        self.gathered: Gathered | None = None
        self.tokens: Kept[Texts, int] = Kept(lambda texts: counter.count("\n".join(filter(None, texts))))
        self.vague: Kept[Text, bool] = Kept(lambda text: is_vague(*text))
        self.secret: Kept[Texts, bool] = Kept(lambda texts: _hold_secret(texts, secret_patterns))
        self._kept: tuple[Kept[Texts, int] | Kept[Text, bool] | Kept[Texts, bool], ...]
        self._kept = (self.tokens, self.vague, self.secret)
        self._meant: list[tuple[str, str, float]] = []
        self._compared: dict[str, tuple[str | None, str, str]] | None = None
        self._checked: dict[str, tuple[int, list[CheckedAnchor]]] = {}
        self._hashes: dict[str, dict[str, str | None]] = {}

    def look_anew(self) -> None:
        """Let go of what was seen of memories, files and vectors; what was worked out of texts stays true."""
        with self.lock:
            self.gathered = None
            self._compared = None
            self._checked, self._hashes = {}, {}

    def turn(self) -> None:
        """Begin a pass."""
        self.texts.turn()
        for kept in self._kept:
            kept.turn()

    def end(self) -> None:
        """End a pass: what it did not ask for is let go."""
        self.texts.end()
        for kept in self._kept:
            kept.end()

    def meant(
        self, vault: Vault, gathered: Gathered, model: str | None, progress: ProgressCallback | None
    ) -> list[tuple[str, str, float]]:
        """Return the pairs that mean the same, compared again only if there is a text that was not compared.

        Raises:
            Cancelled: raised by `progress`, and passed on.
        """
        texts = {memory.id: (memory.project, memory.title, memory.insight) for memory in gathered.memories}
        known = self._compared
        if known is None or any(known.get(identifier) != text for identifier, text in texts.items()):
            self._meant = pairs_by_meaning(vault, gathered, model, progress=progress)
            self._compared = texts
        return self._meant

    def checked(
        self, memories: Sequence[Memory], trees: Iterable[Tree], progress: ProgressCallback | None
    ) -> list[CheckedAnchor]:
        """Return the state of every anchor of the trees' projects; of memories that did not move, as it was seen.

        Raises:
            Cancelled: raised by `progress`, and passed on.
        """
        before = self._checked
        moved = [memory for memory in memories if before.get(memory.id, (0, []))[0] != memory.version]
        found: dict[str, list[CheckedAnchor]] = {}
        for tree in trees:
            hashes = self._hashes.setdefault(tree.project, {})
            for anchor in check_anchors(moved, tree, progress=progress, hashes=hashes):
                found.setdefault(anchor.id, []).append(anchor)
        before.update({memory.id: (memory.version, found.get(memory.id, [])) for memory in moved})
        return [anchor for memory in memories for anchor in before[memory.id][1]]


def texts_of(memory: Memory) -> Texts:
    """Return the texts of a memory."""
    return (memory.title, memory.insight, memory.rationale, memory.snippet)


def _hold_secret(texts: Texts, patterns: Sequence[tuple[str, str]]) -> bool:
    """Return whether texts hold what looks like a secret; AWS's example keys are none."""
    return any(finding.severity == "secret" for text in texts if text for finding in find_secrets(text, patterns))
