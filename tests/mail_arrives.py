"""Mail that arrives in the tests of the whole product, and the invitations and lists among it."""

from email.message import EmailMessage
from email.policy import SMTP
from itertools import count

from memory.ledger import Tables
from memory.piece import NewPiece, Piece
from memory.signal import NewSignal
from tests.doubles.clock import NOW
from tests.exit_room import ANNA, OLA, Office, letter
from tools import mail_card
from tools.files.mail import read_mail

_numbers = count(100)


async def arrives(office: Office, raw: bytes, *, uid: str = "", labels: tuple[str, ...] = ()) -> int:
    """The mail comes in by the account *work*, is judged and told; its id. `uid`: its name there. All settles."""
    now = office.clock.now()

    def take(t: Tables) -> int:
        number = next(_numbers)
        kept = t.mails.keep(
            1,
            read_mail(raw, now=NOW),
            now=now,
            account_id=1,
            uid=uid or f"INBOX:{number}",
            folder="INBOX",
            labels=labels,
            is_read=False,
        )
        assert isinstance(kept, int), kept
        signal = NewSignal(
            source="imap:work", kind="mail", source_id=f"arrived-{number}", owner_id=1, payload={"mail": kept}
        )
        t.signals.publish(signal, now=now)
        return kept

    mail_id = await office.product.house.ledger.write(take)
    await office.settled()
    return mail_id


async def shown(office: Office, mail_id: int) -> int:
    """The card of a mail that would otherwise wait for the brief; the message in which it stands."""
    now = office.clock.now()

    def show(t: Tables) -> Piece | None:
        kept, owner = t.mails.get(mail_id), t.owners.get(1)
        card = mail_card.card(kept, t.verdicts.of_mail(1, mail_id)[0], owner, now)
        stored = t.cards.put(card, owner_id=1, now=now)
        new = NewPiece(key=f"shown:{mail_id}", owner_id=1, channel="telegram", text=card.text, card_id=stored.id)
        return t.pieces.say(new, now=now, handing=True)

    office.product.house.courier.post(await office.product.house.ledger.write(show))
    await office.settled()
    return office.product.newest


def invitation(
    *lines: str,
    method: str = "REQUEST",
    sender: str = f"Anna Muster <{ANNA}>",
    organizer: str = ANNA,
    uid: str = "plan@muster.example",
    title: str = "Planning",
    start: str = "20260302T140000Z",
    end: str = "20260302T150000Z",
    message_id: str = "invite@muster.example",
    guest: str = OLA,
) -> bytes:
    """A mail that carries an invitation. lines: more of the event."""
    event = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Test//EN",
        f"METHOD:{method}",
        "BEGIN:VEVENT",
        f"UID:{uid}",
        "DTSTAMP:20260301T080000Z",
        "SEQUENCE:1",
        f"SUMMARY:{title}",
        f"DTSTART:{start}",
        f"DTEND:{end}",
        f"ORGANIZER;CN=Anna:mailto:{organizer}" if not any(line.startswith("ORGANIZER") for line in lines) else "X-A:b",
        f"ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{guest}",
        *lines,
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    )
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"], mail["Subject"] = sender, f"Ola Owner <{OLA}>", f"Invitation: {title}"
    mail["Date"], mail["Message-ID"] = "Mon, 02 Mar 2026 08:00:00 +0000", f"<{message_id}>"
    mail.set_content("Please come.")
    mail.add_alternative("\r\n".join(event), subtype="calendar", params={"method": method})
    return mail.as_bytes()


def newsletter(
    *offers: str,
    post: str = "",
    sender: str = "Garden News <news@garden.example>",
    message_id: str = "news@garden.example",
    body: str = "Spring is here. Unsubscribe: https://garden.example/link-in-the-body",
    check: str = "mx.own.example; dkim=pass header.d=garden.example; dmarc=pass header.from=garden.example",
) -> bytes:
    """A mail of a list, with what its List-Unsubscribe header offers."""
    headers = {"List_Id": "<news.garden.example>", "Authentication_Results": check}
    if offers:
        headers["List_Unsubscribe"] = ", ".join(f"<{offer}>" for offer in offers)
    if post:
        headers["List_Unsubscribe_Post"] = post
    return letter(body, sender=sender, subject="Spring", message_id=message_id, **headers)
