"""What a portrait says, in the owner's languages, and how long ago something was."""

from collections.abc import Mapping
from datetime import date, timedelta

from memory.owner import Language
from memory.search.passage import Corpus
from memory.wording import day
from memory.wording import say as say_plainly

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "who": ("{name} – {role}", "{name} – {role}"),
    "address": ("{line} ({address})", "{line} ({address})"),
    "quoted": ("“{words}”", "„{words}“"),
    "you": ("you", "du"),
    "exchange_label": ("Last", "Zuletzt"),
    "owed_label": ("Open", "Offen"),
    "promised_label": ("You promised", "Du hast versprochen"),
    "promised_unsure_label": ("You promised?", "Versprochen?"),
    "asked_label": ("{who} asked", "{who} fragte"),
    "awaited_label": ("You wait for", "Du wartest auf"),
    "meeting_label": ("In the calendar", "Im Kalender"),
    "rhythm_label": ("Rhythm", "Rhythmus"),
    "met_label": ("First seen", "Zuerst gesehen"),
    "date_label": ("Dates", "Wichtige Tage"),
    "taste_label": ("Tastes", "Geschmack"),
    "preference_label": ("Preferences", "Mag es so"),
    "personal_label": ("Personal", "Persönlich"),
    "work_label": ("Work", "Arbeit"),
    "view_label": ("Views", "Ansichten"),
    "history_label": ("Together", "Gemeinsam"),
    "on": ("{told} ({where})", "{told} ({where})"),
    "obligation": ("{what} ({when})", "{what} ({when})"),
    "more": ("{count} more", "{count} weitere"),
    "next": ("next {when}, {title}", "als Nächstes {when}, {title}"),
    "last": ("last {when}, {title}", "zuletzt {when}, {title}"),
    "rhythm": ("{who} writes about {usual}", "{who} schreibt etwa {usual}"),
    "silent": ("{line}; silent for {silent}", "{line}; still seit {silent}"),
    "met": ("{when}, {where}", "{when}, {where}"),
    "introduced": ("{line}, introduced by {who}", "{line}, vorgestellt von {who}"),
    "named_by": ("{line}, written by {who}", "{line}, geschrieben von {who}"),
    "and_more": ("{line}; {count} more", "{line}; {count} weitere"),
    "more_lines": ("… and {count} more lines", "… und {count} weitere Zeilen"),
    "only_name": (
        "That is all I know. Mail, chats, meetings, or a sentence of yours would fill it: “{name} is vegetarian”.",
        "Mehr weiß ich nicht. Mail, Chats, Treffen oder ein Satz von dir würden es füllen: „{name} ist Vegetarier“.",
    ),
    "nobody_yet": (
        "I know nobody called {name} so far: who stands in what I hold is still being read. Ask again in a few minutes; it "
        "goes on while Stillbell runs",
        "Ich kenne bisher niemanden namens {name}: wer in dem steht, was ich habe, wird noch gelesen. Frag in ein paar "
        "Minuten noch einmal; es geht weiter, solange Stillbell läuft",
    ),
    "nobody": (
        "I know nobody called {name}: nobody of that name stands in mail, chats or meetings that I hold. An address finds "
        "them, too: /who anna@example.org",
        "Ich kenne niemanden namens {name}: niemand heißt so in der Mail, den Chats und Treffen, die ich habe. Auch eine "
        "Adresse hilft: /who anna@example.org",
    ),
    "usage": ("Say who: /who Anna Winter", "Sag, wer: /who Anna Winter"),
    "which": ("Which {name}?", "Wer, {name}?"),
    "same": ("They are one", "Eine Person"),
    "sources": ("Sources", "Quellen"),
    "fewer": ("Hide sources", "Quellen ausblenden"),
    "sources_title": ("**Sources**", "**Quellen**"),
    "source": ("{what}: {quote}", "{what}: {quote}"),
    "source_loop": ("kept open #{number}", "offen gehalten #{number}"),
    "source_fact": ("fact #{number}", "Merkposten #{number}"),
    "source_person": ("known by", "bekannt als"),
    "company": ("**In {minutes} minutes:** {title}", "**In {minutes} Minuten:** {title}"),
    "company_one": ("**In a minute:** {title}", "**In einer Minute:** {title}"),
    "company_with": ("Also there: {names}", "Auch dabei: {names}"),
    "company_others": ("{names} and {count} more", "{names} und {count} weitere"),
    "company_since": ("_New since last time:_", "_Neu seit dem letzten Mal:_"),
    "button_card": ("› {name}", "› {name}"),
}

_UNITS: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] = {
    # unit: (English one and many, German one and many), the German as "vor" and "seit" want it
    "day": (("day", "days"), ("einem Tag", "Tagen")),
    "week": (("week", "weeks"), ("einer Woche", "Wochen")),
    "month": (("month", "months"), ("einem Monat", "Monaten")),
    "year": (("year", "years"), ("einem Jahr", "Jahren")),
}
_EVERY: Mapping[str, tuple[tuple[str, str], tuple[str, str]]] = {
    # the same for what comes round
    "day": (("every day", "every {count} days"), ("täglich", "alle {count} Tage")),
    "week": (("every week", "every {count} weeks"), ("jede Woche", "alle {count} Wochen")),
    "month": (("every month", "every {count} months"), ("jeden Monat", "alle {count} Monate")),
    "year": (("every year", "every {count} years"), ("jedes Jahr", "alle {count} Jahre")),
}

_A_WEEK = 7
_DAYS_UNTIL, _WEEKS_UNTIL, _MONTHS_UNTIL = 14, 70, 700
"""From so many days on one counts in weeks, months, years."""


def say(language: Language, key: str, **values: object) -> str:
    """The text of `key` with its blanks filled. Raises KeyError for a key or a blank that isn't there."""
    return TEXTS[key][language == "de"].format(**values)


def where(corpus: Corpus, language: Language) -> str:
    """What a corpus is called."""
    return say_plainly(language, f"source_{corpus}")


def ago(on: date, today: date, language: Language) -> str:
    """How long ago a day was: "yesterday", "3 days ago", "2 months ago"; one that comes is named."""
    days = (today - on).days
    if days < 2:
        return day(on, today, language)
    told = _counted(days, language)
    return f"vor {told}" if language == "de" else f"{told} ago"


def bare_day(on: date, today: date, language: Language) -> str:
    """A day where it stands by itself: "yesterday", "Monday, 1 April 2024"."""
    return day(on, today, language).removeprefix("on ").removeprefix("am ")


def every(gap_for: timedelta, language: Language) -> str:
    """How often something comes round: "every day", "every 4 days", "every 3 weeks"."""
    days = _days(gap_for)
    count, unit = (1, "week") if days == _A_WEEK else _unit(days)
    return _EVERY[unit][language == "de"][count != 1].format(count=count)


def duration(lasts_for: timedelta, language: Language) -> str:
    """A stretch of time in the unit in which one counts it: "4 days", "3 weeks"; never less than a day."""
    return _counted(_days(lasts_for), language)


def _days(lasts_for: timedelta) -> int:
    return max(1, round(lasts_for / timedelta(days=1)))


def _counted(days: int, language: Language) -> str:
    count, unit = _unit(days)
    one, many = _UNITS[unit][language == "de"]
    if count == 1:
        return one if language == "de" else f"1 {one}"
    return f"{count} {many}"


def _unit(days: int) -> tuple[int, str]:
    if days < _DAYS_UNTIL:
        return days, "day"
    if days < _WEEKS_UNTIL:
        return round(days / 7), "week"
    return (round(days / 30.44), "month") if days < _MONTHS_UNTIL else (round(days / 365.25), "year")
