"""A model in a folder, as hubs lay it out: the ONNX file, its tokenizer, and small files that say how it is to be used.

Nothing is guessed: what the files do not say has to stand in a `yinju.toml` beside them, which also overrides what they say. The identity of a
model is the digest of the bytes that it computes with; digests of large files are remembered in the cache by size and time of change.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from yinju.errors import ModelError
from yinju.messages import say

Kind = Literal["embedding", "reranker"]
# Integer weights first: on a processor they are several times faster, and a quarter of the size.
ONNX_FILES = (
    "onnx/model_quantized.onnx",
    "model_quantized.onnx",
    "onnx/model_int8.onnx",
    "model_int8.onnx",
    "onnx/model.onnx",
    "model.onnx",
)
TOKENIZER_FILES = ("sentencepiece.bpe.model", "onnx/sentencepiece.bpe.model", "tokenizer.json", "onnx/tokenizer.json")
SETTINGS_FILE = "yinju.toml"
LARGEST_SMALL_FILE = 8 << 20  # bytes of a configuration
KEYS = frozenset(("kind", "file", "pooling", "query_prefix", "passage_prefix", "max_tokens", "batch"))


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """What was found in a folder. `weights` are the ONNX file and the files with its data; `settings` is `yinju.toml`, `config` is `config.json`."""

    path: Path
    onnx: Path
    weights: tuple[Path, ...]
    tokenizer: Path
    settings: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The folder's name, `owner/name` for one that was pulled."""
        return self.path.name.replace("--", "/", 1)

    @property
    def kind(self) -> Kind:
        """Embedding or reranker: as `yinju.toml` says, else by the architecture in `config.json`."""
        told = self.settings.get("kind")
        if told in ("embedding", "reranker"):
            return "reranker" if told == "reranker" else "embedding"
        architectures = self.config.get("architectures")
        names = architectures if isinstance(architectures, list) else []
        return "reranker" if any("SequenceClassification" in str(name) for name in names) else "embedding"

    def json(self, name: str) -> Any:
        """Return the content of a small JSON file of this folder, or None where there is none. Raises ModelError."""
        return _json(self.path / name)

    def digest(self, cache: Path | None = None) -> str:
        """Return a SHA-256 over the weights and the tokenizer. Raises ModelError."""
        facts = [digest_of(path, cache) for path in (*self.weights, self.tokenizer)]
        return hashlib.sha256("\n".join(facts).encode()).hexdigest()

    def max_tokens(self, most: int) -> int:
        """Return how many tokens the model takes, with the special ones: the least of what the files say, and of `most` unless overridden."""
        told = self.settings.get("max_tokens")
        if isinstance(told, int) and told > 0:
            return told
        sentence = self.json("sentence_bert_config.json")
        tokenizer = self.json("tokenizer_config.json")
        positions = self.config.get("max_position_embeddings")
        roberta = "roberta" in str(self.config.get("model_type", ""))  # its positions begin behind the padding
        said = [
            sentence.get("max_seq_length") if isinstance(sentence, dict) else None,
            tokenizer.get("model_max_length") if isinstance(tokenizer, dict) else None,
            positions - 2 if isinstance(positions, int) and roberta else positions,
        ]
        return min([most, *(value for value in said if type(value) is int and value > 8)])


def is_model(path: Path) -> bool:
    """Return whether this is a folder with an ONNX file."""
    return path.is_dir() and _onnx_file(path, None) is not None


def read(path: Path) -> ModelFolder:
    """Return what lies in this folder. Raises ModelError (`no-model`, `bad-model`)."""
    if not path.is_dir():
        raise _missing(say("There is no folder {path}.", "没有文件夹 {path}。", path=path))
    settings = _settings(path / SETTINGS_FILE)
    onnx = _onnx_file(path, settings.get("file"))
    if onnx is None:
        raise _missing(say("{path} holds no ONNX model.", "{path} 中没有 ONNX 模型。", path=path))
    tokenizer = next((path / name for name in TOKENIZER_FILES if (path / name).is_file()), None)
    if tokenizer is None:
        raise _missing(say("{path} holds no tokenizer.", "{path} 中没有分词器文件。", path=path))
    siblings = [entry.name for entry in onnx.parent.iterdir() if entry.is_file()]
    weights = (onnx, *(onnx.parent / name for name in data_names(onnx.name, siblings)))
    config = _json(path / "config.json")
    return ModelFolder(path, onnx, weights, tokenizer, settings, config if isinstance(config, dict) else {})


def data_names(onnx: str, siblings: Iterable[str]) -> list[str]:
    """Return those of the files beside an ONNX file that hold its data: named after it (`model.onnx_data`), or without any suffix."""
    plain = ("LICENSE", "NOTICE", "README", "Makefile")
    return sorted(
        name
        for name in siblings
        if name.startswith((f"{onnx}_", f"{onnx}.")) or ("." not in name and not name.upper().startswith(plain))
    )


def choose_onnx(names: Sequence[str]) -> str | None:
    """Return the ONNX file to use of these (paths with `/`): the first of the usual names, else the only one."""
    usual = next((name for name in ONNX_FILES if name in names), None)
    others = [name for name in names if name.endswith(".onnx") and name.count("/") <= 1]
    return usual or (others[0] if len(others) == 1 else None)


def digest_of(path: Path, cache: Path | None) -> str:
    """Return the SHA-256 of a file, from the cache's memory where size and time of change are the same. Raises ModelError."""
    memory = None if cache is None else cache / "digests.json"
    try:
        facts = path.stat()
        known = _remembered(memory)
        entry = known.get(str(path.resolve()))
        if isinstance(entry, list) and entry[:2] == [facts.st_size, facts.st_mtime_ns] and len(entry) == 3:
            return str(entry[2])
        with path.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise _bad(path, str(error.strerror)) from error
    if memory is not None:
        known[str(path.resolve())] = [facts.st_size, facts.st_mtime_ns, digest]
        _remember(memory, known)
    return digest


def _remembered(memory: Path | None) -> dict[str, Any]:
    try:
        known: Any = json.loads(memory.read_text(encoding="utf-8")) if memory is not None else {}
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(memory: Path, known: Mapping[str, Any]) -> None:
    temporary = memory.with_name(f".{memory.name}.{os.getpid()}.tmp")
    with contextlib.suppress(OSError):  # without it the digest is computed again
        memory.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(json.dumps(known), encoding="utf-8")
        temporary.replace(memory)


def _onnx_file(path: Path, told: Any) -> Path | None:
    if told is not None:
        given = path / str(told)
        return given if given.is_file() and given.resolve().is_relative_to(path.resolve()) else None
    names = [
        entry.relative_to(path).as_posix() for pattern in ("*.onnx", "onnx/*.onnx") for entry in path.glob(pattern)
    ]
    name = choose_onnx(names)
    return None if name is None else path / name


def _settings(path: Path) -> dict[str, Any]:
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _bad(path, str(error)) from error
    if unknown := sorted(given.keys() - KEYS):
        names = ", ".join(sorted(KEYS))
        raise _bad(path, say("{key} is not one of {names}", "{key} 不是 {names} 之一", key=unknown[0], names=names))
    return given


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > LARGEST_SMALL_FILE:
            raise _bad(path, say("it is too large", "文件过大"))
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise _bad(path, str(error)) from error


def _missing(message: str) -> ModelError:
    hint = say(
        "A model's folder holds model.onnx or onnx/model.onnx with tokenizer.json or sentencepiece.bpe.model.",
        "模型文件夹应含 model.onnx 或 onnx/model.onnx，以及 tokenizer.json 或 sentencepiece.bpe.model。",
    )
    return ModelError(message, hint, code="no-model")


def _bad(path: Path, why: str) -> ModelError:
    return ModelError(
        say("{path} cannot be used: {why}.", "{path} 不可用：{why}。", path=path, why=why),
        say("Mend the file, or fetch the model again.", "请改正该文件，或重新获取模型。"),
        code="bad-model",
    )
