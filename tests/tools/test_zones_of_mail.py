from textwrap import dedent

import pytest

from tools.files.zones import Zones, zones


def split(text: str, subject: str = "") -> Zones:
    return zones(dedent(text).strip("\n"), subject=subject)


def labels(text: str, subject: str = "") -> list[tuple[str, str]]:
    found = split(text, subject)
    return [(label, line) for label, line in zip(found.labels, found.lines, strict=True) if line.strip()]


ATTRIBUTIONS = {
    "google": "On Mon, Mar 2, 2026 at 9:12 AM Ben Kraus <ben@example.org> wrote:",
    "google-de": "Am Mo., 2. März 2026 um 09:12 Uhr schrieb Ben Kraus <ben@example.org>:",
    "google-wrapped": "On Mon, Mar 2, 2026 at 9:12 AM Ben Kraus <\nben@example.org> wrote:",
    "google-de-wrapped": "Am Mo., 2. März 2026 um 09:12 Uhr schrieb Ben Kraus <\nben@example.org>:",
    "google-of-old": "2012/3/2 Ben Kraus <ben@example.org>",
    "three-lines": "On Monday, March 2, 2026,\nBen Kraus via the list of those who row\n<rowers@example.org> wrote:",
    "apple": "> On 2. Mar 2026, at 09:12, Ben Kraus <ben@example.org> wrote:"[2:],
    "apple-de": "Am 02.03.2026 um 09:12 schrieb Ben Kraus <ben@example.org>:",
    "thunderbird": "On 3/2/26 9:12 AM, Ben Kraus wrote:",
    "thunderbird-de": "Am 02.03.26 um 09:12 schrieb Ben Kraus:",
    "webmail-de": "Ben Kraus <ben@example.org> hat am 02.03.2026 09:12 CET geschrieben:",
    "name-first-de": "Ben Kraus schrieb am 02.03.2026 um 09:12:",
    "of-the-list": "At 09:12 02/03/2026, Ben Kraus wrote:",
    "dashes": "--- On Mon, 3/2/26, Ben Kraus <ben@example.org> wrote:",
    "quoting": "Zitat von Ben Kraus <ben@example.org>, 02.03.2026:",
    "french": "Le 2 mars 2026 à 09:12, Ben Kraus <ben@example.org> a écrit :",
    "french-without-an-address": "Le 2 mars 2026 à 09:12, Ben Kraus a écrit :",
    "swedish": "Den 2 mars 2026 09.12 skrev Ben Kraus:",
    "ruled": "________________________________\nOn Mon, Mar 2, 2026 at 9:12 AM Ben Kraus <ben@example.org> wrote:",
    "dutch": "Op 2 maart 2026 om 09:12 schreef Ben Kraus <ben@example.org>:",
    "russian": "пн, 2 мар. 2026 г. в 09:12, Ben Kraus <ben@example.org>:",
    "italian-wrapped": "Il giorno lun 2 mar 2026 alle ore 09:12 Ben Kraus <ben@example.org>\nha scritto:",
    "outlook": "From: Ben Kraus <ben@example.org>\nSent: Monday, March 2, 2026 9:12 AM\nTo: Mira\nSubject: The boat",
    "outlook-de": "Von: Ben Kraus\nGesendet: Montag, 2. März 2026 09:12\nAn: Mira\nCc: Anna\nBetreff: Das Boot",
    "outlook-bold": "*From:* Ben Kraus\n*Sent:* Monday, March 2, 2026 9:12 AM\n*To:* Mira\n*Subject:* The boat",
    "outlook-wrapped": (
        "From: Ben Kraus [mailto:ben@example.org] On Behalf Of\nthe rowers\nSent: Monday, March 2, 2026 9:12 AM\n"
        "To: Mira\nSubject: The boat"
    ),
    "outlook-ruled": (
        "________________________________\nVon: Ben Kraus <ben@example.org>\nGesendet: Montag, 2. März 2026 09:12\n"
        "An: Mira\nBetreff: Das Boot"
    ),
    "outlook-original": "-----Original Message-----\nFrom: Ben Kraus\nSent: Monday\nTo: Mira\nSubject: The boat",
    "outlook-original-de": "-----Ursprüngliche Nachricht-----\nVon: Ben Kraus\nGesendet: Montag\nAn: Mira\nBetreff: Boot",
    "original-alone": "-------- Original-Nachricht --------",
    "webmail-de-header": "Gesendet: Montag, 02. März 2026 um 09:12 Uhr\nVon: Ben <ben@example.org>\nAn: Mira\nBetreff: Boot",
    "blank-lines-between": "From: Ben\n\nSent: Monday, March 2, 2026 9:12 AM\n\nTo: Mira\n\nSubject: The boat",
    "notes": "Ben Kraus\n02.03.2026 09:12\n\nTo: Mira/Example@EXAMPLE\ncc:\nSubject: The boat",
    "danish-ruled": "-------- Oprindelig besked --------\nFra: Ben <ben@example.org>\nDato: 02.03.2026 09.12\nTil: Mira\nEmne: Båd",
}


@pytest.mark.parametrize("attribution", ATTRIBUTIONS.values(), ids=ATTRIBUTIONS.keys())
@pytest.mark.parametrize(
    "quote",
    ["> Is the boat dry?\n> I would row on Friday.", "Is the boat dry?\nI would row on Friday."],
    ids=["marked", "not"],
)
def test_what_is_quoted_below_an_attribution_is_not_said(attribution: str, quote: str) -> None:
    found = zones(f"It is dry, I looked after it on Sunday with Anna and the others.\n\n{attribution}\n\n{quote}")
    assert found.said == "It is dry, I looked after it on Sunday with Anna and the others."
    assert found.quoted == quote
    assert found.text("attribution").strip() == attribution


@pytest.mark.parametrize("attribution", list(ATTRIBUTIONS.values())[:14], ids=list(ATTRIBUTIONS)[:14])
def test_an_answer_below_a_marked_quote_is_said(attribution: str) -> None:
    found = zones(f"{attribution}\n> Is the boat dry?\n\nIt is.\n\n> And the oars?\nThey too.")
    assert found.said == "It is.\n\nThey too."
    assert found.quoted.split("\n") == ["> Is the boat dry?", "", "> And the oars?"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("On the other hand, as Ben wrote:\nthe boat is dry.", id="wrote-without-a-quote"),
        pytest.param("On Friday 12:30 we meet at the boat house:\nbring oars.", id="a-day-and-an-hour"),
        pytest.param("Am 02.03.2026 um 09:12 fahren wir los:\nbitte pünktlich.", id="a-date-in-german"),
        pytest.param("Ben schrieb mir gestern:\nDas Boot ist trocken.", id="somebody-wrote-something"),
        pytest.param("Von: Berlin Hbf ab 10:15\nAn: Hamburg Hbf\nDatum: 2. März", id="a-journey"),
        pytest.param(
            "TO: All rowers\nFROM: Ben Kraus, President\nDATE: March 2, 2026\nSUBJECT: Oars\n\nBring yours.",
            id="a-memo",
        ),
        pytest.param("From: 10:00\nTo: 12:00\nWhere: boat house", id="hours"),
        pytest.param("The log says ajay@192.0.2.49's password:\nand waits.", id="an-address-and-a-colon"),
        pytest.param("Key points:\n---\n- oars\n---\n- boat\n\nSee https://example.org/wrote:", id="rulers"),
        pytest.param("Please compare -> this and a > b.", id="arrows"),
        pytest.param("My forwarded message was lost.", id="the-word-forwarded"),
    ],
)
def test_what_only_looks_like_a_quote_is_said(text: str) -> None:
    assert zones(text).said == text


def test_lines_broken_off_a_quote_are_quoted_and_answers_are_not() -> None:
    found = labels("""
        On 3/2/26 9:12 AM, Ben Kraus wrote:
        > The boat lies in the house at the end of the lake, where it has been
        since Sunday
        > and where Anna and I have looked after it for the whole of the long winter
        it took, as you know, both of us and her brother, with a lot of paint and
        > a new keel.
        It looks fine.
        > Good?
        Yes.
        """)
    assert [line for label, line in found if label == "said"] == ["It looks fine.", "Yes."]


def test_initials_before_the_lines_mark_a_quote() -> None:
    found = split("""
        >>>>> "Ben" == Ben Kraus <ben@example.org> writes:

            Ben> Is the boat dry?
            Ben> I would row.

        It is.
        """)
    assert found.said == "It is."


def test_prompts_are_no_initials() -> None:
    text = "I tried\n\nSQL> select boat\nSQL> from house"
    assert zones(text).said == text


@pytest.mark.parametrize("mark", ["|", ":"])
def test_another_mark_counts_below_an_attribution(mark: str) -> None:
    found = zones(f"On 3/2/26 9:12 AM, Ben Kraus wrote:\n{mark} Is the boat dry?\n{mark}\n{mark} Really?\n\nIt is.")
    assert found.said == "It is."


def test_a_table_is_no_quote() -> None:
    text = "The oars:\n\n| oar | length |\n| one | 2.8 m  |"
    assert zones(text).said == text


def test_words_of_ones_own_above_a_marked_quote_are_said() -> None:
    found = split("""
        On 3/2/26 9:12 AM, Ben Kraus wrote:

        The boat is dry.

        Anna

        > Is the boat dry?
        > I would row.
        """)
    assert found.said == "The boat is dry.\n\nAnna"


def test_below_a_word_of_an_answer_an_unmarked_quote_is_quoted() -> None:
    found = split("""
        It is.

        On 3/2/26 9:12 AM, Ben Kraus wrote:

        Is the boat dry?
        """)
    assert (found.said, found.quoted.strip()) == ("It is.", "Is the boat dry?")


def test_a_marked_quote_with_an_attribution_of_its_own_makes_no_answer_of_the_unmarked_one_around_it() -> None:
    found = split("""
        It is.

        On 3/2/26 9:12 AM, Ben Kraus wrote:

        Is the boat dry?

        On 3/1/26 8:00 AM, Anna wrote:
        > The boat is in the house.
        """)
    assert found.said == "It is."


def test_an_attribution_right_below_a_line_that_is_said_does_not_take_it_along() -> None:
    found = split("""
        The boat of 2 March 2026 is for ben@example.org and nobody else.
        On Mon, Mar 2, 2026 at 9:12 AM Ben Kraus <ben@example.org> wrote:
        > Whose is the boat?
        """)
    assert found.said == "The boat of 2 March 2026 is for ben@example.org and nobody else."


def test_a_quote_within_an_unmarked_quote_is_quoted_too() -> None:
    found = split("""
        It is dry, and the oars have been painted by Anna, blue as always.

        On 3/2/26 9:12 AM, Ben Kraus wrote:

        Is it dry?

        On 3/1/26 8:00 AM, Anna wrote:
        > The boat is in the house.

        Ben
        """)
    assert found.said == "It is dry, and the oars have been painted by Anna, blue as always."


FORWARDS = {
    "google": "---------- Forwarded message ---------\nFrom: Ben <ben@example.org>\nDate: Mon, Mar 2\nSubject: Boat\nTo: Mira",
    "thunderbird": "-------- Forwarded Message --------\nSubject: Boat\nDate: Mon, 2 Mar 2026\nFrom: Ben\nTo: Mira",
    "thunderbird-de": "-------- Weitergeleitete Nachricht --------\nBetreff: Boot\nDatum: Mon, 2 Mar 2026\nVon: Ben\nAn: Mira",
    "apple": "Begin forwarded message:\n\nFrom: Ben <ben@example.org>\nSubject: Boat\nDate: 2 March 2026\nTo: Mira",
    "apple-de": "Anfang der weitergeleiteten Nachricht:\n\nVon: Ben <ben@example.org>\nBetreff: Boot\nDatum: 2. März\nAn: Mira",
    "notes": "---------------------- Forwarded by Mira/Example on\n03/02/2026 09:12 AM ---------------------------",
}


@pytest.mark.parametrize("mark", FORWARDS.values(), ids=FORWARDS.keys())
def test_a_mail_that_is_passed_on_is_not_said_and_can_be_found(mark: str) -> None:
    found = zones(f"Can you look at this until Friday?\n\n{mark}\n\nIs the boat dry?\n\nBen")
    assert found.said == "Can you look at this until Friday?"
    assert found.forwarded == f"{mark}\n\nIs the boat dry?\n\nBen"
    assert found.quoted == ""


@pytest.mark.parametrize(
    ("above", "subject", "is_forward"),
    [
        ("", "", True),
        ("FYI", "", True),
        ("zK", "", True),
        ("Please have a look at what Ben writes and tell me.", "FW: Boat", True),
        ("Bitte ansehen, was Ben schreibt, und mir sagen, was du denkst.", "WG: Boot", True),
        ("Please have a look at what Ben writes and tell me.", "RE: Boat", False),
    ],
)
def test_a_header_below_next_to_nothing_or_a_forwards_subject_passes_a_mail_on(
    above: str, subject: str, is_forward: bool
) -> None:
    header = ATTRIBUTIONS["outlook"]
    found = zones(f"{above}\n\n{header}\n\nIs the boat dry?", subject=subject)
    assert found.said == above
    assert ("Is the boat dry?" in found.forwarded, "Is the boat dry?" in found.quoted) == (is_forward, not is_forward)


SIGNATURES = {
    "dashes": "-- \nBen Kraus\nBoat house 3",
    "dashes-without-a-blank": "--\nBen Kraus\nBoat house 3",
    "device": "Sent from my iPhone",
    "device-de": "Von meinem iPhone gesendet",
    "device-of-a-maker": "Sent from my Example Galaxy S24",
    "app": "Get Outlook for iOS<https://example.org/x>",
    "app-de": "Gesendet mit der GMX Mail App",
    "regards": "Best regards,\nBen",
    "regards-and-all": "Kind regards,\n\nBen Kraus\nHead of boats\nTel. +49 30 123456\nwww.example.org",
    "greetings": "Viele Grüße\nBen",
    "greetings-formal": "Mit freundlichen Grüßen\n\nDr. Ben Kraus\nBootshaus GmbH",
    "greetings-short": "LG Ben".replace(" ", "\n"),
    "thanks": "Thanks,\nBen",
    "both": "Cheers,\nBen\n\n-- \nBen Kraus\nBoat house 3",
}


@pytest.mark.parametrize("signature", SIGNATURES.values(), ids=SIGNATURES.keys())
@pytest.mark.parametrize(
    "below", ["", "\n\nOn 3/2/26 9:12 AM, Mira wrote:\n> Is it dry?"], ids=["at-the-end", "above-a-quote"]
)
def test_a_signature_is_not_said(signature: str, below: str) -> None:
    found = zones(f"The boat is dry. Can you come?\n\n{signature}{below}")
    assert found.said == "The boat is dry. Can you come?"
    assert found.signature == signature


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("I sent from my iPhone app the picture of the boat.", id="sent-from-in-a-sentence"),
        pytest.param(
            "Best regards from the lake, and please bring the oars on Friday, will you?", id="regards-in-a-sentence"
        ),
        pytest.param("It is dry.\n\nThanks,\nI will look after the boat on Friday.", id="thanks-and-a-sentence"),
        pytest.param(
            "It is dry.\n\nThanks,\nBen\nI will look after the boat on Friday.", id="thanks-a-name-and-a-sentence"
        ),
        pytest.param("Thanks", id="thanks-alone"),
        pytest.param("Danke,\nAnna", id="nothing-but-thanks"),
        pytest.param("Best\nthing ever: can you come on Friday with the oars?", id="best-and-more"),
        pytest.param(
            "Two lists\n--\nThe first is long. It goes on for a while here.\nThe second is not.", id="dashes-as-ruler"
        ),
        pytest.param(
            "The agenda\n\n--\n" + "\n".join(f"item {number}" for number in range(30)), id="dashes-above-much"
        ),
        pytest.param("Please unsubscribe Ben from the mailing list.", id="a-wish-about-a-list"),
        pytest.param("Disclaimer: I have not tried it.\n\nCan you?", id="a-disclaimer-of-ones-own"),
        pytest.param("To unsubscribe Ben I need you.\n\nCan you do it?", id="a-wish-to-unsubscribe"),
        pytest.param("Is this confidential?", id="a-question-about-confidence"),
    ],
)
def test_what_only_looks_like_an_ending_is_said(text: str) -> None:
    assert zones(text).said == text


def test_a_postscript_is_said() -> None:
    found = split("""
        The boat is dry.

        Best,
        Ben

        PS: Can you bring the oars?
        """)
    assert found.said == "The boat is dry.\n\nPS: Can you bring the oars?"
    assert found.signature.strip() == "Best,\nBen"


FOOTERS = {
    "list": "_______________________________________________\nRowers mailing list\nRowers@example.org\nhttps://example.org/mailman/listinfo/rowers",
    "group": "-- \nYou received this message because you are subscribed to the group.\nTo unsubscribe write to x@example.org.",
    "disclaimer": "CONFIDENTIALITY NOTICE: this mail is\nintended for its recipient.",
    "unsubscribe": "To unsubscribe from this list\nvisit https://example.org/off",
    "disclaimer-ruled": "*****************************\nThis e-mail is confidential and intended only for you.\n*****************************",
    "disclaimer-de": "Diese E-Mail enthält vertrauliche und rechtlich geschützte Informationen.",
    "scrubbed": "\t[[alternative HTML version deleted]]",
}


@pytest.mark.parametrize("footer", FOOTERS.values(), ids=FOOTERS.keys())
def test_what_a_list_or_a_company_adds_is_not_said(footer: str) -> None:
    found = zones(f"The boat is dry.\n\nBest,\nBen\n\n{footer}\n")
    assert found.said == "The boat is dry."
    assert found.signature.startswith("Best,")


def test_every_line_has_a_label_and_no_line_is_lost() -> None:
    text = "Hi\n\n> a\n\nb\n\n-- \nBen\n"
    found = zones(text)
    assert "\n".join(found.lines) == text
    assert found.labels == (
        "said", "said", "quoted", "quoted", "said", "said", "signature", "signature", "signature",
    )  # fmt: skip


@pytest.mark.parametrize("text", ["", "\n", " ", ">", "On", "wrote:", "-- ", "From:", "\n\n> \n"])
def test_next_to_nothing_is_split_too(text: str) -> None:
    assert zones(text).lines == tuple(text.split("\n"))
