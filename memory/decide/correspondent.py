"""A correspondent and a conversation: what went to and fro with one person, and in one thread."""

from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta

from memory.decide.activity import minutes_since
from memory.decide.exchange import OWNER, Exchange
from memory.decide.form import grown
from memory.decide.habit import Circumstance, Fading
from memory.decide.topics import Words

MONTH_FOR = timedelta(days=30)
LAST_MAILS = 8
DAY_S = 86_400


@dataclass(slots=True)
class Met:
    """A received mail, under which circumstances it came and with which words, and whether the owner has acted on it by now."""

    at_s: float
    sender: str
    thread: str
    circumstances: tuple[Circumstance, ...]
    words: Words
    acted: bool = False


@dataclass(slots=True)
class Correspondent:
    """One person who writes to the owner or is written to. Times in seconds since 1970.

    ignored: so many of their mails came since the owner last acted on one. acts_minutes: the sum of the grown counts of
    minutes that the owner took, over `acts`.
    """

    received: int = 0
    written_to: int = 0
    lately_received: Fading = field(default_factory=lambda: Fading(MONTH_FOR))
    lately_written: Fading = field(default_factory=lambda: Fading(MONTH_FOR))
    first_s: float | None = None
    last_s: float | None = None
    written_s: float | None = None
    owner_asked: bool = False
    owner_words: int = 0
    ignored: int = 0
    acts: int = 0
    acts_minutes: float = 0.0
    last_mails: deque[Met] = field(default_factory=lambda: deque(maxlen=LAST_MAILS))

    @property
    def spoke_last(self) -> bool:
        """Whether, of the two, the owner wrote last."""
        return self.written_s is not None and (self.last_s is None or self.written_s > self.last_s)

    def wrote(self, met: Met) -> None:
        """They wrote to the owner."""
        self.received += 1
        self.ignored += 1
        self.lately_received.add(met.at_s)
        self.first_s = met.at_s if self.first_s is None else self.first_s
        self.last_s = met.at_s
        self.last_mails.append(met)

    def written(self, at_s: float, said: str) -> None:
        """The owner wrote to them."""
        self.written_to += 1
        self.lately_written.add(at_s)
        self.written_s = at_s
        self.owner_asked = "?" in said
        self.owner_words = len(said.split())

    def acted_on(self, met: Met, at_s: float) -> None:
        """The owner acted on a mail of theirs."""
        self.ignored = 0
        self.acts += 1
        self.acts_minutes += grown((at_s - met.at_s) / 60)

    def numbers(self, at_s: float) -> dict[str, float]:
        """How the owner and this person stand at a moment."""
        received, written = self.lately_received.at(at_s), self.lately_written.at(at_s)
        is_fresh = self.written_s is not None and at_s - self.written_s < DAY_S
        return {
            "received": grown(self.received),
            "written_to": grown(self.written_to),
            "lately": grown(received),
            "balance": grown(written) - grown(received),
            "since_last": minutes_since(at_s, self.last_s),
            "since_spoke": minutes_since(at_s, self.written_s),
            "known_days": grown((at_s - self.first_s) / DAY_S) if self.first_s is not None else 0.0,
            "ignored": grown(self.ignored),
            "last_acts": (sum(met.acted for met in self.last_mails) + 0.5) / (len(self.last_mails) + 2),
            "spoke_last": float(self.spoke_last),
            "owner_asked": float(is_fresh and self.owner_asked),
            "owner_words": grown(self.owner_words) if is_fresh else -1.0,
            "acts_after": self.acts_minutes / self.acts if self.acts else 4.0,
        }


@dataclass(slots=True)
class Conversation:
    """One thread of mails."""

    mails: int = 0
    by_owner: int = 0
    acted: int = 0
    last_s: float | None = None
    owner_s: float | None = None
    last_by: str = ""
    authors: set[str] = field(default_factory=set)

    def join(self, exchange: Exchange, at_s: float) -> None:
        """One more mail in it."""
        self.mails += 1
        self.last_s = at_s
        self.last_by = OWNER if exchange.by_owner else exchange.sender
        if exchange.by_owner:
            self.by_owner += 1
            self.owner_s = at_s
        else:
            self.authors.add(exchange.sender)

    def numbers(self, exchange: Exchange, at_s: float) -> dict[str, float]:
        """How the thread stands when `exchange` comes into it."""
        return {
            "thread_mails": grown(self.mails),
            "thread_owner": grown(self.by_owner),
            "thread_acted": grown(self.acted),
            "thread_since": minutes_since(at_s, self.last_s),
            "thread_since_owner": minutes_since(at_s, self.owner_s),
            "thread_owner_last": float(self.last_by == OWNER),
            "thread_unanswered": float(bool(self.authors) and self.last_by != OWNER),
            "thread_newcomer": float(self.mails > 0 and exchange.sender not in self.authors),
        }
