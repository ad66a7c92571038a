"""Promises in chats that are brought in, on the real ledger: one door with mail, asked once, and gone with their message."""

import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from handlers import promise_tap
from handlers.said import MessagesSaid
from handlers.scene import Reply, Scene
from memory.card import Card
from memory.job import Job
from memory.ledger import Tables
from memory.loop import Loop
from memory.mail import Attachment, KeptMail
from memory.piece import Piece
from memory.search.document import Document
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import FakeClock
from tests.doubles.hand import rows
from tests.doubles.judged import an_account
from tests.doubles.letters import BERLIN, NOW, a_reply
from tests.doubles.spoken import publish
from tests.tools.test_judge import Posted
from tools import promised
from tools.corpora.following import SAID, Following
from tools.corpora.kind import kind_of, place_of
from tools.exclusions import ExclusionFile
from tools.incoming import erase_covered
from tools.promising import CARDS_MAX, Promising

ME, ANNA, TOM = "Jo Baker", "Anna Winter", "Tom"
ASKS = (ANNA, "Can you send me the deck?")
DECK = "deck.pdf (file attached)"


class Phone:
    """The owner's chats, exported again and again. It is Monday, eleven in Berlin; a line a minute from ten on."""

    def __init__(self, ledger: SqlLedger, database: Path, folder: Path) -> None:
        self.ledger = ledger
        self.database = database
        self.folder = folder
        self.clock = FakeClock(NOW)
        self.posted = Posted()
        self.promising = Promising(ledger, self.posted, self.clock)
        self._taps = 0

    async def brings(self, *lines: tuple[str, str], chat: str = ANNA, at: datetime | None = None) -> list[Piece]:
        """An export of WhatsApp is brought in, and what came of it is read; what is shown."""
        wall = (at or NOW - timedelta(hours=1)) + timedelta(hours=2)
        text = "".join(
            f"{wall + timedelta(minutes=number):%d.%m.%y, %H:%M} - {who}: {said}\n"
            for number, (who, said) in enumerate(lines)
        )
        path = self.folder / f"WhatsApp Chat with {chat}.txt"
        path.write_text(text)
        return await self.follows("whatsapp", path)

    async def follows(self, kind: str, path: Path) -> list[Piece]:
        place = place_of(kind_of(path, kind), path)
        await Following(place, ledger=self.ledger, owner_id=1, clock=self.clock, me=(ME,)).look()
        return await self.reads()

    async def reads(self) -> list[Piece]:
        """The jobs that the signals asked for are done."""
        before = len(self.posted.pieces)
        handler = MessagesSaid(self.ledger, self.promising, self.clock)
        for job in await self.ledger.write(lambda t: t.jobs.round((), take={"inline": 0, "background": 9}, now=NOW)):
            if job.kind == SAID:
                await handler(job)
        return self.posted.pieces[before:]

    async def asks(self) -> list[list[str]]:
        """What is asked about, the newest first."""
        some = await self.ledger.read(lambda t: promised.standing(t, 1, self.clock.now()))
        return [[promise.matter for _, promise in one.items] for one in some]

    async def taps(self, choice: str) -> Reply:
        """The owner taps a button of the newest card."""

        def work(t: Tables) -> Reply:
            (one, *_) = promised.standing(t, 1, self.clock.now())
            stored = t.cards.open_about(1, one.subject)
            assert stored is not None
            assert t.cards.decide(stored.id, choice, now=self.clock.now())
            reply = promise_tap.act(t, stored.card, choice, self.scene(t))
            if isinstance(reply, Card):
                t.cards.put(reply, owner_id=1, now=self.clock.now())
            return reply

        return await self.ledger.write(work)

    def scene(self, t: Tables) -> Scene:
        self._taps += 1
        signal_id = publish(t, f"tap {self._taps}", kind="tap")
        now = self.clock.now()
        return Scene(owner=t.owners.get(), now=now, signal_id=signal_id, turn_id=0, because="the owner tapped")

    async def sends_mail(self, letter: KeptMail) -> list[Piece]:
        before = len(self.posted.pieces)
        mail_id = await self.ledger.write(lambda t: t.mails.keep(1, letter.mail, now=self.clock.now(), by_owner=True))
        assert isinstance(mail_id, int)
        await self.promising.of_mail(mail_id)
        return self.posted.pieces[before:]

    async def loops(self) -> list[Loop]:
        numbers = [number for (number,) in rows(self.database, "SELECT id FROM loops ORDER BY id")]
        found = await self.ledger.read(lambda t: [t.loops.get(number) for number in numbers])
        return [loop for loop in found if loop is not None]

    def reasons(self, decided: str) -> list[str]:
        found = rows(self.database, "SELECT because FROM decisions WHERE decided = ? ORDER BY id", decided)
        return [because for (because,) in found]


@pytest.fixture
async def phone(database: Path, tmp_path: Path) -> AsyncIterator[Phone]:
    (tmp_path / "chats").mkdir()
    async with SqlLedger(database) as ledger:
        await ledger.write(an_account)
        yield Phone(ledger, database, tmp_path / "chats")


# ── asking ────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_short_answer_promises_what_was_asked_and_quotes_only_the_owner(phone: Phone) -> None:
    (piece,) = await phone.brings(ASKS, (ME, "Will do tonight"))
    assert piece.silent
    assert piece.text.splitlines() == [
        "**Did you promise this?** To Anna Winter: WhatsApp",
        "**send you the deck** – today at 20:00",
        "_Anna Winter: “Can you send me the deck?”_",
        "_“Will do tonight”_",
    ]
    await phone.taps("keep.0")
    (loop,) = await phone.loops()
    assert (loop.kind, loop.title, str(loop.remind_at_wall)) == (
        "promise", "send you the deck (Anna Winter)", "2026-09-07 20:00:00",
    )  # fmt: skip


async def test_what_is_asked_for_by_a_day_is_promised_by_that_day(phone: Phone) -> None:
    await phone.brings((ANNA, "Kannst du mir das Angebot bis Freitag schicken?"), (ME, "mach ich"))
    (one,) = await phone.ledger.read(lambda t: promised.standing(t, 1, NOW))
    ((_, promise),) = one.items
    assert (promise.action, promise.due, promise.quote) == ("dir das Angebot schicken", "bis Freitag", "mach ich")
    assert promise.due_at is not None
    assert promise.due_at.astimezone(BERLIN).date().isoformat() == "2026-09-11"


@pytest.mark.parametrize(
    ("lines", "chat"),
    [
        pytest.param([(ANNA, "have a great trip"), (ME, "will do! you too")], ANNA, id="thanks for a wish"),
        pytest.param([(ME, "on it")], ANNA, id="answers nothing"),
        pytest.param([(ANNA, "post it!"), (ME, "I'll send you all the pictures lol")], ANNA, id="a laugh"),
        pytest.param([(ANNA, "what can I get you"), (ME, "I'll take a beer and a pizza")], ANNA, id="an order"),
        pytest.param([(ANNA, "I'll send it tonight"), (ME, "great")], ANNA, id="the other's"),
        pytest.param([(ANNA, "x"), (ME, "> I'll send it tonight")], ANNA, id="a quotation"),
        pytest.param([(ME, "I'll call the bank tomorrow")], "Jo Baker", id="to oneself"),
        pytest.param([("Stillbell", "Noted."), (ME, "I'll call Anna tomorrow")], "Stillbell", id="to Stillbell"),
    ],
)
async def test_of_this_nothing_is_asked(phone: Phone, lines: list[tuple[str, str]], chat: str) -> None:
    assert await phone.brings(*lines, chat=chat) == []
    assert await phone.asks() == []


async def test_in_a_group_it_is_promised_to_whoever_is_answered(phone: Phone) -> None:
    (piece,) = await phone.brings(
        (TOM, "hi"), (ANNA, "who books the room?"), (ME, "I'll book the room on Friday"), chat="Book club"
    )
    assert piece.text.splitlines()[0] == "**Did you promise this?** To Anna Winter: WhatsApp, Book club"


async def test_two_promises_of_a_message_are_asked_about_on_one_card(phone: Phone) -> None:
    await phone.brings((ANNA, "hi"), (ME, "I'll send you the deck tonight\nI'll call the landlord tomorrow"))
    assert await phone.asks() == [["send you the deck", "call the landlord"]]


async def test_words_that_were_passed_on_are_somebody_elses(phone: Phone) -> None:
    said = {"type": "message", "date_unixtime": str(int(NOW.timestamp()) - 60), "from": ME, "from_id": "user7"}
    theirs = {"type": "message", "date_unixtime": str(int(NOW.timestamp()) - 90), "from": ANNA, "from_id": "user8"}
    words = "I'll send you the deck tonight"
    messages = [
        theirs | {"id": 1, "text": "hi"},
        said | {"id": 2, "text": words, "forwarded_from": TOM},
        said | {"id": 3, "text": "I'll call the landlord"},
    ]
    export = {
        "personal_information": {"user_id": 7},
        "chats": {"list": [{"name": ANNA, "type": "personal_chat", "id": 8, "messages": messages}]},
    }
    path = phone.folder / "result.json"
    path.write_text(json.dumps(export))
    await phone.follows("telegram", path)
    assert await phone.asks() == [["call the landlord"]]


# ── once ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_same_export_again_asks_nothing_again(phone: Phone) -> None:
    await phone.brings(ASKS, (ME, "Will do tonight"))
    assert await phone.brings(ASKS, (ME, "Will do tonight")) == []
    assert await phone.brings(ASKS, (ME, "Will do tonight"), (ANNA, "thanks")) == []
    assert await phone.asks() == [["send you the deck"]]


async def test_a_job_that_runs_again_asks_nothing_again(phone: Phone) -> None:
    await phone.brings(ASKS, (ME, "Will do tonight"))
    payload = rows(phone.database, "SELECT payload FROM signal_payloads WHERE payload LIKE '%refs%'")[0][0]
    await phone.promising.of_messages(1, json.loads(payload)["refs"])
    assert len(phone.posted.pieces) == 1
    assert phone.reasons("asked") == phone.reasons("asked")[:1]


async def test_an_edited_message_is_asked_about_as_it_is_now_in_the_same_place(phone: Phone) -> None:
    (card,) = await phone.brings(ASKS, (ME, "I'll send you the plans tonight"))
    (redrawn,) = await phone.brings(ASKS, (ME, "I'll send you the budget tonight"))
    assert redrawn.amends == card.parts
    assert await phone.asks() == [["send you the budget"]]
    (gone,) = await phone.brings(ASKS, (ME, "hm, no idea where that is"))
    assert gone.text == "You have changed what you wrote: nothing is promised in it any more."
    assert await phone.asks() == []


async def test_what_is_promised_twice_in_a_chat_is_asked_about_once(phone: Phone) -> None:
    await phone.brings(
        (ANNA, "hi"), (ME, "I'll send you the deck"), (ANNA, "ok"), (ME, "I'll send you the deck tonight")
    )
    assert await phone.asks() == [["send you the deck"]]
    assert [one.text.splitlines()[1] for one in phone.posted.pieces] == ["**send you the deck** – today at 20:00"]


async def test_the_same_promise_in_a_mail_and_in_a_chat_is_asked_about_once(phone: Phone) -> None:
    await phone.sends_mail(a_reply("I'll send you the deck tonight.", date_at=NOW - timedelta(hours=3)))
    assert await phone.brings(ASKS, (ME, "Will do tonight")) == []
    assert len(await phone.asks()) == 1


# ── the past ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_history_makes_no_cards_but_one_line_and_only_of_two_weeks(phone: Phone) -> None:
    several = [
        (ME, f"I'll send you the {what} report") for what in ("heron", "kingfisher", "osprey", "bittern", "plover")
    ]
    assert await phone.brings((ANNA, "hi"), *several, at=NOW - timedelta(days=5)) == []
    assert len(await phone.asks()) == len(several)
    await phone.brings((TOM, "hi"), (ME, "I'll call the landlord"), chat=TOM, at=NOW - timedelta(days=4))
    held = await phone.ledger.read(lambda t: t.notices.held(1, NOW))
    assert [one.summary for one in held] == [
        "In your chats of the last two weeks you seem to have promised something: /today asks about it."
    ]
    assert await phone.brings((TOM, "x"), (ME, "I'll send the lease"), chat="Old", at=NOW - timedelta(days=15)) == []
    assert len(await phone.asks()) == len(several) + 1


async def test_of_many_fresh_promises_a_few_are_cards(phone: Phone) -> None:
    several = [
        (ME, f"I'll send you the {what} report") for what in ("heron", "kingfisher", "osprey", "bittern", "plover")
    ]
    assert len(await phone.brings((ANNA, "hi"), *several)) == CARDS_MAX


# ── seen to ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_file_is_sent_in_the_chat_and_the_loop_is_done_with_its_reason(phone: Phone) -> None:
    chat = [ASKS, (ME, "Will do tonight")]
    await phone.brings(*chat)
    await phone.taps("keep.0")
    await phone.brings(*chat, (ANNA, "thanks"), (ME, DECK))
    assert [loop.state for loop in await phone.loops()] == ["done"]
    assert phone.reasons("done")[-1].startswith("you sent them a file (whatsapp:")


async def test_what_was_kept_before_it_was_read_is_never_asked_about(phone: Phone) -> None:
    assert await phone.brings(ASKS, (ME, "Will do tonight"), (ME, DECK)) == []
    assert (await phone.asks(), await phone.loops()) == ([], [])


async def test_a_picture_of_lunch_keeps_nothing(phone: Phone) -> None:
    chat = [ASKS, (ME, "Will do tonight")]
    await phone.brings(*chat)
    await phone.taps("keep.0")
    await phone.brings(*chat, (ME, "IMG-2026.jpg (file attached)"), (ME, "did you see the match last night"))
    assert [loop.state for loop in await phone.loops()] == ["open"]


async def test_where_words_alone_say_so_the_owner_is_asked_once(phone: Phone) -> None:
    chat = [ASKS, (ME, "Will do tonight")]
    await phone.brings(*chat)
    await phone.taps("keep.0")
    (piece,) = await phone.brings(*chat, (ME, "here you go"))
    assert "Is it done?" in piece.text
    assert await phone.brings(*chat, (ME, "here you go"), (ME, "here it is again")) == []


async def test_what_is_taken_back_is_not_asked_about_and_an_open_one_is_asked_once(phone: Phone) -> None:
    chat = [(ANNA, "can you help on friday?"), (ME, "I'll bring the projector on Friday")]
    await phone.brings(*chat)
    (gone,) = await phone.brings(*chat, (ME, "sorry, can't make it after all"))
    assert gone.text == "You took it back since: bring the projector"
    assert await phone.asks() == []
    other = [(TOM, "help?"), (ME, "Ich bring dir den Beamer mit")]
    await phone.brings(*other, chat=TOM)
    await phone.taps("keep.0")
    (asked,) = await phone.brings(*other, (ME, "klappt leider doch nicht"), chat=TOM)
    assert "took that back" in asked.text
    assert [loop.state for loop in await phone.loops()] == ["open"]


TWO = [(ANNA, "hi"), (ME, "I'll send you the deck"), (ANNA, "ok"), (ME, "I'll send you the budget")]


async def test_a_file_keeps_the_promise_whose_name_it_bears_and_no_other(phone: Phone) -> None:
    await phone.brings(*TWO, (ME, DECK))
    assert await phone.asks() == [["send you the budget"]]


async def test_of_a_file_that_may_be_either_it_is_asked(phone: Phone) -> None:
    await phone.brings(*TWO)
    await phone.taps("keep.0")
    await phone.taps("keep.0")
    pieces = await phone.brings(*TWO, (ME, "scan-12.pdf (file attached)"))
    assert ["Is it done?" in piece.text for piece in pieces] == [True, True]
    assert [loop.state for loop in await phone.loops()] == ["open", "open"]


async def test_a_document_is_not_the_pictures(phone: Phone) -> None:
    await phone.brings((ANNA, "Where are the pics?"), (ME, "I'll send you the photos tomorrow"), (ME, DECK))
    assert await phone.asks() == [["send you the photos"]]
    await phone.brings(
        (ANNA, "Where are the pics?"), (ME, "I'll send you the photos tomorrow"), (ME, "IMG-1.jpg (file attached)")
    )
    assert await phone.asks() == []


async def test_who_cannot_come_may_still_send_it_and_takes_back_only_what_was_said_last(phone: Phone) -> None:
    several = [
        (ANNA, "hi"),
        (ME, "I'll send you the deck"),
        (ME, "I'll book the room"),
        (ME, "I'll bring the projector"),
    ]
    await phone.brings(*several, (ME, "sorry, can't make it after all"))
    assert sorted(await phone.asks()) == [["book the room"], ["send you the deck"]]


async def test_a_mail_to_the_very_address_keeps_what_was_promised_in_a_chat(phone: Phone) -> None:
    def said(number: int, who: str, text: str) -> Document:
        return Document(
            corpus="imessage",
            ref=f"imessage:3f9c/{number:012}.aa",
            who=who,
            title="",
            text=text,
            at=NOW - timedelta(hours=2, minutes=-number),
            place=ANNA,
            people=((ANNA, "anna@winter.example"),),
            by_owner=who == "you",
        )

    messages = [said(1, ANNA, ASKS[1]), said(2, "you", "Will do tonight")]
    await phone.ledger.write(lambda t: t.search.put(1, messages, now=NOW))
    await phone.promising.of_messages(1, [one.ref for one in messages])
    await phone.taps("keep.0")
    deck = Attachment("deck.pdf", "application/pdf", 1_000, "0" * 64)
    await phone.sends_mail(a_reply("Hi Anna", attachments=(deck,), date_at=NOW))
    assert [loop.state for loop in await phone.loops()] == ["done"]


# ── gone ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_with_the_message_goes_the_question_but_not_what_was_confirmed(phone: Phone) -> None:
    await phone.brings(ASKS, (ME, "Will do tonight"), (ANNA, "thanks"))
    await phone.brings((TOM, "hi"), (ME, "I'll call the landlord"), chat=TOM)
    await phone.taps("keep.0")
    await phone.brings(ASKS, (ANNA, "thanks"))
    await phone.brings((TOM, "hi"), (TOM, "you there?"), chat=TOM)
    assert await phone.asks() == []
    assert [(loop.state, loop.title) for loop in await phone.loops()] == [("open", "call the landlord (Tom)")]


async def test_what_the_exclusions_cover_since_leaves_no_word(database: Path, tmp_path: Path) -> None:
    listed, folder = database.parent / "exclusions.txt", tmp_path / "chats"
    folder.mkdir()
    async with SqlLedger(database, ExclusionFile(listed)) as ledger:
        await ledger.write(an_account)
        phone = Phone(ledger, database, folder)
        await phone.brings((ANNA, "hi"), (ME, "I'll send you the kingfisher tonight"))
        await phone.taps("keep.0")
        await phone.brings((ANNA, "hi"), (ME, "I'll send you the kingfisher tonight"), (ME, "I'll call the heron"))
        listed.write_text("person Anna Winter\n")
        assert await ledger.read(lambda t: t.talk.some(1, ["whatsapp:x"])) == []
        await ledger.write(lambda t: erase_covered(t, 1, NOW))
        assert await phone.asks() == []
    names = [name for (name,) in rows(database, "SELECT name FROM sqlite_master WHERE type = 'table'")]
    kept = str([rows(database, f'SELECT * FROM "{name}"') for name in names if not name.startswith("passages_fts")])
    assert "kingfisher" not in kept
    assert "heron" not in kept
    assert rows(database, "SELECT state, title FROM loops") == [("dropped", "…")]


async def test_history_holds_no_word_of_the_chat(phone: Phone) -> None:
    await phone.brings((ANNA, "hi"), (ME, "I'll send you the kingfisher tonight"))
    assert "kingfisher" not in str(rows(phone.database, "SELECT * FROM decisions"))


async def test_a_kind_of_signal_without_refs_is_no_trouble(phone: Phone) -> None:
    signal_id = await phone.ledger.write(lambda t: publish(t, "x", kind=SAID))
    (job, *_) = await phone.ledger.write(lambda t: t.jobs.round((), take={"inline": 0, "background": 9}, now=NOW))
    assert isinstance(job, Job)
    assert job.asked_by().id == signal_id
    await MessagesSaid(phone.ledger, phone.promising, phone.clock)(job)
    assert phone.reasons("read") == ["0 promises in 0 messages"]


async def test_a_mail_to_the_same_person_keeps_what_was_promised_in_a_chat_once_it_is_told_that_they_are_one(
    phone: Phone,
) -> None:
    await phone.brings(ASKS, (ME, "Will do tonight"))
    await phone.taps("keep.0")
    deck = Attachment("deck.pdf", "application/pdf", 1_000, "0" * 64)
    await phone.sends_mail(a_reply("Hi Anna", attachments=(deck,), date_at=NOW))
    assert [loop.state for loop in await phone.loops()] == ["open"]

    def joined(t: Tables) -> None:
        while t.people.take(1, limit=100, now=NOW):
            pass
        by_mail = t.people.of(1, "anna@winter.example")
        in_chat = next(one for one in t.people.named(1, ANNA) if by_mail and one.id != by_mail.id)
        assert by_mail is not None
        t.people.join(1, by_mail.id, in_chat.id, because="the owner says so", now=NOW)

    await phone.ledger.write(joined)
    await phone.sends_mail(a_reply("Once more", attachments=(deck,), date_at=NOW + timedelta(minutes=1)))
    assert [loop.state for loop in await phone.loops()] == ["done"]


async def test_a_message_that_is_dropped_is_not_asked_about(phone: Phone) -> None:
    (card,) = await phone.brings((ANNA, "hi"), (ANNA, "you there?"), (ME, "I'll send you the deck"))
    assert card.card is not None
    ref = card.key.removeprefix("promise:")
    await phone.ledger.write(lambda t: t.search.drop(1, [ref], now=NOW))
    assert await phone.asks() == []
    assert "deck" not in str(rows(phone.database, "SELECT value FROM cards"))


async def test_a_message_that_is_excluded_by_now_is_not_read(database: Path, tmp_path: Path) -> None:
    listed, folder = database.parent / "exclusions.txt", tmp_path / "chats"
    folder.mkdir()
    async with SqlLedger(database, ExclusionFile(listed)) as ledger:
        phone = Phone(ledger, database, folder)
        await phone.brings((ANNA, "hi"), (ME, "the heron"))
        (ref,) = [one for (one,) in rows(database, "SELECT ref FROM passages WHERE by_owner")]
        assert len(await ledger.read(lambda t: t.talk.some(1, [ref]))) == 1
        listed.write_text("person Anna Winter\n")
        assert await ledger.read(lambda t: t.talk.some(1, [ref])) == []


async def test_what_is_open_already_is_not_asked_about_again(phone: Phone) -> None:
    await phone.sends_mail(a_reply("I'll send you the deck.", date_at=NOW - timedelta(hours=3)))
    await phone.taps("keep.0")
    assert await phone.brings(ASKS, (ME, "will do")) == []
    assert await phone.asks() == []


async def test_a_file_by_its_name_leaves_other_confirmed_promises_alone(phone: Phone) -> None:
    await phone.brings(*TWO)
    await phone.taps("keep.0")
    await phone.taps("keep.0")
    assert await phone.brings(*TWO, (ME, DECK)) == []
    assert sorted(loop.state for loop in await phone.loops()) == ["done", "open"]


async def test_who_cannot_come_does_not_take_back_a_file(phone: Phone) -> None:
    await phone.brings(ASKS, (ME, "Will do tonight"), (ME, "sorry, can't make it after all"))
    assert await phone.asks() == [["send you the deck"]]
