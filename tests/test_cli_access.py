"""`yinju access`: who may see what, and the owner's list. English and Chinese."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from yinju import Library
from yinju.cli import run
from yinju.embed.hashing import HashingEmbedder
from yinju.principal import Principal
from yinju.types import Document


@pytest.mark.slow
def test_the_owner_sets_and_takes_away_a_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YINJU_EMBED_MODEL", "hashing")
    place = ["--library", str(tmp_path / "library")]
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as made:
        made.add(
            [
                Document.from_text("# 工资\n\n每月十五日。", source="资料/工资.md"),
                Document.from_text("# B\n\nText.", source="b.md"),
            ]
        )
    assert run(["access", *place]) == 0
    assert "No source" in capsys.readouterr().out
    assert run(["access", "工资.md", "--only", "hr", "--only", "小安", *place]) == 0
    assert capsys.readouterr().out == "资料/工资.md  owner: hr, 小安\n"
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as made:
        assert [one.source for one in made.seen_by(Principal("bob")).sources()] == ["b.md"]
    assert run(["sources", "--json", *place]) == 0
    listed = {one["source"]: one.get("access") for one in json.loads(capsys.readouterr().out)["sources"]}
    assert listed == {"b.md": None, "资料/工资.md": {"owner": ["hr", "小安"]}}
    assert run(["access", "b.md", "--only", "", "--json", *place]) == 0
    assert json.loads(capsys.readouterr().out) == {"sources": [{"source": "b.md", "access": {"owner": []}}]}
    monkeypatch.setenv("YINJU_LANG", "zh")
    assert run(["access", *place]) == 0
    assert capsys.readouterr().out == "b.md  所有者: 无人\n资料/工资.md  所有者: hr, 小安\n"
    assert run(["access", "b.md", "--open", *place]) == 0
    assert capsys.readouterr().out == "b.md  对所有可提问者开放\n"
    assert run(["access", "--open", *place]) == 2
    assert run(["access", "b.md", "--open", "--only", "x", *place]) == 2
    assert run(["access", "nothing.md", "--only", "x", *place]) == 74
