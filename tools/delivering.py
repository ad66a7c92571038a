"""Delivering: what a judgement does to the chat, the brief and the loops, within the transaction that records it.

One card a thread, redrawn rather than repeated; one line a thread in the brief; one loop a thread.
"""

from datetime import datetime

from memory.delivery import PINGS_A_DAY, Delivery, Moment, deliver
from memory.judgement import Judgement
from memory.ledger import Tables
from memory.loop import title_of
from memory.mail import KeptMail
from memory.mail_thread import subject_of
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.wording import say
from tools import mail_card

PING = "mail:"
"""How the key of every piece begins that shows the card of a thread."""

PINGS_SETTING = "pings_a_day"

WITHDRAWN = "withdrawn"
"""Where a line is told that nobody needs any more: nowhere."""


def tell(
    t: Tables,
    kept: KeptMail,
    judgement: Judgement,
    *,
    channel: str,
    now: datetime,
    from_past: bool,
    signal_id: int | None,
) -> list[Piece]:
    """Let a new judgement on the thread whose latest mail is `kept` reach the owner, by whatever way is due."""
    owner, about = t.owners.get(kept.owner_id), subject_of(kept.thread_id)
    if kept.by_owner:
        return _answered(t, kept, owner, now)
    way = deliver(judgement.verdict, owner, _moment(t, kept, owner, now, from_past=from_past))
    t.decisions.record(
        owner_id=owner.id,
        subject=about,
        decided=way.way,
        because=f"verdict {judgement.id}: {judgement.verdict.what}; {way.because}",
        now=now,
        signal_id=signal_id,
    )
    _withdraw(t, owner.id, about, now)
    if way.way == "keep":
        open_loop(t, kept, owner, because=f"verdict {judgement.id}", now=now, signal_id=signal_id)
    if way.way in ("hold", "keep"):
        _hold(t, kept, judgement, owner, way=way, now=now)
    if way.way not in ("ping", "update"):
        return []
    return _show(t, kept, judgement, owner, channel=channel, now=now)


def _moment(t: Tables, kept: KeptMail, owner: Owner, now: datetime, *, from_past: bool) -> Moment:
    sender = (kept.mail.sender.address or "").lower() if kept.mail.sender else ""
    return Moment(
        now=now,
        written_at=min(kept.at, now),
        from_past=from_past,
        card_is_open=t.cards.open_about(owner.id, subject_of(kept.thread_id)) is not None,
        is_urgent_sender=sender in t.senders.wished(owner.id, "urgent"),
        pings_today=pings_today(t, owner, now),
        pings_a_day=pings_a_day(t, owner.id),
    )


def pings_a_day(t: Tables, owner_id: int) -> int:
    """The owner's allowance."""
    return int(t.preferences.get(owner_id, PINGS_SETTING) or PINGS_A_DAY)


def pings_today(t: Tables, owner: Owner, now: datetime) -> int:
    """How many cards made a sound since midnight on the owner's clock."""
    midnight = owner.zones.wall_to_utc(datetime.combine(owner.zones.wall_at(now).date(), datetime.min.time()))
    return t.notices.told_since(owner.id, PING, midnight)


def _show(t: Tables, kept: KeptMail, judgement: Judgement, owner: Owner, *, channel: str, now: datetime) -> list[Piece]:
    """The card: a new one, or in the place of the one that is open."""
    card = mail_card.card(kept, judgement, owner, now)
    before = t.cards.open_about(owner.id, card.subject)
    shown = t.pieces.of_card(before.id) if before else None
    t.cards.outdate(card.subject, owner_id=owner.id, now=now)
    stored = t.cards.put(card, owner_id=owner.id, now=now)
    key = f"{PING}{judgement.id}"
    new = NewPiece(
        key=key,
        owner_id=owner.id,
        channel=shown.channel if shown else channel,
        text=card.text,
        card_id=stored.id,
        amends_key=shown.key if shown else None,
    )
    piece = t.pieces.say(new, now=now, handing=True)
    if shown is None:
        _count_ping(t, kept, judgement, owner, key=key, now=now)
    return [piece] if piece else []


def _count_ping(t: Tables, kept: KeptMail, judgement: Judgement, owner: Owner, *, key: str, now: datetime) -> None:
    notice = t.notices.hold(
        owner_id=owner.id,
        source="mail",
        summary=mail_card.in_line(kept, owner.language),
        urgency="soon",
        because=judgement.verdict.reason,
        deliver_after_at=now,
        now=now,
    )
    if notice is not None:
        t.notices.told((notice.id,), key=key, now=now)


def _hold(t: Tables, kept: KeptMail, judgement: Judgement, owner: Owner, *, way: Delivery, now: datetime) -> None:
    notice = t.notices.hold(
        owner_id=owner.id,
        source="mail",
        summary=mail_card.in_line(kept, owner.language),
        urgency="hold",
        because=f"{judgement.verdict.reason} ({way.because})",
        deliver_after_at=way.at or now,
        now=now,
    )
    if notice is not None:
        t.links.tie(owner.id, subject_of(kept.thread_id), f"notice:{notice.id}")


def _withdraw(t: Tables, owner_id: int, about: str, now: datetime) -> None:
    """Lines that wait for a brief and speak of an earlier state of the thread."""
    waiting = [int(row.removeprefix("notice:")) for row in t.links.rows(owner_id, about) if row.startswith("notice:")]
    if waiting:
        t.notices.told(waiting, key=WITHDRAWN, now=now)


def loops_about(t: Tables, owner_id: int, about: str) -> list[int]:
    """The open loops that are tied to a subject."""
    tied = [int(row.removeprefix("loop:")) for row in t.links.rows(owner_id, about) if row.startswith("loop:")]
    return [loop_id for loop_id in tied if (loop := t.loops.get(loop_id)) is not None and loop.state == "open"]


def open_loop(t: Tables, kept: KeptMail, owner: Owner, *, because: str, now: datetime, signal_id: int | None) -> int:
    """The loop of the thread: the one that is open, or a new one."""
    about = subject_of(kept.thread_id)
    if known := loops_about(t, owner.id, about):
        return known[0]
    sender = kept.mail.sender
    words = say(
        owner.language,
        "mail_later_title",
        who=(sender.name or sender.address or "?") if sender else "?",
        subject=kept.mail.subject or say(owner.language, "mail_no_subject"),
    )
    loop = t.loops.open(
        owner_id=owner.id, kind="reply", title=title_of(words), because=because, now=now, signal_id=signal_id
    )
    t.links.tie(owner.id, about, f"loop:{loop.id}")
    return loop.id


def settle(t: Tables, owner_id: int, thread_id: int, *, because: str, now: datetime, signal_id: int | None) -> None:
    """Nothing of the thread waits any more: its lines are withdrawn, its loops done."""
    about = subject_of(thread_id)
    _withdraw(t, owner_id, about, now)
    for loop_id in loops_about(t, owner_id, about):
        t.loops.close(loop_id, state="done", because=because, now=now, signal_id=signal_id)


def _answered(t: Tables, kept: KeptMail, owner: Owner, now: datetime) -> list[Piece]:
    """The owner wrote in the thread: what waited for that is done, and an open card says so, silently."""
    about = subject_of(kept.thread_id)
    settle(t, owner.id, kept.thread_id, because=f"you answered (mail {kept.id})", now=now, signal_id=None)
    card = t.cards.open_about(owner.id, about)
    shown = t.pieces.of_card(card.id) if card else None
    t.cards.outdate(about, owner_id=owner.id, now=now)
    if card is None or shown is None:
        return []
    new = NewPiece(
        key=f"{PING}answered:{kept.id}:{card.id}",
        owner_id=owner.id,
        channel=shown.channel,
        text=say(owner.language, "mail_answered", card=card.card.text.partition("\n")[0]),
        amends_key=shown.key,
    )
    piece = t.pieces.say(new, now=now, handing=True)
    return [piece] if piece else []
