"""What is near to every question: the mean of everyday questions, half of which is taken off a question's vector before vectors are ranked.

In a space of embeddings some passages lie near to whatever is asked ("hubs"), because they resemble questions as such: their language, length
and form. Asking thirty questions about everything and nothing shows how near; with half of that taken off, the rest is what this question has
in common with a passage. Centring of queries is known to tame hubs (Suzuki, Hara, Shimbo, Saerens and Fukumizu, "Centering similarity measures
to reduce hubs", EMNLP 2013); the questions here stand in for a sample of real ones, which nobody has before the first is asked.

Measured (multilingual-e5-small; nDCG@10 of the convex sum, all questions, before and after): see "What was chosen" in benchmarks/README.md. The
gain is largest across languages; shares between 0.35 and 0.65 do about the same, the whole mean does worse than half of it.

In a space where questions as such are not alike (hashed words: mean cosine of two everyday questions 0.02, against 0.8 in e5's), their mean is
no more than what these thirty happen to ask, and nothing is taken off.
"""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING

from yinju.errors import ModelError
from yinju.text.language import is_chinese

if TYPE_CHECKING:
    from yinju.protocols import Embedder, Vectors
    from yinju.store import Store

SHARE_TAKEN_OFF = 0.5
ALIKE = 0.15  # mean cosine of two everyday questions, below which they have nothing in common
VERSION = 1  # of the table below: another one is embedded anew
QUESTIONS = {
    "zh": (
        "红烧肉怎么做才不腻？", "水的沸点是多少度？", "怎么给猫剪指甲？", "今天适合穿什么衣服？", "圆的面积公式是什么？",
        "发烧了应该吃什么药？", "哪种鱼适合养在小鱼缸里？", "怎么学会游泳？", "足球比赛一场多少分钟？", "晚上睡不着怎么办？",
        "公司的请假制度是什么？", "这个接口怎么调用？", "合同什么时候到期？", "谁负责这个项目？", "价格是多少？",
        "如何安装这个软件？", "为什么会出现这个错误？", "这本书的作者是谁？", "那场战争发生在哪一年？", "北京的人口有多少？",
        "这种植物生长在哪里？", "退款需要几天？", "学校在什么地方？", "总统是谁？", "这家公司的收入是多少？",
        "怎么申请签证？", "机器的最大功率是多少？", "哪个城市是首都？", "这项法律的第五条说了什么？", "会议几点开始？",
    ),
    "en": (
        "How do I cook rice?", "At what temperature does water boil?", "How do I trim a cat's claws?", "What should I wear today?",
        "How do you compute the area of a circle?", "Which medicine helps against fever?", "What fish can live in a small tank?",
        "How can I learn to swim?", "How long is a football match?", "What helps when I cannot fall asleep?",
        "What is the leave policy of the company?", "How do I call this interface?", "When does the contract end?",
        "Who is responsible for this project?", "How much does it cost?", "How do I install this software?",
        "Why does this error occur?", "Who is the author of this book?", "In which year did the war take place?",
        "What is the population of Beijing?", "Where does this plant grow?", "How many days does a refund take?",
        "Where is the school?", "Who was the president?", "What was the company's revenue?", "How do I apply for a visa?",
        "What is the maximum power of the machine?", "Which city is the capital?", "What does article five of this law say?",
        "At what time does the meeting start?",
    ),
}  # fmt: skip

_known: dict[str, Vectors] = {}


def language_of(question: str) -> str:
    """Return under which language's everyday questions a question falls: `zh`, or `en` for all others."""
    return "zh" if is_chinese(question) else "en"


def centre(store: Store, embedder: Embedder, question: str) -> Vectors | None:
    """Return the mean of the everyday questions in the question's language, shape (dimension,); None where the model fails on them.

    It is embedded once per process, or taken from the library where that keeps it.
    """
    key = _key(embedder.fingerprint, language_of(question))
    if key not in _known:
        try:
            kept = _kept(store, key, embedder.dimension)
            _known[key] = _mean(embedder, key) if kept is None else kept
        except (
            ModelError
        ):  # the question's own vector came through: ranked by plain cosines, which is a little worse, no more
            return None
    return _known[key]


def keep(store: Store, embedder: Embedder) -> None:
    """Put the means of both languages into the library where they are not there yet. Raises StoreBusy, StoreReadOnly, ModelError."""
    if not store.counts().embedded(embedder.fingerprint):
        return
    for language in QUESTIONS:
        key = _key(embedder.fingerprint, language)
        if _kept(store, key, embedder.dimension) is None:
            mean = _known.get(key)
            mean = _mean(embedder, key) if mean is None else mean
            packed = base64.b64encode(zlib.compress(mean.tobytes())).decode("ascii")
            with store.writer() as writer:
                writer.set_value(key, packed)


def without(vector: Vectors, mean: Vectors | None) -> Vectors:
    """Return the question's vector less its share of the mean. A question without words has no direction and gets none by this."""
    if mean is None or mean.shape != vector.shape or not vector.any():
        return vector
    return vector - SHARE_TAKEN_OFF * mean


def _mean(embedder: Embedder, key: str) -> Vectors:
    """Return the mean of the everyday questions of the key's language, or nought where they are not alike. Raises ModelError."""
    import numpy as np

    rows = embedder.embed_queries(QUESTIONS[key.split(":")[1]])
    mean: Vectors = rows.mean(axis=0).astype(np.float32)
    count = len(rows)
    alike = (count * float(mean @ mean) - 1) / (count - 1)  # mean cosine over all pairs of unit rows
    return mean if alike >= ALIKE else np.zeros_like(mean)


def _kept(store: Store, key: str, dimension: int) -> Vectors | None:
    """Return the mean that the library keeps, None where there is none or it is damaged."""
    import numpy as np

    try:
        packed = zlib.decompress(base64.b64decode(store.value(key) or "", validate=True))
    except (ValueError, zlib.error):
        return None
    mean: Vectors = np.frombuffer(packed, np.float32) if len(packed) == 4 * dimension else np.empty(0, np.float32)
    return mean if len(mean) and np.isfinite(mean).all() else None


def _key(fingerprint: str, language: str) -> str:
    return f"everyday:{language}:{VERSION}:{fingerprint}"
