"""Mails in the ledger: kept once, read as they were, looked up by whoever had to do with them."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.errors import NotFound
from memory.ledger import Tables
from memory.mail import Address, Attachment, Authenticity, Bounce, Mail
from memory.sql.ledger import SqlLedger
from tests.doubles.hand import rows
from tests.doubles.judged import an_account
from tests.doubles.letters import ANNA, JO, NOW, SARAH, a_letter, a_reply

EVERYTHING: dict[str, Any] = {
    "senders_disagree": True,
    "to": (JO, Address("", "post@baker.example")),
    "cc": (Address("A list", "list@winter.example"),),
    "bcc": (Address("Hidden", "hidden@winter.example"),),
    "reply_to": (Address("", "elsewhere@winter.example"),),
    "subject": "Übergabe <b>",
    "in_reply_to": "before@winter.example",
    "references": ("first@winter.example", "before@winter.example"),
    "was_cut": True,
    "html_hidden": True,
    "parts_disagree": True,
    "attachments": (Attachment("a.pdf", "application/pdf", 12, "0" * 64),),
    "list_id": "list.winter.example",
    "is_automated": True,
    "faults": ("odd date",),
    "authenticity": Authenticity(dkim="pass", spf="fail", dmarc="none", server="mx", domain="winter.example"),
    "list_headers": (("list-id", "<list.winter.example>"), ("list-post", "NO")),
    "auto_submitted": "auto-replied",
    "precedence": "bulk",
    "is_bounce": True,
    "bounces": (Bounce(recipient="x@y.example", why="mailbox full", status="5.2.2", diagnostic="full"),),
    "calendars": ("BEGIN:VCALENDAR",),
}


def keep(t: Tables, mail: Mail, **given: Any) -> int:
    kept = t.mails.keep(1, mail, now=NOW, **given)
    assert isinstance(kept, int)
    return kept


async def test_a_mail_is_read_as_it_was_kept(ledger: SqlLedger) -> None:
    mail = a_letter("All of it.", **EVERYTHING).mail
    number = await ledger.write(
        lambda t: keep(t, mail, folder="Work", labels=("red", "2026"), uid="imap:Work:1:7", is_read=False)
    )
    kept = await ledger.read(lambda t: t.mails.get(number))
    assert kept.mail == mail
    assert (kept.folder, kept.labels, kept.uid, kept.is_read, kept.by_owner) == (
        "Work", ("red", "2026"), "imap:Work:1:7", False, False,
    )  # fmt: skip
    assert (kept.said, kept.arrived_at) == (None, NOW)


async def test_the_same_mail_twice_or_by_two_accounts_is_one(ledger: SqlLedger) -> None:
    mail = a_letter("Once.").mail

    def twice(t: Tables) -> list[Any]:
        accounts = [an_account(t, name) for name in ("work", "home")]
        return [
            t.mails.keep(1, mail, now=NOW, account_id=account, uid=f"uid{account}")
            for account in (*accounts, accounts[0])
        ]

    first, *more = await ledger.write(twice)
    assert isinstance(first, int)
    assert more == ["known", "known"]
    assert await ledger.read(lambda t: t.mails.count(1)) == 1


async def test_a_mail_that_is_not_there_is_not_found(ledger: SqlLedger) -> None:
    with pytest.raises(NotFound):
        await ledger.read(lambda t: t.mails.get(5))


async def test_a_mail_without_sender_or_date_is_kept_like_any_other(ledger: SqlLedger) -> None:
    mail = a_letter("?", sender=None, date_at=None, to=(), message_id=None).mail
    number = await ledger.write(lambda t: keep(t, mail))
    kept = await ledger.read(lambda t: t.mails.get(number))
    assert (kept.mail, kept.at) == (mail, NOW)


# Where it lies, and whose it is


def of_account(t: Tables, mail: Mail, account_id: int, uid: str, **given: Any) -> int | None:
    """A source tells of a mail: what `met_again` said, None when it was new."""
    place = {"folder": "INBOX", "labels": (), "by_owner": False, "is_read": False} | given
    if isinstance(t.mails.keep(1, mail, now=NOW, account_id=account_id, uid=uid, **place), int):
        return None
    return t.mails.met_again(1, mail.fingerprint, account_id=account_id, uid=uid, **place)


async def test_a_mail_that_was_moved_is_followed_and_not_taken_for_deleted(ledger: SqlLedger) -> None:
    """A server tells of a move as of a new mail and of one that is gone."""
    mail = a_letter("Moved.").mail

    def work(t: Tables) -> tuple[Any, ...]:
        account = an_account(t)
        of_account(t, mail, account, "imap:INBOX:1:7")
        of_account(t, mail, account, "imap:Archive:1:3", folder="Archive", is_read=True)
        gone = t.mails.gone(account, ["imap:INBOX:1:7"], now=NOW)
        changed = t.mails.change(account, "imap:Archive:1:3", folder="Archive", labels=(), is_read=False, now=NOW)
        number = t.mails.by_uid(account, "imap:Archive:1:3")
        assert number is not None
        return gone, changed, t.mails.get(number).folder, t.mails.get(number).is_read

    assert await ledger.write(work) == (0, True, "Archive", False)


async def test_a_mail_that_is_gone_at_its_source_is_marked_and_stays(ledger: SqlLedger, database: Path) -> None:
    mail = a_letter("Deleted there.").mail

    def work(t: Tables) -> tuple[int, int, int]:
        account, other = an_account(t), an_account(t, "home")
        of_account(t, mail, account, "one")
        return (
            t.mails.gone(other, ["one"], now=NOW),
            t.mails.gone(account, ["one", "never there"], now=NOW),
            t.mails.gone(account, [], now=NOW),
        )

    assert await ledger.write(work) == (0, 1, 0)
    assert rows(database, "SELECT gone_at FROM mails") == [("2026-09-07T09:00:00.000Z",)]
    [found] = await ledger.read(lambda t: t.search.find(1, "deleted"))
    assert (await ledger.read(lambda t: t.mails.get(int(found.ref.removeprefix("mail:"))))).mail == mail


async def test_what_comes_back_is_no_longer_gone(ledger: SqlLedger, database: Path) -> None:
    """Numbered anew, every mail is gone and comes again; the flags that are told later must find it."""
    mail = a_letter("Numbered anew.").mail

    def work(t: Tables) -> tuple[int | None, int | None]:
        account = an_account(t)
        of_account(t, mail, account, "imap:INBOX:1:7")
        t.mails.gone(account, ["imap:INBOX:1:7"], now=NOW)
        of_account(t, mail, account, "imap:INBOX:2:1")
        return t.mails.by_uid(account, "imap:INBOX:1:7"), t.mails.by_uid(account, "imap:INBOX:2:1")

    old, new = await ledger.write(work)
    assert (old, new is not None) == (None, True)
    assert rows(database, "SELECT gone_at FROM mails") == [(None,)]


async def test_a_mail_in_two_accounts_stays_with_the_first_until_it_is_gone_there(ledger: SqlLedger) -> None:
    mail = a_letter("Everywhere.").mail

    def work(t: Tables) -> list[bool]:
        work, home = an_account(t), an_account(t, "home")
        of_account(t, mail, work, "w1")
        of_account(t, mail, home, "h1")
        found = [t.mails.by_uid(work, "w1") is not None]
        t.mails.gone(work, ["w1"], now=NOW)
        of_account(t, mail, home, "h1")
        found.append(t.mails.by_uid(home, "h1") is not None)
        t.accounts.remove(home, now=NOW)
        of_account(t, mail, work, "w2")
        return [*found, t.mails.by_uid(work, "w2") is not None]

    assert await ledger.write(work) == [True, True, True]


async def test_an_imported_mail_belongs_to_the_account_that_has_it(ledger: SqlLedger) -> None:
    mail = a_letter("From an archive.").mail

    def work(t: Tables) -> tuple[bool, bool]:
        account = an_account(t)
        t.mails.keep(1, mail, now=NOW)
        of_account(t, mail, account, "one", is_read=False)
        number = t.mails.by_uid(account, "one")
        return number is not None and t.mails.get(number).is_read, number is not None

    assert await ledger.write(work) == (False, True)


async def test_what_lies_in_the_sent_folder_turns_out_to_be_the_owners_own(ledger: SqlLedger) -> None:
    """A mail of the owner's to themselves, or one that a list sends back, may be met in the inbox first."""
    mail = a_reply("To all of us.", to=(ANNA, JO)).mail

    def work(t: Tables) -> list[Any]:
        account = an_account(t)
        of_account(t, mail, account, "inbox")
        sent = {"folder": "Sent", "by_owner": True, "is_read": True}
        found = [of_account(t, mail, account, "sent", **sent), of_account(t, mail, account, "sent", **sent)]
        found.append(of_account(t, mail, account, "inbox"))
        number = t.mails.by_uid(account, "sent")
        assert number is not None
        kept = t.mails.get(number)
        return [*(one and one == number for one in found), kept.by_owner, kept.is_read, kept.folder]

    assert await ledger.write(work) == [True, None, None, True, True, "Sent"]


# People


async def test_a_person_is_found_by_any_role_and_in_any_case(ledger: SqlLedger) -> None:
    letters = (
        a_letter("one", ago=timedelta(days=3)),
        a_letter("two", ago=timedelta(days=2), sender=Address("Anna", "ANNA+private@winter.example")),
        a_letter("other", sender=SARAH, cc=(ANNA,)),
        a_reply("to her", ago=timedelta(days=1)),
        a_reply("copied", ago=timedelta(hours=1), to=(SARAH,), bcc=(ANNA,)),
        a_reply("not to her", to=(SARAH,)),
    )

    def work(t: Tables) -> list[int]:
        return [keep(t, letter.mail, by_owner=letter.by_owner) for letter in letters]

    one, two, _, to_her, copied, _ = await ledger.write(work)
    latest = await ledger.read(lambda t: t.mails.latest_from(1, ["Anna@Winter.example"], limit=9))
    assert [kept.id for kept in latest] == [two, one]
    sent = await ledger.read(lambda t: t.mails.sent_to(1, ["anna@winter.example"], limit=9))
    assert [kept.id for kept in sent] == [copied, to_her]
    relation = await ledger.read(lambda t: t.mails.relation(1, ["anna@winter.example"]))
    assert (relation.received, relation.sent) == (2, 2)
    assert relation.first_at == letters[0].at
    assert relation.last_received_at == letters[1].at
    assert relation.last_sent_at == letters[4].at
    written = await ledger.read(lambda t: t.mails.written_at(1, ["anna@winter.example"]))
    assert written == [letters[1].at, letters[0].at]


async def test_a_mail_to_somebody_at_two_addresses_counts_once(ledger: SqlLedger) -> None:
    both = (ANNA, Address("Anna", "anna@home.example"))
    await ledger.write(lambda t: keep(t, a_reply("both", to=both).mail, by_owner=True))
    relation = await ledger.read(lambda t: t.mails.relation(1, [str(one.address) for one in both]))
    assert relation.sent == 1


async def test_what_the_owner_calls_themselves_is_taken_from_what_they_wrote(ledger: SqlLedger) -> None:
    def work(t: Tables) -> list[str]:
        for name, times in (("Jo", 1), ("Jo Baker", 2), ("", 3)):
            for _ in range(times):
                keep(t, a_reply("x", sender=Address(name, "jo@baker.example")).mail, by_owner=True)
        keep(t, a_letter("spoofed", sender=Address("Mallory", "jo@baker.example")).mail)
        return t.mails.own_names(1)

    assert await ledger.write(work) == ["Jo Baker", "Jo"]


async def test_sightings_say_who_wrote_and_to_whom(ledger: SqlLedger) -> None:
    letter = a_letter("x", reply_to=(Address("", "other@winter.example"),), is_automated=True)
    await ledger.write(lambda t: keep(t, letter.mail))
    seen = {one.address: one for one in await ledger.read(lambda t: t.mails.sightings(1, limit=9))}
    assert set(seen) == {"anna@winter.example", "jo@baker.example"}
    anna = seen["anna@winter.example"]
    assert (anna.wrote, anna.reply_to, anna.is_automated, anna.name) == (
        True,
        "other@winter.example",
        True,
        "Anna Winter",
    )
    assert not seen["jo@baker.example"].wrote


# Time


async def test_mails_are_paged_by_date_and_id_without_loss_or_repetition(ledger: SqlLedger) -> None:
    ago = [timedelta(hours=hours) for hours in (5, 1, 3, 3, 3, 2)]

    def work(t: Tables) -> None:
        for one in ago:
            keep(t, a_letter("x", ago=one).mail)
        keep(t, a_letter("undated", date_at=None).mail)

    await ledger.write(work)
    pages, after = [], None
    while page := await ledger.read(lambda t, after=after: t.mails.page(1, after=after, limit=2)):  # type: ignore[misc]
        pages += [kept.id for kept in page]
        after = (page[-1].at, page[-1].id)
    assert pages == [1, 3, 4, 5, 6, 2]
    before = await ledger.read(lambda t: t.mails.before(1, NOW - timedelta(hours=3), limit=9))
    assert [kept.id for kept in before] == [1]
    some = await ledger.read(lambda t: t.mails.some([2, 1, 99]))
    assert [kept.id for kept in some] == [1, 2]


async def test_what_a_mail_itself_says_is_worked_out_once(ledger: SqlLedger) -> None:
    def work(t: Tables) -> list[list[int]]:
        numbers = [keep(t, a_letter(f"mail {number}").mail) for number in range(3)]
        before = t.mails.unsaid(1, limit=2)
        t.mails.say(numbers[2], "")
        return [before, t.mails.unsaid(1, limit=9), numbers]

    before, after, (first, second, third) = await ledger.write(work)
    assert before == [third, second]
    assert after == [second, first]


async def test_a_person_is_known_however_their_address_is_spelled(ledger: SqlLedger) -> None:
    """Gmail takes no notice of dots, and nobody of what follows a plus."""
    spelled = (Address("", "Anna.Winter@gmail.com"), Address("", "annawinter+news@googlemail.com"))
    await ledger.write(lambda t: [keep(t, a_reply("x", to=(one,)).mail, by_owner=True) for one in spelled])
    assert (await ledger.read(lambda t: t.mails.relation(1, ["annawinter@gmail.com"]))).sent == 2
    assert (await ledger.read(lambda t: t.mails.relation(1, ["a.n.n.a.winter@gmail.com"]))).sent == 2
    assert (await ledger.read(lambda t: t.mails.relation(1, ["annawinter@gmx.example"]))).sent == 0
