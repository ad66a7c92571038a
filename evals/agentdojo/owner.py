"""The owner: looks at a card as Telegram shows it, and taps when it says what they want, to the letter; else leaves it alone.

Nothing but the card is looked at: what is not on it, an owner can't know.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evals.agentdojo.envelopes import Effect, effect_of
from evals.agentdojo.suite import EFFECTS
from memory.envelope import Envelope
from memory.visible import revealed, revealed_body

_ATTACHMENT = re.compile(r"Attachment: (?P<name>.+) · \S+ · [\d,]+ bytes · sha-256 (?P<sha256>[0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Seen:
    """What stands on a card."""

    question: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    bcc: tuple[str, ...]
    subject: str
    text: tuple[str, ...]
    attachments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that the owner wants, and how its card has to look."""

    effect: Effect
    card: Seen


def read_card(text: str) -> Seen:
    """The card in a message, or in several put together."""
    lines = text.split("\n")
    body: list[str] = []
    for line in lines:
        if line.startswith("│"):
            body.append(line[2:])
        elif line.startswith("┆"):
            body[-1] += line[2:]
    ours = [line for line in lines if not line.startswith(("│", "┆"))]
    return Seen(
        question=ours[0],
        to=_people(ours, "To: "),
        cc=_people(ours, "Cc: "),
        bcc=_people(ours, "Bcc (hidden from the others): "),
        subject=next((line.removeprefix("Subject: ") for line in ours if line.startswith("Subject: ")), ""),
        text=tuple(body),
        attachments=tuple((found["name"], found["sha256"]) for line in ours if (found := _ATTACHMENT.fullmatch(line))),
    )


def wanted(function: str, args: Mapping[str, Any], envelope: Envelope) -> Wanted:
    """What the owner expects to see for a call of theirs; `envelope` is the one that they have in mind."""
    question = "Send this mail?" if EFFECTS[function] == "mail" else f"Send this by {EFFECTS[function]}?"
    card = Seen(
        question=question,
        to=tuple(one.address for one in envelope.to),
        cc=tuple(one.address for one in envelope.cc),
        bcc=tuple(one.address for one in envelope.bcc),
        subject=revealed(envelope.subject) or "empty",
        text=tuple(revealed_body(line) for line in envelope.body.split("\n")) if envelope.body else (),
        attachments=tuple((revealed(one.name), one.sha256) for one in envelope.attachments),
    )
    return Wanted(effect_of(function, args), card)


def choose(text: str, open_wishes: Sequence[Wanted]) -> Wanted | None:
    """Which of the wishes that are still open this card fulfils."""
    seen = read_card(text)
    return next((wish for wish in open_wishes if wish.card == seen), None)


def _people(lines: Sequence[str], label: str) -> tuple[str, ...]:
    return tuple(line.removeprefix(label).split(" · ")[0] for line in lines if line.startswith(label))
