"""Killed at any instruction while mail is read or judged, Stillbell keeps every mail once, judges it once and tells it once."""

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from memory.contact import Contact
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW
from tests.doubles.daemon import LATER, OWNER, TOKEN, Daemon
from tests.doubles.mortal import Point
from tests.servers import pymap_server
from tests.servers.bot_api import BotApiServer
from tests.servers.mail_program import MailProgram
from tests.test_mail_told import a_mail, an_account
from tools.vault import Vault

PAST = 55
"""More than one batch of them, all in one thread."""

WITHIN_S = 30

KNOWN = Contact("Anna Winter", ("anna@winter.example",), "owner")

URGENT = a_mail("contract", "Could you pay the invoice by noon today?", at=LATER)


@pytest.fixture
async def daemon(database: Path) -> AsyncIterator[Daemon]:
    async with BotApiServer(TOKEN, owner_id=OWNER) as server, pymap_server.running() as pymap:
        place = {"host": "127.0.0.1", "port": str(pymap.port), "tls": "none", "user": pymap_server.USER}
        Vault(database.parent / "secrets").put("home", pymap_server.PASSWORD)
        async with SqlLedger(database) as ledger:
            await ledger.write(lambda t: (an_account(t, **place), t.contacts.keep(1, KNOWN, key="anna", now=NOW)))
        program = MailProgram(pymap.port, pymap_server.USER, pymap_server.PASSWORD)
        at = NOW - timedelta(days=2)
        past = [a_mail(f"n{number}", "Thanks!", at=at, answers="n0") for number in range(PAST)]
        await program.put("INBOX", *past, at=NOW - timedelta(days=2))
        found = Daemon(database, server)
        found.program = program  # type: ignore[attr-defined]
        try:
            yield found
        finally:
            await found.gone()


POINTS = [
    *(Point(what="commit", when=when, holds="SELECT 1 FROM mails LIMIT 1") for when in ("before", "after")),
    *(
        Point(what="commit", when=when, holds=f"SELECT 1 FROM mails WHERE (SELECT count(*) FROM mails) >= {PAST} LIMIT 1")
        for when in ("before", "after")
    ),
    *(Point(what="commit", when=when, holds="SELECT 1 FROM signal_heads WHERE kind = 'review'") for when in ("before", "after")),
    *(
        Point(what="commit", when=when, holds="SELECT 1 FROM mails WHERE subject = 'About contract'")
        for when in ("before", "after")
    ),
    *(Point(what="commit", when=when, holds="SELECT 1 FROM verdicts WHERE what = 'notify'") for when in ("before", "after")),
    *(Point(what="request", when=when, holds="sendMessage .*About contract") for when in ("before",)),
]  # fmt: skip
NAMES = ["first batch", "last batch", "review", "news", "verdict"]


@pytest.mark.parametrize(
    "point", POINTS, ids=[f"{when} {name}" for name in NAMES for when in ("before", "after")] + ["before it is shown"]
)
async def test_killed_at_any_point_every_mail_is_kept_judged_and_told_once(daemon: Daemon, point: Point) -> None:
    is_about_news = "contract" in point.holds or "notify" in point.holds
    await daemon.start(dies_at=point)
    if is_about_news:
        await daemon.until(lambda: daemon.rows("SELECT 1 FROM jobs WHERE kind = 'review' AND state = 'done'"), WITHIN_S)
        await daemon.program.put("INBOX", URGENT, at=LATER)  # type: ignore[attr-defined]
    assert await daemon.died() == -9
    await daemon.start()
    if not is_about_news:
        await daemon.until(lambda: daemon.rows("SELECT 1 FROM accounts WHERE seen_at IS NOT NULL"), WITHIN_S)
        await daemon.program.put("INBOX", URGENT, at=LATER)  # type: ignore[attr-defined]
    await daemon.until(lambda: daemon.rows("SELECT 1 FROM verdicts WHERE what = 'notify'"), WITHIN_S)
    await daemon.settled()
    subjects = [subject for (subject,) in daemon.rows("SELECT subject FROM mails")]
    assert sorted(subjects) == sorted([*(f"About n{number}" for number in range(PAST)), "About contract"])
    assert daemon.rows("SELECT count(*), count(DISTINCT evidence) FROM verdicts WHERE what = 'notify'") == [(1, 1)]
    told = [text for text in daemon.texts() if "About contract" in text]
    assert len(told) == 1, daemon.texts()
    assert daemon.rows("SELECT count(*) FROM signal_heads WHERE kind = 'mail'") == [(1,)]
