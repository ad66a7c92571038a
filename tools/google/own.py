"""Whose mailbox it is: the address that Google tells, and the further ones that its owner may send from there."""

from tools.google.answers import Profile, SendAs
from tools.google.session import Session


async def own_address(session: Session) -> str:
    """The address of the mailbox, lower case. Raises SourceDown, SlowDown, SignInRefused."""
    profile = await session.gmail(lambda gmail: gmail.users().getProfile(userId="me"), Profile)
    return profile.email_address.lower()


async def further_addresses(session: Session) -> tuple[str, ...]:
    """What else is the owner's there, as far as Google has had it confirmed; lower case. Raises as above."""
    known = await session.gmail(lambda gmail: gmail.users().settings().sendAs().list(userId="me"), SendAs)
    own = await own_address(session)
    usable = (each.send_as_email.lower() for each in known.send_as if each.is_usable)
    return tuple(dict.fromkeys(address for address in usable if address != own))
