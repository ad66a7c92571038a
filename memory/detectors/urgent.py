"""What can't wait for the morning: an emergency, a call for an answer within the hour, a change of something of today.

Words alone say it, so they are few, and each needs company: "now" counts beside "call me", a hospital when somebody is in
it. A sentence that calms ("no emergency", "in case of") counts for nothing. Who wrote it is the judge's to weigh.
"""

import re
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from memory.detectors.finding import QUOTE_MAX, Finding
from memory.detectors.requestwords import NOISE
from memory.detectors.sentence import own_words, sentences
from memory.mail import KeptMail
from memory.mail_thread import is_reply
from memory.when.reader import read
from memory.when.reading import Reading
from memory.zones import to_utc

LENGTH_MAX = 1_500
"""Whoever is in need writes no more than this."""
SENTENCE_MAX = 400
AHEAD_FOR = timedelta(hours=24)


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + "|".join(patterns) + r")(?!\w)", re.IGNORECASE)


_NOW = r"(?:right now|right away|immediately|at once|asap|urgently)"
_SOFORT = r"(?:sofort|umgehend|dringend|asap)"
_COUNT = (
    r"(?:\d{1,2}|five|ten|fifteen|twenty|thirty|a few|fünf|zehn|fünfzehn|zwanzig|dreißig|wenigen|ein paar|den nächsten)"
)
_DOOR = r"(?:deiner|eurer|ihrer|der) (?:haus|wohnungs)?tür"

_CALM = _words(
    r"(?:no|not an?|never an?|isn't an?) (?:\w+ )?emergency|not urgent|no (?:rush|hurry)|in case of|for emergencies|emergency only",
    r"kein(?:e|en)? (?:notfall|eile)|nicht (?:dringend|eilig|sofort)|im notfall|für (?:den )?notf(?:all|älle)|ab sofort",
    r"effective immediately|(?:immediately|right away) (?:after|before|following|upon|if|when)|sofort (?:nach|wenn|falls)",
    r"(?:not|\w+n't|cannot)[^.!?\n]{0,25} (?:right now|immediately)|nicht [^.!?\n]{0,25}sofort",
    r"(?:was|were|used to|work|works|worked|war|waren|lag|arbeite|arbeitet)[^.!?\n]{0,30} (?:hospital|krankenhaus|klinik)",
    r"appointment|termin|insurance|versicherung|(?:last|next) (?:week|month|year)|(?:letzte|nächste)[nrs]? (?:woche|monat|jahr)",
)
_EMERGENCY = _words(
    r"emergency(?! (?:fund|contact|exit|kit|number|plan|meeting|landing|drill|services?|room|department|brake|lights?|repairs?|"
    r"procedures?|response|funding|savings|budget))",
    r"(?:I'm|I am|we're|we are|he's|he is|she's|she is|is|are|am|taken|brought|rushed|on (?:the|my|our) way)(?: now| still| here)? "
    r"(?:in|at|to) (?:the |a )?(?:hospital|emergency room|ER|ICU|A&E)",
    r"had an? (?:\w+ )?(?:accident|heart attack|stroke)|collapsed|unconscious|(?:called|in) (?:an|the) ambulance|locked out|"
    r"(?:I'm|I am|we're|we are|standing|waiting) (?:\w+ )?(?:at|outside) (?:your|our) (?:front )?door|house is on fire|burst pipe",
    r"notfall|(?:im|ins) krankenhaus|in (?:der|die) (?:notaufnahme|klinik)|hat(?:te|ten)? (?:\w+ )?einen (?:\w{1,20})?unfall|unfall gehabt|"
    r"(?:hat(?:te)?|einen|ein) (?:herzinfarkt|schlaganfall)|bewusstlos|notarzt|(?:kranken|rettungs)wagen|ausgesperrt|rohrbruch",
    rf"(?:ich steh(?:e)?|wir stehen|stehe|steh|bin|sind|warte) (?:\w+ ){{0,2}}?vor {_DOOR}",
)
_CALL = _words(
    rf"(?:call|ring|phone|text) (?:me|us|him|her|home)\b[^.!?\n]{{0,30}} (?:now(?! and)|{_NOW})",
    rf"(?:urgent|{_NOW})\b[^.!?\n]{{0,20}} (?:call|ring|phone) (?:me|us|him|her|home)",
    rf"(?:ruf|ruft|rufen sie)\b(?: \w+,?){{0,4}}? (?:{_SOFORT}|gleich|jetzt|schnell)|(?:{_SOFORT}|gleich)(?: \w+){{0,3}}? (?:anrufen|zurückrufen)",
    rf"{_SOFORT}[^.!?\n]{{0,20}} (?:ruf|ruft|rufen sie) (?:\w+ ){{0,3}}?(?:an|zurück|durch)",
)
_AT_ONCE = _words(
    rf"(?:please|pls|come|need|we need|help)\b[^.!?\n]{{0,60}} {_NOW}",
    r"(?:bitte|komm|kommt|brauche?n?|hol|holt|hilf|helft)\b[^.!?\n]{0,60} (?:sofort|umgehend)",
    r"(?:sofort|umgehend) (?:abholen|kommen|antworten|melden|herkommen|helfen)",
)
_MINUTES = _words(
    rf"(?:in|within|innerhalb(?: von)?) (?:the next )?(?:{_COUNT} min(?:s|\.|uten?|utes?)?|(?:half an|an) hour|einer (?:halben )?stunde)"
)
_WANTED = _words(
    r"(?:can|could|shall|may) (?:we|you|I) (?:\w+ )?(?:talk|speak|call|meet|answer|reply|come|pick|help|join)",
    r"(?:call|ring|phone|answer|text|help|meet) (?:me|us)|(?:need|want) (?:your|an|a) (?:answer|reply|decision|call|signature)",
    r"(?:kannst|könntest|können|könnten) (?:du|wir|sie|ihr)[^.!?\n]{0,50} (?:reden|sprechen|telefonieren|anrufen|kommen|antworten|abholen|helfen)",
    r"(?:ruf|ruft) (?:mich|uns)|brauchen? (?:\w+ ){0,2}?(?:antwort|rückmeldung|rückruf|unterschrift|entscheidung)",
)


def emergency(kept: KeptMail) -> Finding | None:
    """An emergency, or a call for an answer within the hour; detail is "emergency", "call", "at once" or "minutes"."""
    if kept.by_owner or len(own_words(kept)) > LENGTH_MAX:
        return None
    for sentence in _said(kept):
        if _CALM.search(sentence):
            continue
        if detail := _need(sentence):
            return Finding(kind="emergency", detail=detail, quote=sentence[:QUOTE_MAX])
    return None


def _need(sentence: str) -> str:
    if _EMERGENCY.search(sentence):
        return "emergency"
    if NOISE.search(sentence):
        return ""
    if _CALL.search(sentence):
        return "call"
    if _AT_ONCE.search(sentence):
        return "at once"
    return "minutes" if _MINUTES.search(sentence) and _WANTED.search(sentence) else ""


def _said(kept: KeptMail) -> Iterator[str]:
    """Its own sentences; a subject that answers another is somebody else's."""
    subject = "" if is_reply(kept.mail.subject) else kept.mail.subject[:300]
    for _, sentence in sentences(f"{subject}\n\n{own_words(kept)}"):
        yield sentence[:SENTENCE_MAX].replace("’", "'")


# Something of today changes

_CHANGES = _words(
    r"(?:is|was|are|been|be|gets?|got) (?:\w+ )?(?:moved|shifted|pushed)|(?:move|moved|moving|push|pushed) (?:it|our|the|us|to \d|up|forward|back)",
    r"postpon(?:e|ed|ing)|reschedul(?:e|ed|ing)|cancel(?:s|l?ed|l?ing)?|call(?:ed|ing)? (?:it |our \w+ )?off|"
    r"(?:can't|cannot|can not|won't) make (?:it|our|the)",
    r"verschob(?:en)?|verschieb(?:e|en|t)|(?:vor)?verlegt|(?:vor)?verlegen|abgesagt|absagen|sag(?:e|en|t)?\b [^.!?\n]{1,80} ab|entfällt|"
    r"fällt (?:[\w:]+ ){0,5}?aus|schaff(?:e|en) es (?:\w+ ){0,2}?nicht",
)
_UNCHANGED = _words(
    r"(?:not|never|isn't|wasn't|hasn't been) (?:been )?(?:moved|cancell?ed|postponed|rescheduled)|"
    r"(?:nicht|noch nicht) (?:abgesagt|verschoben|verlegt)|did (?:you|they)|have you|hast du|haben sie|wurde[^.!?\n]{0,60}\?"
)
_MEETING = _words(
    r"our|we|meeting|call|dinner|lunch|breakfast|appointment|party|session|class|lesson|training|game|date|interview|viewing|coffee|drinks",
    r"unser(?:e|en|em)?|wir|termin|\w{0,12}essen|treffen|besprechung|telefonat|training|kurs|feier|verabredung|frühstück|besichtigung|probe",
    r"\d{1,2}[:.]\d\d|\d{1,2} ?(?:am|pm|uhr|h)",
)


def change(kept: KeptMail, *, zone: ZoneInfo) -> Finding | None:
    """Something of the day it was written on, or of the hours after, is moved or called off; due_at is when it is, as it
    now stands.

    zone: the owner's, when the mail was written.
    """
    if kept.by_owner:
        return None
    for sentence in _said(kept):
        if not _CHANGES.search(sentence) or not _MEETING.search(sentence) or _UNCHANGED.search(sentence):
            continue
        if due_at := _today(sentence, kept.at, zone):
            return Finding(kind="change", quote=sentence[:QUOTE_MAX], due_at=due_at)
    return None


def _today(sentence: str, written_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The first time within a day that the sentence names; of a mere "today" its end."""
    readings = (mention.readings[0] for mention in read(sentence, now=written_at, zone=zone))
    found = [at for reading in readings if (at := _within_a_day(reading, written_at, zone))]
    return min(found, default=None)


def _within_a_day(reading: Reading, written_at: datetime, zone: ZoneInfo) -> datetime | None:
    if reading.kind == "duration" or reading.recurrence:
        return None
    if reading.grain in ("day", "week", "month", "quarter", "year"):
        today = written_at.astimezone(zone).date()
        is_today = reading.grain == "day" and reading.wall.date() == today
        return to_utc(datetime.combine(today, time(23, 59)), zone) if is_today else None
    at = reading.at or to_utc(max(reading.wall, reading.anchor), zone)
    return at if written_at < at <= written_at + AHEAD_FOR else None
