"""Plain text: the file itself. Headings only where the text leaves no doubt, since a wrong heading stands above every passage below it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from yinju.errors import DocumentError
from yinju.load.clean import clean
from yinju.load.detect import suffix_of
from yinju.load.encoding import decode
from yinju.load.parsed import Limits, Parsed
from yinju.messages import say
from yinju.types import Mark, Span

LONGEST_HEADING = 60  # characters
_NUMERAL = "[一二三四五六七八九十百千零〇两0-9０-９]{1,7}"
_PARTS = (
    (re.compile(rf"[ \t\u3000]*第{_NUMERAL}[编部卷](?:[ \t\u3000：:]+\S.*)?$"), 1),
    (re.compile(rf"[ \t\u3000]*第{_NUMERAL}[章回](?:[ \t\u3000：:]*\S.*)?$"), 2),
    (re.compile(rf"[ \t\u3000]*第{_NUMERAL}节(?:[ \t\u3000：:]*\S.*)?$"), 3),
    (re.compile(r"(?:PART|Part|BOOK|Book) (?:[0-9]{1,3}|[IVXLC]{1,7}|One|Two|Three|Four|Five)(?:[.:—–-]? .*)?$"), 1),
    (re.compile(r"(?:CHAPTER|Chapter|APPENDIX|Appendix) (?:[0-9]{1,3}|[IVXLC]{1,7}|[A-Z])(?:[.:—–-]? .*)?$"), 2),
    (re.compile(r"(?:SECTION|Section) [0-9]{1,3}(?:\.[0-9]{1,3})*(?:[.:—–-]? .*)?$"), 3),
)
_NUMBERED = re.compile(r"([0-9]{1,2}(?:\.[0-9]{1,2}){1,4})\.?[ \t\u3000]+(?=\S)")
# A sentence that merely begins with a chapter's name, and a line of a table of contents.
_NO_HEADING = re.compile(
    rf"[ \t\u3000]*第{_NUMERAL}[章回节][^ \t\u3000：:](?:.{{18,}}|.*[，；])|.*(?:\.{{4,}}|…{{2,}}|·{{4,}})[ \t]*\S{{0,6}}$"
)
_ENDS_A_SENTENCE = tuple("。！？；，、.!?;,:：…")
_UNDERLINE = re.compile(r"([=\-~^*+#])\1{3,}[ \t]*$")
_UNSAFE_XML = re.compile(r"<!ENTITY|<!DOCTYPE[^<>\[]*\sSYSTEM\s", re.IGNORECASE)


def load_text(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return the decoded file with its headings, where it has any beyond doubt. Raises DocumentError."""
    return plain(data, source, headings=True)


def plain(data: bytes, source: str, *, headings: bool = False, preset: str | None = None) -> Parsed:
    """Return the decoded file itself. Raises DocumentError with code `unsafe-xml` for XML that asks for entities or outside parts."""
    decoded = decode(data)
    cleaned = clean(decoded.text)
    if suffix_of(source) in ("xml", "xsd", "xsl") and _UNSAFE_XML.search(cleaned.text[:10_000]):
        raise DocumentError(
            say("the XML declares entities or points to outside parts", "XML 声明了实体或引用了外部内容"),
            say("remove its DOCTYPE", "请删除其中的 DOCTYPE"),
            code="unsafe-xml",
        )
    marks = tuple(find_headings(cleaned.text)) if headings else ()
    return Parsed(
        text=cleaned.text,
        marks=marks,
        anchors=((0, 1),),
        title=_title(cleaned.text, marks),
        metadata={"encoding": decoded.encoding},
        dropped=cleaned.dropped,
        warnings=decoded.warnings + cleaned.warnings,
        preset=preset,
    )


def find_headings(text: str) -> Iterator[Mark]:
    """Yield the headings of a plain text: chapters by name, decimal numbers between blank lines, underlined titles."""
    levels: dict[str, int] = {}  # an underline's level is the order in which its character first came
    before, offset, lines = "", 0, text.split("\n")
    for number, line in enumerate(lines):
        named = 0
        if len(line) <= 2 * LONGEST_HEADING and _is_title(line):
            named = _named_level(line)
            if not before.strip():
                after = lines[number + 1] if number + 1 < len(lines) else ""
                shown = " ".join(line.split())
                underline = _UNDERLINE.match(after)
                if underline and len(after.strip()) >= len(line.strip()):
                    level = levels.setdefault(underline.group(1), len(levels) + 1)
                    yield Mark("heading", Span(offset, offset + len(line) + 1 + len(after.rstrip())), level, shown)
                elif level := named or _numbered_level(line, after):
                    yield Mark("heading", Span(offset, offset + len(line.rstrip())), level, shown)
        before = "" if named else line
        offset += len(line) + 1


def _title(text: str, marks: tuple[Mark, ...]) -> str | None:
    """Return the first line of a text with headings, if it is one of level 1 or stands alone above the first of them."""
    if not marks:
        return None
    start = len(text) - len(text.lstrip())
    if marks[0].span.start <= start:
        return marks[0].label if marks[0].level == 1 else None
    first, _, rest = text[start:].partition("\n")
    alone = not rest.partition("\n")[0].strip()
    return " ".join(first.split()) if alone and _is_title(first) else None


def _is_title(line: str) -> bool:
    shown = line.strip()
    return (
        0 < len(shown) <= LONGEST_HEADING
        and not shown.endswith(_ENDS_A_SENTENCE)
        and "\t" not in shown
        and not _UNDERLINE.match(line)
    )


def _named_level(line: str) -> int:
    if _NO_HEADING.match(line):
        return 0
    return next((level for pattern, level in _PARTS if pattern.match(line)), 0)


def _numbered_level(line: str, after: str) -> int:
    match = _NUMBERED.match(line)
    return 0 if match is None or after.strip() else 2 + match.group(1).count(".")
