"""An embedder that notices when its vectors no longer belong to those that a library holds, though its fingerprint is the same.

The first time that the model is at work in this process, the canaries are embedded, too, and compared with those that the library keeps. If
they differ, the fingerprint gets a number behind it. That is all: under the new name the library has no vectors yet, so its words answer, people
are told, and the next sync embeds anew, as after any change of model. The numbers known so far are kept with their canaries: a model that comes
back finds its vectors again.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from yinju.embed import canaries
from yinju.errors import StoreBusy, StoreReadOnly

if TYPE_CHECKING:
    from yinju.protocols import Embedder, Vectors
    from yinju.store import Store, Writer


def guarded(store: Store, embedder: Embedder) -> Embedder:
    """Return the embedder under guard; one that says of itself that it `never_changes` behind its fingerprint needs none."""
    if isinstance(embedder, GuardedEmbedder) or getattr(embedder, "never_changes", False):
        return embedder
    return GuardedEmbedder(store, embedder)


class GuardedEmbedder:
    """The given embedder for this library. Raises what that raises; whatever goes wrong with the canaries is not in the way."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self.unguarded = embedder
        self._store = store
        self._lock = threading.Lock()
        self._checked = False
        self._known: list[str] | None = None  # the packed canaries of each number
        self._number = 0
        self._unkept = False

    @property
    def fingerprint(self) -> str:
        """The model's own, with a number behind it where its vectors are not the first that had this name here."""
        self._load()
        own = self.unguarded.fingerprint
        return f"{own}#{self._number}" if self._number else own

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self.unguarded.dimension

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each passage."""
        rows = self.unguarded.embed_passages(texts)
        self.check()
        return rows

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each question."""
        rows = self.unguarded.embed_queries(texts)
        self.check()
        return rows

    def close(self) -> None:
        """Close the model."""
        close = getattr(self.unguarded, "close", None)
        if close is not None:
            close()

    def check(self) -> None:
        """Compare the canaries, once. A change is kept in the library at once, if nobody is writing."""
        with self._lock:
            if self._checked:
                return
            self._checked = True
            now = canaries.measure(self.unguarded)
        if now is None:
            return
        known = self._load()
        alike = [_likeness(kept, now) for kept in known]
        if known and self._number < len(known) and alike[self._number] >= canaries.SAME:
            return
        changed, self._unkept = bool(known), True
        self._number = next((number for number, like in enumerate(alike) if like >= canaries.SAME), len(known))
        if self._number == len(known):
            known.append(canaries.pack(now))
        if changed:
            with contextlib.suppress(StoreBusy, StoreReadOnly), self._store.writer() as writer:
                self.keep(writer)

    def keep(self, writer: Writer) -> None:
        """Put what was learned into the library."""
        if self._unkept:
            writer.set_value(self._key, json.dumps({"current": self._number, "canaries": self._load()}))
            self._unkept = False

    @property
    def _key(self) -> str:
        return f"canaries:{canaries.VERSION}:{self.unguarded.fingerprint}"

    def _load(self) -> list[str]:
        if self._known is None:
            try:
                kept: Any = json.loads(self._store.value(self._key) or "{}")
                known = [str(one) for one in kept.get("canaries", [])]
                number = int(kept.get("current", 0))
            except (ValueError, TypeError, AttributeError):
                known, number = [], 0
            self._known, self._number = known, number
        return self._known


def _likeness(kept: str, now: Vectors) -> float:
    rows = canaries.unpack(kept)
    return -1.0 if rows is None else canaries.likeness(rows, now)
