"""Exports of Telegram: a chat or a whole account, read one message at a time, and nothing that raises."""

import json
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.zones import Stay, Timeline
from tools.chats import json_stream
from tools.chats.chat import Chat
from tools.chats.documents import documents_of
from tools.chats.json_stream import BadJson, JsonStream
from tools.chats.telegram import read_telegram

BERLIN = Timeline((Stay(datetime(2000, 1, 1, tzinfo=UTC), "Europe/Berlin"),))


def message(number: int, text: Any, *, by: str = "Anna Winter", by_id: str = "user111", **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "type": "message",
        "date": "2026-03-02T09:14:00",
        "date_unixtime": str(1772439240 + number),
        "from": by,
        "from_id": by_id,
        "text": text,
        **more,
    }


def personal(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "Anna Winter", "type": "personal_chat", "id": 111, "messages": list(messages), **more}


def read(export: Any, me: tuple[str, ...] = ()) -> list[Chat]:
    raw = export if isinstance(export, bytes) else json.dumps(export, ensure_ascii=False, indent=1).encode()
    return list(read_telegram(BytesIO(raw), zones=BERLIN, me=me))


def texts(export: Any) -> list[str]:
    return [one.text for chat in read(export) for one in chat.said]


def test_a_single_chat_tells_who_is_who_and_when() -> None:
    [chat] = read(personal(message(1, "Hello"), message(2, "Hi", by="Jo", by_id="user222")))
    assert [(one.who, one.is_mine, one.text) for one in chat.said] == [
        ("Anna Winter", False, "Hello"),
        ("you", True, "Hi"),
    ]
    assert chat.said[0].at == datetime.fromtimestamp(1772439241, UTC)
    assert (chat.name, chat.calls_me, chat.first, chat.last) == (
        "Anna Winter",
        ("user222",),
        "000000000000001",
        "000000000000002",
    )


def test_a_whole_account_tells_who_the_owner_is_in_every_chat() -> None:
    group = {
        "name": "Plans",
        "type": "private_group",
        "id": 5,
        "messages": [message(9, "we go", by="Jo", by_id="user222")],
    }
    left = {"name": "Old", "type": "private_group", "id": 6, "messages": [message(1, "bye")]}
    account = {
        "about": "…",
        "personal_information": {"user_id": 222, "first_name": "Jo"},
        "contacts": {"list": [{"first_name": "Anna"}]},
        "chats": {"about": "…", "list": [personal(message(1, "Hello")), group]},
        "left_chats": {"list": [left]},
    }
    chats = read(account)
    assert [chat.name for chat in chats] == ["Anna Winter", "Plans", "Old"]
    assert chats[1].said[0].who == "you"
    assert chats[1].is_mine_known
    assert not chats[2].is_mine_known


def test_the_same_chat_has_the_same_key_in_both_exports() -> None:
    [alone] = read(personal(message(1, "Hello")))
    [among] = read({"chats": {"list": [personal(message(1, "Hello"))]}})
    assert (alone.key, alone.said[0].key) == (among.key, among.said[0].key)
    assert "111" not in alone.key


@pytest.mark.parametrize(
    ("text", "words", "tags"),
    [
        pytest.param("plain", "plain", (), id="plain"),
        pytest.param(["a ", {"type": "bold", "text": "b"}, " c"], "a b c", (), id="marked"),
        pytest.param(
            [{"type": "text_link", "text": "here", "href": "https://x.example"}], "here", ("link",), id="a link"
        ),
        pytest.param(
            ["see ", {"type": "link", "text": "https://x.example"}], "see https://x.example", ("link",), id="shown"
        ),
        pytest.param([3, None, {"type": "bold"}, "x"], "x", (), id="odd parts"),
    ],
)
def test_marked_words_are_words(text: Any, words: str, tags: tuple[str, ...]) -> None:
    [chat] = read(personal(message(1, text)))
    assert (chat.said[0].text, chat.said[0].tags) == (words, tags)


@pytest.mark.parametrize(
    ("more", "text", "tag"),
    [
        pytest.param({"photo": "photos/1.jpg"}, "[photo]", "photo", id="a photo"),
        pytest.param({"file": "voice/1.ogg", "media_type": "voice_message"}, "[voice]", "voice", id="a voice"),
        pytest.param({"file": "files/a.pdf", "file_name": "Vertrag.pdf"}, "Vertrag.pdf", "pdf", id="a paper"),
        pytest.param(
            {"poll": {"question": "When?", "answers": [{"text": "May"}]}}, "When?\n- May", "poll", id="a poll"
        ),
        pytest.param({"location_information": {"latitude": 1}}, "[location]", "location", id="a place"),
    ],
)
def test_what_came_with_a_message_can_be_found(more: dict[str, Any], text: str, tag: str) -> None:
    [chat] = read(personal(message(1, "", **more)))
    assert chat.said[0].text == text
    assert tag in chat.said[0].tags


def test_forwarded_words_are_not_the_owners_though_the_owner_passed_them_on() -> None:
    mine = message(2, "I will pay", by="Jo", by_id="user222", forwarded_from="Bob Frost")
    [chat] = read(personal(message(1, "x"), mine))
    _, document = documents_of(chat)
    assert (document.who, document.by_owner, document.title) == ("you", False, "Forwarded from Bob Frost")


def test_what_telegram_itself_tells_is_left_out_and_counts_for_what_the_export_covers() -> None:
    service = {
        "id": 7,
        "type": "service",
        "date": "2026-03-02T09:14:00",
        "actor": "Anna",
        "action": "phone_call",
        "text": "",
    }
    [chat] = read(personal(message(1, "Hello"), service))
    assert [one.text for one in chat.said] == ["Hello"]
    assert chat.last.endswith("7")


def test_an_older_export_shows_the_owners_own_clock() -> None:
    old = message(1, "Hello")
    del old["date_unixtime"]
    [chat] = read(personal(old))
    assert chat.said[0].at == datetime(2026, 3, 2, 8, 14, tzinfo=UTC)


def test_a_deleted_account_speaks_under_that_name() -> None:
    gone = message(1, "Hello")
    gone["from"] = None
    assert read(personal(gone))[0].said[0].who == "Deleted account"


def test_an_id_or_a_name_tells_who_the_owner_is_and_nobody_without_an_id_is_taken_for_them() -> None:
    group = {
        "name": "Plans",
        "type": "private_group",
        "id": 5,
        "messages": [message(9, "x", by="Jo B", by_id="user222")],
    }
    nameless = {"messages": [{"type": "message", "date_unixtime": "1", "from": "A", "text": "x"}]}
    assert read(group, ("user222",))[0].said[0].is_mine
    assert read(group, ("JO B",))[0].said[0].is_mine
    assert not read(nameless, ("user222",))[0].said[0].is_mine


# Damage


def test_a_bad_message_is_named_by_its_number_and_the_rest_is_read() -> None:
    bad = [{"id": 2, "type": "message", "text": "x"}, 7, message(3, "x", date_unixtime="soon")]
    [chat] = read(personal(message(1, "a"), *bad, message(4, "b")))
    assert [one.text for one in chat.said] == ["a", "b"]
    assert [fault.line for fault in chat.faults] == [2, 3, 4]


def test_of_an_export_that_breaks_off_everything_before_is_kept_and_the_place_named() -> None:
    raw = json.dumps(personal(message(1, "a"), message(2, "b"), message(3, "c"))).encode()
    cut = raw[: raw.index(b'"c"')]
    [chat] = read(cut)
    assert [one.text for one in chat.said] == ["a", "b"]
    assert "cut off at character" in chat.faults[0].because


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    raw = json.dumps(personal(message(1, "heron"))).encode().replace(b"heron", b"her\xffon")
    assert read(raw)[0].said[0].text == "her\ufffdon"


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"[" * 200_000, id="deep lists"),
        pytest.param(b'{"a":' * 200_000, id="deep objects"),
        pytest.param(b'{"chats":{"list":[' * 3000, id="deep chats"),
        pytest.param(b'{"messages": [{"id": 1' + b"0" * 10_000 + b"}]}", id="an endless number"),
        pytest.param(b'{"name": "' + b"x" * 1000, id="an open string"),
    ],
)
def test_what_is_no_export_ends_in_a_fault_and_raises_nothing(raw: bytes) -> None:
    chats = read(raw)
    assert not any(chat.said for chat in chats)
    assert any(chat.faults for chat in chats)


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["messages", "chats", "list", "id", "text", "type", "from", "poll", "date"]),
                inner,
                max_size=4,
            )
        ),
    )
)
def test_no_json_raises(value: Any) -> None:
    read(json.dumps(value).encode())


# The stream


def test_values_longer_than_a_chunk_and_numbers_at_its_end_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", 7)
    export = personal(message(123456789, "Größe " * 50), message(2, [{"type": "bold", "text": "zwei"}]))
    assert read(export)[0].said[0].text == ("Größe " * 50).strip()
    stream = JsonStream(BytesIO(b'{"a": 1234567890123, "b": [1, 22, 333]}'))
    found = {name: stream.value() for name in stream.members()}
    assert found == {"a": 1234567890123, "b": [1, 22, 333]}


def test_a_value_beyond_all_bounds_is_refused_not_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK_BYTES", 100)
    monkeypatch.setattr(json_stream, "VALUE_MAX", 1000)

    class Endless(BytesIO):
        given = 0

        def read(self, size: int | None = -1, /) -> bytes:
            self.given += size or 0
            return b"x" * (size or 0)

    file = Endless()
    with pytest.raises(BadJson):
        JsonStream(_after(b'"', file)).value()
    assert file.given < 5000


def _after(first: bytes, file: BytesIO) -> Any:
    class Joined:
        begun = False

        def read(self, size: int) -> bytes:
            if not self.begun:
                self.begun = True
                return first
            return file.read(size)

    return Joined()


@pytest.mark.parametrize("me", [("Jo Baker", "user222"), ("Jo Baker",)])
def test_nobody_becomes_the_owner_by_the_name_they_chose(me: tuple[str, ...]) -> None:
    said = [message(1, "a", by="Jo Baker", by_id="user222"), message(2, "b", by="jo baker", by_id="user666")]
    [chat] = read({"name": "Team", "type": "private_group", "id": 7, "messages": said}, me=me)
    assert [one.text for one in chat.said if one.is_mine] == (["a"] if "user222" in me else [])
    assert chat.is_mine_known is ("user222" in me)


def test_whoever_calls_themselves_you_is_not_taken_for_the_owner() -> None:
    said = [message(1, "a", by="you", by_id="user666"), message(2, "b", by="Jo", by_id="user222")]
    [chat] = read({"name": "Team", "type": "private_group", "id": 7, "messages": said}, me=("user222",))
    assert [one.who == "you" for one in documents_of(chat)] == [False, True]
