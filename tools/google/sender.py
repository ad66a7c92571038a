"""The way out by Gmail: a draft first, then that draft is sent. A draft can be sent once, so its absence is a witness.

prepare: drafts.create ─► its id is committed ─► hand over: drafts.send ─┬─ answer ─► Handed
                                                                        └─ lost ─► MaybeHanded
witness: draft still there? ─┬─ yes ─► not sent
                             └─ no ─► found among the sent? ─┬─ yes ─► sent
                                                             └─ no ─► unknown
"""

import json
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from datetime import timedelta
from secrets import token_hex
from typing import Any

from memory.clock import Clock
from memory.dispatch import Seen, Witness
from memory.dispatch import Transport as Way
from memory.errors import BadInput, StillbellError
from tools.google.answers import Draft, Mail, MailPage, Nothing, SendAs
from tools.google.failures import NotThere
from tools.google.handing import handing
from tools.google.letter import answered, letter_of, likeness
from tools.google.mailbox import raw_of
from tools.google.session import Session
from tools.transport import Handed, MaybeHanded, NotHanded, Outgoing

IN_JSON_MOST_BYTES = 3 << 20
"""A larger mail is uploaded instead of being spelled into the request."""

CLOCKS_DIFFER_FOR = timedelta(minutes=10)
"""By so much Google's clock and ours may differ when it is asked whether something was sent after it was drafted."""

LOOKED_THROUGH = 20
"""So many of the mails sent last are compared. They are listed by label, for the search lags behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Handle:
    """What has to be known of a draft afterwards. drafted_at_ms: by our clock."""

    draft: str
    drafted_at_ms: int

    def text(self) -> str:
        return json.dumps({"draft": self.draft, "drafted_at_ms": self.drafted_at_ms})


class GmailSender:
    """Sends from one account with the grant for sending. Nothing here is ever tried twice."""

    name: Way = "gmail"

    def __init__(self, session: Session, clock: Clock) -> None:
        if session.kind != "send":
            raise ValueError("mail is sent with the grant for sending")
        self._session = session
        self._clock = clock
        self._identities: frozenset[str] = frozenset()

    async def prepare(self, outgoing: Outgoing) -> str:
        """Make the draft. Raises NotHanded, and BadInput for a mail whose headers say other than its envelope."""
        letter = letter_of(outgoing)
        with handing(is_safe=True):
            await self._check_identity(outgoing.sender)
            thread = await self._thread(answered(outgoing.content))
            drafted_at_ms = int(self._clock.now().timestamp() * 1000)
            draft = await self.create_draft(letter, thread)
        return _Handle(draft=draft.id, drafted_at_ms=drafted_at_ms).text()

    async def hand_over(self, outgoing: Outgoing, handle: str) -> Handed:
        """Send the draft. Raises NotHanded; MaybeHanded also when the draft is gone, for then somebody may have sent it."""
        with handing():
            try:
                sent = await self.send_draft(_handle(handle).draft)
            except NotThere as error:
                raise MaybeHanded("the draft is not there any more; it may have been sent already") from error
        return Handed(receipt=sent.id)

    async def look(self, outgoing: Outgoing, handle: str) -> Witness:
        """Look for the draft, then among what was sent."""
        try:
            held = _handle(handle)
            draft: Seen = "yes" if await self.draft_exists(held.draft) else "no"
        except StillbellError:
            return Witness()
        try:
            found = await self.find_sent(outgoing, held.drafted_at_ms)
        except StillbellError:
            return Witness(draft=draft)
        return Witness(draft=draft, sent="yes" if found else "no", witness=found or "")

    # The single steps, which may raise SourceDown, SlowDown, SignInRefused

    async def create_draft(self, letter: bytes, thread: str = "") -> Draft:
        """Keep `letter` as a draft, in a thread of Gmail's or in none."""
        message = {"threadId": thread} if thread else {}
        if len(letter) > IN_JSON_MOST_BYTES:
            return await self._session.gmail(lambda gmail: _uploaded(gmail, letter, message), Draft)
        body = {"message": message | {"raw": urlsafe_b64encode(letter).decode()}}
        return await self._session.gmail(lambda gmail: gmail.users().drafts().create(userId="me", body=body), Draft)

    async def send_draft(self, draft: str) -> Mail:
        """Send it; returns the mail that it became."""
        return await self._session.gmail(
            lambda gmail: gmail.users().drafts().send(userId="me", body={"id": draft}), Mail
        )

    async def draft_exists(self, draft: str) -> bool:
        """Whether it is still a draft."""
        try:
            await self._session.gmail(
                lambda gmail: gmail.users().drafts().get(userId="me", id=draft, format="minimal"), Draft
            )
        except NotThere:
            return False
        return True

    async def delete_draft(self, draft: str) -> None:
        """Delete it; one that is gone already is no trouble."""
        try:
            await self._session.gmail(lambda gmail: gmail.users().drafts().delete(userId="me", id=draft), Nothing)
        except NotThere:
            return

    async def find_sent(self, outgoing: Outgoing, drafted_at_ms: int) -> str | None:
        """The id of the sent mail that `outgoing` became; None when none of the last ones is it.

        Gmail may give a mail another Message-ID, so subject, recipients and content decide, of what was sent since then.
        """
        listed = await self._session.gmail(
            lambda gmail: gmail.users().messages().list(userId="me", labelIds=["SENT"], maxResults=LOOKED_THROUGH),
            MailPage,
        )
        earliest_ms = drafted_at_ms - int(CLOCKS_DIFFER_FOR.total_seconds() * 1000)
        wanted = likeness(outgoing.content)
        for each in listed.messages:
            mail = await self._read(each.id)
            if mail is not None and mail.internal_date >= earliest_ms and likeness(raw_of(mail)) == wanted:
                return mail.id
        return None

    async def close(self) -> None:
        """Let go of the connections. May be called twice."""
        await self._session.close()

    async def _read(self, each: str) -> Mail | None:
        try:
            return await self._session.gmail(
                lambda gmail: gmail.users().messages().get(userId="me", id=each, format="raw"), Mail
            )
        except NotThere:
            return None

    async def _thread(self, answers: str) -> str:
        """The thread of Gmail's in which the answered mail lies; "" when there is none."""
        if not answers:
            return ""
        found = await self._session.gmail(
            lambda gmail: gmail.users().messages().list(userId="me", q=f"rfc822msgid:{answers}", maxResults=1), MailPage
        )
        return found.messages[0].thread_id if found.messages else ""

    async def _check_identity(self, sender: str) -> None:
        """Gmail silently sends from its own address what comes from one that it doesn't know; so it is asked first."""
        if sender.casefold() not in self._identities:
            known = await self._session.gmail(lambda gmail: gmail.users().settings().sendAs().list(userId="me"), SendAs)
            self._identities = frozenset(each.send_as_email.casefold() for each in known.send_as if each.is_usable)
        if sender.casefold() not in self._identities:
            said = f"Gmail does not send from {sender}: add it there under Accounts, Send mail as"
            raise NotHanded(said, trouble="refused", for_good=True)


def _uploaded(gmail: Any, letter: bytes, message: dict[str, str]) -> Any:
    """The request that uploads `letter` with what is said of it. Google's client puts the two together as text, which
    spoils a mail that is not all ASCII; so that is done here."""
    request = gmail.users().drafts().create(userId="me", body={})
    request.uri = request.uri.replace("/gmail/v1/", "/upload/gmail/v1/", 1) + "&uploadType=multipart"
    boundary = token_hex(24)
    told = (
        f"--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{json.dumps({'message': message})}\r\n"
    )
    head = f"--{boundary}\r\nContent-Type: message/rfc822\r\n\r\n"
    request.body = told.encode() + head.encode() + letter + f"\r\n--{boundary}--\r\n".encode()
    request.headers["content-type"] = f"multipart/related; boundary={boundary}"
    return request


def _handle(text: str) -> _Handle:
    try:
        held = json.loads(text)
        return _Handle(draft=str(held["draft"]), drafted_at_ms=int(held["drafted_at_ms"]))
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput("that is not the handle of a draft") from error
