"""Where the functions, classes and methods of a source text are, each with its path.

A query finds the nodes inside the C library; only these few are looked at here. The path of a definition is that of what contains it, so
the found nodes are sorted and laid on a stack: asking a node for its parent or its neighbour walks from the root and would be quadratic.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from yinju.load.code.languages import GRAMMARS, KINDS, Grammar
from yinju.types import Mark, Span

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point, Query, Tree

MAXIMUM_BYTES = 20_000_000  # a larger file is generated: plain text then
MAXIMUM_MARKS = 20_000
MAXIMUM_DEPTH = 60  # of nested definitions and of the nodes that are looked at
SECONDS = 10.0
_BROKEN = 20_000  # pieces of a text of which the grammar can make nothing; a query over more of them is quadratic
_NAME_LENGTH = 200
_QUALIFIERS = re.compile(r"\s*(?:::|\\|:)\s*")
_SPACE = re.compile(r"\s+")
_ENDS = re.compile(rb"[ \t]*;")
_PIECE = 1 << 16


class NotParsed(Exception):
    """The grammar took too long or could make nothing of the text."""


@dataclass(slots=True)
class _Found:
    """One node of interest in bytes; `kind` says if it gets a mark, names only what is inside, or what follows."""

    start: int
    end: int
    kind: str  # definition, scope, package
    name: str
    first: int = 0  # where it begins with what belongs to it


@dataclass(slots=True)
class _Catch:
    """What the query found."""

    found: list[_Found] = field(default_factory=list)
    wrappers: dict[tuple[int, int, str], tuple[int, int, str]] = field(default_factory=dict)
    above: list[tuple[int, int]] = field(default_factory=list)


def definitions(text: str, language: str, module: str = "") -> list[Mark]:
    """Return a mark for each named definition of the source; its label is the path, such as `module.Store.open`.

    `language` is a key of `GRAMMARS`. Raises NotParsed: the text is too large, too slow or too broken.
    """
    data = text.encode("utf-8")
    if len(data) > MAXIMUM_BYTES:
        raise NotParsed("too large")
    grammar = GRAMMARS[language]
    tree = _parse(data, language)
    if tree.root_node.type == "ERROR" and tree.root_node.child_count > _BROKEN:
        raise NotParsed("too broken")
    catch = _search(tree, language, grammar)
    found = _named(catch, data, module)
    places = {place for item, _, _ in found for place in (item.first, item.end)}
    offset_of = _offsets(data, places)
    return [Mark("definition", Span(offset_of(i.first), offset_of(i.end)), depth, path) for i, depth, path in found]


@lru_cache(maxsize=len(GRAMMARS))
def _language(language: str) -> Language:
    from tree_sitter import Language

    grammar = GRAMMARS[language]
    return Language(getattr(import_module(grammar.module), grammar.function)())


@lru_cache(maxsize=len(GRAMMARS))
def _query(language: str) -> Query:
    from tree_sitter import Query

    grammar = GRAMMARS[language]
    patterns = [f"({kind}) @definition" for kind in grammar.definitions.split()]
    patterns += [f"({kind}) @scope" for kind in grammar.scopes.split()]
    patterns += [f"({kind}) @package" for kind in grammar.package.split()]
    patterns += [f"({kind} (_) @inner) @wrapper" for kind in grammar.wrappers.split()]
    patterns += [f"({kind}) @above" for kind in grammar.above.split()]
    return Query(_language(language), "\n".join([*patterns, grammar.shaped]))


def _parse(data: bytes, language: str) -> Tree:
    from tree_sitter import Parser

    deadline = time.monotonic() + SECONDS

    def read(offset: int, point: Point) -> bytes:
        return data[offset : offset + _PIECE]

    def late(offset: int, error: bool) -> bool:
        return time.monotonic() > deadline

    try:
        return Parser(_language(language)).parse(read, progress_callback=late)
    except ValueError:  # stopped by `late`
        raise NotParsed("too slow") from None


def _search(tree: Tree, language: str, grammar: Grammar) -> _Catch:
    from tree_sitter import QueryCursor

    cursor = QueryCursor(_query(language))
    cursor.set_max_start_depth(MAXIMUM_DEPTH * 4)
    catch = _Catch()
    for _, captures in cursor.matches(tree.root_node):
        for capture, nodes in captures.items():
            node = nodes[0]
            if capture == "above":
                catch.above.append((node.start_byte, node.end_byte))
            elif capture == "wrapper":
                for inner in captures["inner"]:
                    catch.wrappers[_key(inner)] = _key(node)
            elif capture != "inner" and (name := _name(node, grammar)):
                # A namespace without a body names what follows.
                follows = capture == "scope" and node.child_by_field_name("body") is None
                catch.found.append(
                    _Found(node.start_byte, node.end_byte, "package" if follows else capture, name, node.start_byte)
                )
        if len(catch.found) >= MAXIMUM_MARKS:
            break
    return catch


def _key(node: Node) -> tuple[int, int, str]:
    return node.start_byte, node.end_byte, node.type


def _named(catch: _Catch, data: bytes, module: str) -> list[tuple[_Found, int, str]]:
    """Return the definitions in order, each with its depth and its path."""
    catch.above.sort()
    ends = [end for _, end in catch.above]
    inside: dict[tuple[int, int], tuple[int, int]] = {(k[0], k[1]): (w[0], w[1]) for k, w in catch.wrappers.items()}
    stack: list[tuple[int, str, int]] = []  # end, path, depth
    package = module
    named: list[tuple[_Found, int, str]] = []
    last_end, seen = 0, -1
    for item in sorted(catch.found, key=lambda item: (item.start, -item.end)):
        if item.kind == "package":
            package = item.name
            continue
        while stack and stack[-1][0] <= item.start:
            stack.pop()
        path = f"{stack[-1][1] if stack else package}.{item.name}".lstrip(".")
        depth = (stack[-1][2] if stack else 0) + (item.kind == "definition")
        if len(stack) >= MAXIMUM_DEPTH or (item.start == seen and named and named[-1][0].end == item.end):
            continue  # found by two patterns
        stack.append((item.end, path, depth))
        if item.kind == "definition":
            seen = item.start
            _widen(item, inside, data, last_end)
            item.first = _with_what_is_above(item.first, catch.above, ends, data)
            item.first = max(item.first, last_end if last_end <= item.start else 0)
            named.append((item, depth, path))
        last_end = item.start
    return named


def _widen(item: _Found, inside: dict[tuple[int, int], tuple[int, int]], data: bytes, floor: int) -> None:
    """Take in what stands around the definition, unless another one stands there too."""
    start, end = item.start, item.end
    for _ in range(4):
        around = inside.get((start, end))
        if around is None or around == (start, end):
            break
        start, end = around
        if start >= floor and not data[start : item.start].count(b"{"):
            item.first = min(item.first, start)
            item.end = max(item.end, end) if not data[item.end : end].strip(b" \t\r\n;)") else item.end
    match = _ENDS.match(data, item.end)
    item.end = match.end() if match else item.end
    while item.end > item.start and data[item.end - 1 : item.end].isspace():
        item.end -= 1


def _with_what_is_above(start: int, above: Sequence[tuple[int, int]], ends: list[int], data: bytes) -> int:
    """Return where the comments and attributes begin that stand alone on the lines right above, else the start of the line."""
    place = bisect_right(ends, start) - 1
    while place >= 0:
        first, end = above[place]
        between = data[end:start]
        if between.strip() or between.count(b"\n") + data[first:end].endswith(b"\n") > 1 or not _alone(data, first):
            break
        start, place = first, place - 1
    line = data.rfind(b"\n", 0, start) + 1
    return line if not data[line:start].strip() else start


def _alone(data: bytes, start: int) -> bool:
    return not data[data.rfind(b"\n", 0, start) + 1 : start].strip()


def _name(node: Node, grammar: Grammar) -> str:
    """Return the node's own part of the path, empty where it has none."""
    match grammar.naming.get(node.type, "name"):
        case "declarator":
            return _declared(node)
        case "receiver":
            return _method_of_go(node)
        case "type":
            named = node.child_by_field_name("type")
        case "property":
            named = node.child_by_field_name("property") or node.child_by_field_name("key")
        case "assigned":
            named = next((child for child in node.named_children if child.type == "variable_list"), None)
        case "operator":
            return "operator" + _text(node.child_by_field_name("operator"))
        case "kind":
            name = _text(node.child_by_field_name("name")) if node.type[-11:] != "declaration" else ""
            if node.type == "destructor_declaration":
                name = "~" + _text(node.child_by_field_name("name"))
            return _path(name or KINDS[node.type])
        case _:
            named = node.child_by_field_name("name")
            if named is None and node.type.startswith("package"):
                named = node.named_child(0)
    return _path(_text(named))


def _text(node: Node | None) -> str:
    if node is None or node.text is None or len(node.text) > _NAME_LENGTH * 4:
        return ""
    return node.text.decode("utf-8", "replace")


def _path(name: str) -> str:
    """Return a qualified name with dots and without type arguments and quotation marks."""
    if name.startswith("operator"):
        return _SPACE.sub(" ", name).strip()[:_NAME_LENGTH]
    depth, kept = 0, []
    for character in name:
        depth += character in "<["
        if depth == 0:
            kept.append(character)
        depth -= character in ">]" and depth > 0
    bare = _SPACE.sub("", "".join(kept)).strip("'\"`&*")
    return _QUALIFIERS.sub(".", bare).strip(".")[:_NAME_LENGTH]


_NAMES_OF_C = frozenset(
    [
        "identifier",
        "field_identifier",
        "type_identifier",
        "qualified_identifier",
        "destructor_name",
        "operator_name",
        "template_function",
    ]
)


def _declared(node: Node) -> str:
    """Return the name inside the declarators of C and C++: `*(name(int a))`."""
    inner: Node | None = node
    for _ in range(20):
        if inner is None:
            return ""
        if inner.type in _NAMES_OF_C:
            name = _text(inner)
            scope, _, last = name.rpartition("::")
            return f"{_path(scope)}.{last}".lstrip(".") if "operator" in last else _path(name)
        if inner.type == "operator_cast":
            return _SPACE.sub(" ", _text(inner).partition("(")[0]).strip()
        inner = inner.child_by_field_name("declarator") or (
            inner.named_child(inner.named_child_count - 1)
            if inner is not node and inner.named_child_count and inner.type.endswith("declarator")
            else None
        )
    return ""


def _method_of_go(node: Node) -> str:
    receiver = _text(node.child_by_field_name("receiver")).strip("()")
    kind = receiver.split("[")[0].split()[-1] if receiver.split("[")[0].split() else ""
    return f"{_path(kind)}.{_path(_text(node.child_by_field_name('name')))}".lstrip(".")


def _offsets(data: bytes, places: set[int]) -> Callable[[int], int]:
    """Return a function from byte offsets (only those in `places`) to code point offsets; one pass over the text."""
    if data.isascii():
        return lambda place: place
    return dict(_counted(data, places)).__getitem__


def _counted(data: bytes, places: set[int]) -> Iterator[tuple[int, int]]:
    last, count = 0, 0
    for place in sorted(places):
        count += len(data[last:place].decode("utf-8", "replace"))
        yield place, count
        last = place
