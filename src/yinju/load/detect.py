"""What kind of document a file is: its name proposes, its first bytes decide.

Text types cannot be told apart by bytes, so there the name counts; containers and PDF can, so there the bytes count and a wrong name is a
warning. Names of what is plainly no document (pictures, programs, archives) are a table too: a scan passes over them in silence.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath

from yinju.errors import DocumentError
from yinju.load.legacy.recognise import compound_type, disguised, is_bare_workbook
from yinju.load.ocr.availability import is_available
from yinju.messages import say


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SUFFIXES: dict[str, str] = {
    suffix: kind
    for kind, suffixes in {
        "markdown": "md markdown mdown mkd mdx qmd rmd",
        "text": "txt text log rst adoc asciidoc org tex nfo",
        "subtitles": "srt vtt",
        "html": "html htm xhtml shtml",
        "json": "json geojson",
        "notebook": "ipynb",
        "jsonl": "jsonl ndjson",
        "csv": "csv tsv",
        "pdf": "pdf",
        "docx": "docx docm dotx dotm",
        "xlsx": "xlsx xlsm xltx xltm",
        "pptx": "pptx pptm ppsx ppsm potx potm",
        "doc": "doc wps",
        "xls": "xls xlt et",
        "ppt": "ppt pps dps",
        "rtf": "rtf",
        "eml": "eml",
        "epub": "epub",
        "mhtml": "mht mhtml",
        "mbox": "mbox",
        "msg": "msg",
        "odt": "odt ott fodt",
        "ods": "ods ots fods",
        "odp": "odp otp fodp odg",
        "python": "py pyi pyw",
        "javascript": "js mjs cjs jsx",
        "typescript": "ts tsx mts cts",
        "java": "java",
        "kotlin": "kt kts",
        "go": "go",
        "rust": "rs",
        "c": "c h",
        "cpp": "cc cpp cxx hpp hh hxx",
        "csharp": "cs",
        "php": "php",
        "ruby": "rb",
        "swift": "swift",
        "scala": "scala sc",
        "lua": "lua",
        "sql": "sql",
        "shell": "sh bash zsh",
        "image": "png jpg jpeg jfif tif tiff bmp webp",
        "code": "pl pm r jl fish ps1 bat cmd"
        " yaml yml toml ini cfg conf properties xml xsd xsl css scss less vue svelte dart ex exs erl hs clj groovy gradle proto graphql"
        " tf cmake mk dockerfile m mm vb f90 asm",
    }.items()
    for suffix in suffixes.split()
}
# Documents that a person would miss, but that we cannot read yet: refused by name with a hint.
UNREAD = _words("xlsb mobi azw3 pages numbers key chm djvu xps")
# No documents at all: a scan ignores them.
IGNORED = _words(
    "gif ico svg heic heif avif psd ai eps raw mp3 mp4 m4a m4v wav flac ogg oga ogv avi mov mkv webm wmv aac"
    " zip gz tgz bz2 xz 7z rar tar zst lz4 jar war apk ipa whl egg deb rpm dmg iso img exe dll so dylib a o obj lib bin dat pyc pyo class"
    " wasm ttf otf woff woff2 eot db sqlite sqlite3 parquet arrow feather npy npz pkl pickle pt pth onnx safetensors gguf h5 hdf5 tflite"
    " lock map min pem crt cer der p12 pfx keystore swp tmp bak backup part crdownload ds_store lnk url torrent"
)
TEXT_TYPES = frozenset({"markdown", "text", "html", "json", "jsonl", "csv", "python", "javascript", "code"}) | _words(
    "typescript java kotlin go rust c cpp csharp php ruby swift scala lua shell sql notebook subtitles"
)
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (b"{\\rtf", "rtf"),
    (b"\x89PNG", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"\x1f\x8b", "archive"),
    (b"7z\xbc\xaf", "archive"),
    (b"Rar!", "archive"),
    (b"BZh9", "archive"),
    (b"\xfd7zXZ", "archive"),
    (b"\x7fELF", "program"),
    (b"MZ\x90", "program"),
    (b"SQLite format 3\x00", "database"),
)
_PARTS = (
    ("word/document.xml", "docx"),
    ("xl/workbook.xml", "xlsx"),
    ("ppt/presentation.xml", "pptx"),
    ("xl/workbook.bin", "xlsb"),
    ("META-INF/container.xml", "epub"),
)
# What the first entry of a package says it is; templates of a type (-template) are of that type too.
_MIMETYPES = {
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/vnd.oasis.opendocument.presentation": "odp",
    b"application/vnd.oasis.opendocument.graphics": "odp",
    b"application/epub+zip": "epub",
}
_OFFICE = frozenset(
    ("docx", "xlsx", "pptx", "odt", "ods", "odp", "epub")
)  # packages: bytes say beyond doubt what they are
_LEGACY_TYPES = frozenset(("doc", "xls", "ppt", "msg", "rtf"))
_BINARY = _OFFICE | _LEGACY_TYPES | {"pdf"}


# Programs of the old Office by the names of their files, for a file in which nothing can be read.
_LEGACY = dict.fromkeys(("doc", "docx", "docm", "wps"), ("Word", "DOCX"))
_LEGACY |= dict.fromkeys(("xls", "xlsx", "xlsm", "xlt", "et"), ("Excel", "XLSX"))
_LEGACY |= dict.fromkeys(("ppt", "pptx", "pps", "dps"), ("PowerPoint", "PPTX"))


@dataclass(frozen=True, slots=True)
class Detected:
    """The type by which a file is loaded, and a warning where its name says another."""

    kind: str
    warnings: tuple[str, ...] = ()


def suffix_of(source: str) -> str:
    """Return the last suffix in lower case without its dot, `` for none. A name that is only a suffix (`.env`) has it as suffix."""
    name = PurePosixPath(source.replace("\\", "/")).name.lower()
    return name.rpartition(".")[2] if "." in name else ""


def type_by_name(source: str) -> str | None:
    """Return the type that the name proposes, or None where it says nothing."""
    return SUFFIXES.get(suffix_of(source))


def is_document_name(source: str, *, pictures: bool = True) -> bool:
    """Say whether a scan should try this file: False for programs, archives and the like, and for pictures where nobody can read them.

    `pictures` False: the user does not want them read.
    """
    if type_by_name(source) == "image":
        return pictures and is_available()
    return suffix_of(source) not in IGNORED


def detect(data: bytes, source: str) -> Detected:
    """Return the type by which these bytes are loaded. Raises DocumentError: empty, encrypted, damaged, binary, unknown-type."""
    if not data:
        raise DocumentError(say("the file has no bytes", "文件是空的"), say("nothing to do", "无需处理"), code="empty")
    named, suffix = type_by_name(source), suffix_of(source)
    found = _by_bytes(data)
    if found == named and named is not None:
        return Detected(named)
    if found in _BINARY:
        return Detected(found, (f"type-mismatch: {found} named .{suffix}",) if suffix else ())
    if found == "image" and is_available():
        return Detected(found, (f"type-mismatch: {found} named .{suffix}",) if suffix else ())
    if found == "zip" and named in _OFFICE:
        return Detected(named)  # cut off or damaged: its loader says what is wrong
    if found is not None:
        raise _refusal(data, found, suffix)
    if suffix in UNREAD:
        raise _unread(suffix)
    if named in _BINARY and not suffix.startswith("fod"):  # flat OpenDocument is one XML file
        return _text_under_a_wrong_name(data, named, suffix)
    return Detected(named or "text")


def _by_bytes(data: bytes) -> str | None:
    """Return what the bytes are beyond doubt: a type, `zip`, `ole`, `image` ..., or None where they could be text."""
    magic = next((kind for start, kind in _MAGIC if data.startswith(start)), None)
    if magic == "zip":
        return _container(data)
    if magic == "ole":
        return compound_type(data) or "ole"
    if (
        magic is None
        and b"%PDF-" in data[:1024]
        and (data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"%PDF-") or b"\x00" in data[:4096])
    ):
        return "pdf"
    return magic


def _container(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = set(package.namelist())
            if "mimetype" in names:
                with package.open("mimetype") as stream:
                    said = stream.read(100).strip().removesuffix(b"-template")
                if said in _MIMETYPES:
                    return _MIMETYPES[said]
    except (zipfile.BadZipFile, zlib.error, ValueError, OverflowError, RuntimeError, EOFError, OSError):
        return "zip"
    return next((kind for part, kind in _PARTS if part in names), "zip")


def _text_under_a_wrong_name(data: bytes, named: str, suffix: str) -> Detected:
    """An error page saved as .pdf is a web page; anything else that is no text is a damaged file of the type that it claims."""
    from yinju.load.encoding import decode

    if named == "xls" and is_bare_workbook(data):
        return Detected(named)
    damaged = DocumentError(
        say("not a {kind} file, or its beginning is lost", "不是 {kind} 文件，或开头已丢失", kind=named),
        say("get the file again from where it came", "请重新获取该文件"),
        code="damaged",
    )
    try:
        text = decode(data).text
    except DocumentError:
        raise damaged from None
    if "\x00" in text or "\ufffd" in text[:2000]:
        raise damaged
    kind = disguised(text) or "text"
    if kind == "eml" and _is_web_archive(data):
        kind = "mhtml"
    return Detected(kind, (f"type-mismatch: {'xml' if kind == named else kind} named .{suffix}",))


def _is_web_archive(data: bytes) -> bool:
    """Say whether these bytes are a page saved with its parts rather than a mail: nobody is written to."""
    head = data[:4096].lower()
    saved = b"mime-version:" in head or b"snapshot-content-location:" in head
    return saved and b"multipart/related" in head and b"\nto:" not in head


def _refusal(data: bytes, found: str, suffix: str) -> DocumentError:
    if found == "encrypted":
        return DocumentError(
            say("the file is protected by a password", "文件有密码保护"),
            say("save a copy without the password", "请另存一份不带密码的副本"),
            code="encrypted",
        )
    if found == "ole" and (legacy := _legacy(suffix)) is not None:
        return legacy
    if found == "xlsb":
        return DocumentError(
            say("a binary workbook (.xlsb)", "二进制工作簿（.xlsb）"),
            say("open it in Excel or LibreOffice and save it as XLSX", "请用 Excel 或 LibreOffice 打开，另存为 XLSX"),
            code="unknown-type",
        )
    if found in ("ole", "zip") and suffix in UNREAD:
        return _unread(suffix)
    if suffix in SUFFIXES:
        return DocumentError(
            say("the bytes are no text ({found})", "内容不是文本（{found}）", found=found),
            say("rename it, or name it in .yinjuignore", "请改名，或写入 .yinjuignore"),
            code="binary",
        )
    return DocumentError(
        say("no document that can be read ({found})", "不是可读取的文档（{found}）", found=found),
        say("unpack or convert it, or name it in .yinjuignore", "请解压或转换，或写入 .yinjuignore"),
        code="unknown-type",
    )


def _legacy(suffix: str) -> DocumentError | None:
    """Return what to say of a container of the old Office in which no document can be found; None where the name promises none."""
    if suffix == "msg":
        return DocumentError(
            say("a damaged message of Outlook", "Outlook 邮件文件，已损坏"),
            say("save it again in Outlook, or as .eml", "请在 Outlook 中重新保存，或另存为 .eml"),
            code="damaged",
        )
    if suffix not in _LEGACY:
        return None
    program, modern = _LEGACY[suffix]
    return DocumentError(
        say("a damaged file of {program} 97-2003", "{program} 97-2003 的文件，已损坏", program=program),
        say(
            "open it in {program} or LibreOffice and save it as {modern}",
            "请用 {program} 或 LibreOffice 打开，另存为 {modern}",
            program=program,
            modern=modern,
        ),
        code="damaged",
    )


def _unread(suffix: str) -> DocumentError:
    return DocumentError(
        say(".{suffix} files cannot be read yet", "暂不支持 .{suffix} 文件", suffix=suffix),
        say("save it as DOCX, XLSX, PDF or Markdown", "请另存为 DOCX、XLSX、PDF 或 Markdown"),
        code="unknown-type",
    )
