"""The owner's own mail program, for tests: it delivers, reads, moves and deletes on an IMAP server, in a thread."""

import asyncio
import imaplib
import re
import socket
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from imap_tools.utils import encode_folder

T = TypeVar("T")


class MailProgram:
    """Signs in anew for whatever it does."""

    def __init__(self, port: int, user: str, password: str) -> None:
        self._port = port
        self._user = user
        self._password = password

    async def create(self, folder: str) -> None:
        await self._do(lambda line: _ok(line.create(_wire(folder))))

    async def remove(self, folder: str) -> None:
        await self._do(lambda line: _ok(line.delete(_wire(folder))))

    async def put(self, folder: str, *raws: bytes, at: datetime, flags: str = "") -> None:
        """Put mails into a folder as if they had come at `at`."""

        def work(line: imaplib.IMAP4) -> None:
            for raw in raws:
                _ok(line.append(_wire(folder), flags or None, at, raw))  # type: ignore[arg-type]

        await self._do(work)

    async def flag(self, folder: str, message_id: str, flag: str, *, is_set: bool = True) -> None:
        await self._do(
            lambda line: _ok(line.uid("STORE", _find(line, folder, message_id), "+-"[not is_set] + "FLAGS", flag))
        )

    async def delete(self, folder: str, message_id: str) -> None:
        def work(line: imaplib.IMAP4) -> None:
            _ok(line.uid("STORE", _find(line, folder, message_id), "+FLAGS", r"(\Deleted)"))
            _ok(line.expunge())

        await self._do(work)

    async def move(self, folder: str, message_id: str, target: str) -> None:
        await self._do(lambda line: _ok(line.uid("MOVE", _find(line, folder, message_id), _wire(target))))

    async def standing(self, *folders: str) -> dict[str, Any]:
        """Every mail with its flags, as the server holds it; looking changes nothing."""

        def work(line: imaplib.IMAP4) -> dict[str, Any]:
            stands: dict[str, Any] = {}
            for folder in folders:
                _ok(line.select(_wire(folder), readonly=True))
                stands[folder] = line.uid("FETCH", "1:*", "(UID FLAGS)")[1]
            return stands

        return await self._do(work)

    async def _do(self, work: Callable[[imaplib.IMAP4], T]) -> T:
        return await asyncio.to_thread(self._in_thread, work)

    def _in_thread(self, work: Callable[[imaplib.IMAP4], T]) -> T:
        with imaplib.IMAP4("127.0.0.1", self._port, timeout=20) as line:
            line.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # or every literal waits 40 ms
            line.login(self._user, self._password)
            return work(line)


def _wire(folder: str) -> str:
    return encode_folder(folder).decode("ascii")


def _find(line: imaplib.IMAP4, folder: str, message_id: str) -> str:
    _ok(line.select(_wire(folder)))
    found = line.uid("SEARCH", "HEADER", "Message-ID", f'"{message_id}"')[1][0].decode()
    assert re.fullmatch(r"\d+", found), f"{message_id} in {folder}: {found!r}"
    return found


def _ok(answer: tuple[str, Any]) -> Any:
    typ, data = answer
    assert typ == "OK", data
    return data
