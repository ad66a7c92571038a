"""What a mail's own header offers for leaving its list; nothing else counts, and nothing odd is offered."""

from typing import Any

import pytest

from memory.refusal import Refusal
from memory.unsubscribe import ONE_CLICK, WORD, ByMail, ByPost, offered
from tests.doubles.enveloped import a_mail

URL = "https://lists.example/u?t=abc"


def offers(*values: str, post: str | None = ONE_CLICK, **given: Any) -> ByMail | ByPost | Refusal:
    headers = [("list-unsubscribe", value) for value in values]
    if post is not None:
        headers.append(("list-unsubscribe-post", post))
    return offered(a_mail(list_headers=tuple(headers), **given))


def test_one_click_is_taken_before_a_mail() -> None:
    assert offers(f"<mailto:leave@lists.example>, <{URL}>") == ByPost(URL, "lists.example")


def test_without_the_mark_of_one_click_a_link_is_not_followed() -> None:
    assert offers(f"<mailto:leave@lists.example>, <{URL}>", post=None) == ByMail("leave@lists.example", WORD)
    assert isinstance(offers(f"<{URL}>", post=None), Refusal)
    assert isinstance(offers(f"<{URL}>", post="List-Unsubscribe=Two-Clicks"), Refusal)


def test_the_subject_that_a_list_asks_for_is_used() -> None:
    found = offers("<mailto:leave@lists.example?subject=leave%20garden&body=please&cc=eva@evil.example>", post=None)
    assert found == ByMail("leave@lists.example", "leave garden")


SUBJECTS = {
    "a line end": "a%0D%0ABcc:%20eva@evil.example",
    "something hidden": "a%E2%80%AEb",
    "far too much": "x" * 300,
    "nothing": "",
}


@pytest.mark.parametrize("case", SUBJECTS)
def test_an_odd_subject_is_replaced(case: str) -> None:
    found = offers(f"<mailto:leave@lists.example?subject={SUBJECTS[case]}>", post=None)
    assert found == ByMail("leave@lists.example", WORD)


ODD = {
    "http": "<http://lists.example/u>",
    "a number for a host": "<https://10.0.0.1/u>",
    "the loopback": "<https://127.0.0.1/u>",
    "the loopback in IPv6": "<https://[::1]/u>",
    "this machine": "<https://localhost/u>",
    "another port": "<https://lists.example:8443/u>",
    "a password": "<https://user:secret@lists.example/u>",
    "another host before an at": "<https://lists.example@evil.example/u>",
    "a fragment": "<https://lists.example/u#x>",
    "letters that are not ASCII": "<https://l\u00efsts.example/u>",
    "a port that is none": "<https://lists.example:99999/u>",
    "no host": "<https:///u>",
    "a file": "<file:///etc/passwd>",
    "javascript": "<javascript:alert(1)>",
    "no brackets": "https://lists.example/u",
    "far too long": f"<https://lists.example/{'x' * 900}>",
    "two addresses": "<mailto:a@x.example,b@x.example>",
    "no address": "<mailto:>",
    "an address with a name": "<mailto:Eva%20%3Ceva@evil.example%3E>",
}


@pytest.mark.parametrize("case", ODD)
def test_what_is_odd_is_not_offered(case: str) -> None:
    assert isinstance(offers(ODD[case]), Refusal)


def test_two_headers_offer_nothing() -> None:
    assert isinstance(offers(f"<{URL}>", "<mailto:leave@lists.example>"), Refusal)


def test_a_link_in_the_body_is_no_offer() -> None:
    assert isinstance(offered(a_mail(text=f"Unsubscribe: {URL}", list_headers=(("list-id", "x"),))), Refusal)


def test_the_post_port_of_https_may_be_named() -> None:
    assert offers("<https://lists.example:443/u>") == ByPost("https://lists.example:443/u", "lists.example")
