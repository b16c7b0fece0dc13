"""What a program may ask a library by name: one table for the agent of our own, for MCP, and for function calling of any model.

Names, descriptions and parameters are promises to models that were told them once, so they stand together and in one place. Here they are plain
values that cost nothing to import: a handshake must not wait for a search. Every argument is hostile until it was read here; a mistake is told
in words, for a model can act on them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

LONGEST_ARGUMENTS = 8_000  # characters of JSON
DEFAULT_TOKENS = 4_000  # of one result


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool: texts of at most `most` characters, whole numbers from `least` to `most`."""

    kind: Literal["text", "number", "yes"]
    says: str
    required: bool = False
    least: int = 1
    most: int = 500


@dataclass(frozen=True, slots=True)
class Described:
    """What a tool says of itself. `asks_model`: it may call the language model of the settings."""

    name: str
    title: str
    says: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    asks_model: bool = False

    def without(self, *names: str) -> Mapping[str, Parameter]:
        """Return its parameters but these."""
        return {name: parameter for name, parameter in self.parameters.items() if name not in names}


_QUERY = Parameter("text", "what to look for, in words of the documents", required=True, most=2_000)
_QUESTION = Parameter("text", "one question that stands alone", required=True, most=2_000)
_SOURCE = Parameter("text", "name of a source, as results show it", required=True, most=1_000)
_ONLY = Parameter("text", "only in sources like this, such as faq/*", most=400)
_TOKENS = Parameter("number", f"most tokens of the result, {DEFAULT_TOKENS} unless said", least=100, most=20_000)

TABLE: Mapping[str, Described] = {
    one.name: one
    for one in (
        Described(
            "search", "Search the documents",
            "Find passages of the user's documents (Chinese and English) by meaning and by words, each with its source, lines or page, and id.",
            {"query": _QUERY, "limit": Parameter("number", "how many passages, 5 unless said", most=20), "only": _ONLY, "tokens": _TOKENS},
        ),
        Described(
            "context", "Passages for a question",
            "Get one block of numbered passages for a question, to answer from and to cite as [1], [2].",
            {"question": _QUESTION, "only": _ONLY, "tokens": _TOKENS},
        ),
        Described(
            "read", "Read a source",
            "Read a source: whole, some of its lines, or a page where a citation names one (p.3). Use it to see what stands around a passage.",
            {
                "source": _SOURCE,
                "first": Parameter("number", "first line, from 1", most=10_000_000),
                "last": Parameter("number", "last line", most=10_000_000),
                "page": Parameter("number", "page, from 1, of a source with pages", most=1_000_000),
                "tokens": _TOKENS,
            },
        ),
        Described(
            "outline", "Headings of a source",
            "List the headings of a source (pages, tables or definitions where it has none), each with its line or page.",
            {"source": _SOURCE, "tokens": _TOKENS},
        ),
        Described(
            "grep", "Find a text exactly",
            "Find a text exactly as it is written; case, width and traditional characters are set aside.",
            {
                "pattern": Parameter("text", "the text, or a regular expression", required=True, most=400),
                "only": _ONLY,
                "regex": Parameter("yes", "the pattern is a regular expression (RE2)"),
                "limit": Parameter("number", "how many lines, 50 unless said", most=200),
                "tokens": _TOKENS,
            },
        ),
        Described(
            "list_sources", "List the documents",
            "List the documents that there are, with title, type and state.",
            {"like": Parameter("text", "only names or titles that contain this", most=200), "tokens": _TOKENS},
        ),
        Described(
            "verify_quote", "Check a quotation",
            "Is this quotation really there, word for word, and where? Use it before you quote.",
            {"text": Parameter("text", "the quotation", required=True, most=4_000), "source": Parameter("text", "only in this source", most=1_000)},
        ),
        Described("status", "State of the library", "Tell how many documents and passages the library holds, and whether they are up to date."),
        Described(
            "ask", "Answer with citations",
            "Answer a question from the documents: each sentence is checked against its source, and what they do not say is refused.",
            {"question": _QUESTION, "only": _ONLY, "tokens": _TOKENS}, asks_model=True,
        ),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Given:
    """Arguments that were understood, or what is wrong with them."""

    values: Mapping[str, Any] = field(default_factory=dict)
    mistake: str = ""


def schema(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the JSON schema of the arguments."""
    return {
        "type": "object",
        "properties": {name: _property(parameter) for name, parameter in parameters.items()},
        "required": [name for name, parameter in parameters.items() if parameter.required],
        "additionalProperties": False,
    }


def function(name: str, says: str, parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return a tool as APIs for function calling want it described."""
    return {"type": "function", "function": {"name": name, "description": says, "parameters": schema(parameters)}}


def given(name: str, parameters: Mapping[str, Parameter], arguments: str | Mapping[str, Any]) -> Given:
    """Return the values that these arguments give (JSON of a model, or what was read from it); with a `mistake` where they cannot be."""
    if isinstance(arguments, str) and len(arguments) > LONGEST_ARGUMENTS:
        return Given(mistake="the arguments are too long")
    try:
        found = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return Given(mistake="the arguments are no JSON object")
    if not isinstance(found, Mapping):
        return Given(mistake="the arguments are no JSON object")
    values: dict[str, Any] = {}
    for key, parameter in parameters.items():
        value = found.get(key)
        if value is None or value == "":
            if parameter.required:
                return Given(mistake=f"{key!r} is missing")
            continue
        checked = _checked(value, parameter)
        if checked is None:
            return Given(mistake=f"{key!r} must be {_wanted(parameter)}")
        values[key] = checked
    unknown = [str(key)[:40] for key in found if key not in parameters]
    if unknown:
        return Given(mistake=f"{name} takes no {unknown[0]!r}; it takes {', '.join(parameters) or 'nothing'}")
    return Given(values)


def _property(parameter: Parameter) -> dict[str, Any]:
    described: dict[str, Any] = {"description": parameter.says}
    if parameter.kind == "text":
        return {"type": "string", "maxLength": parameter.most, **described}
    if parameter.kind == "number":
        return {"type": "integer", "minimum": parameter.least, "maximum": parameter.most, **described}
    return {"type": "boolean", **described}


def _checked(value: Any, parameter: Parameter) -> Any:
    if parameter.kind == "yes":
        return value if isinstance(value, bool) else None
    if parameter.kind == "number":
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < 12:  # many models quote numbers
            value = int(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e12:
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        return min(max(value, parameter.least), parameter.most)
    if not isinstance(value, str) or not value.strip() or len(value) > parameter.most:
        return None
    return _as_text(value)


def _as_text(value: str) -> str:
    """Return the text without what no document can hold: NUL, and halves of characters (JSON can spell them)."""
    return value.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _wanted(parameter: Parameter) -> str:
    if parameter.kind == "text":
        return f"a text of 1 to {parameter.most} characters"
    return (
        f"a whole number from {parameter.least} to {parameter.most}" if parameter.kind == "number" else "true or false"
    )
