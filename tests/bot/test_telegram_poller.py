"""The poller over a real socket and into a real ledger: nothing lost, nothing twice, nothing stuck."""

import asyncio
import logging
from datetime import timedelta
from typing import Any

import pytest
from telegram.error import BadRequest, Conflict, TelegramError

from bot.log import quiet
from bot.telegram.faults import AnswerLost, NotSent, SlowDown, TelegramSilent, TokenRefused
from bot.telegram.intake import offset_after
from bot.telegram.line import BATCH, Line
from bot.telegram.poller import Poller, Timing, trouble_of
from bot.telegram.reading import ALLOWED
from bot.telegram.watch import LONGEST_WAIT_FOR, REBUILDS_MAX, WEDGED_AFTER_FOR, Watch, next_wait
from memory.errors import OutOfReach
from tests.bot.telegram_room import BOT_ID, NOW, OWNER, Room, Turning, open_room, running, until

SECOND = timedelta(seconds=1)


@pytest.fixture
async def room(tmp_path: Any) -> Any:
    async with open_room(tmp_path) as opened:
        yield opened


async def texts(room: Room) -> list[str]:
    return [signal.payload["text"] for signal in await room.signals("message")]


async def confirmed(room: Room, update: dict[str, Any]) -> None:
    """Telegram was told that this update and all before it are on record."""
    await room.server.wait_for_poll(update["update_id"] + 1)


# --- nothing is lost ---


async def test_a_message_is_on_record_before_telegram_may_forget_it(room: Room) -> None:
    update = room.server.owner_sends("hello")
    async with running(room.poller()):
        await confirmed(room, update)
        assert await texts(room) == ["hello"]
        assert await room.cursor() == str(update["update_id"] + 1)


class _Refusing:
    """A ledger that can't write, until it can."""

    def __init__(self, ledger: Any) -> None:
        self.ledger, self.refuses = ledger, True

    async def read(self, work: Any) -> Any:
        return await self.ledger.read(work)

    async def write(self, work: Any) -> Any:
        if self.refuses:
            raise OutOfReach("the disk is full")
        return await self.ledger.write(work)


async def test_the_offset_stays_while_the_ledger_cannot_write(room: Room) -> None:
    update = room.server.owner_sends("hello")
    poller = room.poller()
    poller._ledger = refusing = _Refusing(room.ledger)  # type: ignore[assignment]
    async with running(poller):
        await until(lambda: len(room.waits) >= 3)
        assert {poll.offset for poll in room.server.polls} == {0}
        assert [alarm for alarm in room.alarms if "disk is full" in alarm] == room.alarms
        refusing.refuses = False
        await confirmed(room, update)
    assert await texts(room) == ["hello"]


async def test_an_answer_that_was_cut_is_asked_for_again(room: Room) -> None:
    room.server.fault("getUpdates", "drop_after")
    update = room.server.owner_sends("hello")
    async with running(room.poller()):
        await confirmed(room, update)
    assert await texts(room) == ["hello"]


async def test_stopping_gives_up_the_poll_and_nothing_else(room: Room) -> None:
    poller = room.poller(timing=Timing(poll_for=timedelta(seconds=40)))
    async with running(poller) as task:
        await room.server.wait_for_poll()
        poller.stop()
        await asyncio.wait_for(task, 2)
    update = room.server.owner_sends("after")
    async with running(room.poller()):
        await confirmed(room, update)
    assert await texts(room) == ["after"]


async def test_two_thousand_that_waited_are_taken_in_batches_and_in_order(room: Room) -> None:
    for number in range(2000):
        update = room.server.owner_sends(f"{number}")
    async with running(room.poller()):
        await room.server.wait_for_poll(update["update_id"] + 1, timeout=20)
    assert len(room.taken) == 2000 // BATCH
    assert await texts(room) == [str(number) for number in range(2000)]


# --- nothing twice ---


async def test_a_restart_goes_on_where_it_was(room: Room) -> None:
    first = room.server.owner_sends("one")
    async with running(room.poller()):
        await confirmed(room, first)
    second = room.server.owner_sends("two")
    async with running(room.poller()):
        await confirmed(room, second)
    assert await texts(room) == ["one", "two"]
    assert room.server.polls[-1].offset == second["update_id"] + 1


async def test_a_redelivered_update_makes_no_second_signal(room: Room) -> None:
    update = room.server.owner_sends("hello")
    tap = room.server.taps(1, "c:1:0123456789ab:done", forged=True)
    room.server.redeliver(update)
    last = room.server.redeliver(tap)
    async with running(room.poller()):
        await confirmed(room, last)
    assert [signal.kind for signal in await room.signals()] == ["message", "tap"]
    assert sum(taken.new for taken in room.taken) == 2


async def test_another_bot_begins_at_its_own_beginning(room: Room) -> None:
    update = room.server.owner_sends("hello")
    async with running(room.poller(bot_id=4)):
        await confirmed(room, update)
    room.server.updates.push({"message": room.server.message(1)}, update_id=7)
    async with running(room.poller(bot_id=5)):
        await until(lambda: any(poll.offset == 0 for poll in room.server.polls[1:]))
    assert await room.cursor(4) == str(update["update_id"] + 1)


async def test_an_offset_from_the_future_follows_the_server_back(room: Room) -> None:
    """After a week without updates, or on another Bot API server, the numbering starts anew and lower."""
    await room.ledger.write(lambda t: t.cursors.set(f"telegram:{BOT_ID}", "900000000", owner_id=1, now=NOW))
    update = room.server.owner_sends("hello")
    async with running(room.poller()):
        await until(lambda: room.server.polls and room.server.polls[-1].offset == update["update_id"] + 1)
    assert await texts(room) == ["hello"]
    assert len(room.server.polls) <= 3


# --- nothing stuck ---


async def test_a_poisonous_update_is_put_aside_and_the_next_one_is_taken(room: Room) -> None:
    message = room.server.owner_sends("x")["message"]
    room.server.push_raw({"message": message | {"text": {"rich": []}}})
    room.server.push_raw({"a_kind_to_come": {"from": 5}})
    last = room.server.owner_sends("still here")
    async with running(room.poller()):
        await confirmed(room, last)
    assert [signal.kind for signal in await room.signals()] == ["message", "unreadable", "message"]


async def test_a_forward_without_a_name_does_not_block(room: Room) -> None:
    last = room.server.owner_sends("words", forward_origin={"type": "hidden_user", "date": 1})
    async with running(room.poller()):
        await confirmed(room, last)
    assert [signal.payload["forwarded_from"] for signal in await room.signals()] == ["someone"]


async def test_half_a_character_does_not_block(room: Room) -> None:
    last = room.server.owner_sends("half \ud83d")
    async with running(room.poller()):
        await confirmed(room, last)
    assert await texts(room) == ["half \ufffd"]


async def test_what_strangers_say_is_counted_and_not_kept(room: Room) -> None:
    room.server.owner_sends("hello", user_id=666)
    room.server.group_message("hello", user_id=OWNER)
    last = room.server.owner_sends("hello", user_id=667)
    async with running(room.poller()):
        await confirmed(room, last)
    assert await room.signals() == []
    assert (await room.counted("stranger"), await room.counted("group")) == (2, 1)


async def test_just_what_is_used_is_asked_for(room: Room) -> None:
    async with running(room.poller()):
        poll = await room.server.wait_for_poll()
    assert poll.allowed_updates == list(ALLOWED)
    assert poll.limit == BATCH


async def test_parts_of_a_paste_and_an_album_keep_their_order(room: Room) -> None:
    room.server.owner_pastes("a" * 4096 + "b" * 100)
    room.server.owner_sends_album(3)
    last = room.server.owner_sends("done")
    async with running(room.poller()):
        await confirmed(room, last)
    assert [signal.payload["message_id"] for signal in await room.signals()] == ["1", "2", "3", "4", "5", "6"]


# --- trouble ---


async def test_another_poller_is_no_reason_to_stop_and_is_said_once(room: Room) -> None:
    room.server.fault("getUpdates", 409, times=4)
    update = room.server.owner_sends("hello")
    async with running(room.poller()) as task:
        await confirmed(room, update)
        assert not task.done()
    assert len(room.alarms) == 1
    assert "another program polls" in room.alarms[0]
    assert room.waits == sorted(room.waits)
    assert len(room.waits) == 4


async def test_trouble_that_comes_back_later_is_said_again(room: Room) -> None:
    poller = room.poller()
    async with running(poller):
        for times in (1, 2):
            room.server.fault("getUpdates", 409)
            room.server.owner_sends("hello")
            await until(lambda times=times: len(room.alarms) == times)
            await until(lambda: poller.health.trouble is None)
    assert ["another program polls" in alarm for alarm in room.alarms] == [True, True]


async def test_a_webhook_left_over_is_taken_away(room: Room) -> None:
    room.server.bot.webhook_url = "https://example.org/hook"
    update = room.server.owner_sends("hello")
    async with running(room.poller()):
        await confirmed(room, update)
    assert room.server.calls("deleteWebhook")
    assert await texts(room) == ["hello"]


async def test_a_refused_token_ends_it_and_says_what_to_do(room: Room) -> None:
    line = Line(token="700101:another-token-that-nobody-knows", api_url=room.server.url)
    with pytest.raises(TokenRefused, match="BotFather") as caught:
        await room.poller(line=line).run()
    assert "another-token" not in f"{caught.value!r} {caught.value.__cause__!r}"
    await line.close()


async def test_telegrams_own_wait_is_kept(room: Room) -> None:
    room.server.fault("getUpdates", 429, retry_after=120)
    update = room.server.owner_sends("hello")
    async with running(room.poller()):
        await confirmed(room, update)
    assert room.waits == [timedelta(seconds=120)]
    assert room.alarms == []


@pytest.mark.parametrize("kind", ["html502", "500", "garbage", "drop_before", "drop_after"])
async def test_passing_trouble_passes(room: Room, kind: str) -> None:
    room.server.fault("getUpdates", kind, times=3)
    update = room.server.owner_sends("hello")
    poller = room.poller()
    async with running(poller):
        await confirmed(room, update)
        assert await texts(room) == ["hello"]
        await until(lambda: poller.health.trouble is None)
        assert poller.health.last_round_at is not None
    assert len(room.waits) == 3
    assert len(room.alarms) == 1


async def test_one_failed_round_is_no_alarm(room: Room) -> None:
    room.server.fault("getUpdates", "html502")
    async with running(room.poller()):
        await confirmed(room, room.server.owner_sends("hello"))
    assert room.alarms == []


async def test_no_network_is_waited_for(room: Room) -> None:
    line = Line(token=room.line.bot.token, api_url="http://127.0.0.1:9")
    async with running(room.poller(line=line)) as task:
        await until(lambda: len(room.waits) >= 3)
        assert not task.done()
    assert "is the network up" in room.alarms[0]
    await line.close()


async def test_a_poll_that_hangs_is_given_up_and_its_connections_are_made_anew(room: Room) -> None:
    room.server.fault("getUpdates", "hang", times=1)
    update = room.server.owner_sends("hello")
    polling = room.line.polling
    clients = {id(polling._client)}
    timing = Timing(poll_for=SECOND, read_beyond_for=timedelta(minutes=1), wedged_after=timedelta(milliseconds=150))
    async with running(room.poller(timing=timing)):
        await until(lambda: room.taken)
    clients.add(id(polling._client))
    assert len(clients) == 2
    assert [found.signal.payload["text"] for found in room.taken[0].heard] == ["hello"]
    assert offset_after([update]) == room.taken[0].offset


async def test_when_new_connections_do_not_help_a_new_process_is_asked_for(room: Room) -> None:
    room.server.fault("getUpdates", "hang_before", times=None)
    timing = Timing(poll_for=SECOND, read_beyond_for=timedelta(minutes=1), wedged_after=timedelta(milliseconds=30))
    with pytest.raises(TelegramSilent):
        await asyncio.wait_for(room.poller(timing=timing).run(), 10)
    assert len(room.server.polls) == REBUILDS_MAX + 1


async def test_a_silent_poll_does_not_hold_up_a_message_being_sent(room: Room) -> None:
    room.server.fault("getUpdates", "hang_before", times=None)
    async with running(room.poller(timing=Timing())):
        await room.server.wait_until(lambda: room.server.polls)
        await room.line.polling.rebuild()
        assert (await room.line.bot.send_message(OWNER, "hello")).message_id == 1


async def test_updates_without_numbers_are_trouble_rather_than_a_loop(room: Room) -> None:
    async def nonsense(**asked: Any) -> list[Any]:
        return ["nonsense"]

    class Bot:
        raw_updates = staticmethod(nonsense)

    line = Line(token=room.line.bot.token, api_url=room.server.url)
    line.bot = Bot()  # type: ignore[assignment,misc]
    async with running(room.poller(line=line)):
        await until(lambda: len(room.waits) >= 3)
    assert "bear no numbers" in room.alarms[0]
    await line.close()


async def test_a_bug_is_let_through(room: Room) -> None:
    poller = room.poller()

    def bug(taken: Any) -> None:
        raise ZeroDivisionError

    poller._took = bug  # type: ignore[method-assign]
    room.server.owner_sends("hello")
    with pytest.raises(ZeroDivisionError):
        await asyncio.wait_for(poller.run(), 5)


async def test_the_token_reaches_no_log(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    quiet()
    room.server.fault("getUpdates", "html502", times=2)
    async with running(room.poller()):
        await confirmed(room, room.server.owner_sends("hello"))
    await room.line.bot.send_message(OWNER, "hello")
    assert room.line.bot.token not in caplog.text
    assert f"bot{BOT_ID}" not in caplog.text


# --- pure ---


def test_waits_double_up_to_a_limit_and_never_overflow() -> None:
    waits = [next_wait(failures) for failures in range(12)]
    assert waits[:4] == [timedelta(), SECOND / 2, SECOND, 2 * SECOND]
    assert waits == sorted(waits)
    assert waits[-1] == next_wait(10**9) == LONGEST_WAIT_FOR


def test_what_telegram_asks_for_goes_before_our_own_wait() -> None:
    assert next_wait(1, retry_for=timedelta(minutes=5)) == timedelta(minutes=5)


def test_a_silence_is_a_rebuild_and_three_in_vain_are_the_end() -> None:
    clock = Turning()
    watch = Watch(clock.now())
    for _ in range(REBUILDS_MAX):
        assert watch.judge(clock.now()) == "fine"
        clock.at += WEDGED_AFTER_FOR
        watch = watch.failed(refused=False)
        assert watch.judge(clock.now()) == "rebuild"
        watch = watch.rebuilt(clock.now())
    clock.at += WEDGED_AFTER_FOR
    assert watch.judge(clock.now()) == "give up"
    assert watch.answered(clock.now()).judge(clock.now()) == "fine"


def test_a_network_that_is_down_is_never_the_end() -> None:
    watch = Watch(NOW)
    for round_ in range(1, 20):
        now = NOW + round_ * WEDGED_AFTER_FOR
        watch = watch.failed(refused=True)
        assert watch.judge(now) == "rebuild"
        watch = watch.rebuilt(now)
    now += WEDGED_AFTER_FOR
    assert watch.failed(refused=False).judge(now) == "rebuild", "those rebuilds tell nothing of a silence"
    vain = Watch(NOW, rebuilds=REBUILDS_MAX)
    assert vain.failed(refused=False).judge(now) == "give up"
    assert vain.failed(refused=True).judge(now) == "rebuild"


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (SlowDown(SECOND), None),
        (Conflict("terminated"), "another program"),
        (NotSent("x"), "network"),
        (AnswerLost("x"), "get lost"),
        (TimeoutError(), "get lost"),
        (BadRequest("no"), "refuses"),
        (TelegramError("no"), "refuses"),
        (OutOfReach("the disk is full"), "the disk is full"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_trouble_has_its_words(error: Exception, says: str | None) -> None:
    said = trouble_of(error)
    assert said is None if says is None else says in (said or "")


def test_a_poller_that_never_ran_has_nothing_to_report(room: Room) -> None:
    assert isinstance(room.poller(), Poller)
    assert room.poller().health.last_round_at is None
