"""Reading raw updates: whose they are, what they are, and that nothing in them can stop us."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.telegram.contents import MEDIA
from bot.telegram.reading import Dropped, Heard, admit, clean
from tests.bot.telegram_room import BOT_ID, OWNER, TOKEN
from tests.servers.bot_api import BotApiServer


@pytest.fixture
def api() -> BotApiServer:
    """Used for its gestures alone: each returns the update that Telegram would make of it."""
    return BotApiServer(TOKEN, owner_id=OWNER)


def read(update: Any, owner: int | None = OWNER) -> Heard | Dropped:
    return admit(update, owner_telegram_id=owner, bot_id=BOT_ID)


def heard(update: Any) -> Heard:
    found = read(update)
    assert isinstance(found, Heard), found
    return found


# --- whose it is ---


def test_the_owner_in_a_private_chat_is_heard(api: BotApiServer) -> None:
    signal = heard(api.owner_sends("hello")).signal
    assert (signal.source, signal.kind, signal.payload["text"]) == ("telegram", "message", "hello")


def test_nobody_is_heard_before_pairing(api: BotApiServer) -> None:
    assert read(api.owner_sends("hello"), owner=None) == Dropped("unpaired")


def stranger(api: BotApiServer) -> Any:
    return api.owner_sends("hello", user_id=666)


def stranger_taps(api: BotApiServer) -> Any:
    return api.taps(1, "c:1:0123456789ab:done", user_id=666, chat_id=OWNER, forged=True)


def owner_in_a_group(api: BotApiServer) -> Any:
    return api.owner_sends("hello", user_id=OWNER, chat_id=-1001234567890)


def owner_taps_in_a_group(api: BotApiServer) -> Any:
    api.open_chat(-5)
    return api.taps(1, "c:1:0123456789ab:done", chat_id=-5, forged=True)


def stranger_in_the_owners_name(api: BotApiServer) -> Any:
    update = api.owner_sends("hello", user_id=666)
    return update | {"message": update["message"] | {"forward_origin": {"type": "user", "sender_user": api.user()}}}


def channel_post(api: BotApiServer) -> Any:
    return {"update_id": 5, "channel_post": {"message_id": 1, "chat": {"id": -100, "type": "channel"}, "date": 0}}


def business(api: BotApiServer) -> Any:
    return {"update_id": 5, "business_message": api.owner_sends("hello")["message"]}


def business_in_a_message(api: BotApiServer) -> Any:
    update = api.owner_sends("hello")
    return update | {"message": update["message"] | {"business_connection_id": "b"}}


def inline_query(api: BotApiServer) -> Any:
    return {"update_id": 5, "inline_query": {"id": "1", "from": api.user(), "query": "x", "offset": ""}}


def tap_on_an_inline_message(api: BotApiServer) -> Any:
    query = {"id": "1", "from": api.user(), "inline_message_id": "x", "chat_instance": "1", "data": "x"}
    return {"update_id": 5, "callback_query": query}


def pinning(api: BotApiServer) -> Any:
    return api.owner_sends(pinned_message={"message_id": 1, "date": 0, "chat": api.chats[OWNER]})


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (stranger, "stranger"),
        (stranger_taps, "stranger"),
        (stranger_in_the_owners_name, "stranger"),
        (owner_in_a_group, "group"),
        (owner_taps_in_a_group, "group"),
        (channel_post, "useless"),
        (business, "business"),
        (business_in_a_message, "business"),
        (inline_query, "inline"),
        (tap_on_an_inline_message, "inline"),
        (pinning, "service"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_everything_else_is_dropped_with_its_reason(api: BotApiServer, make: Any, reason: str) -> None:
    assert read(make(api)) == Dropped(reason)


# --- once only ---


def test_a_message_has_the_same_source_id_under_a_new_update_id(api: BotApiServer) -> None:
    update = api.owner_sends("hello")
    assert heard(update).signal.source_id == heard(api.redeliver(update)).signal.source_id == f"message:{OWNER}:1"


def test_a_tap_delivered_again_with_a_new_update_id_is_the_same_tap(api: BotApiServer) -> None:
    tap = api.taps(1, "c:1:0123456789ab:done", forged=True)
    again = api.redeliver(tap)
    assert again["update_id"] != tap["update_id"]
    assert heard(tap).signal.source_id == heard(again).signal.source_id


def test_two_taps_on_one_button_are_two_signals(api: BotApiServer) -> None:
    first, second = (api.taps(1, "c:1:0123456789ab:done", forged=True) for _ in range(2))
    assert heard(first).signal.source_id != heard(second).signal.source_id


def test_two_edits_within_a_second_are_two_signals_and_a_repeated_one_is_none(api: BotApiServer) -> None:
    api.owner_sends("hello")
    first, second = api.owner_edits(1, "hullo"), api.owner_edits(1, "hallo")
    ids = [heard(update).signal.source_id for update in (first, second, api.redeliver(second))]
    assert ids[0] != ids[1] == ids[2]


# --- what it is ---


def test_a_tap_says_what_and_where(api: BotApiServer) -> None:
    found = heard(api.taps(41, "c:1:0123456789ab:done", forged=True))
    assert found.signal.kind == "tap"
    assert found.signal.payload["data"] == "c:1:0123456789ab:done"
    assert found.signal.payload["message_id"] == "41"
    assert found.signal.payload["callback_id"] in api.queries


def test_a_reply_names_its_message_and_quote(api: BotApiServer) -> None:
    api.owner_sends("the first of many words")
    payload = heard(api.owner_sends("this?", reply_to=1, quote="many words")).signal.payload
    assert (payload["reply_to"], payload["quote"]) == ("1", "many words")


def test_an_edit_without_a_change_of_text_is_passed_on_with_the_text_it_has(api: BotApiServer) -> None:
    api.owner_sends("/restart")
    found = heard(api.owner_edits(1))
    assert (found.signal.kind, found.signal.payload["text"]) == ("edit", "/restart")


def test_a_command_is_a_message(api: BotApiServer) -> None:
    found = heard(api.owner_sends("/brief now"))
    assert (found.signal.kind, found.signal.payload["text"]) == ("message", "/brief now")


def test_the_topic_of_a_private_chat_is_kept(api: BotApiServer) -> None:
    found = heard(api.owner_sends("hello", message_thread_id=77))
    assert found.topic_id == found.signal.payload["topic_id"] == 77


def test_a_hidden_address_behind_words_is_kept(api: BotApiServer) -> None:
    link = {"type": "text_link", "offset": 0, "length": 4, "url": "https://example.org/a"}
    assert heard(api.owner_sends("this", entities=[link])).signal.payload["links"] == ["https://example.org/a"]


def photo(api: BotApiServer) -> Any:
    return api.owner_sends_photo(caption="look")


def big_document(api: BotApiServer) -> Any:
    return api.owner_sends_document(b"x", file_name="a.pdf", size_bytes=30 << 20, caption="look")


def test_a_photo_is_its_largest_size_and_its_caption_is_the_text(api: BotApiServer) -> None:
    payload = heard(photo(api)).signal.payload
    assert payload["text"] == payload["media"]["caption"] == "look"
    assert payload["media"]["kind"] == "photo"
    assert api.files[payload["media"]["file_id"]].path.endswith("2.jpg")


def test_the_size_of_a_file_is_known_before_anyone_fetches_it(api: BotApiServer) -> None:
    media = heard(big_document(api)).signal.payload["media"]
    assert (media["kind"], media["file_name"], media["size_bytes"]) == ("document", "a.pdf", 30 << 20)


@pytest.mark.parametrize("kind", MEDIA)
def test_every_kind_of_message_is_named(api: BotApiServer, kind: str) -> None:
    payload = heard(api.owner_sends(**{kind: {"file_id": "f"}})).signal.payload
    assert (payload["media"]["kind"], payload["text"]) == (kind, "")


def test_a_kind_that_telegram_has_yet_to_invent_is_a_message_of_unknown_kind(api: BotApiServer) -> None:
    found = heard(api.owner_sends(hologram={"depth": 3}))
    assert (found.signal.kind, found.signal.payload["media"]["kind"]) == ("message", "unknown")


def test_an_animation_is_no_document(api: BotApiServer) -> None:
    update = api.owner_sends(animation={"file_id": "a"}, document={"file_id": "a"})
    assert heard(update).signal.payload["media"]["kind"] == "animation"


def test_an_album_is_several_messages_that_share_its_id(api: BotApiServer) -> None:
    payloads = [heard(update).signal.payload for update in api.owner_sends_album(3, caption="three")]
    assert len({payload["album_id"] for payload in payloads}) == 1
    assert [payload["text"] for payload in payloads] == ["three", "", ""]


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ({"type": "user", "sender_user": {"first_name": "Ada", "last_name": "L"}}, "Ada L"),
        ({"type": "hidden_user", "sender_user_name": "Grace"}, "Grace"),
        ({"type": "hidden_user"}, "someone"),
        ({"type": "channel", "chat": {"title": "News"}}, "News"),
        ({"type": "of a kind to come"}, "someone"),
    ],
    ids=["user", "hidden", "hidden without a name", "channel", "new kind"],
)
def test_a_forward_keeps_where_it_came_from_however_little_is_said(
    api: BotApiServer, origin: dict[str, Any], name: str
) -> None:
    assert heard(api.owner_sends("words", forward_origin=origin)).signal.payload["forwarded_from"] == name


def test_blocking_and_unblocking_are_heard(api: BotApiServer) -> None:
    found = [heard(update) for update in (api.owner_blocks(), api.owner_unblocks())]
    assert [one.signal.kind for one in found] == ["membership", "membership"]
    assert [one.blocked for one in found] == [one.signal.payload["blocked"] for one in found] == [True, False]


def test_a_reaction_and_a_stopped_draft_are_heard(api: BotApiServer) -> None:
    api.updates.allow(["message_reaction", "stopped_message_generation"])
    reaction, stopped = heard(api.owner_reacts(9)).signal, heard(api.owner_stops_draft(3)).signal
    assert (reaction.kind, reaction.payload["message_id"], reaction.payload["emojis"]) == ("reaction", "9", ["👍"])
    assert (stopped.kind, stopped.payload["draft_id"]) == ("stopped", 3)


# --- poison ---


def broken(api: BotApiServer, **fields: Any) -> Any:
    update = api.owner_sends("hello")
    return update | {"message": update["message"] | fields}


@pytest.mark.parametrize(
    "fields",
    [
        {"text": 7},
        {"date": None},
        {"date": 10**40},
        {"message_id": "one"},
        {"chat": "private"},
        {"from": {"id": "1001"}},
        {"reply_to_message": [1]},
        {"quote": "no object"},
        {"entities": [None]},
        {"forward_origin": ["a"]},
    ],
    ids=str,
)
def test_an_update_that_cannot_be_read_is_a_signal_of_its_own(api: BotApiServer, fields: dict[str, Any]) -> None:
    update = broken(api, **fields)
    signal = heard(update).signal
    assert (signal.kind, signal.source_id) == ("unreadable", f"update:{BOT_ID}:{update['update_id']}")
    assert signal.payload["update"] == update


def test_an_unreadable_update_of_a_stranger_is_dropped(api: BotApiServer) -> None:
    update = api.owner_sends("hello", user_id=666)
    assert read(update | {"message": update["message"] | {"chat": None}}) == Dropped("stranger")


@pytest.mark.parametrize("update", [None, 7, {"update_id": 1, "message": None}], ids=str)
def test_what_is_no_update_at_all_is_unreadable(update: Any) -> None:
    assert heard(update).signal.kind == "unreadable"


def test_half_a_character_does_not_reach_the_database(api: BotApiServer) -> None:
    signal = heard(api.owner_sends("bad \ud83d half")).signal
    assert signal.payload["text"] == "bad \ufffd half"
    json.dumps(signal.payload, ensure_ascii=False).encode()


def test_clean_leaves_whole_characters_and_numbers_alone() -> None:
    assert clean({"a": ["😀 ü", 1, 1.5, True, None]}) == {"a": ["😀 ü", 1, 1.5, True, None]}
    assert clean([float("nan"), float("inf")]) == [None, None]


def test_nesting_without_end_is_unreadable_rather_than_fatal(api: BotApiServer) -> None:
    nest: Any = []
    for _ in range(5000):
        nest = [nest]
    assert heard(broken(api, quote=nest)).signal.kind == "unreadable"


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(field=st.sampled_from(["message", "callback_query", "edited_message", "my_chat_member"]), data=st.data())
def test_no_update_makes_reading_raise(field: str, data: Any) -> None:
    api = BotApiServer(TOKEN, owner_id=OWNER)
    known = api.owner_sends("hello")["message"] | {"edit_date": 1, "id": "1", "message": {}, "new_chat_member": {}}
    spoiled = data.draw(st.dictionaries(st.sampled_from(sorted(known)), _JSON, max_size=4))
    found = read({"update_id": 1, field: known | spoiled})
    assert isinstance(found, Heard | Dropped)
    if isinstance(found, Heard):
        json.dumps(found.signal.payload, allow_nan=False, ensure_ascii=False).encode()


def test_a_tap_of_nobody_in_particular_is_nobodys() -> None:
    tap = {
        "id": "1",
        "data": "c:1:0123456789ab:undo",
        "message": {"message_id": 1, "chat": {"id": 1001, "type": "private"}},
    }
    found = admit({"update_id": 5, "callback_query": tap}, owner_telegram_id=1001, bot_id=7)
    assert found == Dropped("stranger")


def test_an_absurd_date_is_unreadable_and_nothing_worse() -> None:
    message = {
        "message_id": 1,
        "date": 10**17,
        "text": "hello",
        "from": {"id": 1001, "is_bot": False, "first_name": "A"},
        "chat": {"id": 1001, "type": "private"},
    }
    found = admit({"update_id": 6, "message": message}, owner_telegram_id=1001, bot_id=7)
    assert isinstance(found, Heard)
    assert found.signal.kind == "unreadable"
