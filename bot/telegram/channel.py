"""The channel: Telegram as a way to reach the owner (the chat port, tools/chat).

piece ─► drawn in chunks ─► each: its turn ─► sendMessage ─► its id
                                               ├ 400: once more as plain text, which a 400 makes safe
                                               ├ 429: this chat is held; NotShown with Telegram's own wait
                                               ├ 403: blocked; nothing more is tried until the owner does something
                                               └ answer lost: MaybeShown, never sent again here
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import structlog
from telegram import Bot, InlineKeyboardMarkup, LinkPreviewOptions, MessageEntity, ReplyParameters
from telegram.constants import ChatAction
from telegram.error import BadRequest, Forbidden, TelegramError

from bot.telegram.chat import OwnerChat
from bot.telegram.drawing import draw, to_telegram
from bot.telegram.faults import AFTER_A_FAULT_FOR, WITHOUT_A_TOKEN_FOR, AnswerLost, SlowDown, shown_or_not
from bot.telegram.keyboard import keyboard
from bot.telegram.limiter import Limiter
from bot.telegram.reading import POISON
from bot.telegram.splitting import CHUNK_UNITS, Chunk, split
from memory.card import StoredCard
from memory.owner import Language
from memory.piece import Piece
from tools.chat import MaybeShown, NotShown

REPEAT_MARKS: Mapping[Language, str] = {"en": "(may be a repeat) ", "de": "(vielleicht doppelt) "}
CUT = " …"

HINT_FOR_S = 3.0
"""How long a hint or the answer to a tap may take; neither is worth waiting for."""

ANSWER_LETTERS_MAX = 200

# Every send and edit: a preview would have Telegram fetch whatever address stands in a text.
NO_PREVIEW = LinkPreviewOptions(is_disabled=True)

log = structlog.get_logger("telegram")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One message about to be sent or edited. `fancy` is off when Telegram has refused it once."""

    chunk: Chunk
    card: StoredCard | None = None
    silent: bool = False
    reply_to: int | None = None
    fancy: bool = True

    def text(self) -> tuple[str, list[MessageEntity] | None]:
        """The text, and its entities."""
        text, entities = to_telegram(self.chunk)
        return text, entities if self.fancy and entities else None

    def buttons(self) -> InlineKeyboardMarkup | None:
        """What stands under it."""
        return keyboard(self.card, styled=self.fancy)


class TelegramChannel:
    """See tools.chat.Channel. `language_of` names the language of an owner, for the mark of a repeat."""

    def __init__(
        self, *, bot: Bot, chat: OwnerChat, limiter: Limiter, language_of: Callable[[int], Awaitable[Language]]
    ) -> None:
        self._bot = bot
        self._chat = chat
        self._limiter = limiter
        self._language_of = language_of

    @property
    def name(self) -> str:
        return "telegram"

    @property
    def reaches_owner(self) -> bool:
        return self._chat.reaches_owner

    async def show(self, piece: Piece) -> AsyncIterator[str]:
        chunks = draw(piece.text)
        if not chunks:
            raise NotShown("there is nothing to see in this piece", for_good=True)
        for number in range(len(piece.parts), len(chunks)):
            doubtful = piece.in_doubt and number == len(piece.parts)
            messages = marked(chunks[number], await self._mark(piece)) if doubtful else (chunks[number],)
            last = number == len(chunks) - 1
            yield await self._send_part(messages, piece, first=number == 0, last=last)

    async def amend(self, piece: Piece) -> None:
        shown = piece.amends or ()
        if not shown:
            return
        chunks = fitted(draw(piece.text), len(shown))
        if not chunks:
            await self._edit_buttons(int(shown[-1]), piece.card)
        # Aligned at the end: a short text takes the place of the last part, where the buttons stand.
        for number, message_id in enumerate(shown[len(shown) - len(chunks) :]):
            last = number == len(chunks) - 1
            await self._edit(int(message_id), Outgoing(chunk=chunks[number], card=piece.card if last else None))

    async def typing(self) -> None:
        chat_id = self._chat.chat_id
        if chat_id is None or self._chat.refused or self._chat.blocked or self._limiter.held_for(chat_id):
            return
        with suppress(NotShown, MaybeShown), self._translated(chat_id):
            await self._bot.send_chat_action(
                chat_id, ChatAction.TYPING, message_thread_id=self._chat.topic_id, read_timeout=HINT_FOR_S
            )

    async def answer_tap(self, callback_id: str, text: str | None = None) -> None:
        """Let the button stop spinning, with a word over the chat if `text` is given. Best effort: never raises."""
        if self._chat.refused:
            return
        with suppress(TelegramError):
            await self._bot.answer_callback_query(
                callback_id,
                text=text[:ANSWER_LETTERS_MAX] if text else None,
                connect_timeout=HINT_FOR_S,
                read_timeout=HINT_FOR_S,
            )

    async def _mark(self, piece: Piece) -> str:
        return REPEAT_MARKS[await self._language_of(piece.owner_id)]

    async def _send_part(self, messages: tuple[Chunk, ...], piece: Piece, *, first: bool, last: bool) -> str:
        """Send one part, which with its mark may take two messages; the id of the one that ends it."""
        message_id = ""
        for number, chunk in enumerate(messages):
            outgoing = Outgoing(
                chunk=chunk,
                card=piece.card if last and number == len(messages) - 1 else None,
                silent=piece.silent,
                reply_to=_message_id(piece.reply_to) if first and number == 0 else None,
            )
            message_id = await self._send(outgoing)
        return message_id

    async def _send(self, outgoing: Outgoing) -> str:
        chat_id = self._reach()
        await self._limiter.turn(chat_id)
        with self._translated(chat_id):
            try:
                return await self._send_once(chat_id, outgoing)
            except BadRequest as error:
                log.warning("sent without formatting", action="telegram.sent_plain", error=str(error))
                if "thread" in str(error).lower():
                    self._chat.topic_id = None
                return await self._send_once(chat_id, replace(outgoing, fancy=False))

    async def _send_once(self, chat_id: int, outgoing: Outgoing) -> str:
        text, entities = outgoing.text()
        buttons = outgoing.buttons()
        reply = ReplyParameters(outgoing.reply_to, allow_sending_without_reply=True) if outgoing.reply_to else None
        try:
            message = await self._bot.send_message(
                chat_id,
                text,
                entities=entities,
                link_preview_options=NO_PREVIEW,
                disable_notification=outgoing.silent,
                reply_parameters=reply,
                reply_markup=buttons,
                message_thread_id=self._chat.topic_id,
            )
        except POISON as error:
            # The library could not read the answer, so there was one: the message may well stand there.
            raise AnswerLost(f"the answer can't be read: {error!r}") from error
        return str(message.message_id)

    async def _edit(self, message_id: int, outgoing: Outgoing) -> None:
        chat_id = self._reach()
        await self._limiter.turn(chat_id)
        with self._translated(chat_id, repeatable=True):
            try:
                await self._edit_once(chat_id, message_id, outgoing)
            except BadRequest as error:
                if not_modified(error):
                    return
                log.warning("edited without formatting", action="telegram.edited_plain", error=str(error))
                with _no_change_is_fine():
                    await self._edit_once(chat_id, message_id, replace(outgoing, fancy=False))

    async def _edit_once(self, chat_id: int, message_id: int, outgoing: Outgoing) -> None:
        text, entities = outgoing.text()
        await self._bot.edit_message_text(
            text,
            chat_id,
            message_id,
            entities=entities,
            link_preview_options=NO_PREVIEW,
            reply_markup=outgoing.buttons(),
        )

    async def _edit_buttons(self, message_id: int, card: StoredCard | None) -> None:
        chat_id = self._reach()
        await self._limiter.turn(chat_id)
        with self._translated(chat_id, repeatable=True), _no_change_is_fine():
            await self._bot.edit_message_reply_markup(chat_id, message_id, reply_markup=keyboard(card))

    def _reach(self) -> int:
        """The chat to write to. Raises NotShown where a request would be no use, or worse."""
        chat_id = self._chat.chat_id
        if chat_id is None:
            raise NotShown("no owner is paired with the Telegram bot: send it the code on the console", for_good=True)
        if self._chat.refused:
            raise NotShown("Telegram refuses the token", retry_for=WITHOUT_A_TOKEN_FOR)
        if self._chat.blocked:
            raise NotShown("the owner has blocked the bot: unblock it in Telegram", for_good=True)
        if held_for := self._limiter.held_for(chat_id):
            raise NotShown("Telegram asks for a pause in this chat", retry_for=held_for)
        return chat_id

    @contextmanager
    def _translated(self, chat_id: int, *, repeatable: bool = False) -> Iterator[None]:
        """Telegram's errors as the port's; a `repeatable` request whose answer was lost may simply be made again."""
        try:
            yield
        except TelegramError as error:
            if isinstance(error, SlowDown):
                self._limiter.hold(chat_id, error.retry_for)
            if isinstance(error, Forbidden):
                self._chat.blocked = True
            failure = shown_or_not(error)
            if repeatable and isinstance(failure, MaybeShown):
                failure = NotShown(str(failure), retry_for=AFTER_A_FAULT_FOR)
            raise failure from error


def marked(chunk: Chunk, mark: str) -> tuple[Chunk, ...]:
    """The chunk with the mark of a repeat before it: two chunks when it was full."""
    shift = len(mark.encode("utf-16-le")) // 2
    entities = (replace(entity, offset=entity.offset + shift) for entity in chunk.entities)
    return split(mark + chunk.text, entities)


def fitted(chunks: tuple[Chunk, ...], room: int) -> tuple[Chunk, ...]:
    """The chunks, cut to as many messages as stand there already: an edit can't add one without doing so twice."""
    if len(chunks) <= room:
        return chunks
    last = chunks[room - 1]
    units = len((last.text + CUT).encode("utf-16-le")) // 2
    return (*chunks[: room - 1], replace(last, text=last.text + CUT) if units <= CHUNK_UNITS else last)


def not_modified(error: BadRequest) -> bool:
    """Whether an edit was refused because everything stands there already."""
    return "message is not modified" in str(error).lower()


@contextmanager
def _no_change_is_fine() -> Iterator[None]:
    try:
        yield
    except BadRequest as error:
        if not not_modified(error):
            raise


def _message_id(channel_id: str | None) -> int | None:
    """A message's number; None for what isn't one (another channel's id)."""
    return int(channel_id) if channel_id and channel_id.isdecimal() else None
