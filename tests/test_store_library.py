"""What is put into a library is found in it, equal, and what is removed is gone. In memory and on disk."""

from __future__ import annotations

import os
import stat
import sys

import numpy as np
import pytest

from store_samples import FINGERPRINT, embed_all, entry, file_of, text_hash, vector
from yinju.errors import StoreBusy, UsageError
from yinju.store import Skipped, Store, chunk_id
from yinju.sync import scan
from yinju.types import Chunk, Document, Dropped, Mark, Receipt, Span, document_id


@pytest.fixture(params=["disk", "memory"])
def store(request, tmp_path):
    with Store.open(tmp_path / ".yinju" if request.param == "disk" else None) as opened:
        yield opened


def put(store, *entries):
    with store.writer() as writer:
        writer.put(entries)


def texts(store, rowids):
    return [chunk.chunk.text for chunk in store.chunks(rowids)]


def test_a_document_comes_back_equal(store):
    document = Document(
        "# 标题\n正文 😀 \ud800",
        "目录/说明.md",
        title="说明",
        type="markdown",
        language="zh",
        metadata={"author": ["王", "李"], "pages": 3},
        marks=(Mark("heading", Span(0, 4), 1, "标题"), Mark("page", Span(0, 9), 2)),
        anchors=((0, 3), (5, 9)),
        preset="law",
    )
    receipt = Receipt(7, 7, 9, (Dropped("页眉", 2),), 4, 1, ("注意",))
    made = entry("目录/说明.md", "正文")
    put(store, type(made)(document, made.chunks, receipt, file_of("目录/说明.md"), "/root"))
    assert store.document("目录/说明.md") == document
    assert store.receipt("目录/说明.md") == receipt
    assert store.document("other.md") is None
    assert store.receipt("other.md") is None


def test_a_source_that_is_no_unicode_is_kept_as_it_is(store):
    source = os.fsdecode(b"\xff\xfe.md")
    put(store, entry(source, "正文"))
    assert store.sources()[0].source == source
    assert store.files("/root") == {source: file_of(source)}
    assert store.chunks_of(source)[0].source == source


def test_chunks_come_in_the_asked_order_and_missing_ones_are_left_out(store):
    put(store, entry("a.md", "一", "二", "三"))
    assert texts(store, [3, 99, 1]) == ["三", "一"]
    assert [chunk.chunk.index for chunk in store.chunks_of("a.md")] == [0, 1, 2]
    found = store.chunk_by_id(chunk_id(document_id("a.md"), text_hash("二"), 0))
    assert found is not None
    assert found.chunk == Chunk("a.md", 1, Span(2, 3), "二", ("标题",), "", (2, 2), None, 3)
    assert store.chunk_by_id("c_nothing") is None


def test_replacing_keeps_vectors_of_unchanged_text_and_drops_the_others(store):
    with store.writer() as writer:
        writer.put([entry("a.md", "一 段", "二 段")])
        assert embed_all(store, writer) == 2
        writer.put([entry("a.md", "二 段", "三 段")])
        assert [hash_ for hash_, _ in store.missing_vectors(FINGERPRINT, 10)] == [text_hash("三 段")]
        assert store.counts().embedded(FINGERPRINT) == 1
        assert [score for _, score in store.nearest(FINGERPRINT, vector("一 段"), 10)] == pytest.approx(
            [float(vector("一 段") @ vector("二 段"))], abs=1e-6
        )


def test_two_documents_share_a_vector_until_the_last_one_goes(store):
    with store.writer() as writer:
        writer.put([entry("a.md", "同 文"), entry("b.md", "同 文")])
        assert embed_all(store, writer) == 1
        assert len(store.nearest(FINGERPRINT, vector("同 文"), 10)) == 2
        writer.remove(["a.md"])
        assert len(store.nearest(FINGERPRINT, vector("同 文"), 10)) == 1
        writer.remove(["b.md"])
        assert store.nearest(FINGERPRINT, vector("同 文"), 10) == []
        assert store.counts().embedded(FINGERPRINT) == 0
        # A vector that comes too late for a removed text is no orphan.
        assert writer.put_vectors(FINGERPRINT, 4, [(text_hash("同 文"), vector("同 文"))]) == 0


def test_renaming_keeps_text_and_vectors_and_ids_follow_the_name(store):
    with store.writer() as writer:
        writer.put([entry("a.md", "甲 文"), entry("b.md", "乙 文")])
        embed_all(store, writer)
        writer.rename([("a.md", "b.md", file_of("b.md")), ("b.md", "a.md", file_of("a.md"))])
        assert store.missing_vectors(FINGERPRINT, 10) == []
        assert [chunk.chunk.text for chunk in store.chunks_of("b.md")] == ["甲 文"]
        assert [chunk.id for chunk in store.chunks_of("b.md")] == [chunk_id(document_id("b.md"), text_hash("甲 文"), 0)]
        writer.rename([("a.md", "b.md", file_of("b.md"))])  # onto another document: that one is replaced
        assert [summary.source for summary in store.sources()] == ["b.md"]
        assert texts(store, store.word_candidates(["甲", "乙"], [], 10)) == ["乙 文"]


def test_skipped_files_are_remembered_and_kept_versions_serve(store):
    with store.writer() as writer:
        writer.put([entry("a.md", "旧 文"), entry("b.md", "另 文")])
        writer.skip(
            [
                Skipped("a.md", "/root", file_of("a.md", "sha256:01"), "kept", "permission", "请检查权限"),
                Skipped("b.md", "/root", file_of("b.md", "sha256:02"), "skipped", "empty"),
                Skipped("c.pdf", "/root", file_of("c.pdf"), "skipped", "encrypted: 需要密码"),
            ]
        )
        assert [(summary.source, summary.state) for summary in store.sources()] == [
            ("a.md", "kept"),
            ("b.md", "skipped"),
            ("c.pdf", "skipped"),
        ]
        assert store.files("/root")["a.md"].digest == "sha256:01"
        assert texts(store, store.word_candidates(["旧", "另"], [], 10)) == ["旧 文"]
        assert [item.reason for item in store.skipped()] == ["permission", "empty", "encrypted: 需要密码"]
        writer.touch([file_of("a.md", "sha256:00", 5)])  # readable again and unchanged
        assert store.files("/root")["a.md"].modified_ns == 5
        assert [item.source for item in store.skipped()] == ["b.md", "c.pdf"]
        writer.put([entry("b.md", "新 文")])
        writer.remove(["c.pdf"])
        assert store.skipped() == []


@pytest.mark.parametrize(
    "hostile",
    [
        "BENCH-100821",
        "TODO:",
        "38.101",
        '"unclosed',
        "AND",
        "NOT",
        "C++",
        "it's",
        "*",
        "(",
        "title:x",
        "版本：2.0",
        "NEAR(a",
        "a--b;",
        "''",
    ],
)
def test_hostile_terms_are_found_as_they_are(store, hostile):
    put(store, entry("a.md", hostile), entry("b.md", "其他"))
    assert texts(store, store.word_candidates([hostile], [], 10)) == [hostile]
    assert store.statistics([hostile, "missing"], []).word_frequency == {hostile: 1, "missing": 0}


def test_terms_that_no_index_can_hold_are_left_out(store):
    made = entry("a.md", "正文")
    chunk = made.chunks[0]
    odd = type(chunk)(chunk.id, chunk.chunk, chunk.text_hash, ("", "a b", "\0", "\ud800", "好"), ("\n",))
    put(store, type(made)(made.document, (odd,), made.receipt, made.file, made.root))
    assert store.word_candidates(["", "a b", "\0", "\ud800", "好"], ["\n"], 10) == [1]
    assert store.term_counts([1])[1].words == {"好": 1}


def test_candidates_weigh_rare_terms_more_and_the_filter_comes_before_the_cut(store):
    put(store, *(entry(f"{number}.md", "常 见" if number else "常 罕") for number in range(300)))
    assert store.word_candidates(["常", "罕"], [], 1) == [1]
    only = store.allowed({"source": "299.md"})
    assert only is not None
    assert texts(store, store.word_candidates(["常", "罕"], [], 5, only)) == ["常 见"]
    many = np.arange(1, 400, dtype=np.int64)  # enough to go the way of large filters
    assert store.word_candidates(["常", "罕"], [], 5, many[many != 1]) == [2, 3, 4, 5, 6]
    assert store.word_candidates(["常", "罕"], ["常罕"], 400, many[:250]) == many[:250].tolist()
    assert store.word_candidates(["罕"], [], 5, only) == []
    assert store.word_candidates([], [], 5) == []


def test_kept_terms_count_what_was_put(store):
    put(store, entry("a.md", "退 退 款 e-4031"))
    counts = store.term_counts([1, 7], ["退", "无", "e-4031"], ["退退"])
    assert list(counts) == [1]
    assert (counts[1].words, counts[1].bigrams) == ({"退": 2, "e-4031": 1}, {"退退": 1})
    assert (counts[1].word_length, counts[1].bigram_length) == (4, len("退退款e-4031") - 1)
    statistics = store.statistics([], [])
    assert (statistics.passages, statistics.average_words) == (1, 4.0)


def test_filters(store):
    put(
        store,
        entry("faq/在校生.md", "一", author="王芳", tags=["价格", "折扣"], modified="2024-03-05T10:00:00"),
        entry("plans.md", "二", author="Ｗａｎｇ"),
        entry("guide/a/b.md", "三", draft=True),
    )

    def matching(**where):
        return texts(store, [int(rowid) for rowid in store.allowed(where)])

    assert store.allowed({}) is None
    assert matching(source="faq/*") == ["一"]
    assert matching(source="guide/*") == ["三"]
    assert matching(author="wang") == ["二"]  # full width, upper case
    assert matching(tags="折*") == ["一"]
    assert matching(draft="true") == ["三"]
    assert matching(headings="標題") == ["一", "二", "三"]  # traditional
    assert matching(headings="无*") == []
    assert matching(modified=">=2024-03-05") == ["一"]
    assert matching(modified="<=2024-03-05") == [
        "一",
        "二",
        "三",
    ]  # files without a date of their own are of 2023-11-14
    assert matching(modified="<2024") == ["二", "三"]
    assert matching(modified="2023-*", source="p*") == ["二"]
    assert matching(unknown="*") == []
    with pytest.raises(UsageError):
        store.allowed({"modified": ">=gestern"})
    with pytest.raises(UsageError):
        store.allowed({"source": "*" * 5000})


def test_values_roots_log_and_generation(store):
    with store.writer() as writer:
        before = store.generation
        writer.set_value("embedder", "e5")
        writer.set_root("/root", "甲")
        assert writer.log("sync", {"removed": ["a.md"]}) == 1
        writer.log("sync", [])
        assert store.generation == before + 4
        assert store.value("embedder") == "e5"
        writer.set_value("embedder", None)
        assert store.value("embedder") is None
        assert store.roots() == [("/root", "甲")]
        writer.adopt("/new", "甲", {}, forget=["/root"])
        assert store.roots() == [("/new", "甲")]
    newest, oldest = store.log(5)
    assert (oldest.content, oldest.number, oldest.generation) == ({"removed": ["a.md"]}, 1, before + 3)
    assert [entry.number for entry in store.log(1)] == [newest.number]


def test_vectors_must_fit_their_space(store):
    with store.writer() as writer:
        writer.put([entry("a.md", "一")])
        for wrong in (np.ones(3, np.float32), np.array([1, np.nan, 0, 0], np.float32)):
            with pytest.raises(UsageError):
                writer.put_vectors(FINGERPRINT, 4, [(text_hash("一"), wrong)])
        embed_all(store, writer)
        with pytest.raises(UsageError):
            writer.put_vectors(FINGERPRINT, 5, [(text_hash("一"), np.ones(5, np.float32))])
        with pytest.raises(UsageError):
            store.nearest(FINGERPRINT, np.ones(5, np.float32), 3)
        assert store.fingerprints() == {FINGERPRINT: 4}
        assert store.nearest("unknown", np.ones(4, np.float32), 3) == []
        writer.forget_vectors(FINGERPRINT)
        assert store.fingerprints() == {}
        assert store.nearest(FINGERPRINT, vector("一"), 3) == []


def test_missing_vectors_come_in_the_order_that_was_asked(store):
    put(store, entry("a.md", "一", "二", "三", "一"))
    assert [rowid for _, rowid in store.missing_vectors(FINGERPRINT, 10, first=[3, 2])] == [3, 2, 1]
    assert [rowid for _, rowid in store.missing_vectors(FINGERPRINT, 2)] == [1, 2]
    assert store.missing_vectors(FINGERPRINT, 0) == []


def test_a_failed_transaction_leaves_nothing(store):
    put(store, entry("a.md", "旧 文"))
    before = store.generation
    broken = entry("b.md", "新 文")
    unusable = type(broken)(broken.document, (object(),), broken.receipt, broken.file, broken.root)
    with store.writer() as writer, pytest.raises(AttributeError):
        writer.put([entry("a.md", "改 文"), unusable])
    assert store.generation == before
    assert [chunk.chunk.text for chunk in store.chunks_of("a.md")] == ["旧 文"]
    assert store.document("b.md") is None


def test_a_second_writer_is_refused_and_says_who_writes(store):
    with store.writer(), pytest.raises(StoreBusy) as caught:
        store.writer(wait=0.1)
    assert caught.value.hint
    assert caught.value.exit_code == 75
    if store.folder is not None:
        assert str(os.getpid()) in caught.value.message
    with store.writer():
        pass


def test_closed_things_say_so(store):
    writer = store.writer()
    writer.close()
    writer.close()
    with pytest.raises(RuntimeError):
        writer.set_value("a", "b")
    store.close()
    store.close()
    with pytest.raises(RuntimeError):
        store.counts()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_library_is_private_and_ignored_by_git(tmp_path):
    folder = tmp_path / "deep" / ".yinju"
    with Store.open(folder) as store, store.writer() as writer:
        writer.put([entry("a.md", "一")])
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        private = [path for path in folder.iterdir() if path.name != ".gitignore"]
        assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
        assert (folder / ".gitignore").read_text() == "*\n"


def test_what_was_removed_left_no_byte(tmp_path):
    with Store.open(tmp_path) as store, store.writer() as writer:
        writer.put([entry(f"{number}.md", f"普通 文字 {number}") for number in range(200)])
        writer.put([entry("secret.md", "蓝鲸四十二 canaryword42", author="canaryauthor")])
        writer.remove(["secret.md"])
        writer.close()
        content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for trace in ("canaryword42", "canaryauthor", "蓝鲸四十二", "secret.md", "canaryw"):
        assert trace.encode() not in content, trace


@pytest.mark.parametrize("name", ["note.md", "说明.md"])
def test_a_library_among_documents_hides_none_of_them(tmp_path, name):
    (tmp_path / name).write_text("the warranty lasts six months 保修六个月", encoding="utf-8")
    with Store.open(tmp_path) as store:
        assert not (tmp_path / ".gitignore").exists()
        found = scan(str(tmp_path), leave_out=store.own_files())
    assert [file.source for file in found.files] == [name]
    with Store.open(tmp_path / ".yinju"):
        assert (tmp_path / ".yinju" / ".gitignore").read_text(encoding="utf-8") == "*\n"
