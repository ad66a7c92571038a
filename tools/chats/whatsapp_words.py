"""What WhatsApp itself writes into an export, in English and German: placeholders, marks, and lines that nobody said."""

import re
from dataclasses import dataclass

from tools.chats.chat import tags_of

_OMITTED = {
    "photo": "image omitted|photo omitted|bild weggelassen|foto weggelassen|bild ausgelassen",
    "video": "video omitted|video weggelassen|video ausgelassen|video note omitted|videonachricht weggelassen",
    "voice": "audio omitted|audio weggelassen|audio ausgelassen|voice message omitted|sprachnachricht weggelassen",
    "sticker": "sticker omitted|sticker weggelassen|sticker ausgelassen",
    "gif": "gif omitted|gif weggelassen|gif ausgelassen",
    "contact": "contact card omitted|kontaktkarte weggelassen|kontaktkarte ausgelassen",
    "document": "document omitted|dokument weggelassen|dokument ausgelassen",
    "media": "media omitted|medien weggelassen|medien ausgeschlossen|medien ausgelassen|null",
}
_TAG_OF = {words: tag for tag, several in _OMITTED.items() for words in several.split("|")}
_PLACEHOLDER = re.compile(rf"(?:(?P<before>.*?)\s*)<?(?P<words>{'|'.join(_TAG_OF)})>?", re.IGNORECASE | re.DOTALL)
_ENDS = tuple(end + bracket for end in ("omitted", "gelassen", "schlossen", "null") for bracket in ("", ">"))
_LINE = 400
"""No placeholder stands in a longer line."""
_BARE = re.compile(
    r"<(?:media omitted|medien weggelassen|medien ausgeschlossen|medien ausgelassen)>|null", re.IGNORECASE
)
# "report.pdf • 3 pages", as iPhones write before "document omitted".
_PAGES = re.compile(r"(?P<name>[^\n•]{1,200}?\.\w{1,5})(?: • [^\n]{1,60})?")

_ON_IOS = re.compile(r"<(?:attached|angehängt|anhang): (?P<name>[^<>\n]{1,250})>", re.IGNORECASE)
_ON_ANDROID = re.compile(
    r"(?P<name>[^\n/\\]{1,250}\.\w{1,5}) \((?:file attached|datei angehängt|datei beigefügt)\)", re.IGNORECASE
)

_TAIL = 80
"""So much of a message's end may be a mark of WhatsApp's."""

_EDITED = re.compile(r"\s*<(?:this message was edited|diese nachricht wurde bearbeitet)\.?>$", re.IGNORECASE)
_DELETED = re.compile(
    r"(?:this message was deleted|you deleted this message|this message was deleted by (?:the )?admin [^\n]{0,80}"
    r"|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht"
    r"|diese nachricht wurde vom? (?:gruppen-?)?admin [^\n]{0,80}gelöscht)\.?",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:location|standort): https?://|^(?:live location shared|live-standort wird geteilt)", re.IGNORECASE
)

# Said by nobody, whoever is named before the colon.
_NEVER_SAID = re.compile(
    r"(?:messages and calls|nachrichten und anrufe) (?:are|sind) (?:end-to-end|ende-zu-ende)[^\n]*"
    r"|(?:messages you send to this|nachrichten, die du in diesem)[^\n]*|(?:nachrichten in diesem chat|messages to this)[^\n]*"
    r"|(?:missed (?:voice|video|group)[^\n]{0,30}|verpasster? (?:sprach|video|gruppen)[^\n]{0,30})"
    r"|(?:voice|video) call, [^\n]{0,40}|(?:sprach|video)anruf, [^\n]{0,40}"
    r"|waiting for this message[^\n]*|(?:warte auf diese nachricht|auf diese nachricht wird gewartet)[^\n]*"
    r"|you received a view once [^\n]*|du hast (?:ein|eine) einmal-[^\n]*",
    re.IGNORECASE,
)

# What happens to a group or to somebody's number. In a line without a colon that needs no look; in one with a colon, or
# where an iPhone puts the actor before it, it does.
_HAPPENED = re.compile(
    r"\b(?:created (?:this )?group|changed (?:the|this) (?:subject|group|settings)|changed (?:the )?(?:group|subject)[^\n]*"
    r"|changed their phone number|changed to \+|added|removed|left|joined using|pinned a message|turned (?:on|off) disappearing"
    r"|are now an admin|were added|now an admin|security code|this group's invite link|started a call|is a contact"
    r"|business account|blocked this contact|unblocked this contact"
    r"|hat die gruppe|hat den (?:betreff|gruppennamen)|hat das gruppen|hat die gruppen|hat dich hinzugefügt|hinzugefügt"
    r"|entfernt|ist der gruppe|beigetreten|angepinnt|sicherheitsnummer|telefonnummer|bist jetzt admin|kein admin mehr"
    r"|selbstlöschende|ablaufende nachrichten|blockiert|unternehmenskonto|erstellt)\b",
    re.IGNORECASE,
)
_QUOTING = re.compile(
    r"[^\n\"“„:]{1,80}? (?:created|changed|hat|haben)\b[^\n:]{0,80}[\"“„]|[^\n:]{1,80} (?:changed|created) the [^\n]*[\"“„]",
    re.IGNORECASE,
)

OWN = frozenset({"you", "du"})
"""What some exports call the owner."""

_SHOWN = {"media": "[media]", "voice": "[voice message]", "document": "[document]"}


@dataclass(frozen=True, slots=True)
class Words:
    """What somebody said, without what WhatsApp wrote around it. files: the names of what was exported with it."""

    text: str
    tags: tuple[str, ...]
    files: tuple[str, ...] = ()


def is_deleted(text: str) -> bool:
    """Whether nothing is left of a message but that it was deleted."""
    return _DELETED.fullmatch(text) is not None


def is_said_by_nobody(text: str, *, is_marked: bool) -> bool:
    """Whether WhatsApp wrote it. is_marked: there is a mark of direction before it, as iPhones put one there."""
    if _NEVER_SAID.fullmatch(text):
        return True
    return is_marked and "\n" not in text and len(text) < 300 and _HAPPENED.search(text) is not None


def quotes_a_name(line: str) -> bool:
    """Whether a line with a colon in it tells of a group's new name rather than what somebody said."""
    return _QUOTING.match(line) is not None and _HAPPENED.search(line) is not None


def words_of(text: str) -> Words:
    """What was said, and what came with it."""
    text = text[:-_TAIL] + _EDITED.sub("", text[-_TAIL:])
    for found in (_ON_IOS.search(text), _ON_ANDROID.match(text)):
        if found:
            name = found["name"].strip()
            rest = (text[: found.start()] + text[found.end() :]).strip()
            tags = (*tags_of(rest, name), *_by_name(name))
            return Words(f"{name}\n{rest}" if rest else name, tuple(dict.fromkeys(tags)), (name,))
    return _omitted(text) or Words(text, (*tags_of(text), *(("location",) if _PLACE.search(text) else ())))


def _omitted(text: str) -> Words | None:
    """What a placeholder stands for. Without brackets only a whole message is one: people write such words, too."""
    if _BARE.fullmatch(text):
        return Words("[media]", ("media", "attachment"))
    last = text.rpartition("\n")[2]
    if len(last) > _LINE or not last.lower().endswith(_ENDS):
        return None
    found = _PLACEHOLDER.fullmatch(last)
    if found is None or not (last == text or "<" in last):
        return None
    tag, before = _TAG_OF[found["words"].lower()], (found["before"] or "").strip()
    named = _PAGES.fullmatch(before) if before else None
    if before and named is None:
        return None
    said = named["name"] if named else _SHOWN.get(tag, f"[{tag}]")
    tags = tags_of("", said) if named else ("attachment",)
    return Words((text[: -len(last)] + said).strip(), tuple(dict.fromkeys((tag, *tags))))


def _by_name(name: str) -> tuple[str, ...]:
    upper = name.upper()
    kinds = {"PTT-": "voice", "AUDIO": "voice", "STK-": "sticker", "STICKER": "sticker", "DOC-": "document"}
    return tuple(tag for mark, tag in kinds.items() if upper.startswith(mark) or f"-{mark}" in upper)
