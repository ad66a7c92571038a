"""Contacts in the ledger: the owner's own records, each in place of the one its source knew by the same key."""

from memory.contact import Contact
from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW

ANNA = Contact("Anna Winter", ("anna@winter.example", "anna@home.example"), "vcard")


async def test_a_contact_is_read_as_it_was_kept_and_replaced_by_its_key(ledger: SqlLedger) -> None:
    def work(t: Tables) -> list[int]:
        moved = Contact("Anna Summer", ("anna@summer.example",), "vcard")
        same_key = Contact("Another Anna", ("anna@elsewhere.example",), "owner")
        return [
            t.contacts.keep(1, ANNA, key="a", now=NOW),
            t.contacts.keep(1, same_key, key="a", now=NOW),
            t.contacts.keep(1, moved, key="a", now=NOW),
        ]

    first, other, again = await ledger.write(work)
    assert (first == again, first == other) == (True, False)
    kept = await ledger.read(lambda t: t.contacts.all(1))
    assert [(one.id, one.contact.name, one.contact.addresses) for one in kept] == [
        (first, "Anna Summer", ("anna@summer.example",)),
        (other, "Another Anna", ("anna@elsewhere.example",)),
    ]
