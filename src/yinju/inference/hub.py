"""Fetch a model from a hub or a mirror of one, only when a user asks for it by name.

Of a repository only what is needed is taken: one ONNX file with its data, one tokenizer, the small files that say how it is used; nothing that is
code. Names in a listing are compared with names of ours and never become paths otherwise. What was fetched lies in a folder with a dot until
all of it is there and every digest that the hub gives is right; what broke off goes on there. Public models only: no token is read or sent.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote, urlsplit

from yinju.errors import ModelError, UsageError
from yinju.inference import transfer
from yinju.inference.folder import TOKENIZER_FILES, choose_onnx, data_names
from yinju.messages import say

if TYPE_CHECKING:
    import httpx

Source = Literal["huggingface", "modelscope"]
ENDPOINTS: dict[Source, str] = {"huggingface": "https://huggingface.co", "modelscope": "https://www.modelscope.cn"}
MANIFEST = "pulled.json"
SMALL_FILES = (
    "config.json",
    "tokenizer_config.json",
    "modules.json",
    "1_Pooling/config.json",
    "config_sentence_transformers.json",
    "sentence_bert_config.json",
    "LICENSE",
)
SPARE = 64 << 20  # bytes that stay free on the disk
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)

Report = Callable[[str, float], None]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a repository: path with `/`, bytes, and its digest where the hub tells one: `sha256:...` or git's `blob:...`."""

    path: str
    size: int
    digest: str | None


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository at one revision, and how its files are addressed."""

    name: str
    source: Source
    endpoint: str
    revision: str
    files: tuple[RemoteFile, ...]

    def address(self, path: str) -> str:
        """Return the URL of a file."""
        if self.source == "modelscope":
            return f"{self.endpoint}/api/v1/models/{self.name}/repo?Revision={quote(self.revision, safe='')}&FilePath={quote(path)}"
        return f"{self.endpoint}/{self.name}/resolve/{quote(self.revision, safe='')}/{quote(path)}"


def pull(
    name: str,
    models: Path,
    *,
    source: Source = "huggingface",
    endpoint: str | None = None,
    revision: str | None = None,
    file: str | None = None,
    progress: Report | None = None,
) -> Path:
    """Fetch the model `owner/name` into `models/owner--name` and return that folder; one that was fetched before is replaced.

    `endpoint`: a mirror, such as https://hf-mirror.com. `file`: which ONNX file, where the usual choice is not wanted.
    Raises UsageError, ModelError (`download`, `no-model`, `cannot-write`).
    """
    if not _NAME.fullmatch(name) or ".." in name:
        raise UsageError(
            say("{name!r} is no name of a model.", "{name!r} 不是模型名。", name=name),
            say("Write owner/name, such as BAAI/bge-m3.", "请写成 所有者/名称，例如 BAAI/bge-m3。"),
        )
    place = (endpoint or ENDPOINTS[source]).rstrip("/")
    with transfer.client(place) as http:
        repository = _look(http, name, source, place, revision)
        chosen = choose(repository, file)
        target = models / name.replace("/", "--")
        partial = models / f".{target.name}.partial"
        try:
            _prepare(partial, repository, chosen)
            done, total = 0, sum(one.size for one in chosen)
            for one in chosen:
                start = done

                def report(size: int, start: int = start) -> None:
                    if progress is not None:
                        progress(
                            say("Downloading {name}", "正在下载 {name}", name=name), (start + size) / max(1, total)
                        )

                transfer.fetch(http, repository.address(one.path), partial / one.path, one.size, one.digest, report)
                done += one.size
            _settle(partial, target)
        except OSError as error:
            raise ModelError(
                say(
                    "The model cannot be written to {folder}: {why}",
                    "无法把模型写入 {folder}：{why}",
                    folder=models,
                    why=error.strerror,
                ),
                say("Make room there, or set YINJU_CACHE.", "请腾出空间，或设置 YINJU_CACHE。"),
                code="cannot-write",
            ) from error
    return target


def choose(repository: Repository, file: str | None = None) -> list[RemoteFile]:
    """Return the files to fetch. Raises ModelError where the repository has no ONNX file or no tokenizer."""
    by_path = {one.path: one for one in repository.files if _is_plain(one.path)}
    onnx = file if file is not None else choose_onnx(sorted(by_path))
    if onnx is None or onnx not in by_path or not onnx.endswith(".onnx"):
        there = ", ".join(path for path in sorted(by_path) if path.endswith(".onnx"))
        raise ModelError(
            say("{name} has no such ONNX file.", "{name} 中没有这样的 ONNX 文件。", name=repository.name)
            if file or there
            else say("{name} has no ONNX file.", "{name} 中没有 ONNX 文件。", name=repository.name),
            say("Choose one by --file: {names}.", "请用 --file 选择：{names}。", names=there)
            if there
            else say(
                "Look for an export of it to ONNX, often under onnx-community or Xenova.",
                "请查找它的 ONNX 导出版，常见于 onnx-community 或 Xenova。",
            ),
            code="no-model",
        )
    tokenizer = next((path for path in TOKENIZER_FILES if path in by_path), None)
    if tokenizer is None:
        raise ModelError(
            say("{name} has no tokenizer that can be used.", "{name} 中没有可用的分词器。", name=repository.name),
            say(
                "It needs tokenizer.json or sentencepiece.bpe.model.",
                "需要 tokenizer.json 或 sentencepiece.bpe.model。",
            ),
            code="no-model",
        )
    folder = PurePosixPath(onnx).parent
    siblings = {PurePosixPath(path).name: path for path in by_path if PurePosixPath(path).parent == folder}
    data = [siblings[name] for name in data_names(PurePosixPath(onnx).name, siblings)]
    wanted = [*(path for path in SMALL_FILES if path in by_path), tokenizer, onnx, *data]
    return [by_path[path] for path in dict.fromkeys(wanted)]


def _is_plain(path: str) -> bool:
    """Return whether this is a path below its root, of ordinary characters, and not hidden."""
    return bool(re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*){0,3}", path, re.ASCII)) and not path.endswith(".")


def _look(http: httpx.Client, name: str, source: Source, endpoint: str, revision: str | None) -> Repository:
    if source == "modelscope":
        revision = revision or "master"
        url = f"{endpoint}/api/v1/models/{name}/repo/files?Revision={quote(revision, safe='')}&Recursive=true"
        listing = transfer.json_of(http, url)
        data = listing.get("Data") if isinstance(listing, Mapping) else None
        files = data.get("Files") if isinstance(data, Mapping) else None
        return Repository(name, source, endpoint, revision, _files(files, endpoint, _from_modelscope))
    about = transfer.json_of(http, f"{endpoint}/api/models/{name}/revision/{quote(revision or 'main', safe='')}")
    commit = about.get("sha") if isinstance(about, Mapping) else None
    if not isinstance(commit, str) or not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise transfer.failed(endpoint, say("it names no commit", "没有给出提交号"))
    listing = transfer.json_of(http, f"{endpoint}/api/models/{name}/tree/{commit}?recursive=true")
    return Repository(name, source, endpoint, commit, _files(listing, endpoint, _from_huggingface))


def _files(
    listing: Any, endpoint: str, read: Callable[[Mapping[str, Any]], RemoteFile | None]
) -> tuple[RemoteFile, ...]:
    if not isinstance(listing, list) or not all(isinstance(entry, dict) for entry in listing):
        raise transfer.failed(endpoint, say("it gives no list of files", "没有给出文件列表"))
    return tuple(found for entry in listing if (found := read(entry)) is not None)


def _from_huggingface(entry: Mapping[str, Any]) -> RemoteFile | None:
    large = entry.get("lfs")
    if isinstance(large, dict):
        return _remote(entry.get("path"), large.get("size", entry.get("size")), "sha256:", large.get("oid"), 64)
    return (
        None
        if entry.get("type") != "file"
        else _remote(entry.get("path"), entry.get("size"), "blob:", entry.get("oid"), 40)
    )


def _from_modelscope(entry: Mapping[str, Any]) -> RemoteFile | None:
    return (
        None
        if entry.get("Type") == "tree"
        else _remote(entry.get("Path"), entry.get("Size"), "sha256:", entry.get("Sha256"), 64)
    )


def _remote(path: Any, size: Any, kind: str, digest: Any, digits: int) -> RemoteFile | None:
    if not isinstance(path, str) or type(size) is not int or size < 0:
        return None
    known = isinstance(digest, str) and re.fullmatch(rf"[0-9a-f]{{{digits}}}", digest) is not None
    return RemoteFile(path, size, kind + digest if known else None)


def _prepare(partial: Path, repository: Repository, chosen: Sequence[RemoteFile]) -> None:
    """Make the folder to fetch into; keep what lies there of the same files. Raises ModelError where the disk has no room."""
    manifest = json.dumps(
        {
            "name": repository.name,
            "source": repository.source,
            "host": urlsplit(repository.endpoint).hostname,
            "revision": repository.revision,
            "files": [asdict(one) for one in chosen],
        },
        indent=1,
    )
    before = partial / MANIFEST
    if partial.exists() and (not before.is_file() or before.read_text(encoding="utf-8", errors="replace") != manifest):
        shutil.rmtree(partial)
    partial.mkdir(parents=True, exist_ok=True)
    before.write_text(manifest, encoding="utf-8")
    there = sum(path.stat().st_size for path in partial.rglob("*") if path.is_file())
    needed = sum(one.size for one in chosen) + SPARE - there
    free = shutil.disk_usage(partial).free
    if free < needed:
        raise ModelError(
            say(
                "{needed:.0f} MB are needed for the model, {free:.0f} MB are free.",
                "模型需要 {needed:.0f} MB，可用空间只有 {free:.0f} MB。",
                needed=needed / 1e6,
                free=free / 1e6,
            ),
            say("Make room there, or set YINJU_CACHE.", "请腾出空间，或设置 YINJU_CACHE。"),
            code="cannot-write",
        )


def _settle(partial: Path, target: Path) -> None:
    """Put the whole folder into its place; settings that a user wrote into the old one stay."""
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        for own in target.glob("*.toml"):
            shutil.copy2(own, partial / own.name)
        target.rename(old)
    os.replace(partial, target)
    shutil.rmtree(old, ignore_errors=True)
