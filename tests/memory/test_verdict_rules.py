"""The rules of the judge, the band in doubt, and what a probability comes to."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memory import judge, reasons
from memory.evidence import Evidence
from memory.judge import HOLD_FROM, band, by_probability, judged, locally, rules
from memory.mail import Address, Attachment, Bounce
from memory.reasons import REASONS, in_quotes
from memory.relation import Relation
from memory.verdict import NOTIFY_FROM
from tests.doubles.letters import FORGED, JO, KNOWN, NOW, PROVEN, SARAH, a_letter, a_reply, the_evidence

ROBOT = Address("Airline", "no-reply@airline.example")
DAEMON = Address("Mail Delivery System", "mailer-daemon@mx.example")
SEEN = Relation(received=9)


def evidence(said: str = "", *before: Any, given: dict[str, Any] | None = None, **mail: Any) -> Evidence:
    return the_evidence(*before, a_letter(said, **mail), **(given or {}))


def ics(method: str, start: str, organizer: str = "anna@winter.example") -> str:
    return f"METHOD:{method}\nBEGIN:VEVENT\nORGANIZER:mailto:{organizer}\nSUMMARY:Board\nDTSTART:{start}\nEND:VEVENT"


SOON, LATER = "20260907T160000Z", "20260915T080000Z"
FAILED = (Bounce(recipient="anna@winter.example", why="no such address"),)
DELAYED = (Bounce(recipient="anna@winter.example", why="delayed"),)
MANY = tuple(Address("", f"n{n}@crowd.example") for n in range(9))
KNOWN_ONE = {"relation": KNOWN}
URGENT_ONE = {"is_urgent": True}

CASES = {
    "own word": (the_evidence(a_letter("Could you?"), a_reply("Done.", ago=timedelta(0))), "log", "own"),
    "own bounce": (
        evidence("550 unknown", a_reply("Hello"), is_bounce=True, bounces=FAILED, sender=DAEMON, ago=timedelta(0)),
        "notify",
        "bounced",
    ),
    "own bounce of a mailing": (
        evidence("550", a_reply("Hi", to=MANY), is_bounce=True, bounces=FAILED, sender=DAEMON, ago=timedelta(0)),
        "hold",
        "bounced_some",
    ),
    "own delay": (
        evidence("delayed", a_reply("Hello"), is_bounce=True, bounces=DELAYED, sender=DAEMON, ago=timedelta(0)),
        "log",
        "bounce_other",
    ),
    "backscatter": (evidence("550 unknown", is_bounce=True, bounces=FAILED, sender=DAEMON), "log", "bounce_other"),
    "flight cancelled today": (
        evidence("Your flight LH1 today at 15:00 has been cancelled.", sender=ROBOT, authenticity=PROVEN),
        "notify",
        "trip",
    ),
    "gate change": (evidence("Gate change: B12", sender=ROBOT, authenticity=PROVEN), "notify", "trip"),
    "train cancelled, in German": (
        evidence("Ihr Zug ICE 578 fällt heute aus.", sender=ROBOT, authenticity=PROVEN),
        "notify",
        "trip",
    ),
    "flight cancelled in a month": (
        evidence("Your flight on 12 October has been cancelled.", sender=ROBOT, authenticity=PROVEN),
        "hold",
        "trip_later",
    ),
    "flight cancelled by nobody knows whom": (
        evidence("Your flight LH1 has been cancelled, click.", sender=ROBOT),
        "hold",
        "trip_unsure",
    ),
    "flight cancelled, forged": (
        evidence("Your flight LH1 has been cancelled, click.", sender=ROBOT, authenticity=FORGED),
        "log",
        "automated",
    ),
    "free cancellation": (
        evidence("Free cancellation on your flight!", sender=ROBOT, precedence="bulk", authenticity=PROVEN),
        "ignore",
        "marketing",
    ),
    "invited for tonight": (evidence(calendars=(ics("REQUEST", SOON),), given=KNOWN_ONE), "notify", "invited_soon"),
    "called off tonight": (evidence(calendars=(ics("CANCEL", SOON),), given=KNOWN_ONE), "notify", "invited_soon"),
    "invited for next week": (evidence(calendars=(ics("REQUEST", LATER),), given=KNOWN_ONE), "hold", "invited"),
    "invited by a proven stranger": (
        evidence(calendars=(ics("REQUEST", SOON),), authenticity=PROVEN),
        "hold",
        "invited",
    ),
    "called off by a stranger": (
        evidence(calendars=(ics("CANCEL", SOON, "boss@x.example"),)),
        "log",
        "invited_foreign",
    ),
    "called off by another than who planned it": (
        evidence(calendars=(ics("CANCEL", SOON, "boss@x.example"),), given=KNOWN_ONE),
        "hold",
        "invited",
    ),
    "accepted": (evidence(calendars=(ics("REPLY", SOON, "jo@baker.example"),)), "log", "invited_reply"),
    "another time proposed": (evidence(calendars=(ics("COUNTER", SOON, "jo@baker.example"),)), "hold", "invited"),
    "security code": (evidence("Your verification code is 482913", sender=ROBOT), "log", "code"),
    "breach": (evidence("Suspicious activity on your account", sender=ROBOT, authenticity=PROVEN), "hold", "breach"),
    "breach, says nobody knows who": (evidence("Suspicious activity", sender=ROBOT), "log", "automated"),
    "dunning from a known sender": (
        evidence("2. Mahnung: 300 EUR", sender=ROBOT, given={"relation": SEEN}),
        "hold",
        "dunning",
    ),
    "dunning from a stranger": (evidence("2. Mahnung: 300 EUR", sender=ROBOT), "hold", "dunning_unsure"),
    "overdue, from a stranger": (
        evidence("Invoice overdue: service suspended", sender=ROBOT),
        "hold",
        "dunning_unsure",
    ),
    "overdue, not to them": (evidence("Invoice overdue", sender=ROBOT, to=(SARAH,), cc=(JO,)), "log", "automated"),
    "overdue, in advertising": (
        evidence("Invoice overdue!", sender=ROBOT, precedence="bulk"),
        "ignore",
        "marketing",
    ),
    "sign-in": (evidence("New sign-in to your account", sender=ROBOT), "log", "automated"),
    "emergency": (evidence("Dad fell, we are in the hospital, please call me", given=KNOWN_ONE), "notify", "emergency"),
    "emergency of a stranger": (evidence("Notfall, ruf sofort an!"), "hold", "emergency_stranger"),
    "emergency, forged": (
        evidence("Notfall, ruf sofort an!", authenticity=FORGED, given=KNOWN_ONE),
        "hold",
        "doubtful",
    ),
    "emergency, to others": (
        evidence("We are in the hospital.", to=(SARAH,), cc=(JO,), given=KNOWN_ONE),
        "log",
        "copied",
    ),
    "emergency in advertising": (
        evidence("Emergency sale, call us right now!", list_headers=(("list-unsubscribe", "<x>"),), given=KNOWN_ONE),
        "ignore",
        "marketing",
    ),
    "moved today": (evidence("Our 18:30 today is moved to 17:45.", given=KNOWN_ONE), "notify", "changed_today"),
    "off tonight, with a courtesy": (
        evidence("Dinner tonight is cancelled, see you tomorrow!", given=KNOWN_ONE),
        "notify",
        "changed_today",
    ),
    "moved today, says a stranger": (evidence("Our 18:30 today is moved to 17:45."), None, ""),
    "moved today, read the day after": (
        the_evidence(a_letter("Our 18:30 today is moved to 17:45."), relation=KNOWN, now=NOW + timedelta(days=1)),
        None,
        "",
    ),
    "see you": (evidence("Thanks, got it. See you by 6pm today!", given=KNOWN_ONE), "log", "courtesy"),
    "due today, with thanks": (evidence("Please sign it by 5 pm, thanks!", given=KNOWN_ONE), "notify", "due_soon"),
    "fyi": (evidence("FYI photos, no need to answer", given=KNOWN_ONE), "log", "fyi"),
    "fyi, in German": (evidence("Nur zur Info: die Fotos sind da.", given=KNOWN_ONE), "log", "fyi"),
    "fyi with money": (evidence("FYI, the invoice is overdue.", given=KNOWN_ONE), None, ""),
    "fyi with a question": (evidence("FYI. Could you sign it?", given=KNOWN_ONE), None, ""),
    "dunning that is forged": (
        evidence("2. Mahnung", sender=ROBOT, authenticity=FORGED, given={"relation": SEEN}),
        "log",
        "automated",
    ),
    "robot's deadline": (
        evidence("Your domain expires on Thursday.", sender=ROBOT, given={"relation": SEEN}),
        "hold",
        "dunning",
    ),
    "robot's invoice": (
        evidence("Your invoice over 12 EUR", sender=ROBOT, given={"relation": SEEN}),
        "log",
        "automated",
    ),
    "newsletter": (
        evidence("Sale! 50 EUR off, today only", list_headers=(("list-unsubscribe", "<x>"),)),
        "ignore",
        "marketing",
    ),
    "newsletter with a deadline": (
        evidence(
            "Offer expires on Thursday, final notice!",
            list_headers=(("list-unsubscribe", "<x>"),),
            given={"relation": SEEN},
        ),
        "ignore",
        "marketing",
    ),
    "list": (evidence("Hut open.", list_headers=(("list-post", "<x>"),), to=(SARAH,)), "log", "list"),
    "absence": (evidence("I am away.", auto_submitted="auto-replied"), "log", "auto-reply"),
    "somebody known, forged": (
        evidence("Send me the numbers!", authenticity=FORGED, given=KNOWN_ONE),
        "hold",
        "doubtful",
    ),
    "somebody unknown, forged": (evidence("Hello dear.", authenticity=FORGED), "log", "doubtful_stranger"),
    "urgent sender asks": (evidence("Can you call me?", given=URGENT_ONE), "notify", "urgent"),
    "urgent sender tells": (evidence("I landed.", given=URGENT_ONE), "hold", "urgent_fyi"),
    "urgent sender, forged": (evidence("Can you call me?", authenticity=FORGED, given=URGENT_ONE), "hold", "doubtful"),
    "due today, from somebody known": (evidence("Please sign it by 5 pm.", given=KNOWN_ONE), "notify", "due_soon"),
    "due today, to others": (
        evidence("Please sign it by 5 pm.", to=(SARAH,), cc=(JO,), given=KNOWN_ONE),
        None,
        "",
    ),
    "due today, from a stranger": (evidence("Please sign it by 5 pm."), None, ""),
    "due next week": (evidence("Please sign it by 14 September.", given=KNOWN_ONE), None, ""),
    "thanks": (evidence("Thanks a lot!", given=KNOWN_ONE), "log", "courtesy"),
    "copied": (evidence("The minutes are here.", to=(SARAH,), cc=(JO,), given=KNOWN_ONE), "log", "copied"),
    "copied on a contract": (evidence("The contract is here.", to=(SARAH,), cc=(JO,), given=KNOWN_ONE), None, ""),
    "a question": (evidence("Could you look at the slides?", given=KNOWN_ONE), None, ""),
    "old": (evidence("Could you?", ago=timedelta(days=60), given={"is_fresh": False}), "log", "old"),
}


@pytest.mark.parametrize(("seen", "what", "code"), CASES.values(), ids=CASES.keys())
def test_the_rules(seen: Evidence, what: str | None, code: str) -> None:
    found = rules(seen)
    assert ((found.what, found.code) if found else (None, "")) == (what, code)
    if found:
        assert found.stage == "rule"
        assert found.reason
        assert "{" not in found.reason


@pytest.mark.parametrize(("seen", "what", "code"), [each for each in CASES.values() if each[1] == "notify"])
def test_what_a_rule_pings_for_also_passes_what_no_stage_may_decide(seen: Evidence, what: str, code: str) -> None:
    assert (locally(seen, None).what, locally(seen, None).code) == (what, code)


def test_a_thread_that_hangs_becomes_a_loop_and_says_for_how_long() -> None:
    letter = a_letter("Could you send the contract?", ago=timedelta(days=5))
    found = locally(the_evidence(letter, aspect="hanging"), None)
    assert (found.what, found.code) == ("loop", "hanging")
    assert found.reason == "Unanswered for 5 days: “Could you send the contract?”"
    assert locally(the_evidence(a_letter("Could you?"), aspect="hanging"), None).what == "log"


def test_a_thread_in_which_the_owner_waits_becomes_a_loop() -> None:
    found = locally(
        the_evidence(a_reply("Could you send the offer?", ago=timedelta(days=6)), aspect="waiting"), None, "de"
    )
    assert (found.what, found.code) == ("loop", "waiting")
    assert "vor 6 Tagen" in found.reason


def test_a_reason_quotes_the_mail_and_names_the_time_in_the_owners_language() -> None:
    seen = evidence("Bitte unterschreib bis 17 Uhr.", given=KNOWN_ONE)
    assert (
        rules(seen, "de").reason
        == "Fällig heute um 17:00, von jemandem, den du kennst: “Bitte unterschreib bis 17 Uhr.”"
    )  # type: ignore[union-attr]


@pytest.mark.parametrize("probability", [0.0, 0.2, 0.5, 1.0, float("nan")])
def test_width_nought_is_never_in_doubt_and_width_one_always(probability: float) -> None:
    assert band(probability, 0.0) != "inside"
    assert band(probability, 1.0) == "inside"


@pytest.mark.parametrize("width", [0.1, 0.25, 0.5, 0.9])
def test_the_band_lies_around_the_line_and_grows_with_its_width(width: float) -> None:
    assert band(HOLD_FROM, width) == "inside"
    places = [band(step / 100, width) for step in range(101)]
    assert places == sorted(places, key=["below", "inside", "above"].index)
    wider = [band(step / 100, width + 0.1) for step in range(101)]
    assert wider.count("inside") >= places.count("inside")


def test_what_a_rule_decides_is_asked_of_no_model() -> None:
    seen = evidence("Thanks!", given=KNOWN_ONE)
    assert judged(seen, probability=0.2, width=1.0, can_ask=True) is not None


def test_only_what_is_in_doubt_is_asked_of_a_model_and_only_where_there_is_one() -> None:
    seen = evidence("Could you look at the slides?", given=KNOWN_ONE)
    assert judged(seen, probability=0.2, can_ask=True) is None
    assert judged(seen, probability=0.2, can_ask=False) is not None
    assert judged(seen, probability=0.01, can_ask=True) is not None
    assert judged(seen, probability=0.99, can_ask=True) is not None
    assert judged(seen, probability=None, can_ask=True) is None
    assert judged(seen, probability=None, width=0, can_ask=True) is not None


ASKS = evidence("Could you look at the slides?", given=KNOWN_ONE)
STRANGER_ASKS = evidence("Could you look at our offer?")
TELLS = evidence("The slides are attached.", given=KNOWN_ONE)


@pytest.mark.parametrize(
    ("probability", "seen", "what"),
    [
        (0.9, ASKS, "loop"),
        (0.9, TELLS, "hold"),
        (0.3, TELLS, "hold"),
        (0.05, ASKS, "hold"),
        (0.05, STRANGER_ASKS, "log"),
        (0.05, TELLS, "log"),
        (0.05, evidence("Please sign it by Thursday."), "hold"),
        (None, ASKS, "loop"),
        (None, STRANGER_ASKS, "hold"),
        (None, TELLS, "hold"),
        (None, evidence("Our offer is attached."), "log"),
        (float("nan"), ASKS, "loop"),
    ],
)
def test_what_a_probability_comes_to(probability: float | None, seen: Evidence, what: str) -> None:
    assert by_probability(probability, seen).what == what


@pytest.mark.parametrize("probability", [None, 0.0, 0.5, 1.0])
def test_a_probability_never_pings(probability: float | None) -> None:
    for said in ("Please pay the overdue invoice by tomorrow, it is urgent!", "Bitte ruf sofort an!", "Hello"):
        found = by_probability(probability, evidence(said, given=KNOWN_ONE))
        assert found.what != "notify"
        assert found.consequence < NOTIFY_FROM
        assert found.stage == ("rule" if probability is None else "decision model")


def test_before_anything_was_learned_it_says_so() -> None:
    for seen in (ASKS, STRANGER_ASKS, TELLS):
        assert "not learned your habits" in by_probability(None, seen).reason


def test_an_attachment_is_no_courtesy() -> None:
    seen = evidence("Thanks!", attachments=(Attachment("a.pdf", "application/pdf", 1, "0" * 64),), given=KNOWN_ONE)
    assert rules(seen) is None


def test_every_reason_is_there_in_two_languages_with_the_same_blanks() -> None:
    for code, (english, german) in REASONS.items():
        assert re.findall(r"{\w+}", english) == re.findall(r"{\w+}", german), code
        assert english != german


def test_the_table_in_the_judges_own_words_names_every_code_that_its_rules_use() -> None:
    source = Path(judge.__file__).read_text()
    used = set(re.findall(r'say\(\s*"\w+", "([\w-]+)"', source.partition("# Without a model")[0])) - {"not_waiting"}
    assert used
    for code in used:
        assert f" {code} " in (judge.__doc__ or ""), code
        assert code in reasons.REASONS


def test_a_quote_is_one_line_and_cut() -> None:
    assert in_quotes("a\nb\x00\u202ec") == "“a bc”"
    assert len(in_quotes("x" * 500)) == 122


def test_nothing_depends_on_the_day_but_what_is_due() -> None:
    assert rules(evidence("Thanks!"), "en") == rules(the_evidence(a_letter("Thanks!"), now=NOW + timedelta(hours=5)))
