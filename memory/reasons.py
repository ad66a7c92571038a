"""Why a rule decided as it did: a code for code, and a sentence in the owner's language for the owner.

What stands in quotation marks in a sentence is the mail's own words, on one line and cut: data, to be escaped by whoever
draws it.
"""

from collections.abc import Mapping

from memory.legible import legible
from memory.owner import Language

QUOTED_MAX = 120

REASONS: Mapping[str, tuple[str, str]] = {
    # code: (English, German)
    "own": ("You had the last word here.", "Du hattest hier das letzte Wort."),
    "old": (
        "It came with the mailbox's past and is over a week old.",
        "Es kam mit der Vergangenheit des Postfachs und ist über eine Woche alt.",
    ),
    "bounced": (
        "Your own mail could not be delivered: {quote}",
        "Deine eigene Mail konnte nicht zugestellt werden: {quote}",
    ),
    "bounced_some": (
        "Your mail to many did not reach all of them: {quote}",
        "Deine Mail an viele hat nicht alle erreicht: {quote}",
    ),
    "bounce_other": (
        "A delivery report that asks nothing of you yet.",
        "Ein Zustellbericht, der noch nichts von dir will.",
    ),
    "code": (
        "A code or link that you have just asked for yourself.",
        "Ein Code oder Link, den du gerade selbst angefordert hast.",
    ),
    "breach": ("Your account may be in danger: {quote}", "Dein Konto könnte in Gefahr sein: {quote}"),
    "trip": ("Your journey changes: {quote}", "Deine Reise ändert sich: {quote}"),
    "trip_later": (
        "A journey changes, but not today or tomorrow: {quote}",
        "Eine Reise ändert sich, aber nicht heute oder morgen: {quote}",
    ),
    "trip_unsure": (
        "A journey seems to change, but I can't vouch for the sender: {quote}",
        "Eine Reise ändert sich wohl, aber für den Absender kann ich nicht bürgen: {quote}",
    ),
    "invited_soon": (
        "A meeting that begins {when} was planned or called off: {quote}",
        "Ein Termin, der {when} beginnt, wurde angesetzt oder abgesagt: {quote}",
    ),
    "invited": ("An invitation or a change of one: {quote}", "Eine Einladung oder eine Änderung daran: {quote}"),
    "invited_reply": ("An answer to an invitation.", "Eine Antwort auf eine Einladung."),
    "invited_foreign": (
        "A calendar entry from somebody who neither plans it nor is known to you.",
        "Ein Kalendereintrag von jemandem, der ihn weder plant noch dir bekannt ist.",
    ),
    "dunning": (
        "Automatic, but from a sender you know, and money or a date hangs on it: {quote}",
        "Automatisch, aber von einem bekannten Absender, und Geld oder ein Termin hängt daran: {quote}",
    ),
    "dunning_unsure": (
        "Money is said to be overdue, by a sender you don't know yet: {quote}",
        "Geld soll überfällig sein, sagt ein Absender, den du noch nicht kennst: {quote}",
    ),
    "marketing": ("Advertising or a newsletter.", "Werbung oder ein Newsletter."),
    "list": ("A list's mail that does not turn to you.", "Listenpost, die sich nicht an dich wendet."),
    "automated": ("Sent by a program, with nothing to do.", "Von einem Programm verschickt, nichts zu tun."),
    "auto-reply": ("An automatic reply.", "Eine automatische Antwort."),
    "doubtful": (
        "The sender may not be who it says: look before you answer.",
        "Der Absender ist vielleicht nicht, wer er vorgibt: sieh hin, bevor du antwortest.",
    ),
    "doubtful_stranger": (
        "A stranger whose address does not stand up to a check.",
        "Ein Fremder, dessen Adresse der Prüfung nicht standhält.",
    ),
    "urgent": (
        "From your urgent list, and something is asked: {quote}",
        "Von deiner Dringend-Liste, und es wird etwas verlangt: {quote}",
    ),
    "urgent_fyi": ("From your urgent list; nothing is asked.", "Von deiner Dringend-Liste; es wird nichts verlangt."),
    "due_soon": ("Due {when}, from somebody you know: {quote}", "Fällig {when}, von jemandem, den du kennst: {quote}"),
    "emergency": (
        "It can't wait, and you know the sender: {quote}",
        "Es kann nicht warten, und du kennst den Absender: {quote}",
    ),
    "emergency_stranger": (
        "It says that it can't wait; you don't know the sender: {quote}",
        "Es kann angeblich nicht warten; den Absender kennst du nicht: {quote}",
    ),
    "changed_today": (
        "Something of today moves or is called off: {quote}",
        "Etwas von heute verschiebt sich oder fällt aus: {quote}",
    ),
    "fyi": ("It only tells you something and wants no answer.", "Es teilt nur etwas mit und will keine Antwort."),
    "courtesy": ("Thanks, or a word of agreement.", "Ein Dank oder ein Wort der Zustimmung."),
    "copied": (
        "You are only copied in, and nothing is asked of you.",
        "Du stehst nur in Kopie, und von dir wird nichts verlangt.",
    ),
    "hanging": ("Unanswered for {days} days: {quote}", "Seit {days} Tagen unbeantwortet: {quote}"),
    "waiting": (
        "You asked {days} days ago, and nobody answered: {quote}",
        "Du hast vor {days} Tagen gefragt, und niemand hat geantwortet: {quote}",
    ),
    "not_waiting": ("It was answered, or is not late yet.", "Es ist beantwortet oder noch nicht spät."),
    "likely": (
        "It asks something that you are likely to answer ({percent} %): {quote}",
        "Es verlangt etwas, das du wohl beantwortest ({percent} %): {quote}",
    ),
    "worth_a_line": (
        "Mail like this you sometimes answer ({percent} %).",
        "Solche Mail beantwortest du manchmal ({percent} %).",
    ),
    "asked": ("Somebody asks you: {quote}", "Jemand fragt dich: {quote}"),
    "dated": ("It names a date, {when}: {quote}", "Es nennt einen Termin, {when}: {quote}"),
    "unlikely": (
        "Mail like this you hardly ever answer ({percent} %).",
        "Solche Mail beantwortest du kaum ({percent} %).",
    ),
    "cold_asked": (
        "You know the sender and something is asked; I have not learned your habits yet: {quote}",
        "Du kennst den Absender und es wird etwas verlangt; deine Gewohnheiten kenne ich noch nicht: {quote}",
    ),
    "cold_hold": (
        "From a person to you; I have not learned your habits yet.",
        "Von einem Menschen an dich; deine Gewohnheiten kenne ich noch nicht.",
    ),
    "cold_log": (
        "A stranger who asks nothing; I have not learned your habits yet.",
        "Ein Fremder, der nichts verlangt; deine Gewohnheiten kenne ich noch nicht.",
    ),
    "unread": ("The judgement could not be read.", "Das Urteil war nicht lesbar."),
    # what `settle` changed, behind the reason of the stage
    "floor": ("It is about money or law.", "Es geht um Geld oder Recht."),
    "softened": ("You asked for less like this.", "Du wolltest weniger davon."),
    "unsure_sender": (
        "It does not ping, since the sender may not be who it says.",
        "Es meldet sich nicht, da der Absender vielleicht nicht ist, wer er vorgibt.",
    ),
    "past": ("It is no news any more.", "Es ist keine Neuigkeit mehr."),
    "read": ("You have read it already.", "Du hast es schon gelesen."),
    "bulk": ("Bulk mail does not ping.", "Massenpost meldet sich nicht."),
    "nothing_asked": ("Nothing is asked of you.", "Von dir wird nichts verlangt."),
    "tie": ("Too little hangs on it for a ping.", "Für eine Meldung hängt zu wenig daran."),
}


def reason(language: Language, code: str, **values: object) -> str:
    """The sentence of a code with its blanks filled. Raises KeyError for a code or a blank that isn't there."""
    return REASONS[code][language == "de"].format(**values)


def in_quotes(words: str) -> str:
    """A mail's own words on one line, cut, in quotation marks."""
    flat = " ".join(legible(words).split())
    return f"“{flat if len(flat) <= QUOTED_MAX else flat[: QUOTED_MAX - 1].rstrip() + '…'}”"
