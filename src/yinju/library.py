"""The facade: everything that a door can do with a library is one method here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from yinju import asking, keeping
from yinju.caring import Caring, LibraryOptions
from yinju.retrieve import reading, viewing
from yinju.retrieve.widen import Widen
from yinju.store.faults import owner_only
from yinju.types import (
    Answer,
    Citation,
    Context,
    ContextFormat,
    Document,
    FileReport,
    Hit,
    Mode,
    SearchResult,
    Span,
    Step,
    Where,
)

if TYPE_CHECKING:
    from yinju.answer import AgentLimits
    from yinju.answer.rewrite import Rewrite
    from yinju.boxes import Box
    from yinju.principal import Principal
    from yinju.protocols import ChatModel, Embedder, Message, Reranker
    from yinju.retrieve.explain import Explained
    from yinju.retrieve.reading import Excerpt, Heading, Match
    from yinju.retrieve.viewing import View
    from yinju.settings import Settings
    from yinju.store import Store
    from yinju.store.records import SourceSummary
    from yinju.store.restore import Restored


class Library(Caring):
    """Documents in, evidence out.

    Open one with `Library.open`; close it with `close()` or a `with` block. Methods raise the errors of `yinju.errors`;
    a refusal to answer is a value. One thread at a time.
    """

    def __init__(
        self,
        store: Store,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        chat_model: ChatModel | None = None,
        options: LibraryOptions | None = None,
        notices: Sequence[str] = (),
    ) -> None:
        self.store = store
        self.embedder = embedder
        self.reranker = reranker
        self.chat_model = chat_model
        self.options = options or LibraryOptions()
        self.notices = tuple(notices)

    @classmethod
    def open(
        cls,
        folder: str | Path | None = None,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        chat_model: ChatModel | None = None,
        settings: Settings | None = None,
        read_only: bool = False,
        create: bool = True,
    ) -> Library:
        """Open the library in this folder, such as `help-centre/.yinju`; without a folder one in memory. What is not given comes from settings."""
        from yinju.assemble import open_library

        return open_library(
            folder,
            settings=settings,
            embedder=embedder,
            reranker=reranker,
            chat_model=chat_model,
            read_only=read_only,
            create=create,
        )

    @staticmethod
    def restore(file: str | Path, folder: str | Path) -> Restored:
        """Make the library in this folder, such as `help-centre/.yinju`, what it was when `backup` made the file; what is there is kept beside.

        The file is judged first, whoever it comes from. Raises SourceMissing, UsageError, StoreBusy (somebody is writing), StoreReadOnly and
        StoreError (damaged, foreign, hostile, of a newer format): then nothing was changed.
        """
        from yinju.store.restore import restore

        return restore(Path(file).expanduser(), Path(folder).expanduser())

    def close(self) -> None:
        """Close the store and the models. A closed library cannot be used again."""
        self.store.close()
        for model in (self.embedder, self.reranker, self.chat_model):
            close = getattr(model, "close", None)
            if close is not None:
                close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    # evidence out

    def search(
        self,
        text: str,
        limit: int | None = None,
        mode: Mode = "hybrid",
        where: Where | None = None,
        min_score: float | None = None,
        collapse: bool = True,
        per_document: int | None = None,
        *,
        hops: bool | None = None,
    ) -> list[Hit]:
        """Return the best passages for a question, best first. `per_document` and `hops`: see `find`."""
        wanted = self._wanted(limit, mode, where, min_score, per_document, collapse=collapse, hops=hops)
        return list(asking.find(self._parts(), text, wanted, judged=False).hits)

    def find(
        self,
        text: str,
        limit: int | None = None,
        mode: Mode = "hybrid",
        where: Where | None = None,
        min_score: float | None = None,
        collapse: bool = True,
        per_document: int | None = None,
        *,
        history: Sequence[Message | Mapping[str, str]] = (),
        rewrite: Rewrite | None = None,
        hops: bool | None = None,
        read: bool = False,
    ) -> SearchResult:
        """Like `search`, with coverage, times, notices and the probability that the passages answer the question.

        `per_document`: passages of one document, 0 for all; without it two, unless there are too few others. `collapse=False` lists copies.
        `history` and `rewrite`: as in `ask_stream`; `query` of the result says what was searched. `hops`: whether to search again inside
        the documents that the question names; None where it needs that. `read`: the first passages are read before their evidence is told, as
        `ask` does where the model can; that takes a fifth of a second.
        """
        wanted = self._wanted(
            limit, mode, where, min_score, per_document, rewrite=rewrite, collapse=collapse, hops=hops
        )
        return asking.find_in_conversation(self._parts(), text, history, replace(wanted, read=read))

    def explain(
        self, text: str, limit: int | None = None, mode: Mode = "hybrid", where: Where | None = None,
        min_score: float | None = None, collapse: bool = True, per_document: int | None = None,
    ) -> Explained:  # fmt: skip
        """Return what `find` does, with every leg's own list beside it, and the filters."""
        wanted = self._wanted(limit, mode, where, min_score, per_document, collapse=collapse)
        return asking.explain(self._parts(), text, wanted)

    def context(
        self,
        question: str,
        tokens: int | None = None,
        format: ContextFormat = "tagged",
        *,
        limit: int | None = None,
        mode: Mode = "hybrid",
        where: Where | None = None,
        min_score: float | None = None,
        per_document: int | None = None,
        widen: Widen = "none",
    ) -> Context:
        """Return the block of numbered passages that an agent puts into its prompt; no language model is called.

        `widen` shows more around each passage where tokens are left: its `neighbours` or its `section`.
        """
        wanted = self._wanted(limit, mode, where, min_score, per_document, tokens, widen)
        return asking.context(self._parts(), question, wanted, format)

    def ask(self, question: str, history: Sequence[Message | Mapping[str, str]] = (), **options: Any) -> Answer:
        """Answer with verified citations, or refuse. Options are those of `ask_stream`."""
        *_, last = self.ask_stream(question, history, **options)
        if not isinstance(last, Answer):
            raise TypeError("the last part of a stream is the answer")
        return last

    def ask_stream(
        self,
        question: str,
        history: Sequence[Message | Mapping[str, str]] = (),
        *,
        limit: int | None = None,
        mode: Mode = "hybrid",
        where: Where | None = None,
        min_score: float | None = None,
        tokens: int | None = None,
        refuse_below: float | None = None,
        system: str | None = None,
        cancel: Callable[[], bool] | None = None,
        per_document: int | None = None,
        widen: Widen = "none",
        rewrite: Rewrite | None = None,
        prefer: Literal["newest"] | None = None,
        agent: bool | AgentLimits = False,
        unsupported: Literal["mark", "remove"] | None = None,
        check: bool | None = None,
    ) -> Iterator[str | Citation | Step | Answer]:
        """Yield text as it comes, citations as they are proved, and last the whole Answer.

        `history`: earlier turns, oldest first, as Message or {"role", "content"}. `system` adds role and tone; the evidence rules stay.
        `rewrite`: how a follow-up is made to stand alone: by the `model` where there is one, by `rules`, or `off`.
        `prefer="newest"`: of documents that disagree the newer one is followed and the older named; without it both are shown.
        `agent`: the model may look further with tools, within these limits, and its steps are yielded; raises UsageError where there is no model.
        `unsupported`: whether sentences that no passage proves are marked or removed.
        `check`: the model is asked once more, about what it put in words of its own: what it finds not stated counts as not proved, and is marked,
        since it was shown by then. Nothing is ever raised by it.
        """
        yield from asking.stream(
            self._parts(), question, history,
            self._wanted(limit, mode, where, min_score, per_document, tokens, widen, rewrite, prefer=prefer),
            refuse_below=self.options.refuse_below if refuse_below is None else refuse_below,
            unsupported=unsupported or self.options.unsupported, system=system, cancel=cancel,
            check=self.options.check if check is None else check,
            agent=asking.agent_limits(agent, self.chat_model),
        )  # fmt: skip

    def prompt(
        self,
        question: str,
        history: Sequence[Message | Mapping[str, str]] = (),
        *,
        limit: int | None = None,
        mode: Mode = "hybrid",
        where: Where | None = None,
        min_score: float | None = None,
        tokens: int | None = None,
        system: str | None = None,
        per_document: int | None = None,
        widen: Widen = "none",
        rewrite: Rewrite | None = None,
        prefer: Literal["newest"] | None = None,
    ) -> list[Message]:
        """Return the messages that a chat model would be sent for this question."""
        wanted = self._wanted(limit, mode, where, min_score, per_document, tokens, widen, rewrite, prefer=prefer)
        return asking.prompt(self._parts(), question, history, wanted, system)

    def _parts(self) -> asking.Parts:
        return asking.Parts(self.store, self.embedder, self.reranker, self.chat_model)

    def _wanted(
        self, limit: int | None, mode: Mode, where: Where | None, min_score: float | None, per_document: int | None,
        tokens: int | None = None, widen: Widen = "none", rewrite: str | None = None, collapse: bool = True, prefer: str | None = None,
        hops: bool | None = None,
    ) -> asking.Wanted:  # fmt: skip
        limit = self.options.limit if limit is None else limit
        tokens = tokens or self.options.context_tokens
        rewrite = rewrite or self.options.rewrite
        return asking.Wanted(
            limit, tokens, mode, where, min_score, collapse, per_document, widen, rewrite, prefer, hops
        )

    def verify(self, text: str, source: str | None = None) -> Citation:
        """Return where this quotation stands: in `source`, else in the passage that carries it best.

        If nowhere, the status is `unsupported`, and the quote is the nearest text that does stand there, if any comes near.
        """
        names = [source] if source is not None else [hit.source for hit in self.search(text[:2_000], 10, "lexical")]
        return asking.verify(text, self.document, names)

    # who may see what

    def seen_by(self, principal: Principal) -> Library:
        """Return this library as the principal may see it: for reading, of the documents on whose access lists they are.

        It shares models and connections with this one and is closed with it. What the owner takes away is gone with the next call.
        """
        return SeenLibrary(self, principal)

    # a closer look

    def document(self, source: str) -> Document:
        """Return the document with this source. Raises SourceMissing: why it was skipped, or the nearest names."""
        document = self.store.document(source)
        if document is None:
            raise reading.missing(self.store, source)
        return document

    def read(self, source: str, lines: tuple[int, int] | None = None, page: int | None = None) -> Excerpt:
        """Return the text of a source, whole or these lines (1-based, both included; as citations number them), or a page of it (from 1)."""
        return reading.read(self.document(source), lines, page)

    def boxes(self, found: Hit | Citation) -> list[tuple[int, Box]]:
        """Return where it stands on its pages, a rectangle (in shares of the page) a line; empty where the format does not say."""
        return reading.boxes(self.document(found.source), self.store.boxes(found.source), found.span)

    def view(self, source: str, span: Span, around: int = viewing.AROUND) -> View:
        """Return the lines around this part of a source as a reader sees them, with what is meant marked. Raises SourceMissing."""
        return viewing.view(self.document(source), span, around)

    def page_picture(self, source: str, page: int, width: int = 1_000) -> bytes:
        """Return a page (from 1) of a PDF as a PNG. Raises SourceMissing, DocumentError: it changed, has no such page, is no PDF."""
        return keeping.page_picture(self.store, source, page, width)

    def outline(self, source: str) -> list[Heading]:
        """Return the headings of a source in their order."""
        return reading.outline(self.document(source))

    def grep(self, pattern: str, *, where: Where | None = None, regex: bool = False, limit: int = 100) -> list[Match]:
        """Return lines that contain the pattern: literal and folded (case, width, traditional = simplified), or a regular expression."""
        sources = reading.matching_sources(self.store, where or {})
        return reading.grep((self.document(source) for source in sources), pattern, regex=regex, limit=limit)

    def sources(self) -> list[SourceSummary]:
        """Return what the library holds, one record for each source, also those that were skipped."""
        return self.store.sources(self.embedder.fingerprint if self.embedder is not None else None)

    def receipt(self, source: str) -> FileReport:
        """Return what became of one file: its receipt, or why it was skipped. Raises SourceMissing."""
        return reading.receipt(self.store, source)

    def status(self) -> dict[str, Any]:
        """Return counts, generation, size and models."""
        chat_model = self.chat_model.name if self.chat_model else "extractive"
        return reading.status(self.store, self.embedder.fingerprint if self.embedder is not None else None, chat_model)


# What somebody may call who sees a part of a library. What is not named here is the owner's: all that changes it, and whatever comes to it.
READS = frozenset({
    "ask", "ask_stream", "boxes", "close", "context", "document", "explain", "find", "grep", "outline", "page_picture", "prompt", "read",
    "receipt", "search", "sources", "status", "verify", "view",
})  # fmt: skip


class SeenLibrary(Library):
    """A library as one principal may see it, see `Library.seen_by`. Raises StoreReadOnly for what is not among `READS`."""

    def __init__(self, whole: Library, principal: Principal) -> None:
        super().__init__(
            whole.store.seen_by(principal), embedder=whole.embedder, reranker=whole.reranker, chat_model=whole.chat_model,
            options=whole.options,
        )  # fmt: skip

    def close(self) -> None:
        """Does nothing: store and models belong to the library that this one was made from."""

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and name not in READS and hasattr(Library, name):
            raise owner_only()
        return super().__getattribute__(name)
