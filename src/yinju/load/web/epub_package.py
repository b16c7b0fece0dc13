"""What an e-book says of itself: where its package lies, its chapters in reading order, its table of contents, and whether it is locked.

Old books name document types in these small files, so they are read without any: a declaration is cut off, one that makes entities is refused.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from yinju.errors import DocumentError
from yinju.load.office.package import MAXIMUM_PART, beyond_limit, broken_xml, damaged, encrypted
from yinju.messages import say

_PAGE_NAME = re.compile(r"\.x?html?$|\.xht$", re.IGNORECASE)
_PAGE_START = re.compile(rb"<(?:!doctype\s+html|html|body)\b", re.IGNORECASE)
_DOCTYPE = re.compile(rb"<!DOCTYPE[^>\[]*(\[.*?\]\s*)?>", re.IGNORECASE | re.DOTALL)
_FONTS_ONLY = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_FONT_NAME = re.compile(r"\.(?:ttf|otf|ttc|woff2?|eot|dfont)$", re.IGNORECASE)
_PROLOG = 65_536  # bytes in which a document type may stand
_HEAD = 2_000  # bytes in which a page shows that it is one
_DEEPEST = 20  # of the table of contents


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the table of contents: its label, depth from 1, and the place it names in a page ("": the page's beginning)."""

    label: str
    level: int
    fragment: str


@dataclass(frozen=True, slots=True)
class Book:
    """The pages in reading order, the table of contents by page, the page that only holds that table, title and metadata."""

    pages: tuple[str, ...]
    outside: tuple[str, ...]  # pages that are in no reading order
    contents: dict[str, list[Entry]]
    contents_page: str | None = None
    title: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def read_book(package: zipfile.ZipFile) -> Book:
    """Return what the book says of itself. Raises DocumentError: damaged, encrypted, limit, unsafe-xml."""
    container = read_xml(package, "META-INF/container.xml")
    roots = (
        [str(item.get("full-path", "")) for item in container.iterfind(".//{*}rootfile")]
        if container is not None
        else []
    )
    name = next((root for root in roots if root in package.NameToInfo), None)
    name = name or next((entry for entry in package.namelist() if entry.lower().endswith(".opf")), None)
    if name is None:
        raise damaged(say("no list of chapters", "缺少章节清单"))
    _refuse_locked(package)
    return _book(package, name)


def read_part(package: zipfile.ZipFile, name: str) -> bytes:
    """Return the bytes of a part. Raises DocumentError: damaged, limit."""
    try:
        if package.getinfo(name).file_size > MAXIMUM_PART:
            raise beyond_limit("a part of more than 128 MB", "单个部件超过 128 MB")
        return package.read(name)
    except KeyError as error:
        raise damaged(say("the part {name} is missing", "缺少部件 {name}", name=name)) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise damaged(say("the part {name} cannot be expanded", "部件 {name} 无法解压", name=name)) from error


def read_xml(package: zipfile.ZipFile, name: str) -> Any:
    """Return the root element of a small file of the package, or None where it is missing. Raises DocumentError."""
    from lxml import etree

    if name not in package.NameToInfo:
        return None
    data = read_part(package, name)
    data = _DOCTYPE.sub(_without_entities, data[:_PROLOG], count=1) + data[_PROLOG:]
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True, remove_comments=True, remove_pis=True
    )  # fmt: skip
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise broken_xml(error, name) from error
    if root is None:
        raise damaged(say("the XML of {name} is broken", "{name} 的 XML 有误", name=name))
    return root


def _without_entities(match: re.Match[bytes]) -> bytes:
    if match[1] and b"<!ENTITY" in match[1].upper():
        raise DocumentError(
            say("XML with a document type or entities", "XML 含有文档类型声明或实体"),
            say("such a file may attack its reader", "这类文件可能攻击读取程序"),
            code="unsafe-xml",
        )
    return b""


def _refuse_locked(package: zipfile.ZipFile) -> None:
    """Fonts may be scrambled in any book; where pages are, only the seller's own reader can open it."""
    root = read_xml(package, "META-INF/encryption.xml")
    for item in root.iterfind(".//{*}EncryptedData") if root is not None else ():
        method, target = item.find("{*}EncryptionMethod"), item.find(".//{*}CipherReference")
        name = str(target.get("URI", "")) if target is not None else ""
        if _FONT_NAME.search(name) or (method is not None and method.get("Algorithm") in _FONTS_ONLY):
            continue
        raise encrypted()


def _book(package: zipfile.ZipFile, name: str) -> Book:
    root = read_xml(package, name)
    folder = posixpath.dirname(name)
    items = {str(item.get("id")): item for item in root.iterfind(".//{*}manifest/{*}item")}
    paths = {identity: _path(folder, str(item.get("href", ""))) for identity, item in items.items()}
    spine = root.find(".//{*}spine")
    order = [paths.get(str(item.get("idref"))) for item in spine.iterfind("{*}itemref")] if spine is not None else []
    every = [entry for entry in package.namelist() if _is_page(package, entry)]
    pages = tuple(dict.fromkeys(path for path in order if path in every)) if any(order) else tuple(every)
    nav = next((paths[key] for key, item in items.items() if "nav" in str(item.get("properties", "")).split()), None)
    ncx_id = str(spine.get("toc", "")) if spine is not None else ""
    ncx = paths.get(ncx_id) or next((path for path in paths.values() if path.lower().endswith(".ncx")), None)
    contents = _from_ncx(package, ncx) if ncx in package.NameToInfo and ncx else {}
    if not contents and nav in package.NameToInfo and nav:
        contents = _from_nav(package, nav)
    title, metadata = _properties(root)
    outside = tuple(path for path in every if path not in pages)
    return Book(pages, outside, contents, nav, title, metadata)


def _is_page(package: zipfile.ZipFile, name: str) -> bool:
    if _PAGE_NAME.search(name):
        return True
    if not name.lower().endswith(".xml") or name.startswith("META-INF/"):
        return False
    return _PAGE_START.search(read_part(package, name)[:_HEAD]) is not None


def _path(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(reference.partition("#")[0])))


def _from_ncx(package: zipfile.ZipFile, name: str) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    root, folder = read_xml(package, name), posixpath.dirname(name)
    for point, level in _points(root.find("{*}navMap")):
        label, target = point.find("{*}navLabel/{*}text"), point.find("{*}content")
        text = " ".join("".join(label.itertext()).split()) if label is not None else ""
        reference = str(target.get("src", "")) if target is not None else ""
        if text and reference:
            entry = Entry(text, level, unquote(reference.partition("#")[2]))
            found.setdefault(_path(folder, reference), []).append(entry)
    return found


def _points(root: Any) -> Iterator[tuple[Any, int]]:
    stack = [(root, 0)] if root is not None else []
    while stack:
        node, level = stack.pop()
        if level:
            yield node, level
        if level < _DEEPEST:
            stack += [(child, level + 1) for child in reversed(node.findall("{*}navPoint"))]


def _from_nav(package: zipfile.ZipFile, name: str) -> dict[str, list[Entry]]:
    from yinju.load.web.tree import parse_html

    tree, folder = parse_html(read_part(package, name), xml=True).tree, posixpath.dirname(name)
    navs = tree.css("nav")
    chosen = next(
        (nav for nav in navs if "toc" in (nav.attributes.get("epub:type") or "")), navs[0] if navs else tree.body
    )
    found: dict[str, list[Entry]] = {}
    if chosen is None:
        return found
    for link in chosen.css("a[href]"):
        level, above = 0, link.parent
        while above is not None and above.mem_id != chosen.mem_id:
            level += above.tag == "ol"
            above = above.parent
        reference, text = link.attributes.get("href") or "", " ".join(link.text(deep=True).split())
        if text and "://" not in reference:
            entry = Entry(text, max(1, min(level, _DEEPEST)), unquote(reference.partition("#")[2]))
            found.setdefault(_path(folder, reference), []).append(entry)
    return found


def _properties(root: Any) -> tuple[str | None, dict[str, Any]]:
    values: dict[str, list[str]] = {}
    for item in root.iterfind(".//{*}metadata//*"):
        if isinstance(item.tag, str) and (text := " ".join("".join(item.itertext()).split())):
            key = str(item.get("property", "")).rpartition(":")[2] or item.tag.rpartition("}")[2].lower()
            values.setdefault(key, []).append(text[:1000])
    names = {
        "creator": "author",
        "date": "created",
        "modified": "modified",
        "publisher": "publisher",
        "subject": "subject",
    }
    metadata: dict[str, Any] = {}
    for key, name in {**names, "identifier": "identifier", "language": "lang"}.items():
        if found := values.get(key):
            metadata[name] = ", ".join(dict.fromkeys(found)) if key in ("creator", "subject") else found[0]
    return next(iter(values.get("title", ())), None), metadata
