"""The package around Office and OpenDocument files: a zip that may be a bomb, and XML that may ask for files.

Both are checked before anything is read.
"""

from __future__ import annotations

import io
import lzma
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from yinju.errors import DocumentError
from yinju.load.parsed import Limits
from yinju.messages import say

MAXIMUM_PART = 128_000_000  # bytes of one part that is parsed as a tree
SMALL_PACKAGE = 20_000_000  # bytes expanded; below that the ratio says nothing
OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LONGEST_PROLOG = 1_000_000  # bytes
_ROOT_ELEMENT = re.compile(rb"<[A-Za-z_]")
_UNSAFE = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def damaged(what: str) -> DocumentError:
    """Return the error for a file that is broken."""
    return DocumentError(
        say("the file is damaged: {what}", "文件已损坏：{what}", what=what),
        say(
            "open it in its own program and save it again, or fetch it anew",
            "请用原来的程序打开并另存，或重新获取此文件",
        ),
        code="damaged",
    )


def beyond_limit(english: str, chinese: str) -> DocumentError:
    """Return the error for a file that is too large in some way."""
    return DocumentError(
        say(english, chinese), say("split the file into smaller ones", "请把文件拆成几个较小的文件"), code="limit"
    )


def only_pictures(*, slides: bool = False) -> DocumentError:
    """Return the error for a document without any text."""
    scanned = say("if it holds scanned pages, run OCR on it first", "如果是扫描页，请先做文字识别（OCR）")
    drawn = say("if the slides are pictures, run OCR on them first", "如果幻灯片是图片，请先做文字识别（OCR）")
    return DocumentError(
        say("no text, perhaps only pictures", "没有文字，可能只有图片"), drawn if slides else scanned, code="no-text"
    )


@contextmanager
def open_package(data: bytes, limits: Limits) -> Iterator[zipfile.ZipFile]:
    """Open the package after its directory was checked. Raises DocumentError: damaged, encrypted, limit, too-deep, unknown-type.

    What nests deeper than the reader can follow inside is refused as too-deep.
    """
    try:
        with _opened(data, limits) as package:
            yield package
    except RecursionError as error:
        raise too_deep() from error


def too_deep() -> DocumentError:
    """Return the error for a file whose parts nest deeper than anything that people make."""
    return DocumentError(
        say("tables or shapes within each other too deeply", "表格或图形嵌套过深"),
        say("save it again in its own program", "请用原来的程序另存"),
        code="too-deep",
    )


def _opened(data: bytes, limits: Limits) -> zipfile.ZipFile:
    if data.startswith(OLE_SIGNATURE):
        raise _legacy(data)
    try:
        package = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, OSError, UnicodeDecodeError) as error:
        raise damaged(say("not a complete zip package", "不是完整的 zip 包")) from error
    entries = package.infolist()
    if len(entries) > limits.entries:
        raise beyond_limit("too many parts in the package", "包内部件过多")
    expanded = sum(entry.file_size for entry in entries)
    if expanded > limits.expanded_bytes:
        raise _too_large(expanded)
    if expanded > SMALL_PACKAGE and expanded > limits.ratio * max(1, sum(entry.compress_size for entry in entries)):
        raise beyond_limit("expands more than a hundredfold: a zip bomb?", "解压后膨胀超过一百倍，疑似压缩炸弹")
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise damaged(say("two parts have the same name", "两个部件同名"))
    if any(name.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", name) for name in names):
        raise damaged(say("a part's name leads out of the package", "部件名指向包外"))
    if any(entry.header_offset < 0 for entry in entries):
        raise damaged(say("a part begins before the file does", "部件位置在文件之外"))
    if any(entry.flag_bits & 1 for entry in entries):
        raise encrypted()
    return package


def _too_large(expanded: int) -> DocumentError:
    return DocumentError(
        say("expands to {size} MB", "解压后为 {size} MB", size=expanded >> 20),
        say("split the file into smaller ones", "请把文件拆成几个较小的文件"),
        code="limit",
    )


def encrypted() -> DocumentError:
    """Return the error for a file that needs a password."""
    return DocumentError(
        say("a password is needed", "需要密码"),
        say("save a copy without a password and index that", "请另存一份不带密码的副本再索引"),
        code="encrypted",
    )


def _legacy(data: bytes) -> DocumentError:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return encrypted()
    return DocumentError(
        say("an Office 97 file (.doc, .xls, .ppt)", "Office 97 格式（.doc、.xls、.ppt）"),
        say("save it as .docx or .xlsx", "请另存为 .docx 或 .xlsx"),
        code="unknown-type",
    )


@contextmanager
def open_part(package: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Open one part as a stream, after its prolog was checked. Raises DocumentError: damaged, unsafe-xml."""
    with open_stream(package, name) as stream:
        check_prolog(stream, name)
    with open_stream(package, name) as stream:
        yield stream


@contextmanager
def open_stream(package: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Open one part as a stream. Raises DocumentError (damaged), also for what goes wrong while it is read."""
    try:
        with package.open(name) as stream:
            yield stream
    except KeyError as error:
        raise damaged(say("the part {name} is missing", "缺少部件 {name}", name=name)) from error
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError) as error:
        raise damaged(say("the part {name} cannot be expanded", "部件 {name} 无法解压", name=name)) from error


def check_prolog(stream: IO[bytes], name: str) -> None:
    """Refuse a document type or entities. Raises DocumentError: damaged, unsafe-xml.

    They may only stand before the root element: so much is read, zero bytes of UTF-16 left out. A part in which no root is seen is in an
    encoding that hides it, and refused.
    """
    head = b""
    while len(head) < _LONGEST_PROLOG and (block := stream.read(65_536)):
        head += block.replace(b"\0", b"")
        root = _ROOT_ELEMENT.search(head)
        if _UNSAFE.search(head, 0, root.start() if root else len(head)):
            raise _unsafe()
        if root:
            return
    raise _unsafe() if len(head) >= _LONGEST_PROLOG else damaged(say("{name} is no XML", "{name} 不是 XML", name=name))


def _unsafe() -> DocumentError:
    return DocumentError(
        say("XML with a document type or entities", "XML 含有文档类型声明或实体"),
        say(
            "such a file may attack its reader; save it again in Office", "这类文件可能攻击读取程序，请在 Office 中另存"
        ),
        code="unsafe-xml",
    )


def parse_part(package: zipfile.ZipFile, name: str) -> Any:
    """Return the root element of a part, or None where the package lacks it. Raises DocumentError."""
    if name not in package.NameToInfo:
        return None
    if package.getinfo(name).file_size > MAXIMUM_PART:
        raise beyond_limit("a part of more than 128 MB", "单个部件超过 128 MB")
    with open_part(package, name) as stream:
        return parse_stream(stream, name)


def parse_stream(stream: IO[bytes], name: str) -> Any:
    """Return the root element of a checked stream, without comments. Raises DocumentError."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        return etree.parse(stream, parser).getroot()
    except etree.XMLSyntaxError as error:
        raise broken_xml(error, name) from error


def broken_xml(error: Exception, name: str) -> DocumentError:
    """Return what lxml's error says of a part: that it is damaged, or nests deeper than the 256 levels that the parser follows."""
    if "depth" in str(error):
        return too_deep()
    return damaged(say("the XML of {name} is broken", "{name} 的 XML 有误", name=name))


def parts_of_type(package: zipfile.ZipFile, ending: str) -> list[str]:
    """Return the names of the parts whose content type ends so, as `[Content_Types].xml` says."""
    root = parse_part(package, "[Content_Types].xml")
    if root is None:
        raise damaged(say("no list of content types", "缺少内容类型清单"))
    names = [
        str(item.get("PartName", "")).lstrip("/")
        for item in root.iterfind("{*}Override")
        if str(item.get("ContentType", "")).endswith(ending)
    ]
    return [name for name in names if name in package.NameToInfo]


def relationships(package: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """Return id -> (last word of the type, name of the target part) for the targets inside the package."""
    folder, name = posixpath.split(part)
    root = parse_part(package, posixpath.join(folder, "_rels", name + ".rels"))
    found: dict[str, tuple[str, str]] = {}
    for item in root if root is not None else ():
        if item.get("TargetMode") != "External":
            target = str(item.get("Target", ""))
            path = target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            found[str(item.get("Id"))] = (str(item.get("Type", "")).rsplit("/", 1)[-1], path)
    return found


def core_properties(package: zipfile.ZipFile) -> tuple[str | None, dict[str, str]]:
    """Return title and author, dates and the like from the package's properties; empty ones are left out."""
    root = parse_part(package, "docProps/core.xml")
    if root is None:
        return None, {}
    values = {item.tag.rpartition("}")[2]: " ".join((item.text or "").split()) for item in root}
    names = {
        "creator": "author",
        "created": "created",
        "modified": "modified",
        "subject": "subject",
        "keywords": "keywords",
    }
    metadata = {names[key]: value for key, value in values.items() if key in names and value}
    if metadata.get("author") in ("python-docx", "openpyxl"):
        del metadata["author"]  # the program's own name, no person
    title = values.get("title") or None
    return (None if title in ("Word Document", "PowerPoint Presentation", "Excel") else title), metadata
