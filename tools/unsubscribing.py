"""Unsubscribing: what leaves a list, as an envelope: made from the header of one of its mails alone."""

from memory.envelope import MAIL, UNSUBSCRIBE, Envelope, Identity, new_message_id
from memory.envelope_words import reason
from memory.ledger import Tables
from memory.mail import KeptMail
from memory.owner import Owner
from memory.recipient import Recipient
from memory.refusal import Refusal
from memory.unsubscribe import ONE_CLICK, WORD, ByPost, offered
from memory.wording import say
from tools.exit.asking import Wish
from tools.exit.playbook import of_list
from tools.letters import Letters, NoLetter, sender_name


def leave(t: Tables, owner: Owner, kept: KeptMail, letters: Letters, *, because: str) -> Wish:
    """What leaves the list that this mail came by. Raises NoLetter when its header offers no way."""
    found = offered(kept.mail)
    if isinstance(found, Refusal):
        raise NoLetter(say(owner.language, "approval_refused", because=reason(owner.language, found.because)))
    if isinstance(found, ByPost):
        envelope = Envelope(
            channel=UNSUBSCRIBE, identity=_whose(t, owner, kept), to=(Recipient("", found.url),), body=ONE_CLICK
        )
    else:
        identity = letters.sender(t, owner, kept.account_id)
        envelope = Envelope(
            channel=MAIL,
            identity=identity,
            to=(Recipient("", found.address),),
            subject=found.subject,
            body=WORD,
            message_id=new_message_id(identity.address),
        )
    return Wish(envelope=envelope, because=because, playbook=of_list(kept.id))


def can_leave(kept: KeptMail) -> bool:
    """Whether the header of this mail offers a way."""
    return not isinstance(offered(kept.mail), Refusal)


def _whose(t: Tables, owner: Owner, kept: KeptMail) -> Identity:
    """In whose name it is posted: the account that the mail came by. It need not be able to send mail."""
    accounts = [one for one in t.accounts.present(owner.id) if one.identity]
    if not accounts:
        raise NoLetter(say(owner.language, "letter_no_account"))
    account = next((one for one in accounts if one.id == kept.account_id), accounts[0])
    return Identity(account.name, sender_name(t, owner, account), account.identity)
