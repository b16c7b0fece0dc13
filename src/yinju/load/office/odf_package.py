"""OpenDocument files: a zip package, or one flat XML file. The package is checked as those of Office are; its content is the part content.xml."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from yinju.load.office.elements import local, number, split_tag
from yinju.load.office.package import (
    MAXIMUM_PART,
    beyond_limit,
    check_prolog,
    damaged,
    encrypted,
    open_package,
    open_part,
    open_stream,
    parse_part,
    parse_stream,
    too_deep,
)
from yinju.load.parsed import Limits, visible
from yinju.messages import say

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_META = {
    "creator": "author",
    "initial-creator": "author",
    "date": "modified",
    "creation-date": "created",
    "subject": "subject",
    "keyword": "keywords",
}


@dataclass(frozen=True, slots=True)
class Odf:
    """An opened file: its package, or None where it is flat, then its bytes."""

    package: zipfile.ZipFile | None
    data: bytes

    @contextmanager
    def content(self) -> Iterator[IO[bytes]]:
        """Open the content as a stream, after its prolog was checked. Raises DocumentError: damaged, unsafe-xml."""
        if self.package is None:
            check_prolog(io.BytesIO(self.data), "content.xml")
            yield io.BytesIO(self.data)
        else:
            with open_part(self.package, "content.xml") as stream:
                yield stream

    def root(self) -> Any:
        """Return the content as a tree. Raises DocumentError: damaged, limit, unsafe-xml."""
        if self.package is not None:
            root = parse_part(self.package, "content.xml")
            if root is None:
                raise damaged(say("no content in the package", "包内没有内容"))
            return root
        if len(self.data) > MAXIMUM_PART:
            raise beyond_limit("a part of more than 128 MB", "单个部件超过 128 MB")
        with self.content() as stream:
            return parse_stream(stream, "content.xml")

    def part(self, name: str) -> Any:
        """Return the root of another part, or None where the package lacks it or the file is flat."""
        return parse_part(self.package, name) if self.package is not None else None

    def properties(self, root: Any = None) -> tuple[str | None, dict[str, str]]:
        """Return title and author, dates and the like; `root` is that of a flat file."""
        root = self.part("meta.xml") if self.package is not None else root
        title: str | None = None
        metadata: dict[str, str] = {}
        for item in root.iterfind("{*}meta/*") if root is not None else ():
            text = " ".join((item.text or "").split())
            if local(item) == "title" and text:
                title = text
            elif text and local(item) in _META and (local(item) != "initial-creator" or "author" not in metadata):
                metadata[_META[local(item)]] = text
        return title, metadata


@contextmanager
def open_odf(data: bytes, limits: Limits) -> Iterator[Odf]:
    """Open the file. Raises DocumentError: damaged, encrypted, limit, unsafe-xml."""
    if not data.startswith(b"PK"):
        try:
            yield Odf(None, data)
        except RecursionError as error:
            raise too_deep() from error
        return
    with open_package(data, limits) as package:
        if "encrypted-package" in package.NameToInfo or _is_encrypted(package):
            raise encrypted()
        yield Odf(package, data)


def _is_encrypted(package: zipfile.ZipFile) -> bool:
    """The list of parts is not parsed: old programs give it a document type."""
    name = "META-INF/manifest.xml"
    if name not in package.NameToInfo or package.getinfo(name).file_size > MAXIMUM_PART:
        return False
    with open_stream(package, name) as stream:
        return re.search(rb"<[\w.-]*:?encryption-data\b", stream.read(MAXIMUM_PART)) is not None


def inside(element: Any) -> int:
    """Return the visible characters below an element, pictures written as text left out."""
    if next(element.iter("{*}binary-data"), None) is None:
        return visible("".join(element.itertext()))
    found = 0 if local(element) == "binary-data" else visible(element.text or "")
    return found + sum(inside(child) + visible(child.tail or "") for child in element)


def repeated(element: Any, name: str) -> int:
    """Return how often a cell or row stands for itself (or over how many it reaches): at least once."""
    stated = element.get(_TABLE + name)
    return 1 if stated is None else max(1, number(stated, 1))


def qualified(element: Any) -> str:
    """Return `text:p` for a paragraph: the short name of the namespace and the element's own."""
    namespace, name = split_tag(element)
    parts = namespace.split(":")
    return f"{parts[-2] if len(parts) > 1 else namespace}:{name}"
