"""What needs attention in a library: damage, files that are not in it, roots that are gone, vectors that are missing, and the documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from yinju.messages import say
from yinju.sync import quality, remarks
from yinju.sync.moving import roots_now
from yinju.sync.quality.finding import ORDER, Finding, Group, Level, grouped, sorted_findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yinju.protocols import Embedder
    from yinju.store import Store
    from yinju.store.records import SourceSummary

__all__ = ["ORDER", "Finding", "Group", "Level", "findings", "grouped"]


def findings(store: Store, embedder: Embedder | None) -> list[Finding]:
    """Return what needs attention, worst first. Reads the whole library, once to check it and once to compare its documents."""
    damage = _damage(store)
    if damage:  # what a damaged library says of its documents is worth nothing
        return damage
    sources = store.sources()
    found = [
        *_files(store, sources),
        *_held(store),
        *_roots(store),
        *_nothing_read(store),
        *quality.findings(store, sources),
        *_vectors(store, embedder),
    ]
    return sorted_findings(found)


def _damage(store: Store) -> list[Finding]:
    hint = say(
        "`yinju doctor --repair` mends it; your documents are untouched.",
        "`yinju doctor --repair` 可以修复；您的文档不受影响。",
    )
    return [
        Finding("damage", str(store.path or "memory"), problem, hint, "damage")
        for problem in store.check(thorough=True)
    ]


def _files(store: Store, sources: Sequence[SourceSummary]) -> list[Finding]:
    found = []
    for item in store.skipped():
        code = item.reason.partition(": ")[0]
        level: Level = "kept" if item.outcome == "kept" else "skipped"
        text, hint = remarks.skipped(item.reason, item.hint)
        found.append(Finding(level, item.source, text, hint, code, remarks.reason(code), (item.source,)))
    for summary in sources:
        if summary.state == "indexed":  # of the others the reason was said
            found += [_warning(summary.source, warning) for warning in summary.warnings]
    return found


def _held(store: Store) -> list[Finding]:
    meaning = say("held back by undo", "因撤销而暂不收录")
    hint = say("`yinju sync --release` takes what the file says now.", "`yinju sync --release` 会收录文件现在的内容。")
    return [
        Finding(
            "notice",
            hold.source,
            meaning
            if hold.file is not None
            else say("held back by undo: the file is gone", "因撤销而暂不收录：文件已不在"),
            hint,
            "held",
            meaning,
            (hold.source,),
        )
        for hold in store.holds()
    ]


def _warning(source: str, warning: str) -> Finding:
    told = remarks.remark(warning)
    text = told.meaning + (f": {told.detail}" if told.detail else "")
    level: Level = "warning" if told.hint else "notice"
    return Finding(level, source, text, told.hint, told.code, told.meaning, (source,))


def _roots(store: Store) -> list[Finding]:
    return [
        Finding(
            "warning",
            root,
            say(
                "This folder is not there now; what was read of it still answers.",
                "这个文件夹现在不在；已读入的内容仍可回答。",
            ),
            say("Connect the drive, or remove its sources.", "请连接磁盘，或移除其中的来源。"),
            "folder-gone",
        )
        for root, _prefix in roots_now(store)
        if not Path(root).exists()
    ]


def _nothing_read(store: Store) -> list[Finding]:
    """Say that a library without documents has files before it: after a repair that could save nothing it would else be in order."""
    from yinju.sync.amount import measure

    if store.counts().documents:
        return []
    folders = [Path(root) for root, _prefix in roots_now(store)]
    if not folders and store.path is not None and store.path.parent.name == ".yinju":
        folders = [store.path.absolute().parent.parent]
    files = sum(measure(folder).files for folder in folders if folder.exists())
    if files <= len(store.skipped()):
        return []
    text = say(
        "The library holds no document, but its folder has files ({n}).", "资料库中没有文档，而文件夹中有文件（{n} 个）。", n=files
    )  # fmt: skip
    hint = say("`yinju sync {folder}` reads them.", "运行 `yinju sync {folder}` 即可读入。", folder=folders[0])
    return [Finding("warning", str(folders[0]), text, hint, "nothing-read")]


def _vectors(store: Store, embedder: Embedder | None) -> list[Finding]:
    counts = store.counts()
    name = str(store.path or "memory")
    found = []
    if embedder is not None and counts.embedded(embedder.fingerprint) < counts.chunks:
        text = say(
            "{done} of {all} passages have vectors of the model in use.", "{all} 个段落中有 {done} 个具有当前模型的向量。",
            done=counts.embedded(embedder.fingerprint), all=counts.chunks,
        )  # fmt: skip
        found.append(
            Finding(
                "notice",
                name,
                text,
                say("`yinju sync FOLDER` computes the rest.", "`yinju sync 文件夹` 会补齐。"),
                "vectors-missing",
            )
        )
    others = [other for other in store.fingerprints() if embedder is None or other != embedder.fingerprint]
    if embedder is not None and others:
        text = say(
            "There are vectors of other models, too: {names}.",
            "库中还有其他模型的向量：{names}。",
            names="; ".join(others),
        )
        found.append(Finding("notice", name, text, kind="other-vectors"))
    return found
