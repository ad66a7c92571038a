"""A question or request to the owner, in what the mail itself says.

What asks is a sentence: a question to the reader, a plea, an order. What only looks like it is left out first: the
rhetoric of advertising ("want to save money?"), the courtesies under a letter ("please do not hesitate to call"), notes
("please note", "bitte beachten"), and orders to a customer ("click here"). Whether a question is meant for the owner is
a matter of how they are addressed; a copy or a list asks nobody who is not named.
"""

from memory.detectors.addressed import is_for_somebody_else, is_greeted, place, turns_to
from memory.detectors.bulk import bulk
from memory.detectors.finding import QUOTE_MAX, Finding
from memory.detectors.requestwords import ASKS, NOISE, ORDERS, QUESTION
from memory.detectors.sentence import own_words, sentences
from memory.mail import KeptMail
from memory.people.oneself import Oneself

RECIPIENTS_MAX = 10
"""A question to more people than this asks everybody, and so nobody who is not named."""

_SENTENCE_MAX = 400
"""So many characters of a sentence are looked at."""


def request(kept: KeptMail, me: Oneself, *, is_answer: bool = False) -> Finding | None:
    """What the mail asks of the owner; detail is "question" or "request".

    is_answer: it stands in a thread in which the owner wrote: then it is no noise of a list (see bulk).
    """
    return None if bulk(kept, me, is_answer=is_answer) else sought(kept, me)


def sought(kept: KeptMail, me: Oneself) -> Finding | None:
    """The same of a mail that is known to be no bulk."""
    if kept.by_owner:
        return None
    text = own_words(kept)
    if is_for_somebody_else(kept.mail, text, me):
        return _first(text, me, only_named=True)
    few = len(kept.mail.to) <= RECIPIENTS_MAX
    direct = (place(kept.mail, me) == "to" and few) or is_greeted(text, me)
    return _first(text, me, only_named=not direct)


def _first(text: str, me: Oneself, *, only_named: bool) -> Finding | None:
    """The first sentence that asks; among those that name the owner when nobody else is meant."""
    for _, sentence in sentences(text):
        if asks(sentence) and (not only_named or turns_to(sentence, me)):
            detail = "question" if "?" in sentence else "request"
            return Finding(kind="request", detail=detail, quote=sentence[:QUOTE_MAX])
    return None


def asks(sentence: str) -> bool:
    """Whether a sentence asks something of whoever reads it: an answer, a deed, a decision."""
    shown = sentence[-_SENTENCE_MAX:] if sentence.endswith("?") else sentence[:_SENTENCE_MAX]
    shown = shown.replace("’", "'")
    found = QUESTION.search(shown) or ORDERS.match(shown) or ASKS.search(shown)
    return found is not None and NOISE.search(shown) is None


def asked_in(text: str) -> tuple[str, ...]:
    """The sentences of a text that ask something, in order."""
    return tuple(sentence for _, sentence in sentences(text) if asks(sentence))
