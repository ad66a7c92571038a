"""Accounts, wishes and small settings in the ledger; and what an account's name and its patience are."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.account import RETRY_MOST_FOR, Account, check_name, retry_for
from memory.errors import BadInput, NotFound
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.hand import rows
from tests.doubles.planned import an_event


def add(t: Tables, name: str = "work", **given: Any) -> Account:
    usual: dict[str, Any] = {
        "kind": "imap",
        "identity": "Jo@Baker.example",
        "aliases": ("JO.BAKER@work.example",),
        "settings": {"host": "imap.baker.example"},
        "now": NOW,
    }
    return t.accounts.add(owner_id=1, name=name, **(usual | given))


async def test_an_account_is_read_as_it_was_added(ledger: SqlLedger) -> None:
    account = await ledger.write(add)
    assert account.addresses == ("jo@baker.example", "jo.baker@work.example")
    assert (account.state, account.failures, account.trouble, account.seen_at) == ("on", 0, None, None)
    assert dict(account.settings) == {"host": "imap.baker.example"}
    assert await ledger.read(lambda t: t.accounts.named(1, "work")) == account
    assert await ledger.read(lambda t: t.accounts.present(1)) == [account]


async def test_a_calendar_without_an_identity_has_no_addresses(ledger: SqlLedger) -> None:
    assert (await ledger.write(lambda t: add(t, identity="", aliases=()))).addresses == ()


async def test_two_accounts_of_one_name_there_are_not(ledger: SqlLedger) -> None:
    await ledger.write(add)
    with pytest.raises(BadInput, match="choose another name"):
        await ledger.write(add)
    assert len(await ledger.read(lambda t: t.accounts.present(1))) == 1


async def test_failures_are_counted_in_a_row_and_an_answer_ends_them(ledger: SqlLedger) -> None:
    account = await ledger.write(add)
    for times in (1, 2, 3):
        assert await ledger.write(lambda t: t.accounts.failed(account.id, "no answer " * 99)) == times
    failing = await ledger.read(lambda t: t.accounts.get(account.id))
    assert failing.trouble is not None
    assert (failing.failures, failing.state, len(failing.trouble)) == (3, "on", 500)
    assert await ledger.write(lambda t: t.accounts.seen(account.id, now=NOW)) is True
    assert await ledger.write(lambda t: t.accounts.seen(account.id, now=NOW)) is False
    after = await ledger.read(lambda t: t.accounts.get(account.id))
    assert (after.failures, after.trouble, after.seen_at) == (0, None, NOW)


async def test_a_refused_sign_in_is_news_once_and_over_when_it_works_again(ledger: SqlLedger) -> None:
    account = await ledger.write(add)
    assert await ledger.write(lambda t: t.accounts.refused(account.id, "revoked")) is True
    assert await ledger.write(lambda t: t.accounts.refused(account.id, "revoked")) is False
    assert (await ledger.read(lambda t: t.accounts.get(account.id))).state == "refused"
    assert await ledger.write(lambda t: t.accounts.seen(account.id, now=NOW)) is True
    assert (await ledger.read(lambda t: t.accounts.get(account.id))).state == "on"


async def test_a_removed_account_leaves_its_name_and_takes_cursors_events_and_settings_along(
    ledger: SqlLedger, database: Path
) -> None:
    def work(t: Tables) -> tuple[Account, Account]:
        first, *others = [add(t, name) for name in ("work", *(f"n{number}" for number in range(11)))]
        eleventh = others[9]
        for account in (first, eleventh):
            for what in ("mail", "calendar"):
                t.cursors.set(f"{what}@{account.id}", "7", owner_id=1, now=NOW)
            t.calendars.name(1, account.id, {"work": "Work"})
            t.calendars.keep(
                1,
                account.id,
                calendar="work",
                ref="a",
                etag="",
                ics="",
                events=[an_event("a", NOW), an_event("a", NOW)],
            )
        t.accounts.remove(first.id, now=NOW)
        return first, eleventh

    first, eleventh = await ledger.write(work)
    assert (first.id, eleventh.id) == (1, 11)
    assert await ledger.read(lambda t: t.accounts.named(1, "work")) is None
    left = rows(database, "SELECT name FROM cursors WHERE name LIKE '%@%' ORDER BY name")
    assert left == [("calendar@11",), ("mail@11",)]
    for table in ("events", "calendar_items", "calendars"):
        assert rows(database, f"SELECT DISTINCT account_id FROM {table}") == [(11,)]
    gone = await ledger.read(lambda t: t.accounts.get(first.id))
    assert (dict(gone.settings), gone.trouble) == ({}, None)
    again = await ledger.write(add)
    assert again.id not in (first.id, eleventh.id)


async def test_an_account_that_never_was_is_not_found(ledger: SqlLedger) -> None:
    with pytest.raises(NotFound):
        await ledger.read(lambda t: t.accounts.get(9))


@pytest.mark.parametrize("name", ["work", "a", "Work-2_b", "x" * 30])
def test_a_plain_word_is_a_name(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize("name", ["", "-work", "work.json", "../work", "my work", "x" * 31, "arbeit/2", "wörk", "a\n"])
def test_what_could_be_taken_for_a_path_or_an_ending_is_no_name(name: str) -> None:
    with pytest.raises(BadInput):
        check_name(name)


def test_a_source_is_left_alone_longer_each_time_and_not_for_ever() -> None:
    waits = [retry_for(failures) for failures in range(1, 30)]
    assert waits[:3] == [timedelta(seconds=30), timedelta(minutes=1), timedelta(minutes=2)]
    assert waits == sorted(waits)
    assert waits[-1] == RETRY_MOST_FOR


# What the owner wishes


async def test_a_wish_holds_from_when_it_was_made_until_it_is_taken_back(ledger: SqlLedger) -> None:
    address = "Anna@Winter.example"
    assert await ledger.write(lambda t: t.senders.wish(1, address, "urgent", now=NOW)) is True
    assert await ledger.write(lambda t: t.senders.wish(1, address, "urgent", now=NOW + timedelta(days=1))) is False
    assert await ledger.read(lambda t: t.senders.wished(1, "urgent")) == {"anna@winter.example": NOW}
    assert await ledger.read(lambda t: t.senders.wished(1, "less")) == {}
    assert await ledger.write(lambda t: t.senders.unwish(1, address, "less")) is False
    assert await ledger.write(lambda t: t.senders.unwish(1, address, "urgent")) is True
    assert await ledger.read(lambda t: t.senders.wished(1, "urgent")) == {}


async def test_a_setting_has_the_last_value_it_was_given(ledger: SqlLedger) -> None:
    assert await ledger.read(lambda t: t.preferences.get(1, "pings_a_day")) is None
    for value in ("3", "0"):
        await ledger.write(lambda t, value=value: t.preferences.set(1, "pings_a_day", value))  # type: ignore[misc]
    assert await ledger.read(lambda t: t.preferences.get(1, "pings_a_day")) == "0"
