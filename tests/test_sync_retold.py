"""Why a file was skipped is told in the language of whoever asks, not of whoever synced."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from yinju.cli import run
from yinju.load.office.package import encrypted
from yinju.messages import set_language
from yinju.sync import remarks
from yinju.sync.retold import retold

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("a password is needed", "需要密码"),
        ("expands to 812 MB", "解压后为 812 MB"),
        ("there is only front matter", "只有文件头元数据，没有正文"),
        ("not valid JSON at line 7", "第 7 行不是有效的 JSON"),
        ("12 pages look scanned", "12 页看起来是扫描件"),
        ("a damaged file of Word 97-2003", "Word 97-2003 的文件，已损坏"),
    ],
)
def test_a_detail_is_retold_in_both_directions(english, chinese):
    for lang, text in (("en", chinese), ("en", english)):
        set_language(lang)
        assert retold(text) == english
    for text in (english, chinese):
        set_language("zh")
        assert retold(text) == chinese
    assert retold("something that no reader says") == "something that no reader says"
    assert retold("需要密码" * 10_000) == "需要密码" * 10_000


@pytest.mark.parametrize(
    ("wrote", "asks", "told", "not_told"),
    [
        ("zh", "en", "protected by a password (a password is needed)", "密码"),
        ("en", "zh", "有密码保护（需要密码）", "password"),
    ],
)
def test_a_reason_that_was_written_in_one_language_is_read_in_the_other(wrote, asks, told, not_told):
    set_language(wrote)
    error = encrypted()
    set_language(asks)
    text, hint = remarks.skipped(error.reason, error.hint)
    assert text == told
    assert hint
    assert not_told not in text + hint


@pytest.mark.parametrize(("wrote", "asks", "foreign"), [("zh", "en", "文件"), ("en", "zh", "front matter")])
def test_doctor_speaks_one_language(tmp_path, monkeypatch, capsys, without_model, wrote, asks, foreign):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    (tmp_path / "docs" / "b.md").write_text("---\ntitle: x\n---\n", encoding="utf-8")
    monkeypatch.setenv("YINJU_LANG", wrote)
    set_language(None)
    run(["sync", str(tmp_path / "docs"), "-q"])
    monkeypatch.setenv("YINJU_LANG", asks)
    set_language(None)
    capsys.readouterr()
    assert run(["doctor", str(tmp_path / "docs")]) == 3
    told = capsys.readouterr().out
    assert "b.md" in told
    assert foreign not in told


def test_the_table_is_what_the_readers_say():
    spec = importlib.util.spec_from_file_location("made", ROOT / "scripts" / "make_said_by_readers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    from yinju.sync.said import SAID

    assert list(SAID) == module.pairs(), "run python scripts/make_said_by_readers.py"
