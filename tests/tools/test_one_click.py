"""Leaving a list by one POST: to a public host alone, over TLS, once; nothing is followed, and a lost answer is no yes."""

from datetime import timedelta

import pytest

from memory.dispatch import Witness
from memory.errors import BadInput
from memory.unsubscribe import ONE_CLICK
from tests.servers.list_host import Does, ListHost
from tools.transport import MaybeHanded, NotHanded, Outgoing, Transport
from tools.unsubscribe import transport as one_click
from tools.unsubscribe.transport import OneClick, is_public, looked_up

URL = "https://lists.example/u?t=abc&x=1"


def outgoing(url: str = URL) -> Outgoing:
    return Outgoing(digest="d", key=url, content=ONE_CLICK.encode(), sender="ola@own.example", recipients=(url,))


async def here(host: str) -> tuple[str, ...]:
    return ("127.0.0.1",)


def way(host: ListHost) -> OneClick:
    """The way out with this machine taken for the net outside."""
    return OneClick(looks=here, allows=lambda address: True, trust=host.trust, port=host.port)


async def test_it_is_a_transport() -> None:
    way_out: Transport = OneClick()
    assert way_out.name == "https"


async def test_one_post_with_the_agreed_words_to_the_host_by_its_name() -> None:
    async with ListHost() as host:
        out = way(host)
        handle = await out.prepare(outgoing())
        assert host.posted == []
        handed = await out.hand_over(outgoing(), handle)
    (post,) = host.posted
    assert (post.method, post.path, post.body) == ("POST", "/u?t=abc&x=1", b"List-Unsubscribe=One-Click")
    assert post.headers["host"] == "lists.example"
    assert post.headers["content-type"] == "application/x-www-form-urlencoded"
    assert "cookie" not in post.headers
    assert handed.receipt == "200"


REFUSALS: tuple[Does, ...] = ("no", "redirect", "elsewhere")


@pytest.mark.parametrize("does", REFUSALS)
async def test_a_no_and_a_redirect_end_it_and_nothing_is_followed(does: Does) -> None:
    async with ListHost(does=does) as host:
        with pytest.raises(NotHanded) as raised:
            await way(host).hand_over(outgoing(), "127.0.0.1")
    assert raised.value.for_good
    assert len(host.posted) == 1


@pytest.mark.parametrize("does", ["cut", "hang"])
async def test_a_lost_answer_is_neither_yes_nor_no(does: Does, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_click, "WITHIN_FOR", timedelta(seconds=0.5))
    async with ListHost(does=does) as host:
        with pytest.raises(MaybeHanded):
            await way(host).hand_over(outgoing(), "127.0.0.1")
        assert len(host.posted) == 1
        assert await way(host).look(outgoing(), "127.0.0.1") == Witness(files_sent=False)


async def test_a_certificate_of_another_name_is_not_believed() -> None:
    async with ListHost(name="evil.example") as host:
        with pytest.raises(NotHanded) as raised:
            await way(host).hand_over(outgoing(), "127.0.0.1")
    assert not raised.value.for_good
    assert host.posted == []


async def test_nobody_there_is_certainly_not_sent() -> None:
    async with ListHost() as host:
        out = way(host)
    with pytest.raises(NotHanded):
        await out.hand_over(outgoing(), "127.0.0.1")


INSIDE = {
    "this machine": ("127.0.0.1",),
    "a home network": ("192.168.1.10",),
    "one of two": ("93.184.216.34", "10.0.0.1"),
    "this machine in IPv6": ("::1",),
    "this machine, dressed up": ("::ffff:127.0.0.1",),
    "a cloud's own": ("169.254.169.254",),
    "everybody": ("224.0.0.1",),
    "nowhere": ("0.0.0.0",),
    "no address": ("lists.example",),
}


@pytest.mark.parametrize("case", INSIDE)
async def test_a_host_that_leads_inside_is_not_asked(case: str) -> None:
    async def looks(host: str) -> tuple[str, ...]:
        return INSIDE[case]

    with pytest.raises(NotHanded) as raised:
        await OneClick(looks=looks).prepare(outgoing())
    assert raised.value.for_good


async def test_a_handle_that_leads_inside_is_not_asked_either() -> None:
    async with ListHost() as host:
        out = OneClick(looks=here, trust=host.trust, port=host.port)
        with pytest.raises(NotHanded):
            await out.hand_over(outgoing(), "127.0.0.1")
    assert host.posted == []


async def test_a_host_that_is_not_found_may_be_asked_later() -> None:
    async def nowhere(host: str) -> tuple[str, ...]:
        return ()

    with pytest.raises(NotHanded) as raised:
        await OneClick(looks=nowhere).prepare(outgoing())
    assert not raised.value.for_good


@pytest.mark.parametrize("url", ["http://lists.example/u", "ftp://x.example", "lists.example"])
async def test_only_https_is_spoken(url: str) -> None:
    with pytest.raises(BadInput):
        await OneClick().prepare(outgoing(url))


def test_public_addresses_are_public() -> None:
    assert is_public("93.184.216.34")
    assert is_public("2606:2800:220:1:248:1893:25c8:1946")


async def test_a_name_is_looked_up_by_this_machine() -> None:
    assert "127.0.0.1" in await looked_up("localhost")
    assert await looked_up("no-such-host.invalid") == ()
