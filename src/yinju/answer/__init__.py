"""From hits to an answer with proof: a context, an extract or a model's text, and each sentence checked against its passages."""

from __future__ import annotations

from yinju.answer.agent import AgentLimits, agent_stream
from yinju.answer.context import build as build_context
from yinju.answer.disagreement import dated, preference
from yinju.answer.extract import extract
from yinju.answer.generate import answer, answer_stream
from yinju.answer.options import REFUSALS, AnswerOptions
from yinju.answer.passage_reading import with_reading
from yinju.answer.prompt import as_messages, prompt
from yinju.answer.rewrite import standalone
from yinju.answer.small_talk import small_talk
from yinju.answer.turns import spoken_turns
from yinju.answer.verify import verify_answer, verify_quote

__all__ = [
    "REFUSALS",
    "AgentLimits",
    "AnswerOptions",
    "agent_stream",
    "answer",
    "answer_stream",
    "as_messages",
    "build_context",
    "dated",
    "extract",
    "preference",
    "prompt",
    "small_talk",
    "spoken_turns",
    "standalone",
    "verify_answer",
    "verify_quote",
    "with_reading",
]
