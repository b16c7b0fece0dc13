"""`yinju serve`: the library for people, programs and agents over HTTP, until it is stopped."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from yinju.cli import options as o
from yinju.cli import render, session
from yinju.messages import say
from yinju.tokens import Tokens, make_token, warnings

Host = Annotated[
    str, typer.Option("--host", metavar="HOST", help="Listen here; beyond this machine with a token only.")
]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, metavar="N", help="0: any free port.")]
TokenFile = Annotated[
    Path | None,
    typer.Option("--token-file", metavar="FILE", help="A file of your own that holds the token to ask for."),
]
TokensFile = Annotated[
    Path | None,
    typer.Option("--tokens", metavar="FILE", help="Tokens of several people, each seeing what it may: `yinju token`."),
]
Names = Annotated[
    list[str] | None, typer.Option("--name", metavar="NAME", help="A further host name of this server. Repeatable.")
]
ReadOnly = Annotated[bool, typer.Option("--read-only", help="Nothing that is asked changes the library.")]


def serve(
    path: Annotated[Path | None, typer.Argument(metavar="[PATH]", show_default=False)] = None,
    host: Host = "127.0.0.1",
    port: Port = 8390,
    token_file: TokenFile = None,
    tokens: TokensFile = None,
    name: Names = None,
    read_only: ReadOnly = False,
    library: o.LibraryPath = None,
    model: o.Model = None,
    quiet: o.Quiet = False,
) -> None:
    """Serve a web page and an HTTP API on this machine until Ctrl-C, and bring PATH up to date meanwhile."""
    from yinju.web import serve as server

    token = server.read_token(token_file) if token_file is not None else os.environ.get("YINJU_TOKEN") or None
    principals, made = (None, None) if tokens is None else (_tokens(tokens), None if token else make_token())
    token = token or made
    server.guard_options(host, token, tokens=principals)  # said before a library is made for it

    def ready(address: str) -> None:
        render.notice(
            say("Serving on {address} (Ctrl-C stops).", "已在 {address} 启动（Ctrl-C 停止）。", address=address), quiet
        )
        if made is not None:
            text = say(
                "Your own token, until this server stops: {token}",
                "您自己的令牌（服务器停止前有效）：{token}",
                token=made,
            )
            render.notice(text)  # also with -q: nobody else knows it, and without it the owner is locked out

    with session.opened(
        path, library=library, model=model, quiet=quiet, create=not read_only, read_only=read_only, answers=True
    ) as opened:
        server.serve(
            opened, host=host, port=port, token=token, tokens=principals, names=tuple(name or ()), read_only=read_only, ready=ready,
            folders=() if path is None else (os.path.abspath(path.expanduser()),),
        )  # fmt: skip


def _tokens(path: Path) -> Tokens:
    """Return the tokens of principals. Raises UsageError where the file is not there, or broken."""
    found = Tokens(path.expanduser())
    for text in warnings(found.path):
        render.notice(text)
    return found
