"""What an agent's model may do, as plain values, and the reading of what it asks for: every argument is hostile until it was checked.

The tools themselves know the library; here they are functions that this room is given. A mistake of the model is told to the model in
words and never raised.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from yinju.protocols import ToolCall
from yinju.types import Hit

LONGEST_ARGUMENTS = 8_000  # characters of JSON


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool: texts of at most `most` characters, whole numbers from `least` to `most`."""

    kind: Literal["text", "number", "yes"]
    says: str
    required: bool = False
    least: int = 1
    most: int = 500


@dataclass(frozen=True, slots=True)
class Found:
    """What a tool found: passages, which can be cited, and words about them, which cannot. `evidence` is that of a search."""

    hits: tuple[Hit, ...] = ()
    text: str = ""
    evidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what it says of itself, its parameters, and the function. That raises YinjuError for what cannot be done."""

    name: str
    says: str
    parameters: Mapping[str, Parameter]
    run: Callable[[Mapping[str, Any]], Found]


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that was understood, or what is wrong with it."""

    tool: Tool | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    mistake: str = ""

    @property
    def key(self) -> str:
        """The same for two calls that ask for the same."""
        name = self.tool.name if self.tool else ""
        return f"{name} {json.dumps(dict(self.values), ensure_ascii=False, sort_keys=True)}"


def offered(tools: Mapping[str, Tool]) -> list[dict[str, Any]]:
    """Return the tools as the API wants them described."""
    return [
        {"type": "function", "function": {"name": tool.name, "description": tool.says, "parameters": _schema(tool)}}
        for tool in tools.values()
    ]


def _schema(tool: Tool) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: _property(parameter) for name, parameter in tool.parameters.items()},
        "required": [name for name, parameter in tool.parameters.items() if parameter.required],
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> dict[str, Any]:
    described: dict[str, Any] = {"description": parameter.says}
    if parameter.kind == "text":
        return {"type": "string", "maxLength": parameter.most, **described}
    if parameter.kind == "number":
        return {"type": "integer", "minimum": parameter.least, "maximum": parameter.most, **described}
    return {"type": "boolean", **described}


def understood(call: ToolCall, tools: Mapping[str, Tool]) -> Asked:
    """Return what a call asks for; with a `mistake` where it names no tool, holds no JSON object, or a value that cannot be."""
    tool = tools.get(call.name)
    if tool is None:
        return Asked(mistake=f"there is no tool {call.name[:40]!r}; there are {', '.join(tools)}")
    if len(call.arguments) > LONGEST_ARGUMENTS:
        return Asked(tool, mistake="the arguments are too long")
    try:
        given = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return Asked(tool, mistake="the arguments are no JSON object")
    if not isinstance(given, dict):
        return Asked(tool, mistake="the arguments are no JSON object")
    values: dict[str, Any] = {}
    for name, parameter in tool.parameters.items():
        value = given.get(name)
        if value is None or value == "":
            if parameter.required:
                return Asked(tool, mistake=f"{name!r} is missing")
            continue
        checked = _checked(value, parameter)
        if checked is None:
            return Asked(tool, mistake=f"{name!r} must be {_wanted(parameter)}")
        values[name] = checked
    unknown = [str(name)[:40] for name in given if name not in tool.parameters]
    if unknown:
        return Asked(
            tool, mistake=f"{tool.name} takes no {unknown[0]!r}; it takes {', '.join(tool.parameters) or 'nothing'}"
        )
    return Asked(tool, values)


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
    return value.replace("\0", " ")


def _wanted(parameter: Parameter) -> str:
    if parameter.kind == "text":
        return f"a text of 1 to {parameter.most} characters"
    return (
        f"a whole number from {parameter.least} to {parameter.most}" if parameter.kind == "number" else "true or false"
    )
