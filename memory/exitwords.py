"""What is said about asking for the exit: invitations, introductions, small acts on mail, contacts. Part of memory/wording."""

from collections.abc import Mapping

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "button_accept": ("Accept", "Annehmen"),
    "button_maybe": ("Maybe", "Vielleicht"),
    "button_decline": ("Decline", "Absagen"),
    "button_more": ("More", "Mehr"),
    "button_back": ("Back", "Zurück"),
    "button_archive": ("Archive", "Archivieren"),
    "button_mark_read": ("Mark as read", "Als gelesen"),
    "button_unsubscribe": ("Unsubscribe", "Abbestellen"),
    # Meetings
    "meeting_asked": ("Asked: see the card.", "Gefragt: sieh auf die Karte."),
    "meeting_no_invitation": ("There is no invitation in that mail.", "In dieser Mail ist keine Einladung."),
    "meeting_no_guests": (
        "Whom shall I invite? Your calendar is not one that I can write to, so an event needs a guest.",
        "Wen soll ich einladen? In deinen Kalender kann ich nicht schreiben, also braucht ein Termin einen Gast.",
    ),
    "meeting_not_here": (
        "Nobody else is in that event, and its calendar is not one that I can write to.",
        "In diesem Termin ist sonst niemand, und in seinen Kalender kann ich nicht schreiben.",
    ),
    "meeting_yours_too": (
        "its guests are told by mail; your own calendar there is yours to change",
        "die Gäste erfahren es per Mail; deinen eigenen Kalender dort änderst du selbst",
    ),
    "meeting_no_time": (
        "There is no time in it that I can write down: from when till when?",
        "Darin steht keine Zeit, die ich schreiben könnte: von wann bis wann?",
    ),
    "meeting_when": (
        "When? Say it with the day and the time: {example}",
        "Wann? Sag es mit Tag und Uhrzeit: {example}",
    ),
    "meeting_example_create": (
        "invite anna@example.org to lunch on Friday at 13:00",
        "lade anna@example.org zum Mittagessen am Freitag um 13:00 ein",
    ),
    "meeting_example_move": ("move standup to tomorrow at 15:00", "verschiebe Standup auf morgen um 15:00"),
    "meeting_which": ("Which one?", "Welchen?"),
    "meeting_nobody": (
        "I know no invitation from {who}.",
        "Ich kenne keine Einladung von {who}.",
    ),
    "meeting_none": (
        "Which invitation? Answer its card, or say from whom it is.",
        "Welche Einladung? Antworte auf ihre Karte, oder sag, von wem sie ist.",
    ),
    # Small acts on mail
    "mail_act_going": ("_One moment …_", "_Einen Moment …_"),
    "mail_act_archive": ("Archived: **{title}**", "Archiviert: **{title}**"),
    "mail_act_read": ("Marked as read: **{title}**", "Als gelesen markiert: **{title}**"),
    "mail_act_label": ("{name}: **{title}**", "{name}: **{title}**"),
    "mail_act_already": ("That is so already: **{title}**", "Das ist schon so: **{title}**"),
    "mail_act_undone": ("As before: **{title}**", "Wie zuvor: **{title}**"),
    "mail_act_failed": ("✗ That did not work: {because}", "✗ Das ging nicht: {because}"),
    "mail_act_cannot": (
        "The account {account} lets me only read: stillbell auth google {account} --send",
        "Im Konto {account} darf ich nur lesen: stillbell auth google {account} --send",
    ),
    "mail_act_no_account": (
        "That mail came by no account of yours that is connected, so there is nothing to do it in.",
        "Diese Mail kam über kein verbundenes Konto von dir, also lässt sich nichts tun.",
    ),
    "mail_act_which": (
        "Which mail? Answer its card, and say it again.",
        "Welche Mail? Antworte auf ihre Karte und sag es noch einmal.",
    ),
    # Contacts
    "contact_kept": ("Noted: **{name}** is at {address}", "Notiert: **{name}** hat {address}"),
    "contact_known": ("I have that already: **{name}**, {address}", "Das habe ich schon: **{name}**, {address}"),
    "fact_holds_again": ("Holds again: {title}", "Gilt wieder: {title}"),
    "contact_undone": ("Taken back: {title}", "Zurückgenommen: {title}"),
    # Introductions
    "introduction_which": (
        "Who asked for it? The other one is asked first, without a name.",
        "Wer hat darum gebeten? Die andere Person wird zuerst gefragt, ohne Namen.",
    ),
    "introduction_usage": (
        "Say it so: introduce Anna to Jonas. I need an address of both among your contacts, or typed here.",
        "Sag es so: stelle Anna Jonas vor. Ich brauche von beiden eine Adresse in deinen Kontakten oder hier getippt.",
    ),
    "introduction_same": ("Those are one and the same person.", "Das ist ein und dieselbe Person."),
    "introduction_begun": (
        "{target} is asked first; the card comes now. {asker} is not named in it.",
        "Zuerst wird {target} gefragt; die Karte kommt jetzt. {asker} wird darin nicht genannt.",
    ),
    "introduction_running": (
        "That introduction is on its way: {because}.",
        "Diese Vorstellung läuft schon: {because}.",
    ),
    "introduction_ended": (
        "The introduction of {asker} to {target} goes no further: {because}.",
        "Die Vorstellung von {asker} und {target} geht nicht weiter: {because}.",
    ),
    "introduction_stopped": ("It goes no further.", "Sie geht nicht weiter."),
    "introduction_none": ("No introduction is on its way.", "Es läuft keine Vorstellung."),
    "introduction_unclear": (
        "{target} has answered about the introduction to {asker}. {because}\n\n{quote}",
        "{target} hat zur Vorstellung von {asker} geantwortet. {because}\n\n{quote}",
    ),
    "button_agreed": ("It is a yes", "Es ist ein Ja"),
    "button_declined": ("It is a no", "Es ist ein Nein"),
    "introduction_ask_subject": ("A short question", "Eine kurze Frage"),
    "introduction_ask_text": (
        "Hello {first},\n\nsomebody I know would like to get in touch with you. May I introduce you to each other by "
        "mail?\n\nA short yes or no is enough, and a no is fine.\n\n{owner}",
        "Hallo {first},\n\njemand, den ich kenne, würde gern mit dir in Kontakt kommen. Darf ich euch per Mail "
        "miteinander bekannt machen?\n\nEin kurzes Ja oder Nein genügt, und ein Nein ist in Ordnung.\n\n{owner}",
    ),
    "introduction_answer_subject": ("The introduction you asked for", "Deine Bitte um einen Kontakt"),
    "introduction_answer_text": (
        "Hello {first},\n\nI have asked whether an introduction is welcome. As soon as I hear back, I'll write to you "
        "again.\n\n{owner}",
        "Hallo {first},\n\nich habe gefragt, ob ein Kontakt willkommen ist. Sobald ich etwas höre, melde ich mich "
        "wieder.\n\n{owner}",
    ),
    "introduction_both_subject": ("{asker}, meet {target}", "{asker} und {target}"),
    "introduction_both_text": (
        "Hello {first}, hello {second},\n\n{asker}, meet {target}. {target}, meet {asker}. You both said that you would "
        "like to talk, so I'll leave the rest to you.\n\n{owner}",
        "Hallo {first}, hallo {second},\n\n{asker}, das ist {target}. {target}, das ist {asker}. Ihr wolltet beide "
        "miteinander reden, also überlasse ich euch das Weitere.\n\n{owner}",
    ),
}

ENDS: Mapping[str, tuple[str, str]] = {
    # Why an introduction has come to its end, or where it stands: (English, German)
    "the target declined": ("they would rather not", "es kam ein Nein"),
    "the target declined, says the owner": ("you read a no", "du hast ein Nein gelesen"),
    "the target did not answer": ("no answer came", "es kam keine Antwort"),
    "its card was discarded": ("you discarded its card", "du hast die Karte verworfen"),
    "its message did not leave": ("its message did not leave", "die Nachricht ging nicht hinaus"),
    "its message could not be written": (
        "its message could not be written; is there an account that can send?",
        "die Nachricht ließ sich nicht schreiben; gibt es ein Konto, das senden kann?",
    ),
    "the owner stopped it": ("you stopped it", "du hast sie beendet"),
    "you asked for it": ("you asked for it", "du hast darum gebeten"),
    "the target was asked": ("the question is out", "die Frage ist gestellt"),
    "the asker was answered": ("an answer is awaited", "es wird auf Antwort gewartet"),
    "the target agreed": ("there is a yes", "es gibt ein Ja"),
    "the target agreed, says the owner": ("you read a yes", "du hast ein Ja gelesen"),
    "the target has written again": ("they have written again", "es kam noch eine Mail"),
}
