"""Addresses become one person by evidence, never by a bare name; roles, robots and shared mailboxes are nobody."""

from itertools import permutations
from time import process_time

import pytest

from memory.people.calling import as_said
from memory.people.joining import People, Seen, join
from memory.people.mailbox import folded_name, is_robot, is_role, mailbox_of
from memory.people.oneself import Oneself

WORK, HOME, OTHER = "jane.doe@acme.example", "jane.doe@gmail.com", "jd77@other.example"


def seen(address: str, name: str = "Jane Doe", **given: object) -> Seen:
    return Seen(address=address, name=name, **given)  # type: ignore[arg-type]


def are_one(people: People, one: str, other: str) -> bool:
    left, right = people.of(one), people.of(other)
    return left is not None and left == right


def answered(address: str, name: str = "Jane Doe", **given: object) -> list[Seen]:
    """Somebody wrote in a thread, and the owner wrote to them."""
    return [seen(address, name, **given), seen(address, name, wrote=False, by_owner=True)]


@pytest.mark.parametrize(
    ("sightings", "is_one"),
    [
        pytest.param([seen(WORK), seen(OTHER)], False, id="a bare name"),
        pytest.param([seen(WORK), seen(HOME)], False, id="addresses made of the name say no more than the name"),
        pytest.param([seen("jd77@acme.example"), seen("jd77@web.de")], True, id="the name and the same odd address"),
        pytest.param([seen("jd77@acme.example", "Jane"), seen("jd77@web.de", "Jane")], False, id="no full name"),
        pytest.param([seen("jd77@acme.example", ""), seen("jd77@web.de", "")], False, id="no name at all"),
        pytest.param([seen("jd77@acme.example"), seen("jd77@web.de", "John Doe")], False, id="another name"),
        pytest.param(
            [seen("jd77@acme.example", "Doe, Jane"), seen("jd77@web.de", "Jane Doe (private)")],
            True,
            id="the family name first",
        ),
        pytest.param([seen("jd77@acme.example"), seen("jd77@web.de", "Jane Does")], False, id="nearly the name"),
        pytest.param(
            [seen("km81@acme.example", "Käte Müller"), seen("km81@web.de", "Kaete Mueller")], True, id="umlauts"
        ),
        pytest.param(
            [*answered(WORK, thread="t"), *answered(OTHER, thread="t")], True, id="one thread, and answers to both"
        ),
        pytest.param([*answered(WORK, thread="t"), seen(OTHER, thread="t")], False, id="a stranger in the thread"),
        pytest.param(
            [*answered(WORK, thread="t", mail=1), *answered(OTHER, thread="t"), seen(OTHER, wrote=False, mail=1)],
            False,
            id="two who write to each other",
        ),
        pytest.param([*answered(WORK, thread="t"), *answered(OTHER, thread="u")], False, id="two threads"),
        pytest.param([seen(WORK, reply_to=OTHER), seen(OTHER)], True, id="the name and a Reply-To"),
        pytest.param([seen(WORK, "Ann Bee", reply_to=OTHER), seen(OTHER)], False, id="a Reply-To to somebody else"),
        pytest.param(
            [seen(WORK, "Jane Roe", reply_to=OTHER), seen(OTHER)],
            False,
            id="a first name and a Reply-To are not enough",
        ),
        pytest.param(
            [*answered(WORK, "Jane Roe", reply_to=OTHER, thread="t"), *answered(OTHER, thread="t")],
            True,
            id="a wedding: one first name, a Reply-To, one thread",
        ),
        pytest.param(
            [seen("jdoe@acme.example"), seen("janedoe@rival.example")], False, id="made of the name, two firms"
        ),
        pytest.param(
            [seen("jane.doe@acme.example"), seen("jane.doe2@acme.example")], False, id="colleagues of one name"
        ),
        pytest.param(
            [seen("jane.doe1@gmail.com"), seen("jane.doe2@gmail.com")], False, id="namesakes at a free provider"
        ),
        pytest.param(
            [*answered("jane.doe@acme.example", thread="t"), *answered("j.d@acme.example", thread="t")],
            True,
            id="an alias in one thread",
        ),
        pytest.param(
            [*answered(WORK, "Bill Doe", thread="t"), *answered(HOME, "William Doe", thread="t")],
            False,
            id="a name used for another only raises a score",
        ),
        pytest.param([seen("jane.doe@gmail.com", ""), seen("janedoe+list@googlemail.com", "")], True, id="one mailbox"),
        pytest.param([seen("Jane@Acme.Example", ""), seen("jane+shop@acme.example", "")], True, id="tag and case"),
    ],
)
def test_who_is_one_person(sightings: list[Seen], is_one: bool) -> None:
    assert are_one(join(sightings), sightings[0].address, sightings[-1].address) is is_one


def test_the_key_is_the_smallest_mailbox_whatever_the_order() -> None:
    sightings = [seen(WORK, reply_to=OTHER), seen(HOME), seen(OTHER), seen("bob@acme.example", "Bob Ray")]
    found = {
        tuple(sorted((each, person.key) for each, person in join(order).persons.items()))
        for order in permutations(sightings)
    }
    assert len(found) == 1
    assert join(sightings).of(OTHER) == join(sightings).of(WORK) != join(sightings).of(HOME)
    assert join(sightings).persons["jd77@other.example"].key == "jane.doe@acme.example"


def test_a_person_says_what_joined_them() -> None:
    person = join([seen(WORK, reply_to=OTHER), seen(OTHER)]).of(WORK)
    assert person is not None
    assert "the same full name" in person.because
    assert "one asks for answers to the other" in person.because


def test_a_join_is_sure_only_when_the_owner_wrote_to_every_address() -> None:
    asks = seen(WORK, reply_to=OTHER, thread="t")
    answer = seen(OTHER, thread="t", wrote=False, by_owner=True)
    half = join([asks, answer]).of(OTHER)
    whole = join([asks, answer, seen(WORK, wrote=False, by_owner=True)]).of(OTHER)
    assert half is not None
    assert whole is not None
    assert (half.is_sure, whole.is_sure) == (False, True)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param([seen(OTHER, reply_to=WORK)], id="asks for answers to whom they know"),
        pytest.param([seen(WORK, reply_to=OTHER)], id="asks in the name of whom they know"),
        pytest.param([seen("jd77@evil.example")], id="has the same odd address elsewhere"),
    ],
)
def test_a_stranger_makes_themselves_nobody_whom_the_owner_writes_to(written: list[Seen]) -> None:
    people = join([*answered(WORK), *answered("jd77@acme.example"), seen(OTHER), *written])
    known = {person.key for mailbox in (WORK, "jd77@acme.example") if (person := people.of(mailbox))}
    strangers = {person.key for mailbox in (OTHER, "jd77@evil.example") if (person := people.of(mailbox))}
    assert known.isdisjoint(strangers)


def test_being_named_as_a_recipient_in_a_thread_is_no_sign() -> None:
    named = [seen(WORK, thread="t", wrote=False), seen(OTHER, thread="t", wrote=False)]
    assert not are_one(join(named), WORK, OTHER)


def test_namesakes_at_one_firm_do_not_meet_in_a_third_address() -> None:
    people = join(
        [
            seen("jane.doe1@acme.example"),
            seen("jane.doe1@gmail.com"),
            seen("jane.doe@acme.example"),
            seen("janedoe@gmail.com"),
        ]
    )
    assert not are_one(people, "jane.doe1@acme.example", "jane.doe@acme.example")


@pytest.mark.parametrize(
    ("sightings", "why"),
    [
        pytest.param([seen("info@acme.example", "Acme Info")], "role", id="info"),
        pytest.param([seen("rechnung@acme.example", "Acme Rechnung")], "role", id="rechnung"),
        pytest.param([seen("no-reply@acme.example", "Jane Doe")], "automated", id="no-reply"),
        pytest.param(
            [seen(OTHER, is_automated=True), seen(OTHER, is_automated=True), seen(OTHER)],
            "automated",
            id="mostly automatic",
        ),
        pytest.param(
            [seen(OTHER, "Ann Bee"), seen(OTHER, "Cy Dee"), seen(OTHER, "Eve Eff")], "shared", id="three names"
        ),
    ],
)
def test_who_is_nobody(sightings: list[Seen], why: str) -> None:
    people = join(sightings)
    assert people.of(sightings[0].address) is None
    assert people.nobody[mailbox_of(sightings[0].address)] == why


def test_one_person_with_two_spellings_is_not_shared() -> None:
    sightings = [
        seen(OTHER, "Jane Doe"),
        seen(OTHER, "Doe, Jane"),
        seen(OTHER, "Jane M. Doe"),
        seen(OTHER, "Dr. Jane Doe"),
    ]
    assert join(sightings).of(OTHER) is not None


def test_a_name_that_very_many_addresses_bear_joins_none() -> None:
    people = join([seen(f"jane.doe@host{n}.example") for n in range(500)])
    assert not are_one(people, "jane.doe@host1.example", "jane.doe@host2.example")


def test_time_grows_no_faster_than_the_sightings() -> None:
    many = [seen(f"a{n}@h{n % 700}.example", f"First{n % 900} Last", thread=str(n % 50)) for n in range(40_000)]
    started = process_time()
    join(many)
    assert process_time() - started < 6.0


@pytest.mark.parametrize(
    ("address", "robot", "role"),
    [
        ("noreply@x.example", True, False),
        ("shop-no-reply@x.example", True, False),
        ("bounces+123@x.example", True, False),
        ("newsletter@x.example", True, False),
        ("calendar-notification@x.example", True, False),
        ("support@x.example", False, True),
        ("kunden.service@x.example", False, True),
        ("anna@x.example", False, False),
        ("norbert@x.example", False, False),
        ("nora.reply@x.example", False, False),
        ("alertson@x.example", False, False),
        ("information.desk@x.example", False, False),
    ],
)
def test_what_an_address_says(address: str, robot: bool, role: bool) -> None:
    assert (is_robot(address), is_role(address)) == (robot, role)


def test_the_owner_is_known_in_every_spelling_that_reaches_the_mailbox() -> None:
    me = Oneself(addresses=frozenset({"jo.baker@gmail.com", "jo@work.example"}), names=("Jo Baker",))
    assert me.is_mine("JoBaker+shop@googlemail.com")
    assert me.is_mine("JO@work.example")
    assert not me.is_mine("j.o@work.example")
    assert not me.is_mine(None)
    assert not me.is_mine("")
    assert me.calls == {"Jo", "Baker"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Doe, Jane", ("jane", "doe")),
        ("Dr. Jane Doe", ("jane", "doe")),
        ("'Jane Doe'", ("jane", "doe")),
        ("Jane DOE [Acme]", ("jane", "doe")),
        ("Zoë Müller", ("zoe", "mueller")),
        ("", ()),
        ("12345", ()),
    ],
)
def test_names_are_compared_by_their_words(name: str, words: tuple[str, ...]) -> None:
    assert folded_name(name) == words


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Winter, Anna", "Anna Winter"),
        ("Winter, Anna M.", "Anna M. Winter"),
        ("von der Heide, Jan-Peter", "Jan-Peter von der Heide"),
        ("O'Brien, Tom (Heron)", "Tom O'Brien (Heron)"),
        ("Müller-Lüdenscheidt, Ömer", "Ömer Müller-Lüdenscheidt"),
        ("Anna Winter", "Anna Winter"),
        ("Heron, Inc.", "Heron, Inc."),
        ("Anna Winter, PhD", "Anna Winter, PhD"),
        ("Winter, Anna, Heron", "Winter, Anna, Heron"),
        ("Winter, Anna via Lists", "Winter, Anna via Lists"),
        ("Anna und Ben, Winter", "Anna und Ben, Winter"),
        ("3M, Anna", "3M, Anna"),
        (",", ","),
        ("", ""),
    ],
)
def test_a_name_that_an_office_turned_round_is_shown_as_one_says_it(written: str, said: str) -> None:
    assert as_said(written) == said
