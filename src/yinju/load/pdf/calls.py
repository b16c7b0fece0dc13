"""Calls into PDFium that are made for every character or object of a page, a million times for a long report.

The bindings check and convert each argument and give up the interpreter's lock on every call, which takes longer than the work itself.
PDFium must not be called from two threads in any case, so nothing is lost by keeping the lock.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any


def quick(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    """Return the same function for plain arguments: handles and pointers as numbers, see `address`."""
    place = ctypes.cast(function, ctypes.c_void_p).value
    assert place is not None
    return ctypes.PYFUNCTYPE(result, *arguments)(place)


def address(handle: Any) -> int:
    """Return a handle as a number; 0 for none."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0
