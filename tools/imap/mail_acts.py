"""Small acts on mail in an IMAP account (tools/mail_acts): folders and flags. A label there is a folder of that name."""

from tools.imap.acts import Act, ImapActs, MarkRead, Move
from tools.mail_acts import MailAct


class ImapMailActs:
    """Acts over a connection of its own."""

    def __init__(self, acts: ImapActs) -> None:
        self._acts = acts

    async def do(self, act: MailAct) -> MailAct:
        """As the port says."""
        if act.what == "archive":
            return _told(await self._acts.archive(act.uid, message_id=act.message_id))
        if act.what in ("read", "unread"):
            done: Act = MarkRead(uid=act.uid, message_id=act.message_id, is_read=act.what == "read")
        else:
            done = Move(uid=act.uid, message_id=act.message_id, folder=act.name)
        return _told(await self._acts.do(done))

    async def close(self) -> None:
        """As the port says."""
        await self._acts.close()


def _told(back: Act) -> MailAct:
    if isinstance(back, MarkRead):
        return MailAct(what="read" if back.is_read else "unread", uid=back.uid, message_id=back.message_id)
    return MailAct(what="move", uid=back.uid, message_id=back.message_id, name=back.folder)
