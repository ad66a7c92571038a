"""From the owner's words to an intent, in English and German, or to nothing: then it is something to talk about.

A sentence is only taken for a command when it is one from end to end: "done" closes a loop, "when are you done with
the slides?" does not.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time
from zoneinfo import ZoneInfo

from memory.command.intent import (
    Close,
    Intent,
    ListLoops,
    Move,
    OpenLoop,
    Remind,
    SetQuiet,
    ShowDay,
    Snooze,
    Speak,
    Stop,
    Target,
    Undo,
)
from memory.command.remember import recollecting, remembering
from memory.when.reader import read
from memory.when.reading import Mention, Reading
from memory.zones import find_zone, to_utc


@dataclass(frozen=True, slots=True)
class Unsure:
    """The words have several readings: the owner picks. Likeliest first."""

    options: tuple[Intent, ...]


@dataclass(frozen=True, slots=True)
class WhenMissing:
    """A reminder or snooze without a time: `intent` has a wall time to be replaced."""

    intent: Remind | Snooze


@dataclass(frozen=True, slots=True)
class InThePast:
    """The only reading of the time has gone by."""

    text: str


Parsed = Intent | Unsure | WhenMissing | InThePast | None

LENGTH_MAX = 500
"""A longer message is a story, not a command."""

_ORDINALS = {
    **dict.fromkeys(("first", "1st", "erste", "ersten", "erstes", "erster"), 1),
    **dict.fromkeys(("second", "2nd", "zweite", "zweiten", "zweites", "zweiter"), 2),
    **dict.fromkeys(("third", "3rd", "dritte", "dritten", "drittes", "dritter"), 3),
    **dict.fromkeys(("fourth", "4th", "vierte", "vierten", "viertes", "vierter"), 4),
    **dict.fromkeys(("fifth", "5th", "fünfte", "fünften", "fünftes", "fünfter"), 5),
    **dict.fromkeys(("sixth", "6th", "sechste", "sechsten", "sechstes"), 6),
    **dict.fromkeys(("seventh", "7th", "siebte", "siebten", "siebtes"), 7),
    **dict.fromkeys(("eighth", "8th", "achte", "achten", "achtes"), 8),
}
_LAST = {"last", "letzte", "letzten", "letztes", "letzter"}
_IT = {"", "it", "that", "this", "that one", "this one", "es", "das", "dies", "die", "den", "ihn", "sie"}

_TARGET = r"(?P<target>.{0,120}?)"
_POLITE = re.compile(
    r"^(?:(?:hey|hi|ok(?:ay)?|please|bitte|and|und|so|great|super|danke|thanks)[,!. ]+)+"
    r"|[ ,]*(?:please|bitte|thanks|thank you|danke)?[.! ]*$",
    re.IGNORECASE,
)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE | re.DOTALL)


_DONE = tuple(
    _pattern(text)
    for text in (
        r"(?:done|erledigt|fertig|abgehakt|✅|☑️?|✔️?)",
        r"(?:all |alles )?(?:done|erledigt)(?: with)? " + _TARGET,
        r"(?:mark|set|tick|check|markier(?:e)?|setz(?:e)?|hake?)\b\s*(?:off )?"
        + _TARGET
        + r"\s*\b(?:as |to |als |auf )?(?:done|off|finished|complete[d]?|erledigt|fertig|ab)",
        r"(?:close|tick off|check off|schließe?|hake ab) " + _TARGET,
        _TARGET + r"\s*\bhab(?:e)? ich (?:schon )?(?:erledigt|gemacht|abgehakt|fertig)",
        # With the verb first, "ich" after it makes it a question: "habe ich die Steuer erledigt".
        r"(?:ich )?hab(?:e)?(?:['’]?s)? (?!ich\b)" + _TARGET + r"\s*\b(?:erledigt|gemacht|abgehakt)",
        _TARGET
        + r"\s*(?:\b(?:is|are|'s|’s|ist|sind))? ?(?:all |schon |already )?\b(?:done|finished|erledigt|fertig|abgehakt)",
        r"(?:i(?:'ve|’ve| have)?|ich hab(?:e)?) (?:done|did|finished|completed) " + _TARGET,
    )
)
_FINISH = _pattern(r"(?:complete|finish|erledige) " + _TARGET)
"""An errand as often as word of its end: it closes what is pointed at, and nothing by name."""
_I_AM_DONE = _pattern(
    r"(?:i(?:'m|’m| am)|ich bin) (?:all |now |already |jetzt |schon |damit )*(?:done|finished|through|fertig|durch)"
    r"(?: (?:with|mit) (?:it|that|this|es|dem|ihm))?"
)
"""Said of the loop that is being talked about, if there is one; else of oneself."""
_DROP = tuple(
    _pattern(text)
    for text in (
        r"(?:drop|forget|cancel|delete|remove|discard|streiche?|vergiss|lösche?|verwirf) (?:the reminder |the loop |die erinnerung |den punkt )?"
        + _TARGET,
        r"(?:stop reminding me (?:about|of)|erinnere? mich nicht mehr an) " + _TARGET,
    )
)
_SNOOZE = tuple(
    _pattern(text)
    for text in (
        r"(?:snooze|postpone|push|delay|move|defer)\s*" + _TARGET + r"\s*(?:till|until|to|for|by|bis|auf|um)?\s*@",
        r"(?:verschiebe?|schieb(?:e)?|vertage?|verleg(?:e)?|stell(?:e)?)\s*"
        + _TARGET
        + r"\s*(?:bis|auf|um|zu)?\s*@(?: (?:auf|zurück))?",
        r"(?:remind me (?:again|later)|erinnere? mich (?:später|nochmal|noch mal|wieder)) (?:about |an )?"
        + _TARGET
        + r"\s*@",
    )
)
_SNOOZE_BARE = _pattern(
    r"(?:snooze|postpone|later|not now|später|verschieben|verschiebe es)\s*(?P<target>it|that|this|es|das)?"
)
_REMIND = _pattern(
    r"(?:(?:can|could|will|would|kannst|könntest) (?:you|du) )?(?:please |bitte )?"
    r"(?:remind me|erinnere? mich|weck(?:e)? mich|wake me|ping me|nudge me|reminder|erinnerung)\b[:,]?\s*(?P<rest>.+)"
)
_REMIND_TAIL = _pattern(r"(?P<rest>.+?)[,:]?\s+(?:remind me|erinnere? mich|daran erinnern)\b\s*(?P<more>.*)")
_NO_WISH = _pattern(
    r".*(?:\b(?:not|dont|never|you|to|did|does|will|would|should|could|must|that|which|who|it|he|she|they)|n['’]t)"
)
"""What stands before "remind me" when nothing is wished: "don't", "why would you"."""
_DO_NOT_REMIND = _pattern(r"erinnere? mich\b[^,:]*\b(?:nicht|nie|niemals|kein\w*)\b(?! zu\b| \w+zu\w| vergessen).*")
_TELLS = _pattern(r"(?:i|i['’]m|is|are|was|he|she|it|they|we|you|ich|bin|ist|sind|war|er|sie|es|wir|man|hat|habe)\b.*")
"""What follows "every Monday" when something is told and nothing wished."""
_OPEN = tuple(
    (_pattern(text), kind)
    for text, kind in (
        (
            r"(?:todo|to do|to-do|add (?:a )?(?:loop|task|todo)|new (?:loop|task)|open (?:a )?loop|neue aufgabe)\s*[:\- ]\s*(?P<title>.+)",
            "task",
        ),
        (r"(?:aufgabe|offen)\s*[:\-]\s*(?P<title>.+)", "task"),
        (r"add (?P<title>.+?) to (?:my|the) (?:list|loops|todos?)", "task"),
        (r"(?:setz|schreib|pack)e? (?P<title>.+?) auf (?:die|meine) liste", "task"),
        (r"(?:i(?:'m| am)? )?waiting (?:on|for) (?P<title>.+)", "waiting"),
        (r"(?:ich )?warte(?: noch)? auf (?P<title>.+)", "waiting"),
    )
)
_MOVE = _pattern(
    r"(?:i(?:'m|’m| am)|i will be|i'll be|we(?:'re| are)|ich bin|bin|wir sind)\s+(?:now |jetzt |gerade |currently |back |wieder |zurück )*"
    r"(?:@\s*)?(?:in|at|zu)\s+(?P<place>[^@.!?]{2,40}?)(?:\s*@)?"
)
_SPEAK = {
    "en": _pattern(
        r"(?:(?:speak|answer|talk|reply|write)(?: to me)? (?:in )?|in |auf |sprich |antworte auf |switch to )?(?:english|englisch)(?: please| bitte)?"
    ),
    "de": _pattern(
        r"(?:(?:speak|answer|talk|reply|write)(?: to me)? (?:in )?|in |auf |sprich |antworte auf |switch to )?(?:german|deutsch)(?: please| bitte)?"
    ),
}
_CLOCK = r"(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm)?(?: uhr)?"
_QUIET = _pattern(
    r"(?:set )?(?:/?quiet(?: hours?| time)?|ruhezeit(?:en)?|ruhe|nachtruhe)\s*[:=]?\s*(?:from|von|ab)?\s*"
    + _CLOCK
    + r"\s*(?:-|–|—|to|till|until|bis)\s*"
    + _CLOCK
)
_QUIET_OFF = _pattern(
    r"/?(?:quiet(?: hours?)?|(?:nacht)?ruhe|ruhezeit(?:en)?)\s*(?:off|none|aus|keine)|(?:no quiet hours|keine ruhezeit(?:en)?)"
)
_UNDO = _pattern(
    r"(?:undo(?: (?:it|that|this|the last one))?|take (?:it|that) back|"
    r"(?:mach (?:das |es )?)?rückgängig(?: machen)?|doch nicht|zurücknehmen|nimm das zurück)"
)
_NOT_DONE = _pattern(r"(?:not done|(?:doch )?nicht erledigt)")
_LIST = _pattern(
    r"(?:(?:show|list)(?: me)? )?(?:my |the |all )?(?:open )?(?:loops|todos?|tasks)|what(?:'s| is) (?:still )?open|"
    r"(?:zeig(?:e)? (?:mir )?)?(?:meine |die )?(?:offene[nr]? )?(?:aufgaben|punkte|todos)|was (?:ist|steht) (?:noch )?(?:offen|an)"
)
_DAY = _pattern(
    r"(?:my day|today)(?:['’]s plan)?|what(?:['’]s| is) (?:on|planned)(?: for)? today|(?:show|tell)(?: me)? (?:my day|today)|"
    r"(?:what|how) does (?:my day|today) look(?: like)?|heute|mein(?:en)? tag|zeige?(?: mir)? (?:meinen tag|heute)|"
    r"was (?:ist|steht|liegt) (?:denn )?heute (?:los|an)|wie sieht (?:mein tag|der tag|es heute|heute) aus"
)
_STOP = _pattern(r"(?:stop(?: it| that)?|halt|stopp|never ?mind|forget it|vergiss es|schon gut|hör auf)")


_TIMED = _pattern(
    r"^(?:every|each|on|jede[nrsm]?|alle|am|werktags|täglich|daily|weekly)\b|remind|erinner|weck|wake me|ping me|nudge|snooze|postpone|push|delay|"
    r"\bmove\b|defer|verschieb|schieb|vertag|verleg|stell|später|later|not now|i(?:'m|’m| am|'ll| will)\b|we(?:'re| are)\b|\bbin\b|\bsind\b"
)
"""What a sentence that has to do with a time begins with or holds."""


def parse(text: str, *, now: datetime, zone: ZoneInfo, language: str) -> Parsed:
    """What `text` asks for. `now` is aware UTC; `zone` is the one in force; `language` only breaks ties."""
    said = _POLITE.sub("", text.strip()).strip()
    if not said or len(said) > LENGTH_MAX or (said.endswith("?") and not _is_shown(said)):
        return None
    said = said.rstrip("?").strip()
    found = _timeless(said)
    # Looking for times costs some milliseconds, and most messages ask for nothing that has one.
    if found is not None or not _TIMED.search(said):
        return found
    mentions = [m for m in read(said, now=now, zone=zone) if m.readings]
    for rule in (_remind, _snooze, _move):
        found = rule(said, mentions, now, zone)
        if found is not None:
            return found
    return _recurring(said, mentions)


def _is_shown(said: str) -> bool:
    """Whether a question asks for a list that code has: the only questions that are commands."""
    asked = said.rstrip("? ")
    return bool(_LIST.fullmatch(asked) or _DAY.fullmatch(asked) or recollecting(asked) or remembering(said))


def _timeless(said: str) -> Parsed:
    """What needs no time."""
    found: Parsed = _simple(said) or recollecting(said) or remembering(said)
    if found is None:
        found = _close(said)
    return _open(said) if found is None else found


def _simple(said: str) -> Intent | None:
    simple = (
        (_UNDO, Undo()),
        (_NOT_DONE, Undo(only_done=True)),
        (_STOP, Stop()),
        (_LIST, ListLoops()),
        (_DAY, ShowDay()),
    )
    for pattern, intent in simple:
        if pattern.fullmatch(said):
            return intent
    for spoken, pattern in _SPEAK.items():
        if pattern.fullmatch(said):
            return Speak("de" if spoken == "de" else "en")
    if _QUIET_OFF.fullmatch(said):
        return SetQuiet(time(0), time(0))
    hours = _QUIET.fullmatch(said)
    if hours:
        start, end = _clock(hours[1], hours[2], hours[3]), _clock(hours[4], hours[5], hours[6])
        return SetQuiet(start, end) if start is not None and end is not None else None
    return None


def _clock(hour: str, minute: str | None, half: str | None) -> time | None:
    hours = int(hour) % 12 + (12 if half.lower() == "pm" else 0) if half else int(hour)
    minutes = int(minute or 0)
    return time(hours % 24, minutes) if hours <= 24 and minutes < 60 else None


def target_of(words: str) -> Target | None:
    """Which loop these words name; None when they name none."""
    clean = re.sub(
        r"^(?:the|my|das|die|der|den|dem|mein|meine|nr\.?|number|nummer)\s+", "", words.strip().lower()
    ).strip(" .,:'\"")
    clean = re.sub(r"\s+(?:one|loop|task|item|point|punkt|aufgabe)$", "", clean)
    if words.strip().lower() in _IT or clean in _IT:
        return Target()
    if clean in _ORDINALS:
        return Target("number", _ORDINALS[clean])
    if clean in _LAST:
        return Target("last")
    numbered = re.fullmatch(r"(#|no\.?\s*|nr\.?\s*)?(\d{1,6})\.?", clean)
    if numbered:
        return Target("loop_id" if numbered[1] == "#" else "number", int(numbered[2]))
    return Target("words", words=clean) if len(clean) > 2 else None


def _close(said: str) -> Parsed:
    if _I_AM_DONE.fullmatch(said):
        return Close(Target("mentioned"))
    finish = _FINISH.fullmatch(said)
    pointed = target_of(finish["target"]) if finish else None
    if pointed is not None:
        return Close(pointed) if pointed.how != "words" else None
    for patterns, state in ((_DONE, "done"), (_DROP, "dropped")):
        for pattern in patterns:
            found = pattern.fullmatch(said)
            target = target_of(found.groupdict().get("target") or "") if found else None
            if target is not None:
                return Close(target, "done" if state == "done" else "dropped")
    return None


def _open(said: str) -> Parsed:
    for pattern, kind in _OPEN:
        found = pattern.fullmatch(said)
        if found and found["title"].strip():
            return OpenLoop(found["title"].strip(), "waiting" if kind == "waiting" else "task")
    return None


def _snooze(said: str, mentions: list[Mention], now: datetime, zone: ZoneInfo) -> Parsed:
    bare = _SNOOZE_BARE.fullmatch(said)
    if bare:
        return WhenMissing(Snooze(Target(), now.replace(tzinfo=None)))
    for mention in mentions[-1:]:
        masked = _masked(said, mention)
        for pattern in _SNOOZE:
            found = pattern.fullmatch(masked)
            target = target_of(found["target"]) if found else None
            if target is not None:
                return _each(mention, now, zone, lambda r, target=target: Snooze(target, r.anchor, r.at))  # type: ignore[misc]
    return None


def _remind(said: str, mentions: list[Mention], now: datetime, zone: ZoneInfo) -> Parsed:
    found = _REMIND.fullmatch(said) or _REMIND_TAIL.fullmatch(said)
    if not found or _DO_NOT_REMIND.search(said) or (found.re is _REMIND_TAIL and _NO_WISH.fullmatch(found["rest"])):
        return None
    # A time may stand in what is to be remembered too ("call Anna about the Friday meeting"): the first or the last
    # one is the owner's when, whichever stands at an end.
    mention = _when(said, mentions, found)
    if mention is None:
        text = _errand(" ".join(part for part in (found["rest"], found.groupdict().get("more")) if part))
        return WhenMissing(Remind(text, now.replace(tzinfo=None))) if text else None
    start, end = mention.span
    before, after = said[found.start("rest") : start], said[end:]
    if start < found.start("rest"):
        before, after = "", said[found.start("rest") :]
    if found.re is _REMIND_TAIL:
        before, after = said[: found.end("rest")].replace(mention.text, " "), found["more"]
    text = _errand(f"{before} {after}") or mention.text
    if _MISREAD.search(text):
        # Part of a time is left over, so the rest of it was misread: a wrong time is worse than a question.
        return WhenMissing(Remind(_errand(found["rest"]), now.replace(tzinfo=None)))
    return _each(
        mention, now, zone, lambda r: Remind(text, r.anchor, r.recurrence.to_text() if r.recurrence else None, r.at)
    )


_MISREAD = re.compile(
    r"^in\s*[-–]|^[-–]?\s*\d|\b(?:at|um)\s+\d|\b\d{1,2}\s*(?:uhr|am|pm)\b|^(?:jan|feb|mär|apr|jun|jul|aug|sep|okt|oct|nov|dez|dec)\w*\b",
    re.IGNORECASE,
)
"""What is left of a time that was only half understood."""


def _when(said: str, mentions: list[Mention], found: re.Match[str]) -> Mention | None:
    if not mentions:
        return None
    first, last = mentions[0], mentions[-1]
    starts_with_time = not re.sub(
        r"(?i)\b(?:at|on|in|um|am|im|the|den|dem|the|bitte|please)\b|[\s,:]",
        "",
        said[found.start("rest") : first.span[0]],
    )
    return first if starts_with_time or len(mentions) == 1 else last


_LEAD = re.compile(
    r"^(?:an (?:den|die|das|dem|der|mein(?:e[nr]?)?)|to|that|about|of|an|daran|dran|dass|das|zu|,|:|-|–|at|on|um|am|i should|i need to|ich soll|i have to|ich muss)\b\s*|^[,:\-–]\s*",
    re.IGNORECASE,
)
_TRAIL = re.compile(r"\s+(?:at|on|by|um|am|im|in|bis|every|jeden|jede)$|[\s,:;\-–]+$", re.IGNORECASE)


def _errand(words: str) -> str:
    """What is to be remembered, without the small words that tied it to its time."""
    text = re.sub(r"\s+", " ", words).strip()
    while True:
        shorter = _TRAIL.sub("", _LEAD.sub("", text)).strip()
        if shorter == text:
            return text
        text = shorter


def _move(said: str, mentions: list[Mention], now: datetime, zone: ZoneInfo) -> Parsed:
    until = next((m for m in mentions if m.readings[0].bound in {"until", "by"}), None)
    found = _MOVE.fullmatch(_masked(said, until) if until else said)
    place = find_zone(found["place"].strip()) if found else None
    if place is None:
        return None
    if until is None:
        return Move(place)
    # "until Friday" is meant in the place's own days.
    there = read(until.text, now=now, zone=ZoneInfo(place))
    ends = (there[0] if there else until).readings[0].wall
    return Move(place, ends) if to_utc(ends, ZoneInfo(place)) > now else InThePast(until.text)


def _recurring(said: str, mentions: list[Mention]) -> Parsed:
    """ "Every weekday at 8 take the pills": a rule at the very front is a reminder."""
    for mention in mentions[:1]:
        rule = mention.readings[0].recurrence
        text = _errand(said[mention.span[1] :])
        if rule is not None and not said[: mention.span[0]].strip() and text and not _TELLS.fullmatch(text):
            options = [Remind(text, r.anchor, r.recurrence.to_text()) for r in mention.readings if r.recurrence]
            return options[0] if len(options) == 1 else Unsure(tuple(options))
    return None


def _masked(said: str, mention: Mention) -> str:
    """`said` with the time as one sign, so that the patterns stay plain."""
    start, end = mention.span
    return f"{said[:start]}@{said[end:]}".strip()


def _each(mention: Mention, now: datetime, zone: ZoneInfo, make: Callable[[Reading], Intent]) -> Parsed:
    ahead = [reading for reading in mention.readings if (reading.at or to_utc(reading.anchor, zone)) > now]
    if not ahead:
        return InThePast(mention.text)
    options = tuple(dict.fromkeys(make(reading) for reading in ahead))
    return options[0] if len(options) == 1 else Unsure(options)
