"""Two speeds: something sensible within three seconds whatever the provider does, and the thought-through answer after."""

import time

from evals.report import Report
from evals.room import room
from evals.scripts import by_role, instinct
from tests.servers.messages_api import Hang, MessagesServer, Status

QUESTION = (
    "Please think about how I should prepare for a difficult salary talk next week, and write me the three main points."
)


def script(server: MessagesServer) -> None:
    by_role(
        server,
        felt=instinct("On it, give me a moment.", thought=True),
        thought="First, write down what you achieved this year and what it was worth, with figures.\n\nSecond, decide your number beforehand and say it once.",
    )


async def run() -> Report:
    async with room(script) as here:
        report = Report("two-speed", here.provider)
        # The provider's library loads in the background for a second or two after the start: that is not measured here.
        await here.say("Hello")
        began = time.monotonic()
        before = len(here.telegram.calls("sendMessage"))
        here.telegram.owner_sends(QUESTION)
        (first,) = (await here.telegram.wait_for_calls(before + 1, "sendMessage", timeout=10))[before:]
        report.check(
            "the first reply within 3 s",
            first.monotonic_seconds - began < 3,
            f"{first.monotonic_seconds - began:.2f} s",
        )
        later = (await here.telegram.wait_for_calls(before + 2, "sendMessage", timeout=90))[before + 1 :]
        took = later[0].monotonic_seconds - began
        report.check("the thinker follows within 60 s", took < 60, f"{took:.2f} s")
        turn = await here.read(lambda t: t.thread.newest_turn(1))
        piece = await here.read(lambda t: t.pieces.get(f"turn:{turn.id}:2"))
        report.check("the follow-up is a row of that turn", piece is not None)
        labels = {row[0] for row in await here.read(lambda t: t.spendings.by_label(1, turn.opened_at))}
        report.check("usage rows bear the labels", labels == {"instinct", "thinker"}, ", ".join(sorted(labels)))
    await _misbehaving(report)
    return report


async def _misbehaving(report: Report) -> None:
    """A provider that hangs, then one that errs. Only the scripted one can be asked to."""
    for name, fault in (("hangs", Hang()), ("answers 529", Status(529))):
        async with room(lambda server, fault=fault: server.respond_with(lambda _: fault)) as here:
            if here.model is None:
                continue
            began = time.monotonic()
            await here.say("What do you think of the weather?", within_s=10)
            took = time.monotonic() - began
            report.check(f"a reply within 3 s although the provider {name}", took < 3, f"{took:.2f} s")
