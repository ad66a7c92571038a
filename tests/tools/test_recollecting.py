"""Remembering in the ledger: whom it is about the directory knows, and it is found by whatever name the question calls them."""

from memory.ledger import Tables
from memory.recall import recall
from memory.recollection import Recollection
from memory.sql.ledger import SqlLedger
from tests.doubles.letters import NOW
from tests.doubles.spoken import hear
from tests.memory.test_people_ledger import ANNA, NAMESAKE, acquaint, keep, mail
from tools import recollecting
from tools.recollecting import NotKept


def remember(t: Tables, words: str) -> Recollection | NotKept:
    message, turn, _ = hear(t, words, said_as=words[:20])
    return recollecting.remember(
        t, words, owner_id=1, message_id=message.id, signal_id=turn.signal_id, because="the owner said so", now=NOW
    )


async def test_what_is_about_somebody_is_recalled_by_any_of_their_names(ledger: SqlLedger) -> None:
    await keep(ledger, mail(ANNA))
    await acquaint(ledger)
    kept = await ledger.write(lambda t: remember(t, "Anna prefers calls"))
    assert isinstance(kept, Recollection)
    assert (kept.about, kept.names) == ("Anna", ("Anna Winter",))
    known = await ledger.read(lambda t: t.recollections.live(1))
    assert recall("how do I reach Mrs Winter", known, now=NOW).ids == (kept.id,)


async def test_a_name_that_two_may_bear_is_nobodys(ledger: SqlLedger) -> None:
    await keep(ledger, mail(ANNA), mail(NAMESAKE))
    await acquaint(ledger)
    kept = await ledger.write(lambda t: remember(t, "Anna prefers calls"))
    assert isinstance(kept, Recollection)
    assert (kept.about, kept.names) == ("", ())


async def test_what_is_known_already_is_said_and_borne_out_again(ledger: SqlLedger) -> None:
    first = await ledger.write(lambda t: remember(t, "Jonas prefers calls"))
    again = await ledger.write(lambda t: remember(t, "jonas prefers calls!"))
    assert isinstance(first, Recollection)
    assert isinstance(again, NotKept)
    assert again.known is not None
    assert again.known.id == first.id
    (one,) = await ledger.read(lambda t: t.recollections.live(1))
    assert len(one.sources) == 2
