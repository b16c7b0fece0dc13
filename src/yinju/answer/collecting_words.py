"""Words that questions about a collection are made of, in both languages: file types, languages, dates, quotations, names of files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from yinju.tally import Dated, Sought

_TYPES = {
    "pdf": "pdf", "word": "docx doc", "docx": "docx", "doc": "doc", "excel": "xlsx xls", "xlsx": "xlsx", "xls": "xls",
    "spreadsheet": "xlsx xls ods", "workbook": "xlsx xls ods", "powerpoint": "pptx ppt", "ppt": "pptx ppt", "pptx": "pptx",
    "presentation": "pptx ppt odp", "html": "html mhtml", "web page": "html mhtml", "webpage": "html mhtml", "markdown": "markdown", "md": "markdown",
    "text": "text", "plain text": "text", "txt": "text", "csv": "csv", "json": "json", "epub": "epub", "e-book": "epub", "ebook": "epub",
    "email": "eml msg", "e-mail": "eml msg", "mail": "eml msg", "eml": "eml", "msg": "msg", "odt": "odt", "opendocument": "odt ods odp",
    "notebook": "notebook ipynb", "python": "python", "xml": "xml", "outlook": "msg",
    "电子表格": "xlsx xls ods", "表格": "xlsx xls ods csv", "幻灯片": "pptx ppt odp", "演示文稿": "pptx ppt odp", "网页": "html mhtml",
    "邮件": "eml msg",
    "电子邮件": "eml msg", "电子书": "epub", "纯文本": "text", "文本": "text",
}  # fmt: skip
TYPES = {name: tuple(types.split()) for name, types in _TYPES.items()}
LANGUAGES = {
    "english": "en", "chinese": "zh", "japanese": "ja", "arabic": "ar", "german": "de", "french": "fr", "spanish": "es", "korean": "ko",
    "portuguese": "pt", "russian": "ru", "italian": "it",
    "英文": "en", "英语": "en", "中文": "zh", "汉语": "zh", "日文": "ja", "日语": "ja", "阿拉伯文": "ar", "阿拉伯语": "ar", "德文": "de",
    "德语": "de", "法文": "fr", "法语": "fr",
    "西班牙文": "es", "西班牙语": "es", "韩文": "ko", "韩语": "ko", "俄文": "ru", "俄语": "ru",
}  # fmt: skip
_QUOTED = re.compile(
    r"“(?P<a>[^”]{1,200})”|\"(?P<b>[^\"]{1,200})\"|「(?P<c>[^」]{1,200})」|『(?P<d>[^』]{1,200})』|‘(?P<e>[^’]{1,200})’|`(?P<f>[^`]{1,200})`"
    r"|(?<!\w)'(?P<g>[^']{1,200})'(?!\w)|《(?P<h>[^》]{1,200})》"
)
_FILE = re.compile(
    r"(?<![\w/.-])(?P<name>[\w\-./\u4e00-\u9fff]{0,120}\.(?:md|markdown|pdf|docx?|xlsx?|pptx?|html?|txt|csv|tsv|json|ya?ml|xml|epub|eml"
    r"|msg|odt|ods|odp|ipynb|py|zip|jpe?g|png))(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:the|an?|any|some|word|words|term|terms|phrase|phrases|string|text|name|topic|expression|both|either|about|of|to)\s+)+(?=\S)",
    re.IGNORECASE,
)
_ZH_LEADING = re.compile(r"^(?:(?:关于|有关|了|过|到|词语|字样|关键词|单词|同时|这个词|“)+)")
_ZH_TRAILING = re.compile(
    r"(?:这个词|这几个字|这两个字|这三个字|这个字|一词|两词|字样|这个概念|的内容|的信息|相关内容|的字样|这个关键词|的)+$"
)
_MONTHS = {name: number for number, names in enumerate(
    ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july", "aug august", "sep sept september", "oct october",
     "nov november", "dec december"), 1) for name in names.split()}  # fmt: skip


def cleaned(text: str) -> str:
    """Return the text without white space and joining words at its ends."""
    text = " ".join(text.split()).strip(" ,，、。?？:：;")
    return re.sub(
        r"^(?:and|but|that|并且|而且|且)\s*(?=\W|$)|(?:\s+(?:and|but|that|which)|并且|而且)$",
        "",
        text,
        flags=re.IGNORECASE,
    ).strip(" ,，")


def quoted(text: str) -> Iterator[re.Match[str]]:
    """Yield the quotations of a question."""
    return _QUOTED.finditer(text)


def _inner(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group is not None).strip()


def sought(text: str) -> tuple[Sought, ...]:
    """Return what is looked for: the quotations, exactly; without any the text itself, cut at `and`, `or`, 和, 或."""
    exact = tuple(Sought(_inner(found), exact=True) for found in quoted(text) if _inner(found))
    if exact:
        return exact
    parts = re.split(
        r"\s+(?:and|or|and also|as well as)\s+|\s*[、，,]\s*(?:and |or )?|\s*(?:或者|或|以及|及|和|与)\s*",
        text,
        flags=re.IGNORECASE,
    )
    if any(len(part.strip()) == 1 and "\u4e00" <= part.strip() <= "\u9fff" for part in parts):  # 和平, 参与者: no joint
        parts = [text]
    bare = [_ZH_TRAILING.sub("", _ZH_LEADING.sub("", _LEADING.sub("", cleaned(part)))).strip() for part in parts]
    return tuple(Sought(part) for part in dict.fromkeys(bare) if re.search(r"\w", part))


def names_in(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text without the names of files in it, and the names."""
    names = tuple(found["name"] for found in _FILE.finditer(text))
    if not names:
        return text, ()
    bare = re.sub(
        rf"(?:(?:\b(?:in|of|from|does|do)|在|从)\s+)?(?:the (?:file|table) )?{_FILE.pattern}(?:里面|里|中|内)?",
        " ",
        text,
        flags=re.IGNORECASE,
    )
    return cleaned(bare), names


def date_range(how: str, date: str, end: str | None, *, changed: bool) -> Dated | None:
    """Return the range that `after`, `since`, `before`, `until`, `in`, `between` a date mean; None where it is no date."""
    first, last = iso(date), iso(end) if end else None
    if first is None or (first.startswith("--") and (end or how not in ("in", "on", "during"))):
        return None
    if last is not None and last.startswith("--"):  # 2026年3月到4月
        last = first[:4] + last[1:]
    if last is not None:
        return Dated(first, last, changed)
    if how in ("after", "than", "later than"):
        return Dated(first, "", changed, exclusive=True)
    if how in ("since", "from", "on or after"):
        return Dated(first, "", changed)
    if how in ("before", "earlier than"):
        return Dated("", first, changed, exclusive=True)
    if how in ("until", "till", "up to", "on or before"):
        return Dated("", first, changed)
    return Dated(first, first, changed)


def iso(text: str) -> str | None:
    """Return a date as the beginning of an ISO date: `2026`, `2026-05`, `2026-05-01`; None where it is none."""
    text = text.strip().casefold()
    if found := re.fullmatch(r"(\d{1,2})\s*月份?", text):
        return f"--{found[1].zfill(2)}" if 1 <= int(found[1]) <= 12 else None
    if found := re.fullmatch(r"(\d{4})\s*(?:[-/.年]\s*(\d{1,2})(?:\s*[-/.月]\s*(\d{1,2}))?)?\s*[年月日号]?", text):
        parts = [found[1], *(part.zfill(2) for part in found.groups()[1:] if part)]
        return (
            "-".join(parts)
            if all(1 <= int(part) <= limit for part, limit in zip(parts[1:], (12, 31), strict=False))
            else None
        )
    words = re.findall(r"[a-z]+|\d+", re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|\bof\b", "", text))
    month = next((_MONTHS[word] for word in words if word in _MONTHS), None)
    if month is not None and len(words) == 1:
        return f"--{month:02}"  # of any year
    numbers = [word for word in words if word.isdigit()]
    if month is None or not numbers or len(numbers[-1]) != 4 or len(words) != len(numbers) + 1:
        return None
    day = f"-{numbers[0].zfill(2)}" if len(numbers) == 2 and 1 <= int(numbers[0]) <= 31 else ""
    return f"{numbers[-1]}-{month:02}{day}"
