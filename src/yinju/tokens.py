"""Who may ask a server, by what they send: the file in which the owner keeps a name, groups and the SHA-256 of a token for each.

A token is 32 random bytes, so a plain hash of it cannot be turned back, and whoever reads the file cannot ask with it. The file is read again
when it has changed on disk: what the owner takes away holds from the next request. A file that went missing or broke while the server
runs lets nobody in but the owner; a server does not start on one.

    {"version": 1, "tokens": [{"name": "alice", "groups": ["hr"], "sha256": "...", "created": "2026-11-30T08:00:00Z"}]}
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import re
import secrets
import stat
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from yinju.errors import StoreBusy, StoreReadOnly, UsageError
from yinju.messages import say
from yinju.principal import EVERYONE, Principal, normal, normal_names

VERSION = 1
PREFIX = "yinju_"  # by which scanners for secrets, and people, know what it is
RANDOM_BYTES = 32
MOST_BYTES = 4 * 1024 * 1024  # of the file
LONGEST_NAME = 200
STALE_S = 30.0  # a change that began so long ago was killed
SCOPE = "yinju.asker"  # where a server's guard leaves the Asker of a request, out of reach of the request itself
_ENDS = ",，、;；#"  # of a name, where lists are written
_DIGEST = re.compile("[0-9a-f]{64}")
log = logging.getLogger("yinju.tokens")


@dataclass(frozen=True, slots=True)
class Asker:
    """Who sent a request: a principal, or the owner of the server, who is none and sees everything."""

    principal: Principal | None

    @property
    def is_owner(self) -> bool:
        """Whether this is the owner."""
        return self.principal is None


OWNER = Asker(None)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the file."""

    name: str
    groups: tuple[str, ...]
    digest: str  # SHA-256 of the token, in hex
    created: str  # UTC, ISO 8601

    @property
    def principal(self) -> Principal:
        """Return who asks with this token."""
        return Principal(self.name, self.groups)


class Tokens:
    """The file as a server knows it. May be asked by many threads at once."""

    def __init__(self, path: Path) -> None:
        """Raise UsageError where there is no such file, or it cannot be read as one."""
        self._path = path
        self._lock = threading.Lock()
        self._told: _Stamp | None = None  # the last state of the file that was complained about
        self._stamp: _Stamp | None
        self._stamp, self._entries = _read(path)

    @property
    def path(self) -> Path:
        """Return where the file lies."""
        return self._path

    def principal_of(self, token: str) -> Principal | None:
        """Return who asks with this token, None for nobody. Takes as long for a wrong one as for a right one."""
        given = digest_of(token)
        found = None
        for entry in self._current():
            if hmac.compare_digest(entry.digest, given):
                found = entry
        return None if found is None else found.principal

    def _current(self) -> tuple[Entry, ...]:
        """Return the entries as they are on disk now; none where the file cannot be read."""
        with self._lock:
            stamp = _stamp_of(self._path)
            if stamp != self._stamp or stamp is None:
                self._stamp, self._entries = self._again(stamp)
            return self._entries

    def _again(self, stamp: _Stamp | None) -> tuple[_Stamp | None, tuple[Entry, ...]]:
        try:
            return _read(self._path)
        except UsageError as error:
            if stamp != self._told:  # once for each state of the file
                log.error("%s %s", error.message, error.hint)
                self._told = stamp
            return None if isinstance(
                error.__cause__, OSError
            ) else stamp, ()  # what the system refused it may give in a moment


_Stamp = tuple[int, int, int, int]


def digest_of(token: str) -> str:
    """Return what the file keeps of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def make_token() -> str:
    """Return a new token."""
    return PREFIX + secrets.token_urlsafe(RANDOM_BYTES)


def entries(path: Path) -> tuple[Entry, ...]:
    """Return what stands in the file. Raises UsageError where it is not there, or is none."""
    return _read(path)[1]


def warnings(path: Path) -> list[str]:
    """Return what its owner should know about the file: others can read it, or can write it, which lets them give themselves access."""
    if os.name != "posix":
        return []
    mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & 0o077:
        return []
    text = say(
        "Others can read or change {path} (mode {mode}): chmod 600 {path}",
        "其他用户可以读取或修改 {path}（权限 {mode}）：请运行 chmod 600 {path}",
        path=path, mode=f"{mode:03o}",
    )  # fmt: skip
    return [text]


def add(path: Path, name: str, groups: Sequence[str] = ()) -> str:
    """Put somebody into the file, which is made where there is none, and return the token, which nothing keeps.

    Raises UsageError for a name that is there already or cannot be one, StoreBusy, StoreReadOnly.
    """
    token = make_token()
    entry = Entry(checked_name(name), _checked_groups(groups), digest_of(token), _now())

    def with_it(known: tuple[Entry, ...]) -> tuple[Entry, ...]:
        if any(one.name == entry.name for one in known):
            raise UsageError(
                say("{name} has a token already.", "{name} 已有令牌。", name=entry.name),
                say(
                    "`yinju token remove {name}` takes it away first; `yinju token groups {name}` changes its groups.",
                    "请先用 `yinju token remove {name}` 删除；用 `yinju token groups {name}` 更改组。",
                    name=entry.name,
                ),
                code="known-token",
            )
        return (*known, entry)

    _change(path, with_it)
    return token


def set_groups(path: Path, name: str, groups: Sequence[str]) -> None:
    """Give somebody these groups instead of those before; the token stays. Raises UsageError, StoreBusy, StoreReadOnly."""
    wanted, chosen = normal(name), _checked_groups(groups)

    def changed(known: tuple[Entry, ...]) -> tuple[Entry, ...]:
        _check_known(known, wanted)
        return tuple(replace(one, groups=chosen) if one.name == wanted else one for one in known)

    _change(path, changed, new=False)


def remove(path: Path, name: str) -> None:
    """Take somebody's token away. Raises UsageError where nobody has that name, StoreBusy, StoreReadOnly."""
    wanted = normal(name)

    def without(known: tuple[Entry, ...]) -> tuple[Entry, ...]:
        _check_known(known, wanted)
        return tuple(one for one in known if one.name != wanted)

    _change(path, without, new=False)


def checked_name(name: str) -> str:
    """Return the name of a principal or group as it is kept. Raises UsageError for what could not stand on an access list."""
    found = normal(name)
    bad = any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") or letter in _ENDS for letter in found)
    if not found or found == EVERYONE or bad or len(found) > LONGEST_NAME:
        raise UsageError(
            say("{name!r} cannot be the name of somebody.", "{name!r} 不能用作名称。", name=name[:LONGEST_NAME]),
            say(
                "A name is 1 to {most} visible characters without {ends}; * means everyone.",
                "名称为 1 到 {most} 个可见字符，不含 {ends}；* 表示所有人。",
                most=LONGEST_NAME,
                ends=" ".join(_ENDS),
            ),
        )
    return found


def _checked_groups(groups: Sequence[str]) -> tuple[str, ...]:
    return normal_names(checked_name(group) for group in groups)


def _check_known(known: tuple[Entry, ...], name: str) -> None:
    if not any(one.name == name for one in known):
        raise UsageError(
            say("Nobody here is called {name}.", "没有名为 {name} 的令牌。", name=name),
            say("`yinju token list` names them.", "`yinju token list` 列出全部。"),
            code="no-token",
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


# reading


def _stamp_of(path: Path) -> _Stamp | None:
    """Return what changes whenever the file does; None where it is not there."""
    try:
        return _stamp(path.stat())
    except OSError:
        return None


def _stamp(found: os.stat_result) -> _Stamp:
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns


def _read(path: Path) -> tuple[_Stamp, tuple[Entry, ...]]:
    try:
        with path.open("rb") as file:
            stamp = _stamp(os.fstat(file.fileno()))  # of what is read: another may take its place meanwhile
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError as error:
        raise UsageError(
            say("There is no tokens file {path}.", "没有令牌文件 {path}。", path=path),
            say("`yinju token add NAME --tokens {path}` makes one.", "`yinju token add 名称 --tokens {path}` 会创建它。", path=path),
            code="no-tokens",
        ) from error  # fmt: skip
    except OSError as error:
        raise _damaged(path, error.strerror or type(error).__name__) from error
    if len(content) > MOST_BYTES:
        raise _damaged(path, say("it is larger than {n} bytes", "超过 {n} 字节", n=MOST_BYTES))
    try:
        return stamp, _parsed(json.loads(content.decode("utf-8"), parse_constant=_no_constant))
    except (ValueError, RecursionError) as error:  # also of the encoding; what was wrong, never what stands there
        why = str(error) if isinstance(error, _Malformed) else say("it is no JSON", "不是有效的 JSON")
        raise _damaged(path, why) from error


class _Malformed(ValueError):
    """JSON of another shape than ours; the text names the place."""


def _no_constant(name: str) -> float:
    raise _Malformed(name)


def _parsed(value: Any) -> tuple[Entry, ...]:
    if not isinstance(value, dict) or value.get("version") != VERSION or isinstance(value["version"], bool):
        raise _Malformed(say('"version" is not {n}', '"version" 不是 {n}', n=VERSION))
    rows = value.get("tokens")
    if not isinstance(rows, list):
        raise _Malformed(say('"tokens" is no list', '"tokens" 不是列表'))
    found = tuple(_entry(row, place) for place, row in enumerate(rows))
    for what in ("name", "digest"):
        if len({getattr(one, what) for one in found}) < len(found):
            raise _Malformed(say("a {what} stands there twice", "{what} 重复", what=what))
    return found


def _entry(row: Any, place: int) -> Entry:
    bad = _Malformed(say("entry {n} is malformed", "第 {n} 项格式有误", n=place + 1))
    if not isinstance(row, dict) or set(row) - {"name", "groups", "sha256", "created"}:
        raise bad
    name, groups, digest, created = (row.get(key) for key in ("name", "groups", "sha256", "created"))
    if not isinstance(name, str) or not isinstance(groups, list) or not all(isinstance(one, str) for one in groups):
        raise bad
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest) or not isinstance(created, str):
        raise bad
    try:
        return Entry(checked_name(name), _checked_groups(groups), digest, created)
    except UsageError as error:
        raise bad from error


def _damaged(path: Path, why: str) -> UsageError:
    return UsageError(
        say("The tokens file {path} cannot be used: {why}.", "令牌文件 {path} 无法使用：{why}。", path=path, why=why),
        say(
            "Mend it, or move it away and make the tokens again.", "请改正它，或移走后重新创建令牌。"
        ),
        code="damaged-tokens",
    )  # fmt: skip


# writing


def _change(path: Path, change: Callable[[tuple[Entry, ...]], tuple[Entry, ...]], *, new: bool = True) -> None:
    """Replace the file by what `change` makes of it: the old one or the new one is there, whenever this ends."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(path) as (file, temporary):
            known = () if new and _stamp_of(path) is None else entries(path)
            _write(file, change(known))
            _replace(temporary, path)
    except OSError as error:
        raise StoreReadOnly(
            say("{path} cannot be written: {why}", "无法写入 {path}：{why}", path=path, why=error.strerror or error),
            say("Name another place with --tokens FILE.", "请用 --tokens 文件 指定其他位置。"),
            code="not-written",
        ) from error


@contextmanager
def _alone(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Yield the new file, open, and its path. It is there once only, so that two who change the tokens do not undo each other's work."""
    temporary = path.with_name(path.name + ".new")
    with suppress(FileNotFoundError):
        if time.time() - temporary.stat().st_mtime > STALE_S:
            temporary.unlink()
    try:
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)
    except FileExistsError as error:
        raise StoreBusy(
            say("The tokens are being changed by another process.", "另一个进程正在修改令牌。"),
            say("Try again in half a minute.", "请半分钟后再试。"),
        ) from error
    done = False
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file, temporary
        done = True
    finally:
        if not done:  # when it is done the name may be somebody else's already
            with suppress(OSError):
                temporary.unlink()


def _write(file: BinaryIO, made: Sequence[Entry]) -> None:
    rows: list[Mapping[str, Any]] = [
        {"name": one.name, "groups": list(one.groups), "sha256": one.digest, "created": one.created} for one in made
    ]
    text = json.dumps({"version": VERSION, "tokens": rows}, ensure_ascii=False, indent=1) + "\n"
    file.write(text.encode("utf-8"))
    file.flush()
    os.fsync(file.fileno())
    file.close()  # Windows renames no open file


def _replace(temporary: Path, path: Path) -> None:
    """Put the new file in the place of the old one; on Windows a server may be reading that for a moment."""
    for wait in (0.01, 0.05, 0.2, None):
        try:
            os.replace(temporary, path)
            return
        except PermissionError:
            if wait is None or os.name == "posix":
                raise
            time.sleep(wait)
