"""A mail as the rows that keep it, and back."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy import RowMapping

from memory.mail import Address, Attachment, Authenticity, Bounce, KeptMail, Mail
from memory.people.mailbox import mailbox_of
from memory.search.attached import attached_ref
from memory.search.document import Document

ENDING_MAX = 8
"""What follows the last dot of a name and is longer is no ending."""


def people_of(mail: Mail) -> list[tuple[str, str]]:
    """(name, address) of everybody in a mail's headers."""
    everybody = (*((mail.sender,) if mail.sender else ()), *mail.to, *mail.cc, *mail.bcc, *mail.reply_to)
    return [(one.name, one.address or "") for one in everybody]


def addresses_of(row: RowMapping) -> list[tuple[str, str]]:
    """The same from a row of it."""
    return [
        (row["sender_name"], row["sender_address"]),
        *((name, address or "") for _, name, address in row["recipients"]),
        *((name, address or "") for name, address in row["reply_to"]),
    ]


def row_of(mail: Mail) -> dict[str, Any]:
    """What a mail says, column by column."""
    marks = {
        "senders_disagree": mail.senders_disagree,
        "was_cut": mail.was_cut,
        "html_hidden": mail.html_hidden,
        "parts_disagree": mail.parts_disagree,
        "faults": list(mail.faults),
    }
    headers = {
        "authenticity": asdict(mail.authenticity),
        "list": [list(pair) for pair in mail.list_headers],
        "auto_submitted": mail.auto_submitted,
        "precedence": mail.precedence,
        "is_bounce": mail.is_bounce,
        "bounces": [asdict(one) for one in mail.bounces],
    }
    return {
        "fingerprint": mail.fingerprint,
        "message_id": mail.message_id,
        "sender_name": mail.sender.name if mail.sender else "",
        "sender_address": (mail.sender.address if mail.sender else "") or "",
        "recipients": [[kind, one.name, one.address] for kind in ("to", "cc", "bcc") for one in getattr(mail, kind)],
        "reply_to": [[one.name, one.address] for one in mail.reply_to],
        "subject": mail.subject,
        "date_at": mail.date_at,
        "in_reply_to": mail.in_reply_to,
        "reference_ids": list(mail.references),
        "attachments": [asdict(attachment) for attachment in mail.attachments],
        "calendars": list(mail.calendars),
        "list_id": mail.list_id,
        "is_automated": mail.is_automated,
        "headers": headers,
        "marks": marks,
    }


def people_rows(owner_id: int, mail_id: int, mail: Mail) -> list[dict[str, Any]]:
    """Who had to do with it, by mailbox: however an address is spelled, it is looked up by what it reaches."""
    roles = (
        ("from", (mail.sender,) if mail.sender else ()),
        ("to", mail.to),
        ("cc", mail.cc),
        ("bcc", mail.bcc),
        ("reply-to", mail.reply_to),
    )
    # Somebody without a readable address is still somebody whom the exclusions may name.
    return [
        {
            "owner_id": owner_id,
            "mail_id": mail_id,
            "role": role,
            "name": one.name,
            "address": mailbox_of(one.address) if one.address else f"?{one.name.casefold()}",
        }
        for role, people in roles
        for one in people
    ] or [{"owner_id": owner_id, "mail_id": mail_id, "role": "from", "name": "", "address": "?"}]


def document_of(mail_id: int, mail: Mail, *, place: str, by_owner: bool) -> Document:
    """What can be found of it. place: account and folder."""
    return Document(
        corpus="mail",
        ref=f"mail:{mail_id}",
        who=_who(mail),
        title=mail.subject,
        text=mail.text,
        at=mail.date_at,
        place=place,
        people=[(one.name, one.address or "") for one in (*mail.to, *mail.cc, *mail.bcc)],
        tags=_tags(mail),
        by_owner=by_owner,
    )


def attached_to(document: Document, mail_id: int, mail: Mail, words: Mapping[int, str]) -> Iterator[Document]:
    """What came with a mail, of which `words` are known by their place: under its own name, from whom and when the mail is."""
    for number, text in words.items():
        name = mail.attachments[number].name
        ending = name.rpartition(".")[2].lower() if "." in name else ""
        yield replace(
            document,
            corpus="file",
            ref=attached_ref(mail_id, number),
            title=name,
            text=text,
            tags=("attachment", *((ending,) if ending.isalnum() and len(ending) <= ENDING_MAX else ())),
        )


def _tags(mail: Mail) -> tuple[str, ...]:
    kinds = [attachment.media_type for attachment in mail.attachments]
    found = {
        "attachment": bool(kinds),
        "pdf": any(kind == "application/pdf" for kind in kinds),
        "photo": any(kind.startswith("image/") for kind in kinds),
        "voice": any(kind.startswith("audio/") for kind in kinds),
        "link": "://" in mail.text,
    }
    return tuple(tag for tag, has in found.items() if has)


def _who(mail: Mail) -> str:
    if mail.sender is None:
        return "unknown sender"
    name, address = mail.sender.name, mail.sender.address or ""
    return f"{name} <{address}>" if name and address else name or address or "unknown sender"


def kept_of(row: RowMapping) -> KeptMail:
    """A mail from its row, beside which its text stands."""
    return KeptMail(
        id=row["id"],
        owner_id=row["owner_id"],
        thread_id=row["thread_id"],
        account_id=row["account_id"],
        uid=row["uid"],
        folder=row["folder"],
        labels=tuple(row["labels"]),
        by_owner=row["by_owner"],
        is_read=row["is_read"],
        said=row["said"],
        arrived_at=row["arrived_at"],
        mail=_mail(row),
    )


def _mail(row: RowMapping) -> Mail:
    headers, marks = row["headers"], row["marks"]
    name, address = row["sender_name"], row["sender_address"] or None
    return Mail(
        message_id=row["message_id"],
        sender=Address(name, address) if name or address else None,
        senders_disagree=marks["senders_disagree"],
        to=_addresses(row, "to"),
        cc=_addresses(row, "cc"),
        bcc=_addresses(row, "bcc"),
        reply_to=tuple(Address(name, address) for name, address in row["reply_to"]),
        subject=row["subject"],
        date_at=row["date_at"],
        in_reply_to=row["in_reply_to"],
        references=tuple(row["reference_ids"]),
        text=row["text"],
        was_cut=marks["was_cut"],
        html_hidden=marks["html_hidden"],
        parts_disagree=marks["parts_disagree"],
        attachments=tuple(Attachment(**one) for one in row["attachments"]),
        list_id=row["list_id"],
        is_automated=row["is_automated"],
        fingerprint=row["fingerprint"],
        faults=tuple(marks["faults"]),
        authenticity=Authenticity(**headers.get("authenticity", {})),
        list_headers=tuple((name, value) for name, value in headers.get("list", ())),
        auto_submitted=headers.get("auto_submitted", ""),
        precedence=headers.get("precedence", ""),
        is_bounce=headers.get("is_bounce", False),
        bounces=tuple(Bounce(**one) for one in headers.get("bounces", ())),
        calendars=tuple(row["calendars"]),
    )


def _addresses(row: RowMapping, role: str) -> tuple[Address, ...]:
    return tuple(Address(name, address) for kind, name, address in row["recipients"] if kind == role)
