"""Real PDFs: the evidence of questions about company filings is on the page that we say, and insurance terms load completely."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from yinju.load.loading import load

BENCH = Path(__file__).resolve().parent.parent.parent / "shared" / "bench"
FILINGS, INSURANCE = BENCH / "pdf-financebench", BENCH / "pdf-insurance-zh"
_WORD = re.compile(r"[a-z]+|\d[\d.,]*")
ENOUGH = 0.95  # of the words of an evidence on its page, and of the evidences

pytestmark = [pytest.mark.bench, pytest.mark.skipif(not BENCH.exists(), reason="no public sets beside the checkout")]


@pytest.fixture(autouse=True)
def without_ocr(monkeypatch):
    monkeypatch.setattr("yinju.load.ocr.page_reader", lambda limits: None)


def words(text: str) -> Counter[str]:
    """The words of a text; hyphens, signs and where a line ends do not count."""
    return Counter(word.rstrip(".,") for word in _WORD.findall(re.sub(r"-\s*\n?\s*", "", text.lower())))


def pages(path: Path) -> dict[int, str]:
    """The text by page number; what goes on over a page's end belongs to the page on which it begins, so a page has its neighbour's seam."""
    document = load(path.read_bytes(), path.name).document
    return {mark.level: mark.span.of(document.text) for mark in document.marks if mark.kind == "page"}


def evidences() -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    with (FILINGS / "questions.jsonl").open(encoding="utf-8") as stream:
        for line in stream:
            for evidence in json.loads(line)["evidence"]:
                found[evidence["doc_name"]].append((evidence["page"] + 1, evidence["text"]))
    return found


@pytest.mark.slow
def test_evidence_is_on_its_page():
    missing, total = [], 0
    for name, wanted in evidences().items():
        path = FILINGS / "pdfs" / f"{name}.pdf"
        if not path.exists():
            continue
        texts = pages(path)
        for page, evidence in wanted:
            total += 1
            needed, have = words(evidence), words(texts.get(page, ""))
            share = sum((needed & have).values()) / max(sum(needed.values()), 1)
            if share < ENOUGH:
                missing.append((name, page, round(share, 3)))
    print(f"{total - len(missing)} of {total} evidences on their page; missing: {missing}")
    assert total > 50
    assert len(missing) <= (1 - ENOUGH) * total, missing


@pytest.mark.slow
@pytest.mark.parametrize("folder", [FILINGS, INSURANCE], ids=lambda folder: folder.name)
def test_real_files_load_and_balance(folder):
    for path in sorted((folder / "pdfs").glob("*.pdf")):
        loaded = load(path.read_bytes(), path.name)  # raises where the receipt does not balance
        assert loaded.document.text, path.name
        assert loaded.receipt.page_states, path.name
