"""Delivering: what a judgement does to the chat, the brief and the loops, within the transaction that records it.

One card a thread, redrawn rather than repeated; one line a thread in the brief; one loop a thread.
"""

from datetime import datetime

from memory.delivery import PINGS_A_DAY, Delivery, Moment, deliver
from memory.detectors.bulk import is_auto_reply
from memory.evidence import Aspect
from memory.foreign import inert
from memory.judgement import Judgement
from memory.ledger import Tables
from memory.loop import title_of
from memory.mail import KeptMail
from memory.mail_thread import subject_of
from memory.owner import Language, Owner
from memory.piece import NewPiece, Piece
from memory.wording import say
from tools import mail_card
from tools.vouching import standing_of

PING = "mail:"
"""How the key of every piece begins that shows the card of a thread."""

PINGS_SETTING = "pings_a_day"

DONE = "done"
"""How it stands on record that the owner is done with a thread."""

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
    is_urgent: bool = False,
    aspect: Aspect = "mail",
) -> list[Piece]:
    """Let a new judgement on the thread whose latest mail is `kept` reach the owner, by whatever way is due."""
    owner, about = t.owners.get(kept.owner_id), subject_of(kept.thread_id)
    if kept.by_owner and aspect == "mail":
        return _answered(t, kept, owner, now)
    if not kept.by_owner and not kept.mail.is_automated and not is_auto_reply(kept.mail):
        _no_longer_awaited(t, kept, owner.id, now)
    moment = _moment(t, kept, owner, now, from_past=from_past, is_urgent=is_urgent)
    way = deliver(judgement.verdict, owner, moment)
    t.decisions.record(
        owner_id=owner.id,
        subject=about,
        decided=way.way,
        because=f"verdict {judgement.id}: {judgement.verdict.what}; {way.because}",
        now=now,
        signal_id=signal_id,
    )
    if way.way == "silent":
        # Thanks after a question leave the question where it is.
        return []
    _withdraw(t, owner.id, about, now)
    if way.way == "keep":
        open_loop(t, kept, owner, because=f"verdict {judgement.id}", now=now, signal_id=signal_id)
    if way.way in ("hold", "keep"):
        _hold(t, kept, judgement, owner, way=way, now=now)
        return []
    return _show(t, kept, judgement, owner, channel=channel, now=now)


def _moment(t: Tables, kept: KeptMail, owner: Owner, now: datetime, *, from_past: bool, is_urgent: bool) -> Moment:
    about = subject_of(kept.thread_id)
    judged = {f"verdict {one.id}:" for one in t.verdicts.of_mail(owner.id, kept.id)}
    pings = (one for one in t.decisions.about(owner.id, about) if one.decided in ("ping", "update"))
    return Moment(
        now=now,
        written_at=min(kept.at, now),
        from_past=from_past,
        card_is_open=t.cards.open_about(owner.id, about) is not None,
        was_pinged=any(one.because.startswith(tuple(judged)) for one in pings),
        is_urgent_sender=is_urgent,
        pings_today=pings_today(t, owner, now),
        pings_a_day=pings_a_day(t, owner.id),
    )


def is_settled(t: Tables, kept: KeptMail) -> bool:
    """Whether the owner was done with the thread after its latest mail had come: by a button, or by closing its loop."""
    about = subject_of(kept.thread_id)
    done = [one.at for one in t.decisions.about(kept.owner_id, about) if one.decided == DONE]
    tied = (t.loops.get(int(row.removeprefix("loop:"))) for row in t.links.rows(kept.owner_id, about) if _is_loop(row))
    closed = [loop.closed_at for loop in tied if loop is not None and loop.closed_at is not None]
    return any(at > kept.arrived_at for at in (*done, *closed))


def _is_loop(row: str) -> bool:
    return row.startswith("loop:")


def _no_longer_awaited(t: Tables, kept: KeptMail, owner_id: int, now: datetime) -> None:
    """Somebody has written: what was waited for has come, and so has the end of the line that said so."""
    about = subject_of(kept.thread_id)
    awaited = [loop_id for loop_id in loops_about(t, owner_id, about) if _is_awaited(t, loop_id)]
    for loop_id in awaited:
        t.loops.close(loop_id, state="done", because=f"they wrote (mail {kept.id})", now=now)
    if awaited:
        _withdraw(t, owner_id, about, now)


def _is_awaited(t: Tables, loop_id: int) -> bool:
    loop = t.loops.get(loop_id)
    return loop is not None and loop.kind == "waiting"


def pings_a_day(t: Tables, owner_id: int) -> int:
    """The owner's allowance."""
    return int(t.preferences.get(owner_id, PINGS_SETTING) or PINGS_A_DAY)


def pings_today(t: Tables, owner: Owner, now: datetime) -> int:
    """How many cards made a sound since midnight on the owner's clock."""
    midnight = owner.zones.wall_to_utc(datetime.combine(owner.zones.wall_at(now).date(), datetime.min.time()))
    return t.notices.told_since(owner.id, PING, midnight)


def _show(t: Tables, kept: KeptMail, judgement: Judgement, owner: Owner, *, channel: str, now: datetime) -> list[Piece]:
    """The card: a new one, or in the place of the one that is open."""
    card = mail_card.card(kept, judgement, owner, now, standing_of(t, kept))
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
        summary=mail_card.line_of(kept, owner.language),
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
    tied = [int(row.removeprefix("loop:")) for row in t.links.rows(owner_id, about) if _is_loop(row)]
    return [loop_id for loop_id in tied if (loop := t.loops.get(loop_id)) is not None and loop.state == "open"]


def open_loop(t: Tables, kept: KeptMail, owner: Owner, *, because: str, now: datetime, signal_id: int | None) -> int:
    """The loop of the thread: the one that is open, or a new one."""
    about = subject_of(kept.thread_id)
    if known := loops_about(t, owner.id, about):
        return known[0]
    loop = t.loops.open(
        owner_id=owner.id,
        kind="waiting" if kept.by_owner else "reply",
        title=_title(kept, owner.language),
        because=because,
        now=now,
        signal_id=signal_id,
    )
    t.links.tie(owner.id, about, f"loop:{loop.id}")
    return loop.id


def _title(kept: KeptMail, language: Language) -> str:
    """Plain words: they are escaped wherever they are shown, and no address in them can be followed."""
    other = (kept.mail.to[0] if kept.mail.to else None) if kept.by_owner else kept.mail.sender
    key = "mail_waiting_title" if kept.by_owner else "mail_later_title"
    return title_of(
        say(
            language,
            key,
            who=inert((other.name or other.address or "?") if other else "?"),
            subject=inert(kept.mail.subject) or say(language, "mail_no_subject"),
        )
    )


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
