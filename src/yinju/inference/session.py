"""An ONNX network of a transformer, fed by what it asks for: tokens, mask, token types, positions, and empty memories of decoders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yinju.errors import ModelError
from yinju.messages import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TYPES = {"tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(float)": "float32", "tensor(float16)": "float16"}
_MEMORY = "past_key_values."


class Network:
    """One loaded network. Raises ModelError where it cannot be loaded or wants what is not known."""

    def __init__(self, path: Path, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        options.enable_cpu_mem_arena = False  # it would keep the largest text's memory for good
        options.enable_mem_pattern = False  # one pattern for each length is kept otherwise
        # Threads that spin while they wait make a question ten times slower as soon as others want the processors too.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._path = path
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except failures() as error:
            raise self._failed(error) from error
        self._inputs = self._session.get_inputs()
        for one in self._inputs:
            known = one.name in {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
            if not (known or one.name.startswith(_MEMORY)) or one.type not in _TYPES:
                raise foreign(say("its input {name} is not known", "其输入 {name} 未知", name=one.name))
        self.outputs: dict[str, list[Any]] = {one.name: list(one.shape) for one in self._session.get_outputs()}

    def run(self, rows: Sequence[tuple[Sequence[int], Sequence[int]]], output: str, pad: int) -> NDArray[np.float32]:
        """Return this output for rows of (tokens, token types), filled up behind to one length: float32, first axis the rows."""
        import numpy as np

        length = max(len(tokens) for tokens, _types in rows)
        tokens = np.full((len(rows), length), pad, np.int64)
        types, mask = np.zeros_like(tokens), np.zeros_like(tokens)
        for number, (given, kinds) in enumerate(rows):
            tokens[number, : len(given)] = given
            types[number, : len(given)] = kinds
            mask[number, : len(given)] = 1
        positions = np.broadcast_to(np.arange(length, dtype=np.int64), tokens.shape)
        values = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": types, "position_ids": positions}
        feed = {
            one.name: self._memory(one, len(rows))
            if one.name.startswith(_MEMORY)
            else values[one.name].astype(_TYPES[one.type])
            for one in self._inputs
        }
        try:
            found: Any = self._session.run([output], feed)[0]
        except failures() as error:
            raise self._failed(error) from error
        return np.asarray(found, np.float32)

    def _memory(self, one: Any, rows: int) -> NDArray[Any]:
        """Return an empty memory of a decoder, shape (rows, heads, 0, size)."""
        import numpy as np

        if len(one.shape) != 4 or not all(type(one.shape[axis]) is int for axis in (1, 3)):
            raise foreign(say("its input {name} is not known", "其输入 {name} 未知", name=one.name))
        return np.zeros((rows, one.shape[1], 0, one.shape[3]), _TYPES[one.type])

    def _failed(self, error: BaseException) -> ModelError:
        why = " ".join(str(error).split())[:200]
        return ModelError(
            say("The model {path} does not run: {why}", "模型 {path} 无法运行：{why}", path=self._path, why=why),
            say("Fetch the model again, or choose another file of it.", "请重新获取模型，或换用其他模型文件。"),
            code="bad-model",
        )


def failures() -> tuple[type[BaseException], ...]:
    """Return what onnxruntime raises; its classes have no base of their own."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    found = [one for one in vars(state).values() if isinstance(one, type) and issubclass(one, Exception)]
    return (*found, RuntimeError, ValueError)


def foreign(why: str) -> ModelError:
    """Return the error for a network that is not what it is used for."""
    return ModelError(
        say("This ONNX file is of another kind: {why}.", "该 ONNX 文件不是所需的类型：{why}。", why=why),
        say(
            "Use the export of an encoder for text (input_ids, attention_mask).",
            "请使用文本编码器的导出文件（input_ids、attention_mask）。",
        ),
        code="bad-model",
    )
