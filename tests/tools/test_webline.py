"""The line to a calendar's server: to whom a password may go, and to whom not."""

import httpx
import pytest

from memory.errors import BadInput
from tools.webline import is_loopback, is_same_site, read_address


@pytest.mark.parametrize(
    ("one", "other", "is_so"),
    [
        ("https://dav.example.com/a", "https://dav.example.com/b", True),
        ("https://dav.example.com", "http://dav.example.com", False),
        ("http://127.0.0.1:1/", "https://127.0.0.1:2/", True),
        ("https://example.com", "https://dav.example.com", True),
        ("https://caldav.example.com", "https://p42-caldav.example.com", True),
        ("https://caldav.example.com", "http://p42-caldav.example.com", False),
        ("https://caldav.example.com", "https://p42-caldav.example.com:8443", False),
        ("https://caldav.example.com", "https://caldav.example.com.evil.net", False),
        ("https://caldav.example.com", "https://evilexample.com", False),
        ("https://example.com", "https://other.com", False),
        ("http://127.0.0.1/", "http://localhost/", False),
        ("https://10.0.0.1/", "https://9.0.0.1/", False),
        ("https://dav.example.com", "https:///x", False),
    ],
)
def test_a_password_stays_on_its_site(one: str, other: str, is_so: bool) -> None:
    assert is_same_site(httpx.URL(one), httpx.URL(other)) is is_so


@pytest.mark.parametrize(
    ("host", "is_so"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("dav.localhost", True),
        ("localhost.example.com", False),
        ("10.0.0.1", False),
        ("example.com", False),
    ],
)
def test_what_this_machine_is_called(host: str, is_so: bool) -> None:
    assert is_loopback(host) is is_so


@pytest.mark.parametrize(
    "text", ["http://example.com/", "http://10.0.0.1/", "ftp://example.com", "example.com", "", "https://"]
)
def test_what_is_not_asked(text: str) -> None:
    with pytest.raises(BadInput):
        read_address(text)


def test_plain_http_to_others_is_refused_in_words_that_help() -> None:
    with pytest.raises(BadInput, match=r"example\.com is asked without encryption .* use https"):
        read_address("http://example.com/dav")
