"""The network of multilingual-e5-small as two ONNX graphs with integer matrices, written matrix by matrix straight from the weights.

The lower half: input `words`, float32 (texts, tokens, hidden), rows of the word table, looked up outside; output MIDDLE, float32 (texts, tokens,
hidden). The upper half goes on from there to `vectors`, float32 (texts, hidden), unit length; the reading half (e5_reader) does, too.
There is no mask: all texts of one run have the same length, in practice there is one text. That is faster than padded batches (2 cores with
VNNI, texts of 400 tokens: 9,000 tokens/s against 7,700 for dynamic int8 in batches of 16), it takes little memory, and the vector of a text
does not depend on its neighbours, as it does where a batch shares the range of its activations.

How the matrices are kept was chosen by cosine with the float32 graph (84 texts, Chinese and English) and speed:

    everything int8, per channel, dynamic activations      min 0.9955  mean 0.9973   12,400 tokens/s
    the same, but the second feed-forward matrix four-bit  min 0.9988  mean 0.9992    9,000
    the same with 7-bit instead of int8     <- this one    min 0.9984  mean 0.9990    9,000
    everything four-bit (MatMulNBits)                      min 0.9999  mean 0.9999    6,400

The second feed-forward matrix sees the outliers of GELU, so it keeps the four-bit blocks of the source as they are and activations get one
scale per block of 32 (accuracy level 4). The others have 7 bits per channel: on processors without VNNI the products of two
unsigned 8-bit and signed 8-bit pairs are added with saturation, 2 * 255 * 127 > 32767, and vectors would differ between machines;
2 * 255 * 63 fits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from yinju.embed.e5_weights import BLOCK, Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUANTISATION = "7-bit channels, 4-bit feed-forward output and words"
LARGEST = 63  # of a 7-bit weight
OPERATORS = 17  # version of the standard operator set
FORMAT = 9  # ONNX intermediate representation, read by every onnxruntime since 1.16
MICROSOFT = "com.microsoft"
MIDDLE = "middle"  # what the lower half of the layers says


def build(weights: Weights, progress: Callable[[float], None] | None = None) -> tuple[bytes, bytes]:
    """Return the lower and the upper half as serialised ONNX models, about 9 MB each."""
    layers = weights.sizes.layers
    halves = []
    for lower, start, end in ((True, 0, layers // 2), (False, layers // 2, layers)):
        graph = _Graph(weights)
        state = graph.embeddings() if lower else MIDDLE
        for layer in range(start, end):
            state = graph.layer(state, layer)
            if progress is not None:
                progress((layer + 1) / layers)
        halves.append(graph.lower(state) if lower else graph.upper(state))
    return halves[0], halves[1]


def quantise(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return an (out, in) matrix as 7-bit integers of shape (in, out) and one scale for each output: symmetric, rounded to nearest."""
    import numpy as np

    scales = np.maximum(np.abs(matrix).max(axis=1) / LARGEST, np.finfo(np.float32).tiny).astype(np.float32)
    integers = np.clip(np.rint(matrix / scales[:, None]), -LARGEST, LARGEST).astype(np.int8)
    return np.ascontiguousarray(integers.T), scales


_Value = tuple[str, list[str | int]]


class _Graph:
    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.sizes = weights.sizes
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: NDArray[Any]) -> str:
        import numpy as np
        from onnx import numpy_helper

        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operator: str, inputs: list[str], outputs: str | list[str], **attributes: Any) -> str:
        from onnx import helper

        names = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names[0]

    def floats(self, name: str, *shape: int) -> str:
        return self.constant(name, self.weights.floats(name, *shape))

    def embeddings(self) -> str:
        import numpy as np

        hidden = self.sizes.hidden
        # Token types are one row, added to the positions.
        places = (
            self.weights.floats("emb.pos", self.sizes.positions, hidden) + self.weights.floats("emb.type", 2, hidden)[0]
        )
        self.constant("places", places)
        self.constant("zero", np.array([0], np.int64))
        self.constant("one", np.array([1], np.int64))
        self.node("Shape", ["words"], "shape")
        self.node("Gather", ["shape", "one"], "tokens")
        self.node("Slice", ["places", "zero", "tokens", "zero"], "used places")
        self.node("Add", ["words", "used places"], "sum")
        norm = [self.floats("emb.ln.w", hidden), self.floats("emb.ln.b", hidden)]
        return self.node("LayerNormalization", ["sum", *norm], "layer 0", epsilon=self.sizes.epsilon, axis=-1)

    def layer(self, state: str, number: int) -> str:
        hidden, feed = self.sizes.hidden, self.sizes.feed
        name = f"l{number}."
        attended = self.attention(state, name)
        mixed = self.channels(attended, name + "ao.w", hidden, hidden)
        middle = self.add_and_norm(mixed, state, name + "ao.b", name + "aln")
        wide = self.channels(middle, name + "fi.w", feed, hidden)
        gelu = self.node("BiasGelu", [wide, self.floats(name + "fi.b", feed)], name + "gelu", domain=MICROSOFT)
        narrow = self.four_bit(gelu, name + "fo.w", hidden, feed)
        return self.add_and_norm(narrow, middle, name + "fo.b", name + "oln")

    def attention(self, state: str, name: str) -> str:
        import numpy as np

        hidden = self.sizes.hidden
        parts = [self.weights.matrix(f"{name}{part}.w", hidden, hidden) for part in "qkv"]
        integers, scales = quantise(np.concatenate(parts))
        bias = np.concatenate([self.weights.floats(f"{name}{part}.b", hidden) for part in "qkv"])
        numbers, scale, zero = name + "x", name + "x scale", name + "x zero"
        self.node("DynamicQuantizeLinear", [state], [numbers, scale, zero])
        inputs = [
            numbers,
            self.constant(name + "qkv", integers),
            self.constant(name + "qkv.b", bias),
            scale,
            self.constant(name + "qkv scale", scales),
            "",
            zero,
            self.constant(name + "qkv zero", np.zeros(3 * hidden, np.int8)),
        ]
        return self.node("QAttention", inputs, name + "attended", domain=MICROSOFT, num_heads=self.sizes.heads)

    def channels(self, state: str, name: str, rows: int, columns: int) -> str:
        integers, scales = quantise(self.weights.matrix(name, rows, columns))
        inputs = [state, self.constant(name, integers), self.constant(name + " scale", scales)]
        return self.node("DynamicQuantizeMatMul", inputs, name + " product", domain=MICROSOFT)

    def four_bit(self, state: str, name: str, rows: int, columns: int) -> str:
        numbers, scales = self.weights.blocks(name, rows, columns)
        packed = numbers[..., 0::2] | (numbers[..., 1::2] << 4)
        inputs = [state, self.constant(name, packed), self.constant(name + " scale", scales)]
        return self.node(
            "MatMulNBits",
            inputs,
            name + " product",
            domain=MICROSOFT,
            K=columns,
            N=rows,
            bits=4,
            block_size=BLOCK,
            accuracy_level=4,
        )

    def add_and_norm(self, state: str, before: str, bias: str, norm: str) -> str:
        hidden = self.sizes.hidden
        inputs = [
            state,
            before,
            self.floats(norm + ".w", hidden),
            self.floats(norm + ".b", hidden),
            self.floats(bias, hidden),
        ]
        return self.node("SkipLayerNormalization", inputs, norm + " out", domain=MICROSOFT, epsilon=self.sizes.epsilon)

    def lower(self, state: str) -> bytes:
        self.node("Identity", [state], MIDDLE)
        return self.finish(("words", self.states), (MIDDLE, self.states))

    def upper(self, state: str) -> bytes:
        self.node("ReduceMean", [state], "mean", axes=[1], keepdims=0)
        self.node("LpNormalization", ["mean"], "vectors", axis=-1, p=2)
        return self.finish((MIDDLE, self.states), ("vectors", ["texts", self.sizes.hidden]))

    @property
    def states(self) -> list[str | int]:
        """The shape of what each token's state is."""
        return ["texts", "tokens", self.sizes.hidden]

    def finish(self, given: _Value, *made: _Value) -> bytes:
        """Return the graph as a model; values are given by their name and shape."""
        from onnx import TensorProto, helper

        inputs, outputs = (
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in values]
            for values in ([given], made)
        )
        graph = helper.make_graph(self.nodes, "multilingual-e5-small", inputs, outputs, self.constants)
        operators = [helper.make_opsetid("", OPERATORS), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=operators, ir_version=FORMAT, producer_name="yinju")
        return bytes(model.SerializeToString())
