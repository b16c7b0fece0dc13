"""Embedding models from a folder, on a network that looks up a row of a table for each token."""

from __future__ import annotations

import json

import numpy as np
import pytest
from onnx import TensorProto, helper

import tiny_models as tiny
from yinju.embed import OnnxEmbedder
from yinju.embed.sentence_files import recipe
from yinju.errors import ModelError
from yinju.inference.folder import read
from yinju.testing import embedder_conformance

TABLE = tiny.table().astype(np.float64)


def rows(*words):
    return TABLE[[tiny.NUMBER[word] for word in words]]


def unit(vector):
    return vector / np.linalg.norm(vector)


def fails(make, code="bad-model"):
    with pytest.raises(ModelError) as caught:
        make()
    assert caught.value.code == code
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("pooling_mode_cls_token", lambda found: found[0]),
        ("pooling_mode_mean_tokens", lambda found: found.mean(axis=0)),
        ("pooling_mode_lasttoken", lambda found: found[-1]),
    ],
)
def test_pooling_as_the_folder_says(tmp_path, mode, expected):
    embedder = OnnxEmbedder(tiny.pooled(tiny.table_embedder(tmp_path), mode))
    [given] = embedder.embed_passages(["电池 保修"])
    np.testing.assert_allclose(given, unit(expected(rows("[CLS]", "电池", "保修", "[SEP]"))), atol=1e-6)
    assert embedder.dimension == 4


def test_the_newer_form_of_the_pooling_file(tmp_path):
    folder = tiny.pooled(tiny.table_embedder(tmp_path))
    (folder / "1_Pooling/config.json").write_text('{"embedding_dimension": 4, "pooling_mode": "cls"}', encoding="utf-8")
    assert recipe(read(folder)).pooling == "cls"


def test_prefixes_of_questions_and_passages(tmp_path):
    folder = tiny.pooled(tiny.table_embedder(tmp_path), prompts={"query": "query: ", "document": "passage: "})
    embedder = OnnxEmbedder(folder)
    [question], [passage] = embedder.embed_queries(["电池"]), embedder.embed_passages(["电池"])
    np.testing.assert_allclose(question, unit(rows("[CLS]", "query", ":", "电池", "[SEP]").mean(axis=0)), atol=1e-6)
    np.testing.assert_allclose(passage, unit(rows("[CLS]", "passage", ":", "电池", "[SEP]").mean(axis=0)), atol=1e-6)


def test_own_settings_come_before_the_models(tmp_path):
    folder = tiny.pooled(tiny.table_embedder(tmp_path), prompts={"query": "query: "})
    before = OnnxEmbedder(folder).fingerprint
    (folder / "yinju.toml").write_text(
        'pooling = "last"\nquery_prefix = ""\npassage_prefix = "plan "\n', encoding="utf-8"
    )
    embedder = OnnxEmbedder(folder)
    [question] = embedder.embed_queries(["电池"])
    np.testing.assert_allclose(question, unit(rows("[SEP]")[0]), atol=1e-6)
    assert recipe(read(folder)).passage_prefix == "plan "
    assert embedder.fingerprint != before


@pytest.mark.parametrize(
    ("name", "pooling", "query", "passage"),
    [
        ("intfloat--multilingual-e5-large", "mean", "query: ", "passage: "),
        ("Xenova--multilingual-e5-base", "mean", "query: ", "passage: "),
        ("BAAI--bge-m3", "cls", "", ""),
        ("Xenova--bge-small-zh-v1.5", "cls", "为这个句子生成表示以用于检索相关文章：", ""),
        ("onnx-community--gte-multilingual-base", "cls", "", ""),
    ],
)
def test_families_whose_exports_leave_the_recipe_out(tmp_path, name, pooling, query, passage):
    found = recipe(read(tiny.table_embedder(tmp_path / name)))
    assert (found.pooling, found.query_prefix, found.passage_prefix) == (pooling, query, passage)


def test_qwen3_is_told_what_to_look_for(tmp_path):
    found = recipe(read(tiny.table_embedder(tmp_path / "onnx-community--Qwen3-Embedding-0.6B-ONNX")))
    assert found.pooling == "last"
    assert found.query_prefix.endswith("\nQuery:")
    assert found.passage_prefix == ""


def test_nothing_is_assumed_of_a_stranger(tmp_path):
    error = fails(lambda: OnnxEmbedder(tiny.table_embedder(tmp_path)))
    assert "yinju.toml" in error.hint
    (tmp_path / "yinju.toml").write_text('pooling = "max"', encoding="utf-8")
    fails(lambda: OnnxEmbedder(tmp_path))
    (tmp_path / "yinju.toml").unlink()
    fails(lambda: OnnxEmbedder(tiny.pooled(tmp_path, "pooling_mode_max_tokens")))
    fails(lambda: OnnxEmbedder(tiny.pooled(tmp_path, "none of them")))


def test_a_reranker_is_no_embedder(tmp_path):
    fails(lambda: OnnxEmbedder(tiny.pooled(tiny.overlap_reranker(tmp_path))))


def test_long_texts_are_windowed_to_their_end(tmp_path):
    """16 tokens at a time less [CLS], [SEP] and the prefix of 2: windows of at most 12, 30 tokens make 3 of 10 each."""
    folder = tiny.pooled(tiny.table_embedder(tmp_path), prompts={"document": "passage: "})
    words = ["年费"] * 10 + ["plan"] * 10 + ["电池"] * 10
    [given] = OnnxEmbedder(folder).embed_passages([" ".join(words)])
    windows = [
        unit(rows("[CLS]", "passage", ":", *[word] * 10, "[SEP]").mean(axis=0)) for word in ("年费", "plan", "电池")
    ]
    np.testing.assert_allclose(given, unit(sum(windows)), atol=1e-6)
    [without] = OnnxEmbedder(folder).embed_passages([" ".join(words[:20])])
    assert float(given @ without) < 0.9999  # the tail counts


def test_a_vector_depends_on_its_text_alone(tmp_path):
    embedder = OnnxEmbedder(tiny.pooled(tiny.table_embedder(tmp_path)))
    texts = ["电池 保修", "plan", "", " \n", "battery " * 40]
    together = embedder.embed_passages(texts)
    assert [bool(row.any()) for row in together] == [True, True, False, False, True]
    for text, row in zip(texts, together, strict=True):
        assert (embedder.embed_passages([text])[0] == row).all()


def test_an_output_that_is_one_vector_already(tmp_path):
    folder = tiny.write_common(tmp_path / "bge-m3", {"architectures": ["XLMRobertaModel"]})
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["token_embeddings"]),
        helper.make_node("ReduceMax", ["token_embeddings"], ["sentence_embedding"], axes=[1], keepdims=0),
    ]
    outputs = [
        helper.make_tensor_value_info("token_embeddings", TensorProto.FLOAT, ["rows", "tokens", 4]),
        helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, ["rows", 4]),
    ]
    tiny.save(
        folder / "onnx/model.onnx",
        nodes,
        tiny.inputs(("input_ids", "attention_mask")),
        outputs,
        {"table": tiny.table()},
    )
    [given] = OnnxEmbedder(folder).embed_passages(["电池"])
    np.testing.assert_allclose(given, unit(rows("[CLS]", "电池", "[SEP]").max(axis=0)), atol=1e-6)


def test_layers_behind_the_pooling_are_not_left_out_silently(tmp_path):
    folder = tiny.pooled(tiny.table_embedder(tmp_path))
    kinds = ["Transformer", "Pooling", "Dense"]
    (folder / "modules.json").write_text(
        json.dumps([{"type": f"sentence_transformers.models.{kind}"} for kind in kinds]), encoding="utf-8"
    )
    fails(lambda: OnnxEmbedder(folder).embed_passages(["电池"]))


def test_a_decoder_gets_an_empty_memory_and_positions(tmp_path):
    """As Qwen3-Embedding is exported: position_ids and past_key_values.* are asked for."""
    memory = [
        helper.make_tensor_value_info(f"past_key_values.0.{part}", TensorProto.FLOAT, ["rows", 2, "past", 3])
        for part in ("key", "value")
    ]
    kinds = ("input_ids", "attention_mask", "position_ids")
    folder = tiny.pooled(tiny.table_embedder(tmp_path, kinds=kinds, extra=memory), "pooling_mode_lasttoken")
    [given] = OnnxEmbedder(folder).embed_passages(["电池"])
    np.testing.assert_allclose(given, unit(rows("[SEP]")[0]), atol=1e-6)


def test_numbers_that_are_none_are_an_error(tmp_path):
    table = tiny.table()
    table[tiny.NUMBER["电池"]] = np.nan
    embedder = OnnxEmbedder(tiny.pooled(tiny.table_embedder(tmp_path, rows=table)))
    assert embedder.embed_passages(["plan"]).any()
    fails(lambda: embedder.embed_passages(["plan", "电池"]), "bad-vector")


def test_the_window_is_the_least_of_what_the_files_say(tmp_path):
    folder = tiny.table_embedder(tmp_path, config={"max_position_embeddings": 514, "model_type": "xlm-roberta"})
    assert read(folder).max_tokens(1024) == 512
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 256}', encoding="utf-8")
    assert read(folder).max_tokens(1024) == 256
    assert read(folder).max_tokens(128) == 128
    (folder / "tokenizer_config.json").write_text(
        '{"model_max_length": 1000000000000000019884624838656}', encoding="utf-8"
    )
    assert read(folder).max_tokens(1024) == 256
    (folder / "yinju.toml").write_text("max_tokens = 2048", encoding="utf-8")
    assert read(folder).max_tokens(1024) == 2048


def test_the_fingerprint_is_of_the_bytes_not_of_the_place(tmp_path):
    one, two = (tiny.pooled(tiny.table_embedder(tmp_path / place / "m")) for place in "ab")
    assert OnnxEmbedder(one).fingerprint == OnnxEmbedder(two).fingerprint
    tiny.table_embedder(two, rows=tiny.table() + 1)
    assert OnnxEmbedder(one).fingerprint != OnnxEmbedder(two).fingerprint


def test_it_conforms_but_for_the_words_that_it_does_not_know(tmp_path):
    """With a tokenizer of single characters every text has a direction of its own."""
    characters = sorted(
        {
            c
            for text in (
                "年费方案每年 168 元。电池保修六个月。一要付百十八",
                "The yearly plan costs yuan.You pay a battery is under warranty for six months E-4031no-embedgUNm()",
            )
            for c in text
            if not c.isspace()
        }
    )
    vocabulary = {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[UNK]": 3} | {c: 4 + i for i, c in enumerate(characters)}
    split = {"type": "Split", "pattern": {"Regex": r"\s*"}, "behavior": "Removed", "invert": False}
    folder = tiny.table_embedder(
        tmp_path, rows=np.random.default_rng(7).normal(size=(len(vocabulary), 64)).astype(np.float32)
    )
    words = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    tiny.write_common(tmp_path, {"max_position_embeddings": 64, "hidden_size": 64}, pre_tokenizer=split, model=words)
    embedder_conformance(lambda: OnnxEmbedder(tiny.pooled(folder), threads=1))
