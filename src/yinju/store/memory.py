"""A library in memory that several connections of this process can open, so that each asker's has views of its own (see `store/seen.py`).

SQLite's `memdb` keeps it as one piece of memory under a name; the name is random, so that two libraries never meet. It is gone when the last
connection is closed.
"""

from __future__ import annotations

import ctypes
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

_BUSY_MS = 5000
_MOST_BYTES = 1 << 50  # of itself memdb stops at one GiB


def new_address() -> str:
    """Return an address that no library in memory has."""
    return f"file:/yinju-{secrets.token_hex(16)}?vfs=memdb"


def open_at(address: str, *, create: bool = False) -> apsw.Connection:
    """Open the library in memory at this address, for reading unless it is to be made."""
    import apsw

    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE if create else apsw.SQLITE_OPEN_READONLY
    connection = apsw.Connection(address, flags=flags | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(_BUSY_MS)
    if create:
        most = ctypes.c_int64(_MOST_BYTES)
        connection.file_control("main", apsw.SQLITE_FCNTL_SIZE_LIMIT, ctypes.addressof(most))
    return connection
