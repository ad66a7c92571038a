"""What plain words do, in the ledger and in what is said: one transaction each, and undo takes it back."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from handlers import plain, undo
from handlers.command import Commands
from handlers.scene import Scene, about
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


TITLES = (
    "report",
    "do not forget the milk",
    "I'm calling mum",
    "Steuererklärung",
    "Rechnung für die Werkstatt",
    "meeting with Bob",
    "call Anna tomorrow",
    "es nicht aufschieben",
)
"""Open loops whose titles share words with much of what is said."""


@pytest.mark.parametrize(
    "text",
    [
        "the report will be done",
        "the report will be done tomorrow",
        "the report should be done",
        "is the report done",
        "is the report finished",
        "are the report and the milk done",
        "has the report been finished",
        "did you say the report is finished",
        "when is the report done",
        "who said that the report is done",
        "the report is not done",
        "the report isn't done",
        "report not done",
        "the report is almost done",
        "the report is nearly finished",
        "the report is far from being finished",
        "I did not finish the report",
        "I have not done the report",
        "I've done nothing about the report",
        "I want the report done",
        "we need the report done",
        "when the report is done",
        "once the report is done",
        "if the report is finished",
        "never mark the report as done",
        "do not mark the report as done",
        "mark the report as not done",
        "can you mark the report as done",
        "not finished",
        "I'm not done",
        "I'm done",
        "I am finished",
        "done by tomorrow",
        "done for today",
        "well done",
        "half done",
        "to be done",
        "nothing is done",
        "I have done",
        "don't drop it",
        "don't drop the report",
        "drop not the report",
        "forget about the meeting we had",
        "forget what I said about the report",
        "forget to call Anna tomorrow",
        "cancel nothing",
        "don't snooze the report till Wednesday",
        "snooze not the report till Wednesday",
        "delay of the meeting was until Wednesday",
        "ich habe die Steuererklärung nicht gemacht",
        "ich habe die Steuererklärung noch nicht erledigt",
        "hab die Steuererklärung nicht gemacht",
        "habe ich Steuererklärung erledigt",
        "hab ich die Steuererklärung gemacht",
        "hast du die Steuererklärung erledigt",
        "ist die Steuererklärung fertig",
        "wann ist die Steuererklärung fertig",
        "wer hat die Steuererklärung erledigt",
        "die Steuererklärung wird erledigt",
        "die Steuererklärung ist nicht erledigt",
        "die Steuererklärung ist fast fertig",
        "die Steuererklärung muss noch erledigt",
        "die Steuererklärung ist bald erledigt",
        "ich habe keine Rechnung erledigt",
        "ich habe nichts erledigt",
        "wenn die Rechnung erledigt ist",
        "wenn die Rechnung erledigt",
        "nicht fertig",
        "es ist noch nicht fertig",
        "fertig bin ich noch nicht",
        "ich bin noch nicht fertig",
        "ich bin fertig",
        "erledigt ist die Rechnung noch nicht",
        "markiere die Rechnung nicht als erledigt",
        "lösche es nicht",
        "vergiss nicht die Rechnung",
        "vergiss die Rechnung nicht",
        "streich das nicht",
        "verschiebe es nicht auf Mittwoch 9 Uhr",
        "verschiebe die Rechnung auf keinen Fall auf Mittwoch 9 Uhr",
    ],
)
async def test_what_denies_asks_or_foretells_is_talk_and_changes_nothing(ledger: SqlLedger, text: str) -> None:
    await said(ledger, *(f"todo: {title}" for title in TITLES))
    assert await said(ledger, text) == [""]
    assert await ledger.read(lambda t: [loop.title for loop in t.loops.list_open(1)]) == list(TITLES)
    assert await ledger.read(lambda t: t.reminders.active(1)) == []


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("the report is done", "report"),
        ("report done", "report"),
        ("I've finished the report", "report"),
        ("done with do not forget the milk", "do not forget the milk"),
        ("I'm calling mum is done", "I'm calling mum"),
        ("die Steuererklärung ist erledigt", "Steuererklärung"),
        ("ich habe die Steuererklärung gemacht", "Steuererklärung"),
        ("done with Bob", "meeting with Bob"),
        ("die Werkstatt ist erledigt", "Rechnung für die Werkstatt"),
    ],
)
async def test_all_of_a_title_or_a_part_that_only_it_has_closes_the_loop(
    ledger: SqlLedger, text: str, title: str
) -> None:
    await said(ledger, *(f"todo: {other}" for other in TITLES))
    assert await said(ledger, text) == [f"Done: **{title}**"]
    assert title not in await ledger.read(open_titles)


@pytest.mark.parametrize(
    "text",
    [
        "the annual report is done",
        "forget about the report",
        "get the report done",
        "die Steuer ist erledigt",
        "done tomorrow",
    ],
)
async def test_what_comes_near_a_title_is_asked_about(ledger: SqlLedger, text: str) -> None:
    await said(ledger, *(f"todo: {title}" for title in TITLES))
    assert await said(ledger, text) == ["Which one?"]
    assert await ledger.read(open_titles) == list(TITLES)


async def test_a_whole_title_goes_before_a_part_of_another(ledger: SqlLedger) -> None:
    await said(ledger, "todo: send the report", "todo: report", "the report is done")
    assert await ledger.read(open_titles) == ["send the report"]


async def test_i_am_done_means_the_loop_that_is_talked_about(ledger: SqlLedger) -> None:
    await said(ledger, "todo: one", "todo: two")
    assert await ledger.write(lambda t: say(t, "I'm done", about=2)) == "Done: **two**"
    assert await ledger.read(open_titles) == ["one"]


async def test_not_done_takes_back_a_done_and_nothing_else(ledger: SqlLedger) -> None:
    await said(ledger, "todo: one")
    assert await said(ledger, "not done", "done", "not done") == ["", "Done: **one**", "Open again: **one**"]
    assert await ledger.read(open_titles) == ["one"]


async def test_a_snoozed_loop_is_done_by_name(ledger: SqlLedger) -> None:
    await said(ledger, "todo: call Anna", "snooze it for 2 days")
    assert await said(ledger, "call Anna is done") == ["Done: **call Anna**"]


WILD = "a_b *now* [click](https://evil.example) `x` <b>"
TAMED = "a\\_b \\*now\\* \\[click\\]\\(https://evil.example\\) \\`x\\` \\<b\\>"


async def test_a_title_can_neither_format_nor_link(ledger: SqlLedger) -> None:
    answers = await said(ledger, f"todo: {WILD}", "/loops", "/brief", "done", "undo", "snooze it for 2 days", "undo")
    assert all(TAMED in answer for answer in answers), answers
    assert await ledger.read(open_titles) == [WILD]


async def test_the_text_of_a_reminder_can_neither_format_nor_link(ledger: SqlLedger) -> None:
    answers = await said(
        ledger,
        f"remind me today at 23:00 to read {WILD}",
        "/brief",
        f"every weekday at 8 read {WILD}",
        f"remind me to read {WILD}",
    )
    assert all(TAMED in answer for answer in answers), answers


async def test_a_title_is_one_line_of_two_hundred_characters(ledger: SqlLedger) -> None:
    await said(ledger, f"todo: first\nsecond\u2028third {'x' * 400}", f"remind me tomorrow at 9:00 to {'y' * 400}")
    (long, other) = await ledger.read(open_titles)
    (reminder,) = await ledger.read(lambda t: t.reminders.active(1))
    assert long.startswith("first second third xx")
    assert [len(long), len(other), len(reminder.text)] == [200, 200, 200]
    assert other.endswith("…")


# --- an edit takes back what the words before it did ---


async def edited(ledger: SqlLedger, signal_id: int, *, now: datetime = NOW) -> None:
    """The message of `signal_id` is edited: what it changed is taken back."""

    def take_back(t: Tables) -> None:
        edit = t.signals.publish(
            NewSignal(source="test", kind="edit", source_id=f"e{signal_id}@{now}", payload={}), now=now
        )
        assert edit is not None
        scene = Scene(owner=t.owners.get(), now=now, signal_id=edit, turn_id=0, because="the owner edited it")
        undo.of_message(t, signal_id, scene)

    await ledger.write(take_back)


def standing(t: Tables) -> tuple[object, ...]:
    owner = t.owners.get()
    loops = [(loop.title, loop.snoozed) for loop in t.loops.list_open(1, with_snoozed=True)]
    reminders = [(reminder.text, reminder.wall) for reminder in t.reminders.active(1)]
    zone = owner.zones.zone_at(NOW + timedelta(hours=1)).key
    return loops, reminders, owner.language, owner.quiet_from, owner.quiet_to, owner.cap_usd, zone


CHANGES = [
    "todo: x",
    "waiting on Bob",
    "remind me on the 3rd at noon to call Anna",
    "every weekday at 8 take the pills",
    "mark the first as done",
    "drop the first",
    "snooze the first for 2 days",
    "auf Deutsch",
    "quiet 23-8",
    "/allowance 8",
    "I'm in Tokyo until Friday",
]


@pytest.mark.parametrize("text", CHANGES)
async def test_an_edit_takes_back_what_its_message_changed_and_only_once(ledger: SqlLedger, text: str) -> None:
    await said(ledger, "remind me on Friday at noon to buy milk")
    before = await ledger.read(standing)
    await said(ledger, text)
    assert await ledger.read(standing) != before
    await edited(ledger, 2, now=NOW + timedelta(minutes=1))
    assert await ledger.read(standing) == before
    decided = await ledger.read(lambda t: len(t.decisions.latest(1, 99)))
    await edited(ledger, 2, now=NOW + timedelta(minutes=2))
    assert await ledger.read(standing) == before
    assert await ledger.read(lambda t: len(t.decisions.latest(1, 99))) == decided


async def test_an_edit_leaves_alone_what_was_changed_again_since(ledger: SqlLedger) -> None:
    await said(ledger, "todo: x", "done")
    await edited(ledger, 1)
    assert await ledger.read(lambda t: [(d.decided) for d in t.decisions.about(1, "loop:1")]) == ["opened", "done"]


async def test_an_edit_takes_nothing_back_that_undo_took_back(ledger: SqlLedger) -> None:
    await said(ledger, "todo: x", "undo", "undo")
    decided = await ledger.read(lambda t: len(t.decisions.latest(1, 99)))
    await edited(ledger, 1)
    assert await ledger.read(lambda t: len(t.decisions.latest(1, 99))) == decided


async def test_an_unknown_command_says_what_there_is(ledger: SqlLedger) -> None:
    (answer,) = await said(ledger, "/frobnicate")
    assert "/help" in answer


async def test_stop_says_honestly_that_nothing_runs(ledger: SqlLedger) -> None:
    assert await said(ledger, "stop", "/stop") == ["Nothing is running.", "Nothing is running."]


async def test_done_in_answer_to_a_message_means_the_loop_of_that_message(ledger: SqlLedger) -> None:
    await said(ledger, "todo: A", "todo: B")
    first = await ledger.read(lambda t: t.thread.history(1, limit=9)[0])
    assert await ledger.read(lambda t: about(t, 1, first.id)) == 1
