"""Who asks. A name and groups, given by whoever runs the door (a tokens file, a flag), never by the request itself."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

EVERYONE = "*"  # on an access list: all who may ask at all


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who may ask. Names and groups share one space; they are compared exactly, after Unicode's composed form."""

    name: str
    groups: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """All names under which the principal may stand on an access list."""
        return frozenset(normal(name) for name in (self.name, *self.groups)) | {EVERYONE}


def normal(name: str) -> str:
    """Return the form in which names are kept and compared."""
    return unicodedata.normalize("NFC", name.strip())


def normal_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of an access list, each once, sorted; empty ones fall away, so that a list of nothing lets nobody in."""
    return tuple(sorted({normal(name) for name in names} - {""}))
