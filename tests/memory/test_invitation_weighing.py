"""What an invitation may do: a stranger's cancellation changes nothing, and who merely says so is marked."""

from dataclasses import replace
from typing import Any

import pytest

from memory.event import Attendee, Event
from memory.invitation import Invitation, Weighed, weigh
from tests.doubles.planned import an_event, utc

ME = frozenset({"anna@example.org"})
BOB, KIM, EVE, ANNA = (
    Attendee(name=name, address=f"{name.lower()}@{domain}")
    for name, domain in (
        ("Bob", "example.net"),
        ("Kim", "example.net"),
        ("Eve", "evil.example"),
        ("Anna", "example.org"),
    )
)
ASKED = Invitation(method="request", uid="m1", sequence=1, organizer=BOB, attendees=(ANNA,))
BOBS: Event = an_event("m1", utc(3, 16, 9), organizer=BOB, attendees=(ANNA, KIM), sequence=1)
MINE: Event = replace(BOBS, organizer=ANNA, attendees=(ANNA, KIM))


def weighed(
    invitation: Invitation = ASKED, *, sender: str = BOB.address, known: Event | None = BOBS, **given: Any
) -> Weighed:
    found = weigh(invitation, sender=sender, known=known, mine=ME, **given)
    assert found.because
    return found


def test_a_new_invitation_from_its_organizer_may_be_answered_to_them() -> None:
    found = weighed(known=None)
    assert (found.effect, found.marks, found.answer_to) == ("invite", (), BOB.address)


def test_an_invitation_that_names_another_organizer_is_marked_and_not_answered_unasked() -> None:
    found = weighed(sender=EVE.address, known=None)
    assert (found.effect, found.answer_to) == ("invite", "")
    assert "names bob@example.net as the organizer, but comes from eve@evil.example" in found.marks[0]


def test_an_organizer_who_stands_in_the_thread_may_be_answered() -> None:
    found = weighed(sender=KIM.address, known=None, thread=("Bob@Example.NET",))
    assert (found.answer_to, len(found.marks)) == (BOB.address, 1)


def test_who_acts_for_the_organizer_is_named() -> None:
    found = weighed(replace(ASKED, sent_by=KIM.address), sender=KIM.address, known=None)
    assert any("kim@example.net acts for the organizer" in mark for mark in found.marks)


@pytest.mark.parametrize(("method", "effect"), [("request", "change"), ("cancel", "cancel"), ("add", "change")])
def test_the_organizer_can_change_and_cancel(method: Any, effect: str) -> None:
    assert weighed(replace(ASKED, method=method)).effect == effect


@pytest.mark.parametrize("method", ["request", "cancel", "add", "publish", "counter", "reply", "refresh"])
@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({"organizer": BOB}, id="in the organizer's name"),
        pytest.param({"organizer": EVE}, id="as another organizer"),
        pytest.param({"organizer": None}, id="in nobody's name"),
        pytest.param({"organizer": BOB, "sequence": 99}, id="as the latest word"),
    ],
)
def test_a_strangers_word_about_a_known_event_changes_nothing(method: Any, claims: dict[str, Any]) -> None:
    found = weighed(replace(ASKED, method=method, **claims), sender=EVE.address)
    assert (found.effect, found.answer_to) == ("nothing", "")


def test_whoever_says_to_act_for_the_organizer_is_shown_and_changes_nothing() -> None:
    for method in ("request", "cancel"):
        found = weighed(replace(ASKED, method=method, sent_by=EVE.address), sender=EVE.address)  # type: ignore[arg-type]
        assert found.effect == "doubt"
        assert found.marks


def test_the_organizer_can_not_be_replaced_by_an_invitation() -> None:
    found = weighed(replace(ASKED, organizer=EVE), sender=EVE.address)
    assert found.effect == "nothing"
    assert "in your calendar bob@example.net organises this event" in found.marks


def test_the_organizer_can_not_hand_the_event_over_by_an_invitation() -> None:
    assert weighed(replace(ASKED, organizer=EVE)).effect == "nothing"


def test_an_older_word_changes_nothing() -> None:
    assert weighed(replace(ASKED, sequence=0)).effect == "nothing"
    assert weighed(replace(ASKED, sequence=1)).effect == "change"


def test_a_cancellation_of_what_is_not_known_does_nothing() -> None:
    assert weighed(replace(ASKED, method="cancel"), known=None).effect == "nothing"


@pytest.mark.parametrize("known", [MINE, replace(MINE, organizer=None)], ids=["organised", "without an organizer"])
def test_nobody_else_changes_or_cancels_what_the_owner_organises(known: Event) -> None:
    for method in ("request", "cancel"):
        for sender in (BOB.address, KIM.address, EVE.address, ANNA.address, ""):
            for organizer in (BOB, ANNA, None):
                said = replace(ASKED, method=method, organizer=organizer)  # type: ignore[arg-type]
                assert weighed(said, sender=sender, known=known).effect == "nothing"


@pytest.mark.parametrize(("method", "effect"), [("reply", "answer"), ("counter", "proposal"), ("refresh", "answer")])
def test_guests_of_the_owners_event_answer_and_propose(method: Any, effect: str) -> None:
    found = weighed(replace(ASKED, method=method, organizer=ANNA), sender="KIM@example.net", known=MINE)
    assert (found.effect, found.marks) == (effect, ())
    assert found.answer_to == (KIM.address if effect == "proposal" else "")


@pytest.mark.parametrize("method", ["reply", "counter", "refresh"])
def test_who_is_not_asked_can_neither_answer_nor_propose(method: Any) -> None:
    found = weighed(replace(ASKED, method=method, organizer=ANNA), sender=EVE.address, known=MINE)
    assert (found.effect, found.marks) == ("nothing", ("eve@evil.example is not asked to this event",))


def test_an_invitation_without_an_organizer_is_marked() -> None:
    found = weighed(replace(ASKED, organizer=None), known=None)
    assert (found.effect, found.marks, found.answer_to) == ("invite", ("it names no organizer",), "")


def test_an_invitation_in_the_owners_own_name_is_not_answered() -> None:
    found = weighed(replace(ASKED, organizer=ANNA), sender=EVE.address, known=None)
    assert (found.answer_to, len(found.marks)) == ("", 1)
