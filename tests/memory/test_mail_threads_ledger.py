"""Threads of mail in the ledger: by what mails refer to, whatever the order in which they come."""

from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from memory.ledger import Tables
from memory.mail import Mail
from memory.mail_thread import JOINED_WITHIN_FOR, subject_of
from memory.sql.ledger import SqlLedger
from tests.doubles.judged import judge
from tests.doubles.letters import ANNA, JO, NOW, SARAH, a_letter, a_reply
from tools import mail_card


def chain(*names: str) -> list[Mail]:
    """A mail, the answer to it, the answer to that: each refers to all before it."""
    return [
        a_letter(
            name,
            message_id=f"{name}@winter.example",
            in_reply_to=f"{names[place - 1]}@winter.example" if place else None,
            references=tuple(f"{earlier}@winter.example" for earlier in names[:place]),
        ).mail
        for place, name in enumerate(names)
    ]


def keep(t: Tables, mail: Mail) -> int:
    number = t.mails.keep(1, mail, now=NOW)
    assert isinstance(number, int)
    return number


def threads(t: Tables, *mails: Mail) -> list[int]:
    """The thread of each, once all are kept."""
    numbers = [keep(t, mail) for mail in mails]
    return [t.mails.get(number).thread_id for number in numbers]


@pytest.mark.parametrize("order", [*permutations(range(4))], ids=lambda order: "".join(map(str, order)))
async def test_mails_that_refer_to_each_other_are_one_thread_in_whatever_order_they_come(
    ledger: SqlLedger, order: tuple[int, ...]
) -> None:
    mails = chain("a", "b", "c", "d")
    found = await ledger.write(lambda t: threads(t, *(mails[place] for place in order)))
    assert len(set(found)) == 1


@pytest.mark.parametrize("order", [*permutations(range(3))], ids=lambda order: "".join(map(str, order)))
async def test_a_late_mail_makes_one_thread_of_two(ledger: SqlLedger, order: tuple[int, ...]) -> None:
    """Programs that keep only In-Reply-To: nothing binds the ends but the mail between."""
    first = a_letter("a", message_id="a@x.example").mail
    between = a_letter("b", message_id="b@x.example", in_reply_to="a@x.example").mail
    last = a_letter("c", message_id="c@x.example", in_reply_to="b@x.example").mail
    found = await ledger.write(lambda t: threads(t, *((first, between, last)[place] for place in order)))
    assert len(set(found)) == 1
    in_order = await ledger.read(lambda t: t.mails.thread(found[0]))
    assert len(in_order) == 3


async def test_mails_that_refer_to_a_mail_that_never_came_are_one_thread(ledger: SqlLedger) -> None:
    lost = {"in_reply_to": "lost@x.example", "references": ("lost@x.example",)}
    found = await ledger.write(lambda t: threads(t, a_letter("b", **lost).mail, a_letter("c", **lost).mail))
    assert len(set(found)) == 1


async def test_mails_that_have_nothing_in_common_are_threads_of_their_own(ledger: SqlLedger) -> None:
    mails = (a_letter("a").mail, a_letter("b").mail, a_letter("c", message_id=None).mail)
    assert len(set(await ledger.write(lambda t: threads(t, *mails)))) == 3


async def test_a_thread_is_read_in_order_of_time_and_its_newest_when_it_is_long(ledger: SqlLedger) -> None:
    mails = chain("a", "b", "c")
    late = [a_letter(mail.text, **_ids(mail), ago=timedelta(days=3 - place)).mail for place, mail in enumerate(mails)]
    [thread_id] = set(await ledger.write(lambda t: threads(t, *reversed(late))))
    assert [kept.mail.text for kept in await ledger.read(lambda t: t.mails.thread(thread_id))] == ["a", "b", "c"]
    assert [kept.mail.text for kept in await ledger.read(lambda t: t.mails.thread(thread_id, limit=2))] == ["b", "c"]
    assert await ledger.read(lambda t: t.mails.threads_since(1, NOW - timedelta(days=2))) == [thread_id]
    assert await ledger.read(lambda t: t.mails.threads_since(1, NOW)) == []


def _ids(mail: Mail) -> dict[str, Any]:
    return {"message_id": mail.message_id, "in_reply_to": mail.in_reply_to, "references": mail.references}


# By the subject


LUNCH = {"subject": "Lunch", "message_id": "lunch@x.example"}


async def joined(ledger: SqlLedger, first: Mail, second: Mail) -> bool:
    one, other = await ledger.write(lambda t: threads(t, first, second))
    return one == other


async def test_an_answer_without_ids_joins_by_its_subject_as_a_last_resort(ledger: SqlLedger) -> None:
    first = a_letter("Lunch?", ago=timedelta(days=3), **LUNCH).mail
    assert await joined(ledger, first, a_reply("Yes", subject="AW: Lunch", message_id=None).mail)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"subject": "Lunch"}, id="no prefix of an answer"),
        pytest.param({"subject": "Re: Dinner"}, id="another subject"),
        pytest.param({"subject": "Re:"}, id="no subject at all"),
        pytest.param({"subject": "Re: Lunch", "to": (SARAH,)}, id="between others"),
        pytest.param({"subject": "Re: Lunch", "sender": SARAH}, id="from somebody else"),
        pytest.param({"subject": "Re: Lunch", "in_reply_to": "other@x.example"}, id="it refers to another mail"),
        pytest.param({"subject": "Re: Lunch", "ago": -JOINED_WITHIN_FOR - timedelta(days=1)}, id="weeks later"),
    ],
)
async def test_a_subject_alone_joins_nothing_else(ledger: SqlLedger, given: dict[str, Any]) -> None:
    first = a_letter("Lunch?", ago=timedelta(days=1), **LUNCH).mail
    second = a_reply("Yes", **({"to": (ANNA,), "sender": JO} | given)).mail
    assert not await joined(ledger, first, second)


async def test_an_old_thread_of_the_same_subject_is_not_joined_because_a_newer_one_was_long_ago(
    ledger: SqlLedger,
) -> None:
    """The newest of several is meant."""
    old = a_letter("Lunch?", ago=timedelta(days=10), subject="Lunch").mail
    new = a_letter("Lunch?", ago=timedelta(days=1), subject="Lunch").mail
    answer = a_reply("Yes", subject="Re: Lunch").mail
    first, second, third = await ledger.write(lambda t: threads(t, old, new, answer))
    assert first != second
    assert third == second


# What waits on a thread


async def test_what_waits_on_two_threads_waits_on_the_one_that_they_become(ledger: SqlLedger) -> None:
    first = a_letter("a", message_id="a@x.example").mail
    last = a_letter("c", message_id="c@x.example", in_reply_to="b@x.example").mail
    between = a_letter("b", message_id="b@x.example", in_reply_to="a@x.example").mail

    def work(t: Tables) -> tuple[int, int, Any, list[str], list[str]]:
        owner = t.owners.get()
        keep(t, first)
        kept = t.mails.get(keep(t, last))
        judgement = judge(t, kept, "notify", now=NOW)
        stored = t.cards.put(mail_card.card(kept, judgement, owner, NOW), owner_id=1, now=NOW)
        for row in ("loop:7", "notice:8"):
            t.links.tie(1, subject_of(kept.thread_id), row)
        before = kept.thread_id
        now_in = t.mails.get(keep(t, between)).thread_id
        found = t.cards.open_about(1, subject_of(now_in))
        return (
            before,
            now_in,
            found and (found.id == stored.id, found.digest == stored.digest, found.card.subject),
            t.links.rows(1, subject_of(now_in)),
            t.links.rows(1, subject_of(before)),
        )

    before, now_in, card, rows, left = await ledger.write(work)
    assert before != now_in
    assert card == (True, True, subject_of(now_in))
    assert (rows, left) == (["loop:7", "notice:8"], [])
    judged = await ledger.read(lambda t: t.verdicts.of_thread(1, now_in))
    assert [one.verdict.what for one in judged] == ["notify"]
