"""What comes with mails: found by its words and its name, never in the way of the mail, and gone when the mail goes."""

import asyncio
import os
import zipfile
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path

import pytest

from memory.account import Account
from memory.exclusion import NOTHING, Exclusions, read_exclusions
from memory.search.passage import Hit
from memory.sql.ledger import SqlLedger
from tests.doubles.clock import NOW, FakeClock
from tests.doubles.papers import locked_pdf, pdf
from tests.tools.test_importing import importing_into, mail, mbox
from tests.tools.test_officetext import word
from tools import attached, filetext
from tools.attached import Carrier, papers_of, words_of
from tools.files.mail import contents_of, read_mail
from tools.incoming import Incoming
from tools.mail import Arrived, MailBatch


def with_papers(number: int, *papers: tuple[str, str, bytes], sender: str = "Anna Example <anna@example.org>") -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, "owner@example.org", f"Offer {number}"
    message["Date"], message["Message-ID"] = "Mon, 2 Mar 2026 08:00:00 +0100", f"<offer-{number}@example.org>"
    message.set_content("See what is attached.")
    for name, kind, content in papers:
        message.add_attachment(content, *kind.split("/", 1), filename=name)
    return message.as_bytes()


def docx(tmp_path: Path, *paragraphs: str) -> bytes:
    return word(tmp_path / "made.docx", *paragraphs).read_bytes()


PDF = ("lease.pdf", "application/octet-stream", pdf("the heron lease"))


class Room:
    """Mail that arrives, with the exclusions that are in force."""

    def __init__(self, ledger: SqlLedger, listed: list[Exclusions]) -> None:
        self.ledger = ledger
        self.listed = listed
        self.incoming = Incoming(ledger, FakeClock())
        self.account: Account | None = None

    async def takes(self, *raws: bytes, folder: str = "INBOX", news: bool = True) -> None:
        if self.account is None:
            self.account = await self.ledger.write(
                lambda t: t.accounts.add(
                    owner_id=1, name="work", kind="imap", identity="owner@example.org", aliases=(), settings={}, now=NOW
                )
            )
        arrived = tuple(
            Arrived(uid=f"{folder}/{n}", raw=raw, folder=folder, labels=(), is_read=False, is_sent=False)
            for n, raw in enumerate(raws)
        )
        batch = MailBatch(why="news" if news else "past", arrived=arrived, cursor="1")
        await self.incoming.mail(self.account, batch)

    async def found(self, query: str) -> list[Hit]:
        return await self.ledger.read(lambda t: t.search.find(1, query, now=NOW))


@pytest.fixture
async def room(database: Path) -> AsyncIterator[Room]:
    listed = [NOTHING]
    async with SqlLedger(database, lambda: listed[0]) as ledger:
        yield Room(ledger, listed)


async def test_what_came_with_a_mail_is_found_by_its_words_with_its_name_and_its_mail(
    room: Room, tmp_path: Path
) -> None:
    letter = docx(tmp_path, "The swift terms")
    await room.takes(with_papers(1, PDF, ("terms.docx", "application/octet-stream", letter)))
    [lease] = await room.found("heron lease")
    assert (lease.corpus, lease.ref, lease.title, lease.line) == (
        "file",
        "file:mail-1.0",
        "lease.pdf",
        "the heron lease",
    )
    assert (lease.who, lease.place) == ("Anna Example <anna@example.org>", "work/INBOX")
    assert [hit.ref for hit in await room.found("swift from:anna has:docx")] == ["file:mail-1.1"]
    assert [hit.ref for hit in await room.found("lease.pdf")][:1] == ["file:mail-1.0"]


async def test_mail_of_the_past_and_mail_from_files_bring_theirs(room: Room, tmp_path: Path) -> None:
    await room.takes(with_papers(1, PDF), news=False)
    assert [hit.ref for hit in await room.found("heron")] == ["file:mail-1.0"]
    archive = mbox(tmp_path / "m", mail(7), with_papers(2, ("b.pdf", "application/pdf", pdf("the swift offer"))))
    await importing_into(room.ledger, archive)
    assert [hit.title for hit in await room.found("swift")] == ["b.pdf"]


def bomb() -> bytes:
    """A document of some kilobytes that unpacks to more than is ever unpacked."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        part.write(b"<w:document><w:body><w:p><w:t>")
        for _ in range(128):
            part.write(b"x" * (1 << 20))
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("bomb.docx", bomb, id="a bomb"),
        pytest.param("broken.pdf", lambda: b"%PDF-1.4 nothing", id="a broken one"),
        pytest.param("locked.pdf", locked_pdf, id="a locked one"),
        pytest.param("empty.xlsx", lambda: b"", id="an empty one"),
        pytest.param("x" * 300 + "\u202efdp.pdf", lambda: b"\0" * 1000, id="a name of tricks"),
    ],
)
async def test_a_mail_is_kept_whatever_comes_with_it(room: Room, name: str, content: Callable[[], bytes]) -> None:
    await room.takes(with_papers(1, (name, "application/octet-stream", content()), PDF))
    assert await room.ledger.read(lambda t: t.mails.count(1)) == 1
    assert [hit.ref for hit in await room.found("heron")] == ["file:mail-1.1"]
    assert len(await room.found("in:files from:anna")) == 2


async def test_what_takes_too_long_is_found_by_its_name_and_holds_up_no_mail(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(attached, "text_of", endless)
    monkeypatch.setattr("tools.incoming.NEWS_FOR", timedelta(milliseconds=1))
    await room.takes(with_papers(1, PDF))
    assert await room.ledger.read(lambda t: t.mails.count(1)) == 1
    assert [hit.title for hit in await room.found("lease")] == ["lease.pdf"]


async def test_of_excluded_and_of_known_mail_nothing_is_even_unpacked(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    whole = filetext.text_of

    async def watched(path: Path, *, media_type: str, name: str) -> filetext.FileText:
        read.append(name)
        return await whole(path, media_type=media_type, name=name)

    monkeypatch.setattr(attached, "text_of", watched)
    room.listed[0] = read_exclusions("address anna@example.org\nfolder Private")
    await room.takes(with_papers(1, PDF))
    await room.takes(with_papers(2, PDF, sender="ben@example.org"), folder="Private")
    assert (read, await room.found("heron")) == ([], [])
    await room.takes(with_papers(3, PDF, sender="ben@example.org"))
    await room.takes(with_papers(3, PDF, sender="ben@example.org"), folder="Archive")
    assert read == ["lease.pdf"]


@pytest.mark.parametrize("rule", ["address anna@example.org", "domain example.org", "folder INBOX"])
async def test_a_rule_made_later_hides_it_at_once_and_erases_it_with_its_mail(room: Room, rule: str) -> None:
    await room.takes(with_papers(1, PDF))
    assert await room.found("heron")
    room.listed[0] = read_exclusions(rule)
    assert await room.found("heron") == []
    assert await room.ledger.read(lambda t: t.search.open(1, "file:mail-1.0")) is None
    await room.ledger.write(lambda t: t.mails.erase_covered(1, now=NOW))
    room.listed[0] = NOTHING
    assert await room.found("heron") == []
    assert await room.ledger.read(lambda t: t.search.refs(1, "file:")) == {}


async def test_it_goes_where_its_mail_goes(room: Room) -> None:
    await room.takes(with_papers(1, PDF))
    account = room.account
    assert account is not None
    await room.ledger.write(
        lambda t: t.mails.change(account.id, "INBOX/0", folder="Deals", labels=(), is_read=True, now=NOW)
    )
    assert [hit.place for hit in await room.found("heron")] == ["work/Deals"]


def test_papers_are_documents_with_words_and_no_more_than_a_few() -> None:
    many = [(f"{n}.pdf", "application/pdf", str(n).encode()) for n in range(attached.EACH_MAX + 5)]
    others = [("a.png", "image/png", b"x"), ("i.ics", "text/calendar", b"x"), ("p.html", "text/html", b"x")]
    assert papers_of(read_mail(with_papers(1, *others))) == {}
    assert len(papers_of(read_mail(with_papers(1, *others, *many)))) == attached.EACH_MAX


async def test_a_large_one_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = with_papers(1, PDF)
    monkeypatch.setattr(attached, "SIZE_MAX_BYTES", 10)
    kept = read_mail(raw)
    assert await words_of([Carrier(kept, raw)], within_for=timedelta(seconds=9)) == {kept.fingerprint: {0: ""}}


def test_contents_are_those_of_the_mail_itself_for_any_bytes() -> None:
    raw = with_papers(1, PDF)
    kept = read_mail(raw)
    assert contents_of(raw, {kept.attachments[0].sha256}) == {kept.attachments[0].sha256: PDF[2]}
    assert contents_of(raw, set()) == {}
    for junk in (b"", os.urandom(2000), raw[:300], b"Content-Type: multipart/mixed; boundary=x\n\n--x\n" * 500):
        assert contents_of(junk, {"0" * 64}) == {}
