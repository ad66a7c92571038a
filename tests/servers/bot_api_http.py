"""How requests come to the local Bot API server and how answers leave it: forms, JSON, uploads, the envelope."""

# ruff: noqa: SIM905 - long lists of words read better as words

from __future__ import annotations

import contextlib
import json
import re
from typing import Any
from urllib.parse import parse_qsl

from aiohttp import BodyPartReader, hdrs, web

from tests.servers.bot_api_methods import Upload
from tests.servers.bot_api_owner import Json
from tests.servers.bot_api_rules import UPLOAD_LIMIT_BYTES, ApiError, bad

_INTEGERS = frozenset(
    "chat_id message_id message_thread_id offset limit timeout draft_id cache_time duration width height "
    "reply_to_message_id max_connections".split()
)
_FLAGS = frozenset(
    "disable_notification protect_content show_alert drop_pending_updates is_big allow_sending_without_reply "
    "disable_content_type_detection has_spoiler can_stop keep_on_stop".split()
)
# The words under which the official server refuses JSON that it cannot read.
_STRUCTURES = {
    "reply_markup": "reply keyboard markup",
    "entities": "message entities",
    "caption_entities": "message entities",
    "reply_parameters": "reply parameters",
    "link_preview_options": "link preview options",
    "media": "media",
    "reaction": "reaction types",
    "commands": "commands",
    "scope": "scope",
    "allowed_updates": "allowed updates",
}
_BAD_GATEWAY = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n"
    "<hr><center>nginx/1.18.0</center>\r\n</body>\r\n</html>\r\n"
)


async def read(request: web.BaseRequest) -> tuple[Json, dict[str, Upload]]:
    """Parameters of the query and the body (later ones win), and the uploaded files by the names of their fields."""
    if (request.content_length or 0) > UPLOAD_LIMIT_BYTES + (1 << 20):
        raise ApiError(413, "Request Entity Too Large")
    params: Json = dict(request.query)
    if request.content_type == "multipart/form-data":
        files = {}
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            data = bytes(await part.read())
            if part.filename is None:
                params[part.name or ""] = data.decode()
            else:
                content_type = part.headers.get(hdrs.CONTENT_TYPE, "application/octet-stream")
                files[part.name or ""] = Upload(part.filename, content_type, data)
        return params, files
    body = await request.read()
    if request.content_type == "application/json" and body:
        with contextlib.suppress(ValueError):
            return params | json.loads(body), {}
        raise bad("can't parse JSON object")
    return params | dict(parse_qsl(body.decode(), keep_blank_values=True)), {}


def typed(raw: Json) -> Json:
    """Parameters come as text, or with their types in a JSON body; absent and null are the same."""
    return {name: _typed_value(name, value) for name, value in raw.items() if value is not None}


def _typed_value(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if name in _INTEGERS:
        return int(value) if re.fullmatch(r"-?\d+", value) else value
    if name in _FLAGS:
        return value.lower() in ("true", "yes", "1")
    if name not in _STRUCTURES or not value:
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise bad(f"can't parse {_STRUCTURES[name]} JSON object") from error


def success(result: str) -> web.Response:
    """The envelope around a result that is JSON already."""
    return web.Response(text=f'{{"ok":true,"result":{result}}}', content_type="application/json")


def failure(error: ApiError) -> web.Response:
    """The envelope around a refusal; its status is the HTTP status too."""
    envelope: Json = {"ok": False, "error_code": error.code, "description": error.description}
    headers = {}
    if error.parameters:
        envelope["parameters"] = error.parameters
    if retry_after := error.parameters.get("retry_after"):
        headers["Retry-After"] = str(retry_after)
    return web.json_response(envelope, status=error.code, headers=headers)


def cut(request: web.BaseRequest) -> web.Response:
    """The connection is gone; whatever is answered now reaches nobody."""
    if request.transport:
        request.transport.abort()
    return web.Response()


def bad_gateway() -> web.Response:
    """What the proxy before Telegram says when there is nothing behind it."""
    return web.Response(status=502, text=_BAD_GATEWAY, content_type="text/html")
