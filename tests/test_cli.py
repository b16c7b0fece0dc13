"""The command line as a person or an agent meets it: results, shapes, exit codes, nothing but results on stdout."""

import json

import pytest

from yinju.cli import run


def call(capsys, *arguments):
    code = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def call_json(capsys, *arguments):
    code, out, _err = call(capsys, *arguments, "--json")
    return code, json.loads(out)


def test_ask_answers_with_a_citation(folder, capsys):
    code, out, _err = call(capsys, "ask", "年费方案每年多少元？")
    assert code == 0
    assert "168 元" in out
    assert "plans.md:9" in out
    assert "✓ verified" in out


def test_ask_json_has_the_documented_shape(folder, capsys):
    code, found = call_json(capsys, "ask", "年费方案每年多少元？")
    assert code == 0
    assert set(found) >= {
        "question", "searched_as", "text", "refused", "reason", "complete", "model", "evidence", "sentences", "citations", "context", "took_ms",
    }  # fmt: skip
    citation = found["citations"][0]
    assert set(citation) >= {
        "marker",
        "id",
        "source",
        "document",
        "headings",
        "lines",
        "page",
        "span",
        "quote",
        "status",
    }
    text = call(capsys, "read", citation["source"])[1]
    assert citation["quote"] in text
    assert set(found["context"]) >= {"passages", "tokens", "left_out"}


def test_a_question_that_the_documents_do_not_answer_is_refused(folder, capsys):
    code, found = call_json(capsys, "ask", "火星基地的食堂几点开门？")
    assert code == 4
    assert found["refused"] is True
    assert found["reason"]
    assert found["citations"] == []
    assert found["context"] == {"passages": [], "tokens": 0, "left_out": 0}


@pytest.mark.parametrize(
    ("question", "refusal"),
    [("火星基地的食堂几点开门？", "文档中没有说明"), ("Who plays the oboe on Neptune?", "The documents do not say")],
)
def test_a_refusal_is_said_once_with_a_model_too(folder, capsys, monkeypatch, question, refusal):
    monkeypatch.setenv("YINJU_CHAT_URL", "http://127.0.0.1:9/v1")  # it is not called
    monkeypatch.setenv("YINJU_CHAT_MODEL", "none-there")
    code, out, _err = call(capsys, "ask", question)
    assert code == 4
    assert out.count(refusal) == 1
    assert out.startswith(refusal)


def test_search_json_has_the_documented_shape(folder, capsys):
    code, found = call_json(capsys, "search", "学生证", "--mode", "lexical")
    assert code == 0
    assert set(found) >= {"query", "mode", "coverage", "took_ms", "hits"}
    hit = found["hits"][0]
    assert set(hit) >= {
        "id", "source", "document", "title", "headings", "lines", "page", "index", "tokens", "span", "text", "also", "score", "votes",
    }  # fmt: skip
    assert hit["score"] == pytest.approx(sum(vote["share"] for vote in hit["votes"]))


def test_sync_again_does_nothing_and_reports_each_count(folder, capsys):
    code, found = call_json(capsys, "sync", folder)
    assert code == 0
    assert (found["added"], found["updated"], found["removed"]) == (0, 0, 0)
    assert found["unchanged"] == len(list(folder.glob("*.md")))


def test_read_prints_the_file_itself_in_a_pipe(folder, capsys):
    code, out, _err = call(capsys, "read", "plans.md:9-9")
    assert (code, out) == (0, "年费方案每年 168 元。付款后立即生效，满一年到期。\n")
    whole = call(capsys, "read", "plans.md")[1]
    assert whole == (folder / "plans.md").read_text(encoding="utf-8").split("---\n", 2)[2]


def test_outline_grep_sources_status(folder, capsys):
    assert "年费" in call(capsys, "outline", "plans.md")[1]
    assert call(capsys, "grep", "１６８ 元")[1].startswith("plans.md:9:")
    assert call(capsys, "grep", r"每年 \d+ 元", "--regex")[0] == 0
    assert call(capsys, "grep", "火星基地")[0] == 4
    names = {record["source"] for record in call_json(capsys, "sources")[1]["sources"]}
    assert "plans.md" in names
    assert call_json(capsys, "status")[1]["documents"] == len(names)
    assert call_json(capsys, "status", "plans.md")[1]["outcome"] == "indexed"
    assert call(capsys, "doctor")[0] == 0


@pytest.mark.parametrize(("lang", "says"), [("en", "No match in {n} documents."), ("zh", "{n} 个文档中没有匹配。")])
def test_grep_without_a_match_says_where_it_looked(folder, capsys, monkeypatch, lang, says):
    monkeypatch.setenv("YINJU_LANG", lang)
    n = call_json(capsys, "status")[1]["documents"]
    assert call(capsys, "grep", "火星基地") == (4, "", says.format(n=n) + "\n")
    assert call(capsys, "grep", "火星基地", "-q")[2] == ""
    assert call(capsys, "grep", "火星基地", "--where", "source=plans.md")[2].startswith(
        ("No match in 1 doc", "1 个文档")
    )


@pytest.mark.parametrize(
    ("arguments", "usage"),
    [
        (["grep", ".", "x"], "`yinju grep PATTERN [--library DIR]`"), (["verify", ".", "x"], "`yinju verify TEXT [--library DIR]`"),
        (["outline", ".", "x"], "`yinju outline SOURCE [--library DIR]`"),
        (["read", ".", "x"], "`yinju read SOURCE[:FROM-TO|:p.PAGE] [--library DIR]`"),
        (["why", "x"], "`yinju why --help`"), (["grep", "x", "--nonsense"], "`yinju grep --help`"), (["nonsense"], "`yinju --help`"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_wrong_arguments_are_answered_with_the_usage_of_that_command(capsys, monkeypatch, arguments, usage, lang):
    monkeypatch.setenv("YINJU_LANG", lang)
    code, _out, err = call(capsys, *arguments)
    assert code == 2
    assert usage in err


def test_verify_tells_true_from_altered(folder, capsys):
    assert call(capsys, "verify", "年费方案每年168元", "--source", "plans.md")[0] == 0
    code, found = call_json(capsys, "verify", "年费方案每年 186 元", "--source", "plans.md")
    assert code == 4
    assert found["status"] != "verified"


def test_context_and_its_formats(folder, capsys):
    for form in ("tagged", "numbered", "sections", "fragments"):
        code, out, _err = call(capsys, "context", "学生优惠", "--format", form)
        assert code == 0
        assert "七折" in out
    assert call(capsys, "context", "学生优惠", "--format", "best")[0] == 2


def test_chat_takes_questions_from_a_pipe(folder, capsys, monkeypatch):
    lines = iter(["年费方案每年多少元？", "那家庭方案呢？", ""])
    monkeypatch.setattr("builtins.input", lambda _prompt="": next(lines))
    code, out, _err = call(capsys, "chat")
    assert code == 0
    assert "168 元" in out
    assert "268 元" in out


def test_chat_in_json_says_one_thing_a_question_whatever_it_is(folder, capsys, monkeypatch):
    lines = iter(["年费方案每年多少元？", "字" * 20_001, "What does the annual plan cost?", ""])
    monkeypatch.setattr("builtins.input", lambda _prompt="": next(lines))
    code, out, err = call(capsys, "chat", "--json")
    assert (code, err) == (0, "")
    first, second, third = (json.loads(line) for line in out.splitlines())
    assert "168" in first["text"]
    assert set(second["error"]) == {"code", "message", "hint"}
    assert third["question"] == "What does the annual plan cost?"


def test_removing_removes(folder, capsys):
    page = folder / "临时.md"
    page.write_text("# 临时\n\n独一无二的蓝鲸餐厅在三楼。\n", encoding="utf-8")
    call(capsys, "sync", folder)
    assert call_json(capsys, "search", "蓝鲸餐厅", "--mode", "lexical")[1]["hits"][0]["source"] == "临时.md"
    page.unlink()
    report = call_json(capsys, "sync", folder)[1]
    assert report["removed"] == 1
    assert all(
        "蓝鲸" not in hit["text"] for hit in call_json(capsys, "search", "蓝鲸餐厅", "--mode", "lexical")[1]["hits"]
    )
    assert call(capsys, "remove", "absent.md")[0] == 74


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ask"], 2), (["nonsense"], 2), (["search", "x", "--mode", "best"], 2), (["search", "x", "--limit", "0"], 2),
        (["search", "x", "--where", "novalue"], 2), (["read", "plans.md:9-3"], 2), (["read", "absent.md"], 74),
        (["ask", "absent-folder", "question"], 74), (["ask", " "], 2),
    ],
)  # fmt: skip
def test_wrong_use_is_an_error_with_a_hint_and_json_where_asked(folder, capsys, arguments, code):
    got, out, err = call(capsys, *arguments)
    assert got == code
    assert out == ""
    assert "→" in err
    assert "Traceback" not in err
    if arguments != ["ask"] and arguments != ["nonsense"]:
        got, found = call_json(capsys, *arguments)
        assert got == code
        assert set(found["error"]) == {"code", "message", "hint"}


def test_without_a_library_it_says_how_to_make_one(tmp_path, capsys, monkeypatch, without_model):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(capsys, "search", "x")
    assert (code, out) == (74, "")
    assert "yinju sync" in err


def test_messages_are_chinese_where_the_user_is(folder, capsys, monkeypatch):
    monkeypatch.setenv("YINJU_LANG", "zh")
    assert "出错" in call(capsys, "search", "x", "--limit", "0")[2]


def test_control_characters_of_documents_do_not_reach_the_terminal(folder, capsys):
    page = folder / "evil.md"
    page.write_text("# 警告 \x1b[31m\n\n红色按钮\x1b]0;owned\x07在左边。\n", encoding="utf-8")
    call(capsys, "sync", folder)
    out = call(capsys, "search", "红色按钮", "--mode", "lexical")[1]
    page.unlink()
    call(capsys, "sync", folder)
    assert "红色按钮" in out
    assert "\x1b" not in out
    assert "\x07" not in out


def test_help_fits_eighty_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for command in (
        [],
        ["ask"],
        ["search"],
        ["context"],
        ["chat"],
        ["sync"],
        ["read"],
        ["grep"],
        ["verify"],
        ["status"],
        ["doctor"],
        ["model"],
    ):
        _code, out, _err = call(capsys, *command, "--help")
        assert out
        assert max(len(line) for line in out.splitlines()) <= 80


def test_doctor_notices_tables_that_disagree(folder, capsys):
    import apsw

    from yinju.store.opening import load_extension

    load_extension()
    connection = apsw.Connection(str(folder / ".yinju" / "library.db"))
    connection.execute("begin immediate")
    connection.execute("update tally set number = number + 1 where name = 'passages'")
    connection.execute("commit")
    code, out, _err = call(capsys, "doctor")
    connection.execute("update tally set number = number - 1 where name = 'passages'")
    connection.close()
    assert code == 74
    assert "passages" in out


@pytest.mark.slow
def test_asking_where_much_has_vanished_answers_from_what_is_known(tmp_path, without_model, capsys):
    """A drive that is half there must neither lose documents nor silence them."""
    for number in range(30):
        (tmp_path / f"{number}.md").write_text(
            f"# 第 {number} 页\n\n编号 K-{number:04} 的零件在第 {number} 层。\n", encoding="utf-8"
        )
    call(capsys, "sync", tmp_path)
    for number in range(5, 30):
        (tmp_path / f"{number}.md").unlink()
    code, out, err = call(capsys, "ask", tmp_path, "K-0020 的零件在第几层？")
    assert code == 0
    assert "第 20 层" in out
    assert "what the library holds" in err
    assert call(capsys, "sync", tmp_path)[0] == 2
