"""Files of questions: every shape that is read, every fault with its line, and that what is written is read back."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.errors import StoreReadOnly, UsageError
from yinju.evaluate import Case, Gold, read, write
from yinju.evaluate.cases import append, as_line, parse
from yinju.messages import set_language

QUESTIONS = Path(__file__).parent.parent / "examples" / "questions.jsonl"


def one(**row):
    return parse(json.dumps(row, ensure_ascii=False))[0]


def test_every_key_of_a_place():
    case = one(question="一年多少钱？", source="plans.md", heading="年费", lines=[3, 8], quote="每年 168 元", page=2)
    assert case.golds == (Gold("plans.md", "年费", (3, 8), 2, "每年 168 元"),)
    assert one(question="q", source="a.md", line=7).golds == (Gold("a.md", lines=(7, 7)),)


def test_several_places_are_all_expected():
    case = one(question="q", expect=[{"source": "a.md"}, {"source": "b.md", "lines": [1, 2]}, {"source": "a.md"}])
    assert case.golds == (Gold("a.md"), Gold("b.md", lines=(1, 2)))


def test_answers_history_filters_and_labels():
    case = one(
        question="它呢？", answer=["七折", 30], history=[{"role": "user", "content": "学生有优惠吗？"}],
        where={"language": "zh", "source": ["a/*", "b/*"]}, without="old.md", made=True, answerable=False, kind="k", id=7,
    )  # fmt: skip
    assert case.answers == ("七折", "30")
    assert case.history == ({"role": "user", "content": "学生有优惠吗？"},)
    assert case.where == {"language": "zh", "source": ("a/*", "b/*")}
    assert (case.without, case.made, case.answerable, case.kind, case.id) == (("old.md",), True, False, "k", "7")
    assert one(question="And monthly?", answer="x", history="What does a year cost?").history[0]["role"] == "user"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "no JSON"),
        ("[1]", "no JSON object"),
        ('{"source": "a.md"}', '"question" is missing'),
        ('{"question": " ", "source": "a.md"}', '"question" is missing'),
        ('{"question": 3, "source": "a.md"}', '"question" has to be a text'),
        ('{"question": "q"}', "nothing to check"),
        ('{"question": "q", "sorce": "a.md"}', "no key 'sorce'"),
        ('{"question": "q", "lines": [1, 2]}', 'a place without its "source"'),
        ('{"question": "q", "source": "a.md", "lines": [3, 1]}', '"lines" has to be two numbers'),
        ('{"question": "q", "source": "a.md", "lines": [0, 1]}', '"lines" has to be two numbers'),
        ('{"question": "q", "source": "a.md", "lines": [true, 2]}', '"lines" has to be two numbers'),
        ('{"question": "q", "source": "a.md", "quote": ""}', '"quote" is empty'),
        ('{"question": "q", "expect": "a.md"}', '"expect" has to be a list'),
        ('{"question": "q", "expect": [{"source": "a.md", "url": 1}]}', "a place has no key 'url'"),
        ('{"question": "q", "answerable": "no"}', '"answerable" has to be true / false'),
        ('{"question": "q", "answer": [""]}', '"answer" has to be a text'),
        ('{"question": "q", "answer": "a", "history": [{"role": "judge", "content": ""}]}', '"history" has to be'),
        ('{"question": "q", "answer": "a", "history": [3]}', '"history" has to be'),
        ('{"question": "q", "answer": "a", "where": {"source": 3}}', '"where" has to be'),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_a_bad_line_is_named(line, fault):
    with pytest.raises(UsageError) as error:
        parse('{"question": "fine", "source": "a.md"}\n\n' + line, "mine.jsonl")
    assert error.value.message.startswith("mine.jsonl:3: ")
    assert fault in error.value.message
    assert error.value.hint


def test_a_bad_line_is_named_in_chinese():
    set_language("zh")
    with pytest.raises(UsageError, match=r"题目\.jsonl:1：缺少 question 或为空。"):
        parse('{"source": "a.md"}', "题目.jsonl")


def test_the_same_id_twice_is_a_fault():
    line = '{"id": "a", "question": "q", "source": "a.md"}\n'
    with pytest.raises(UsageError, match="x:2: the id 'a' is that of line 1, too"):
        parse(line * 2, "x")


def test_ids_stay_when_lines_are_added():
    line, other = '{"question": "q", "source": "a.md"}\n', '{"question": "r", "source": "a.md"}\n'
    assert parse(line)[0].id == parse(other + line)[1].id
    assert len({case.id for case in parse(line * 3)}) == 3


def test_an_empty_file_and_a_missing_one(tmp_path):
    with pytest.raises(UsageError, match="holds no questions"):
        parse("\n \n")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read(tmp_path / "none.jsonl")
    (tmp_path / "gbk.jsonl").write_bytes('{"question": "年费"}'.encode("gbk"))
    with pytest.raises(UsageError, match="cannot be read"):
        read(tmp_path / "gbk.jsonl")


def test_the_questions_of_the_examples_are_read():
    cases = read(QUESTIONS)
    assert sum(case.answerable for case in cases) == 84
    assert all(bool(case.golds) is case.answerable for case in cases)


def test_a_line_may_hold_what_other_splitters_take_for_line_ends():
    assert parse('{"question": "a\u2028b", "source": "a.md"}')[0].question == "a\u2028b"


texts = st.text(st.characters(exclude_categories=()), min_size=1, max_size=12).filter(str.strip)
golds = st.builds(
    Gold, texts, heading=st.none() | texts, lines=st.none() | st.just((2, 9)), page=st.none() | st.integers(1, 9), quote=st.none() | texts
)  # fmt: skip


@given(
    st.lists(
        st.builds(
            Case,
            texts,
            st.lists(golds, min_size=1, max_size=3, unique=True).map(tuple),
            st.lists(texts, max_size=2).map(tuple),
        )
    )
)
def test_what_is_written_is_read_back(tmp_path_factory, cases):
    path = tmp_path_factory.getbasetemp() / "back.jsonl"
    write(path, cases)
    if cases:
        again = read(path)
        assert [(case.question, case.golds, case.answers) for case in again] == [
            (c.question, c.golds, c.answers) for c in cases
        ]
        assert parse("\n".join(map(as_line, again)).encode("utf-8", "backslashreplace").decode())[0].id == again[0].id


def test_a_case_is_appended_once(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"question": "q", "source": "a.md"}', encoding="utf-8")  # without a line end
    added = append(path, Case("年费多少？", (Gold("plans.md", lines=(9, 9)),)))
    assert [case.question for case in read(path)] == ["q", "年费多少？"]
    assert read(path)[1].id == added.id
    with pytest.raises(UsageError, match="asks this already"):
        append(path, Case("年费多少？", (Gold("plans.md", lines=(9, 9)),)))


@pytest.mark.parametrize("question", ["", " \n", "\u3000"])
def test_an_empty_question_never_reaches_the_file(tmp_path, question):
    with pytest.raises(UsageError):
        append(tmp_path / "cases.jsonl", Case(question, answerable=False))
    assert not (tmp_path / "cases.jsonl").exists()


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(StoreReadOnly) as error:
        write(tmp_path / "no" / "where.jsonl", [Case("q", (Gold("a.md"),))])
    assert error.value.exit_code == 73


def test_the_examples_of_the_manual_are_read():
    text = (QUESTIONS.parent.parent / "docs" / "evaluation.md").read_text(encoding="utf-8")
    block = text.split("```json\n")[1].split("```")[0]
    cases = parse(block)
    assert len(cases) == 5
    assert len(cases[3].golds) == 2
    assert not cases[2].answerable
