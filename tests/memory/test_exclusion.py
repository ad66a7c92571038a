"""What is never read: which mails and events a rule covers, and what is no rule."""

import pytest

from memory.errors import BadInput
from memory.exclusion import NOTHING, UnreadableExclusions, read_exclusions, rule_line

LIST = read_exclusions(
    """
    # what is nobody's business
    address therapist@practice.example
    address anna.winter@gmail.com
    address shop+returns@store.example   # the tag alone
    domain  clinic.example
    domain\tmüller.example
    person  Anna Example
    person: "Öztürk, Can"
    person  Studio 54
    folder  Private/Diary
    folder  C#
    """
)


@pytest.mark.parametrize(
    "address",
    [
        "therapist@practice.example",
        " Therapist@PRACTICE.example. ",
        "therapist+invoices@practice.example",
        "<therapist@practice.example>",
        "annawinter@gmail.com",
        "a.n.n.a.winter+x@googlemail.com",
        "shop+returns@store.example",
        "anybody@clinic.example",
        "anybody@mail.intern.clinic.example",
        "post@xn--mller-kva.example",
        "post@MÜLLER.example",
    ],
)
def test_an_address_is_covered_in_every_spelling_that_reaches_it(address: str) -> None:
    assert LIST.covers_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "therapist",
        "other@practice.example",
        "therapist@practice.example.org",
        "therapist@mail.practice.example",
        "anybody@notclinic.example",
        "anybody@example",
        "clinic.example@elsewhere.example",
        "shop@store.example",
        "shop+orders@store.example",
        "anna.winter@elsewhere.example",
    ],
)
def test_an_address_that_only_looks_like_it_is_not_covered(address: str) -> None:
    assert not LIST.covers_address(address)


@pytest.mark.parametrize(
    "name",
    [
        "Anna Example",
        "anna  EXAMPLE",
        "Example, Anna",
        '"Example, Anna"',
        "'Anna Example'",
        "Dr. Anna Example",
        "Anna Example (Clinic)",
        "Anna Example via Neighbours",
        "Can Öztürk",
        "Can Oeztuerk",
        "Öztürk, Can",
        "Studio 54",
    ],
)
def test_a_person_is_covered_however_their_name_is_written(name: str) -> None:
    assert LIST.covers_name(name)


@pytest.mark.parametrize(
    "name", ["", "Anna", "Example", "Anna Exampleson", "Anna B. Example", "Anna, Example", "Studio", "Studio 55"]
)
def test_another_person_is_not_covered(name: str) -> None:
    assert not LIST.covers_name(name)


@pytest.mark.parametrize(
    "folder",
    [
        "Private/Diary",
        "private/diary/2026",
        "Private.Diary",
        "INBOX.Private.Diary",
        r"Private\Diary",
        "C#",
        " Private/Diary/",
    ],
)
def test_a_folder_is_covered_with_all_that_lies_in_it(folder: str) -> None:
    assert LIST.covers_folder(folder)


@pytest.mark.parametrize("folder", ["", "Private", "Diary", "Private/Diaries", "Work/Private/Diary", "C"])
def test_another_folder_is_not_covered(folder: str) -> None:
    assert not LIST.covers_folder(folder)


def test_one_covered_person_or_folder_covers_the_whole() -> None:
    others = [("Bob", "bob@example.net"), ("", "")]
    assert LIST.covers([*others, ("", "therapist@practice.example")])
    assert LIST.covers([*others, ("Anna Example", "")])
    assert LIST.covers(others, "INBOX", "Private/Diary")
    assert not LIST.covers(others, "INBOX", "")


def test_no_list_covers_nothing() -> None:
    assert NOTHING.is_empty
    assert read_exclusions("# only a remark\n\n") == NOTHING
    assert not NOTHING.covers([("Anna Example", "anna@clinic.example"), ("", "")], "Private")


@pytest.mark.parametrize(
    "line",
    [
        "adress therapist@practice.example",
        "therapist@practice.example",
        "address",
        "address therapist",
        "address a@b@c.example",
        "address two of@them.example",
        "domain clinic",
        "domain anna@clinic.example",
        "person",
        "folder /",
        "exclude domain clinic.example",
    ],
)
def test_a_line_that_is_no_rule_is_named_by_its_number_and_not_by_whom_it_is_about(line: str) -> None:
    with pytest.raises(UnreadableExclusions, match="line 3 of the exclusions") as raised:
        read_exclusions(f"person Anna Example\n\n{line}\ndomain clinic.example")
    assert not any(word in str(raised.value) for word in ("therapist", "practice", "clinic", "Anna"))


@pytest.mark.parametrize("start", ["\ufeff", ""])
def test_a_byte_order_mark_and_spaces_change_no_rule(start: str) -> None:
    assert read_exclusions(f"{start}  domain   @Clinic.Example. ") == read_exclusions("domain *.clinic.example")


def test_a_rule_that_is_added_reads_as_it_was_meant() -> None:
    assert rule_line("person", " Anna   Example ") == "person Anna Example"
    assert read_exclusions(rule_line("folder", "Private/Diary")).covers_folder("Private/Diary")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("person", ""),
        ("address", "nobody"),
        ("domain", "clinic"),
        ("folder", "Mail #2"),
        ("somebody", "Anna"),
        ("folder x\nperson", "Anna"),
    ],
)
def test_what_would_be_no_rule_is_not_added(kind: str, value: str) -> None:
    with pytest.raises(BadInput):
        rule_line(kind, value)


@pytest.mark.parametrize(
    ("text", "is_covered"),
    [
        ("I am married to Mira Secret.", True),
        ("Lunch (Mira Secret, Bo)", True),
        ("Dr. MIRA SECRET’s birthday", True),
        ("Maria Luisa de la Cruz Santos called", True),
        ("write to mira@hidden.example.", True),
        ("Mira kept a secret", False),
        ("Maria Luisa called", False),
        ("mira@other.example", False),
        ("", False),
    ],
)
def test_a_text_is_covered_when_it_names_somebody_on_the_list_or_their_address(text: str, is_covered: bool) -> None:
    listed = read_exclusions("person Mira Secret\nperson Maria Luisa de la Cruz Santos\ndomain hidden.example\n")
    assert listed.covers_text("nothing here", text) is is_covered
    assert not NOTHING.covers_text(text)
