"""What words wish of meetings, in English and German; and that other words wish nothing."""

from datetime import date, datetime, time, timedelta

import pytest

from memory.command.introducing import Introducing, is_stopping, read_introducing
from memory.command.mail_act import MailWish, read_mail_wish
from memory.command.meeting import MeetingWish, read_meeting
from tests.doubles.clock import NOW
from tests.doubles.letters import BERLIN

WISHES: dict[str, MeetingWish | None] = {
    "accept the invitation from Anna": MeetingWish(what="accept", who=("Anna",), by_mail=True),
    "Please accept the invitation from Anna to the offsite: looking forward": MeetingWish(
        what="accept", who=("Anna",), words="offsite", by_mail=True, comment="looking forward"
    ),
    "say maybe to the invitation": MeetingWish(what="tentative", by_mail=True),
    "nimm die Einladung von Anna an": MeetingWish(what="accept", who=("Anna",), by_mail=True),
    "lehne die Einladung von Anna ab: bin krank": MeetingWish(
        what="decline", who=("Anna",), by_mail=True, comment="bin krank"
    ),
    "decline standup tomorrow: reason": MeetingWish(
        what="decline", words="standup", on=date(2026, 3, 3), comment="reason"
    ),
    "move standup to 15:00": MeetingWish(what="move", words="standup", at=time(15)),
    "move standup to 3pm": MeetingWish(what="move", words="standup", at=time(15)),
    "move standup to 3": MeetingWish(what="move", words="standup"),
    "move my standup to tomorrow at 15:00": MeetingWish(what="move", words="standup", start=datetime(2026, 3, 3, 15)),
    "move standup tomorrow to friday": MeetingWish(
        what="move", words="standup", on=date(2026, 3, 3), day=date(2026, 3, 6)
    ),
    "verschiebe den Termin Standup auf 15 Uhr": MeetingWish(what="move", words="Termin Standup", at=time(15)),
    "cancel lunch with Anna": MeetingWish(what="cancel", words="lunch with Anna"),
    "sag das Mittagessen mit Anna ab": MeetingWish(what="cancel", words="Mittagessen mit Anna"),
    "invite anna@example.org to lunch on friday 13:00": MeetingWish(
        what="create", words="lunch", who=("anna@example.org",), start=datetime(2026, 3, 6, 13)
    ),
    "invite Anna and Bob to planning tomorrow at 10 for 30 minutes": MeetingWish(
        what="create",
        words="planning",
        who=("Anna", "Bob"),
        start=datetime(2026, 3, 3, 10),
        lasts_for=timedelta(minutes=30),
    ),
    "lade Anna zum Mittagessen am Freitag um 13 Uhr ein": MeetingWish(
        what="create", words="Mittagessen", who=("Anna",), start=datetime(2026, 3, 6, 13)
    ),
    "invite Anna to lunch": MeetingWish(what="create", words="lunch", who=("Anna",)),
    "shall I accept the invitation?": None,
    "what does Anna say about lunch": None,
    "reply to Anna: I accept the invitation": None,
    "remind me to cancel lunch": None,
    "": None,
}


@pytest.mark.parametrize("words", WISHES)
def test_what_is_wished_of_a_meeting(words: str) -> None:
    assert read_meeting(words, now=NOW, zone=BERLIN) == WISHES[words]


def test_a_long_story_wishes_nothing() -> None:
    assert read_meeting("cancel " + "lunch " * 500, now=NOW, zone=BERLIN) is None


INTRODUCED: dict[str, Introducing | None] = {
    "introduce Anna to Jonas": Introducing("Anna", "Jonas"),
    "Please introduce Anna Muster to jonas@example.org, Anna asked": Introducing(
        "Anna Muster", "jonas@example.org", "Anna Muster"
    ),
    "stelle Anna Jonas vor": Introducing("Anna", "Jonas"),
    "stell Anna Muster und Jonas Klein einander vor": Introducing("Anna Muster", "Jonas Klein"),
    "mach Anna mit Jonas bekannt, Jonas hat gefragt": Introducing("Anna", "Jonas", "Jonas"),
    "Anna asked for an introduction to Jonas": Introducing("Anna", "Jonas", "Anna"),
    "introduce Anna to Jonas, Zoe asked": Introducing("Anna", "Jonas"),
    "Anna would like to meet Jonas": None,
    "introduce yourself": None,
    "did you introduce Anna to Jonas?": None,
}


@pytest.mark.parametrize("words", INTRODUCED)
def test_who_is_to_be_introduced(words: str) -> None:
    assert read_introducing(words) == INTRODUCED[words]


def test_the_other_one_is_the_target() -> None:
    assert Introducing("Anna", "Jonas", "Anna").target == "Jonas"
    assert Introducing("Anna", "Jonas", "Jonas").target == "Anna"


def test_an_introduction_is_stopped_by_words() -> None:
    assert is_stopping("stop the introduction")
    assert is_stopping("brich die Vorstellung von Anna ab")
    assert not is_stopping("stop")


MAIL_WISHES: dict[str, MailWish | None] = {
    "archive it": MailWish("archive"),
    "Archiviere die Mail bitte": MailWish("archive"),
    "mark it read": MailWish("read"),
    "markier es als gelesen": MailWish("read"),
    "unsubscribe": MailWish("leave"),
    "bestell den Newsletter ab": MailWish("leave"),
    "label it Taxes": MailWish("label", "Taxes"),
    "file it under “Taxes 2026”": MailWish("label", "Taxes 2026"),
    "mark it done": None,
    "archive the whole of last year": None,
    "delete it": None,
}


@pytest.mark.parametrize("words", MAIL_WISHES)
def test_what_is_wished_of_a_mail(words: str) -> None:
    assert read_mail_wish(words) == MAIL_WISHES[words]
