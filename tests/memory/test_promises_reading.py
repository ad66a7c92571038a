"""Reading promises: what is one, what only looks like one, whose words are shown, and when to think of it."""

import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.promise import PROMISED_QUOTE_MAX, Promise
from memory.promises.extract import PROMISES_MAX, promises
from tests.doubles.letters import BERLIN, NOW


def read(said: str, *, zone: ZoneInfo = BERLIN) -> tuple[Promise, ...]:
    return promises(said, now=NOW, zone=zone, recipients=("Anna Winter",))


def actions(said: str) -> list[str]:
    return [promise.action for promise in read(said)]


PROMISED = {
    "en, plain": ("I'll send you the report by Friday.", "send you the report"),
    "en, curly": ("I’ll send you the report.", "send you the report"),
    "en, without I": ("Will get you the numbers tomorrow.", "get you the numbers"),
    "en, going to": ("I'm going to fix the bug tonight.", "fix the bug"),
    "en, said before": ("I'm in court all day but will call her.", "call her"),
    "en, with another": ("Tom and I will prepare the slides.", "prepare the slides"),
    "en, the firm": ("We will get back to you shortly.", "get back to you"),
    "en, let me": ("Let me check with Tom and get back to you.", "check with Tom and get back to you"),
    "en, the reader gets": ("You'll have it by Monday.", "have it"),
    "en, trigger": ("Once I hear back I'll forward it.", "forward it"),
    "en, whether": ("I'll see if I can reproduce it.", "see if I can reproduce it"),
    "en, after a request": ("Please send me the number and I'll call him.", "call him"),
    "en, has it done": ("I'll have Tom call you.", "have Tom call you"),
    "en, short": ("Will do.", "do"),
    "en, shortest": ("On it!", "On it"),
    "en, before a question": ("I will fax it to Lena -- do you want to see it, too?", "fax it to Lena"),
    "en, refuses and promises": ("I can't make the call, but I'll write up my view.", "write up my view"),
    "de, plain": ("Ich schicke dir den Bericht bis Freitag.", "schicke dir den Bericht"),
    "de, turned": (
        "Das Protokoll schicke ich Ihnen heute Nachmittag zu.",
        "Das Protokoll schicke ich Ihnen heute Nachmittag zu",
    ),
    "de, without umlauts": ("Ich pruefe die Plaene.", "pruefe die Plaene"),
    "de, future": ("Ich werde den Fehler bis Montag beheben.", "den Fehler bis Montag beheben"),
    "de, without I": ("Sag dir Bescheid, sobald ich mehr weiß.", "Sag dir Bescheid"),
    "de, short": ("Klar, mach ich.", "mach"),
    "de, done to it": ("Wird erledigt.", "Wird erledigt"),
    "de, the reader gets": ("Den Vertrag bekommst du morgen von mir.", "Den Vertrag bekommst du"),
    "de, has it done": ("Ich lasse Ihnen den Katalog zukommen.", "lasse Ihnen den Katalog zukommen"),
    "de, temporal wenn": ("Wenn ich wieder im Büro bin, rufe ich ihn an.", "rufe ich ihn an"),
    "de, the firm's people": ("Unser Techniker kommt am Donnerstag vorbei.", "kommt am Donnerstag vorbei"),
    "de, said before": ("Ich bin heute nicht da, schicke dir die Datei aber vorab.", "schicke dir die Datei"),
}


@pytest.mark.parametrize(("said", "action"), PROMISED.values(), ids=PROMISED.keys())
def test_what_will_be_done_is_a_promise(said: str, action: str) -> None:
    assert actions(said) == [action]


NONE = {
    "en, condition": "If you like, I'll send it.",
    "en, condition behind": "I'll call you if anything changes.",
    "en, the reader's choice": "Let me know if you want one and I'll bring it.",
    "en, unless": "Unless you object, I'll book it.",
    "en, question": "When do you think I'll get it?",
    "en, question to somebody": "Will you send it?",
    "en, offer": "I can send it tomorrow.",
    "en, happy to": "I'll be happy to help with it.",
    "en, would": "I would send it, but the server is down.",
    "en, not": "I won't send it.",
    "en, never": "I'll never do that.",
    "en, somebody else": "Tom will send it tomorrow.",
    "en, somebody else said before": "Tom is in court and will call you.",
    "en, past": "I sent it yesterday.",
    "en, reported": "I told her I will send it.",
    "en, habit": "I usually send it on Mondays.",
    "en, farewell": "I'll talk to you soon.",
    "en, see you": "I'll see you tomorrow.",
    "en, both": "We'll talk on Monday.",
    "en, you and I": "You and I will sort it out.",
    "en, need": "I'll need the file by Friday.",
    "en, whereabouts": "I'll be in Berlin until Friday.",
    "en, guess": "I think I'll send it.",
    "en, probably": "I'll probably send it.",
    "en, by the mail itself": "I'll explain below.",
    "en, quoted": "> I'll send it.",
    "en, relative": "The file I will send is big.",
    "en, nothing": "Thanks!",
    "de, condition": "Falls nötig, rufe ich ihn an.",
    "de, uncertain wenn": "Wenn du magst, schicke ich dir den Link.",
    "de, verb first": "Brauchst du Hilfe, komm ich vorbei.",
    "de, verb first, unseen": "Regnet es, holen wir euch ab.",
    "de, on request": "Auf Wunsch senden wir Ihnen den Prospekt.",
    "de, question": "Soll ich dir die Datei schicken?",
    "de, offer": "Ich kann dir den Link schicken.",
    "de, gladly": "Ich helfe dir gern beim Umzug.",
    "de, would": "Ich würde dir den Link schicken.",
    "de, not": "Das mache ich nicht.",
    "de, somebody else": "Jonas kümmert sich um den Beamer.",
    "de, past": "Ich habe dir den Link geschickt.",
    "de, habit": "Normalerweise antworte ich am selben Tag.",
    "de, both": "Wir telefonieren am Donnerstag.",
    "de, must": "Das müssen wir noch prüfen.",
    "de, whereabouts": "Ich fahre morgen nach Wien.",
    "de, guess": "Vielleicht schicke ich dir was.",
    "de, thinks": "Das erledige ich bis morgen, denke ich.",
    "de, by the mail itself": "Hiermit sende ich Ihnen die Rechnung.",
    "de, under way": "Ich prüfe das gerade noch.",
    "de, order": "Ruf mich morgen an.",
    "de, order behind I": "Ich bin im Stau, ruf bitte den Kunden an.",
    "de, greeting": "Ich sende dir liebe Grüße.",
    "de, asks to be asked": "Ich bitte um Rückmeldung bis Freitag.",
}


@pytest.mark.parametrize("said", NONE.values(), ids=NONE.keys())
def test_what_only_looks_like_one_is_none(said: str) -> None:
    assert read(said) == ()


AT = {
    "a day": ("I'll send it by Friday.", "by Friday", datetime(2026, 9, 11, 7, tzinfo=UTC)),
    "a time": ("I'll call you tomorrow at 5pm.", "tomorrow at 5pm", datetime(2026, 9, 8, 15, tzinfo=UTC)),
    "first": ("Tomorrow I'll call you.", "Tomorrow", datetime(2026, 9, 8, 7, tzinfo=UTC)),
    "German": ("Ich schicke es bis Dienstag 12 Uhr.", "bis Dienstag 12 Uhr", datetime(2026, 9, 8, 10, tzinfo=UTC)),
    "no calendar": ("I'll send it soon.", "soon", None),
    "trigger": ("I'll call as soon as he gets back to me.", "as soon as he gets back to me", None),
    "German trigger": ("Ich rufe ihn an, sobald ich mehr weiß.", "sobald ich mehr weiß", None),
    "none": ("I'll send it.", "", None),
    "of the matter": ("I'll let you know about tomorrow.", "", None),
    "of the table": ("Ich reserviere uns einen Tisch für Samstag.", "", None),
}


@pytest.mark.parametrize(("said", "due", "at"), AT.values(), ids=AT.keys())
def test_by_when_is_read_in_words_and_as_a_time(said: str, due: str, at: datetime | None) -> None:
    (promise,) = read(said)
    assert (promise.due, promise.due_at) == (due, at)


def test_a_time_is_read_on_the_clock_where_it_was_written() -> None:
    (promise,) = read("I'll call you tomorrow at 5pm.", zone=ZoneInfo("America/New_York"))
    assert promise.due_at == datetime(2026, 9, 8, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "deed"),
    [
        pytest.param("I'll send you the plans.", "hand over", id="sends"),
        pytest.param("I'll get the dues to you this week.", "hand over", id="gets it to them"),
        pytest.param("Ich reiche den Nachweis nach.", "hand over", id="hands in"),
        pytest.param("I'll let you know.", "answer", id="lets know"),
        pytest.param("Ich melde mich morgen.", "answer", id="gets in touch"),
        pytest.param("I'll call him.", "other", id="calls"),
    ],
)
def test_what_would_show_that_it_was_kept_is_known(said: str, deed: str) -> None:
    assert [promise.deed for promise in read(said)] == [deed]


def test_the_quote_stands_in_the_text_and_is_never_too_long() -> None:
    said = (
        f"Hello Anna,\n\nit was {'very ' * 40}late, and on\nMonday I'll send you\nthe plans {'and more ' * 40}of it.\n"
    )
    (promise,) = read(said)
    assert len(promise.quote) <= PROMISED_QUOTE_MAX
    assert promise.quote in said
    assert "I'll send you" in promise.quote
    assert said[promise.start : promise.end].split()[:3] == ["send", "you", "the"]


def test_a_try_is_known_as_one() -> None:
    assert [promise.is_hedged for promise in read("I'll try to reach him. I'll call Tom.")] == [True, False]


def test_it_is_promised_to_whom_it_was_written() -> None:
    assert [promise.to for promise in read("I'll send it.")] == ["Anna Winter"]
    assert promises("I'll send it.", now=NOW, zone=BERLIN)[0].to == ""


def test_each_sentence_of_a_bilingual_mail_is_read_in_its_language() -> None:
    said = "I'll send you the plans tomorrow.\n\nIch melde mich dann bei dir."
    assert actions(said) == ["send you the plans", "melde mich dann bei dir"]


def test_what_others_wrote_is_left_out() -> None:
    assert actions("Sure, I'll do that.\n\n> I'll send you the plans.\n> Best\n") == ["do that"]


HOSTILE = {
    "one sentence": "I will call and " * 20_000,
    "anchors": "I will " * 50_000,
    "promises": "I'll call you at five, " * 10_000,
    "German": "ich schicke dir das, " * 10_000,
    "ifs": "I will call if you " * 10_000,
    "signs": '"(-' * 60_000,
    "one word": "a" * 200_000,
    "lines": "\n" * 200_000,
    "quotes": "> " * 100_000,
    "numbers": "I will send 1 2 3 4 5 6 7 8 9 " * 5_000,
}


@pytest.mark.parametrize("said", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_text_takes_long(said: str) -> None:
    began = time.process_time()
    found = read(said)
    assert len(found) <= PROMISES_MAX
    assert timedelta(seconds=time.process_time() - began) < timedelta(seconds=3)
