"""What the routes of one server share: the library, the threads, and what it was started with."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, cast

from yinju.web.work import Work

if TYPE_CHECKING:
    from yinju.library import Library

from fastapi import Depends, Request


@dataclass(slots=True)
class State:
    """One library behind one server. The library's methods may be called by many threads at once; what changes it, by one at a time."""

    library: Library
    work: Work = field(default_factory=Work)
    read_only: bool = False
    pictures: OrderedDict[tuple[str, int, int, int], bytes] = field(default_factory=OrderedDict)  # see `pages`


def state_of(request: Request) -> State:
    """Return the state of the server that got this request."""
    return cast("State", request.app.state.yinju)


Served = Annotated[State, Depends(state_of)]
