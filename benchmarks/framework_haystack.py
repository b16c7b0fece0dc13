"""Haystack in its expert set-up, in whatever Python has it: `python benchmarks/framework_haystack.py FOLDER`.

FOLDER holds what `benchmarks.peers` wrote: passages.json, questions.json and the same vectors that ours uses, passages.npy and questions.npy.
Chinese is segmented by jieba (search mode) and English stemmed before its BM25 gets them, which of itself takes a run of Chinese character by
character. Vectors in its own store, both legs fused by its own DocumentJoiner, scores scaled to 0..1 as its retrievers do where they are summed.
One JSON line goes to stdout for each question and mode. Its telemetry is switched off.
Needs haystack-ai, jieba, snowballstemmer, numpy.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

import jieba
import numpy as np
import snowballstemmer
from haystack import Document
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

DEPTH = 50  # as many candidates of each leg as ours has
ALGORITHM = "BM25Plus"  # of its three; BM25L, its default, does alike, BM25Okapi less well
JOINS = ("reciprocal_rank_fusion", "distribution_based_rank_fusion", "merge")
_HAN = re.compile("[\u3400-\u9fff]")
_word = re.compile(r"\w+")
_stemmer = snowballstemmer.stemmer("english")


def segmented(text: str) -> str:
    """Return the words of a text with blanks between them: Chinese as jieba finds them for a search engine, English stemmed."""
    words = jieba.cut_for_search(text) if _HAN.search(text) else [text]
    return " ".join(_stemmer.stemWords(_word.findall(" ".join(words).lower())))


def legs(passages: list[dict[str, str]], vectors: np.ndarray) -> tuple[Callable[..., list[Document]], ...]:
    """Return its two retrievers over the passages, as functions: of words and whether to scale, of a vector and whether to scale."""
    store = InMemoryDocumentStore(
        bm25_tokenization_regex=r"\S+", bm25_algorithm=ALGORITHM, embedding_similarity_function="cosine"
    )
    store.write_documents(
        [
            Document(id=str(number), content=segmented(one["text"]), embedding=vector.tolist())
            for number, (one, vector) in enumerate(zip(passages, vectors, strict=True))
        ]
    )
    words = InMemoryBM25Retriever(store, top_k=DEPTH)
    dense = InMemoryEmbeddingRetriever(store, top_k=DEPTH)
    return (
        lambda text, scale: words.run(query=segmented(text), scale_score=scale)["documents"],
        lambda vector, scale: dense.run(query_embedding=vector.tolist(), scale_score=scale)["documents"],
    )


def main() -> int:
    folder = Path(sys.argv[1])
    passages = json.loads((folder / "passages.json").read_text(encoding="utf-8"))
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    asked = np.load(folder / "questions.npy")
    by_words, by_vectors = legs(passages, np.load(folder / "passages.npy"))
    joiners = {mode: DocumentJoiner(join_mode=mode, top_k=DEPTH) for mode in JOINS}
    for question, vector in zip(questions, asked, strict=True):
        began = time.perf_counter()
        found = {"words": by_words(question["text"], False), "vectors": by_vectors(vector, False)}
        scaled = [by_words(question["text"], True), by_vectors(vector, True)]
        for mode, joiner in joiners.items():
            lists = scaled if mode == "merge" else [found["words"], found["vectors"]]
            found[mode] = joiner.run(documents=lists)["documents"]
        took = (time.perf_counter() - began) * 1_000  # of all modes together
        for mode, hits in found.items():
            ranked = list(dict.fromkeys(passages[int(one.id)]["id"] for one in hits))
            print(json.dumps({"id": question["id"], "mode": mode, "ranked": ranked[:10], "took_ms": round(took, 2)}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
