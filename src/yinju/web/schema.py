"""/openapi.json as it is true: what each route returns, in which content type, and that every error has the one shape.

FastAPI would check each response against a model; here the library's own values are sent, and the schema is made of their types when somebody
asks for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from yinju.retrieve.reading import Excerpt
from yinju.retrieve.viewing import View
from yinju.types import Answer, Citation, Context, SearchResult, Step
from yinju.web import measured, shapes

if TYPE_CHECKING:
    from fastapi import FastAPI

RETURNS: dict[str, Any] = {
    "get /health": shapes.Health,
    "get /api/status": shapes.Status,
    "post /api/search": SearchResult,
    "post /api/context": Context,
    "get /api/sources": shapes.Sources,
    "get /api/receipt": shapes.FileTold,
    "get /api/read": Excerpt,
    "get /api/view": View,
    "get /api/outline": shapes.Outline,
    "post /api/grep": shapes.Matches,
    "post /api/verify": Citation,
    "post /api/ask": Answer,
    "get /api/boxes": shapes.Boxes,
    "get /api/roots": shapes.Roots,
    "post /api/sync": shapes.Started,
    "get /api/steps": shapes.Steps,
    "post /api/undo": shapes.Started,
    "get /api/jobs": shapes.Jobs,
    "get /api/jobs/{id}": shapes.Job,
    "post /api/jobs/{id}/cancel": shapes.Job,
    "post /api/upload": shapes.Uploaded,
    "post /api/remove": shapes.Started,
    "post /api/why": measured.Why,
    "post /api/explain": measured.Explanation,
    "post /api/compare": measured.Compared,
    "post /api/eval": shapes.Started,
    "get /api/cases": shapes.CaseFiles,
    "get /api/evaluations": measured.Evaluations,
    "get /api/evaluations/{id}": measured.Evaluation,
    "get /api/comparison": measured.Comparison,
    "get /api/feedback": shapes.Feedback,
    "post /api/feedback": shapes.Kept,
    "get /v1/models": shapes.Models,
    "post /v1/chat/completions": shapes.Completion,
}
"""What each route returns as JSON."""

EVENTS: dict[str, dict[str, Any]] = {
    "post /api/ask": {"text": shapes.Piece, "citation": Citation, "step": Step, "answer": Answer, "error": shapes.Error},
    "get /api/jobs/{id}/events": {
        "job": shapes.Job, "progress": shapes.ProgressTold, "report": shapes.Report, "error": shapes.Error,
    },
    "post /v1/chat/completions": {},  # as OpenAI's API: pieces without a name, the last is no JSON
}  # fmt: skip
"""The server-sent events of each route that has some."""

PICTURES = ("get /api/page",)
_REF = "#/components/schemas/{model}"


class _Whole(GenerateJsonSchema):
    """Every field of a value is sent, also one that has a default."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        """Return True."""
        return True


def install(app: FastAPI) -> None:
    """Let the app tell this schema."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = schema(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def schema(app: FastAPI) -> dict[str, Any]:
    """Return the schema of all routes."""
    found = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
    kinds, defined = _schemas()
    components = found.setdefault("components", {}).setdefault("schemas", {})
    for gone in ("HTTPValidationError", "ValidationError"):
        components.pop(gone, None)
    clashing = {name for name in components.keys() & defined.keys() if components[name] != defined[name]}
    if clashing:
        raise ValueError(f"two shapes of one name: {clashing}")
    components.update(defined)
    for path, methods in found["paths"].items():
        for method, operation in methods.items():
            operation["responses"] = _responses(f"{method} {path}", operation["responses"], kinds)
    _even(found)
    return found


def _even(part: Any) -> None:
    """Write pairs and the like as lists of so many items: more programs understand that."""
    if isinstance(part, dict):
        items = part.get("prefixItems")
        if items and all(item == items[0] for item in items) and part.get("maxItems") == len(items):
            part["items"] = part.pop("prefixItems")[0]
        for one in part.values():
            _even(one)
    elif isinstance(part, list):
        for one in part:
            _even(one)


def _schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schema of what each route returns and of each event, and the definitions that they share."""
    told = {f"{name} {kind}": shape for name, events in EVENTS.items() for kind, shape in events.items()}
    wanted = [
        (name, "serialization", TypeAdapter(shape))
        for name, shape in (RETURNS | told | {"error": shapes.Error}).items()
    ]
    found, shared = TypeAdapter.json_schemas(wanted, ref_template=_REF, schema_generator=_Whole)  # type: ignore[arg-type]
    return {str(name): one for (name, _mode), one in found.items()}, shared.get("$defs", {})


def _responses(name: str, given: dict[str, Any], kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the responses of one route: the one where all is well, and every other as an error."""
    status, well = next((status, one) for status, one in given.items() if status.startswith("2"))
    content: dict[str, Any] = {}
    if name in kinds:
        content["application/json"] = {"schema": kinds[name]}
    if name in EVENTS:
        content["text/event-stream"] = {"itemSchema": _event(name, kinds)}
    if name in PICTURES:
        content["image/png"] = {"schema": {"type": "string", "format": "binary"}}
    error = {"description": "An error.", "content": {"application/json": {"schema": kinds["error"]}}}
    return {status: {**well, "content": content or well["content"]}, "default": error}


def _event(name: str, kinds: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one event: its name, and its data as JSON."""
    if not EVENTS[name]:
        return {"type": "object", "required": ["data"], "properties": {"data": {"type": "string"}}}
    data = {"type": "string", "contentMediaType": "application/json"}
    return {
        "oneOf": [
            {
                "type": "object", "required": ["event", "data"],
                "properties": {"event": {"const": kind}, "data": {**data, "contentSchema": kinds[f"{name} {kind}"]}},
            }
            for kind in EVENTS[name]
        ]
    }  # fmt: skip
