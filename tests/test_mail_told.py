"""Mail in the whole product: from a real mailbox to a card in Telegram, its buttons, and the reasons behind it."""

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from memory.ledger import Tables
from memory.owner import Language
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.hand import hand
from tests.product_room import TRIAGE, Product, open_product
from tests.servers import dovecot, pymap_server
from tests.servers.bot_api import texts
from tests.servers.mail_program import MailProgram
from tests.servers.messages_api import user_text
from tools.files.mail import read_mail
from tools.vault import Vault

JO = "Jo Baker <jo@baker.example>"
ANNA = "Anna Winter <anna@winter.example>"
ASKS = "Could you send me the contract by Friday?"


def a_mail(
    name: str, text: str = ASKS, *, sender: str = ANNA, to: str = JO, answers: str = "", at: datetime = NOW, **more: str
) -> bytes:
    """A whole mail with the Message-ID <name@winter.example>."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, to, more.pop("subject", f"About {name}")
    mail["Message-ID"], mail["Date"] = f"<{name}@winter.example>", at
    if answers:
        mail["In-Reply-To"] = mail["References"] = f"<{answers}@winter.example>"
    for header, value in more.items():
        mail[header.replace("_", "-")] = value
    mail.set_content(text)
    return mail.as_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


@dataclass
class Mailbox:
    """An account on a server, and whoever writes into it."""

    program: MailProgram
    port: int
    user: str
    password: str
    sent: str

    async def gets(self, *raws: bytes, at: datetime = NOW) -> None:
        """Mails come into the inbox."""
        await self.program.put("INBOX", *raws, at=at)

    async def sends(self, raw: bytes, *, at: datetime = NOW) -> None:
        """The owner sends one with their own mail program, which files it."""
        await self.program.put(self.sent, raw, at=at, flags=r"(\Seen)")


@pytest.fixture(scope="module")
def _dovecot() -> Iterator[dovecot.Dovecot]:
    with dovecot.running() as server:
        yield server


@pytest.fixture(params=["dovecot", "pymap"])
async def mailbox(request: pytest.FixtureRequest) -> AsyncIterator[Mailbox]:
    if request.param == "dovecot":
        server: dovecot.Dovecot = request.getfixturevalue("_dovecot")
        user, secret = server.new_user(), dovecot.PASSWORD
        yield Mailbox(MailProgram(server.port, user, secret), server.port, user, secret, "Ausgang")
        return
    async with pymap_server.running() as pymap:
        user, secret = pymap_server.USER, pymap_server.PASSWORD
        program = MailProgram(pymap.port, user, secret)
        await program.create("Sent")
        yield Mailbox(program, pymap.port, user, secret, "Sent")


def an_account(t: Tables, **settings: str) -> int:
    account = t.accounts.add(
        owner_id=1, name="home", kind="imap", identity="jo@baker.example", aliases=(), settings=settings, now=NOW
    )
    return account.id


async def connect(database: Path, box: Mailbox) -> None:
    """The account, as the command line makes it."""
    Vault(database.parent / "secrets").put("home", box.password)
    place = {"host": "127.0.0.1", "port": str(box.port), "tls": "none", "user": box.user}
    async with SqlLedger(database) as ledger:
        await ledger.write(lambda t: an_account(t, **place))


def judges(product: Product, **words: str) -> None:
    """The model's verdict on a mail whose subject has the word: `contract="notify"`."""
    for word, what in words.items():
        answer = json.dumps({"verdict": what, "consequence": 0.8, "reason": f"It is about the {word}."})
        product.provider.always(lambda body, word=word: word in subject_of(body), answer)


def subject_of(body: dict[str, Any]) -> str:
    return str(json.loads(user_text(body))["subject"]) if TRIAGE in json.dumps(body["system"]) else ""


@asynccontextmanager
async def opened(
    database: Path, clock: FakeClock, *, language: Language = "en", model: bool = True
) -> AsyncIterator[Product]:
    """With a mailbox of which nothing is asked: mail comes by `lands`."""
    async with SqlLedger(database) as ledger:
        account_id = await ledger.write(an_account)
        await ledger.write(lambda t: t.accounts.refused(account_id, "a test"))
    async with open_product(database, clock, model=model, language=language) as product:
        yield product


async def lands(product: Product, raw: bytes, *, folder: str = "INBOX", by_owner: bool = False) -> list[str]:
    """A mail as a source puts it into the ledger; what is said at once."""
    now = product.clock.now()

    def take(t: Tables) -> None:
        mail = read_mail(raw, now=now)
        kept = t.mails.keep(
            1, mail, now=now, account_id=1, uid=mail.fingerprint, folder=folder, by_owner=by_owner, is_read=False
        )
        assert isinstance(kept, int)
        signal = NewSignal(
            source="imap:home", kind="mail", source_id=mail.fingerprint, owner_id=1, payload={"mail": kept}
        )
        t.signals.publish(signal, now=now)

    before = {message["message_id"] for message in product.server.bot_messages()}
    await product.house.ledger.write(take)
    await product.settled()
    return texts(one for one in product.server.bot_messages() if one["message_id"] not in before)


# From a real mailbox


async def test_a_mail_with_a_consequence_pings_and_an_answer_from_any_program_ends_it(
    database: Path, clock: FakeClock, mailbox: Mailbox
) -> None:
    await connect(database, mailbox)
    await mailbox.gets(
        *(a_mail(f"old-{day}", at=NOW - timedelta(days=day)) for day in (1, 2, 3)), at=NOW - timedelta(days=1)
    )
    async with open_product(database, clock, model=True) as product:
        judges(product, contract="notify", old="notify")
        await product.until("SELECT 1 FROM signal_heads WHERE kind = 'review'")
        await product.settled()
        # The past pings nobody and is judged all the same.
        assert product.server.bot_messages() == []
        assert product.value("SELECT count(*) FROM mails") == 3
        told = product.rows("SELECT decided FROM decisions WHERE subject LIKE 'mail-thread%'")
        assert {how for (how,) in told} == {"hold", "keep"}

        await mailbox.gets(a_mail("contract"))
        await product.until("SELECT 1 FROM pieces WHERE key LIKE 'mail:%'")
        await product.settled()
        [card] = texts(product.server.bot_messages())
        assert card.splitlines() == [
            "Anna Winter (anna@winter.example) – About contract",
            ASKS,
            "If it waits: the deadline is on Friday, 6 March at 18:00",
            "Why now: It is about the contract.",
        ]
        assert product.labels()[:4] == ["Reply later", "Done", "Less like this", "Why"]

        # Somebody who writes the owner's address into From has answered nothing.
        await mailbox.gets(a_mail("spoof", "It is settled.", sender=JO, to=ANNA, answers="contract"))
        await product.until("SELECT 1 FROM mails WHERE subject = 'About spoof' AND by_owner = 0")
        await product.settled()
        assert product.server.bot_messages()[-1]["message_id"] == product.newest
        assert "You answered" not in product.text_of(product.newest)

        await mailbox.sends(a_mail("answer", "Here it is.", sender=JO, to=ANNA, answers="contract"))
        # Only the inbox is listened to; what comes there makes it look at all the folders.
        await mailbox.gets(a_mail("thanks", "Thanks!", sender="Tom Tall <tom@tall.example>"))
        await product.until("SELECT 1 FROM mails WHERE subject = 'About answer' AND by_owner = 1")
        await product.until("SELECT 1 FROM pieces WHERE key LIKE 'mail:answered:%' AND state = 'shown'")
        await product.settled()
        assert len(product.server.bot_messages()) == 1
        assert product.text_of(product.newest) == "You answered. Anna Winter (anna@winter.example) – About contract"
        assert product.labels() == []


async def test_a_second_start_over_the_same_mailbox_asks_no_model_and_changes_no_mail(
    database: Path, clock: FakeClock, mailbox: Mailbox
) -> None:
    await connect(database, mailbox)
    await mailbox.gets(a_mail("contract"), a_mail("thanks", "Thanks!"), at=NOW - timedelta(hours=1))
    tables = (
        "mails",
        "mail_people",
        "mail_threads",
        "mail_thread_ids",
        "verdicts",
        "verdict_reasons",
        "notices",
        "loops",
    )

    def kept(product: Product) -> dict[str, Any]:
        return {name: product.rows(f"SELECT * FROM {name}") for name in tables}

    async with open_product(database, clock, model=True) as product:
        judges(product, contract="hold", thanks="log")
        await product.until("SELECT 1 FROM signal_heads WHERE kind = 'review'")
        await product.settled()
        before, asked = kept(product), len(product.provider.requests)
        assert (len(before["mails"]), asked) == (2, 1)
    clock.advance(timedelta(minutes=1))
    async with open_product(database, clock, model=True) as product:
        await product.until("SELECT 1 FROM accounts WHERE seen_at > ?", "2026-03-02T09:00:59.000Z")
        with hand(database) as connection:
            connection.execute("INSERT INTO signals (source, kind, payload) VALUES ('hand', 'review', '{}')")
        await product.until("SELECT 1 FROM jobs WHERE kind = 'review' AND state = 'done' AND id > 1")
        await product.settled()
        assert kept(product) == before
        assert product.provider.requests == []


# The card


FOREIGN = (
    "**bold** _If it waits:_ `x` [Pay](https://evil.example/pay) https://evil.example @evilbot /forget evil.com "
    "<b>x</b> \u202eevil\u202c\n\n⚠ Stillbell: tap Done"
)


async def test_foreign_words_on_a_card_can_neither_format_nor_link_nor_command(
    database: Path, clock: FakeClock
) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify")
        raw = a_mail(
            "contract",
            f"Could you look at {FOREIGN}?",
            subject="contract " + FOREIGN.replace("\n", " "),
            sender='"Anna <b> /stop @evilbot [x](https://evil.example)" <anna@winter.example>',
        )
        [card] = await lands(product, raw)
        call = product.server.calls("sendMessage")[-1].params
        entities = [
            (
                one["type"],
                call["text"]
                .encode("utf-16-le")[2 * one["offset"] : 2 * (one["offset"] + one["length"])]
                .decode("utf-16-le"),
            )
            for one in call.get("entities", [])
        ]
        # Bold is the sender's name, italic what code says; all the rest is plain.
        assert [kind for kind, _ in entities] == ["bold", "italic", "italic"]
        assert [words for kind, words in entities if kind == "italic"] == ["If it waits:", "Why now:"]
        for live in ("https://", "@evilbot", " /forget", " /stop", "evil.com", "evil.example/", "\u202e", "\u202c"):
            assert live not in card
        lines = card.splitlines()
        assert len(lines) == 4
        assert [line.partition(":")[0] for line in lines[2:]] == ["If it waits", "Why now"]


async def test_a_name_as_long_as_a_line_hides_no_address(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify")
        [card] = await lands(product, a_mail("contract", sender=f'"{"Anna Winter " * 9}" <mallory@evil.example>'))
        assert "… (mallory@evil.example) – About contract" in card.splitlines()[0]


# Its buttons


async def test_reply_later_keeps_it_open_and_can_be_taken_back(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify")
        await lands(product, a_mail("contract"))
        assert await product.taps("Reply later") == "Kept open: reply to Anna Winter: About contract"
        assert product.loops == {"reply to Anna Winter: About contract": "open"}
        await product.taps("Undo")
        assert product.loops == {"reply to Anna Winter: About contract": "dropped"}


async def test_done_ends_what_waited_and_a_second_tap_does_nothing(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify", call="loop")
        await lands(product, a_mail("contract"))
        await lands(product, a_mail("call", "And could you call me?", answers="contract", subject="call"))
        assert list(product.loops.values()) == ["open"]
        card = product.message_with("Done")
        assert await product.taps("Done") == "Done: call"
        assert list(product.loops.values()) == ["done"]
        assert product.rows("SELECT told_in FROM notices WHERE urgency = 'hold'") == [("withdrawn",)]
        assert product.labels(card) == []


async def test_less_like_this_stops_the_pings_of_a_sender_until_it_is_taken_back(
    database: Path, clock: FakeClock
) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify")
        await lands(product, a_mail("contract-1"))
        card = product.message_with("Less like this")
        said = await product.taps("Less like this")
        assert said == "Mail from Anna Winter (anna@winter.example) won't ping you any more; it waits for the brief."
        assert await lands(product, a_mail("contract-2")) == []
        assert await product.taps("Undo", card) == "Mail from anna@winter.example may ping you again."
        assert len(await lands(product, a_mail("contract-3"))) == 1


async def test_less_like_this_does_not_silence_the_next_one_of_the_thread(database: Path, clock: FakeClock) -> None:
    """What offers to take it back stands where the card stood, and is none."""
    async with opened(database, clock) as product:
        judges(product, contract="notify")
        await lands(product, a_mail("contract-1"))
        await product.taps("Less like this")
        sarah = a_mail("contract-2", sender="Sarah Stone <sarah@stone.example>", answers="contract-1")
        assert len(await lands(product, sarah)) == 1


async def test_why_shows_the_reason_and_keeps_the_other_buttons(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify")
        await lands(product, a_mail("contract"))
        card = product.newest
        said = await product.taps("Why")
        assert said.startswith("Anna Winter (anna@winter.example) – About contract\n")
        assert "told at once, 80% consequence, by the model. It is about the contract." in said
        assert f"request: “{ASKS}”" in said
        assert "Why" not in product.labels(card)
        assert product.labels(card)[:3] == ["Reply later", "Done", "Less like this"]
        assert await product.taps("Done", card) == "Done: About contract"


async def test_a_card_of_threads_that_became_one_still_counts(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify", other="log")
        await lands(product, a_mail("other", subject="other"))
        [_] = await lands(product, a_mail("contract", answers="lost"))
        card = product.newest
        both = a_mail("lost", "Thanks!", answers="other", at=NOW - timedelta(hours=1))
        await lands(product, both)
        assert product.value("SELECT count(*) FROM mail_threads") == 1
        assert await product.taps("Done", card) == "Done: About contract"


# Why


async def test_why_answers_for_any_mail_also_the_silent_ones(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify", boat="log")
        await lands(product, a_mail("boat", "Could you see the boat?"))
        await lands(
            product, a_mail("own", "I wrote about the regatta.", sender=JO, to=ANNA), folder="Sent", by_owner=True
        )
        await lands(product, a_mail("contract"))
        [silent] = await product.says("/why boat")
        assert "About boat (today at 10:00)" in silent
        assert "only kept, 80% consequence, by the model. It is about the boat." in silent
        [own] = await product.says("/why regatta")
        assert own.endswith("You wrote this one.")
        card = product.message_with("Why")
        [replied] = await product.says("/why", reply_to=card)
        assert "told at once" in replied
        assert "boat" not in replied
        assert await product.says("/why zeppelin") == [
            "No mail of that kind was judged. /why and a name or a word of the subject shows what became of one."
        ]
        [usage] = await product.says("/why")
        assert usage.startswith("Reply with /why to a card")


async def test_why_says_of_what_was_never_judged_that_it_was_not(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        mail = read_mail(a_mail("archive", "About the old lighthouse.", at=NOW - timedelta(days=400)), now=NOW)
        await product.house.ledger.write(lambda t: t.mails.keep(1, mail, now=NOW))
        [said] = await product.says("/why lighthouse")
        assert "This one was not judged: it came from an archive" in said


async def test_the_reasons_let_no_foreign_word_out_of_its_quotation(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock, model=False) as product:
        words = "Could you pay at https://evil.example/x or **evil.com**, @evilbot, /forget by noon?"
        await lands(product, a_mail("hello", sender=JO, to=ANNA), folder="Sent", by_owner=True)
        await lands(product, a_mail("contract", words))
        [said] = await product.says("/why contract")
        call = product.server.calls("sendMessage")[-1].params
        assert {one["type"] for one in call.get("entities", [])} <= {"bold"}
        shown = "Could you pay at hxxps://evil[.]example/x or **evil[.]com**, (at)evilbot, / forget by noon?"
        # In the reason, and in what was found.
        assert said.count(shown) >= 2
        assert "https://" not in said


# What the owner wishes


WISHES: list[Any] = [
    pytest.param("en", "/quiet pings 3", "At most 3 pings a day.", id="pings"),
    pytest.param("de", "/quiet Meldungen 3", "Höchstens 3 Meldungen am Tag.", id="Meldungen"),
    pytest.param("en", "/quiet pings 999", "At most 50 pings a day.", id="too many"),
    pytest.param("en", "/quiet urgent Anna@Winter.example", "Mail from anna@winter.example may break quiet hours when it matters.", id="urgent"),
    pytest.param("de", "/quiet dringend anna@winter.example", "Mail von anna@winter.example darf die Ruhe brechen, wenn es darauf ankommt.", id="dringend"),
    pytest.param("en", "/quiet not urgent anna@winter.example", "Mail from anna@winter.example waits out quiet hours.", id="not urgent"),
    pytest.param("de", "/quiet nicht dringend anna@winter.example", "Mail von anna@winter.example wartet die Ruhezeit ab.", id="nicht dringend"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "words", "answer"), WISHES)
async def test_what_is_wished_of_interruptions_is_said_back(
    database: Path, clock: FakeClock, language: Language, words: str, answer: str
) -> None:
    async with opened(database, clock, language=language, model=False) as product:
        assert await product.says(words) == [answer]
        [(subject, decided)] = product.rows("SELECT subject, decided FROM decisions WHERE subject LIKE 'wish:%'")
        assert subject in ("wish:pings", "wish:urgent")
        assert "winter" not in f"{subject} {decided}"


async def test_the_wishes_hold_and_are_shown(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify")
        await product.says("/quiet pings 1")
        await product.says("/quiet urgent anna@winter.example")
        assert len(await lands(product, a_mail("contract-1"))) == 1
        assert await lands(product, a_mail("contract-2")) == []
        [shown] = await product.says("/quiet")
        assert "At most 1 pings a day; used today: 1." in shown
        assert "May break quiet hours: anna@winter.example." in shown
        await product.says("/quiet pings 5")
        clock.advance(timedelta(hours=13))
        assert len(await lands(product, a_mail("contract-3", at=clock.now()))) == 1
        await product.says("/quiet not urgent anna@winter.example")
        assert await lands(product, a_mail("contract-4", at=clock.now())) == []


@pytest.mark.parametrize(("language", "command"), [("en", "/quiet"), ("de", "/quiet")])
async def test_what_the_help_on_quiet_offers_is_understood(
    database: Path, clock: FakeClock, language: Language, command: str
) -> None:
    async with opened(database, clock, language=language, model=False) as product:
        [shown] = await product.says(command)
        offered = shown.splitlines()[-1].partition(": ")[2].split(", ")
        assert len(offered) == 3
        for words in offered:
            await product.says(words)
        assert len(product.rows("SELECT 1 FROM decisions WHERE subject LIKE 'wish:%'")) == 3


# Published by a hand


def by_hand(product: Product, payload: str) -> Callable[[], None]:
    def publish() -> None:
        with hand(product.settings.database) as connection:
            connection.execute("INSERT INTO signals (source, kind, payload) VALUES ('hand', 'mail', ?)", (payload,))

    return publish


async def test_a_mail_published_by_hand_is_judged_like_any_other(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify")
        mail = {"from": ANNA, "subject": "The contract", "snippet": ASKS}
        [card] = await product.after(by_hand(product, json.dumps(mail)))
        assert card.startswith(f"Anna Winter (anna@winter.example) – The contract\n{ASKS}\n")
        [said] = await product.says("/why contract")
        assert "told at once" in said
        plain = {"from": ANNA, "subject": "contract", "snippet": "The slides of the talk are attached."}
        assert len(await product.after(by_hand(product, json.dumps(plain)))) == 1
        bulk = {"from": "News <news@shop.example>", "subject": "contract", "snippet": "Sale!", "is_automated": True}
        assert await product.after(by_hand(product, json.dumps(bulk))) == []


@pytest.mark.parametrize(
    "payload",
    [
        "{}",
        "[]",
        '"text"',
        '{"from": null, "subject": null}',
        '{"from": 5, "subject": ["a", "b"], "snippet": {"c": 1}}',
        '{"from": "not an address at all <<>>", "subject": "contract"}',
        '{"from": "a@b.example\\r\\nBcc: x@y.example", "subject": "contract\\r\\nX: y", "to": "\\u0000"}',
        '{"from": "\\ud800 <a@b.example>", "subject": "\\udfff", "snippet": "\\ud83d"}',
        '{"from": "=?utf-8?b?////?=", "subject": "=?x?q?="}',
        '{"mail": 99}',
        '{"mail": -1}',
        '{"mail": true}',
        '{"mail": 1e400}',
        '{"mail": 99999999999999999999999}',
        json.dumps({"from": "A" * 90_000, "subject": "B" * 90_000, "snippet": "C" * 90_000}),
    ],
    ids=lambda payload: payload[:30],
)
async def test_whatever_a_hand_publishes_is_taken_for_what_it_is(
    database: Path, clock: FakeClock, payload: str
) -> None:
    async with opened(database, clock, model=False) as product:
        await product.after(by_hand(product, payload))
        assert product.rows("SELECT state, attempts FROM jobs WHERE kind = 'mail'") == [("done", 1)]
        assert product.rows("SELECT count(*) FROM decisions WHERE subject = 'signal:1'") == [(1,)]


async def test_a_job_that_runs_again_after_a_crash_judges_and_tells_once(database: Path, clock: FakeClock) -> None:
    async with opened(database, clock) as product:
        judges(product, contract="notify")
        await lands(product, a_mail("contract"))
        await product.after(by_hand(product, json.dumps({"from": ANNA, "subject": "contract", "snippet": ASKS})))
        before = (
            len(product.provider.requests),
            product.rows("SELECT * FROM verdicts"),
            len(product.server.bot_messages()),
        )
        assert before[0] == 2
        with hand(database) as connection:
            connection.execute("UPDATE jobs SET state = 'pending', finished_at = NULL WHERE kind = 'mail'")
        await product.settled()
        assert product.rows("SELECT attempts FROM jobs WHERE kind = 'mail'") == [(2,), (2,)]
        assert before == (
            len(product.provider.requests), product.rows("SELECT * FROM verdicts"), len(product.server.bot_messages()),
        )  # fmt: skip
