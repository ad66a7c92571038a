"""What the owner seems to have promised in a mail or message and has neither confirmed nor dropped; it lapses by itself."""

import json
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from memory.promise import Promise
from memory.search.passage import Corpus

LAPSES_AFTER_FOR = timedelta(days=14)
"""So long after it was written it is asked about; of what is older nothing is."""

ASKED = "promises"
"""Under this subject everything is tied that was ever asked about."""

SUBJECT_MAX = 64
"""So long a name of a row may be: of what has a longer ref nothing is asked."""

_MAIL = "mail:"
_PROMISE = "promise:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promised:
    """The promises of one utterance that are asked about, each known by its place among all of them.

    ref, corpus: where it was written. who, about: the one they were made to, and the mail's subject or the group's name;
    words of others, like `before`: who spoke before it, whose question a short answer takes on. written_at: aware UTC.
    """

    ref: str
    corpus: Corpus
    who: str
    about: str
    written_at: datetime
    items: tuple[tuple[int, Promise], ...]
    before: str = ""

    @property
    def subject(self) -> str:
        """How rows name it."""
        return subject_of(self.ref)

    def without(self, *places: int) -> "Promised":
        """The same without these."""
        return replace(self, items=tuple(item for item in self.items if item[0] not in places))

    def has_lapsed(self, now: datetime) -> bool:
        """Whether nobody needs to be asked any more."""
        return now - self.written_at > LAPSES_AFTER_FOR


def subject_of(ref: str) -> str:
    """How rows name the promises of what has this ref: "promise:7" for a mail."""
    return f"{_PROMISE}{ref.removeprefix(_MAIL)}"


def ref_of(subject: str) -> str | None:
    """The ref that such a name stands for."""
    if not subject.startswith(_PROMISE):
        return None
    rest = subject.removeprefix(_PROMISE)
    return f"{_MAIL}{rest}" if rest.isdigit() else rest


def to_text(promised: Promised) -> str:
    """It as a card holds it."""
    plain = asdict(replace(promised, items=()))
    plain["items"] = [[place, asdict(promise)] for place, promise in promised.items]
    return json.dumps(plain, default=datetime.isoformat, ensure_ascii=False, sort_keys=True)


def from_text(text: str) -> Promised:
    """It as it was."""
    plain = json.loads(text)
    if "mail_id" in plain:
        # As it was kept when only mail was read.
        plain |= {"ref": f"{_MAIL}{plain.pop('mail_id')}", "corpus": "mail"}
    items = tuple((place, _promise(fields)) for place, fields in plain.pop("items"))
    return Promised(**{**plain, "written_at": datetime.fromisoformat(plain["written_at"]), "items": items})


def _promise(fields: dict[str, object]) -> Promise:
    due_at = fields.pop("due_at")
    return Promise(**fields, due_at=datetime.fromisoformat(str(due_at)) if due_at else None)  # type: ignore[arg-type]
