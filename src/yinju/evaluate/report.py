"""Records to figures: each measure's mean over the questions that can show it, with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from yinju.errors import UsageError
from yinju.evaluate import metrics
from yinju.evaluate.agreement import Judged, summary
from yinju.evaluate.metrics import Interval
from yinju.evaluate.records import Record
from yinju.evaluate.run import worst
from yinju.messages import say
from yinju.types import as_plain

# In the order of the table. For those in LOWER less is better.
NAMES = (
    "hit@1", "hit@5", "hit@10", "mrr@10", "ndcg@10", "recall@1", "recall@5", "recall@10", "quotes@1", "quotes@5", "quotes@10",
    "all@1", "all@5", "all@10", "citations", "correct", "overlap", "verified", "precision", "judge-faithfulness", "judge-relevance",
    "judge-precision", "refusal", "wrong-refusals", "wrong-answers", "area", "calibration-error",
)  # fmt: skip
JUDGED = ("judge-faithfulness", "judge-relevance", "judge-precision")  # from 1 to 5, all others from 0 to 1
LOWER = ("wrong-refusals", "wrong-answers", "calibration-error")
SHOWN = (
    "hit@1",
    "hit@5",
    "hit@10",
    "mrr@10",
    "ndcg@10",
    "recall@5",
    "recall@10",
    "quotes@5",
    "all@5",
    "all@10",
    *NAMES[14:],
)


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure over `n` questions; the interval is None where one question tells nothing of the others."""

    name: str
    value: float
    interval: Interval | None
    n: int


@dataclass(frozen=True, slots=True)
class Report:
    """All figures of a run. Times in milliseconds, (median, 95th percentile)."""

    mode: str
    questions: int
    answerable: int
    unanswerable: int
    made: int
    measures: tuple[Measure, ...]
    search_ms: tuple[float, float]
    answer_ms: tuple[float, float] | None
    kinds: tuple[tuple[str, int, float | None, float], ...]  # kind, questions, hit@5, refusal
    failures: tuple[Record, ...]
    models: tuple[tuple[str, int], ...] = ()  # who answered, how often
    judged: Judged | None = None
    notices: tuple[tuple[str, int], ...] = ()  # what went less than well, on how many questions

    def value(self, name: str) -> float | None:
        """Return the value of a measure, None where no question can show it."""
        return next((measure.value for measure in self.measures if measure.name == name), None)


def report(records: Sequence[Record]) -> Report:
    """Return the figures of these records. Raises ValueError where there are none."""
    if not records:
        raise ValueError("no records, no figures")
    found = [record.measures() for record in records]
    measures = []
    for name in NAMES:
        values = [one[name] for one in found if name in one]
        if values:
            measures.append(Measure(name, sum(values) / len(values), interval_of(values, name), len(values)))
    answer_ms = [record.answer_ms for record in records if record.answer_ms is not None]
    answerable = sum(record.answerable for record in records)
    return Report(
        mode=records[0].mode, questions=len(records), answerable=answerable, unanswerable=len(records) - answerable,
        made=sum(record.made for record in records), measures=(*measures, *_evidence(records)),
        search_ms=_times([record.search_ms for record in records]), answer_ms=_times(answer_ms) if answer_ms else None,
        kinds=_kinds(records), failures=tuple(worst(records)),
        models=tuple(Counter(record.model for record in records if record.model).most_common()),
        judged=summary(records),
        notices=tuple(Counter(text for record in records for text in record.notices).most_common()),
    )  # fmt: skip


def interval_of(values: Sequence[float], name: str = "") -> Interval | None:
    """Return the bootstrap interval; where all values are 0 or all 1, from which it would conclude certainty, that of Wilson.

    Scores of a judge that are all the same have none.
    """
    if len(values) < 2 or (name in JUDGED and len(set(values)) == 1):
        return None
    if set(values) in ({0.0}, {1.0}):
        return metrics.share_interval(round(sum(values)), len(values))
    return metrics.interval(values)


def _evidence(records: Sequence[Record]) -> list[Measure]:
    """How well the evidence tells answerable from unanswerable; both kinds have to be there."""
    yes = [record.evidence for record in records if record.answerable]
    no = [record.evidence for record in records if not record.answerable]
    if not yes or not no:
        return []
    error = metrics.calibration_error([*yes, *no], [True] * len(yes) + [False] * len(no))
    area = metrics.area_interval(yes, no)
    return [
        Measure("area", area.mean, area, len(records)),
        Measure("calibration-error", error, None, len(records)),
    ]


def _times(values: Sequence[float]) -> tuple[float, float]:
    return round(metrics.percentile(values, 50), 1), round(metrics.percentile(values, 95), 1)


def _kinds(records: Sequence[Record]) -> tuple[tuple[str, int, float | None, float], ...]:
    found = []
    for kind in sorted({record.kind for record in records}):
        group = [record.measures() for record in records if record.kind == kind]
        hits = [one["hit@5"] for one in group if "hit@5" in one]
        right = sum(one["refusal"] for one in group) / len(group)
        found.append((kind, len(group), sum(hits) / len(hits) if hits else None, right))
    return tuple(found) if len(found) > 1 else ()


def meaning(name: str) -> str:
    """Return what a measure says, in words."""
    kind, _, k = name.partition("@")
    texts = {
        "hit": say("expected passage in the first {k}", "前 {k} 名里有预期的段落", k=k),
        "mrr": say("1 / rank of the first expected one", "首个预期段落名次的倒数"),
        "ndcg": say("order of the expected passages", "预期段落的排序好坏"),
        "recall": say("share of evidence in the first {k}", "前 {k} 名找到的证据比例", k=k),
        "quotes": say("share of quotes in the first {k}", "前 {k} 名找到的引文比例", k=k),
        "all": say("all evidence in the first {k}", "前 {k} 名里有全部证据", k=k),
        "citations": say("citations from an expected place", "引用出自预期之处的比例"),
        "correct": say("says what was expected", "答案说出了预期的内容"),
        "overlap": say("words shared with the expected answer (F1)", "与预期答案用词的重合（F1）"),
        "verified": say("sentences verified", "已核实的句子比例"),
        "precision": say("passages of use, early ones count more", "所用段落有用的程度，靠前的更重"),
        "judge-faithfulness": say("model's score 1 to 5: supported", "模型评分 1–5：有据"),
        "judge-relevance": say("model's score 1 to 5: to the point", "模型评分 1–5：切题"),
        "judge-precision": say("model's score 1 to 5: passages needed", "模型评分 1–5：资料精度"),
        "refusal": say("rightly answered or refused", "该答则答、该拒则拒的比例"),
        "wrong-refusals": say("answerable, but refused", "有答案却拒答"),
        "wrong-answers": say("unanswerable, but answered", "没有答案却回答"),
        "area": say("evidence tells both apart (0.5: no)", "证据区分两者的能力（0.5 为无）"),
        "calibration-error": say("evidence is off by so much", "证据概率的平均偏差"),
    }
    return texts[kind]


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure that a run has to reach."""

    name: str
    least: float


def bounds(texts: Sequence[str]) -> list[Bound]:
    """Return `hit@5=0.8` as bounds. Raises UsageError for other names, and for figures of which less is better."""
    found = []
    for text in texts:
        name, _, value = text.partition("=")
        name = name.strip().lower()
        try:
            least = float(value)
        except ValueError:
            least = -1.0
        if name not in NAMES or name in LOWER or not 0 <= least <= (5 if name in JUDGED else 1):
            raise UsageError(
                say("{text!r} is no bound.", "{text!r} 不是可用的下限。", text=text),
                say("Write NAME=0.8 with one of {names}.", "请写成 名称=0.8，名称可选：{names}。",
                    names=", ".join(one for one in NAMES if one not in LOWER)),
            )  # fmt: skip
        found.append(Bound(name, least))
    return found


def missed(found: Report, wanted: Sequence[Bound]) -> list[str]:
    """Return a sentence for each bound that the run is below; a figure that no question can show is below every bound."""
    out = []
    for bound in wanted:
        value = found.value(bound.name)
        least = f"{bound.least:g}"
        if value is None:
            text = "{name} cannot be shown by these questions, wanted {least}"
            out.append(say(text, "{name} 无法由这些题目得出，要求 {least}", name=bound.name, least=least))
        elif value < bound.least:
            out.append(
                say(
                    "{name} is {got:.3f}, below {least}",
                    "{name} 为 {got:.3f}，低于 {least}",
                    name=bound.name,
                    got=value,
                    least=least,
                )
            )
    return out


def as_json(found: Report, below: Sequence[str] = ()) -> dict[str, Any]:
    """Return the report as JSON data."""
    return {
        "mode": found.mode, "questions": found.questions, "answerable": found.answerable, "unanswerable": found.unanswerable, "made": found.made,
        "measures": {
            one.name: {
                "value": round(one.value, 4), "n": one.n,
                "low": round(one.interval.low, 4) if one.interval else None, "high": round(one.interval.high, 4) if one.interval else None,
            }
            for one in found.measures
        },
        "took_ms": {
            "search": {"p50": found.search_ms[0], "p95": found.search_ms[1]},
            "answer": {"p50": found.answer_ms[0], "p95": found.answer_ms[1]} if found.answer_ms else None,
        },
        "kinds": [
            {"kind": kind, "questions": n, "hit@5": None if hit is None else round(hit, 4), "refusal": round(right, 4)}
            for kind, n, hit, right in found.kinds
        ],
        "failures": [
            {
                "id": one.id, "question": one.question, "lost": one.lost, "why": one.why, "ranks": as_plain(one.ranks),
                "evidence": one.evidence, "refused": one.refused,
            }
            for one in found.failures
        ],
        "models": [{"model": name, "answers": n} for name, n in found.models],
        "notices": [{"notice": text, "questions": n} for text, n in found.notices],
        "judge": as_plain(found.judged),
        "below": list(below),
    }  # fmt: skip


def as_markdown(found: Report) -> str:
    """Return the table of figures as Markdown."""
    rows = [
        f"| {one.name} | {one.value:.3f} | {range_of(one)} | {one.n} | {meaning(one.name)} |"
        for one in found.measures
        if one.name in SHOWN
    ]
    head = say("| measure | value | 95 % interval | n | meaning |", "| 指标 | 数值 | 95 % 区间 | 题数 | 含义 |")
    return "\n".join([head, "| --- | --- | --- | --- | --- |", *rows])


def range_of(measure: Measure) -> str:
    """Return the interval for people, empty where there is none."""
    return f"{measure.interval.low:.3f}–{measure.interval.high:.3f}" if measure.interval else ""
