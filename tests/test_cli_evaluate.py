"""eval, eval make, eval compare, eval add, tune and why as a person, an agent and CI meet them."""

import json
from pathlib import Path

import pytest

from yinju.cli import run, tables
from yinju.cli.render import width
from yinju.messages import set_language

CASES = [
    {"question": "年费方案每年多少元？", "source": "plans.md", "lines": [9, 9], "answer": "168 元", "kind": "price"},
    {"question": "在校生上传学生证后打几折？", "source": "plans.md", "line": 21, "answer": "七折", "kind": "price"},
    {"question": "火星基地的食堂几点开门？", "answerable": False, "kind": "none"},
]


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in CASES), encoding="utf-8")
    return path


def call(capsys, *arguments):
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def call_json(capsys, *arguments):
    code, out, _err = call(capsys, *arguments, "--json")
    return code, json.loads(out)


@pytest.fixture(params=["en", "zh"])
def narrow(request, monkeypatch):
    """A terminal of 80 columns, in both languages."""
    monkeypatch.setenv("YINJU_LANG", request.param)
    monkeypatch.setattr("yinju.cli.render.columns", lambda: 80)
    return request.param


def test_eval_prints_a_table_that_fits_80_columns(folder, cases, capsys, narrow):
    code, out, _err = call(capsys, "eval", cases)
    assert code == 0
    assert "hit@5" in out
    assert ("95 % interval" if narrow == "en" else "95 % 区间") in out
    assert max(map(width, out.split("\n"))) <= 80


@pytest.mark.slow
def test_eval_of_a_path_brings_it_up_to_date_first(folder, cases, tmp_path, capsys):
    (folder / "new.md").write_text("# 新增\n\n租赁押金为 4321 元。\n", encoding="utf-8")
    cases.write_text('{"question": "租赁押金多少元？", "source": "new.md", "answer": "4321 元"}\n', encoding="utf-8")
    code, found = call_json(capsys, "eval", cases, folder)
    assert code == 0
    assert found["measures"]["hit@1"]["value"] == 1.0
    assert found["measures"]["correct"]["value"] == 1.0
    (folder / "new.md").unlink()


def test_eval_json_has_figures_failures_and_times(folder, cases, capsys):
    code, found = call_json(capsys, "eval", cases)
    assert code == 0
    assert set(found) >= {
        "mode",
        "questions",
        "answerable",
        "unanswerable",
        "measures",
        "took_ms",
        "kinds",
        "failures",
        "below",
    }
    assert set(found["measures"]) >= {
        "hit@1",
        "hit@5",
        "hit@10",
        "mrr@10",
        "ndcg@10",
        "recall@5",
        "citations",
        "correct",
        "refusal",
        "area",
    }
    assert found["took_ms"]["search"]["p50"] > 0


@pytest.mark.slow
def test_a_bound_that_is_missed_ends_with_4(folder, cases, capsys):
    assert call(capsys, "eval", cases, "--fail-under", "hit@5=0.5", "--fail-under", "refusal=0.5")[0] == 0
    code, _out, err = call(capsys, "eval", cases, "--no-answer", "--fail-under", "all@10=0.5")
    assert code == 4
    assert "all@10" in err
    assert call(capsys, "eval", cases, "--fail-under", "speed=1")[0] == 2


def test_markdown(folder, cases, capsys):
    out = call(capsys, "eval", cases, "--markdown")[1]
    assert out.startswith("| measure | value |")


def test_a_bad_line_is_named(folder, cases, capsys):
    with cases.open("a", encoding="utf-8") as file:
        file.write('{"question": "q", "lines": 3}\n')
    code, _out, err = call(capsys, "eval", cases)
    assert code == 2
    assert "cases.jsonl:4:" in err


@pytest.mark.slow
def test_questions_that_lie_in_the_folder_are_not_found_as_text(folder, capsys):
    path = folder / "cases.jsonl"
    path.write_text('{"question": "量子猫粮的保质期多久？", "answerable": false}\n', encoding="utf-8")
    code, found = call_json(capsys, "eval", path, folder, "--no-answer")
    assert code == 0
    assert found["measures"]["refusal"]["value"] == 1.0
    path.unlink()


@pytest.mark.slow
def test_keep_and_compare(folder, cases, tmp_path, capsys, narrow):
    for name in ("a", "b"):
        assert call(capsys, "eval", cases, "--keep", tmp_path / name)[0] == 0
    code, out, _err = call(capsys, "eval", "compare", tmp_path / "a", tmp_path / "b")
    assert code == 0
    assert "0/0/2" in out
    assert max(map(width, out.split("\n"))) <= 80
    assert call(capsys, "eval", "compare", tmp_path / "a")[0] == 2
    assert call(capsys, "eval", "compare", cases, cases)[0] == 2


def test_compare_two_modes(folder, cases, capsys):
    code, found = call_json(capsys, "eval", "compare", cases, "--mode", "lexical,hybrid", "--no-answer")
    assert code == 0
    assert found["measures"]["hit@5"]["same"] == 2
    assert call(capsys, "eval", "compare", cases, "--mode", "lexical")[0] == 2


@pytest.mark.slow
def test_make_writes_questions_that_eval_reads(folder, tmp_path, capsys):
    code, out, err = call(capsys, "eval", "make", "--number", "6", "--seed", "1")
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == 6
    assert all(line["made"] for line in lines)
    assert any(line.get("answerable") is False and line["without"] for line in lines)
    assert "echo" in err
    path = tmp_path / "made.jsonl"
    assert call(capsys, "eval", "make", "--number", "6", "--seed", "1", "--out", path)[:2] == (0, "")
    assert path.read_text(encoding="utf-8") == out
    assert call_json(capsys, "eval", path, "--no-answer")[1]["made"] == 6


def test_make_with_a_model_needs_one(folder, capsys):
    assert call(capsys, "eval", "make", "--model")[0] == 2


def test_add_keeps_a_case_with_a_place_that_is_there(folder, tmp_path, capsys):
    file = tmp_path / "mine.jsonl"
    code, out, _err = call(
        capsys, "eval", "add", "一年多少钱？", "--expect", "plans.md:9", "--answer", "168 元", "--file", file
    )
    assert code == 0
    assert "mine.jsonl" in out
    case = json.loads(file.read_text(encoding="utf-8"))
    assert (case["source"], case["lines"], case["answer"]) == ("plans.md", [9, 9], "168 元")
    assert call(capsys, "eval", "add", "Who?", "--unanswerable", "--file", file)[0] == 0
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--expect", "plnas.md:9"), 74),
        (("--expect", "plans.md:999"), 2),
        (("--expect", "plans.md", "--quote", "每年 169 元"), 2),
        ((), 2),
        (("--expect", "plans.md", "--unanswerable"), 2),
    ],
)
def test_add_takes_no_place_that_is_not_there(folder, tmp_path, capsys, options, code):
    assert call(capsys, "eval", "add", "一年多少钱？", *options, "--file", tmp_path / "mine.jsonl")[0] == code
    assert not (tmp_path / "mine.jsonl").exists()


def test_add_warns_where_the_file_would_be_read_as_a_document(folder, capsys):
    _code, _out, err = call(capsys, "eval", "add", "Who made it?", "--unanswerable")
    assert ".yinjuignore" in err
    (folder / "cases.jsonl").unlink()


@pytest.mark.slow
def test_tune_shows_rates_and_proposes_nothing_from_made_questions(folder, capsys, narrow):
    code, out, _err = call(capsys, "tune", "--number", "20")
    assert code == 0
    assert "0.40" in out
    assert ("echo" if narrow == "en" else "相近") in out
    assert max(map(width, out.split("\n"))) <= 80
    assert call(capsys, "tune", "--write")[0] == 2


@pytest.mark.slow
def test_tune_writes_what_labelled_questions_propose(folder, tmp_path, capsys):
    assert call(capsys, "eval", "make", "--number", "400", "--out", tmp_path / "made.jsonl")[0] == 0
    labelled = [json.loads(line) for line in (tmp_path / "made.jsonl").read_text(encoding="utf-8").splitlines()]
    labelled = [{**line, "made": False} for line in labelled if line.get("answerable", True)][:40]
    mars = [{"question": f"火星基地第{n}号食堂几点开门？", "answerable": False} for n in range(15)]
    file = tmp_path / "labelled.jsonl"
    file.write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in [*labelled, *mars]), encoding="utf-8"
    )
    code, found = call_json(capsys, "tune", file, folder, "--write", "--wrong-refusals", "0.2")
    assert code == 0
    threshold = found["proposal"]["threshold"]
    written = Path(found["written"])
    assert written.parent.name == ".yinju"
    assert f"refuse_below = {threshold}" in written.read_text(encoding="utf-8")
    code, again = call_json(capsys, "tune", file)
    assert again["now"]["threshold"] == threshold
    written.unlink()


def test_tune_of_too_few_questions_writes_nothing(folder, cases, capsys):
    code, out, _err = call(capsys, "tune", cases)
    assert code == 0
    assert "No threshold is proposed" in out
    assert call(capsys, "tune", cases, "--write")[0] == 2
    assert not (folder / ".yinju" / "settings.toml").exists()
    assert call(capsys, "tune", "nothing", "there")[0] == 2


def test_why_names_the_step(folder, capsys, narrow):
    code, out, _err = call(capsys, "why", "年费方案每年多少元？", "--expect", "plans.md:9", "--expect", "none.md")
    assert code == 0
    assert "✗" in out
    assert max(map(width, out.split("\n"))) <= 80
    found = call_json(capsys, "why", "年费方案每年多少元？", "--expect", "plans.md:9")[1]["expected"][0]
    assert [step["name"] for step in found["steps"]] == ["read", "cut", "embedded", "found", "ranked", "answered"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("年费方案每年多少元？", "plans.md:9"),
        ("年费方案每年多少元？", "{folder}/plans.md:9"),
        ("How much is the annual plan?", "plans.md"),
    ],
)
def test_why_takes_a_path_first_as_other_commands_do(folder, tmp_path, monkeypatch, capsys, question, expected):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    code, found = call_json(capsys, "why", folder, question, "--expect", expected.format(folder=folder))
    assert code == 0
    assert found["question"] == question
    assert [one["source"] for one in found["expected"]] == ["plans.md"]
    assert call(capsys, "why", tmp_path / "nowhere", question, "--expect", "plans.md")[0] == 74


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lang", "told"), [("en", "is a folder; what is the question?"), ("zh", "是文件夹；问题是什么？")]
)
@pytest.mark.parametrize("command", ["ask", "context", "why"])
def test_a_folder_alone_is_no_question(folder, capsys, monkeypatch, lang, told, command):
    monkeypatch.setenv("YINJU_LANG", lang)
    more = ("--expect", "plans.md") if command == "why" else ()
    code, _out, err = call(capsys, command, folder, *more)
    assert (code, told in err) == (2, True)


def test_without_a_library_there_is_nothing_to_measure(tmp_path, without_model, monkeypatch, cases, capsys):
    monkeypatch.chdir(tmp_path)
    assert call(capsys, "eval", cases)[0] == 74
    (tmp_path / "empty").mkdir()
    assert call(capsys, "eval", cases, tmp_path / "empty")[0] == 74


def test_lines_wrap_between_words_and_wide_characters(monkeypatch):
    monkeypatch.setattr("yinju.cli.render.columns", lambda: 20)
    assert tables.wrapped("one two three four five six", "  ") == ["  one two three four", "  five six"]
    assert tables.wrapped("一二三四五六七八九，十", "") == ["一二三四五六七八九，", "十"]
    set_language("zh")
    assert tables.step_name("cut") == "切分"


def test_why_and_add_take_a_path_from_anywhere(folder, tmp_path, monkeypatch, capsys):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    expected = f"{folder / 'plans.md'}:9"
    code, found = call_json(capsys, "why", "年费方案每年多少元？", "--expect", expected)
    assert code == 0
    assert found["expected"][0]["source"] == "plans.md"
    assert found["expected"][0]["lost"] is None
    assert call(capsys, "eval", "add", "年费方案每年多少元？", "--expect", expected)[0] == 0
    assert json.loads(Path("cases.jsonl").read_text(encoding="utf-8"))["source"] == "plans.md"
