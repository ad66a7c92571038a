"""What plain words do, in the ledger and in what is said: one transaction each, and undo takes it back."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from handlers import plain
from handlers.command import Commands
from handlers.plain import Scene
from memory.card import Card
from memory.command.parse import parse
from memory.ledger import Tables
from memory.signal import NewSignal
from memory.sql.ledger import SqlLedger

NOW = datetime(2026, 11, 30, 17, tzinfo=UTC)
"""A Monday, 18:00 in Berlin."""


class At:
    """A clock that stands still."""

    def now(self) -> datetime:
        return NOW


def say(t: Tables, text: str, *, now: datetime = NOW, about: int | None = None) -> str:
    """The owner says `text`; what is answered. Every sentence has a signal and a turn of its own."""
    number = sum(t.signals.counts_since(1, datetime(2000, 1, 1, tzinfo=UTC)).values())
    signal = t.signals.publish(
        NewSignal(source="test", kind="message", source_id=f"s{number}", payload={"text": text}), now=now
    )
    assert signal is not None
    message, turn, _ = t.thread.hear(
        owner_id=1,
        channel="terminal",
        text=text,
        signal_id=signal,
        channel_message_id=f"m{number}",
        reply_to=None,
        now=now,
    )
    owner = t.owners.get()
    scene = Scene(
        owner=owner,
        now=now,
        signal_id=signal,
        turn_id=turn.id,
        because=f"the owner said so (message {message.id})",
        about=lambda: about,
    )
    if text.startswith("/"):
        reply = Commands(At()).run(t, text, scene)
    else:
        reply = plain.answer(t, parse(text, now=now, zone=owner.zones.zone_at(now), language=owner.language), scene)
    return reply.text if isinstance(reply, Card) else reply or ""


async def said(ledger: SqlLedger, *texts: str, now: datetime = NOW) -> list[str]:
    """Each sentence in a transaction of its own."""
    return [await ledger.write(lambda t, text=text: say(t, text, now=now)) for text in texts]


def open_titles(t: Tables) -> list[str]:
    return [loop.title for loop in t.loops.list_open(1, with_snoozed=True)]


async def test_a_loop_is_opened_closed_and_brought_back(ledger: SqlLedger) -> None:
    answers = await said(ledger, "todo: send the offer", "mark the first as done", "undo")
    assert answers == ["Kept open: **send the offer**", "Done: **send the offer**", "Open again: **send the offer**"]
    assert await ledger.read(open_titles) == ["send the offer"]


async def test_what_is_done_is_never_listed_again(ledger: SqlLedger) -> None:
    await said(ledger, "todo: a", "todo: b", "1 done")
    (listed, brief) = await said(ledger, "/loops", "/brief")
    assert "a" not in listed.replace("**Open**", "").split()
    assert "b" in listed
    assert "- a" not in brief


@pytest.mark.parametrize("done", ["done", "erledigt", "mark it done", "das ist erledigt", "hab ich gemacht"])
async def test_it_means_the_one_loop_there_is(ledger: SqlLedger, done: str) -> None:
    await said(ledger, "todo: send the offer", done)
    assert await ledger.read(open_titles) == []


async def test_with_several_loops_and_none_talked_about_it_asks(ledger: SqlLedger) -> None:
    await said(ledger, "todo: one", "todo: two")
    assert await said(ledger, "done") == ["Which one?"]
    assert await ledger.read(open_titles) == ["one", "two"]


async def test_words_that_name_no_loop_are_talk_and_change_nothing(ledger: SqlLedger) -> None:
    assert await said(ledger, "todo: one", "done with the slides") == ["Kept open: **one**", ""]
    assert await ledger.read(open_titles) == ["one"]


async def test_a_reminder_stands_with_its_loop_and_undo_takes_both(ledger: SqlLedger) -> None:
    (answer,) = await said(ledger, "remind me on the 3rd at noon to call Anna")
    assert answer == "I'll remind you on Thursday, 3 December at 12:00: **call Anna**"
    reminders = await ledger.read(lambda t: t.reminders.active(1))
    assert [(r.text, r.wall, r.rule) for r in reminders] == [("call Anna", datetime(2026, 12, 3, 12), None)]
    await said(ledger, "undo")
    assert await ledger.read(lambda t: (open_titles(t), t.reminders.active(1))) == ([], [])


async def test_a_rule_is_kept_and_said_back(ledger: SqlLedger) -> None:
    (answer,) = await said(ledger, "every weekday at 8 take the pills")
    assert "every weekday at 08:00" in answer
    (reminder,) = await ledger.read(lambda t: t.reminders.active(1))
    assert (reminder.rule, reminder.loop_id) == ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR 08:00", None)


async def test_two_readings_are_asked_with_a_button_each(ledger: SqlLedger) -> None:
    (answer,) = await said(ledger, "remind me at 8 to eat")
    assert answer.startswith("I can read that in more than one way")
    assert await ledger.read(lambda t: t.reminders.active(1)) == []


async def test_a_snoozed_loop_is_out_of_sight_and_undo_brings_it_and_its_reminder_back(ledger: SqlLedger) -> None:
    await said(ledger, "remind me on the 3rd at noon to call Anna", "snooze it for 2 days")
    assert await ledger.read(lambda t: t.loops.list_open(1)) == []
    await said(ledger, "undo")
    assert await ledger.read(lambda t: [r.wall for r in t.reminders.active(1)]) == [datetime(2026, 12, 3, 12)]
    assert len(await ledger.read(lambda t: t.loops.list_open(1))) == 1


async def test_a_move_changes_the_clock_and_comes_back_by_itself(ledger: SqlLedger) -> None:
    await said(ledger, "remind me tomorrow at 8 to call Anna", "I'm in Tokyo until Friday")
    owner = await ledger.read(lambda t: t.owners.get())
    assert owner.zones.zone_at(NOW + timedelta(hours=1)).key == "Asia/Tokyo"
    assert owner.zones.zone_at(NOW + timedelta(days=10)).key == "Europe/Berlin"
    (reminder,) = await ledger.read(lambda t: t.reminders.active(1))
    assert reminder.due_at(owner.zones) == datetime(2026, 11, 30, 23, tzinfo=UTC)


SETTINGS: dict[str, tuple[str, Callable[[Tables], object]]] = {
    "zone": ("I'm in Lisbon", lambda t: t.owners.get().zones.zone_at(NOW + timedelta(hours=1)).key),
    "language": ("auf Deutsch", lambda t: t.owners.get().language),
    "quiet hours": ("quiet 23-8", lambda t: (t.owners.get().quiet_from, t.owners.get().quiet_to)),
    "allowance": ("/allowance 8", lambda t: t.owners.get().cap_usd),
}


@pytest.mark.parametrize("name", SETTINGS)
async def test_undo_takes_a_setting_back(ledger: SqlLedger, name: str) -> None:
    sentence, standing = SETTINGS[name]
    before = await ledger.read(standing)
    await said(ledger, sentence)
    assert await ledger.read(standing) != before
    await said(ledger, "undo", now=NOW + timedelta(minutes=9))
    assert await ledger.read(standing) == before


async def test_an_older_change_is_asked_about_before_it_is_undone(ledger: SqlLedger) -> None:
    await said(ledger, "todo: one")
    (answer,) = await said(ledger, "undo", now=NOW + timedelta(minutes=11))
    assert answer.startswith("That was a while ago")
    assert await ledger.read(open_titles) == ["one"]


async def test_two_undos_take_two_changes_back_and_a_third_finds_nothing(ledger: SqlLedger) -> None:
    await said(ledger, "todo: one", "todo: two", "undo", "undo")
    assert await ledger.read(open_titles) == []
    assert await said(ledger, "undo") == ["There is nothing to undo."]


async def test_a_forgotten_message_leaves_no_text_behind(ledger: SqlLedger) -> None:
    await said(ledger, "the spare key lies under the blue pot")
    (answer,) = await said(ledger, "/forget")
    assert answer.startswith("Forgotten")
    texts, hits, payload = await ledger.read(
        lambda t: (
            [m.text for m in t.thread.history(1, limit=9)],
            t.search.find(1, "spare key"),
            t.signals.get(1).payload,
        )
    )
    assert (texts, hits, payload) == (["", "/forget"], [], {})


async def test_an_unknown_command_says_what_there_is(ledger: SqlLedger) -> None:
    (answer,) = await said(ledger, "/frobnicate")
    assert "/help" in answer


async def test_stop_says_honestly_that_nothing_runs(ledger: SqlLedger) -> None:
    assert await said(ledger, "stop", "/stop") == ["Nothing is running.", "Nothing is running."]
