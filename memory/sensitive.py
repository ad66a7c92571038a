"""Sensitive: what concerns money or law carries a second line on its card, and needs a second tap.

Read are the words, English and German, account numbers and amounts of what would leave and of the mail that it answers.
It errs on the side of a tap too many.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import regex

from memory.envelope import Envelope

Matter = Literal["money", "law"]

EVIDENCE_MAX = 80
"""So many characters of what was found are shown."""

_MONEY = re.compile(
    r"""\b(?:
        invoic(?:e|es|ed|ing) | payments? | pay(?:ing|ed|able)? | paid | payroll | wire[ ](?:transfer|the) | bank(?:ing)?[ ](?:details?|account|transfer)
      | account[ ](?:number|details) | sort[ ]code | routing[ ]number | iban | bic | swift | salary | salaries | loan | mortgage | refund(?:s|ed)?
      | debt | overdue | fees? | deposit | remittance | reimburse\w* | tax(?:es)? | vat | bonus | compensation[ ]package | escrow
      | term[ ]?sheet | valuation | equity | cap[ ]?table | convertible | investment | wallet | bitcoin | gift[ ]?cards? | purchase[ ]order
      | rechnung(?:en|s\w*)? | \w*zahlung(?:en|s\w*)? | (?:be|aus|ein|an)?(?:zahlen|zahle|zahlst|zahlt|gezahlt) | überweis\w+ | überwiesen
      | \w*konto(?:s|nummer|daten|verbindung|auszug)? | bankverbindung | gehalt(?:s\w*)? | lohn | kredit\w* | darlehen\w* | mahnung\w*
      | rückerstatt\w+ | steuer(?:n|bescheid\w*|berater\w*|erklärung\w*|nummer)? | honorar\w* | kaution | anzahlung | schulden | inkasso
      | beteiligung\w* | kaufpreis | gutschrift | lastschrift\w* | geld | miete | provision | finanzierung\w* | geschenkkarten?
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
_LAW = re.compile(
    r"""\b(?:
        contracts? | contractual | nda | non-disclosure | agreement[ ](?:on|of|for|between|attached)
      | (?:the|an?|this|our|your|signed|attached|services?|lease|loan|purchase|shareholders?'?)[ ]agreements?
      | lawyers? | attorneys? | solicitors? | lawsuit | litigation | courts? | sue | sued | suing | subpoena | plaintiff | defendant
      | liabilit(?:y|ies) | liable | legal(?:ly)? | indemni\w+ | power[ ]of[ ]attorney | notary | affidavit | cease[ ]and[ ]desist | settlement
      | breach[ ]of | notice[ ]of[ ]termination | terminat(?:e|ion)[ ]of | terms[ ](?:and|&)[ ]conditions | signature | countersign\w* | sign[ ](?:the|this|here|and|it)
      | gdpr | custody | divorce | last[ ]will | testament | warrant(?:y|ies) | intellectual[ ]property | copyright | trademark
      | \w*vertr(?:ag|äge|ags|ages|ägen|aglich\w*)\w* | vereinbarungen? | geheimhaltung\w* | \w*anw(?:alt|ält)\w* | \w*klagen? | verklag\w+ | (?:amts|land|arbeits|sozial|finanz|verwaltungs)?gericht(?:s\w*|lich\w*)?
      | haftung\w* | haftbar | rechtlich\w* | rechtsstreit\w* | rechtsanspr\w+ | vollmacht\w* | notar(?:in|iell\w*|termin\w*)? | kündig\w+ | gekündigt | widerruf\w*
      | unterschrift\w* | unterschreib\w+ | unterzeichn\w+ | unterlassung\w* | abmahnung\w* | schadens?ersatz\w* | gewährleistung\w* | dsgvo
      | sorgerecht\w* | scheidung\w* | urheberrecht\w* | bußgeld\w* | einspruch | gesellschafter\w* | satzung
    )\b""",
    re.VERBOSE | re.IGNORECASE,
)
# Bounded, so that no column of figures takes more than its length to read.
_NUMBER = r"\d{1,3}(?:[.,'\s]\d{3}){1,5}(?:[.,]\d{1,2})?|\d{1,15}(?:[.,]\d{1,2})?"
_CURRENCY = r"€|\$|£|¥|₿|CHF|EUR|USD|GBP|JPY|Fr\.|euros?|dollars?|pounds?|franken|btc"
_AMOUNT = re.compile(
    rf"(?<![\w.])(?:(?:{_CURRENCY})\s?(?:{_NUMBER})|(?:{_NUMBER})\s?(?:k|m|mio|tsd)?\.?\s?(?:{_CURRENCY}))(?!\w)",
    re.IGNORECASE,
)
_IBAN_LENGTHS = {
    **dict.fromkeys(("NO",), 15),
    **dict.fromkeys(("BE",), 16),
    **dict.fromkeys(("DK", "FI", "NL"), 18),
    **dict.fromkeys(("AT", "EE", "LT", "LU"), 20),
    **dict.fromkeys(("CH", "HR", "LI", "LV"), 21),
    **dict.fromkeys(("BG", "DE", "GB", "IE", "ME", "RS"), 22),
    **dict.fromkeys(("AE", "GI", "IL"), 23),
    **dict.fromkeys(("CZ", "ES", "RO", "SA", "SE", "SK"), 24),
    **dict.fromkeys(("PT",), 25),
    **dict.fromkeys(("IS", "TR"), 26),
    **dict.fromkeys(("FR", "GR", "IT", "MC", "SM"), 27),
    **dict.fromkeys(("CY", "HU", "LB", "PL"), 28),
    **dict.fromkeys(("MT",), 31),
}
"""Characters of an account number by country (the IBAN registry); of another country the whole of what stands there."""
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}\b", re.IGNORECASE)
_HIDDEN = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{Cf}]")


@dataclass(frozen=True, slots=True)
class Sensitive:
    """What it is about, and the words that say so, as they stand."""

    matters: tuple[Matter, ...]
    evidence: tuple[str, ...]


def concern(envelope: Envelope, answered: Iterable[str] = ()) -> Sensitive | None:
    """Whether this is about money or law. `answered`: subject and text of the mail that it answers, quotes included."""
    text = "\n".join((*_texts(envelope), *answered))
    return concern_of(text)


def concern_of(text: str) -> Sensitive | None:
    """The same of any text. What is hidden between letters does not keep a word from being read."""
    plain = unicodedata.normalize("NFKC", _HIDDEN.sub("", text))
    money = _iban(plain) or _found(_MONEY, plain) or _found(_AMOUNT, plain)
    law = _found(_LAW, plain)
    found: list[tuple[Matter, str]] = []
    if money:
        found.append(("money", money))
    if law:
        found.append(("law", law))
    return Sensitive(tuple(m for m, _ in found), tuple(e for _, e in found)) if found else None


def _texts(envelope: Envelope) -> Iterable[str]:
    yield from (envelope.subject, envelope.body)
    yield from (attachment.name.replace("_", " ") for attachment in envelope.attachments)
    if envelope.act:
        yield from (envelope.act.title, envelope.act.place, envelope.act.comment)


def _found(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return " ".join(found[0].split())[:EVIDENCE_MAX] if found else None


def _iban(text: str) -> str | None:
    return next((found[0] for found in _IBAN.finditer(text) if _is_iban(found[0])), None)


def _is_iban(text: str) -> bool:
    """ISO 13616: the first four characters behind the rest, letters as two digits, remainder 1 by 97."""
    bare = re.sub(r"[ -]", "", text).upper()
    # Words may follow in the same breath.
    number = bare[: _IBAN_LENGTHS.get(bare[:2], len(bare))]
    return int("".join(str(int(sign, 36)) for sign in number[4:] + number[:4])) % 97 == 1
