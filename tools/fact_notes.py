"""Fact notes: what the owner says of somebody becomes known at once, and can be taken back."""

import json
from dataclasses import dataclass
from datetime import datetime

from memory.card import Card, Choice
from memory.command.fact import ToldFact, read_fact
from memory.errors import NotFound
from memory.fact import Fact, FoundFact, NotedFact, subject_of
from memory.facts.value import has_another_year, is_meant, key_of
from memory.factwords import line, line_of, say
from memory.foreign import foreign
from memory.ledger import Tables
from memory.owner import Owner
from memory.people.person import Person
from memory.recollection import sense
from memory.thread import Message
from memory.wording import say as say_plain

KIND = "fact"
"""The kind of the card that takes a note back, and the beginning of its subject."""

OWNER = "you"
"""Who said it, when the owner did; as search calls them."""

VALUE_SHOWN_MAX = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """The owner's word: the message in which it stands, and the moment."""

    owner: Owner
    message: Message
    now: datetime
    because: str
    signal_id: int


def carry_out(t: Tables, told: ToldFact, person: Person, word: Word) -> Card | str | None:
    """Note, end or forget what the owner told of this person; what is said of it, None when nothing was there to forget."""
    if told.how == "forget":
        return _forget(t, told, person, word)
    identity, over = person.surest.id, told.how == "ended"
    noted = [
        _note(t, _found(kind, value, identity, word.message, is_over=over), word)
        for kind, value in ((told.kind, told.value), *told.also)
    ]
    written = [one.fact for one in noted if one.what in ("noted", "passed") and one.fact]
    language, who = word.owner.language, _who(person)
    if not written:
        refused = next((one for one in noted if one.what == "refused"), None)
        facts = _in_line([line(told.kind, told.value, language)])
        return say(language, "gone") if refused else say(language, "known", who=who, facts=facts)
    facts = _in_line([line_of(fact, language) for fact in written])
    if told.how == "ended":
        return _card(written, say(language, "ended", who=who, facts=facts), word)
    before = _before(t, noted, word)
    if before:
        text = say(language, "noted_instead", who=who, facts=facts, before=_in_line(before))
    else:
        text = say(language, "noted", who=who, facts=facts)
    return _card(written, text, word)


def known_like(t: Tables, told: ToldFact, person: Person, owner: Owner) -> list[Fact]:
    """What is, or was, known of this person that the words may mean."""
    key = key_of(told.kind, told.value)
    return [
        fact
        for fact in t.facts.history(owner.id, person.identity_ids)
        if fact.kind == told.kind and (fact.key == key or is_meant(told.value, fact.value))
    ]


def take_back(t: Tables, card: Card, owner: Owner, *, now: datetime, signal_id: int) -> str:
    """As it was before the owner said it; what is said of it."""
    key, told = _undoing(t, owner, card), title(t, owner, int(card.subject.partition(":")[2]))
    for fact_id in json.loads(card.state_of_subject):
        again = _told_again(t, owner, fact_id)
        t.facts.take_back(owner.id, fact_id, now=now, signal_id=signal_id)
        if again is not None:
            t.facts.note(owner.id, again, now=now)
    return say_plain(owner.language, key, title=told)


def _undoing(t: Tables, owner: Owner, card: Card) -> str:
    """The key of what is said of it: what the owner had ended holds again, what they had said does not."""
    try:
        fact = t.facts.get(owner.id, int(card.subject.partition(":")[2]))
    except NotFound:
        return "contact_undone"
    is_over = fact.ended_by == "owner" and fact.superseded_by is None
    return "fact_holds_again" if is_over else "contact_undone"


def take_back_latest(t: Tables, subject: str, owner: Owner, *, now: datetime, signal_id: int) -> str | None:
    """The same by words; the key of what is said of it, None when its card is no longer open."""
    stored = t.cards.open_about(owner.id, subject)
    if stored is None or not t.cards.decide(stored.id, "undo", now=now):
        return None
    key = _undoing(t, owner, stored.card)
    take_back(t, stored.card, owner, now=now, signal_id=signal_id)
    return key


def title(t: Tables, owner: Owner, fact_id: int) -> str:
    """What a fact is, in Markdown, for a line that says what became of it; "…" for one without words."""
    try:
        fact = t.facts.get(owner.id, fact_id)
    except NotFound:
        return "…"
    person = t.people.of_identity(owner.id, fact.identity_id)
    return f"{_who(person) if person else '…'} – {_in_line([line_of(fact, owner.language)])}"


def told_lines(t: Tables, owner: Owner, words: str = "") -> list[str]:
    """What the owner told of people, a fact a line, plain, the newest first; with `words`, those that share one."""
    sought, lines, known = sense(words)[0], [], t.facts.told(owner.id)
    people = {one: t.people.of_identity(owner.id, one) for one in {fact.identity_id for fact in known}}
    for fact in known:
        person = people[fact.identity_id]
        told = f"{person.shown if person else '…'} – {line_of(fact, owner.language)}"
        if not words or sought & sense(f"{told} {fact.quote}")[0]:
            lines.append(told)
    return lines


def _note(t: Tables, found: FoundFact, word: Word) -> NotedFact:
    return t.facts.note(word.owner.id, found, now=word.now, signal_id=word.signal_id)


def _found(kind: str, value: str, identity_id: int, message: Message, *, is_over: bool) -> FoundFact:
    return FoundFact(
        identity_id=identity_id,
        kind=kind,
        value=value,
        quote=message.text,
        corpus="chat",
        ref=f"message:{message.id}",
        said_at=message.at,
        who=OWNER,
        by="owner",
        is_over=is_over,
    )


def _forget(t: Tables, told: ToldFact, person: Person, word: Word) -> Card | None:
    """Everything of this kind that may be meant, also what no longer holds."""
    meant, language = known_like(t, told, person, word.owner), word.owner.language
    if not meant:
        return None
    for fact in meant:
        t.facts.forget(word.owner.id, fact.id, because=word.because, now=word.now, signal_id=word.signal_id)
    return _card(
        meant, say(language, "forgotten", who=_who(person), facts=_in_line([line_of(meant[0], language)])), word
    )


def _told_again(t: Tables, owner: Owner, fact_id: int) -> FoundFact | None:
    """What the owner had said and then asked to forget, read again in their own message: its words are kept nowhere else."""
    forgotten = t.facts.forgotten(owner.id, fact_id)
    if forgotten is None or forgotten.by != "owner":
        return None
    message = t.thread.get(int(forgotten.ref.partition(":")[2]))
    told = read_fact(message.text)
    if told is None:
        return None
    pairs = ((told.kind, told.value), *told.also)
    meant = next((pair for pair in pairs if key_of(*pair) == forgotten.key), None)
    if meant is None:
        return None
    return _found(*meant, forgotten.identity_id, message, is_over=told.how == "ended")


def _before(t: Tables, noted: list[NotedFact], word: Word) -> list[str]:
    """What held until now, and said something else."""
    gone = [(t.facts.get(word.owner.id, fact_id), one) for one in noted for fact_id in one.superseded]
    return [
        line_of(fact, word.owner.language)
        for fact, one in gone
        if one.fact is not None
        and (fact.key != one.fact.key or has_another_year(fact.kind, one.fact.value, fact.value))
    ]


def _card(facts: list[Fact], text: str, word: Word) -> Card:
    """With the way back. The last one that was written names it: that is what "undo" looks for."""
    return Card(
        kind=KIND,
        subject=subject_of(facts[-1].id),
        text=text,
        choices=(Choice("undo", say_plain(word.owner.language, "button_undo")),),
        because=word.because,
        state_of_subject=json.dumps([fact.id for fact in facts]),
    )


def _who(person: Person) -> str:
    return foreign(person.shown, VALUE_SHOWN_MAX)


def _in_line(facts: list[str]) -> str:
    return ", ".join(foreign(one, VALUE_SHOWN_MAX) for one in facts)
