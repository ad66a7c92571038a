"""Authenticity: whether a mail is from whom it says, as far as the owner's own server and their contacts can tell."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from memory.confusable import skeleton
from memory.contact import StoredContact, known_addresses, of_address
from memory.mail import Address, Authenticity, Mail
from memory.people.mailbox import FREEMAIL, domain_of, mailbox_of
from memory.recipient import among, lookalike, readable

Proof = Literal["proven", "unproven", "failed", "unknown"]
"""*proven*: the sender's domain vouches for it. *unproven*: it vouches for nothing, or somebody else's does. *failed*: the
check says it is not from there. *unknown*: nobody looked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is to be said of a sender.

    contact: the record that holds this very address. lookalike_of: a known address for which it could be taken.
    namesake_of: a contact whose name the sender bears from an address that is not theirs. is_own: it claims to be the
    owner's own address. is_disputed: the headers name more than one sender, or can be read in more than one way.
    """

    proof: Proof
    contact: StoredContact | None = None
    lookalike_of: str | None = None
    namesake_of: str | None = None
    is_own: bool = False
    is_disputed: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Whether the owner should look twice."""
        odd = self.lookalike_of or self.namesake_of or self.is_own or self.is_disputed
        return bool(odd) or self.proof == "failed"


def standing(
    mail: Mail,
    *,
    contacts: Sequence[StoredContact],
    own: Collection[str],
    written_to: Collection[tuple[str, str]] = (),
    servers: Collection[str] = (),
) -> Standing:
    """Judge the sender of a mail. `servers`: the names of the owner's own mail servers, where they are known.

    written_to: (name, mailbox) of everybody to whom the owner wrote; for them a stranger may be taken, too.

    A result that another server wrote counts as nobody having looked: the sender could have written it.
    """
    sender = mail.sender or Address("", None)
    address = readable(sender.address)
    is_own = among(address, own)
    known = (*known_addresses(contacts), *own)
    is_known = bool(address) and mailbox_of(address or "") in {box for _, box in written_to}
    if not is_known:
        known += tuple(box for _, box in written_to)
    return Standing(
        proof=_proof(mail.authenticity, address, servers),
        contact=of_address(address, contacts) if address else None,
        lookalike_of=lookalike(address, known) if address and not is_own else None,
        namesake_of=_namesake(sender.name, address, contacts)
        or (None if is_known or is_own else _other_box(sender.name, address, written_to)),
        is_own=is_own,
        is_disputed=mail.senders_disagree or address is None,
    )


def is_by(mail: Mail, addresses: Collection[str]) -> bool:
    """Whether somebody with these addresses (lower case) wrote it, as far as can be seen of a mail that lies in a file.

    Anybody can write such an address above a mail. What was sent nobody has looked at; what was received must be proven, and
    where its server proves nothing it must have been delivered from that address.
    """
    address = (mail.sender.address or "").lower() if mail.sender else ""
    if not address or address not in addresses or mail.senders_disagree:
        return False
    proof = _proof(mail.authenticity, address, ())
    return proof == "proven" or (proof == "unknown" and mail.authenticity.envelope in ("", address))


def _proof(found: Authenticity, address: str | None, servers: Collection[str]) -> Proof:
    if servers and not any(_is_within(found.server, server) for server in servers):
        return "unknown"
    if found.dmarc == "fail" or (found.dkim == "fail" and found.spf != "pass"):
        return "failed"
    if found.dmarc == "pass" or (found.dkim == "pass" and _vouches(found.domain, address)):
        return "proven"
    results = {found.dmarc, found.dkim, found.spf}
    return "unknown" if results == {"unknown"} else "unproven"


def _vouches(signed: str, address: str | None) -> bool:
    """Whether the domain that signed is the sender's, or one stands above the other (RFC 7489 3.1.1, without the list)."""
    domain = (address or "").rpartition("@")[2]
    return "." in signed and (_is_within(domain, signed) or _is_within(signed, domain))


def _is_within(name: str, domain: str) -> bool:
    name, domain = name.lower().rstrip("."), domain.lower().rstrip(".")
    return bool(domain) and (name == domain or name.endswith(f".{domain}"))


def _other_box(name: str, address: str | None, written_to: Collection[tuple[str, str]]) -> str | None:
    """The full name of somebody to whom the owner wrote elsewhere, borne by a box that anybody may open."""
    read = skeleton(" ".join(name.split()))
    if " " not in read or domain_of(address or "") not in FREEMAIL:
        return None
    return next((known for known, _ in written_to if skeleton(" ".join(known.split())) == read), None)


def _namesake(name: str, address: str | None, contacts: Sequence[StoredContact]) -> str | None:
    """The name of a contact that is borne here by another address; None when a contact of that name has this one."""
    read = skeleton(" ".join(name.split()))
    same = [stored.contact for stored in contacts if read and skeleton(stored.contact.name) == read]
    if not same or any(among(address, contact.addresses) for contact in same):
        return None
    return same[0].name
