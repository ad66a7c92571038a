"""The doors through which bytes of others come, each with a few good examples and what it may answer to bad ones.

A door that raises anything but what it declares, takes longer than it may, or breaks its own word (a chunk longer than a
message, HTML that runs something) has crashed.
"""

import json
import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from bot import choosing, settings
from bot.telegram.drawing import draw as draw_for_telegram
from bot.telegram.drawing import to_telegram
from bot.telegram.intake import take_in
from bot.telegram.pairing import Pairing, asker
from bot.telegram.reading import Heard, admit
from bot.terminal import wire
from bot.terminal.drawing import harmless
from bot.web.door import Asked, strange, unknown
from bot.web.drawing import draw as draw_for_web
from bot.web.drawing import plain as plain_for_web
from bot.web.intake import Intake
from bot.web.names import Names
from bot.web.token import kept
from evals.mutation import Mutator
from evals.samples import (
    BOT,
    CALLS,
    CLAIMS,
    EVENTS,
    LETTERS,
    LINES,
    MAILS,
    MBOX,
    OWNER,
    PAGES,
    PDF,
    POLICIES,
    REPLIES,
    RULES,
    SENTENCES,
    SETTINGS,
    UPDATES,
    ZONES,
)
from handlers import instinct
from memory import verdict
from memory.card import read_callback
from memory.clock import SystemClock
from memory.command.intent import from_plain, to_plain
from memory.command.parse import InThePast, Unsure, WhenMissing, parse
from memory.deeds import claims, without
from memory.defang import defang
from memory.errors import BadInput, NotFound, OutOfReach, StillbellError
from memory.file import is_text, safe_name
from memory.gathering import part_of
from memory.readable import in_words
from memory.search.line import best_line
from memory.search.query import read_query
from memory.signal import Signal
from memory.sql.ledger import SqlLedger
from memory.when.reader import read as read_times
from memory.when.recurrence import Recurrence
from tools.claude.gathering import ErrorEventError, GarbledStreamError, Gathering
from tools.files import mailbox
from tools.files.html import read_html
from tools.files.mail import UnreadableMail, read_mail
from tools.filetext import clean, decoded
from tools.filing import media_type_of
from tools.gate import Caller, Gate
from tools.model import ToolCall
from tools.pdftext import words_of as words_of_pdf
from tools.policy import load_policy
from tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class Door:
    """`make` makes a case, `take` is given it and may raise `answers`."""

    name: str
    make: Callable[[Mutator], Any]
    take: Callable[[Any], Awaitable[None] | None]
    answers: tuple[type[Exception], ...] = ()


class Doors:
    """Every door, over a ledger and a folder of their own."""

    def __init__(self, ledger: SqlLedger, folder: Path) -> None:
        self._ledger = ledger
        self._folder = folder
        self._token = kept(folder / "web.token")
        self._intake = Intake(ledger, SystemClock(), 1)
        self._gate = Gate(Toolbox(ledger, SystemClock()).tools(), ledger, SystemClock())

    def all(self) -> Sequence[Door]:
        """In a fixed order, so that a seed means the same run."""
        return (*self._chat(), *self._mail(), *self._words(), *self._model(), *self._settings())

    def _chat(self) -> Iterator[Door]:
        yield Door("telegram: one update", lambda m: m.value(UPDATES), _one_update)
        yield Door(
            "telegram: a batch on record", lambda m: [m.value(UPDATES) for _ in range(3)], self._batch, (OutOfReach,)
        )
        yield Door("button data", lambda m: m.text(["c:1:0123456789ab:undo", "c:99:ffffffffffff:pick:2"]), _callback)
        yield Door("wire: a request", lambda m: m.written(LINES), _request, (BadInput,))
        yield Door("wire: an answer", lambda m: m.written(LINES), _answer, (BadInput,))
        yield Door("web: a body", lambda m: m.written(LINES[3:5]), self._body, (BadInput, NotFound))
        yield Door("web: a head", _head, self._knock, (BadInput,))

    def _mail(self) -> Iterator[Door]:
        yield Door("mail", lambda m: m.data(MAILS), _mail, (UnreadableMail,))
        yield Door("mailbox", lambda m: m.data([MBOX]), self._mailbox, (BadInput,))
        yield Door("html of a mail", lambda m: m.text(PAGES), _page)
        yield Door("pdf", lambda m: m.data([PDF]), self._pdf)
        yield Door("text of a file", lambda m: m.data([*MAILS, PDF, "Größe".encode("utf-16")]), _file)

    def _words(self) -> Iterator[Door]:
        yield Door("markdown for Telegram", lambda m: m.text(LETTERS), _for_telegram)
        yield Door("markdown for the web", lambda m: m.text(LETTERS), _for_web)
        yield Door("defang", lambda m: m.text(LETTERS), _defang)
        yield Door("times", _sentence, _times)
        yield Door("commands", _sentence, _command)
        yield Door("rules of return", lambda m: m.text(RULES), _rule, (BadInput,))
        yield Door("search", lambda m: m.text([*SENTENCES, 'a AND "b" NEAR(c) OR -d* col:e']), self._search)

    def _model(self) -> Iterator[Door]:
        yield Door("tool arguments", lambda m: m.value(CALLS), self._call)
        yield Door("instinct's answer", lambda m: m.written(REPLIES), _instinct)
        yield Door("triage's answer", lambda m: m.written(REPLIES), _verdict)
        yield Door("claims of deeds", lambda m: m.text(CLAIMS), _claims)
        yield Door("a model's stream", _stream, _gathered, (ErrorEventError, GarbledStreamError))

    def _settings(self) -> Iterator[Door]:
        yield Door("settings.env", lambda m: m.data(SETTINGS), self._env, (StillbellError,))
        yield Door("settings of the environment", _variables, self._environment, (StillbellError,))
        yield Door("policy.toml", lambda m: m.data(POLICIES), self._policy, (BadInput,))

    async def _batch(self, updates: Any) -> None:
        now = datetime.now(UTC)
        await self._ledger.write(lambda t: take_in(t, updates, bot_id=BOT, pairing=None, now=now))

    async def _body(self, body: bytes) -> None:
        said = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive() -> Any:
            return next(said)

        request = Request({"type": "http", "method": "POST", "path": "/message", "headers": []}, receive)
        await (self._intake.tap(request) if b'"tap"' in body else self._intake.say(request))

    def _knock(self, head: Sequence[str | None]) -> None:
        asked = Asked(
            method="POST",
            host=head[0],
            origin=head[1],
            site=head[2],
            authorization=head[3],
            cookie=head[4],
            content_type=head[5] or "",
        )
        strange(asked, Names.of(8787))
        assert unknown(asked, self._token) is not None, "a stranger was let in"
        Names.of(8787, [head[0] or "a.example"])

    def _mailbox(self, data: bytes) -> None:
        path = self._folder / "box"
        path.write_bytes(data)
        for file in mailbox.survey(path).files:
            end = 0
            for mail in mailbox.read_from(file):
                assert end <= mail.start_byte < mail.end_byte, "places overlap"
                end = mail.end_byte

    def _pdf(self, data: bytes) -> None:
        path = self._folder / "file.pdf"
        path.write_bytes(data)
        found = words_of_pdf(str(path), 300, 200_000)
        assert "text" in found or "because" in found
        json.dumps(found).encode()

    async def _search(self, query: str) -> None:
        now = datetime.now(UTC)
        await self._ledger.read(lambda t: t.search.find(1, query, now=now))
        words = [word for term in read_query(query, now=now).terms for word in term.words]
        best_line(query * 3, lambda text: [(at, at + len(word)) for word in words if (at := text.find(word)) >= 0])

    async def _call(self, call: Any) -> None:
        call = call if isinstance(call, dict) else {}
        arguments, name = call.get("arguments"), call.get("name")
        made = ToolCall(
            "t", name if isinstance(name, str) else "loop_open", arguments if isinstance(arguments, dict) else {}
        )
        caller = Caller(agent="thinker", owner_id=1, turn_id=None, signal_id=None)
        result = await self._gate.attempt(caller).call(made)
        result.content.encode()

    def _env(self, data: bytes) -> None:
        (self._folder / "settings.env").write_bytes(data)
        with _environment({"STILLBELL_HOME": str(self._folder)}):
            _used(settings.load())

    def _environment(self, given: dict[str, str]) -> None:
        (self._folder / "settings.env").unlink(missing_ok=True)
        with _environment({"STILLBELL_HOME": str(self._folder)} | given):
            _used(settings.load())

    def _policy(self, data: bytes) -> None:
        path = self._folder / "policy.toml"
        path.write_bytes(data)
        try:
            load_policy(path)
        finally:
            path.unlink()


@contextmanager
def _environment(given: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    try:
        os.environ.update(given)
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _used(found: settings.Settings) -> None:
    _ = found.first_zone, found.first_language, found.host_name, found.secrets(), found.watchdog_for
    choosing.model(found)
    choosing.transcriber(found)
    Names.of(found.web_port, found.web_hosts.split(","))


def _variables(m: Mutator) -> dict[str, str]:
    """Values as the operating system would pass them on: no NUL, and undecodable bytes as half characters."""
    lines = [line.partition("=") for each in SETTINGS for line in each.decode().splitlines() if "=" in line]
    given = {name.split()[-1]: m.text([value]).replace("\0", "") for name, _, value in m.random.sample(lines, 3)}
    return {name: value.encode("utf-8", "replace").decode() for name, value in given.items()}


def _one_update(update: Any) -> None:
    if (person := asker(update)) is not None:
        Pairing("ABCD2345").try_code(person.said, fresh=lambda: "EFGH6789")
    found = admit(update, owner_telegram_id=OWNER, bot_id=BOT)
    if not isinstance(found, Heard):
        return
    payload = found.signal.payload
    json.dumps(payload).encode()
    now = datetime.now(UTC)
    signal = Signal(
        id=1, owner_id=1, source="t", kind=found.signal.kind, source_id="x", payload=payload, received_at=now
    )
    if found.signal.kind in ("message", "edit"):
        part_of(signal)
        for language in ("en", "de"):
            in_words(payload, language).encode()  # type: ignore[arg-type]


def _callback(data: str) -> None:
    read_callback(data)


def _request(line: bytes) -> None:
    wire.write(wire.read_request(line))


def _answer(line: bytes) -> None:
    said = wire.read_answer(line)
    if isinstance(said, wire.Said):
        harmless(said.text)


def _head(m: Mutator) -> list[str | None]:
    good = (
        "127.0.0.1:8787",
        "http://127.0.0.1:8787",
        "same-origin",
        "Bearer abc",
        "stillbell-8787=abc",
        "application/json",
    )
    # A header comes as bytes, each of which is a character.
    told = [m.text([part]).encode("latin-1", "replace").decode("latin-1") for part in good]
    return [None if m.random.random() < 0.1 else part for part in told]


def _mail(raw: bytes) -> None:
    mail = read_mail(raw, now=datetime.now(UTC))
    for text in (mail.subject, mail.text, *mail.faults):
        text.encode()


def _page(source: str) -> None:
    read_html(source)


def _file(data: bytes) -> None:
    clean(decoded(data)).encode()
    media_type_of(data[:16])
    name = data[:80].decode("utf-8", "surrogateescape")
    assert "/" not in safe_name(name, kind="document")
    is_text("", name)


def _for_telegram(text: str) -> None:
    for chunk in draw_for_telegram(text):
        said, entities = to_telegram(chunk)
        size = len(said.encode("utf-16-le")) // 2
        assert 0 < size <= 4096, f"{size} units in a chunk"
        assert len(entities) <= 100, "too many entities"
        assert all(e.offset >= 0 and e.length > 0 and e.offset + e.length <= size for e in entities), (
            "an entity sticks out"
        )


def _for_web(text: str) -> None:
    text = wire.clean(text)  # as the thread tells it
    for html in (draw_for_web(text), plain_for_web(text)):
        html.encode()
        assert not any(f"<{tag}" in html.lower() for tag in ("script", "img", "iframe", "svg", "style")), "HTML passed"


def _defang(text: str) -> None:
    once = defang(text, frozenset({"https://a.example"}))
    once.encode()


def _sentence(m: Mutator) -> list[Any]:
    """A text, when and where it is said."""
    moment = m.random.choice((m.random.randint(0, 4_102_444_800), 1_774_746_000, 1_792_888_200, 1_709_164_800))
    return [m.text(SENTENCES), moment, m.random.choice(ZONES), m.random.choice(("en", "de"))]


def _times(said: Sequence[Any]) -> None:
    text, moment, zone, language = said
    for mention in read_times(text, now=datetime.fromtimestamp(moment, UTC), zone=ZoneInfo(zone), language=language):
        assert text[mention.span[0] : mention.span[1]] == mention.text


def _command(said: Sequence[Any]) -> None:
    text, moment, zone, language = said
    found = parse(text, now=datetime.fromtimestamp(moment, UTC), zone=ZoneInfo(zone), language=language)
    if found is not None and not isinstance(found, Unsure | WhenMissing | InThePast):
        assert from_plain(json.loads(json.dumps(to_plain(found)))) == found


def _rule(text: str) -> None:
    rule = Recurrence.from_text(text)
    assert Recurrence.from_text(rule.to_text()) == rule
    rule.next_after(datetime(2026, 3, 2, 9, 0))  # noqa: DTZ001 - wall time


def _instinct(line: bytes) -> None:
    instinct.read(line.decode("utf-8", "replace")).reply.encode()


def _verdict(line: bytes) -> None:
    found = verdict.read(line.decode("utf-8", "replace"))
    assert 0.0 <= found.consequence <= 1.0
    found.reason.encode()


def _claims(text: str) -> None:
    found = claims(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    without(text, found)


def _stream(m: Mutator) -> list[Any]:
    kept_events = [event for event in EVENTS[:-1] if m.random.random() < 0.9]
    return [m.value([event]) if m.random.random() < 0.3 else event for event in kept_events]


def _gathered(events: Sequence[Any]) -> None:
    gathering = Gathering()
    for event in events:
        gathering.take(event)
    _ = gathering.stop, gathering.tokens, gathering.calls_and_raw()
    gathering.text.encode()
