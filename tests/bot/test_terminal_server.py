import asyncio
import dataclasses
import itertools
import json
import os
import socket
import stat
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.terminal import following, wire
from bot.terminal import peer as peer_module
from bot.terminal.client import Client, Lost, NotRunning
from bot.terminal.listening import listen
from bot.terminal.live import Live
from memory.errors import AnotherWriter, BadInput, NotFound, Refused
from memory.signal import NewSignal
from tests.bot.terminal_room import NOW, next_said, room, until
from tests.doubles.counted import counted


def is_settled(answer: wire.Answer) -> bool:
    return isinstance(answer, wire.Settled)


# ── the socket ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_socket_is_the_owners_alone_and_gone_afterwards() -> None:
    async with room() as it:
        mode = it.path.stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
        path = it.path
    assert not path.exists()


def test_the_umask_is_what_it_was_after_listening(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with listen(tmp_path / "s"):
            assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


def test_a_dead_daemons_socket_is_replaced(tmp_path: Path) -> None:
    with listen(tmp_path / "s"):
        pass  # closed, and the file left behind, as a killed process leaves it
    assert (tmp_path / "s").exists()
    with listen(tmp_path / "s") as again:
        assert again.getsockname() == str(tmp_path / "s")


def test_a_live_daemons_socket_is_left_alone(tmp_path: Path) -> None:
    with listen(tmp_path / "s") as live:
        with pytest.raises(AnotherWriter, match="running already"):
            listen(tmp_path / "s")
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(live.getsockname())


def test_a_file_in_the_way_is_not_removed(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("mine")
    with pytest.raises(Refused, match="no socket"):
        listen(tmp_path / "s")
    assert (tmp_path / "s").read_text() == "mine"


def test_a_path_too_long_for_a_socket_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="STILLBELL_HOME"):
        listen(tmp_path / ("x" * 120))


async def test_another_user_is_refused_by_the_kernels_word() -> None:
    async with room(owner_uid=os.getuid() + 1) as it:
        with pytest.raises(Refused, match="another user"):
            async with Client(it.path):
                pass


async def test_without_a_daemon_the_client_says_how_to_start_one(tmp_path: Path) -> None:
    with listen(tmp_path / "dead"):
        pass
    for path in (tmp_path / "dead", tmp_path / "none"):
        with pytest.raises(NotRunning, match="make run"):
            async with Client(path):
                pass


# ── hello, and what is not understood ─────────────────────────────────────────────────────────────────────────────────


async def raw(path: Path, *lines: bytes) -> list[dict[str, Any]]:
    """What comes back for these lines until the daemon hangs up or has answered each."""
    reader, writer = await asyncio.open_unix_connection(path)
    writer.writelines(lines)
    writer.write_eof()
    try:
        async with asyncio.timeout(10):
            return [json.loads(line) for line in (await reader.read()).splitlines()]
    finally:
        writer.close()
        await writer.wait_closed()


HELLO = wire.write(wire.Greet())


async def test_the_daemon_says_hello_first_and_wants_one() -> None:
    async with room() as it:
        hello, error = await raw(it.path, wire.write(wire.Settle()))
    assert hello == {"is": "hello", "protocol": wire.PROTOCOL, "version": "0.1.0"}
    assert "hello" in error["text"]


async def test_another_protocol_is_told_so_and_let_go() -> None:
    async with room() as it:
        _, error = await raw(it.path, wire.write(wire.Greet(protocol=99)), wire.write(wire.Say(id="a", text="x")))
        assert "protocol 99" in error["text"]
        assert it.signals() == []


async def test_malformed_lines_are_answered_one_by_one_and_kill_nothing() -> None:
    async with room() as it:
        said = wire.write(wire.Say(id="a", text="still here"))
        answers = await raw(it.path, HELLO, b"nonsense\n", b'{"do":"say","id":"x"}\n', b"\xff\xfe\n", said)
        assert [answer["is"] for answer in answers] == ["hello", "error", "error", "error", "heard"]
        assert [signal["kind"] for signal in it.signals()] == ["message"]


async def test_a_line_too_long_is_passed_over_and_the_next_is_read() -> None:
    async with room() as it:
        long, short = b"x" * (3 * wire.LINE_MAX) + b"\n", wire.write(wire.Say(id="a", text="short"))
        hello, error, heard = await raw(it.path, HELLO, long, short)
    assert (hello["is"], heard["is"]) == ("hello", "heard")
    assert "say it in parts" in error["text"]


async def test_half_a_line_is_not_taken_for_one() -> None:
    async with room() as it:
        answers = await raw(it.path, HELLO, wire.write(wire.Say(id="a", text="x")).rstrip())
        assert [answer["is"] for answer in answers] == ["hello"]
        assert it.signals() == []


# ── what is said ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_is_said_is_a_committed_signal_before_it_is_heard() -> None:
    async with room() as it, Client(it.path) as client:
        said_id = await client.say("  remind me of the bins\n", reply_to=4)
        assert (await until(client.events(), lambda a: isinstance(a, wire.Heard)))[-1] == wire.Heard(id=said_id)
        assert await it.ledger.read(lambda t: t.signals.exists("terminal", said_id))
        assert it.signals() == [
            {"kind": "message", "channel": "terminal", "text": "remind me of the bins", "reply_to": "4"}
        ]


async def test_a_tap_is_a_signal_of_its_own_kind() -> None:
    async with room() as it, Client(it.path) as client:
        await client.tap("c:1:0123456789ab:done")
        await until(client.events(), lambda a: isinstance(a, wire.Heard))
        assert it.signals() == [{"kind": "tap", "channel": "terminal", "data": "c:1:0123456789ab:done"}]


async def test_a_resend_after_a_cut_makes_no_second_signal() -> None:
    async with room() as it:
        for _ in range(2):
            async with Client(it.path) as client:
                await client.post(wire.Say(id="once", text="hello"))
                await until(client.events(), lambda a: a == wire.Heard(id="once"))
        counts = await it.ledger.read(lambda t: t.signals.counts_since(1, NOW))
    assert counts == {("terminal", "message"): 1}


async def test_an_empty_message_is_refused_with_its_id() -> None:
    async with room() as it, Client(it.path) as client:
        await client.post(wire.Say(id="a", text=" \n"))
        error = (await until(client.events(), lambda a: isinstance(a, wire.Error)))[-1]
        assert isinstance(error, wire.Error)
        assert error.about == "a"
        assert it.signals() == []


async def test_characters_that_no_file_can_hold_are_replaced() -> None:
    async with room() as it, Client(it.path) as client:
        await client.say("half \ud83d and nul \x00 here")
        await until(client.events(), lambda a: isinstance(a, wire.Heard))
        assert it.signals()[0]["text"] == "half ? and nul  here"


# ── the thread, live ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_newcomer_sees_the_newest_of_the_history_in_order() -> None:
    async with room() as it:
        for number in range(5):
            await it.owner_says(f"number {number}")
        async with Client(it.path) as client:
            await client.attach(history=3)
            events = client.events()
            assert [(await next_said(events)).text for _ in range(3)] == ["number 2", "number 3", "number 4"]


async def test_both_sides_of_every_channel_reach_every_terminal_in_order() -> None:
    async with room() as it, Client(it.path) as one, Client(it.path) as two:
        streams = [await it.attached(one), await it.attached(two)]
        await it.owner_says("from the phone")
        await it.stillbell_says("from the house")
        await it.owner_says("from the desk", channel="terminal")
        for events in streams:
            said = [await next_said(events) for _ in range(3)]
            assert [(m.role, m.channel, m.text) for m in said] == [
                ("owner", "telegram", "from the phone"),
                ("stillbell", "terminal", "from the house"),
                ("owner", "terminal", "from the desk"),
            ]


async def test_times_are_those_of_the_owners_clock() -> None:
    async with room() as it, Client(it.path) as client:
        events = await it.attached(client)
        await it.stillbell_says("good morning")
        said = await next_said(events)
        assert said.at == NOW
        assert f"{said.at:%H:%M}" == "08:14"


async def test_nothing_of_the_history_comes_twice_and_nothing_between_is_missed() -> None:
    """Newcomers attach while messages are committed: the race between history and live is the point."""
    async with room() as it:

        async def talk() -> None:
            for number in range(40):
                await it.owner_says(str(number))

        async def listen_in() -> list[str]:
            async with Client(it.path) as client:
                await client.attach(history=1000)
                texts: list[str] = []
                async with asyncio.timeout(10):
                    async for answer in client.events():
                        if isinstance(answer, wire.Said):
                            texts.append(answer.text)
                        if texts and texts[-1] == "39":
                            break
                return texts

        talking = asyncio.create_task(talk())
        heard = await asyncio.gather(*(listen_in() for _ in range(6)))
        await talking
    assert heard == [[str(number) for number in range(40)]] * 6


async def test_what_is_committed_while_somebody_attaches_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behind the look at the thread, before the history is read: it is in neither, and its wake-up comes too early."""
    async with room() as it, Client(it.path) as client:
        read, reads = it.ledger.read, itertools.count()

        async def read_late(work: Any) -> Any:
            if next(reads) == 1:
                await it.owner_says("in between")
                await asyncio.sleep(0)
            return await read(work)

        monkeypatch.setattr(it.ledger, "read", read_late)
        await client.attach(history=30)
        assert (await next_said(client.events())).text == "in between"


async def test_who_was_away_gets_what_came_after_the_last_message_seen() -> None:
    async with room() as it:
        seen = await it.owner_says("seen")
        await it.owner_says("missed")
        async with Client(it.path) as client:
            await client.attach(history=30, after_id=seen)
            assert (await next_said(client.events())).text == "missed"


async def test_an_open_card_shows_its_buttons_and_a_decided_one_what_it_was_decided_as() -> None:
    async with room() as it, Client(it.path) as client:
        events = await it.attached(client)
        await it.stillbell_says("Bins out?", "Done", "Tomorrow")
        shown = await next_said(events)
        assert [button.label for button in shown.buttons] == ["Done", "Tomorrow"]
        assert shown.buttons[0].data.endswith(":done")
        await it.ledger.write(lambda t: t.cards.decide(1, "done", now=NOW))
        amended = await next_said(events)
        assert (amended.is_, amended.id, amended.buttons, amended.decided) == ("amended", shown.id, (), "Done")


async def test_an_amended_piece_is_sent_again_where_it_stood() -> None:
    async with room() as it, Client(it.path) as client:
        events = await it.attached(client)
        key = await it.stillbell_says("Bins out?")
        shown = await next_said(events)
        await it.stillbell_says("Bins are out.", amends=key)
        amended = await next_said(events)
        assert (amended.is_, amended.id, amended.text) == ("amended", shown.id, "Bins are out.")


async def test_a_hand_written_signal_wakes_no_terminal_for_nothing() -> None:
    async with room() as it, Client(it.path) as client:
        events = await it.attached(client)
        signal = NewSignal(source="hand", kind="note", source_id="1", payload={})
        await it.ledger.write(lambda t: t.signals.publish(signal, now=NOW))
        await client.settle()
        assert await until(events, is_settled) == [wire.Settled()]


async def test_with_nobody_attached_the_thread_is_not_read() -> None:
    async with room() as it:
        reads: list[object] = []
        read = it.ledger.read

        async def counting(work: Any) -> Any:
            reads.append(work)
            return await read(work)

        it.ledger.read = counting  # type: ignore[method-assign]
        async with Client(it.path) as client:
            await it.owner_says("hello")
            await client.say("hello")
            await until(client.events(), lambda a: isinstance(a, wire.Heard))
            assert reads == []


async def test_typing_reaches_those_who_are_attached() -> None:
    async with room() as it, Client(it.path) as client:
        events = await it.attached(client)
        await it.server.channel.typing()
        assert await until(events, lambda a: isinstance(a, wire.Typing)) == [wire.Typing()]


async def test_a_message_longer_than_a_line_is_shown_cut_rather_than_not_at_all() -> None:
    async with room() as it, Client(it.path) as client:
        events = await it.attached(client)
        await it.stillbell_says("x" * (2 * wire.LINE_MAX))
        assert len((await next_said(events)).text) == wire.TEXT_MAX


async def test_a_terminal_that_does_not_read_is_let_go_and_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_module, "BACKLOG_MAX_BYTES", 100_000)
    async with room() as it, Client(it.path) as good:
        events = await it.attached(good)
        reader, writer = await asyncio.open_unix_connection(it.path, limit=1000)
        writer.write(HELLO + wire.write(wire.Attach(history=0)))
        await it.owner_says("first")
        await next_said(events)
        for number in range(20):
            await it.stillbell_says(str(number) + "x" * 60_000)
            assert (await next_said(events)).text.startswith(str(number))
        rest = b""
        async with asyncio.timeout(10):
            while part := await reader.read(1 << 20):
                rest += part
        assert b"too slow" in rest.splitlines()[-1]
        writer.close()
        await writer.wait_closed()


async def test_who_was_away_for_long_gets_the_newest_and_word_that_there_is_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(following, "AFTER_MAX", 3)
    async with room() as it, Client(it.path) as client:
        first = await it.owner_says("0")
        for number in range(1, 6):
            await it.owner_says(f"{number}")
        await client.attach(after_id=first)
        events = client.events()
        told = [await next_said(events) for _ in range(3)]
        assert [(said.text, said.cut) for said in told] == [("3", True), ("4", False), ("5", False)]


async def test_a_part_of_the_server_that_dies_is_told_to_who_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    async def dies(_: Live) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Live, "run", dies)
    async with room() as it:
        with pytest.raises(ZeroDivisionError):
            await it.server.watch()


# ── settling ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_settled_comes_after_the_last_answer_and_not_while_work_is_left() -> None:
    async with room() as it, Client(it.path) as client:
        events = await it.attached(client)
        it.busy = lambda t: counted(t, "done", NOW) == 0
        await client.say("question")
        await client.settle()
        await it.stillbell_says("a first word")
        assert (await next_said(events)).text == "a first word"
        await it.stillbell_says("the last word")
        await it.work_is_done()
        came = await until(events, is_settled)
        assert [answer.text for answer in came if isinstance(answer, wire.Said)] == ["the last word"]


# ── asks ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def counting(args: Mapping[str, Any]) -> AsyncIterator[wire.Progress | wire.Result]:
    for number in range(args["to"]):
        yield wire.Progress(data={"at": number})
    yield wire.Result(data={"sum": args["to"]})


async def test_an_ask_tells_its_progress_and_its_result_in_order() -> None:
    async with room() as it, Client(it.path) as client:
        it.asks["count"] = counting
        told = [(one.is_, one.data) async for one in client.ask("count", {"to": 2})]
    assert told == [("progress", {"at": 0}), ("progress", {"at": 1}), ("result", {"sum": 2})]


async def refusing(args: Mapping[str, Any]) -> AsyncIterator[wire.Progress | wire.Result]:
    yield wire.Progress(data={})
    raise NotFound("nothing there")


async def test_an_ask_that_fails_raises_the_same_error_at_the_command() -> None:
    async with room() as it, Client(it.path) as client:
        it.asks["refuse"] = refusing
        with pytest.raises(NotFound, match="nothing there"):
            [one async for one in client.ask("refuse", {})]
        with pytest.raises(NotFound, match="knows refuse"):
            [one async for one in client.ask("unheard-of", {})]


async def broken(args: Mapping[str, Any]) -> AsyncIterator[wire.Progress | wire.Result]:
    yield wire.Progress(data={})
    raise ZeroDivisionError


async def test_a_bug_in_an_ask_is_told_and_the_daemon_lives() -> None:
    async with room() as it, Client(it.path) as client:
        it.asks["break"] = broken
        it.asks["count"] = counting
        with pytest.raises(Exception, match="its log says how"):
            [one async for one in client.ask("break", {})]
        assert len([one async for one in client.ask("count", {"to": 1})]) == 2


async def test_an_ask_stops_when_its_asker_hangs_up() -> None:
    stopped = asyncio.Event()

    async def endless(args: Mapping[str, Any]) -> AsyncIterator[wire.Progress | wire.Result]:
        try:
            yield wire.Progress(data={})
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with room() as it:
        it.asks["wait"] = endless
        async with Client(it.path) as client:
            async for _ in client.ask("wait", {}):
                break
        async with asyncio.timeout(10):
            await stopped.wait()


async def test_stopping_says_goodbye_to_whoever_is_attached() -> None:
    async with room() as it:
        client = await Client(it.path).__aenter__()
        events = await it.attached(client)
    with pytest.raises(Lost, match="stopping"):
        await until(events, lambda _: False)
    await client.__aexit__(None, None, None)


# ── the channel ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_piece_is_one_part_known_by_its_message() -> None:
    async with room() as it:
        await it.owner_says("hello")
        key = await it.stillbell_says("hello yourself")
        piece = await it.ledger.read(lambda t: t.pieces.get(key))
        assert piece is not None
        assert [part async for part in it.server.channel.show(piece)] == ["2"]
        shown = dataclasses.replace(piece, parts=("2",))
        assert [part async for part in it.server.channel.show(shown)] == []
