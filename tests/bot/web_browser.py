"""A browser for the tests of the page: headless Chromium, driven over its own debugging protocol."""

import asyncio
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import aiohttp

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

QUIET = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)

KEYS = {"Enter": 13, "Tab": 9, " ": 32}


class Page:
    """One page. What happens in it has no event here, so `until` looks again and again."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.complaints: list[str] = []

    async def do(self, method: str, **params: Any) -> dict[str, Any]:
        """A command of the protocol, and its result."""
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        async with asyncio.timeout(10):
            while True:
                told = await self._socket.receive_json()
                if told.get("id") == number:
                    assert "error" not in told, told
                    return dict(told["result"])
                self._listen(told)

    def _listen(self, told: dict[str, Any]) -> None:
        """Keep what the page's console complains of, but for a server that is away on purpose."""
        if told["method"] == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(told["params"]))
        if told["method"] == "Log.entryAdded" and told["params"]["entry"]["source"] != "network":
            self.complaints.append(json.dumps(told["params"]["entry"]))

    async def see(self, expression: str) -> Any:
        """The value of an expression."""
        found = await self.do("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def until(self, expression: str) -> Any:
        """The first true value of an expression."""
        try:
            async with asyncio.timeout(8):
                while not (value := await self.see(expression)):  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
                return value
        except TimeoutError:
            raise AssertionError(f"never {expression}; the page: {await self.see('document.body.innerText')}") from None

    async def open(self, url: str) -> None:
        """Go there, and wait for the page's script."""
        await self.do("Page.navigate", url=url)
        await self.until("document.readyState === 'complete' && !!document.querySelector('#log')")

    async def type(self, text: str) -> None:
        """Text, where the focus is."""
        await self.do("Input.insertText", text=text)

    async def press(self, key: str, *, shift: bool = False) -> None:
        """A key, down and up."""
        about = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": KEYS[key]}
        text = {"Enter": "\r", " ": " "}.get(key)
        down: dict[str, Any] = {"type": "keyDown", "text": text} if text else {"type": "rawKeyDown"}
        for what in (down, {"type": "keyUp"}):
            await self.do("Input.dispatchKeyEvent", modifiers=8 if shift else 0, **about, **what)

    async def width(self, pixels: int) -> None:
        """How wide the window is."""
        await self.do("Emulation.setDeviceMetricsOverride", width=pixels, height=800, deviceScaleFactor=1, mobile=False)


@contextmanager
def running_browser() -> Iterator[str]:
    """A browser with an empty page; the address at which it takes commands."""
    assert CHROMIUM is not None
    root = ("--no-sandbox",) if os.geteuid() == 0 else ()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [CHROMIUM, *QUIET, *root, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=os.environ | {"TMPDIR": profile},  # what it leaves behind goes with the folder
        )
        assert process.stderr is not None
        draining = None
        try:
            while b"DevTools listening on" not in (line := process.stderr.readline()):
                assert line, "Chromium ended at once"
            draining = threading.Thread(target=process.stderr.read)
            draining.start()
            yield line.decode().split("ws://")[1].split("/")[0]
        finally:
            process.kill()
            process.wait()
            if draining is not None:
                draining.join()
            process.stderr.close()


@asynccontextmanager
async def page_of(address: str) -> AsyncIterator[Page]:
    """The page of a running browser."""
    async with aiohttp.ClientSession() as session:
        pages = await (await session.get(f"http://{address}/json")).json()
        url = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        async with session.ws_connect(url, max_msg_size=0) as socket:
            page = Page(socket)
            for domain in ("Page", "Runtime", "Log"):
                await page.do(f"{domain}.enable")
            yield page
            await page.do("Page.navigate", url="about:blank")
