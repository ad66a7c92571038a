"""Small acts on mail in a Google account (tools/mail_acts): labels, since everything there is one."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from memory.errors import BadInput
from tools.google.acts import MailActs
from tools.mail_acts import MailAct, What

BACK: Mapping[What, What] = {
    "archive": "unarchive",
    "unarchive": "archive",
    "read": "unread",
    "unread": "read",
    "label": "unlabel",
    "unlabel": "label",
}


class GoogleMailActs:
    """Acts with the grant for sending, which is also the one for changing anything."""

    def __init__(self, acts: MailActs) -> None:
        self._acts = acts

    async def do(self, act: MailAct) -> MailAct:
        """As the port says."""
        if act.what not in BACK:
            raise BadInput("Gmail has labels, and no folders to move a mail to")
        if act.what in ("label", "unlabel"):
            label = self._acts.label if act.what == "label" else self._acts.unlabel
            await label(act.uid, act.name)
        else:
            simple: Mapping[What, Callable[[str], Awaitable[None]]] = {
                "archive": self._acts.archive,
                "unarchive": self._acts.unarchive,
                "read": self._acts.mark_read,
                "unread": self._acts.mark_unread,
            }
            await simple[act.what](act.uid)
        return replace(act, what=BACK[act.what])

    async def close(self) -> None:
        """As the port says."""
        await self._acts.close()
