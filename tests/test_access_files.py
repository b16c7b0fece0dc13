"""Access lists and files: rules files, front matter, renames, removal, pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdf_writer import lines, make_pdf
from yinju import Library
from yinju.embed.hashing import HashingEmbedder
from yinju.errors import SourceMissing
from yinju.principal import Principal

ANN, BOB = Principal("ann", ("hr",)), Principal("bob")


def sources(seen: Library) -> list[str]:
    return [record.source for record in seen.sources()]


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


# files, names, threads


@pytest.mark.slow
def test_rules_apply_at_the_next_sync_and_no_file_is_read_for_them(tmp_path: Path) -> None:
    write(tmp_path, "人事/工资.md", "# 工资\n\n每月十五日发放。")
    write(tmp_path, "a.md", "# A\n\nOpen to all.")
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        seen = made.seen_by(BOB)
        assert sources(seen) == ["a.md", "人事/工资.md"]
        for text, expected in (
            ("人事/*: hr\n", ["a.md"]), ("人事/*: hr, bob\n", ["a.md", "人事/工资.md"]), ("*: ann\na.md: bob", ["a.md"]), ("oops", []),
        ):  # fmt: skip
            write(tmp_path, ".yinjuaccess", text)
            report = made.sync(tmp_path)
            assert (report.added, report.updated, report.embedded, report.unchanged) == (0, 0, 0, 2)
            assert sources(seen) == expected, text
            assert bool(report.notices) == (text == "oops")
            generation = made.status()["generation"]
            made.sync(tmp_path)
            assert made.status()["generation"] == generation  # nothing left to do
        (tmp_path / ".yinjuaccess").unlink()
        (tmp_path / ".yinjuaccess").mkdir()
        made.sync(tmp_path)
        assert sources(seen) == []
        (tmp_path / ".yinjuaccess").rmdir()
        made.sync(tmp_path / "a.md")  # a part of the root: the rules hold for all of it
        assert sources(seen) == ["a.md", "人事/工资.md"]


@pytest.mark.slow
def test_a_new_file_is_never_seen_before_its_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "open.md", "# Open\n\nText.")
    write(tmp_path, ".yinjuaccess", "secret/*: hr")
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        seen, met = made.seen_by(BOB), []
        write(tmp_path, "secret/plan.md", "# Plan\n\nNobody knows.")
        made.sync(
            tmp_path,
            progress=lambda _progress: met.append(sources(seen)),
            on_file=lambda _report: met.append(sources(seen)),
        )
        assert met
        assert all(found == ["open.md"] for found in met)
        write(tmp_path, "secret/plan.md", "# Plan\n\nEverybody may know this, what was secret is gone.")
        write(tmp_path, ".yinjuaccess", "")
        met.clear()
        made.sync(tmp_path, on_file=lambda _report: met.append(sources(seen)))
        assert met == [["open.md"]]  # nobody reads the old text by the new rules: they come last
        assert sources(seen) == ["open.md", "secret/plan.md"]
        assert "Nobody" not in seen.read("secret/plan.md").text


@pytest.mark.slow
def test_rules_of_a_folder_hold_for_a_folder_inside_it_that_is_synced_alone(tmp_path: Path) -> None:
    write(tmp_path, "docs/a.md", "# A\n\nText.")
    write(tmp_path, "docs/inner/b.md", "# B\n\nText.")
    write(tmp_path, "docs/inner/c.md", "# C\n\nText.")
    write(tmp_path, "docs/.yinjuaccess", "inner/b.md: hr")
    write(tmp_path, "docs/inner/.yinjuaccess", "b.md: *\nc.md: ann")
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as made:
        made.sync([tmp_path / "docs", tmp_path / "docs/inner"])
        assert len(sources(made)) == 3
        assert sources(made.seen_by(BOB)) == ["a.md"]
        assert len(sources(made.seen_by(ANN))) == 3
        write(tmp_path, "docs/.yinjuaccess", "")
        made.sync(tmp_path / "docs/a.md")
        assert sources(made.seen_by(BOB)) == ["a.md", "inner/b.md"]
    with Library.open(tmp_path / "other", embedder=HashingEmbedder()) as made:
        write(tmp_path, "docs/.yinjuaccess", "inner/b.md: hr")
        made.sync(tmp_path / "docs/inner")  # a root of its own: the rules around it are not known yet
        assert sources(made.seen_by(BOB)) == ["b.md"]
        made.sync(tmp_path / "docs")
        assert [name.rsplit("/")[-1] for name in sources(made.seen_by(BOB))] == ["a.md"]


@pytest.mark.slow
def test_a_folder_that_is_gone_takes_no_list_with_it(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "# A\n\nText.")
    write(tmp_path, "secret/b.md", "# B\n\nText.")
    write(tmp_path, "secret/.yinjuaccess", "*: hr")
    with Library.open(tmp_path / "library", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        (tmp_path / "secret").rename(tmp_path.parent / "elsewhere")
        made.sync(tmp_path / "a.md")
        assert sources(made) == ["a.md", "secret/b.md"]
        assert sources(made.seen_by(BOB)) == ["a.md"]


@pytest.mark.slow
def test_lists_follow_a_rename_and_outlive_removal_and_reading_anew(tmp_path: Path) -> None:
    write(tmp_path, "计划.md", "---\naccess: bob, hr\n---\n# 计划\n\n明年的计划。")
    write(tmp_path, "b.md", "# B\n\nText.")
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        made.restrict("计划.md", ["hr"])
        (tmp_path / "计划.md").rename(tmp_path / "新计划.md")
        assert made.sync(tmp_path).renamed == 1
        assert made.access("新计划.md") == {"document": ("bob", "hr"), "owner": ("hr",)}
        assert sources(made.seen_by(BOB)) == ["b.md"]
        write(tmp_path, "新计划.md", "# 计划\n\n后年的计划。")
        made.sync(tmp_path)
        assert made.access("新计划.md") == {"owner": ("hr",)}
        made.remove("新计划.md")
        made.sync(tmp_path, allow_mass_delete=True)
        assert sources(made.seen_by(ANN)) == ["b.md", "新计划.md"]
        assert sources(made.seen_by(BOB)) == ["b.md"]


@pytest.mark.slow
def test_pages_are_drawn_of_documents_that_may_be_seen(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(make_pdf([lines(["Six months of warranty for every apple that we sell."])]))
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        seen = made.seen_by(BOB)
        assert seen.page_picture("a.pdf", 1).startswith(b"\x89PNG")
        made.restrict("a.pdf", "hr")
        with pytest.raises(SourceMissing):
            seen.page_picture("a.pdf", 1)


@pytest.mark.slow
@pytest.mark.parametrize("line", ["access: 7", "access: []", "access: [人事", "access：人事"])
def test_the_owner_is_told_of_a_document_that_lets_nobody_in(tmp_path: Path, line: str) -> None:
    write(tmp_path, "a.md", f"---\n{line}\n---\n# 工资\n\n每月十五日。")
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        assert any("nobody" in warning for warning in made.receipt("a.md").receipt.warnings)
        assert sources(made) == ["a.md"]
        assert sources(made.seen_by(ANN)) == []


@pytest.mark.slow
def test_an_undo_opens_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "---\naccess: hr\n---\n# A\n\nA secret. 一个秘密。")
    with Library.open(tmp_path / ".yinju", embedder=HashingEmbedder()) as made:
        made.sync(tmp_path)
        seen = made.seen_by(BOB)
        write(tmp_path, "a.md", "# A\n\nFor everybody. 人人可读。")
        made.sync(tmp_path)
        assert "everybody" in seen.read("a.md").text
        made.undo()
        assert sources(seen) == []
        assert "secret" in made.seen_by(ANN).read("a.md").text
        made.restrict("a.md", "ann")
        made.remove("a.md")
        made.undo()
        assert made.access("a.md") == {"document": ("hr",), "owner": ("ann",)}
