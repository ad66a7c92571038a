"""Filed: the events of imported calendar files, among those of connected calendars and under an account of their own.

A file's calendar goes by what the refs of its documents begin with, so that it goes when the file does.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from memory.account import Account
from memory.ledger import Tables
from tools.corpora.reading import FileObject

NAME = "calendar-files"
"""What the account is called: `stillbell accounts remove calendar-files` lets go of all of them."""


def begin(t: Tables, owner_id: int, calendar: str, name: str, now: datetime) -> tuple[int, Mapping[str, str]]:
    """The account that holds the calendar, and what is kept of it: ref → etag."""
    account = _account(t, owner_id) or t.accounts.add(
        owner_id=owner_id, name=NAME, kind="file", identity="", aliases=(), settings={}, now=now
    )
    t.accounts.seen(account.id, now=now)
    t.calendars.name(owner_id, account.id, {calendar: name})
    return account.id, t.calendars.etags(account.id, calendar)


def keep(t: Tables, owner_id: int, account_id: int, calendar: str, objects: Sequence[FileObject]) -> None:
    """Keep these in place of what was kept of them. The exclusions are asked at the door of the calendars."""
    for one in objects:
        t.calendars.keep(
            owner_id, account_id, calendar=calendar, ref=one.ref, etag=one.etag, ics=one.ics, events=one.events
        )


def leave(t: Tables, owner_id: int, lost: Collection[str]) -> None:
    """Let go of these calendars."""
    account = _account(t, owner_id)
    if account is not None:
        for calendar in lost:
            t.calendars.leave(account.id, calendar)


def within(t: Tables, owner_id: int, under: str) -> set[str]:
    """The calendars of a place, by what its refs begin with; "" for those of all."""
    account = _account(t, owner_id)
    if account is None:
        return set()
    named = (calendar for account_id, calendar in t.calendars.names(owner_id) if account_id == account.id)
    return {calendar for calendar in named if calendar.startswith(under)}


def _account(t: Tables, owner_id: int) -> Account | None:
    return next((one for one in t.accounts.present(owner_id) if not one.is_kept_up), None)
