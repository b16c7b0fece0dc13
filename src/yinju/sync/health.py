"""What needs attention in a library: damage, files that are not in it, roots that are gone, vectors that are missing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from yinju.messages import say

if TYPE_CHECKING:
    from yinju.protocols import Embedder
    from yinju.store import Store

Level = Literal["damage", "skipped", "kept", "warning", "notice"]
ORDER: tuple[Level, ...] = ("damage", "skipped", "kept", "warning", "notice")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that needs attention. `subject` is a source, a folder or the library's file."""

    level: Level
    subject: str
    message: str
    hint: str | None = None


def findings(store: Store, embedder: Embedder | None) -> list[Finding]:
    """Return what needs attention, worst first. Reads the whole library once to check it."""
    found = [*_damage(store), *_files(store), *_roots(store), *_vectors(store, embedder)]
    return sorted(found, key=lambda finding: (ORDER.index(finding.level), finding.subject))


def _damage(store: Store) -> list[Finding]:
    hint = say("Restore a backup, or sync the folder into a new library.", "请恢复备份，或把文件夹重新同步到新库。")
    return [Finding("damage", str(store.path or "memory"), problem, hint) for problem in store.check()]


def _files(store: Store) -> list[Finding]:
    found = [
        Finding("kept" if item.outcome == "kept" else "skipped", item.source, item.reason, item.hint)
        for item in store.skipped()
    ]
    for summary in store.sources():
        if summary.state == "indexed":  # of the others the reason was said
            found += [Finding("warning", summary.source, text) for text in summary.warnings]
    return found


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
        )
        for root, _prefix in store.roots()
        if not Path(root).exists()
    ]


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
            Finding("notice", name, text, say("`yinju sync FOLDER` computes the rest.", "`yinju sync 文件夹` 会补齐。"))
        )
    others = [other for other in store.fingerprints() if embedder is None or other != embedder.fingerprint]
    if embedder is not None and others:
        text = say(
            "There are vectors of other models, too: {names}.",
            "库中还有其他模型的向量：{names}。",
            names="; ".join(others),
        )
        found.append(Finding("notice", name, text))
    return found
