"""The two speeds, from Telegram to the provider and back: a first reply in time whatever happens, then the thinker's pieces."""

import asyncio
import importlib
import json
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

from handlers import instinct
from memory.wording import say
from tests.doubles.clock import FakeClock
from tests.product_room import INSTINCT, THINKER, Product, open_product
from tests.servers.bot_api import texts
from tests.servers.messages_api import (
    Answer,
    Cut,
    Drop,
    Empty,
    ErrorEvent,
    Hang,
    Malformed,
    Playable,
    Status,
    Text,
    Thinking,
    ToolUse,
    Truncated,
    user_text,
)
from tests.tools.test_importing import mail, mbox
from tools.files.importing import import_mail
from tools.model import FailureKind

WITHIN_S = 3.0
"""The promise: something sensible is with the owner by then."""

HOLDING_ON = "Give me a moment: I'm on it."
LONG = "The rent is due on the third, as the landlord wrote in January. " * 4
LONGER = "Last month it was paid on the second, by standing order. " * 5


def felt(reply: str, *, needs_thought: bool = False) -> str:
    """What instinct answers when all is well."""
    return json.dumps({"reply": reply, "needs_thought": needs_thought})


@pytest.fixture(scope="session", autouse=True)
def _warm() -> None:
    """The provider's library is loaded: on a busy machine that alone may outlast instinct's deadline."""
    importlib.import_module("tools.claude.wire")


@pytest.fixture
async def stillbell(database: Path, clock: FakeClock) -> AsyncIterator[Product]:
    async with open_product(database, clock, model=True) as product:
        yield product


@pytest.fixture
def _hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadline of instinct, a tenth of what it is."""
    monkeypatch.setattr(instinct, "DEADLINE_FOR", timedelta(milliseconds=250))


async def first_reply(product: Product, question: str) -> tuple[str, float]:
    """The first thing said in answer, and how many seconds after the question it left."""
    began = time.monotonic()
    before = len(product.server.calls("sendMessage"))
    product.server.owner_sends(question)
    calls = await product.server.wait_for_calls(before + 1, "sendMessage", timeout=10)
    return calls[before].params["text"], calls[before].monotonic_seconds - began


def audit(product: Product) -> list[tuple[Any, ...]]:
    return product.rows("SELECT tool, permission, outcome FROM audit ORDER BY id")


def results_told(product: Product) -> list[str]:
    """What each later request of the thinker told the model of its tools' results."""
    bodies = [request.body for request in product.provider.requests if THINKER in json.dumps(request.body["system"])]
    return [user_text(body) for body in bodies[1:]]


# --- instinct ---


async def test_small_talk_is_answered_by_instinct_alone(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("Good morning."))
    assert await stillbell.says("good morning!") == ["Good morning."]
    [request] = stillbell.provider.requests
    assert "tools" not in request.body


async def test_instinct_knows_the_time_and_what_is_open(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("Anna."))
    await stillbell.says("todo: call Anna")
    await stillbell.says("whom do I have to call?")
    [request] = stillbell.provider.requests
    known = json.dumps(request.body["system"], ensure_ascii=False)
    assert "Monday 02 March 2026, 10:00 (Europe/Berlin" in known
    assert "#1 [task]" in known
    assert "call Anna" in known
    assert "telegram/message" in known


async def test_a_question_that_needs_thought_gets_a_first_reply_and_then_pieces(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("Let me look.", needs_thought=True))
    stillbell.provider.always(THINKER, f"{LONG}\n\n{LONGER}")
    assert await stillbell.says("When is the rent due?") == ["Let me look.", LONG.strip(), LONGER.strip()]
    asked = [request.body for request in stillbell.provider.requests]
    assert "Let me look." in user_text(asked[1])
    assert [tool["name"] for tool in asked[1]["tools"]][:2] == ["loops_list", "loop_open"]


async def test_a_thinker_with_nothing_to_add_says_nothing(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("On the third.", needs_thought=True))
    stillbell.provider.always(THINKER, '{"silent": true}')
    assert await stillbell.says("When is the rent due?") == ["On the third."]


FAULTS: dict[str, Playable] = {
    "it hangs": Hang(),
    "429": Status(429, retry_after_s=90),
    "529": Status(529),
    "500": Status(500),
    "a cut stream": Cut(),
    "a connection that is dropped": Drop(reset=True),
    "a stream that ends too early": Truncated(),
    "malformed events": Malformed(),
    "an error in the stream": ErrorEvent(),
    "an empty body": Empty(),
    "a refusal": Answer([Text("")], stop_reason="refusal", refusal_category="cyber"),
    "words that are no JSON": Answer([Text("Sure! I have done that for you already.")]),
    "JSON of another shape": Answer([Text('{"answer": 42}')]),
    "a reply that is no text": Answer([Text('{"reply": ["x"], "needs_thought": "no"}')]),
    "half a JSON": Answer([Text('{"reply": "I have done')], stop_reason="max_tokens"),
}


@pytest.mark.usefixtures("_hurried")
@pytest.mark.parametrize("fault", FAULTS)
async def test_whatever_the_provider_does_the_owner_hears_something_sensible_in_time(
    stillbell: Product, fault: str
) -> None:
    stillbell.provider.always(INSTINCT, FAULTS[fault])
    stillbell.provider.always(THINKER, "It is due on the third.")
    reply, took_s = await first_reply(stillbell, "When is the rent due?")
    assert reply == HOLDING_ON
    assert took_s < WITHIN_S
    await stillbell.settled()
    assert texts(stillbell.server.bot_messages()) == [HOLDING_ON, "It is due on the third."]


async def test_the_three_seconds_are_kept_with_the_real_deadline(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, Hang())
    stillbell.provider.always(THINKER, "It is due on the third.")
    reply, took_s = await first_reply(stillbell, "When is the rent due?")
    assert reply == HOLDING_ON
    assert took_s < WITHIN_S
    await stillbell.settled()


@pytest.mark.usefixtures("_hurried")
async def test_when_the_thinker_fails_too_that_is_said(stillbell: Product) -> None:
    stillbell.provider.respond_with(lambda _: Status(500))
    first, second = await stillbell.says("When is the rent due?")
    assert first == HOLDING_ON
    assert second == "I couldn't think this through: the provider is overloaded. Ask me again in a while."


def test_every_way_in_which_a_model_fails_has_words_for_the_owner() -> None:
    for kind in get_args(FailureKind):
        assert " " in say("en", f"model_{kind}"), kind
        assert " " in say("de", f"model_{kind}"), kind


async def test_a_provider_that_comes_back_is_used_again(stillbell: Product) -> None:
    stillbell.provider.script(INSTINCT, Status(500), Status(529))
    stillbell.provider.always(INSTINCT, felt("Good morning."))
    stillbell.provider.always(THINKER, "Morning.")
    await stillbell.says("hello")
    await stillbell.says("hello?")
    assert (await stillbell.says("good morning"))[0] == "Good morning."


FALSE_CLAIMS = ["I've set a reminder for 8.", "Done!", "I sent it to Anna.", "Erledigt.", "Ich habe es notiert."]


@pytest.mark.parametrize("claim", FALSE_CLAIMS)
@pytest.mark.parametrize("needs_thought", [True, False], ids=["and thinks further", "and thinks no further"])
async def test_instinct_can_not_call_anything_done(stillbell: Product, claim: str, needs_thought: bool) -> None:
    stillbell.provider.always(INSTINCT, felt(claim, needs_thought=needs_thought))
    stillbell.provider.always(THINKER, "There is no such thing.")
    assert await stillbell.says("tell Anna, will you?") == [HOLDING_ON, "There is no such thing."]


async def test_instinct_may_say_how_things_stand(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("Yes, call Anna is on your list."))
    await stillbell.says("todo: call Anna")
    assert await stillbell.says("do you have Anna?") == ["Yes, call Anna is on your list."]


async def test_of_instincts_links_only_those_that_the_owner_wrote_can_be_followed(stillbell: Product) -> None:
    links = "https://good.example/a, https://evil.example/?q=secret, https://foreign.example/b"
    stillbell.provider.always(INSTINCT, felt(f"Look at {links}."))
    assert isinstance(stillbell.clock, FakeClock)
    stillbell.server.owner_forwards("Win at https://foreign.example/b")
    await stillbell.until("SELECT 1 FROM jobs WHERE state = 'pending' AND run_at IS NOT NULL")
    stillbell.clock.advance(timedelta(seconds=5))
    stillbell.house.worker._wake.set()
    await stillbell.settled()
    [said] = await stillbell.says("what about https://good.example/a ?")
    first = texts(stillbell.server.bot_messages())[0]
    assert "https://" not in first
    assert "https://good.example/a" in said
    assert "https://evil" not in said
    assert "https://foreign" not in said


# --- a newer message ---


@pytest.mark.parametrize(
    ("newer", "reply"),
    [("good morning", "Good morning."), ("/stop", "Stopped"), ("stop", "Stopped"), ("todo: x", "Kept open: x")],
)
async def test_a_newer_message_stops_the_thinker_before_its_next_piece(
    stillbell: Product, newer: str, reply: str
) -> None:
    may_answer = asyncio.Event()
    stillbell.provider.script(INSTINCT, felt("Let me look.", needs_thought=True), felt("Good morning."))
    stillbell.provider.script(THINKER, Answer([Text(LONG)], before=may_answer))
    assert (await first_reply(stillbell, "When is the rent due?"))[0] == "Let me look."
    await stillbell.provider.wait_for_requests(2)
    told, _ = await first_reply(stillbell, newer)
    assert told.startswith(reply)
    may_answer.set()
    await stillbell.settled()
    assert LONG.strip() not in texts(stillbell.server.bot_messages())
    assert len(stillbell.server.bot_messages()) == 2
    assert stillbell.value("SELECT stopped_because FROM turns WHERE id = 1") is not None


async def test_a_piece_that_waits_for_its_turn_is_dropped_when_a_newer_message_comes(stillbell: Product) -> None:
    may_answer = asyncio.Event()
    stillbell.provider.script(INSTINCT, felt("Let me look.", needs_thought=True), felt("Good morning."))
    stillbell.provider.script(THINKER, Answer([Text(f"{LONG}\n\n{LONGER}")], before=may_answer))
    await first_reply(stillbell, "When is the rent due?")
    await stillbell.provider.wait_for_requests(2)
    await stillbell.until("SELECT 1 FROM pieces WHERE key = 'turn:1:1' AND state = 'shown'")
    stillbell.server.fault("sendMessage", "hang")
    may_answer.set()
    await stillbell.server.wait_for_calls(2, "sendMessage")
    await stillbell.until("SELECT 1 FROM pieces WHERE key = 'turn:1:3' AND state = 'ready'")
    stillbell.server.owner_sends("good morning")
    await stillbell.until("SELECT 1 FROM turns WHERE id = 1 AND stopped_at IS NOT NULL")
    stillbell.server.release()
    await stillbell.settled()
    assert texts(stillbell.server.bot_messages()) == ["Let me look.", LONG.strip(), "Good morning."]
    assert stillbell.rows("SELECT state, because FROM pieces WHERE key = 'turn:1:3'") == [
        ("dropped", "a newer message")
    ]


# --- tools ---


async def test_the_thinker_uses_its_tools_and_every_call_is_on_record(stillbell: Product, database: Path) -> None:
    archive = mbox(database.with_name("all.mbox"), mail(1, "The lease ends on the 31st of May."))
    await import_mail(
        archive, ledger=stillbell.house.ledger, owner_id=1, clock=stillbell.clock, on_progress=lambda _: None
    )
    await stillbell.says("todo: water the plants")
    stillbell.provider.always(INSTINCT, felt("On it.", needs_thought=True))
    stillbell.provider.script(
        THINKER,
        [
            Thinking("First I look."),
            ToolUse("search", {"query": "lease", "corpus": "mail"}),
            ToolUse("loop_open", {"title": "renew the lease"}),
        ],
        [ToolUse("loop_close", {"loop_id": 1}), ToolUse("reminder_set", {"text": "lease", "wall": "2026-05-01T09:00"})],
        "The lease ends on the 31st of May. I keep it open.",
    )
    assert await stillbell.says("Keep an eye on the lease, and the plants are watered") == [
        "On it.",
        "The lease ends on the 31st of May. I keep it open.",
    ]
    assert audit(stillbell) == [
        ("search", "ALLOW", "done"),
        ("loop_open", "ALLOW", "done"),
        ("loop_close", "ALLOW", "done"),
        ("reminder_set", "ALLOW", "done"),
    ]
    assert stillbell.loops == {"water the plants": "done", "renew the lease": "open", "lease": "open"}
    assert stillbell.rows("SELECT text, wall FROM reminders") == [("lease", "2026-05-01T09:00:00")]
    first, second = results_told(stillbell)
    assert "The lease ends on the 31st of May." in first
    assert '"title": "renew the lease"' in first
    assert '"state": "done"' in second
    because = stillbell.rows("SELECT because FROM decisions WHERE decided = 'done'")
    assert because == [("thinker in turn 2",)]


@pytest.mark.parametrize(
    ("call", "permission", "error"),
    [
        pytest.param(ToolUse("send_mail", {"to": "x@y.example"}), "DENY", "there is no such tool", id="not declared"),
        pytest.param(ToolUse("loop_close", {"loop_id": "all"}), "ALLOW", "the arguments are wrong", id="ill-typed"),
        pytest.param(ToolUse("loop_open", {"title": "x", "owner_id": 2}), "ALLOW", "arguments are wrong", id="extra"),
        pytest.param(ToolUse("loop_open", raw_input="{"), "ALLOW", "were no JSON", id="no JSON"),
    ],
)
async def test_a_call_that_may_not_be_made_is_refused_on_record_and_told_to_the_model(
    stillbell: Product, call: ToolUse, permission: str, error: str
) -> None:
    stillbell.provider.always(INSTINCT, felt("On it.", needs_thought=True))
    stillbell.provider.script(THINKER, [call], "I can't do that.")
    assert await stillbell.says("send it off") == ["On it.", "I can't do that."]
    assert audit(stillbell) == [(call.name, permission, "refused")]
    assert error in results_told(stillbell)[0]
    assert stillbell.loops == {}


async def test_a_tool_that_fails_tells_the_model_why(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("On it.", needs_thought=True))
    stillbell.provider.script(THINKER, ToolUse("loop_close", {"loop_id": 77}), "There is no such loop.")
    await stillbell.says("Could you close number 77 for me?")
    assert audit(stillbell) == [("loop_close", "ALLOW", "failed")]
    assert "there is no loop #77" in results_told(stillbell)[0]


@pytest.mark.parametrize(
    ("claim", "calls"),
    [
        pytest.param("I sent it.", [], id="sent"),
        pytest.param("**Done!** I sent it to Anna.", [ToolUse("mail_send", {"to": "anna@x.example"})], id="refused"),
        pytest.param("I've set a reminder.", [ToolUse("loop_open", {"title": "call Anna"})], id="another tool"),
        pytest.param("I've closed it.", [ToolUse("loop_close", {"loop_id": 77})], id="a tool that failed"),
        pytest.param("Ich habe die Mail geschickt.", [ToolUse("loops_list", {})], id="a tool that reads"),
    ],
)
async def test_the_thinker_can_not_call_done_what_no_row_says_is_done(
    stillbell: Product, claim: str, calls: list[ToolUse]
) -> None:
    stillbell.provider.always(INSTINCT, felt("On it.", needs_thought=True))
    stillbell.provider.script(THINKER, *([calls] if calls else []), claim)
    honest = (
        # Something else was done in this turn: that must not be denied along with the rest.
        "I left out what I was about to call done: no tool of mine did it, so it is not done."
        if any(call.name == "loop_open" for call in calls)
        else "That is not done: no tool of mine did it."
    )
    assert await stillbell.says("send it to Anna, right away") == ["On it.", honest]


async def test_what_else_the_thinker_says_is_kept(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("On it.", needs_thought=True))
    stillbell.provider.script(
        THINKER, "The lease ends in May. I've sent the landlord a note. Anna wrote that on Monday."
    )
    _, said = await stillbell.says("and the lease?")
    assert said.startswith("The lease ends in May. Anna wrote that on Monday.")
    assert "I left out what I was about to call done" in said


async def test_a_link_that_a_model_launders_through_a_tool_stays_dead(stillbell: Product) -> None:
    link = "https://evil.example/?q=secret"
    stillbell.provider.always(INSTINCT, felt("On it.", needs_thought=True))
    stillbell.provider.script(
        THINKER,
        [ToolUse("loop_open", {"title": f"see {link}"}), ToolUse("reminder_set", {"text": "x", "wall": link})],
        [ToolUse("loops_list", {}), ToolUse("search", {"query": link})],
        f"See {link}",
    )
    [_, said] = await stillbell.says("could you have a look at my things?")
    assert "https://" not in said
    assert "https://" not in "".join(stillbell.loops)


async def test_a_link_that_stands_in_a_mail_can_be_followed(stillbell: Product, database: Path) -> None:
    archive = mbox(database.with_name("all.mbox"), mail(1, "The lease is at https://landlord.example/lease today."))
    await import_mail(
        archive, ledger=stillbell.house.ledger, owner_id=1, clock=stillbell.clock, on_progress=lambda _: None
    )
    stillbell.provider.always(INSTINCT, felt("On it.", needs_thought=True))
    stillbell.provider.script(
        THINKER, ToolUse("search", {"query": "lease"}), "It is at https://landlord.example/lease."
    )
    assert (await stillbell.says("where is the lease?"))[1] == "It is at https://landlord.example/lease."


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(ToolUse("loop_close", {"loop_id": 10**30}), id="a huge id"),
        pytest.param(ToolUse("reminder_set", {"text": "x", "wall": "0001-01-01T00:00"}), id="the year 1"),
        pytest.param(ToolUse("reminder_set", {"text": "x", "wall": "9999-12-31T23:59"}), id="the year 9999"),
    ],
)
async def test_arguments_out_of_this_world_are_told_to_the_model(stillbell: Product, call: ToolUse) -> None:
    stillbell.provider.always(INSTINCT, felt("On it.", needs_thought=True))
    stillbell.provider.script(THINKER, call, "I can't do that.")
    assert await stillbell.says("do something impossible") == ["On it.", "I can't do that."]


async def test_a_link_that_nobody_gave_can_not_be_followed(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("On it.", needs_thought=True))
    stillbell.provider.script(
        THINKER, "See https://evil.example/?q=secret and [here](https://evil.example/b), or https://good.example/a."
    )
    [_, said] = await stillbell.says("what is at https://good.example/a ?")
    assert "https://evil.example" not in said
    assert "https://good.example/a" in said
    entities = stillbell.server.calls("sendMessage")[-1].params.get("entities", [])
    assert [entity["url"] for entity in entities if entity["type"] == "text_link" and "evil" in entity["url"]] == []


# --- money ---


async def test_reaching_the_cap_is_told_once_and_stillbell_goes_on_without_a_model(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("Good morning."))
    await stillbell.says("todo: call Anna about the lease")
    await stillbell.says("/allowance 0")
    first = await stillbell.says("What about the lease?")
    assert len(first) == 2
    assert len([text for text in first if text.startswith("⚠️")]) == 1
    [found] = [text for text in first if not text.startswith("⚠️")]
    assert found.startswith("todo: call Anna about the lease\nyou, today (chat)")
    second = await stillbell.says("And what about the lease now?")
    assert len(second) == 1
    assert not second[0].startswith("⚠️")
    assert await stillbell.says("done") == ["Done: call Anna about the lease"]
    assert stillbell.provider.requests == []
    await stillbell.says("/allowance 5")
    assert await stillbell.says("good morning") == ["Good morning."]


async def test_usage_shows_the_day_by_label(stillbell: Product) -> None:
    stillbell.provider.always(INSTINCT, felt("Let me look.", needs_thought=True))
    stillbell.provider.always(THINKER, LONG)
    await stillbell.says("When is the rent due?")
    [usage] = await stillbell.says("/usage")
    assert usage.startswith("Today: ")
    assert "• instinct: " in usage
    assert "• thinker: " in usage
    assert stillbell.rows("SELECT label, state FROM usage ORDER BY id") == [
        ("instinct", "settled"),
        ("thinker", "settled"),
    ]
