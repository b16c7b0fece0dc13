"""A library as functions that any language model can call: their schemas for an API, and one function that runs a call.

    answer = client.chat.completions.create(model=..., messages=..., tools=yinju.tools.schemas())
    for asked in answer.choices[0].message.tool_calls:
        text = yinju.tools.call(library, asked.function.name, asked.function.arguments)

Nothing that a model sends raises: what is wrong with it is told in words that it can act on. Results are plain text for a model to read, within a
budget of tokens. Each piece of a document stands under a heading of ours that begins with a mark which no document can foresee: lines inside a
document that look like ours prove nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from yinju import calling
from yinju.calling import DEFAULT_TOKENS, TABLE
from yinju.errors import YinjuError
from yinju.retrieve.reading import split_page
from yinju.text.tokens import estimate

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.types import Citation, Hit

Cancelled = Callable[[], bool]
LAST_LINE = 1_000_000_000
NOTHING = "no passage found"


@dataclass(frozen=True, slots=True)
class Told:
    """What a model is told; `failed` where the call could not be done."""

    text: str
    failed: bool = False


def schemas(names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return the tools as OpenAI-compatible APIs want them described: all, or these. Raises KeyError for a name that is none."""
    chosen = [TABLE[name] for name in (TABLE if names is None else names)]
    return [calling.function(one.name, one.says, one.parameters) for one in chosen]


def call(library: Library, name: str, arguments: str | Mapping[str, Any] = "{}") -> str:
    """Return what a model is told for this call; `arguments` is the JSON that it sent. Errors are words, and begin with "error:"."""
    return run(library, name, arguments).text


def run(
    library: Library, name: str, arguments: str | Mapping[str, Any] = "{}", *, cancelled: Cancelled = lambda: False
) -> Told:
    """Return what a model is told for this call, and whether it failed. `cancelled` ends a call of a language model."""
    if name not in TABLE:
        return Told(f"error: there is no tool {name[:40]!r}; there are {', '.join(TABLE)}", failed=True)
    given = calling.given(name, TABLE[name].parameters, arguments)
    if given.mistake:
        return Told(f"error: {given.mistake}", failed=True)
    try:
        return Told(_RUNS[name](library, given.values, cancelled))
    except YinjuError as error:
        return Told(worded(error), failed=True)


def worded(error: YinjuError) -> str:
    """Return an error as a model reads it."""
    stop = "" if error.message.endswith((".", "。", "!", "?")) else "."
    text = f"error: {error.message}{stop} {error.hint or ''}".strip()
    return _beginning(text, DEFAULT_TOKENS) if len(text) > DEFAULT_TOKENS else text


def _search(library: Library, given: Mapping[str, Any], _cancelled: Cancelled) -> str:
    found = library.find(given["query"], given.get("limit", 5), where=_where(given), read=True)
    head = f"evidence that these passages answer it: {found.evidence:.2f}"
    if found.unknown:
        head += f"; nowhere in the documents: {_line(', '.join(found.unknown))}"
    if not found.hits:
        return f"{NOTHING}; {head}"
    return _marked(head, [_passage(hit) for hit in found.hits], _budget(given))


def _context(library: Library, given: Mapping[str, Any], _cancelled: Cancelled) -> str:
    return library.context(given["question"], _budget(given), where=_where(given)).text or NOTHING


def _read(library: Library, given: Mapping[str, Any], _cancelled: Cancelled) -> str:
    source, page = _named(library, given)
    first, last = given.get("first", 1), given.get("last", LAST_LINE)
    excerpt = library.read(source, (min(first, last), max(first, last)), page)
    rows = [f"{number}\t{line}" for number, line in zip(excerpt.numbers, excerpt.text.split("\n"), strict=False)]
    if not rows:
        return f"{_line(source)} has no such {'lines' if page is None else 'page, or no text on it'}"
    head = excerpt.source if page is None else f"{excerpt.source} p.{page}"
    return _rows(head, rows, given, "go on with first={next}", excerpt.numbers)


def _named(library: Library, given: Mapping[str, Any]) -> tuple[str, int | None]:
    """Return source and page, also of a source that is named as results show it, `card.pdf p.2`, unless one is called that."""
    source = given["source"]
    name, page = split_page(source)
    if page is None or any(one.source == source for one in library.sources()):
        return source, given.get("page")
    return name, given.get("page", page)


def _outline(library: Library, given: Mapping[str, Any], _cancelled: Cancelled) -> str:
    rows = [
        f"{'  ' * max(entry.level - 1, 0)}{_line(entry.text)} ({_at(entry.line, entry.page)})"
        for entry in library.outline(given["source"])
    ]
    return _rows(f"outline of {given['source']}", rows, given) if rows else f"{_line(given['source'])} has no headings"


def _grep(library: Library, given: Mapping[str, Any], _cancelled: Cancelled) -> str:
    most = given.get("limit", 50)
    found = library.grep(given["pattern"], where=_where(given), regex=given.get("regex", False), limit=most)
    rows = [f"{_line(match.source)}:{_at(match.line, match.page)}: {_line(match.text)}" for match in found]
    head = f"{'at least ' if len(found) == most else ''}{len(found)} lines"
    return _rows(head, rows, given) if rows else "no line matches"


def _list_sources(library: Library, given: Mapping[str, Any], _cancelled: Cancelled) -> str:
    every = library.sources()
    like = given.get("like", "").lower()
    fitting = [one for one in every if like in f"{one.source} {one.title or ''}".lower()]
    rows = [
        "\t".join((_line(one.source), _line(one.title or ""), one.type or "", str(one.state))) for one in fitting
    ]  # fmt: skip
    return _rows(f"{len(fitting)} of {len(every)} documents", rows, given)


def _verify_quote(library: Library, given: Mapping[str, Any], _cancelled: Cancelled) -> str:
    proof = library.verify(given["text"], given.get("source"))
    if proof.status == "verified":
        return _marked("verified", [(_place(proof), proof.quote)], DEFAULT_TOKENS)
    if proof.quote:
        return _marked("not there word for word; the nearest text is", [(_place(proof), proof.quote)], DEFAULT_TOKENS)
    return "not there word for word"


def _status(library: Library, _given: Mapping[str, Any], _cancelled: Cancelled) -> str:
    return "\n".join(f"{name}: {_line(str(value))}" for name, value in library.status().items())


def _ask(library: Library, given: Mapping[str, Any], cancelled: Cancelled) -> str:
    from yinju.answer.small_talk import MODEL

    answer = library.ask(given["question"], where=_where(given), cancel=cancelled)
    if answer.refused:
        near = [_passage(hit) for hit in answer.nearest]
        return _marked(f"refused: {_line(answer.reason or answer.text)}", near, _budget(given))
    if answer.model == MODEL:
        return answer.text
    cited = [(f"[{one.marker}] {_place(one)} ({one.told})", one.quote) for one in answer.citations]
    return _marked(
        f"evidence that the documents answer it: {answer.evidence:.2f}",
        [("answer", answer.text), *cited],
        _budget(given),
    )


_RUNS: Mapping[str, Callable[[Library, Mapping[str, Any], Cancelled], str]] = {
    "search": _search,
    "context": _context,
    "read": _read,
    "outline": _outline,
    "grep": _grep,
    "list_sources": _list_sources,
    "verify_quote": _verify_quote,
    "status": _status,
    "ask": _ask,
}


def _where(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"source": given["only"]} if "only" in given else {}


def _budget(given: Mapping[str, Any]) -> int:
    return int(given.get("tokens", DEFAULT_TOKENS))


def _passage(hit: Hit) -> tuple[str, str]:
    heading = " › ".join(hit.headings)
    also = f" (also in {', '.join(hit.also)})" if hit.also else ""
    return f"{_place(hit)} {hit.id}{' ' + heading if heading else ''}{also}", f"{hit.header}{hit.text}"


def _place(found: Hit | Citation) -> str:
    if found.lines is not None:
        first, last = found.lines
        return f"{found.source}:{first}" + (f"-{last}" if last != first else "")
    return f"{found.source} p.{found.page}" if found.page is not None else found.source


def _at(line: int | None, page: int | None) -> str:
    return str(line) if line is not None else f"p.{page}" if page is not None else "?"


def _line(text: str) -> str:
    """Return the text on one line, without what a terminal or a model could take for the end of it."""
    return "".join(letter if letter.isprintable() or letter == "\t" else " " for letter in text)


def _marked(head: str, parts: Sequence[tuple[str, str]], tokens: int) -> str:
    """Return our words, then as many parts as fit, each below a heading behind a mark; say how many are left out."""
    mark = f"====={secrets.token_hex(6)}====="
    blocks = [f"{mark} {_short(heading, tokens)}\n{text}\n" for heading, text in parts]
    return _fitted(
        _short(head, tokens), blocks, mark, tokens, lambda count: f"{count} more left out: ask for more tokens, or less"
    )


def _rows(
    head: str, rows: Sequence[str], given: Mapping[str, Any], more: str = "{count} more left out: ask for more tokens, or less",
    numbers: Sequence[int] = (),
) -> str:  # fmt: skip
    """Return as many rows as fit below one heading; `more` says how to go on."""
    mark, tokens = f"====={secrets.token_hex(6)}=====", _budget(given)

    def left(count: int) -> str:
        return more.format(count=count, next=numbers[len(rows) - count] if numbers else "")

    return _fitted(f"{mark} {_short(head, tokens)}", [row + "\n" for row in rows], mark, tokens, left)


def _fitted(head: str, blocks: Sequence[str], mark: str, tokens: int, left_out: Callable[[int], str]) -> str:
    """Return head, the first blocks and an end, in no more than so many tokens; of a first block that is too long its beginning."""
    frame = estimate(f"{head}\n{mark} end {left_out(len(blocks)) if blocks else ''}")
    kept, left = 0, tokens - frame
    for block in blocks:
        left -= estimate(block) + 1
        if left < 0:
            break
        kept += 1
    chosen = list(blocks[:kept])
    if not kept and blocks:
        chosen, kept = [_beginning(blocks[0], tokens - frame - 1) + "\n"], 1
    while True:
        rest = len(blocks) - kept
        text = f"{head}\n{''.join(chosen)}{mark} end{' ' + left_out(rest) if rest else ''}"
        if estimate(text) <= tokens or not chosen:
            return text
        if len(chosen) > 1:
            chosen, kept = chosen[:-1], kept - 1
        else:
            chosen = [chosen[0][: len(chosen[0]) * 3 // 4] + "\n"] if len(chosen[0]) > 4 else []


def _short(text: str, tokens: int) -> str:
    """Return a heading on one line, in at most a quarter of the tokens."""
    text = _line(text)
    return text if estimate(text) <= tokens // 4 else _beginning(text, tokens // 4)


def _beginning(text: str, tokens: int) -> str:
    """Return a beginning of the text of about so many tokens."""
    size = min(len(text), tokens * 20)  # of a long text most is out of the question
    while size > 1 and estimate(text[:size]) > max(tokens, 1):
        size = size * 3 // 4
    return text[:size] + "…"
