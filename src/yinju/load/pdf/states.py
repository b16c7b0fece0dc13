"""What is said of a PDF's pages: which have text, which are only pictures or garbled, and what a person can do about it."""

from __future__ import annotations

from collections.abc import Sequence

from yinju.errors import DocumentError
from yinju.load.office.package import damaged
from yinju.load.pdf.page import PageText
from yinju.load.pdf.pages import Pages
from yinju.messages import say

_DOUBTFUL = 0.6  # confidence of OCR below which its text should be looked at
_MOST_RUNS = 20
_STATES = ("text", "ocr", "blank", "scanned", "garbled", "unreadable")


def states(pages: Sequence[PageText]) -> dict[str, str]:
    """Return the page numbers by state, as people write them."""
    found = {state: [page.number for page in pages if page.state == state] for state in _STATES}
    return {state: page_list(numbers, len(pages)) for state, numbers in found.items() if numbers}


def page_warnings(pages: Sequence[PageText], whole: bool) -> tuple[str, ...]:
    """Return what a reader of the receipt should know of the pages; `whole` is false where the file's end is missing."""
    named = {
        "pages-without-text": [page.number for page in pages if page.state == "scanned"],
        "garbled-pages": [page.number for page in pages if page.state == "garbled"],
        "implausible-text": [page.number for page in pages if page.doubtful],
        "ocr-pages": [page.number for page in pages if page.state == "ocr"],
        "ocr-doubtful": [page.number for page in pages if page.state == "ocr" and page.confidence < _DOUBTFUL],
        "unreadable-pages": [page.number for page in pages if page.state == "unreadable"],
    }
    warnings = tuple(f"{code}: {page_list(numbers)}" for code, numbers in named.items() if numbers)
    if whole:
        return warnings
    readable = [page.number for page in pages if page.lines or page.state == "text"]
    return (f"truncated: only pages {page_list(readable)} can be read", *warnings)


def judge(pages: Sequence[PageText], reader: Pages) -> None:
    """Raise DocumentError where no page has text that is worth anything: damaged or no-text."""
    if any(page.lines or page.notes for page in pages):
        return
    count = len(pages)
    found = {page.state for page in pages}
    if "unreadable" in found and not found & {"scanned", "garbled"}:
        raise damaged(say("no page can be read", "没有一页可以读取"))
    again = _advice(reader)
    if found & {"scanned"} and "garbled" not in found:
        raise DocumentError(
            say("{count} page{s} scanned", "{count} 页疑似扫描件", count=count, s=" looks" if count == 1 else "s look"),
            again,
            code="no-text",
        )
    if "garbled" in found:
        raise DocumentError(
            say("the characters have no readable codes", "字符编码缺失，文字无法读取"),
            say("print it to a new PDF, or: {again}", "请重新打印成 PDF，或者：{again}", again=again),
            code="no-text",
        )
    raise DocumentError(
        say("nothing stands on its {count} pages", "共 {count} 页，页面上没有任何内容", count=count),
        say(
            "if you see text when you open it, print it to a new PDF or run it through OCR",
            "如果打开后能看到文字，请重新打印成 PDF，或先做文字识别（OCR）",
        ),
        code="no-text",
    )


def _advice(reader: Pages) -> str:
    if reader.has_reader:
        return say("the OCR found no text; look at the file", "文字识别没有找到文字，请查看该文件")
    return say(
        'install the OCR (pip install "yinju[ocr]") and sync again',
        '请安装文字识别（pip install "yinju[ocr]"）后重新同步',
    )


def page_list(numbers: Sequence[int], most: int = _MOST_RUNS) -> str:
    """Return page numbers as people write them: `1-3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:most]]
    return ", ".join(shown) + (" ..." if len(runs) > most else "")
