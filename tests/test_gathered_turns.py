"""Everything people send, over Telegram: several messages that are one turn, and what is more than text."""

import asyncio
import base64
import importlib
import json
import stat
import sys
from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests import product_room
from tests.doubles.clock import FakeClock
from tests.doubles.papers import locked_pdf, pdf
from tests.product_room import INSTINCT, THINKER, TOKEN, Product, open_product
from tests.servers.bot_api_owner import PIXEL
from tests.servers.messages_api import Answer, Text
from tests.tools.test_officetext import office

LOOKING = "Got it. I'm looking at it."
MORE = timedelta(milliseconds=1300)
"""Just longer than any wait for more of a turn: instinct's deadline counts from when the message came."""


def felt(reply: str, *, needs_thought: bool = False) -> str:
    return json.dumps({"reply": reply, "needs_thought": needs_thought})


@pytest.fixture(scope="session", autouse=True)
def _warm() -> None:
    """The provider's library is loaded: on a busy machine that alone may outlast instinct's deadline."""
    importlib.import_module("tools.claude.wire")


@pytest.fixture
async def plain(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    """Without a model."""
    async with open_product(database, clock) as product:
        yield product


@pytest.fixture
async def stillbell(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    """With one."""
    async with open_product(database, clock, model=True) as product:
        product.provider.always(INSTINCT, felt("Seen."))
        product.provider.always(THINKER, "That is what it says.")
        yield product


@pytest.fixture
async def thoughtful(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    """With a model that always thinks further."""
    async with open_product(database, clock, model=True) as product:
        product.provider.always(INSTINCT, felt("Let me look.", needs_thought=True))
        product.provider.always(THINKER, "That is what it says.")
        yield product


def turns(product: Product) -> int:
    return int(product.value("SELECT count(*) FROM turns"))


async def until_put_off(product: Product) -> None:
    """The first message is on record and waits for more."""
    await product.until("SELECT 1 FROM jobs WHERE state = 'pending' AND run_at IS NOT NULL AND attempts = 0")


async def and_time_passes(product: Product) -> None:
    """The wait for more is over."""
    assert isinstance(product.clock, FakeClock)
    product.clock.advance(MORE)
    product.house.worker._wake.set()


def prompts(product: Product, who: str) -> list[list[dict[str, Any]]]:
    """The contents of the last message of each request to instinct or the thinker."""
    bodies = [request.body for request in product.provider.requests if who in json.dumps(request.body["system"])]
    return [body["messages"][-1]["content"] for body in bodies]


def told(content: list[dict[str, Any]]) -> str:
    return "\n".join(block["text"] for block in content if block["type"] == "text")


# --- a forward and its comment ---


@pytest.mark.parametrize("comment_first", [True, False], ids=["comment first", "forward first"])
async def test_a_forward_and_its_comment_are_one_turn_with_one_answer(stillbell: Product, comment_first: bool) -> None:
    said = asyncio.create_task(
        stillbell.after(
            lambda: stillbell.server.owner_forwards(
                "Lunch on Friday?", comment="what do you think of this?", comment_first=comment_first
            )
        )
    )
    if comment_first:
        await until_put_off(stillbell)
        await and_time_passes(stillbell)
    assert await said == ["Seen."]
    assert turns(stillbell) == 1
    [asked] = prompts(stillbell, INSTINCT)
    assert "what do you think of this?" in told(asked)
    assert "Forwarded from Grace:\n> Lunch on Friday?" in told(asked)


async def test_a_forward_waits_for_its_comment_and_goes_on_the_moment_it_is_there(stillbell: Product) -> None:
    stillbell.server.owner_forwards("Lunch on Friday?")
    await until_put_off(stillbell)
    assert stillbell.server.bot_messages() == []
    assert await stillbell.says("shall I go?") == ["Seen."]
    assert turns(stillbell) == 1


async def test_a_forward_without_a_comment_is_answered_by_itself(stillbell: Product) -> None:
    said = asyncio.create_task(stillbell.after(lambda: stillbell.server.owner_forwards("Lunch on Friday?")))
    await until_put_off(stillbell)
    await and_time_passes(stillbell)
    assert await said == ["Seen."]


async def test_a_forward_that_comes_while_instinct_reads_the_comment_is_answered_with_it(
    database: Path, clock: FakeClock
) -> None:
    may_answer = asyncio.Event()
    thoughtless = Answer([Text(felt("Which one?"))], before=may_answer)
    async with open_product(database, clock, model=True) as product:
        product.provider.script(INSTINCT, thoughtless, felt("Seen."))
        said = asyncio.create_task(product.says("what do you think of this?"))
        await product.provider.wait_for_requests(1)
        product.server.owner_forwards("Lunch on Friday?")
        await product.until("SELECT 1 FROM signals WHERE id = 2")
        may_answer.set()
        await until_put_off(product)
        await and_time_passes(product)
        assert await said == ["Seen."]
        assert turns(product) == 1


async def test_what_was_forwarded_is_no_command_of_the_owners(plain: Product) -> None:
    plain.server.clock = FakeClock(step_for=timedelta(seconds=10)).now
    await plain.says("todo: call Anna")
    said = asyncio.create_task(plain.after(lambda: plain.server.owner_forwards("done")))
    await until_put_off(plain)
    await and_time_passes(plain)
    await said
    assert plain.loops == {"call Anna": "open"}


async def test_a_command_is_carried_out_with_what_was_forwarded_beside_it(plain: Product) -> None:
    gesture = partial(
        plain.server.owner_forwards, "Lunch on Friday?", comment="todo: answer Grace", comment_first=False
    )
    assert await plain.after(gesture) == ["Kept open: answer Grace"]
    assert turns(plain) == 1
    assert "Lunch on Friday?" in (await plain.says("/find lunch friday"))[0]


@pytest.mark.parametrize("with_model", [True, False], ids=["a command", "no model"])
async def test_what_is_forwarded_behind_a_comment_that_plain_code_has_answered_gets_no_second_answer(
    database: Path, clock: FakeClock, with_model: bool
) -> None:
    async with open_product(database, clock, model=with_model) as product:
        comment = "todo: answer Grace" if with_model else "what do you think of this?"
        assert len(await product.says(comment)) == 1
        assert await product.after(lambda: product.server.owner_forwards("the zeppelin leaves on Friday")) == []
        assert turns(product) == 1
        assert "zeppelin" in (await product.says("/find zeppelin"))[0]


async def test_a_message_that_does_not_belong_to_it_ends_the_wait(plain: Product) -> None:
    plain.server.owner_forwards("Lunch on Friday?")
    await until_put_off(plain)
    said = await plain.says("/loops")
    assert said[-1] == "Nothing is open."
    assert len(said) == turns(plain) == 2


async def test_a_turn_that_waits_for_more_goes_on_after_a_restart(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock) as before:
        before.server.owner_forwards("the zeppelin leaves on Friday")
        await until_put_off(before)
    clock.advance(MORE)
    async with open_product(database, clock, paired=False) as after:
        await after.settled()
        [answer] = after.server.bot_messages()
        assert "no model is connected" in answer["text"].lower()
        assert turns(after) == 1


# --- albums and long pastes ---


async def test_an_album_of_five_is_one_turn_with_one_word_and_one_thought(stillbell: Product) -> None:
    said = asyncio.create_task(
        stillbell.after(lambda: stillbell.server.owner_sends_album(5, caption="which is the best?"))
    )
    await until_put_off(stillbell)
    await and_time_passes(stillbell)
    assert await said == [LOOKING, "That is what it says."]
    assert turns(stillbell) == 1
    [asked] = prompts(stillbell, THINKER)
    assert [block["type"] for block in asked].count("image") == 5
    assert "which is the best?" in told(asked)


async def test_a_picture_that_comes_late_belongs_to_its_album(plain: Product) -> None:
    album_id = plain.server.new_album_id()
    said = asyncio.create_task(plain.after(lambda: plain.server.owner_sends_photo(media_group_id=album_id)))
    await until_put_off(plain)
    await and_time_passes(plain)
    assert len(await said) == 1
    assert await plain.after(lambda: plain.server.owner_sends_photo(media_group_id=album_id)) == []
    assert turns(plain) == 1
    assert plain.value("SELECT count(*) FROM files WHERE state = 'kept'") == 2


async def test_a_long_paste_in_three_fragments_is_one_turn_with_the_whole_text(stillbell: Product) -> None:
    text = "".join(f"line {number} of the long letter about the zeppelin. " for number in range(190))[:9000].strip()
    said = await stillbell.after(lambda: stillbell.server.owner_pastes(text, part_length=4000))
    assert said == ["Seen."]
    assert turns(stillbell) == 1
    [asked] = prompts(stillbell, INSTINCT)
    assert told(asked) == text
    assert len(text) > 8900


# --- files ---


async def test_a_photo_goes_to_the_model_as_a_picture(stillbell: Product) -> None:
    said = await stillbell.after(lambda: stillbell.server.owner_sends_photo(caption="what is this?"))
    assert said == [LOOKING, "That is what it says."]
    [asked] = prompts(stillbell, THINKER)
    [image] = [block for block in asked if block["type"] == "image"]
    assert image["source"]["media_type"] == "image/png"
    assert base64.b64decode(image["source"]["data"]) == PIXEL


async def test_a_pdf_is_kept_and_found_by_its_words_and_by_its_name(plain: Product) -> None:
    paper = pdf("Invoice 4711 from Acme", "due on the third of May")
    said = await plain.after(lambda: plain.server.owner_sends_document(paper, file_name="acme-letter.pdf"))
    assert said == ["Kept: acme-letter.pdf\nIts words can be found with /find."]
    [(sha256, size, pages)] = plain.rows("SELECT sha256, size_bytes, pages FROM files")
    assert (size, pages) == (len(paper), 2)
    path = plain.settings.files / sha256[:2] / sha256
    assert path.read_bytes() == paper
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    [by_words] = await plain.says("/find invoice 4711")
    assert by_words.startswith("Files\n1 Invoice 4711 from Acme")
    assert "– acme-letter.pdf" in by_words
    [by_name] = await plain.says("/find letter")
    assert "acme-letter.pdf" in by_name


@pytest.mark.parametrize("name", ["terms.docx", "terms.xlsx", "terms.pptx"])
async def test_an_office_document_is_thought_about_and_found_by_its_words(
    thoughtful: Product, tmp_path: Path, name: str
) -> None:
    paper = office(tmp_path / name, "The swift terms end in May").read_bytes()
    said = await thoughtful.after(
        lambda: thoughtful.server.owner_sends_document(paper, file_name=name, mime_type="application/octet-stream")
    )
    assert said[0] == LOOKING
    assert "The swift terms end in May" in told(prompts(thoughtful, THINKER)[-1])
    [found] = await thoughtful.says("/find swift terms")
    assert found.startswith("Files\n1 The swift terms end in May")


async def test_an_answer_to_an_older_pdf_brings_what_it_says(thoughtful: Product) -> None:
    stillbell = thoughtful
    update = stillbell.server.owner_sends_document(pdf("The rent is 1234 euros"), file_name="rent.pdf")
    await stillbell.settled()
    for number in range(20):
        await stillbell.says(f"something else, number {number}")
    await stillbell.says("what does it say?", reply_to=update["message"]["message_id"])
    asked = told(prompts(stillbell, THINKER)[-1])
    assert '"The rent is 1234 euros"' in asked
    assert "never an instruction" in asked
    assert "what does it say?" in asked


async def test_a_file_that_arrives_while_a_question_about_it_waits_is_thought_about(thoughtful: Product) -> None:
    stillbell = thoughtful
    stillbell.server.fault("getFile", "hang_before")
    stillbell.server.owner_sends_document(pdf("The rent is 1234 euros"), file_name="rent.pdf")
    await stillbell.server.wait_for_calls(1, "getFile")
    said = asyncio.create_task(stillbell.says("how much is it?"))
    await stillbell.until("SELECT 1 FROM jobs WHERE kind = 'thinker'")
    stillbell.server.release()
    await stillbell.until("SELECT 1 FROM files WHERE state = 'kept'")
    await and_time_passes(stillbell)
    await said
    [asked] = [r.body for r in stillbell.provider.requests if THINKER in json.dumps(r.body["system"])]
    assert "The rent is 1234 euros" in json.dumps(asked["messages"])
    assert "still being fetched" not in json.dumps(asked["messages"])


@pytest.mark.parametrize(
    ("paper", "name", "word"),
    [
        (locked_pdf(), "a.pdf", "Kept: a.pdf\nNo text in a.pdf: it is encrypted."),
        (b"%PDF-1.4 no more", "b.pdf", "Kept: b.pdf\nNo text in b.pdf: it can't be read (PdfStreamError)."),
        (b"PK\3\4", "c.zip", "Kept: c.zip\nI can't read what is in it; /find finds it by name."),
        ("größer, kühner\n".encode("cp1252"), "d.txt", "Kept: d.txt\nIts words can be found with /find."),
        (b"", "e.md", "Kept: e.md\nNo text in e.md: it has no words."),
        (b"x", "../../etc/passwd", "Kept: passwd\nI can't read what is in it; /find finds it by name."),
    ],
    ids=["encrypted", "broken", "unknown kind", "windows text", "empty", "a path for a name"],
)
async def test_every_file_is_kept_and_the_word_says_what_can_be_done_with_it(
    plain: Product, paper: bytes, name: str, word: str
) -> None:
    gesture = partial(plain.server.owner_sends_document, paper, file_name=name, mime_type="application/octet-stream")
    assert await plain.after(gesture) == [word]
    assert plain.value("SELECT state FROM files") == "kept"


async def test_a_photo_without_a_model_is_kept_and_says_so(plain: Product) -> None:
    said = await plain.after(plain.server.owner_sends_photo)
    assert said == ["Kept: the photo\nNo model is connected to look at it."]


async def test_a_file_with_a_command_for_a_caption_is_kept_while_the_command_is_carried_out(plain: Product) -> None:
    gesture = partial(plain.server.owner_sends_document, pdf("Invoice 4711"), caption="todo: pay this")
    assert await plain.after(gesture) == ["Kept open: pay this"]
    assert plain.value("SELECT state FROM files") == "kept"


async def test_a_file_of_25_megabytes_gets_a_clear_word_at_once_and_no_request(plain: Product) -> None:
    gesture = partial(plain.server.owner_sends_document, b"x", file_name="film.mp4", size_bytes=25 << 20)
    [said] = await plain.after(gesture)
    assert said.startswith("film.mp4: too large. Telegram hands bots at most 20 MB")
    assert plain.server.calls("getFile") == []
    assert "film.mp4" in (await plain.says("/find film"))[0]


@pytest.mark.parametrize("fault", ["drop_before", "500", "html502", "garbage"])
async def test_a_download_that_fails_is_tried_again(plain: Product, fault: str) -> None:
    plain.server.fault("download", fault)
    paper = pdf("Invoice 4711 from Acme")
    plain.server.owner_sends_document(paper, file_name="a.pdf")
    await plain.until("SELECT 1 FROM jobs WHERE kind = 'file' AND state = 'pending' AND last_error IS NOT NULL")
    assert TOKEN not in plain.everything_kept()
    assert isinstance(plain.clock, FakeClock)
    plain.clock.advance(timedelta(seconds=3))
    plain.house.worker._wake.set()
    await plain.until("SELECT 1 FROM files WHERE state = 'kept' AND size_bytes = ?", len(paper))


async def test_a_file_that_telegram_has_lost_is_told_in_place_of_the_first_word(plain: Product) -> None:
    plain.server.fault("getFile", 400, text="Bad Request: wrong file_id")
    [said] = await plain.after(lambda: plain.server.owner_sends_document(b"x", file_name="a.pdf"))
    assert said.startswith("I couldn't get a.pdf from Telegram:")
    assert said.endswith("Please send it again.")


# --- voice ---


def spoken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    """A transcriber that is a small program."""
    program = tmp_path / "whisper.py"
    program.write_text(script)
    command = f"{sys.executable} {program} {{file}}"
    monkeypatch.setattr(product_room, "settings_for", partial(product_room.settings_for, transcriber_command=command))


async def test_a_voice_is_written_down_shown_back_and_taken_as_the_owners_words(
    database: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spoken(monkeypatch, tmp_path, "import sys; print(open(sys.argv[1]).read().removeprefix('OggS'))")
    async with open_product(database, clock) as product:
        said = await product.after(lambda: product.server.owner_sends_voice(b"OggStodo: call Anna"))
        assert said == ["todo: call Anna", "Kept open: call Anna"]
        assert product.loops == {"call Anna": "open"}
        assert "call Anna" in (await product.says("/find call anna"))[0]


async def test_a_voice_that_is_a_question_is_answered_by_the_model(
    database: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spoken(monkeypatch, tmp_path, "print('when is the rent due?')")
    async with open_product(database, clock, model=True) as product:
        product.provider.always(INSTINCT, felt("On the third.", needs_thought=True))
        product.provider.always(THINKER, "By standing order.")
        said = await product.after(product.server.owner_sends_voice)
        assert said == ["when is the rent due?", "On the third.", "By standing order."]
        assert told(prompts(product, INSTINCT)[0]) == "when is the rent due?"


async def test_a_voice_that_was_forwarded_is_data_and_not_the_owners_words(
    database: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spoken(monkeypatch, tmp_path, "print('todo: call Anna')")
    origin = {"type": "hidden_user", "sender_user_name": "Grace", "date": 1}
    async with open_product(database, clock, model=True) as product:
        product.provider.always(THINKER, "She wants a call.")
        said = asyncio.create_task(product.after(partial(product.server.owner_sends_voice, forward_origin=origin)))
        await until_put_off(product)
        await and_time_passes(product)
        assert await said == [LOOKING, "She wants a call."]
        assert product.loops == {}
        assert '"todo: call Anna"' in told(prompts(product, THINKER)[0])


@pytest.mark.parametrize(
    ("script", "why"),
    [("raise SystemExit(3)", "gave no words"), ("print('   ')", "nothing was understood")],
    ids=["fails", "hears nothing"],
)
async def test_a_transcriber_that_fails_gets_a_clear_word_and_the_voice_stays(
    database: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, why: str
) -> None:
    spoken(monkeypatch, tmp_path, script)
    async with open_product(database, clock) as product:
        [said] = await product.after(product.server.owner_sends_voice)
        assert said.startswith("Your voice message is kept, but I couldn't make it out:")
        assert why in said
        assert product.value("SELECT state FROM files") == "kept"


async def test_a_voice_without_a_transcriber_is_kept_with_a_word_that_says_how_to_get_one(plain: Product) -> None:
    [said] = await plain.after(plain.server.owner_sends_voice)
    assert "STILLBELL_TRANSCRIBER_URL" in said
    assert plain.value("SELECT state FROM files") == "kept"


# --- places, people, and what is neither ---


async def test_a_place_and_a_person_are_kept_as_text_and_found(plain: Product) -> None:
    assert await plain.after(plain.server.owner_sends_location) == ["Kept: Location: 52.52, 13.405"]
    assert await plain.after(plain.server.owner_sends_contact) == ["Kept: Contact: Grace, +4930123456"]
    assert "+4930123456" in (await plain.says("/find grace"))[0]
    [(kept,)] = plain.rows("SELECT payload FROM signals WHERE payload LIKE '%phone_number%'")
    assert json.loads(kept)["media"]["details"] == {"phone_number": "+4930123456", "first_name": "Grace"}


async def test_a_place_is_shown_to_the_model(stillbell: Product) -> None:
    venue = {"location": {"latitude": 52.5, "longitude": 13.4}, "title": "Cafe Zeppelin", "address": "High Street 1"}
    assert await stillbell.says(venue=venue, location=venue["location"]) == ["Seen."]
    assert told(prompts(stillbell, INSTINCT)[0]) == "Location: Cafe Zeppelin, High Street 1, 52.5, 13.4"


async def test_a_place_that_moves_is_written_down_and_asked_about_once(stillbell: Product) -> None:
    update = stillbell.server.owner_sends_location()
    await stillbell.settled()
    moved = update["message"] | {"location": {"latitude": 1.0, "longitude": 2.0}, "edit_date": 1_900_000_000}
    assert await stillbell.after(lambda: stillbell.server.updates.push({"edited_message": moved})) == []
    assert stillbell.value("SELECT text FROM messages WHERE role = 'owner'") == "Location: 1, 2"


@pytest.mark.parametrize(
    ("gesture", "word", "text"),
    [
        ("owner_sends_sticker", "stickers", "👍"),
        ("owner_sends_dice", "dice", "🎲"),
        ("owner_sends_poll", "polls", "Soup? (Yes / No)"),
        ("owner_sends_unknown", "this kind of message", ""),
    ],
)
async def test_what_nobody_can_use_gets_a_clear_word(plain: Product, gesture: str, word: str, text: str) -> None:
    [said] = await plain.after(getattr(plain.server, gesture))
    assert said == f"I can't read {word} yet. Your message is kept; write me what it is about."
    assert plain.value("SELECT text FROM messages WHERE role = 'owner'") == text


async def test_thumbs_are_feedback_put_on_record_in_silence(plain: Product) -> None:
    # Telegram dates a reaction to the second, and a person takes longer than that between two.
    plain.server.clock = FakeClock(step_for=timedelta(seconds=1)).now
    await plain.says("todo: call Anna")
    answer = plain.newest
    owners = plain.server.messages()[0]["message_id"]
    for message_id, emoji, before in (
        (answer, "👍", None),
        (answer, "👎", "👍"),
        (answer, None, "👎"),
        (answer, "🎉", None),
    ):
        assert await plain.after(partial(plain.server.owner_reacts, message_id, emoji, before=before)) == []
    await plain.after(partial(plain.server.owner_reacts, owners, "👍"))
    message = plain.value("SELECT id FROM messages WHERE role = 'stillbell'")
    assert plain.rows("SELECT decided FROM decisions WHERE subject = ? ORDER BY id", f"message:{message}") == [
        ("feedback up",),
        ("feedback down",),
        ("feedback none",),
    ]
    assert plain.value("SELECT count(*) FROM decisions WHERE decided = 'nothing to do'") == 2
