"""Words that ask for a letter: "reply to Anna: …", "write to anna@example.org: …", "draft a reply to Anna".

They make a card and nothing else; no words ever send anything.
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

How = Literal["reply", "new", "draft"]

WHO_MAX = 200

HEAD_MAX = 800
"""So much may stand before the colon: people and files."""

_BLANKS = re.compile(r"(\s)\s+")
"""A run of them says no more than its first, and is tried in every way there is."""


_WITH = r"(?:\s+(?:with|attaching|mit|anbei)\s+(?P<files>[^:\n]{1,400}?))?"
_CC = r"(?:cc|copy|kopie|in\s+kopie)\b"
_WHO = rf"(?P<who>[^:\n]{{1,{WHO_MAX}}}?)"
_REPLY = re.compile(
    rf"(?:please\s+|bitte\s+)?(?:reply|answer|respond|antworte|antwort)(?:(?:\s+(?:to\s+|an\s+)?|(?=,\s*{_CC})){_WHO})?{_WITH}\s*:\s*(?P<text>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_NEW = re.compile(
    rf"(?:please\s+|bitte\s+)?(?:write|mail|e-?mail|schreib|schreibe|maile)\s+(?:a\s+mail\s+|eine\s+mail\s+)?(?:to\s+|an\s+)?{_WHO}{_WITH}\s*:\s*(?P<text>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_DRAFT = re.compile(
    rf"(?:please\s+|bitte\s+)?(?:draft|entwirf)\s+(?:(?:a|an|eine)\s+)?(?:reply|answer|antwort)(?:\s+(?:to|an)\s+{_WHO})?(?:\s*:\s*(?P<text>\S.*))?",
    re.IGNORECASE | re.DOTALL,
)
_APPROVING = re.compile(
    r"(?:(?:yes|yep|ja|jo|ok|okay|sure|klar|gut|fine)[\s,.!]{1,3})?(?:please\s+|bitte\s+)?"
    r"(?:send(?:\s+it)?(?:\s+(?:off|now|please))?|go\s+ahead|approved?(?:\s+#?\d{1,6})?|schicke?(?:\s+(?:es|sie|das|ihn))?"
    r"(?:\s+(?:ab|los|raus|bitte))?|sende?(?:\s+(?:es|sie|das|ihn))?|abschicken|absenden|freigeben|freigegeben|raus\s+damit)"
    r"[\s.!]{0,3}",
    re.IGNORECASE,
)
_COPY = re.compile(rf"[\s,]+(?:(?:and|und)\s+)?{_CC}(?:\s*:)?\s+(?:to\s+|an\s+)?", re.IGNORECASE)
_BETWEEN = re.compile(r"\s*,\s*(?:and\s+|und\s+)?|\s+(?:and|und|&)\s+", re.IGNORECASE)
_SUBJECT = re.compile(
    r"(?:(?:new\s+)?subject\s*:|(?:neuer\s+)?betreff\s*:|new\s+subject\s|neuer\s+betreff\s)\s*(?P<subject>\S.{0,400})",
    re.IGNORECASE,
)
_REDRAFT = re.compile(r"(?:redraft|rewrite|neu|umschreiben)\s*:\s*(?P<text>\S.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Correspondence:
    """A letter that is wished for. who: "" for the mail that is being talked about. copies: the names of those in copy.

    files: paths, as they were typed. subject: of a new letter. text: the owner's own words, or what a draft is to say.
    """

    how: How
    who: str = ""
    copies: tuple[str, ...] = ()
    text: str = ""
    subject: str = ""
    files: tuple[str, ...] = ()


def read_correspondence(words: str) -> Correspondence | None:
    """What letter the words ask for; None when they ask for none."""
    head, colon, rest = words.strip().partition(":")
    head = _BLANKS.sub(r"\1", head)
    if len(head) > HEAD_MAX:
        return None
    said = f"{head}{colon}{rest}"
    if found := _REPLY.fullmatch(said):
        who, copies = _addressed(found)
        return Correspondence(how="reply", who=who, copies=copies, text=found["text"].strip(), files=_files(found))
    if found := _DRAFT.fullmatch(said):
        who, copies = _addressed(found)
        return Correspondence(how="draft", who=who, copies=copies, text=(found["text"] or "").strip())
    if found := _NEW.fullmatch(said):
        who, copies = _addressed(found)
        subject, _, body = found["text"].strip().partition("\n")
        return Correspondence(
            how="new",
            who=who,
            copies=copies,
            subject=subject.strip(),
            text=body.strip() or subject.strip(),
            files=_files(found),
        )
    return None


def is_approving(words: str) -> bool:
    """Whether the words sound like a yes to sending. They approve nothing: the card is shown again."""
    return _APPROVING.fullmatch(words.strip()) is not None


def redraft_of(words: str) -> str | None:
    """The instruction in "redraft: shorter"; None for what is a text of its own."""
    found = _REDRAFT.fullmatch(words.strip())
    return found["text"].strip() if found else None


def subject_in(words: str) -> tuple[str | None, str]:
    """The subject in "subject: Lunch" and what follows that line; None and all of it where the first line is no such."""
    first, _, rest = words.strip().partition("\n")
    found = _SUBJECT.fullmatch(first.strip())
    return (" ".join(found["subject"].split()), rest.strip("\n").strip()) if found else (None, words)


def several(names: str) -> tuple[str, ...]:
    """Each of those who are named: "Anna, Bob and Jonas"."""
    found = (name.strip(" ,&") for name in _BETWEEN.split(names))
    return tuple(dict.fromkeys(name for name in found if name))


def to_payload(wish: Correspondence) -> dict[str, Any]:
    """The wish as JSON carries it."""
    return asdict(wish)


def from_payload(payload: Mapping[str, Any]) -> Correspondence:
    """The wish that `to_payload` wrote."""
    lists = {name: tuple(payload.get(name, ())) for name in ("copies", "files")}
    return Correspondence(**{**payload, **lists})


def _addressed(found: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    """Who the letter is for, and who gets a copy: "Anna and Jonas, copy Tom"."""
    who, *copied = _COPY.split(" ".join((found["who"] or "").split()))
    return who, tuple(name for some in copied for name in several(some))


def _files(found: re.Match[str]) -> tuple[str, ...]:
    given = found["files"] or ""
    return tuple(one.strip(" \"'") for one in re.split(r"\s*,\s*|\s+and\s+|\s+und\s+", given) if one.strip(" \"'"))
