"""Start and stop the server: which addresses may call it, where it listens, and what it prints for its user.

Beyond this machine only with a token: whoever reaches the port could read every document.
"""

from __future__ import annotations

import os
import socket
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from yinju import logs
from yinju.errors import UsageError, YinjuError
from yinju.messages import say
from yinju.web.app import create_app
from yinju.web.guard import LOOPBACK, GuardOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from yinju.library import Library
    from yinju.tokens import Tokens

PORT = 8390
GRACE_S = 5  # for answers under way when the server is stopped
SHORTEST_TOKEN = 16
_MAKE_TOKEN = 'python -c "import secrets; print(secrets.token_urlsafe(32))"'  # noqa: S105  how to make one
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104  compared with, never a default


def serve(
    library: Library,
    *,
    host: str = "127.0.0.1",
    port: int = PORT,
    token: str | None = None,
    tokens: Tokens | None = None,
    names: tuple[str, ...] = (),
    read_only: bool = False,
    folders: Sequence[str] = (),
    ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve this library until the process is interrupted; `ready` is told the address once the port is taken (0: any free one).

    `names`: further host names by which people may call it. `folders`: absolute paths that are brought up to date
    meanwhile. `token` is the owner's, `tokens` those of principals. Raises UsageError where the host is beyond this machine and there is none,
    YinjuError where the port cannot be had.
    """
    import uvicorn

    from yinju.web.connections import Patient

    options = guard_options(host, token, names, tokens)
    logs.install()
    with closing(_listen(host, port)) as listener:
        ready(address(host, listener.getsockname()[1]))
        app = create_app(library, options, read_only=read_only, folders=folders)
        config = uvicorn.Config(
            app, http=Patient, log_config=None, log_level="warning", access_log=False, server_header=False,
            timeout_graceful_shutdown=GRACE_S, timeout_keep_alive=60, proxy_headers=False, h11_max_incomplete_event_size=64 * 1024,
        )  # fmt: skip
        server = uvicorn.Server(config)
        end = server.shutdown

        async def shutdown(sockets: list[socket.socket] | None = None) -> None:
            """Let jobs end at once: those who watch them keep their connections open for as long."""
            app.state.yinju.jobs.stop()
            await end(sockets)

        server.shutdown = shutdown  # type: ignore[method-assign]
        server.run(sockets=[listener])


def guard_options(
    host: str, token: str | None, names: tuple[str, ...] = (), tokens: Tokens | None = None
) -> GuardOptions:
    """Return who may call a server on this host. Raises UsageError where that would be everyone."""
    name = f"[{host}]" if ":" in host else host.lower()
    beyond = name not in LOOPBACK
    if beyond and token is None and tokens is None:
        raise UsageError(
            say(
                "Beyond this machine ({host}) the server needs a token: anyone who reaches it could read every document.",
                "对本机以外（{host}）开放必须设置令牌：否则任何能访问端口的人都能读取全部文档。",
                host=host,
            ),
            say(
                "Write one into a file and give --token-file FILE, or make some with `yinju token add` and give --tokens FILE.",
                "请把令牌写入文件，用 --token-file 文件 指定；或用 `yinju token add` 创建，再用 --tokens 文件 指定。",
            ),
        )
    own = () if host in _ANYWHERE else (name,)
    hosts = tuple(dict.fromkeys((*LOOPBACK, *own, *(one.lower() for one in names))))
    return GuardOptions(hosts=hosts, token=token, tokens=tokens)


def read_token(path: Path) -> str:
    """Return the token in a file of its user's own. Raises UsageError where others can read it, or it is too short to be safe."""
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise UsageError(
                say("Others can read {path}.", "其他用户可以读取 {path}。", path=path),
                say("chmod 600 {path}", "请运行 chmod 600 {path}", path=path),
            )
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            say("The token in {path} cannot be read: {why}", "无法读取 {path} 中的令牌：{why}", path=path, why=error),
            say("Check the path.", "请检查路径。"),
        ) from error
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            say(
                "The token must be {count} or more visible ASCII characters.",
                "令牌须为 {count} 个以上的可见 ASCII 字符。",
                count=SHORTEST_TOKEN,
            ),
            say("{command} makes one.", "可用 {command} 生成。", command=_MAKE_TOKEN),
        )
    return token


def address(host: str, port: int) -> str:
    """Return the address for people, such as `http://127.0.0.1:8390`."""
    shown = "127.0.0.1" if host in _ANYWHERE else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family)
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        raise YinjuError(
            say(
                "Port {port} of {host} cannot be had: {why}",
                "无法使用 {host} 的端口 {port}：{why}",
                port=port,
                host=host,
                why=error.strerror or error,
            ),
            say(
                "Another program may use it: --port 0 takes a free one.",
                "可能被其他程序占用：用 --port 0 选择空闲端口。",
            ),
            code="port",
        ) from error
    return listener
