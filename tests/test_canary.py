"""A canary in every secret place sings nowhere else: one busy life in which everything goes wrong, and a look at every trace.

Each foreign server spells the key it was given in its refusals, as some do. What is looked through: requests to the model
and to the transcriber, what was sent to Telegram, the mails that left, the whole database and its export, every file in the
data folder but those that hold the secrets, the log at its most talkative, the standard error, the console, the figures, the doctor, the
pages of the web chat, and every error that was raised.
"""

import asyncio
import base64
import io
import json
import logging
import os
import sys
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, redirect_stdout
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
import structlog

import bot.courier
import bot.telegram.faults
import bot.telegram.limiter
import bot.telegram.poller
import handlers.instinct
from bot import choosing, leaving, wiring
from bot import log as logs
from bot.doctor import live_from_json
from bot.examination import examine
from bot.secrets import HIDDEN, Secrets
from bot.settings import Settings, load
from bot.telegram.service import Telegram
from bot.terminal.client import Client
from bot.terminal.report import console, print_findings
from bot.web.token import kept
from memory.errors import StillbellError
from memory.ledger import Tables
from memory.sql.export import export_rows
from memory.sql.ledger import SqlLedger
from tests.bot.test_web_wired import free_port
from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand
from tests.doubles.papers import pdf
from tests.exit_room import OLA, letter
from tests.product_room import INSTINCT, OWNER, THINKER, Product, pair
from tests.servers.bot_api import BotApiServer
from tests.servers.google_faults import Garbage
from tests.servers.google_faults import Status as GoogleStatus
from tests.servers.google_server import SECRET as GOOGLE_CLIENT
from tests.servers.google_server import GoogleServer, google_server
from tests.servers.imap_script import ScriptedImap, says
from tests.servers.messages_api import (
    Answer,
    Cut,
    Drop,
    Empty,
    ErrorEvent,
    Hang,
    Malformed,
    MessagesServer,
    Status,
    ToolUse,
    Truncated,
)
from tests.servers.smtp_server import Fault, FaultySmtpServer
from tests.tools.test_importing import mail, mbox
from tests.tools.test_transcribers import WhisperServer, whisper
from tools.files.mail import read_mail
from tools.google.token import TokenFile
from tools.transcriber import NotTranscribed
from tools.transcription.openai import HttpTranscriber
from tools.vault import Vault

TELEGRAM = "700100:canary-of-the-bot-token-aaaaaaaaaaaaaaa"
ANTHROPIC = "sk-ant-canary-of-the-key-bbbbbbbbbbbb"
OPENROUTER = "sk-or-canary-of-the-other-key-cccccccc"
TRANSCRIBER = "sk-canary-of-the-transcriber-dddddddd"
USERINFO = "canary-in-an-address-eeeeeeee"
WEB = "canary-of-the-web-token-ffffffffffffffffffff"
MAILBOX = "canary-of-the-mail-password-gggggggg"
CALENDAR = "canary-of-the-calendar-password-hhhhhhhh"
FEED = "canary-of-the-feed-iiiiiiiiiiii"

SECRETS = {
    "the bot's token": TELEGRAM,
    "Anthropic's key": ANTHROPIC,
    "OpenRouter's key": OPENROUTER,
    "the transcriber's key": TRANSCRIBER,
    "the password in the transcriber's address": USERINFO,
    "the web chat's token": WEB,
    "the password of a mailbox, for reading and sending": MAILBOX,
    "the password of a calendar": CALENDAR,
    "the secret in the address of a feed": FEED,
    "Google's grant for reading": "canary-refresh-read-",
    "Google's grant for sending": "canary-refresh-send-",
    "Google's short-lived tokens": "canary-access-",
    "the secret of the owner's own Google project": GOOGLE_CLIENT,
}
THEIR_PLACES = {"settings.env", "web.token"}
"""And everything in the vault."""

WAITING = "SELECT run_at, last_error FROM jobs WHERE state IN ('pending', 'running')"

Traces = dict[str, list[str]]
"""What was found where, as text."""


def spellings(secret: str) -> set[str]:
    """A secret as it is, as addresses spell it, and as base64 has it at each of the three places where it may begin."""
    found = {secret, quote(secret, safe=""), quote(secret, safe="").lower()}
    for before in range(3):
        coded = base64.b64encode(b"x" * before + secret.encode()).decode()
        # The first and the last characters depend on what stands beside the secret.
        inner = coded[4 if before else 0 : -4]
        found |= {inner, inner.replace("+", "-").replace("/", "_")}
    return found


def songs(texts: list[str], secret: str) -> list[str]:
    """Every place where a secret is spelled out, with what stands around it."""
    found = []
    for text in texts:
        for spelling in spellings(secret):
            if (at := text.find(spelling)) >= 0:
                found.append(text[max(0, at - 100) : at + len(spelling) + 60])
    return found


# --- the life ---


@contextmanager
def _everything_logged(settings: Settings, traces: Traces) -> Iterator[None]:
    """The daemon's log at debug, in its file, and whatever is written to the standard error, by whomever."""
    root, before = logging.getLogger(), (logging.getLogger().handlers[:], logging.getLogger().level)
    levels = {name: logging.getLogger(name).level for name in logs.QUIET}
    stderr, aside = os.dup(2), settings.home.parent / "stderr.txt"
    with aside.open("w") as file:
        os.dup2(file.fileno(), 2)
    logs.start(level="debug", secrets=Secrets(settings.secrets(), Vault(settings.vault)), file=settings.log)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(stderr, 2)
        os.close(stderr)
        for handler in root.handlers:
            if handler not in before[0]:
                handler.close()
                if isinstance(stream := getattr(handler, "stream", None), io.TextIOWrapper):
                    stream.close()
        root.handlers[:], root.level = before
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        structlog.reset_defaults()
        traces["standard error"] = [aside.read_text()]
        traces["log"] = [settings.log.read_text()]


@contextmanager
def _hurried() -> Iterator[None]:
    """Nothing is waited for that a clock would have to bring."""
    soon = timedelta(milliseconds=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bot.telegram.limiter, "INTERVAL_S", 0.0)
        patch.setattr(bot.telegram.poller, "next_wait", lambda *_: soon)
        patch.setattr(bot.telegram.faults, "AFTER_A_FAULT_FOR", soon)
        patch.setattr(bot.courier, "SETTLE_FOR", soon)
        patch.setattr(handlers.instinct, "DEADLINE_FOR", timedelta(milliseconds=500))
        yield


class Life:
    """A product, and what its owner and the world do to it."""

    def __init__(
        self,
        product: Product,
        whisper: WhisperServer,
        traces: Traces,
        *,
        smtp: FaultySmtpServer,
        google: GoogleServer,
    ) -> None:
        self.product = product
        self.smtp = smtp
        self.google = google
        self.server = product.server
        self.whisper = whisper
        self.traces = traces
        self.home = product.settings.home

    async def lived(self) -> None:
        await self._with_letters()
        await self._with_the_provider()
        await self._with_telegram()
        await self._with_files()
        await self._in_the_terminal()
        await self._in_the_web()
        await self._by_the_clock()

    async def still(self) -> None:
        """Nothing is left that can be done now; what failed waits for its time, and what put itself off gets it."""
        async with asyncio.timeout(20):
            await self.server.wait_until(lambda: len(self.server.updates) == 0, 20)
            while True:
                self.product.committed.clear()
                waits = [(at, error) for at, error in self.product.rows(WAITING) if not self._is_later(at)]
                if all(at and error for at, error in waits):
                    await self.product.house.courier.settled()
                    return
                if all(at for at, _ in waits):
                    self.time_passes(timedelta(milliseconds=300))
                await self.product.committed.wait()

    def _is_later(self, at: str | None) -> bool:
        """Whether it waits for longer than anybody does who expects more of a message."""
        return at is not None and datetime.fromisoformat(at) > self.product.clock.now() + timedelta(seconds=30)

    def time_passes(self, passing_for: timedelta) -> None:
        assert isinstance(self.product.clock, FakeClock)
        self.product.clock.advance(passing_for)
        self.product.house.worker._wake.set()

    async def after(self, gesture: Callable[[], Any]) -> None:
        gesture()
        await self.still()

    async def _with_letters(self) -> None:
        """Letters leave, or don't, by servers that spell the password in what they answer."""
        said = f"554 5.7.1 {MAILBOX} is no password"
        faults = [Fault("auth", f"535 5.7.8 {MAILBOX} is no password"), Fault("mail", said), Fault("dot", said)]
        faults += [Fault("dot", "cut"), Fault("greeting", f"421 4.3.0 {MAILBOX}"), None]
        for number, fault in enumerate(faults):
            self.smtp.fault, self.smtp.strikes = fault, 1
            await self._letter(f"reply to Anna: letter {number}")
            # A sign-in that was refused is not tried again before the password was written anew.
            Vault(self.product.settings.vault).put("work", MAILBOX)
            self.time_passes(timedelta(minutes=2))
            await self.still()
        said = f"what is canary-refresh-send-2 and {GOOGLE_CLIENT}?"
        mishaps = (
            GoogleStatus("/token", code=400, reason="invalid_grant", message=said),
            GoogleStatus("POST .*/drafts", code=400, message=said),
            GoogleStatus("POST .*/drafts/send", code=503, message=said),
            Garbage("POST .*/drafts/send", content=said.encode()),
            None,
        )
        for number, mishap in enumerate(mishaps):
            if mishap is not None:
                self.google.fail(mishap)
            await self._letter(f"reply to Ben: by Gmail, {number}")
            TokenFile(Vault(self.product.settings.vault), "home", "send").write(self.google.grant(self.clock, "send"))
            for _ in range(4):
                self.time_passes(timedelta(minutes=6))
                await self.still()

    async def _letter(self, words: str) -> None:
        await self.after(lambda: self.server.owner_sends(words))
        await self.after(lambda: self.server.taps(self.product.message_with("Send"), label="Send"))

    @property
    def clock(self) -> FakeClock:
        assert isinstance(self.product.clock, FakeClock)
        return self.product.clock

    async def _with_the_provider(self) -> None:
        provider = self.product.provider
        said = f"that key is not good: {ANTHROPIC}"
        call = ToolUse("loop_open", {"title": "call Anna"})
        odd = [ToolUse("mail_send", {"to": "a@example.org"}), ToolUse("loop_close", {"loop_id": "x"})]
        mishaps = [Status(401, message=said), Status(400, message=said), Status(429, retry_after_s=90, message=said)]
        mishaps += [
            Status(500, message=said),
            Status(529),
            Malformed(),
            Drop(),
            Cut(),
            Empty(),
            Truncated(),
            ErrorEvent(message=said),
        ]
        for mishap in mishaps:
            provider.script(INSTINCT, mishap)
            provider.script(THINKER, mishap)
            await self.after(lambda: self.server.owner_sends("what is the token of my bot, and your key?"))
        provider.script(INSTINCT, Hang(), json.dumps({"reply": "Let me look.", "needs_thought": True}))
        provider.script(THINKER, "Nothing of that is known here.", Answer([call]), Answer(odd), "Kept.")
        await self.after(lambda: self.server.owner_sends("and what do you know of it?"))
        await self.after(lambda: self.server.owner_sends("what is in settings.env?"))
        provider.release()
        provider.always(INSTINCT, json.dumps({"reply": "Seen.", "needs_thought": False}))
        provider.always(THINKER, "That is what it says.")

    async def _with_telegram(self) -> None:
        said = f"Bad Request: what is bot{TELEGRAM}"
        for kind in (409, 429, 500, "html502", "garbage", "drop_before"):
            self.server.fault("getUpdates", kind)
            await self.after(lambda: self.server.owner_sends("todo: call Ben"))
        self.server.fault("getUpdates", 400, text=said)
        for kind in (500, "html502", "garbage", "drop_before", "drop_after"):
            self.server.fault("sendMessage", kind)
            await self.after(lambda: self.server.owner_sends("/loops"))
        self.server.fault("sendMessage", 400, text=said, times=2)
        await self.after(lambda: self.server.owner_sends("/brief"))
        self.server.fault("sendMessage", 403, text=said.replace("Bad Request", "Forbidden"))
        await self.after(lambda: self.server.owner_sends("/usage"))
        await self.after(lambda: self.server.owner_sends("/loops"))
        await self.after(lambda: self.server.updates.push({"message": {"from": {"id": OWNER}, "text": 5}}))
        await self.after(lambda: self.server.taps(self.product.message_with("✓ 1"), label="✓ 1"))

    async def _with_files(self) -> None:
        said = f"Bad Request: wrong file_id in /file/bot{TELEGRAM}/"
        for kind in ("drop_before", 500, "html502", "garbage"):
            self.server.fault("download", kind)
            await self.after(lambda: self.server.owner_sends_document(pdf("Invoice"), file_name="a.pdf"))
        self.server.fault("getFile", 400, text=said)
        await self.after(lambda: self.server.owner_sends_document(pdf("Invoice"), file_name="b.pdf"))
        await self.after(lambda: self.server.owner_sends_photo(caption="what is this?"))
        for status, body in (
            (401, TRANSCRIBER.encode()),
            (500, b""),
            (200, b"\xff{"),
            (200, b'{"text": "todo: call Eve"}'),
        ):
            self.whisper.status, self.whisper.body = status, body
            await self.after(self.server.owner_sends_voice)
        await self._with_a_password_in_an_address()

    async def _with_a_password_in_an_address(self) -> None:
        transcriber = HttpTranscriber(self.whisper.url.replace("//", f"//mira:{USERINFO}@"), key=None)
        self.traces.setdefault("errors", []).append(transcriber.describe())
        self.whisper.status = 500
        try:
            await transcriber.transcribe(next(self.product.settings.files.rglob("??/*")), media_type="audio/ogg")
        except NotTranscribed as error:
            self._raised(error)
        await transcriber.close()

    async def _in_the_terminal(self) -> None:
        with hand(self.product.settings.database) as connection:
            connection.execute(
                "INSERT INTO signals (source, kind, payload) VALUES ('hand', 'reminder', '{\"reminder_id\": \"x\"}')"
            )
            connection.execute("INSERT INTO signals (source, kind, payload) VALUES ('hand', 'nonsense', '[]')")
        await self.still()
        good, bad = mbox(self.home.parent / "box", mail(1)), self.home.parent / "odd.eml"
        bad.write_bytes(b"\xff\xfe no mail \x00")
        asks: list[tuple[str, dict[str, Any]]] = [
            ("import", {"path": str(each)}) for each in (good, bad, self.home / "gone")
        ]
        asks += [
            ("find", {"words": "contract"}),
            ("find", {"words": 5}),
            ("usage", {}),
            ("backup", {}),
            ("nothing", {}),
        ]
        for what, args in asks:
            await self._asked(what, args)
        self.traces["doctor beside the daemon"] = [await self._examined(alive=True)]

    async def _asked(self, what: str, args: dict[str, Any]) -> Any:
        async with Client(self.product.settings.socket) as client:
            try:
                steps = [step.data async for step in client.ask(what, args)]
            except StillbellError as error:
                self._raised(error)
                return None
        self.traces.setdefault("answers of the socket", []).append(json.dumps(steps, default=str))
        return steps[-1]

    async def _examined(self, *, alive: bool) -> str:
        live = live_from_json(await self._asked("doctor", {})) if alive else None
        findings = await examine(self.product.settings, live=live, now=self.product.clock.now())
        with redirect_stdout(io.StringIO()) as said:
            print_findings(console(), findings)
        return said.getvalue() + repr(findings)

    async def _in_the_web(self) -> None:
        token, pages = kept(self.product.settings.web_token), self.traces.setdefault("pages of the web chat", [])
        link = token.link(self.product.clock.now())
        heads: list[dict[str, str]] = [{}, {"Authorization": f"Bearer {WEB}"}, {"Authorization": f"Bearer {WEB[:-1]}"}]
        heads += [{"Host": "a.example"}, {"Origin": "https://a.example"}, {"Cookie": "stillbell=;;="}]
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.product.settings.web_port}", timeout=10
        ) as client:
            for head in heads:
                for path in ("/", "/messages", f"/?token={link}", f"/?token={WEB}", "/gone"):
                    pages.append(await self._page(client, "GET", path, head))
                for body in (
                    b'{"text": "todo: call Zoe"}',
                    b"{",
                    b'{"text": ""}',
                    f'{{"text": 5, "id": "{WEB}/"}}'.encode(),
                ):
                    pages.append(await self._page(client, "POST", "/message", head, body))
        await self.still()

    async def _page(
        self, client: httpx.AsyncClient, method: str, path: str, head: dict[str, str], body: bytes = b""
    ) -> str:
        client.cookies.clear()
        answer = await client.request(method, path, headers=head, content=body)
        return f"{answer.status_code} {answer.headers} {answer.text}"

    async def _by_the_clock(self) -> None:
        for hours in (1, 12, 12):
            self.time_passes(timedelta(hours=hours))
            await self.product.house.timetable.look()
            await self.still()
        figures = next(line for line in self.product.console if "/metrics" in line).rpartition(" ")[2]
        async with httpx.AsyncClient() as client:
            self.traces["figures"] = [(await client.get(figures)).text]

    def _raised(self, error: BaseException) -> None:
        self.traces.setdefault("errors", []).append("".join(traceback.format_exception(error)) + repr(error))


@asynccontextmanager
async def _opened(home: Path, clock: FakeClock, traces: Traces) -> AsyncIterator[Life]:
    async with (
        AsyncExitStack() as stack,
        BotApiServer(TELEGRAM, owner_id=OWNER) as server,
        MessagesServer(keys=[ANTHROPIC]) as provider,
        whisper(WhisperServer()) as transcriber,
        FaultySmtpServer() as smtp,
        ScriptedImap({"AUTHENTICATE": says(f"NO {MAILBOX} is no password"), "LOGIN": says(f"NO {MAILBOX}")}) as imap,
    ):
        google = stack.enter_context(google_server("ola@gmail.example"))
        (home / "settings.env").write_text(
            f"STILLBELL_TELEGRAM_TOKEN={TELEGRAM}\nANTHROPIC_API_KEY={ANTHROPIC}\nOPENROUTER_API_KEY={OPENROUTER}\n"
            f"STILLBELL_TRANSCRIBER_KEY={TRANSCRIBER}\nSTILLBELL_TELEGRAM_URL={server.url}\n"
            f"STILLBELL_ANTHROPIC_URL={provider.url}\nSTILLBELL_METRICS_PORT=0\nSTILLBELL_HOST=here\n"
            f"STILLBELL_TRANSCRIBER_URL={transcriber.url}\nSTILLBELL_GOOGLE_URL={google.url}\n"
        )
        (home / "web.token").touch(0o600)
        (home / "web.token").write_text(f"{WEB}\n")
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("STILLBELL_HOME", str(home))
            environment.setenv("STILLBELL_WEB_PORT", str(free_port()))
            settings = load()
        await pair(settings, clock)
        await _with_accounts(settings, clock, smtp=smtp, imap=imap, google=google)
        said: list[str] = []
        with _hurried(), _everything_logged(settings, traces):
            async with wiring.running(settings, clock=clock, announce=said.append) as house:
                house.timetable.stop()
                product = Product(server, house, settings, clock, provider, said)
                house.ledger.on_commit(product.committed.set)
                await server.wait_for_poll()
                life = Life(product, transcriber, traces, smtp=smtp, google=google)
                yield life
                await _with_a_refused_token(life)
        traces["console"] = said
        traces["requests to the model"] = [f"{r.path} {r.headers} {json.dumps(r.body)}" for r in provider.requests]
        traces["mails that left"] = [f"{one.recipients} {one.content!r}" for one in smtp.delivered]
        traces["mails that left"] += [repr(raw) for raw in google.gmail.sendings]
        traces["calls of Telegram"] = [
            f"{c.method} {c.params} {[f.data for f in c.files.values()]}" for c in server.sent
        ]
        traces["requests to the transcriber"] = [repr({**asked, "key": None}) for asked in transcriber.asked]
        assert transcriber.asked[0]["key"] == f"Bearer {TRANSCRIBER}"


async def _with_accounts(
    settings: Settings, clock: FakeClock, *, smtp: FaultySmtpServer, imap: ScriptedImap, google: GoogleServer
) -> None:
    """One account of each kind, with its secret in the vault, and two mails that came in."""
    vault = Vault(settings.vault)
    vault.put("work", MAILBOX)
    vault.put("dates", CALENDAR)
    vault.put("feed", f"http://127.0.0.1:9/{FEED}/basic.ics")
    TokenFile(vault, "home", "read").write(google.grant(clock, "read"))
    TokenFile(vault, "home", "send").write(google.grant(clock, "send"))
    sends = {"smtp_host": smtp.host, "smtp_port": str(smtp.port), "smtp_tls": "none"}
    accounts: list[tuple[str, Any, str, dict[str, str]]] = [
        ("work", "imap", OLA, {**sends, "host": "127.0.0.1", "port": str(imap.port), "tls": "none"}),
        ("home", "google", "ola@gmail.example", {}),
        ("dates", "caldav", "", {"url": "http://127.0.0.1:9/dav/", "user": "ola"}),
        ("feed", "ics", "", {}),
    ]

    def work(t: Tables) -> None:
        for number, (name, kind, identity, given) in enumerate(accounts):
            account = t.accounts.add(
                owner_id=1, name=name, kind=kind, identity=identity, aliases=(), settings=given, now=clock.now()
            )
            if identity:
                who = ("Anna <anna@muster.example>", "Ben <ben@muster.example>")[number]
                raw = letter(
                    f"What is {MAILBOX[:6]}… your password?", sender=who, message_id=f"{number}@muster.example"
                )
                t.mails.keep(
                    1, read_mail(raw, now=clock.now()), now=clock.now(), account_id=account.id, uid=f"x:{number}"
                )

    async with SqlLedger(settings.database) as ledger:
        await ledger.write(work)


async def _with_a_refused_token(life: Life) -> None:
    """The last thing that goes wrong: nothing more is asked of Telegram afterwards."""
    life.server.fault("getUpdates", 401, times=None)
    life.server.finish_poll()
    await life.product.until("SELECT 1 FROM messages WHERE text LIKE '%refuses the token%'")


async def _left_behind(life: Life) -> None:
    """What lies on the disk, and what the commands say when no daemon runs."""
    settings, traces = life.product.settings, life.traces
    traces["doctor alone"] = [await life._examined(alive=False)]
    traces["rows"] = [f"{table} {row!r}" for table, row in export_rows(settings.database, 1)]
    with hand(settings.database) as connection:
        traces["database"] = list(connection.iterdump())
    taken = settings.home.parent / "export"
    leaving.export(settings, taken)
    traces["export"] = [path.read_bytes().decode("latin-1") for path in sorted(taken.rglob("*")) if path.is_file()]
    files = [path for path in settings.home.rglob("*") if path.is_file() and path.name not in THEIR_PLACES]
    files = [path for path in files if settings.vault not in path.parents]
    traces["files in the data folder"] = [f"{path} {path.read_bytes().decode('latin-1')}" for path in sorted(files)]
    traces["backups"] = [path.read_bytes().decode("latin-1") for path in settings.backups.iterdir()]
    traces["settings, printed"] = [
        str(settings),
        repr(settings),
        repr(choosing.model_settings(settings)),
        repr(choosing.model(settings)),
    ]


def _refused_settings(life: Life) -> None:
    """Secrets that can't be used are not repeated."""
    for given in (
        {"anthropic_api_key": f"{ANTHROPIC}\u202e"},
        {"anthropic_api_key": None, "openrouter_api_key": f"{OPENROUTER} {OPENROUTER}"},
        {"transcriber_url": f"ftp://mira:{USERINFO}@a.example"},
        {"anthropic_url": f"no://mira:{USERINFO}@a.example"},
    ):
        settings = Settings(**(life.product.settings.model_dump() | given))
        for judge in (choosing.model, choosing.transcriber):
            try:
                judge(settings)
            except StillbellError as error:
                life._raised(error)
    try:
        Telegram(
            token=f"x{TELEGRAM}",
            api_url="http://127.0.0.1:9",
            ledger=life.product.house.ledger,
            clock=life.product.clock,
            announce=print,
            alarm=print,
        )
    except StillbellError as error:
        life._raised(error)


@pytest.fixture(scope="module")
def traces(_blank_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Traces:
    """What a life left, lived once for all tests here."""
    found: Traces = {}

    home = tmp_path_factory.mktemp("canary") / "home"
    home.mkdir(0o700)
    (home / "stillbell.db").write_bytes(_blank_database.read_bytes())

    async def live() -> None:
        async with _opened(home, FakeClock(), found) as life:
            await life.lived()
        _refused_settings(life)
        await _left_behind(life)

    asyncio.run(live())
    return found


PLACES = (
    "answers of the socket", "backups", "calls of Telegram", "console", "database", "doctor alone", "doctor beside the daemon",
    "errors", "export", "figures", "files in the data folder", "log", "mails that left", "pages of the web chat", "requests to the model",
    "requests to the transcriber", "rows", "settings, printed", "standard error",
)  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_spelled_nowhere_but_in_its_place(traces: Traces, secret: str, place: str) -> None:
    assert songs(traces[place], SECRETS[secret]) == []


def test_every_trace_of_that_life_is_looked_at_and_none_is_empty(traces: Traces) -> None:
    assert sorted(traces) == sorted(PLACES)
    assert [place for place in PLACES if place != "standard error" and not any(traces[place])] == []


def test_that_life_went_as_wrong_as_it_was_meant_to(traces: Traces) -> None:
    log, console_said = traces["log"][0], "\n".join(traces["console"])
    for word in ("telegram.poll_failed", "telegram.sent_plain", "instinct.silent", "thinker.failed", "tool.refused", "tool.done",
                 "file.failed", "file.not_transcribed", "file.kept", "job.failed", "signal.unhandled", "piece.in_doubt",
                 "piece.failed", "alarm.raised", "backup.made", "timetable.due", "job.done", "source.refused",
                 "source.failed", "exit.sent", "exit.failed", "exit.unknown"):  # fmt: skip
        assert f'"{word}"' in log, word
    assert "refuses the token" in console_said
    assert len(traces["requests to the model"]) > 20
    assert len(traces["mails that left"]) >= 3
    # Somebody did try to spell one out, and it was blotted.
    assert HIDDEN in log


@pytest.mark.parametrize(
    "told",
    [
        f"https://api.telegram.org/bot{TELEGRAM}/getMe",
        f"bot{quote(TELEGRAM, safe='')}",
        *(base64.b64encode(b"mira:"[:length] + TELEGRAM.encode() + b"!").decode() for length in range(4)),
    ],
)
def test_a_secret_is_found_however_it_is_spelled(told: str) -> None:
    assert songs([told], TELEGRAM) != []
