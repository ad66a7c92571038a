"""A mail's name in its account: "imap:INBOX:1700000000:42", folder, UIDVALIDITY and uid."""

import re
from dataclasses import dataclass

from memory.errors import NotFound

_UID = re.compile(r"imap:(?P<folder>.+):(?P<validity>\d{1,10}):(?P<uid>\d{1,10})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class MailUid:
    """See above."""

    folder: str
    validity: int
    uid: int

    def __str__(self) -> str:
        return f"imap:{self.folder}:{self.validity}:{self.uid}"


def read_mail_uid(text: str) -> MailUid:
    """Raises NotFound for a name that is none of IMAP's."""
    if (match := _UID.fullmatch(text)) is None:
        raise NotFound(f"no mail of an IMAP account goes by {text!r}")
    return MailUid(match["folder"], int(match["validity"]), int(match["uid"]))
