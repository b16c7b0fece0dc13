"""One other converter in a process of its own, in whatever Python has it: `python benchmarks/peer.py kreuzberg`.

Paths come on stdin, a line each; for each goes one line of JSON to stdout: text (Markdown), tables, seconds (without the import), or an error.
Needs nothing but the converter, so that it may be installed elsewhere (`benchmarks.loaders --peers-python`).
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version


def kreuzberg() -> Callable[[str], str]:
    from kreuzberg import ExtractionConfig, extract_file_sync

    config = ExtractionConfig(output_format="markdown")
    return lambda path: str(extract_file_sync(path, config=config).content)


def markitdown() -> Callable[[str], str]:
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda path: str(converter.convert(path).text_content)


PEERS = {"kreuzberg": kreuzberg, "markitdown": markitdown}


def main() -> int:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    convert = PEERS[sys.argv[1]]()
    print(json.dumps({"version": version(sys.argv[1])}), file=answers, flush=True)
    for line in sys.stdin:
        began = time.perf_counter()
        try:
            answer = {"text": convert(line.rstrip("\n"))}
        except Exception as error:  # noqa: BLE001  one file; the next may do better
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        answer["seconds"] = time.perf_counter() - began
        print(json.dumps(answer), file=answers, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
