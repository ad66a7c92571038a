"""Recipients: one strict parser for all paths, equality in ASCII form, and look-alikes that never equal anybody."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.confusable import is_one_slip_away, scripts, skeleton
from memory.errors import BadInput
from memory.recipient import (
    BadAddress,
    Recipient,
    is_automated,
    lookalike,
    parsed,
    readable,
    same_address,
    shown,
    typed_addresses,
)

# --- attack 12: one strict parser ---


@pytest.mark.parametrize(
    "text",
    [
        "",
        "anna",
        "@x.example",
        "anna@",
        '"alice@good.example" <mallory@evil.example>',
        "Alice <alice@good.example>",
        "<alice@good.example>",
        "a@good.example <b@evil.example>",
        "a@good.example)<b@evil.example",
        "a@good.example,b@evil.example",
        "a@good.example;b@evil.example",
        "a@good.example b@evil.example",
        "a@b@evil.example",
        '"a b"@x.example',
        '"a@good.example"@evil.example',
        "a(comment)@x.example",
        "team: a@x.example, b@x.example;",
        "team:a@x.example",
        "a\0@x.example",
        "a@x.example\0",
        "a@x.example\n",
        "a@x.example\r\nBcc: b@evil.example",
        "a\t@x.example",
        "a`b@x.example",
        "a\\b@x.example",
        ".a@x.example",
        "a.@x.example",
        "a..b@x.example",
        "a@[127.0.0.1]",
        "a@127.0.0.1",
        "a@localhost",
        "a@x.example.",
        "a@.example",
        "a@x..example",
        "a@-x.example",
        "a@x_y.example",
        "a@xn--a.example",
        "=?utf-8?q?a?=@x.example@y",
        "%s@x.example@",
        "a" * 65 + "@x.example",
        "a@" + "x" * 64 + ".example",
        "a@" + "x." * 130 + "example",
        "ä@x.example",
        "аnna@x.example",
    ],
    ids=ascii,
)
def test_attack_12_what_is_not_one_plain_address_is_none(text: str) -> None:
    with pytest.raises(BadAddress):
        parsed(text)
    assert readable(text) is None
    assert not same_address(text, text)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("anna@x.example", "anna@x.example"),
        (" anna@x.example ", "anna@x.example"),
        ("Anna.M+lunch@X.Example", "Anna.M+lunch@x.example"),
        ("o'brien_{1}=a/b@x.example", "o'brien_{1}=a/b@x.example"),
        ("a@bücher.example", "a@xn--bcher-kva.example"),
        ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
        ("a@XN--BCHER-KVA.example", "a@xn--bcher-kva.example"),
        ("a@faß.example", "a@xn--fa-hia.example"),
    ],
)
def test_a_plain_address_is_read(text: str, address: str) -> None:
    assert parsed(text) == address
    assert parsed(address) == address


@given(st.text(max_size=40) | st.from_regex(r"[ -~]{0,10}@[ -~]{0,20}", fullmatch=True))
def test_attack_12_what_is_read_is_ascii_and_reads_as_itself(text: str) -> None:
    address = readable(text)
    if address is not None:
        assert address.isascii()
        assert parsed(address) == address
        assert not set(address) & set('"(),:;<>[]\\` \t\r\n\0')


# --- attack 8: what hides is refused in a recipient ---

HIDDEN = {
    "zero width space": "\u200b",
    "zero width joiner": "\u200d",
    "byte order mark": "\ufeff",
    "right to left override": "\u202e",
    "isolate": "\u2066",
    "tag": "\U000e0041",
    "variation selector": "\ufe0f",
    "soft hyphen": "\xad",
    "Hangul filler": "\u3164",
    "Braille blank": "\u2800",
    "half a character": "\ud800",
    "unassigned": "\U000e0fff",
}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN.keys())
def test_attack_08_a_recipient_that_hides_something_is_refused(hidden: str) -> None:
    for address in (f"an{hidden}na@x.example", f"anna@x{hidden}.example", f"anna@x.example{hidden}"):
        assert readable(address) is None
        with pytest.raises(BadInput):
            Recipient("", address)
    with pytest.raises(BadInput):
        Recipient(f"An{hidden}na", "anna@x.example")


# --- attack 13: equality and look-alikes ---


@pytest.mark.parametrize("dot", ["\u3002", "\uff0e", "\uff61"], ids=ascii)
def test_attack_13_another_dot_is_no_dot(dot: str) -> None:
    assert readable(f"a@good{dot}example") is None


def test_attack_13_fullwidth_letters_are_no_address() -> None:
    assert readable("a@ｇｏｏｄ.example") is None


def test_attack_13_case_is_the_only_difference_that_is_none() -> None:
    assert same_address("Anna@X.example", "anna@x.EXAMPLE")
    assert same_address("a@bücher.example", "A@xn--bcher-kva.example")


@pytest.mark.parametrize(
    "other",
    ["anna+x@firm.example", "an.na@firm.example", "anna@sub.firm.example", "аnna@firm.example", "anna@fırm.example", "anna@f1rm.example"],
)  # fmt: skip
def test_attack_13_whatever_else_differs_is_another_address(other: str) -> None:
    assert not same_address("anna@firm.example", other)


KNOWN = ("linda.green@bluesparrowtech.com", "anna@firma.de", "max@gmail.com", "ida@web.de")


@pytest.mark.parametrize(
    ("address", "like"),
    [
        ("linda.green@luesparrowtech.com", KNOWN[0]),
        ("linda.green@bluesparowtech.com", KNOWN[0]),
        ("linda.green@bluesparrowtehc.com", KNOWN[0]),
        ("ceo@luesparrowtech.com", KNOWN[0]),
        ("linda.green@b1uesparrowtech.com", KNOWN[0]),
        ("linda.green@bluesparrowtech.com.evil.example", KNOWN[0]),
        ("linda.green@bluesparrowtech-com.evil.example", KNOWN[0]),
        ("linda.green@bluesparrowtech.co", KNOWN[0]),
        ("linda.green@вluesparrowtech.com", KNOWN[0]),
        ("1inda.green@bluesparrowtech.com", KNOWN[0]),
        ("anna@firrna.de", KNOWN[1]),
        ("anna@fírma.de", KNOWN[1]),
        ("anna@firma.com", KNOWN[1]),
        ("max@grnail.com", KNOWN[2]),
    ],
)
def test_attack_13_a_lookalike_is_told_and_is_not_the_other(address: str, like: str) -> None:
    assert lookalike(address, KNOWN) == like
    assert not same_address(address, like)


@pytest.mark.parametrize(
    "address",
    [
        *KNOWN,
        "ANNA@firma.de",
        "berta@firma.de",
        "max@mail.com",
        "someone@elsewhere.example",
        "ida@wed.de",
        "no address",
    ],
)
def test_a_known_address_and_a_plainly_other_one_are_no_lookalikes(address: str) -> None:
    assert lookalike(address, KNOWN) is None


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_one_slip_is_what_it_says(one: str, other: str) -> None:
    slips = {one[:at] + one[at + 1 :] for at in range(len(one))}
    slips |= {one[:at] + letter + one[at:] for at in range(len(one) + 1) for letter in "abc"}
    slips |= {one[:at] + letter + one[at + 1 :] for at in range(len(one)) for letter in "abc"}
    slips |= {one[:at] + one[at + 1] + one[at] + one[at + 2 :] for at in range(len(one) - 1)}
    assert is_one_slip_away(one, other) == (other in slips - {one})
    assert is_one_slip_away(one, other) == is_one_slip_away(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("раураl", "paypal"), ("PayPaI", "paypal"), ("rnicrosoft", "microsoft"), ("g00gle", "google"), ("ｇｏｏｇｌｅ", "google"),
     ("νodafone", "vodafone"), ("goo\u200bgle", "google"), ("bücher", "bucher")],
)  # fmt: skip
def test_a_hasty_eye_reads_the_same(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


# --- how a recipient is shown ---


def test_attack_13_a_foreign_domain_is_shown_as_punycode_with_its_script() -> None:
    seen = shown(Recipient("Anna", parsed("anna@аpple.example")))
    assert seen.address == "anna@xn--pple-43d.example"
    assert seen.foreign == ("Cyrillic", "Latin")
    assert shown(Recipient("Anna", "anna@x.example")).foreign == ()
    assert scripts("αb1-") == ("Greek", "Latin")


# --- who reads it, and who typed it ---


@pytest.mark.parametrize(
    "local",
    ["noreply", "no-reply", "No_Reply", "do-not-reply", "donotreply", "shop.noreply", "noreply+123", "no-reply.shop", "nicht-antworten",
     "keine-antwort", "mailer-daemon", "MAILER-DAEMON", "bounce", "bounces+x=y", "postmaster", "team-request", "team-bounces", "owner-team",
     "listserv", "unsubscribe", "team-unsubscribe", "dontreply"],
)  # fmt: skip
def test_attack_15_nobody_reads_there(local: str) -> None:
    assert is_automated(f"{local}@x.example")


@pytest.mark.parametrize(
    "local", ["anna", "norbert", "nora.reply", "bouncer", "info", "listen", "owner", "subscriber", "requests"]
)
def test_a_person_may_read_there(local: str) -> None:
    assert not is_automated(f"{local}@x.example")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("write to anna@x.example, please", ("anna@x.example",)),
        ("Bob <bob@X.example> and (cy@x.example).", ("bob@x.example", "cy@x.example")),
        ("mailto:anna@x.example anna@x.example", ("anna@x.example",)),
        ("> from a forward: evil@x.example\nanna@x.example", ("anna@x.example",)),
        ("a@good.example)<b@evil.example", ()),
        ("meet @ noon", ()),
    ],
)
def test_an_address_is_typed_by_whoever_wrote_the_line(text: str, found: tuple[str, ...]) -> None:
    assert typed_addresses(text) == found
