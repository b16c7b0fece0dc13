"""Counts the visible characters of a notebook: every source, and every output in each of its forms as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from yinju.load.encoding import decode

_KEYS_OF_VERSION_3 = {"text": "text/plain", "html": "text/html", "latex": "text/latex", "markdown": "text/markdown"}


def count_notebook(data: bytes) -> int:
    """Return the visible characters of all sources and of all outputs as text. Raises ValueError for what is no JSON."""
    notebook = json.loads(decode(data).text)
    groups = [notebook, *(notebook.get("worksheets") or ())]
    cells = (cell for group in groups if isinstance(group, dict) for cell in _list(group.get("cells")))
    return sum(_visible(part) for cell in cells if isinstance(cell, dict) for part in _parts(cell))


def _parts(cell: dict[str, Any]) -> Iterator[Any]:
    yield cell.get("source", cell.get("input"))
    if cell.get("cell_type") != "code":
        return
    for output in _list(cell.get("outputs")):
        match output:
            case {"output_type": "error" | "pyerr"}:
                yield from (output.get(key) for key in ("ename", "evalue", "traceback"))
            case {"output_type": "stream"}:
                yield output.get("text")
            case dict():
                data = output.get("data")
                old = {form: output[key] for key, form in _KEYS_OF_VERSION_3.items() if key in output}
                yield from (
                    text
                    for form, text in (old | (data if isinstance(data, dict) else {})).items()
                    if form.startswith("text/")
                )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _visible(value: Any) -> int:
    parts = value if isinstance(value, list) else [value]
    return sum(sum(map(len, part.split())) for part in parts if isinstance(part, str))
