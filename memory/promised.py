"""What the owner seems to have promised in a mail and has neither confirmed nor dropped; it lapses by itself."""

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from memory.promise import Promise

LAPSES_AFTER_FOR = timedelta(days=14)
"""So long after the mail it is asked about; of older mail nothing is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promised:
    """The promises of one mail that are asked about, each known by its place among all of that mail's.

    who, about: the one they were made to and the mail's subject, words of others. written_at: aware UTC.
    """

    mail_id: int
    who: str
    about: str
    written_at: datetime
    items: tuple[tuple[int, Promise], ...]

    @property
    def subject(self) -> str:
        """How rows name it."""
        return subject_of(self.mail_id)

    def without(self, *places: int) -> "Promised":
        """The same without these."""
        return replace(self, items=tuple(item for item in self.items if item[0] not in places))

    def has_lapsed(self, now: datetime) -> bool:
        """Whether nobody needs to be asked any more."""
        return now - self.written_at > LAPSES_AFTER_FOR


def subject_of(mail_id: int) -> str:
    """How rows name the promises of a mail."""
    return f"promise:{mail_id}"


def mail_of(subject: str) -> int | None:
    """The mail that such a name stands for."""
    name, _, number = subject.partition(":")
    return int(number) if name == "promise" and number.isdigit() else None


def to_text(promised: Promised) -> str:
    """It as a card holds it."""
    plain = asdict(replace(promised, items=()))
    plain["items"] = [[place, asdict(promise)] for place, promise in promised.items]
    return json.dumps(plain, default=datetime.isoformat, ensure_ascii=False, sort_keys=True)


def from_text(text: str) -> Promised:
    """It as it was."""
    plain = json.loads(text)
    items = tuple((place, _promise(fields)) for place, fields in plain.pop("items"))
    return Promised(**{**plain, "written_at": datetime.fromisoformat(plain["written_at"]), "items": items})


def _promise(fields: dict[str, object]) -> Promise:
    due_at = fields.pop("due_at")
    return Promise(**fields, due_at=datetime.fromisoformat(str(due_at)) if due_at else None)  # type: ignore[arg-type]
