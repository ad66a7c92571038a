"""A mailbox that one has signed in to, in IMAP's own verbs. Every method blocks: it belongs to the connection's thread.

Raises the foreign errors of tools/imap/failures, FolderRefused for a folder that can't be read, and NotFound.
"""

import imaplib
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime

import structlog
from imap_tools import AND
from imap_tools.errors import (
    MailboxAppendError,
    MailboxFetchError,
    MailboxFlagError,
    MailboxFolderSelectError,
    MailboxFolderStatusError,
    MailboxMoveError,
)
from imap_tools.mailbox import BaseMailBox
from imap_tools.utils import check_command_status

from tools.imap.access import Access
from tools.imap.answer import Fetched, Stamp, read_fetched, read_stamp
from tools.imap.failures import FOREIGN, FolderRefused, failure_of, gives_away, how_to_renew, is_no, said_by
from tools.imap.folder import Folder, listed
from tools.imap.line import Line, Reins
from tools.imap.uids import spelled
from tools.source import SignInRefused

UNSPEAKABLE = frozenset("\r\n\0")
"""Characters that can't stand in a command."""

LARGE_BYTES = 25 * 1024 * 1024
"""What mail servers pass on to each other at most, by and large. Of a larger mail only the beginning is read."""

BEGINNING_BYTES = 1024 * 1024
"""Header and text come first; what follows are attachments, which nobody opens."""

log = structlog.get_logger(__name__)


class _Box(BaseMailBox):
    """imap-tools over a line with limits."""

    def __init__(self, line: Line) -> None:
        self._line = line
        super().__init__()

    def _get_mailbox_client(self) -> imaplib.IMAP4:
        return self._line


class Mailbox:
    """See above. Made by `sign_in`."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._box = _Box(line)
        self._opened = b""
        self._validity = 0

    @property
    def capabilities(self) -> frozenset[str]:
        return frozenset(self._line.capabilities)

    def authenticate(self, user: str, secret: str) -> None:
        """Say who we are. Raises foreign errors, a refusal among them."""
        if "AUTH=PLAIN" in self.capabilities:
            self._box.login_utf8(user, secret, None)
        elif "LOGINDISABLED" in self.capabilities:
            raise imaplib.IMAP4.error("[PRIVACYREQUIRED] it takes no password on a line that isn't encrypted")
        elif not (user + secret).isascii():
            raise imaplib.IMAP4.error("it takes no password with letters beyond ASCII")
        else:
            self._box.login(user, secret, None)
        self._line.refresh_capabilities()

    def hang_up(self) -> None:
        """Close the line. Never raises."""
        self._line.hang_up()

    def ping(self) -> None:
        """Hear whether the server is still there."""
        self._line.noop()

    def folders(self) -> tuple[Folder, ...]:
        """Every folder that can be opened."""
        pattern = '"*"'
        if {"SPECIAL-USE", "LIST-EXTENDED"} <= self.capabilities:
            pattern += " RETURN (SPECIAL-USE)"  # some servers say what a folder is for only when they are asked
        typ, data = self._line.list('""', pattern)
        if typ != "OK":
            raise imaplib.IMAP4.error(f"the folders can't be listed: {typ} {data}")
        return listed(data)

    def stamp(self, folder: Folder) -> Stamp:
        """How a folder stands, without opening it."""
        counts = "UIDVALIDITY UIDNEXT MESSAGES UNSEEN"
        if {"CONDSTORE", "QRESYNC"} & self.capabilities:
            counts += " HIGHESTMODSEQ"
        answer = self._line.status(folder.wire, f"({counts})")  # type: ignore[arg-type]
        with _of(folder):
            check_command_status(answer, MailboxFolderStatusError)
        if (stamp := read_stamp(answer[1])) is None:
            raise FolderRefused(f"the server doesn't say how {folder.name} stands")
        return stamp

    def within(self, folder: Folder, validity: int, *, afresh: bool) -> None:
        """Have `folder` open, numbered as it was; FolderRefused when it was numbered anew meanwhile."""
        if afresh or self._opened != folder.wire:
            self.look_into(folder)
        if (told := self._validity) and told != validity:
            raise FolderRefused(f"{folder.name} has just been numbered anew")

    def look_into(self, folder: Folder) -> tuple[int, int]:
        """Open a folder for reading alone; its number of mails and its next uid (0: not told)."""
        self._open(folder, for_reading=True)
        return self._told("EXISTS"), self._told("UIDNEXT")

    def open_for_acts(self, folder: Folder) -> int:
        """Open a folder so that its mails can be changed; its UIDVALIDITY."""
        self._open(folder, for_reading=False)
        return self._validity

    def since(self, day: date) -> list[int]:
        """The uids of the open folder that were received on `day` or later, by the server's own calendar."""
        return self._search(AND(date_gte=day, deleted=False))

    def after(self, uid: int) -> list[int]:
        """The uids of the open folder above `uid`, ascending."""
        found = self._search(AND(uid=f"{uid + 1}:*", deleted=False))
        return [one for one in found if one > uid]  # "*" is the last mail even where its uid is smaller

    def among(self, uids: frozenset[int], *, unread: bool = False) -> frozenset[int]:
        """Those of `uids` that are still in the open folder; with `unread` those that nobody has read."""
        if not uids:
            return frozenset()
        span = f"{min(uids)}:{max(uids)}"
        found = self._search(AND(uid=span, deleted=False, seen=False if unread else None))
        return uids & frozenset(found)

    def with_header(self, name: str, value: str) -> list[int]:
        """The uids of the open folder whose header `name` holds `value`."""
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        return self._search(f'(HEADER {name} "{quoted}" UNDELETED)')

    def heads(self, uids: Iterable[int]) -> list[Fetched]:
        """How mails of the open folder stand, ascending by uid; those that are gone are left out."""
        found = self._fetch(list(uids), "(UID FLAGS INTERNALDATE RFC822.SIZE)")
        return [found[uid] for uid in sorted(found)]

    def header(self, uid: int, name: str) -> bytes:
        """One field of a mail of the open folder, as it stands; empty when it has none."""
        typ, data = self._line.uid("FETCH", str(uid), f"(UID BODY.PEEK[HEADER.FIELDS ({name})])")
        check_command_status((typ, data), MailboxFetchError)
        return b"".join(item[1] for item in data if isinstance(item, tuple) and isinstance(item[1], bytes))

    def mails(self, heads: Sequence[Fetched]) -> list[Fetched]:
        """Mails of the open folder with their bytes. What is gone, or what the server can't hand out, is left out."""
        uids = [head.uid for head in heads if head.size_bytes <= LARGE_BYTES]
        found = self._whole(uids)
        for head in heads:
            if head.size_bytes > LARGE_BYTES:
                found |= self._fetch([head.uid], f"(UID FLAGS INTERNALDATE BODY.PEEK[]<0.{BEGINNING_BYTES}>)")
        return [found[head.uid] for head in heads if head.uid in found and found[head.uid].raw is not None]

    def idle(self, seconds: float) -> bool:
        """Listen on the open folder; whether anything has changed."""
        return self._line.idle(seconds)

    def store(self, uid: int, flag: str, *, is_set: bool) -> None:
        """Set or take a flag of a mail in a folder that is open for acts."""
        # imap-tools would expunge after it, and with it what another program has only marked.
        answer = self._line.uid("STORE", str(uid), "+FLAGS.SILENT" if is_set else "-FLAGS.SILENT", f"({flag})")
        check_command_status(answer, MailboxFlagError)

    def move(self, uid: int, folder: Folder) -> int | None:
        """Move a mail; its uid there, where the server tells."""
        self._line.untagged_responses.pop("COPYUID", None)
        verb = "MOVE" if "MOVE" in self.capabilities else "COPY"
        answer = self._line.uid(verb, str(uid), folder.wire)  # type: ignore[arg-type]
        with _of(folder):
            check_command_status(answer, MailboxMoveError)
        if verb == "COPY":
            self.store(uid, r"\Deleted", is_set=True)
            if "UIDPLUS" in self.capabilities:  # without it, EXPUNGE would take more than this one mail
                check_command_status(self._line._simple_command("UID", "EXPUNGE", str(uid)), MailboxMoveError)
        _, data = self._line.response("COPYUID")
        told = re.fullmatch(rb"\d+ \d+ (\d{1,10})", data[-1] or b"") if data else None
        return int(told[1]) if told else None

    def append(self, folder: Folder, content: bytes, *, at: datetime) -> None:
        """Put a mail into a folder, as one that was read and was received at `at`, aware."""
        received = imaplib.Time2Internaldate(at)
        answer = self._line.append(folder.wire, r"(\Seen)", received, content)  # type: ignore[arg-type]
        with _of(folder):
            check_command_status(answer, MailboxAppendError)

    def _open(self, folder: Folder, *, for_reading: bool) -> None:
        self._opened = b""
        with _of(folder):
            self._box.folder.set(folder.wire, readonly=for_reading)
        self._opened = folder.wire
        self._validity = self._told("UIDVALIDITY")

    def _told(self, code: str) -> int:
        """A number that came with the opening of a folder; 0 when it didn't."""
        data = self._line.untagged_responses.get(code) or [b""]
        return int(data[-1]) if isinstance(data[-1], bytes) and re.fullmatch(rb"\d{1,10}", data[-1]) else 0

    def _search(self, criteria: object) -> list[int]:
        # Some servers refuse a charset, so none is named.
        found = self._box.uids(str(criteria), charset=None)
        return sorted({int(uid) for uid in found if re.fullmatch(r"[0-9]{1,10}", uid)})

    def _fetch(self, uids: Sequence[int], parts: str) -> dict[int, Fetched]:
        if not uids:
            return {}
        typ, data = self._line.uid("FETCH", spelled(uids), parts)
        check_command_status((typ, data), MailboxFetchError)
        wanted = frozenset(uids)
        return {uid: mail for uid, mail in read_fetched(data).items() if uid in wanted}

    def _whole(self, uids: list[int]) -> dict[int, Fetched]:
        try:
            return self._fetch(uids, "(UID FLAGS INTERNALDATE BODY.PEEK[])")
        except MailboxFetchError as error:
            if not is_no(error):
                raise
            if len(uids) == 1:
                log.warning("a mail can't be read", uid=uids[0], said=said_by(error))
                return {}
        # One mail that the server itself can't read must not keep the others away.
        return {uid: mail for one in uids for uid, mail in self._whole([one]).items()}


@contextmanager
def _of(folder: Folder) -> Iterator[None]:
    """A plain no concerns this folder alone."""
    try:
        yield
    except (MailboxAppendError, MailboxFolderSelectError, MailboxFolderStatusError, MailboxMoveError) as error:
        if is_no(error):
            raise FolderRefused(f"{folder.name} can't be opened: {said_by(error)}") from error
        raise


def sign_in(access: Access, reins: Reins) -> Mailbox:
    """A new line, signed in. Raises SignInRefused, SlowDown, SourceDown, and foreign errors where no line came about."""
    secret = access.secret()
    if UNSPEAKABLE & {*secret, *access.user}:
        raise SignInRefused(f"the name or password of {access.place} holds a line end; {how_to_renew(access)}")
    line = Line(access, reins)
    try:
        mailbox = Mailbox(line)
        mailbox.authenticate(access.user, secret)
        return mailbox
    except FOREIGN as error:
        secrets = (secret, b64encode(f"\0{access.user}\0{secret}".encode()).decode())
        failure = failure_of(error, access, signing_in=True, secrets=secrets)
        cause = None if gives_away(error, secrets) else error
    except BaseException:
        line.hang_up()
        raise
    line.hang_up()
    # Out here, for a server may echo the command that it refuses: then nothing that holds the password is chained.
    raise failure from cause
