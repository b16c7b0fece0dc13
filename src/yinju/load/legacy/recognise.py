"""Which program wrote a compound file, and what really lies under a name of the old Office: exports named .xls are often web pages or text."""

from __future__ import annotations

import re

from yinju.errors import DocumentError

# A stream at the root that only this program writes.
_STREAMS = {
    "worddocument": "doc",
    "workbook": "xls",
    "book": "xls",
    "powerpoint document": "ppt",
    "__properties_version1.0": "msg",
}
_SEEN = {"WordDocument": "doc", "Workbook": "xls", "PowerPoint Document": "ppt", "__properties_version1.0": "msg"}
_PAGE = re.compile(r"<(?:!doctype html|html|head|meta|table|body|style|div|script|title|center|font)\b")
_BIFF = (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00", b"\x09\x08\x08\x00", b"\x09\x08\x10\x00")
_MAIL = re.compile(
    r"(?:(?:mime-version|received|return-path|from|date|subject|message-id): .*\n(?:[ \t].*\n)*){2}", re.IGNORECASE
)
_MHTML = re.compile(r"(?:from|mime-version|subject|date|x-[\w-]+): ", re.IGNORECASE)


def compound_type(data: bytes) -> str | None:
    """Return `doc`, `xls`, `ppt`, `msg`, or `encrypted` for an Office package behind a password; None for another program's or no program's.

    The streams at the root decide: a letter may hold a workbook inside. Where the directory is broken, the names that can be seen decide.
    """
    from yinju.load.legacy.ole import Compound

    try:
        names = [path[0].lower() for path in Compound(data).names if len(path) == 1]
    except DocumentError:
        seen = {
            data.find(name.encode("utf-16-le")): kind
            for name, kind in {**_SEEN, "EncryptedPackage": "encrypted"}.items()
        }
        return next((seen[place] for place in sorted(seen) if place >= 0), None)
    if "encryptedpackage" in names:
        return "encrypted"
    return next((kind for name, kind in _STREAMS.items() if name in names), None)


def is_bare_workbook(data: bytes) -> bool:
    """Say whether this is a workbook without a container, as Excel 2 to 4 and some exports write it."""
    return data.startswith(_BIFF)


def disguised(text: str) -> str | None:
    """Return what a text is that has the name of a binary format: `html`, `csv` (tabs), `xls` (XML of Excel 2003), `eml` (web archive), else None."""
    start = text[:4_000].lstrip("\ufeff \t\r\n").lower()
    if "urn:schemas-microsoft-com:office:spreadsheet" in start and start.startswith(
        ("<?xml", "<workbook", "<ss:workbook")
    ):
        return "xls"
    if _PAGE.match(start) or (start.startswith(("<!--", "<?xml")) and _PAGE.search(start)):
        return "html"
    if _MAIL.match(start) or (_MHTML.match(start) and "content-type:" in start):
        return "eml"
    lines = [line for line in text[:20_000].split("\n") if line.strip()][:20]
    return "csv" if len(lines) > 1 and all("\t" in line for line in lines[:-1]) else None
