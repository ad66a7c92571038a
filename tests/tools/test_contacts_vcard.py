"""A vCard file as contacts: what real address books write, and what no file may do."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.contacts.vcard import FILE_MAX_BYTES, AddressBook, CardFault, read_vcards

VERSION_3 = "BEGIN:VCARD\r\nVERSION:3.0\r\n{lines}\r\nEND:VCARD\r\n"
VERSION_4 = "BEGIN:VCARD\r\nVERSION:4.0\r\n{lines}\r\nEND:VCARD\r\n"


def book(*cards: str) -> AddressBook:
    return read_vcards("".join(cards).encode())


def three(*lines: str) -> str:
    return VERSION_3.format(lines="\r\n".join(lines))


def four(*lines: str) -> str:
    return VERSION_4.format(lines="\r\n".join(lines))


def people(found: AddressBook) -> list[tuple[str, tuple[str, ...]]]:
    return [(contact.name, contact.addresses) for contact in (card.contact for card in found.cards)]


def test_many_cards_of_both_versions_are_read() -> None:
    found = book(
        three("FN:Anna Brandt", "N:Brandt;Anna;;;", "EMAIL;TYPE=WORK,PREF:Anna@Beispiel.EXAMPLE", "TEL:+49 30 1"),
        four(
            "FN:Ben Ode", "EMAIL;PREF=1:ben@example.org", "item1.EMAIL:MAILTO:ben@home.example", "item1.X-ABLabel:home"
        ),
    )
    assert people(found) == [
        ("Anna Brandt", ("Anna@beispiel.example",)),
        ("Ben Ode", ("ben@example.org", "ben@home.example")),
    ]
    assert found.faults == ()
    assert {card.contact.source for card in found.cards} == {"vcard"}


@pytest.mark.parametrize(
    ("card", "name"),
    [
        (three("FN:Müller\\, Jürgen", "EMAIL:j@example.org"), "Müller, Jürgen"),
        (three("FN:Anna Maria Bra", " ndt", "EMAIL:j@exam", " ple.org"), "Anna Maria Brandt"),
        (three("N:Brandt;Anna;;Dr.;", "EMAIL:j@example.org"), "Anna Brandt"),
        (three("ORG:Beispiel GmbH;Einkauf", "EMAIL:j@example.org"), "Beispiel GmbH Einkauf"),
        (three("EMAIL:j@example.org"), ""),
        (
            "BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=\n=BCller\n"
            "EMAIL;INTERNET:j@example.org\nEND:VCARD\n",
            "Müller",
        ),
        (three("FN:A\u202enna\u200b Brandt", "EMAIL:j@example.org"), "Anna Brandt"),
        (three("FN:Anna\\nTo: eve@example.org", "EMAIL:j@example.org"), "Anna To: eve@example.org"),
        (three("PHOTO;ENCODING=b;TYPE=JPEG:" + "A" * 99_999, "FN:Anna", "EMAIL:j@example.org"), "Anna"),
        (three("FN:Anna", "this line means nothing", "BDAY:gestern", "EMAIL:j@example.org"), "Anna"),
    ],
    ids=[
        "escaped",
        "folded",
        "from its parts",
        "a company",
        "no name",
        "quoted-printable",
        "hidden letters",
        "a line in it",
        "a picture",
        "odd lines",
    ],
)
def test_the_name_is_what_the_owner_would_say(card: str, name: str) -> None:
    assert people(book(card)) == [(name, ("j@example.org",))]


def test_a_card_is_known_again_by_its_uid_or_by_what_stands_in_it() -> None:
    with_uid = four("UID:urn:uuid:4711", "FN:Ben", "EMAIL:ben@example.org")
    renamed = four("UID:urn:uuid:4711", "FN:Benjamin", "EMAIL:ben@example.net")
    without = three("FN:Anna", "EMAIL:anna@example.org")
    keys = [card.key for card in book(with_uid, renamed, without, without).cards]
    assert keys[0] == keys[1] == "urn:uuid:4711"
    assert keys[2] == keys[3]
    assert len(set(keys)) == 2


def test_broken_cards_are_listed_and_the_others_are_read() -> None:
    found = book(
        three("FN:One", "EMAIL:one@example.org"),
        three("FN;=:Two", "EMAIL:two@example.org"),
        three("FN:Three", "EMAIL:Three <three@example.org>, eve@example.org"),
        "BEGIN:VCARD\r\nFN:Four\r\nEMAIL:four@example.org\r\n",
        three("FN:Five", "TEL:+49 30 1"),
        four("KIND:group", "FN:Everybody", "EMAIL:all@example.org"),
        three("FN:Seven", "EMAIL:seven@example.org"),
    )
    assert [name for name, _ in people(found)] == ["One", "Seven"]
    assert [fault.number for fault in found.faults] == [2, 3, 4, 6]
    assert found.without_address == 1


@pytest.mark.parametrize(
    "address", ["anna@example.org\u200b", "a nna@example.org", "anna@example。org", "anna@localhost", '"a"@x.de']
)
def test_an_address_in_doubt_makes_no_contact(address: str) -> None:
    assert book(three("FN:Anna", f"EMAIL:{address}")).cards == ()


def test_a_file_without_cards_says_so() -> None:
    assert read_vcards(b"").faults == (CardFault(0, "there is no card in the file"),)
    assert read_vcards(b"\xff\xfe\0\0\x01").cards == ()


def test_a_file_beyond_all_measure_is_not_read() -> None:
    assert read_vcards(b"x" * (FILE_MAX_BYTES + 1)).faults[0].number == 0


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_every_usual_encoding_is_read(encoding: str) -> None:
    card = three("FN:Jürgen Groß", "EMAIL:j@example.org")
    assert [found.contact.name for found in read_vcards(card.encode(encoding)).cards] == ["Jürgen Groß"]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(content: bytes) -> None:
    read_vcards(content)
    read_vcards(b"BEGIN:VCARD\nVERSION:4.0\n" + content + b"\nEMAIL:a@b.de\nEND:VCARD\n")
    read_vcards(b"BEGIN:VCARD\nEMAIL" + content + b"\nN:" + content + b"\nEND:VCARD\n")
