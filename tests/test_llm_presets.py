"""Endpoints by name: what is taken from a preset, and what the user says instead."""

from __future__ import annotations

import pytest

from yinju import models, settings
from yinju.errors import UsageError
from yinju.llm import PRESETS, OpenAICompatible, base_url, preset
from yinju.settings import Settings


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_an_endpoint(name: str) -> None:
    found = PRESETS[name]
    chat = OpenAICompatible(name, "k", found.model or "m")
    assert found.url.startswith("http://localhost:" if not found.needs_key else "https://")
    assert chat.context_tokens == (found.context_tokens or 32_768)
    assert base_url(name) == found.url


def test_names_in_any_case_and_other_names() -> None:
    assert preset("Qwen") is PRESETS["dashscope"]
    assert preset(" DeepSeek ") is PRESETS["deepseek"]
    assert preset("http://localhost:11434/v1") is None
    assert preset(None) is None
    assert base_url("http://h/v1") == "http://h/v1"


def test_from_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("YINJU_CHAT_URL", "deepseek")
    monkeypatch.setenv("YINJU_CHAT_KEY", "k")
    chat = models.open_chat_model(settings.load())
    assert chat is not None
    assert (chat.name, chat.context_tokens) == ("deepseek-v4-pro", 1_000_000)
    own = models.open_chat_model(Settings(chat_url="deepseek", chat_key="k", chat_model="x", chat_context_tokens=9_000))
    assert own is not None
    assert (own.name, own.context_tokens) == ("x", 9_000)
    address = models.open_chat_model(Settings(chat_url="http://h/v1", chat_model="x"))
    assert address is not None
    assert address.context_tokens == 32_768


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        ({"chat_url": "deepseek"}, "YINJU_CHAT_KEY"),
        ({"chat_url": "ollama"}, "YINJU_CHAT_MODEL"),
        ({"chat_url": "siliconflow", "chat_key": "k"}, "YINJU_CHAT_MODEL"),
        ({"chat_url": "deepsek", "chat_model": "m"}, "deepseek"),
    ],
)
def test_what_is_missing_is_named(values: dict[str, str], hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        models.open_chat_model(Settings(**values))
    assert hint in str(caught.value.hint)


def test_an_embedding_endpoint_by_name() -> None:
    by_name = models.open_embedder(Settings(embed_url="ollama", embed_model="bge-m3"))
    by_address = models.open_embedder(Settings(embed_url="http://localhost:11434/v1", embed_model="bge-m3"))
    assert by_name is not None
    assert by_address is not None
    assert by_name.fingerprint == by_address.fingerprint
