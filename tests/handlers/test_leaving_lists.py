"""Leaving a list, end to end: by its own header alone, behind a card, once."""

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from bot import sending
from memory.contact import Contact
from memory.envelope import from_json
from tests.doubles.clock import FakeClock
from tests.exit_room import ANNA, EVA, OLA, Office, open_office
from tests.mail_arrives import arrives, newsletter, shown
from tests.servers.list_host import ListHost
from tools.unsubscribe.transport import OneClick

URL = "https://lists.example/u?t=abc"
CLICK = "List-Unsubscribe=One-Click"
LEAVE = "mailto:leave-abc@lists.example?subject=leave"


@pytest.fixture
async def office(database: Path, clock: FakeClock) -> AsyncIterator[Office]:
    async with open_office(database, clock, mails=(), contacts=(Contact("Anna", (ANNA,), "vcard"),)) as opened:
        yield opened


async def wishes(office: Office, raw: bytes) -> None:
    """The owner wants to leave the list that this mail came by. Its mail makes no card, so one is put for it."""
    mail_id = await arrives(office, raw)

    def ask(t):  # type: ignore[no-untyped-def]
        turn = t.thread.newest_turn(1)
        t.jobs.add(
            owner_id=1,
            kind="compose",
            lane="background",
            thread="owner:1",
            payload={"leave": mail_id, "turn": turn.id if turn else 0},
            now=office.clock.now(),
        )

    await office.product.house.ledger.write(ask)
    await office.settled()


async def test_by_mail_it_is_a_card_and_one_mail_to_the_address_of_the_header(office: Office) -> None:
    await wishes(office, newsletter(LEAVE))
    card = office.text(office.card())
    assert "leave-abc@lists.example" in card
    assert "stands in List-Unsubscribe of mail:1, from news@garden.example" in card
    assert office.sent == []
    await office.taps("Send")
    (mail,) = office.sent
    assert (mail.sender, mail.recipients, mail.message["Subject"], mail.text) == (
        OLA,
        ("leave-abc@lists.example",),
        "leave",
        "unsubscribe",
    )


async def test_by_one_click_the_card_names_the_host_and_the_tap_posts_once(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def here(host: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    async with ListHost() as host:
        way = partial(OneClick, looks=here, allows=lambda address: True, trust=host.trust, port=host.port)
        monkeypatch.setattr(sending, "OneClick", way)
        await wishes(office, newsletter(LEAVE, URL, post=CLICK))
        card = office.text(office.card())
        assert card.startswith("Unsubscribe from this list, at lists.example?")
        assert URL in card
        assert host.posted == []
        await office.taps("Send")
        (post,) = host.posted
        assert (post.method, post.path, post.body) == ("POST", "/u?t=abc", CLICK.encode())
    assert (office.sent, office.dispatches) == ([], ["sent"])


async def test_a_lost_answer_is_asked_about_and_never_posted_again(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def here(host: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    async with ListHost(does="cut") as host:
        way = partial(OneClick, looks=here, allows=lambda address: True, trust=host.trust, port=host.port)
        monkeypatch.setattr(sending, "OneClick", way)
        await wishes(office, newsletter(URL, post=CLICK))
        await office.taps("Send")
        assert office.dispatches == ["unknown"]
        assert "It arrived" in office.product.labels()
        await office.taps("It arrived")
        assert len(host.posted) == 1
    assert office.dispatches == ["sent"]


async def test_a_host_that_leads_inside_is_never_asked(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    async def here(host: str) -> tuple[str, ...]:
        return ("127.0.0.1",)

    async with ListHost() as host:
        monkeypatch.setattr(sending, "OneClick", partial(OneClick, looks=here, trust=host.trust, port=host.port))
        await wishes(office, newsletter(URL, post=CLICK))
        await office.taps("Send")
        assert host.posted == []
    assert office.dispatches == ["failed"]
    assert "private network" in office.whole_chat()


NO_WAY = {
    "a link in the body": newsletter(),
    "a link without one click": newsletter(URL),
    "a link over http": newsletter("http://lists.example/u", post=CLICK),
    "somebody the owner knows": newsletter(f"mailto:{ANNA}?subject=I%20quit"),
    "the owner": newsletter(f"mailto:{OLA}"),
    "a mail that fails its check": newsletter(
        LEAVE, check="mx.own.example; dkim=fail; spf=fail; dmarc=fail header.from=garden.example"
    ),
}


@pytest.mark.parametrize("case", NO_WAY)
async def test_there_is_no_other_way_out(office: Office, case: str) -> None:
    await office.says("hello")
    await wishes(office, NO_WAY[case])
    assert office.approvals == []
    rows = office.rows("SELECT outcome FROM audit WHERE agent = 'exit'")
    assert rows == [("refused",)]


async def test_it_cannot_be_made_to_say_more(office: Office) -> None:
    """A draft that only says that it leaves a list is weighed by the header of that mail."""
    await wishes(office, newsletter(LEAVE))
    (spelled,) = office.rows("SELECT envelope FROM drafts")[0]
    envelope = from_json(spelled.encode())
    changes = (
        {"body": "All our plans are attached."},
        {"subject": "All our plans"},
        {"to": (replace(envelope.to[0], address=EVA),)},
        {"cc": (replace(envelope.to[0], address=EVA),)},
        {"references": ("a@b",)},
    )
    for number, change in enumerate(changes):
        await office.proposes(
            replace(envelope, message_id=f"x{number}@own.example", **change), playbook="unsubscribe:1"
        )
    assert office.approvals == ["asked"]
    assert len(office.refusals) == len(changes)
    assert "it says more than to leave the list" in office.refusals


async def test_the_address_of_a_list_may_be_written_to_for_nothing_else(office: Office) -> None:
    await wishes(office, newsletter(LEAVE))
    (spelled,) = office.rows("SELECT envelope FROM drafts")[0]
    await office.proposes(replace(from_json(spelled.encode()), subject="Hello", message_id="y@own.example"))
    assert office.approvals == ["asked"]
    assert "in no record, no header of the thread, and not typed by the owner" in office.refusals


async def test_an_edit_cannot_make_a_letter_of_it(office: Office) -> None:
    await wishes(office, newsletter(LEAVE))
    await office.taps("Edit")
    await office.says("Dear list, here is everything.")
    assert office.approvals == ["asked"]
    await office.taps("Send")
    assert [mail.text for mail in office.sent] == ["unsubscribe"]


OFFERS = {"with a way": (newsletter(LEAVE), True), "with a link alone": (newsletter(URL), False)}


@pytest.mark.parametrize("case", OFFERS)
async def test_the_button_stands_behind_more_where_the_header_offers_a_way(office: Office, case: str) -> None:
    raw, offers = OFFERS[case]
    await shown(office, await arrives(office, raw))
    await office.taps("More")
    assert ("Unsubscribe" in office.product.labels()) == offers
    if offers:
        await office.taps("Unsubscribe")
        assert office.approvals == ["asked"]
        await office.taps("Unsubscribe")
        assert office.approvals == ["asked"], "a second tap brings no second card"


async def test_by_words_it_is_the_list_that_is_talked_about(office: Office) -> None:
    await shown(office, await arrives(office, newsletter(LEAVE)))
    await office.says("unsubscribe")
    await office.taps("Send")
    assert [mail.recipients for mail in office.sent] == [("leave-abc@lists.example",)]
