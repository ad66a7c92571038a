"""Exchanges for tests of the decision model: a little correspondence of Jo's, written for this purpose."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from memory.decide.exchange import OWNER, Exchange
from memory.decide.features import Features, features_of
from memory.decide.history import History

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
"""A Monday."""

_numbers = count(1)


def came(at: datetime = START, sender: str = "mara", **given: Any) -> Exchange:
    """A mail to Jo alone, in a thread of its own unless another is named."""
    number = next(_numbers)
    usual = {
        "fingerprint": f"m{number}",
        "thread": f"t{number}",
        "to": (OWNER,),
        "subject": "Quarterly plan",
        "said": "Here it is.",
    }
    return Exchange(**{"at": at, "sender": sender} | usual | given)


def sent(at: datetime, to: str = "mara", **given: Any) -> Exchange:
    """A mail that Jo wrote."""
    number = next(_numbers)
    usual = {
        "fingerprint": f"o{number}",
        "thread": f"t{number}",
        "to": (to,),
        "subject": "Hello",
        "said": "As discussed.",
    }
    return Exchange(**{"at": at, "sender": OWNER, "by_owner": True} | usual | given)


def answer(to: Exchange, after: timedelta = timedelta(minutes=20), **given: Any) -> Exchange:
    """Jo's answer to a mail, with the headers that an answer bears."""
    about = {"thread": to.thread, "answers": to.fingerprint, "subject": f"Re: {to.subject}"}
    return sent(to.at + after, to.sender, **(about | given))


def a_history(*exchanges: Exchange) -> History:
    """A history fed with these, in Jo's home at Greenwich."""
    history = History(lambda at: at)
    for exchange in exchanges:
        history.feed(exchange)
    return history


def features(exchange: Exchange, *before: Exchange) -> Features:
    """The features of a mail that comes after these."""
    return features_of(exchange, a_history(*before))


def weeks_of_mail(weeks: int = 12) -> list[Exchange]:
    """Mara asks and is answered; Otto passes on what nobody answers; Jo writes to Ida of their own accord."""
    mails: list[Exchange] = []
    for day in range(weeks * 7):
        at = START + timedelta(days=day)
        asked = came(at, "mara", said="Could you look at the draft today?", subject=f"Draft {day}")
        passed_on = came(
            at + timedelta(hours=2),
            "otto",
            said="FYI",
            subject=f"Fwd: News {day}",
            below="From: wire\n" + "news " * 400,
        )
        mails += [asked, passed_on, sent(at + timedelta(hours=4), "ida")]
        if day % 5:
            mails.append(answer(asked, timedelta(minutes=30)))
        if day % 11 == 0:
            mails.append(answer(passed_on, timedelta(hours=1)))
    return sorted(mails, key=lambda mail: mail.at)
