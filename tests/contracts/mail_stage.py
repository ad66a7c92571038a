"""What a stage of the mail contract is: one account of a kind, and the hands of everybody who is not the source.

To play another source, write a module with a `STAGES` of its own (name -> opens it for one test) and add it to the
suite's STAGES. Mails are told apart by Message-ID, which the letters below all have.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from email.message import EmailMessage
from typing import Protocol

import pytest

from tests.doubles.clock import NOW
from tools.mail import MailSource

IDENTITY = "anna@example.org"

SINCE = NOW - timedelta(days=30)
"""From when on the suite reads. Letters come at NOW or before."""


class Stage(Protocol):
    """An account that is empty at first, and a source that reads it.

    inbox, sent, elsewhere: what its folders are called; `elsewhere` is one of the owner's own making, and is there.
    secret: the password or token that signs in; the suite looks for it where it may not stand.
    """

    inbox: str
    sent: str
    elsewhere: str
    secret: str

    def source(self) -> MailSource:
        """The source as it is right after a start of Stillbell; what it paused for in `wait` goes by at once."""
        ...

    async def deliver(self, *raws: bytes, at: datetime = NOW) -> None:
        """Mails come into the inbox, unread, taken in by the server at `at`."""
        ...

    async def send(self, raw: bytes, *, at: datetime = NOW) -> None:
        """The owner sends a mail with their own mail program, which files it."""
        ...

    async def mark_read(self, message_id: str, *, is_read: bool = True) -> None:
        """The owner reads a mail of the inbox, or makes it unread."""
        ...

    async def delete(self, message_id: str) -> None:
        """The owner deletes a mail of the inbox, for good."""
        ...

    async def move(self, message_id: str) -> None:
        """The owner moves a mail from the inbox to `elsewhere`."""
        ...

    async def lose_cursor(self) -> None:
        """What the source's cursors stand for is no longer known to the server: numbered anew, or expired."""
        ...

    async def break_off(self) -> None:
        """The server is gone from now on, in the middle of whatever is said."""
        ...

    async def mend(self) -> None:
        """It is back."""
        ...

    async def refuse(self) -> None:
        """The sign-in is refused from now on, and whoever is signed in is thrown out."""
        ...

    async def standing(self) -> object:
        """All mails of the account as the server holds them, with marks; equal values mean that nothing was changed."""
        ...

    async def all_hung_up(self) -> None:
        """Return when no connection to the server is open; the suite bounds it."""
        ...


Opening = Callable[[pytest.FixtureRequest], AbstractAsyncContextManager[Stage]]


def letter(name: str, *, sender: str = "bob@example.net", to: str = IDENTITY, text: str = "Hello Anna.") -> bytes:
    """A whole mail with the Message-ID <name@example.net>."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, to, f"About {name}"
    mail["Message-ID"] = message_id(name)
    mail["Date"] = NOW
    mail.set_content(text)
    return mail.as_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def message_id(name: str) -> str:
    return f"<{name}@example.net>"
