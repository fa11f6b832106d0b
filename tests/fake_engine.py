"""An engine for tests: words to axes by a list of synonyms, so that meaning is what the test says it is."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SYNONYMS = (
    "refund refunds reimbursement reimbursements",
    "lock mutex semaphore",
    "replica standby",
    "port address",
    "webhooks callbacks",
    "retry resend",
    "ledger bookkeeping",
    "exports dumps",
)
OTHER_AXES = 256


class FakeEngine:
    """Knows a few topics; every other word lies on an axis of its own, as good as."""

    name = "fake"
    dimensions = len(SYNONYMS) + OTHER_AXES

    def __init__(self) -> None:
        self._axis = {word: axis for axis, words in enumerate(SYNONYMS) for word in words.split()}
        self.embedded = 0

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.embedded += len(texts)
        return self._embed(texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(texts)

    def _embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        made = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in set(re.findall(r"[a-z]{4,}", text.lower())):
                other = len(SYNONYMS) + zlib.crc32(word.encode()) % OTHER_AXES
                made[row, self._axis.get(word, other)] += 2.0 if word in self._axis else 0.7
        lengths = np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9).astype(np.float32)
        made /= lengths
        return made
