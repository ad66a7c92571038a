"""The words of the page itself: labels, and what it says of its own state. What Stillbell says stands in memory.wording."""

from collections.abc import Mapping

from memory.owner import Language

_WORDS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "conversation": ("Conversation with Stillbell", "Gespräch mit Stillbell"),
    "you": ("You", "Du"),
    "stillbell": ("Stillbell", "Stillbell"),
    "edited": ("edited", "geändert"),
    "via": ("in {channel}", "in {channel}"),
    "buttons": ("Choices", "Auswahl"),
    "message": ("Message", "Nachricht"),
    "hint": (
        "Enter sends, Shift+Enter begins a new line",
        "Enter sendet, Umschalt+Enter beginnt eine neue Zeile",
    ),
    "placeholder": ("Write to Stillbell", "Schreib an Stillbell"),
    "send": ("Send", "Senden"),
    "older": ("Show earlier messages", "Frühere Nachrichten zeigen"),
    "newer": ("New messages", "Neue Nachrichten"),
    "empty": ("Nothing was said yet. Write something, or /help.", "Noch nichts gesagt. Schreib etwas, oder /help."),
    "typing": ("Stillbell is working on it …", "Stillbell ist dran …"),
    "waiting": ("not sent yet", "noch nicht gesendet"),
    "sent": ("sent", "gesendet"),
    "away": (
        "Stillbell can't be reached. What you write is kept here and sent when it is back.",
        "Stillbell ist nicht erreichbar. Was du schreibst, bleibt hier und wird gesendet, sobald es zurück ist.",
    ),
    "locked": (
        "This page is no longer let in. Open a new link: stillbell web",
        "Diese Seite wird nicht mehr eingelassen. Öffne einen neuen Link: stillbell web",
    ),
    "crowded": (
        "Too many pages are open. Close another one, then reload this one.",
        "Zu viele Seiten sind offen. Schließ eine andere und lade diese neu.",
    ),
    "not_tapped": (
        "Not sent: Stillbell can't be reached. Press again when it is back.",
        "Nicht gesendet: Stillbell ist nicht erreichbar. Drück noch einmal, wenn es zurück ist.",
    ),
    "too_long": (
        "Too long: {most} characters are the most. Send it in parts.",
        "Zu lang: höchstens {most} Zeichen. Schick es in Teilen.",
    ),
    "no_script": (
        "Writing and pressing buttons needs JavaScript here. Without it: stillbell chat, in a terminal.",
        "Schreiben und Drücken brauchen hier JavaScript. Ohne geht es im Terminal: stillbell chat",
    ),
    "today": ("Today", "Heute"),
    "to_chat": ("Chat", "Gespräch"),
    "needs_you": ("Needs you", "Braucht dich"),
    "letters": ("Letters that have not left", "Briefe, die noch nicht fort sind"),
    "letters_where": (
        "Their cards stand in the chat; “send it” brings the newest back.",
        "Ihre Karten stehen im Gespräch; „schick es ab“ holt die neueste zurück.",
    ),
    "agenda": ("On your calendar", "Im Kalender"),
    "waiting_on": ("Waiting on others", "Wartet auf andere"),
    "open": ("Open", "Offen"),
    "silent": ("Landed silently", "Still gelandet"),
    "silent_since": (
        "{count} since {when}, nothing of it made a sound",
        "{count} seit {when}, nichts davon hat sich gemeldet",
    ),
    "silent_none": ("Nothing since {when}.", "Nichts seit {when}."),
    "silent_more": (
        "… and {count} more. /why and a name or a word of the subject finds them.",
        "… und {count} weitere. /why und ein Name oder ein Wort des Betreffs findet sie.",
    ),
    "needs_nothing": ("Nothing needs you.", "Nichts braucht dich."),
    "agenda_nothing": ("Nothing today.", "Heute nichts."),
    "no_calendar": (
        "No calendar is connected yet: stillbell accounts add",
        "Noch ist kein Kalender verbunden: stillbell accounts add",
    ),
    "tomorrow_first": ("Tomorrow begins with {event}", "Morgen beginnt mit {event}"),
    "new": ("new", "neu"),
    "next": ("next", "als Nächstes"),
    "over": ("over", "vorbei"),
    "conflict": ("clashes", "überschneidet sich"),
    "why": ("Why", "Warum"),
    "answer": ("Answer", "Antworten"),
    "answer_to": ("Your words about: {what}", "Deine Worte dazu: {what}"),
    "about": ("About “{what}”: ", "Zu „{what}“: "),
    "day_say": ("Add something, or ask", "Etwas hinzufügen oder fragen"),
    "day_placeholder": ("todo: call Anna", "Aufgabe: Anna anrufen"),
    "day_felt": ("Done.", "Erledigt."),
    "day_sent": ("Sent. The answer stands in the chat.", "Gesendet. Die Antwort steht im Gespräch."),
    "day_slow": ("It is being worked on; reload in a moment.", "Es ist in Arbeit; lade gleich neu."),
    "day_script": (
        "Answering needs JavaScript here. Without it: stillbell chat, in a terminal.",
        "Antworten braucht hier JavaScript. Ohne geht es im Terminal: stillbell chat",
    ),
    "search": ("Search", "Suche"),
    "search_do": ("Find", "Finden"),
    "search_what": ("What to look for", "Wonach gesucht wird"),
    "search_placeholder": ("invoice from:anna after:march", "Rechnung von:Anna nach:März"),
    "search_more": ("{count} more", "{count} weitere"),
    "search_back": ("Back to the search", "Zurück zur Suche"),
    "search_nothing": (
        "Nothing found. Try fewer words, or other ones.",
        "Nichts gefunden. Versuch weniger Wörter, oder andere.",
    ),
    "search_filters": (
        'Filters: from:anna to:bob after:march before:2026-05-01 in:whatsapp has:pdf "exact words" begin*',
        'Filter: von:Anna an:Ben nach:März vor:2026-05-01 in:WhatsApp hat:pdf "genaue Worte" Anfang*',
    ),
    "wrong_title": ("This can't be shown now", "Das lässt sich gerade nicht zeigen"),
    "wrong_excluded": (
        "The list of what may never be read can't be understood, so nothing is read at all. Mend its line, then reload.",
        "Die Liste dessen, was nie gelesen werden darf, ist nicht zu verstehen; darum wird gar nichts gelesen. Bring die Zeile in "
        "Ordnung und lade neu.",
    ),
    "wrong_gone": ("It is no longer there.", "Es ist nicht mehr da."),
    "wrong_moment": ("Try again in a moment.", "Versuch es gleich noch einmal."),
    "wrong_address": ("The address of this page is not right.", "Die Adresse dieser Seite stimmt nicht."),
    "wrong_other": (
        "The log says more, and stillbell doctor looks for the cause.",
        "Das Protokoll sagt mehr, und stillbell doctor sucht die Ursache.",
    ),
    "locked_title": ("Stillbell is locked", "Stillbell ist verschlossen"),
    "locked_how": (
        "To get in, run this on the machine where Stillbell runs, and open the link that it prints:",
        "Um hineinzukommen, führ dies auf dem Rechner aus, auf dem Stillbell läuft, und öffne den Link, der dann erscheint:",
    ),
    "locked_used": (
        "This link was used before or is too old: each works once, for ten minutes.",
        "Dieser Link wurde schon benutzt oder ist zu alt: jeder gilt einmal, zehn Minuten lang.",
    ),
    "locked_scripts": (
        "A script sends the contents of web.token, in the data folder, as a bearer token.",
        "Ein Skript schickt den Inhalt von web.token aus dem Datenordner als Bearer-Token.",
    ),
}


def words(language: Language) -> Mapping[str, str]:
    """Every word of the page in this language."""
    return {key: both[language == "de"] for key, both in _WORDS.items()}
