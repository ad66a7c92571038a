"""People whom the owner knows, for tests of what is known of them: mails to and from them, looked at as the daemon does."""

from collections.abc import Sequence
from datetime import datetime
from itertools import count
from typing import Any

from memory.fact import FoundFact
from memory.ledger import Ledger
from memory.mail import Address, Mail
from memory.people.person import Person
from tests.doubles.letters import NOW, a_letter

ME = Address("Jo Baker", "me@home.example")
ANNA = Address("Anna Winter", "anna.winter@acme.example")
JONAS = Address("Jonas Berg", "jonas@berg.example")

_numbers = count(1)


def mail(text: str, sender: Address = ANNA, *to: Address, at: datetime = NOW, **given: Any) -> Mail:
    """A mail to the owner, unless it says whom else to."""
    number = next(_numbers)
    subject = given.pop("subject", f"Plans {number}")
    return a_letter(
        text, message_id=f"{number}@facts.example", sender=sender, to=to or (ME,), date_at=at, subject=subject, **given
    ).mail


async def keep(ledger: Ledger, *mails: Mail) -> list[int]:
    """They are kept, and whoever stands in them is known."""
    kept = await ledger.write(lambda t: [t.mails.keep(1, one, now=NOW, by_owner=one.sender == ME) for one in mails])
    await acquaint(ledger)
    return [int(one) for one in kept]


async def acquaint(ledger: Ledger) -> None:
    """Everybody who is new is looked at."""
    while await ledger.write(lambda t: t.people.take(1, limit=100, now=NOW)):
        pass


async def known(ledger: Ledger, value: str) -> Person:
    """Who is behind an address."""
    found = await ledger.read(lambda t: t.people.of(1, value))
    assert found is not None, value
    return found


async def values(ledger: Ledger, person: Person) -> list[tuple[str, str]]:
    """Kind and value of what holds of somebody now."""
    ids = [one.id for one in person.identities]
    return [(fact.kind, fact.value) for fact in await ledger.read(lambda t: t.facts.current(1, ids))]


async def history(ledger: Ledger, person: Person) -> Sequence[tuple[str, str, bool]]:
    """The same of everything, with whether it still holds, oldest first."""
    ids = [one.id for one in person.identities]
    found = await ledger.read(lambda t: t.facts.history(1, ids))
    return [(fact.kind, fact.value, fact.is_current) for fact in reversed(found)]


def found(person: Person, mail_id: int, kind: str, value: str, quote: str, **given: Any) -> FoundFact:
    """A fact that a signature in a mail tells, unless told otherwise."""
    usual: dict[str, Any] = {
        "identity_id": person.identities[0].id,
        "corpus": "mail",
        "ref": f"mail:{mail_id}",
        "said_at": NOW,
        "who": person.shown,
        "by": "signature",
    }
    return FoundFact(kind=kind, value=value, quote=quote, **(usual | given))
