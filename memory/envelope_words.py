"""What the card of an envelope says, in English and German. Words of others are filled in already quoted, never bare."""

from collections.abc import Mapping

from memory.owner import Language

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    # What is asked
    "mail": ("Send this mail?", "Diese Mail senden?"),
    "answer": ("Send this answer?", "Diese Antwort senden?"),
    "unsubscribe": ("Unsubscribe from this list, at {host}?", "Diese Liste abbestellen, bei {host}?"),
    "other": ("Send this by {channel}?", "Das über {channel} senden?"),
    "accept": ("Accept this invitation?", "Diese Einladung annehmen?"),
    "decline": ("Decline this invitation?", "Diese Einladung absagen?"),
    "tentative": ("Answer this invitation with maybe?", "Auf diese Einladung mit Vielleicht antworten?"),
    "propose": ("Propose another time?", "Eine andere Zeit vorschlagen?"),
    "create": ("Create this event?", "Diesen Termin anlegen?"),
    "move": ("Move this event?", "Diesen Termin verschieben?"),
    "cancel": ("Cancel this event?", "Diesen Termin absagen?"),
    "second": ("Once more, since this is about {matters}.", "Noch einmal, denn es geht um {matters}."),
    # Fields
    "from": ("From", "Von"),
    "from_is": ("{address} · name {name} · account {account}", "{address} · Name {name} · Konto {account}"),
    "to": ("To", "An"),
    "cc": ("Cc", "Cc"),
    "bcc": ("Bcc (hidden from the others)", "Bcc (für die anderen unsichtbar)"),
    "guest": ("Guest", "Gast"),
    "named": ("name {name}", "Name {name}"),
    "unnamed": ("without a name", "ohne Namen"),
    "unrecorded": ("in none of your contacts' records", "in keinem deiner Kontakte"),
    "foreign": ("letters of {scripts} in the domain", "{scripts} Buchstaben in der Domain"),
    "subject": ("Subject", "Betreff"),
    "text": ("Text", "Text"),
    "no_text": ("Text: none", "Text: keiner"),
    "comment": ("Comment", "Kommentar"),
    "event": ("Event", "Termin"),
    "event_is": (
        "{title} · calendar {calendar} · id {uid} · version {sequence}",
        "{title} · Kalender {calendar} · Id {uid} · Version {sequence}",
    ),
    "occurrence": ("Only the one of", "Nur der vom"),
    "start": ("Begins", "Beginn"),
    "end": ("Ends", "Ende"),
    "zone": ("Time zone", "Zeitzone"),
    "place": ("Place", "Ort"),
    "nobody": ("nobody but you", "niemand außer dir"),
    "empty": ("empty", "leer"),
    "attachment": ("Attachment", "Anhang"),
    "attachment_is": (
        "{name} · {media_type} · {size} bytes · sha-256 {sha256}",
        "{name} · {media_type} · {size} Bytes · sha-256 {sha256}",
    ),
    "format": ("Sent as", "Gesendet als"),
    "plain": ("plain text", "reiner Text"),
    "message_id": ("Message-ID", "Message-ID"),
    "in_reply_to": ("In-Reply-To", "In-Reply-To"),
    "references": ("References", "References"),
    "references_are": ("{count} · sha-256 {digest}", "{count} · sha-256 {digest}"),
    # What it rests on
    "answers": ("Answers", "Antwort auf"),
    "answers_is": ("the mail of {when} from {sender}", "die Mail von {sender}, {when}"),
    "sender": ("Its sender", "Absender"),
    "reply_to": ("Asks for answers at", "Wünscht Antwort an"),
    "reply_to_is": (
        "{addresses} · not a recipient; this goes to the sender",
        "{addresses} · kein Empfänger; dies geht an den Absender",
    ),
    "careful": ("Careful", "Vorsicht"),
    "hidden": (
        "it holds characters that can't be seen; they are written as ⟨U+…⟩",
        "es enthält Zeichen, die man nicht sieht; sie stehen als ⟨U+…⟩ da",
    ),
    "own_recipient": ("this is an address of your own", "das ist eine Adresse von dir"),
    "money": ("money", "Geld"),
    "law": ("law", "Recht"),
    "sensitive": (
        "this is about {matters} ({evidence}). It takes a second tap.",
        "hier geht es um {matters} ({evidence}). Es braucht ein zweites Tippen.",
    ),
    "and": (" and ", " und "),
    "why": ("Why", "Warum"),
    # Where an address comes from
    "rule_contact": ("in your records, {row}", "in deinen Kontakten, {row}"),
    "rule_thread_from": ("wrote {row}", "schrieb {row}"),
    "rule_thread_to": ("stands in To of {row}, from {said_by}", "steht in An von {row}, geschrieben von {said_by}"),
    "rule_thread_cc": ("stands in Cc of {row}, from {said_by}", "steht in Cc von {row}, geschrieben von {said_by}"),
    "rule_organizer": ("organizer of {row}", "lädt ein zu {row}"),
    "rule_attendee": ("attendee of your event {row}", "Gast deines Termins {row}"),
    "rule_typed": ("you typed it, {row}", "von dir getippt, {row}"),
    "rule_chosen": ("you chose it, {row}", "von dir gewählt, {row}"),
    "rule_list": (
        "stands in List-Unsubscribe of {row}, from {said_by}",
        "steht in List-Unsubscribe von {row}, geschrieben von {said_by}",
    ),
    "rule_own": ("your own address", "deine eigene Adresse"),
    "rule_none": ("source unknown", "Herkunft unbekannt"),
    # Who a sender is
    "proof_proven": ("its domain vouches for it", "die Domain bürgt dafür"),
    "proof_unproven": ("nothing vouches for it", "nichts bürgt dafür"),
    "proof_failed": ("the check says it is NOT from there", "die Prüfung sagt, sie ist NICHT von dort"),
    "proof_unknown": ("nobody checked", "niemand hat geprüft"),
    "known": ("your contact {name}", "dein Kontakt {name}"),
    "stranger": ("no contact of yours", "kein Kontakt von dir"),
    "lookalike": ("looks like {other}, but is NOT that address", "sieht aus wie {other}, ist es aber NICHT"),
    "namesake": (
        "bears the name of your contact {name}, from an address that is NOT theirs",
        "trägt den Namen deines Kontakts {name}, aber mit einer FREMDEN Adresse",
    ),
    "claims_own": ("claims to be your own address", "gibt sich als deine eigene Adresse aus"),
    "disputed": ("its headers disagree about who sent it", "die Kopfzeilen widersprechen sich über den Absender"),
    # Buttons
    "button_send": ("Send", "Senden"),
    "button_send_again": ("Yes, send", "Ja, senden"),
    "button_redirect": ("To the Reply-To", "An die Reply-To"),
    "button_edit": ("Edit", "Ändern"),
    "button_later": ("Not now", "Nicht jetzt"),
    "button_discard": ("Discard", "Verwerfen"),
}

SCRIPTS: Mapping[str, tuple[str, str]] = {
    "Cyrillic": ("Cyrillic", "kyrillische"),
    "Greek": ("Greek", "griechische"),
    "Latin": ("Latin", "lateinische"),
    "Hebrew": ("Hebrew", "hebräische"),
    "Arabic": ("Arabic", "arabische"),
    "Armenian": ("Armenian", "armenische"),
    "Cjk": ("Chinese", "chinesische"),
    "Hangul": ("Korean", "koreanische"),
    "Hiragana": ("Japanese", "japanische"),
    "Katakana": ("Japanese", "japanische"),
    "Thai": ("Thai", "thailändische"),
    "Devanagari": ("Devanagari", "Devanagari-"),
}

REASONS: Mapping[str, tuple[str, str]] = {
    # Recipients
    "no plain address": ("That is no plain mail address.", "Das ist keine einfache Mailadresse."),
    "nobody reads that address": (
        "Nobody reads that address: it is a robot's.",
        "Diese Adresse liest niemand: sie gehört einem Automaten.",
    ),
    "the address of a list": ("That is the address of a list.", "Das ist die Adresse einer Liste."),
    "in no record, no header of the thread, and not typed by the owner": (
        "I have that address from no contact, no header of the thread and not from you. Type it here if you mean it.",
        "Diese Adresse habe ich aus keinem Kontakt, keiner Kopfzeile und nicht von dir. Tippe sie hier, wenn du sie meinst.",
    ),
    "the headers disagree about who sent it": (
        "The headers of that mail disagree about who sent it, so I can't answer it.",
        "Die Kopfzeilen dieser Mail widersprechen sich über den Absender; ich kann sie nicht beantworten.",
    ),
    "it claims to come from the owner's own address": (
        "That mail claims to come from your own address.",
        "Diese Mail gibt vor, von deiner eigenen Adresse zu kommen.",
    ),
    "a list or a robot sent it": (
        "A list or a robot sent that mail. To write to a person, type their address.",
        "Diese Mail kam von einer Liste oder einem Automaten. Um jemandem zu schreiben, tippe die Adresse.",
    ),
    "the event names no organizer": ("That event names no organizer.", "Dieser Termin nennt keinen Veranstalter."),
    "it is the owner's own event": ("That is your own event.", "Das ist dein eigener Termin."),
    "the organizer did not send the invitation": (
        "The one who sent that invitation is not its organizer. Answer it in your calendar if you trust it.",
        "Wer die Einladung schickte, ist nicht ihr Veranstalter. Antworte im Kalender, wenn du ihr traust.",
    ),
    "that is no identity of the owner's": (
        "That is no identity of yours, so nothing leaves from it.",
        "Das ist keine deiner Identitäten; von dort geht nichts hinaus.",
    ),
    "it stands in another thread than the mail that it answers": (
        "It stands in another thread than the mail that it answers.",
        "Es steht in einem anderen Mailwechsel als die Mail, die es beantwortet.",
    ),
    # Taps and proposals
    "not the owner in the owner's chat": ("Only my owner can do that.", "Das kann nur mein Besitzer."),
    "no such question": ("I know no such question.", "Diese Frage kenne ich nicht."),
    "already decided": ("Already decided.", "Schon entschieden."),
    "another draft took its place": (
        "Another draft took its place; use the newer card.",
        "Ein neuerer Entwurf gilt; nimm die neuere Karte.",
    ),
    "expired": ("Too late for this card; here is a fresh one.", "Diese Karte ist abgelaufen; hier ist eine neue."),
    "another card": ("That is not the card that asks now.", "Das ist nicht die Karte, die gerade fragt."),
    "the card has changed": ("The card has changed since.", "Die Karte hat sich seitdem geändert."),
    "no such choice": ("This card has no such button.", "Diese Karte hat so einen Knopf nicht."),
    "its time is not over": ("Its time is not over.", "Ihre Zeit ist nicht um."),
    "it has not expired": ("It has not expired.", "Sie ist nicht abgelaufen."),
    "not approved": ("You have not approved that.", "Das hast du nicht freigegeben."),
    "what would leave is not what was approved": (
        "What would leave is not what you approved, so it is held.",
        "Was gehen würde, ist nicht das, was du freigegeben hast; es bleibt hier.",
    ),
    "discarded before": ("You discarded just that before.", "Genau das hast du schon verworfen."),
    "already asked": ("I am asking you that already.", "Danach frage ich dich schon."),
    "approved before": ("You approved just that before.", "Genau das hast du schon freigegeben."),
    # Dispatches
    "not just taken": ("That was handed over before.", "Das wurde schon übergeben."),
    "not handed over": ("That was not handed over.", "Das wurde nicht übergeben."),
    "not under way": ("That is not under way.", "Das ist nicht unterwegs."),
    "not unknown": ("What became of that is known.", "Was daraus wurde, ist bekannt."),
    "this mail server files nothing by itself, so nothing can be looked up": (
        "The answer was lost, and this mail server files nothing that I could look up. Did it arrive?",
        "Die Antwort ging verloren, und dieser Mailserver legt nichts ab, was ich nachsehen könnte. Kam es an?",
    ),
    "it lies where sent things lie although it was never handed over": (
        "It lies among what was sent although I never handed it over. Did you send it yourself?",
        "Es liegt bei dem Gesendeten, obwohl ich es nie übergeben habe. Hast du es selbst gesendet?",
    ),
    "it was handed over, the answer was lost, and nobody could look": (
        "I handed it over, the answer was lost, and I can't look. Did it arrive?",
        "Ich habe es übergeben, die Antwort ging verloren, und nachsehen kann ich nicht. Kam es an?",
    ),
    "it was handed over, its draft is gone, and it is not among what was sent": (
        "I handed it over, its draft is gone, and it is not among what was sent. Did it arrive?",
        "Ich habe es übergeben, der Entwurf ist weg, und bei dem Gesendeten liegt es nicht. Kam es an?",
    ),
    "it was handed over, the answer was lost, and it is not among what was sent": (
        "I handed it over, the answer was lost, and it is not among what was sent. Did it arrive?",
        "Ich habe es übergeben, die Antwort ging verloren, und bei dem Gesendeten liegt es nicht. Kam es an?",
    ),
    "the answer was lost, and there is nothing to look at": (
        "The answer was lost, and there is nothing that I could look at.",
        "Die Antwort ging verloren, und es gibt nichts, was ich nachsehen könnte.",
    ),
    # Leaving lists
    "this mail offers no way to unsubscribe": (
        "That mail offers no way to unsubscribe in its headers.",
        "Diese Mail bietet in ihren Kopfzeilen keinen Weg zum Abbestellen.",
    ),
    "this mail only names a link, and links are yours to follow": (
        "That mail only names a link, and I follow none. Open it yourself if you trust it.",
        "Diese Mail nennt nur einen Link, und ich folge keinem. Öffne ihn selbst, wenn du ihm traust.",
    ),
    "the check says that the mail is not from there": (
        "The check says that this mail is not from where it says. Better leave it alone.",
        "Die Prüfung sagt, dass diese Mail nicht von dort kommt. Besser nicht anrühren.",
    ),
    "it would write to somebody you know": (
        "That would write to somebody you know, so it is no way out of a list.",
        "Das würde an jemanden gehen, den du kennst; so verlässt man keine Liste.",
    ),
    "it says more than to leave the list": (
        "That says more than to leave the list.",
        "Das sagt mehr, als dass du die Liste verlässt.",
    ),
    "there is no such playbook": ("I know no such plan.", "So einen Ablauf kenne ich nicht."),
    # Introductions
    "that step is not due": ("That step is not due.", "Dieser Schritt ist nicht dran."),
    "it has to go to one of the two alone": (
        "Before both agree, it goes to one of the two alone.",
        "Bevor beide einverstanden sind, geht es nur an einen von beiden.",
    ),
    "nothing is attached before both are introduced": (
        "Nothing is attached before both are introduced.",
        "Bevor beide einander kennen, wird nichts angehängt.",
    ),
    "it carries the thread with the other one": (
        "It carries the thread with the other one.",
        "Es hängt am Mailwechsel mit der anderen Person.",
    ),
    "it names the other one": ("It names the other one.", "Es nennt die andere Person."),
    "the target has not agreed": ("There is no agreement on record.", "Es liegt keine Zustimmung vor."),
    "the target has written again since": (
        "They have written again since; read that first.",
        "Seitdem kam noch eine Mail; lies die zuerst.",
    ),
    "it has to go to both and nobody else": (
        "It goes to both of them and to nobody else.",
        "Es geht an beide und an sonst niemanden.",
    ),
    "the two have to see each other": ("The two have to see each other.", "Die beiden müssen einander sehen."),
    "nothing is waited for": ("Nothing is waited for.", "Es wird auf nichts gewartet."),
    "the asker has not been answered yet": (
        "The one who asked has not been answered yet.",
        "Wer gefragt hat, hat noch keine Antwort.",
    ),
    "it is over": ("It is over.", "Das ist vorbei."),
    "the answer can be read in more than one way": (
        "I can read the answer in more than one way. What does it mean?",
        "Die Antwort kann ich verschieden lesen. Was bedeutet sie?",
    ),
    "it is not certain who wrote the answer": (
        "It is not certain who wrote the answer.",
        "Es ist nicht sicher, wer die Antwort schrieb.",
    ),
    "a robot answered": ("A robot answered.", "Ein Automat hat geantwortet."),
    "what the answer itself says could not be told from what it quotes": (
        "I can't tell what the answer says from what it quotes. What does it mean?",
        "Ich kann nicht trennen, was die Antwort sagt und was sie zitiert. Was bedeutet sie?",
    ),
}

FILES: Mapping[str, tuple[str, str]] = {
    "its folder or its name says that it is an identity document": (
        "Its folder or its name says that it is an identity document. Those never leave.",
        "Ordner oder Name sagen, dass es ein Ausweis ist. Ausweise gehen nie hinaus.",
    ),
    "a machine-readable zone stands in it, as on passports": (
        "It holds the machine-readable zone of an identity document. Those never leave.",
        "Darin steht die maschinenlesbare Zone eines Ausweises. Ausweise gehen nie hinaus.",
    ),
    "a line of a machine-readable zone stands in it, as on passports": (
        "It holds a line as on passports. Identity documents never leave.",
        "Darin steht eine Zeile wie auf Pässen. Ausweise gehen nie hinaus.",
    ),
    "the words of an identity document stand in it": (
        "It holds the words of an identity document. Those never leave.",
        "Darin stehen die Worte eines Ausweises. Ausweise gehen nie hinaus.",
    ),
    "a social security number stands in it": (
        "It holds a social security number. That never leaves.",
        "Darin steht eine Sozialversicherungsnummer. Die geht nie hinaus.",
    ),
    "the number of a German identity document stands in it": (
        "It holds the number of a German identity document. Those never leave.",
        "Darin steht die Nummer eines deutschen Ausweises. Ausweise gehen nie hinaus.",
    ),
    "it can't be read, so it may show an identity document": (
        "I can't read it, so it may show an identity document. Look at it; it takes a second tap.",
        "Ich kann es nicht lesen; es könnte ein Ausweis sein. Sieh es dir an; es braucht ein zweites Tippen.",
    ),
    "it speaks of an identity document": (
        "It speaks of an identity document; it takes a second tap.",
        "Es spricht von einem Ausweis; es braucht ein zweites Tippen.",
    ),
    "its folder or its name speaks of a pass": (
        "Its folder or its name speaks of a pass; it takes a second tap.",
        "Ordner oder Name sprechen von einem Pass; es braucht ein zweites Tippen.",
    ),
}


def say(language: Language, key: str, **values: object) -> str:
    """The text of `key` with its blanks filled. Raises KeyError for a key or a blank that isn't there."""
    return TEXTS[key][language == "de"].format(**values)


def script(language: Language, name: str) -> str:
    """What a script is called beside "letters"."""
    return SCRIPTS.get(name, (name, name))[language == "de"]


def reason(language: Language, because: str) -> str:
    """One of our own reasons (a refusal's, a question's) for the owner. Raises KeyError for a reason that has no words."""
    return REASONS[because][language == "de"]


def file_word(language: Language, because: str) -> str:
    """What memory/identity_document says of a file, for the owner. Raises KeyError for a reason that has no words."""
    return FILES[because][language == "de"]
