"""What the owner says about what is remembered: /memory and its buttons, "remember that …", "forget that …", answers to its cards."""

import re
from collections.abc import Callable

from handlers.scene import Reply, Scene
from memory.card import Card
from memory.errors import NotFound
from memory.ledger import Tables
from memory.markdown import escaped
from memory.memorywords import say
from memory.recall import found
from memory.recollection import TEXT_MAX, Recollection, number_of, sense, subject
from memory.thread import Message
from tools import cards, fact_notes, recollecting
from tools import recollection_card as card_of
from tools.recollecting import NotKept

_NUMBER = re.compile(r"#?(?P<id>\d{1,9})")
_CORRECTS = re.compile(
    r"#?(?P<id>\d{1,9})\s*(?:(?:is|ist|now|jetzt)\s*:?|[:=])\s*(?P<text>\S.*)", re.IGNORECASE | re.DOTALL
)
_FORGETS = re.compile(
    r"(?:forget|delete|drop|vergiss|lösche?|streiche?)\s+#?(?P<id>\d{1,9})|#?(?P<after>\d{1,9})\s+(?:forget|delete|vergessen|löschen|weg)",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"(?:no|nein|wrong|falsch|actually|is|ist|it is|es ist|correct(?:ion)?|richtig(?: ist)?|korrektur|besser)\s*[:,]\s*(?P<text>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_ANSWER_FORGET = re.compile(r"(?:please |bitte )?(?:forget|vergiss)(?: (?:it|that|this|das|es))?[.! ]*", re.IGNORECASE)


def command(t: Tables, rest: str, scene: Scene) -> Reply:
    """/memory: the list, one by its number, those that words find; "7 is: …" corrects, "forget 7" forgets."""
    gone = _FORGETS.fullmatch(rest)
    if gone:
        return _with(t, gone["id"] or gone["after"], scene, lambda one: forget(t, one, scene))
    corrected = _CORRECTS.fullmatch(rest)
    if corrected:
        return _with(t, corrected["id"], scene, lambda one: correct(t, one, corrected["text"], scene))
    number = _NUMBER.fullmatch(rest)
    if number:
        return _with(t, number["id"], scene, lambda one: card_of.one_of(t, one, scene.owner, scene.now))
    return show(t, rest, scene)


def show(t: Tables, words: str, scene: Scene) -> Reply:
    """What is remembered, or what of it these words find; a single one whole."""
    known = t.recollections.live(scene.owner.id)
    some = found(words, known, now=scene.now) if words else known
    told = fact_notes.told_lines(t, scene.owner, words)
    if words and len(some) == 1 and not told:
        return card_of.one_of(t, some[0], scene.owner, scene.now)
    return card_of.listed(some, scene.owner, words=words, told=told)


def _with(t: Tables, number: str, scene: Scene, then: Callable[[Recollection], Reply]) -> Reply:
    try:
        one = t.recollections.get(scene.owner.id, int(number))
    except NotFound:
        return say(scene.language, "gone", id=number)
    return then(one) if one.forgotten_at is None else say(scene.language, "gone", id=number)


def remember(t: Tables, words: str, scene: Scene) -> Reply:
    """Remember what the owner said, with the way back."""
    made = recollecting.remember(
        t,
        words,
        owner_id=scene.owner.id,
        message_id=_message(t, scene),
        signal_id=scene.signal_id,
        because=scene.because,
        now=scene.now,
    )
    if isinstance(made, NotKept):
        return _refused(made, scene)
    key = "kept_rule" if made.kind == "instruction" else "kept"
    return _after(made, say(scene.language, key, text=escaped(made.text)), scene)


def correct(t: Tables, old: Recollection, words: str, scene: Scene) -> Reply:
    """The owner's words from now on, with the way back."""
    if not old.is_live:
        return say(scene.language, "gone", id=old.id)
    made = recollecting.correct(
        t,
        old,
        words,
        message_id=_message(t, scene),
        signal_id=scene.signal_id,
        because=scene.because,
        now=scene.now,
    )
    if isinstance(made, NotKept):
        return _refused(made, scene)
    return _after(made, say(scene.language, "corrected", old=escaped(old.text), text=escaped(made.text)), scene)


def forget(t: Tables, one: Recollection, scene: Scene) -> Reply:
    """Erase it; there is no way back."""
    gone = t.recollections.forget(one.id, because=scene.because, now=scene.now)
    if gone is None:
        return say(scene.language, "gone", id=one.id)
    told = say(scene.language, "forgotten", id=one.id)
    return f"{told} {say(scene.language, 'stopped_too')}" if gone.has_stopped else told


def disremember(t: Tables, words: str, scene: Scene) -> Reply | None:
    """Forget what says just this; show what is like it; None when nothing is."""
    same, like = _meant(t, words, scene)
    if same is not None:
        return forget(t, same, scene)
    if len(like) == 1:
        return card_of.one_of(t, like[0], scene.owner, scene.now)
    return card_of.listed(like, scene.owner, words=words) if like else None


def knows(t: Tables, words: str, scene: Scene) -> bool:
    """Whether anything that is remembered could be meant by these words."""
    same, like = _meant(t, words, scene)
    return same is not None or bool(like)


def _meant(t: Tables, words: str, scene: Scene) -> tuple[Recollection | None, list[Recollection]]:
    """The one that says just this, and those that share more than half of its telling words."""
    known, meant = t.recollections.live(scene.owner.id), sense(words)
    same = next((one for one in known if sense(one.text) == meant), None)
    some = found(words, known, now=scene.now)
    return same, [one for one in some if len(sense(one.text)[0] & meant[0]) * 2 > len(meant[0])]


def answered(t: Tables, asked: Message, words: str, scene: Scene) -> Reply | None:
    """An answer to a card about one of them, that corrects or forgets it; None for every other message."""
    about = t.thread.get(asked.reply_to_id) if asked.reply_to_id is not None else None
    stored = t.cards.get(about.card_id) if about is not None and about.card_id else None
    number = number_of(stored.card.subject) if stored is not None else None
    corrects, forgets = _ANSWER.fullmatch(words), _ANSWER_FORGET.fullmatch(words)
    if number is None or not (corrects or forgets):
        return None
    if corrects:
        return _with(t, str(number), scene, lambda one: correct(t, one, corrects["text"], scene))
    return _with(t, str(number), scene, lambda one: forget(t, one, scene))


def act(t: Tables, card: Card, choice: str, scene: Scene) -> Reply:
    """What a button of the list, or of one, does."""
    name, _, value = choice.partition(".")
    number = number_of(card.subject)
    if name == card_of.SHOW:
        return _with(t, value, scene, lambda one: card_of.one_of(t, one, scene.owner, scene.now))
    if name == card_of.FORGET and number is not None:
        return _with(t, str(number), scene, lambda one: forget(t, one, scene))
    known = t.recollections.live(scene.owner.id)
    if name == card_of.MORE:
        words = card.state_of_subject
        some = found(words, known, now=scene.now) if words else known
        return card_of.listed(some, scene.owner, page=int(value), words=words)
    return card_of.listed(known, scene.owner)


def _message(t: Tables, scene: Scene) -> int:
    return t.thread.turn(scene.turn_id).question_id


def _refused(not_kept: NotKept, scene: Scene) -> str:
    if not_kept.known is not None:
        return say(scene.language, "known", id=not_kept.known.id, text=escaped(not_kept.known.text))
    return say(scene.language, not_kept.why, most=TEXT_MAX)


def _after(made: Recollection, text: str, scene: Scene) -> Card:
    return cards.after_change(subject(made.id), text, scene.language, because="it is remembered from now on")
