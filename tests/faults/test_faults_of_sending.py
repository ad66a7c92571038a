"""Faults F2, F3, F4, F6, F12 and F14 of sending, end to end: what the provider took is once, or the owner is asked.

Whatever breaks, nothing is sent a second time by itself, and nothing that was approved ends without a word.
"""

import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from memory.approval import EXPIRES_FOR
from memory.dispatch import LOOK_FOR
from tests.doubles.clock import FakeClock
from tests.doubles.hand import hand
from tests.exit_room import ANNA, OLA, PASSWORD, Office, Outside, a_mail_to, letter, open_office
from tests.product_room import OWNER, TOKEN
from tests.servers.bot_api import BotApiServer
from tests.servers.google_faults import Cut, Half, Hang, Status
from tests.servers.google_faults import Fault as GoogleFault
from tests.servers.google_server import GoogleServer, google_server
from tests.servers.smtp_server import Fault, FaultySmtpServer, SmtpServer
from tools.google.token import TokenFile
from tools.google.wire import Wire
from tools.smtp.transport import SmtpTransport
from tools.vault import Vault

SENDS = "POST .*/drafts/send"
SHORT_S = 0.4

pytestmark = pytest.mark.usefixtures("impatient")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence counts as a lost answer after a moment."""
    short = timedelta(seconds=SHORT_S)
    for name in ("answer_for", "verdict_for"):
        monkeypatch.setitem(SmtpTransport.__init__.__kwdefaults__, name, short)
    for name in ("call_seconds", "silence_seconds"):
        monkeypatch.setitem(Wire.__init__.__kwdefaults__, name, SHORT_S)


@pytest.fixture
def google() -> Iterator[GoogleServer]:
    with google_server(OLA) as server:
        yield server


@pytest.fixture
async def telegram() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as running:
        yield running


@pytest.fixture
async def outside() -> AsyncIterator[Outside]:
    """A provider that outlives the product."""
    async with SmtpServer(user=OLA, password=PASSWORD) as server:
        yield Outside(server)


async def approves(office: Office, text: str = "Friday suits me.") -> None:
    await office.says(f"reply to Anna: {text}")
    await office.taps("Send")


async def looks_until_it_is_settled(office: Office) -> None:
    """The time in which looking may still find something, and a little more."""
    for _ in range(int(LOOK_FOR / timedelta(minutes=5)) + 1):
        await office.time_passes(timedelta(minutes=5))


# --- F2: a lost answer ---

LOST_SMTP: dict[str, tuple[Fault, str]] = {
    # what goes wrong, and the state in which it ends without anybody's word
    "unreachable before": (Fault("greeting", "cut"), "taken"),
    "cut in the middle of a mail so short that its end had gone": (Fault("body", "reset"), "unknown"),
    "cut before the answer, not taken": (Fault("dot", "cut"), "unknown"),
    "cut before the answer, taken": (Fault("dot", "cut", delivers=True), "unknown"),
    "half an answer, taken": (Fault("dot", "half", delivers=True), "unknown"),
    "half an answer, not taken": (Fault("dot", "half"), "unknown"),
    "rubbish for an answer, taken": (Fault("dot", "garbage", delivers=True), "unknown"),
    "silence, taken": (Fault("dot", "hang", delivers=True), "unknown"),
    "silence, not taken": (Fault("dot", "hang"), "unknown"),
    "refused for now": (Fault("dot", "451 4.3.0 later"), "taken"),
    "refused for good": (Fault("dot", "554 5.7.1 no"), "failed"),
}


@pytest.mark.parametrize(("fault", "state"), LOST_SMTP.values(), ids=LOST_SMTP)
async def test_fault_f2_by_smtp_an_answer_that_is_lost_is_asked_about_and_never_sent_again(
    database: Path, clock: FakeClock, fault: Fault, state: str
) -> None:
    async with FaultySmtpServer(fault) as server, open_office(database, clock, by=Outside(server)) as office:
        await approves(office)
        assert office.dispatches == [state]
        server.fault = None
        await looks_until_it_is_settled(office)
        taken = int(fault.delivers)
        match state:
            case "unknown":
                assert len(office.sent) == taken
                assert office.rows("SELECT count(*) FROM pieces WHERE key LIKE 'dispatch:%:unknown'") == [(1,)]
                assert "It is not sent again in any case." in office.whole_chat()
                await office.taps("It arrived" if taken else "It did not")
                assert office.dispatches == ["sent" if taken else "failed"]
                assert len(office.sent) == taken
            case "taken":
                # Nothing had been given away, so it went out by itself.
                assert (len(office.sent), office.dispatches) == (1, ["sent"])
            case "failed":
                assert office.sent == []
                assert "Not sent" in office.whole_chat()


LOST_GMAIL: dict[str, tuple[Callable[[], GoogleFault], str]] = {
    # what goes wrong, and the state in which it ends once it could be looked at
    "cut before the draft": (lambda: Cut("POST .*/drafts(\\?|$)"), "sent"),
    "cut after the draft": (lambda: Cut("POST .*/drafts(\\?|$)", done=True), "sent"),
    "cut before": (lambda: Cut(SENDS), "failed"),
    "cut after": (lambda: Cut(SENDS, done=True), "sent"),
    "half an answer": (lambda: Half(SENDS), "sent"),
    "silence": (lambda: Hang(SENDS), "failed"),
    "silence after": (lambda: Hang(SENDS, done=True), "sent"),
    "503 before": (lambda: Status(SENDS, code=503), "failed"),
    "503 after": (lambda: Status(SENDS, code=503, done=True), "sent"),
    "500 before": (lambda: Status(SENDS, code=500), "failed"),
    "refused for good": (lambda: Status(SENDS, code=400, reason="invalidArgument"), "failed"),
}


@pytest.mark.parametrize(("fault", "state"), LOST_GMAIL.values(), ids=LOST_GMAIL)
async def test_fault_f2_by_gmail_an_answer_that_is_lost_is_looked_up_and_never_sent_again(
    database: Path, clock: FakeClock, google: GoogleServer, fault: Callable[[], GoogleFault], state: str
) -> None:
    google.fail(fault())
    async with open_office(database, clock, by=Outside(google)) as office:
        await approves(office)
        await looks_until_it_is_settled(office)
        assert office.dispatches == [state]
        assert len(office.sent) == (state == "sent")
        assert google.asked("drafts/send") == 1
        if state == "failed":
            await office.taps("Ask again")
            assert len(office.sent) == 0
            await office.taps("Send")
            assert len(office.sent) == 1
            assert office.approvals == ["spent", "spent"]


async def test_fault_f2_what_did_not_leave_and_is_sent_after_all_is_another_mail(
    database: Path, clock: FakeClock
) -> None:
    async with (
        FaultySmtpServer(Fault("dot", "cut")) as server,
        open_office(database, clock, by=Outside(server)) as office,
    ):
        await approves(office)
        server.fault = None
        await office.taps("It did not")
        # The owner's word settles it; it sends nothing by itself.
        assert (office.sent, office.dispatches) == ([], ["failed"])
        await office.taps("Ask again")
        assert office.sent == []
        await office.taps("Send")
        assert [one.text for one in office.sent] == ["Friday suits me."]
        ids = office.rows("SELECT json_extract(envelope, '$.message_id') FROM drafts ORDER BY id")
        assert len(set(ids)) == 2


async def test_fault_f2_a_second_answer_to_the_question_counts_for_nothing(database: Path, clock: FakeClock) -> None:
    async with (
        FaultySmtpServer(Fault("dot", "cut", delivers=True)) as server,
        open_office(database, clock, by=Outside(server)) as office,
    ):
        await approves(office)
        where = office.card("It arrived")
        arrived, lost = (office.server.buttons(where)[label] for label in ("It arrived", "It did not"))
        for token in (arrived, lost, arrived):
            await office.after(lambda token=token: office.server.taps(where, token))
        assert office.dispatches == ["sent"]


# --- F3: asked for patience ---


async def test_fault_f3_google_is_left_alone_as_long_as_it_asks_for(
    database: Path, clock: FakeClock, google: GoogleServer
) -> None:
    google.fail(Status(SENDS, code=429, headers={"retry-after": "600"}, reason="rateLimitExceeded"))
    async with open_office(database, clock, by=Outside(google)) as office:
        await approves(office)
        assert office.dispatches == ["taken"]
        for minutes in (1, 4, 4):
            await office.time_passes(timedelta(minutes=minutes))
            assert google.asked("drafts/send") == 1
        await office.time_passes(timedelta(minutes=1, seconds=1))
        assert (len(office.sent), office.dispatches) == (1, ["sent"])
        # Nobody was troubled with it.
        assert "Not sent" not in office.whole_chat()


@pytest.mark.parametrize(
    "fault",
    [
        lambda: Status(SENDS, times=9, code=429, reason="rateLimitExceeded"),
        lambda: Status(SENDS, times=9, code=403, reason="userRateLimitExceeded"),
    ],
    ids=["429", "quota"],
)
async def test_fault_f3_when_it_asks_for_patience_too_often_the_owner_is_told_once_and_nothing_is_doubled(
    database: Path, clock: FakeClock, google: GoogleServer, fault: Callable[[], GoogleFault]
) -> None:
    google.fail(fault())
    async with open_office(database, clock, by=Outside(google)) as office:
        await approves(office)
        for _ in range(8):
            await office.time_passes(timedelta(minutes=11))
        assert (office.sent, office.dispatches) == ([], ["failed"])
        assert office.whole_chat().count("Not sent") == 1
        assert google.asked("drafts/send") <= 5


async def test_fault_f3_a_burst_of_451_keeps_order_and_doubles_nothing(database: Path, clock: FakeClock) -> None:
    mails = [letter(), letter(message_id="second@muster.example", subject="Other")]
    server = SmtpServer(user=OLA, password=PASSWORD, answers=("451 4.7.1 later",) * 3)
    async with server, open_office(database, clock, by=Outside(server), mails=mails) as office:
        for text in ("first", "second"):
            await approves(office, text)
        for _ in range(6):
            await office.time_passes(timedelta(minutes=3))
        assert sorted(one.text for one in office.sent) == ["first", "second"]
        assert office.dispatches == ["sent", "sent"]


# --- F4: signed out ---


async def test_fault_f4_a_revoked_grant_holds_what_was_approved_and_goes_on_after_the_new_sign_in(
    database: Path, clock: FakeClock, google: GoogleServer
) -> None:
    async with open_office(database, clock, by=Outside(google)) as office:
        google.revoke()
        await approves(office)
        assert office.sent == []
        assert "It is held until the account can send again." in office.whole_chat()
        asked = google.asked("/token")
        for _ in range(10):
            await office.time_passes(timedelta(minutes=2))
        # Nobody is asked again and again, and the owner is told once.
        assert google.asked("/token") == asked
        told = office.whole_chat()
        assert told.count("stillbell auth google work --send") == 1
        TokenFile(Vault(database.parent / "secrets"), "work", "send").write(google.grant(clock, "send"))
        await office.time_passes(timedelta(minutes=2))
        assert [one.text for one in office.sent] == ["Friday suits me."]
        assert (office.approvals, office.dispatches) == (["spent"], ["sent"])


async def test_fault_f4_a_wrong_password_is_tried_once_and_held_until_it_is_renewed(
    database: Path, clock: FakeClock
) -> None:
    server = SmtpServer(user=OLA, password="another-password")
    async with server, open_office(database, clock, by=Outside(server)) as office:
        await approves(office)
        for _ in range(10):
            await office.time_passes(timedelta(minutes=2))
        assert len(server.attempts) == 1
        assert office.sent == []
        Vault(database.parent / "secrets").put("work", "another-password")
        await office.time_passes(timedelta(minutes=2))
        assert (len(office.sent), office.dispatches) == (1, ["sent"])


async def test_fault_f4_without_a_grant_a_yes_waits_and_without_one_for_long_it_expires(
    database: Path, clock: FakeClock, google: GoogleServer
) -> None:
    async with open_office(database, clock, by=Outside(google)) as office:
        await office.says("reply to Anna: Friday suits me.")
        vault = Vault(database.parent / "secrets")
        vault.drop("work")
        await office.taps("Send")
        await office.time_passes(timedelta(minutes=3))
        assert "something you approved has not left for two minutes" in office.whole_chat()
        await office.time_passes(EXPIRES_FOR)
        assert (office.sent, office.approvals) == ([], ["expired"])
        TokenFile(vault, "work", "send").write(google.grant(clock, "send"))
        await office.time_passes(timedelta(minutes=5))
        assert office.sent == []
        assert office.card("Ask again")


# --- F6: updates twice, out of order, and many ---


async def test_fault_f6_taps_that_come_twice_and_shuffled_send_each_letter_once(
    database: Path, clock: FakeClock, telegram: BotApiServer, outside: Outside
) -> None:
    mails = [letter(message_id=f"{n}@muster.example", subject=f"S{n}") for n in range(3)]
    chance = random.Random(6)
    async with open_office(database, clock, by=outside, mails=mails, server=telegram) as office:
        for number in range(3):
            await office.proposes(a_mail_to(ANNA, body=f"letter {number}"), answers_id=number + 1)
        cards = office.cards()
        recorded = [office.server.taps(card, label="Send") for card in cards]
        await office.settled()
        for update in chance.sample(recorded * 3, 9):
            office.server.redeliver(update)
        await office.settled()
        assert sorted(one.text for one in office.sent) == ["letter 0", "letter 1", "letter 2"]
    # And once more at a new start, with the offset lost.
    with telegram_forgets(database):
        for update in recorded:
            telegram.redeliver(update)
        async with open_office(database, clock, by=outside, furnished=True, server=telegram) as office:
            await office.settled()
            assert len(outside.sent) == 3
            assert office.dispatches == ["sent"] * 3


@contextmanager
def telegram_forgets(database: Path) -> Iterator[None]:
    """The place up to which updates were read is gone."""
    with hand(database) as connection:
        connection.execute("DELETE FROM cursors WHERE name LIKE 'telegram:%'")
    yield


async def test_fault_f6_two_thousand_updates_at_the_start_hold_one_tap_among_them(
    database: Path, clock: FakeClock, telegram: BotApiServer, outside: Outside
) -> None:
    async with open_office(database, clock, by=outside, server=telegram) as office:
        await office.says("reply to Anna: Friday suits me.")
        card = office.card()
    token = telegram.buttons(card)["Send"]
    for number in range(2000):
        if number % 20 == 0:
            telegram.taps(card, token)
        else:
            telegram.push_raw({"message": {"message_id": 10_000 + number, "date": 1, "chat": {"id": 7, "type": "private"},
                                           "from": {"id": 7, "is_bot": False, "first_name": "x"}, "text": "send it"}})  # fmt: skip
    async with open_office(database, clock, by=outside, furnished=True, server=telegram) as office:
        await office.settled(within_s=60)
        assert len(outside.sent) == 1
        assert office.dispatches == ["sent"]


# --- F12: the clock ---

DAY = timedelta(days=1)


@pytest.mark.parametrize("jump", [-DAY, DAY, timedelta(hours=-1), timedelta(minutes=70)], ids=str)
async def test_fault_f12_a_clock_that_jumps_while_something_is_on_its_way_sends_it_once_or_asks(
    database: Path, clock: FakeClock, jump: timedelta
) -> None:
    async with (
        FaultySmtpServer(Fault("greeting", "cut")) as server,
        open_office(database, clock, by=Outside(server)) as office,
    ):
        await approves(office)
        assert office.dispatches == ["taken"]
        server.fault = None
        clock.advance(jump)
        for _ in range(4):
            await office.time_passes(timedelta(minutes=1))
        if jump > timedelta(hours=1):
            # Later the owner may think otherwise.
            assert (office.sent, office.dispatches) == ([], ["failed"])
            assert office.card("Ask again")
        else:
            assert (len(office.sent), office.dispatches) == (1, ["sent"])
        clock.advance(-jump)
        await office.time_passes(timedelta(minutes=5))
        assert len(office.sent) <= 1


# --- F14: away ---


async def test_fault_f14_after_36_hours_off_an_open_card_is_shown_again_and_none_is_assumed(
    database: Path, clock: FakeClock, telegram: BotApiServer, outside: Outside
) -> None:
    async with open_office(database, clock, by=outside, server=telegram) as office:
        await office.time_passes(timedelta(0))
        await office.says("reply to Anna: Friday suits me.")
        card = office.card()
    telegram.taps(card, label="Send")
    # Telegram keeps what was done for a day.
    telegram.updates.forget_all()
    clock.advance(timedelta(hours=36))
    async with open_office(database, clock, by=outside, furnished=True, server=telegram) as office:
        await office.time_passes(timedelta(0))
        assert (office.sent, office.approvals) == ([], ["asked"])
        assert office.cards() == [office.card()]
        assert office.card() != card
        await office.taps("Send")
        assert len(office.sent) == 1


async def test_fault_f14_after_eight_days_off_nothing_old_leaves_and_what_expired_says_so_once(
    database: Path, clock: FakeClock, telegram: BotApiServer
) -> None:
    mails = [letter(), letter(message_id="second@muster.example", subject="Other")]
    server = SmtpServer(user=OLA, password="another-password")
    async with server:
        async with open_office(database, clock, by=Outside(server), mails=mails, server=telegram) as office:
            await office.time_passes(timedelta(0))
            outside = office.outside
            await approves(office, "held for want of a password")
            await office.says("reply to Anna: asked and never answered")
            assert office.approvals == ["spent", "asked"]
        clock.advance(timedelta(days=8))
        Vault(database.parent / "secrets").put("work", "another-password")
        async with open_office(database, clock, by=outside, furnished=True, server=telegram) as office:
            for _ in range(3):
                await office.time_passes(timedelta(minutes=5))
            assert office.sent == []
            assert (office.approvals, office.dispatches) == (["spent", "expired"], ["failed"])
            assert len(office.cards("Ask again")) == 2
            assert office.cards() == []


async def test_fault_f14_a_storm_of_restarts_sends_what_is_held_once(
    database: Path, clock: FakeClock, telegram: BotApiServer
) -> None:
    server = SmtpServer(user=OLA, password="another-password")
    async with server:
        async with open_office(database, clock, by=Outside(server), server=telegram) as office:
            outside = office.outside
            await approves(office)
        for number in range(8):
            if number == 5:
                Vault(database.parent / "secrets").put("work", "another-password")
            clock.advance(timedelta(minutes=2))
            async with open_office(database, clock, by=outside, furnished=True, server=telegram) as office:
                await office.settled()
                assert len(office.sent) == (number >= 5)
        assert office.dispatches == ["sent"]
        # One sign-in at each start and no more: a server counts them.
        assert len(server.attempts) <= 7


# --- what else may happen on the way ---


async def test_fault_f1_what_was_set_aside_is_taken_up_again_by_the_watch(
    database: Path, clock: FakeClock, outside: Outside
) -> None:
    """A job that was running at three deaths of the process is set aside; what it was to send is not forgotten for that."""
    async with open_office(database, clock, by=outside) as office:
        outside.server.answers.append("451 4.3.0 later")  # type: ignore[union-attr]
        await approves(office)
        assert office.dispatches == ["taken"]
        with hand(database) as connection:
            connection.execute("UPDATE jobs SET state = 'parked', finished_at = created_at WHERE kind = 'dispatch'")
        await office.time_passes(timedelta(minutes=10))
        assert office.sent == []
        await office.time_passes(timedelta(minutes=6))
        assert (len(office.sent), office.dispatches) == (1, ["sent"])
        assert office.whole_chat().count("for a quarter of an hour it has been unclear") == 1


@pytest.mark.parametrize(
    ("fault", "state"),
    [(Fault("greeting", "cut"), "unknown"), (Fault("dot", "cut", delivers=True), "unknown")],
    ids=["begun", "handed over"],
)
async def test_fault_f2_an_account_that_sends_in_another_way_now_is_no_reason_to_send_again(
    database: Path, clock: FakeClock, google: GoogleServer, fault: Fault, state: str
) -> None:
    async with (
        FaultySmtpServer(fault, strikes=1) as server,
        open_office(database, clock, by=Outside(server), google_url=google.url) as office,
    ):
        await approves(office)
        with hand(database) as connection:
            connection.execute("UPDATE accounts SET kind = 'google'")
        TokenFile(Vault(database.parent / "secrets"), "work", "send").write(google.grant(clock, "send"))
        for _ in range(3):
            await office.time_passes(timedelta(minutes=7))
        assert office.dispatches == [state]
        assert google.gmail.sendings == []
        assert len(office.sent) == int(fault.delivers)
        assert office.card("It arrived")


async def test_fault_f2_what_a_provider_says_is_a_quotation_and_no_markup_of_ours(
    database: Path, clock: FakeClock
) -> None:
    said = "554 5.7.1 **Sent** [look](https://evil.example/) ✓ `Send this mail?`"
    async with (
        FaultySmtpServer(Fault("dot", said)) as server,
        open_office(database, clock, by=Outside(server)) as office,
    ):
        await approves(office)
        message = office.server.message(office.card("Ask again"))
        assert message is not None
        assert "**Sent** [look](https://evil.example/)" in message["text"]
        assert not {"text_link", "url"} & {entity["type"] for entity in message["entities"]}
