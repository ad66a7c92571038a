"""What is excluded later is unsaid: no answer, card, brief or passage keeps its words, and what is of others stays."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.doubles.clock import FakeClock
from tests.product_room import INSTINCT, THINKER, TRIAGE, Product, open_product
from tests.servers.messages_api import ToolUse
from tests.test_exclusions_hold import CANARY, given, letter, published
from tests.test_promises_told import bring
from tests.tools.test_importing import mail
from tools.exclusions import ExclusionFile
from tools.incoming import erase_covered

NURSE = "Nurse Ratched <a@clinic.example>"


@pytest.fixture
async def product(database: Path, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Product]:
    """With a mail of somebody who is excluded later, and one of somebody who never is."""
    async with open_product(database, clock, model=True) as opened:
        await given(opened, letter(1, NURSE, "o@example.org", CANARY), tmp_path)
        await given(opened, mail(2, "The heron landed on the roof of the barn."), tmp_path)
        yield opened


async def exclude(product: Product, line: str = "domain clinic.example") -> None:
    ExclusionFile(product.settings.exclusions).add(line)
    await product.house.ledger.write(lambda t: erase_covered(t, 1, product.clock.now()))


def felt(reply: str, *, needs_thought: bool = False) -> str:
    return json.dumps({"reply": reply, "needs_thought": needs_thought})


def said(product: Product) -> str:
    """All that Stillbell said, as the thread has it."""
    return "\n".join(text for (text,) in product.rows("SELECT text FROM messages WHERE role = 'stillbell'"))


async def thinks(product: Product, question: str, read: ToolUse, *answer: list[ToolUse] | str) -> None:
    product.provider.script(INSTINCT, felt("Let me look.", needs_thought=True))
    product.provider.script(THINKER, [read], *answer)
    await product.says(question)


async def test_an_answer_found_by_words_goes_and_one_about_others_stays(product: Product) -> None:
    await product.says(f"/find {CANARY}")
    await product.says("/find heron")
    assert CANARY in said(product)
    await exclude(product)
    assert "heron landed" in said(product)
    asked = product.rows("SELECT text FROM messages WHERE role = 'owner'")
    assert (f"/find {CANARY}",) in asked, "what the owner said is theirs"
    kept = product.everything_kept().replace(f"/find {CANARY}", "")
    assert CANARY not in kept
    assert "Ratched" not in kept


async def test_a_thought_that_read_it_goes_though_it_repeats_no_word_of_it(product: Product) -> None:
    read = ToolUse("mail_search", {"query": CANARY})
    await thinks(product, "who wants what?", read, "Somebody would like your help before the weekend.")
    await thinks(product, "and birds?", ToolUse("mail_search", {"query": "heron"}), "One has come down nearby.")
    await exclude(product)
    assert "before the weekend" not in said(product)
    assert "before the weekend" not in str(product.rows("SELECT text FROM passages"))
    assert "come down nearby" in said(product)


async def test_what_a_model_opened_in_its_words_is_dropped_and_other_things_stay_open(product: Product) -> None:
    opens = [ToolUse("loop_open", {"title": title}) for title in (f"look after the {CANARY}", "buy stamps")]
    read = ToolUse("mail_search", {"query": CANARY})
    await thinks(product, "keep that, and stamps", read, opens, "It is kept.")
    await exclude(product)
    assert product.loops == {"…": "dropped", "buy stamps": "open"}


async def test_a_reply_that_repeats_an_earlier_answer_goes_with_it(product: Product) -> None:
    await product.says(f"/find {CANARY}")
    product.provider.script(INSTINCT, felt(f"You mean the {CANARY} of Ratched."))
    await product.says("who was that again?")
    product.provider.script(INSTINCT, felt("Good night."))
    await product.says("good night")
    await exclude(product)
    assert "of Ratched" not in said(product)
    assert "Good night." in said(product)


async def test_a_reply_of_what_stands_in_every_prompt_goes(product: Product) -> None:
    verdict = json.dumps({"verdict": "notify", "consequence": 0.7, "reason": "it can't wait"})
    product.provider.always(lambda body: TRIAGE in json.dumps(body["system"]), verdict)
    await product.after(lambda: published(product, number=1))
    product.provider.script(INSTINCT, felt(f"The bill for the {CANARY} is due."))
    await product.says("what is due?")
    product.provider.script(INSTINCT, felt("Good night."))
    await product.says("good night")
    await exclude(product)
    assert CANARY not in said(product)
    assert "Good night." in said(product)


@pytest.mark.parametrize("asked", ["/today", "/brief"])
async def test_the_day_on_request_goes(product: Product, asked: str) -> None:
    verdict = json.dumps({"verdict": "notify", "consequence": 0.7, "reason": "it can't wait"})
    product.provider.always(lambda body: TRIAGE in json.dumps(body["system"]), verdict)
    await product.after(lambda: published(product, number=1))
    (told, *_) = await product.says(asked)
    assert CANARY in told
    await exclude(product)
    assert CANARY not in product.everything_kept()


async def test_a_day_with_a_promise_that_was_asked_for_goes(product: Product, tmp_path: Path) -> None:
    asked = "02.03.26, 08:00 - Anna Winter: Kannst du mir das Gutachten bis Freitag schicken?"
    await bring(product, tmp_path, f"{asked}\n02.03.26, 08:01 - Jo Baker: mach ich\n")
    assert "Gutachten" in (await product.says("/today"))[0]
    await product.taps("Keep open", product.message_with("Keep open"))
    assert "Gutachten" in (await product.says("what is open?"))[0]
    await product.says("/brief")
    await exclude(product, "person Anna Winter")
    assert "Gutachten" not in product.everything_kept()


async def test_a_thought_under_way_says_no_more_once_what_it_read_is_excluded(product: Product) -> None:
    read = ToolUse("mail_search", {"query": CANARY})
    await thinks(product, "who wants what?", read, "Somebody would like your help.")
    turn = product.value("SELECT max(id) FROM turns")
    await exclude(product)
    assert product.value("SELECT stopped_because FROM turns WHERE id = ?", turn) == "what it is about is excluded"
