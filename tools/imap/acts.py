"""Small acts on the owner's own mail: archive, move, mark as read, each with what takes it back.

They have a connection of their own, and are handed to nobody who only reads: no source can reach them. None of them
sends, and none removes anything for good.
"""

from dataclasses import dataclass, replace

from memory.errors import BadInput, NotFound
from tools.imap.access import Access
from tools.imap.connection import Connection
from tools.imap.folder import Folder, of_use
from tools.imap.letter import bare_id, find, is_message_id
from tools.imap.mailbox import Mailbox
from tools.imap.uid import MailUid, read_mail_uid


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkRead:
    """Mark a mail as read, or as unread. uid: its name in the account. message_id: finds it where the folder was numbered anew."""

    uid: str
    message_id: str | None = None
    is_read: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """Move a mail to the folder of that name."""

    uid: str
    message_id: str | None = None
    folder: str


Act = MarkRead | Move


class ImapActs:
    """Does acts, and says what undoes them."""

    def __init__(self, access: Access) -> None:
        self._connection = Connection(access)

    async def do(self, act: Act) -> Act:
        """Do it; the act that takes it back, which names the mail as it is now.

        Doing what is so already changes nothing. Raises NotFound when the mail is not there any more, BadInput for a
        folder that isn't there, and SourceDown, SlowDown, SignInRefused.
        """
        await self._connection.refresh()
        return await self._connection.run(lambda box: _done(box, act))

    async def archive(self, uid: str, *, message_id: str | None = None) -> Act:
        """Move a mail to the archive; what takes it back. Raises BadInput when the account has none, and as `do` does."""
        await self._connection.refresh()
        folder = await self._connection.run(_archive)
        return await self.do(Move(uid=uid, message_id=message_id, folder=folder.name))

    async def close(self) -> None:
        """Let go of connection and thread. May be called twice."""
        await self._connection.close()


def _archive(box: Mailbox) -> Folder:
    folders = box.folders()
    for folder in (*of_use(folders, "archive"), *of_use(folders, "all")):
        return folder
    raise BadInput("this account has no folder for archived mail; make one called Archive")


def _done(box: Mailbox, act: Act) -> Act:
    folders = {folder.name: folder for folder in box.folders()}
    found = _opened_at(box, act, folders)
    if isinstance(act, MarkRead):
        return _marked(box, act, found)
    if (target := folders.get(act.folder)) is None:
        raise BadInput(f"there is no folder called {act.folder}")
    return _moved(box, act, found, target)


def _opened_at(box: Mailbox, act: Act, folders: dict[str, Folder]) -> MailUid:
    """Where the mail is now, with its folder open."""
    named = read_mail_uid(act.uid)
    if (folder := folders.get(named.folder)) is None:
        raise NotFound(f"the folder {named.folder} is not there any more")
    validity = box.open_for_acts(folder)
    if validity == named.validity and box.heads([named.uid]):
        return named
    if act.message_id and is_message_id(act.message_id) and (uid := find(box, act.message_id)) is not None:
        return replace(named, validity=validity, uid=uid)
    raise NotFound(f"the mail is not in {named.folder} any more")


def _marked(box: Mailbox, act: MarkRead, found: MailUid) -> MarkRead:
    was_read = any(head.is_read for head in box.heads([found.uid]))
    box.store(found.uid, r"\Seen", is_set=act.is_read)
    return replace(act, uid=str(found), is_read=was_read)


def _moved(box: Mailbox, act: Move, found: MailUid, target: Folder) -> Move:
    back = Move(uid=str(found), message_id=act.message_id, folder=found.folder)
    if target.name == found.folder:
        return back
    message_id = bare_id(box.header(found.uid, "MESSAGE-ID")) or None
    uid = box.move(found.uid, target)
    validity = box.open_for_acts(target)
    if uid is None and message_id and is_message_id(message_id):
        uid = find(box, message_id)
    # Without a number there the mail can still be found by its id.
    return replace(back, uid=str(MailUid(target.name, validity, uid or 0)), message_id=act.message_id or message_id)
