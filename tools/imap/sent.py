"""A copy in Sent: put there where a server files nothing by itself, and where none lies yet."""

from datetime import datetime

from tools.imap.access import Access
from tools.imap.connection import Connection
from tools.imap.folder import of_use
from tools.imap.letter import find, is_message_id
from tools.imap.mailbox import Mailbox


class SentFolder:
    """Looks, and puts one mail there. It can change and remove nothing."""

    def __init__(self, access: Access) -> None:
        self._connection = Connection(access)

    async def file(self, message_id: str, content: bytes, *, at: datetime) -> bool:
        """Put these very bytes into Sent as read, received at `at`; False when the mail lies there, or there is no Sent.

        Raises SourceDown, SlowDown, SignInRefused, FolderRefused.
        """
        if not is_message_id(message_id):
            return False
        await self._connection.refresh()
        return await self._connection.run(lambda box: _filed(box, message_id, content, at))

    async def close(self) -> None:
        """Let go of connection and thread. May be called twice."""
        await self._connection.close()


def _filed(box: Mailbox, message_id: str, content: bytes, at: datetime) -> bool:
    folders = of_use(box.folders(), "sent")
    for folder in folders:
        box.look_into(folder)
        if find(box, message_id) is not None:
            return False
    if folders:
        box.append(folders[0], content, at=at)
    return bool(folders)
