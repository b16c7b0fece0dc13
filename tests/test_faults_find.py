"""Faults that users of other systems met in embedding, search and sync: the id of each (shared/faults) stands in the test's id."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from test_embed_http import Server, good, unit
from yinju import Document, Library, sync
from yinju.embed import HttpEmbedder
from yinju.errors import DocumentError, ModelError, StoreBusy
from yinju.load import load_file
from yinju.testing import FakeEmbedder

MODES = ("lexical", "dense", "hybrid", "rank-fusion")


def fault(number: int, *values: object, name: str = "") -> object:
    return pytest.param(*values, id=f"fault-{number}{'-' + name if name else ''}")


@pytest.fixture
def library() -> Iterator[Library]:
    with Library.open(embedder=FakeEmbedder()) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "docs"
    root.mkdir()
    return root


def fill(library: Library, *texts: str, **more: str) -> None:
    named = {f"{number}.md": text for number, text in enumerate(texts)} | {
        f"{key}.md": text for key, text in more.items()
    }
    library.add([Document.from_text(text, source=source) for source, text in named.items()])


def found(library: Library, question: str, mode: str = "lexical", **more: object) -> list[str]:
    return [hit.source for hit in library.search(question, mode=mode, **more)]  # type: ignore[arg-type]


# Words


@pytest.mark.parametrize(
    ("question", "sources"), [fault(15, "宫保鸡丁", ["0.md"]), fault(15, "牛排", []), fault(15, "zebra", [])]
)
def test_words_find_what_has_them_and_nothing_else(library, question, sources):
    fill(library, "宫保鸡丁的做法：先炸花生。", "蒸蛋要用凉水调。", "土豆丝先泡水。")
    assert found(library, question) == sources


@pytest.mark.parametrize(
    "question", [fault(16, text, name=text) for text in ("task", "run", "run-task", "恢复", "80", "run_task", "第5步")]
)
def test_words_glued_to_chinese_are_found(library, question):
    fill(library, "第5步 重跑run-task后80条恢复", "别的内容没有关系")
    assert found(library, question) == ["0.md"]


@pytest.mark.parametrize(
    "question", [fault(19, text) for text in ("XYZ-456", "xyz-456", "ＸＹＺ", "7kg", "7公斤的xyz456")]
)
def test_width_does_not_matter_and_the_original_is_shown(library, question):
    text = "货号ＸＹＺ－４５６，毛重７㎏…注意：湿度≤60％"
    fill(library, text, "别的内容没有关系")
    hit = library.search(question, 1, "lexical")[0]
    assert hit.text == text == hit.span.of(library.document("0.md").text)


def test_traditional_text_is_found_by_simplified_words_and_shown_as_it_is(library):  # fault 25
    fill(library, "臺北前端團隊於週五發佈新版。")
    assert library.search("前端团队发布", 1, "lexical")[0].text == "臺北前端團隊於週五發佈新版。"
    assert "臺北前端團隊" in library.context("前端团队什么时候发布").text
    answer = library.ask("前端团队星期几发布新版？", refuse_below=0)
    assert all(citation.quote in "臺北前端團隊於週五發佈新版。" for citation in answer.citations)


@pytest.mark.parametrize("question", [fault(37, "scientific"), fault(37, "office"), fault(37, "floor")])
def test_ligatures_are_letters(library, question):
    fill(library, "Our scienti\ufb01c of\ufb01ce is on the top \ufb02oor.", "nothing of the kind")
    assert found(library, question) == ["0.md"]


AWKWARD = [
    "BUG-100934", "FIXME: later", "42.117", '"open quote', "this AND", "NOT that", "C++", "it's", "title:y", "版本：3.1", "NEAR(u v)",
    "a*b", "(x1", "u-v_w.z", "{k}", "^top", "--no-wait", "%d",
]  # fmt: skip


@pytest.mark.parametrize("text", [fault(84, text, name=text) for text in AWKWARD])
@pytest.mark.parametrize("mode", MODES)
def test_any_text_is_a_question_and_finds_itself(library, text, mode):
    fill(library, f"here stands {text} in the middle", "a page about pumps and valves", "第三页讲别的")
    assert found(library, text, mode)[0] == "0.md"


@pytest.mark.parametrize(
    "text", [fault(84, text) for text in ("*", "(", '"', "AND", "。", "\x00", "-", "NEAR(", "* * *")]
)
@pytest.mark.parametrize("mode", MODES)
def test_signs_alone_raise_nothing(library, text, mode):
    fill(library, "a page", "第二页")
    library.search(text, mode=mode)  # no fault, whatever it finds


# Kin of the faults of words: one text, all the ways in which people ask for it
KIN = {
    "订单号DD20240501001已发货": ("DD20240501001", "dd20240501001", "20240501001", "订单DD20240501001"),
    "函数foo_bar_baz返回None": ("foo_bar_baz", "fooBarBaz", "foo-bar-baz", "FOO_BAR_BAZ"),
    "第2.3.1节 安装": ("2.3.1", "第2.3.1节"),
    "ISBN 978-7-111-40701-0": ("9787111407010", "978-7-111-40701-0"),
    "用户@张三 的标签 #紧急#": ("@张三", "#紧急#"),
    "H₂O 与 CO₂ 排放": ("H2O", "co2"),
    "ＡＩ助手\u3000使用说明": ("AI助手", "ai 助手"),
    "한국어 문서입니다": ("문서",),
    "日本語の文書です": ("文書",),
    "Straße und Größe": ("STRASSE", "Grösse", "grosse"),
    "Привет, мир": ("МИР",),
    "soft\u00adhyphen and zero\u200bwidth": ("softhyphen", "zerowidth"),
    "error 0x80070005 at C:\\\\Users\\\\me": ("0X80070005", "80070005", "C:\\\\Users"),
    "see https://example.com/a?b=c#d": ("https://example.com/a?b=c#d", "example.com"),
    "id 550e8400-e29b-41d4-a716-446655440000": ("550E8400E29B41D4A716446655440000",),
    "龍門客棧的電話": ("龙门客栈", "龍門"),
}


@pytest.mark.parametrize(("text", "question"), [(text, question) for text, asked in KIN.items() for question in asked])
def test_kin_of_words_are_found(library, text, question):
    fill(library, text, "别的内容没有关系", "nothing of this kind")
    assert found(library, question) == ["0.md"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text",
    [
        "a^2",
        "a~1",
        "+a",
        "a:b",
        "[[",
        "“”",
        '""',
        "- -",
        "-“a”",
        "a AND (b OR",
        "\u202e",
        "\ud800",
        "🙃",
        "\\\\",
        " -x",
    ],
)
def test_kin_of_syntax_raises_nothing(library, text, mode):
    library.search(text, mode=mode)  # empty library
    fill(library, "a page", "第二页")
    library.search(text, mode=mode)


# Filters and fusion


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("limit", [fault(81, 5), fault(81, 500)])
def test_filters_come_before_the_cut(library, mode, limit):
    near = [Document.from_text(f"valve pressure setting {n}", source=f"b/{n}.md") for n in range(150)]
    far = [
        Document.from_text(f"One remark on the pressure of gas number {n} among many other things", source=f"a/{n}.md")
        for n in range(10)
    ]
    library.add(near + far)
    hits = library.search("valve pressure setting", limit, mode, {"source": "a/*"}, collapse=False)
    assert len(hits) == min(limit, 10)
    assert all(hit.source.startswith("a/") for hit in hits)


@pytest.mark.parametrize("mode", ["lexical"])
def test_fewer_hits_than_asked_are_not_filled_up(library, mode):  # fault 86
    kinds = ["food", "tool", "food", "tool", "tool"]
    texts = ["apple pie", "apple peeler", "bread", "saw", "apple press"]
    library.add(
        [
            Document.from_text(t, source=f"{n}.md", metadata={"cat": k})
            for n, (t, k) in enumerate(zip(texts, kinds, strict=True))
        ]
    )
    assert found(library, "apple", mode, limit=4, where={"cat": "food"}) == ["0.md"]


@pytest.mark.parametrize("mode", [fault(79, "hybrid"), fault(79, "rank-fusion")])
def test_what_both_legs_name_is_one_hit_and_the_first(library, mode):
    fill(library, "valve pressure limit", "the limit of a budget", "pressure in the office", "a valve in the heart")
    hits = library.search("valve pressure limit", mode=mode)
    assert hits[0].source == "0.md"
    assert len({hit.id for hit in hits}) == len(hits)
    assert {vote.leg for vote in hits[0].votes} >= {"dense", "words"}


class Reversing:
    """Likes the passage that the search liked least."""

    fingerprint = "test:reversing"

    def score(self, query, texts):
        return [0.95 if "hidden" in text else 0.1 for text in texts]


def test_a_threshold_is_asked_after_the_reranker():  # fault 83
    with Library.open(embedder=FakeEmbedder(), reranker=Reversing()) as library:
        fill(library, "valve pressure limit", "the valve pressure", "something hidden about a valve")
        hits = library.search("valve pressure limit", min_score=0.5)
        assert [hit.source for hit in hits] == ["2.md"]
        assert [vote.leg for vote in hits[0].votes] == ["rerank"]


# Embeddings


@pytest.fixture
def start() -> Iterator:
    opened = []

    def start(*script, **options):
        server = Server(*script)
        opened.append((server, HttpEmbedder(server.url, None, "m", sleep=lambda _: None, **options)))
        return server, opened[-1][1]

    yield start
    for server, embedder in opened:
        embedder.close()
        server.http.shutdown()
        server.http.server_close()


def ordered(order):
    return lambda body: good(body, lambda items: [items[place] for place in order])


def test_a_service_that_takes_ten_gets_all_in_order(start):  # fault 67
    refusal = 400, {"error": {"message": "batch size is invalid, it should not be larger than 10"}}
    server, embedder = start(lambda body: good(body) if len(body["input"]) <= 10 else refusal)
    rows = embedder.embed_passages(["x" * (n + 1) for n in range(35)])
    np.testing.assert_allclose(rows, [unit(n + 1, 1) for n in range(35)], rtol=1e-6)
    server, embedder = start(good, batch=10)
    embedder.embed_passages(["x"] * 35)
    assert max(len(body["input"]) for _path, _headers, body in server.requests) == 10


@pytest.mark.slow
def test_empty_files_never_reach_the_model_and_are_no_errors(folder):  # fault 68
    (folder / "empty.md").write_text("", encoding="utf-8")
    (folder / "front.md").write_text("---\ntitle: x\n---\n", encoding="utf-8")
    for number in range(20):
        (folder / f"{number}.md").write_text(f"# 第 {number} 页\n\n内容 {number}\n", encoding="utf-8")

    class Strict(FakeEmbedder):
        def embed_passages(self, texts):
            if not all(text.strip() for text in texts):
                raise ModelError("an empty text", "leave it out")
            return super().embed_passages(texts)

    with Library.open(embedder=Strict()) as library:
        report = library.sync(folder)
        assert (report.added, report.skipped) == (20, 2)
        assert report.embedded == report.chunks
        assert {file.reason.split(":")[0] for file in report.files if file.outcome == "skipped"} == {"empty"}
        again = library.sync(folder)
        assert (again.added, again.updated, again.embedded) == (0, 0, 0)
        assert again.unchanged == 20


@pytest.mark.parametrize(
    ("order", "right"),
    [
        fault(69, (2, 0, 1), True, name="order"),
        fault(69, (0, 1), False, name="short"),
        fault(69, (0, 1, 1), False, name="twice"),
    ],
)
def test_rows_go_to_their_texts_or_nowhere(start, order, right):
    _server, embedder = start(ordered(order))
    with Library.open(embedder=embedder) as library:
        report = library.add([Document.from_text("x" * 10 * n, source=f"{n}.md") for n in (1, 2, 3)])
        assert report.embedded == (3 if right else 0)
        assert bool(report.notices) is not right


@pytest.mark.parametrize(
    "busy",
    [
        fault(77, {"vectors": None, "base_resp": {"status_code": 1002, "status_msg": "rate limit exceeded(RPM)"}}, name="minimax"),
        fault(77, {"error_code": 18, "error_msg": "Open api qps request limit reached"}, name="baidu"),
        fault(77, {"error": {"code": "1302", "message": "您的账户已达到速率限制"}}, name="zhipu"),
    ],
)  # fmt: skip
def test_too_fast_said_in_the_body_is_waited_for(start, busy):
    server, embedder = start((200, busy), (200, busy), (429, {}, {"retry-after": "1"}), good)
    np.testing.assert_allclose(embedder.embed_passages(["abc"]), [unit(3, 1)], rtol=1e-6)
    assert len(server.requests) == 4
    server, embedder = start((200, busy))
    with pytest.raises(ModelError) as caught:
        embedder.embed_passages(["abc"])
    assert caught.value.retryable
    assert len(server.requests) <= 8


@pytest.mark.slow
@pytest.mark.parametrize(
    "other", [fault(71, FakeEmbedder(16), name="size"), fault(72, FakeEmbedder(8, seed=7), name="same size")]
)
def test_another_model_never_meets_the_vectors_of_the_old_one(tmp_path, folder, other):
    for number in range(5):
        (folder / f"{number}.md").write_text(f"# 阀门 {number}\n\n压力 {number} bar\n", encoding="utf-8")
    place = tmp_path / "library"
    with Library.open(place, embedder=FakeEmbedder(8)) as library:
        assert library.sync(folder).embedded == 5
    with Library.open(place, embedder=other) as library:
        result = library.find("阀门 3 压力")
        assert result.coverage["dense"] == 0.0
        assert result.hits
        told = " ".join(f"{finding.message} {finding.hint}" for finding in library.doctor())
        assert "fake/8/0" in told
        assert "yinju sync" in told
        other.texts.clear()
        (folder / "0.md").write_text("# 阀门 0\n\n压力换了\n", encoding="utf-8")
        report = library.sync(folder)
        assert (report.updated, report.embedded) == (1, 5)
        assert library.find("阀门").coverage["dense"] == 1.0


def test_the_tail_of_a_long_text_is_embedded_too(start):  # fault 74
    server, embedder = start(good, text_tokens=60)
    text = "这一句只是填充。" * 60 + "口令是海豚七十七"
    embedder.embed_passages([text])
    sent = [piece for _path, _headers, body in server.requests for piece in body["input"]]
    assert "".join(sent) == text


# Sync


@pytest.mark.slow
def test_what_is_deleted_is_gone_from_every_leg_also_for_who_was_there_before(tmp_path, folder):  # fault 89
    (folder / "x.md").write_text("暗号：白鲸88号\n", encoding="utf-8")
    (folder / "y.md").write_text("另一页说别的。\n", encoding="utf-8")
    place = tmp_path / "library"
    with (
        Library.open(place, embedder=FakeEmbedder()) as writer,
        Library.open(place, embedder=FakeEmbedder(), read_only=True) as reader,
    ):
        writer.sync(folder)
        assert all(found(reader, "白鲸88号", mode)[0] == "x.md" for mode in MODES)
        (folder / "x.md").unlink()
        writer.sync(folder, allow_mass_delete=True)
        for library in (writer, reader):
            assert all("x.md" not in found(library, "白鲸88号", mode) for mode in MODES)
            status = library.status()
            assert status["documents"] == status["chunks"] == status["embedded"] == 1
        assert writer.doctor() == []


def test_a_text_in_two_files_stays_with_the_one_that_is_left(folder):  # fault 91
    for name in ("a.md", "b.md"):
        (folder / name).write_text("版权声明：仅供内部使用。\n", encoding="utf-8")
    with Library.open(embedder=FakeEmbedder()) as library:
        library.sync(folder)
        (hit,) = library.search("版权声明")
        assert {hit.source, *hit.also} == {"a.md", "b.md"}
        (folder / "a.md").unlink()
        library.sync(folder, allow_mass_delete=True)
        for mode in MODES:
            (hit,) = library.search("版权声明", mode=mode)
            assert (hit.source, hit.also) == ("b.md", ())


@pytest.mark.slow
def test_a_document_is_never_gone_while_its_vectors_are_missing(folder):  # fault 92
    (folder / "a.md").write_text("旧的限值是 100\n", encoding="utf-8")
    (folder / "b.md").write_text("别的内容\n", encoding="utf-8")
    embedder = FakeEmbedder()
    with Library.open(embedder=embedder) as library:
        library.sync(folder)
        (folder / "a.md").write_text("新的限值是 200，有更改\n", encoding="utf-8")
        embedder._fail_at, embedder._failures = embedder.calls + 1, 1
        report = library.sync(folder)
        assert report.notices
        assert report.embedded == 0
        # By design the new words serve at once, and `coverage` says that a vector is missing; the document is never gone.
        result = library.find("限值", mode="lexical")
        assert [hit.text for hit in result.hits] == ["新的限值是 200，有更改"]
        assert result.coverage["dense"] == 0.5
        assert "a.md" in found(library, "限值", "hybrid")
        again = library.sync(folder)
        assert (again.updated, again.embedded) == (0, 1)
        assert library.search("限值", 1, "dense")[0].text == "新的限值是 200，有更改"


class Reader:
    """Reads in this process, so that a test can make the disk fail."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def load_files(self, files):
        for file in files:
            try:
                yield file, load_file(file.path, file.source)
            except DocumentError as error:
                yield file, error


@pytest.mark.slow
@pytest.mark.parametrize(
    "error",
    [
        fault(94, PermissionError(errno.EACCES, "no")),
        fault(94, OSError(errno.EIO, "disk")),
        fault(94, OSError(errno.ESTALE, "net")),
    ],
)
def test_a_file_that_cannot_be_read_now_stays(folder, error, monkeypatch):
    for name in ("甲", "乙", "丙"):
        (folder / f"{name}.md").write_text(f"{name}的内容\n", encoding="utf-8")
    with Library.open(embedder=FakeEmbedder()) as library:
        library.sync(folder)
        (folder / "乙.md").write_text("乙的内容，改过了\n", encoding="utf-8")
        really = os.open

        def fails(path, *rest, **more):
            if str(path).endswith("乙.md"):
                raise error
            return really(path, *rest, **more)

        with monkeypatch.context() as broken:
            broken.setattr(os, "open", fails)
            report = sync.run(library.store, [folder], pool=Reader, embedder=library.embedder)
        assert (report.removed, report.kept) == (0, 1)
        assert library.search("乙的内容", 1, "lexical")[0].text == "乙的内容"
        assert library.sync(folder).updated == 1
        assert library.search("乙的内容", 1, "lexical")[0].text == "乙的内容，改过了"


@pytest.mark.slow
def test_readers_are_not_disturbed_by_a_sync_and_a_second_sync_is_told(tmp_path, folder):  # fault 96
    for number in range(60):
        (folder / f"{number}.md").write_text(f"# 阀门 {number}\n\n压力 {number} bar\n", encoding="utf-8")
    place = tmp_path / "library"
    with Library.open(place, embedder=FakeEmbedder()) as library:
        library.sync(folder)
    done = threading.Event()

    def write():
        with Library.open(place, embedder=FakeEmbedder()) as library:
            for turn in range(3):
                library.add([Document.from_text(f"第 {turn} 次 {n}", source=f"added/{n}.md") for n in range(30)])
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    searches, end = 0, time.monotonic() + 20
    with Library.open(place, embedder=FakeEmbedder(), read_only=True) as reader:
        while (not done.is_set() or searches < 5) and time.monotonic() < end:
            assert reader.search("阀门 3 压力")
            searches += 1
    thread.join()
    assert done.is_set()
    with Library.open(place, embedder=FakeEmbedder()) as first, Library.open(place, embedder=FakeEmbedder()) as second:
        with first.store.writer(), pytest.raises(StoreBusy) as caught:
            second.add([Document.from_text("x", source="x.md")])
        assert caught.value.hint
        assert first.status()["documents"] == 90


@pytest.mark.slow
def test_a_part_and_another_root_leave_the_rest_alone(tmp_path, folder):  # fault 97
    other = tmp_path / "other"
    other.mkdir()
    for number in range(12):
        (folder / f"{number}.md").write_text(f"第 {number} 页\n", encoding="utf-8")
    (other / "z.md").write_text("另一个文件夹\n", encoding="utf-8")
    with Library.open(embedder=FakeEmbedder()) as library:
        library.sync(folder)
        (folder / "3.md").write_text("第 3 页，改过\n", encoding="utf-8")
        (folder / "4.md").unlink()
        report = library.sync(folder / "3.md")
        assert (report.updated, report.removed) == (1, 0)
        assert library.status()["documents"] == 12
        report = library.sync(other)
        assert (report.added, report.removed) == (1, 0)
        report = library.sync(folder)
        assert (report.added, report.removed) == (0, 1)
        assert library.status()["documents"] == 12
