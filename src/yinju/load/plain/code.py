"""Source code: the file itself, with a mark for each function, class and method of Python and JavaScript (tree-sitter grammars).

Other languages are plain text of type `code`. A definition's mark takes in its decorators and the comments right above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from yinju.load.parsed import Limits, Parsed
from yinju.load.plain.text import plain
from yinju.types import Mark, Span

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAXIMUM_BYTES = 5_000_000  # a larger file is generated: plain text then
_DEFINITIONS = {
    "python": ("function_definition", "class_definition"),
    "javascript": (
        "function_declaration",
        "generator_function_declaration",
        "class_declaration",
        "method_definition",
        "variable_declarator",
        "field_definition",
    ),
}
_FUNCTIONS = ("arrow_function", "function_expression", "generator_function", "class")
_WRAPPERS = ("decorated_definition", "export_statement", "lexical_declaration", "variable_declaration")


def load_python(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return Python source with its definitions. Raises DocumentError."""
    return _with_definitions(plain(data, source, preset="code"), "python")


def load_javascript(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return JavaScript source with its definitions. Raises DocumentError."""
    return _with_definitions(plain(data, source, preset="code"), "javascript")


def load_code(data: bytes, source: str, limits: Limits) -> Parsed:
    """Return source code or configuration as it is. Raises DocumentError."""
    return plain(data, source, preset="code")


def _with_definitions(parsed: Parsed, name: str) -> Parsed:
    return replace(parsed, marks=tuple(definitions(parsed.text, name)))


@dataclass(frozen=True, slots=True)
class _Found:
    start: int  # bytes
    end: int
    path: str


def definitions(text: str, name: str) -> Iterator[Mark]:
    """Yield a mark for each named definition of `python` or `javascript` source; its label is the path, such as `Store.open`."""
    data = text.encode("utf-8")
    if len(data) > MAXIMUM_BYTES:
        return
    from tree_sitter import Parser

    tree = Parser(_grammar(name)).parse(data)
    found = list(_walk(tree.root_node, _DEFINITIONS[name]))
    offset_of = _offsets(data, {place for item in found for place in (item.start, item.end)})
    for item in found:
        start, end = offset_of(item.start), offset_of(item.end)
        yield Mark("definition", Span(_line_start(text, start), end), item.path.count(".") + 1, item.path)


@lru_cache(maxsize=4)
def _grammar(name: str) -> Language:
    from tree_sitter import Language

    if name == "python":
        import tree_sitter_python

        return Language(tree_sitter_python.language())
    import tree_sitter_javascript

    return Language(tree_sitter_javascript.language())


def _walk(root: Node, kinds: tuple[str, ...]) -> Iterator[_Found]:
    """Walk with a stack of our own: hostile source nests deeper than Python's."""
    stack: list[tuple[Node, str]] = [(root, "")]
    while stack:
        node, path = stack.pop()
        if node.type in kinds and (name := _name(node)):
            path = f"{path}.{name}" if path else name
            yield _Found(_with_what_is_above(node), node.end_byte, path)
        stack += [(child, path) for child in reversed(node.named_children)]


def _name(node: Node) -> str | None:
    if node.type in ("variable_declarator", "field_definition"):
        value = node.child_by_field_name("value")
        if value is None or value.type not in _FUNCTIONS:
            return None
    name = node.child_by_field_name("name") or node.child_by_field_name("property")
    return name.text.decode("utf-8", "replace") if name is not None and name.text is not None else None


def _with_what_is_above(node: Node) -> int:
    """Return the first byte of the definition with its decorators, `export`, `const` and the comments on the lines right above."""
    while node.parent is not None and node.parent.type in _WRAPPERS:
        node = node.parent
    start, row = node.start_byte, node.start_point[0]
    above = node.prev_sibling
    while above is not None and above.type == "comment" and above.end_point[0] == row - 1 and _alone(above):
        start, row = above.start_byte, above.start_point[0]
        above = above.prev_sibling
    return start


def _alone(comment: Node) -> bool:
    before = comment.prev_sibling
    return before is None or before.end_point[0] < comment.start_point[0]


def _offsets(data: bytes, places: set[int]) -> Callable[[int], int]:
    """Return a function from byte offsets (only those in `places`) to code point offsets; one pass over the text."""
    if data.isascii():
        return lambda place: place
    table, last, count = {}, 0, 0
    for place in sorted(places):
        count += len(data[last:place].decode("utf-8", "replace"))
        table[place], last = count, place
    return table.__getitem__


def _line_start(text: str, offset: int) -> int:
    start = text.rfind("\n", 0, offset) + 1
    return start if not text[start:offset].strip() else offset
