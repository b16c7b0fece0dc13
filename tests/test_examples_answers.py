"""The examples' questions, asked for real: in their own language, across languages, and those that nothing answers.

The questions are worded unlike the pages on purpose, and most of the unanswerable ones are near to what the pages say. The bounds lie a
little below what `python -m benchmarks.answers` measured (benchmarks/README.md), so that a change for the worse is noticed.
"""

import shutil

import pytest
from benchmarks.answers import ask_all, read_questions
from benchmarks.sets import EXAMPLES
from benchmarks.sets import QUESTIONS as QUESTIONS_FILE

from yinju import Library

pytestmark = pytest.mark.model
QUESTIONS = read_questions(QUESTIONS_FILE)
FAR = {
    "What is the boiling point of mercury?",
    "Who won the football world cup in 1998?",
    "明代的首都是哪一年迁到北京的？",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples") / "help-centre"
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns(".yinju"))
    with Library.open(folder / ".yinju") as opened:
        report = opened.sync(folder)
        assert report.skipped == 0
        assert all(file.receipt.balanced for file in report.files)
        yield opened


def share(records, name, among):
    chosen = [record for record in records if among(record)]
    return sum(bool(record[name]) for record in chosen) / len(chosen)


@pytest.mark.parametrize(("across", "cited", "refused"), [(False, 0.64, 0.70), (True, 0.68, 0.38)])
def test_questions_are_answered_with_proof_or_refused(library, across, cited, refused):
    records = ask_all(library, QUESTIONS, across)
    assert share(records, "cited", lambda record: record["answerable"]) >= cited
    assert share(records, "refused", lambda record: not record["answerable"]) >= refused
    assert all(record["unproved"] == 0 for record in records)
    if not across:
        assert all(record["refused"] for record in records if record["question"] in FAR)
