"""The card of a mail thread: who, what it is about, what it may cost, why it surfaced. And the same in a line."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memory.authenticity import Standing
from memory.card import Card, Choice
from memory.foreign import foreign
from memory.judgement import Judgement
from memory.mail import Address, KeptMail
from memory.mail_thread import subject_of
from memory.owner import Language, Owner
from memory.recipient import readable
from memory.wording import say, when

KIND = "mail"
"""The kind of these cards."""

ABOUT_MAX, SUBJECT_MAX, WHO_MAX, ADDRESS_MAX = 200, 120, 60, 254

DOUBT = "⚠"
"""Stands before a sender who may be somebody else."""

MUCH = 0.5
"""From this consequence on something is at stake, even if no detector named it."""

_COSTS = ("bounce", "deadline", "money", "law", "security", "travel", "request")
"""What is named first when several were found."""


def who(kept: KeptMail, language: Language) -> str:
    """The sender as Markdown that shows it as it is: the name that they gave themselves, with the address behind it.

    The address stands in ASCII, so that look-alike letters show; a mark in front says to look twice.
    """
    sender = kept.mail.sender
    if sender is None:
        return say(language, "mail_nobody")
    # Each is cut by itself: no name is so long that the address behind it is not seen.
    plain = readable(sender.address) or sender.address or ""
    name, address = foreign(sender.name, WHO_MAX), foreign(plain, ADDRESS_MAX)
    shown = rf"{name} \({address}\)" if name and address else name or address or say(language, "mail_nobody")
    return f"{DOUBT} {shown}" if _looks_odd(kept, plain) else shown


def _looks_odd(kept: KeptMail, address: str) -> bool:
    """Whether a letter in the address may be another than it seems, or the headers name more than one sender."""
    return kept.mail.senders_disagree or not address.isascii() or "xn--" in address.lower()


def subject(kept: KeptMail, language: Language) -> str:
    """The subject as Markdown that shows it as it is."""
    return foreign(kept.mail.subject or say(language, "mail_no_subject"), SUBJECT_MAX)


def in_line(kept: KeptMail, language: Language) -> str:
    """The mail in one line of the brief."""
    return f"{who(kept, language)}: {subject(kept, language)}"


def to_line(to: Address | None, kept: KeptMail, language: Language) -> str:
    """What the owner wrote to somebody, in one line."""
    named = (to.name or to.address or "") if to else ""
    return f"{foreign(named or say(language, 'mail_nobody'), WHO_MAX)}: {subject(kept, language)}"


def line_of(kept: KeptMail, language: Language) -> str:
    """The same of what somebody wrote, or of what the owner wrote to them."""
    return (
        to_line(kept.mail.to[0] if kept.mail.to else None, kept, language) if kept.by_owner else in_line(kept, language)
    )


def card(kept: KeptMail, judgement: Judgement, owner: Owner, now: datetime, standing: Standing | None = None) -> Card:
    """The card of the thread whose latest mail is `kept`. standing: what is to be said of its sender."""
    language = owner.language
    return Card(
        kind=KIND,
        subject=subject_of(kept.thread_id),
        text="\n".join((*_lines(kept, judgement, owner, now), *_taken_for(standing, language))),
        choices=choices(language, invites=_invites(judgement)),
        because=f"verdict {judgement.id}: {judgement.verdict.what} ({judgement.code})",
        state_of_subject=f"{judgement.id}:{kept.id}",
    )


def choices(language: Language, *, invites: bool) -> tuple[Choice, ...]:
    """The buttons under it; those of an invitation come first."""
    answers = (
        Choice("accept", say(language, "button_accept"), "good"),
        Choice("maybe", say(language, "button_maybe")),
        Choice("decline", say(language, "button_decline")),
    )
    return (
        *(answers if invites else ()),
        Choice("later", say(language, "button_later"), "plain" if invites else "good"),
        Choice("done", say(language, "button_done")),
        Choice("less", say(language, "button_less")),
        Choice("why", say(language, "button_why")),
        Choice("more", say(language, "button_more")),
    )


def more(language: Language, *, is_list: bool) -> tuple[Choice, ...]:
    """The buttons behind "more": small acts on the mail."""
    leaving = (Choice("leave", say(language, "button_unsubscribe")),) if is_list else ()
    return (
        Choice("archive", say(language, "button_archive")),
        Choice("read", say(language, "button_mark_read")),
        *leaving,
        Choice("back", say(language, "button_back")),
    )


def _invites(judgement: Judgement) -> bool:
    """Whether it asks to an event, in the organizer's own name."""
    return any(one["kind"] == "invitation" and one.get("detail") == "request" for one in judgement.findings)


def _lines(kept: KeptMail, judgement: Judgement, owner: Owner, now: datetime) -> Iterable[str]:
    language, findings = owner.language, judgement.findings
    yield say(language, "mail_card", who=who(kept, language), subject=subject(kept, language))
    if about := _about(kept, findings):
        yield say(language, "mail_about", line=about)
    yield say(language, "mail_cost", cost=_cost(judgement, owner, now))
    yield say(language, "mail_why", reason=foreign(judgement.verdict.reason, ABOUT_MAX))
    if any(finding["kind"] == "copied" for finding in findings):
        yield say(language, "mail_copied")
    if kept.mail.senders_disagree:
        yield say(language, "mail_suspicious")


def _taken_for(standing: Standing | None, language: Language) -> Iterable[str]:
    """For whom the sender might be taken, and is not."""
    if standing is not None and standing.lookalike_of:
        yield f"{DOUBT} {say(language, 'mail_lookalike', other=foreign(standing.lookalike_of, ADDRESS_MAX))}"
    elif standing is not None and standing.namesake_of:
        yield f"{DOUBT} {say(language, 'mail_namesake', name=foreign(standing.namesake_of, WHO_MAX))}"


def _about(kept: KeptMail, findings: Sequence[Mapping[str, Any]]) -> str:
    """What is asked, in the mail's own words, else how it begins."""
    asked = next((str(one["quote"]) for one in findings if one["kind"] == "request" and one.get("quote")), "")
    said = kept.said if kept.said is not None else kept.mail.text
    first = next((line for line in said.splitlines() if len(line.split()) > 2), "")
    return foreign(asked or first, ABOUT_MAX)


def _cost(judgement: Judgement, owner: Owner, now: datetime) -> str:
    language = owner.language
    found = {str(one["kind"]): one for one in judgement.findings}
    named = next((found[kind] for kind in _COSTS if kind in found), None)
    if named is None:
        return say(language, "cost_much" if judgement.verdict.consequence >= MUCH else "cost_little")
    if named["kind"] != "deadline" or not named.get("due_at"):
        key = "request" if named["kind"] == "deadline" else named["kind"]
        return say(language, f"cost_{key}")
    due_at = datetime.fromisoformat(str(named["due_at"]))
    told = when(owner.zones.wall_at(due_at), owner.zones.wall_at(now).date(), language)
    return say(language, "cost_deadline_past" if due_at < now else "cost_deadline", when=told)
