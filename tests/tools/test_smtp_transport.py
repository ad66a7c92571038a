"""The way out by SMTP, over real sockets: what is taken, what is certainly not, and what nobody can say."""

import asyncio
import logging
import traceback
from base64 import b64encode
from datetime import timedelta

import pytest

from memory.dispatch import Witness
from memory.errors import BadInput, NotFound, OutOfReach
from tests.servers.smtp_server import POINTS, Fault, FaultySmtpServer, SmtpServer, certificate
from tools.smtp.submission import Submission
from tools.smtp.transport import SmtpTransport
from tools.transport import MaybeHanded, NotHanded, Outgoing

SECRET = "a password: ~ü$ of its own"
PATIENT = timedelta(seconds=10)
BRIEF = timedelta(milliseconds=80)

CONTENT = b"From: anna@example.org\r\nSubject: Rent\r\n\r\nHello Ben,\r\n.\r\n..two dots\r\nAnna\r\n"


def outgoing(*recipients: str, content: bytes = CONTENT, sender: str = "anna@example.org") -> Outgoing:
    return Outgoing(
        digest="d" * 64,
        key="<1@example.org>",
        content=content,
        sender=sender,
        recipients=recipients or ("ben@example.org",),
    )


def transport(server: SmtpServer | FaultySmtpServer, *, answer_for: timedelta = PATIENT, user: str = "", **more):
    tls = getattr(server, "tls", "none")
    at = Submission(host=server.host, port=server.port, tls=tls, user=user)
    more = {"trust": getattr(server, "trust", None), "verdict_for": answer_for, **more}
    return SmtpTransport(at, more.pop("secret", lambda: SECRET), answer_for=answer_for, **more)


async def sent(way: SmtpTransport, what: Outgoing):
    return await way.hand_over(what, await way.prepare(what))


# What arrives


@pytest.mark.parametrize("tls", ["starttls", "tls", "none"])
async def test_the_very_bytes_arrive_once_with_every_recipient(tls: str) -> None:
    async with SmtpServer(tls=tls, user="anna", password=SECRET) as server:
        handed = await sent(transport(server, user="anna"), outgoing("ben@example.org", "hidden@example.net"))
    assert [mail.content for mail in server.delivered] == [CONTENT]
    assert server.delivered[0].recipients == ("ben@example.org", "hidden@example.net")
    assert server.delivered[0].sender == "anna@example.org"
    assert handed.receipt == "<1@example.org>"
    assert "4711" in handed.said


async def test_large_mails_arrive_whole() -> None:
    content = b"Subject: all\r\n\r\n" + b"".join(b"%d.%s\r\n" % (n, b"x" * 900) for n in range(9000))
    async with SmtpServer() as server:
        await sent(transport(server), outgoing(content=content))
    assert server.delivered[0].content == content


@pytest.mark.parametrize("off", [(), ("PLAIN",), ("PLAIN", "LOGIN")], ids=["plain", "login", "none in common"])
async def test_one_sign_in_is_tried_and_no_more(off: tuple[str, ...]) -> None:
    async with SmtpServer(tls="starttls", user="anna", password="another", methods_off=off) as server:
        with pytest.raises(NotHanded) as refusal:
            await sent(transport(server, user="anna"), outgoing())
    assert refusal.value.trouble == "sign-in"
    assert not refusal.value.for_good, "after the owner has renewed the password it may go"
    assert len(server.attempts) == (0 if len(off) == 2 else 1)
    assert server.delivered == []


async def test_the_machine_does_not_tell_its_name() -> None:
    async with SmtpServer() as server:
        await sent(transport(server), outgoing())
    assert server.greeted == ["[127.0.0.1]"]


async def test_a_letter_outside_ascii_in_an_address_is_announced_where_the_server_knows_how() -> None:
    content = "To: jürgen@example.org\r\n\r\nHi\r\n".encode()
    async with SmtpServer() as server:
        await sent(transport(server), outgoing("jürgen@example.org", content=content))
        await sent(transport(server), outgoing())
    assert server.delivered[0].recipients == ("jürgen@example.org",)
    assert [("SMTPUTF8" in mail.options) for mail in server.delivered] == [True, False]


async def test_a_letter_outside_ascii_is_refused_for_good_where_the_server_knows_no_such_thing() -> None:
    async with SmtpServer(smtputf8=False) as server:
        with pytest.raises(NotHanded, match="outside ASCII") as refusal:
            await sent(transport(server), outgoing("jürgen@example.org"))
    assert refusal.value.for_good
    assert server.delivered == []


async def test_signing_in_can_be_tried_without_sending_anything() -> None:
    async with SmtpServer(tls="starttls", user="anna", password=SECRET, size_max=36 << 20) as server:
        assert await transport(server, user="anna").check() == "STARTTLS, mails up to 36 MB"
    assert server.delivered == []


# All or none


async def test_one_refused_recipient_means_that_nobody_gets_it() -> None:
    async with SmtpServer(refuses={"gone@example.org": "550 5.1.1 no such user"}) as server:
        with pytest.raises(NotHanded, match=r"gone@example\.org \(550 5\.1\.1 no such user\)") as refusal:
            await sent(transport(server), outgoing("ben@example.org", "gone@example.org", "carl@example.org"))
    assert (refusal.value.trouble, refusal.value.refused) == ("recipients", ("gone@example.org",))
    assert refusal.value.for_good
    assert server.delivered == []
    assert server.resets == 1


async def test_a_recipient_refused_for_now_may_be_tried_later() -> None:
    async with SmtpServer(refuses={"ben@example.org": "450 4.2.0 greylisted"}) as server:
        with pytest.raises(NotHanded) as refusal:
            await sent(transport(server), outgoing())
    assert not refusal.value.for_good
    assert server.delivered == []


@pytest.mark.parametrize(
    ("answer", "for_good"),
    [("451 4.3.0 later", False), ("421 4.3.2 closing", False), ("554 5.7.1 looks like spam", True)],
)
async def test_an_answer_to_the_whole_mail_that_says_no_is_certain(answer: str, *, for_good: bool) -> None:
    async with SmtpServer(answers=(answer,)) as server:
        with pytest.raises(NotHanded, match=answer[4:9]) as refusal:
            await sent(transport(server), outgoing())
    assert refusal.value.for_good == for_good
    assert server.delivered == []


async def test_a_mail_too_large_for_the_server_is_not_even_begun() -> None:
    async with SmtpServer(size_max=1000) as server:
        with pytest.raises(NotHanded, match="at most") as refusal:
            await sent(transport(server), outgoing(content=b"Subject: x\r\n\r\n" + b"x\r\n" * 1000))
    assert refusal.value.for_good


# The line breaks


BEFORE = [point for point in POINTS if point not in {"dot", "quit"}]


@pytest.mark.parametrize("does", ["cut", "reset", "half", "garbage", "hang"])
@pytest.mark.parametrize("at", BEFORE)
async def test_what_breaks_before_the_final_dot_was_certainly_not_sent(at: str, does: str) -> None:
    waits = BRIEF if does == "hang" else PATIENT
    # In the middle of the mail the server must break off before the rest is poured: more than any socket holds.
    content = CONTENT + b"x" * 70 + b"\r\n" + b"y\r\n" * (8 << 20) if at == "body" else CONTENT
    async with FaultySmtpServer(Fault(at, does)) as server:
        with pytest.raises(NotHanded) as failure:
            await sent(transport(server, answer_for=waits, user="anna"), outgoing(content=content))
    assert server.delivered == []
    assert not failure.value.for_good
    assert server.connections == 1


@pytest.mark.parametrize("delivers", [True, False], ids=["delivered", "lost"])
@pytest.mark.parametrize("does", ["cut", "reset", "half", "garbage", "hang", "354 go on"])
async def test_what_breaks_after_the_final_dot_may_have_been_sent(does: str, *, delivers: bool) -> None:
    waits = BRIEF if does == "hang" else PATIENT
    async with FaultySmtpServer(Fault("dot", does, delivers=delivers)) as server:
        way = transport(server, verdict_for=waits)
        with pytest.raises(MaybeHanded):
            await sent(way, outgoing())
        assert (await way.look(outgoing(), "<1@example.org>")).files_sent is False
    assert len(server.delivered) == delivers
    assert server.connections == 1, "nothing here tries twice"


@pytest.mark.parametrize("does", ["cut", "reset", "hang", "half", "garbage", "500 what?"])
async def test_what_goes_wrong_after_the_mail_was_taken_changes_nothing(does: str) -> None:
    async with FaultySmtpServer(Fault("quit", does)) as server:
        assert (await sent(transport(server), outgoing())).said == "250 2.0.0 taken"
    assert [mail.content for mail in server.delivered] == [CONTENT]


@pytest.mark.parametrize("at", ["greeting", "ehlo", "auth", "mail", "rcpt", "data"])
@pytest.mark.parametrize(("says", "trouble"), [("451 4.3.0 not now", "busy"), ("554 5.0.0 never", "refused")])
async def test_a_refusal_before_the_mail_is_certain(at: str, says: str, trouble: str) -> None:
    async with FaultySmtpServer(Fault(at, says)) as server:
        with pytest.raises(NotHanded) as failure:
            await sent(transport(server, user="anna"), outgoing())
    special = {("auth", "refused"): "sign-in", ("rcpt", "busy"): "recipients", ("rcpt", "refused"): "recipients"}
    assert failure.value.trouble == special.get((at, trouble), trouble)
    # Whom the server won't talk to at all may be let in tomorrow; what it won't take stays refused.
    assert failure.value.for_good == (trouble == "refused" and at in {"mail", "rcpt", "data"})
    assert server.delivered == []


async def test_a_server_that_refuses_in_the_middle_of_the_mail_is_heard() -> None:
    content = CONTENT + b"y\r\n" * (8 << 20)
    async with FaultySmtpServer(Fault("body", "552 5.3.4 too large")) as server:
        with pytest.raises(NotHanded, match="too large") as failure:
            await sent(transport(server), outgoing(content=content))
    assert failure.value.for_good


async def test_a_server_that_thanks_before_it_has_all_of_it_is_not_believed() -> None:
    content = CONTENT + b"y\r\n" * (8 << 20)
    async with FaultySmtpServer(Fault("body", "250 2.0.0 taken")) as server:
        with pytest.raises(MaybeHanded):
            await sent(transport(server), outgoing(content=content))


async def test_nobody_there_is_certain() -> None:
    async with SmtpServer() as server:
        way = transport(server)
    with pytest.raises(NotHanded) as failure:
        await sent(way, outgoing())
    assert failure.value.trouble == "unreachable"


async def test_a_stop_in_the_middle_leaves_no_socket_behind() -> None:
    async with FaultySmtpServer(Fault("dot", "hang", delivers=True)) as server:
        sending = asyncio.create_task(sent(transport(server), outgoing()))
        await server.got_all.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
    assert len(server.delivered) == 1


# Looking afterwards


@pytest.mark.parametrize(("filed", "expected"), [(True, "yes"), (False, "no"), (None, "unclear")])
async def test_one_looks_in_the_sent_mail_where_the_server_files_it_there(filed: bool | None, expected: str) -> None:
    asked = []

    async def is_filed(message_id: str) -> bool:
        asked.append(message_id)
        if filed is None:
            raise OutOfReach("the server is not there")
        return filed

    async with SmtpServer() as server:
        found = await transport(server, is_filed=is_filed).look(outgoing(), "<1@example.org>")
    assert found == Witness(sent=expected, witness="<1@example.org>" if filed else "")
    assert asked == ["<1@example.org>"]


# The line is safe, or nothing is said on it


async def test_a_server_without_the_declared_starttls_gets_neither_password_nor_mail() -> None:
    async with FaultySmtpServer() as server:
        at = Submission(host=server.host, port=server.port, tls="starttls", user="anna")
        with pytest.raises(NotHanded, match="STARTTLS"):
            await sent(SmtpTransport(at, lambda: SECRET), outgoing())
    assert not any(line.startswith(("AUTH", "MAIL")) for line in server.heard)
    assert server.delivered == []


@pytest.mark.parametrize("tls", ["starttls", "tls"])
@pytest.mark.parametrize("made_for", ["localhost", "elsewhere.example.org"], ids=["nobody trusts it", "another's"])
async def test_a_certificate_that_is_not_theirs_ends_it(tls: str, made_for: str) -> None:
    async with SmtpServer(tls=tls, user="anna", password=SECRET, made_for=made_for) as server:
        trust = None if made_for == "localhost" else server.trust
        with pytest.raises(NotHanded) as failure:
            await sent(transport(server, user="anna", trust=trust), outgoing())
    assert failure.value.trouble == "unsafe"
    assert server.attempts == []
    assert server.delivered == []


@pytest.mark.parametrize("host", ["mail.example.org", "192.0.2.1", "localhost.example.org", "127.0.0.1.example.org"])
def test_a_password_never_crosses_a_network_readably(host: str) -> None:
    with pytest.raises(BadInput, match="unprotected"):
        Submission(host=host, port=25, tls="none", user="anna")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "[::1]"])
def test_within_the_machine_it_may(host: str) -> None:
    assert Submission(host=host, port=25, tls="none", user="anna").user == "anna"


# Odd bytes


@pytest.mark.parametrize(
    "what",
    [
        outgoing("ben@example.org>\r\nRCPT TO:<eve@example.org"),
        outgoing("ben@example.org> NOTIFY=NEVER"),
        outgoing("ben@example.org\0"),
        outgoing(""),
        outgoing(sender="anna@example.org>\nDATA"),
        outgoing("ben\ud800@example.org"),
        outgoing(content=b"Subject: x\r\n\r\nHi\n.\nMAIL FROM:<eve@example.org>\r\n"),
        outgoing(content=b"Subject: x\r\n\r\nHi\r.\r\n"),
        outgoing(content=b"Subject: x\r\n\r\nHi"),
        Outgoing(digest="d", key="<1@x>", content=CONTENT, sender="a@x", recipients=()),
    ],
    ids=["crlf", "parameter", "nul", "empty", "sender", "half a character", "bare lf", "bare cr", "no end", "nobody"],
)
async def test_what_could_become_another_command_or_mail_never_gets_near_a_server(what: Outgoing) -> None:
    async with FaultySmtpServer() as server:
        with pytest.raises(BadInput):
            await transport(server).hand_over(what, "<1@example.org>")
    assert server.connections == 0


# The password


async def test_the_password_stands_in_no_error_no_log_and_no_repr(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    sent_as = b64encode(f"\0anna\0{SECRET}".encode()).decode()
    told = [
        Fault("auth", f"535 5.7.8 {SECRET} is wrong"),
        Fault("auth", f"500 what is AUTH PLAIN {sent_as}?"),
        Fault("mail", f"550 still, {SECRET} and {sent_as}"),
        Fault("rcpt", f"450 {sent_as}"),
        Fault("dot", f"554 {SECRET} {sent_as}"),
        Fault("dot", f"354 {SECRET} {sent_as}"),
    ]
    for fault in told:
        async with FaultySmtpServer(fault) as server:
            way = transport(server, user="anna")
            with pytest.raises((NotHanded, MaybeHanded)) as failure:
                await sent(way, outgoing())
        assert any(SECRET in line for line in server.heard), "it did go to the server"
        spelled = "".join(traceback.format_exception(failure.value)) + repr(way) + repr(vars(way))
        assert SECRET not in spelled
        assert sent_as not in spelled
    assert SECRET not in caplog.text
    assert sent_as not in caplog.text


async def test_a_password_that_cannot_be_had_sends_nothing() -> None:
    def locked() -> str:
        raise NotFound("there is no password for anna: stillbell account login anna")

    async with FaultySmtpServer() as server:
        with pytest.raises(NotHanded, match="account login") as failure:
            await sent(transport(server, user="anna", secret=locked), outgoing())
    assert failure.value.trouble == "sign-in"
    assert server.delivered == []


def test_a_foreign_certificate_is_made_for_this_run_alone() -> None:
    assert certificate() is certificate()
    assert certificate().key != certificate("another").key
