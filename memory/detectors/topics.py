"""Words of money, law, security and travel, each with the line that it stands in.

A word list says what a mail is about, never what it is worth: it sets a floor (money and law from a person are not
dropped) and gives the rules of the judge something to hold on to.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from memory.detectors.finding import TEXT_MAX, Finding, Kind, quoted
from memory.detectors.sentence import own_words
from memory.mail import KeptMail
from memory.when.reader import read
from memory.zones import to_utc

_AMOUNT = (
    r"(?:(?:EUR|USD|CHF|GBP|€|\$|£)\s?\d{1,9}(?:[.,'\s]\d{3}){0,4}(?:[.,]\d{1,2})?(?:[km]\b)?(?![\d])|"
    r"\d{1,3}(?:[.,'\s]\d{3}){0,4}(?:[.,]\d{1,2})?\s?(?:EUR|USD|CHF|GBP|euros?|dollars?|pounds?|franken|€|\$|£)(?!\w))"
)


def _words(*patterns: str) -> re.Pattern[str]:
    """Any of the patterns, as words of their own."""
    return re.compile(r"(?<!\w)(?:" + "|".join(patterns) + r")(?!\w)", re.IGNORECASE)


def _bare(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_MONEY: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "overdue",
        _words(
            r"over ?due|past due|unpaid|(?:final|payment|last) (?:reminder|notice)|in arrears|payment (?:has )?(?:failed|declined)|"
            r"(?:could|was) not (?:be )?(?:charged|debited|collected)|insufficient funds|debt collect\w{0,6}|chargeback",
            r"mahnung|mahnbescheid|mahngebühr(?:en)?|zahlungserinnerung|zahlungsverzug|überfällig\w{0,2}|rückstand|"
            r"inkasso\w{0,20}|rücklastschrift|letzte (?:mahnung|erinnerung)|nicht (?:beglichen|bezahlt)|offene(?:n|r)? (?:betrag|posten|rechnung)",
        ),
    ),
    (
        "invoice",
        _words(
            r"invoices?|(?:your|the|phone|electricity|water|hospital|attached|medical) bills?|receipts?|statement of account|amount due|"
            r"balance due|purchase order|quotation",
            r"\w{0,20}rechnung(?:en|s\w{0,20})?|quittung|kostenvoranschlag|fälliger? betrag|rechnungsbetrag|lastschrift",
        ),
    ),
    (
        "payment",
        _words(
            r"payments?|wire transfers?|bank transfer|direct debit|refund(?:ed|s)?|reimburse\w{0,6}|deposit|salary|payroll|loan|mortgage|"
            r"tax (?:return|bill|office|assessment)|(?-i:IBAN|SWIFT|BIC)|bank details|account number|rent (?:is|for|increase|payment)",
            r"(?:be)?zahlung(?:en|s\w{0,20})?|überweis(?:ung(?:en)?|en|e|t)|bankverbindung|kontonummer|gehalt|erstattung|rückzahlung|"
            r"steuer(?:bescheid|erklärung|nummer|berater\w{0,4})|finanzamt|miete(?:rhöhung)?|nebenkosten\w{0,12}|darlehen|kredit|kaution|"
            r"nachzahlung|guthaben|honorar",
            r"(?-i:[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?)",
        ),
    ),
    ("amount", _bare(_AMOUNT)),
)
_LAW: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "termination",
        _words(
            r"notice of termination|terminat(?:e|es|ed|ion) (?:of )?(?:your|the|our|this|my) (?:\w+ )?(?:contract|agreement|lease|employment|account)|"
            r"(?:contract|agreement|lease|employment) (?:will be|is|has been|was) terminated|eviction|notice to quit|resignation|laid off|redundan\w{1,3}",
            r"(?:\w{0,20})kündig(?:ung(?:en|s\w{0,20})?|en|e|t|te)|gekündigt|aufhebungsvertrag|räumungsklage",
        ),
    ),
    (
        "court",
        _words(
            r"lawsuits?|subpoena|summons|court (?:order|hearing|date|case|ruling)|in court|the court|hearing date|litigation|plaintiff|"
            r"defendant|cease and desist|legal action|settlement (?:offer|agreement)|deposition|injunction|indict\w{0,6}",
            r"\w{0,12}gericht(?:s\w{0,20}|e|en)?|klage(?:schrift|erwiderung)?|ladung|vorladung|abmahnung|unterlassung\w{0,16}|urteil|"
            r"einstweilige verfügung|widerspruch(?:sfrist)?|einspruch|anzeige erstatt\w{0,4}|rechtsstreit|bußgeld(?:bescheid)?|strafbefehl|vollstreckung\w{0,10}",
        ),
    ),
    (
        "contract",
        _words(
            r"contracts?|(?:lease|loan|service|purchase|employment|shareholder|non-disclosure|confidentiality|license|rental) agreements?|NDA|"
            r"power of attorney|notar(?:y|ized|ised)|attorneys?|lawyers?|solicitor|legal counsel|signature (?:page|required)|docusign|"
            r"probate|last will|GDPR (?:request|complaint)|liability claim",
            r"\w{0,20}vert(?:rag|räge|rags\w{0,16}|rages)|vollmacht|notar\w{0,10}|(?:rechts)?anw(?:alt|ältin|älte)|kanzlei|testament|erbschein|"
            r"nachlass\w{0,8}|datenschutz(?:verletzung|beschwerde)|haftung\w{0,10}|schadens?ersatz",
        ),
    ),
    (
        "authority",
        _words(
            r"visa (?:application|appointment|expir\w{1,4})|residence permit|immigration|tax audit|compliance (?:order|notice)|jury duty|"
            r"aufenthalts\w{1,12}|ausländerbehörde|jugendamt|ordnungsamt|betriebsprüfung|bescheid|amtliche\w{0,2}|behörde\w{0,2}",
        ),
    ),
)
_SECURITY: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "code",
        _words(
            r"(?:verification|security|login|log-in|sign-in|one[- ]time|access|confirmation|authentication|2fa|mfa) (?:code|pin|password|passcode)|"
            r"one[- ]time[- ](?:password|code)|(?-i:OTP)|your code is|magic link|sign[- ]in link",
            r"(?:bestätigungs|sicherheits|anmelde|einmal|verifizierungs|zugangs|login-?)(?:code|passwort|kennwort|link)|(?-i:TAN)",
        ),
    ),
    (
        "breach",
        _words(
            r"(?:data|security) (?:breach|incident)|compromised|unauthori[sz]ed (?:access|transaction|charge|login)|suspicious (?:activity|login|sign-?in|transaction)|"
            r"unusual (?:activity|sign-?in|login|transaction)|your password (?:was|has been) changed|(?:account|card) (?:was |has been |is )?(?:locked|blocked|suspended|hacked)|"
            r"recovery (?:e-?mail|phone) (?:was |has been )?(?:changed|added)|fraud alert|was this you",
            r"datenleck|datenpanne|sicherheitsvorfall|kompromittiert|unbefugte\w{0,2} zugriff|verdächtige \w{0,20}(?:aktivität|anmeldung)\w{0,3}|"
            r"ungewöhnliche \w{0,20}(?:aktivität|anmeldung)\w{0,3}|passwort (?:wurde|ist) geändert|(?:konto|karte) (?:wurde |ist )?gesperrt|waren sie das|betrugsverdacht",
        ),
    ),
    (
        "sign-in",
        _words(
            r"new (?:sign-?in|login|device|browser)|signed in (?:from|on|to) (?:a )?new|login (?:attempt|from a new)|"
            r"neue (?:anmeldung|geräteanmeldung)|neues gerät|anmeldeversuch|von einem neuen gerät",
        ),
    ),
    (
        "reset",
        _words(
            r"(?:reset|change|forgot|forgotten|recover) (?:your |my |the )?(?:password|pin)|password reset|"
            r"passwort (?:zurücksetzen|vergessen|zurückgesetzt)|kennwort (?:zurücksetzen|vergessen)",
        ),
    ),
)
_TRIP = r"(?:flight|train|connection|booking|reservation|trip|journey|ferry|departure|bus|check-?in|hotel booking|appointment)"
_REISE = r"(?:flug|zug|verbindung|buchung|reservierung|reise|fahrt|fähre|abflug|bus|\bICE|\bIC|S-Bahn|bahnfahrt|hotelbuchung)"
_TRAVEL: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "cancelled",
        _words(
            rf"{_TRIP}[^.!?\n]{{0,60}} (?:has been|have been|was|were|is|are|been) cancell?ed|cancell?ation of your {_TRIP}|cancell?ed {_TRIP}",
            rf"{_REISE}[^.!?\n]{{0,60}} (?:annulliert|storniert|gestrichen|ausgefallen|entfällt)|{_REISE}[^.!?\n]{{0,40}} fällt (?:\w{{1,12}} )?aus|"
            rf"{_REISE}(?:s?ausfall|s?annullierung|streichung)",
        ),
    ),
    (
        "changed",
        _words(
            rf"gate (?:change|has changed|changed)|new gate|schedule change|(?:change|changes) to your {_TRIP}|{_TRIP}[^.!?\n]{{0,60}} "
            r"(?:is|are|was|has been|have been|been) (?:delayed|changed|rescheduled|rebooked|moved|postponed|diverted)|new departure time|departure delayed",
            rf"gate-?(?:änderung|wechsel)|neues gate|gleis(?:änderung|wechsel)|flugplanänderung|fahrplanänderung|{_REISE}[^.!?\n]{{0,60}} "
            r"(?:verspätet|verschoben|geändert|umgebucht|umgeleitet)|verspätung|neue abflugzeit|zugbindung (?:ist |wurde )?aufgehoben",
        ),
    ),
    (
        "check-in",
        _words(
            r"(?:online )?check-?in (?:is )?(?:now )?(?:open|opens|available)|check in (?:now|online)|boarding pass(?:es)?|bordkarte\w{0,1}|"
            r"(?:online-)?check-?in (?:ist )?(?:jetzt )?(?:geöffnet|möglich|offen)",
        ),
    ),
    (
        "booking",
        _words(
            r"itinerary|flights?|airline|e-?ticket|train ticket|(?:hotel|flight|booking|travel|rental car) (?:reservation|confirmation|booking)|"
            r"booking (?:reference|number|code|confirmed)|PNR|rental car|layover|airport|visa for (?:your|the) trip",
            r"flug(?:hafen|bestätigung|nummer|ticket|buchung|daten)?|buchungs(?:bestätigung|nummer|code)|reiseplan|reiseunterlagen|hotelbuchung|"
            r"bahn(?:fahrt|ticket|reise|card|hof)|mietwagen|fahrkarte\w{0,1}|zugverbindung|sitzplatzreservierung|ICE \d{1,4}",
        ),
    ),
)


def money(kept: KeptMail) -> Finding | None:
    """Money; detail is "overdue", "invoice", "payment" or "amount", the gravest that is found."""
    return _topic("money", _MONEY, kept)


def law(kept: KeptMail) -> Finding | None:
    """Law; detail is "termination", "court", "contract" or "authority"."""
    return _topic("law", _LAW, kept)


def security(kept: KeptMail) -> Finding | None:
    """Security of accounts; detail is "code", "breach", "sign-in" or "reset"."""
    return _topic("security", _SECURITY, kept)


def travel(kept: KeptMail, *, zone: ZoneInfo) -> Finding | None:
    """Travel; detail is "cancelled", "changed", "check-in" or "booking". due_at is the day that a change names, if it does.

    zone: the owner's, when the mail was written.
    """
    found = _topic("travel", _TRAVEL, kept)
    if found is None or found.detail not in ("cancelled", "changed"):
        return found
    return replace(found, due_at=_day_named(found.quote, kept.at, zone))


def topics(kept: KeptMail, *, zone: ZoneInfo) -> tuple[Finding, ...]:
    """Every topic that the mail touches."""
    return tuple(found for found in (money(kept), law(kept), security(kept), travel(kept, zone=zone)) if found)


def _day_named(line: str, written_at: datetime, zone: ZoneInfo) -> datetime | None:
    """The first time in the line that was not over when the mail was written; of a day its noon."""
    for mention in read(line, now=written_at, zone=zone):
        reading = mention.readings[0]
        if reading.kind == "duration" or reading.recurrence:
            continue
        wall = reading.wall + timedelta(hours=12) if reading.grain == "day" else reading.wall
        at = reading.at or to_utc(wall, zone)
        if at > written_at - timedelta(hours=12):
            return at
    return None


def _topic(kind: Kind, sorts: Iterable[tuple[str, re.Pattern[str]]], kept: KeptMail) -> Finding | None:
    if kept.by_owner:
        return None
    text = f"{kept.mail.subject[:300]}\n{own_words(kept)}"[:TEXT_MAX]
    for detail, pattern in sorts:
        if found := pattern.search(text):
            return Finding(kind=kind, detail=detail, quote=quoted(text, *found.span()))
    return None
