"""A question to a path is answered from that path: a folder, a part of it, one file, one of several folders; and in time."""

import json

import pytest

from yinju import settings
from yinju.cli import fresh, run, session
from yinju.errors import StoreBusy
from yinju.library import Library
from yinju.load.ocr import availability


@pytest.fixture(autouse=True)
def words_only(without_model):
    """No model is needed to see what is looked at."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    tmp_path.chmod(0o755)
    for name, text in {
        "手册/退款.md": "退款 refund：14 天。",
        "手册/旧/退款.md": "退款 refund：30 天。",
        "手册/a[1].md": "退款 refund：方括号。",
        "手册/a1.md": "退款 refund：没有方括号。",
        "en/refund.md": "退款 refund: 14 days.",
        "en/old/refund.md": "退款 refund: 30 days.",
        "memo/one.md": "退款 refund: one.",
        "memo/二.md": "退款 refund：二。",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(capsys, path, *arguments, library="lib", query="退款 refund"):
    capsys.readouterr()
    code = run(["search", path, query, "--library", library, "-n", "20", "--json", *arguments])
    assert code == 0
    return {hit["source"] for hit in json.loads(capsys.readouterr().out)["hits"]}


def test_each_of_several_folders_answers_for_itself(place, capsys):
    assert run(["sync", "手册", "en", "--library", "lib", "-q"]) == 0
    assert found(capsys, "手册") == {"退款.md", "旧/退款.md", "a[1].md", "a1.md"}
    assert found(capsys, "en") == {"en/refund.md", "en/old/refund.md"}
    assert found(capsys, "en/old") == {"en/old/refund.md"}
    assert found(capsys, "手册/旧") == {"旧/退款.md"}


@pytest.mark.slow
def test_a_single_file_answers_for_itself_in_a_library_of_its_own_or_of_others(place, capsys):
    assert found(capsys, "memo/one.md") == {"one.md"}
    assert found(capsys, "memo/二.md") == {"二.md"}
    assert found(capsys, "memo/one.md") == {"one.md"}
    assert found(capsys, "手册/退款.md") == {"手册/退款.md"}
    assert found(capsys, "memo/二.md", library="other") == {"二.md"}


@pytest.mark.slow
def test_brackets_in_a_name_are_no_glob(place, capsys):
    assert run(["sync", "手册", "--library", "lib", "-q"]) == 0
    assert found(capsys, "手册/a[1].md") == {"a[1].md"}


@pytest.mark.slow
def test_filters_narrow_further_and_never_widen(place, capsys):
    assert run(["sync", "手册", "--library", "lib", "-q"]) == 0
    assert found(capsys, "手册/旧", "--where", "source=*.md") == {"旧/退款.md"}
    assert found(capsys, "手册", "--where", "source=a*", "--where", "source=*1.md") == {"a1.md"}
    assert found(capsys, "手册", "--where", "source!=a*", "--where", "source!=旧/*") == {"退款.md"}


def test_what_a_model_is_sent_obeys_the_filters(place, capsys):
    assert run(["sync", "手册", "--library", "lib", "-q"]) == 0
    capsys.readouterr()
    assert run(["ask", "手册", "退款？", "--library", "lib", "--where", "source=旧/*", "--show-prompt"]) == 0
    out = capsys.readouterr().out
    assert "30 天" in out
    assert "14 天" not in out


@pytest.mark.slow
def test_while_another_process_writes_the_library_answers(place, capsys, monkeypatch):
    assert run(["sync", "手册", "--library", "lib", "-q"]) == 0
    capsys.readouterr()

    def busy(*_arguments, **_options):
        raise StoreBusy("process 4711 is writing")

    monkeypatch.setattr(Library, "sync", busy)
    assert run(["search", "手册", "退款", "--library", "lib"]) == 0
    captured = capsys.readouterr()
    assert "14 天" in captured.out
    assert "4711" in captured.err
    assert run(["search", "en", "refund", "--library", "empty"]) == 75


@pytest.mark.slow
def test_a_pipe_is_asked_about_many_files_but_not_about_time_that_it_does_not_take(place, capsys, monkeypatch):
    monkeypatch.setattr(fresh, "BYTES_PER_S", 1e-6)
    monkeypatch.setenv("YINJU_EMBED_MODEL", "hashing")
    assert run(["search", "手册", "退款", "--library", "lib"]) == 0
    monkeypatch.setattr(fresh, "MANY_FILES", 1)
    assert run(["search", "手册", "退款", "--library", "lib2"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert not (place / "lib2").exists(), "a run that was not wanted leaves nothing behind"
    (place / "mine").mkdir()
    (place / "mine" / "notes.txt").write_text("mine", encoding="utf-8")
    assert run(["search", "手册", "退款", "--library", "mine"]) == 2
    assert (place / "mine" / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert run(["search", "手册", "退款", "--library", "lib2", "--yes"]) == 0


def test_a_server_is_no_folder_and_its_password_is_not_shown(place, capsys):
    assert run(["sources", "--library", "postgresql://me:s3cret@host/db"]) == 2
    captured = capsys.readouterr()
    assert "s3cret" not in captured.out + captured.err
    assert not [path for path in place.iterdir() if path.name.startswith("postgresql")]


def test_a_question_that_is_no_file_name_is_a_question(place, capsys):
    assert run(["search", "退款" * 2_000, "要", "几天", "--library", "lib"]) == 74  # no library there, and no fault
    assert run(["search", "\0", "要", "几天", "--library", "lib"]) == 74


def test_commands_that_need_no_model_do_not_ask_for_one(place, capsys, monkeypatch):
    assert run(["sync", "手册", "--library", "lib", "-q"]) == 0
    capsys.readouterr()
    monkeypatch.setenv("YINJU_CHAT_URL", "http://127.0.0.1:9/v1")  # and no model: `ask` could not go on
    for command in (["sources"], ["read", "退款.md"], ["grep", "14"], ["verify", "14 天"], ["status", "退款.md"]):
        assert run([*command, "--library", "lib", "--json", "--quiet"]) == 0
        json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("model", "answers", "chat", "expected"),
    [
        (None, True, True, {}),
        ("none", True, True, {"embed_model": "none", "embed_url": ""}),
        ("e5", False, False, {"embed_model": "e5", "embed_url": ""}),
        ("qwen3", True, True, {"chat_model": "qwen3"}),
        ("qwen3", False, True, {"embed_model": "qwen3"}),
        ("qwen3", True, False, {"embed_model": "qwen3"}),
    ],
)
def test_a_model_is_a_local_one_or_one_of_the_endpoint(model, answers, chat, expected):
    general = settings.Settings(chat_url="http://127.0.0.1:9/v1" if chat else None)
    assert session._model_flags(general, model, answers=answers) == expected


@pytest.mark.parametrize(
    "arguments",
    [["ask", "q", "--refuse-below", "7"], ["context", "q", "--tokens", "0"], ["grep", "x", "--limit", "0"]],
)
def test_sizes_that_cannot_be_are_wrong_usage(place, capsys, arguments):
    assert run([*arguments, "--json"]) == 2
    assert set(json.loads(capsys.readouterr().out)["error"]) == {"code", "message", "hint"}


@pytest.mark.slow
def test_a_whole_text_comes_out_as_it_is(place, capsys):
    assert run(["sync", "手册", "--library", "lib", "-q"]) == 0
    capsys.readouterr()
    assert run(["read", "退款.md", "--library", "lib"]) == 0
    assert capsys.readouterr().out == "退款 refund：14 天。"


def test_every_command_has_the_common_flags(capsys):
    for command in (
        "ask", "context", "search", "chat", "sync", "read", "outline", "grep", "sources", "verify", "status", "doctor", "remove",
    ):  # fmt: skip
        run([command, "--help"])
        shown = capsys.readouterr().out
        assert not {"--library", "--json", "--quiet"} - set(shown.replace(",", " ").split())
    for command in ("list", "pull", "use"):
        run(["model", command, "--help"])
        assert "--json" in capsys.readouterr().out
    for command in ("ask", "chat"):
        run([command, "--help"])
        shown = set(capsys.readouterr().out.replace(",", " ").split())
        flags = {"--limit", "--where", "--min-score", "--refuse-below", "--model", "--system", "--history"}
        assert not flags - shown


def test_choosing_a_model_says_so_in_json(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "user_file", lambda: tmp_path / "settings.toml")
    assert run(["model", "use", "hashing", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "model": "hashing",
        "kind": "embedding",
        "settings": str(tmp_path / "settings.toml"),
    }


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "word"), [("en", "Would do"), ("zh", "将会")])
def test_a_plan_makes_no_library(place, capsys, monkeypatch, lang, word):
    monkeypatch.setenv("YINJU_LANG", lang)
    assert run(["sync", "手册", "--plan"]) == 0
    out = capsys.readouterr().out
    assert word in out
    assert "旧/退款.md" in out
    assert not (place / "手册" / ".yinju").exists()
    assert run(["sync", "手册", "--no-embed", "-q"]) == 0
    (place / "手册" / "新.md").write_text("新的一页", encoding="utf-8")
    capsys.readouterr()
    assert run(["sync", "手册", "--plan", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert (planned["added"], planned["unchanged"], planned["planned"]) == (1, 4, True)


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_told_once_and_oddities_do_not_stand_before_an_answer(place, capsys):
    (place / "手册" / "坏.pdf").write_bytes(b"%PDF-1.4 broken")
    (place / "手册" / "奇.md").write_text("退款\u200b退款", encoding="utf-8")
    assert run(["search", "手册", "退款", "--library", "lib"]) == 0
    err = capsys.readouterr().err
    assert err.count("坏.pdf") == 1
    assert "奇.md" not in err
    assert run(["doctor", "--library", "lib"]) == 3
    out = capsys.readouterr().out
    assert out.count("坏.pdf") == 1
    assert "奇.md" in out


def test_a_question_that_looks_like_an_option_is_told_how_to_ask(capsys):
    assert run(["search", "-退款"]) == 2
    assert "write --." in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("lang", "told"), [("en", "is a picture"), ("zh", "是图片")])
def test_a_picture_without_ocr_is_told_as_such_and_leaves_nothing_behind(place, capsys, monkeypatch, lang, told):
    monkeypatch.setenv("YINJU_LANG", lang)
    monkeypatch.setenv("YINJU_OCR", "off")
    monkeypatch.setattr(availability, "models", lambda: None)
    (place / "memo" / "图").mkdir()
    picture = place / "memo" / "图" / "甲.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (place / "乙.png").write_bytes(picture.read_bytes())
    assert run(["sync", "memo", "--library", "lib", "-q"]) == 0
    for path in (picture, place / "乙.png"):
        capsys.readouterr()
        assert run(["ask", str(path), "写了什么 refund？", "--library", "lib"]) == 3
        out, err = capsys.readouterr()
        assert out == ""
        assert "甲.png" in err or "乙.png" in err
        assert "OCR" in err
    run(["read", str(picture), "--library", "lib"])
    err = capsys.readouterr().err
    assert told in err
    assert 'pip install "yinju[ocr]"' in err
    run(["status", "--library", "lib", "--json"])
    status = json.loads(capsys.readouterr().out)
    assert (status["documents"], status["skipped"], len(status["roots"])) == (2, 0, 1)
