"""The words in which a deed is claimed, English and German, as patterns over one clause (memory/deeds reads with them)."""

import re
from typing import Literal

Deed = Literal["reminder", "cancelled", "closed", "kept", "changed", "done", "sent"]

# English

_I = r"\bI(?:'ve| have|)\s+(?:(?:just|already|now|also|then|gladly|duly|quickly|successfully|really|indeed|gone ahead and|went ahead and|looked it up and)\s+)*"
_I_AND = r"\bI\b(?:(?!\b(?:that|who|which|whether|how|he|she|they|you)\b)[^.!?]){1,80}?\band (?:(?:I've|I|have|then|also|just|now|already)\s+)*"
_OURS = r"(?:reminder|alarm|alert|timer|loop|task|item|to-?do|entry|note|it|that|this|those|them|both|#?\d+)s?\b"
_THING = r"(?:loop|task|item|to-?do|entry|point|#\d+|number \d+)\b"
_MANAGED = r"(?:took the liberty of|taken the liberty of|made sure to|managed to|was able to|went and)"
_NOW = r"(?:(?:now|already|all|also|duly|both|successfully|just|finally)\s+)*"
_TAIL = r"(?:\s+(?:now|already|for you|too|as well|as you asked|as requested|then|successfully|and dusted|on (?:your|the|my) list))*$"
_HEAD = r"^(?:(?:ok|okay|sure|alright|all right|right|great|yes|yep|perfect|good|there|so|and|well|got it)\s+)*"

_ENGLISH_ACTS: tuple[tuple[Deed, str], ...] = (
    ("reminder", r"(?:set(?: up)?|created?|scheduled|added|made|put|placed|arranged|saved|recorded)\b[^.]{0,60}\b(?:reminder|alarm|alert|timer)s?\b"),
    ("reminder", r"(?:set|scheduled) (?:it|that|this|them|both|one|two|three|everything)\b"),
    ("cancelled", rf"(?:cancel(?:l)?ed|removed|deleted|turned off|switched off|called off|cleared)\b[^.]{{0,40}}?\b{_OURS}"),
    ("closed", r"(?:closed|dropped|archived|completed|resolved)\b[^.]{0,20}?\b(?:loop|task|item|to-?do|entry|it|that|this|them|both|#?\d+)s?\b"),
    ("closed", r"(?:marked|ticked|checked|crossed|struck)\b[^.]{0,60}\b(?:done|off|complete|completed|closed|out|finished)\b"),
    ("kept", r"(?:added|put)\b(?! up| together)[^.]{0,80}\b(?:list|loops?|to-?dos?|tasks?|calendar|notes?|open|down)\b"),
    ("kept", r"(?:added|saved|recorded|logged|stored|filed|memori[sz]ed|captured|remembered|noted|wrote|written|jotted) (?:it|this|them|these|down|everything|a note|that(?=$| (?:down|for|on|in|as|too|to)\b))\b"),
    ("kept", r"opened\b[^.]{0,30}\b(?:loop|task|item|to-?do|entry)\b"),
    ("kept", r"(?:made|taken|took|left) (?:a |an? \w+ )?note\b|created (?:an?|the|your) (?:new )?(?:task|loop|item|entry|to-?do|note)\b"),
    ("kept", r"(?:kept|left) (?:it|that|this|them) open\b"),
    ("changed", rf"(?:moved|rescheduled|postponed|snoozed|updated|changed|edited|adjusted|renamed|shifted|extended) (?:the |your |this |that )?(?:\w+ )?{_OURS}"),
    ("done", r"(?:done|did) (?:it|that|this|so|everything|all|both|as you)\b"),
    ("done", r"(?:taken care of|took care of|sorted|handled|dealt with|executed|arranged|carried out|fixed) (?:it|that|this|everything|all|both|them|the|your)\b"),
    ("sent", r"(?:sent|e-?mailed|mailed|texted|messaged|phoned|rang|booked|paid|ordered|bought|purchased|transferred|forwarded|invited|submitted|posted|published|uploaded|contacted|notified|reserved|unsubscribed|rsvp'?d)\b(?! (?:to )?you\b| myself)"),
    ("sent", r"(?:called|told|asked|informed|answered|replied to|responded to|written to|wrote to) (?!you|your|that|this|it\b|above|the (?:question|same)|myself|for\b|a\b)\w+"),
    ("sent", r"let (?!you\b|me\b|go\b)\w+ know|dropped \w+ a (?:line|note|message)|replied$|(?:accepted|declined|confirmed) the (?:invitation|meeting|appointment|booking|offer)\b"),
    ("sent", r"(?:scheduled|arranged|set up|moved|rescheduled|cancel(?:l)?ed|created|added|put)\b[^.]{0,40}\b(?:meeting|appointment|call|event|flight|subscription|calendar)\b"),
    ("sent", r"(?:deleted|removed|archived|shared|signed)\b[^.]{0,30}\b(?:mail|e-?mail|message|file|document|contract|account)s?\b"),
    ("sent", rf"{_MANAGED} (?:send|e-?mail|mail|book|pay|order|forward|call|tell|repl|notif|invit)\w*\b(?! (?:to )?you\b)"),
    ("done", rf"{_MANAGED} (?:set|schedul|creat|add|not|clos|mark|cancel|mov|sav|record)\w*\b"),
)  # fmt: skip

_NOTED_OF_YOU = r"\bI(?:'ve| have) (?:(?:just|already|now|also)\s+)*(?:noted|remembered|recorded|saved|stored)\b"

_ENGLISH_STATES: tuple[tuple[Deed, str], ...] = (
    ("done", rf"{_HEAD}(?:all |it's |that's )?(?:done|all set|sorted|taken care of){_TAIL}"),
    ("done", r"^(?:consider it done|you(?:'re| are) all set)"),
    ("done", rf"{_HEAD}(?:that|it|this|everything|all|both)(?:'s| is| are| has been| have been|'s been) {_NOW}(?:done|taken care of|handled|sorted|set|set up|arranged|in place){_TAIL}"),
    ("kept", rf"{_HEAD}(?:(?:that|it|this|everything|all)(?:'s| is| has been|'s been) {_NOW})?(?:duly )?(?:noted|saved|recorded|logged|remembered|written down|added)(?: (?:it|that|this|to (?:your|the) list|down))*{_TAIL}"),
    ("kept", r"(?:'s|\bis|\bare) (?:now |already |back )*on (?:your|the) (?:to-?do |open )?list$"),
    ("kept", r"(?:'s|\bis|\bare) on (?:your|the) list now\b"),
    ("sent", rf"{_HEAD}(?:(?:that|it|this)(?:'s| is| has been|'s been) {_NOW})?(?:sent|mailed|e-?mailed|forwarded|replied|booked|ordered)(?: (?:it|that|this|them))*{_TAIL}"),
    ("sent", rf"{_HEAD}(?:(?:your|the|an?) )?(?:message|e-?mail|mail|reply|answer|text|invitation|invite)s? (?:(?:has|have) been |is |are )?{_NOW}(?:sent|delivered|on (?:its|the) way)(?: to [^,.;]{{1,40}})?{_TAIL}"),
    ("closed", rf"{_HEAD}(?:marked|closed|ticked|checked|crossed) (?:(?:it|that|this) )?(?:as )?(?:done|off|complete\w*|it|that|this){_TAIL}"),
    ("closed", rf"\b{_THING}[^,.;]{{0,60}}?(?:\bis|\bare|\bhas been|\bhave been|'s) {_NOW}(?:closed|marked|ticked off|crossed off|dropped)\b"),
    ("closed", r"(?:\bis|\bhas been|'s) (?:now |already )*(?:marked (?:as )?(?:done|complete\w*|closed)|ticked off|crossed off)\b"),
    ("kept", rf"\b{_THING}[^,.;]{{0,60}}?(?:\bis|\bhas been|'s) {_NOW}(?:added|opened|created|noted|saved)\b"),
    ("reminder", rf"\b(?:reminder|alarm|timer)s?\b(?: (?:for|about|at|on|to|of|called)\b[^,.;]{{0,60}}?)? (?:is|are|has been|have been) {_NOW}(?:set|created|scheduled|added|in place|active|on)\b"),
    ("reminder", rf"{_HEAD}(?:(?:your|the|a) )?(?:new )?(?:reminder|alarm|timer)s? {_NOW}(?:set|created|scheduled|added)\b"),
    ("reminder", rf"{_HEAD}(?:created|scheduled|added) (?:your|the|an?) (?:new )?(?:reminder|alarm|timer)\b"),
    ("kept", rf"{_HEAD}(?:(?:your|the|an?) )?(?:new )?(?:loop|task|item|entry|to-?do|note) (?:created|added|opened|saved|noted)\b"),
    ("closed", rf"{_HEAD}(?:(?:your|the|an?) )?(?:loop|task|item|entry|to-?do) (?:#?\d+ )?(?:closed|completed|marked|dropped)\b"),
    ("cancelled", rf"\b(?:reminder|alarm|timer)s?\b(?: (?:for|about|at|on|to|of)\b[^,.;]{{0,60}}?)? (?:(?:is|are|has been|have been) )?{_NOW}(?:cancel(?:l)?ed|removed|deleted|off|gone)\b"),
)  # fmt: skip

_ENGLISH_PROMISES: tuple[tuple[Deed, str], ...] = (
    (
        "reminder",
        r"\bI(?:'ll| will| shall)(?: \w+ly| also| then)* (?:remind|ping|nudge|wake) you\b|\byou(?:'ll| will) (?:get|receive) (?:a|your|the) reminder\b|\byou(?:'ll| will) be reminded\b",
    ),
    (
        "kept",
        r"\bI(?:'ll| will) remember (?:it|that|this)\b|\bI(?:'ll| will)? ?(?:now )?(?:keep|hold) (?:it|that|this|them) open\b",
    ),
)

# German

DONE_BY_ME = re.compile(
    r"\b(?:ich(?: \w+)?\s+hab(?:e|'s)?|hab(?:e|'?s)?\s+ich|ich\s+habs?)\b|^(?:(?:ok|okay|gut|klar|ja|so|schon|das|den|die|es)\s+)*hab(?:e|'?s)?\b",
    re.I,
)
OF_ANOTHER = re.compile(r"\b(?:hat|hast|habt|wurde|wurden|ist|sind|war|waren|dass)\b", re.I)
_REMINDER = r"(?:erinnerung|wecker|alarm|timer)\w*"
_ENTRY = r"(?:aufgabe|loop|punkt|eintrag|notiz|liste|todo|to-do|merkzettel)\w*|#\d+"
_IT = r"(?:es|das|dies|ihn|sie|alles|beides)\b"
_APPOINTMENT = r"(?:termin|meeting|treffen|kalender|besprechung|flug|mail|e-mail|abo|konto|datei)\w*"

_GERMAN_ACTS: tuple[tuple[Deed, str, str], ...] = (
    # What was done, to what (anything, if empty), by the participle that closes the clause.
    ("sent", r"(?!.*\bdi(?:r|ch)\b)", r"geschickt|gesendet|gesandt|versendet|versandt|verschickt|abgeschickt|abgesendet|losgeschickt|rausgeschickt|gemailt|angeschrieben|weitergeleitet|geantwortet|zugesagt|abgesagt|gebucht|bezahlt|überwiesen|bestellt|gekauft|angerufen|telefoniert|kontaktiert|benachrichtigt|informiert|eingeladen|reserviert|unterschrieben|veröffentlicht|hochgeladen|gekündigt|mitgeteilt|ausgerichtet|weitergegeben|eingereicht|storniert"),
    ("sent", r"(?!.*\bdi(?:r|ch)\b)(?=.*\b(?:bescheid|überweisung|zahlung|buchung|bestellung)\b)", r"gegeben|gesagt|getätigt|aufgegeben|gemacht"),
    ("sent", r"(?!.*\bdir\b)(?=.*\b(?:ihr|ihm|ihnen|nachricht|mail|e-mail|an \w+)\b)", r"geschrieben"),
    ("sent", rf"(?=.*\b{_APPOINTMENT})", r"gelöscht|angelegt|erstellt|eingetragen|verschoben|verlegt|vereinbart|ausgemacht|entfernt|geändert|geteilt|bestätigt"),
    ("reminder", rf"(?=.*\b{_REMINDER})", r"gesetzt|gestellt|eingestellt|eingerichtet|angelegt|erstellt|eingeplant|hinterlegt|eingetragen|gespeichert|notiert|vermerkt|hinzugefügt"),
    ("reminder", rf"(?=.*\b{_IT})", r"gesetzt|gestellt|eingestellt|eingeplant|terminiert"),
    ("cancelled", rf"(?=.*(?:\b{_REMINDER}|\b{_ENTRY}|\b{_IT}))", r"gelöscht|entfernt|abgestellt|ausgeschaltet|deaktiviert|abgebrochen|aufgehoben|zurückgenommen|gestrichen"),
    ("kept", rf"(?=.*(?:\b{_ENTRY}|\b{_IT}))", r"angelegt|eröffnet|aufgenommen|hinzugefügt|eingetragen|gesetzt|erstellt|ergänzt|aufgehoben|offen gehalten|offengehalten"),
    ("kept", "", r"notiert|vermerkt|aufgeschrieben|festgehalten|gespeichert|abgespeichert|eingetragen|(?<=mir )gemerkt"),
    ("kept", r"(?=.*\bmir\b)", r"gemerkt"),
    ("closed", "", r"abgehakt|geschlossen|als erledigt markiert|durchgestrichen"),
    ("closed", rf"(?=.*(?:\b{_ENTRY}|\b{_IT}))", r"gestrichen|abgeschlossen|zugemacht"),
    ("changed", rf"(?=.*(?:\b{_REMINDER}|\b{_ENTRY}|\b{_IT}))", r"verschoben|verlegt|geändert|angepasst|umgestellt|aktualisiert|umbenannt"),
    ("done", "", r"erledigt|veranlasst|organisiert|ausgeführt|umgesetzt|(?:darum|drum) gekümmert"),
    ("done", rf"(?=.*\b(?:{_IT}|wie gewünscht))|(?=^hab(?:e)? ich (?:schon |gerade |jetzt )*gemacht$)", r"gemacht|getan"),
)  # fmt: skip

_SCHON = r"(?:(?:jetzt|nun|schon|bereits|damit|soeben|gerade|eben|alles|auch|erfolgreich|für dich)\s+)*"
_KOPF = r"^(?:(?:ok|okay|gut|klar|alles klar|ja|super|prima|perfekt|so|fertig|passt|und)\s+)*"
_SCHLUSS = r"(?: worden)?(?: (?:jetzt|schon|für dich|wie gewünscht))*$"

_GERMAN_STATES: tuple[tuple[Deed, str], ...] = (
    ("done", rf"{_KOPF}(?:(?:das|es|alles|die sache|dies) )?(?:(?:ist|sind|wurde|wurden) )?{_SCHON}(?:erledigt|gemacht|veranlasst|ausgeführt){_SCHLUSS}"),
    ("done", r"^(?:fertig|alles fertig)$"),
    ("kept", rf"{_KOPF}(?:(?:das|es|alles|dies|ist) )?(?:(?:ist|sind|wurde|wurden|habe|hab) )?{_SCHON}(?:notiert|vermerkt|gemerkt|gespeichert|eingetragen|aufgeschrieben|festgehalten|hinzugefügt|aufgenommen){_SCHLUSS}"),
    ("kept", r"\bsteh(?:t|en) (?:jetzt |nun |damit |schon |bereits )*auf (?:deiner|der|meiner) (?:\w+ )?\w*liste\b"),
    ("reminder", rf"^(?:(?:die|deine|eine|der|dein|ein|meine) )?\b{_REMINDER}(?: (?:für|an|um|am|ans|zum|zur|auf|wegen)\b[^,.;]{{0,60}}?)? (?:(?:ist|sind|wurde|wurden|steht|stehen) )?(?:(?:für|an|um|am|auf|zum|zur)\b[^,.;]{{0,40}}? )?{_SCHON}(?:gesetzt|gestellt|eingerichtet|angelegt|erstellt|eingetragen|eingestellt|aktiv|aktiviert|gespeichert){_SCHLUSS}"),
    ("reminder", rf"{_KOPF}(?:die|deine|eine|der|dein)? ?\b{_REMINDER} (?:ist |sind )?(?:gesetzt|gestellt|eingerichtet)\b"),
    ("reminder", rf"{_KOPF}(?:(?:die|deine|der|dein) )?{_REMINDER}(?: für [^,.;]{{1,40}})? steht$"),
    ("kept", rf"{_KOPF}(?:(?:die|deine|eine|neue|der|ein) )*(?:{_ENTRY}) {_SCHON}(?:angelegt|erstellt|eröffnet|hinzugefügt|aufgenommen|notiert|gespeichert){_SCHLUSS}"),
    ("reminder", rf"{_KOPF}(?:ist )?{_SCHON}gesetzt$"),
    ("cancelled", rf"\b{_REMINDER}(?: (?:für|an|um|am|zum|zur)\b[^,.;]{{0,60}}?)? (?:(?:ist|sind|wurde|wurden) )?{_SCHON}(?:gelöscht|entfernt|gestrichen|abgestellt|aufgehoben|storniert|weg){_SCHLUSS}"),
    ("cancelled", rf"{_KOPF}(?:(?:das|es) )?(?:ist )?{_SCHON}(?:gelöscht|gestrichen){_SCHLUSS}"),
    ("closed", rf"(?:\b{_ENTRY}|^das|^es|^alles)[^,.;]{{0,60}}? (?:ist|sind|wurde|wurden) {_SCHON}(?:abgehakt|als erledigt markiert){_SCHLUSS}"),
    ("closed", rf"(?:\b{_ENTRY})[^,.;]{{0,60}}? (?:ist|sind|wurde|wurden) {_SCHON}(?:geschlossen|gestrichen|erledigt){_SCHLUSS}"),
    ("closed", rf"{_KOPF}(?:als erledigt markiert|abgehakt)$"),
    ("sent", rf"{_KOPF}(?:(?:das|es) )?(?:(?:ist|wurde) )?{_SCHON}(?:geschickt|gesendet|verschickt|versendet|versandt|abgeschickt|raus|gemailt|gebucht){_SCHLUSS}"),
    ("sent", rf"{_KOPF}(?:(?:die|deine|eine) )?(?:mail|e-mail|nachricht|antwort|einladung)(?: an [^,.;]{{1,40}}?)? (?:(?:ist|wurde) )?{_SCHON}(?:geschickt|gesendet|verschickt|versandt|versendet|abgeschickt|raus|rausgegangen|unterwegs){_SCHLUSS}"),
    ("sent", r"^(?:die|deine|eine) (?:mail|e-mail|nachricht|antwort|überweisung|zahlung|bestellung)(?: an [^,.;]{1,40}?)? (?:ging (?:\w+ )?raus|ist (?:\w+ )?raus)$"),
)  # fmt: skip

_GERMAN_PROMISES: tuple[tuple[Deed, str], ...] = (
    (
        "reminder",
        r"\b(?:ich erinnere dich|erinnere ich dich|ich werde dich\b.*\berinnern|werde ich dich\b.*\berinnern|du wirst\b.*\berinnert|du bekommst\b.*\berinnerung)\b",
    ),
    (
        "kept",
        r"\b(?:ich merke (?:es |das )?mir|merke ich mir|das merk ich mir|ich (?:halte|behalte) (?:das|es|sie|ihn)\b.*\boffen)\b",
    ),
)


PARTICIPLES = tuple(
    (
        deed,
        re.compile(object_, re.I),
        re.compile(rf"\b(?:{participle})(?=$| (?:und|an|bei|für|auf|jetzt|schon|hab|habe|wie)\b)", re.I),
    )
    for deed, object_, participle in _GERMAN_ACTS
)
ACTS: tuple[tuple[Deed, re.Pattern[str]], ...] = (
    *((deed, re.compile(rf"(?:{_I}|{_I_AND})(?:{did})", re.I)) for deed, did in _ENGLISH_ACTS),
    ("kept", re.compile(_NOTED_OF_YOU, re.I)),
)
STATES: tuple[tuple[Deed, re.Pattern[str]], ...] = tuple(
    (deed, re.compile(state, re.I)) for deed, state in (*_ENGLISH_STATES, *_GERMAN_STATES)
)
PROMISES: tuple[tuple[Deed, re.Pattern[str]], ...] = tuple(
    (deed, re.compile(words, re.I)) for deed, words in (*_ENGLISH_PROMISES, *_GERMAN_PROMISES)
)
