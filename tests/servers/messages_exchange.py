"""One request being answered: the wire, for answers and faults to write on."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aiohttp import web

from tests.servers.messages_answers import Answer, Wait
from tests.servers.messages_record import RecordedRequest
from tests.servers.messages_stream import Event, Wire, events_of, sse, wire_blocks, wire_message

if TYPE_CHECKING:
    from tests.servers.messages_api import MessagesServer

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER on, for 0 seconds: close() sends RST


class ServerClosingError(Exception):
    """The server shuts down while a request still waits."""


class Exchange:
    """One request being answered: what an answer or a fault may do to the wire."""

    def __init__(self, server: "MessagesServer", http: web.Request, record: RecordedRequest) -> None:
        self.http = http
        self.record = record
        self.response: web.StreamResponse = web.Response(status=500)  # what the handler returns if all was cut off
        self._server = server
        self._request_id = server.new_id("req")
        self._messages: dict[int, Wire] = {}  # by the answer's identity: an answer is rendered once an exchange

    @property
    def streaming(self) -> bool:
        """Whether the request asked for server-sent events."""
        return bool(self.record.body.get("stream"))

    async def pause(self, wait: Wait) -> None:
        """Waits some seconds, or for an event."""
        if wait is not None:
            await self._server.until(wait.wait() if isinstance(wait, asyncio.Event) else asyncio.sleep(wait))

    async def hang(self) -> None:
        """Waits for the server's release."""
        await self._server.until_released()

    def message(self, answer: Answer) -> Wire:
        """The answer as a message for this request; its thinking counts as issued from now on."""
        if id(answer) not in self._messages:
            body = self.record.body
            blocks = wire_blocks(answer, body, self._server.new_id)
            tokens = self._server.token_counter(body)
            message = wire_message(answer, body, blocks, self._server.new_id("msg"), tokens)
            self._server.issue(body, message)
            self._messages[id(answer)] = message
        return self._messages[id(answer)]

    # Whole bodies.

    async def send_json(self, status: int, document: object) -> web.StreamResponse:
        """Sends a JSON document."""
        return await self.send_body(status, json.dumps(document, ensure_ascii=False).encode())

    async def send_error(
        self, status: int, message: str, *, error_type: str | None = None, headers: Mapping[str, str] | None = None
    ) -> web.StreamResponse:
        """Sends an error in the API's shape, with the type that belongs to the status unless another is given."""
        known = error_type or ERROR_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
        document = json.dumps(self.error_body(known, message)).encode()
        return await self.send_body(status, document, headers=headers)

    def error_body(self, error_type: str, message: str) -> Wire:
        """The API's error document."""
        error = {"type": error_type, "message": message}
        return {"type": "error", "error": error, "request_id": self._request_id}

    async def send_body(
        self, status: int, body: bytes, *, headers: Mapping[str, str] | None = None
    ) -> web.StreamResponse:
        """Sends bytes as an application/json body."""
        marked = {"request-id": self._request_id, **(headers or {})}
        response = web.Response(status=status, body=body, content_type="application/json", headers=marked)
        self._begins(response)
        await response.prepare(self.http)
        # Stamped before the write, so that whoever has the answer finds the time of it.
        self.record.first_byte_s = self.record.answered_s = time.monotonic()
        await response.write_eof()
        return response

    async def send_half(self, message: Wire) -> None:
        """Announces the whole message and sends only half of it."""
        body = json.dumps(message).encode()
        response = web.StreamResponse(headers={"request-id": self._request_id, "content-length": str(len(body))})
        response.content_type = "application/json"
        self._begins(response)
        await response.prepare(self.http)
        await self.send_raw(body[: len(body) // 2])

    # Streams.

    async def open_stream(self) -> None:
        """Sends the headers of an event stream."""
        response = web.StreamResponse(headers={"request-id": self._request_id, "cache-control": "no-cache"})
        response.content_type = "text/event-stream"
        response.enable_chunked_encoding()
        self._begins(response)
        await response.prepare(self.http)

    async def send_events(self, answer: Answer, *, start: int = 0, stop: int | None = None) -> None:
        """Sends the answer's events from `start` up to `stop`, at the answer's pace."""
        events = list(events_of(self.message(answer), answer.chunk_chars))
        first = next((number for number, (name, _) in enumerate(events) if name == "content_block_delta"), None)
        for number, event in list(enumerate(events))[start:stop]:
            await self._send_paced(event, answer, first=number == first)

    async def _send_paced(self, event: Event, answer: Answer, *, first: bool) -> None:
        if first:
            await self.pause(answer.before_first_token)
        elif event[0] == "content_block_delta":
            await self.pause(answer.between_tokens)
        await self.send_event(*event)

    async def send_event(self, name: str, data: Wire) -> None:
        """Sends one event."""
        await self.send_raw(sse(name, data))

    async def send_raw(self, data: bytes) -> None:
        """Sends bytes into the body as they stand."""
        if self.record.first_byte_s is None:
            self.record.first_byte_s = time.monotonic()
        await self.response.write(data)

    async def close_stream(self) -> None:
        """Ends the body properly."""
        self.record.answered_s = time.monotonic()
        await self.response.write_eof()

    # Endings.

    async def cut(self, *, reset: bool) -> None:
        """Ends the connection: by RST, or by FIN without the end of the body."""
        transport = self.http.transport
        if transport is None:
            return
        if reset:
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            transport.abort()
        else:
            transport.close()

    def abort(self) -> None:
        """Drops the connection, because the server closes."""
        if self.http.transport is not None:
            self.http.transport.abort()

    def _begins(self, response: web.StreamResponse) -> None:
        self.response = response
        self.record.status = response.status
