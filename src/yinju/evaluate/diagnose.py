"""Where an expected passage was lost, in the order in which it passes: read, cut, embedded, found, ranked, answered.

The first step that lost it is the one to mend; what comes later could not do better. A step may also be `weak` (the passage went on, with
less than it should have) or `unknown` (it was not tried).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from yinju.evaluate.places import Place, Places
from yinju.messages import say, short_of
from yinju.retrieve.filters import joined, literal
from yinju.text.words import terms
from yinju.types import Answer, Citation, Hit, Mode, SearchResult, Span, Where

if TYPE_CHECKING:
    from yinju.evaluate.cases import Case
    from yinju.library import Library

STEPS = ("read", "cut", "embedded", "found", "ranked", "answered")
NEAR = 50  # passages among which an ordinary search ranks
DEEP = 200  # passages among which one that it did not find is looked for
State = Literal["ok", "weak", "lost", "unknown"]


@dataclass(frozen=True, slots=True)
class Step:
    """What became of the expected passage at one step."""

    name: str
    state: State
    text: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The steps of one expected place. `lost` is the name of the first that lost it, None where it came through."""

    question: str
    source: str
    steps: tuple[Step, ...]
    lost: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Asked:
    """How a question was asked, and what came of it. `limit`: passages that an answer sees. `answer` is None where none was asked for."""

    case: Case
    text: str  # as it was searched
    mode: Mode
    where: Where
    limit: int
    evidence: float
    refuse_below: float
    answer: Answer | None = None

    def find(self, library: Library, limit: int, where: Where | None = None) -> SearchResult:
        """Search as `ask` does, after the same earlier turns; under another filter where one is given."""
        filters = self.where if where is None else where
        return library.find(self.case.question, limit, self.mode, filters, history=self.case.history)


def diagnose(
    library: Library, case: Case, *, mode: Mode = "hybrid", where: Where | None = None, answers: bool = True
) -> list[Diagnosis]:
    """Ask the question and return one diagnosis for each gold of the case. Raises UsageError, ModelError, StoreError."""
    places = Places(library)
    filters = filters_of(case, places, where)
    options = library.options
    if answers:
        answer = library.ask(case.question, case.history, mode=mode, where=filters)
        asked = Asked(
            case, answer.searched_as, mode, filters, options.limit, answer.evidence, options.refuse_below, answer
        )
    else:
        found = library.find(case.question, None, mode, filters, history=case.history, read=True)
        asked = Asked(case, found.query, mode, filters, options.limit, found.evidence, options.refuse_below)
    return [follow(library, places.of(gold), places, asked) for gold in case.golds]


def filters_of(case: Case, places: Places, where: Where | None = None) -> Where:
    """Return the filter of a case: its own, that of the run, and the sources that it does without."""
    left_out = tuple(literal(places.source(name) or name) for name in case.without)
    return joined(where or {}, case.where, {"source!": left_out} if left_out else {})


def follow(library: Library, place: Place, places: Places, asked: Asked) -> Diagnosis:
    """Return the steps of one place. A step after a loss is not tried."""
    steps = [_read(library, place)]
    if steps[-1].state != "lost":
        steps.append(_cut(library, place))
    if steps[-1].state != "lost":
        steps.append(_embedded(library, place, places))
        steps += _found_and_ranked(library, place, asked)
    if steps[-1].state != "lost":
        steps.append(_answered(place, asked))
    steps += [Step(name, "unknown", "") for name in STEPS[len(steps) :]]
    lost = next((step for step in steps if step.state == "lost"), None)
    return Diagnosis(asked.text, place.source, tuple(steps), lost.name if lost else None, lost.text if lost else "")


def _read(library: Library, place: Place) -> Step:
    if place.problem is None:
        return Step("read", "ok", say("it stands in the text that was read", "读出的文本里有它"))
    if place.problem in ("no-source", "skipped"):
        passed = (*library.store.skipped(), *library.store.ignored())
        reason = next((item.reason for item in passed if item.source == place.source), None)
        text = (
            say("{source} was skipped: {why}", "{source} 被跳过：{why}", source=place.source, why=reason)
            if reason
            else say("{source} is not in the library", "库里没有 {source}", source=place.source)
        )
        return Step("read", "lost", text)
    what = {
        "no-heading": say("this heading", "这个标题"), "no-lines": say("text on these lines", "这些行的文字"),
        "no-page": say("this page", "这一页"), "no-quote": say("this quotation", "这句引文"),
    }[place.problem]  # fmt: skip
    return Step(
        "read",
        "lost",
        say(
            "the text read from {source} has not {what}",
            "从 {source} 读出的文本里没有{what}",
            source=place.source,
            what=what,
        ),
    )


def _cut(library: Library, place: Place) -> Step:
    spans = [stored.chunk.span for stored in library.store.chunks_of(place.source)]
    touching = [span for span in spans if any(_meet(span, wanted) for wanted in place.spans)]
    if not touching:
        return Step("cut", "lost", say("no passage covers it", "没有段落覆盖它"))
    if any(span.start <= wanted.start and wanted.end <= span.end for span in spans for wanted in place.spans):
        return Step("cut", "ok", say("one passage holds it whole", "一个段落完整包含它"))
    return Step("cut", "weak", say("it is spread over {n} passages", "它分散在 {n} 个段落里", n=len(touching)))


def _embedded(library: Library, place: Place, places: Places) -> Step:
    summary = places.summaries[place.source]
    if library.embedder is None:
        return Step("embedded", "weak", say("there is no model: words alone find it", "没有模型：只能按词找到"))
    if summary.embedded < summary.chunks:
        text = say(
            "{n} of its source's {all} passages have no vector yet", "该来源 {all} 个段落中有 {n} 个还没有向量",
            n=summary.chunks - summary.embedded, all=summary.chunks,
        )  # fmt: skip
        return Step("embedded", "weak", text)
    return Step("embedded", "ok", say("all passages of its source have vectors", "该来源的段落都有向量"))


def _found_and_ranked(library: Library, place: Place, asked: Asked) -> list[Step]:
    hits = asked.find(library, max(NEAR, asked.limit)).hits
    rank = next((number for number, hit in enumerate(hits, 1) if place.holds(hit)), None)
    if rank is None:
        return [Step("found", "lost", _why_not_found(library, place, asked))]
    found = Step("found", "ok", _votes(hits[rank - 1]))
    if rank <= asked.limit:
        return [found, Step("ranked", "ok", say("rank {n}", "第 {n} 名", n=rank))]
    text = say(
        "rank {n}, and only the first {limit} are used; first is {other} ({votes})",
        "排第 {n}，只用前 {limit} 名；第一名是 {other}（{votes}）",
        n=rank, limit=asked.limit, other=where_is(hits[0]), votes=_votes(hits[0]),
    )  # fmt: skip
    return [found, Step("ranked", "lost", text)]


def _why_not_found(library: Library, place: Place, asked: Asked) -> str:
    hits = asked.find(library, DEEP).hits
    rank = next((number for number, hit in enumerate(hits, 1) if place.holds(hit)), None)
    if rank is None and asked.where:
        its_own = {"source": literal(place.source)}
        inside = asked.find(library, 1, joined(asked.where, its_own)).hits
        if not inside and asked.find(library, 1, its_own).hits:
            return say("the filter leaves {source} out", "筛选条件排除了 {source}", source=place.source)
    where = say("rank {n}", "第 {n} 名", n=rank) if rank else say("not among {n}", "不在前 {n} 名", n=len(hits))
    shared = _shared_words(library, place, asked.text)
    if not shared:
        return say(
            "{where}: it has none of the question's words, and its meaning is too far",
            "{where}：它没有问题里的词，意思也相距太远",
            where=where,
        )
    return say(
        "{where}: of the question's words it has only {words}", "{where}：问题里的词它只有 {words}", where=where, words=", ".join(shared[:8])
    )  # fmt: skip


def _shared_words(library: Library, place: Place, question: str) -> list[str]:
    stored = library.store.chunks_of(place.source)
    chunks = [one.chunk for one in stored if any(_meet(one.chunk.span, span) for span in place.spans)]
    words = {word for chunk in chunks for word in terms("\n".join((*chunk.headings, chunk.text))).words}
    return [word for word in dict.fromkeys(terms(question).words) if word in words]


def _answered(place: Place, asked: Asked) -> Step:
    answer = asked.answer
    refused = answer.refused if answer is not None else asked.evidence < asked.refuse_below
    if refused:
        evidence, threshold = short_of(asked.evidence, asked.refuse_below)
        text = say("refused: evidence {e}, threshold {t}", "被拒答：证据 {e}，阈值 {t}", e=evidence, t=threshold)
        return Step("answered", "lost", text)
    if answer is None:
        return Step("answered", "unknown", say("no answer was asked for", "没有生成答案"))
    if any(place.proves(citation) for citation in answer.citations):
        return Step("answered", "ok", say("the answer cites it", "答案引用了它"))
    cited = ", ".join(dict.fromkeys(where_is(citation) for citation in answer.citations[:3])) or say("nothing", "无")
    return Step(
        "answered", "lost", say("the answer cites others: {places}", "答案引用的是别处：{places}", places=cited)
    )


def where_is(found: Hit | Citation) -> str:
    """Return `plans.md:9-12`, `card.pdf p.2` or the source alone."""
    if found.lines is not None:
        first, last = found.lines
        return f"{found.source}:{first}" + (f"-{last}" if last != first else "")
    return f"{found.source} p.{found.page}" if found.page is not None else found.source


def _votes(hit: Hit) -> str:
    votes = [f"{vote.leg} {f'#{vote.rank}' if vote.rank else '–'} {vote.share:.2f}" for vote in hit.votes]
    return f"{hit.score:.2f} = " + " + ".join(votes) if votes else f"{hit.score:.2f}"


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def first_lost(found: Sequence[Diagnosis]) -> Diagnosis | None:
    """Return the diagnosis of the gold that was lost earliest."""
    lost = [one for one in found if one.lost is not None]
    return min(lost, key=lambda one: STEPS.index(one.lost or ""), default=None)
