"""What is wrong with the files of a library, and another file in the place of a damaged one."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from yinju.errors import StoreError
from yinju.failing import reach
from yinju.messages import say
from yinju.store import backup, check, contents, migrations, opening, place, salvage, sql, viewfile, walking
from yinju.store.database import BEFORE
from yinju.store.faults import newer, not_ours, translated, what_is_wrong
from yinju.store.opening import APPLICATION_ID, NAME
from yinju.store.salvage import Maker, Salvaged


def tidy(folder: Path) -> int:
    """Remove what a killed process left behind, and views that do not hold what was written to them. Return how many views those were.

    The caller holds the writer's lock.
    """
    opening.remove_drafts(folder)
    with contextlib.suppress(OSError):
        opening.hide(folder)
    count = 0
    for view in folder.glob("vectors-*"):
        if view.suffix != ".view" or not viewfile.is_sound(view):
            with contextlib.suppress(OSError):
                view.unlink()
                count += 1
    return count


def problems(path: Path) -> list[str]:
    """Return what is wrong with the truth, for people. Raises StoreError where the file is of a newer format or another program's."""
    import apsw

    if not path.exists():
        return [say("There is no {name}", "没有 {name}", name=path.name)]
    if not path.stat().st_size:
        return [say("{name} is empty", "{name} 是空的", name=path.name)]
    try:
        connection = opening.connect(path, bare=True)
        try:
            _check_whose(connection, path)
            opening.prepared(connection, writing=False)
            return check.problems(connection) or contents.problems(connection)
        finally:
            connection.close()
    except (apsw.BusyError, apsw.LockedError, apsw.FullError, apsw.CantOpenError, apsw.ReadOnlyError) as error:
        with translated(path):
            raise error
    except (apsw.Error, *walking.BAD) as error:
        return [say("The file is damaged: {what}", "文件已损坏：{what}", what=what_is_wrong(error))]


def replace(path: Path, draft: Path, maker: Maker) -> tuple[Salvaged, Path | None]:
    """Put what can be saved of the library in the place of its file. Return what that was, and where the damaged file lies now.

    The caller holds the writer's lock. Raises StoreError where the new file does not stand its own check: then nothing was changed.
    """
    try:
        with translated(draft):
            found = salvage.rebuild(path, draft, backups_of(path), maker)
            reach("repair-built")
            _check_new(draft)
        backup.put_on_disk(draft)
        kept = place.free_name(path.parent, "damaged-", ".db") if path.exists() else None
        place.put(draft, path, kept)
        if kept is not None:
            _remember(path, kept)
    finally:
        opening.remove_with_logs(draft)
    return found, kept


def backups_of(path: Path) -> list[Path]:
    """Return the sound backups of this library that are known and there, the newest state first: those in its log, and those beside it."""
    known = [Path(one) for one in _logged(path)]
    known += [*path.parent.glob(f"{BEFORE}*.db"), *path.parent.glob(f"replaced-*/{NAME}")]
    found: dict[Path, int] = {}
    for one in known:
        with contextlib.suppress(OSError):
            if one.is_file() and one not in found and not (path.exists() and one.samefile(path)):
                generation = _sound_generation(one)
                if generation is not None:
                    found[one] = generation
    return sorted(found, key=lambda one: (found[one], one.stat().st_mtime_ns), reverse=True)


def _sound_generation(path: Path) -> int | None:
    import apsw

    try:
        connection = opening.connect(path, bare=True)
        try:
            if (
                connection.pragma("application_id") != APPLICATION_ID
                or migrations.version(connection) > migrations.CURRENT
            ):
                return None
            return None if check.problems(connection, agreements=False) else sql.generation(connection)
        finally:
            connection.close()
    except (apsw.Error, *walking.BAD):
        return None


def _logged(path: Path) -> list[str]:
    """Return the paths of backups that the library's log tells, and the file beside it."""
    import apsw

    told: list[str] = []
    with contextlib.suppress(OSError, UnicodeDecodeError):
        told += path.with_name(backup.KNOWN).read_text(encoding="utf-8").splitlines()
    try:
        connection = opening.connect(path, bare=True)
        try:
            told += [row["content"] for row in walking.rows(connection, "log")[0] if row["kind"] == "backup"]
        finally:
            connection.close()
    except apsw.Error:
        pass
    found = []
    for line in told:
        with contextlib.suppress(*walking.BAD):
            found.append(str(json.loads(line)["path"]))
    return found


def _check_whose(connection: object, path: Path) -> None:
    """Raise StoreError where SQLite can read the file and it is not ours to mend."""
    import apsw

    assert isinstance(connection, apsw.Connection)
    application, version = connection.pragma("application_id"), migrations.version(connection)
    if application == APPLICATION_ID and 0 < version <= migrations.CURRENT:
        return
    check.problems(connection, agreements=False)  # raises where a page is damaged: then these numbers say nothing
    tables = {name for (name,) in sql.rows(connection, "select name from sqlite_schema where type = 'table'")}
    if application != APPLICATION_ID and tables and not {"document", "tally", "chunk"} <= tables:
        raise not_ours(path)
    if application == APPLICATION_ID and version > migrations.CURRENT:
        raise newer(path, version, migrations.CURRENT)
    raise apsw.CorruptError("the first page is not a library's")


def _check_new(draft: Path) -> None:
    connection = opening.connect(draft)
    try:
        found = check.problems(connection) or contents.problems(connection)
    finally:
        connection.close()
    if found:
        raise StoreError(
            say("the library could not be repaired: {what}", "资料库未能修复：{what}", what=found[0]),
            say(
                "Nothing was changed. Restore a backup, or sync the folder into a new library.",
                "没有改动任何内容。请恢复备份，或把文件夹同步到新库。",
            ),
            code="damaged",
        )


def _remember(path: Path, kept: Path) -> None:
    """Write the damaged file into the log like a backup: it holds texts, too, and a purge has to name it."""
    backup.remember(path, backup.Backup(kept, 0, 0, 0, os.stat(kept).st_size))
