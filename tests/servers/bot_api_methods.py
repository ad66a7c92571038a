"""The bot's side of the local Bot API server: what each method checks, and what it does to the chats.

A method is two steps. The first checks the request (rules before circumstances) and raises `ApiError`; it changes
nothing, so that it can be run even where a scripted fault will answer. It returns the second, the deed, which changes
the chats and returns the result.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from tests.servers import bot_api_rules as rules
from tests.servers.bot_api_owner import Json, OwnerSide, StoredFile
from tests.servers.bot_api_rules import ApiError, RefusedError, bad, refused
from tests.servers.bot_api_updates import WEBHOOK_SET

Deed = Callable[[], Any]

# What is compared to tell whether an edit changes anything.
_CONTENT = ("text", "entities", "caption", "caption_entities", "reply_markup")
# What the Bot API's Message does not say, but a test wants to know of a message.
_SENT_WITH = ("disable_notification", "reply_parameters", "protect_content", "link_preview_options")
_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)
_DELETABLE_FOR = timedelta(hours=48)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came in a multipart request."""

    file_name: str
    content_type: str
    data: bytes


@dataclass(slots=True, eq=False)
class Call:
    """One call of a method (other than getUpdates), and what became of it.

    `params` are typed and parsed; `at` is the server's clock, `monotonic_seconds` is `time.monotonic()` at arrival.
    `breach` is the rule of the API that the request breaks, also when a `fault` answered in its place; `error` is
    what was answered. `result` stays None where nothing was done.
    """

    method: str
    params: Json
    files: dict[str, Upload]
    at: datetime
    monotonic_seconds: float
    breach: ApiError | None = None
    fault: str | None = None
    error: ApiError | None = None
    result: Any = None
    done: bool = False

    @property
    def chat_id(self) -> Any:
        """The chat the call is about, as far as it names one."""
        return self.params.get("chat_id")

    @property
    def message(self) -> Json | None:
        """The message that came of it, if one did."""
        return self.result if isinstance(self.result, dict) and "message_id" in self.result else None


@dataclass(slots=True)
class BotState:
    """What a bot has set about itself."""

    commands: dict[str, list[Json]] = field(default_factory=dict)
    webhook_url: str = ""
    drafts: dict[int, Json] = field(default_factory=dict)
    reactions: dict[tuple[int, int], list[Json]] = field(default_factory=dict)
    answers: list[Json] = field(default_factory=list)


class BotMethods(OwnerSide):
    """The methods by their Bot API names, each with an underscore before it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.bot = BotState()
        self._sent_with: dict[tuple[int, int], Json] = {}

    def messages(self, chat_id: int | None = None) -> list[Json]:
        """As seen by people, with what else the bot said about its own messages (sound, reply, preview)."""
        chat_id = chat_id or self.owner_id
        found = super().messages(chat_id)
        return [message | self._sent_with.get((chat_id, message["message_id"]), {}) for message in found]

    # --- about the bot ---

    def _getMe(self, call: Call) -> Deed:
        abilities = dict.fromkeys(("can_read_all_group_messages", "supports_inline_queries"), False)
        more = {"can_connect_to_business": False, "has_main_web_app": False, "has_topics_enabled": True}
        return lambda: self.bot_user | {"can_join_groups": True} | abilities | more

    def _setMyCommands(self, call: Call) -> Deed:
        commands = rules.commands(call.params.get("commands"))
        return lambda: self.bot.commands.__setitem__(_commands_key(call), commands) or True

    def _getMyCommands(self, call: Call) -> Deed:
        return lambda: self.bot.commands.get(_commands_key(call), [])

    def _deleteMyCommands(self, call: Call) -> Deed:
        return lambda: self.bot.commands.pop(_commands_key(call), []) is not None

    def _setWebhook(self, call: Call) -> Deed:
        url = call.params.get("url", "")
        if not url:
            return self._deleteWebhook(call)
        rules.webhook(url, call.params.get("secret_token", ""))

        def deed() -> bool:
            self.bot.webhook_url = url
            self.updates.allow(call.params.get("allowed_updates"))
            self.updates.terminate(WEBHOOK_SET)
            return True

        return deed

    def _deleteWebhook(self, call: Call) -> Deed:
        def deed() -> bool:
            self.bot.webhook_url = ""
            if call.params.get("drop_pending_updates"):
                self.updates.forget_all()
            return True

        return deed

    def _getWebhookInfo(self, call: Call) -> Deed:
        info = {"url": self.bot.webhook_url, "has_custom_certificate": False}
        return lambda: info | {"pending_update_count": len(self.updates)}

    # --- chats ---

    def _getChat(self, call: Call) -> Deed:
        chat = self.chats[self._chat(call)]
        gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
        looks = {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": dict.fromkeys(gifts, True)}
        return lambda: chat | looks

    def _sendChatAction(self, call: Call) -> Deed:
        if call.params.get("action") not in rules.CHAT_ACTIONS:
            raise bad("wrong parameter action in request")
        self._chat(call)
        return lambda: True

    def _chat(self, call: Call) -> int:
        chat_id = call.params.get("chat_id", "")
        if chat_id == "":
            raise bad("chat_id is empty")
        if chat_id in self.migrated:
            description = "Bad Request: group chat was upgraded to a supergroup chat"
            raise RefusedError(400, description, migrate_to_chat_id=self.migrated[chat_id])
        if chat_id not in self.chats:
            raise refused("chat not found")
        if chat_id in self.blocked:
            raise RefusedError(403, "Forbidden: bot was blocked by the user")
        return int(chat_id)

    # --- sending ---

    def _sendMessage(self, call: Call) -> Deed:
        text, entities = rules.message_text(call.params)
        content: Json = {"text": text} | ({"entities": entities} if entities else {})
        if preview := call.params.get("link_preview_options"):
            content["link_preview_options"] = preview
        return self._sending(call, lambda: content)

    def _sendPhoto(self, call: Call) -> Deed:
        return self._sending_file(call, "photo")

    def _sendDocument(self, call: Call) -> Deed:
        return self._sending_file(call, "document")

    def _sendVoice(self, call: Call) -> Deed:
        return self._sending_file(call, "voice")

    def _sending_file(self, call: Call, kind: str) -> Deed:
        words = rules.caption(call.params)
        found = self._file(call, call.params.get(kind), kind, kind)
        return self._sending(call, lambda: self._file_fields(found, kind, call.params) | words)

    def _sendMediaGroup(self, call: Call) -> Deed:
        items = rules.album(call.params.get("media"))
        found = [self._file(call, item.get("media"), "media", item["type"]) for item in items]
        words = [rules.caption(item) for item in items]
        group = self.new_album_id()

        def content(number: int) -> Json:
            item = items[number]
            fields = self._file_fields(found[number], item["type"], item)
            return fields | words[number] | {"media_group_id": group}

        deeds = [self._sending(call, lambda number=number: content(number)) for number in range(len(items))]
        return lambda: [deed() for deed in deeds]

    def _sendMessageDraft(self, call: Call) -> Deed:
        text = rules.draft_text(call.params)
        chat_id = self._chat(call)
        if not call.params.get("draft_id"):
            raise bad("RANDOM_ID_INVALID")
        if chat_id < 0:
            raise bad("TEXTDRAFT_PEER_INVALID")
        draft = {"draft_id": call.params["draft_id"], "text": text}
        return lambda: self.bot.drafts.__setitem__(chat_id, draft) or True

    def _sending(self, call: Call, content: Callable[[], Json]) -> Deed:
        markup = rules.reply_markup(call.params.get("reply_markup"))
        chat_id = self._chat(call)
        around = self._reply(call, chat_id) | self._thread(call, chat_id)
        if markup:
            around["reply_markup"] = markup
        if call.params.get("protect_content"):
            around["has_protected_content"] = True

        def deed() -> Json:
            # A real message takes the place of a draft that is being shown.
            self.bot.drafts.pop(chat_id, None)
            message = self.new_message(chat_id, self.bot_user, content() | around)
            sent_with = {key: call.params[key] for key in _SENT_WITH if key in call.params}
            self._sent_with[chat_id, message["message_id"]] = sent_with
            return message

        return deed

    def _reply(self, call: Call, chat_id: int) -> Json:
        reply = call.params.get("reply_parameters") or {}
        if reply and "message_id" not in reply:
            raise bad('can\'t find field "message_id"')
        message_id = reply.get("message_id") or call.params.get("reply_to_message_id")
        lenient = reply.get("allow_sending_without_reply") or call.params.get("allow_sending_without_reply")
        answered = self.message(message_id, chat_id) if message_id else None
        if message_id and answered is None and not lenient:
            raise refused("message to be replied not found")
        if reply.get("quote") and answered and reply["quote"] not in answered.get("text", answered.get("caption", "")):
            raise bad("QUOTE_TEXT_INVALID")
        return self.reply_fields(chat_id, message_id, reply.get("quote"))

    def _thread(self, call: Call, chat_id: int) -> Json:
        thread_id = call.params.get("message_thread_id")
        if not thread_id:
            return {}
        if (chat_id, thread_id) not in self.threads:
            raise refused("message thread not found")
        return {"message_thread_id": thread_id, "is_topic_message": True}

    # --- files ---

    def _file(self, call: Call, value: Any, name: str, kind: str) -> Upload | StoredFile:
        attached = value.removeprefix("attach://") if isinstance(value, str) else name
        upload = call.files.get(attached) or call.files.get(name)
        if upload:
            rules.upload(upload.data, kind)
            return upload
        if not value or attached != value:
            raise bad(f"there is no {kind} in the request")
        if value.startswith(("http://", "https://")):
            raise refused("failed to get HTTP URL content")
        if value not in self.files:
            raise bad("wrong file identifier/HTTP URL specified")
        return self.files[value]

    def _file_fields(self, found: Upload | StoredFile, kind: str, params: Json) -> Json:
        name = found.file_name if isinstance(found, Upload) else found.path.rpartition("/")[2]
        stored = self.add_file(found.data, name=name) if isinstance(found, Upload) else found
        if kind == "photo":
            return {"photo": [{**stored.fields, "width": 800, "height": 600}]}
        mime_type = found.content_type if isinstance(found, Upload) else "application/octet-stream"
        if kind == "document":
            return {"document": {**stored.fields, "file_name": name, "mime_type": mime_type}}
        return {kind: {**stored.fields, "duration": params.get("duration", 0), "mime_type": mime_type}}

    def _getFile(self, call: Call) -> Deed:
        file_id = call.params.get("file_id")
        if not file_id:
            raise bad("file_id not specified")
        stored = self.files.get(file_id)
        if stored is None:
            raise bad("invalid file_id")
        if stored.size_bytes > rules.DOWNLOAD_LIMIT_BYTES:
            raise bad("file is too big")
        return lambda: stored.fields | {"file_path": stored.path}

    # --- changing ---

    def _editMessageText(self, call: Call) -> Deed:
        text, entities = rules.message_text(call.params)
        content: Json = {"text": text} | ({"entities": entities} if entities else {})
        return self._editing(call, content, replaced=("text", "entities"), needs="text")

    def _editMessageCaption(self, call: Call) -> Deed:
        return self._editing(call, rules.caption(call.params), replaced=("caption", "caption_entities"))

    def _editMessageReplyMarkup(self, call: Call) -> Deed:
        return self._editing(call, {}, replaced=())

    def _editing(self, call: Call, content: Json, *, replaced: tuple[str, ...], needs: str | None = None) -> Deed:
        markup = rules.reply_markup(call.params.get("reply_markup"))
        message = self._own_message(call, "edit")
        if needs and needs not in message:
            raise refused(f"there is no {needs} in the message to edit")
        kept = {key: value for key, value in message.items() if key not in (*replaced, "reply_markup")}
        changed = kept | content | ({"reply_markup": markup} if markup else {})
        if all(changed.get(key) == message.get(key) for key in _CONTENT):
            raise refused(_NOT_MODIFIED)
        return lambda: self.keep(message["chat"]["id"], changed | {"edit_date": self.unix_now()})

    def _own_message(self, call: Call, purpose: str) -> Json:
        chat_id = self._chat(call)
        message_id = call.params.get("message_id")
        if not message_id:
            raise bad("message identifier is not specified")
        message = self.message(message_id, chat_id)
        if message is None:
            raise refused(f"message to {purpose} not found")
        if not message["from"]["is_bot"]:
            raise refused(f"message can't be {purpose}ed")
        return message

    def _deleteMessage(self, call: Call) -> Deed:
        chat_id = self._chat(call)
        message_id = call.params.get("message_id")
        message = self.message(message_id, chat_id) if message_id else None
        if message is None:
            raise refused("message to delete not found")
        if self.unix_now() - message["date"] > _DELETABLE_FOR.total_seconds():
            raise refused("message can't be deleted for everyone")
        return lambda: self.remove(chat_id, message["message_id"]) or True

    def _setMessageReaction(self, call: Call) -> Deed:
        chosen = rules.reactions(call.params.get("reaction"))
        chat_id = self._chat(call)
        message_id = call.params.get("message_id")
        if not message_id or self.message(message_id, chat_id) is None:
            raise refused("message to react not found")
        return lambda: self.bot.reactions.__setitem__((chat_id, message_id), chosen) or True

    def _answerCallbackQuery(self, call: Call) -> Deed:
        if len(call.params.get("text", "")) > rules.CALLBACK_ANSWER_LIMIT:
            raise bad("MESSAGE_TOO_LONG")
        if not self.query_is_open(call.params.get("callback_query_id", "")):
            raise refused("query is too old and response timeout expired or query ID is invalid")
        return lambda: self.bot.answers.append(call.params) or True


def _commands_key(call: Call) -> str:
    scope = call.params.get("scope") or {"type": "default"}
    return json.dumps([scope, call.params.get("language_code", "")], sort_keys=True)


# Every method the server knows, by its name in lower case: method names are case-insensitive.
METHODS = {
    name.removeprefix("_").lower(): name.removeprefix("_")
    for name, member in vars(BotMethods).items()
    if callable(member) and name.startswith(("_get", "_set", "_delete", "_edit", "_answer", "_send"))
    if name[1:].isalpha() and not name.islower()
}
