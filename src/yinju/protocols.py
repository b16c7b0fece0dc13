"""The places where another implementation can be put. Conformance suites for all but PassageReader ship in `yinju.testing`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


@runtime_checkable
class Embedder(Protocol):
    """Strings to vectors: float32 of shape (len(texts), dimension), rows of unit length (or all zero for a text without words).

    `fingerprint` names everything that changes the vectors: model, revision, prefixes, pooling, dimension, quantisation.
    Both methods raise ModelError and never return fewer rows, NaN or infinite values.
    """

    @property
    def fingerprint(self) -> str: ...  # noqa: D102  the class says it

    @property
    def dimension(self) -> int: ...  # noqa: D102  the class says it

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each passage."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each question."""
        ...


@runtime_checkable
class PassageReader(Protocol):
    """A model that reads passages with a question in mind. An embedder that can do this, too, is one: the built-in one does."""

    def read_passages(self, question: str, passages: Sequence[tuple[str, Sequence[str]]]) -> list[list[float]]:
        """Return for each sentence of each passage (what stands above it, its sentences) the log odds that it answers the question.

        0: as likely as that nothing in the passage answers. Raises ModelError.
        """
        ...


@runtime_checkable
class Reranker(Protocol):
    """(query, texts) to scores, one for each text, higher is better. Raises ModelError.

    A slow one may have a number `candidates`: so many of the best passages are given to it, not 50.
    """

    @property
    def fingerprint(self) -> str: ...  # noqa: D102  the class says it

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return one finite score for each text."""
        ...


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model wants a tool used. `arguments` is the JSON text as the model wrote it: nobody has looked at it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. A `tool` message is the result of the call with the id `answers`."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    answers: str = ""


@dataclass(frozen=True, slots=True)
class ChatPart:
    """A piece of a model's answer: some text, or at the end the reason why it stopped (`stop`, `length`, ...), with the tools it calls."""

    text: str = ""
    finish_reason: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()  # whole, and only where tools were offered


@runtime_checkable
class ChatModel(Protocol):
    """Messages to text. `name` is shown to people; `context_tokens` is the window for prompt and answer together.

    `stream` yields parts; the last one has a `finish_reason`. A stream that ends without one is incomplete. `cancel()` is asked between
    parts and ends the stream early. Raises ModelError, also in mid-stream.
    """

    @property
    def name(self) -> str: ...  # noqa: D102  the class says it

    @property
    def context_tokens(self) -> int: ...  # noqa: D102  the class says it

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int = 1024,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        cancel: Callable[[], bool] | None = None,
    ) -> Iterator[ChatPart]:
        """Yield the answer as it comes."""
        ...
