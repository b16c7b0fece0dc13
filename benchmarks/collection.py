"""Thirty questions about whole collections, with the answers counted by hand: `python -m benchmarks.collection`.

Two libraries, both read without OCR: the help centre of the examples (27 files) and the public set `files-mixed` (45 documents, of which
one needs a password and four are scans; a picture is no document). A question is right where the number, the denominator, the files
that could not be read and the files that are named are exactly those expected, each find is cited, and each citation is word for word in
its document. Ten ordinary questions ("how many days ...") must not be taken for questions about the collection.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import sets
from yinju import Answer, Library
from yinju.answer.collecting import recognise
from yinju.caring import LibraryOptions
from yinju.retrieve.scan import scan
from yinju.store import Store
from yinju.tally import Tally

EXAMPLES, MIXED = "help-centre", "files-mixed"


@dataclass(frozen=True, slots=True)
class Expected:
    """`among`: files, or for rows the rows of the tables that are meant. `sources`: the files with finds, None: too many to name."""

    library: str
    question: str
    found: int
    among: int
    sources: tuple[str, ...] | None = None
    unread: int = 0


def _both(*names: str) -> tuple[str, ...]:
    return tuple(sorted(f"{language}/{name}.md" for language in ("en", "zh") for name in names))


ZH_LANGUAGES, SPARE = ("zh/languages.md",), ("files/price-list.xlsx",)
QUESTIONS = (
    Expected(EXAMPLES, "How many documents mention"
        " USB-C?", 4, 27, ("en/troubleshooting.md", "files/price-list.xlsx", "files/quick-start.pdf", "zh/troubleshooting.md")),
    Expected(EXAMPLES, "哪些文件提到了退款？", 4, 27, ("files/reseller-returns.docx", "zh/invoices.md", "zh/refunds.md", "zh/service-points.md")),
    Expected(EXAMPLES, "List all files that mention AES-256", 4, 27, _both("export", "privacy")),
    Expected(EXAMPLES, "有多少个文档提到固件？", 4, 27, ("files/quick-start.pdf", "zh/firmware.md", "zh/pairing.md", "zh/troubleshooting.md")),
    Expected(EXAMPLES, "Which documents mention both passwords and Bluetooth?", 2, 27, ("en/pairing.md", "en/troubleshooting.md")),
    Expected(EXAMPLES, "提到时区或者发票的文件有哪些？", 3, 27, ("zh/firmware.md", "zh/invoices.md", "zh/troubleshooting.md")),
    Expected(EXAMPLES, "In how many files does “roostctl” appear?", 4, 27, _both("export", "firmware")),
    Expected(EXAMPLES, "How many documents are there in total?", 27, 27),
    Expected(EXAMPLES, "Which documents were updated before 2026?", 3, 27, ("en/warranty.md", "files/quick-start.pdf", "zh/warranty.md")),
    Expected(EXAMPLES, "2026年2月更新的文件有几个？", 4, 27, _both("privacy", "refunds")),
    Expected(EXAMPLES, "Which documents have the audience developer?", 1, 27, ("en/api.md",)),
    Expected(EXAMPLES, "作者是固件组的文件有哪些？", 1, 27, ("zh/firmware.md",)),
    Expected(EXAMPLES, "Which files contain a table?", 13, 27),
    Expected(EXAMPLES, "How many languages work offline?", 3, 9, ("en/languages.md",)),
    Expected(EXAMPLES, "有多少个服务点能当场换屏？", 3, 5, ("zh/service-points.md",)),
    Expected(EXAMPLES, "周一休息的服务点有哪些？", 2, 5, ("zh/service-points.md",)),
    Expected(EXAMPLES, "How many spare parts have a stock below 100?", 3, 7, SPARE),
    Expected(EXAMPLES, "列出设备上的错误代码", 6, 6, ("zh/pairing.md",)),
    Expected(EXAMPLES, "“学生证”一共出现了多少次？", 3, 27, ("zh/plans.md",)),
    Expected(MIXED, "How many files are there?", 45, 45, unread=5),
    Expected(MIXED, "有多少个 PDF 文件？", 15, 45, unread=5),
    Expected(MIXED, "哪些文件无法读取？", 5, 45, ("en-password.pdf", "en-scan-one-line.pdf", "en-scan-upside-down.pdf",
             "zh-scanned-2p.pdf", "zh-scanned-8p.pdf"), 5),
    Expected(MIXED, "List all Word documents", 7, 45, ("en-docx-comments.docx", "en-docx-lists-in-cells.docx",
             "en-docx-lists.docx", "en-legacy.doc", "zh-docx-everything.docx",
                                                  "zh-docx-list-and-table.docx", "zh-docx-sections-headers.docx"), 5),
    Expected(MIXED, "哪些 Excel 文件提到“字符串”？", 1, 45, ("zh-xlsx-formulas-dates.xlsx",), 5),
    Expected(MIXED, "Which documents were created in"
        " 2026?", 7, 45, ("en-legacy.doc", "en-odt.odt", "en-outline-bookmarks.pdf", "en-outlook.msg", "zh-docx-everything.docx",
                                                                 "zh-docx-sections-headers.docx", "zh-pptx-tables-notes.pptx"), 5),
    Expected(MIXED, "How many times is SKU-4563 mentioned?", 4, 45, ("en-borderless-table.pdf",), 5),
    Expected(MIXED, "How many rows in en-borderless-table.pdf have the category Electronics?", 3, 10, ("en-borderless-table.pdf",)),
    Expected(MIXED, "zh-xlsx-issue-list.xlsx 里有多少行数据？", 172, 172),
    Expected(MIXED, "zh-xlsx-formulas-dates.xlsx 中数字标题大于 8 的有多少行？", 4, 20, ("zh-xlsx-formulas-dates.xlsx",)),
    Expected(MIXED, "List all sections of en-outline-bookmarks.pdf", 8, 1, ("en-outline-bookmarks.pdf",)),
)  # fmt: skip
ORDINARY = (
    "How many days do I have to return a device?", "How many minutes does the annual plan include?", "How many people can share the family plan?",
    "Which plan is the cheapest?", "What documents do I need for a refund?", "退货要多少天？", "家庭方案最多几个人用？", "一年要付多少钱？",
    "需要哪些文件才能开发票？", "密码输错几次会锁定？",
)  # fmt: skip


def libraries(folder: Path | None) -> dict[str, Library]:
    """Return both libraries, in memory without a folder; the public set is left out where it is absent."""
    paths = {EXAMPLES: sets.EXAMPLES, MIXED: sets.BENCH / MIXED / "files"}
    made: dict[str, Library] = {}
    for name, path in paths.items():
        if not path.is_dir():
            print(f"{name}: not there")
            continue
        library = Library(Store.open(folder / name if folder else None), options=LibraryOptions(ocr=False))
        library.sync(path, embed=False)
        made[name] = library
    return made


def found_in(library: Library, question: str) -> Tally | None:
    wanted = recognise(question)
    return None if wanted is None else scan(library.store, wanted, {})


def faults(library: Library, expected: Expected) -> Iterator[str]:
    """Yield what is not as expected."""
    tally = found_in(library, expected.question)
    if tally is None:
        yield "not answered by a scan"
        return
    found = tally.times if tally.wanted.kind == "mentions" else tally.found
    among = tally.among if tally.wanted.kind == "rows" else tally.files
    for name, own, wanted in (
        ("found", found, expected.found),
        ("among", among, expected.among),
        ("unread", tally.unread, expected.unread),
    ):
        if own != wanted:
            yield f"{name} {own}, not {wanted}"
    sources = tuple(sorted({row.source for row in tally.rows}))
    if expected.sources is not None and sources != tuple(sorted(expected.sources)):
        yield f"in {', '.join(sources)}"
    answer = library.ask(expected.question)
    yield from _unproved(library, answer, tally)


def _unproved(library: Library, answer: Answer, tally: Tally) -> Iterator[str]:
    if answer.refused or answer.model != "scan" or str(tally.found) not in answer.text:
        yield "the answer does not say the number"
    if len(answer.citations) != sum(row.hit is not None for row in tally.rows):
        yield "a find is not cited"
    for citation in answer.citations:
        if citation.span.of(library.document(citation.source).text) != citation.quote or citation.status != "verified":
            yield f"{citation.source} {citation.span} is not what it says"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="keep the libraries here")
    made = libraries(parser.parse_args().folder)
    right = asked = 0
    slowest = 0.0
    for expected in QUESTIONS:
        if expected.library not in made:
            continue
        start = time.perf_counter()
        wrong = list(faults(made[expected.library], expected))
        slowest = max(slowest, time.perf_counter() - start)
        asked, right = asked + 1, right + (not wrong)
        print(f"{'ok  ' if not wrong else 'NOT '} {expected.library:12} {expected.question}  {'; '.join(wrong)}")
    left = [question for question in ORDINARY if EXAMPLES in made and found_in(made[EXAMPLES], question) is None]
    print(
        f"{right} of {asked} exact, {len(left)} of {len(ORDINARY)} ordinary questions left alone, slowest {slowest:.2f} s (scanned twice)"
    )


if __name__ == "__main__":
    main()
