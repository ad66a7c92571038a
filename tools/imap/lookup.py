"""Looking for a mail of ours in Sent: how a send whose end is unknown is settled, without ever sending again."""

from tools.imap.access import Access
from tools.imap.connection import Connection
from tools.imap.folder import of_use
from tools.imap.letter import find, is_message_id
from tools.imap.mailbox import Mailbox


class SentLookup:
    """Looks, and does nothing else.

    files_sent: it is known that this server puts what it sends into Sent by itself. Only then does a mail's absence say
    anything; and even so it may take some servers a minute until it is there.
    """

    def __init__(self, access: Access, *, files_sent: bool) -> None:
        self._connection = Connection(access)
        self._files_sent = files_sent

    async def find_sent(self, message_id: str) -> bool | None:
        """Whether a mail with this Message-ID lies in Sent; None when looking can't tell.

        Raises SourceDown, SlowDown, SignInRefused when one can't look just now.
        """
        if not is_message_id(message_id):
            return None
        await self._connection.refresh()
        return await self._connection.run(lambda box: self._look(box, message_id))

    async def close(self) -> None:
        """Let go of connection and thread. May be called twice."""
        await self._connection.close()

    def _look(self, box: Mailbox, message_id: str) -> bool | None:
        folders = of_use(box.folders(), "sent")
        for folder in folders:
            box.look_into(folder)
            if find(box, message_id) is not None:
                return True
        return False if folders and self._files_sent else None
