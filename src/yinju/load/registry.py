"""The table of formats: type -> loader, independent counter and the library that reads it, imported when the first file of that type comes.

A worker that only ever sees Markdown never pays for the PDF library. The rooms below hold one kind of format each: `plain` text and
mark-up, `pdf`, `office`, and `count`, whose counters share no code with the loaders.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple, cast

from yinju.load.parsed import Counter, Loader


class Format(NamedTuple):
    """How one type is read: loader and counter as `module:function` below this package, and the distribution that does the parsing."""

    loader: str
    counter: str
    library: str | None = None  # None: Python and our own code
    revision: int = 1  # raise it when it reads so much better that unchanged files should be read again


FORMATS: dict[str, Format] = {
    "markdown": Format("plain.markdown:load_markdown", "count.text:count_text", "markdown-it-py", revision=2),
    "text": Format("plain.text:load_text", "count.text:count_text", revision=2),
    "html": Format("web.html:load_html", "count.web:count_html", "selectolax"),
    "epub": Format("web.epub:load_epub", "count.web:count_epub", "selectolax"),
    "mhtml": Format("web.mhtml:load_mhtml", "count.web:count_mhtml", "selectolax"),
    "json": Format("plain.json:load_json", "count.text:count_json"),
    "jsonl": Format("plain.json:load_jsonl", "count.text:count_jsonl"),
    "python": Format("code.source:load_code", "count.text:count_text", "tree-sitter-python"),
    "javascript": Format("code.source:load_code", "count.text:count_text", "tree-sitter-javascript"),
    "typescript": Format("code.source:load_code", "count.text:count_text", "tree-sitter-typescript"),
    "java": Format("code.source:load_code", "count.text:count_text", "tree-sitter-java"),
    "kotlin": Format("code.source:load_code", "count.text:count_text", "tree-sitter-kotlin"),
    "go": Format("code.source:load_code", "count.text:count_text", "tree-sitter-go"),
    "rust": Format("code.source:load_code", "count.text:count_text", "tree-sitter-rust"),
    "c": Format("code.source:load_code", "count.text:count_text", "tree-sitter-c"),
    "cpp": Format("code.source:load_code", "count.text:count_text", "tree-sitter-cpp"),
    "csharp": Format("code.source:load_code", "count.text:count_text", "tree-sitter-c-sharp"),
    "php": Format("code.source:load_code", "count.text:count_text", "tree-sitter-php"),
    "ruby": Format("code.source:load_code", "count.text:count_text", "tree-sitter-ruby"),
    "swift": Format("code.source:load_code", "count.text:count_text", "tree-sitter-swift"),
    "scala": Format("code.source:load_code", "count.text:count_text", "tree-sitter-scala"),
    "lua": Format("code.source:load_code", "count.text:count_text", "tree-sitter-lua"),
    "shell": Format("code.source:load_code", "count.text:count_text", "tree-sitter-bash"),
    "notebook": Format("plain.notebook:load_notebook", "count.notebook:count_notebook"),
    "subtitles": Format("plain.subtitles:load_subtitles", "count.text:count_text"),
    "sql": Format("plain.sql:load_sql", "count.text:count_text"),
    "code": Format("code.source:load_code", "count.text:count_text"),
    "csv": Format("office.sheets:load_csv", "count.office:count_csv"),
    "pdf": Format("pdf.document:load_pdf", "count.binary:count_pdf", "pypdfium2", revision=2),
    "docx": Format("office.docx:load_docx", "count.office:count_docx", "lxml", revision=2),
    "xlsx": Format("office.sheets:load_xlsx", "count.office:count_xlsx", "lxml"),
    "pptx": Format("office.slides:load_pptx", "count.office:count_pptx", "lxml"),
    "odt": Format("office.odf_text:load_odt", "count.office:count_odf", "lxml"),
    "ods": Format("office.odf_sheets:load_ods", "count.office:count_odf", "lxml"),
    "image": Format("ocr.image:load_image", "ocr.image:count_image", "rapidocr"),
    "doc": Format("legacy.doc:load_doc", "count.legacy:count_doc", "olefile"),
    "xls": Format("legacy.xls:load_xls", "count.legacy:count_xls", "xlrd"),
    "ppt": Format("legacy.ppt:load_ppt", "count.slides:count_ppt", "olefile"),
    "rtf": Format("legacy.rtf:load_rtf", "count.rtf:count_rtf"),
    "eml": Format("mail.eml:load_eml", "count.mail:count_eml"),
    "mbox": Format("mail.eml:load_mbox", "count.mail:count_mbox"),
    "msg": Format("mail.msg:load_msg", "count.mail:count_msg", "olefile"),
    "odp": Format("office.odf_slides:load_odp", "count.office:count_odf", "lxml"),
}


def loader_of(kind: str) -> Loader:
    """Return the loader of this type. Raises KeyError."""
    return cast(Loader, _find(FORMATS[kind].loader))


def counter_of(kind: str) -> Counter:
    """Return the counter of this type: it counts the visible characters of the file by other code than the loader. Raises KeyError."""
    return cast(Counter, _find(FORMATS[kind].counter))


@cache
def parser_of(kind: str) -> str:
    """Return who reads this type, for receipts: `docx (lxml 5.3.0)`. Raises KeyError."""
    library = FORMATS[kind].library
    if library is None:
        return kind
    try:
        return f"{kind} ({library} {version(library)})"
    except PackageNotFoundError:  # vendored by a packager
        return f"{kind} ({library})"


def revision_of(kind: str) -> str | None:
    """Return which revision of its loader reads this type now, or None where there is none."""
    return str(FORMATS[kind].revision) if kind in FORMATS else None


def _find(place: str) -> object:
    module, _, name = place.partition(":")
    return getattr(import_module(f"yinju.load.{module}"), name)
