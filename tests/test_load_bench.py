"""The loaders over the public sets beside the checkout: every file loads with a balanced receipt, and says what the set's list says."""

from __future__ import annotations

import csv
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from yinju.errors import DocumentError
from yinju.load import Loaded, Pool, load
from yinju.types import SourceFile

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"
BENCH = SHARED / "bench"
WRITER = SHARED / "reliability" / "badinputs.py"
TEXT_FORMATS = (".md", ".txt", ".html")

pytestmark = [pytest.mark.bench, pytest.mark.slow]
needs_bench = pytest.mark.skipif(not BENCH.is_dir(), reason="the public sets are not beside the checkout")


def visible_files(root: Path) -> list[SourceFile]:
    found = [
        path for path in root.rglob("*.md") if not any(part.startswith(".") for part in path.relative_to(root).parts)
    ]
    return [SourceFile(path.relative_to(root).as_posix(), str(path), 0, 0) for path in sorted(found)]


@needs_bench
@pytest.mark.parametrize(("name", "count"), [("docs-tidb-zh", 1218), ("docs-gitlab-handbook", None)])
def test_every_page_loads_balanced(name: str, count: int | None) -> None:
    files = visible_files(BENCH / name)
    assert count in (None, len(files))
    with Pool(2) as pool:
        results = dict(pool.load_files(files))
    errors = {file.source: result.reason for file, result in results.items() if isinstance(result, DocumentError)}
    assert {reason.split(":")[0] for reason in errors.values()} <= {"empty", "no-text"}, errors
    assert len(errors) <= (0 if count else 1)  # one page of the handbook is front matter alone
    for loaded in results.values():
        if isinstance(loaded, Loaded):
            receipt = loaded.receipt
            assert receipt.found == receipt.characters + sum(item.characters for item in receipt.dropped)
            assert loaded.document.anchors


def folded(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


@needs_bench
def test_text_formats_of_the_mixed_set() -> None:
    with open(BENCH / "files-mixed" / "manifest.tsv", encoding="utf-8", newline="") as lines:
        rows = [
            row
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            if row["file"].endswith(TEXT_FORMATS)
        ]
    assert len(rows) > 8
    for row in rows:
        path = BENCH / "files-mixed" / row["file"]
        text = folded(load(path.read_bytes(), path.name).document.text)
        for wanted in filter(None, row["must_contain"].split(" || ")):
            assert folded(wanted) in text, path.name
        for unwanted in filter(None, row["must_not_contain"].split(" || ")):
            assert folded(unwanted) not in text, path.name


STATUS = {
    "01": "empty", "02": "no-text", "06": "damaged", "09": "binary", "22": "too-deep", "27": "limit", "29": "unknown-type",
    "30": "unknown-type", "32": "unknown-type", "33": "unsafe-xml", "35": "unsafe-xml", "45": "no-text", "55": "no-text", "63": "not-a-file",
    "64": "missing", "65": "not-a-file",
}  # fmt: skip
ANY = {"05", "39", "41", "42", "44", "48", "62", "67"}  # a document or an honest error, as the reader of the format can
WARNED = {
    "03": "type-mismatch",
    "17": "hidden-characters",
    "19": "hidden-characters",
    "24": "repeated-keys",
    "60": "front-matter",
}


@pytest.mark.skipif(not WRITER.is_file(), reason="the writer of bad inputs is not beside the checkout")
def test_bad_inputs_end_as_documents_or_reasons(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(WRITER), str(tmp_path)], check=True, capture_output=True)
    files = [SourceFile(path.name, str(path), 0, 0) for path in sorted(tmp_path.iterdir())]
    with Pool(2) as pool:
        results = {file.source[:2]: result for file, result in pool.load_files(files)}
    assert len(results) > 35
    for number, result in results.items():
        code = result.code if isinstance(result, DocumentError) else None
        assert code != "crashed", number
        assert code != "unbalanced", number
        if number not in ANY:
            assert code == STATUS.get(number), (number, result)
        if isinstance(result, DocumentError):
            assert result.hint, number
        elif number in WARNED:
            assert any(warning.startswith(WARNED[number]) for warning in result.receipt.warnings), number
