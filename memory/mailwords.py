"""What is said about mail, calendars and the day, in the owner's languages; part of memory/wording."""

from collections.abc import Mapping

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "mail_card": ("**{who}** – {subject}", "**{who}** – {subject}"),
    "mail_about": ("{line}", "{line}"),
    "mail_cost": ("_If it waits:_ {cost}", "_Wenn es wartet:_ {cost}"),
    "mail_why": ("_Why now:_ {reason}", "_Warum jetzt:_ {reason}"),
    "mail_copied": (
        "You are only copied in and nothing is asked of you, so there is no draft.",
        "Du bist nur in Kopie und es wird nichts von dir erwartet, also gibt es keinen Entwurf.",
    ),
    "mail_suspicious": (
        "⚠ It is not certain who wrote this.",
        "⚠ Es ist nicht sicher, wer das geschrieben hat.",
    ),
    "mail_nobody": ("Somebody unknown", "Jemand Unbekanntes"),
    "mail_no_subject": ("(no subject)", "(kein Betreff)"),
    "cost_deadline": ("the deadline is {when}", "die Frist ist {when}"),
    "cost_deadline_past": ("the deadline was {when}", "die Frist war {when}"),
    "cost_money": ("money is at stake", "es geht um Geld"),
    "cost_law": ("it is a legal matter", "es ist eine rechtliche Sache"),
    "cost_travel": ("it concerns a journey", "es betrifft eine Reise"),
    "cost_security": ("it concerns the security of an account", "es betrifft die Sicherheit eines Kontos"),
    "cost_request": ("an answer is expected of you", "es wird eine Antwort von dir erwartet"),
    "cost_bounce": ("what you sent has not arrived", "was du geschickt hast, ist nicht angekommen"),
    "cost_much": ("probably a good deal", "vermutlich einiges"),
    "cost_little": ("probably little", "vermutlich wenig"),
    "button_later": ("Reply later", "Später antworten"),
    "button_less": ("Less like this", "Weniger davon"),
    "button_why": ("Why", "Warum"),
    "mail_later": ("Kept open: **{title}**", "Offen gehalten: **{title}**"),
    "mail_later_title": ("reply to {who}: {subject}", "{who} antworten: {subject}"),
    "mail_done": ("Done: **{title}**", "Erledigt: **{title}**"),
    "mail_answered": ("You answered. {card}", "Du hast geantwortet. {card}"),
    "mail_less": (
        "Mail from {who} won't ping you any more; it waits for the brief.",
        "Mail von {who} meldet sich nicht mehr sofort; sie wartet auf den Bericht.",
    ),
    "mail_less_undone": ("Mail from {who} may ping you again.", "Mail von {who} darf sich wieder melden."),
    "mail_less_nobody": (
        "This mail has no sender that could be remembered.",
        "Diese Mail hat keinen Absender, den ich mir merken könnte.",
    ),
    "why_none": (
        "No mail of that kind was judged. /why and a name or a word of the subject shows what became of one.",
        "So eine Mail wurde nicht beurteilt. /why und ein Name oder ein Wort des Betreffs zeigt, was aus einer wurde.",
    ),
    "why_usage": (
        "Reply with /why to a card, or name the mail: /why Anna contract",
        "Antworte mit /why auf eine Karte, oder nenne die Mail: /why Anna Vertrag",
    ),
    "why_unjudged": (
        "{mail}\nThis one was not judged: it came from an archive or is older than what is looked at.",
        "{mail}\nDiese wurde nicht beurteilt: sie kam aus einem Archiv oder ist älter als das, was ich ansehe.",
    ),
    "why_mail": ("**{who}** – {subject} ({when})", "**{who}** – {subject} ({when})"),
    "why_verdict": (
        "- {when}: **{what}**, {consequence:.0%} consequence, by {stage}. {reason}",
        "- {when}: **{what}**, Gewicht {consequence:.0%}, durch {stage}. {reason}",
    ),
    "why_own": ("You wrote this one.", "Die hast du geschrieben."),
    "why_finding": ("    - {kind}: {quote}", "    - {kind}: {quote}"),
    "why_probability": (
        "    - the local model put {share:.0%} on your answering it",
        "    - das lokale Modell gab {share:.0%} darauf, dass du antwortest",
    ),
    "why_ids": ("    - evidence {evidence}, judge {judge}", "    - Beleg {evidence}, Urteil nach {judge}"),
    "what_notify": ("told at once", "sofort gemeldet"),
    "what_hold": ("held for the brief", "für den Bericht aufgehoben"),
    "what_loop": ("kept open", "offen gehalten"),
    "what_log": ("only kept", "nur abgelegt"),
    "what_ignore": ("ignored", "übergangen"),
    "stage_rule": ("a rule", "eine Regel"),
    "stage_decision": ("the local decision model", "das lokale Entscheidungsmodell"),
    "stage_model": ("the model", "das Modell"),
    "stage_owner": ("you", "dich"),
    "heads_up": ("Heads up: {event}", "Gleich: {event}"),
    "event_moved": ("Moved: {title} is now {when}.", "Verschoben: {title} ist jetzt {when}."),
    "event_cancelled": ("Cancelled: {title} ({when}).", "Abgesagt: {title} ({when})."),
    "event_conflict": ("Two at once: {first} and {second}.", "Zwei zugleich: {first} und {second}."),
    "person_quiet": (
        "{who} has not written for {days} days; before that it was every {usual} days or so",
        "{who} hat seit {days} Tagen nicht geschrieben; davor etwa alle {usual} Tage",
    ),
    "dispatch_sending": ("_Sending …_", "_Wird gesendet …_"),
    "dispatch_held": (
        "_Approved. It is held until the account can send again._",
        "_Freigegeben. Es wartet, bis das Konto wieder senden kann._",
    ),
    "dispatch_sent": ("✓ **Sent** at {when}", "✓ **Gesendet** um {when}"),
    "dispatch_failed": ("✗ **Not sent**: {because}", "✗ **Nicht gesendet**: {because}"),
    "dispatch_ask": (
        "⚠ I can't tell whether this left: {because}.\nTo {to}. Did it arrive? It is not sent again in any case.",
        "⚠ Ich kann nicht sagen, ob das hinausging: {because}.\nAn {to}. Ist es angekommen? Noch einmal gesendet wird es "
        "auf keinen Fall.",
    ),
    "button_arrived": ("It arrived", "Ist angekommen"),
    "button_lost": ("It did not", "Ist es nicht"),
    "approval_later": ("It stays here until you decide.", "Es bleibt hier, bis du entscheidest."),
    "approval_discarded": ("_Discarded._", "_Verworfen._"),
    "approval_void": ("_Another draft took its place._", "_Ein anderer Entwurf hat es ersetzt._"),
    "approval_expired": ("_Expired unanswered._", "_Unbeantwortet abgelaufen._"),
    "approval_edit": (
        "Send me the new text as your next message, or an instruction that begins with “redraft:”. /stop leaves it as it is.",
        "Schick mir den neuen Text als nächste Nachricht, oder eine Anweisung, die mit „neu:“ beginnt. /stop lässt es, wie "
        "es ist.",
    ),
    "approval_edit_left": ("It stays as it was.", "Es bleibt, wie es war."),
    "approval_words": (
        "Words don't approve anything. Here is the card again: tap it.",
        "Worte geben nichts frei. Hier ist die Karte noch einmal: tippe darauf.",
    ),
    "approval_afresh": ("Ask again", "Noch einmal fragen"),
    "approval_refused": ("This can't be sent: {because}", "Das kann nicht gesendet werden: {because}"),
    "approval_wait": (
        "Too many cards within an hour; this one can be asked after {when}.",
        "Zu viele Karten in einer Stunde; diese kann ab {when} gefragt werden.",
    ),
    "letter_writing": ("One moment: I'm making the card.", "Einen Moment: ich mache die Karte."),
    "letter_no_model": (
        "No model is connected, so I can't draft. Your own words make a card, too: reply to NAME: …",
        "Es ist kein Modell verbunden, also kann ich nichts entwerfen. Deine eigenen Worte gehen auch: antworte NAME: …",
    ),
    "letter_faulty": (
        "The draft was not fit to be shown ({faults}). Write it in your own words, or ask again.",
        "Der Entwurf taugte nicht ({faults}). Schreib es in eigenen Worten, oder frag noch einmal.",
    ),
    "letter_no_account": (
        "No account can send yet: stillbell accounts add (with a mail server for sending), or stillbell auth google NAME "
        "--send",
        "Noch kann kein Konto senden: stillbell accounts add (mit einem Server zum Senden), oder stillbell auth google NAME "
        "--send",
    ),
    "letter_nobody": (
        "I know no mail from {who}. Name the address: reply to anna@example.org: …",
        "Ich kenne keine Mail von {who}. Nenne die Adresse: antworte anna@example.org: …",
    ),
    "letter_no_contact": (
        "{who} is none of your contacts. Type the address: write to anna@example.org: …",
        "{who} steht nicht in deinen Kontakten. Tippe die Adresse: schreib an anna@example.org: …",
    ),
    "letter_which": (
        "Which {who}? I know {addresses}. Say: reply to {first}: …",
        "Wer, {who}? Ich kenne {addresses}. Sag: antworte {first}: …",
    ),
    "exit_unspent": (
        "something you approved has not left for two minutes; its card says what it is. It leaves as soon as it can, or "
        "its card expires.",
        "etwas, das du freigegeben hast, ist seit zwei Minuten nicht hinaus; seine Karte sagt, was es ist. Es geht, sobald "
        "es kann, oder die Karte läuft ab.",
    ),
    "exit_unsettled": (
        "for a quarter of an hour it has been unclear whether something left: {because}",
        "seit einer Viertelstunde ist unklar, ob etwas hinausging: {because}",
    ),
    "urgent_added": (
        "Mail from {who} may break quiet hours when it matters.",
        "Mail von {who} darf die Ruhe brechen, wenn es darauf ankommt.",
    ),
    "urgent_removed": ("Mail from {who} waits out quiet hours.", "Mail von {who} wartet die Ruhezeit ab."),
    "urgent_list": ("May break quiet hours: {who}.", "Dürfen die Ruhe brechen: {who}."),
    "pings_set": ("At most {count} pings a day.", "Höchstens {count} Meldungen am Tag."),
    "pings_are": (
        "At most {count} pings a day; used today: {used}.",
        "Höchstens {count} Meldungen am Tag; heute: {used}.",
    ),
    "quiet_more": (
        "Also: quiet pings 3, quiet urgent anna@example.org, quiet not urgent anna@example.org",
        "Außerdem: Ruhe Meldungen 3, Ruhe dringend anna@example.org, Ruhe nicht dringend anna@example.org",
    ),
}
