"""What the owner wrote, from the ledger: mails and messages of chats, as utterances, and the promises in them."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from memory.errors import NotFound
from memory.ledger import Tables
from memory.owner import Owner
from memory.people.person import subject_of_person
from memory.promise import Promise
from memory.promises.extract import promises
from memory.promises.taken_on import taken_on
from memory.utterance import Utterance, of_mail, of_message
from tools.oneself import own_addresses

BEFORE_MAX = 5
"""So many messages before one are looked at for what it answers."""

AFTER_MAX = 300
"""So many of the owner's messages after one are looked at for whether they keep what it promised."""

MAILS_MAX = 50

READERS_MAX = 10
"""Of so many who get a mail it is looked up who they are: with more it is no word to one person."""

_MAIL = "mail:"


def utterance(t: Tables, owner_id: int, ref: str) -> Utterance | None:
    """What has this ref; None when it is gone, excluded, or not the owner's."""
    if not ref.startswith(_MAIL):
        return next(iter(messages(t, owner_id, (ref,))), None)
    try:
        return known(t, of_mail(t.mails.get(int(ref.removeprefix(_MAIL))), own_addresses(t, owner_id)))
    except NotFound:
        return None


def messages(t: Tables, owner_id: int, refs: Collection[str]) -> list[Utterance]:
    """The owner's messages among these, by time, each with what it answers."""
    found = (
        of_message(owner_id, one, t.talk.before(owner_id, one.ref, limit=BEFORE_MAX))
        for one in t.talk.some(owner_id, refs)
        if one.by_owner
    )
    return [known(t, one) for one in found if one is not None]


def known(t: Tables, said: Utterance) -> Utterance:
    """The same with the persons whom it reaches, so that a mail and a message to one person are told to be so."""
    if said.is_message:
        persons = t.talk.whom(said.owner_id, said.ref)
    else:
        some = (t.people.of(said.owner_id, one) for one in sorted(said.readers)[:READERS_MAX])
        persons = frozenset(one.id for one in some if one is not None)
    return replace(said, readers=said.readers | {subject_of_person(number) for number in persons})


def later(t: Tables, source: Utterance) -> list[Utterance]:
    """What the owner wrote to the same people since, as far as it is here, by time."""
    owner_id, mine = source.owner_id, own_addresses(t, source.owner_id)
    addresses = [one for one in source.readers if "@" in one]
    for number in t.talk.whom(owner_id, source.ref):
        addresses += _addresses(t, owner_id, number)
    mails = t.mails.sent_to(owner_id, addresses, limit=MAILS_MAX) if addresses else []
    said = t.talk.own_after(owner_id, source.ref, limit=AFTER_MAX) if source.is_message else []
    found = [*(of_mail(one, mine) for one in mails), *(of_message(owner_id, one, ()) for one in said)]
    after = [known(t, one) for one in found if one is not None and one.comes_after(source)]
    return sorted(after, key=lambda one: (one.at, one.ref))


def _addresses(t: Tables, owner_id: int, person_id: int) -> Sequence[str]:
    try:
        return t.people.get(owner_id, person_id).addresses
    except NotFound:
        return ()


def read(said: Utterance, owner: Owner) -> tuple[Promise, ...]:
    """What the owner promises to others in it."""
    if not said.to:
        return ()
    found = _promises(said, said.text, owner)
    return taken_on(found, said.before[1], lambda text: _promises(said, text, owner)) if said.is_message else found


def _promises(said: Utterance, text: str, owner: Owner) -> tuple[Promise, ...]:
    # Of two words nobody can tell the language: in a chat either may be meant.
    hint = None if said.is_message else owner.language
    return promises(text, now=said.at, zone=owner.zones.zone_at(said.at), language_hint=hint, recipients=said.to)
