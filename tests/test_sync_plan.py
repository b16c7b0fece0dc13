"""The plan is pure: each rule by hand, then the property that a plan carried out leaves nothing to do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.errors import MassDelete
from yinju.sync.plan import Known, Plan, guard_against_mass_delete, make_plan, to_compare
from yinju.sync.scan import Scan
from yinju.types import FileReport, SourceFile

SECOND = 1_000_000_000
SYNCED = 1_000 * SECOND


def digest_of(content: str) -> str:
    return f"sha256:{content}"


def file(source: str, content: str = "one", modified: int = 10, *, read: bool = False) -> SourceFile:
    """A file as the scan finds it, or with its digest as the library remembers it."""
    return SourceFile(source, f"/root/{source}", len(content), modified * SECOND, digest_of(content) if read else None)


def known(*files: SourceFile) -> dict[str, Known]:
    return {f.source: Known(f) for f in files}


def plan_for(
    before: dict[str, Known],
    now: dict[str, SourceFile] | list[SourceFile],
    contents: dict[str, str] | None = None,
    **options: object,
) -> Plan:
    """Plan with the digests of exactly those files that `to_compare` asks for."""
    files = tuple(now.values()) if isinstance(now, dict) else tuple(now)
    found = Scan("/root", files=files, **{k: options.pop(k) for k in ("part", "unlisted", "problems") if k in options})  # type: ignore[arg-type]
    synced = options.pop("synced_ns", SYNCED)
    compare = to_compare(before, found, synced_ns=synced, check=bool(options.pop("check", False)))  # type: ignore[arg-type]
    digests = {f.source: digest_of(contents[f.source]) for f in compare if contents and f.source in contents}
    return make_plan(before, found, digests, synced_ns=synced, **options)  # type: ignore[arg-type]


def sources(files: tuple[SourceFile, ...]) -> list[str]:
    return [f.source for f in files]


def test_an_unchanged_file_is_not_even_compared() -> None:
    before = known(file("a.md", read=True), file("甲.md", read=True))
    found = Scan("/root", files=(file("a.md"), file("甲.md")))
    assert to_compare(before, found, synced_ns=SYNCED) == ()
    plan = make_plan(before, found, {}, synced_ns=SYNCED)
    assert plan.is_empty
    assert plan.unchanged == ("a.md", "甲.md")


def test_new_changed_and_deleted() -> None:
    before = known(
        file("same.md", read=True),
        file("longer.md", "ab", read=True),
        file("other.md", "abc", read=True),
        file("gone.md", "four", read=True),
    )
    now = [file("same.md"), file("longer.md", "abcd", 20), file("other.md", "xyz", 20), file("new.md", "12345")]
    plan = plan_for(before, now, {"other.md": "xyz", "longer.md": "abcd", "new.md": "12345"})
    assert (sources(plan.add), sources(plan.update), plan.remove) == (
        ["new.md"],
        ["longer.md", "other.md"],
        ("gone.md",),
    )
    assert sources(plan.reads) == ["longer.md", "new.md", "other.md"]


def test_a_new_date_alone_is_no_change() -> None:
    plan = plan_for(known(file("a.md", read=True)), [file("a.md", modified=99)], {"a.md": "one"})
    assert sources(plan.touch) == ["a.md"]
    assert not plan.reads


def test_check_compares_content_though_size_and_date_are_the_same() -> None:
    before = known(file("a.md", "one", read=True), file("b.md", "two", read=True))
    now = [file("a.md", "one"), file("b.md", "TWO")]
    assert plan_for(before, now, {"a.md": "one", "b.md": "TWO"}).is_empty
    assert sources(plan_for(before, now, {"a.md": "one", "b.md": "TWO"}, check=True).update) == ["b.md"]


@pytest.mark.parametrize(("modified", "compared"), [(997, False), (998, True), (1000, True), (2_000_000, True)])
def test_a_file_as_young_as_the_last_sync_is_compared(modified: int, compared: bool) -> None:
    # synced at 1000 s; file systems may round dates to 2 s, so from 998 s on a date proves nothing
    before = known(file("a.md", "one", modified, read=True))
    plan = plan_for(before, [file("a.md", "two", modified)], {"a.md": "two"})
    assert bool(plan.update) is compared


def test_without_a_finished_sync_dates_prove_nothing() -> None:
    before = known(file("a.md", "one", 10, read=True))
    assert plan_for(before, [file("a.md", "two", 10)], {"a.md": "two"}, synced_ns=None).update
    assert plan_for(before, [file("a.md", "one", 10)], {"a.md": "one"}, synced_ns=None).is_empty


def test_a_file_that_cannot_be_compared_is_read() -> None:
    before = known(file("a.md", "one", 10, read=True))
    assert sources(plan_for(before, [file("a.md", "one", 20)], {}).update) == ["a.md"]


@pytest.mark.parametrize(("old", "new"), [("a.md", "b.md"), ("订阅方案.md", "方案/订阅.md"), ("A.md", "a.md")])
def test_a_renamed_file_is_neither_removed_nor_read(old: str, new: str) -> None:
    plan = plan_for(known(file(old, read=True)), [file(new)], {new: "one"})
    assert plan.rename == ((old, file(new)),)
    assert not plan.remove
    assert not plan.reads


def test_a_copy_is_no_renamed_file() -> None:
    plan = plan_for(known(file("a.md", read=True)), [file("a.md"), file("copy.md")], {"copy.md": "one"})
    assert sources(plan.add) == ["copy.md"]
    assert not plan.rename


def test_another_suffix_is_another_document() -> None:
    plan = plan_for(known(file("a.md", read=True)), [file("a.txt")], {"a.txt": "one"})
    assert (plan.rename, sources(plan.add), plan.remove) == ((), ["a.txt"], ("a.md",))


def test_another_preset_is_another_document() -> None:
    plan = plan_for(
        known(file("a.md", read=True)),
        [file("law/a.md")],
        {"law/a.md": "one"},
        kind=lambda source: source.startswith("law/"),
    )
    assert not plan.rename


def test_renamed_files_of_one_content_are_told_apart_by_name() -> None:
    before = known(file("zh/intro.md", read=True), file("zh/安装.md", read=True), file("zh/third.md", read=True))
    now = [file("docs/zh/intro.md"), file("docs/zh/安装.md")]
    plan = plan_for(before, now, {f.source: "one" for f in now})
    assert [(old, f.source) for old, f in plan.rename] == [
        ("zh/intro.md", "docs/zh/intro.md"),
        ("zh/安装.md", "docs/zh/安装.md"),
    ]
    assert plan.remove == ("zh/third.md",)


def test_swapped_contents_are_two_changes() -> None:
    before = known(file("a.md", "one", read=True), file("b.md", "two", read=True))
    plan = plan_for(before, [file("a.md", "two", 20), file("b.md", "one", 21)], {"a.md": "two", "b.md": "one"})
    assert sources(plan.update) == ["a.md", "b.md"]
    assert not plan.rename


def test_what_cannot_be_listed_is_kept() -> None:
    before = known(file("a.md", read=True), file("locked/b.md", read=True), file("锁定/乙.md", read=True))
    cause = (FileReport("locked", "skipped", "permission", "hint"), FileReport("锁定", "skipped", "permission", "hint"))
    plan = plan_for(before, [file("a.md")], unlisted=("locked", "锁定"), problems=cause)
    assert plan.remove == ()
    assert plan.kept == (
        FileReport("locked/b.md", "kept", "permission", "hint"),
        FileReport("锁定/乙.md", "kept", "permission", "hint"),
    )
    assert plan.skip == cause


def test_a_part_says_nothing_about_the_rest() -> None:
    before = known(
        file("a.md", read=True), file("sub/b.md", read=True), file("sub/c.md", read=True), file("subway.md", read=True)
    )
    plan = plan_for(before, [file("sub/c.md")], part="sub")
    assert (plan.remove, plan.unchanged) == (("sub/b.md",), ("sub/c.md",))


def test_a_bad_file_is_not_read_again_until_it_changes() -> None:
    bad = Known(file("bad.pdf"), "skipped", "damaged", "hint")
    plan = plan_for({"bad.pdf": bad}, [file("bad.pdf")])
    assert plan.is_empty
    assert plan.known_problems == (FileReport("bad.pdf", "skipped", "damaged", "hint"),)
    assert sources(plan_for({"bad.pdf": bad}, [file("bad.pdf", modified=20)]).update) == ["bad.pdf"]


@pytest.mark.parametrize("reason", ["permission", "changed-during-read", "crashed: exit 9", "missing"])
def test_a_passing_failure_is_tried_again(reason: str) -> None:
    assert sources(plan_for({"a.md": Known(file("a.md"), "kept", reason)}, [file("a.md")]).update) == ["a.md"]


def test_a_record_of_a_bad_file_goes_with_the_file() -> None:
    plan = plan_for({"bad.pdf": Known(file("bad.pdf"), "skipped", "damaged")}, [])
    assert (plan.remove, plan.forget) == ((), ("bad.pdf",))


def test_a_name_that_is_taken_is_skipped() -> None:
    plan = plan_for({}, [file("memo.md"), file("备忘.md")], taken={"memo.md", "备忘.md", "other.md"})
    assert plan.is_empty
    assert [(p.source, p.reason) for p in plan.skip] == [("memo.md", "name-taken"), ("备忘.md", "name-taken")]


def test_everything_reads_everything_once() -> None:
    plan = plan_for(
        known(file("a.md", read=True), file("old.md", "four", read=True)),
        [file("a.md"), file("new.md", "four")],
        everything=True,
    )
    assert (sources(plan.update), sources(plan.add), plan.remove) == (["a.md"], ["new.md"], ("old.md",))


@pytest.mark.parametrize(
    ("size", "gone", "refused"),
    [(19, 19, False), (20, 6, False), (20, 7, True), (21, 7, False), (21, 8, True), (90, 30, False), (90, 31, True)],
)  # a third of 20 is 6.67, of 21 is 7
def test_mass_deletion(size: int, gone: int, refused: bool) -> None:
    files = [file(f"{number:02}.md", f"{number:02}", read=True) for number in range(size)]
    before = known(*files)
    plan = plan_for(before, [replace(f, digest=None) for f in files[gone:]])
    assert len(plan.remove) == gone
    if not refused:
        guard_against_mass_delete(plan, before, size)
        return
    with pytest.raises(MassDelete) as caught:
        guard_against_mass_delete(plan, before, size)
    assert "--allow-mass-delete" in (caught.value.hint or "")


def test_files_emptied_all_at_once_are_a_mass_deletion_too() -> None:
    files = [file(f"{number:02}.md", f"{number:02}", read=True) for number in range(20)]
    plan = plan_for(known(*files), [file(f.source, "", 20) for f in files])
    with pytest.raises(MassDelete):
        guard_against_mass_delete(plan, known(*files), 20)


def test_renamed_files_are_no_deletion() -> None:
    files = [file(f"{number:02}.md", f"{number:02}", read=True) for number in range(20)]
    now = [file(f"new/{f.source}", f.source[:2]) for f in files]
    plan = plan_for(known(*files), now, {f.source: f.source[4:6] for f in now})
    assert len(plan.rename) == 20
    guard_against_mass_delete(plan, known(*files), 20)


def test_a_small_root_is_guarded_by_the_size_of_the_library() -> None:
    files = [file(f"{number:02}.md", f"{number:02}", read=True) for number in range(15)]
    plan = plan_for(known(*files), [])
    guard_against_mass_delete(plan, known(*files), 100)
    with pytest.raises(MassDelete):
        guard_against_mass_delete(plan, known(*files), 30)


# Properties

tree = st.dictionaries(
    st.sampled_from(["a.md", "b.md", "c.txt", "sub/a.md", "sub/d.md", "文档/甲.md", "文档/乙.md"]),
    st.tuples(st.sampled_from(["one", "two", "six", "three", ""]), st.integers(900, 1010)),
)


def as_scan(files: dict[str, tuple[str, int]]) -> list[SourceFile]:
    return [file(source, content, modified) for source, (content, modified) in sorted(files.items())]


def carried_out(before: dict[str, Known], plan: Plan, contents: dict[str, str]) -> dict[str, Known]:
    """What the library knows after the plan, were every file readable (empty ones hold no text)."""
    after = dict(before)
    for old, renamed in plan.rename:
        after[renamed.source] = Known(replace(renamed, digest=after.pop(old).file.digest))
    for touched in plan.touch:
        after[touched.source] = Known(replace(touched, digest=before[touched.source].file.digest))
    for read in plan.reads:
        content = contents[read.source]
        after[read.source] = (
            Known(replace(read, digest=digest_of(content))) if content else Known(read, "skipped", "empty")
        )
    for source in (*plan.remove, *plan.forget):
        del after[source]
    return after


@given(tree, tree)
def test_a_plan_carried_out_leaves_nothing_to_do(
    first: dict[str, tuple[str, int]], second: dict[str, tuple[str, int]]
) -> None:
    state: dict[str, Known] = {}
    for files in (first, second):
        contents = {source: content for source, (content, _) in files.items()}
        plan = plan_for(state, as_scan(files), contents, check=True)
        state = carried_out(state, plan, contents)
        assert plan_for(state, as_scan(files), contents).is_empty
        assert {s: k.file.digest for s, k in state.items() if k.has_text} == {
            s: digest_of(c) for s, c in contents.items() if c
        }


@given(tree, tree)
def test_every_file_is_accounted_for_once(
    first: dict[str, tuple[str, int]], second: dict[str, tuple[str, int]]
) -> None:
    contents = {source: content for source, (content, _) in first.items()}
    state = carried_out({}, plan_for({}, as_scan(first), contents), contents)
    contents = {source: content for source, (content, _) in second.items()}
    plan = plan_for(state, as_scan(second), contents)
    present = [*sources(plan.add), *sources(plan.update), *sources(plan.touch), *plan.unchanged]
    present += [f.source for _, f in plan.rename] + [p.source for p in plan.known_problems]
    assert sorted(present) == sorted(second)
    gone = [*plan.remove, *plan.forget, *(old for old, _ in plan.rename)]
    assert sorted(gone) == sorted(set(state) - set(second))
