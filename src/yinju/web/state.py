"""What the routes of one server share: the library, the threads, and what it was started with."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, cast

from yinju.errors import StoreReadOnly
from yinju.messages import say
from yinju.web.jobs import Jobs
from yinju.web.work import Work

if TYPE_CHECKING:
    from yinju.library import Library

from fastapi import Depends, Request


@dataclass(slots=True)
class State:
    """One library behind one server. The library's methods may be called by many threads at once; what changes it, by one at a time."""

    library: Library
    work: Work = field(default_factory=Work)
    jobs: Jobs = field(default_factory=Jobs)
    read_only: bool = False
    folders: tuple[str, ...] = ()  # what it was started with: may be synced although no sync has seen it yet
    pictures: OrderedDict[tuple[str, int, int, int], bytes] = field(default_factory=OrderedDict)  # see `pages`
    feedback: threading.Lock = field(default_factory=threading.Lock)  # one line at a time

    @property
    def may_change(self) -> bool:
        """Whether anything that is asked may change the library."""
        return not self.read_only and self.library.store.writable

    def check_changing(self) -> None:
        """Raise StoreReadOnly where nothing may change the library."""
        if not self.may_change:
            raise StoreReadOnly(
                say("This server only reads.", "本服务器只读。"),
                say("Start it without --read-only.", "请不带 --read-only 启动。"),
                code="read-only",
            )


def state_of(request: Request) -> State:
    """Return the state of the server that got this request."""
    return cast("State", request.app.state.yinju)


Served = Annotated[State, Depends(state_of)]


def _changing(served: Served) -> State:
    served.check_changing()
    return served


Changing = Annotated[State, Depends(_changing)]
"""The state of a server that may change its library; StoreReadOnly for any other."""
