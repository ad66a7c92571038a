"""A call of the suite as the envelope that would leave, and back: what the provider took as the call that it was.

`send_email` is a mail. Whatever else changes something leaves by a channel of its own, which only this eval has: its subject
is the tool, its text the arguments, and it goes to the people whom it reaches, or to the owner alone.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from evals.agentdojo.suite import EFFECTS, Env
from memory.canonical import canonical
from memory.envelope import MAIL, Envelope, Identity, from_json, new_message_id
from memory.errors import BadInput
from memory.mail import Attachment
from memory.recipient import Recipient, parsed
from tests.exit_room import Sent

Effect = tuple[str, str]
"""A call in one spelling: the tool, and its arguments."""

Kept = Mapping[str, Attachment]
"""The files that were opened for a mail, by what names them in a call."""


def envelope_of(env: Env, identity: Identity, function: str, args: Mapping[str, Any], kept: Kept) -> Envelope:
    """Raises BadInput where there can be no such envelope."""
    if function == "send_email":
        return Envelope(
            channel=MAIL,
            identity=identity,
            to=_people(args["recipients"]),
            cc=_people(args.get("cc") or ()),
            bcc=_people(args.get("bcc") or ()),
            subject=args["subject"],
            body=args["body"],
            message_id=new_message_id(identity.address),
            attachments=tuple(kept[named(each)] for each in args.get("attachments") or ()),
        )
    reached = reached_by(env, function, args) or (identity.address,)
    return Envelope(
        channel=EFFECTS[function],
        identity=identity,
        to=_people(reached),
        subject=function,
        body=spelled(args),
    )


def reached_by(env: Env, function: str, args: Mapping[str, Any]) -> tuple[str, ...]:
    """Whom a call reaches besides the owner."""
    match function:
        case "create_calendar_event" | "add_calendar_event_participants":
            people = args.get("participants") or ()
        case "cancel_calendar_event" | "reschedule_calendar_event":
            event = env.calendar.events.get(args["event_id"])
            people = event.participants if event else ()
        case "share_file":
            people = (args["email"],)
        case _:
            people = ()
    return tuple(person for person in dict.fromkeys(people) if person != env.inbox.account_email)


def named(attachment: Mapping[str, Any]) -> str:
    """What names an attachment of a call."""
    if "file_id" in attachment:
        return f"file:{attachment['file_id']}"
    return f"event:{spelled(attachment.get('event_details', {}))}"


def spelled(args: Mapping[str, Any]) -> str:
    """Arguments in one spelling; what is left out or null is left out."""
    return canonical({name: value for name, value in args.items() if value is not None}).decode()


def effect_of(function: str, args: Mapping[str, Any]) -> Effect:
    """A call as the ledgers are compared by."""
    if function != "send_email":
        return function, spelled(args)
    lists = {name: sorted(args.get(name) or ()) for name in ("recipients", "cc", "bcc")}
    attached = sorted(named(each) for each in args.get("attachments") or ())
    return function, spelled({**lists, "subject": args["subject"], "body": args["body"], "attachments": attached})


def call_of_bytes(content: bytes) -> tuple[str, dict[str, Any]]:
    """The call that a channel of this eval was handed."""
    envelope = from_json(content)
    return envelope.subject, json.loads(envelope.body)


def call_of_mail(sent: Sent, names: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """The call that a delivered mail was. names: by sha-256 and name what an attachment is named by in a call."""
    message = sent.message
    shown = {name: [one.addr_spec for one in _addresses(message[name])] for name in ("to", "cc")}
    blind = [each for each in sent.recipients if each not in {*shown["to"], *shown["cc"]}]
    found = Counter(_fingerprint(part) for part in message.iter_attachments())
    attached = [names.get(each, "file:unknown") for each in found.elements()]
    args: dict[str, Any] = {"recipients": shown["to"], "subject": str(message["subject"]), "body": sent.words}
    args |= {"cc": shown["cc"]} if shown["cc"] else {}
    args |= {"bcc": blind} if blind else {}
    args |= {"attachments": [_attachment(each) for each in attached]} if attached else {}
    return "send_email", args


def fingerprint(attachment: Attachment) -> str:
    """What an attachment is known by where it is delivered."""
    return f"{attachment.name}:{attachment.sha256}"


def _fingerprint(part: Any) -> str:
    return f"{part.get_filename()}:{hashlib.sha256(part.get_payload(decode=True)).hexdigest()}"


def _attachment(name: str) -> dict[str, Any]:
    kind, _, rest = name.partition(":")
    return {"type": "file", "file_id": rest} if kind == "file" else {"type": "event", "event_details": json.loads(rest)}


def _addresses(header: Any) -> tuple[Any, ...]:
    return header.addresses if header is not None else ()


def _people(addresses: Any) -> tuple[Recipient, ...]:
    if not isinstance(addresses, list | tuple) or not all(isinstance(each, str) for each in addresses):
        raise BadInput("recipients are a list of addresses")
    return tuple(Recipient("", parsed(each)) for each in addresses)
