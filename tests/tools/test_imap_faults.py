"""A server that misbehaves is down, or asks for patience, or refuses the sign-in: it never hangs, floods or gives away."""

import asyncio
import threading
import traceback
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from memory.errors import StillbellError
from tests.contracts.mail_stage import IDENTITY, SINCE, letter
from tests.doubles.clock import FakeClock
from tests.servers.imap_script import Answer, Command, ScriptedImap, Talk, endless, raw, says
from tools.imap.access import Access
from tools.imap.source import POLL_FOR, ImapMail
from tools.mail import MailBatch
from tools.source import SignInRefused, SlowDown, SourceDown

SECRET = "not-a-real-token-but-as-long-as-one"
QUICK = timedelta(milliseconds=250)
PROMPTLY_SECONDS = 15


class Pauses(list[timedelta]):
    """What was paused for, gone by at once."""

    async def __call__(self, time_for: timedelta) -> None:
        self.append(time_for)
        await asyncio.sleep(0)


@asynccontextmanager
async def reading(
    server: ScriptedImap,
    *,
    timeout: timedelta = timedelta(seconds=20),
    secret: str = SECRET,
    pauses: Pauses | None = None,
) -> AsyncIterator[ImapMail]:
    access = Access(
        host="127.0.0.1", port=server.port, user=IDENTITY, secret=lambda: secret, tls="none", timeout=timeout
    )
    source = ImapMail(access, identity=IDENTITY, clock=FakeClock(), pausing=Pauses() if pauses is None else pauses)
    try:
        yield source
    finally:
        await source.close()


async def read(source: ImapMail, cursor: str | None = None) -> list[MailBatch]:
    return [batch async for batch in source.batches(cursor, since=SINCE, skips=lambda folder: False)]


ONE = (letter("one"),)

HEAD = b'* 1 FETCH (UID 1 FLAGS () INTERNALDATE "01-Mar-2026 10:00:00 +0000" '

NONSENSE: dict[str, tuple[str, Answer]] = {
    "greeting-is-garbage": ("GREETING", raw(b"\x00\xff\x00 hello?\r\n")),
    "greeting-is-http": ("GREETING", raw(b"HTTP/1.1 400 Bad Request\r\n\r\n")),
    "greeting-is-no-line": ("GREETING", raw(b"* OK", b"")),
    "hangs-up-at-once": ("GREETING", raw(b"")),
    "capabilities-are-no-ascii": ("CAPABILITY", raw("* CAPABILITY IMAP4rev1 Ü\r\n".encode(), b"")),
    "capabilities-are-another-protocol": ("CAPABILITY", raw(b"* CAPABILITY POP3\r\n", b"")),
    "endless-line": ("LIST", endless(b"x" * 65536)),
    "endless-lines": ("LIST", endless(b"* OK x\r\n" * 4096)),
    "endless-literals": ("LIST", raw(b"* LIST () ", *[b"{0}\r\n" * 4096] * 8)),
    "four-gigabytes": ("UID FETCH", raw(HEAD + b"BODY[] {4294967296}\r\nabc")),
    "a-size-of-many-digits": ("UID FETCH", raw(HEAD + b"BODY[] {" + b"9" * 5000 + b"}\r\nabc")),
    "hangs-up-in-a-mail": ("UID FETCH", raw(HEAD + b"BODY[] {400}\r\nabc", b"")),
    "says-goodbye": ("STATUS", raw(b"* BYE going down\r\n", b"")),
    "tag-of-nobody": ("STATUS", raw(b"XX99 OK done\r\n")),
    "answers-bad": ("STATUS", says("BAD what?")),
    "lists-no-folder": ("LIST", says("OK nothing")),
    "lists-nul-bytes": ("LIST", raw(b'* LIST () "/" IN\x00BOX\r\n* \x00\x00\r\n')),
    "refuses-the-list": ("LIST", says("NO not today")),
    "refuses-inbox": ("STATUS", says("NO [SERVERBUG] oh dear")),
}


@pytest.mark.parametrize("case", NONSENSE)
async def test_nonsense_is_a_server_that_is_down(case: str) -> None:
    verb, answer = NONSENSE[case]
    async with ScriptedImap({verb: answer}, mails=ONE) as server, reading(server) as source:
        async with asyncio.timeout(PROMPTLY_SECONDS):
            with pytest.raises(SourceDown):
                await read(source)


@pytest.mark.parametrize(
    ("verb", "answer"),
    [
        pytest.param("GREETING", raw(), id="no-greeting"),
        pytest.param("GREETING", endless(b"*", pause_seconds=0.02), id="greeting-drips"),
        pytest.param("LIST", raw(), id="silence"),
        pytest.param("LIST", endless(b"x", pause_seconds=0.02), id="a-line-drips"),
        pytest.param("LIST", endless(b"* OK x\r\n", pause_seconds=0.02), id="lines-drip"),
        pytest.param("UID FETCH", raw(HEAD + b"BODY[] {400}\r\nabc"), id="silence-in-a-mail"),
    ],
)
async def test_whoever_keeps_us_waiting_is_down_after_a_bounded_time_and_the_loop_goes_on(
    verb: str, answer: Answer
) -> None:
    turns = 0

    async def turning() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0.01)
            turns += 1

    async with ScriptedImap({verb: answer}, mails=ONE) as server, reading(server, timeout=QUICK) as source:
        task = asyncio.create_task(turning())
        async with asyncio.timeout(PROMPTLY_SECONDS):
            with pytest.raises(SourceDown):
                await read(source)
        task.cancel()
    assert turns > 5


async def test_after_a_step_that_was_cut_the_next_one_begins_afresh() -> None:
    drips = [endless(b"x", pause_seconds=0.02)]

    async def once(talk: Talk, command: Command) -> None:
        if drips:
            await drips.pop()(talk, command)
        await talk.ok(command, r'LIST () "/" INBOX')

    async with ScriptedImap({"LIST": once}, mails=ONE) as server, reading(server, timeout=QUICK) as source:
        with pytest.raises(SourceDown):
            await read(source)
        assert [len(batch.arrived) for batch in await read(source) if batch.arrived] == [1]


async def test_a_literal_of_four_gigabytes_is_refused_before_memory_is_set_aside() -> None:
    _, answer = NONSENSE["four-gigabytes"]
    tracemalloc.start()
    try:
        async with ScriptedImap({"UID FETCH": answer}, mails=ONE) as server, reading(server) as source:
            with pytest.raises(SourceDown, match="4294967296 bytes"):
                await read(source)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 32 * 1024 * 1024


async def test_a_mail_with_nul_bytes_comes_as_it_is() -> None:
    mail = b"Message-ID: <nul@example.net>\r\n\r\n\x00\x00\r\n\x00)\r\n"
    async with ScriptedImap(mails=(mail,)) as server, reading(server) as source:
        assert [one.raw for batch in await read(source) for one in batch.arrived] == [mail]


async def test_a_mail_that_the_server_itself_cannot_read_keeps_no_other_away() -> None:
    async def second_is_broken(talk: Talk, command: Command) -> None:
        wanted = command.rest.partition(" ")[0]
        if "BODY" in command.rest and wanted in ("2", "1:3"):
            await talk.write(f"{command.tag} NO [SERVERBUG] can't read it\r\n".encode())
            return
        first, _, last = wanted.partition(":")
        for uid in range(int(first), int(last or first) + 1):
            await talk.write(
                f"* {uid} FETCH (UID {uid} FLAGS () RFC822.SIZE 9 BODY[] {{9}}\r\nSubject:\n)\r\n".encode()
            )
        await talk.ok(command)

    async with ScriptedImap({"UID FETCH": second_is_broken}, mails=ONE * 3) as server, reading(server) as source:
        came = [mail.uid.rpartition(":")[2] for batch in await read(source) for mail in batch.arrived]
    assert came == ["1", "3"]


@pytest.mark.parametrize("verb", ["EXAMINE", "STATUS"])
@pytest.mark.parametrize("has_cursor", [False, True], ids=["first-reading", "news"])
async def test_a_folder_that_is_shut_for_a_while_is_read_once_it_opens(verb: str, has_cursor: bool) -> None:
    times = 1

    async def shut(talk: Talk, command: Command) -> None:
        nonlocal times
        if "Team" in command.rest and times:
            times -= 1
            await says("NO [NOPERM] not now")(talk, command)
            return
        await ScriptedImap(mails=server.mails).answer(talk, command)

    async def two_folders(talk: Talk, command: Command) -> None:
        await talk.ok(command, 'LIST () "/" INBOX', 'LIST () "/" Team')

    async with (
        ScriptedImap({"LIST": two_folders}, mails=() if has_cursor else ONE) as server,
        reading(server) as source,
    ):
        cursor = (await read(source))[-1].cursor if has_cursor else None
        server.mails = ONE
        server.answers[verb] = shut
        first = await read(source, cursor)
        second = await read(source, first[-1].cursor)
    came = [[mail.folder for batch in batches for mail in batch.arrived] for batches in (first, second)]
    assert came == [["INBOX"], ["Team"]]


PATIENT = {
    "limit": "NO [LIMIT] rate limit hit",
    "in-use": "NO [INUSE] mailbox in use",
    "unavailable": "NO [UNAVAILABLE] Temporary authentication failure. [mx:2026-03-02]",
    "too-many": "NO [ALERT] Too many simultaneous connections. (Failure)",
    "quota": "NO [OVERQUOTA] Account exceeded command or bandwidth limits.",
    "plain-words": "NO Temporary problem, please try again later",
}


@pytest.mark.parametrize("verb", ["AUTHENTICATE", "LIST", "STATUS", "EXAMINE", "UID SEARCH", "UID FETCH"])
@pytest.mark.parametrize("case", PATIENT)
async def test_whoever_asks_for_patience_gets_it(verb: str, case: str) -> None:
    async with ScriptedImap({verb: says(PATIENT[case])}, mails=ONE) as server, reading(server) as source:
        with pytest.raises(SlowDown) as asked:
            await read(source)
    assert timedelta(minutes=1) <= asked.value.wait_for <= timedelta(hours=1)


async def test_a_greeting_that_sends_us_away_asks_for_patience() -> None:
    farewell = raw(b"* BYE [UNAVAILABLE] too many connections\r\n", b"")
    async with ScriptedImap({"GREETING": farewell}) as server, reading(server) as source:
        with pytest.raises(SlowDown):
            await source.check()


@pytest.mark.parametrize(
    "words",
    [
        "NO [AUTHENTICATIONFAILED] Authentication failed.",
        "NO [AUTHENTICATIONFAILED] Invalid credentials, try again later",
        "NO [EXPIRED] That password is no longer valid",
        "NO [AUTHORIZATIONFAILED] not yours",
        "NO [ALERT] Application-specific password required",
        "NO LOGIN failed.",
    ],
)
async def test_a_refusal_is_the_owners_to_renew(words: str) -> None:
    async with ScriptedImap({"AUTHENTICATE": says(words)}) as server, reading(server) as source:
        with pytest.raises(SignInRefused, match="`stillbell accounts renew NAME`"):
            await source.check()


@pytest.mark.parametrize("words", ["BAD command unknown", "NO [SERVERBUG] oh dear"])
async def test_a_server_that_stumbles_over_the_sign_in_has_not_refused_it(words: str) -> None:
    async with ScriptedImap({"AUTHENTICATE": says(words)}) as server, reading(server) as source:
        with pytest.raises(SourceDown):
            await source.check()


@pytest.mark.parametrize("capabilities", ["IMAP4rev1 AUTH=PLAIN", "IMAP4rev1"], ids=["plain", "login"])
async def test_a_server_that_echoes_the_password_gives_nothing_away(capabilities: str) -> None:
    async def echo(talk: Talk, command: Command) -> None:
        said = command.rest
        if command.verb == "AUTHENTICATE":
            await talk.write(b"+ \r\n")
            said = await talk.line()
        await talk.write(f"{command.tag} NO bad command: {said} {SECRET}\r\n".encode())

    answers = {"AUTHENTICATE": echo, "LOGIN": echo}
    async with ScriptedImap(answers, capabilities=capabilities) as server, reading(server) as source:
        with pytest.raises(SignInRefused) as refused:
            await source.check()
    shown = "".join(traceback.format_exception(refused.value)) + repr(refused.value)
    assert SECRET not in shown
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None


@pytest.mark.parametrize("secret", ["two\r\nlines", "nul\0byte"])
async def test_a_password_that_would_end_the_line_is_never_sent(secret: str) -> None:
    async with ScriptedImap(capabilities="IMAP4rev1") as server, reading(server, secret=secret) as source:
        with pytest.raises(SignInRefused):
            await source.check()
        assert server.said == []


@pytest.mark.parametrize(("capabilities", "verb"), [("IMAP4rev1 AUTH=PLAIN", "AUTHENTICATE"), ("IMAP4rev1", "LOGIN")])
async def test_one_signs_in_by_what_the_server_offers(capabilities: str, verb: str) -> None:
    async with ScriptedImap(capabilities=capabilities) as server, reading(server, secret='pass "word" \\') as source:
        await source.check()
        assert server.said[1] == verb


async def test_a_password_is_not_sent_where_the_server_takes_none() -> None:
    async with ScriptedImap(capabilities="IMAP4rev1 LOGINDISABLED") as server, reading(server) as source:
        with pytest.raises(SignInRefused, match="isn't encrypted"):
            await source.check()
        assert "LOGIN" not in server.said


async def test_starttls_that_is_not_offered_is_not_done_without() -> None:
    async with ScriptedImap() as server:
        access = Access(host="127.0.0.1", port=server.port, user=IDENTITY, secret=lambda: SECRET, tls="starttls")
        source = ImapMail(access, identity=IDENTITY)
        with pytest.raises(SourceDown, match="STARTTLS"):
            await source.check()
        await source.close()
        assert server.said == ["CAPABILITY", "LOGOUT"]


async def test_without_idle_it_waits_a_minute_and_says_so() -> None:
    pauses = Pauses()
    async with ScriptedImap(capabilities="IMAP4rev1 AUTH=PLAIN") as server, reading(server, pauses=pauses) as source:
        assert any("every minute" in note for note in (await source.check()).notes)
        await read(source)
        await source.wait(timedelta(hours=1))
        await source.wait(timedelta(seconds=5))
    assert pauses[0] == POLL_FOR
    assert timedelta(seconds=4) < pauses[1] <= timedelta(seconds=5)


@pytest.mark.parametrize(
    "answer",
    [says("NO not now"), raw(b"* BYE bored\r\n", b""), raw(b"+ yes\r\n", b""), raw(b"+ yes\r\n* \x00\x00\r\n")],
    ids=["refused", "bye", "dropped", "nonsense"],
)
async def test_listening_that_breaks_off_falls_back_to_waiting(answer: Answer) -> None:
    pauses = Pauses()
    async with ScriptedImap({"IDLE": answer}) as server, reading(server, pauses=pauses) as source:
        await read(source)
        async with asyncio.timeout(PROMPTLY_SECONDS):
            await source.wait(timedelta(hours=1))
        assert pauses == [POLL_FOR]
        await read(source)


async def test_a_word_that_one_is_still_there_wakes_nobody() -> None:
    async def babble(talk: Talk, command: Command) -> None:
        await talk.write(b"+ listening\r\n* OK Still here\r\n* OK Still here\r\n* 0 RECENT\r\n")
        await talk.line()
        await talk.ok(command)

    pauses = Pauses()
    async with ScriptedImap({"IDLE": babble}) as server, reading(server, pauses=pauses) as source:
        await read(source)
        await source.wait(timedelta(milliseconds=200))
    assert pauses == []


async def test_no_thread_is_left_after_closing() -> None:
    async with ScriptedImap() as server, reading(server) as source:
        await source.check()
        (thread,) = [one for one in threading.enumerate() if one.name.startswith("imap ")]
    await asyncio.to_thread(thread.join, 10)
    assert not thread.is_alive()


async def test_a_bug_of_ours_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(answer: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr("tools.imap.mailbox.read_stamp", broken)
    async with ScriptedImap() as server, reading(server) as source:
        with pytest.raises(ZeroDivisionError):
            await source.check()


async def test_what_cannot_be_reached_is_down() -> None:
    async with ScriptedImap() as server:
        pass
    async with reading(server) as source:
        with pytest.raises(SourceDown, match="no connection"):
            await source.check()
        with pytest.raises(StillbellError):
            await read(source)
