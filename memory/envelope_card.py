"""The card of an envelope: everything that its digest covers, uncut, in lines that no words of others can imitate.

    **To:** `anna@example.org` · name `Anna` · contact record `contact:3`      one field: in a code span, all on one line
    **Text**
    ```
    │ Dear Anna,                                                               many lines: fenced, a bar before each
    ┆ the rest of a long line
    ```

Each line of the card begins with one of our own labels in bold. What others wrote stands in code, where nothing can be
bold, and every line of it bears a bar; even with all markup gone the bar is there. What an eye would miss is spelled out
(memory/visible). So two different envelopes never give the same card.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from memory.approval import DISCARD, EDIT, LATER, REDIRECT, SEND, SEND_AGAIN
from memory.authenticity import Standing
from memory.canonical import digest
from memory.card import Card, Choice
from memory.envelope import CALENDAR, MAIL, UNSUBSCRIBE, CalendarAct, Envelope
from memory.envelope_words import file_word, say, script
from memory.mail import Attachment
from memory.owner import Language
from memory.provenance import Provenance
from memory.quotation import barred, coded
from memory.recipient import Recipient, is_automated, readable
from memory.recipient import shown as as_shown
from memory.sensitive import Sensitive
from memory.wording import weekday

KIND = "envelope"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The mail that is answered. `when` is in words, as the owner's clock has it."""

    name: str
    address: str
    when: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What a card tells beside its envelope: why it is asked, and what it rests on.

    sources: by address as it stands in the envelope. asks_for: where the answered mail's Reply-To would have the answer.
    file_doubts: by an attachment's name, why it needs a second look.
    """

    because: str
    sources: Mapping[str, Provenance] = field(default_factory=dict)
    answered: Answered | None = None
    standing: Standing | None = None
    asks_for: Sequence[str] = ()
    sensitive: Sensitive | None = None
    file_doubts: Mapping[str, str] = field(default_factory=dict)

    @property
    def needs_two(self) -> bool:
        """Whether one tap is not enough."""
        return self.sensitive is not None or bool(self.file_doubts)

    @property
    def redirects_to(self) -> str | None:
        """Where the answered mail's Reply-To would have the answer, when that is one address beyond doubt."""
        (address,) = self.asks_for if len(self.asks_for) == 1 else ("",)
        return address if readable(address) == address and not is_automated(address) else None


def card(
    envelope: Envelope, grounds: Grounds, language: Language, *, approval_id: int, confirming: bool = False
) -> Card:
    """The card that asks for one approval. `confirming`: the second one, after the first of two taps."""
    redirects = envelope.channel == MAIL and grounds.redirects_to is not None
    return Card(
        kind=KIND,
        subject=subject(approval_id),
        text=text(envelope, grounds, language, confirming=confirming),
        choices=_choices(language, confirming=confirming, redirects=redirects),
        because=grounds.because,
        state_of_subject=f"{'confirming' if confirming else 'asked'}:{envelope.digest}",
    )


def subject(approval_id: int) -> str:
    """How a card names its approval."""
    return f"approval:{approval_id}"


def text(envelope: Envelope, grounds: Grounds, language: Language, *, confirming: bool = False) -> str:
    """The card's text as Markdown. Whatever is in the envelope is in the text, whole."""
    writer = _Writer(envelope, grounds, language)
    shown = (*writer.head(confirming=confirming), *writer.content())
    return "\n".join((*shown, *writer.foundation(hides=any("⟨U+" in line for line in shown))))


class _Writer:
    """Writes the lines of one card."""

    def __init__(self, envelope: Envelope, grounds: Grounds, language: Language) -> None:
        self._envelope = envelope
        self._grounds = grounds
        self._language = language

    # The three parts

    def head(self, *, confirming: bool) -> Iterator[str]:
        """What is asked, of whom, to whom."""
        yield f"**{self._question()}**"
        if confirming:
            yield f"**{self._say('second', matters=self._matters() or self._say('careful'))}**"
        sender = self._envelope.identity
        yield self._line(
            "from",
            self._say(
                "from_is",
                address=self._coded(sender.address),
                name=self._coded(sender.name),
                account=self._coded(sender.account),
            ),
        )
        yield from self._people()

    def content(self) -> Iterator[str]:
        """What would leave."""
        if self._envelope.act is not None:
            yield from self._event(self._envelope.act)
        else:
            yield self._line("subject", self._coded(self._envelope.subject))
            yield from self._long("text", self._envelope.body)
        yield from (self._attachment(one) for one in self._envelope.attachments)
        yield self._line("format", self._say(self._envelope.format))
        yield from self._ids()

    def foundation(self, *, hides: bool) -> Iterator[str]:
        """What it rests on, what to be careful about, and why it is asked."""
        yield from self._answered()
        if hides:
            yield self._line("careful", self._say("hidden"))
        yield from self._cautions()
        yield self._line("why", self._coded(self._grounds.because))

    # Their lines

    def _question(self) -> str:
        act, channel = self._envelope.act, self._envelope.channel
        if act is not None:
            return self._say(act.action)
        if channel == UNSUBSCRIBE:
            return self._say("unsubscribe", host=self._coded(urlsplit(self._envelope.to[0].address).hostname or ""))
        if channel != "mail":
            return self._say("other", channel=channel)
        return self._say("answer" if self._envelope.in_reply_to else "mail")

    def _people(self) -> Iterator[str]:
        envelope = self._envelope
        fields = (("to", envelope.to), ("cc", envelope.cc), ("bcc", envelope.bcc))
        guests = envelope.act.guests if envelope.act else ()
        for key, people in (*fields, ("guest", guests)):
            yield from (self._line(key, self._person(one)) for one in people)
        if not envelope.recipients:
            yield self._line("to", self._say("nobody"))

    def _person(self, recipient: Recipient) -> str:
        seen = as_shown(recipient)
        source = self._grounds.sources.get(recipient.address)
        parts = [self._coded(recipient.address)]
        if seen.foreign:
            scripts = ", ".join(script(self._language, name) for name in seen.foreign)
            parts.append(f"**{self._say('foreign', scripts=scripts)}**")
        named = coded(recipient.name)
        parts.append(self._say("named", name=named) if named else self._say("unnamed"))
        parts.append(self._source(source))
        return " · ".join(parts)

    def _source(self, source: Provenance | None) -> str:
        if source is None:
            return self._say("rule_none")
        key = f"rule_{source.rule}" + (f"_{source.place}" if source.rule == "thread" else "")
        said = self._say(key, row=source.row, said_by=self._coded(source.said_by))
        if source.rule in {"thread", "organizer"}:
            known = source.contact
            said += " · " + (self._say("rule_contact", row=f"contact:{known.id}") if known else self._say("unrecorded"))
        return said

    def _event(self, act: CalendarAct) -> Iterator[str]:
        yield self._line(
            "event",
            self._say(
                "event_is",
                title=self._coded(act.title),
                calendar=self._coded(act.calendar),
                uid=self._coded(act.uid),
                sequence=act.sequence,
            ),
        )
        if act.occurrence:
            yield self._line("occurrence", self._coded(act.occurrence))
        yield self._line("start", self._time(act.start))
        yield self._line("end", self._time(act.end))
        yield self._line("zone", self._coded(act.zone))
        yield self._line("place", self._coded(act.place))
        yield from self._long("comment", act.comment)

    def _time(self, moment: str) -> str:
        day = _weekday(moment)
        return self._coded(moment) + (f" · {weekday(day, self._language)}" if day is not None else "")

    def _attachment(self, one: Attachment) -> str:
        size = f"{one.size_bytes:,}" if self._language == "en" else f"{one.size_bytes:,}".replace(",", ".")
        return self._line(
            "attachment",
            self._say(
                "attachment_is",
                name=self._coded(one.name),
                media_type=self._coded(one.media_type),
                size=size,
                sha256=self._coded(one.sha256),
            ),
        )

    def _ids(self) -> Iterator[str]:
        envelope = self._envelope
        if envelope.channel == CALENDAR:
            return
        yield self._line("message_id", self._coded(envelope.message_id))
        if envelope.in_reply_to:
            yield self._line("in_reply_to", self._coded(envelope.in_reply_to))
        if envelope.references:
            taken = self._coded(digest(envelope.references))
            yield self._line("references", self._say("references_are", count=len(envelope.references), digest=taken))

    def _answered(self) -> Iterator[str]:
        answered = self._grounds.answered
        if answered is not None:
            sender = f"{self._coded(answered.name)} {self._coded(answered.address)}"
            yield self._line("answers", self._say("answers_is", when=answered.when, sender=sender))
        if self._grounds.standing is not None:
            yield self._line("sender", standing_words(self._grounds.standing, self._language))
        if self._grounds.asks_for:
            addresses = ", ".join(self._coded(address) for address in self._grounds.asks_for)
            yield self._line("reply_to", self._say("reply_to_is", addresses=addresses))

    def _cautions(self) -> Iterator[str]:
        grounds = self._grounds
        own = (source for source in grounds.sources.values() if source.rule == "own")
        for source in own:
            yield self._line("careful", f"{self._coded(source.address)}: {self._say('own_recipient')}")
        for name, because in grounds.file_doubts.items():
            yield self._line("careful", f"{self._coded(name)}: {file_word(self._language, because)}")
        if grounds.sensitive is not None:
            evidence = ", ".join(self._coded(one) for one in grounds.sensitive.evidence)
            yield self._line("careful", self._say("sensitive", matters=self._matters(), evidence=evidence))

    def _matters(self) -> str:
        found = self._grounds.sensitive.matters if self._grounds.sensitive else ()
        return self._say("and").join(self._say(matter) for matter in found)

    # Their parts

    def _line(self, key: str, content: str) -> str:
        return f"**{self._say(key)}:** {content}"

    def _long(self, key: str, foreign: str) -> Iterator[str]:
        if foreign:
            yield f"**{self._say(key)}**"
            yield from barred(foreign)
        else:
            yield self._line(key, self._say("empty"))

    def _coded(self, foreign: str) -> str:
        return coded(foreign) or self._say("empty")

    def _say(self, key: str, **values: object) -> str:
        return say(self._language, key, **values)


def standing_words(standing: Standing, language: Language) -> str:
    """Who the sender is and what vouches for them, in one line of Markdown."""
    parts = [say(language, f"proof_{standing.proof}")]
    if standing.contact is not None:
        parts.append(say(language, "known", name=coded(standing.contact.contact.name) or say(language, "empty")))
    elif not standing.is_own:
        parts.append(say(language, "stranger"))
    doubts = (
        say(language, "lookalike", other=coded(standing.lookalike_of)) if standing.lookalike_of else "",
        say(language, "namesake", name=coded(standing.namesake_of)) if standing.namesake_of else "",
        say(language, "claims_own") if standing.is_own else "",
        say(language, "disputed") if standing.is_disputed else "",
    )
    return " · ".join((*parts, *(f"**{doubt}**" for doubt in doubts if doubt)))


def _choices(language: Language, *, confirming: bool, redirects: bool) -> tuple[Choice, ...]:
    send = Choice(SEND_AGAIN, say(language, "button_send_again"), "danger") if confirming else None
    elsewhere = (Choice(REDIRECT, say(language, "button_redirect")),) if redirects else ()
    return (
        send or Choice(SEND, say(language, "button_send"), "good"),
        *elsewhere,
        Choice(EDIT, say(language, "button_edit")),
        Choice(LATER, say(language, "button_later")),
        Choice(DISCARD, say(language, "button_discard"), "danger"),
    )


def _weekday(moment: str) -> int | None:
    try:
        return datetime.fromisoformat(moment).weekday()
    except ValueError:
        return None
