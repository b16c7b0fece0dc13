"""Make a small library in the format of the code that runs this, and what that code answers from it: the fixture of a released format.

    git worktree add /somewhere COMMIT
    PYTHONPATH=/somewhere/src python scripts/make_format_fixture.py tests/fixtures/formats/NUMBER FOLDER

FOLDER is a copy of some files of examples/help-centre (`zh/` and `en/`); its path is written into the library, so choose one that says nothing.
Only what every version of `Library` has is called here.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

QUESTIONS = [
    "年费方案每年多少元？",
    "在校生能便宜吗？",
    "电池保修多久？",
    "怎么申请退款？",
    "家庭方案最多几个人共用？",
    "How much is the annual plan?",
    "What discount do students get?",
    "How long is the warranty?",
    "How do I reset my password?",
    "What did the memo decide?",
]
MEMO = "# Memo\n\nThe memo decided that the office in Lyon opens on 3 May.\n\n# 备忘\n\n里昂的办公室五月三日开业。\n"


def answers(library: Any) -> list[dict[str, Any]]:
    """Return for each question the passages that its words find and its vectors find, and the answer."""
    found = []
    for question in QUESTIONS:
        answer = library.ask(question)
        found.append(
            {
                "question": question,
                "lexical": [[hit.source, list(hit.lines), hit.text] for hit in library.search(question, 5, "lexical")],
                "dense": [[hit.source, list(hit.lines), hit.text] for hit in library.search(question, 5, "dense")],
                "text": answer.text,
                "refused": answer.refused,
                "citations": [[one.source, list(one.lines), one.quote] for one in answer.citations],
            }
        )
    return found


def main(target: Path, folder: Path) -> None:
    """Write `library.db` and `answers.json` to the target."""
    import apsw

    from yinju import Document, Library
    from yinju.embed.hashing import HashingEmbedder

    target.mkdir(parents=True, exist_ok=True)
    place = folder / ".yinju"
    shutil.rmtree(place, ignore_errors=True)
    with Library.open(place, embedder=HashingEmbedder()) as library:
        library.sync(folder)
        library.add([Document.from_text(MEMO, source="memo.md")])
        told = {
            "answers": answers(library),
            "sources": [[one.source, one.chunks, one.embedded, one.digest] for one in library.sources()],
            "texts": {one.source: library.document(one.source).text for one in library.sources()},
        }
    connection = apsw.Connection(str(place / "library.db"))
    connection.execute("pragma wal_checkpoint(truncate)")  # early versions left all of it in the log
    connection.close()
    shutil.copyfile(place / "library.db", target / "library.db")
    text = json.dumps(told, ensure_ascii=False, indent=1)
    (target / "answers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
