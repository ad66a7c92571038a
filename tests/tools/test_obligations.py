"""What is open between two people: a loop is whose thread or name it is, and what was answered is asked no more."""

from memory.ledger import Tables
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.familiar import ANNA, JO, JONAS, acquainted, before, know, know_namesake, wrote
from tools import delivering, portraying
from tools.obligations import Between, between


def of(address: str, t: Tables) -> Between:
    """What is open with whoever is behind this address."""
    owner, person = t.owners.get(1), t.people.of(1, address)
    assert person is not None
    seen = t.people.sightings(1, person.id, limit=portraying.SIGHTINGS_MAX)
    numbers = [int(one.ref.removeprefix("mail:")) for one in seen if one.corpus == "mail"]
    return between(t, owner, person, t.mails.some(numbers)[::-1], NOW)


def opened(t: Tables, title: str, kind: str = "waiting") -> None:
    t.loops.open(owner_id=1, kind=kind, title=title, because="a test", now=NOW)  # type: ignore[arg-type]


async def test_what_was_answered_since_is_asked_no_more(ledger: SqlLedger) -> None:
    def answered(t: Tables) -> tuple[int, int]:
        know(t)
        asked = len(of(ANNA[1], t).asked)
        mail = next(kept.mail for kept in t.mails.latest_from(1, [ANNA[1]], limit=1))
        wrote(t, JO, "Gladly.", before(days=1), [ANNA], subject="Re: Berlin", in_reply_to=mail.message_id)
        acquainted(t)
        return asked, len(of(ANNA[1], t).asked)

    assert await ledger.write(answered) == (1, 0)


async def test_a_loop_of_somebody_elses_thread_is_not_theirs(ledger: SqlLedger) -> None:
    def work(t: Tables) -> tuple[Between, Between]:
        know(t)
        return of(ANNA[1], t), of(JONAS[1], t)

    annas, jonas = await ledger.write(work)
    assert [one.words for one in annas.owed] == ["reply to Anna Winter: Figures"]
    assert jonas == Between()


async def test_of_several_in_a_thread_the_answer_is_owed_to_who_wrote_last(ledger: SqlLedger) -> None:
    def work(t: Tables) -> tuple[Between, Between]:
        know(t)
        first = wrote(t, ANNA, "Shall we meet?", before(hours=5), [JO, JONAS], subject="Round")
        earlier = t.mails.get(first)
        last = wrote(
            t,
            JONAS,
            "When would suit you?",
            before(hours=4),
            [JO, ANNA],
            subject="Re: Round",
            in_reply_to=earlier.mail.message_id,
        )
        delivering.open_loop(t, t.mails.get(last), t.owners.get(1), because="a test", now=NOW, signal_id=None)
        acquainted(t)
        return of(ANNA[1], t), of(JONAS[1], t)

    annas, jonas = await ledger.write(work)
    assert [one.words for one in jonas.owed] == ["reply to Jonas Weber: Re: Round"]
    assert [one.words for one in annas.owed] == ["reply to Anna Winter: Figures"]


async def test_a_loop_that_names_somebody_is_theirs_while_nobody_else_is_called_so(ledger: SqlLedger) -> None:
    def work(t: Tables) -> tuple[int, int, int]:
        know(t)
        for title in ("Anna for the contract", "Anna Winter for the keys", "Annabel for nothing", "Jonas for the car"):
            opened(t, title)
        alone = len(of(ANNA[1], t).awaited)
        know_namesake(t)
        return alone, len(of(ANNA[1], t).awaited), len(of(JONAS[1], t).awaited)

    assert await ledger.write(work) == (2, 0, 1)


async def test_a_loop_that_names_another_of_the_first_name_is_not_theirs(ledger: SqlLedger) -> None:
    def work(t: Tables) -> int:
        know(t)
        opened(t, "Anna Sommer for the lease")
        return len(of(ANNA[1], t).awaited)

    assert await ledger.write(work) == 0
