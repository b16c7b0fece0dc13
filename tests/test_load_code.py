from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from yinju.load import load
from yinju.load.code.definitions import definitions


def found(text: str, name: str = "python") -> list[tuple[str, str]]:
    return [(mark.label, mark.span.of(text)) for mark in definitions(text, name)]


def test_python_paths() -> None:
    text = "class Store:\n    '''仓库'''\n    async def open(self):\n        def inner(): pass\n        return 1\n\nx = 1\ndef f(): ...\n"
    assert [label for label, _ in found(text)] == ["Store", "Store.open", "Store.open.inner", "f"]
    assert found(text)[3][1] == "def f(): ..."
    assert found(text)[1][1].startswith("    async def open(self):")


def test_decorators_and_comments_right_above_belong_to_it() -> None:
    text = "# 文件说明\n\n# 入口一\n# 入口二\n@cache\n@other(1)\ndef 打开():\n    pass\n\nx = 1  # trailing\ndef g(): pass\n"
    assert [(label, part.split("\n")[0]) for label, part in found(text)] == [
        ("打开", "# 入口一"),
        ("g", "def g(): pass"),
    ]


def test_javascript_paths() -> None:
    text = (
        "/** 打开 */\nexport default class Store extends Base {\n  #x = () => 1;\n  static async open(a) { return a }\n  get size() { return 1 }\n}\n"
        "export const total = (items) => items.length;\nconst y = 1;\nfunction* gen() {}\nlet K = class { m() {} }\n"
    )
    labels = [label for label, _ in found(text, "javascript")]
    assert labels == ["Store", "Store.#x", "Store.open", "Store.size", "total", "gen", "K", "K.m"]
    assert found(text, "javascript")[0][1].startswith("/** 打开 */\nexport default class")
    assert found(text, "javascript")[4][1].startswith("export const total")


def test_text_is_the_file_itself() -> None:
    source = "# 注释 comment\r\ndef f():\r\n\treturn '值'\r\n"
    document = load(source.encode(), "a.py").document
    assert document.text == source.replace("\r\n", "\n")
    assert (document.type, document.preset, document.line_at(document.text.index("值"))) == ("python", "code", 3)


def test_other_languages_are_plain_code() -> None:
    document = load("sub main { # 主函数\n}".encode(), "a.pl").document
    assert (document.type, document.preset, document.marks) == ("code", "code", ())


def test_deep_nesting_is_no_crash() -> None:
    assert found("x = " + "(" * 5_000 + ")" * 5_000) == []
    assert len(found("\n".join("  " * depth + f"class C{depth}:" for depth in range(300)))) >= 1


@given(
    st.lists(
        st.sampled_from(
            ["def 甲():", "    pass", "class B:", "    def c(self): pass", "# 注", "@d", "x = '''", "(", "😀", ""]
        ),
        max_size=12,
    )
)
def test_spans_lie_in_the_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    for mark in definitions(text, "python"):
        assert 0 <= mark.span.start < mark.span.end <= len(text)
        assert mark.label.rsplit(".", 1)[-1] in mark.span.of(text)
