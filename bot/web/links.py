"""Links: what `stillbell web` prints, so that a browser is let in."""

from collections.abc import Callable
from datetime import datetime

from bot.settings import Settings
from bot.terminal.listening import answers
from bot.web.names import Names, split
from bot.web.token import Token, kept
from memory.clock import SystemClock
from memory.errors import BadInput, NotFound


def print_links(settings: Settings, *, show: Callable[[str], None], note: Callable[[str], None]) -> None:
    """One link for this machine and one for each further host. Raises BadInput when the web chat is off, NotFound when
    there is no data folder yet."""
    if not settings.web_port:
        raise BadInput("the web chat is off: set STILLBELL_WEB_PORT=8787, and start Stillbell again")
    if not settings.home.is_dir():
        raise NotFound(f"there is no {settings.home} yet. Start Stillbell with: make run  (or: stillbell run)")
    for link in links(settings, kept(settings.web_token), SystemClock().now()):
        show(link)
    if not answers(settings.socket):
        note("Stillbell is not running: start it, then open the link within ten minutes.")


def links(settings: Settings, token: Token, now: datetime) -> list[str]:
    """The links, each good once. A further host without a port is taken to stand behind https."""
    more = split(settings.web_hosts)
    Names.of(settings.web_port, more)
    places = [
        f"http://127.0.0.1:{settings.web_port}",
        *(f"{'http' if ':' in host.rpartition(']')[2] else 'https'}://{host}" for host in more),
    ]
    return [f"{place}/?token={token.link(now)}" for place in places]
