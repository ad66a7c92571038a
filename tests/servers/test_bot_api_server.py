"""The local Bot API server, tried by two clients that know nothing of each other.

python-telegram-bot speaks through httpx and reads leniently; aiogram speaks through aiohttp and refuses every object
that is not as documented. A scenario that both get through is as close to Telegram as can be had without Telegram.
What needs bytes on the wire (paths, encodings, the envelope) is asked by hand.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import telegram
import telegram.error
from telegram.request import HTTPXRequest

from tests.servers import bot_api_rules as rules
from tests.servers.bot_api import BotApiServer, texts
from tests.servers.bot_api_methods import Call
from tests.servers.bot_api_owner import PIXEL

TOKEN = "1:TEST"
OWNER = 1001
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ProblemError(Exception):
    """What a client made of an error, in words that both share."""

    kind: str
    text: str
    detail: int | None = None


class PtbClient:
    """python-telegram-bot's `Bot`."""

    kinds = (
        (telegram.error.RetryAfter, "retry_after"),
        (telegram.error.ChatMigrated, "migrated"),
        (telegram.error.BadRequest, "bad_request"),
        (telegram.error.Forbidden, "forbidden"),
        (telegram.error.Conflict, "conflict"),
        (telegram.error.InvalidToken, "unauthorized"),
        (telegram.error.NetworkError, "network"),
        (telegram.error.TelegramError, "unreadable"),
    )

    def __init__(self, url: str) -> None:
        # Loading certificates for a plain socket would cost more than all the rest.
        request, polling = (HTTPXRequest(httpx_kwargs={"verify": False}) for _ in range(2))
        self.bot = telegram.Bot(
            TOKEN,
            base_url=f"{url}/bot",
            base_file_url=f"{url}/file/bot",
            request=request,
            get_updates_request=polling,
        )

    async def start(self) -> None:
        await self.bot.initialize()

    async def stop(self) -> None:
        await self.bot.shutdown()

    def make(self, name: str, **fields: Any) -> Any:
        return getattr(telegram, name)(**fields)

    def file(self, data: bytes, name: str) -> Any:
        return telegram.InputFile(data, filename=name, attach=True)

    async def ask(self, method: str, **params: Any) -> Any:
        try:
            return _plain(await getattr(self.bot, method)(**params))
        except telegram.error.TelegramError as error:
            raise self._problem(error) from error

    async def download(self, file_id: str) -> bytes:
        return bytes(await (await self.bot.get_file(file_id)).download_as_bytearray())

    def _problem(self, error: telegram.error.TelegramError) -> ProblemError:
        kind = next(kind for known, kind in self.kinds if isinstance(error, known))
        detail = None
        if isinstance(error, telegram.error.RetryAfter):
            detail = int(error._retry_after.total_seconds())
        if isinstance(error, telegram.error.ChatMigrated):
            detail = error.new_chat_id
        return ProblemError(kind, error.message, detail)


class AiogramClient:
    """aiogram's `Bot`, with its strict decoding of every answer."""

    def __init__(self, url: str) -> None:
        self.aiogram = importlib.import_module("aiogram")
        self.errors = importlib.import_module("aiogram.exceptions")
        server = importlib.import_module("aiogram.client.telegram").TelegramAPIServer.from_base(url)
        session = importlib.import_module("aiogram.client.session.aiohttp").AiohttpSession(api=server)
        self.bot = self.aiogram.Bot(TOKEN, session=session)

    async def start(self) -> None:
        await self.bot.me()

    async def stop(self) -> None:
        # Its own close() sleeps a quarter of a second for TLS, which is not spoken here.
        await self.bot.session._session.close()

    def make(self, name: str, **fields: Any) -> Any:
        return getattr(self.aiogram.types, name)(**fields)

    def file(self, data: bytes, name: str) -> Any:
        return self.aiogram.types.BufferedInputFile(data, name)

    async def ask(self, method: str, **params: Any) -> Any:
        try:
            return _plain(await getattr(self.bot, method)(**params))
        except self.errors.AiogramError as error:
            raise self._problem(error) from error

    async def download(self, file_id: str) -> bytes:
        file = await self.bot.get_file(file_id)
        return (await self.bot.download_file(file.file_path)).read()

    def _problem(self, error: Any) -> ProblemError:
        kinds = {
            "TelegramRetryAfter": "retry_after",
            "TelegramMigrateToChat": "migrated",
            "TelegramBadRequest": "bad_request",
            "TelegramForbiddenError": "forbidden",
            "TelegramConflictError": "conflict",
            "TelegramUnauthorizedError": "unauthorized",
            "TelegramNetworkError": "network",
            "TelegramServerError": "network",
            "ClientDecodeError": "unreadable",
        }
        detail = getattr(error, "retry_after", None) or getattr(error, "migrate_to_chat_id", None)
        return ProblemError(kinds[type(error).__name__], getattr(error, "message", str(error)), detail)


Client = PtbClient | AiogramClient
CLIENTS: dict[str, Callable[[str], Client]] = {"python-telegram-bot": PtbClient, "aiogram": AiogramClient}


def _plain(value: Any) -> Any:
    """A client's objects as JSON again, so that one scenario reads both."""
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, telegram.TelegramObject):
        return value.to_dict()
    if hasattr(value, "model_dump"):
        # aiogram leaves marks of its own defaults in the nested objects it was not told everything about.
        return value.model_dump(mode="json", by_alias=True, exclude_none=True, fallback=lambda _: None)
    return value


@pytest.fixture(scope="session")
def aiogram() -> Any:
    """Imported only where it is needed: it takes six seconds of CPU."""
    return importlib.import_module("aiogram")


@pytest_asyncio.fixture
async def server() -> AsyncIterator[BotApiServer]:
    async with BotApiServer(TOKEN, owner_id=OWNER, clock=lambda: NOON) as server:
        yield server


@pytest_asyncio.fixture(params=list(CLIENTS))
async def client(
    request: pytest.FixtureRequest, server: BotApiServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Client]:
    # Without it python-telegram-bot 22 warns whenever it is told to come back later.
    monkeypatch.setenv("PTB_TIMEDELTA", "true")
    if request.param == "aiogram":
        request.getfixturevalue("aiogram")
    client = CLIENTS[request.param](server.url)
    await client.start()
    server.sent.clear()
    yield client
    await client.stop()


@pytest_asyncio.fixture
async def http(server: BotApiServer) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(f"{server.url}/") as session:
        yield session


def keyboard(client: Client, *data: str) -> Any:
    buttons = [client.make("InlineKeyboardButton", text=one.title(), callback_data=one) for one in data]
    return client.make("InlineKeyboardMarkup", inline_keyboard=[buttons])


# --- receiving ---


async def test_a_bot_learns_who_it_is(client: Client) -> None:
    me = await client.ask("get_me")
    assert (me["id"], me["is_bot"]) == (1, True)
    assert me["username"].endswith("bot")


async def test_what_a_person_writes_arrives_as_a_message(client: Client, server: BotApiServer) -> None:
    server.owner_sends("/start now", message_thread_id=7)
    [update] = await client.ask("get_updates")
    message = update["message"]
    assert (message["text"], message["message_thread_id"]) == ("/start now", 7)
    assert (message["from"]["id"], message["chat"]["id"], message["chat"]["type"]) == (OWNER, OWNER, "private")
    assert message["date"] == int(NOON.timestamp())
    assert message["entities"][0] == {"type": "bot_command", "offset": 0, "length": 6}


async def test_a_waiting_poll_is_woken_by_a_message(client: Client, server: BotApiServer) -> None:
    poll = asyncio.create_task(client.ask("get_updates", timeout=30))
    await server.wait_for_poll()
    server.owner_sends("one")
    server.owner_sends("two")
    assert texts([update["message"] for update in await poll]) == ["one", "two"]


async def test_a_poll_that_nobody_wakes_ends_empty(client: Client, server: BotApiServer) -> None:
    poll = asyncio.create_task(client.ask("get_updates", timeout=30))
    await server.wait_for_poll()
    server.finish_poll()
    assert await poll == []


async def test_only_a_higher_offset_confirms_an_update(client: Client, server: BotApiServer) -> None:
    first, second = server.owner_sends("one")["update_id"], server.owner_sends("two")["update_id"]

    async def ids(**asked: int) -> list[int]:
        return [update["update_id"] for update in await client.ask("get_updates", **asked)]

    assert await ids() == [first, second]
    assert await ids(offset=0, limit=1) == [first]
    assert await ids(offset=second + 1_000_000) == [first, second], "an offset out of reach is not believed"
    assert await ids(offset=second) == [second]
    assert await ids() == [second], "what was confirmed is gone for good"
    assert await ids(offset=second + 1) == []
    third, fourth = server.owner_sends("three")["update_id"], server.owner_sends("four")["update_id"]
    assert await ids(offset=-1) == [fourth], f"counted from the end, {third} is forgotten"
    assert await ids() == [fourth]
    assert [poll.offset for poll in server.polls][-2:] == [-1, 0]


async def test_a_second_poll_sends_the_first_away(client: Client, server: BotApiServer) -> None:
    first = asyncio.create_task(client.ask("get_updates", timeout=30))
    await server.wait_for_poll()
    second = asyncio.create_task(client.ask("get_updates", timeout=30))
    with pytest.raises(ProblemError) as caught:
        await first
    assert caught.value.kind == "conflict"
    assert "terminated by other getupdates request" in caught.value.text.lower()
    server.owner_sends("for the second")
    assert texts([update["message"] for update in await second]) == ["for the second"]


async def test_a_reaction_reaches_only_a_bot_that_asked_for_it(client: Client, server: BotApiServer) -> None:
    message_id = server.owner_sends("hello")["message"]["message_id"]
    assert "update_id" not in server.owner_reacts(message_id)
    await client.ask("get_updates", allowed_updates=["message", "message_reaction"])
    server.owner_reacts(message_id, "🔥", before="👍")
    update = (await client.ask("get_updates"))[-1]
    assert update["message_reaction"]["new_reaction"] == [{"type": "emoji", "emoji": "🔥"}]


GESTURES: dict[str, Callable[[BotApiServer], Any]] = {
    "reply with a quote": lambda server: server.owner_sends(
        "yes", reply_to=server.owner_sends("soup or salad?")["message"]["message_id"], quote="soup"
    ),
    "edit": lambda server: server.owner_edits(server.owner_sends("old")["message"]["message_id"], "new"),
    "edit of nothing": lambda server: server.owner_edits(server.owner_sends("same")["message"]["message_id"]),
    "photo": lambda server: server.owner_sends_photo(caption="the door"),
    "document": lambda server: server.owner_sends_document(b"%PDF", file_name="bill.pdf"),
    "voice": lambda server: server.owner_sends_voice(),
    "location": lambda server: server.owner_sends_location(),
    "contact": lambda server: server.owner_sends_contact(),
    "sticker": lambda server: server.owner_sends_sticker(),
    "poll": lambda server: server.owner_sends_poll(),
    "dice": lambda server: server.owner_sends_dice(),
    "unknown kind of message": lambda server: server.owner_sends_unknown(),
    "unknown kind of update": lambda server: server.push_raw({"telepathy": {"thought": "tea"}}),
    "forward": lambda server: server.owner_forwards("their words", comment="look at this"),
    "album": lambda server: server.owner_sends_album(3, caption="the garden"),
    "long paste": lambda server: server.owner_pastes("x" * 9000),
    "block": lambda server: server.owner_blocks(),
    "unblock": lambda server: server.owner_unblocks(),
    "group message": lambda server: server.group_message("hello all"),
    "migration": lambda server: server.migrates(-4005, -1002233445566),
    "stopped draft": lambda server: server.owner_stops_draft(5),
}


@pytest.mark.parametrize("gesture", GESTURES.values(), ids=GESTURES)
async def test_every_gesture_can_be_read_by_both_clients(
    client: Client, server: BotApiServer, gesture: Callable[[BotApiServer], Any]
) -> None:
    made = gesture(server)
    made = made if isinstance(made, list) else [made]
    received = (await client.ask("get_updates"))[-len(made) :]
    assert [update["update_id"] for update in received] == [update["update_id"] for update in made]
    for update, sent in zip(received, made, strict=True):
        assert {*update} == {*sent}, "neither client lost the kind of update"


async def test_an_album_a_forward_and_a_paste_are_several_updates(server: BotApiServer) -> None:
    album = [update["message"] for update in server.owner_sends_album(3, caption="the garden")]
    assert len({message["media_group_id"] for message in album}) == 1
    assert texts(album) == ["the garden", "", ""]
    comment, forward = server.owner_forwards("their words", comment="look")
    assert "forward_origin" not in comment["message"]
    assert "forward_origin" in forward["message"]
    assert [len(update["message"]["text"]) for update in server.owner_pastes("x" * 9000)] == [4096, 4096, 808]


# --- sending ---


async def test_a_sent_message_is_rendered_kept_and_returned(client: Client, server: BotApiServer) -> None:
    asked = server.owner_sends("when?", message_thread_id=7)["message"]["message_id"]
    sent = await client.ask(
        "send_message",
        chat_id=OWNER,
        text="  <b>At</b> 😀 <i>nine</i>\n",
        parse_mode="HTML",
        disable_notification=True,
        message_thread_id=7,
        reply_parameters=client.make("ReplyParameters", message_id=asked),
        link_preview_options=client.make("LinkPreviewOptions", is_disabled=True),
        reply_markup=keyboard(client, "yes", "no"),
    )
    assert (sent["text"], sent["reply_to_message"]["text"], sent["message_thread_id"]) == ("At 😀 nine", "when?", 7)
    spans = [(entity["type"], entity["offset"], entity["length"]) for entity in sent["entities"]]
    assert spans == [("bold", 0, 2), ("italic", 6, 4)], "offsets count UTF-16"
    [kept] = server.bot_messages()
    assert (kept["disable_notification"], kept["link_preview_options"]) == (True, {"is_disabled": True})
    assert kept["reply_parameters"]["message_id"] == asked
    assert server.buttons(sent["message_id"]) == {"Yes": "yes", "No": "no"}
    [call] = server.calls("sendMessage", OWNER)
    assert (call.message["message_id"], call.at, call.breach) == (sent["message_id"], NOON, None)


async def test_an_edit_replaces_the_text_and_drops_the_buttons(client: Client, server: BotApiServer) -> None:
    sent = await client.ask("send_message", chat_id=OWNER, text="ask", reply_markup=keyboard(client, "yes"))
    where = {"chat_id": OWNER, "message_id": sent["message_id"]}
    edited = await client.ask("edit_message_text", text="answered", **where)
    assert (edited["text"], "reply_markup" in edited, "edit_date" in edited) == ("answered", False, True)
    marked = await client.ask("edit_message_reply_markup", reply_markup=keyboard(client, "undo"), **where)
    assert (marked["text"], server.buttons(sent["message_id"])) == ("answered", {"Undo": "undo"})


async def test_an_edit_that_changes_nothing_is_refused(client: Client, server: BotApiServer) -> None:
    sent = await client.ask("send_message", chat_id=OWNER, text="same", reply_markup=keyboard(client, "yes"))
    where = {"chat_id": OWNER, "message_id": sent["message_id"]}
    same = where | {"text": "<u></u> same ", "parse_mode": "HTML", "reply_markup": keyboard(client, "yes")}
    with pytest.raises(ProblemError) as caught:
        await client.ask("edit_message_text", **same)
    assert caught.value.kind == "bad_request"
    assert "message is not modified: specified new message content" in caught.value.text.lower()
    assert not server.breaches, "it is a matter of circumstances, no rule is broken"
    await client.ask("edit_message_text", **same | {"reply_markup": keyboard(client, "no")})


async def test_messages_that_are_gone_or_not_ones_own_are_not_edited(client: Client, server: BotApiServer) -> None:
    theirs = server.owner_sends("mine")["message"]["message_id"]
    own = (await client.ask("send_message", chat_id=OWNER, text="bye"))["message_id"]
    assert await client.ask("delete_message", chat_id=OWNER, message_id=own) is True
    assert server.bot_messages() == []
    for message_id, words in ((own, "message to edit not found"), (theirs, "message can't be edited")):
        with pytest.raises(ProblemError) as caught:
            await client.ask("edit_message_text", chat_id=OWNER, message_id=message_id, text="x")
        assert words in caught.value.text.lower()
    with pytest.raises(ProblemError, match=r"(?i)message to delete not found"):
        await client.ask("delete_message", chat_id=OWNER, message_id=own)


async def test_a_tap_brings_the_message_and_is_answered_once_in_time(client: Client, server: BotApiServer) -> None:
    sent = await client.ask("send_message", chat_id=OWNER, text="send it?", reply_markup=keyboard(client, "send", "no"))
    tapped = server.taps(sent["message_id"], label="Send")
    [update] = await client.ask("get_updates", offset=tapped["update_id"])
    query = update["callback_query"]
    assert (query["data"], query["message"]["text"], query["from"]["id"]) == ("send", "send it?", OWNER)
    assert query["chat_instance"]
    assert await client.ask("answer_callback_query", callback_query_id=query["id"], text="on its way") is True
    assert server.bot.answers[-1]["text"] == "on its way"
    server.expire_queries()
    with pytest.raises(ProblemError, match=r"(?i)query is too old and response timeout expired"):
        await client.ask("answer_callback_query", callback_query_id=query["id"])


async def test_a_redelivered_tap_has_a_new_update_id_and_the_old_query_id(client: Client, server: BotApiServer) -> None:
    sent = await client.ask("send_message", chat_id=OWNER, text="?", reply_markup=keyboard(client, "go"))
    server.redeliver(server.taps(sent["message_id"], "go", user_id=6006))
    first, again = await client.ask("get_updates")
    assert again["update_id"] == first["update_id"] + 1
    assert again["callback_query"] == first["callback_query"]
    assert first["callback_query"]["from"]["id"] == 6006


async def test_a_tap_under_a_deleted_message_brings_an_inaccessible_one(client: Client, server: BotApiServer) -> None:
    sent = await client.ask("send_message", chat_id=OWNER, text="?", reply_markup=keyboard(client, "go"))
    await client.ask("delete_message", chat_id=OWNER, message_id=sent["message_id"])
    server.taps(sent["message_id"], "go")
    [update] = await client.ask("get_updates")
    assert "text" not in update["callback_query"]["message"]


async def test_only_a_forger_presses_what_was_never_shown(client: Client, server: BotApiServer) -> None:
    sent = await client.ask("send_message", chat_id=OWNER, text="?", reply_markup=keyboard(client, "go"))
    await client.ask("edit_message_text", chat_id=OWNER, message_id=sent["message_id"], text="gone")
    assert "update_id" in server.taps(sent["message_id"], "go"), "a stale client may still show the button"
    with pytest.raises(LookupError):
        server.taps(sent["message_id"], "other")
    assert "update_id" in server.taps(sent["message_id"], "other", forged=True)


async def test_files_go_up_in_a_form_and_come_down_again(client: Client, server: BotApiServer) -> None:
    data = bytes(range(256)) * 40
    sent = await client.ask("send_document", chat_id=OWNER, document=client.file(data, "ledger.bin"), caption="here")
    assert (sent["document"]["file_name"], sent["document"]["file_size"]) == ("ledger.bin", len(data))
    assert sent["caption"] == "here"
    assert await client.download(sent["document"]["file_id"]) == data
    again = await client.ask("send_document", chat_id=OWNER, document=sent["document"]["file_id"])
    assert again["document"]["file_id"] == sent["document"]["file_id"]
    photo = await client.ask("send_photo", chat_id=OWNER, photo=client.file(PIXEL, "dot.png"))
    assert await client.download(photo["photo"][-1]["file_id"]) == PIXEL
    voice = await client.ask("send_voice", chat_id=OWNER, voice=client.file(b"OggS", "note.ogg"), duration=2)
    assert voice["voice"]["duration"] == 2


async def test_an_album_goes_out_as_several_messages(client: Client, server: BotApiServer) -> None:
    media = [
        client.make("InputMediaDocument", media=client.file(name.encode(), name), caption=name)
        for name in ("a.txt", "b.txt")
    ]
    sent = await client.ask("send_media_group", chat_id=OWNER, media=media)
    assert texts(sent) == ["a.txt", "b.txt"]
    assert len({message["media_group_id"] for message in sent}) == 1
    assert await client.download(sent[1]["document"]["file_id"]) == b"b.txt"


async def test_what_the_owner_sends_can_be_downloaded_up_to_twenty_megabytes(
    client: Client, server: BotApiServer
) -> None:
    small = server.owner_sends_voice(b"OggS and more")["message"]["voice"]
    assert await client.download(small["file_id"]) == b"OggS and more"
    large = server.owner_sends_document(b"", size_bytes=(20 << 20) + 1)["message"]["document"]
    for file_id, words in ((large["file_id"], "file is too big"), ("nonsense", "invalid file_id")):
        with pytest.raises(ProblemError, match=f"(?i){words}"):
            await client.ask("get_file", file_id=file_id)


async def test_the_small_methods_do_what_they_say(client: Client, server: BotApiServer) -> None:
    message_id = server.owner_sends("hello")["message"]["message_id"]
    eyes = [client.make("ReactionTypeEmoji", emoji="👀")]
    commands = [client.make("BotCommand", command="brief", description="Today")]
    assert await client.ask("set_message_reaction", chat_id=OWNER, message_id=message_id, reaction=eyes) is True
    assert server.bot.reactions[OWNER, message_id] == [{"type": "emoji", "emoji": "👀"}]
    assert await client.ask("send_chat_action", chat_id=OWNER, action="typing") is True
    assert await client.ask("set_my_commands", commands=commands, language_code="de") is True
    assert (await client.ask("get_my_commands", language_code="de"))[0]["command"] == "brief"
    assert await client.ask("get_my_commands") == []
    assert (await client.ask("get_chat", chat_id=OWNER))["type"] == "private"
    assert await client.ask("send_message_draft", chat_id=OWNER, draft_id=5, text="Thin") is True
    assert server.bot.drafts[OWNER] == {"draft_id": 5, "text": "Thin"}
    await client.ask("send_message", chat_id=OWNER, text="Thinking is done")
    assert server.bot.drafts == {}, "a real message takes the place of the draft"


async def test_a_webhook_and_polling_exclude_each_other(client: Client, server: BotApiServer) -> None:
    server.owner_sends("waiting")
    assert await client.ask("set_webhook", url="https://bot.example.org/hook", secret_token="a_b-C1") is True
    info = await client.ask("get_webhook_info")
    assert (info["url"], info["pending_update_count"]) == ("https://bot.example.org/hook", 1)
    with pytest.raises(ProblemError, match=r"(?i)can't use getupdates method while webhook is active"):
        await client.ask("get_updates")
    assert await client.ask("delete_webhook", drop_pending_updates=True) is True
    assert await client.ask("get_updates") == []


# --- refusals ---


def _button(client: Client, **fields: Any) -> Any:
    return client.make(
        "InlineKeyboardMarkup", inline_keyboard=[[client.make("InlineKeyboardButton", text="b", **fields)]]
    )


def _entity(client: Client, **fields: Any) -> list[Any]:
    return [client.make("MessageEntity", **fields)]


BREACHES: dict[str, tuple[Callable[[Client], dict[str, Any]], str]] = {
    "no text": (lambda _: {"text": " \n "}, "text must be non-empty"),
    "4097 characters": (lambda _: {"text": "x" * 4097}, "message is too long"),
    "over 32 KiB": (lambda _: {"text": "ü" * 16385}, "text is too long"),
    "65 bytes of data": (lambda c: {"text": "x", "reply_markup": _button(c, callback_data="ü" * 33)}, "button_data_"),
    "101 buttons": (
        lambda c: {"text": "x", "reply_markup": keyboard(c, *(str(n) for n in range(101)))},
        "reply markup is too long",
    ),
    "text button": (
        lambda c: {"text": "x", "reply_markup": _button(c)},
        "can't parse inline keyboard button: text buttons are unallowed in the inline keyboard",
    ),
    "local button": (
        lambda c: {"text": "x", "reply_markup": _button(c, url="http://localhost:3000")},
        "inline keyboard button url 'http://localhost:3000' is invalid: wrong http url",
    ),
    "entity past the end": (
        lambda c: {"text": "hello", "entities": _entity(c, type="bold", offset=0, length=6)},
        "entity beginning at utf-16 offset 0 ends after the end of the text at utf-16 offset 6",
    ),
    "entity in a symbol": (
        lambda c: {"text": "a😀b", "entities": _entity(c, type="bold", offset=2, length=1)},
        "entity begins in a middle of a utf-16 symbol at byte offset 5",
    ),
    "local link": (
        lambda c: {"text": "hello", "entities": _entity(c, type="text_link", offset=0, length=5, url="http://nas/x")},
        "entity url 'http://nas/x' is invalid: wrong http url",
    ),
    "broken HTML": (
        lambda _: {"text": "<b>x", "parse_mode": "HTML"},
        "can't parse entities: can't find end tag corresponding to start tag \"b\"",
    ),
    "broken MarkdownV2": (
        lambda _: {"text": "1.", "parse_mode": "MarkdownV2"},
        "can't parse entities: character '.' is reserved and must be escaped with the preceding '\\'",
    ),
}


@pytest.mark.parametrize(("build", "words"), BREACHES.values(), ids=BREACHES)
async def test_a_message_against_the_rules_is_refused_and_remembered(
    client: Client, server: BotApiServer, build: Callable[[Client], dict[str, Any]], words: str
) -> None:
    with pytest.raises(ProblemError) as caught:
        await client.ask("send_message", chat_id=OWNER, **build(client))
    assert caught.value.kind == "bad_request"
    assert words in caught.value.text.lower()
    server.fault("sendMessage", 429, retry_after=9)
    with pytest.raises(ProblemError) as caught:
        await client.ask("send_message", chat_id=OWNER, **build(client))
    assert (caught.value.kind, len(server.breaches)) == ("retry_after", 2), "checked also behind a fault"
    assert server.messages() == []


async def test_other_methods_refuse_what_breaks_their_rules(client: Client, server: BotApiServer) -> None:
    sent = await client.ask("send_message", chat_id=OWNER, text="x", reply_markup=keyboard(client, "go"))
    query_id = server.taps(sent["message_id"], "go")["callback_query"]["id"]
    party = [client.make("ReactionTypeEmoji", emoji="✅")]
    command = [client.make("BotCommand", command="Brief", description="Today")]
    there = {"chat_id": OWNER, "message_id": sent["message_id"]}
    document = client.file(b"x", "x.txt")
    for method, params, words in (
        ("answer_callback_query", {"callback_query_id": query_id, "text": "x" * 201}, "message_too_long"),
        ("set_message_reaction", there | {"reaction": party}, "reaction_invalid"),
        ("set_my_commands", {"commands": command}, "bot_command_invalid"),
        ("send_document", {"chat_id": OWNER, "document": document, "caption": "x" * 1025}, "caption is too long"),
        ("send_photo", {"chat_id": OWNER, "photo": client.file(b"no image", "x.png")}, "image_process_failed"),
        ("send_chat_action", {"chat_id": OWNER, "action": "thinking"}, "wrong parameter action"),
    ):
        with pytest.raises(ProblemError, match=f"(?i){words}"):
            await client.ask(method, **params)
    assert len(server.breaches) == 6


async def test_circumstances_are_refused_without_being_breaches(client: Client, server: BotApiServer) -> None:
    server.migrates(-4005, -1002233445566)
    for chat_id, more, words in (
        (4242, {}, "chat not found"),
        (OWNER, {"message_thread_id": 99}, "message thread not found"),
        (
            OWNER,
            {"reply_parameters": client.make("ReplyParameters", message_id=999)},
            "message to be replied not found",
        ),
    ):
        with pytest.raises(ProblemError, match=f"(?i){words}"):
            await client.ask("send_message", chat_id=chat_id, text="x", **more)
    with pytest.raises(ProblemError) as caught:
        await client.ask("send_message", chat_id=-4005, text="x")
    assert (caught.value.kind, caught.value.detail) == ("migrated", -1002233445566)
    server.owner_blocks()
    with pytest.raises(ProblemError) as caught:
        await client.ask("send_message", chat_id=OWNER, text="x")
    assert (caught.value.kind, "blocked by the user" in caught.value.text) == ("forbidden", True)
    server.owner_unblocks()
    await client.ask("send_message", chat_id=OWNER, text="x")
    assert not server.breaches


# --- faults ---

FAULTS: dict[str, tuple[dict[str, Any], str, int]] = {
    "429": ({"kind": 429, "retry_after": 7}, "retry_after", 0),
    "400": ({"kind": 400, "text": "Bad Request: VOICE_MESSAGES_FORBIDDEN"}, "bad_request", 0),
    "401": ({"kind": 401}, "unauthorized", 0),
    "403": ({"kind": 403}, "forbidden", 0),
    "409": ({"kind": 409}, "conflict", 0),
    "500": ({"kind": 500}, "network", 0),
    "migrate": ({"kind": "migrate", "migrate_to": -1009}, "migrated", 0),
    "html502": ({"kind": "html502"}, "network or unreadable", 0),
    "garbage": ({"kind": "garbage"}, "unreadable", 0),
    "drop before": ({"kind": "drop_before"}, "network", 0),
    "drop after": ({"kind": "drop_after"}, "network", 1),
}


@pytest.mark.parametrize(("fault", "kind", "delivered"), FAULTS.values(), ids=FAULTS)
async def test_a_fault_hits_once_and_says_whether_the_message_went_out(
    client: Client, server: BotApiServer, fault: dict[str, Any], kind: str, delivered: int
) -> None:
    server.fault("sendMessage", **fault)
    with pytest.raises(ProblemError) as caught:
        await client.ask("send_message", chat_id=OWNER, text="once")
    assert caught.value.kind in kind
    if kind in ("retry_after", "migrated"):
        assert caught.value.detail in (7, -1009)
    assert len(server.bot_messages()) == delivered
    await client.ask("send_message", chat_id=OWNER, text="again")
    assert [call.fault for call in server.sent] == [str(fault["kind"]), None]
    assert [call.done for call in server.sent] == [bool(delivered), True]


@pytest.mark.parametrize(("kind", "delivered"), [("hang", 1), ("hang_before", 0)])
async def test_a_hanging_call_is_answered_when_released(
    client: Client, server: BotApiServer, kind: str, delivered: int
) -> None:
    server.fault("sendMessage", kind)
    hanging = asyncio.create_task(client.ask("send_message", chat_id=OWNER, text="late"))
    await server.wait_for_calls(1, "sendMessage")
    assert len(server.bot_messages()) == delivered
    await client.ask("send_chat_action", chat_id=OWNER, action="typing")
    server.release()
    assert (await hanging)["text"] == "late"
    assert texts(server.bot_messages()) == ["late"]


async def test_a_fault_may_be_meant_for_one_chat_and_last(client: Client, server: BotApiServer) -> None:
    server.group_message("hello", chat_id=-4005)
    server.fault("*", 429, chat_id=-4005, times=None)
    for _ in range(2):
        with pytest.raises(ProblemError):
            await client.ask("send_message", chat_id=-4005, text="x")
    await client.ask("send_message", chat_id=OWNER, text="x")
    server.clear_faults()
    await client.ask("send_message", chat_id=-4005, text="x")


@pytest.mark.parametrize("kind", [401, 409, 429, 500, "html502", "garbage", "drop_before", "drop_after"])
async def test_a_fault_in_polling_loses_no_update(client: Client, server: BotApiServer, kind: int | str) -> None:
    server.owner_sends("still here")
    server.fault("getUpdates", kind)
    with pytest.raises(ProblemError):
        await client.ask("get_updates")
    assert texts([update["message"] for update in await client.ask("get_updates")]) == ["still here"]
    assert len(server.polls) == 2


# --- on the wire ---


async def test_names_are_case_insensitive_and_every_encoding_is_read(
    server: BotApiServer, http: aiohttp.ClientSession
) -> None:
    form = aiohttp.MultipartWriter("form-data")
    for name, value in (("chat_id", str(OWNER)), ("text", "multipart")):
        form.append(value).set_content_disposition("form-data", name=name)
    path, markup = f"/bot{TOKEN}/SENDmessage", {"inline_keyboard": [[{"text": "b", "callback_data": "d"}]]}
    for request in (
        http.get(path, params={"chat_id": OWNER, "text": "query"}),
        http.post(path, data={"chat_id": str(OWNER), "text": "urlencoded", "reply_markup": json.dumps(markup)}),
        http.post(path, json={"chat_id": OWNER, "text": "json", "reply_markup": markup}),
        http.post(path, data=form),
    ):
        async with request as response:
            assert (await response.json())["ok"] is True
    assert texts(server.bot_messages()) == ["query", "urlencoded", "json", "multipart"]
    assert [bool(call.params.get("reply_markup")) for call in server.sent] == [False, True, True, False]
    assert {call.method for call in server.sent} == {"sendMessage"}


@pytest.mark.parametrize(
    ("path", "status", "description"),
    [
        ("/bot1:OTHER/getMe", 401, "Unauthorized"),
        ("/botnothing/getMe", 401, "Unauthorized: invalid token specified"),
        ("/bot1:TEST/sendTelepathy", 404, "Not Found: method not found"),
        ("/bot1:TEST/sending", 404, "Not Found: method not found"),
        ("/elsewhere", 404, "Not Found"),
        ("/file/bot1:TEST/documents/none.pdf", 404, "Not Found"),
        ("/file/bot1:OTHER/documents/none.pdf", 401, "Unauthorized"),
        ("/bot1:TEST/sendMessage?chat_id=1001&text=x&reply_markup=%7B", 400, "Bad Request: can't parse reply keyb"),
        ("/bot1:TEST/sendMessage?text=x", 400, "Bad Request: chat_id is empty"),
        ("/bot1:TEST/sendMessage?chat_id=1001", 400, "Bad Request: message text is empty"),
        ("/bot1:TEST/sendDocument?chat_id=1001", 400, "Bad Request: there is no document in the request"),
    ],
)
async def test_a_wrong_request_is_refused_in_the_envelope(
    http: aiohttp.ClientSession, path: str, status: int, description: str
) -> None:
    async with http.get(path) as response:
        answer = await response.json()
    assert (response.status, answer["ok"], answer["error_code"]) == (status, False, status)
    assert answer["description"].startswith(description)


@pytest.mark.parametrize(
    ("method", "params", "description"),
    [
        ("sendMediaGroup", {"media": [{"type": "photo"}] * 11}, "too many messages to send as an album"),
        ("sendMediaGroup", {"media": [{"type": "photo"}, {"type": "document"}]}, "Document can't be mixed with other"),
        ("sendMediaGroup", {}, 'parameter "media" is required'),
        ("setMessageReaction", {"message_id": 1, "reaction": [{"type": "emoji", "emoji": "👀"}] * 2}, "REACTIONS_TOO"),
        ("sendMessage", {"text": "x", "reply_parameters": {"message_id": 1, "quote": "other words"}}, "QUOTE_TEXT_"),
        ("sendMessage", {"text": "x", "reply_parameters": {"quote": "words"}}, 'can\'t find field "message_id"'),
        ("sendMessage", {"text": "x", "parse_mode": "BBCode"}, "unsupported parse_mode"),
        (
            "sendMessage",
            {"text": "x", "entities": [{"type": "glow", "offset": 0, "length": 1}]},
            "can't parse MessageE",
        ),
        ("sendMessage", {"text": "x", "reply_markup": {"inline_keyboard": 5}}, 'field "inline_keyboard" must be of ty'),
        ("sendMessageDraft", {"draft_id": 0, "text": "x"}, "RANDOM_ID_INVALID"),
        ("sendDocument", {"document": "attach://nowhere"}, "there is no document in the request"),
        ("sendDocument", {"document": "unknown-id"}, "wrong file identifier/HTTP URL specified"),
        ("setWebhook", {"url": "http://bot.example.org"}, "bad webhook: An HTTPS URL must be provided for webhook"),
        ("setWebhook", {"url": "https://bot.example.org", "secret_token": "ü"}, "secret token contains unallowed ch"),
    ],
)
async def test_a_rule_is_kept_on_the_wire(
    server: BotApiServer, http: aiohttp.ClientSession, method: str, params: dict[str, Any], description: str
) -> None:
    server.owner_sends("some words")
    async with http.post(f"/bot{TOKEN}/{method}", json={"chat_id": OWNER, **params}) as response:
        answer = await response.json()
    assert answer["description"].startswith(f"Bad Request: {description}")
    assert server.breaches == server.sent


@pytest.mark.parametrize(
    ("button", "accepted"),
    [
        ({"callback_data": "x", "style": "success"}, True),
        ({"callback_data": "x", "style": "loud"}, False),
        ({"copy_text": {"text": "x" * 256}}, True),
        ({"copy_text": {"text": "x" * 257}}, False),
        ({"web_app": {"url": "https://bot.example.org"}}, True),
        ({"web_app": {"url": "http://bot.example.org"}}, False),
        ({"switch_inline_query": ""}, True),
        ({"callback_data": ""}, False),
    ],
)
def test_a_button_is_taken_or_refused(button: dict[str, Any], accepted: bool) -> None:
    markup = {"inline_keyboard": [[{"text": "b", **button}]]}
    if accepted:
        assert rules.reply_markup(markup) == markup
    else:
        with pytest.raises(rules.ApiError):
            rules.reply_markup(markup)


async def test_too_many_requests_says_when_to_come_back(server: BotApiServer, http: aiohttp.ClientSession) -> None:
    server.fault("getMe", 429, retry_after=12)
    async with http.get(f"/bot{TOKEN}/getMe") as response:
        answer = await response.json()
    assert response.headers["Retry-After"] == "12"
    assert answer["description"] == "Too Many Requests: retry after 12"
    assert answer["parameters"] == {"retry_after": 12}


async def test_poison_passes_through_untouched(server: BotApiServer, http: aiohttp.ClientSession) -> None:
    poison = {"message": {"text": "no id, no chat", "date": "yesterday"}}
    server.push_raw(poison)
    server.push_raw({"update_id": 7, "message": None})
    async with http.get(f"/bot{TOKEN}/getUpdates") as response:
        first, second = (await response.json())["result"]
    assert first["message"] == poison["message"]
    assert second == {"update_id": 7, "message": None}


async def test_the_time_of_everything_is_the_clocks() -> None:
    now = NOON
    async with (
        BotApiServer(TOKEN, clock=lambda: now) as server,
        aiohttp.ClientSession(f"{server.url}/") as http,
    ):
        server.owner_sends("old")
        sent = server.new_message(OWNER, server.bot_user, {"text": "x"})["message_id"]
        now += timedelta(hours=25)
        server.owner_sends("new")
        async with http.get(f"/bot{TOKEN}/getUpdates") as response:
            result = (await response.json())["result"]
        assert texts([update["message"] for update in result]) == ["new"], "updates live for 24 hours"
        assert result[0]["message"]["date"] == int(now.timestamp())
        now += timedelta(hours=24)
        async with http.get(f"/bot{TOKEN}/deleteMessage?chat_id={OWNER}&message_id={sent}") as response:
            assert "message can't be deleted for everyone" in (await response.json())["description"]


async def test_asking_again_too_soon_is_punished_where_that_is_switched_on() -> None:
    async with (
        BotApiServer(TOKEN, repeat_penalty_seconds=30) as server,
        aiohttp.ClientSession(f"{server.url}/") as http,
    ):
        async with http.get(f"/bot{TOKEN}/getUpdates") as response:
            assert (await response.json())["result"] == []
        again = asyncio.create_task(http.get(f"/bot{TOKEN}/getUpdates"))
        await server.wait_until(lambda: len(server.polls) == 2)
        server.owner_sends("one")
        server.owner_sends("two")
        async with await again as response:
            assert len((await response.json())["result"]) == 1


async def test_who_waits_in_vain_is_told_what_did_arrive(server: BotApiServer, http: aiohttp.ClientSession) -> None:
    async with http.get(f"/bot{TOKEN}/getMe"):
        pass
    with pytest.raises(TimeoutError, match=r"calls: \['getMe\(ok\)'\]"):
        await server.wait_for_calls(2, timeout=0.01)


async def test_a_fault_that_does_not_exist_is_a_mistake_of_the_test(server: BotApiServer) -> None:
    with pytest.raises(ValueError, match="no such fault"):
        server.fault("sendMessage", 418)


async def test_the_server_goes_away_while_a_poll_waits() -> None:
    async with aiohttp.ClientSession() as http:
        async with BotApiServer(TOKEN) as server:
            poll = asyncio.create_task(http.get(f"{server.url}/bot{TOKEN}/getUpdates?timeout=50"))
            await server.wait_for_poll()
        async with await poll as response:
            assert (await response.json())["result"] == []


# --- the rules, by themselves ---


@pytest.mark.parametrize(
    ("parse_mode", "raw", "expected"),
    [
        ("HTML", "<b>a<i>ü</i></b> &lt;&#38;&amp;nbsp;", "aü <&&nbsp; bold 0+2 italic 1+1"),
        ("HTML", '<a href="http://x.de/?a=1&amp;b">x</a><a href="http://nas">y</a>', "xy text_link 0+1"),
        ("HTML", '<pre><code class="language-py">x</code></pre>', "x pre 0+1"),
        ("HTML", '<tg-time unix="1" format="t">x</tg-time>', "x date_time 0+1"),
        ("HTML", "<blockquote expandable>x</blockquote>", "x expandable_blockquote 0+1"),
        ("HTML", "<b><i>test</b></i>", 'Unmatched end tag at byte offset 10, expected "</i>", found "</b>"'),
        ("HTML", "ü<script>x", 'Unsupported start tag "script" at byte offset 2'),
        ("HTML", "1 <2 3", 'Unsupported start tag "2" at byte offset 2'),
        ("HTML", "x</b>", "Unexpected end tag at byte offset 1"),
        ("HTML", "<b", "Unclosed start tag at byte offset 0"),
        ("html", '<span class="x">x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
        ("MarkdownV2", "*b _i __u__ i_* ||s||", "b i u i s bold 0+7 italic 2+5 underline 4+1 spoiler 8+1"),
        ("MarkdownV2", "[l](http://a.b/x\\)y) `c.`", "l c. text_link 0+1 code 2+2"),
        ("MarkdownV2", "```py\nx.y\n```", "x.y pre 0+3"),
        ("MarkdownV2", "*unclosed", "Can't find end of Bold entity at byte offset 0"),
        ("MarkdownV2", "*bold _italic\\_*", "Can't find end of Bold entity at byte offset 15"),
        ("MarkdownV2", "[x](y", "Can't find end of a URL at byte offset 4"),
        ("MarkdownV2", "a|b", "Character '|' is reserved and must be escaped with the preceding '\\'"),
        ("Markdown", "*b* _i_ [x](http://a.de)", "b i x bold 0+1 italic 2+1 text_link 4+1"),
        ("Markdown", "*unclosed", "Can't find end of the entity starting at byte offset 0"),
    ],
)
def test_formatted_text_is_read_as_strictly_as_telegram_reads_it(parse_mode: str, raw: str, expected: str) -> None:
    assert _read(parse_mode, raw) == expected


def _read(parse_mode: str, raw: str) -> str:
    try:
        text, entities = rules.message_text({"text": raw, "parse_mode": parse_mode})
    except rules.ApiError as error:
        return error.description.removeprefix("Bad Request: can't parse entities: ")
    return " ".join([text, *(f"{one['type']} {one['offset']}+{one['length']}" for one in entities)])


def test_lengths_are_counted_in_code_points_after_parsing_and_trimming() -> None:
    assert len(rules.message_text({"text": " " + "😀" * 4096 + "\n"})[0]) == 4096
    assert rules.message_text({"text": f"<b>{'x' * 4096}</b>", "parse_mode": "HTML"})


def test_trimming_and_cleaning_move_the_entities() -> None:
    entities = [{"type": "bold", "offset": 1, "length": 8}, {"type": "url", "offset": 0, "length": 99}]
    text, moved = rules.message_text({"text": " \n\r😀b\u202e c \n", "entities": entities})
    assert text == "😀b c"
    assert moved == [{"type": "bold", "offset": 0, "length": 5}], "what Telegram finds by itself is not looked at"


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("https://example.org/x", None),
        ("example.org", None),
        ("tg://user?id=5", None),
        ("http://[::1]/", None),
        ("http://localhost:3000", "Wrong HTTP URL"),
        ("javascript:alert('a.b')", "Wrong HTTP URL"),
        ("ftp://example.org", "Unsupported URL protocol"),
        ("/x", "URL host is empty"),
        ("", "URL host is empty"),
    ],
)
def test_a_link_needs_a_host_with_a_dot(url: str, fault: str | None) -> None:
    assert rules.url_fault(url) == fault


# --- a second opinion ---

SECOND_OPINION: dict[str, dict[str, Any]] = {
    "plain": {"text": "hello"},
    "longest": {"text": "x" * 4096},
    "too long": {"text": "x" * 4097},
    "html": {"text": '<b>a <i>b</i></b> <a href="http://x.de">l</a>', "parse_mode": "HTML"},
    "crossed html": {"text": "<b><i>x</b></i>", "parse_mode": "HTML"},
    "open html": {"text": "<code>x", "parse_mode": "HTML"},
    "unknown tag": {"text": "<h1>x</h1>", "parse_mode": "HTML"},
    "markdown": {"text": "*a _b_* `c` [l](http://x.de) \\.", "parse_mode": "MarkdownV2"},
    "bare dot": {"text": "a.", "parse_mode": "MarkdownV2"},
    "open bold": {"text": "*a", "parse_mode": "MarkdownV2"},
    "entities": {"text": "a😀b", "entities": [{"type": "bold", "offset": 1, "length": 2}]},
    "entity outside": {"text": "a😀b", "entities": [{"type": "bold", "offset": 1, "length": 9}]},
    "buttons": {"text": "x", "reply_markup": {"inline_keyboard": [[{"text": "b", "callback_data": "x" * 64}]]}},
    "long data": {"text": "x", "reply_markup": {"inline_keyboard": [[{"text": "b", "callback_data": "x" * 65}]]}},
    "bare button": {"text": "x", "reply_markup": {"inline_keyboard": [[{"text": "b"}]]}},
}


@pytest.mark.parametrize("params", SECOND_OPINION.values(), ids=SECOND_OPINION)
async def test_an_independent_validator_judges_captured_sends_alike(
    aiogram: Any, server: BotApiServer, http: aiohttp.ClientSession, params: dict[str, Any]
) -> None:
    async with http.post(f"/bot{TOKEN}/sendMessage", json={"chat_id": OWNER, **params}):
        pass
    [call] = server.sent
    assert (call.breach is None) == (_opinion(aiogram, call) is None), _opinion(aiogram, call)


def _opinion(aiogram: Any, call: Call) -> str | None:
    """What teremok's validator says against a captured sendMessage."""
    validation = importlib.import_module("teremok.validation")
    method = aiogram.methods.SendMessage.model_validate(call.params)
    try:
        validation.validate_method(aiogram.Bot(TOKEN), method)
    except validation.ApiRuleViolation as violation:
        return str(violation)
    return None
