"""The child of the pool: `python -m yinju.load.worker`. Requests come on stdin, answers go to stdout, each JSON behind its length.

A child that is not asked to read pictures says so of a file that needs it. The one that is reports each page before it reads it, so that
a long scan is told from a hang. Nothing else ever reaches stdout: its descriptor is taken away before the first library is loaded. The
child ends with its parent (end of stdin), when a file takes far too long (a watchdog that needs no lock of Python), and after a file
that took too much memory or left it large: what native libraries and allocators have taken they seldom give back.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import sys
from typing import Any, BinaryIO

from yinju.errors import DocumentError
from yinju.load.parsed import Limits
from yinju.load.pipe import ELSEWHERE, FAILED, LAST, LOADED, MORE, PAGE, read_message, write_message
from yinju.messages import say, set_language

GROWN = 1 / 3  # of its limit of memory still held after a file: then a fresh child is cheaper than so large a one
GRACE = 10.0  # seconds beyond the limit after which the child ends by itself: its parent is gone


def main() -> int:
    """Answer requests until stdin ends."""
    answers, requests = _take_streams()
    try:
        while (message := read_message(requests)) is not None:
            asked = json.loads(message)
            limits = Limits(**asked["limits"])
            hold_memory(asked["memory"])
            faulthandler.dump_traceback_later(limits.seconds + GRACE, exit=True)
            _prepare_ocr(asked, limits, answers)
            answer, ends = _answer(asked, limits)
            faulthandler.cancel_dump_traceback_later()
            if ends or (not asked["ocr"] and resident_bytes() > limits.memory_bytes * GROWN):
                write_message(answers, LAST)
                write_message(answers, answer)
                return 0
            write_message(answers, answer)
    except (OSError, KeyboardInterrupt):  # the parent is gone, or the user stops both of us
        return 0
    return 0


def hold_memory(limit: int) -> None:
    """Let this process have no more address space than `limit` bytes, where the system knows how."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses what it does not support
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def resident_bytes() -> int:
    """Return the bytes of memory this process holds now, 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stated:
            return int(stated.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):  # not Linux
        return 0


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return private streams for answers and requests; what anyone prints from now on goes to stderr, what anyone reads is empty."""
    answers, requests = os.dup(1), os.dup(0)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if sys.platform == "win32":
        import msvcrt

        for handle in (answers, requests):
            msvcrt.setmode(handle, os.O_BINARY)
    return os.fdopen(answers, "wb"), os.fdopen(requests, "rb")


def _prepare_ocr(asked: dict[str, Any], limits: Limits, answers: BinaryIO) -> None:
    """Say where pictures are read, and let each page that is begun be reported and have the whole time."""
    from yinju.load.ocr.state import set_state

    def tell(number: int, total: int) -> None:
        faulthandler.dump_traceback_later(limits.seconds + GRACE, exit=True)
        write_message(answers, PAGE + json.dumps([number, total]))

    set_state(here=asked["ocr"], tell=tell)


def _answer(asked: dict[str, Any], limits: Limits) -> tuple[str, bool]:
    """Return the answer for one file, and whether this process is unfit for the next."""
    from yinju.load import wire
    from yinju.load.ocr.state import ReadElsewhere
    from yinju.load.reading import load_file

    set_language(asked["language"])
    try:
        loaded = load_file(asked["path"], asked["source"], limits=limits, folder=asked["folder"])
        return LOADED + wire.to_json(loaded), False
    except DocumentError as error:
        return FAILED + wire.dump({"error": [error.code, error.message, error.hint]}), False
    except ReadElsewhere:
        return ELSEWHERE, False
    except MemoryError:
        pass
    except RecursionError:
        deep = (
            say("its parts nest too deeply", "嵌套过深"),
            say("save it again in its own program", "请用原来的程序另存"),
        )
        return FAILED + wire.dump({"error": ["too-deep", *deep]}), False
    except Exception as error:  # noqa: BLE001  the boundary of one file: it is reported, and the others go on
        return FAILED + wire.dump({"error": ["crashed", f"{type(error).__name__}: {error}"[:300], None]}), False
    return MORE, True


if __name__ == "__main__":
    raise SystemExit(main())
