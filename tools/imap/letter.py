"""Finding a mail by its Message-ID in the folder that is open."""

import re

from tools.imap.mailbox import Mailbox

_ID = re.compile(r"[!-~]{1,900}")


def is_message_id(text: str) -> bool:
    """Whether it can stand in a search: printable ASCII without spaces, brackets or not."""
    return _ID.fullmatch(text) is not None


def find(box: Mailbox, message_id: str) -> int | None:
    """The uid of the newest mail with exactly this id, angle brackets aside; None when there is none."""
    bare = message_id.strip("<>")
    for uid in reversed(box.with_header("Message-ID", bare)):
        # A search finds whatever holds the words.
        if bare_id(box.header(uid, "MESSAGE-ID")) == bare:
            return uid
    return None


def bare_id(header: bytes) -> str:
    """The id in a header field, without brackets."""
    _, _, value = header.decode("ascii", "replace").partition(":")
    return "".join(value.split()).strip("<>")
