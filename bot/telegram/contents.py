"""Contents: what a message can hold beside plain text."""

from collections.abc import Mapping
from typing import Any

# The order settles what a message is that bears several: an animation has a document too, a venue a location.
MEDIA = (
    "animation",
    "sticker",
    "live_photo",
    "photo",
    "voice",
    "video_note",
    "video",
    "audio",
    "document",
    "story",
    "venue",
    "location",
    "contact",
    "poll",
    "checklist",
    "dice",
    "game",
    "paid_media",
    "gift",
    "rich_message",
    "web_app_data",
    "users_shared",
    "chat_shared",
)

DETAILS: Mapping[str, tuple[str, ...]] = {
    "voice": ("duration",),
    "audio": ("duration", "performer", "title"),
    "location": ("latitude", "longitude"),
    "venue": ("location", "title", "address"),
    "contact": ("phone_number", "first_name", "last_name", "user_id", "vcard"),
    "sticker": ("emoji",),
    "dice": ("emoji", "value"),
    "poll": ("question", "options"),
}
"""What is kept of the kinds that are more than a file, in the Bot API's own names."""

# What Telegram writes into a chat by itself, or as a trace of something done to the chat: nobody waits for an answer.
_SERVICE = (
    "pinned_message",
    "message_auto_delete_timer_changed",
    "chat_background_set",
    "new_chat_title",
    "new_chat_photo",
    "delete_chat_photo",
    "forum_topic_created",
    "forum_topic_edited",
    "forum_topic_closed",
    "forum_topic_reopened",
    "general_forum_topic_hidden",
    "general_forum_topic_unhidden",
    "write_access_allowed",
    "connected_website",
    "new_chat_members",
    "left_chat_member",
    "boost_added",
    "proximity_alert_triggered",
    "refunded_payment",
    "chat_owner_left",
    "chat_owner_changed",
    "group_chat_created",
    "migrate_to_chat_id",
    "migrate_from_chat_id",
)


def is_service(message: Mapping[str, Any]) -> bool:
    """Whether nobody said this: Telegram's own notes about the chat."""
    return any(note in message for note in _SERVICE)


def media(message: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a message without text holds: kind, file_id, file_name, size_bytes, media_type, caption, details.

    All but the kind as far as known; `details` are those of DETAILS. The kind is "unknown" for what Telegram has added
    since.
    """
    if "text" in message:
        return None
    kind = next((kind for kind in MEDIA if kind in message), "unknown")
    content = message.get(kind)
    # A photo comes in several sizes, the largest last.
    file = content[-1] if isinstance(content, list) and content else content
    file = file if isinstance(file, Mapping) else {}
    return {
        "kind": kind,
        "file_id": file.get("file_id"),
        "file_name": file.get("file_name"),
        "size_bytes": file.get("file_size"),
        "media_type": file.get("mime_type"),
        "caption": message.get("caption"),
        "details": {name: file[name] for name in DETAILS.get(kind, ()) if name in file},
    }
