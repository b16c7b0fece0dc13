"""LlamaIndex in its expert set-up, in whatever Python has it: `python benchmarks/framework.py FOLDER`.

FOLDER holds what `benchmarks.peers` wrote: passages.json, questions.json and the same vectors that ours uses, passages.npy and questions.npy.
Chinese is segmented by jieba (search mode) before its BM25 gets it, which of itself splits at white space; English words are stemmed and lose their
stop words, as its defaults do. Vectors in its own store, fused by its own QueryFusionRetriever.
One JSON line goes to stdout for each question and mode.
Needs llama-index-core, llama-index-retrievers-bm25, jieba, numpy.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import jieba
import numpy as np
from llama_index.core import Settings, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms.mock import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever

DEPTH = 50  # as many candidates of each leg as ours has
FUSIONS = ("reciprocal_rerank", "relative_score", "dist_based_score")
_HAN = re.compile("[\u3400-\u9fff]")


class FromFile(BaseEmbedding):
    """Gives out vectors that were computed before."""

    known: dict[str, list[float]]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self.known[query]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self.known[query]

    def _get_text_embedding(self, text: str) -> list[float]:
        return self.known[text]


def segmented(text: str) -> str:
    """Return the text with blanks between its words, as jieba finds them for a search engine."""
    return " ".join(jieba.cut_for_search(text)) if _HAN.search(text) else text


def main() -> int:
    folder = Path(sys.argv[1])
    passages = json.loads((folder / "passages.json").read_text(encoding="utf-8"))
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    vectors, asked = np.load(folder / "passages.npy"), np.load(folder / "questions.npy")
    texts = [segmented(question["text"]) for question in questions]
    Settings.embed_model = FromFile(known={text: vector.tolist() for text, vector in zip(texts, asked, strict=True)})
    Settings.llm = MockLLM()
    nodes = [
        TextNode(id_=str(number), text=segmented(one["text"]), metadata={}, embedding=vector.tolist())
        for number, (one, vector) in enumerate(zip(passages, vectors, strict=True))
    ]
    # one-letter words are words in Chinese; the default pattern drops them
    words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=DEPTH, token_pattern=r"(?u)\b\w+\b")
    dense = VectorStoreIndex(nodes).as_retriever(similarity_top_k=DEPTH)
    retrievers = {"words": words, "vectors": dense} | {
        name: QueryFusionRetriever(
            [words, dense], mode=name, similarity_top_k=DEPTH, num_queries=1, use_async=False, llm=MockLLM()
        )
        for name in FUSIONS
    }
    for question, text in zip(questions, texts, strict=True):
        for mode, retriever in retrievers.items():
            began = time.perf_counter()
            found = retriever.retrieve(text)
            took = (time.perf_counter() - began) * 1_000
            ranked = list(dict.fromkeys(passages[int(one.node.node_id)]["id"] for one in found))
            print(json.dumps({"id": question["id"], "mode": mode, "ranked": ranked[:10], "took_ms": round(took, 2)}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
