"""A response as it is read: bytes to events to parts, within deadlines and sizes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from yinju.llm import faults
from yinju.llm.events import AT_WORK, EventReader, bad_response, part_of
from yinju.llm.fetch import Fetch, Head, Late
from yinju.llm.limits import Limits
from yinju.llm.tool_calls import ToolCalls
from yinju.protocols import ChatPart
from yinju.text.tokens import estimate

_BYTES_PER_TOKEN = 4096  # an event carries one token and much around it; reasoning counts too
_FRAME = 4 << 20


class Reading:
    """One attempt. `text_seen` says whether any text of the answer has come."""

    def __init__(
        self,
        fetch: Fetch,
        url: str,
        limits: Limits,
        max_tokens: int,
        began: float,
        end: float,
        reasoning_tokens: int = 0,
        calls: ToolCalls | None = None,
    ) -> None:
        self._calls = calls  # None: no tools were offered
        self.text_seen = False
        self._fetch, self._url, self._limits, self._end = fetch, url, limits, end
        self._last = began  # when text or reasoning last came
        self._at_work = False
        self._most_tokens = int(max_tokens * (1 + limits.spare))
        self._most_bytes = _FRAME + _BYTES_PER_TOKEN * (max_tokens + reasoning_tokens)

    def parts(self) -> Iterator[ChatPart]:
        """Yield the parts up to the finish reason; `[DONE]` says `stop` where none came, without both the stream just ends.

        Raises Failure, and what Fetch raises.
        """
        tokens = 0
        for data in self._events():
            if self._calls is not None and self._calls.feed(data):
                self.text_seen, self._last = True, time.monotonic()
            part = part_of(data, offered=self._calls is not None) if data != "[DONE]" else ChatPart("", "stop")
            if part is None:
                continue
            if part is AT_WORK:
                self._at_work, self._last = True, time.monotonic()
                continue
            if part.text:
                tokens += estimate(part.text)
                self.text_seen, self._last = True, time.monotonic()
            elif not self.text_seen:
                if part.finish_reason == "length" and self._at_work:
                    raise faults.only_reasoned()
                break  # it stopped before the first word
            if tokens > self._most_tokens:
                yield ChatPart(part.text, "length")
                return
            if part.finish_reason and self._calls is not None:
                part = replace(part, tool_calls=self._calls.whole())
            yield part
            if part.finish_reason:
                return
        if not self.text_seen:
            raise faults.empty()

    def _events(self) -> Iterator[str]:
        reader, whole, received, media = EventReader(), b"", 0, ""
        while (item := self._next()) is not None:
            if isinstance(item, Head):
                media = item.media_type
                if "html" in media:
                    raise bad_response(media)
                continue
            received += len(item)
            if received > self._most_bytes:
                if self.text_seen:
                    yield '{"choices": [{"delta": {}, "finish_reason": "length"}]}'
                return
            if media == "application/json":  # a server that does not stream
                whole += item
            else:
                yield from reader.feed(item)
        yield from [whole.decode("utf-8", "replace")] if media == "application/json" else reader.finish()

    def _next(self) -> Head | bytes | None:
        limits = self._limits
        patience, what = (
            (limits.between_tokens, "next") if self.text_seen or self._at_work else (limits.first_token, "first")
        )
        try:
            return self._fetch.next(min(self._last + patience, self._end))
        except Late:
            over = time.monotonic() >= self._end
            raise faults.late(self._url, limits.whole if over else patience, "whole" if over else what) from None
