"""Mails for the eval of the morning: a made-up owner, the people who write to her, and whatever else fills a mailbox.

Seven of ten are bulk or automatic, two come from people she knows and ask for nothing, one asks for something; of those a
few are from strangers who want to sell. She answers most of what people she knows ask of her, and little else. All of it is
written here, and the same seed writes the same mails.
Some ask so softly that nobody can say beforehand whether she will answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from random import Random

from tools.mail import Arrived

OWNER = "jo@baker.example"
OWNER_NAME = "Jo Baker"

SHARES = (("advertising", 0.35), ("list", 0.15), ("automatic", 0.20), ("courtesy", 0.08), ("news", 0.12),
          ("request", 0.06), ("perhaps", 0.025), ("stranger", 0.015))  # fmt: skip
"""How much of the mailbox each kind is."""

ANSWERED = {"request": 0.85, "perhaps": 0.3, "news": 0.04, "courtesy": 0.02}
"""How often she answers each kind; the rest never."""

FIRST = ("Anna", "Ben", "Carla", "David", "Eva", "Felix", "Greta", "Hugo", "Ida", "Jonas", "Klara", "Leo", "Mia", "Nora",
         "Otto", "Paula", "Quinn", "Rosa", "Sam", "Tom")  # fmt: skip
LAST = ("Winter", "Stone", "Fischer", "Lang", "Moreau", "Silva", "Novak", "Byrne")
BRANDS = ("Lumen", "Fjord", "Cedar", "Quill", "Marble", "Orbit", "Pepper", "Tundra", "Velvet", "Willow")
TOPICS = ("the offer", "the lease", "Thursday's workshop", "the budget", "the new hire", "the slides", "the contract",
          "our trip", "the website", "the invoice for March", "the board paper", "the survey")  # fmt: skip

ASKS = (
    "Could you look at {topic} and tell me what you think?",
    "Can you send me the latest version of {topic} by Friday?",
    "What should I answer about {topic}? I need a yes or no from you.",
    "Would you have half an hour this week to go through {topic}?",
    "Please check the figures in {topic}; are they right?",
)
PERHAPS = (
    "No hurry at all, but perhaps you find a moment for {topic} one of these days.",
    "I have put {topic} into the folder, in case you want to add something.",
    "We talked about {topic} today and thought of you. Maybe it is of interest.",
    "If you like, have a look at {topic} some time.",
)
TELLS = (
    "For your information: {topic} went well today. Nothing to do on your side.",
    "The minutes on {topic} are in the folder. No action needed.",
    "A short note that {topic} has moved on: we are as good as done with it.",
    "I have filed everything about {topic}, so that you know where it is.",
)
THANKS = ("Thanks!", "Great, thank you.", "Perfect, see you then.", "Sounds good.", "Many thanks, that helps.")
SALES = (
    "I came across your company and wondered whether you would be open to a short call about our platform?",
    "Many firms like yours save a third with us. Would next Tuesday suit you for a quick chat?",
)
NOTICES = ("Build passed on main", "Your parcel is on its way", "Backup completed", "New sign-in to the wiki",
           "Your receipt", "Weekly usage report", "3 new comments in the tracker")  # fmt: skip
LIST_TALK = (
    "The release candidate is out; please test it on your machines.",
    "I get a different result on 32 bit; the patch is attached.",
    "Has anybody on the list seen this warning before?",
)


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail as a source hands it over, and when it was written. `kind` is what it was made as; "sent" by the owner."""

    arrived: Arrived
    at: datetime
    kind: str


class Mailbox:
    """Writes mails, one after the other. The same seed and the same calls write the same ones."""

    def __init__(self, seed: int = 7) -> None:
        self._random = Random(seed)
        self._number = 0
        self._people = [f"{first} {last}" for last in LAST for first in FIRST][:60]
        self._random.shuffle(self._people)

    def day(self, start: datetime, mails: int) -> list[Letter]:
        """The mails of the 24 hours from `start`, by time, with what she sent in answer."""
        written = [letter for number in range(mails) for letter in self._one(self._moment(start), number)]
        return sorted(written, key=lambda letter: letter.at)

    def _moment(self, start: datetime) -> datetime:
        """By day more than by night."""
        hour = self._random.choice((*range(24), *range(7, 19), *range(8, 18)))
        return start + timedelta(hours=hour, minutes=self._random.randrange(60), seconds=self._random.randrange(60))

    def _one(self, at: datetime, number: int) -> Iterator[Letter]:
        kind = self._random.choices([name for name, _ in SHARES], [share for _, share in SHARES])[0]
        letter, message = self._letter(kind, at)
        yield letter
        if self._random.random() < ANSWERED.get(kind, 0.0):
            yield self._answer(message, at + timedelta(minutes=self._random.randrange(20, 600)))

    def _letter(self, kind: str, at: datetime) -> tuple[Letter, EmailMessage]:
        message = EmailMessage()
        {
            "advertising": self._advertising,
            "list": self._list,
            "automatic": self._automatic,
            "stranger": self._stranger,
        }.get(kind, self._person)(message, kind)
        return self._finished(message, at, kind), message

    def _advertising(self, message: EmailMessage, _: str) -> None:
        brand = self._random.choice(BRANDS)
        self._head(
            message, f"{brand} <news@{brand.lower()}.example>", f"{brand}: {self._random.randrange(10, 70)} % off"
        )
        message["List-Unsubscribe"] = f"<https://{brand.lower()}.example/leave>"
        message["Precedence"] = "bulk"
        message.set_content("This week only. Our newsletter brings you the best offers.\nUnsubscribe at any time.\n")

    def _list(self, message: EmailMessage, _: str) -> None:
        name = self._random.choice(("devel", "users", "announce"))
        author = self._random.choice(self._people)
        self._head(
            message,
            f"{author} <{_address(author)}>",
            f"[{name}] {self._random.choice(TOPICS)}",
            to=f"{name}@lists.example",
        )
        message["List-Id"] = f"<{name}.lists.example>"
        message["List-Post"] = f"<mailto:{name}@lists.example>"
        message["Precedence"] = "list"
        message.set_content(f"{self._random.choice(LIST_TALK)}\n\n{author}\n")

    def _automatic(self, message: EmailMessage, _: str) -> None:
        brand = self._random.choice(BRANDS).lower()
        self._head(message, f"{brand} <no-reply@{brand}.example>", self._random.choice(NOTICES))
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(f"This is an automatic message, number {self._number}. Please do not answer.\n")

    def _stranger(self, message: EmailMessage, _: str) -> None:
        name = f"{self._random.choice(FIRST)} {self._random.choice(('Sharp', 'Quick', 'Bright'))}"
        self._head(message, f"{name} <{_address(name, 'grow-now.example')}>", "A quick question")
        message.set_content(f"Dear Jo,\n\n{self._random.choice(SALES)}\n\nBest,\n{name}\n")

    def _person(self, message: EmailMessage, kind: str) -> None:
        author, topic = self._random.choice(self._people), self._random.choice(TOPICS)
        words = {"request": ASKS, "perhaps": PERHAPS, "news": TELLS, "courtesy": THANKS}[kind]
        self._head(
            message, f"{author} <{_address(author)}>", f"{topic.removeprefix('the ').capitalize()} {self._number}"
        )
        said = self._random.choice(words).format(topic=topic)
        message.set_content(f"Hi Jo,\n\n{said}\n\n{author.split()[0]}\n" if kind != "courtesy" else f"{said}\n")

    def _head(self, message: EmailMessage, sender: str, subject: str, *, to: str = f"{OWNER_NAME} <{OWNER}>") -> None:
        self._number += 1
        message["From"], message["To"], message["Subject"] = sender, to, subject
        domain = sender.rpartition("@")[2].rstrip(">")
        message["Message-ID"] = f"<{self._number}@{domain}>"
        message["Authentication-Results"] = f"mx.baker.example; dkim=pass header.d={domain}; spf=pass; dmarc=pass"

    def _answer(self, asked: EmailMessage, at: datetime) -> Letter:
        self._number += 1
        answer = EmailMessage()
        answer["From"], answer["To"] = f"{OWNER_NAME} <{OWNER}>", asked["From"]
        answer["Subject"] = f"Re: {asked['Subject']}"
        answer["Message-ID"] = f"<{self._number}@baker.example>"
        answer["In-Reply-To"] = answer["References"] = asked["Message-ID"]
        answer.set_content("Here is my answer. I have looked at it, and it is fine.\n\nJo\n")
        return self._finished(answer, at, "sent")

    def _finished(self, message: EmailMessage, at: datetime, kind: str) -> Letter:
        message["Date"] = format_datetime(at)
        is_sent = kind == "sent"
        arrived = Arrived(
            uid=f"imap:{'Sent' if is_sent else 'INBOX'}:1:{self._number}",
            raw=message.as_bytes(),
            folder="Sent" if is_sent else "INBOX",
            is_sent=is_sent,
            received_at=at,
        )
        return Letter(arrived, at, kind)


def _address(name: str, domain: str = "people.example") -> str:
    return f"{name.lower().replace(' ', '.')}@{domain}"


def of_others(letters: Sequence[Letter]) -> int:
    """How many of them she received."""
    return sum(letter.kind != "sent" for letter in letters)
