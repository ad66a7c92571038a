import asyncio
import json
import socket
from typing import Any

import pytest

from bot.terminal import following
from bot.terminal.live import Live
from bot.terminal.wire import TEXT_MAX, Said
from bot.web import app as app_module
from bot.web import intake as intake_module
from bot.web import server as server_module
from bot.web import stream as stream_module
from bot.web.stream import Stream
from tests.bot.terminal_room import NOW
from tests.bot.web_room import web_room

# ── saying and tapping ────────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_is_said_is_a_signal_before_it_is_acknowledged() -> None:
    async with web_room() as room, room.script() as script:
        answer = await script.post("/message", json={"text": "  call Anna \n", "id": "a-1"})
        assert (answer.status_code, answer.json()) == (202, {"id": "a-1", "new": True})
        assert room.signals() == [
            {"kind": "message", "id": "a-1", "channel": "web", "text": "call Anna", "reply_to": None}
        ]


async def test_the_same_id_said_again_is_heard_once() -> None:
    async with web_room() as room, room.script() as script:
        for is_new in (True, False, False):
            answer = await script.post("/message", json={"text": "once", "id": "a-1"})
            assert answer.json() == {"id": "a-1", "new": is_new}
        assert len(room.signals()) == 1


async def test_without_an_id_each_message_is_its_own() -> None:
    async with web_room() as room, room.script() as script:
        ids = {(await script.post("/message", json={"text": "twice"})).json()["id"] for _ in range(2)}
        assert {signal["id"] for signal in room.signals()} == ids
        assert len(ids) == 2


async def test_a_tap_is_a_signal_with_what_the_button_says() -> None:
    async with web_room() as room, room.script() as script:
        await room.stillbell_says("Offer", "Done")
        [shown] = (await script.get("/messages")).json()["messages"]
        [button] = shown["buttons"]
        assert button["label"] == "Done"
        answer = await script.post("/tap", json={"data": button["data"]})
        assert answer.status_code == 202
        [signal] = room.signals()
        assert signal == {"kind": "tap", "id": answer.json()["id"], "channel": "web", "data": button["data"]}


async def test_an_answer_names_a_message_that_is_there() -> None:
    async with web_room() as room, room.script() as script:
        number = await room.owner_says("earlier")
        assert (await script.post("/message", json={"text": "x", "reply_to": number})).status_code == 202
        gone = await script.post("/message", json={"text": "x", "reply_to": number + 1})
        assert gone.status_code == 404
        assert [signal["reply_to"] for signal in room.signals()] == [str(number)]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/message", b""),
        ("/message", b"{"),
        ("/message", b"[]"),
        ("/message", b'"text"'),
        ("/message", b"null"),
        ("/message", b"\xff\xfe"),
        ("/message", b"{}"),
        ("/message", b'{"text": ""}'),
        ("/message", b'{"text": " \\n "}'),
        ("/message", b'{"text": 1}'),
        ("/message", b'{"text": ["x"]}'),
        ("/message", b'{"text": "x", "id": "a b"}'),
        ("/message", b'{"text": "x", "id": ""}'),
        ("/message", b'{"text": "x", "reply_to": "first"}'),
        ("/message", b'{"do": "tap", "text": "x"}'),
        ("/message", json.dumps({"text": "x" * (TEXT_MAX + 1)}).encode()),
        ("/message", b"[" * 100_000),
        ("/tap", b"{}"),
        ("/tap", json.dumps({"data": "x" * 65}).encode()),
    ],
    ids=lambda value: repr(value)[:40],
)
async def test_what_is_not_understood_is_told_with_what_to_send_instead(path: str, body: bytes) -> None:
    async with web_room() as room, room.script() as script:
        answer = await script.post(path, content=body)
        assert answer.status_code == 400
        assert f"POST {path} takes" in answer.json()["next"]
        assert answer.json()["error"]
        assert room.signals() == []


async def test_the_longest_text_passes_and_characters_that_can_not_travel_are_taken_out() -> None:
    async with web_room() as room, room.script() as script:
        assert (await script.post("/message", json={"text": "é" * TEXT_MAX})).status_code == 202
        assert (await script.post("/message", content=b'{"text": "a\\u0000b"}')).status_code == 202
        assert [len(signal["text"]) for signal in room.signals()] == [TEXT_MAX, 2]


@pytest.mark.parametrize("told", [True, False], ids=["a length is told", "chunked"])
async def test_a_body_too_large_is_refused_without_being_read_to_its_end(told: bool) -> None:
    big = b'{"text": "' + b"x" * (2 * intake_module.BODY_MAX) + b'"}'

    async def pieces() -> Any:
        for at in range(0, len(big), 65536):
            yield big[at : at + 65536]

    async with web_room() as room, room.script() as script:
        answer = await script.post("/message", content=big if told else pieces())
        assert answer.status_code == 413
        assert answer.json()["next"] == "Say it in parts"
        assert room.signals() == []


async def test_a_body_that_never_comes_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake_module, "BODY_WITHIN_S", 0.05)
    async with web_room() as room:
        reader, writer = await asyncio.open_connection("127.0.0.1", room.server.port)
        head = f"POST /message HTTP/1.1\r\nHost: 127.0.0.1:{room.server.port}\r\nContent-Length: 20\r\n"
        writer.write(f"{head}Authorization: Bearer {room.token.value}\r\n\r\n{{".encode())
        async with asyncio.timeout(10):
            assert b" 408 " in await reader.readline()
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/message", 405), ("POST", "/events", 405), ("GET", "/nowhere", 404)]
)
async def test_an_address_that_is_none_says_which_there_are(method: str, path: str, status: int) -> None:
    async with web_room() as room, room.script() as script:
        answer = await script.request(method, path)
        assert answer.status_code == status
        assert "POST /message" in answer.json()["next"]


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc"])
async def test_only_the_pages_own_files_are_served(path: str) -> None:
    async with web_room() as room:
        reader, writer = await asyncio.open_connection("127.0.0.1", room.server.port)
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{room.server.port}\r\nConnection: close\r\n"
        writer.write(f"{head}Authorization: Bearer {room.token.value}\r\n\r\n".encode())
        async with asyncio.timeout(10):
            assert b" 404 " in await reader.readline()
        writer.close()
        await writer.wait_closed()


# ── reading ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_messages_come_with_the_owners_own_clock_and_everything_a_script_needs() -> None:
    async with web_room() as room, room.script() as script:
        number = await room.owner_says("hello", channel="telegram")
        [told] = (await script.get("/messages")).json()["messages"]
        assert told == {
            "id": number,
            "role": "owner",
            "channel": "telegram",
            "text": "hello",
            "at": "2026-03-02T08:14:00+01:00",
            "buttons": [],
            "decided": None,
            "edited": False,
            "cut": False,
            "is": "message",
        }


async def test_earlier_messages_come_in_pages_until_there_are_none() -> None:
    async with web_room() as room, room.script() as script:
        ids = [await room.owner_says(f"{n}") for n in range(7)]
        seen: list[int] = []
        before, more = None, True
        while more:
            query = {"limit": 3} | ({"before": before} if before else {})
            page = (await script.get("/messages", params=query)).json()
            seen = [one["id"] for one in page["messages"]] + seen
            before, more = seen[0], page["more"]
        assert seen == ids


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "before=-1", "before=1e3", "before=" + "9" * 30])
async def test_a_number_that_is_none_is_told(query: str) -> None:
    async with web_room() as room, room.script() as script:
        assert (await script.get(f"/messages?{query}")).status_code == 400


async def test_the_page_shows_the_newest_messages_and_offers_the_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "HISTORY", 2)
    async with web_room() as room, room.browser() as browser:
        empty = (await browser.get("/")).text
        assert 'data-last="0"' in empty
        assert 'id="older" hidden' in empty
        for n in range(3):
            number = await room.owner_says(f"word {n}")
        page = (await browser.get("/")).text
        assert "word 0" not in page
        assert "word 1" in page
        assert f'data-last="{number}"' in page
        assert 'id="older" hidden' not in page


async def test_the_page_speaks_the_owners_language() -> None:
    async with web_room() as room, room.browser() as browser:
        assert ">Send<" in (await browser.get("/")).text
        await room.ledger.write(lambda t: t.owners.set(1, language="de"))
        german = (await browser.get("/")).text
        assert 'lang="de"' in german
        assert ">Senden<" in german


async def test_the_page_can_be_used_without_seeing_it() -> None:
    async with web_room() as room, room.browser() as browser:
        await room.stillbell_says("Offer", "Done", "Tomorrow")
        page = (await browser.get("/")).text
        assert 'role="log" aria-live="polite"' in page
        assert '<label for="text"' in page
        assert 'role="status"' in page
        assert page.count('<button type="button" data-tap="c:') == 2
        assert 'role="group" aria-label="Choices"' in page


# ── following ─────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_happens_is_told_live_once_and_in_order() -> None:
    async with web_room() as room, room.script() as script:
        await room.owner_says("before")
        async with room.events(script) as events:
            ids = [await room.owner_says(f"{n}") for n in range(30)]
            told = [await events.next() for _ in ids]
            assert [event.data["id"] for event in told] == ids
            assert [event.id for event in told] == [str(one) for one in ids]


async def test_a_card_that_changes_is_told_as_amended() -> None:
    async with web_room() as room, room.script() as script, room.events(script) as events:
        key = await room.stillbell_says("Offer", "Done")
        shown = await events.next()
        assert [button["label"] for button in shown.data["buttons"]] == ["Done"]
        later = await room.owner_says("later")
        await events.next()
        await room.stillbell_says("Done: Offer", amends=key)
        amended = await events.next("amended")
        assert (amended.data["id"], amended.data["text"], amended.data["buttons"]) == (
            shown.data["id"],
            "Done: Offer",
            [],
        )
        assert amended.id == str(later)  # a change moves nobody's place in the thread


async def test_work_under_way_is_hinted_at() -> None:
    async with web_room() as room, room.script() as script, room.events(script) as events:
        await room.server.channel.typing()
        assert (await events.next("typing")).data == {}


async def test_who_was_away_for_long_gets_the_newest_and_word_that_there_is_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(following, "AFTER_MAX", 3)
    async with web_room() as room, room.script() as script:
        ids = [await room.owner_says(f"{n}") for n in range(5)]
        for after, told, cut in ((0, ids[2:], True), (ids[0], ids[2:], True), (ids[1], ids[2:], False)):
            async with room.events(script, f"?after={after}") as events:
                came = [await events.next() for _ in told]
            assert [event.data["id"] for event in came] == told
            assert [event.data["cut"] for event in came] == [cut, False, False]
        before = (await script.get(f"/messages?before={ids[2]}")).json()
        assert [one["id"] for one in before["messages"]] == ids[:2]


async def test_a_part_of_the_server_that_dies_is_told_to_who_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    async def dies(_: Live) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Live, "run", dies)
    async with web_room() as room:
        with pytest.raises(ZeroDivisionError):
            await room.server.watch()


async def test_who_asks_for_what_came_after_a_message_gets_that_and_goes_on_live() -> None:
    async with web_room() as room, room.script() as script:
        first, second = await room.owner_says("1"), await room.owner_says("2")
        async with room.events(script, f"?after={first}") as events:
            third = await room.owner_says("3")
            assert [(await events.next()).data["id"] for _ in range(2)] == [second, third]
        async with room.events(script, "?after=0") as events:
            assert [(await events.next()).data["id"] for _ in range(3)] == [first, second, third]


async def test_a_client_that_comes_back_again_and_again_misses_nothing_and_sees_nothing_twice() -> None:
    # Each round the connection is cut somewhere among messages that keep coming.
    async with web_room() as room, room.script() as script:
        wanted, seen, last = 40, list[int](), ""

        async def talk() -> list[int]:
            return [await room.owner_says(f"{n}") for n in range(wanted)]

        talking = asyncio.create_task(talk())
        while len(seen) < wanted:
            headers = {"Last-Event-ID": last} if last else {}
            async with room.events(script, "?after=0", **headers) as events:
                for _ in range(min(3, wanted - len(seen))):
                    event = await events.next()
                    seen.append(event.data["id"])
                    last = event.id
        assert seen == await talking


async def test_the_place_that_a_browser_remembers_outweighs_the_one_in_the_address() -> None:
    async with web_room() as room, room.script() as script:
        await room.owner_says("1")
        second = await room.owner_says("2")
        async with room.events(script, "?after=0", **{"Last-Event-ID": str(second)}) as events:
            third = await room.owner_says("3")
            assert (await events.next()).data["id"] == third


async def test_a_page_that_comes_back_is_told_what_changed_meanwhile() -> None:
    async with web_room() as room, room.browser() as browser:
        key = await room.stillbell_says("Offer", "Done")
        [shown] = (await browser.get("/messages?page=1")).json()["messages"]
        await room.stillbell_says("Done: Offer", amends=key)
        after = await room.owner_says("and then")
        async with room.events(browser, f"?page=1&after={shown['id']}") as events:
            first, second = [event async for event in _some(events, 2)]
            assert (first.name, first.data["id"], first.data["text"]) == ("amended", shown["id"], "Done: Offer")
            assert (second.name, second.data["id"]) == ("message", after)


async def _some(events: Any, count: int) -> Any:
    async with asyncio.timeout(10):
        async for event in events:
            yield event
            if (count := count - 1) == 0:
                return


async def test_the_page_gets_each_message_drawn() -> None:
    async with web_room() as room, room.browser() as browser, room.events(browser, "?page=1") as events:
        await room.stillbell_says("**bold**", "Done")
        html = (await events.next()).data["html"]
        assert "<strong>bold</strong>" in html
        assert "<button" in html


async def test_a_silent_stream_gives_signs_of_life() -> None:
    for beat, sign in ((False, b": still here\n\n"), (True, b"event: beat\ndata: {}\n\n")):
        chunks = Stream(lambda said: {}, beat=beat, beat_s=0.001).chunks([])
        assert await anext(chunks) == b"retry: 1000\n\n"
        assert await anext(chunks) == sign
        await chunks.aclose()  # type: ignore[attr-defined]


async def test_so_many_may_follow_and_the_next_is_told_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "STREAMS_MAX", 2)
    async with web_room() as room, room.script() as script:
        async with room.events(script), room.events(script):
            full = await script.get("/events")
            assert full.status_code == 503
            assert "2 pages or scripts" in full.json()["error"]
        await _until(lambda: not room.server._web.streams)
        async with room.events(script) as events:
            await room.owner_says("there is room again")
            await events.next()


async def test_a_client_that_does_not_read_costs_no_more_than_its_backlog(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_module, "BACKLOG_MAX", 3)
    stream = Stream(lambda said: {})
    for number in range(1, 4):
        stream.offer(Said(id=number, role="owner", channel="web", text="x", at=NOW))
    stream.offer(Said(id=4, role="owner", channel="web", text="x", at=NOW))
    assert [chunk async for chunk in stream.chunks([])] == [b"retry: 1000\n\n"]  # it ends, to be taken up again
    assert not stream._waiting


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system has no TCP_USER_TIMEOUT")
async def test_a_client_that_takes_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "UNREAD_FOR_MS", 200)
    async with web_room() as room:
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", room.server.port))
            head = f"GET /events?after=0 HTTP/1.1\r\nHost: 127.0.0.1:{room.server.port}\r\n"
            for _ in range(150):
                await room.owner_says("x" * 60_000)
            client.sendall(f"{head}Authorization: Bearer {room.token.value}\r\n\r\n".encode())
            await _until(lambda: room.server._web.streams)
            # Nothing is read on this side, so only the server can end it.
            await _until(lambda: not room.server._web.streams)
            assert client.fileno() != -1
            assert room.server.listens


async def _until(holds: Any) -> None:
    """What a connection's end does in the server has no event here: it is looked at again and again."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def test_more_connections_than_the_house_holds_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "CONNECTIONS_MAX", 3)
    async with web_room() as room, room.script() as script, room.events(script):
        idle = [await asyncio.open_connection("127.0.0.1", room.server.port) for _ in range(3)]
        assert (await script.get("/messages")).status_code == 503
        for _, writer in idle:
            writer.close()
            await writer.wait_closed()


async def test_a_page_that_closes_is_followed_no_longer() -> None:
    async with web_room() as room:
        async with room.script() as script, room.events(script):
            assert len(room.server._live._followers) == 1
        await _until(lambda: not room.server._live._followers and not room.server._web.streams)


async def test_two_pages_are_told_the_same() -> None:
    async with (
        web_room() as room,
        room.browser() as page,
        room.script() as script,
        room.events(page) as here,
        room.events(script) as there,
    ):
        number = await room.owner_says("x", channel="web")
        assert [(await events.next()).data["id"] for events in (here, there)] == [number, number]


async def test_the_channel_shows_by_recording() -> None:
    async with web_room() as room, room.script() as script, room.events(script) as events:
        assert room.server.channel.name == "web"
        key = await room.stillbell_says("shown")
        piece = await room.ledger.read(lambda t: t.pieces.get(key))
        assert piece is not None
        assert [part async for part in room.server.channel.show(piece)] == [str(piece.message_id)]
        assert (await events.next()).data["text"] == "shown"


async def test_a_request_that_is_hung_up_on_leaves_no_trouble() -> None:
    async with web_room() as room:
        for _ in range(3):
            _, writer = await asyncio.open_connection("127.0.0.1", room.server.port)
            head = f"POST /message HTTP/1.1\r\nHost: 127.0.0.1:{room.server.port}\r\nContent-Length: 50\r\n"
            writer.write(f"{head}Authorization: Bearer {room.token.value}\r\n\r\n{{".encode())
            writer.close()
            await writer.wait_closed()
        async with room.script() as script:
            assert (await script.get("/messages")).status_code == 200
        assert room.signals() == []
