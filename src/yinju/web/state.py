"""What the routes of one server share, as the asker of a request may have it: the library, the threads, and what it was started with.

A route names what it needs: `Served` for whoever has a token, `Owner` for the owner alone, `Changing` for the owner of a server that may change its
library. Nothing of the owner's is reached through the first: `library` is then the part of the library that the asker sees.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

from yinju.errors import StoreReadOnly, YinjuError
from yinju.messages import say
from yinju.tokens import OWNER, SCOPE, Asker
from yinju.web.jobs import Jobs
from yinju.web.work import Work

if TYPE_CHECKING:
    from yinju.library import Library

from fastapi import Depends, Request


class OwnerOnly(YinjuError):
    """Somebody with a token of their own asked for what only the owner may see or do."""

    code = "owner-only"


@dataclass(slots=True)
class State:
    """One library behind one server. The library's methods may be called by many threads at once; what changes it, by one at a time."""

    library: Library  # what the asker sees of it
    work: Work = field(default_factory=Work)
    jobs: Jobs = field(default_factory=Jobs)
    read_only: bool = False
    folders: tuple[str, ...] = ()  # what it was started with: may be synced although no sync has seen it yet
    pictures: OrderedDict[tuple[str, int, int, int], bytes] = field(default_factory=OrderedDict)  # see `pages`
    feedback: threading.Lock = field(default_factory=threading.Lock)  # one line at a time
    asker: Asker = OWNER
    whole: Library | None = None  # the owner's, where `library` is a part of it

    def seen_by(self, asker: Asker) -> State:
        """Return the same server with what this asker sees of its library."""
        if asker.principal is None:
            return self
        return replace(self, library=self.library.seen_by(asker.principal), asker=asker, whole=self.library)

    def told_asker(self) -> dict[str, Any]:
        """Return who asks and what that one may do, for a page that shows only what will work."""
        principal = self.asker.principal
        name, groups = (None, ()) if principal is None else (principal.name, principal.groups)
        return {"name": name, "groups": list(groups), "owner": principal is None, "may_change": self.may_change}

    @property
    def may_change(self) -> bool:
        """Whether anything that is asked may change the library."""
        return not self.read_only and self.library.store.writable

    def check_owner(self) -> None:
        """Raise OwnerOnly where somebody else asks."""
        if not self.asker.is_owner:
            raise OwnerOnly(
                say("Only the owner of this library may do that.", "只有资料库的所有者可以这样做。"),
                say("With your token you can search, read and ask.", "您的令牌可用于检索、阅读和提问。"),
            )

    def check_changing(self) -> None:
        """Raise StoreReadOnly where nothing may change the library."""
        if not self.may_change:
            raise StoreReadOnly(
                say("This server only reads.", "本服务器只读。"),
                say("Start it without --read-only.", "请不带 --read-only 启动。"),
                code="read-only",
            )


async def state_of(request: Request) -> State:
    """Return the state of the server that got this request, as its asker may have it. Raises KeyError behind no guard.

    Like those below it is no plain function, since FastAPI runs those on threads, of which there are 40: who has too many questions would wait
    for one of them to be told so.
    """
    return cast("State", request.app.state.yinju).seen_by(request.scope[SCOPE])


Served = Annotated[State, Depends(state_of)]
"""The state as anybody who may ask has it."""


async def _owners(served: Served) -> State:
    served.check_owner()
    return served


Owner = Annotated[State, Depends(_owners)]
"""The state of a server whose owner asks; OwnerOnly for any other."""


async def _changing(served: Owner) -> State:
    served.check_changing()
    return served


Changing = Annotated[State, Depends(_changing)]
"""The state of a server that may change its library, for its owner; OwnerOnly, StoreReadOnly for any other."""
