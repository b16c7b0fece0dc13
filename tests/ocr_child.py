"""A worker whose OCR does what the colour of a picture says: a program of its own for the tests of the pool, started instead of the real one.

White is read, black hangs, red ends the process, blue takes a moment, green needs more memory than there is.
"""

import os
import sys
import time
from pathlib import Path

from yinju.boxes import Box
from yinju.load import worker
from yinju.load.ocr import OcrLine, availability, engine


class Engine:
    def read(self, picture):
        blue, green, red = (int(value) > 128 for value in picture[0, 0])
        if (blue, green, red) == (False, False, False):
            time.sleep(60)
        if (blue, green, red) == (False, False, True):
            os._exit(7)
        if (blue, green, red) == (True, False, False):
            time.sleep(0.4)
        if (blue, green, red) == (False, True, False):
            raise MemoryError
        return [OcrLine(f"read by process {os.getpid()}", Box(0.1, 0.1, 0.9, 0.2), 0.9)]


availability.models = Path
engine.engine = Engine
os.environ.pop("YINJU_OCR", None)
sys.exit(worker.main())
