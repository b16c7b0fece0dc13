"""How a sentence embedding model makes one vector of its tokens, as its folder says: pooling, prefixes, unit length.

The files are those of sentence-transformers (`modules.json`, `1_Pooling/config.json`, `config_sentence_transformers.json`). Exports to ONNX often
leave them out; then the family is known by the name in `config.json` or of the folder, from the model cards (`_FAMILIES`), or has to be
told in `yinju.toml`. Nothing else is assumed: a wrong pooling still gives vectors, only bad ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from yinju.errors import ModelError
from yinju.inference.folder import SETTINGS_FILE, ModelFolder
from yinju.messages import say

Pooling = Literal["cls", "mean", "last"]
POOLINGS: dict[str, Pooling] = {
    "cls": "cls",
    "mean": "mean",
    "last": "last",
    "lasttoken": "last",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "last",
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What stands in front of questions and passages, and how the vectors of a text's tokens become one."""

    pooling: Pooling
    query_prefix: str = ""
    passage_prefix: str = ""


_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
_FAMILIES: tuple[tuple[str, Recipe], ...] = (
    (r"multilingual-e5-\w+-instruct", Recipe("mean", _INSTRUCT + " ")),
    (r"(^|/|-)e5-(small|base|large)", Recipe("mean", "query: ", "passage: ")),
    (r"bge-m3", Recipe("cls")),
    (r"bge-(small|base|large)-zh-v1\.5", Recipe("cls", "为这个句子生成表示以用于检索相关文章：")),
    (r"bge-(small|base|large)-en-v1\.5", Recipe("cls", "Represent this sentence for searching relevant passages: ")),
    (r"gte-multilingual-base", Recipe("cls")),
    (
        r"qwen3-embedding",
        Recipe("last", _INSTRUCT),
    ),
)  # fmt: skip


def recipe(folder: ModelFolder) -> Recipe:
    """Return how this model is used: by `yinju.toml`, else its own files, else its family. Raises ModelError where nobody says."""
    told = folder.settings
    family = _family(folder)
    pooling = _told_pooling(told.get("pooling")) or _pooling(folder) or (family.pooling if family else None)
    if pooling is None:
        raise _unknown(folder, say("nothing says how tokens become one vector", "没有说明如何把词元合成一个向量"))
    prompts = _prompts(folder)
    if prompts is None:
        prompts = (family.query_prefix, family.passage_prefix) if family else ("", "")
    query, passage = (
        str(told.get(key, own)) for key, own in zip(("query_prefix", "passage_prefix"), prompts, strict=True)
    )
    return Recipe(pooling, query, passage)


def says_one_vector(folder: ModelFolder) -> bool:
    """Return whether layers follow the pooling that only the network's own `sentence_embedding` can hold."""
    return any("Dense" in kind or "LayerNorm" in kind for kind in _modules(folder))


def _modules(folder: ModelFolder) -> list[str]:
    modules = folder.json("modules.json")
    return [str(one.get("type", "")) for one in modules if isinstance(one, dict)] if isinstance(modules, list) else []


def _told_pooling(told: Any) -> Pooling | None:
    return None if told is None else _named(told)


def _named(name: Any) -> Pooling:
    found = POOLINGS.get(str(name))
    if found is None:
        raise ModelError(
            say("The pooling {name} is not supported.", "不支持池化方式 {name}。", name=name),
            say("Choose a model with cls, mean or last.", "请选用池化方式为 cls、mean 或 last 的模型。"),
            code="bad-model",
        )
    return found


def _pooling(folder: ModelFolder) -> Pooling | None:
    given = folder.json("1_Pooling/config.json")
    if not isinstance(given, dict):
        return None
    modes = [str(given["pooling_mode"])] if isinstance(given.get("pooling_mode"), str) else []
    modes += [key for key, on in given.items() if key.startswith("pooling_mode_") and on is True]
    if len(modes) != 1:
        raise _unknown(folder, say("it names {n} poolings", "它指定了 {n} 种池化方式", n=len(modes)))
    return _named(modes[0])


def _prompts(folder: ModelFolder) -> tuple[str, str] | None:
    """Return the prefixes of questions and passages; None where the files say nothing of them."""
    given = folder.json("config_sentence_transformers.json")
    prompts = given.get("prompts") if isinstance(given, dict) else None
    if not isinstance(prompts, dict) or not any(isinstance(value, str) and value for value in prompts.values()):
        return None

    def named(*names: str) -> str:
        return next((value for name in names if isinstance(value := prompts.get(name), str)), "")

    return named("query", "web_search_query", "retrieval.query"), named("document", "passage", "retrieval.passage")


def _family(folder: ModelFolder) -> Recipe | None:
    names = f"{folder.config.get('_name_or_path', '')}\n{folder.name}".lower()
    return next((found for pattern, found in _FAMILIES if re.search(pattern, names)), None)


def _unknown(folder: ModelFolder, why: str) -> ModelError:
    return ModelError(
        say("{path} is not told how to be used: {why}.", "{path} 缺少使用说明：{why}。", path=folder.path, why=why),
        say(
            'Write {file} beside it with pooling = "cls", "mean" or "last" as its model card says, query_prefix and passage_prefix.',
            '请按模型说明在其中写一个 {file}：pooling = "cls"、"mean" 或 "last"，如有前缀再写 query_prefix 与 passage_prefix。',
            file=SETTINGS_FILE,
        ),
        code="bad-model",
    )
