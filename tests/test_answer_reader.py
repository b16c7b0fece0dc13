"""Markers are found, checked and shown the same for every way in which a stream may be cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.answer import markers
from yinju.answer.reader import Reader, Statement
from yinju.answer.thinking import ThinkingFilter


def keep(statement: Statement) -> list[tuple[int, ...]]:
    return [group.markers for group in statement.groups]


def shown(pieces: list[str], count: int = 4) -> tuple[str, list[str], int]:
    seen: list[str] = []

    def rule(statement: Statement) -> list[tuple[int, ...]]:
        seen.append(statement.text)
        return keep(statement)

    reader = Reader(count, rule)
    visible = [piece for text in pieces for piece in reader.feed(text)] + reader.finish()
    return "".join(visible), seen, reader.invalid


@pytest.mark.parametrize(
    ("marker", "found"),
    [("[1]", (1,)), ("[1,3]", (1, 3)), ("[1-3]", (1, 2, 3)), ("【2】", (2,)), ("［2］", (2,)), ("[^2]", (2,)), ("[1, 2、9]", (1, 2)), ("[7]", ()),
     ("[0]", ()),
     ("[-1]", ()), ("[99999999999]", ()), ("[2024]", None), ("[来源 2]", (2,)), ("[citation:1]", (1,)), ("【1†plans.md】", (1,)), ("[3-1]", ())],
)  # fmt: skip
def test_numbers(marker: str, found: object) -> None:
    assert markers.MARKER.fullmatch(marker)
    assert markers.numbers(marker, 4) == found


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        (
            "甲[1]。乙[7]。丙[0]。丁[-1]。戊[99999999999]",
            "甲[1]。乙。丙。丁。戊",
        ),  # field fault: markers of passages that were not given
        ("A【1】 B[2][3]. C [note", "A[1] B[2][3]. C [note"),
        ("Costs 5 [9], really [1].", "Costs 5, really [1]."),
        ("见 `a[1]` 与 [1](http://x) 和 [2024] 年。", "见 `a[1]` 与 [1](http://x) 和 [2024] 年。"),
        ("```\nx[1]\n```\n好[1]", "```\nx[1]\n```\n好[1]"),
        ("A [1,3].", "A [1][3]."),
        ("[Note] A [1].", "[Note] A [1]."),
    ],
)
def test_visible_text(text: str, visible: str) -> None:
    assert shown([text])[0] == visible
    assert shown(list(text))[0] == visible


def test_sentences_and_their_markers() -> None:
    visible, seen, invalid = shown(["年费 168 元。[1] 版本是 v2.3.1 [2]。See e.g. the 3.5 mm plug. [3]\n- 好 [8]"])
    assert seen == ["年费 168 元。", "版本是 v2.3.1。", "See e.g. the 3.5 mm plug.", "- 好"]
    assert invalid == 1
    assert visible == "年费 168 元。[1] 版本是 v2.3.1 [2]。See e.g. the 3.5 mm plug. [3]\n- 好"


def test_a_quotation_is_not_cut() -> None:
    assert shown(["他说“好。走吧。”，然后离开 [1]。第二句 [2]。"])[1] == ["他说“好。走吧。”，然后离开。", "第二句。"]


_alphabet = "年费|costs 168 yuan| |[1]|【2】|[9]|[2024]|[no|。|. |\n|\n\n|- |`x[1]`|```|“|”|B|(|！|[1,2]|["
_pieces = _alphabet.split("|")
_texts = st.lists(st.sampled_from(_pieces), max_size=30).map("".join)


@given(_texts, st.data())
def test_any_split_shows_the_same(text: str, data: st.DataObject) -> None:
    whole = shown([text])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert shown(pieces) == whole
    assert shown(list(text)) == whole


@given(st.text(max_size=60))
def test_text_without_markers_is_untouched(text: str) -> None:
    if not markers.MARKER.search(text):
        assert shown([text])[0] == text.rstrip()


def think(pieces: list[str], *, wait: bool = False) -> str:
    thinking = ThinkingFilter(wait=wait)
    out = ""
    for piece in pieces:
        was = thinking.void
        more = thinking.feed(piece)
        out = more if thinking.void > was else out + more
    return out + thinking.finish()


@pytest.mark.parametrize("wait", [False, True])
@pytest.mark.parametrize(
    ("pieces", "answer"),
    [
        (["<thi", "nk>draft cites [9]</thi", "nk>", "答案[1]。"], "答案[1]。"),
        (["draft [9]", "</think>", "\n\n答案[1]。"], "答案[1]。"),
        (["draft [9]</think>答案[1]。"], "答案[1]。"),
        (["a <thead> b < c"], "a <thead> b < c"),
        (["<think>never closed"], ""),
        (["x <th"], "x <th"),
        (["a</think>b [9]", "</think>答案[1]。"], "答案[1]。"),
        (["[THINK]draft [9][/THI", "NK]答案[1]。"], "答案[1]。"),
        (["◁thi", "nk▷draft◁/think▷答案[1][2]。"], "答案[1][2]。"),
        (["[think] [T] [[1]] ◁ b <[1]"], "[think] [T] [[1]] ◁ b <[1]"),
    ],
)
def test_reasoning_is_no_answer(pieces: list[str], answer: str, wait: bool) -> None:
    assert think(pieces, wait=wait) == answer
    assert think(list("".join(pieces)), wait=wait) == answer
