"""Identity documents: never attached, by whatever path; what can't be read asks twice. All documents here are made up."""

import time

import pytest

from memory.envelope_words import FILES
from memory.identity_document import AskTwice, Never, has_machine_readable_zone, judge

ORDINARY = "Minutes of the meeting about the garden, with a list of what to plant in spring."

# The specimens of ICAO 9303, parts 4 to 6: Utopia issues no passports.
TD3 = "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10"
TD2 = "I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<\nD231458907UTO7408122F1204159<<<<<<<6"
TD1 = "I<UTOD231458907<<<<<<<<<<<<<<<\n7408122F1204159UTO<<<<<<<<<<<6\nERIKSSON<<ANNA<MARIA<<<<<<<<<<"


def judged(
    name: str = "notes.pdf",
    *,
    path: str | None = None,
    media_type: str = "application/pdf",
    text: str | None = ORDINARY,
) -> Never | AskTwice | None:
    return judge(path=path or f"/home/ola/Documents/{name}", name=name, media_type=media_type, text=text)


def test_an_ordinary_file_is_not_in_the_way() -> None:
    assert judged() is None


# --- attack 25: by any path ---


@pytest.mark.parametrize(
    "name",
    ["passport.pdf", "Passport_Ola.pdf", "PassportScan.png", "scan-reisepass.pdf", "Reisepass2026.pdf", "Personalausweis.pdf", "ausweis_vorne.jpg",
     "Ausweiskopie Ola.pdf", "Führerschein.pdf", "Fu\u0308hrerschein.pdf", "FUEHRERSCHEIN.PDF", "drivers_license.jpg", "driver's license.jpg",
     "driving-licence.pdf", "IDcard.png", "id_card_front.png", "ID-Scan.pdf", "SSN.txt", "social_security_card.pdf", "visa.pdf", "Aufenthaltstitel.pdf",
     "Geburtsurkunde.pdf", "birth certificate.pdf", "раssроrt.pdf", "pass\u200bport.pdf", "ｐａｓｓｐｏｒｔ.pdf"],
    ids=ascii,
)  # fmt: skip
def test_attack_25_a_name_that_says_so_is_enough(name: str) -> None:
    assert isinstance(judged(name), Never)
    # Renamed for the occasion, it still lies where it lies.
    assert isinstance(judge(path=f"/x/{name}", name="holiday.pdf", media_type="application/pdf", text=ORDINARY), Never)


@pytest.mark.parametrize(
    "folder", ["Passports", "Ausweise", "IDs", "identity documents", "Visum", "Papers/ID Cards/2026"]
)
def test_attack_25_the_folder_in_which_it_really_lies_is_enough(folder: str) -> None:
    assert isinstance(judged(path=f"/home/ola/{folder}/scan0001.pdf"), Never)


@pytest.mark.parametrize(
    "name",
    ["boarding-pass.pdf", "ski pass.pdf", "kids.pdf", "idea.pdf", "compass.pdf", "passwords.txt", "provisional.pdf", "Energieausweis.pdf", "Lohnausweis.pdf",
     "invisable.pdf", "advisor.pdf", "personal.pdf", "video.pdf", "Nachweis.pdf"],
)  # fmt: skip
def test_a_name_that_only_sounds_so_is_not(name: str) -> None:
    assert judged(name) is None


def test_a_pass_that_may_be_one_asks_twice() -> None:
    assert isinstance(judged("Pass Ola.pdf"), AskTwice)


@pytest.mark.parametrize("zone", [TD3, TD2, TD1], ids=["passport", "card of two lines", "card of three lines"])
@pytest.mark.parametrize(
    "dress",
    [
        lambda zone: zone,
        lambda zone: f"Some words before\n{zone}\nand after",
        lambda zone: zone.replace("\n", "\r\n"),
        lambda zone: zone.replace("\n", ""),
        lambda zone: zone.replace("<<", "«"),
        " ".join,
        str.lower,
    ],
    ids=["as it is", "among words", "CRLF", "one line", "guillemets", "spaced", "lower case"],
)
def test_attack_25_a_machine_readable_zone_is_enough(zone: str, dress: object) -> None:
    assert callable(dress)
    text = dress(zone)
    assert has_machine_readable_zone(text)
    assert isinstance(judged(text=text), Never)


@pytest.mark.parametrize("line", [line for zone in (TD3, TD2) for line in zone.split("\n")[1:]])
def test_a_zone_with_a_wrong_digit_is_none(line: str) -> None:
    assert has_machine_readable_zone(line)
    for at, sign in enumerate(line[:9]):
        other = "7" if sign != "7" else "8"
        assert not has_machine_readable_zone(line[:at] + other + line[at + 1 :])


def test_attack_25_a_badly_read_zone_still_shows_by_its_name_line() -> None:
    badly = TD3.replace("L898902C3", "L89B902C3")
    assert not has_machine_readable_zone(badly)
    assert isinstance(judged(text=f"words\n{badly}"), Never)


def test_arrows_and_long_numbers_are_no_zone() -> None:
    assert judged(text="<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n" + "0123456789" * 30) is None


@pytest.mark.parametrize(
    "text",
    [
        "PASSPORT\nSurname / Nom\nGiven names\nNationality\nDate of birth\nPlace of birth\nAuthority",
        "BUNDESREPUBLIK DEUTSCHLAND\nPERSONALAUSWEIS\nName\nVornamen OLA\nStaatsangehörigkeit DEUTSCH\nGeburtsdatum\nGültig bis",
        "FÜHRERSCHEIN\nGeburtsort\nAusstellungsdatum\nBehörde",
        "His SSN: 123-45-6789 as requested",
        "Social security number is 123 45 6789.",
        "Personalausweis Nr. T220001293 of Ola",
    ],
    ids=["passport", "Personalausweis", "Führerschein", "SSN", "SSN with spaces", "serial number"],
)
def test_attack_25_the_words_of_a_document_are_enough(text: str) -> None:
    assert isinstance(judged(text=text), Never)


def test_a_text_that_speaks_of_one_asks_twice() -> None:
    assert isinstance(judged(text="For the journey please bring a passport and an umbrella."), AskTwice)


@pytest.mark.parametrize(
    ("media_type", "text"),
    [
        ("image/jpeg", None),
        ("image/png", ORDINARY),
        ("video/mp4", None),
        ("application/pdf", None),
        ("application/pdf", ""),
        ("application/pdf", " \n 1 "),
        ("application/zip", None),
        ("application/octet-stream", None),
    ],
)
def test_attack_25_what_can_not_be_read_asks_twice(media_type: str, text: str | None) -> None:
    assert isinstance(judged(media_type=media_type, text=text), AskTwice)


@pytest.mark.parametrize(
    "text", ["A" * 300_000, "<" * 300_000, "PA<" * 100_000, "0" * 300_000, "C" * 300_000], ids=lambda text: text[:3]
)
def test_no_text_takes_long_to_judge(text: str) -> None:
    began = time.process_time()
    judged(text=text)
    assert time.process_time() - began < 5


def test_every_reason_has_words_in_both_languages() -> None:
    samples = (
        judged("visa.pdf"),
        judged(text=TD3),
        judged("Pass.pdf"),
        judged(text=None),
        judged(text="the passport of somebody else"),
    )
    assert {sample.because for sample in samples if sample} <= set(FILES)
    assert all(english and german and english != german for english, german in FILES.values())


def test_a_short_plain_text_is_read_and_asks_once() -> None:
    assert judged("list.txt", media_type="text/plain; charset=utf-8", text="Milk, bread") is None
    assert isinstance(judged("list.txt", media_type="text/plain", text=" \n"), AskTwice)
    assert isinstance(judged("list.pdf", text="Milk, bread"), AskTwice)
    assert isinstance(judged("pass.txt", media_type="text/plain", text="Reisepass"), AskTwice)
