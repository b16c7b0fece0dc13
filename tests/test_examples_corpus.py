"""The example corpus is what it says: twins line by line, answers on their lines, files made the same each time."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
CENTRE = ROOT / "examples" / "help-centre"
ZH_ONLY = {"invoices.md", "service-points.md"}
EN_ONLY = {"api.md", "travel.md"}
TWINS = sorted(
    {path.name for path in (CENTRE / "zh").glob("*.md")} & {path.name for path in (CENTRE / "en").glob("*.md")}
)


def questions() -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (ROOT / "examples" / "questions.jsonl").read_text(encoding="utf-8").split("\n")
        if line
    ]


def shape(line: str) -> str:
    """What kind of line it is, with what must not differ between twins."""
    if line.startswith("|"):
        return f"row of {line.count('|') - 1}"
    found = re.match(r"(#+ |\d+\. |- |```\w*|---|updated: .*|audience: .*)", line)
    return found.group(1) if found else ("text" if line.strip() else "")


def test_languages_hold_the_pages_they_should() -> None:
    assert len(TWINS) == 10
    assert {path.name for path in (CENTRE / "zh").glob("*.md")} == {*TWINS, *ZH_ONLY}
    assert {path.name for path in (CENTRE / "en").glob("*.md")} == {*TWINS, *EN_ONLY}


@pytest.mark.parametrize("name", TWINS)
def test_twins_have_the_same_structure_line_by_line(name: str) -> None:
    lines = {language: (CENTRE / language / name).read_text(encoding="utf-8").split("\n") for language in ("zh", "en")}
    structure = {
        language: [re.sub(r"^(title|author): .*", "text", shape(line)) for line in text]
        for language, text in lines.items()
    }
    assert structure["zh"] == structure["en"]


@pytest.mark.parametrize("name", TWINS)
def test_twins_state_the_same_codes_and_versions(name: str) -> None:
    found = {}
    for language in ("zh", "en"):
        text = (CENTRE / language / name).read_text(encoding="utf-8")
        found[language] = set(re.findall(r"E-\d+|v\d+(?:\.\d+)+|`[^`\n]+`|\d+(?:\.\d+)?(?= ?(?:GB|GHz|%|°C|Hz))", text))
    assert found["zh"] == found["en"]


def test_the_sample_of_the_readme_stands_on_its_lines() -> None:
    lines = (CENTRE / "zh" / "plans.md").read_text(encoding="utf-8").split("\n")
    assert lines[8].startswith("年费方案每年 168 元。")
    assert lines[20].startswith("在校生上传学生证后按七折结算。")
    assert [line for line in lines[:21] if line.startswith("#")] == ["# 订阅方案", "## 年费", "## 月费", "## 在校生"]


def test_questions_are_enough_and_of_every_kind() -> None:
    asked = questions()
    kinds = Counter(item["kind"] for item in asked)
    assert len({item["id"] for item in asked}) == len(asked) >= 60
    assert kinds["unanswerable"] >= 16
    assert set(kinds) == {
        "same-language", "cross-language", "table", "code", "pdf", "docx", "xlsx", "unanswerable",
    }  # fmt: skip
    assert min(Counter(item["lang"] for item in asked).values()) >= 30


def test_every_answer_stands_on_the_line_that_the_question_names() -> None:
    for item in questions():
        if not item["answerable"]:
            assert item["source"] is None
            assert item["answer"] == []
        elif item["line"] is not None:
            line = (CENTRE / item["source"]).read_text(encoding="utf-8").split("\n")[item["line"] - 1]
            assert any(answer in line for answer in item["answer"]), item["id"]


def test_cross_language_questions_are_answered_by_pages_without_a_twin() -> None:
    for item in questions():
        if item["kind"] == "cross-language":
            language, name = item["source"].split("/")
            assert language != item["lang"]
            assert name in ZH_ONLY | EN_ONLY


def office_text(name: str) -> str:
    path = CENTRE / "files" / name
    if name.endswith(".pdf"):
        import pypdfium2

        pdf = pypdfium2.PdfDocument(path)
        text = "\n".join(page.get_textpage().get_text_range() for page in pdf)
        pdf.close()
        return text
    if name.endswith(".docx"):
        import docx

        document = docx.Document(str(path))
        rows = ["\t".join(cell.text for cell in row.cells) for table in document.tables for row in table.rows]
        return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *rows])
    import openpyxl

    book = openpyxl.load_workbook(path)
    return "\n".join(
        "\t".join(str(cell).removesuffix(" 00:00:00") for cell in row) for sheet in book for row in sheet.values
    )


@pytest.mark.parametrize("name", ["quick-start.pdf", "reseller-returns.docx", "price-list.xlsx"])
def test_answers_stand_in_the_text_of_the_binary_files(name: str) -> None:
    text = re.sub(r"\s+", " ", office_text(name))
    asked = [item for item in questions() if item["source"] == f"files/{name}"]
    assert len(asked) >= 4
    for item in asked:
        assert any(answer in text for answer in item["answer"]), item["id"]


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_examples", ROOT / "scripts" / "make_examples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_office_files_are_made_byte_for_byte_the_same() -> None:
    make = maker()
    assert make.reseller_returns() == make.reseller_returns()
    assert make.price_list() == make.price_list()


def test_the_questions_are_not_part_of_the_documents() -> None:
    assert not list(CENTRE.rglob("*.jsonl"))
