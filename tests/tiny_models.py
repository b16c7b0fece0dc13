"""Tiny models that tests build themselves: a tokenizer of a few words, and ONNX graphs whose numbers can be worked out by hand."""

from __future__ import annotations

import json

import numpy as np
from onnx import TensorProto, helper, numpy_helper

WORDS = [
    "[PAD]",
    "[CLS]",
    "[SEP]",
    "[UNK]",
    "电池",
    "保修",
    "年费",
    "battery",
    "warranty",
    "plan",
    "query",
    "passage",
    ":",
]
PAD, CLS, SEP, UNK = range(4)
NUMBER = {word: number for number, word in enumerate(WORDS)}


def tokenizer(*, pair=True, **changes):
    """As a BERT tokenizer is written: split at white space and at punctuation, Chinese words given with spaces in tests."""
    special = [
        {
            "id": i,
            "content": WORDS[i],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for i in range(4)
    ]

    def one(name, kind):
        return {"Sequence": {"id": name, "type_id": kind}}

    def mark(name, kind):
        return {"SpecialToken": {"id": name, "type_id": kind}}

    single = [mark("[CLS]", 0), one("A", 0), mark("[SEP]", 0)]
    return {
        "version": "1.0", "truncation": {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None,
            "pad_id": PAD, "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": special, "normalizer": None, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing", "single": single, "pair": [*single, one("B", 1), mark("[SEP]", 1)],
            "special_tokens": {name: {"id": name, "ids": [NUMBER[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")},
        },
        "decoder": None, "model": {"type": "WordLevel", "vocab": NUMBER, "unk_token": "[UNK]"}, **changes,
    }  # fmt: skip


def inputs(kinds=("input_ids", "attention_mask", "token_type_ids"), number=TensorProto.INT64):
    return [helper.make_tensor_value_info(name, number, ["rows", "tokens"]) for name in kinds]


def save(path, nodes, given, outputs, constants):
    graph = helper.make_graph(
        nodes, "tiny", given, outputs, [numpy_helper.from_array(value, name) for name, value in constants.items()]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString())


def write_common(folder, config=None, **changes):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer(**changes), ensure_ascii=False), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(config or {}), encoding="utf-8")
    return folder


def overlap_reranker(folder, *, columns=1, file="model.onnx", scale=2.0):
    """logit = scale x (how often a token of the question, type 0, is a token of the passage, type 1; without marks) - 1.

    Of `columns` 2 the first is 0 and the second this logit. Tokens that the mask hides count for nothing.
    """
    write_common(folder, {"architectures": ["BertForSequenceClassification"], "max_position_embeddings": 24})
    words = np.array([0, 0, 0, 0, *[1] * (len(WORDS) - 4)], np.float32)
    constants = {
        "is word": words, "one": np.array(1, np.float32), "scale": np.array(scale, np.float32),
        "last": np.array([2], np.int64), "middle": np.array([1], np.int64), "axes": np.array([1, 2], np.int64), "column": np.array([1], np.int64),
    }  # fmt: skip
    node = helper.make_node
    nodes = [
        node("Gather", ["is word", "input_ids"], ["words"]),
        node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        node("Mul", ["words", "mask"], ["seen"]),
        node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        node("Mul", ["seen", "types"], ["second"]),
        node("Sub", ["seen", "second"], ["first"]),
        node("Unsqueeze", ["input_ids", "last"], ["down"]),
        node("Unsqueeze", ["input_ids", "middle"], ["across"]),
        node("Equal", ["down", "across"], ["same"]),
        node("Cast", ["same"], ["equal"], to=TensorProto.FLOAT),
        node("Unsqueeze", ["first", "last"], ["of first"]),
        node("Unsqueeze", ["second", "middle"], ["of second"]),
        node("Mul", ["equal", "of first"], ["part"]),
        node("Mul", ["part", "of second"], ["matches"]),
        node("ReduceSum", ["matches", "axes"], ["count"], keepdims=0),
        node("Mul", ["count", "scale"], ["scaled"]),
        node("Sub", ["scaled", "one"], ["flat"]),
        node("Unsqueeze", ["flat", "column"], ["logit"]),
    ]
    if columns == 1:
        nodes.append(node("Identity", ["logit"], ["logits"]))
    else:
        nodes += [
            node("Sub", ["logit", "logit"], ["nothing"]),
            node("Concat", ["nothing", *["logit"] * (columns - 1)], ["logits"], axis=1),
        ]
    save(
        folder / file,
        nodes,
        inputs(),
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", columns])],
        constants,
    )
    return folder


def table(dimension=4):
    """The vector of each token: [1, number, number squared, ...] of small size, all different."""
    numbers = np.arange(len(WORDS), dtype=np.float32)[:, None] / len(WORDS)
    return np.concatenate([numbers**power for power in range(dimension)], axis=1).astype(np.float32)


def table_embedder(
    folder,
    *,
    file="model.onnx",
    output="last_hidden_state",
    kinds=("input_ids", "attention_mask"),
    rows=None,
    extra=(),
    config=None,
):
    """last_hidden_state = a row of `table` for each token."""
    write_common(folder, config or {"architectures": ["BertModel"], "hidden_size": 4, "max_position_embeddings": 16})
    constants = {"table": table() if rows is None else rows}
    nodes = [helper.make_node("Gather", ["table", "input_ids"], [output])]
    shape = ["rows", "tokens", constants["table"].shape[1]]
    save(
        folder / file,
        nodes,
        [*inputs(kinds), *extra],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        constants,
    )
    return folder


def pooled(folder, mode="pooling_mode_mean_tokens", prompts=None):
    """Write the files of sentence-transformers beside a model."""
    (folder / "1_Pooling").mkdir(exist_ok=True)
    modes = {
        name: name == mode
        for name in (
            "pooling_mode_cls_token",
            "pooling_mode_mean_tokens",
            "pooling_mode_lasttoken",
            "pooling_mode_max_tokens",
        )
    }
    (folder / "1_Pooling/config.json").write_text(
        json.dumps({"word_embedding_dimension": 4, **modes}), encoding="utf-8"
    )
    if prompts is not None:
        (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}), encoding="utf-8")
    return folder
