"""After a first answer the rest is indexed, and whoever waits for the prompt is told when that is done."""

from __future__ import annotations

import pytest

from yinju import Library
from yinju.cli import fresh
from yinju.embed.hashing import HashingEmbedder
from yinju.messages import set_language

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("lang", "going", "done"),
    [
        ("en", "Indexing the rest", "Done: 2 documents, 2 passages, all of them with vectors."),
        ("zh", "继续处理其余文件", "已完成：2 个文档，2 个段落，均已有向量。"),
    ],
)
def test_the_end_of_the_rest_is_told(tmp_path, monkeypatch, capsys, lang, going, done):
    for name in ("a", "b"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\n内容 text.\n", encoding="utf-8")
    set_language(lang)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as library:
        fresh.finish(library, tmp_path, quiet=False)
    told = capsys.readouterr().err
    assert going in told
    assert told.rstrip().endswith(done)
