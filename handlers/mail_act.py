"""Small acts on mail: asked for by a button or by words, done by a job, told with the way back. Each is an audit row."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import structlog

from handlers import mentioned
from handlers.scene import Reply, Scene
from memory.account import Account
from memory.audit import code
from memory.canonical import digest
from memory.card import Card
from memory.clock import Clock
from memory.command.mail_act import read_mail_wish
from memory.errors import NotFound, StillbellError
from memory.job import Job
from memory.ledger import Ledger, Tables
from memory.mail import KeptMail
from memory.markdown import escaped
from memory.owner import Owner
from memory.piece import NewPiece, Piece
from memory.thread import Message
from memory.wording import say
from tools import mail_card
from tools.chat import Post
from tools.mail_acts import KIND, SUBJECT, MailAct, MailActs, What, from_plain, undo_card

log = structlog.get_logger()

OWNER = "owner"
"""Under which name these rows stand in the audit: nobody else asks for them."""

COMPOSE = "compose"

MAILS_MAX = 20
"""So many mails of a thread are touched at once."""

BUTTONS: dict[str, What] = {"archive": "archive", "read": "read"}


# Asking for it


def answer(t: Tables, words: str, asked: Message, scene: Scene) -> Reply | None:
    """What is said to words that ask for a small act; None for other words."""
    wish = read_mail_wish(words)
    if wish is None:
        return None
    thread_id = mentioned.thread_of(t, asked)
    kept = mentioned.latest_of(t, thread_id) if thread_id is not None else None
    if kept is None:
        return scene.say("mail_act_which")
    if wish.what == "leave":
        leave(t, kept, scene)
        return scene.say("letter_writing")
    begin(t, kept, wish.what, scene, name=wish.name, amends=f"turn:{scene.turn_id}:1")
    return scene.say("mail_act_going")


def begin(t: Tables, kept: KeptMail, what: What, scene: Scene, *, amends: str, name: str = "") -> None:
    """The job that does it to the thread of this mail; its word amends the piece of that key."""
    t.jobs.add(
        owner_id=scene.owner.id,
        kind=KIND,
        lane="background",
        thread=f"owner:{scene.owner.id}",
        payload={"what": what, "mail": kept.id, "name": name, "amends": amends, "signal": scene.signal_id},
        now=scene.now,
    )


def leave(t: Tables, kept: KeptMail, scene: Scene) -> None:
    """The job that makes the card by which a list is left."""
    t.jobs.add(
        owner_id=scene.owner.id,
        kind=COMPOSE,
        lane="background",
        thread=f"owner:{scene.owner.id}",
        payload={"leave": kept.id, "turn": scene.turn_id},
        now=scene.now,
    )


# Doing it


class MailActing:
    """Handles jobs of the kind *mail_act*. `opens` gives the hands for an account, None where it may only be read."""

    def __init__(
        self, ledger: Ledger, post: Post, clock: Clock, *, opens: Callable[[Account], MailActs | None]
    ) -> None:
        self._ledger = ledger
        self._post = post
        self._clock = clock
        self._opens = opens

    async def __call__(self, job: Job) -> None:
        """Do it, or take it back, and say so where it was asked."""
        owner = await self._ledger.read(lambda t: t.owners.get(job.owner_id))
        try:
            if "back" in job.payload:
                await self._back(job, owner)
            else:
                await self._forth(job, owner)
        except StillbellError as error:
            await self._failed(job, owner, error)

    async def _forth(self, job: Job, owner: Owner) -> None:
        what: What = job.payload["what"]
        name = str(job.payload.get("name") or "")
        kept, thread, account = await self._ledger.read(lambda t: _meant(t, int(job.payload["mail"]), owner))
        acts = [_act(one, what, name) for one in thread if _is_due(one, what, account)]
        back = await self._do(job, account, acts, [one.id for one in thread if _is_due(one, what, account)])
        title = mail_card.subject(kept, owner.language)
        if not back:
            await self._say(job, owner, say(owner.language, "mail_act_already", title=title))
            return
        text = say(owner.language, f"mail_act_{what}", title=title, name=escaped(name))
        card = undo_card(
            text, back, owner.language, account_id=account.id, thread_id=kept.thread_id, title=title, number=job.id
        )
        await self._say(job, owner, card, decided=what)

    async def _back(self, job: Job, owner: Owner) -> None:
        account = await self._ledger.read(lambda t: t.accounts.get(int(job.payload["account"])))
        await self._do(job, account, from_plain(job.payload["back"]), ())
        text = say(owner.language, "mail_act_undone", title=str(job.payload.get("title") or ""))
        await self._say(job, owner, text)

    async def _do(self, job: Job, account: Account, acts: Sequence[MailAct], mail_ids: Sequence[int]) -> list[MailAct]:
        """Each act with its row; what takes them back, the last first."""
        hands = self._opens(account) if acts else None
        if acts and hands is None:
            owner = await self._ledger.read(lambda t: t.owners.get(job.owner_id))
            raise NotFound(say(owner.language, "mail_act_cannot", account=account.name))
        back: list[MailAct] = []
        try:
            for number, act in enumerate(acts):
                if hands is not None:
                    back.insert(0, await hands.do(act))
                mail_id = mail_ids[number] if number < len(mail_ids) else None
                await self._audit(job, act, "done", "the owner asked for it", mail_id)
        finally:
            if hands is not None:
                await hands.close()
        return back

    async def _audit(self, job: Job, act: MailAct, outcome: Any, because: str, mail_id: int | None) -> None:
        now = self._clock.now()
        await self._ledger.write(
            lambda t: t.audit.record(
                owner_id=job.owner_id,
                agent=OWNER,
                tool=f"mail.{act.what}",
                permission="ALLOW",
                outcome=outcome,
                because=because,
                arguments_digest=digest([act.what, act.uid, act.name]),
                now=now,
                subject=f"mail:{mail_id}" if mail_id is not None else None,
            )
        )

    async def _failed(self, job: Job, owner: Owner, error: StillbellError) -> None:
        what = str(job.payload.get("what") or "undo")
        log.warning("a small act failed", action="mail.act_failed", what=what, because=str(error))
        act = MailAct(what=job.payload.get("what", "move"), uid="")
        await self._audit(job, act, "failed", code(error), None)
        await self._say(job, owner, say(owner.language, "mail_act_failed", because=escaped(str(error))))

    async def _say(self, job: Job, owner: Owner, said: Reply, *, decided: str = "") -> None:
        now = self._clock.now()
        self._post.post(await self._ledger.write(lambda t: _told(t, job, owner, said, now, decided=decided)))


def _meant(t: Tables, mail_id: int, owner: Owner) -> tuple[KeptMail, list[KeptMail], Account]:
    """The mail, those of its thread in the same account, and the account. Raises NotFound."""
    kept = t.mails.get(mail_id)
    account = next((one for one in t.accounts.present(owner.id) if one.id == kept.account_id), None)
    if account is None or not kept.uid:
        raise NotFound(say(owner.language, "mail_act_no_account"))
    thread = [
        one for one in t.mails.thread(kept.thread_id, limit=MAILS_MAX) if one.account_id == account.id and one.uid
    ]
    return kept, thread, account


def _is_due(kept: KeptMail, what: What, account: Account) -> bool:
    """Whether it is not so already, as far as is known here."""
    if kept.by_owner:
        return False
    if what == "read":
        return not kept.is_read
    if what == "archive":
        return "INBOX" in kept.labels or kept.folder.upper() == "INBOX"
    return True


def _act(kept: KeptMail, what: What, name: str) -> MailAct:
    return MailAct(what=what, uid=kept.uid, message_id=kept.mail.message_id, name=name)


def _told(t: Tables, job: Job, owner: Owner, said: Reply, now: datetime, *, decided: str) -> Piece | None:
    """The word in its place, with the card that takes it back, and the row that "undo" goes by."""
    shown = t.pieces.get(str(job.payload.get("amends") or ""))
    stored = t.cards.put(said, owner_id=owner.id, now=now) if isinstance(said, Card) else None
    if stored is not None:
        t.decisions.record(
            owner_id=owner.id,
            subject=stored.card.subject,
            decided=decided,
            because="the owner asked for it",
            now=now,
            signal_id=job.payload.get("signal"),
        )
    if shown is None:
        return None
    new = NewPiece(
        key=f"{SUBJECT}:{job.id}",
        owner_id=owner.id,
        channel=shown.channel,
        text=said.text if isinstance(said, Card) else said,
        card_id=stored.id if stored else None,
        silent=True,
        amends_key=shown.key,
    )
    return t.pieces.say(new, now=now, handing=True)
