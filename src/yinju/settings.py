"""Settings as plain data: defaults < user file < library file < environment < flags.

A library's own settings file may have come with a cloned folder, so it may choose sizes and presets only; what it says about endpoints,
models or paths is not followed, and named in `notices`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from yinju import private
from yinju.errors import UsageError
from yinju.messages import LANGUAGES, say
from yinju.types import REFUSE_BELOW

FILE_NAME = "settings.toml"
LOCAL_MODELS = ("e5", "hashing", "none")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user may choose. Keys are never shown: `repr` leaves them out."""

    library: str | None = None
    chat_url: str | None = field(default=None, repr=False)  # may hold a password
    chat_key: str | None = field(default=None, repr=False)
    chat_model: str | None = None
    chat_context_tokens: int | None = None  # the model's window; None: the preset's, else 32,768
    embed_url: str | None = field(default=None, repr=False)  # may hold a password
    embed_key: str | None = field(default=None, repr=False)
    embed_model: str = (
        "e5"  # with a URL the endpoint's model; else e5, hashing, none, or the folder or name of a local one
    )
    rerank_url: str | None = field(default=None, repr=False)  # may hold a password
    rerank_key: str | None = field(default=None, repr=False)
    rerank_model: str | None = (
        None  # with a URL the endpoint's model; else the folder or name of a local one; none: no reranking
    )
    judge_url: str | None = field(
        default=None, repr=False
    )  # of the model that judges answers; without one the chat model does
    judge_key: str | None = field(default=None, repr=False)
    judge_model: str | None = None
    lang: str | None = None
    limit: int = 5
    context_tokens: int = 2_000
    refuse_below: float = REFUSE_BELOW
    unsupported: str = "mark"  # sentences of a model that no passage proves: mark them, or remove them
    check: bool = False  # a model reads once more what it put in words of its own; it may only take a verdict back
    rewrite: str = "model"  # follow-up questions: by the chat model where there is one, by rules, or off
    workers: int = 2
    ocr: bool = True  # read text in scans and pictures where the extra is installed; YINJU_OCR=off says no, too
    fast: bool = False
    presets: Mapping[str, str] = field(default_factory=dict)  # glob -> preset
    notices: tuple[str, ...] = ()


ENVIRONMENT = {
    "YINJU_LIBRARY": "library",
    "YINJU_CHAT_URL": "chat_url",
    "YINJU_CHAT_KEY": "chat_key",
    "YINJU_CHAT_MODEL": "chat_model",
    "YINJU_EMBED_URL": "embed_url",
    "YINJU_EMBED_KEY": "embed_key",
    "YINJU_EMBED_MODEL": "embed_model",
    "YINJU_RERANK_URL": "rerank_url",
    "YINJU_RERANK_KEY": "rerank_key",
    "YINJU_RERANK_MODEL": "rerank_model",
    "YINJU_JUDGE_URL": "judge_url",
    "YINJU_JUDGE_KEY": "judge_key",
    "YINJU_JUDGE_MODEL": "judge_model",
    "YINJU_LANG": "lang",
}
LIBRARY_MAY_CHOOSE = ("limit", "context_tokens", "refuse_below", "presets")
_SECRET = ("chat_key", "embed_key", "rerank_key", "judge_key")
UNSUPPORTED = ("mark", "remove")
REWRITES = ("model", "rules", "off")
_KINDS: dict[str, type | tuple[type, ...]] = {
    "int": int,
    "int | None": int,
    "float": (int, float),
    "bool": bool,
    "str": str,
    "str | None": str,
}


def load(folder: Path | None = None, *, environment: Mapping[str, str] | None = None, **flags: Any) -> Settings:
    """Return the settings in force for the library in this folder; `flags` that are None are not set.

    Raises UsageError naming file, key and what is allowed.
    """
    environment = os.environ if environment is None else environment
    own = user_file()
    settings = _apply(Settings(), _read(own), str(own))
    if _holds_key(settings) and _is_open(own):
        text = say(
            "Others can read the keys in {file}: chmod 600 {file}", "其他用户可以读取 {file} 中的密钥：请运行 chmod 600 {file}", file=own
        )  # fmt: skip
        settings = replace(settings, notices=(*settings.notices, text))
    if folder is not None:
        path = folder / FILE_NAME
        given = _read(path)
        ignored = [key for key in given if key not in LIBRARY_MAY_CHOOSE]
        settings = _apply(
            settings, {key: value for key, value in given.items() if key in LIBRARY_MAY_CHOOSE}, str(path)
        )
        if ignored:
            text = say(
                "{file} may not set {keys}: put that into {own} yourself.", "{file} 无权设置 {keys}：请自行写进 {own}。",
                file=path, keys=", ".join(sorted(ignored)), own=user_file(),
            )  # fmt: skip
            settings = replace(settings, notices=(*settings.notices, text))
    found = {name: environment[key] for key, name in ENVIRONMENT.items() if environment.get(key)}
    if "lang" in found:  # people set it like a locale: zh_CN.UTF-8, zh-Hans
        found["lang"] = re.split(r"[-_.]", found["lang"].lower())[0]
    settings = _apply(settings, found, "environment")
    return _apply(settings, {key: value for key, value in flags.items() if value is not None}, "flags")


def user_file() -> Path:
    """Return where the user's own settings file is looked for."""
    from platformdirs import user_config_path

    return user_config_path("yinju") / FILE_NAME


def write_user_setting(key: str, value: str) -> Path:
    """Set one text setting in the user's file, leave every other line as it is, and return the file's path."""
    return _write_setting(user_file(), key, value)


def write_library_setting(folder: Path, key: str, value: float) -> Path:
    """Set one number in the file of the library in this folder. Raises UsageError for a key that such a file may not set."""
    if key not in LIBRARY_MAY_CHOOSE:
        raise UsageError(
            say("A library may not set {key}.", "库的设置文件无权设置 {key}。", key=key),
            say("It may set {keys}.", "可以设置：{keys}。", keys=", ".join(LIBRARY_MAY_CHOOSE)),
        )
    return _write_setting(folder / FILE_NAME, key, value)


def _write_setting(path: Path, key: str, value: str | float) -> Path:
    _read(path)  # a broken file is reported, not overwritten
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    table = next((number for number, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    kept = [line for line in lines[:table] if line.split("=")[0].strip() != key]
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = path.with_suffix(".new")
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()  # of one who was killed: it keeps its mode
    private.write(temporary, "\n".join([*kept, f"{key} = {json.dumps(value)}", *lines[table:]]) + "\n")
    temporary.replace(path)
    return path


def cache_directory() -> Path:
    """Return where built models are kept; `YINJU_CACHE` moves it."""
    from platformdirs import user_cache_path

    return Path(os.environ.get("YINJU_CACHE") or user_cache_path("yinju"))


def data_directory() -> Path:
    """Return where libraries of folders that cannot hold their own are kept; `YINJU_DATA` moves it."""
    from platformdirs import user_data_path

    return Path(os.environ.get("YINJU_DATA") or user_data_path("yinju"))


def _holds_key(settings: Settings) -> bool:
    """Whether these say a key, or an address with a password in it."""
    addresses = (settings.chat_url, settings.embed_url, settings.rerank_url, settings.judge_url)
    return any(getattr(settings, key) for key in _SECRET) or any("@" in (address or "") for address in addresses)


def _is_open(path: Path) -> bool:
    """Whether others on this machine can read the file."""
    try:
        return os.name == "posix" and bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
    except OSError:
        return False


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            say(
                "The settings file {path} cannot be read: {why}.",
                "无法读取设置文件 {path}：{why}。",
                path=path,
                why=error,
            ),
            say("Mend or remove it.", "请改正或删除它。"),
        ) from error


def _apply(settings: Settings, given: Mapping[str, Any], origin: str) -> Settings:
    allowed = {f.name: str(f.type) for f in fields(Settings) if f.name != "notices"}
    for key, value in given.items():
        if key not in allowed:
            raise UsageError(
                say("{origin}: there is no setting {key!r}.", "{origin}：没有设置项 {key!r}。", origin=origin, key=key),
                say("Settings are: {names}.", "可用的设置项：{names}。", names=", ".join(allowed)),
            )
        kind = _KINDS.get(allowed[key], Mapping)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise UsageError(
                say(
                    "{origin}: {key} cannot be {value!r}.",
                    "{origin}：{key} 不能是 {value!r}。",
                    origin=origin,
                    key=key,
                    value="…" if key in _SECRET else value,
                ),
                say("It has to be: {kind}.", "它的类型应为：{kind}。", kind=allowed[key]),
            )
    changed = replace(settings, **given)
    if changed.lang is not None and changed.lang not in LANGUAGES:
        raise UsageError(
            say("There is no language {lang!r}.", "没有语言 {lang!r}。", lang=changed.lang),
            say("Choose en or zh.", "可选 en 或 zh。"),
        )
    if changed.rewrite not in REWRITES:
        raise UsageError(
            say("There is no rewriting {name!r}.", "没有改写方式 {name!r}。", name=changed.rewrite),
            say("Choose one of {names}.", "可选：{names}。", names=", ".join(REWRITES)),
        )
    if changed.unsupported not in UNSUPPORTED:
        raise UsageError(
            say("unsupported cannot be {name!r}.", "unsupported 不能是 {name!r}。", name=changed.unsupported),
            say("Choose one of {names}.", "可选：{names}。", names=", ".join(UNSUPPORTED)),
        )
    if not 0 <= changed.refuse_below <= 1:
        raise UsageError(
            say(
                "refuse_below is a probability, not {value}.",
                "refuse_below 是概率，不能是 {value}。",
                value=changed.refuse_below,
            ),
            say("Choose a number from 0 (never refuse) to 1.", "请选 0（从不拒答）到 1 之间的数。"),
        )
    return changed
