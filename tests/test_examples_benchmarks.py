"""The figures of benchmarks/: metrics with arithmetic by hand, readers of the public sets, judgement of answers."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parent.parent

from benchmarks import answers, loaders, retrieval, sets  # noqa: E402

from yinju.evaluate import metrics  # noqa: E402
from yinju.types import Answer, Citation, Hit, Span  # noqa: E402

BENCH = ROOT / ".." / "shared" / "bench"


# metrics


def test_ndcg_of_one_relevant_passage_is_its_discount() -> None:
    assert metrics.ndcg(["a", "b", "c"], {"a": 1}) == 1.0
    assert metrics.ndcg(["x", "y", "a"], {"a": 1}) == pytest.approx(1 / math.log2(4))  # 0.5
    assert metrics.ndcg(["x", "y"], {"a": 1}) == 0.0


def test_ndcg_weighs_grades_against_the_ideal_order() -> None:
    gain = 1 / math.log2(2) + 3 / math.log2(4)
    ideal = 3 / math.log2(2) + 1 / math.log2(3)
    assert metrics.ndcg(["low", "none", "high"], {"low": 1, "high": 3}) == pytest.approx(gain / ideal)


def test_ndcg_stops_at_k_on_both_sides() -> None:
    relevant = {f"p{n}": 1.0 for n in range(15)}
    assert metrics.ndcg([f"p{n}" for n in range(15)], relevant, 10) == pytest.approx(1.0)
    assert metrics.ndcg(["x", "p0"], relevant, 1) == 0.0


def test_recall_hit_and_reciprocal_rank() -> None:
    ranked, relevant = ["x", "a", "y", "b", "z", "c"], {"a": 1, "b": 1, "c": 1, "d": 1}
    assert metrics.recall(ranked, relevant, 1) == 0 / 4
    assert metrics.recall(ranked, relevant, 5) == 2 / 4
    assert metrics.recall(ranked, relevant, 10) == 3 / 4
    assert metrics.hit(ranked, relevant, 1) == 0.0
    assert metrics.hit(ranked, relevant, 2) == 1.0
    assert metrics.reciprocal_rank(ranked, relevant) == 1 / 2
    assert metrics.reciprocal_rank(["x"] * 10 + ["a"], relevant, 10) == 0.0


def test_area_under_curve_counts_pairs() -> None:
    # pairs: 0.9>0.5, 0.9>0.4, 0.5=0.5 (half), 0.5>0.4, 0.3<0.5, 0.3<0.4 -> (1 + 1 + 0.5 + 1 + 0 + 0) / 6
    assert metrics.area_under_curve([0.9, 0.5, 0.3], [0.5, 0.4]) == pytest.approx(3.5 / 6)


@given(st.lists(st.sampled_from("abcdefghijkl"), unique=True), st.sets(st.sampled_from("abcdefghijkl"), min_size=1))
def test_metrics_lie_between_nought_and_one(ranked: list[str], names: set[str]) -> None:
    relevant = dict.fromkeys(names, 1.0)
    for value in (
        metrics.ndcg(ranked, relevant),
        metrics.recall(ranked, relevant, 10),
        metrics.reciprocal_rank(ranked, relevant),
        metrics.hit(ranked, relevant, 1),
    ):
        assert 0.0 <= value <= 1.0 + 1e-12


def test_interval_of_equal_values_has_no_width_and_is_the_same_each_time() -> None:
    assert metrics.interval([0.25] * 8) == metrics.Interval(0.25, 0.25, 0.25)
    values = [0.0, 1.0] * 50
    found = metrics.interval(values)
    assert found == metrics.interval(values)
    # standard error of a share of 0.5 over 100 is 0.05, so the interval is about 0.5 +- 1.96 * 0.05
    assert found.low == pytest.approx(0.402, abs=0.02)
    assert found.high == pytest.approx(0.598, abs=0.02)


def test_paired_comparison_sees_a_small_steady_gain() -> None:
    generator = random.Random(7)
    before = [generator.random() for _ in range(100)]
    after = [value + 0.01 for value in before[:90]] + before[90:]
    found = metrics.compare(before, after)
    assert found.difference.mean == pytest.approx(0.01 * 90 / 100)
    assert (found.better, found.worse, found.same) == (90, 0, 10)
    assert found.p < 0.001
    assert metrics.compare(before, before).p == 1.0
    with pytest.raises(ValueError, match="same ones"):
        metrics.compare(before, after[:-1])


# readers


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny-cross"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(
        '{"id": "zh#1", "title": "", "text": "一行\u2028同一行", "lang": "zh"}\n'
        '{"id": "en/1", "title": "One", "text": "a line", "lang": "en"}\n'
        '{"id": "empty", "title": "", "text": " ", "lang": "en"}\n',
        encoding="utf-8",
    )
    (folder / "queries.jsonl").write_text(
        '{"id": "q1", "text": "哪一行？", "lang": "zh", "answers": []}\n'
        '{"id": "q2", "text": "and then?", "lang": "en", "answers": [], "history": "Which line?"}\n'
        '{"id": "q3", "text": "没有的", "lang": "zh", "answerable": false}\n',
        encoding="utf-8",
    )
    for name, rows in {
        "qrels.tsv": "q1\tzh#1\t1\nq1\ten/1\t0\nq2\ten/1\t1\n",
        "qrels-zh2en.tsv": "q1\ten/1\t1\n",
        "qrels-en2zh.tsv": "q2\tzh#1\t1\n",
        "qrels-zh2zh.tsv": "q1\tzh#1\t1\n",
    }.items():
        (folder / name).write_text("query_id\tdoc_id\trelevance\n" + rows, encoding="utf-8")
    return tmp_path


def test_a_line_separator_inside_a_text_does_not_end_a_record(bench: Path) -> None:
    documents = sets.documents("tiny-cross", bench)
    assert [document.text for document in documents] == ["一行\u2028同一行", "a line"]
    assert [document.title for document in documents] == [None, "One"]
    assert [sets.passage_id(document.source) for document in documents] == ["zh#1", "en/1"]


def test_questions_carry_history_and_judgements(bench: Path) -> None:
    first, second, third = sets.questions("tiny-cross", bench)
    assert first.relevant == {"zh#1": 1.0}
    assert second.text == "Which line? and then?"
    assert (third.answerable, third.relevant) == (False, {})


def test_a_set_across_languages_ranks_only_the_target_language(bench: Path) -> None:
    found = sets.tasks("tiny-cross", bench)
    assert [(task.name, [question.id for question in task.questions], task.where) for task in found] == [
        ("tiny-cross:en2zh", ["q2"], {"language": "zh"}),
        ("tiny-cross:zh2en", ["q1"], {"language": "en"}),
    ]


def test_an_absent_set_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(sets.SetMissing, match="--bench DIR"):
        sets.folder_of("xquad-zh", tmp_path)
    assert retrieval.main(["--sets", "xquad-zh", "--bench", str(tmp_path)]) == 2
    assert "--bench DIR" in capsys.readouterr().err


def test_a_sample_is_spread_evenly_and_the_same_each_time(tmp_path: Path) -> None:
    asked = [sets.Question(f"q{n}", "问", "zh", {"p": 1.0}) for n in range(100)]
    assert [question.id for question in sets.sampled(asked, tmp_path, 4)] == ["q0", "q25", "q50", "q75"]
    (tmp_path / "sample500.txt").write_text("q3\nq5\nq9\n", encoding="utf-8")
    assert [question.id for question in sets.sampled(asked, tmp_path, 3)] == ["q3", "q5", "q9"]


@pytest.mark.bench
def test_the_public_sets_have_the_sizes_that_their_notes_state() -> None:
    if not BENCH.is_dir():
        pytest.skip("the public sets are not beside the checkout")
    assert len(sets.documents("xquad-zh", BENCH)) == 240
    assert [len(task.questions) for task in sets.tasks("xquad-cross", BENCH)] == [1_190, 1_190]
    assert len(sets.documents("cranfield", BENCH)) == 1_400 - 2  # two are empty
    clapnq = sets.questions("clapnq-dev", BENCH)
    assert sum(not question.answerable for question in clapnq) == 300
    assert len(sets.tasks("cmrc2018-dev", BENCH, sample=500)[0].questions) == 500


# rankings and runs


def hit(source: str, index: int) -> Hit:
    return Hit(
        id=f"c_{source}_{index}",
        source=source,
        document="d_1",
        title=None,
        headings=(),
        lines=None,
        page=None,
        index=index,
        tokens=1,
        span=Span(0, 1),
        text="x",
    )


def test_a_passage_stands_where_its_best_chunk_does() -> None:
    hits = [hit("b.md#0.txt", 2), hit("a.txt", 0), hit("b.md#0.txt", 1)]
    assert retrieval.ranking(hits) == ["b.md#0", "a"]


def test_two_kept_runs_are_compared_question_by_question(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = sets.Question("q1", "问", "zh", {"a": 1.0})
    for label, ranked in (("before", ["x", "a"]), ("after", ["a", "x"])):
        record = {"id": "q1", "ranked": ranked, **retrieval.judge(question, ranked), "took_ms": 1.0}
        retrieval.keep(tmp_path / label, "set:zh2en", "hybrid", [record])
    assert retrieval.compare_runs(str(tmp_path / "before"), str(tmp_path / "after")) == 0
    out = capsys.readouterr().out
    assert f"{1 - 1 / math.log2(3):+.4f}" in out
    assert "better 1, worse 0" in out


# answers


def citation(source: str, lines: tuple[int, int] | None, quote: str, status: str = "verified") -> Citation:
    return Citation(
        marker=1,
        id="c_1",
        source=source,
        document="d_1",
        headings=(),
        lines=lines,
        page=None,
        span=Span(0, len(quote)),
        quote=quote,
        status=status,  # type: ignore[arg-type]
    )


def asked(source: str | None, line: int | None, *words: str) -> answers.Asked:
    return answers.Asked("q1", "问", "zh", source, line, words, source is not None, "same-language")


def test_an_answer_counts_where_a_proved_citation_is_of_the_right_page_and_line() -> None:
    question = asked("zh/plans.md", 9, "168 元")
    good = Answer("问", "答 [1]", "问", citations=(citation("zh/plans.md", (9, 9), "年费方案每年 168 元。"),))
    found = answers.judge(question, good, ["zh/plans.md", "en/plans.md"])
    assert (found["cited"], found["expected"], found["quoted"]) == (True, True, True)
    elsewhere = Answer("问", "答 [1]", "问", citations=(citation("en/plans.md", (13, 13), "..."),))
    found = answers.judge(question, elsewhere, ["zh/plans.md", "en/plans.md"])
    assert (found["cited"], found["expected"], found["quoted"]) == (True, False, False)
    unproved = Answer(
        "问", "答 [1]", "问", citations=(citation("zh/plans.md", (9, 9), "168 元", status="unsupported"),)
    )
    assert answers.judge(question, unproved, ["zh/plans.md"])["cited"] is False


def test_without_lines_the_quotation_must_hold_the_answer() -> None:
    question = asked("files/quick-start.pdf", None, "存储已满")
    assert answers.quotes_answer(citation("files/quick-start.pdf", None, "紫灯闪三下\t存储\n已满，录音停止"), question)
    assert not answers.quotes_answer(citation("files/quick-start.pdf", None, "红灯常亮\t正在录音"), question)


def test_twins_are_found_only_where_the_page_exists() -> None:
    assert answers.twin("zh/plans.md") == "en/plans.md"
    assert answers.twin("en/plans.md") == "zh/plans.md"
    assert answers.twin("en/api.md") is None
    assert answers.twin("files/quick-start.pdf") is None


def test_the_table_of_answers_counts_each_kind() -> None:
    records = [
        answers.judge(asked("zh/plans.md", 9, "x"), Answer("问", "", "问", refused=True), ["zh/plans.md"]),
        {**answers.judge(asked(None, None), Answer("问", "", "问", refused=True), [None]), "kind": "unanswerable"},
    ]
    lines = answers.table(records)
    assert [line.split()[0] for line in lines] == ["kind", "same-language", "unanswerable", "all"]
    assert "100.0%" in lines[2]


# loaders


def case(
    must: tuple[str, ...] = ("年费 168 元",), must_not: tuple[str, ...] = (), *, must_fail: bool = False
) -> loaders.Case:
    return loaders.Case("files/a.pdf", Path("a.pdf"), must, must_not, must_fail)


def test_a_manifest_is_read_with_its_phrases(tmp_path: Path) -> None:
    head = "file\tlang\tmust_contain\tmust_not_contain\tverified\n"
    rows = 'files/a.md\tzh\t年费 "168" 元 || 七折\t页眉\textracted\nfiles/b.pdf\ten\t\t\tmust fail cleanly\n'
    (tmp_path / "manifest.tsv").write_text(head + rows, encoding="utf-8")
    first, second = loaders.cases(tmp_path)
    assert (first.must, first.must_not, first.must_fail) == (('年费 "168" 元', "七折"), ("页眉",), False)
    assert (second.path, second.must, second.must_fail) == (tmp_path / "files/b.pdf", (), True)


def test_phrases_are_found_whatever_the_white_space_width_and_markdown() -> None:
    read = loaders.Read("| **年费** | １６８\n元 |")
    verdict = loaders.judge("x", case(), read, 6)
    assert (verdict.outcome, verdict.found, verdict.missing) == ("right", 1, 0)


def test_what_is_lost_and_unwanted_is_wrong() -> None:
    """Of two phrases one is lost, six visible characters; the page header came along; 100 counted, 5 visible in the output."""
    verdict = loaders.judge("x", case(("年费 168 元", "七折"), ("页眉",)), loaders.Read("七折 页眉 。"), 100)
    assert (verdict.outcome, verdict.found, verdict.expected, verdict.unwanted) == ("wrong", 1, 2, 1)
    assert (verdict.missing, verdict.short) == (6, 100 - 5)


def test_no_text_is_honest_only_with_a_reason() -> None:
    assert loaders.judge("x", case(), loaders.Read(None, "no-text: scanned"), None).outcome == "honest"
    assert loaders.judge("x", case(), loaders.Read(None), None).outcome == "wrong"
    assert loaders.judge("x", case((), must_fail=True), loaders.Read(None, "encrypted"), None).outcome == "right"
    assert loaders.judge("x", case((), must_fail=True), loaders.Read("text"), None).outcome == "wrong"


def test_markdown_tables_are_counted_by_their_delimiter_rows() -> None:
    text = "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n名称 | 价格\n--- | ---\n年费 | 168\n\n---\ntext | text\n<table><tr><td>x</td></tr></table>\n"
    assert loaders.markdown_tables(text) == 3
    assert loaders.markdown_tables("a\n---\n| - |\n") == 0


def test_the_summary_of_loaders_adds_up() -> None:
    verdicts = [
        loaders.judge("yinju", case(), loaders.Read("年费 168 元", tables=2, seconds=0.5), 10),
        loaders.judge("yinju", case(), loaders.Read(None, "no-text"), None),
        loaders.judge("other", case(), loaders.Read("nothing"), 10),
    ]
    line = loaders.summary("yinju", verdicts)
    for piece in (
        "1 of 2 files right, 1 honest, 0 wrong",
        "phrases 1 of 2",
        "lost 6",
        "short of the count 4",
        "tables 2",
        "0.5 s",
    ):
        assert piece in line
    assert len(list(loaders.table(verdicts))) == 4


def test_a_converter_that_hangs_or_ends_costs_its_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    peer = tmp_path / "peer.py"
    peer.write_text(
        "import json, sys, time\nprint(json.dumps({'version': '1'}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    if 'hang' in line: time.sleep(60)\n"
        "    if 'end' in line: sys.exit(1)\n"
        "    answer = {'error': 'bad'} if 'bad' in line else {'text': '| a | b |\\n|---|---|'}\n"
        "    print(json.dumps({**answer, 'seconds': 0.1}), flush=True)\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(loaders, "__file__", str(tmp_path / "loaders.py"))
    other = loaders.Peer("x", sys.executable, limit=1.0)
    try:
        assert other.start()
        assert other.read(Path("good")) == loaders.Read("| a | b |\n|---|---|", "", 1, 0.1)
        assert other.read(Path("bad")).reason == "bad"
        assert other.read(Path("hang")).text is None
        assert other.read(Path("end")).reason == "ended or took too long"
        assert other.read(Path("good")).tables == 1
    finally:
        other.close()
    assert not loaders.Peer("x", sys.executable + "-absent").start()
