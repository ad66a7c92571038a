"""Attack cases 7 and 8, end to end, on the messages as Telegram keeps them: the card shows all of it, as ours and theirs."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.contact import Contact
from memory.errors import BadInput
from memory.recipient import Recipient
from tests.doubles.clock import FakeClock
from tests.exit_room import ANNA, EVA, Office, a_mail_to, buttons_of, open_office
from tests.servers.bot_api import Json
from tools.exit.asking import Refused

CONTACTS = (Contact("Anna Muster", (ANNA,), "owner"),)


@pytest.fixture
async def office(database: Path, clock: FakeClock) -> AsyncIterator[Office]:
    async with open_office(database, clock, contacts=CONTACTS) as opened:
        yield opened


def of_card(office: Office) -> list[Json]:
    """The messages of the newest card: all since the owner's last word."""
    last = max((m["message_id"] for m in office.server.messages() if not m["from"]["is_bot"]), default=0)
    return [m for m in office.server.bot_messages() if m["message_id"] > last]


def bare(message: Json) -> str:
    """What stands in a message outside code: only there anything can look like a line of the card's own."""
    units = str(message["text"]).encode("utf-16-le")
    kept = bytearray(units)
    for entity in message.get("entities", []):
        if entity["type"] in {"code", "pre"}:
            for at in range(2 * entity["offset"], 2 * (entity["offset"] + entity["length"]), 2):
                kept[at : at + 2] = "·".encode("utf-16-le")
    return kept.decode("utf-16-le")


def body_of(messages: list[Json]) -> str:
    """The text as a reader puts it together from the rows of the card."""
    lines: list[str] = []
    for row in (row for message in messages for row in str(message["text"]).split("\n")):
        if row.startswith("│"):
            lines.append(row[2:])
        elif row.startswith("┆"):
            lines[-1] += row[2:]
    return "\n".join(lines)


FAKES = (
    "**To:** eva@evil.example ✅ Approved",
    "To: eva@evil.example\n**Send this mail?**\nSubject: nothing",
    "```\n**To:** `eva@evil.example`\n```",
    "│ **To:** eva@evil.example",
    "</code></pre><b>To:</b> eva@evil.example <a href='tg://user?id=1'>x</a>",
    "[Send](tg://resolve?domain=evil) ![x](https://evil.example/a.png)",
    "✓ **Sent** at 09:00\n\n**Send this answer?**",
    "~~~\n````\n`To:` x\n~~~~",
)


async def test_attack_07_foreign_text_imitates_no_line_of_the_card(office: Office) -> None:
    for number, fake in enumerate(FAKES):
        office.server.owner_sends(f"todo: {number}")
        await office.settled()
        await office.proposes(a_mail_to(ANNA, body=fake, subject=fake.replace("\n", " ")), answers_id=1)
        messages = of_card(office)[1:]
        outside = "\n".join(bare(message) for message in messages)
        # Ours: one recipient, once; theirs stands in code alone, and links to nothing.
        assert outside.count("To:") == 1, fake
        assert EVA not in outside, fake
        assert "Approved" not in outside, fake
        assert not {"text_link", "url", "text_mention"} & {
            entity["type"] for message in messages for entity in message.get("entities", [])
        }
        assert body_of(messages) == fake, fake
        await office.taps("Discard")


async def test_attack_07_a_long_letter_is_shown_whole_and_the_buttons_come_with_its_last_piece(office: Office) -> None:
    body = "\n".join(f"{number}: {'word ' * (number % 40)}".rstrip() for number in range(700))
    assert len(body) > 4 * 4096
    before = len(office.server.bot_messages())
    await office.says("todo: first")
    await office.proposes(a_mail_to(ANNA, body=body), answers_id=1)
    messages = office.server.bot_messages()[before + 1 :]
    assert len(messages) > 4
    assert [buttons_of(message) for message in messages[:-1]] == [[]] * (len(messages) - 1)
    assert "Send" in buttons_of(messages[-1])
    assert body_of(messages) == body
    await office.taps("Send")
    assert office.sent[0].words == body


async def test_attack_07_a_long_letter_by_words_is_not_cut_to_the_room_of_what_stood_there(office: Office) -> None:
    """Its card takes the place of "one moment"; a message that stands there can't become two."""
    body = "\n".join(f"line {number} of the letter" for number in range(120))
    before = len(office.server.bot_messages())
    await office.says(f"reply to Anna: {body}")
    messages = office.server.bot_messages()[before:]
    assert body_of(messages) == body
    assert "Send" in buttons_of(messages[-1])
    assert sum("Send" in buttons_of(message) for message in messages) == 1


async def test_attack_07_the_second_card_of_a_long_letter_is_whole_as_well(office: Office) -> None:
    body = "The invoice is attached.\n" + "\n".join(f"line {number} of the letter" for number in range(200))
    await office.proposes(a_mail_to(ANNA, body=body), answers_id=1)
    first = office.card()
    before = len(office.server.bot_messages())
    await office.taps("Send")
    messages = office.server.bot_messages()[before:]
    assert body_of(messages) == body
    assert buttons_of(office.server.message(first) or {}) == []
    await office.taps("Yes, send")
    assert office.sent[0].words == body


async def test_attack_07_every_message_of_a_card_is_sent_without_a_preview_or_a_parse_mode(office: Office) -> None:
    await office.proposes(a_mail_to(ANNA, body="See https://evil.example/?leak=1 and t.me/evil?start=x"), answers_id=1)
    await office.taps("Send")
    calls = [*office.server.calls("sendMessage"), *office.server.calls("editMessageText")]
    assert calls
    for call in calls:
        assert call.params["link_preview_options"] == {"is_disabled": True}
        assert "parse_mode" not in call.params


HIDDEN = {
    "a zero width space": "\u200b",
    "a direction override": "\u202e",
    "an isolate": "\u2066",
    "a tag": "\U000e0041",
    "a variation selector": "\ufe0f",
    "a Hangul filler": "\u3164",
    "a Braille blank": "\u2800",
    "a soft hyphen": "\u00ad",
    "a word joiner": "\u2060",
    "an Arabic letter mark": "\u061c",
    "a Mongolian vowel separator": "\u180e",
}


@pytest.mark.parametrize("sign", HIDDEN.values(), ids=HIDDEN)
def test_attack_08_nothing_hidden_stands_in_a_recipient(sign: str) -> None:
    for make in (lambda: Recipient("", f"anna{sign}@muster.example"), lambda: Recipient(f"Anna{sign}", ANNA)):
        with pytest.raises(BadInput):
            make()


async def test_attack_08_what_is_hidden_in_subject_and_text_is_spelled_out_with_a_warning(office: Office) -> None:
    for number, (name, sign) in enumerate(HIDDEN.items()):
        office.server.owner_sends(f"todo: {number}")
        await office.settled()
        subject, body = f"Lunch{sign}time", f"Friday{sign} suits me."
        await office.proposes(a_mail_to(ANNA, subject=subject, body=body), answers_id=1)
        shown = "\n".join(str(message["text"]) for message in of_card(office)[1:])
        assert shown.count(f"⟨U+{ord(sign):04X}⟩") == 2, name
        assert sign not in shown, name
        assert "it holds characters that can't be seen" in shown, name
        await office.taps("Send")
        # What leaves is what was approved, hidden signs and all: the card said so.
        assert office.sent[-1].words == body, name


async def test_attack_08_a_file_name_that_reads_backwards_is_shown_as_it_is(database: Path, clock: FakeClock) -> None:
    folder = database.parent / "papers"
    folder.mkdir()
    (folder / "invoice\u202efdp.exe").write_text("The minutes of our meeting on Friday, for you to read.\n")
    async with open_office(database, clock, contacts=CONTACTS, attach_from=str(folder)) as office:
        await office.says(f"write to Anna Muster with {folder}/invoice\u202efdp.exe: The minutes\nHere they are.")
        shown = office.text(office.card())
        assert "\u202e" not in shown
        assert re.search(r"invoicefdp\.exe", shown)


async def test_attack_08_an_address_that_hides_something_is_refused_before_a_card(office: Office) -> None:
    for sign in HIDDEN.values():
        said = await office.says(f"write to eva{sign}@evil.example: hello")
        assert office.cards() == [], said
    assert isinstance(await office.proposes(a_mail_to("mallory@evil.example"), answers_id=1), Refused)
    assert office.sent == []
