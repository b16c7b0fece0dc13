"""(query, strings) to scores: an HTTP endpoint, or a cross-encoder from a folder. Nothing heavy is imported before it is used.

There is no built-in reranker of features: what cheap features can tell is weighed by `retrieve`, before any text is read again.
"""

from __future__ import annotations

from yinju.rerank.checked import CheckedReranker
from yinju.rerank.http import FORMS, Form, HttpReranker
from yinju.rerank.onnx import OnnxReranker

__all__ = ["FORMS", "CheckedReranker", "Form", "HttpReranker", "OnnxReranker"]
