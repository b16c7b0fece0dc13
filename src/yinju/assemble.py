"""Settings to objects: where a library lies, and its store and models (`models`) opened."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from yinju import models
from yinju import settings as settings_room
from yinju.caring import LibraryOptions
from yinju.errors import ModelError, SourceMissing, UsageError, YinjuError
from yinju.library import Library
from yinju.messages import say
from yinju.settings import Settings, data_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from yinju.protocols import ChatModel, Embedder, Reranker

FOLDER = ".yinju"
# Folders that a cloud client copies while we write: a database in one gets damaged.
CLOUD_FOLDERS = (
    "onedrive",
    "dropbox",
    "google drive",
    "googledrive",
    "icloud drive",
    "mobile documents",
    "nutstore",
    "坚果云",
    "百度网盘",
)
NETWORK_FILE_SYSTEMS = (
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "fuse.sshfs",
    "davfs",
    "fuse.davfs2",
    "afs",
    "ceph",
)


def open_library(
    folder: str | Path | None = None,
    *,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    chat_model: ChatModel | None = None,
    read_only: bool = False,
    create: bool = True,
    progress: Callable[[str, float], None] | None = None,
) -> Library:
    """Open the library in this folder (a path that ends in `.yinju`, or any other of your choice); None: in memory.

    Models that are not given are opened as the settings say; a reranker that cannot be is a notice. Raises UsageError, StoreError.
    """
    from yinju.rerank import CheckedReranker
    from yinju.store import Store
    from yinju.sync import guarded

    _refuse_server(folder)
    path = None if folder is None else Path(folder).expanduser()
    settings = settings or settings_room.load(path)
    notices = list(settings.notices)
    if embedder is None:
        try:
            embedder = models.open_embedder(settings, progress=progress)
        except ModelError as error:
            notices.append(_with_hint(error))
    if reranker is None:
        try:
            reranker = models.open_reranker(settings)
        except (ModelError, UsageError) as error:
            notices.append(say("Not reranked: {why}", "未重排：{why}", why=_with_hint(error)))
    else:
        reranker = CheckedReranker(reranker)
    if embedder is None and settings.embed_model == "e5" and not settings.embed_url:
        notices.append(
            say(
                "No local model: searching by words. `yinju model pull` fetches it.",
                "没有本地模型：按词检索。运行 `yinju model pull` 可以获取。",
            )
        )
    store = Store.open(path, read_only=read_only, create=create)
    return Library(
        store,
        embedder=None if embedder is None else guarded(store, embedder),
        reranker=reranker,
        chat_model=chat_model or models.open_chat_model(settings),
        options=LibraryOptions(
            limit=settings.limit,
            context_tokens=settings.context_tokens,
            refuse_below=settings.refuse_below,
            rewrite=settings.rewrite,
            unsupported="remove" if settings.unsupported == "remove" else "mark",
            check=settings.check,
            presets=dict(settings.presets),
            workers=settings.workers,
            ocr=settings.ocr,
        ),
        notices=tuple(notices),
    )


def _with_hint(error: YinjuError) -> str:
    return f"{error.message} {error.hint or ''}".strip()


def _refuse_server(library: str | Path | None) -> None:
    """Raise UsageError for the URL of a server engine, without the password that may stand in it."""
    url = str(library or "")
    if "://" in url:
        raise UsageError(
            say(
                "Server engines cannot be used yet: {url}",
                "尚不支持服务器引擎：{url}",
                url=url.rsplit("@", maxsplit=1)[-1],
            ),
            say("Name a folder.", "请给出一个文件夹。"),
        )


def library_folder(path: Path | None, *, given: str | None = None) -> Path | None:
    """Return the library that serves this folder or file (the working folder for None), or where a new one for it belongs.

    `given` (a flag or `YINJU_LIBRARY`) wins. None where no path is given and none is found by walking up.
    Raises SourceMissing where the path does not exist, UsageError where a server is named.
    """
    if given:
        _refuse_server(given)
        named = Path(given).expanduser()
        of_the_folder = named / FOLDER  # the folder that was synced is named, not its library
        return of_the_folder if of_the_folder.is_dir() and not (named / "library.db").exists() else named
    start = Path.cwd() if path is None else path.expanduser()
    if not start.exists():
        raise SourceMissing(
            say("There is no {path}.", "没有 {path}。", path=start),
            say("Check the path. Nothing was changed.", "请检查路径。没有改动任何内容。"),
        )
    start = start.resolve()
    found = find_upwards(start if start.is_dir() else start.parent)
    if path is None or found is not None:
        return found
    return start / FOLDER if start.is_dir() and can_hold_library(start) else own_data_folder(start)


def find_upwards(folder: Path) -> Path | None:
    """Return the nearest `.yinju` at or above the folder, not beyond a repository root or the home folder, in no world-writable one.

    A folder that cannot hold its library has it in the user's data directory; that one is found for the folders below, too.
    """
    home = Path.home().resolve()
    for place in (folder, *folder.parents):
        candidate = place / FOLDER
        if candidate.is_dir() and not is_world_writable(place) and not is_world_writable(candidate):
            return candidate
        elsewhere = own_data_folder(place)
        if elsewhere.is_dir():
            return elsewhere
        if (place / ".git").exists() or place == home:
            return None
    return None


def can_hold_library(folder: Path) -> bool:
    """Return whether a database in this folder is safe: writable by us, not by everyone, on a local disk no cloud client copies."""
    if not os.access(folder, os.W_OK) or is_world_writable(folder):
        return False
    parts = [part.lower() for part in folder.parts]
    if any(part.startswith(cloud) for part in parts for cloud in CLOUD_FOLDERS):
        return False
    return not str(folder).startswith("\\\\") and file_system(folder) not in NETWORK_FILE_SYSTEMS


def is_world_writable(folder: Path) -> bool:
    """Return whether everyone may write there. On Windows modes say nothing about that: False."""
    if sys.platform == "win32":
        return False
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return True


def file_system(folder: Path) -> str:
    """Return the type of the file system, where the system's mount table tells; else an empty string."""
    best, kind = "", ""
    try:
        table = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    for line in table:
        _device, mounted, name, *_rest = line.split(" ")
        mounted = mounted.replace("\\040", " ")
        if len(mounted) >= len(best) and (folder == Path(mounted) or Path(mounted) in folder.parents):
            best, kind = mounted, name
    return kind


def own_data_folder(path: Path) -> Path:
    """Return where the user's data directory keeps the library of this folder or file."""
    name = "".join(c if c.isalnum() or c in "-_" else "-" for c in path.name)[:40] or "root"
    return data_directory() / "libraries" / f"{name}-{hashlib.sha256(os.fsencode(path)).hexdigest()[:12]}"
