"""Hold the truth against itself: pages, tables, word index and totals have to agree. Each finding is one line for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yinju.messages import say
from yinju.store import migrations, sql

if TYPE_CHECKING:
    import apsw

# what must hold -> a query for the number of rows that break it
AGREEMENTS = {
    "a passage without its text": "select count(*) from chunk where id not in (select id from passage)",
    "text of a passage that is gone": "select count(*) from passage where id not in (select id from chunk)",
    "a passage without its terms": "select count(*) from chunk where id not in (select id from kept)",
    "terms of a passage that is gone": "select count(*) from kept where id not in (select id from chunk)",
    "a passage of a document that is gone": "select count(*) from chunk where document not in (select id from document)",
    "a document without its text": "select count(*) from document where id not in (select document from body)",
    "a vector of a text that is gone": "select count(*) from vector where text_hash not in (select text_hash from chunk)"
    " and text_hash not in (select text_hash from former_text)",
    "a former document of a step that is gone": "select count(*) from former where step not in (select number from step)",
    "a former text of a document that is gone": "select count(*) from former_text where former not in (select id from former)",
    "a passage that the word index does not hold": "select count(*) from chunk where id not in (select rowid from words)",
    "a word entry of a passage that is gone": "select count(*) from words where rowid not in (select id from chunk)",
    "a passage that the bigram index does not hold": "select count(*) from chunk where id not in (select rowid from bigrams)",
    "a bigram entry of a passage that is gone": "select count(*) from bigrams where rowid not in (select id from chunk)",
    "a wrong total of documents": "select abs((select number from tally where name = 'documents') - (select count(*) from document))",
    "a wrong total of passages": "select abs((select number from tally where name = 'passages') - (select count(*) from chunk))",
    "a wrong total of words": "select abs((select number from tally where name = 'words') - (select total(word_length) from kept))",
    "a wrong total of bigrams": "select abs((select number from tally where name = 'bigrams') - (select total(bigram_length) from kept))",
    "text of a document that is gone": "select count(*) from body where document not in (select id from document)",
    "word boxes of a document that is gone": "select count(*) from boxes where document not in (select id from document)",
}


def problems(connection: apsw.Connection, *, agreements: bool = True) -> list[str]:
    """Return what is wrong with the file, nothing where all is well. Reads every page (and so its checksum), and all tables for `agreements`."""
    found = [
        say("The file is damaged: {what}", "文件已损坏：{what}", what=line)
        for (line,) in sql.rows(connection, "pragma integrity_check(20)")
        if line != "ok"
    ]
    return found or ([*disagreements(connection).values()] if agreements else [])


def disagreements(connection: apsw.Connection) -> dict[str, str]:
    """Return by agreement which ones do not hold, each with a line for people. A file of an earlier format need not have all tables."""
    import apsw

    found = {}
    for what, query in AGREEMENTS.items():
        try:
            count = int(sql.cell(connection, query) or 0)
        except apsw.SQLError:
            if migrations.version(connection) < migrations.CURRENT:
                continue
            raise
        if count:
            found[what] = say(
                "Tables disagree: {what} ({n} times)", "表之间不一致：{what}（{n} 处）", what=what, n=count
            )
    return found
