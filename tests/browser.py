"""Drive the page in a real Chromium: fixtures that the tests of every view share (conftest.py makes them known to pytest).

`help_centre` serves a copy of the example library with a PDF beside it; `served` serves any other library; `visit` opens the page in a browser
of its own language, theme and size, and fails the test when the page ran a dialog, logged an error or asked another host for anything.
Pictures of the page are written into the ignored folder `screenshots/`, to be looked at. Where there is no Chromium the tests are skipped.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from pdf_writer import Put, make_pdf

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from yinju import Library

ROOT = Path(__file__).parent.parent
SCREENSHOTS = ROOT / "screenshots"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")
WAIT_MS = 20_000
# No background network, and no sandbox of its own where root runs it in a container.
SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
PDF_TEXT = (
    ("Care of the case", "Clean the case with a dry cloth only.", "Never use alcohol on the screen."),
    ("Water", "The Tern 3 survives rain for thirty minutes.", "It must not be put under water."),
    ("保养", "外壳只能用干布擦拭。", "屏幕每月清洁一次即可。"),
)


def executable() -> str:
    """Return the path of Chromium; skips the test, and says why, where there is none."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next((path for path in map(shutil.which, CHROMIUM) if path), None)
    if found is None:
        pytest.skip("no Chromium on this machine: install Debian's package `chromium`")
    return found


@contextmanager
def serving(library: Library, **options: Any) -> Iterator[str]:
    """Serve this library from a thread; yield its address."""
    import uvicorn

    from yinju.web.app import create_app
    from yinju.web.guard import GuardOptions
    from yinju.web.serve import _listen

    guard = options.pop("guard", None) or GuardOptions(burst=100_000, requests_per_second=100_000)
    with _listen("127.0.0.1", 0) as listener:
        app = create_app(library, guard, **options)
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(15)


def care_pdf() -> bytes:
    """Return a PDF of three pages, the last in Chinese."""
    pages = [
        [Put(72, 720, title, size=20, bold=True)]
        + [Put(72, 680 - 24 * number, text) for number, text in enumerate(sentences)]
        for title, *sentences in PDF_TEXT
    ]
    return make_pdf(pages, info={"Title": "Care"})


def copy_of_examples(folder: Path) -> Path:
    """Copy the help centre in both languages with its files, and put the PDF beside them."""
    shutil.copytree(ROOT / "examples" / "help-centre", folder, ignore=shutil.ignore_patterns(".yinju"))
    (folder / "files" / "care.pdf").write_bytes(care_pdf())
    return folder


@pytest.fixture(scope="session")
def help_centre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the example library, found by words alone; yield its address."""
    executable()
    from yinju import Library

    folder = copy_of_examples(tmp_path_factory.mktemp("page") / "help-centre")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("YINJU_EMBED_MODEL", "none")
        patch.setenv("YINJU_OCR", "off")
        patch.setenv("YINJU_DATA", str(folder.parent / "data"))
        patch.setenv("XDG_CONFIG_HOME", str(folder.parent / "config"))
        for name in [name for name in os.environ if name.startswith("YINJU_CHAT")]:
            patch.delenv(name)
        library = Library.open(folder / ".yinju")
    with library:
        report = library.sync(folder)
        assert not report.skipped, report
        with serving(library) as address:
            yield address


@pytest.fixture
def served() -> Iterator[Callable[..., str]]:
    """Return what serves a library until the test ends, and returns its address."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda library, **options: stack.enter_context(serving(library, **options))


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Start Chromium for the tests of a module: while Playwright runs, this thread cannot run an event loop of its own."""
    path = executable()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page that is open, with everything that must not happen on it."""

    page: Page
    address: str
    faults: list[str] = field(
        default_factory=list
    )  # errors in the console, exceptions, dialogs, requests to other hosts
    expected: list[str] = field(default_factory=list)  # parts of faults that the test brings about itself

    def ask(self, question: str, wait: bool = True) -> None:
        """Ask a question on the page; with `wait`, until its answer is whole."""
        before = self.page.locator(".turn").count()
        self.page.fill("#question", question)
        self.page.keyboard.press("Enter")
        if wait:
            self.page.wait_for_selector(f".turn:nth-child({before + 1}) .answer[aria-busy=false]", timeout=WAIT_MS)

    def until(self, expression: str, argument: Any = None) -> None:
        """Wait until this is true on the page: Playwright's own way needs `eval`, which the page forbids."""
        end = time.monotonic() + WAIT_MS / 1000
        while not self.page.evaluate(expression, argument):
            assert time.monotonic() < end, expression
            self.page.wait_for_timeout(20)

    def shoot(self, name: str, whole: bool = False) -> Path:
        """Keep a picture of what is seen; `whole`: of the whole page."""
        SCREENSHOTS.mkdir(exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=path, full_page=whole)
        return path

    def check(self) -> None:
        """Fail where something happened that must not."""
        found = [one for one in self.faults if not any(part in one for part in self.expected)]
        assert not found, "\n".join(found)


def _watch(visit: Visit) -> None:
    page, host = visit.page, urlsplit(visit.address).netloc

    def dialog(shown: Any) -> None:
        visit.faults.append(f"dialog: {shown.message}")
        shown.dismiss()

    def request(asked: Any) -> None:
        parts = urlsplit(asked.url)
        if parts.scheme not in ("blob", "data") and parts.netloc != host:
            visit.faults.append(f"request: {asked.url}")

    page.on("console", lambda said: visit.faults.append(f"{said.type}: {said.text}") if said.type == "error" else None)
    page.on("pageerror", lambda error: visit.faults.append(f"exception: {error}"))
    page.on("dialog", dialog)
    page.on("request", request)
    page.on("popup", lambda opened: visit.faults.append(f"window: {opened.url}"))


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Callable[..., Visit]]:
    """Return what opens the page: `visit(address, "library", language="zh", theme="dark", width=390)`."""
    contexts, visits = [], []

    def opened(
        address: str, view: str = "ask", *, language: str = "en", theme: str = "light", width: int = 1280, height: int = 860,
        calm: bool = False, **more: Any,
    ) -> Visit:  # fmt: skip
        context = chromium.new_context(
            locale="zh-CN" if language == "zh" else "en-US", color_scheme=theme, viewport={"width": width, "height": height},
            reduced_motion="reduce" if calm else "no-preference", permissions=["clipboard-read", "clipboard-write"], **more,
        )  # fmt: skip
        context.set_default_timeout(WAIT_MS)
        made = Visit(context.new_page(), address)
        contexts.append(context)
        visits.append(made)
        _watch(made)
        made.page.goto(f"{address}/#{view}")
        made.page.wait_for_selector(f"main.view-{view} > *:not(.dim)")
        return made

    yield opened
    for made in visits:
        made.check()
    for context in contexts:
        context.close()
