"""Small acts on a mailbox: to archive, to mark as read, to label, and each of them back. They reach nobody."""

from tools.google.answers import Label, Labels, Nothing
from tools.google.mailbox import UID
from tools.google.session import Session


class MailActs:
    """Acts on mails by their uid, with the grant for sending, which is also the one for changing anything.

    Doing one twice is the same as once. Each may raise SourceDown (NotThere for a mail that is gone), SlowDown,
    SignInRefused.
    """

    def __init__(self, session: Session) -> None:
        if session.kind != "send":
            raise ValueError("mailboxes are changed with the grant for sending")
        self._session = session

    async def archive(self, uid: str) -> None:
        """Take it out of the inbox."""
        await self._relabel(uid, take=["INBOX"])

    async def unarchive(self, uid: str) -> None:
        """Put it back into the inbox."""
        await self._relabel(uid, add=["INBOX"])

    async def mark_read(self, uid: str) -> None:
        """Mark it as read."""
        await self._relabel(uid, take=["UNREAD"])

    async def mark_unread(self, uid: str) -> None:
        """Mark it as not read."""
        await self._relabel(uid, add=["UNREAD"])

    async def label(self, uid: str, name: str) -> None:
        """Give it the label of that name, which is made when there is none."""
        await self._relabel(uid, add=[await self._id_of(name) or await self._made(name)])

    async def unlabel(self, uid: str, name: str) -> None:
        """Take the label of that name from it."""
        label = await self._id_of(name)
        if label is not None:
            await self._relabel(uid, take=[label])

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        await self._session.close()

    async def _relabel(self, uid: str, *, add: list[str] | None = None, take: list[str] | None = None) -> None:
        body = {"addLabelIds": add or [], "removeLabelIds": take or []}
        each = uid.removeprefix(UID)
        await self._session.gmail(
            lambda gmail: gmail.users().messages().modify(userId="me", id=each, body=body), Nothing
        )

    async def _id_of(self, name: str) -> str | None:
        held = await self._session.gmail(lambda gmail: gmail.users().labels().list(userId="me"), Labels)
        return next((label.id for label in held.labels if label.name.casefold() == name.casefold()), None)

    async def _made(self, name: str) -> str:
        body = {"name": name}
        made = await self._session.gmail(lambda gmail: gmail.users().labels().create(userId="me", body=body), Label)
        return made.id
