"""Whether pictures can be read here: the extra is installed with its models, and nobody switched it off.

Nothing is imported to find out, and nothing is ever fetched: a wheel without its models counts as not installed.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from yinju.messages import say

SWITCH = "YINJU_OCR"  # environment: `off` (also 0, no, false) switches OCR off
DETECTION, DIRECTION, RECOGNITION = (
    "PP-OCRv6_det_small.onnx",
    "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
    "PP-OCRv6_rec_small.onnx",
)


def is_available() -> bool:
    """Tell whether text in pictures can be read."""
    return not is_switched_off() and models() is not None


def is_switched_off() -> bool:
    """Tell whether the user wants no OCR."""
    return os.environ.get(SWITCH, "").strip().lower() in ("off", "0", "no", "false")


@cache
def models() -> Path | None:
    """Return the folder of the models in the installed wheel, or None where the extra or one of its models is missing."""
    try:
        found = find_spec("rapidocr")
    except (ImportError, ValueError):
        return None
    if found is None or not found.origin:
        return None
    folder = Path(found.origin).parent / "models"
    return folder if all((folder / name).is_file() for name in (DETECTION, DIRECTION, RECOGNITION)) else None


def hint() -> str:
    """Return what a person can do where text in pictures was not read."""
    if models() is None:
        return say('install OCR: pip install "yinju[ocr]"', '请安装文字识别（OCR）：pip install "yinju[ocr]"')
    return say(
        "OCR is switched off: leave out --no-ocr, or the setting ocr",
        "文字识别（OCR）已关闭：请去掉 --no-ocr 或设置项 ocr",
    )
