"""Which of several files with the same text looks like the original: the one that a reader would expect to be named as the source.

Nothing but the name is asked, so that the same files give the same answer on any machine; whether a file is a link is for those to say who
can see the disk.
"""

from __future__ import annotations

import re

from yinju.text.normalize import fold

_copy = re.compile(
    r"副本|复制|拷贝|备份|旧版|归档|存档|(?<![\u3400-\u9fff])旧(?![\u3400-\u9fff])"
    r"|(?<![a-z])(?:copy|copies|duplicates?|backups?|bak|old|archived?)(?![a-z])"
)
_counted = re.compile(
    r"[(\[]\d{1,2}[)\]]$|~\d{0,2}$"
)  # 报价单(1), as downloads and file managers count; saved by an editor


def looks_copied(source: str) -> bool:
    """Return whether the name, or a folder above it, says that it is a copy, a backup or old: `a (1).md`, `a - Copy.md`, `备份/a.md`."""
    name = fold(source)
    stem = name.rpartition("/")[2].rpartition(".")[0].rstrip() or name
    return _copy.search(name) is not None or _counted.search(stem) is not None or name.endswith("~")


def rank(source: str, *, linked: bool = False) -> tuple[bool, bool, int, str]:
    """Return the key by which the original comes first: no link, no copy by its name, in fewer folders, then by the name's order."""
    return linked, looks_copied(source), source.count("/"), source
