# ruff: noqa: E501 (samples stand in one line each)
from __future__ import annotations

import sqlite3
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.errors import DocumentError
from yinju.load import Loaded, load
from yinju.load.parsed import Limits
from yinju.load.plain.sql_pieces import pieces


def read(text: str) -> Loaded:
    return load(text.encode(), "a.sql")


def rows(loaded: Loaded) -> list[tuple[int | None, str]]:
    document = loaded.document
    return [(document.line_at(m.span.start), m.span.of(document.text)) for m in document.marks if m.kind == "row"]


def headers(loaded: Loaded) -> list[str]:
    return [m.span.of(loaded.document.text) for m in loaded.document.marks if m.kind == "header"]


MYSQL = """-- MySQL dump 10.13
DROP TABLE IF EXISTS `users`;
CREATE TABLE `users` (
  `id` int(11) NOT NULL, -- the key, first
  `name` varchar(50) DEFAULT 'a,b(',
  `photo` blob COMMENT '照片, (原图)',
  `note` text,
  PRIMARY KEY (`id`), KEY `k` (`name`,`note`)
) ENGINE=InnoDB;
LOCK TABLES `users` WRITE;
INSERT INTO `users` VALUES (1,'张三\\'s \\"x\\"',0x00112233445566778899AABBCCDDEEFF0011,'a;b\\nc'),(2,'李四',NULL,'(x),y'),
(3,'it''s',_binary 'abc',-1.5e-3);
INSERT INTO `users` VALUES (4,'王五',NULL,'');
UNLOCK TABLES;
"""


def test_mysql() -> None:
    loaded = read(MYSQL)
    assert headers(loaded) == ["users\nid\tname\tphoto\tnote"]
    assert rows(loaded) == [
        (11, '1\t张三\'s "x"\t\ta;b c'),
        (11, "2\t李四\tNULL\t(x),y"),
        (12, "3\tit's\t\t-1.5e-3"),
        (13, "4\t王五\tNULL\t"),
    ]
    document = loaded.document
    assert (document.type, document.preset) == ("sql", "table")
    assert "`photo` blob COMMENT '照片, (原图)'" in document.text
    assert [m.label for m in document.marks if m.kind == "definition"] == ["users"]
    assert document.line_at(document.text.index("UNLOCK")) == 14
    assert loaded.receipt.warnings == ("binary-values: 2",)
    assert (loaded.receipt.tables, loaded.receipt.tables_without_header) == (1, 0)


def test_postgresql() -> None:
    loaded = read(
        "CREATE TABLE public.orders (\n    id integer,\n    title character varying(20),\n    data bytea\n);\n\n"
        "COPY public.orders (id, title, data) FROM stdin;\n1\t合同\\ta\t\\N\n2\tC:\\\\x\t\\\\x00112233445566778899aabbccddeeff0011\n\\.\n\n"
        "SELECT pg_catalog.setval('x', 1);\n"
        "INSERT INTO public.orders VALUES (3, 'C:\\', E'a\\'b', now(), '2020'::date) ON CONFLICT DO NOTHING;\n"
        "CREATE FUNCTION f() RETURNS trigger AS $$ BEGIN INSERT INTO log VALUES (NEW.id); END; $$ LANGUAGE plpgsql;\n"
    )
    assert headers(loaded) == ["orders\nid\ttitle\tdata", "orders\nid\ttitle\tdata"]
    assert rows(loaded) == [(8, "1\t合同 a\tNULL"), (9, "2\tC:\\x\t"), (13, "3\tC:\\\ta'b\tnow()\t2020")]
    assert "VALUES (NEW.id)" in loaded.document.text
    assert "ON CONFLICT DO NOTHING" in loaded.document.text


def test_sql_server() -> None:
    loaded = read(
        "USE [db]\nGO\nCREATE TABLE [dbo].[T]([Id] [int] NOT NULL, [Name] [nvarchar](50) NULL,\n CONSTRAINT [PK] PRIMARY KEY ([Id] ASC))\nGO\n"
        "INSERT [dbo].[T] ([Id], [Name], [At]) VALUES (1, N'中文，''好''', CAST(N'2020-01-01' AS DateTime))\nGO\n"
        "INSERT [dbo].[T] ([Id], [Name], [At]) VALUES (2, N'二', CAST(12.5 AS Decimal(10, 2)))\nGO\n"
    )
    assert headers(loaded) == ["T\nId\tName\tAt"]
    assert rows(loaded) == [(6, "1\t中文，'好'\t2020-01-01"), (8, "2\t二\t12.5")]


def test_a_dump_of_sqlite_says_what_the_database_holds() -> None:
    values = [(1, "换\n行", 1.5, None), (2, "it's; (a)", -3, b"\x00\x01"), (3, "C:\\dir\\", 0, None)]
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE 商品(编号 INTEGER PRIMARY KEY, 名称 TEXT, price REAL, photo BLOB)")
    base.executemany("INSERT INTO 商品 VALUES (?,?,?,?)", values)
    loaded = read("\n".join(base.iterdump()))
    assert headers(loaded) == ["商品\n编号\t名称\tprice\tphoto"]
    assert [row for _, row in rows(loaded)] == [
        "1\t换 行\t1.5\tNULL",
        "2\tit's; (a)\t-3.0\t",
        "3\tC:\\dir\\\t0.0\tNULL",
    ]
    base.close()


def test_queries_are_code() -> None:
    text = "-- 查询\nSELECT * FROM t WHERE a = 'x;y';\nCREATE VIEW v AS SELECT 1;\nINSERT INTO a SELECT * FROM b;\nINSERT INTO log VALUES (v_id, :name);\n"
    loaded = read(text)
    assert loaded.document.text == text
    assert loaded.document.preset == "code"
    assert [m.label for m in loaded.document.marks] == ["v"]


def test_too_many_values_are_a_limit() -> None:
    with pytest.raises(DocumentError) as caught:
        load(MYSQL.encode(), "a.sql", limits=Limits(cells=10))
    assert caught.value.code == "limit"


@pytest.mark.parametrize(
    "text",
    ["INSERT INTO t VALUES ('" + "a''" * 50_000, "INSERT INTO t VALUES (" + "1," * 50_000, "/*" * 50_000, "'" * 50_001,
     "INSERT INTO t VALUES (" + "f(" * 50_000, "INSERT INTO t (" + "a," * 50_000 + " VALUES (1)", "INSERT" + " " * 50_000 + "x",
     "CREATE " + "TEMP " * 50_000, "[" * 50_000],
)  # fmt: skip
def test_hostile_text_costs_one_pass(text: str) -> None:
    began = time.monotonic()
    read(text)
    assert time.monotonic() - began < 2


PARTS = ["INSERT INTO t VALUES ", "INSERT t (a, b) VALUES ", "(1, 'x')", "(2, NULL)", "('甲''乙')", ",", ";", "\n", "COPY t FROM stdin;\n", "1\t\\N\n", "\\.\n",
         "CREATE TABLE t (a int, b text)", "-- c\n", "/* 注", "*/", "$$", "'", '"', "`", "GO\n", "(", ")", "0x00", "X'00'", "E'\\'", "\u202e"]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=25))
def test_pieces_cover_the_text_and_the_receipt_balances(parts: list[str]) -> None:
    text = "".join(parts)
    place = 0
    for piece in pieces(text):
        assert piece.start == place
        place = piece.end
    assert place == len(text)
    try:
        read(text)
    except DocumentError as error:
        if error.code not in ("empty", "no-text"):
            raise
