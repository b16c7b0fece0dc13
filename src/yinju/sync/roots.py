"""Which root a path belongs to, and what its files are called in the library.

The first root of a library gives its files their bare names; a later one prefixes them with its folder's name, so that a source is
unique. A path inside a known root is a part of that root, also a file that a scan takes for no document by its name; unless it is hidden,
ignored by rules, or a link that leads out: then it is a root of its own. A single file is a root that shares the names of its folder, and
that becomes a part of it once the folder is synced. Of two nested folders the inner one owns its files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from yinju.errors import SourceMissing, UsageError, YinjuError
from yinju.messages import say
from yinju.sync.scan import is_below, is_visible

Root = tuple[str, str]  # (absolute path of the folder or file, prefix of its sources)


@dataclass(frozen=True, slots=True)
class Target:
    """What one named path means: `part` of `root` ("" for all of it), whose sources begin with `prefix`.

    `leave_out` are the paths of other roots inside this one, `absorbs` those of single files of this folder that are no roots of their own any
    more. `is_new`: the library does not know this root yet.
    """

    root: str
    prefix: str
    part: str = ""
    is_new: bool = False
    leave_out: frozenset[str] = frozenset()
    absorbs: frozenset[str] = frozenset()


def targets(
    paths: Iterable[str | os.PathLike[str]],
    known: Sequence[Root],
    sources: Iterable[str] = (),
    *,
    new_roots: Sequence[str] | None = None,
) -> list[Target]:
    """Return what has to be looked at for these paths, each place once, outer ones first.

    `known` are the roots of the library, `sources` all its sources. `new_roots` (real paths): what else may become a root, None: anything.
    Each path is resolved once, here, and held against these as it is looked at later. Raises SourceMissing where a path is not there and no
    part of a known root, UsageError where no path is given, YinjuError (`outside`) for one that may not become a root.
    """
    named = _outer_first(dict.fromkeys(real_path(os.fspath(path)) for path in paths))
    if not named:
        raise UsageError(
            say("No folder or file was named.", "没有指定文件夹或文件。"), say("Name at least one.", "请至少指定一个。")
        )
    roots = list(known)
    sources = list(sources)
    found: list[Target] = []
    for path in named:
        target = _target(path, roots, sources)
        if target.is_new and new_roots is not None and target.root not in new_roots:
            raise outside()
        if target.is_new:
            roots.append((target.root, target.prefix))
        if not any(_contains(other, target) for other in found):
            found.append(target)
    whole = [_with_inner_roots(target, roots) for target in found]
    absorbed = {root for target in whole for root in target.absorbs}
    return [target for target in whole if target.root not in absorbed]


def owner(source: str, roots: Iterable[Root]) -> str | None:
    """Return the root whose files have names such as this one: a file before a folder, and the longest prefix. None: no root has."""
    fitting = [
        (os.path.isfile(root), len(prefix), root)
        for root, prefix in roots
        if (is_below(source, prefix + os.path.basename(root)) if os.path.isfile(root) else source.startswith(prefix))
    ]
    return max(fitting)[2] if fitting else None


def _outer_first(paths: Iterable[str]) -> list[str]:
    paths = list(paths)
    return sorted(paths, key=lambda path: sum(_is_inside(path, other) for other in paths))


def _target(path: str, roots: Sequence[Root], sources: Sequence[str]) -> Target:
    for root, prefix in sorted(roots, key=lambda root: -len(root[0])):
        if root == path:
            _must_exist(path)
            return Target(root, prefix)
        if _is_inside(path, root):
            part = os.path.relpath(path, root).replace(os.sep, "/")
            if not os.path.lexists(path):
                if os.path.isdir(root) and any(is_below(source, prefix + part) for source in sources):
                    return Target(root, prefix, part)  # gone, and known: the sync removes it
            elif _holds(root, part):
                return Target(root, prefix, part)
    _must_exist(path)
    return Target(path, _prefix(path, roots, sources), is_new=True)


def _prefix(path: str, roots: Sequence[Root], sources: Sequence[str]) -> str:
    """Return the prefix of a new root: that of roots with the same base folder, none for the first, else the folder's name."""
    base = _base(path)
    for root, prefix in roots:
        if _base(root) == base:
            return prefix
    if not roots:
        return ""
    name = os.path.basename(base) or "root"
    used = {prefix for _, prefix in roots}
    number = 1
    while True:
        prefix = f"{name}/" if number == 1 else f"{name}-{number}/"
        if prefix not in used and not any(source.startswith(prefix) for source in sources):
            return prefix
        number += 1


def _base(root: str) -> str:
    return os.path.dirname(root) if os.path.isfile(root) else root


def _contains(outer: Target, inner: Target) -> bool:
    return outer.root == inner.root and (not outer.part or is_below(inner.part, outer.part))


def _with_inner_roots(target: Target, roots: Sequence[Root]) -> Target:
    inner = {root: prefix for root, prefix in roots if root != target.root and _is_inside(root, target.root)}
    absorbs = frozenset(root for root, prefix in inner.items() if not target.part and _absorbs(target, root, prefix))
    return replace(target, leave_out=frozenset(inner) - absorbs, absorbs=absorbs)


def _absorbs(target: Target, root: str, prefix: str) -> bool:
    """Tell whether a scan of the whole folder says all about this root: a file that it shows, or one that is gone."""
    if os.path.dirname(root) != target.root or prefix != target.prefix or os.path.isdir(root):
        return False
    return not os.path.lexists(root) or _shows(target.root, os.path.basename(root))


def _shows(root: str, part: str) -> bool:
    """Tell whether a scan of the whole root would meet this part, and not only one that is asked for it by name."""
    from yinju.load import is_document_name
    from yinju.load.archive import is_archive_name

    path = os.path.join(root, *part.split("/"))
    if not _holds(root, part):
        return False
    return os.path.isdir(path) or is_document_name(os.path.basename(path)) or is_archive_name(path)


def _holds(root: str, part: str) -> bool:
    """Tell whether this part belongs to the root: no rule hides it, and it is no file behind a link that leads out."""
    path = os.path.join(root, *part.split("/"))
    if not is_visible(root, part):
        return False
    return os.path.isdir(path) or not os.path.islink(path) or _is_inside(os.path.realpath(path), root)


def _is_inside(path: str, folder: str) -> bool:
    return path != folder and path.startswith(folder.rstrip(os.sep) + os.sep)


def outside() -> YinjuError:
    """Return the error for a place that a request may not bring into the library."""
    return YinjuError(
        say("The library does not know this place.", "资料库中没有这个位置。"),
        say(
            "Add it with `yinju sync` on the machine itself; /api/roots names what is known.",
            "请在本机用 `yinju sync` 添加；/api/roots 列出已知位置。",
        ),
        code="outside",
    )


def real_path(path: str) -> str:
    """Return the real path; a file that is a link keeps its own name, because that is what was named."""
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(path):
        return os.path.realpath(path)
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _must_exist(path: str) -> None:
    if not os.path.exists(path):
        raise SourceMissing(
            say("{path} is not there.", "找不到 {path}。", path=path),
            say(
                "Check the name, or whether the drive is connected. Nothing was removed from the library.",
                "请检查名称，或磁盘是否已连接。资料库没有删除任何内容。",
            ),
        )
