"""The people's side of the local Bot API server: chats, messages, and what an owner does with a thumb.

Nothing here goes through HTTP. Every gesture makes the update that Telegram would make of it, queues it for the bot
and returns it. Messages are kept as the Bot API's JSON objects; a change replaces the object, so what a test was given
stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.servers.bot_api_formatting import utf16_length
from tests.servers.bot_api_updates import UpdateQueue

Json = dict[str, Any]

# One transparent pixel.
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fcffff3f030005fe02fea7"
    "d53aa80000000049454e44ae426082"
)
CHAT_INSTANCE = "-8136487241530012345"
QUERIES_LIVE_FOR = timedelta(seconds=15)


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file in Telegram's cloud. `size_bytes` may be said to be more than there are bytes, to try out limits."""

    file_id: str
    unique_id: str
    path: str
    data: bytes
    size_bytes: int

    @property
    def fields(self) -> Json:
        """The fields that every kind of file shares in a message."""
        return {"file_id": self.file_id, "file_unique_id": self.unique_id, "file_size": self.size_bytes}


class OwnerSide:
    """What Telegram knows: people, chats, their messages and files, and the updates the bot has yet to fetch."""

    def __init__(self, *, token: str, owner_id: int, clock: Callable[[], datetime], first_update_id: int) -> None:
        self.clock = clock
        self.owner_id = owner_id
        self.updates = UpdateQueue(clock, first_update_id=first_update_id)
        self.bot_user: Json = {
            "id": int(token.partition(":")[0]),
            "is_bot": True,
            "first_name": "Stillbell",
            "username": "stillbell_test_bot",
        }
        self.chats: dict[int, Json] = {}
        self.blocked: set[int] = set()
        self.migrated: dict[int, int] = {}
        self.threads: set[tuple[int, int]] = set()
        self.files: dict[str, StoredFile] = {}
        self.queries: dict[str, datetime] = {}
        self._history: dict[int, dict[int, Json]] = {}
        self._labels_shown: dict[tuple[int, int], dict[str, str]] = {}
        self._message_ids = self._file_ids = self._query_ids = self._album_ids = 0
        self.open_chat(owner_id)

    # --- what is there ---

    def open_chat(self, chat_id: int, **fields: Any) -> Json:
        """A chat the bot may write to: private when the id is positive, else a group or supergroup."""
        if chat_id > 0:
            known: Json = {"id": chat_id, "type": "private", "first_name": "Ada", "username": f"user{chat_id}"}
        else:
            kind = "supergroup" if chat_id < -1_000_000_000_000 else "group"
            known = {"id": chat_id, "type": kind, "title": "Household"}
        self._history.setdefault(chat_id, {})
        return self.chats.setdefault(chat_id, known | fields)

    def user(self, user_id: int | None = None) -> Json:
        """The person with this id; the owner by default."""
        user_id = user_id or self.owner_id
        name = {"first_name": "Ada", "username": f"user{user_id}", "language_code": "en"}
        return {"id": user_id, "is_bot": False, **name}

    def message(self, message_id: int, chat_id: int | None = None) -> Json | None:
        """The message as it stands now, or None once it is deleted or was never there."""
        return self._history.get(chat_id or self.owner_id, {}).get(message_id)

    def messages(self, chat_id: int | None = None) -> list[Json]:
        """All messages of the chat as they stand now, of both sides, oldest first."""
        return list(self._history.get(chat_id or self.owner_id, {}).values())

    def bot_messages(self, chat_id: int | None = None) -> list[Json]:
        """The bot's messages of the chat as they stand now, oldest first."""
        return [message for message in self.messages(chat_id) if message["from"]["is_bot"]]

    def buttons(self, message_id: int, chat_id: int | None = None) -> dict[str, str | None]:
        """The labels of the buttons under a message, with their callback data where they have some."""
        message = self.message(message_id, chat_id) or {}
        rows = message.get("reply_markup", {}).get("inline_keyboard", [])
        return {button["text"]: button.get("callback_data") for row in rows for button in row}

    def add_file(self, data: bytes, *, name: str = "file.bin", size_bytes: int | None = None) -> StoredFile:
        """A file that getFile finds and that can be downloaded."""
        self._file_ids += 1
        number = f"{self._file_ids:04}"
        path = f"documents/file_{self._file_ids}.{name.rpartition('.')[2]}"
        size = len(data) if size_bytes is None else size_bytes
        stored = StoredFile(f"BQACAgIAAxkBAAI{number}", f"AgAD{number}", path, data, size)
        self.files[stored.file_id] = stored
        return stored

    def new_album_id(self) -> str:
        """A number that the messages of one album share."""
        self._album_ids += 1
        return f"1357902468{self._album_ids:07}"

    # --- what is written ---

    def keep(self, chat_id: int, message: Json) -> Json:
        """Files the message in its chat, in place of an earlier state of it."""
        self._history[chat_id][message["message_id"]] = message
        for label, data in self.buttons(message["message_id"], chat_id).items():
            if data:
                self._labels_shown.setdefault((chat_id, message["message_id"]), {})[data] = label
        return message

    def remove(self, chat_id: int, message_id: int) -> None:
        """The message is gone for both sides."""
        del self._history[chat_id][message_id]

    def forget_chat(self, chat_id: int | None = None) -> None:
        """Both sides cleared their history. Ids go on from where they were."""
        self._history[chat_id or self.owner_id].clear()

    def new_message(self, chat_id: int, sender: Json, content: Json) -> Json:
        """A message with the next id and the clock's time."""
        self._message_ids += 1
        chat = self.open_chat(chat_id)
        head = {"message_id": self._message_ids, "from": sender, "chat": chat, "date": self.unix_now()}
        return self.keep(chat_id, head | content)

    def unix_now(self) -> int:
        """The clock's time as the Bot API writes it."""
        return int(self.clock().timestamp())

    def owner_sends(
        self,
        text: str | None = None,
        *,
        user_id: int | None = None,
        chat_id: int | None = None,
        reply_to: int | None = None,
        quote: str | None = None,
        message_thread_id: int | None = None,
        **extra: Any,
    ) -> Json:
        """A message to the bot; `extra` are further fields of the Bot API's Message."""
        chat_id = chat_id or user_id or self.owner_id
        content: Json = {}
        if text is not None:
            content["text"] = text
        if text is not None and text.startswith("/"):
            command = {"type": "bot_command", "offset": 0, "length": utf16_length(text.split()[0])}
            content["entities"] = [command]
        if message_thread_id is not None:
            self.threads.add((chat_id, message_thread_id))
            content |= {"message_thread_id": message_thread_id, "is_topic_message": True}
        content |= self.reply_fields(chat_id, reply_to, quote) | extra
        return self.updates.push({"message": self.new_message(chat_id, self.user(user_id), content)})

    def reply_fields(self, chat_id: int, reply_to: int | None, quote: str | None = None) -> Json:
        """What a message says of the message it answers; a reply within the reply is left out, as Telegram does."""
        answered = self.message(reply_to, chat_id) if reply_to else None
        if answered is None:
            return {}
        fields: Json = {"reply_to_message": {key: answered[key] for key in answered if key != "reply_to_message"}}
        if quote:
            fields["quote"] = {"text": quote, "position": answered.get("text", "").find(quote), "is_manual": True}
        return fields

    def owner_edits(self, message_id: int, text: str | None = None, *, chat_id: int | None = None) -> Json:
        """An edit of the owner's own message; without a text, one that changes nothing but the date of the edit."""
        chat_id = chat_id or self.owner_id
        changed = self._history[chat_id][message_id] | {"edit_date": self.unix_now()}
        if text is not None:
            changed = {key: changed[key] for key in changed if key != "entities"} | {"text": text}
        return self.updates.push({"edited_message": self.keep(chat_id, changed)})

    def owner_pastes(self, text: str, *, part_length: int = 4096, **extra: Any) -> list[Json]:
        """A long paste, which the app cuts into messages that nothing ties together."""
        parts = [text[at : at + part_length] for at in range(0, len(text), part_length)]
        return [self.owner_sends(part, **extra) for part in parts]

    def owner_sends_photo(self, data: bytes = PIXEL, *, caption: str | None = None, **extra: Any) -> Json:
        """A photo in two sizes, both to be had with getFile."""
        sizes = [
            {**self.add_file(data, name="p.jpg").fields, "width": w, "height": h} for w, h in ((90, 67), (800, 600))
        ]
        return self.owner_sends(photo=sizes, **_captioned(caption), **extra)

    def owner_sends_document(
        self,
        data: bytes,
        *,
        file_name: str = "letter.pdf",
        mime_type: str = "application/pdf",
        size_bytes: int | None = None,
        caption: str | None = None,
        **extra: Any,
    ) -> Json:
        """A file; `size_bytes` may claim more than there is."""
        stored = self.add_file(data, name=file_name, size_bytes=size_bytes)
        document = {**stored.fields, "file_name": file_name, "mime_type": mime_type}
        return self.owner_sends(document=document, **_captioned(caption), **extra)

    def owner_sends_voice(
        self, data: bytes = b"OggS", *, duration_seconds: int = 3, size_bytes: int | None = None, **extra: Any
    ) -> Json:
        """A voice note in ogg/opus."""
        stored = self.add_file(data, name="v.oga", size_bytes=size_bytes)
        return self.owner_sends(
            voice={**stored.fields, "duration": duration_seconds, "mime_type": "audio/ogg"}, **extra
        )

    def owner_sends_album(self, photos: Sequence[bytes] | int = 3, *, caption: str | None = None) -> list[Json]:
        """An album: one message, and so one update, for each photo; the caption is on the first."""
        photos = [PIXEL] * photos if isinstance(photos, int) else photos
        group = self.new_album_id()
        captions = [caption] + [None] * len(photos)
        return [
            self.owner_sends_photo(data, caption=text, media_group_id=group)
            for data, text in zip(photos, captions, strict=False)
        ]

    def owner_sends_location(self, latitude: float = 52.52, longitude: float = 13.405, **extra: Any) -> Json:
        """A place on the map."""
        return self.owner_sends(location={"latitude": latitude, "longitude": longitude}, **extra)

    def owner_sends_contact(self, phone_number: str = "+4930123456", first_name: str = "Grace", **extra: Any) -> Json:
        """Somebody's card from the address book."""
        return self.owner_sends(contact={"phone_number": phone_number, "first_name": first_name}, **extra)

    def owner_sends_sticker(self, emoji: str = "👍", **extra: Any) -> Json:
        """A sticker."""
        shape = {"type": "regular", "width": 512, "height": 512, "is_animated": False, "is_video": False}
        return self.owner_sends(
            sticker={**self.add_file(b"RIFF", name="s.webp").fields, **shape, "emoji": emoji}, **extra
        )

    def owner_sends_poll(self, question: str = "Soup?", options: Sequence[str] = ("Yes", "No"), **extra: Any) -> Json:
        """A poll."""
        choices = [
            {"persistent_id": str(number), "text": text, "voter_count": 0} for number, text in enumerate(options)
        ]
        flags = {"is_closed": False, "is_anonymous": True, "allows_multiple_answers": False}
        newer = {"allows_revoting": True, "members_only": False}
        poll = {"id": "1", "question": question, "options": choices, "total_voter_count": 0, "type": "regular"}
        return self.owner_sends(poll=poll | flags | newer, **extra)

    def owner_sends_dice(self, value: int = 4, **extra: Any) -> Json:
        """A kind of message that no assistant has use for."""
        return self.owner_sends(dice={"emoji": "🎲", "value": value}, **extra)

    def owner_sends_unknown(self, kind: str = "hologram", **extra: Any) -> Json:
        """A kind of message that the API did not have when the bot was written."""
        return self.owner_sends(**{kind: {"depth": 3}}, **extra)

    def owner_forwards(
        self, text: str, *, comment: str | None = None, comment_first: bool = True, origin: Json | None = None
    ) -> list[Json]:
        """A forwarded message and, as a message of its own before or after it, what the owner says about it."""
        if origin is None:
            origin = {"type": "hidden_user", "sender_user_name": "Grace"}
        moves = [lambda: self.owner_sends(text, forward_origin={"date": self.unix_now() - 3600, **origin})]
        if comment is not None:
            moves.insert(0 if comment_first else 1, lambda: self.owner_sends(comment))
        return [move() for move in moves]

    def group_message(self, text: str, *, chat_id: int = -1001234567890, user_id: int = 4002, **extra: Any) -> Json:
        """Something said in a group that the bot was added to."""
        return self.owner_sends(text, user_id=user_id, chat_id=chat_id, **extra)

    # --- what is pressed ---

    def taps(
        self,
        message_id: int,
        callback_data: str | None = None,
        *,
        label: str | None = None,
        user_id: int | None = None,
        chat_id: int | None = None,
        forged: bool = False,
    ) -> Json:
        """A press of a button, named by its data or its label.

        The button must stand under the message, or have stood there (a client that has not yet seen an edit);
        `forged` lets a rewritten client send any data.
        """
        chat_id = chat_id or self.owner_id
        shown = self._labels_shown.get((chat_id, message_id), {})
        data = callback_data or next((data for data, text in shown.items() if text == label), None)
        if not forged and data not in shown:
            raise LookupError(f"message {message_id} never had the button {callback_data or label}: {shown}")
        self._query_ids += 1
        query_id = f"4382{self._query_ids:015}"
        self.queries[query_id] = self.clock()
        gone = {"message_id": message_id, "chat": self.chats[chat_id], "date": 0}
        query = {"id": query_id, "from": self.user(user_id), "message": self.message(message_id, chat_id) or gone}
        return self.updates.push({"callback_query": query | {"chat_instance": CHAT_INSTANCE, "data": data}})

    def redeliver(self, update: Json) -> Json:
        """The same happening once more, under a new update_id."""
        return self.updates.push({key: value for key, value in update.items() if key != "update_id"})

    def expire_queries(self) -> None:
        """Every tap so far is too old to be answered."""
        self.queries.clear()

    def query_is_open(self, query_id: str) -> bool:
        """Whether the tap can still be answered."""
        tapped_at = self.queries.get(query_id)
        return tapped_at is not None and self.clock() - tapped_at <= QUERIES_LIVE_FOR

    def owner_reacts(self, message_id: int, emoji: str | None = "👍", *, before: str | None = None) -> Json:
        """A reaction put, changed or (None) taken away; only a bot that asked for `message_reaction` hears of it."""
        old, new = ([{"type": "emoji", "emoji": one}] if one else [] for one in (before, emoji))
        where = {"chat": self.chats[self.owner_id], "message_id": message_id, "user": self.user()}
        change = where | {"date": self.unix_now(), "old_reaction": old, "new_reaction": new}
        return self.updates.push({"message_reaction": change})

    def owner_stops_draft(self, draft_id: int) -> Json:
        """The owner presses Stop while a draft is being shown."""
        return self.updates.push(
            {"stopped_message_generation": {"chat": self.chats[self.owner_id], "draft_id": draft_id}}
        )

    def owner_blocks(self, user_id: int | None = None) -> Json:
        """The bot is blocked: it is told so, and its messages are refused with 403 from now on."""
        self.blocked.add(user_id or self.owner_id)
        return self._membership(user_id, "member", "kicked")

    def owner_unblocks(self, user_id: int | None = None) -> Json:
        """The bot may write again."""
        self.blocked.discard(user_id or self.owner_id)
        return self._membership(user_id, "kicked", "member")

    def _membership(self, user_id: int | None, old: str, new: str) -> Json:
        def member(status: str) -> Json:
            until = {"until_date": 0} if status == "kicked" else {}
            return {"user": self.bot_user, "status": status, **until}

        chat = self.open_chat(user_id or self.owner_id)
        change = {"chat": chat, "from": self.user(user_id), "date": self.unix_now()}
        return self.updates.push(
            {"my_chat_member": change | {"old_chat_member": member(old), "new_chat_member": member(new)}}
        )

    def migrates(self, chat_id: int, to_chat_id: int) -> list[Json]:
        """A group becomes a supergroup: two service messages, and 400 with the new id for who writes to the old one."""
        self.open_chat(chat_id)
        self.open_chat(to_chat_id)
        self.migrated[chat_id] = to_chat_id
        left = self.owner_sends(chat_id=chat_id, migrate_to_chat_id=to_chat_id)
        return [left, self.owner_sends(chat_id=to_chat_id, migrate_from_chat_id=chat_id)]

    def push_raw(self, content: Json) -> Json:
        """Any update at all, well formed or poisonous; it gets an id unless it brings one."""
        return self.updates.push(content, update_id=content.get("update_id"), unasked=True)


def _captioned(caption: str | None) -> Json:
    return {} if caption is None else {"caption": caption}


def utc_now() -> datetime:
    """The real time, for who brings no clock."""
    return datetime.now(UTC)
