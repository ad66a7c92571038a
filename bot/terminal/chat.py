"""The chat in a terminal: a line to type on, and above it the thread, live.

link    connects, attaches, shows what comes; when the daemon goes away it waits for it and takes up where it was
prompt  reads lines; what is typed survives every message that arrives meanwhile
"""

import asyncio
import contextlib
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.patch_stdout import StdoutProxy

from bot.terminal import wire
from bot.terminal.client import Client, as_raised, new_id
from bot.terminal.drawing import Page
from bot.terminal.line import Leave, Nothing, Press, Speak, read
from bot.terminal.transcript import Transcript
from memory.errors import OutOfReach

RETRY_FOR = timedelta(milliseconds=500)
"""How long to wait before looking again for a daemon that went away."""

TYPING_FOR = timedelta(seconds=8)
"""How long a hint of work under way stands when nothing else is heard."""

GREETING = "Type to talk. A number presses a button of the newest card. Ctrl-D or /quit leaves"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """How the chat ended: what was typed and never reached Stillbell."""

    unsent: tuple[str, ...] = ()


class Chat:
    """One sitting at the terminal. `ends_daemon` says that leaving stops Stillbell, for whoever reads the greeting."""

    def __init__(
        self,
        socket_path: Path,
        *,
        history: int = 30,
        ends_daemon: bool = False,
        session: PromptSession[str] | None = None,
        show: Callable[[str], None] | None = None,
    ) -> None:
        self._path = socket_path
        self._history = history
        self._ends_daemon = ends_daemon
        self._session = session or PromptSession(history=InMemoryHistory())
        self._shown = show or _to_stdout
        self._transcript = Transcript(_page)
        self._outbox: dict[str, wire.Say | wire.Tap] = {}
        self._client: Client | None = None
        self._typing: asyncio.TimerHandle | None = None

    async def run(self) -> Leaving:
        """Until the owner leaves. Raises NotRunning when there is nothing to attach to at the start."""
        async with Client(self._path) as client:
            end = "and stops Stillbell." if self._ends_daemon else "; Stillbell goes on."
            self._show(_page().aside(f"{GREETING} {end}".replace(" ;", ";")))
            link = asyncio.create_task(self._keep_linked(client), name="chat: link")
            prompt = asyncio.create_task(self._keep_prompting(), name="chat: prompt")
            try:
                await asyncio.wait({link, prompt}, return_when=asyncio.FIRST_COMPLETED)
                if link.done():
                    link.result()
                await prompt
            finally:
                await _end(link, prompt)
                self._still()
        return Leaving(unsent=tuple(one.text for one in self._outbox.values() if isinstance(one, wire.Say)))

    # ── link ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _keep_linked(self, first: Client) -> None:
        with contextlib.suppress(OutOfReach):
            await self._follow(first)
        self._show(_page().aside("Stillbell has stopped. What you type is kept here and sent when it is back."))
        while True:
            await asyncio.sleep(RETRY_FOR.total_seconds())
            with contextlib.suppress(OutOfReach):
                async with Client(self._path) as client:
                    self._show(_page().aside("Stillbell is back."))
                    await self._follow(client)

    async def _follow(self, client: Client) -> None:
        await client.attach(history=self._history, after_id=self._transcript.last_id)
        for request in self._outbox.values():
            await client.post(request)  # with the ids they had: what was heard before is not heard again
        self._client = client
        try:
            async for answer in client.events():
                self._hear(answer)
        finally:
            self._client = None

    def _hear(self, answer: wire.Answer) -> None:
        match answer:
            case wire.Said():
                self._still()
                self._show(self._transcript.add(answer))
            case wire.Heard():
                self._outbox.pop(answer.id, None)
            case wire.Typing():
                self._hint()
            case wire.Error(kind="OutOfReach", about=None):
                pass  # goodbye; the link says so when the connection has ended
            case wire.Error():
                self._outbox.pop(answer.about or "", None)
                self._show(_page().aside(str(as_raised(answer))))

    # ── prompt ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _keep_prompting(self) -> None:
        while True:
            try:
                line = await self._session.prompt_async(self._prompt, rprompt=self._working)
            except KeyboardInterrupt:
                continue  # Ctrl-C cancels the line
            except EOFError:
                return
            meaning = read(line, self._transcript.at_hand.buttons)
            if isinstance(meaning, Leave):
                return
            await self._do(meaning)

    async def _do(self, meaning: Speak | Press | Nothing) -> None:
        if isinstance(meaning, Nothing):
            return
        request: wire.Say | wire.Tap
        if isinstance(meaning, Press):
            request = wire.Tap(id=new_id(), data=meaning.button.data)
            self._show(_page().aside(f"{meaning.button.label} …"))
        else:
            text = wire.clean(meaning.text)
            if len(text) > wire.TEXT_MAX:
                self._show(_page().aside(f"{len(text)} characters are too many; {wire.TEXT_MAX} are the most."))
                return
            request = wire.Say(id=new_id(), text=text)
            self._transcript.expect(text)
        self._outbox[request.id] = request
        if self._client is not None:
            # A connection that breaks here is taken up again by the link, which sends the outbox once more.
            with contextlib.suppress(OutOfReach):
                await self._client.post(request)

    def _prompt(self) -> FormattedText:
        return FormattedText([("bold ansigreen", "› ")])

    def _working(self) -> FormattedText:
        return FormattedText([("ansigray", "working …")] if self._typing else [])

    def _hint(self) -> None:
        if self._typing:
            self._typing.cancel()
        self._typing = asyncio.get_running_loop().call_later(TYPING_FOR.total_seconds(), self._still)
        self._session.app.invalidate()

    def _still(self) -> None:
        if self._typing:
            self._typing.cancel()
            self._typing = None
            self._session.app.invalidate()

    def _show(self, drawn: str) -> None:
        if drawn:
            self._shown(drawn)


async def chat(socket_path: Path, *, history: int = 30, ends_daemon: bool = False) -> Leaving:
    """The chat on this process's own terminal. Raises NotRunning when no daemon listens."""
    # Everything printed meanwhile, by us or by anyone, goes above the line that is being typed.
    with StdoutProxy(raw=True, sleep_between_writes=0.02) as above:
        outside = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = above
        try:
            return await Chat(socket_path, history=history, ends_daemon=ends_daemon).run()
        finally:
            above.flush()
            sys.stdout, sys.stderr = outside


def _to_stdout(drawn: str) -> None:
    sys.stdout.write(drawn)
    sys.stdout.flush()


def _page() -> Page:
    return Page(width=shutil.get_terminal_size((80, 24)).columns, colours=True)


async def _end(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
