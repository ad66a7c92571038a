"""The card of an envelope: all of it, uncut, and no words of others pass for its own lines."""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memory
from bot.telegram.drawing import draw
from bot.terminal.drawing import Page
from bot.terminal.wire import Said
from memory.approval import DISCARD, EDIT, LATER, REDIRECT, SEND, SEND_AGAIN
from memory.authenticity import Standing
from memory.card import StoredCard, callback
from memory.contact import Contact, StoredContact
from memory.envelope import Action, Envelope
from memory.envelope_card import Answered, Grounds, card, standing_words, text
from memory.envelope_words import FILES, REASONS, SCRIPTS, TEXTS, reason
from memory.legible import legible
from memory.markdown import marks
from memory.owner import Language
from memory.provenance import Provenance
from memory.quotation import BAR, BAR_ON
from memory.recipient import Recipient, parsed
from memory.sensitive import Sensitive
from tests.doubles.clock import NOW
from tests.doubles.enveloped import ACT, ANNA, BODIES, ENVELOPES, FIELDS, MAIL

MEMORY = Path(str(memory.__file__)).parent

LANGUAGES: tuple[Language, ...] = get_args(Language)
BARE = Grounds(because="a reply is owed")
RECORD = StoredContact(3, 1, Contact("Anna Muster", (ANNA.address,), "vcard"))
FULL = Grounds(
    because="a reply is owed",
    sources={
        "anna@muster.example": Provenance(address=ANNA.address, rule="thread", row="mail:7", place="from", contact=RECORD),
        "bob@firm.example": Provenance(address="bob@firm.example", rule="thread", row="mail:7", place="cc", said_by="anna@muster.example"),
        "cy@muster.example": Provenance(address="cy@muster.example", rule="typed", row="message:9"),
    },
    answered=Answered(name="Anna", address="anna@muster.example", when="Monday, 2 March at 10:00"),
    standing=Standing(proof="proven", contact=RECORD),
    asks_for=("else@muster.example",),
    sensitive=Sensitive(("money", "law"), ("500 EUR", "contract")),
    file_doubts={"map.pdf": "it can't be read, so it may show an identity document"},
)  # fmt: skip

EXPECTED = """\
**Send this answer?**
**From:** `ola@own.example` · name `Ola Owner` · account `work`
**To:** `anna@muster.example` · name `Anna Muster` · wrote mail:7 · in your records, contact:3
**Cc:** `bob@firm.example` · without a name · stands in Cc of mail:7, from `anna@muster.example` · in none of your contacts' records
**Bcc (hidden from the others):** `cy@muster.example` · name `Cy` · you typed it, message:9
**Subject:** `Lunch on Friday`
**Text**
```
│ Dear Anna,
│
│ Friday at noon suits me.
│
│ Ola
```
**Attachment:** `map.pdf` · `application/pdf` · 12,345 bytes · sha-256 `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`
**Attachment:** `b.txt` · `text/plain` · 3 bytes · sha-256 `bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb`
**Sent as:** plain text
**Message-ID:** `0123abcd@own.example`
**In-Reply-To:** `first@muster.example`
**References:** 2 · sha-256 `f36e`
**Answers:** the mail of Monday, 2 March at 10:00 from `Anna` `anna@muster.example`
**Its sender:** its domain vouches for it · your contact `Anna Muster`
**Asks for answers at:** `else@muster.example` · not a recipient; this goes to the sender
**Careful:** `map.pdf`: I can't read it, so it may show an identity document. Look at it; it takes a second tap.
**Careful:** this is about money and law (`500 EUR`, `contract`). It takes a second tap.
**Why:** `a reply is owed`"""


def test_a_card_tells_everything() -> None:
    shown = re.sub(r"(\*\*References:\*\* 2 · sha-256 `)[0-9a-f]{64}`", r"\1f36e`", text(MAIL, FULL, "en"))
    assert shown == EXPECTED


# --- attack 7: nothing can be imitated, nothing is cut ---


@settings(max_examples=300)
@given(ENVELOPES, ENVELOPES, st.sampled_from(LANGUAGES))
def test_attack_07_two_envelopes_never_give_the_same_card(one: Envelope, other: Envelope, language: Language) -> None:
    assert (text(one, BARE, language) == text(other, BARE, language)) == (one == other)


@given(ENVELOPES, st.data())
def test_attack_07_a_change_of_one_field_changes_the_card(envelope: Envelope, data: st.DataObject) -> None:
    name = data.draw(
        st.sampled_from(
            ["subject", "body"] if envelope.act is None else ["title", "place", "zone", "comment", "calendar"]
        )
    )
    words = data.draw(BODIES if name in {"body", "comment"} else FIELDS)
    changed = (
        replace(envelope, **{name: words})
        if envelope.act is None
        else replace(envelope, act=replace(envelope.act, **{name: words}))
    )  # type: ignore[arg-type]
    assert (text(changed, BARE, "en") == text(envelope, BARE, "en")) == (changed == envelope)


@given(ENVELOPES, ENVELOPES)
def test_attack_07_two_envelopes_never_look_the_same_in_telegram(one: Envelope, other: Envelope) -> None:
    drawn = ["\n".join(chunk.text for chunk in draw(text(envelope, BARE, "en"))) for envelope in (one, other)]
    assert (drawn[0] == drawn[1]) == (one == other)


LABELS = {TEXTS[key][german] for key in TEXTS for german in (False, True)}


def seen_lines(markdown: str) -> Iterator[tuple[str, bool]]:
    """The lines as a reader sees them, without any markup, and whether each begins in bold."""
    line, bold, in_bold = "", False, False
    for mark in marks(markdown):
        if mark.name == "Strong":
            in_bold = mark.kind == "Start"
        if mark.kind in {"Text", "Code"}:
            bold = bold or (not line and in_bold)
            line += str(mark.data)
        ends = mark.kind in {"SoftBreak", "HardBreak"} or (
            mark.kind == "End" and mark.name in {"Paragraph", "CodeBlock"}
        )
        if ends or "\n" in line:
            *whole, rest = line.split("\n") if "\n" in line else (line, "")
            for one in whole:
                yield one, bold
                bold = False
            line = rest


@given(ENVELOPES, st.sampled_from(LANGUAGES))
def test_attack_07_every_line_is_one_of_ours_in_bold_or_bears_a_bar(envelope: Envelope, language: Language) -> None:
    for line, bold in seen_lines(text(envelope, FULL, language)):
        bears_a_bar = line.startswith((BAR, BAR_ON)) or line in {BAR.rstrip(), ""}
        assert bold != bears_a_bar
        if bold:
            assert line.split(":")[0] in LABELS or line.endswith("?") or line.endswith(".")


@given(ENVELOPES)
def test_attack_07_without_any_markup_foreign_lines_still_bear_a_bar(envelope: Envelope) -> None:
    for line in text(envelope, BARE, "en").split("\n"):
        assert line.startswith(("**", BAR, BAR_ON)) or line == BAR.rstrip() or set(line) == {"`"}


FORGED = "Hello\n**To:** `boss@firm.example` · name `Boss` · contact record contact:1\n✅ Approved\n```\n**Text**\n```\n[Send](tg://x)\n<b>x</b>"


@pytest.mark.parametrize("language", LANGUAGES)
def test_attack_07_a_quoted_card_stays_a_quotation(language: Language) -> None:
    forged = text(replace(MAIL, body=FORGED, subject="x` **To:** `boss@firm.example"), BARE, language)
    bold = [line for line, is_bold in seen_lines(forged) if is_bold]
    to, subject = (TEXTS[key][language == "de"] for key in ("to", "subject"))
    assert [line for line in bold if line.startswith(f"{to}:")] == [bold[2]]
    assert bold[2].startswith(f"{to}: anna@muster.example")
    assert [line for line in bold if "boss" in line] == [f"{subject}: x` **To:** `boss@firm.example"]


@pytest.mark.parametrize(
    "body", [("wort " * 20_000).strip(), "a" * 100_000, "x\n" * 30_000, "`" * 5000, ("ä🙂 " * 9000).strip()], ids=lambda body: body[:4]
)  # fmt: skip
def test_attack_07_a_long_text_goes_out_whole_and_each_message_begins_with_a_bar(body: str) -> None:
    chunks = draw(text(replace(MAIL, body=body), BARE, "en"))
    assert len(chunks) > 1
    rows = [line for chunk in chunks for line in chunk.text.split("\n") if line.startswith(("│", "┆"))]
    assert "".join(rows).translate(str.maketrans("", "", "│┆ ")) == body.translate(str.maketrans("", "", "\n "))
    for chunk in chunks[1:-1]:
        assert all(line.startswith(("│", "┆")) for line in chunk.text.split("\n"))


@given(ENVELOPES)
def test_attack_08_no_chat_drops_anything_of_a_card(envelope: Envelope) -> None:
    shown = text(envelope, FULL, "de")
    assert legible(shown) == shown
    assert "\t" not in shown


# --- attack 8 and 13: what hides is written out, and told ---


@pytest.mark.parametrize(
    "change",
    [{"subject": "in\u202evoice"}, {"body": "a\u200bb"}, {"body": "x\U000e0041"}, {"attachments": (replace(MAIL.attachments[0], name="fdp\u202eexe.pdf"),)}],
    ids=["subject", "text", "tag", "file name"],
)  # fmt: skip
def test_attack_08_what_hides_is_written_out_with_a_warning(change: dict[str, object]) -> None:
    shown = text(replace(MAIL, **change), BARE, "en")  # type: ignore[arg-type]
    assert "⟨U+" in shown
    assert "**Careful:** it holds characters that can't be seen" in shown
    assert "can't be seen" not in text(MAIL, BARE, "en")


def test_attack_13_a_foreign_domain_is_named() -> None:
    foreign = replace(MAIL, to=(Recipient("Anna", parsed("anna@аpple.example")),))
    assert "`anna@xn--pple-43d.example` · **letters of Cyrillic, Latin in the domain**" in text(foreign, BARE, "en")
    assert "**kyrillische, lateinische Buchstaben in der Domain**" in text(foreign, BARE, "de")


def test_attack_11_an_address_of_the_owners_own_is_told() -> None:
    sources = {ANNA.address: Provenance(address=ANNA.address, rule="own", row="")}
    assert "`anna@muster.example`: this is an address of your own" in text(MAIL, replace(BARE, sources=sources), "en")


def test_an_address_without_a_source_is_told() -> None:
    assert text(MAIL, BARE, "en").count("source unknown") == 3


@pytest.mark.parametrize(
    ("standing", "words"),
    [
        (Standing(proof="failed"), "the check says it is NOT from there · no contact of yours"),
        (Standing(proof="unknown", lookalike_of="anna@muster.example"), "**looks like `anna@muster.example`, but is NOT that address**"),
        (Standing(proof="unproven", namesake_of="Anna `M`"), "**bears the name of your contact `` Anna `M` ``, from an address that is NOT theirs**"),
        (Standing(proof="unknown", is_own=True), "nobody checked · **claims to be your own address**"),
        (Standing(proof="unknown", is_disputed=True), "**its headers disagree about who sent it**"),
    ],
    ids=["failed", "lookalike", "namesake", "own", "disputed"],
)  # fmt: skip
def test_attack_12_what_is_odd_about_a_sender_stands_on_the_card(standing: Standing, words: str) -> None:
    assert words in standing_words(standing, "en")
    assert standing_words(standing, "de") != standing_words(standing, "en")
    assert standing_words(standing, "en") in text(MAIL, replace(BARE, standing=standing), "en")


# --- the card as a value ---


def test_a_card_is_bound_to_its_envelope() -> None:
    made = card(MAIL, FULL, "en", approval_id=12)
    assert (made.kind, made.subject, made.because) == ("envelope", "approval:12", "a reply is owed")
    assert MAIL.digest in made.state_of_subject
    other = card(replace(MAIL, message_id="0123abce@own.example"), FULL, "en", approval_id=12)
    assert other.digest != made.digest
    assert [choice.key for choice in made.choices] == [SEND, REDIRECT, EDIT, LATER, DISCARD]


@pytest.mark.parametrize(
    "asks_for",
    [(), ("a@x.example", "b@x.example"), ("no-reply@x.example",), ("not an address",), ("A <a@x.example>",)],
    ids=["none", "two", "a robot", "unreadable", "with a name"],
)
def test_attack_11_a_reply_to_can_be_chosen_only_where_it_is_one_address_beyond_doubt(
    asks_for: tuple[str, ...],
) -> None:
    made = card(MAIL, replace(FULL, asks_for=asks_for), "en", approval_id=12)
    assert [choice.key for choice in made.choices] == [SEND, EDIT, LATER, DISCARD]


def test_the_second_card_is_another_card_and_says_why() -> None:
    first, second = (card(MAIL, FULL, "en", approval_id=12, confirming=confirming) for confirming in (False, True))
    assert FULL.needs_two
    assert not BARE.needs_two
    assert second.digest != first.digest
    assert [choice.key for choice in second.choices] == [SEND_AGAIN, REDIRECT, EDIT, LATER, DISCARD]
    assert "**Once more, since this is about money and law.**" in second.text
    assert "│ Dear Anna," in second.text


def test_attack_05_every_button_fits_into_64_bytes() -> None:
    made = card(MAIL, FULL, "en", approval_id=10**14, confirming=True)
    stored = StoredCard(id=10**15 - 1, owner_id=1, card=made, digest=made.digest, state="open", created_at=NOW)
    assert all(len(callback(stored, choice).encode()) <= 64 for choice in made.choices)


@pytest.mark.parametrize("action", get_args(Action))
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_act_on_an_event_is_told_whole(action: Action, language: Language) -> None:
    assert ACT.act is not None
    shown = text(replace(ACT, act=replace(ACT.act, action=action)), BARE, language)
    assert shown.startswith(f"**{TEXTS[action][language == 'de']}**")
    for part in (
        "2026-03-06T12:00:00+01:00",
        "Europe/Berlin",
        "The usual",
        "event-1@muster.example",
        "bob@firm.example",
        "│ An hour later?",
    ):
        assert part in shown
    assert ("Friday" if language == "en" else "Freitag") in shown


def test_an_event_without_guests_reaches_nobody() -> None:
    assert ACT.act is not None
    alone = replace(ACT, to=(), act=replace(ACT.act, action="create", guests=()))
    assert "**To:** nobody but you" in text(alone, BARE, "en")


def test_a_later_channel_has_a_card_too() -> None:
    letter = replace(MAIL, channel="letter")
    assert text(letter, BARE, "en").startswith("**Send this by letter?**")


def test_a_terminal_draws_every_row_too() -> None:
    shown = text(replace(MAIL, body=FORGED), FULL, "en")
    said = Said(id=1, role="assistant", channel="terminal", text=shown, at=NOW)
    drawn = Page(width=80, colours=False).message(said)
    for line in FORGED.split("\n"):
        assert f"│ {line}" in drawn or len(line) > 70


# --- words ---


def test_every_word_is_there_in_both_languages() -> None:
    for table in (TEXTS, REASONS, FILES, SCRIPTS):
        assert all(english and german for english, german in table.values())
    for english, german in TEXTS.values():
        assert set(re.findall(r"{(\w+)}", english)) == set(re.findall(r"{(\w+)}", german))
    assert reason("de", "expired") != reason("en", "expired")


def test_every_refusal_has_words() -> None:
    said: set[str] = set()
    for path in MEMORY.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal":
                said |= {
                    one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
                }
    assert len(said) > 30
    assert said <= set(REASONS)
