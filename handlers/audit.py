"""/audit: what left, under which approval and tap, and what was refused and why; with a word, only what it names."""

from itertools import islice

from handlers.scene import Scene
from memory.ledger import Tables
from memory.markdown import escaped
from memory.recipient import readable
from memory.wording import say, when
from tools.audit import Entry, Wanted, day_named, entries, newest_steps, of_day

SHOWN_MAX = 12

_REFUSED = frozenset({"refused", "failed", "abgelehnt", "verweigert"})


def read_back(t: Tables, rest: str, scene: Scene) -> str:
    """What the audit holds, newest first, as Markdown."""
    found = next((some for wanted in _wanted(rest, scene) if (some := _found(t, wanted, scene))), [])
    if not found:
        return scene.say("audit_none")
    head = scene.say("audit_head_filtered" if rest else "audit_head")
    return "\n".join((head, *(_line(entry, scene) for entry in found), "", scene.say("audit_more")))


def _found(t: Tables, wanted: Wanted, scene: Scene) -> list[Entry]:
    return list(islice(newest_steps(entries(t, scene.owner.id, wanted)), SHOWN_MAX))


def _wanted(rest: str, scene: Scene) -> tuple[Wanted, ...]:
    """What the words name; a name may be an agent's or a tool's, and the first that anything is found of counts."""
    refused, person, since, until, name = False, None, None, None, ""
    for word in rest.split():
        day = day_named(word, scene.wall.date())
        if word.lower() in _REFUSED:
            refused = True
        elif "@" in word:
            person = readable(word) or word
        elif day is not None:
            since, until = of_day(scene.owner, day)
        else:
            name = word
    base = Wanted(person=person, since=since, until=until, refused=refused, outward=not rest)
    if not name:
        return (base,)
    return tuple(
        Wanted(agent=agent, tool=tool, person=person, since=since, until=until, refused=refused)
        for agent, tool in ((name.lower(), None), (None, name))
    )


def _line(entry: Entry, scene: Scene) -> str:
    what = escaped(entry.tool)
    if entry.to is not None:
        what = scene.say("audit_to", what=what, to=", ".join(f"`{address}`" for address in entry.to))
    how = scene.say(f"audit_how_{entry.became if entry.is_refused and entry.became else entry.outcome}")
    because = [escaped(entry.because)]
    if entry.approval is not None:
        because.append(scene.say("audit_approval", number=entry.approval))
    if entry.tapped_at is not None:
        because.append(scene.say("audit_tapped", when=f"{scene.owner.zones.wall_at(entry.tapped_at):%H:%M}"))
    at = when(scene.owner.zones.wall_at(entry.at), scene.wall.date(), scene.language)
    return say(scene.language, "audit_line", when=at, what=what, how=how, because="; ".join(because))
