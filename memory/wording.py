"""What code says to the owner, in their language. A model's words never pass here, and these never pass a model."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from memory.auditwords import TEXTS as AUDIT
from memory.exitwords import TEXTS as EXIT
from memory.foundwords import TEXTS as FOUND
from memory.mailwords import TEXTS as MAIL
from memory.owner import Language

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    **MAIL,
    **AUDIT,
    **EXIT,
    **FOUND,
    "done": ("Done: **{title}**", "Erledigt: **{title}**"),
    "dropped": ("Dropped: **{title}**", "Gestrichen: **{title}**"),
    "opened": ("Kept open: **{title}**", "Offen gehalten: **{title}**"),
    "waiting": ("Waiting on **{title}**. I'll keep it open.", "Warten auf **{title}**. Ich halte es offen."),
    "snoozed": ("Out of sight until {when}: **{title}**", "Bis {when} aus dem Blick: **{title}**"),
    "reminder": ("I'll remind you {when}: **{text}**", "Ich erinnere dich {when}: **{text}**"),
    "reminder_rule": (
        "I'll remind you {rule}: **{text}**\nFirst {when}.",
        "Ich erinnere dich {rule}: **{text}**\nZuerst {when}.",
    ),
    "undone_reopened": ("Open again: **{title}**", "Wieder offen: **{title}**"),
    "undone_closed": ("Taken back: **{title}**", "Zurückgenommen: **{title}**"),
    "undone_reminder": ("No reminder: **{title}**", "Keine Erinnerung: **{title}**"),
    "undone_snooze": ("Back in sight: **{title}**", "Wieder im Blick: **{title}**"),
    "undone_recollection": ("Not remembered: **{title}**", "Nicht gemerkt: **{title}**"),
    "undone_setting": ("As before: {value}", "Wie vorher: {value}"),
    "forgotten": (
        "Forgotten: its words and files, what search knew of it, and what I answered. Later lists and briefs may repeat it: "
        "answer them with /forget, too. Telegram keeps its own copy until you delete it there.",
        "Vergessen: Worte und Dateien, was die Suche davon wusste, und was ich geantwortet habe. Spätere Listen und Berichte "
        "können es wiederholen: antworte auch auf sie mit /forget. Telegram behält seine Kopie, bis du sie dort löschst.",
    ),
    "forgotten_loops": (
        "What it opened stays open, under its name: {ids}. Drop it with: drop {first}",
        "Was sie geöffnet hat, bleibt unter seinem Namen offen: {ids}. Streichen mit: streiche {first}",
    ),
    "forgotten_reminders": (
        "A reminder that it set still comes, and says its words.",
        "Eine Erinnerung, die sie gesetzt hat, kommt noch und sagt ihre Worte.",
    ),
    "forget_usage": (
        "Nothing is forgotten. Answer a message with /forget, or say /forget alone for the last thing you said. What I remember: /memory",
        "Nichts ist vergessen. Antworte auf eine Nachricht mit /forget, oder sag nur /forget für das Letzte, was du gesagt hast. Was ich mir merke: /memory",
    ),
    "nothing_to_undo": ("There is nothing to undo.", "Es gibt nichts rückgängig zu machen."),
    "undo_older": (
        "That was a while ago. Take this back: **{title}**?",
        "Das ist eine Weile her. Das zurücknehmen: **{title}**?",
    ),
    "no_loops": ("Nothing is open.", "Nichts ist offen."),
    "loops": ("**Open**", "**Offen**"),
    "loops_snoozed": ("{count} more out of sight for now", "{count} weitere gerade aus dem Blick"),
    "no_such_loop": (
        "I hold nothing open by that name. /loops shows what is open.",
        "Darunter halte ich nichts offen. /loops zeigt, was offen ist.",
    ),
    "which_loop": ("Which one?", "Welches?"),
    "which_time": (
        "I can read that in more than one way. Which one do you mean?",
        "Das kann ich verschieden lesen. Was meinst du?",
    ),
    "when": ("When shall I remind you: **{text}**?", "Wann soll ich dich erinnern: **{text}**?"),
    "past": ("“{text}” has gone by. When do you mean?", "„{text}“ ist vorbei. Wann meinst du?"),
    "moved": ("Your clock is now that of {place}.", "Deine Uhr geht jetzt nach {place}."),
    "moved_until": ("Until {when} your clock is that of {place}.", "Bis {when} geht deine Uhr nach {place}."),
    "moved_note": (
        "What is set for a time on the clock stays at that time on the clock.",
        "Was für eine Uhrzeit gesetzt ist, bleibt bei dieser Uhrzeit.",
    ),
    "speak": ("English it is.", "Gut, auf Deutsch."),
    "quiet": ("Quiet from {start} to {end}.", "Ruhe von {start} bis {end}."),
    "quiet_off": ("No quiet hours.", "Keine Ruhezeiten."),
    "quiet_help": ("Change it with: quiet 22-7, or: quiet off", "Ändern mit: Ruhe 22-7, oder: Ruhe aus"),
    "stopped": ("Stopped.", "Angehalten."),
    "nothing_to_stop": ("Nothing is running.", "Es läuft nichts."),
    "reminder_fired": ("⏰ **{text}**", "⏰ **{text}**"),
    "reminder_late": (
        "⏰ **{text}**\n_Late: this was due {when}; I was not running then._",
        "⏰ **{text}**\n_Verspätet: fällig war es {when}; da lief ich nicht._",
    ),
    "missed_more": ("_Missed since, too: {count}._", "_Seither auch ausgefallen: {count}._"),
    "stale_gone": ("This card is no longer known.", "Diese Karte ist nicht mehr bekannt."),
    "stale_changed": (
        "This has changed since. /loops shows how it stands.",
        "Das hat sich inzwischen geändert. /loops zeigt den Stand.",
    ),
    "stale_decided": ("Already done.", "Schon geschehen."),
    "tap_ok": ("OK", "OK"),
    "no_model": (
        "_No model is connected, so this is what I find, word for word._",
        "_Kein Modell ist verbunden; das hier finde ich, wörtlich._",
    ),
    "no_model_nothing": (
        "I find nothing about that, and no model is connected to think about it. I can keep loops, remind you, search and brief you: /help",
        "Dazu finde ich nichts, und kein Modell ist verbunden, um darüber nachzudenken. Ich kann Offenes halten, erinnern, suchen und berichten: /help",
    ),
    "model_silent": ("Give me a moment: I'm on it.", "Einen Moment: ich bin dran."),
    "model_failed": (
        "I couldn't think this through: {because}. Ask me again in a while.",
        "Ich konnte das nicht zu Ende denken: {because}. Frag mich später noch einmal.",
    ),
    # Why it could not, by the kinds of tools.model.ModelFailed.
    "model_deadline": ("it took too long", "es dauerte zu lange"),
    "model_refused": ("the model declined", "das Modell hat abgelehnt"),
    "model_overloaded": ("the provider is overloaded", "der Anbieter ist überlastet"),
    "model_unreachable": ("the provider can't be reached", "der Anbieter ist nicht zu erreichen"),
    "model_garbled": ("the answer made no sense", "die Antwort war unbrauchbar"),
    "model_cut": ("the answer broke off", "die Antwort brach ab"),
    "model_rejected": (
        "the provider turned it down; stillbell doctor says more",
        "der Anbieter hat es zurückgewiesen; stillbell doctor sagt mehr",
    ),
    "model_off": ("no model is connected", "kein Modell ist verbunden"),
    "not_done": (
        "That is not done: no tool of mine did it.",
        "Das ist nicht getan: keines meiner Werkzeuge hat es getan.",
    ),
    "not_done_part": (
        "_I left out what I was about to call done: no tool of mine did it, so it is not done._",
        "_Was ich getan nennen wollte, habe ich weggelassen: keines meiner Werkzeuge hat es getan, also ist es nicht getan._",
    ),
    "cap_reached": (
        "Today's allowance for models ({cap}) is used up. I go on without one until midnight; raise it with: /allowance 10",
        "Das Tagesbudget für Modelle ({cap}) ist verbraucht. Bis Mitternacht geht es ohne weiter; erhöhen mit: /allowance 10",
    ),
    "unhandled_media": (
        "I can't read {what} yet. Your message is kept; write me what it is about.",
        "{what} kann ich noch nicht lesen. Deine Nachricht ist aufgehoben; schreib mir, worum es geht.",
    ),
    "forwarded_from": ("Forwarded from {who}:", "Weitergeleitet von {who}:"),
    "location_is": ("Location: {where}", "Standort: {where}"),
    "contact_is": ("Contact: {who}", "Kontakt: {who}"),
    "shared_kept": ("Kept: {what}", "Aufgehoben: {what}"),
    "file_looking": ("Got it. I'm looking at it.", "Angekommen. Ich sehe es mir an."),
    "file_keeping": ("Keeping {names} …", "Ich hebe {names} auf …"),
    "file_kept": ("Kept: {names}", "Aufgehoben: {names}"),
    "file_kept_text": (
        "Its words can be found with /find.",
        "Was darin steht, findet /find.",
    ),
    "file_kept_name": (
        "I can't read what is in it; /find finds it by name.",
        "Was darin steht, kann ich nicht lesen; /find findet es am Namen.",
    ),
    "file_no_text": ("No text in {name}: {because}.", "Kein Text in {name}: {because}."),
    "file_unseen": (
        "No model is connected to look at it.",
        "Kein Modell ist verbunden, das es ansehen könnte.",
    ),
    "file_failed": (
        "I couldn't get {names} from Telegram: {because}. Please send it again.",
        "Ich konnte {names} nicht von Telegram holen: {because}. Bitte schick es noch einmal.",
    ),
    "file_too_big": (
        "{names}: too large. Telegram hands bots at most {most} MB; put it somewhere else and send me the link, or a smaller one.",
        "{names}: zu groß. Telegram gibt Bots höchstens {most} MB; leg es woanders ab und schick mir den Link, oder ein kleineres.",
    ),
    "voice_listening": ("Listening …", "Ich höre zu …"),
    "voice_heard": ("> {words}", "> {words}"),
    "voice_not_heard": (
        "Your voice message is kept, but I can't listen to it: no transcriber is set "
        "(STILLBELL_TRANSCRIBER_URL or STILLBELL_TRANSCRIBER_COMMAND). Write me what it is about.",
        "Deine Sprachnachricht ist aufgehoben, aber ich kann sie nicht anhören: kein Transkriptor ist gesetzt "
        "(STILLBELL_TRANSCRIBER_URL oder STILLBELL_TRANSCRIBER_COMMAND). Schreib mir, worum es geht.",
    ),
    "voice_failed": (
        "Your voice message is kept, but I couldn't make it out: {because}. Write me what it is about.",
        "Deine Sprachnachricht ist aufgehoben, aber ich konnte sie nicht verstehen: {because}. Schreib mir, worum es geht.",
    ),
    "unreadable": (
        "One thing you sent in Telegram could not be read. It is kept (signal {signal}), and I went on with the next.",
        "Etwas, das du in Telegram geschickt hast, konnte ich nicht lesen. Es ist aufgehoben (Signal {signal}), und ich habe mit dem Nächsten weitergemacht.",
    ),
    "find_usage": ("Say what to look for: /find invoice Anna", "Sag, was ich suchen soll: /find Rechnung Anna"),
    "find_nothing": ("Nothing found for “{query}”.", "Nichts gefunden zu „{query}“."),
    "find_nothing_filtered": (
        "Nothing found for “{query}”. Try it without the filter.",
        "Nichts gefunden zu „{query}“. Versuch es ohne den Filter.",
    ),
    "remind_usage": (
        "Say when and what: /remind tomorrow at 8 call Anna",
        "Sag wann und was: /remind morgen um 8 Anna anrufen",
    ),
    "usage_none": (
        "No model call today. The allowance is {cap} a day.",
        "Heute kein Modellaufruf. Das Budget ist {cap} am Tag.",
    ),
    "usage": ("**Today**: {spent} of {cap}", "**Heute**: {spent} von {cap}"),
    "allowance": (
        "The allowance is now {cap} a day; {spent} are spent today.",
        "Das Budget ist jetzt {cap} am Tag; heute sind {spent} verbraucht.",
    ),
    "allowance_usage": (
        "It is {cap} a day. Change it with: /allowance 8",
        "Es sind {cap} am Tag. Ändern mit: /allowance 8",
    ),
    "unknown_command": (
        "I don't know {command}. /help shows what I do.",
        "{command} kenne ich nicht. /help zeigt, was ich kann.",
    ),
    "help": (
        "Write to me as you would to a person. What I do at once:\n"
        "- **remind me** tomorrow at 8 to call Anna; every weekday at 9 …\n"
        "- **todo:** send the offer; **waiting on** Acme for the contract\n"
        "- **done**, mark the first as done, **snooze** it till Monday 9, **undo**\n"
        "- I'm in Tokyo until Friday; quiet 22-7; auf Deutsch\n"
        "- **remember that** Jonas prefers calls; **forget that** …\n"
        "- **reply to** Anna: Friday suits me; **write to** anna@example.org: … (a card; it leaves when you tap it)\n\n"
        "/brief what landed, today, what is held\n/today what needs you, each line with its button\n/loops what is open\n/remind set a reminder\n/find search everything\n/who who somebody is, and what is open between you\n/people whom I take for one person\n/why why a mail was told or not\n/memory what I remember\n/audit what left, and what did not\n"
        "/usage what models cost today\n/allowance the most they may cost a day\n/quiet quiet hours\n/undo take back\n/forget forget a message\n/stop say no more about this\n/help this",
        "Schreib mir wie einem Menschen. Was ich sofort tue:\n"
        "- **erinnere mich** morgen um 8 an den Müll; jeden Werktag um 9 …\n"
        "- **Aufgabe:** Angebot schicken; **warte auf** den Vertrag von Acme\n"
        "- **erledigt**, das erste ist erledigt, **verschiebe** es auf Montag 9, **rückgängig**\n"
        "- Ich bin bis Freitag in Tokio; Ruhe 22-7; in English\n"
        "- **merk dir, dass** Jonas lieber telefoniert; **vergiss, dass** …\n"
        "- **antworte** Anna: Freitag passt; **schreib an** anna@example.org: … (eine Karte; es geht, wenn du sie antippst)\n\n"
        "/brief was kam, heute, was wartet\n/today was dich braucht, jede Zeile mit ihrem Knopf\n/loops was offen ist\n/remind erinnern\n/find alles durchsuchen\n/who wer jemand ist, und was zwischen euch offen ist\n/people wen ich für eine Person halte\n/why warum eine Mail gemeldet wurde oder nicht\n/memory was ich mir gemerkt habe\n/audit was hinausging, und was nicht\n"
        "/usage was Modelle heute kosten\n/allowance was sie am Tag höchstens kosten dürfen\n/quiet Ruhezeiten\n/undo zurücknehmen\n/forget eine Nachricht vergessen\n/stop nichts mehr dazu\n/help das hier",
    ),
    "brief_night_quiet": (
        "Good morning. Quiet so far: nothing has landed.",
        "Guten Morgen. Bisher ruhig: nichts ist gekommen.",
    ),
    "brief_night": ("Good morning. Overnight: {counts}.", "Guten Morgen. In der Nacht: {counts}."),
    "brief_now_quiet": ("Nothing has landed since the last brief.", "Seit dem letzten Bericht ist nichts gekommen."),
    "brief_now": ("Since the last brief: {counts}.", "Seit dem letzten Bericht: {counts}."),
    "brief_late": (
        "_This brief is late: I was not running {when}._",
        "_Dieser Bericht kommt spät: {when} lief ich nicht._",
    ),
    "brief_landed": ("**Landed**", "**Gekommen**"),
    "brief_today": ("**Today**", "**Heute**"),
    "brief_no_calendar": ("Your calendar is not connected yet.", "Dein Kalender ist noch nicht verbunden."),
    "brief_open": ("**Open** ({count})", "**Offen** ({count})"),
    "brief_held": ("Still held: {count}.", "Noch zurückgehalten: {count}."),
    "brief_not_held": ("Nothing is held back.", "Nichts wird zurückgehalten."),
    "brief_more": ("… and {count} more", "… und {count} weitere"),
    "alarm": ("⚠️ {text}", "⚠️ {text}"),
    "source_failing": (
        "The account {account} can't be read ({times} times in a row): {because}. It is tried again, less and less often; "
        "nothing is lost.",
        "Das Konto {account} lässt sich nicht lesen ({times} Mal hintereinander): {because}. Es wird weiter versucht, immer "
        "seltener; nichts geht verloren.",
    ),
    "source_refused": (
        "The account {account} refuses the sign-in: {because}. Nothing more is asked of it until you renew it.",
        "Das Konto {account} lehnt die Anmeldung ab: {because}. Es wird nicht mehr gefragt, bis du sie erneuerst.",
    ),
    "paired": (
        "Hello. From now on I hear you, and only you. Three things to set; each can be changed later by a sentence.",
        "Hallo. Ab jetzt höre ich dich, und nur dich. Drei Dinge sind zu setzen; jedes lässt sich später mit einem Satz ändern.",
    ),
    "setup_zone": ("Your clock: {zone} ({time}). Right?", "Deine Uhr: {zone} ({time}). Stimmt das?"),
    "setup_zone_ok": ("Right", "Stimmt"),
    "setup_zone_other": ("Elsewhere", "Woanders"),
    "setup_zone_ask": ("Then tell me: I'm in Lisbon", "Dann sag es mir: Ich bin in Lissabon"),
    "setup_language": ("In which language shall I write?", "In welcher Sprache soll ich schreiben?"),
    "setup_quiet": ("When shall I be quiet?", "Wann soll ich still sein?"),
    "setup_done": ("Set. /help shows what I do.", "Gesetzt. /help zeigt, was ich kann."),
    "button_done": ("Done", "Erledigt"),
    "button_undo": ("Undo", "Rückgängig"),
    "button_hour": ("In 1 h", "In 1 Std."),
    "button_evening": ("Tonight", "Heute Abend"),
    "button_tomorrow": ("Tomorrow", "Morgen"),
    "button_monday": ("Monday", "Montag"),
    "button_none": ("None of these", "Keins davon"),
    "repeat_mark": ("(may be a repeat) ", "(vielleicht doppelt) "),
    "source_mail": ("mail", "Mail"),
    "source_chat": ("chat", "Chat"),
    "source_you": ("you", "du"),
    "source_file": ("file", "Datei"),
    "source_note": ("note", "Notiz"),
    "source_whatsapp": ("WhatsApp", "WhatsApp"),
    "source_imessage": ("iMessage", "iMessage"),
    "source_telegram": ("Telegram", "Telegram"),
    "source_calendar": ("calendar", "Kalender"),
    "source_meeting": ("meeting", "Besprechung"),
    "source_person": ("person", "Person"),
}

MEDIA: Mapping[str, tuple[str, str]] = {
    "photo": ("photos", "Fotos"),
    "voice": ("voice messages", "Sprachnachrichten"),
    "audio": ("audio files", "Audiodateien"),
    "video": ("videos", "Videos"),
    "video_note": ("video notes", "Videonachrichten"),
    "animation": ("animations", "Animationen"),
    "document": ("files", "Dateien"),
    "sticker": ("stickers", "Sticker"),
    "live_photo": ("live photos", "Live-Fotos"),
    "location": ("locations", "Standorte"),
    "venue": ("places", "Orte"),
    "contact": ("contacts", "Kontakte"),
    "poll": ("polls", "Umfragen"),
    "dice": ("dice", "Würfel"),
    "story": ("stories", "Storys"),
    "reaction": ("reactions", "Reaktionen"),
}
ONE_MEDIUM: Mapping[str, tuple[str, str]] = {
    "photo": ("the photo", "das Foto"),
    "live_photo": ("the photo", "das Foto"),
    "voice": ("the voice message", "die Sprachnachricht"),
    "audio": ("the audio file", "die Audiodatei"),
    "video": ("the video", "das Video"),
    "video_note": ("the video note", "die Videonachricht"),
    "animation": ("the animation", "die Animation"),
}
"""A file that came without a name."""

OTHER_MEDIA = ("this kind of message", "diese Art von Nachricht")


def say(language: Language, key: str, **values: object) -> str:
    """The text of `key` with its blanks filled. Raises KeyError for a key or a blank that isn't there."""
    return TEXTS[key][language == "de"].format(**values)


def media(language: Language, kind: str) -> str:
    """What a kind of message is called."""
    return MEDIA.get(kind, OTHER_MEDIA)[language == "de"]


def one_medium(language: Language, kind: str) -> str:
    """What a single file of this kind is called when it has no name."""
    return ONE_MEDIUM.get(kind, ("the file", "die Datei"))[language == "de"]


def usd(amount: float) -> str:
    """An amount of money: cents, or finer where cents would say nothing."""
    return f"{amount:.2f} USD" if amount == 0 or amount >= 0.01 else f"{amount:.4f} USD"


_DAYS = (
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
)
_MONTHS = (
    (
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    (
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ),
)


def when(wall: datetime, today: date, language: Language) -> str:
    """A wall time as one would say it today: "today at 18:00", "on Monday, 7 December at 09:00"."""
    return f"{day(wall.date(), today, language)} {'um' if language == 'de' else 'at'} {wall:%H:%M}"


def until(wall: datetime, today: date, language: Language) -> str:
    """The same behind "until" or "bis", where a day stands without its "on": "Monday, 7 December at 09:00"."""
    return when(wall, today, language).removeprefix("on ").removeprefix("am ")


def day(on: date, today: date, language: Language) -> str:
    """A day as one would say it today."""
    german = language == "de"
    near = {-1: ("yesterday", "gestern"), 0: ("today", "heute"), 1: ("tomorrow", "morgen")}
    distance = (on - today).days
    if distance in near:
        return near[distance][german]
    name, of_month = _DAYS[german][on.weekday()], month(on.month, language)
    year = f" {on.year}" if abs(on - today) > timedelta(days=300) else ""
    return f"am {name}, {on.day}. {of_month}{year}" if german else f"on {name}, {on.day} {of_month}{year}"


def month(number: int, language: Language) -> str:
    """The name of a month; January is 1."""
    return _MONTHS[language == "de"][number - 1]


def weekday(number: int, language: Language) -> str:
    """The name of a day of the week; Monday is 0."""
    return _DAYS[language == "de"][number]
