"""From errors to HTTP: one shape, `{"error": {"code", "message", "hint"}}`, with a stable code and a status that fits it.

A fault of ours is told without its text: that may hold what a document says, or a path.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from yinju.errors import (
    DocumentError,
    MassDelete,
    ModelError,
    SourceMissing,
    StoreBusy,
    StoreError,
    StoreReadOnly,
    UsageError,
    YinjuError,
)
from yinju.messages import say
from yinju.web.work import Overloaded

if TYPE_CHECKING:
    from fastapi import FastAPI, Request
    from fastapi.responses import JSONResponse

STATUS: tuple[tuple[type[YinjuError], int], ...] = (
    (Overloaded, 503),
    (MassDelete, 409),
    (UsageError, 422),
    (DocumentError, 422),
    (SourceMissing, 404),
    (StoreBusy, 409),
    (StoreReadOnly, 403),
    (StoreError, 500),
    (ModelError, 502),
)
_MODEL_STATUS = {
    "llm-unreachable": 503, "llm-timeout": 504, "llm-circuit": 503, "llm-busy": 503, "llm-paused": 503,
}  # fmt: skip
log = logging.getLogger("yinju.web")


_CODE_STATUS = {"no-model": 404, "jobs-full": 409, "outside": 403, "owner-only": 403, "too-large": 413}


def status_of(error: YinjuError) -> int:
    """Return the HTTP status for an error."""
    if error.code in _CODE_STATUS:
        return _CODE_STATUS[error.code]
    if isinstance(error, ModelError):
        return _MODEL_STATUS.get(error.code, 502)
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def shape(error: YinjuError) -> dict[str, dict[str, str | None]]:
    """Return the body of an error."""
    return {"error": {"code": error.code, "message": error.message, "hint": error.hint}}


def install(app: FastAPI) -> None:
    """Let the app answer every error in the one shape."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    app.add_exception_handler(YinjuError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _fault)


async def _ours(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, YinjuError)
    return _response(status_of(error), error)


async def _invalid(_request: Request, error: Exception) -> JSONResponse:
    from fastapi.exceptions import RequestValidationError

    assert isinstance(error, RequestValidationError)
    first = error.errors()[0] if error.errors() else {"loc": (), "msg": ""}
    where = ".".join(str(part) for part in first["loc"][1:]) or "body"
    message = say("{where}: {what}", "{where}：{what}", where=where[:100], what=str(first["msg"])[:200])
    return _response(
        422, UsageError(message, say("See /openapi.json for what is expected.", "期望的格式见 /openapi.json。"))
    )


async def _http(_request: Request, error: Exception) -> JSONResponse:
    from starlette.exceptions import HTTPException

    assert isinstance(error, HTTPException)
    code = {404: "no-route", 405: "no-method", 400: "bad-request"}.get(error.status_code, "http")
    found = YinjuError(
        str(error.detail), say("See /openapi.json for the routes.", "可用的路径见 /openapi.json。"), code=code
    )
    response = _response(error.status_code, found)
    response.headers.update(error.headers or {})
    return response


async def _fault(_request: Request, error: Exception) -> JSONResponse:
    log.error("a fault of ours: %s", type(error).__name__, exc_info=error)
    return _response(500, fault())


def fault() -> YinjuError:
    """Return what is told of a fault of ours."""
    return YinjuError(
        say("Something went wrong here.", "服务器内部出错。"),
        say("The server's log tells more; please report it.", "详情见服务器日志；请报告此问题。"),
    )


def response(error: YinjuError, body: dict[str, Any] | None = None) -> JSONResponse:
    """Return the error as a response with its status; `body` is its shape with what stands beside it."""
    return _response(status_of(error), error, body)


def _response(status: int, error: YinjuError, body: dict[str, Any] | None = None) -> JSONResponse:
    from fastapi.responses import JSONResponse

    headers = {"retry-after": "1"} if status == 503 else None
    return JSONResponse(body or shape(error), status, headers=headers)
