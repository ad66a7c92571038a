"""From end to end over Telegram, with no model: what plain code does, and what it says of what it can't."""

import re
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.terminal.client import Client
from memory.sql.cards import SqlCards
from tests.doubles.clock import FakeClock
from tests.product_room import OWNER, Product, open_product
from tests.servers.bot_api import BotApiServer, texts
from tests.tools.test_importing import mail, mbox

STRANGER = 4002


@pytest.fixture
async def stillbell(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    async with open_product(database, clock) as product:
        yield product


@pytest.fixture
async def auf_deutsch(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    async with open_product(database, clock, language="de") as product:
        yield product


# --- open loops ---


async def test_a_task_is_kept_listed_and_done_with_one_tap(stillbell: Product) -> None:
    assert await stillbell.says("todo: call Anna") == ["Kept open: call Anna"]
    assert await stillbell.says("todo: send the offer") == ["Kept open: send the offer"]
    assert await stillbell.says("/loops") == ["Open\n1. call Anna\n2. send the offer"]
    assert stillbell.labels() == ["✓ 1", "✓ 2"]
    assert await stillbell.taps("✓ 1") == "Open\n1. send the offer"
    assert stillbell.thumb == "OK"
    assert stillbell.loops == {"call Anna": "done", "send the offer": "open"}
    assert await stillbell.taps("✓ 1") == "Nothing is open."
    assert stillbell.labels() == []
    assert await stillbell.says("/loops") == ["Nothing is open."]


async def test_a_card_can_be_tapped_again_as_often_as_it_is_redrawn(stillbell: Product) -> None:
    for title in ("one", "two", "three"):
        await stillbell.says(f"todo: {title}")
    await stillbell.says("/loops")
    where = stillbell.newest
    assert await stillbell.taps("✓ 2", where) == "Open\n1. one\n2. three"
    assert await stillbell.taps("✓ 2", where) == "Open\n1. one"
    assert await stillbell.taps("✓ 1", where) == "Nothing is open."
    assert set(stillbell.loops.values()) == {"done"}


async def test_every_change_of_a_loop_stands_in_the_ledger_with_its_reason(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    await stillbell.says("/loops")
    await stillbell.taps("✓ 1")
    assert stillbell.rows("SELECT decided, because FROM decisions ORDER BY id") == [
        ("opened", "the owner said so (message 1)"),
        ("done", "the owner tapped done.1 on card 2"),
    ]


async def test_a_button_on_a_card_that_has_changed_says_so_and_does_nothing(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    await stillbell.says("todo: send the offer")
    await stillbell.says("/loops")
    old = stillbell.newest
    await stillbell.says("mark the first as done")
    shown = await stillbell.taps("✓ 2", old)
    assert "This has changed since." in shown
    assert stillbell.thumb.startswith("This has changed since.")
    assert stillbell.loops == {"call Anna": "done", "send the offer": "open"}


async def test_a_forged_button_does_nothing(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    for data in ("c:1:000000000000:undo", "c:99:000000000000:done", "undo", "", "c:1:" + "0" * 50):
        await stillbell.after(lambda data=data: stillbell.server.taps(stillbell.newest, data, forged=True))
    assert stillbell.loops == {"call Anna": "open"}
    assert stillbell.value("SELECT count(*) FROM decisions WHERE decided <> 'opened'") == 0


async def test_a_tap_that_comes_second_does_nothing(stillbell: Product, monkeypatch: pytest.MonkeyPatch) -> None:
    await stillbell.says("todo: call Anna")
    monkeypatch.setattr(SqlCards, "decide", lambda *_, **__: False)
    await stillbell.taps("Undo")
    assert stillbell.thumb == "Already done."
    assert stillbell.loops == {"call Anna": "open"}


async def test_a_title_is_shown_as_it_was_written_wherever_it_stands(stillbell: Product, clock: FakeClock) -> None:
    wild = "- a_b *c* [d](https://evil.example) `e` <f> & 1. g"
    assert await stillbell.says(f"todo: {wild}") == [f"Kept open: {wild}"]
    assert await stillbell.says("/loops") == [f"Open\n1. {wild}"]
    assert await stillbell.taps("✓ 1") == "Nothing is open."
    await stillbell.says(f"remind me today at 18:00 to {wild[2:]}")
    clock.advance(timedelta(hours=8))
    assert f"⏰ {wild[2:]}" in await stillbell.after_a_look()
    sent = [call.params for call in stillbell.server.calls("sendMessage")]
    assert {entity["type"] for params in sent for entity in params.get("entities", [])} <= {"bold", "italic"}


async def test_undo_brings_back_what_was_done(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    assert await stillbell.says("done") == ["Done: call Anna"]
    assert await stillbell.says("undo") == ["Open again: call Anna"]
    assert stillbell.loops == {"call Anna": "open"}
    assert await stillbell.says("mark it done") == ["Done: call Anna"]
    assert await stillbell.taps("Undo") == "Open again: call Anna"
    assert await stillbell.says("/loops") == ["Open\n1. call Anna"]


async def test_an_old_change_is_taken_back_only_after_asking(stillbell: Product, clock: FakeClock) -> None:
    await stillbell.says("todo: call Anna")
    clock.advance(timedelta(hours=1))
    assert await stillbell.says("undo") == ["That was a while ago. Take this back: call Anna?"]
    assert stillbell.loops == {"call Anna": "open"}
    assert await stillbell.taps("Undo") == "Taken back: call Anna"
    assert stillbell.loops == {"call Anna": "dropped"}


async def test_a_loop_is_snoozed_out_of_sight(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    assert await stillbell.says("snooze it till Wednesday 9:00") == [
        "Out of sight until Wednesday, 4 March at 09:00: call Anna"
    ]
    assert await stillbell.says("/loops") == ["Nothing is open.\n\n1 more out of sight for now"]
    assert await stillbell.says("undo") == ["Back in sight: call Anna"]
    assert await stillbell.says("/loops") == ["Open\n1. call Anna"]


async def test_done_in_a_reply_closes_the_loop_of_the_card_that_was_replied_to(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    about_anna = stillbell.newest
    await stillbell.says("todo: send the offer")
    await stillbell.says("todo: pay the rent")
    assert await stillbell.says("done", reply_to=about_anna) == ["Done: call Anna"]
    assert stillbell.loops == {"call Anna": "done", "send the offer": "open", "pay the rent": "open"}


async def test_words_that_name_two_loops_are_asked_about(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna about the lease")
    await stillbell.says("todo: call Anna about the boat")
    assert await stillbell.says("done with Anna") == ["Which one?"]
    assert stillbell.labels() == ["call Anna about the lease", "call Anna about the boat", "None of these"]
    assert await stillbell.taps("call Anna about the boat") == "Done: call Anna about the boat"
    assert stillbell.loops["call Anna about the lease"] == "open"


# --- reminders and the clock on the wall ---


async def test_a_time_with_two_readings_is_asked_about_and_set_by_a_tap(stillbell: Product) -> None:
    [question] = await stillbell.says("remind me at 8 to call Tom")
    assert question == "I can read that in more than one way. Which one do you mean?"
    assert stillbell.labels() == ["today at 20:00", "tomorrow at 08:00", "None of these"]
    assert stillbell.rows("SELECT * FROM reminders") == []
    assert await stillbell.taps("tomorrow at 08:00") == "I'll remind you tomorrow at 08:00: call Tom"
    assert stillbell.rows("SELECT text, wall, state FROM reminders") == [("call Tom", "2026-03-03T08:00:00", "set")]
    await stillbell.taps("Undo")
    assert stillbell.value("SELECT state FROM reminders") == "cancelled"


async def test_neither_reading_sets_nothing(stillbell: Product) -> None:
    await stillbell.says("remind me at 8 to call Tom")
    await stillbell.taps("None of these")
    assert stillbell.rows("SELECT * FROM reminders") == []
    assert stillbell.labels() == []


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("remind me on the 3rd at noon to call Anna", "I'll remind you tomorrow at 12:00: call Anna"),
        ("/remind tomorrow at 8:00 call Anna", "I'll remind you tomorrow at 08:00: call Anna"),
        (
            "every weekday at 8:00 take the pills",
            "I'll remind you every weekday at 08:00: take the pills\nFirst tomorrow at 08:00.",
        ),
        ("/remind", "Say when and what: /remind tomorrow at 8 call Anna"),
        ("remind me yesterday to call Anna", "“yesterday” has gone by. When do you mean?"),
    ],
)
async def test_a_wish_is_set_at_once(stillbell: Product, words: str, reply: str) -> None:
    assert await stillbell.says(words) == [reply]


async def test_a_wish_without_a_time_offers_the_usual_ones(stillbell: Product) -> None:
    assert await stillbell.says("remind me to buy milk") == ["When shall I remind you: buy milk?"]
    assert stillbell.labels() == ["In 1 h", "Tonight", "Tomorrow", "Monday", "None of these"]
    assert await stillbell.taps("Tonight") == "I'll remind you today at 19:00: buy milk"


async def test_what_was_set_in_wall_time_stays_there_when_the_owner_travels(
    stillbell: Product, clock: FakeClock
) -> None:
    await stillbell.says("remind me tomorrow at 8:00 to take the pills")
    await stillbell.says("remind me on Saturday at 8:00 to water the plants")
    [reply] = await stillbell.says("I'm in Tokyo until Friday")
    assert reply.startswith("Until Friday, 6 March at 00:00 your clock is that of Tokyo.")
    assert "stays at that time on the clock" in reply

    def due(at: datetime) -> FakeClock:
        clock.advance(at - clock.now())
        return clock

    # Eight in Tokyo is 23:00 UTC of the day before; on Saturday the owner is back in Berlin.
    due(datetime(2026, 3, 2, 22, 59, 59, tzinfo=UTC))
    assert "⏰ take the pills" not in await stillbell.after_a_look()
    due(datetime(2026, 3, 2, 23, 0, tzinfo=UTC))
    assert "⏰ take the pills" in await stillbell.after_a_look()
    due(datetime(2026, 3, 7, 6, 59, 59, tzinfo=UTC))
    assert "⏰ water the plants" not in await stillbell.after_a_look()
    due(datetime(2026, 3, 7, 7, 0, tzinfo=UTC))
    assert await stillbell.after_a_look() == ["⏰ water the plants"]


# --- edits ---


async def test_an_edit_of_the_last_question_begins_the_turn_anew(stillbell: Product) -> None:
    await stillbell.says("What about Anna?")
    asked = stillbell.server.messages()[-2]["message_id"]
    again = await stillbell.after(lambda: stillbell.server.owner_edits(asked, "todo: call Anna"))
    assert again == ["Kept open: call Anna"]
    assert stillbell.rows("SELECT stopped_because FROM turns ORDER BY id") == [("a newer message",), (None,)]
    assert stillbell.value("SELECT text FROM messages WHERE role = 'owner'") == "todo: call Anna"


async def test_an_edited_wish_takes_the_old_one_back(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    asked = stillbell.server.messages()[0]["message_id"]
    await stillbell.after(lambda: stillbell.server.owner_edits(asked, "todo: call Anton"))
    assert stillbell.rows("SELECT title, state FROM loops ORDER BY id") == [
        ("call Anna", "dropped"),
        ("call Anton", "open"),
    ]


async def test_an_edit_that_changes_no_word_does_nothing(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    asked = stillbell.server.messages()[0]["message_id"]
    assert await stillbell.after(lambda: stillbell.server.owner_edits(asked)) == []
    assert stillbell.value("SELECT count(*) FROM turns") == 1
    assert stillbell.value("SELECT count(*) FROM loops") == 1


async def test_an_edit_of_an_older_message_is_kept_and_not_answered(stillbell: Product) -> None:
    await stillbell.says("What about Anna?")
    first = stillbell.server.messages()[0]["message_id"]
    await stillbell.says("/help")
    assert await stillbell.after(lambda: stillbell.server.owner_edits(first, "todo: call Anna")) == []
    assert stillbell.loops == {}
    assert stillbell.rows("SELECT text FROM messages WHERE id = 1") == [("todo: call Anna",)]


# --- who is heard, and what can't be read ---

GESTURES: dict[str, Callable[[BotApiServer], Any]] = {
    "photo": lambda server: server.owner_sends_photo(),
    "voice": lambda server: server.owner_sends_voice(),
    "stickers": lambda server: server.owner_sends_sticker(),
    "location": lambda server: server.owner_sends_location(),
    "contact": lambda server: server.owner_sends_contact(),
    "polls": lambda server: server.owner_sends_poll(),
    "dice": lambda server: server.owner_sends_dice(),
    "letter.pdf": lambda server: server.owner_sends_document(b"%PDF"),
    "this kind of message": lambda server: server.owner_sends_unknown(),
}


@pytest.mark.parametrize("what", GESTURES)
async def test_what_is_no_text_gets_a_clear_word_and_never_silence(stillbell: Product, what: str) -> None:
    replies = await stillbell.after(lambda: GESTURES[what](stillbell.server))
    assert what in " ".join(replies).lower()
    assert stillbell.value("SELECT count(*) FROM signal_heads WHERE kind = 'message'") == 1


async def test_a_poisonous_update_is_told_of_and_the_next_one_is_handled(stillbell: Product) -> None:
    poison = {"message": {"message_id": "not a number", "from": {"id": OWNER}, "chat": None}}
    [told] = await stillbell.after(lambda: stillbell.server.push_raw(poison))
    assert "could not be read" in told
    assert await stillbell.says("todo: call Anna") == ["Kept open: call Anna"]


async def test_a_stranger_gets_nothing_and_is_counted_and_not_stored(stillbell: Product) -> None:
    await stillbell.says("todo: the owner's own", user_id=STRANGER)
    await stillbell.after(lambda: stillbell.server.owner_sends_photo(user_id=STRANGER))
    assert [call for call in stillbell.server.sent if call.chat_id == STRANGER] == []
    assert stillbell.rows("SELECT * FROM signal_heads") == []
    assert stillbell.rows("SELECT name, n FROM counts") == [("telegram dropped stranger", 2)]
    assert "the owner's own" not in stillbell.everything_kept()


async def test_what_the_owner_says_in_a_group_is_dropped_and_counted(stillbell: Product) -> None:
    group = -1001234567890
    await stillbell.after(lambda: stillbell.server.group_message("todo: in public", chat_id=group, user_id=OWNER))
    assert [call for call in stillbell.server.sent if call.chat_id == group] == []
    assert stillbell.rows("SELECT name, n FROM counts") == [("telegram dropped group", 1)]
    assert "in public" not in stillbell.everything_kept()


async def test_a_stranger_who_presses_a_button_does_nothing(stillbell: Product) -> None:
    await stillbell.says("todo: call Anna")
    where = stillbell.newest
    await stillbell.after(lambda: stillbell.server.taps(where, label="Undo", user_id=STRANGER))
    assert stillbell.loops == {"call Anna": "open"}


# --- pairing ---


async def test_the_code_on_the_console_pairs_and_three_cards_set_zone_language_and_quiet_hours(
    database: Path, clock: FakeClock
) -> None:
    async with open_product(database, clock, paired=False) as product:
        await product.server.wait_until(lambda: any("t.me" in line for line in product.console))
        assert await product.says("todo: too early") == []
        assert product.rows("SELECT * FROM signal_heads") == []
        code = re.search(r"\?start=(\w+)", "\n".join(product.console))
        assert code is not None

        greeting, zone, language, quiet = await product.says(f"/start {code[1]}")
        assert greeting.startswith("Hello. From now on I hear you, and only you.")
        assert zone == "Your clock: Europe/Berlin (10:00). Right?"
        assert language == "In which language shall I write?"
        assert quiet == "When shall I be quiet?"
        assert product.value("SELECT telegram_id FROM owners") == OWNER

        assert await product.taps("Right") == "Your clock: Europe/Berlin (10:00). Right? ✓"
        assert await product.taps("Deutsch") == "Gut, auf Deutsch."
        assert await product.taps("23-8") == "Ruhe von 23:00 bis 08:00. Gesetzt. /help zeigt, was ich kann."
        assert product.rows("SELECT language, quiet_from, quiet_to FROM owners") == [("de", "23:00", "08:00")]
        assert await product.says("Aufgabe: Anna anrufen") == ["Offen gehalten: Anna anrufen"]
        assert await product.says("todo: mine", user_id=STRANGER) == []


async def test_what_a_card_of_the_set_up_changed_is_taken_back_by_undo(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock, paired=False) as product:
        await product.server.wait_until(lambda: any("t.me" in line for line in product.console))
        code = re.search(r"\?start=(\w+)", "\n".join(product.console))
        assert code is not None
        await product.says(f"/start {code[1]}")
        before = product.rows("SELECT language, quiet_from, quiet_to FROM owners")
        await product.taps("Deutsch")
        await product.taps("23-8")
        assert await product.says("rückgängig") == ["Wie vorher: 22:00-07:00"]
        assert await product.says("rückgängig") == ["As before: en"]
        assert product.rows("SELECT language, quiet_from, quiet_to FROM owners") == before


async def test_a_wrong_code_pairs_nobody(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock, paired=False) as product:
        await product.server.wait_until(lambda: any("t.me" in line for line in product.console))
        assert await product.says("/start AAAAAAAA", user_id=STRANGER) == []
        assert product.value("SELECT telegram_id FROM owners") is None
        assert product.server.calls("sendMessage") == []


# --- commands ---


@pytest.mark.parametrize(
    ("command", "reply"),
    [
        ("/usage", "No model call today. The allowance is 5.00 USD a day."),
        ("/allowance", "It is 5.00 USD a day. Change it with: /allowance 8"),
        ("/allowance 8", "The allowance is now 8.00 USD a day; 0.00 USD are spent today."),
        (
            "/quiet",
            "Quiet from 22:00 to 07:00. Change it with: quiet 22-7, or: quiet off\nAt most 5 pings a day; used today: 0.\n"
            "Also: /quiet pings 3, /quiet urgent anna@example.org, /quiet not urgent anna@example.org",
        ),
        ("/quiet 23-6", "Quiet from 23:00 to 06:00."),
        ("/quiet off", "No quiet hours."),
        ("/find", "Say what to look for: /find invoice Anna"),
        ("/find zebra", "Nothing found for “zebra”."),
        ("/loops", "Nothing is open."),
        ("/brief", "Nothing has landed since the last brief. Nothing is held back."),
        ("/stop", "Nothing is running."),
        ("/undo", "There is nothing to undo."),
        ("/nonsense", "I don't know /nonsense. /help shows what I do."),
        ("/loops@stillbell_test_bot", "Nothing is open."),
    ],
)
async def test_a_command_is_answered(stillbell: Product, command: str, reply: str) -> None:
    assert await stillbell.says(command) == [reply]


async def test_help_names_every_command_of_the_menu(stillbell: Product) -> None:
    [said] = await stillbell.says("/help")
    menu = stillbell.server.calls("setMyCommands")[0].params["commands"]
    assert all(f"/{command['command']} " in said for command in menu)


async def test_the_allowance_is_kept(stillbell: Product) -> None:
    await stillbell.says("/allowance 7,50")
    assert stillbell.value("SELECT cap_usd FROM owners") == 7.5


# --- what others wrote ---


async def test_without_a_key_a_question_is_answered_with_what_is_found_and_the_honest_word(
    stillbell: Product, database: Path
) -> None:
    letter = mail(1, "The lease ends on the 31st of May.")
    archive = mbox(database.with_name("all.mbox"), letter, mail(2, "Bring the blue folder."))
    async with Client(stillbell.settings.socket) as client:
        steps = [step async for step in client.ask("import", {"path": str(archive)})]
    assert steps[-1].data["new"] == 2

    [reply] = await stillbell.says("When does the lease end?")
    quote, source, *_, honest = reply.split("\n")
    assert quote == "The lease ends on the 31st of May."
    assert source == "Anna Example <anna@example.org>, today (mail) – Note 1"
    assert honest == "No model is connected, so this is what I find, word for word."
    assert await stillbell.says("/find blue folder") == [
        "Mail\n1 Bring the blue folder.\nAnna Example, today – Note 2\n\nfound by words"
    ]


async def test_without_a_key_and_without_a_find_it_says_what_it_can_do(stillbell: Product) -> None:
    [reply] = await stillbell.says("What is the meaning of life?")
    assert reply.startswith("I find nothing about that, and no model is connected")


async def test_what_others_wrote_can_neither_format_nor_link(stillbell: Product, database: Path) -> None:
    letter = mail(1, "Zebra [click](https://evil.example) *now* @all <b>bold</b>")
    archive = mbox(database.with_name("all.mbox"), letter)
    async with Client(stillbell.settings.socket) as client:
        assert [step async for step in client.ask("import", {"path": str(archive)})]
    [reply] = await stillbell.says("/find zebra")
    assert "[click](https://evil.example) *now* @all <b>bold</b>" in reply
    sent = stillbell.server.calls("sendMessage")[-1].params
    kinds = {entity["type"] for entity in sent.get("entities", [])}
    assert kinds <= {"bold", "italic"}
    assert sent["link_preview_options"] == {"is_disabled": True}


# --- German ---


async def test_everything_is_said_in_german(auf_deutsch: Product) -> None:
    says = auf_deutsch.says
    assert await says("Aufgabe: Angebot schicken") == ["Offen gehalten: Angebot schicken"]
    assert auf_deutsch.labels() == ["Rückgängig"]
    assert await says("erledigt") == ["Erledigt: Angebot schicken"]
    assert await says("rückgängig") == ["Wieder offen: Angebot schicken"]
    assert await says("/loops") == ["Offen\n1. Angebot schicken"]
    assert await says("das erste ist erledigt") == ["Erledigt: Angebot schicken"]
    assert await says("warte auf den Vertrag von Acme") == ["Warten auf den Vertrag von Acme. Ich halte es offen."]
    assert await says("verschiebe es auf Mittwoch 9:00") == [
        "Bis Mittwoch, 4. März um 09:00 aus dem Blick: den Vertrag von Acme"
    ]
    assert await says("erinnere mich morgen um 8:00 an den Müll") == ["Ich erinnere dich morgen um 08:00: Müll"]
    assert await says("erinnere mich um 8 an Tom") == ["Das kann ich verschieden lesen. Was meinst du?"]
    assert auf_deutsch.labels() == ["heute um 20:00", "morgen um 08:00", "Keins davon"]
    assert await auf_deutsch.taps("heute um 20:00") == "Ich erinnere dich heute um 20:00: Tom"
    assert await says("Ruhe aus") == ["Keine Ruhezeiten."]
    assert await says("Ruhe 23-6") == ["Ruhe von 23:00 bis 06:00."]
    assert await says("/usage") == ["Heute kein Modellaufruf. Das Budget ist 5.00 USD am Tag."]
    assert await says("/find Angebot") == ["Mit mir\n1 Aufgabe: Angebot schicken\ndu, heute\n\ngefunden an Wörtern"]
    assert await says("/foo") == ["/foo kenne ich nicht. /help zeigt, was ich kann."]
    [moved] = await says("Ich bin bis Freitag in Tokio")
    assert moved.startswith("Bis Freitag, 6. März um 00:00 geht deine Uhr nach Tokyo.")
    [honest] = await says("Was ist der Sinn des Lebens?")
    assert "kein Modell ist verbunden" in honest
    [sticker] = await auf_deutsch.after(auf_deutsch.server.owner_sends_sticker)
    assert sticker.startswith("Sticker kann ich noch nicht lesen.")


async def test_the_language_is_changed_by_a_sentence(stillbell: Product) -> None:
    assert await stillbell.says("auf Deutsch bitte") == ["Gut, auf Deutsch."]
    assert await stillbell.says("/loops") == ["Nichts ist offen."]
    assert await stillbell.says("in English") == ["English it is."]


async def test_every_answer_goes_out_without_a_preview_and_to_the_owner_alone(stillbell: Product) -> None:
    for text in ("todo: read https://example.org", "/loops", "/help"):
        await stillbell.says(text)
    for call in stillbell.server.calls("sendMessage"):
        assert call.chat_id == OWNER
        assert call.params["link_preview_options"] == {"is_disabled": True}
    assert len(texts(stillbell.server.bot_messages())) == 3
