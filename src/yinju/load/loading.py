"""One file's bytes to one document: find the type, load, count again by other code, and refuse what does not balance."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import replace

from yinju.errors import DocumentError
from yinju.load.builder import MOST_TEXT, too_much_text
from yinju.load.clean import clean
from yinju.load.detect import TEXT_TYPES, Detected, detect, type_by_name
from yinju.load.kinds import recognise
from yinju.load.parsed import DEFAULT_LIMITS, Limits, Loaded, Parsed, visible
from yinju.load.registry import counter_of, loader_of, parser_of
from yinju.messages import say
from yinju.types import Document, Mark, Receipt, Span


def load(data: bytes, source: str, *, limits: Limits = DEFAULT_LIMITS, modified_ns: int = 0) -> Loaded:
    """Return the file as a document with its receipt.

    Raises DocumentError with a hint and a code: empty, no-text, binary, unknown-type, damaged, encrypted, limit, too-deep, unsafe-xml,
    unbalanced.
    """
    if len(data) > limits.file_bytes:
        raise too_large(len(data), limits)
    try:
        return _loaded(data, source, detect(data, source), limits, modified_ns)
    except DocumentError as error:
        if error.code == "binary" and type_by_name(source) is None:  # its name promised nothing
            raise DocumentError(error.message, error.hint, code="unknown-type") from None
        raise


def load_document(document: Document, *, limits: Limits = DEFAULT_LIMITS) -> Loaded:
    """Return a document that was made by `Document.from_text` with its structure and receipt; one that has a type keeps its own.

    The text is taken as the content of a text file of the suffix of its source, else as Markdown. Title and metadata that were given win.
    Raises DocumentError as `load` does.
    """
    if document.type:
        return _as_given(document)
    data = clean(document.text).text.encode("utf-8")
    kind = type_by_name(document.source)
    if not data:
        raise _no_text(Parsed(text=""))
    loaded = _loaded(data, document.source, Detected(kind if kind in TEXT_TYPES else "markdown"), limits, 0)
    parsed = loaded.document
    metadata = {key: value for key, value in parsed.metadata.items() if key != "encoding"} | dict(document.metadata)
    language = document.language if document.language != "und" else parsed.language
    return replace(
        loaded, document=replace(parsed, title=document.title or parsed.title, metadata=metadata, language=language)
    )


def structure(document: Document) -> Document:
    """Return the document with its structure: see `load_document`."""
    return load_document(document).document


def too_large(size: int, limits: Limits) -> DocumentError:
    """Return the error for a file of this many bytes."""
    return DocumentError(
        say(
            "{size} MB, more than {limit} MB",
            "{size} MB，超过 {limit} MB",
            size=size >> 20,
            limit=limits.file_bytes >> 20,
        ),
        say("split it", "请拆分文件"),
        code="limit",
    )


def _loaded(data: bytes, source: str, detected: Detected, limits: Limits, modified_ns: int) -> Loaded:
    parsed = loader_of(detected.kind)(data, source, limits)
    if len(parsed.text) > MOST_TEXT:
        raise too_much_text()
    if not visible(parsed.text):
        raise _no_text(parsed)
    document = Document(
        text=parsed.text,
        source=source,
        title=parsed.title,
        type=detected.kind,
        language=_language(parsed.text),
        metadata=parsed.metadata,
        marks=sorted_marks(parsed.marks),
        anchors=parsed.anchors,
        preset=parsed.preset,
        boxes=parsed.boxes,
    )
    document = recognise(document)
    tables = [mark.span for mark in parsed.marks if mark.kind == "table"]
    receipt = Receipt(
        characters=visible(parsed.text),
        found=counter_of(detected.kind)(data),
        dropped=parsed.dropped,
        pages=parsed.pages,
        page_states=parsed.page_states,
        tables=len(tables),
        tables_without_header=len(tables) - len(_headed(tables, parsed.marks)),
        images=parsed.images,
        parser=parsed.parser or parser_of(detected.kind),
        warnings=detected.warnings + parsed.warnings,
    )
    _balance(receipt)
    return Loaded(document, receipt, _digest(data), len(data), modified_ns)


def _as_given(document: Document) -> Loaded:
    if not (characters := visible(document.text)):
        raise _no_text(Parsed(text=""))
    if document.language == "und":
        document = replace(document, language=_language(document.text))
    data = document.text.encode("utf-8", "surrogatepass")
    receipt = Receipt(characters=characters, found=characters)
    return Loaded(replace(document, marks=sorted_marks(document.marks)), receipt, _digest(data), len(data))


def sorted_marks(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """Return the marks by start, then by falling end; where both are equal in the order in which the loader gave them."""
    return tuple(sorted(marks, key=lambda mark: (mark.span.start, -mark.span.end)))


def _headed(tables: list[Span], marks: tuple[Mark, ...]) -> set[Span]:
    """Return the tables that have a header."""
    starts = sorted(tables)
    headers = (mark.span.start for mark in marks if mark.kind == "header")
    places = (bisect_right(starts, start, key=lambda span: span.start) - 1 for start in headers)
    return {starts[place] for place in places if place >= 0}


def _language(text: str) -> str:
    from yinju.text.language import detect as detect_language

    return detect_language(text)


def _digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _balance(receipt: Receipt) -> None:
    accounted = receipt.characters + sum(item.characters for item in receipt.dropped)
    if receipt.found != accounted:
        raise DocumentError(
            say(
                "{found} characters in the file, {accounted} accounted for",
                "文件中有 {found} 个字符，只说明了 {accounted} 个的去向",
                found=receipt.found,
                accounted=accounted,
            ),
            say("please report this file as a fault of Yinju", "这是引据的缺陷，请报告该文件"),
            code="unbalanced",
        )


def _no_text(parsed: Parsed) -> DocumentError:
    if any(item.what == "front matter" for item in parsed.dropped):
        return DocumentError(
            say("there is only front matter", "只有文件头元数据，没有正文"),
            say("nothing to do", "无需处理"),
            code="empty",
        )
    if parsed.pages:
        return DocumentError(
            say("{pages} pages look scanned", "{pages} 页看起来是扫描件", pages=parsed.pages),
            say("run it through OCR first", "请先做文字识别（OCR）"),
            code="no-text",
        )
    return DocumentError(
        say("there is no text in it", "没有可读的文字"), say("nothing to do", "无需处理"), code="no-text"
    )
