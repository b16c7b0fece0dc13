"""A language model as judge of an answer: faithful to its passages, to the point, and how many of the passages were needed, each 1 to 5.

A judgement that failed (no answer, no JSON, no score on the scale) is no score and says why: a silent 1 would look like a bad answer.
What is judged was written by others, so it stands between lines with a random mark, made harmless, and is cut to the model's window. The
criteria are those of Es et al., "RAGAs: automated evaluation of retrieval augmented generation", EACL 2024. A judge is a model, too: the
deterministic measures stand beside it, and `agreement` says where the two part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

from yinju.answer.judging import JsonAsker, fenced, new_fence, shown
from yinju.answer.prompt import spoken
from yinju.errors import ModelError
from yinju.evaluate.scores import CRITERIA, Judgement, read
from yinju.messages import say
from yinju.protocols import ChatModel, Message
from yinju.text.tokens import estimate
from yinju.types import Answer, Passage

ATTEMPTS = 2  # a reply that cannot be read is asked for once more
_REPLY_TOKENS = 1_200
_SLACK = 200  # tokens of the frame that are not counted one by one
_LEAST = 120  # tokens for passages, below which nothing can be judged

_TITLES = {
    "zh": {"question": "问题", "answer": "回答", "passage": "资料 {n}", "end": "结束", "cut": "（资料过长，此后省略）"},
    "en": {"question": "question", "answer": "answer", "passage": "passage {n}", "end": "end", "cut": "(passages too long, the rest is left out)"},
}  # fmt: skip
_AGAIN = {
    "zh": "上面的回复不是所要求的 JSON（{why}）。请只输出那一个 JSON 对象，三项都要有 reason 和 1 到 5 的整数 score。",
    "en": "That was not the JSON that was asked for ({why}). Reply with the one JSON object only; each of the three needs a reason "
    "and a score, a whole number from 1 to 5.",
}  # fmt: skip


class Judge:
    """Judges answers with a chat model."""

    def __init__(self, model: ChatModel, *, attempts: int = ATTEMPTS) -> None:
        self.model = model
        self._attempts = max(1, attempts)
        self._ask = JsonAsker(model)

    def __call__(
        self, question: str, answer: str, passages: Sequence[str], *, cancel: Callable[[], bool] | None = None
    ) -> Judgement:
        """Return the scores of an answer that was made from these passages, best first. Never raises ModelError: a failure is a judgement."""
        language = spoken(question)
        try:
            messages = self._messages(question, answer, passages, language)
        except ModelError as error:
            return Judgement.failed(error.message, self.model.name)
        best: Judgement | None = None
        for attempt in range(self._attempts):
            try:
                reply = self._ask(messages, max_tokens=_reply_tokens(self.model), cancel=cancel).text
            except ModelError as error:
                return best or Judgement.failed(error.message, self.model.name)
            found = read(reply, self.model.name)
            if best is None or found.failures < best.failures:
                best = found
            if not found.failures or attempt + 1 == self._attempts:
                break
            why = next(score.failure for name in CRITERIA if (score := getattr(found, name)).failure)
            messages = [
                *messages,
                Message("assistant", reply[:2_000] or "-"),
                Message("user", _AGAIN[language].replace("{why}", why)),
            ]
        assert best is not None
        return best

    def of(self, answer: Answer, *, cancel: Callable[[], bool] | None = None) -> Judgement | None:
        """Return the judgement of an answer by the passages that it was made from; None for a refusal, which claims nothing."""
        if answer.refused:
            return None
        return self(
            answer.question, answer.text, [shown(passage) for passage in ranked_passages(answer)], cancel=cancel
        )

    def _messages(self, question: str, answer: str, passages: Sequence[str], language: str) -> list[Message]:
        fence, titles = new_fence(), _TITLES[language]
        system = _prompt(language).replace("{fence}", fence)
        parts = [fenced(fence, titles["question"], question), fenced(fence, titles["answer"], answer)]
        window = self.model.context_tokens
        space = window - _reply_tokens(self.model) - estimate(system) - sum(map(estimate, parts)) - _SLACK
        if space < _LEAST:
            raise ModelError(
                say("Question and answer are too long to be judged by this model.", "问题和回答太长，该模型无法评审。"),
                say("Use a judge with a larger window.", "请换用窗口更大的评审模型。"), code="llm-too-long",
            )  # fmt: skip
        for number, passage in enumerate(passages, start=1):
            block = fenced(fence, titles["passage"].replace("{n}", str(number)), passage)
            cost = estimate(block)
            if cost > space:
                room = max(0, int(len(passage) * space / cost) - 80)
                parts.append(
                    fenced(fence, titles["passage"].replace("{n}", str(number)), f"{passage[:room]} {titles['cut']}")
                )
                break
            space -= cost
            parts.append(block)
        return [Message("system", system), Message("user", "\n".join((*parts, f"{fence} {titles['end']}")))]


def ranked_passages(answer: Answer) -> list[Passage]:
    """Return the passages that an answer was made from, best first."""
    return sorted(answer.context.passages, key=lambda passage: -passage.hit.score) if answer.context else []


@cache
def _prompt(language: str) -> str:
    return (files("yinju.evaluate") / "prompts" / f"judge.{language}.md").read_text(encoding="utf-8").strip()


def _reply_tokens(model: ChatModel) -> int:
    return max(1, min(_REPLY_TOKENS, model.context_tokens // 3))
