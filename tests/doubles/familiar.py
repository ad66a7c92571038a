"""People of whom the ledger knows something: Anna of Acme, a namesake of hers at a bank, Jonas, and Ben, a colleague."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from memory.ledger import Tables
from memory.mail import Address
from tests.doubles.clock import NOW
from tests.doubles.judged import an_account, keep
from tests.doubles.letters import a_letter
from tools import delivering

JO, BEN = ("Jo Baker", "jo@baker.example"), ("Ben Ahn", "ben@baker.example")
ANNA, NAMESAKE = ("Anna Winter", "anna@acme.example"), ("Anna Winter", "winter@bank.example")
JONAS = ("Jonas Weber", "jonas@acme.example")


def before(**since: float) -> datetime:
    """So long ago."""
    return NOW - timedelta(**since)


def wrote(
    t: Tables, sender: tuple[str, str], text: str, at: datetime, to: Iterable[tuple[str, str]] = (JO,), **given: Any
) -> int:
    """A mail that came, or, from Jo, that went; its id."""
    addresses = tuple(Address(*one) for one in to)
    letter = a_letter(text, sender=Address(*sender), to=addresses, date_at=at, **given)
    return keep(t, replace(letter, by_owner=sender == JO), now=at).id


def acquainted(t: Tables) -> None:
    """Everybody is known who stands in what is kept."""
    while t.people.take(1, limit=100, now=NOW):
        pass


def know(t: Tables) -> None:
    """Anna of Acme, whom Ben has introduced and who waits for figures; Jonas, who wrote long ago; Ben, a colleague."""
    an_account(t)
    wrote(t, BEN, "This is Anna.", before(days=400), [JO, ANNA], subject="Intro: Anna")
    wrote(t, JO, "Let us talk.", before(days=12), [ANNA], subject="Offer")
    asked = wrote(t, ANNA, "Could you send me the figures by Friday?", before(days=3), subject="Figures")
    kept = t.mails.get(asked)
    delivering.open_loop(t, kept, t.owners.get(1), because="a test", now=before(days=3), signal_id=None)
    wrote(t, ANNA, "Would you like to come to Berlin?", before(days=2), subject="Berlin")
    wrote(t, JONAS, "It was good to see you.", before(days=90), subject="Lunch")
    wrote(t, BEN, "Can you look at the budget?", before(days=1), subject="Budget")
    acquainted(t)


def know_namesake(t: Tables) -> None:
    """Another Anna Winter, at a bank, who wrote once."""
    wrote(t, NAMESAKE, "Your account is open.", before(days=40), subject="Account")
    acquainted(t)
