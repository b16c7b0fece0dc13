"""Fakes that work without models and networks, and conformance suites for the protocols: for our tests and for those of other packages."""

from __future__ import annotations

from yinju.testing.chat import ScriptedChatModel, check_chat_model
from yinju.testing.chat_server import ChatServer
from yinju.testing.embedders import FakeEmbedder, embedder_conformance
from yinju.testing.rerankers import FakeReranker, reranker_conformance

__all__ = [
    "ChatServer",
    "FakeEmbedder",
    "FakeReranker",
    "ScriptedChatModel",
    "check_chat_model",
    "embedder_conformance",
    "reranker_conformance",
]
