"""Open loops: "mark the first as done" completes it in the database, and it is never mentioned again; undo brings it back."""

from evals.report import Report
from evals.room import room
from evals.scripts import by_role, instinct
from tests.servers.messages_api import MessagesServer

FIRST, SECOND = "send the zeppelin invoice to Acme", "book the dentist"


def script(server: MessagesServer) -> None:
    def thought(body):
        return "You still have to book the dentist."

    by_role(server, felt=instinct("Let me look.", thought=True), thought=thought)


async def run() -> Report:
    async with room(script) as here:
        report = Report("open-loops", here.provider)
        await here.say(f"todo: {FIRST}")
        await here.say(f"todo: {SECOND}")
        await here.say("mark the first as done")
        loops = {loop.title: loop.state for loop in [await here.read(lambda t, n=n: t.loops.get(n)) for n in (1, 2)]}
        report.check("the first is done in the database", loops == {FIRST: "done", SECOND: "open"}, loops)
        listed = (await here.say("/loops"))[0]
        report.check("the list does not name it", FIRST not in listed and SECOND in listed)
        brief = (await here.say("/brief"))[0]
        report.check("the brief does not name it", FIRST not in brief)
        said = await here.say("What do I still have to do? Think about it.", answers=2)
        report.check("the model does not name it", not any("zeppelin" in text for text in said), " / ".join(said)[:100])
        prompts = [str(r.body.get("system")) for r in here.model.requests] if here.model else []
        report.check("no prompt's world state holds it", not any(f"] {FIRST}" in prompt for prompt in prompts))
        await here.say("undo")
        loop = await here.read(lambda t: t.loops.get(1))
        report.check("undo opens it again", loop.state == "open", loop.state)
        again = (await here.say("/loops"))[0]
        report.check("and the list names it again", FIRST in again)
    return report
