"""What came with a mail, as documents of their own: their refs tell which mail, so that they go where it goes."""

import re

_REF = re.compile(r"(?:mail:|file:mail-)(\d{1,15})(?:\.\d+)?")


def attached_under(mail_id: int) -> str:
    """What the refs of a mail's attachments begin with."""
    return f"file:mail-{mail_id}."


def attached_ref(mail_id: int, number: int) -> str:
    """The ref of a mail's attachment, by its place among them."""
    return f"{attached_under(mail_id)}{number}"


def mail_of(ref: str) -> int | None:
    """The mail that a ref names, or whose attachment it does; None for everything else."""
    found = _REF.fullmatch(ref)
    return int(found[1]) if found else None
