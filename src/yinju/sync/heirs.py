"""Lists of the owner that go to other names: what is gone in the sync in which something of its name turns up may be that.

The store sees to what says the same (`store.closed`). Here is the rest: a file that got another name and was edited, between two syncs, says
something else, and nothing proves that it is the one that is gone. A name is a hint, and a hint is enough to close: the same name in another
folder, or with another suffix. These lists are written before the first document is.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from yinju.messages import say
from yinju.principal import EVERYONE
from yinju.store.access import both

if TYPE_CHECKING:
    from yinju.store import Store, Writer
    from yinju.store.access import Names
    from yinju.sync.survey import Job

Heir = tuple[str, str]  # a source, and another one whose list now also holds for it
MOST_NAMED = 5


def close_by_name(store: Store, writer: Writer, jobs: Sequence[Job]) -> list[Heir]:
    """Put new files on the lists of those that are gone and had their names. Return which on whose."""
    gone = [source for job in jobs for source in (*job.plan.remove, *job.plan.forget)]
    had_text = {source for job in jobs for source, before in job.known.items() if before.has_text}
    new = [file.source for job in jobs for file in job.plan.reads if file.source not in had_text]
    if not gone or not new:
        return []
    lists = {source: given["owner"] for source, given in store.access_lists().items() if "owner" in given}
    wanted, heirs = _by_name(lists, gone, new)
    if wanted:
        writer.set_access("owner", wanted)
    return heirs


def _by_name(
    lists: Mapping[str, Names], gone: Iterable[str], new: Iterable[str]
) -> tuple[dict[str, Names], list[Heir]]:
    """Return the lists that new sources get and did not have yet, and from which of those that are gone."""
    givers: dict[str, list[str]] = defaultdict(list)
    for source in gone:
        if EVERYONE not in lists.get(source, (EVERYONE,)):
            givers[_stem(source)].append(source)
    wanted: dict[str, Names] = {}
    heirs = []
    for source in new:
        for giver in givers.get(_stem(source), ()):
            before = wanted.get(source, lists.get(source))
            names = both(before, lists[giver])
            if names is not None and names != before:
                wanted[source] = names
                heirs.append((source, giver))
    return wanted, heirs


def notices(heirs: Sequence[Heir]) -> list[str]:
    """Say for which sources a list holds that was another's, and how it is taken away."""
    found = [
        say(
            "The access list of {giver} now also holds for {heir}; `yinju access {heir} --open` takes it away.",
            "{giver} 的访问名单现在也适用于 {heir}；`yinju access {heir} --open` 可取消。",
            giver=giver,
            heir=heir,
        )
        for heir, giver in heirs[:MOST_NAMED]
    ]
    if len(heirs) > MOST_NAMED:
        found.append(
            say(
                "{n} more files came under access lists of others; `yinju access` shows all lists.",
                "另有 {n} 个文件沿用了其他文件的访问名单；`yinju access` 可列出全部名单。",
                n=len(heirs) - MOST_NAMED,
            )
        )
    return found


def _stem(source: str) -> str:
    """Return the name without folder and suffix, as a disk may call it: upper and lower case and ways of composing letters are the same."""
    name = source.rsplit("/", 1)[-1]
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", PurePosixPath(name).stem or name).casefold())
