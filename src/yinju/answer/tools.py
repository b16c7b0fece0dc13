"""What an agent's model may do, as plain values, and the reading of what it asks for.

The tools themselves know the library; here they are functions that this room is given. What they are called and take is said once for every
door, in `calling`. A mistake of the model is told to the model in words and never raised.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from yinju import calling
from yinju.calling import LONGEST_ARGUMENTS, Parameter
from yinju.protocols import ToolCall
from yinju.types import Hit

__all__ = ["LONGEST_ARGUMENTS", "Asked", "Found", "Parameter", "Tool", "offered", "understood"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a tool found: passages, which can be cited, and words about them, which cannot. `evidence` is that of a search that was read."""

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
    return [calling.function(tool.name, tool.says, tool.parameters) for tool in tools.values()]


def understood(call: ToolCall, tools: Mapping[str, Tool]) -> Asked:
    """Return what a call asks for; with a `mistake` where it names no tool, holds no JSON object, or a value that cannot be."""
    tool = tools.get(call.name)
    if tool is None:
        return Asked(mistake=f"there is no tool {call.name[:40]!r}; there are {', '.join(tools)}")
    read = calling.given(tool.name, tool.parameters, call.arguments)
    return Asked(tool, read.values, read.mistake)
