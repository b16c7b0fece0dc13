"""A cross-encoder from a folder, on a network whose logits can be counted by hand."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import tiny_models as tiny
from yinju.errors import ModelError
from yinju.inference import tokens
from yinju.inference.folder import choose_onnx, data_names, read
from yinju.rerank import OnnxReranker
from yinju.testing import reranker_conformance


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def test_scores_are_the_logistic_function_of_one_logit(tmp_path):
    reranker = OnnxReranker(tiny.overlap_reranker(tmp_path))
    given = reranker.score("电池 保修", ["年费", "电池", "电池 保修 电池"])
    assert given == pytest.approx([sigmoid(-1), sigmoid(2 - 1), sigmoid(6 - 1)])
    given = reranker.score("battery warranty", ["plan", "battery", "warranty battery"])
    assert given == pytest.approx([sigmoid(-1), sigmoid(1), sigmoid(3)])


def test_batches_of_other_lengths_change_nothing(tmp_path):
    folder = tiny.overlap_reranker(tmp_path)
    (folder / "yinju.toml").write_text("batch = 2\n", encoding="utf-8")
    texts = ["电池", "年费 " * 9, "", "电池 年费 年费", " ", "battery", "电池 电池"]
    expected = [sigmoid(1), sigmoid(-1), 0, sigmoid(1), 0, sigmoid(-1), sigmoid(3)]
    assert OnnxReranker(folder).score("电池", texts) == pytest.approx(expected)
    assert OnnxReranker(folder).score("电池", ["", ""]) == [0, 0]


def test_only_the_passage_is_cut(tmp_path):
    """24 tokens: [CLS] question [SEP] passage [SEP] leaves 21; a question of 2 leaves 19 for the passage."""
    reranker = OnnxReranker(tiny.overlap_reranker(tmp_path, scale=0.1))
    [given] = reranker.score("plan battery", ["plan " * 18 + "battery battery battery"])
    assert given == pytest.approx(sigmoid(0.1 * 19 - 1))
    [given] = reranker.score("plan " * 50, ["plan " * 50])  # a question may take half: 10, and 11 are left
    assert given == pytest.approx(sigmoid(0.1 * 10 * 11 - 1))


def test_two_classes_are_one_difference(tmp_path):
    assert OnnxReranker(tiny.overlap_reranker(tmp_path, columns=2)).score("电池", ["电池"]) == pytest.approx(
        [sigmoid(1)]
    )
    with pytest.raises(ModelError) as caught:
        OnnxReranker(tiny.overlap_reranker(tmp_path / "three", columns=3)).score("电池", ["电池"])
    assert caught.value.hint


def test_marks_that_stand_in_a_text_are_text(tmp_path):
    tokenizer = tokens.load(tiny.write_common(tmp_path) / "tokenizer.json")
    assert tiny.SEP not in tokenizer.encode("电池 [SEP] 电池 [CLS]")
    assert tokenizer.encode("\ud800") == [tiny.UNK]


def test_what_stands_around_is_found_by_a_probe(tmp_path):
    tokenizer = tokens.load(tiny.write_common(tmp_path) / "tokenizer.json")
    battery, plan = tiny.NUMBER["battery"], tiny.NUMBER["plan"]
    assert tokenizer.encode("battery plan battery plan battery") == [
        battery,
        plan,
        battery,
        plan,
        battery,
    ]  # nothing cut, nothing filled up
    assert tokenizer.single.put([battery]) == ([tiny.CLS, battery, tiny.SEP], [0, 0, 0])
    assert tokenizer.pair.put([battery], [plan]) == ([tiny.CLS, battery, tiny.SEP, plan, tiny.SEP], [0, 0, 0, 1, 1])


def test_a_sentencepiece_model_of_the_xlm_roberta_family(tmp_path):
    import sentencepiece

    corpus = tmp_path / "corpus.txt"
    corpus.write_text("电池 保修 六个月 battery warranty plan year\n" * 50, encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(corpus), model_prefix=str(tmp_path / "x"), vocab_size=50, hard_vocab_limit=False, minloglevel=2,
        unk_id=0, bos_id=1, eos_id=2, pad_id=-1,
    )  # fmt: skip
    (tmp_path / "x.model").rename(tmp_path / "sentencepiece.bpe.model")
    tokenizer = tokens.load(tmp_path / "sentencepiece.bpe.model")
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "sentencepiece.bpe.model"))
    assert tokenizer.encode("电池 battery") == [piece + 1 for piece in processor.EncodeAsIds("电池 battery")]
    assert 3 in tokenizer.encode("☃")  # <unk>
    assert tokenizer.pair.put([7], [8]) == ([0, 7, 2, 2, 8, 2], [0] * 6)


def test_it_conforms(tmp_path):
    tiny.overlap_reranker(tmp_path)
    reranker_conformance(lambda: OnnxReranker(tmp_path, threads=1), understands=False)


def test_the_fingerprint_is_of_the_bytes_and_remembered(tmp_path):
    cache, folder = tmp_path / "cache", tiny.overlap_reranker(tmp_path / "BAAI--bge-reranker")
    first = OnnxReranker(folder, cache=cache).fingerprint
    assert first.startswith("onnx/BAAI/bge-reranker/")
    assert first == OnnxReranker(folder).fingerprint
    assert len(json.loads((cache / "digests.json").read_text(encoding="utf-8"))) == 2
    (cache / "digests.json").write_text("damaged", encoding="utf-8")
    assert OnnxReranker(folder, cache=cache).fingerprint == first
    tiny.overlap_reranker(folder, scale=3.0)
    assert OnnxReranker(folder, cache=cache).fingerprint != first


@pytest.mark.parametrize("name", ["tokenizer.json", "model.onnx", "config.json"])
def test_damaged_files_are_an_error_with_a_hint(tmp_path, name):
    folder = tiny.overlap_reranker(tmp_path)
    for content in (b"", b"\x00\x01", b"{}", b"[" * 100_000):
        if name == "config.json" and content == b"{}":
            continue  # nothing wrong with that
        (folder / name).write_bytes(content)
        with pytest.raises(ModelError) as caught:
            OnnxReranker(folder).score("电池", ["电池"])
        assert caught.value.hint
        assert caught.value.code == "bad-model"


def test_a_folder_that_is_no_model(tmp_path):
    for path in (tmp_path / "nothing", tmp_path):
        with pytest.raises(ModelError) as caught:
            OnnxReranker(path)
        assert caught.value.code == "no-model"
    tiny.overlap_reranker(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ModelError):
        OnnxReranker(tmp_path)
    tiny.write_common(tmp_path)
    (tmp_path / "yinju.toml").write_text('pool = "mean"', encoding="utf-8")
    with pytest.raises(ModelError, match="pool"):
        OnnxReranker(tmp_path)
    (tmp_path / "yinju.toml").write_text('file = "../model.onnx"', encoding="utf-8")
    with pytest.raises(ModelError):
        OnnxReranker(tmp_path)


def test_a_network_with_other_inputs_is_refused(tmp_path):
    tiny.table_embedder(tmp_path, kinds=("input_ids", "pixel_values"))
    with pytest.raises(ModelError, match="pixel_values"):
        OnnxReranker(tmp_path).score("电池", ["电池"])


def test_nan_is_no_score(tmp_path):
    folder = tiny.overlap_reranker(tmp_path, scale=float(np.nan))
    with pytest.raises(ModelError) as caught:
        OnnxReranker(folder).score("电池", ["电池"])
    assert caught.value.code == "bad-score"


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["model.onnx", "onnx/model_quantized.onnx", "onnx/model.onnx"], "onnx/model_quantized.onnx"),
        (["onnx/model_fp16.onnx", "onnx/model.onnx"], "onnx/model.onnx"),
        (["own.onnx"], "own.onnx"),
        (["a.onnx", "b.onnx"], None),
        (["a/b/c.onnx", "README.md"], None),
    ],
)
def test_which_file_of_a_folder_is_used(names, chosen):
    assert choose_onnx(names) == chosen


def test_data_beside_the_onnx_file_belongs_to_it(tmp_path):
    siblings = [
        "model.onnx",
        "model.onnx_data",
        "model.onnx_data_1",
        "other.onnx",
        "other.onnx_data",
        "Constant_7_attr__value",
        "LICENSE",
        "config.json",
    ]
    assert data_names("model.onnx", siblings) == ["Constant_7_attr__value", "model.onnx_data", "model.onnx_data_1"]
    folder = tiny.overlap_reranker(tmp_path)
    (folder / "model.onnx_data").write_bytes(b"1")
    first = read(folder).digest()
    (folder / "model.onnx_data").write_bytes(b"2")
    assert read(folder).digest() != first
