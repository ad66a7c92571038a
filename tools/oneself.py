"""Oneself: which addresses are the owner's, by their accounts and by their own word."""

import json
from collections.abc import Iterable

from memory.errors import BadInput
from memory.ledger import Ledger, Tables
from memory.recipient import readable

TOLD = "own_addresses"
"""The preference that holds the addresses that the owner called their own, beside those of accounts."""

TOLD_MAX = 50

CLAIMED_AT_ONCE = 200
"""So many mails in one commit turn out to be the owner's: a tenth of a second in which the owner's own message waits."""


def own_addresses(t: Tables, owner_id: int) -> frozenset[str]:
    """Every address that is the owner's, lower case."""
    of_accounts = {address for account in t.accounts.present(owner_id) for address in account.addresses}
    return frozenset(of_accounts | set(_told(t, owner_id)))


def tell(t: Tables, owner_id: int, addresses: Iterable[str]) -> None:
    """Remember addresses of the owner's. Raises BadInput for what is none."""
    known = _told(t, owner_id)
    for one in addresses:
        address = readable(one.strip())
        if address is None:
            raise BadInput(f"{one!r} is no address: say which one is yours, as in --me anna@example.org")
        known = [*known, *([address.lower()] if address.lower() not in known else [])]
    t.preferences.set(owner_id, TOLD, json.dumps(known[-TOLD_MAX:]))


async def claim(ledger: Ledger, owner_id: int) -> int:
    """Mail from files that the owner wrote, as is known by now, counts as theirs; how many there were. May be stopped anywhere."""
    own = await ledger.read(lambda t: own_addresses(t, owner_id))
    every, last = 0, 0 if own else None
    while last is not None:
        claimed, last = await ledger.write(
            lambda t, after=last: t.mails.claim(owner_id, own, after=after, limit=CLAIMED_AT_ONCE)  # type: ignore[misc]
        )
        every += claimed
    return every


def _told(t: Tables, owner_id: int) -> list[str]:
    return [str(address) for address in json.loads(t.preferences.get(owner_id, TOLD) or "[]")]
