"""The table of formats: type -> loader and independent counter, imported when the first file of that type comes.

A worker that only ever sees Markdown never pays for the PDF library.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from yinju.load.parsed import Counter, Loader

# type -> (loader, counter), each as module:function below this package
LOADERS: dict[str, tuple[str, str]] = {
    "markdown": ("markdown:load_markdown", "count:count_text"),
    "text": ("text:load_text", "count:count_text"),
    "html": ("html:load_html", "count:count_html"),
    "json": ("json:load_json", "count:count_json"),
    "jsonl": ("json:load_jsonl", "count:count_jsonl"),
    "python": ("code:load_python", "count:count_text"),
    "javascript": ("code:load_javascript", "count:count_text"),
    "code": ("code:load_code", "count:count_text"),
    "csv": ("sheets:load_csv", "count_binary:count_csv"),
    "pdf": ("pdf:load_pdf", "count_binary:count_pdf"),
    "docx": ("docx:load_docx", "count_binary:count_docx"),
    "xlsx": ("sheets:load_xlsx", "count_binary:count_xlsx"),
}


def loader_of(kind: str) -> Loader:
    """Return the loader of this type. Raises KeyError."""
    return cast(Loader, _find(LOADERS[kind][0]))


def counter_of(kind: str) -> Counter:
    """Return the counter of this type: it counts the visible characters of the file by other code than the loader. Raises KeyError."""
    return cast(Counter, _find(LOADERS[kind][1]))


def _find(place: str) -> object:
    module, _, name = place.partition(":")
    return getattr(import_module(f"yinju.load.{module}"), name)
