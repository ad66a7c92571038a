"""What the owner wishes of interruptions, behind /quiet: how many pings a day, and who may break quiet hours."""

import re

from handlers.scene import Scene
from memory.ledger import Tables
from memory.markdown import escaped
from tools import delivering

PINGS_MOST = 50

_PINGS = re.compile(r"(?:pings?|meldungen)\s+(\d{1,3})", re.IGNORECASE)
_URGENT = re.compile(r"(not|nicht|no)?\s*(?:urgent|dringend)\s+(\S+@\S+\.\S+)", re.IGNORECASE)


def said(t: Tables, words: str, scene: Scene) -> str | None:
    """Do what the words wish, and say so; None when they are about something else."""
    if pings := _PINGS.fullmatch(words.strip()):
        count = min(int(pings[1]), PINGS_MOST)
        t.preferences.set(scene.owner.id, delivering.PINGS_SETTING, str(count))
        _record(t, "pings", str(count), scene)
        return scene.say("pings_set", count=count)
    if urgent := _URGENT.fullmatch(words.strip()):
        address = urgent[2].lower().strip("<>,;.")
        if urgent[1]:
            t.senders.unwish(scene.owner.id, address, "urgent")
        else:
            t.senders.wish(scene.owner.id, address, "urgent", now=scene.now)
        _record(t, "urgent", "removed" if urgent[1] else "added", scene)
        return scene.say("urgent_removed" if urgent[1] else "urgent_added", who=escaped(address))
    return None


def standing(t: Tables, scene: Scene) -> str:
    """What is wished now."""
    used = delivering.pings_today(t, scene.owner, scene.now)
    lines = [scene.say("pings_are", count=delivering.pings_a_day(t, scene.owner.id), used=used)]
    if urgent := t.senders.wished(scene.owner.id, "urgent"):
        lines.append(scene.say("urgent_list", who=", ".join(escaped(address) for address in urgent)))
    return "\n".join(lines)


def _record(t: Tables, what: str, decided: str, scene: Scene) -> None:
    t.decisions.record(
        owner_id=scene.owner.id,
        subject=f"wish:{what}",
        decided=decided,
        because=scene.because,
        now=scene.now,
        signal_id=scene.signal_id,
    )
