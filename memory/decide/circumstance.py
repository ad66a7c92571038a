"""Circumstances: under which of them a mail came, for habits to be told apart by.

Each has a name and leads from wider to narrower: what is known of a sender's short questions is drawn towards what is
known of the sender's short mails, and that towards what is known of the sender.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory.decide.exchange import Exchange
from memory.decide.form import Form
from memory.decide.habit import Circumstance

_STEPS = tuple(timedelta(minutes=minutes) for minutes in (10, 60, 6 * 60, 24 * 60, 7 * 24 * 60))
COMPANIONS = 2

Chain = tuple[Circumstance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a mail came, as the owner's day stood.

    wall: the owner's clock. wrote_for: time since the owner wrote anything; spoke_for: since they wrote to this sender;
    None for never. spoke_last: of the two, the owner wrote last.
    """

    wall: datetime
    wrote_for: timedelta | None
    spoke_for: timedelta | None
    spoke_last: bool


def chains(exchange: Exchange, form: Form, moment: Moment) -> Mapping[str, Chain]:
    """The circumstances of a mail by name, each as a chain from wider to narrower."""
    return _of_sender(exchange, form, moment) | _of_shape(exchange, form) | _of_moment(exchange, moment)


def _of_sender(exchange: Exchange, form: Form, moment: Moment) -> dict[str, Chain]:
    who = ("sender", exchange.sender)
    shape = (*who, exchange.kind, exchange.answers_owner, form.length)
    return {
        "sender": (who,),
        "sender_shape": (who, shape),
        "sender_asks": (who, shape, (*shape, form.asks, form.below)),
        "sender_hour": (who, (*who, "hour", moment.wall.hour // 3)),
        "sender_weekend": (who, (*who, "weekend", moment.wall.weekday() >= 5)),
        "sender_place": (who, (*who, "place", form.place)),
        "sender_spoke": (who, (*who, "spoke", moment.spoke_last, gap(moment.spoke_for))),
        "sender_active": (who, (*who, "active", gap(moment.wrote_for))),
        "sender_author": (who, (*who, "author", form.author)),
    }


def _of_shape(exchange: Exchange, form: Form) -> dict[str, Chain]:
    shape = ("shape", exchange.kind, exchange.answers_owner, form.length)
    companions = tuple(sorted(exchange.people)[:COMPANIONS])
    return {
        "shape": (shape,),
        "shape_asks": (shape, (*shape, form.asks, form.below)),
        "first_word": (("first", exchange.kind, form.first[:1]),),
        "first_words": (("first", form.first),),
        "author": (("author", form.author),),
        "place": (("place", form.place, exchange.kind),),
        "companions": (("companions", companions),),
        "attachments": (("attachments", min(2, exchange.attachments), exchange.kind),),
        "bulk": (("bulk", exchange.is_bulk),),
    }


def _of_moment(exchange: Exchange, moment: Moment) -> dict[str, Chain]:
    active = gap(moment.wrote_for)
    return {
        "spoke": (("spoke", moment.spoke_last, gap(moment.spoke_for), exchange.answers_owner),),
        "active": (("active", active, exchange.kind),),
        "active_hour": (("active", active, moment.wall.hour // 2),),
        "weekday": (("weekday", moment.wall.weekday(), moment.wall.hour // 4),),
    }


def gap(passed_for: timedelta | None) -> int:
    """A time passed in steps, from 0 for minutes up to 5 for weeks; 6 for never."""
    return 6 if passed_for is None else sum(passed_for >= step for step in _STEPS)
