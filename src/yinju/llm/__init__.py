"""Messages to text: any OpenAI-compatible server. The scripted model for tests is in `yinju.testing`."""

from __future__ import annotations

from yinju.llm.limits import Limits
from yinju.llm.openai_compatible import OpenAICompatible

__all__ = ["Limits", "OpenAICompatible"]
