"""Labels: which received mails the owner acted on, told from what they sent afterwards.

    answers        its headers name the mail that it answers or passes on
    same thread    it is a reply by its subject, to somebody whose mail is the latest of that person's in the thread
    same subject   it passes something on, and bears the subject of the latest such mail

The first that fits counts. What came more than ACT_FOR after the mail is no act on it. A mail that was not acted on is
*not acted on* only when there was time enough; until then nobody knows.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory.decide.exchange import Exchange
from memory.mail_thread import subject_key

ACT_FOR = timedelta(days=14)
"""What the owner does with a mail within this time was an act on it."""

KNOWN_AFTER_FOR = timedelta(days=7)
"""A mail this old that was not acted on is taken as not acted on. Of the real acts on record nine in ten came within a
day and 99 of 100 within a week."""

How = Literal["reply", "forward"]


@dataclass(frozen=True, slots=True)
class Act:
    """The owner replied to the mail `on` (its fingerprint), or passed it on, at `at`."""

    on: str
    how: How
    at: datetime


@dataclass(frozen=True, slots=True)
class Label:
    """What became of one received mail. `acted` is None while it is too early to say."""

    fingerprint: str
    acted: bool | None
    act: Act | None = None


class Open:
    """Received mails that may still be acted on, kept for ACT_FOR. Fed in order of time."""

    def __init__(self) -> None:
        self._mails: OrderedDict[str, Exchange] = OrderedDict()
        self._threads: dict[str, list[str]] = {}
        self._subjects: dict[str, list[str]] = {}

    def receive(self, exchange: Exchange) -> None:
        """Take in a received mail."""
        self._forget(exchange.at)
        self._mails[exchange.fingerprint] = exchange
        self._threads.setdefault(exchange.thread, []).append(exchange.fingerprint)
        if key := subject_key(exchange.subject):
            self._subjects.setdefault(key, []).append(exchange.fingerprint)

    def act(self, exchange: Exchange) -> Act | None:
        """What a mail of the owner's acts on; None for one that begins something new."""
        self._forget(exchange.at)
        found = self._named(exchange) or self._in_thread(exchange) or self._of_subject(exchange)
        if found is None:
            return None
        return Act(found, "forward" if exchange.kind == "forward" else "reply", exchange.at)

    def _named(self, exchange: Exchange) -> str | None:
        return exchange.answers if exchange.answers in self._mails else None

    def _in_thread(self, exchange: Exchange) -> str | None:
        if exchange.kind != "reply":
            return None
        people = set(exchange.people)
        inside = reversed(self._threads.get(exchange.thread, ()))
        return next((each for each in inside if self._mails[each].sender in people), None)

    def _of_subject(self, exchange: Exchange) -> str | None:
        if exchange.kind != "forward":
            return None
        same = self._subjects.get(subject_key(exchange.subject))
        return same[-1] if same else None

    def _forget(self, now: datetime) -> None:
        """Let go of what is too old to be acted on."""
        while self._mails and now - next(iter(self._mails.values())).at > ACT_FOR:
            fingerprint, old = self._mails.popitem(last=False)
            _drop(self._threads, old.thread, fingerprint)
            _drop(self._subjects, subject_key(old.subject), fingerprint)


def _drop(index: dict[str, list[str]], key: str, fingerprint: str) -> None:
    left = [each for each in index.get(key, ()) if each != fingerprint]
    if left:
        index[key] = left
    else:
        index.pop(key, None)


def labels(exchanges: Iterable[Exchange], *, now: datetime) -> dict[str, Label]:
    """The label of every received mail among `exchanges` (in order of time), as it can be known at `now` (aware UTC)."""
    still_open = Open()
    acts: dict[str, Act] = {}
    received: list[Exchange] = []
    for exchange in exchanges:
        if exchange.at > now:
            break
        if not exchange.by_owner:
            still_open.receive(exchange)
            received.append(exchange)
        elif act := still_open.act(exchange):
            acts.setdefault(act.on, act)
    return {each.fingerprint: _label(each, acts.get(each.fingerprint), now) for each in received}


def _label(exchange: Exchange, act: Act | None, now: datetime) -> Label:
    if now - exchange.at < KNOWN_AFTER_FOR:
        return Label(exchange.fingerprint, None, act)
    return Label(exchange.fingerprint, act is not None, act)
