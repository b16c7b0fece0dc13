# ruff: noqa: E501 (samples stand in one line each)
"""Each language: what is a definition, its path, and what above it belongs to it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yinju.load import load
from yinju.load.code.definitions import NotParsed, definitions
from yinju.load.code.languages import GRAMMARS

SAMPLES: dict[str, tuple[str, list[str]]] = {
    "a.java": (
        "package com.shop;\n\n/** 订单 */\n@Entity\npublic class Order<T> extends Base {\n  Order(int id) { }\n  @Override\n  public int total() { return 1; }\n"
        "  interface Visitor { void visit(); }\n}\nrecord Point(int x) { }\nenum Color { RED; void paint() {} }\n",
        ["com.shop.Order", "com.shop.Order.Order", "com.shop.Order.total", "com.shop.Order.Visitor", "com.shop.Order.Visitor.visit",
         "com.shop.Point", "com.shop.Color", "com.shop.Color.paint"],
    ),
    "a.kt": (
        "package com.shop\n\n// 订单\nclass Order(val id: Int) : Base() {\n  companion object {\n    fun of(): Order = Order(1)\n  }\n  fun total(): Int = 1\n}\n"
        "object Shop {\n  fun open() {}\n}\nfun String.shout() {}\ntypealias Id = Int\n",
        ["com.shop.Order", "com.shop.Order.Companion", "com.shop.Order.Companion.of", "com.shop.Order.total", "com.shop.Shop",
         "com.shop.Shop.open", "com.shop.shout", "com.shop.Id"],
    ),
    "a.go": (
        "package store\n\n// Open 打开。\nfunc (s *Store) Open(name string) error { return nil }\nfunc (s List[T]) Len() int { return 0 }\n\n// Store 仓库。\ntype Store struct { a int }\nfunc main() {}\n",
        ["Store.Open", "List.Len", "Store", "main"],
    ),
    "a.rs": (
        "/// 仓库\n#[derive(Debug)]\npub struct Store<T> { a: T }\nimpl<T> Store<T> {\n    /// 打开\n    pub fn open(&self) {}\n}\nimpl fmt::Display for Store<u8> { fn fmt(&self) {} }\n"
        "trait Shelf { fn put(&self); }\nmod inner { fn hidden() {} }\nmacro_rules! shout { () => {} }\n",
        ["Store", "Store", "Store.open", "Store", "Store.fmt", "Shelf", "Shelf.put", "inner", "inner.hidden", "shout"],
    ),
    "a.c": (
        "#ifndef A\n#define A\n/* 求和 */\nstatic int sum(int a, int b) { return a + b; }\nchar *name(void);\nstruct point { int x; };\ntypedef struct { int y; } place;\nvoid (*pick(int a))(int) { return 0; }\n#endif\n",
        ["sum", "name", "point", "place", "pick"],
    ),
    "a.cpp": (
        "namespace shop::core {\n// 订单\nclass Order : public Base {\npublic:\n  Order();\n  ~Order() {}\n  bool operator==(const Order& o) const { return true; }\n  template <class T> T get(T x) { return x; }\n};\n}\n"
        "int shop::core::Order::total(int x) { return 1; }\ntemplate <typename T>\nvoid swap(T& a, T& b) {}\n",
        ["shop.core.Order", "shop.core.Order.Order", "shop.core.Order.~Order", "shop.core.Order.operator==", "shop.core.Order.get",
         "shop.core.Order.total", "swap"],
    ),
    "a.cs": (
        "namespace Shop.Core {\n/// <summary>订单</summary>\n[Serializable]\npublic class Order {\n  public int Id { get; set; }\n  public Order() {}\n  public int Total() => 1;\n  public static Order operator +(Order a, Order b) { return a; }\n}\n}\n",
        ["Shop.Core.Order", "Shop.Core.Order.Id", "Shop.Core.Order.Order", "Shop.Core.Order.Total", "Shop.Core.Order.operator+"],
    ),
    "b.cs": ("namespace Shop;\nclass Order { void Total() {} }\n", ["Shop.Order", "Shop.Order.Total"]),
    "a.php": (
        "<?php\nnamespace Shop\\Core;\n/** 订单 */\n#[Attr]\nfinal class Order extends Base {\n  public function total(int $a) { }\n}\ntrait Loud { function shout() {} }\nfunction helper() { }\n",
        ["Shop.Core.Order", "Shop.Core.Order.total", "Shop.Core.Loud", "Shop.Core.Loud.shout", "Shop.Core.helper"],
    ),
    "a.rb": (
        "module Shop\n  # 订单\n  class Order < Base\n    def total\n    end\n    def self.open; end\n  end\nend\nclass Shop::Item\n  def price?; end\nend\n",
        ["Shop", "Shop.Order", "Shop.Order.total", "Shop.Order.open", "Shop.Item", "Shop.Item.price?"],
    ),
    "a.lua": (
        "-- 打开\nlocal function open() end\nfunction Store:put() end\nStore.get = function() end\nlocal close = function() end\n",
        ["open", "Store.put", "Store.get", "close"],
    ),
    "a.scala": (
        "package com.shop\n/** 订单 */\ncase class Order(id: Int) extends Base {\n  def total: Int = 1\n}\nobject Order { def of(id: Int) = Order(id) }\ntrait Loud { def shout: Unit }\n",
        ["com.shop.Order", "com.shop.Order.total", "com.shop.Order", "com.shop.Order.of", "com.shop.Loud", "com.shop.Loud.shout"],
    ),
    "a.swift": (
        "/// 订单\n@objc public class Order: Base {\n  init(id: Int) {}\n  func total() -> Int { 1 }\n  var size: Int { 1 }\n}\nextension Order { func more() {} }\nprotocol Loud { func shout() }\n",
        ["Order", "Order.init", "Order.total", "Order.size", "Order", "Order.more", "Loud", "Loud.shout"],
    ),
    "a.sh": ("# 打开\nopen_shop() { echo 1; }\nfunction close_shop { echo 2; }\n", ["open_shop", "close_shop"]),
    "a.ts": (
        "/** 订单 */\n@Entity()\nexport abstract class Order<T> {\n  private cache = () => 1;\n  @Input() async total(a: number): Promise<void> {}\n  abstract more(): void;\n}\n"
        "interface Shelf { put(): void }\ntype Id = string;\nenum Color { Red }\nnamespace Shop.Core { export function open() {} }\nexport const sum = async (x) => 1;\n",
        ["Order", "Order.cache", "Order.total", "Order.more", "Shelf", "Shelf.put", "Id", "Color", "Shop.Core.open", "sum"],
    ),
    "a.tsx": ("export const Page = () => <div>你好</div>;\nfunction Row() { return <a/>; }\n", ["Page", "Row"]),
    "a.jsx": ("export default function Page() { return <div>你好</div>; }\n", ["Page"]),
    "store.py": ("class Store:\n    def open(self): ...\n", ["store.Store", "store.Store.open"]),
    "shop/__init__.py": ("def open(): ...\n", ["shop.open"]),
    "my-script.py": ("def open(): ...\n", ["open"]),
    "a.vue": ("<template><p>你好</p></template>\n<script lang=\"ts\">\nfunction open(a: number) {}\n</script>\n", ["open"]),
    "a.h": ("class Order { void total(); };\n", ["Order", "Order.total"]),
}  # fmt: skip
TYPES = {"java": "java", "kt": "kotlin", "go": "go", "rs": "rust", "c": "c", "cpp": "cpp", "cs": "csharp", "php": "php", "rb": "ruby",
         "lua": "lua", "scala": "scala", "swift": "swift", "sh": "shell", "ts": "typescript", "tsx": "typescript", "jsx": "javascript",
         "py": "python", "vue": "code", "h": "c"}  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_paths(name: str) -> None:
    text, expected = SAMPLES[name]
    document = load(text.encode(), name).document
    assert [mark.label for mark in document.marks] == expected
    assert document.text == text
    assert (document.type, document.preset) == (TYPES[name.rpartition(".")[2]], "code")


@pytest.mark.parametrize(
    "name", [name for name in SAMPLES if "订单 */" in SAMPLES[name][0] or "// 订单" in SAMPLES[name][0]]
)
def test_comments_and_attributes_above_belong_to_it(name: str) -> None:
    document = load(SAMPLES[name][0].encode(), name).document
    order = next(mark for mark in document.marks if mark.label.endswith("Order"))
    assert "订单" in order.span.of(document.text).split("\n")[0]


def test_doc_comment_of_go_rust_and_c() -> None:
    for name, label, first in (
        ("a.go", "Store.Open", "// Open 打开。"),
        ("a.rs", "Store", "/// 仓库"),
        ("a.c", "sum", "/* 求和 */"),
        ("a.rb", "Shop.Order", "  # 订单"),
    ):
        document = load(SAMPLES[name][0].encode(), name).document
        mark = next(mark for mark in document.marks if mark.label == label)
        assert mark.span.of(document.text).split("\n")[0] == first
    template = load(SAMPLES["a.cpp"][0].encode(), "a.cpp").document
    assert template.marks[-1].span.of(template.text).startswith("template <typename T>\nvoid swap")


def test_a_file_that_does_not_parse_is_kept_whole() -> None:
    for name in SAMPLES:
        text = "}}} 这不是代码 (((\n" + SAMPLES[name][0][:-20]
        assert load(text.encode(), name).document.text == text


def test_too_broken_or_too_slow_for_a_grammar_is_plain_text_with_a_warning() -> None:
    loaded = load(b"(" * 60_000, "a.js")
    assert loaded.receipt.warnings == ("code-not-parsed: too broken",)
    assert loaded.document.marks == ()
    with pytest.raises(NotParsed):
        definitions("(" * 60_000, "c")


@pytest.mark.slow
def test_five_megabytes_in_one_line() -> None:
    source = "function a(b,c){var d=b.x;return d?c(d):function(){e(b)}};" * 88_000
    began = time.monotonic()
    loaded = load(source.encode(), "a.min.js")
    assert time.monotonic() - began < 30
    assert len(loaded.document.marks) == 20_000


def test_many_neighbours_are_not_quadratic() -> None:
    text = "# 一\ndef f(): pass\n" * 5_000
    marks = definitions(text, "python")
    assert len(marks) == 5_000
    assert marks[-1].span.of(text) == "# 一\ndef f(): pass"


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(GRAMMARS)),
    st.lists(
        st.sampled_from(["class A {", "}", "def f", "fn g()", "func h() {", "(", ")", "::", "/*", "*/", "\"", "'", "甲", "\n", ";", "struct", "= function", "😀"]),
        max_size=30,
    ),
)  # fmt: skip
def test_spans_lie_in_any_text(language: str, parts: list[str]) -> None:
    text = " ".join(parts)
    for mark in definitions(text, language):
        assert 0 <= mark.span.start < mark.span.end <= len(text)
        assert mark.label
