"""Where mail is kept: accounts, mails and their threads, verdicts, and what the owner wishes of a sender.

Every read of a mail passes the exclusions: a mail that they cover is not there. They raise UnreadableExclusions when the
list itself can't be read. Every datetime is aware UTC. What else may be raised stands in memory/ledger.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

from memory.account import Account, AccountKind
from memory.judgement import Judgement
from memory.mail import KeptMail, Mail
from memory.people.joining import Seen
from memory.relation import Relation
from memory.verdict import Verdict

Wish = Literal["urgent", "less"]
"""`urgent`: may break quiet hours. `less`: the owner asked for less like this."""

NotKept = Literal["known", "excluded"]


class Accounts(Protocol):
    """The owner's logins. Their secrets are not here."""

    def add(
        self,
        *,
        owner_id: int,
        name: str,
        kind: AccountKind,
        identity: str,
        aliases: Sequence[str],
        settings: Mapping[str, str],
        now: datetime,
    ) -> Account:
        """A new account. Raises BadInput when there is one of this name."""
        ...

    def get(self, account_id: int) -> Account:
        """One account, removed or not. Raises NotFound."""
        ...

    def named(self, owner_id: int, name: str) -> Account | None:
        """The present account of this name."""
        ...

    def present(self, owner_id: int) -> list[Account]:
        """The present accounts, oldest first."""
        ...

    def failed(self, account_id: int, trouble: str) -> int:
        """It failed once more; how often in a row now."""
        ...

    def refused(self, account_id: int, trouble: str) -> bool:
        """Its sign-in is refused: nothing is asked of it until `renewed`. False when that was known."""
        ...

    def seen(self, account_id: int, *, now: datetime) -> bool:
        """It answered: no failures, no trouble. True when there was trouble before."""
        ...

    def remove(self, account_id: int, *, now: datetime) -> None:
        """It is gone, with its cursors and events; the mails that came by it stay."""
        ...


class Mails(Protocol):
    """Mails and their threads."""

    def keep(
        self,
        owner_id: int,
        mail: Mail,
        *,
        now: datetime,
        import_id: int | None = None,
        account_id: int | None = None,
        uid: str = "",
        folder: str = "",
        labels: Sequence[str] = (),
        by_owner: bool = False,
        is_read: bool = True,
        attached: Mapping[int, str] | None = None,
    ) -> int | NotKept:
        """Keep it, findable and in its thread; its id, or why it was not kept.

        attached: the words of its attachments by their place among them; each is findable by itself, also by its name alone.

        The exclusions are asked here, at the one door that mail comes in by; what they cover is counted and not kept.
        """
        ...

    def is_wanted(self, owner_id: int, mail: Mail, *, folder: str = "", labels: Sequence[str] = ()) -> bool:
        """Whether it would be kept: neither known nor excluded."""
        ...

    def get(self, mail_id: int) -> KeptMail:
        """One mail. Raises NotFound, also for one that is excluded."""
        ...

    def some(self, mail_ids: Collection[int]) -> list[KeptMail]:
        """Those of these mails that there are, by time."""
        ...

    def thread(self, thread_id: int, *, limit: int = 50) -> list[KeptMail]:
        """The newest mails of a thread, oldest first."""
        ...

    def threads_since(self, owner_id: int, since: datetime, *, limit: int = 1000) -> list[int]:
        """Threads in which something was written at or after `since`, newest first."""
        ...

    def page(self, owner_id: int, *, after: tuple[datetime, int] | None, limit: int) -> list[KeptMail]:
        """All mails that have a date, by (date, id), from after that place on: for what reads everything once."""
        ...

    def place(self, owner_id: int, number: int) -> tuple[datetime, int] | None:
        """The place (date, id) of the mail that comes after so many earlier ones; None when there are not so many."""
        ...

    def before(self, owner_id: int, before: datetime, *, limit: int) -> list[KeptMail]:
        """The newest mails written before `before`, newest first."""
        ...

    def latest_from(self, owner_id: int, addresses: Collection[str], *, limit: int) -> list[KeptMail]:
        """The newest mails written from these addresses, newest first."""
        ...

    def sent_to(self, owner_id: int, addresses: Collection[str], *, limit: int) -> list[KeptMail]:
        """The newest mails that the owner wrote to any of these addresses, newest first."""
        ...

    def by_uid(self, account_id: int, uid: str) -> int | None:
        """The id of the mail that this account knows by this name."""
        ...

    def by_fingerprint(self, owner_id: int, fingerprint: str) -> int | None:
        """The id of the mail with this fingerprint."""
        ...

    def met_again(
        self,
        owner_id: int,
        fingerprint: str,
        *,
        account_id: int,
        uid: str,
        folder: str,
        labels: Sequence[str],
        by_owner: bool,
        is_read: bool,
    ) -> int | None:
        """A known mail was met once more: moved, numbered anew, or come by an account after an import. Where it lies now
        counts from here on, unless it lies in another account, too. Its id if it turns out to be the owner's own.
        """
        ...

    def change(
        self, account_id: int, uid: str, *, folder: str, labels: Sequence[str], is_read: bool, now: datetime
    ) -> bool:
        """It lies elsewhere now, or was read; False when it is not known. Where the exclusions cover that place, it is erased."""
        ...

    def gone(self, account_id: int, uids: Collection[str], *, now: datetime) -> int:
        """They are not at their source any more. They stay here, marked; how many were known."""
        ...

    def say(self, mail_id: int, said: str) -> None:
        """What the mail itself says, without quotes and signature, has been worked out."""
        ...

    def unsaid(self, owner_id: int, *, limit: int) -> list[int]:
        """Mails of which that was not worked out yet, newest first."""
        ...

    def written_to(self, owner_id: int, *, limit: int = 2000) -> list[tuple[str, str]]:
        """(name, mailbox) of everybody to whom the owner wrote, those of late first, each once."""
        ...

    def relation(self, owner_id: int, addresses: Collection[str]) -> Relation:
        """What went to and fro with somebody of these addresses."""
        ...

    def sightings(self, owner_id: int, *, limit: int) -> list[Seen]:
        """Addresses as they stood in the headers of the newest mails: what people are joined from."""
        ...

    def claim(self, owner_id: int, addresses: Collection[str], *, after: int, limit: int) -> tuple[int, int | None]:
        """Mail from files that was written from one of these addresses (lower case) is the owner's own from now on, as far as
        that can be seen (memory/authenticity). Of those after the mail `after`, `limit` are looked at: how many turned out
        to be, and the last one looked at, None for none. What came by an account is not asked: its own folders tell.
        """
        ...

    def most_written_to(self, owner_id: int) -> str:
        """The address that most of the mail went to: likely the owner's. "" where there is none."""
        ...

    def own_names(self, owner_id: int) -> list[str]:
        """What the owner calls themselves in the mails they wrote, most often first."""
        ...

    def written_at(self, owner_id: int, addresses: Collection[str], *, limit: int = 200) -> list[datetime]:
        """When somebody of these addresses wrote, newest first: what a rhythm is taken from."""
        ...

    def count(self, owner_id: int, *, account_id: int | None = None) -> int:
        """How many mails are kept, of one account or of all."""
        ...

    def erase_covered(self, owner_id: int, *, now: datetime) -> int:
        """Erase the mails that the exclusions cover, and what came of them here; how many there were.

        Their cards and lines are emptied, loops that they opened dropped, drafts that answer them gone, questions about
        those void. What says that something was decided stays, without a word of theirs.
        """
        ...


class Verdicts(Protocol):
    """The verdict ledger: append-only, one row for each piece of evidence and version of the judge."""

    def find(self, owner_id: int, evidence: str, judge: str) -> Judgement | None:
        """What was judged of exactly this."""
        ...

    def record(
        self,
        *,
        owner_id: int,
        mail_id: int,
        thread_id: int,
        evidence: str,
        judge: str,
        verdict: Verdict,
        code: str,
        probability: float | None,
        findings: Sequence[Mapping[str, Any]],
        now: datetime,
    ) -> Judgement | None:
        """One more row; None when this evidence was judged before."""
        ...

    def get(self, verdict_id: int) -> Judgement | None:
        """One judgement."""
        ...

    def of_mail(self, owner_id: int, mail_id: int) -> list[Judgement]:
        """Everything judged of evidence whose latest mail this is, oldest first."""
        ...

    def of_thread(self, owner_id: int, thread_id: int) -> list[Judgement]:
        """Everything judged in a thread, oldest first."""
        ...

    def since(self, owner_id: int, since: datetime) -> list[Judgement]:
        """Everything judged at or after `since`, oldest first, at most 5,000."""
        ...

    def standing(self, owner_id: int, since: datetime, *, limit: int = 200) -> list[Judgement]:
        """What was judged at or after `since` to be told or kept track of, newest first."""
        ...


class Senders(Protocol):
    """What the owner wishes of a sender."""

    def wish(self, owner_id: int, address: str, wish: Wish, *, now: datetime) -> bool:
        """From now on; False when it was wished already."""
        ...

    def unwish(self, owner_id: int, address: str, wish: Wish) -> bool:
        """No longer; False when it was not wished."""
        ...

    def wished(self, owner_id: int, wish: Wish) -> Mapping[str, datetime]:
        """The addresses (lower case), and since when."""
        ...


class Preferences(Protocol):
    """Small settings of the owner's that have a default in code."""

    def get(self, owner_id: int, name: str) -> str | None:
        """The value, None when the default holds."""
        ...

    def set(self, owner_id: int, name: str, value: str) -> None:
        """From now on."""
        ...
