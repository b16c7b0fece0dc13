"""One file over HTTP, in as many pieces as it takes, believed only when its size and digest are right."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from yinju.errors import ModelError
from yinju.inference.endpoint import is_loopback
from yinju.inference.wire import is_page
from yinju.messages import say

if TYPE_CHECKING:
    import httpx

TRIES = 5  # in a row without a byte
PAUSE = 1.0  # seconds, doubled each time
LARGEST_LISTING = 8 << 20  # bytes
PIECE = 1 << 20  # bytes
_SECONDS = 30.0  # without a byte
_PARTIAL = 206
_OUT_OF_RANGE = 416


def client(endpoint: str) -> httpx.Client:
    """Return a client for a hub: it follows redirects, uses the proxies of the system (but not on loopback), sends no token."""
    import httpx

    host = urlsplit(endpoint).hostname or ""
    timeout = httpx.Timeout(_SECONDS, connect=10.0)
    hooks: dict[str, list[Callable[..., Any]]] = {"response": [_stay_encrypted]}
    return httpx.Client(
        follow_redirects=True, max_redirects=5, timeout=timeout, trust_env=not is_loopback(host), event_hooks=hooks
    )


def _stay_encrypted(response: httpx.Response) -> None:
    following = response.headers.get("location", "") if response.has_redirect_location else ""
    if response.url.scheme == "https" and urlsplit(following).scheme.lower() == "http":
        raise failed(str(response.url), say("it leads to an unencrypted address", "它指向未加密的地址"))


def json_of(http: httpx.Client, url: str) -> Any:
    """Return the JSON that this address gives. Raises ModelError."""
    import httpx

    try:
        with http.stream("GET", url) as response:
            _check_status(response)
            content = b""
            for part in response.iter_bytes():
                content += part
                if len(content) > LARGEST_LISTING:
                    raise failed(url, say("its answer is too long", "应答过长"))
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise failed(url, _words(error), retryable=True) from error
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        page = say("it is a web page, perhaps of a login or a proxy", "是一个网页，可能来自登录页或代理")
        raise failed(url, page if is_page(content) else say("it is no JSON", "不是 JSON")) from None


def fetch(
    http: httpx.Client, url: str, target: Path, size: int, digest: str | None, report: Callable[[int], None]
) -> None:
    """Fetch the file to `target`, going on where an earlier call stopped. Raises ModelError, OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_file() and _is_right(target, size, digest):
        report(size)
        return
    target.unlink(missing_ok=True)
    part = target.with_name(target.name + ".part")
    left = TRIES
    while (have := part.stat().st_size if part.is_file() else 0) != size or not part.is_file():
        if have > size:
            part.unlink()
            continue
        try:
            _append(http, url, part, have, size, report)
        except ModelError as error:
            left = left - 1 if (part.stat().st_size if part.is_file() else 0) <= have else TRIES
            if not error.retryable or not left:
                raise
            time.sleep(PAUSE * 2 ** (TRIES - left))
    if not _is_right(part, size, digest):
        part.unlink()
        raise failed(
            url, say("{name} is not what the hub lists", "{name} 与列表不符", name=target.name), retryable=True
        )
    part.replace(target)


def _append(http: httpx.Client, url: str, part: Path, have: int, size: int, report: Callable[[int], None]) -> None:
    """Add to the part what is missing; raises ModelError where the connection ends before that."""
    import httpx

    headers = {"accept-encoding": "identity", **({"range": f"bytes={have}-"} if have else {})}
    try:
        with http.stream("GET", url, headers=headers) as response:
            if response.status_code == _OUT_OF_RANGE:
                part.unlink(missing_ok=True)
                raise failed(url, say("it does not go on where it stopped", "无法断点续传"), retryable=True)
            _check_status(response)
            goes_on = response.status_code == _PARTIAL and response.headers.get("content-range", "").startswith(
                f"bytes {have}-"
            )
            with part.open("ab" if goes_on else "wb") as out:
                got = have if goes_on else 0
                for piece in response.iter_bytes():
                    got += len(piece)
                    if got > size:
                        raise failed(url, say("it is longer than the hub lists", "比列表中的更长"))
                    out.write(piece)
                    report(got)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise failed(url, _words(error), retryable=True) from error
    if got < size:
        raise failed(url, say("the connection ended too early", "连接过早中断"), retryable=True)


def _is_right(path: Path, size: int, digest: str | None) -> bool:
    if path.stat().st_size != size:
        return False
    kind, _, expected = (digest or "").partition(":")
    if not expected:
        return True
    found = hashlib.sha256() if kind == "sha256" else hashlib.sha1(b"blob %d\0" % size)  # noqa: S324  git's name for a file
    with path.open("rb") as handle:
        while piece := handle.read(PIECE):
            found.update(piece)
    return found.hexdigest() == expected


def _check_status(response: httpx.Response) -> None:
    status = response.status_code
    if status in {401, 403, 404}:
        why = say(
            "there is no such public model or file ({status})", "没有这个公开的模型或文件（{status}）", status=status
        )
        raise failed(str(response.url), why)
    if status not in {200, _PARTIAL}:
        raise failed(
            str(response.url),
            say("status {status}", "状态 {status}", status=status),
            retryable=status >= 500 or status == 429,
        )


def failed(url: str, why: str, *, retryable: bool = False) -> ModelError:
    """Return the error for a download; addresses of storage carry signatures, so only the host is told."""
    host = urlsplit(url).hostname or url
    return ModelError(
        say("The model could not be fetched from {host}: {why}", "无法从 {host} 获取模型：{why}", host=host, why=why),
        say(
            "Run it again to go on. Elsewhere: `--from modelscope`, or HF_ENDPOINT set to a mirror, or copy the folder by hand.",
            "重新运行可继续下载。若无法访问：用 `--from modelscope`，或把 HF_ENDPOINT 设为镜像，也可手动复制模型文件夹。",
        ),
        code="download",
        retryable=retryable,
    )


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
