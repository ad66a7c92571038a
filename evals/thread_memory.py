"""Memory of the thread: what was said earlier is known later, also after a restart, and a correction counts."""

import json

from evals.report import Report
from evals.room import room
from evals.scripts import by_role, instinct
from tests.servers.messages_api import MessagesServer, user_text

FACT, CORRECTION = "My sister Ida lives in Porto.", "Actually Ida moved: she lives in Braga now."


def script(server: MessagesServer) -> None:
    def felt(body):
        text = json.dumps(body["messages"])
        if "Where does Ida live" not in user_text(body):
            return instinct("Good to know.", thought=False)
        place = "Braga" if "Braga" in text else "Porto" if "Porto" in text else "I don't know"
        return instinct(f"In {place}.", thought=False)

    by_role(server, felt=felt, thought="In Braga.")


async def run() -> Report:
    async with room(script) as here:
        report = Report("memory of the thread", here.provider)
        await here.say(FACT)
        answer = " ".join(await here.say("Where does Ida live?"))
        report.check("a fact said before is known", "Porto" in answer, answer)
        await here.say(CORRECTION)
        answer = " ".join(await here.say("Where does Ida live now?"))
        report.check("the correction counts", "Braga" in answer, answer)
        kept = [m.text for m in await here.read(lambda t: t.thread.history(1, limit=20))]
        report.check("both stand in the thread, in order", kept.index(FACT) < kept.index(CORRECTION))
        found = await here.read(lambda t: t.search.find(1, "Ida Braga", corpora=("chat",)))
        report.check("and search finds it", any("Braga" in hit.line for hit in found))
    return report
