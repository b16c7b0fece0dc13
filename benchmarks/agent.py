"""Twenty comparison questions put to an agent with a scripted model: `python -m benchmarks.agent`.

The model of this measure follows a script: it searches for the second side of the comparison, and then answers with the sentences that
were written for the question, each with the number under which its passage was shown. What is measured is ours: both passages are
shown, the loop stays within its limits, right sentences are verified, and one sentence with a changed number is not. Then every way to
misbehave is played: a model that loops, asks for nothing, repeats itself, calls fifty tools at once, sends broken JSON, or never ends.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks import sets
from yinju import Answer, Library
from yinju.answer import AgentLimits
from yinju.caring import LibraryOptions
from yinju.errors import ModelError
from yinju.protocols import ChatPart, Message, ToolCall
from yinju.store import Store
from yinju.testing.chat import ScriptedChatModel

Parts = Sequence[str | ChatPart]
PROVED = ("verified", "moved")


@dataclass(frozen=True, slots=True)
class Comparison:
    """`said`: for each side a sentence, and words that stand in the passage which proves it."""

    question: str
    search: str  # what the model looks for
    said: tuple[tuple[str, str], ...]
    wrong: str  # the first sentence with another number, name or negation


def _comparison(
    question: str, search: str, first: str, first_in: str, second: str, second_in: str, wrong: str
) -> Comparison:
    return Comparison(question, search, ((first, first_in), (second, second_in)), wrong)


COMPARISONS = (
    _comparison(
        "What is the difference in price between the annual plan and the family plan?",
        "family plan price",
        "The annual plan costs 168 yuan a year",
        "The annual plan costs 168",
        "The family plan costs 268 yuan a year",
        "The family plan costs 268",
        "The annual plan costs 186 yuan a year",
    ),
    _comparison(
        "年费方案和家庭方案的价格有什么不同？",
        "家庭方案 每年",
        "年费方案每年 168 元",
        "年费方案每年 168 元",
        "家庭方案每年 268 元",
        "家庭方案每年 268 元",
        "年费方案每年 186 元",
    ),
    _comparison(
        "Is the annual plan cheaper than the monthly plan?",
        "monthly plan costs",
        "The annual plan costs 168 yuan a year",
        "The annual plan costs 168",
        "The monthly plan costs 18 yuan a month",
        "The monthly plan costs 18",
        "The annual plan costs 168 yuan a month",
    ),
    _comparison(
        "年费和月费分别是多少？",
        "月费方案 每月",
        "年费方案每年 168 元",
        "年费方案每年 168 元",
        "月费方案每月 18 元",
        "月费方案每月 18 元",
        "年费方案每年 168 万元",
    ),
    _comparison(
        "How long are the recorder and the battery covered?",
        "battery is covered",
        "The recorder is covered for 24 months",
        "The recorder is covered for 24",
        "The battery is covered for six months",
        "The battery is covered for six",
        "The recorder is covered for 42 months",
    ),
    _comparison(
        "Compare the return period of new and refurbished devices",
        "refurbished devices limit",
        "You can return a device within 15 days",
        "You can return a device within 15",
        "For officially refurbished devices the limit is 7 days",
        "refurbished devices the limit is 7",
        "You can return a device within 51 days",
    ),
    _comparison(
        "免费版和付费版的云端空间各是多少？",
        "云端空间",
        "免费版的云端空间是 5 GB",
        "云端空间 | 5 GB",
        "付费版的云端空间是 200 GB",
        "云端空间 | 5 GB",
        "免费版的云端空间是 50 GB",
    ),
    _comparison(
        "Cloud space: free or paid version?",
        "cloud space",
        "The free version has 5 GB of cloud space",
        "Cloud space | 5 GB",
        "The paid version has 200 GB of cloud space",
        "Cloud space | 5 GB",
        "The free version has 15 GB of cloud space",
    ),
    _comparison(
        "北京和广州的服务点哪个可以当场换屏？",
        "服务点 广州",
        "北京服务点能当场换屏",
        "北京 | 海淀区",
        "广州服务点不能当场换屏",
        "广州 | 天河区",
        "北京服务点周二休息",
    ),
    _comparison(
        "Which languages can be used offline, Mandarin or Korean?",
        "Korean offline",
        "Mandarin works offline: yes",
        "Mandarin | zh",
        "Korean works offline: no",
        "Korean | ko",
        "Mandarin was added in September 2025",
    ),
    _comparison(
        "换电池和换屏幕的价格分别是多少？",
        "更换 电池 屏幕 价格",
        "更换电池 79 元",
        "79 元",
        "更换屏幕 129 元",
        "129 元",
        "更换电池 97 元",
    ),
    _comparison(
        "What do a new battery and a new screen cost after the warranty?",
        "new screen costs",
        "A new battery costs 79 yuan",
        "A new battery costs 79",
        "A new screen costs 129 yuan",
        "a new screen 129",
        "A new battery costs 97 yuan",
    ),
    _comparison(
        "Compare the requests a minute and the requests a day that a token may make",
        "requests a day",
        "Each token may make 60 requests a minute",
        "60 requests a minute",
        "Each token may make 5,000 requests a day",
        "5,000 a day",
        "Each token may make 600 requests a minute",
    ),
    _comparison(
        "How do firmware v2.31 and v2.30 differ?",
        "v2.31 Sichuanese Spanish",
        "Firmware v2.31 supports test transcription of Sichuanese and Spanish",
        "Sichuanese and Spanish",
        "Firmware v2.30 uses a new storage format",
        "New storage format",
        "Firmware v2.31 supports test transcription of Sichuanese and German",
    ),
    _comparison(
        "固件 v2.31 和 v2.3.1 有什么区别？",
        "v2.3.1 修复",
        "v2.31 支持四川话和西班牙语的测试转写",
        "四川话和西班牙语的测试转写",
        "v2.3.1 修复待机耗电过快的问题",
        "待机耗电过快",
        "v2.31 支持四川话和德语的测试转写",
    ),
    _comparison(
        "错误 E-4031 和 E-4013 有什么区别？",
        "E-4013",
        "E-4031 的原因是固件版本太旧",
        "E-4031 | 固件版本太旧",
        "E-4013 的原因是设备已绑定到其他账号",
        "E-4013 | 设备已绑定",
        "E-4031 的原因是电量低于 10%",
    ),
    _comparison(
        "What is the difference between error E-4031 and E-4013?",
        "E-4013",
        "E-4031 means that the firmware is too old",
        "E-4031 | the",
        "E-4013 means that the recorder belongs to another account",
        "E-4013 | the",
        "E-4031 means that the battery is below 10%",
    ),
    _comparison(
        "退订年费和月费的退款有什么区别？",
        "月费 不退",
        "年费在付款后 14 天内可以全额退款",
        "14 天",
        "月费不支持退款",
        "月费",
        "年费在付款后 41 天内可以全额退款",
    ),
    _comparison(
        "Which is refunded, the annual plan or the monthly plan?",
        "monthly plan refundable",
        "The annual plan is refunded in full within 14 days of payment",
        "refunded in full within 14",
        "The monthly plan is not refundable",
        "The monthly plan is not refundable",
        "The annual plan is refunded in full within 40 days of payment",
    ),
    _comparison(
        "How do the free and the paid version differ in earlier versions?",
        "earlier versions kept",
        "The free version keeps earlier versions for 3 days",
        "kept for 3 days",
        "The paid version keeps earlier versions for 90 days",
        "kept for 90 days",
        "The free version keeps earlier versions for 30 days",
    ),
)


def calls(*wanted: tuple[str, Mapping[str, object] | str]) -> Parts:
    """Return what a model streams that calls these tools; arguments that are a text are sent as they are."""
    made = tuple(
        ToolCall(f"call{number}", name, given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
        for number, (name, given) in enumerate(wanted)
    )
    return [ChatPart("", "tool_calls", made)]


_PASSAGE = re.compile(r'<document id="(\d+)"[^\n]*>\n(.*?)\n</document>', re.DOTALL)


def marker_of(messages: Sequence[Message], words: str) -> int:
    """Return the number of the passage that a model was shown with these words, 0 where it was shown none."""
    for message in messages:
        for number, text in _PASSAGE.findall(message.content):
            if words in text:
                return int(number)
    return 0


def scripted(comparison: Comparison, sentences: Sequence[tuple[str, str]]) -> ScriptedChatModel:
    """Return a model that searches once and then says these sentences, each with the number of its passage."""
    end = "。" if re.search("[\u4e00-\u9fff]", comparison.question) else "."

    def answer(messages: Sequence[Message]) -> str:
        return " ".join(f"{said} [{marker_of(messages, words)}]{end}" for said, words in sentences)

    return ScriptedChatModel(calls(("search", {"query": comparison.search})), answer)


def asked(library: Library, model: ScriptedChatModel, question: str, limits: AgentLimits | None = None) -> Answer:
    library.chat_model = model
    return library.ask(question, agent=limits or AgentLimits())


def faults(library: Library, comparison: Comparison) -> Iterator[str]:
    """Yield what is not as it should be for one question."""
    model = scripted(comparison, comparison.said)
    answer = asked(library, model, comparison.question)
    limits = AgentLimits()
    if len(model.calls) > limits.rounds + 1 or len(answer.steps) > limits.calls + 6:
        yield "not bounded"
    if answer.refused or answer.model != model.name:
        yield f"not answered ({answer.reason})"
        return
    proved = [sentence.status in PROVED for sentence in answer.sentences]
    if len(proved) != 2 or not all(proved):
        yield f"verified {sum(proved)} of 2: {[(s.text, s.status) for s in answer.sentences]}"


def wrongly_verified(library: Library, comparison: Comparison) -> bool:
    """True where the changed sentence is called verified, cited as the right one was."""
    model = scripted(comparison, ((comparison.wrong, comparison.said[0][1]), comparison.said[1]))
    changed = asked(library, model, comparison.question)
    return bool(changed.sentences) and changed.sentences[0].status in PROVED


def _endless(_messages: Sequence[Message]) -> Parts:
    return itertools.repeat("and so on ")  # type: ignore[return-value]


def _ever_new() -> Callable[[Sequence[Message]], Parts]:
    numbers = itertools.count()
    return lambda _messages: calls(("search", {"query": f"plan {next(numbers)}"}))


MISBEHAVIOUR: dict[str, Callable[[], ScriptedChatModel]] = {
    "asks for the same again and again": lambda: ScriptedChatModel(calls(("search", {"query": "annual plan"}))),
    "asks for something new without end": lambda: ScriptedChatModel(_ever_new()),
    "says nothing": lambda: ScriptedChatModel(""),
    "calls fifty tools at once": lambda: ScriptedChatModel(
        calls(*(("search", {"query": f"plan {n}"}) for n in range(50)))
    ),
    "sends broken JSON": lambda: ScriptedChatModel(calls(("search", '{"query": "annual'))),
    "calls tools that there are not": lambda: ScriptedChatModel(calls(("delete_everything", {}))),
    "sends hostile values": lambda: ScriptedChatModel(
        calls(
            ("read", {"source": "../../etc/passwd"}),
            ("search", {"query": "x" * 9_000}),
            ("search", {"limit": -1}),
            ("grep", "[]"),
        )
    ),
    "never ends": lambda: ScriptedChatModel(_endless, finish_reason=None),
    "fails": lambda: ScriptedChatModel(ModelError("the server failed", code="llm-server")),
}


def played(library: Library, name: str, seconds: float = 5.0) -> tuple[Answer, float]:
    """Return what came of a model that misbehaves in this way, and the seconds that it took."""
    start = time.perf_counter()
    answer = asked(
        library, MISBEHAVIOUR[name](), "Is the annual plan cheaper than the family plan?", AgentLimits(seconds=seconds)
    )
    return answer, time.perf_counter() - start


def honest(answer: Answer) -> bool:
    """True where an answer that no model gave says so, with passages, or the cut one proves nothing."""
    if not answer.complete:
        return all(citation.status == "unsupported" for citation in answer.citations) and bool(answer.notices)
    return (
        (answer.model == "extractive" or answer.refused)
        and bool(answer.notices)
        and bool(answer.citations or answer.nearest)
    )


def opened(words: bool = False) -> Library:
    library = Library(Store.open(None), options=LibraryOptions(ocr=False)) if words else Library.open()
    library.sync(sets.EXAMPLES)
    return library


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", action="store_true", help="without the local embedding model")
    library = opened(parser.parse_args().words)
    right = changed = 0
    for comparison in COMPARISONS:
        wrong = list(faults(library, comparison))
        right += not wrong
        if wrongly_verified(library, comparison):
            changed += 1
            wrong.append(f"wrong sentence verified: {comparison.wrong}")
        print(f"{'ok  ' if not wrong else 'NOT '} {comparison.question}  {'; '.join(wrong)}")
    print(
        f"{right} of {len(COMPARISONS)} comparisons bounded and verified; of {len(COMPARISONS)} wrong sentences {changed} verified"
    )
    for name in MISBEHAVIOUR:
        answer, took = played(library, name)
        print(
            f"{'ok  ' if honest(answer) else 'NOT '} a model that {name}: {took:.1f} s, {len(answer.steps)} steps, {answer.model}"
        )


if __name__ == "__main__":
    main()
