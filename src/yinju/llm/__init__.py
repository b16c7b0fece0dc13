"""Messages to text: any OpenAI-compatible server. The scripted model for tests is in `yinju.testing`."""

from __future__ import annotations

from yinju.llm.limits import Limits
from yinju.llm.openai_compatible import OpenAICompatible
from yinju.llm.presets import PRESETS, Preset, base_url, preset

__all__ = ["PRESETS", "Limits", "OpenAICompatible", "Preset", "base_url", "preset"]
