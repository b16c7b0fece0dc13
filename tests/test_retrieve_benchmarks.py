"""The benchmarks' own code: one library of many sets, the table of floors, questions that need pictures."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from benchmarks import mixed, plot, retrieval, sets, tables

from yinju import Document, Library
from yinju.errors import ModelError
from yinju.testing import FakeEmbedder


def write_set(folder, name, language, texts, *, kind=""):
    place = folder / name
    place.mkdir()
    rows = [{"id": f"d{number}", "title": "", "text": text, "lang": language} for number, text in enumerate(texts)]
    asked = [{"id": f"q{number}", "text": text, "lang": language, "type": kind} for number, text in enumerate(texts)]
    for file, values in (("corpus", rows), ("queries", asked)):
        lines = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
        (place / f"{file}.jsonl").write_text(lines, encoding="utf-8")
    judged = "".join(f"q{number}\td{number}\t1\n" for number in range(len(texts)))
    (place / "qrels.tsv").write_text("query_id\tdoc_id\trelevance\n" + judged, encoding="utf-8")


@pytest.fixture
def bench(tmp_path):
    write_set(tmp_path, "one-zh", "zh", ["年费方案每年多少元", "保修期是六个月"])
    write_set(tmp_path, "two-en", "en", ["the annual plan", "the pump needs oil"])
    return tmp_path


@pytest.fixture
def with_fake_model(monkeypatch):
    real = Library.open
    monkeypatch.setattr(Library, "open", lambda folder=None: real(folder, embedder=FakeEmbedder()))


def test_all_sets_in_one_library_with_vectors_taken_from_their_own(
    bench, tmp_path, with_fake_model, monkeypatch, capsys
):
    monkeypatch.setattr(sets, "RUNS", tmp_path / "runs")
    retrieval.filled("one-zh", bench).close()
    (tmp_path / "runs" / "libraries" / "mixed").mkdir(parents=True)
    with Library.open(tmp_path / "runs" / "libraries" / "mixed") as library:
        library.add([Document.from_text("保修期是六个月", source="old-zh/d7.txt")])  # kept from another choice of sets
    with mixed.filled(["one-zh", "two-en"], bench, tmp_path / "runs" / "libraries") as library:
        assert len(library.sources()) == 4
        assert "4 passages" in (said := capsys.readouterr().err)
        assert (
            "1 vectors of the sets' libraries, 2 embedded" in said
        )  # that of 保修期 stayed, for an undo of its removal
        held = mixed.holders(["one-zh", "two-en"], bench)
        for name in ("one-zh", "two-en"):
            (task,) = (mixed.among_others(one, held) for one in sets.tasks(name, bench))
            records = retrieval.run(library, task, "hybrid")
            assert [record["ndcg@10"] for record in records] == [1.0, 1.0]
            assert records[0]["ranked"][0] == f"{name}/d0"


def test_a_text_that_two_sets_hold_is_one_passage(bench):
    write_set(bench, "three-zh", "zh", ["保修期是六个月"])
    held = mixed.holders(["one-zh", "three-zh"], bench)
    assert held["three-zh/d0"] == held["one-zh/d1"] == "one-zh/d1"
    (task,) = (mixed.among_others(one, held) for one in sets.tasks("three-zh", bench))
    assert task.questions[0].relevant == {"one-zh/d1": 1.0}
    del held["three-zh/d0"]  # a passage without text is held by nobody
    (task,) = (mixed.among_others(one, held) for one in sets.tasks("three-zh", bench))
    assert task.questions[0].relevant == {"three-zh/d0": 1.0}


def test_questions_about_pictures_are_left_out(tmp_path):
    write_set(tmp_path, "seen", "en", ["what is on the picture"], kind=sets.NEEDS_PICTURES)
    assert sets.tasks("seen", tmp_path)[0].questions == ()
    assert len(sets.questions("seen", tmp_path)) == 1


@pytest.mark.parametrize(
    ("task", "code"),
    [("xquad-zh", "zh"), ("cmrc2018-dev", "zh"), ("clapnq-dev", "en"), ("xquad-cross.zh2en", "2"), ("deep-rag", "en")],
)
def test_the_language_of_a_set(task, code):
    assert tables.language(task) == code


def test_a_figure_below_its_floor_is_marked(tmp_path):
    for folder, task, value in (("a", "xquad-zh", 0.5), ("a", "cranfield", 0.9), ("a-mixed", "xquad-zh", 0.99)):
        retrieval.keep(tmp_path / folder, task, "hybrid", [{"ndcg@10": value}] * 3)
    found = {line.split(" | ")[0].strip("| "): line for line in tables.floors(tmp_path, "a")}
    assert "0.500 [0.500, 0.500] **below**" in found["xquad-zh"]
    assert found["xquad-zh"].count("below") == 1
    assert "below" not in found["cranfield"]
    assert "English (1)" in found
    assert not any("hard" in line for line in found)
    assert "rerank" not in found["xquad-zh"]


def test_the_picture_shows_what_was_kept(tmp_path):
    for folder, mode, value in (("a", "hybrid", 0.5), ("a", "dense", 0.25), ("a-mixed", "hybrid", 0.75)):
        retrieval.keep(tmp_path / folder, "xquad-zh", mode, [{"ndcg@10": value}] * 3)
    plot.draw(tmp_path, "a", tmp_path / "plot.svg")
    root = ElementTree.parse(tmp_path / "plot.svg").getroot()
    texts = [element.text for element in root.iter() if element.text]
    assert {"xquad-zh", "0.500", "vectors", "hybrid, all sets in one library"} <= set(texts)
    assert "words" not in texts  # not measured
    width = plot.WIDTH - plot.LEFT - plot.RIGHT
    marks = [element.get("transform", "") for element in root.iter()]
    assert any(mark.startswith(f"translate({plot.LEFT + 0.25 * width:.1f} ") for mark in marks)


def test_a_reranker_gives_a_column_of_its_own_and_may_not_fail(bench, tmp_path, with_fake_model, monkeypatch):
    monkeypatch.setattr(sets, "RUNS", tmp_path / "runs")

    class Backwards:
        fingerprint = "backwards"

        def score(self, query, texts):
            if query == "保修期是六个月":
                raise ModelError("out of order")
            return [float(number) for number in range(len(texts))]

    (task,) = sets.tasks("one-zh", bench)
    with retrieval.filled("one-zh", bench) as library:
        one = replace(task, questions=task.questions[:1])
        (record,) = retrieval.run(library, one, retrieval.RERANK, reranker=Backwards())
        assert record["ranked"] == ["d1", "d0"]
        retrieval.keep(tmp_path / "runs" / "a", "xquad-zh", "rerank", [record])
        assert tables.floors(tmp_path / "runs", "a")[0].count("hybrid + rerank") == 1
        with pytest.raises(ModelError, match="out of order"):
            retrieval.run(library, task, retrieval.RERANK, reranker=Backwards())
