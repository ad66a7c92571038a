"""pymap, an IMAP server by another hand, in the test's own event loop: for machines without Dovecot, and as a second opinion.

It knows IDLE, MOVE and UIDPLUS, and neither SPECIAL-USE nor CONDSTORE.
"""

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from proxyprotocol.reader import ProxyProtocolReader
from pymap.backend.dict import DictBackend
from pymap.backend.dict.mailbox import MailboxSet
from pymap.imap import IMAPServer

USER, PASSWORD = "anna@example.org", "not-a-real-token-but-as-long-as-one"


class Pymap:
    """A running server with one user."""

    def __init__(self, port: int, backend: DictBackend) -> None:
        self.port = port
        self._backend = backend

    async def renumber(self, folder: str, validity: int) -> None:
        """Give a folder another UIDVALIDITY."""
        folders: MailboxSet = self._backend.config.set_cache[USER][0]
        (await folders.get_mailbox(folder))._uid_validity = validity


@asynccontextmanager
async def running() -> AsyncIterator[Pymap]:
    """Start it, and stop it at the end."""
    given = argparse.Namespace(
        host="127.0.0.1", port="0", cert=None, key=None, tls=False, proxy_protocol=None, inherited_sockets=None,
        debug=False, demo_data=False, demo_user=USER, demo_password=PASSWORD, passlib_cfg=None, skip_services=[],
    )  # fmt: skip
    backend, config = await DictBackend.init(given)
    config.apply_context()
    imap = IMAPServer(backend.login, config)
    talks: set[asyncio.Task[None]] = set()
    serve = ProxyProtocolReader(config.proxy_protocol).get_callback(imap)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talks.add(task)
        task.add_done_callback(talks.discard)
        await serve(reader, writer)

    server = await asyncio.start_server(talk, host="127.0.0.1", port=0)
    try:
        yield Pymap(server.sockets[0].getsockname()[1], backend)
    finally:
        server.close()
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)
