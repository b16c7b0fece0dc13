"""Endpoints by name: `YINJU_CHAT_URL=deepseek` instead of an address, with what each of them does differently.

Addresses, models, windows and oddities are those of the providers' own documentation (looked up in November 2026). Where a server offers
what its owner loaded into it, there is no default model. What a preset says can be overridden: the model by YINJU_CHAT_MODEL, the
window by `chat_context_tokens`, and any address is an endpoint without a preset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Preset:
    """One endpoint. `context_tokens` None: not known, the usual default serves. `needs_key`: it refuses without one.

    `length_name` is how the largest answer is named in a request; `reasoning_tokens` are asked for on top of it, where a model thinks before it
    answers and the server counts that, too; `extra` goes into each request.
    """

    url: str
    model: str | None = None
    context_tokens: int | None = None
    needs_key: bool = True
    length_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    reasoning_tokens: int = 0
    extra: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


PRESETS: Mapping[str, Preset] = {
    # On this machine. Ollama cuts a prompt that is longer than its window without a word, and its window is 4,096 tokens unless
    # OLLAMA_CONTEXT_LENGTH or the size of the graphics memory says otherwise.
    "ollama": Preset("http://localhost:11434/v1", context_tokens=4_096, needs_key=False),
    "lmstudio": Preset("http://localhost:1234/v1", needs_key=False),
    "vllm": Preset("http://localhost:8000/v1", needs_key=False),
    "llamacpp": Preset("http://localhost:8080/v1", needs_key=False),
    # Hosted. DeepSeek's models think unless told not to, and an answer out of passages needs little of it.
    "deepseek": Preset(
        "https://api.deepseek.com/v1", "deepseek-v4-pro", 1_000_000, extra={"thinking": {"type": "disabled"}}
    ),
    "dashscope": Preset("https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-plus", 131_072),
    "dashscope-intl": Preset("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen-plus", 131_072),
    "zhipu": Preset(
        "https://open.bigmodel.cn/api/paas/v4", "glm-4.7-flash", 200_000, reasoning_tokens=4_096
    ),  # thinks unless told not to
    "moonshot": Preset("https://api.moonshot.cn/v1", "kimi-k2.6", 256_000, reasoning_tokens=4_096),
    "moonshot-intl": Preset("https://api.moonshot.ai/v1", "kimi-k2.6", 256_000, reasoning_tokens=4_096),
    "siliconflow": Preset("https://api.siliconflow.cn/v1"),
    "siliconflow-intl": Preset("https://api.siliconflow.com/v1"),
    "openai": Preset(
        "https://api.openai.com/v1",
        "gpt-5.4-mini",
        400_000,
        length_name="max_completion_tokens",
        reasoning_tokens=4_096,
    ),
}
ALIASES = {"qwen": "dashscope", "kimi": "moonshot", "glm": "zhipu", "lm-studio": "lmstudio", "llama.cpp": "llamacpp"}


def preset(name: str | None) -> Preset | None:
    """Return the preset with this name, in any case and by its other names, None for an address."""
    key = (name or "").strip().lower()
    return PRESETS.get(ALIASES.get(key, key))


def base_url(address: str) -> str:
    """Return the address of an endpoint that is named by a preset, any other address as it is."""
    found = preset(address)
    return address if found is None else found.url


def names() -> str:
    """Return the names of all presets, for people."""
    return ", ".join(PRESETS)
