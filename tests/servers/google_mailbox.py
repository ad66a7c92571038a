"""The Gmail half of our own Google server: one mailbox that keeps every byte, and a history that can be forgotten."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes
from email.policy import default
from typing import Any
from urllib.parse import parse_qs

from tests.doubles.clock import NOW

Json = dict[str, Any]


class Refused(Exception):  # noqa: N818
    """An error that Google would answer with."""

    def __init__(self, code: int, reason: str = "notFound", message: str = "Requested entity was not found.") -> None:
        super().__init__(message)
        self.code, self.reason, self.message = code, reason, message


@dataclass
class Kept:
    """A mail."""

    id: str
    thread: str
    raw: bytes
    labels: list[str]
    at_ms: int

    def header(self, name: str) -> str:
        return str(message_from_bytes(self.raw, policy=default)[name] or "")


@dataclass
class GmailBox:
    """The mailbox of `owner`; what the owner and the world do to it are its methods."""

    owner: str
    page_size: int | None = None
    sends_from: list[str] = field(default_factory=list)
    renames_messages: bool = False
    mails: dict[str, Kept] = field(default_factory=dict)
    drafts: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    history: list[Json] = field(default_factory=list)
    sendings: list[bytes] = field(default_factory=list)
    """Every mail that left, as it left."""
    _serial: int = 1000
    _forgotten: int = 1000
    _epoch: int = 0

    def __post_init__(self) -> None:
        system = "INBOX SENT DRAFT SPAM TRASH UNREAD STARRED IMPORTANT CHAT"
        self.labels |= {name: name for name in system.split()}

    # What happens in the world

    def deliver(
        self, raw: bytes, *, labels: tuple[str, ...] = ("INBOX", "UNREAD"), at: datetime = NOW, thread: str = ""
    ) -> str:
        """A mail comes in; its id."""
        each = f"m{self._next():06x}"
        ids = [self.label(name) for name in labels]
        self.mails[each] = Kept(each, thread or each, raw, ids, int(at.timestamp() * 1000))
        self._tell(each, "messagesAdded")
        return each

    def label(self, name: str) -> str:
        """The id of the label of that name, which is made if need be."""
        for each, held in self.labels.items():
            if held == name:
                return each
        each = f"Label_{len(self.labels)}"
        self.labels[each] = name
        return each

    def relabel(self, each: str, *, add: tuple[str, ...] = (), take: tuple[str, ...] = ()) -> None:
        """Labels, by name, are given and taken."""
        mail = self.mails[each]
        added = [i for i in map(self.label, add) if i not in mail.labels]
        taken = [i for i in map(self.label, take) if i in mail.labels]
        mail.labels = [i for i in mail.labels if i not in taken] + added
        if added:
            self._tell(each, "labelsAdded", added)
        if taken:
            self._tell(each, "labelsRemoved", taken)

    def delete(self, each: str) -> None:
        """The mail is gone for good."""
        mail = self.mails.pop(each)
        self._next()
        told = {"id": each, "threadId": mail.thread}
        self.history.append(
            {
                "id": str(self._serial),
                "messages": [told],
                "messagesDeleted": [{"message": told | {"labelIds": mail.labels}}],
            }
        )

    def forget_history(self) -> None:
        """Whatever was told so far is no longer known, nor any place in it."""
        self._forgotten = self._next()
        self.history.clear()
        self._next()

    def expire_pages(self) -> None:
        """Page tokens given out so far are no longer good."""
        self._epoch += 1

    def by_message_id(self, message_id: str) -> str:
        """The id of the mail with that Message-ID."""
        return next(each for each, mail in self.mails.items() if mail.header("message-id") == message_id)

    # What the client asks

    def call(self, method: str, path: str, query: str, body: Any) -> Any:
        """The answer to a call under /gmail/v1/users/me. Raises Refused."""
        asked = {name: values[-1] for name, values in parse_qs(query).items()} | {
            "_labels": parse_qs(query).get("labelIds")
        }
        for pattern, wanted, handler in self._routes():
            if method == wanted and (found := re.fullmatch(pattern, path)):
                return handler(*found.groups(), asked=asked, body=body)
        raise Refused(404, "notFound", f"no such call: {method} {path}")

    def _routes(self) -> list[tuple[str, str, Any]]:
        return [
            ("/profile", "GET", self._profile),
            ("/labels", "GET", self._labels),
            ("/labels", "POST", self._make_label),
            ("/messages", "GET", self._list),
            ("/messages/([^/]+)", "GET", self._get),
            ("/messages/([^/]+)/modify", "POST", self._modify),
            ("/history", "GET", self._history),
            ("/drafts", "POST", self._draft),
            ("/drafts/send", "POST", self._send),
            ("/drafts/([^/]+)", "GET", self._get_draft),
            ("/drafts/([^/]+)", "DELETE", self._drop_draft),
            ("/settings/sendAs", "GET", self._send_as),
        ]

    def _profile(self, *, asked: Json, body: Any) -> Json:
        return {"emailAddress": self.owner, "historyId": str(self._serial), "messagesTotal": len(self.mails)}

    def _labels(self, *, asked: Json, body: Any) -> Json:
        kind = {True: "system", False: "user"}
        return {"labels": [{"id": i, "name": n, "type": kind[i == n]} for i, n in self.labels.items()]}

    def _make_label(self, *, asked: Json, body: Any) -> Json:
        return {"id": self.label(body["name"]), "name": body["name"], "type": "user"}

    def _list(self, *, asked: Json, body: Any) -> Json:
        wanted = set(asked["_labels"] or ())
        found = [m for m in self.mails.values() if wanted <= set(m.labels) and self._fits(m, asked.get("q", ""))]
        found.sort(key=lambda m: (m.at_ms, m.id), reverse=True)
        return self._page(asked, "messages", [{"id": m.id, "threadId": m.thread} for m in found])

    def _fits(self, mail: Kept, q: str) -> bool:
        if {"SPAM", "TRASH"} & set(mail.labels):
            return False
        for word in q.split():
            name, _, value = word.partition(":")
            fits = {
                "after": lambda v: mail.at_ms >= int(v) * 1000,
                "-in": lambda v: {"drafts": "DRAFT", "chats": "CHAT"}[v] not in mail.labels,
                "rfc822msgid": lambda v: mail.header("message-id").strip("<>") == v,
            }
            if not fits[name](value):
                return False
        return True

    def _page(self, asked: Json, name: str, entries: list[Json]) -> Json:
        size = self.page_size or min(int(asked.get("maxResults", 100)), 500)
        epoch, _, start = asked.get("pageToken", f"{self._epoch}.0").partition(".")
        if epoch != str(self._epoch):
            raise Refused(400, "invalidArgument", "Invalid pageToken")
        begin = int(start)
        page: Json = {name: entries[begin : begin + size]} if entries[begin : begin + size] else {}
        more = {"nextPageToken": f"{epoch}.{begin + size}"} if begin + size < len(entries) else {}
        return page | more

    def _get(self, each: str, *, asked: Json, body: Any) -> Json:
        mail = self._held(each)
        told: Json = {
            "id": mail.id,
            "threadId": mail.thread,
            "labelIds": list(mail.labels),
            "internalDate": str(mail.at_ms),
            "historyId": str(self._serial),
        }
        if asked.get("format") == "raw":
            told["raw"] = base64.urlsafe_b64encode(mail.raw).decode()
        return told

    def _modify(self, each: str, *, asked: Json, body: Any) -> Json:
        mail = self._held(each)
        names = [[self.labels[i] for i in body.get(key, ())] for key in ("addLabelIds", "removeLabelIds")]
        self.relabel(each, add=tuple(names[0]), take=tuple(names[1]))
        return {"id": each, "threadId": mail.thread, "labelIds": list(mail.labels)}

    def _history(self, *, asked: Json, body: Any) -> Json:
        start = asked.get("startHistoryId", "")
        if not start.isdigit():
            raise Refused(400, "invalidArgument", "Invalid startHistoryId")
        if int(start) < self._forgotten:
            raise Refused(404)
        told = [record for record in self.history if int(record["id"]) > int(start)]
        return self._page(asked, "history", told) | {"historyId": str(self._serial)}

    def _draft(self, *, asked: Json, body: Any) -> Json:
        message = body.get("message", {})
        raw = body["media"] if "media" in body else base64.urlsafe_b64decode(message["raw"])
        thread = message.get("threadId", "")
        if thread and thread not in {mail.thread for mail in self.mails.values()}:
            raise Refused(404)
        each = self.deliver(raw, labels=("DRAFT",), thread=thread)
        self.drafts[f"r{each}"] = each
        return {"id": f"r{each}", "message": {"id": each, "threadId": self.mails[each].thread, "labelIds": ["DRAFT"]}}

    def _send(self, *, asked: Json, body: Any) -> Json:
        each = self.drafts.pop(body["id"], None)
        if each is None:
            raise Refused(404)
        mail = self.mails[each]
        self.delete(each)
        raw = re.sub(rb"(?im)^bcc:.*\r\n", b"", mail.raw, count=1)
        if self.renames_messages:
            raw = re.sub(rb"(?im)^message-id:.*\r\n", b"Message-ID: <renamed@mail.example>\r\n", raw, count=1)
        self.sendings.append(mail.raw)
        sent = self.deliver(raw, labels=("SENT",), thread=mail.thread)
        return {"id": sent, "threadId": mail.thread, "labelIds": ["SENT"]}

    def _get_draft(self, each: str, *, asked: Json, body: Any) -> Json:
        if each not in self.drafts:
            raise Refused(404)
        return {"id": each, "message": {"id": self.drafts[each], "threadId": self.mails[self.drafts[each]].thread}}

    def _drop_draft(self, each: str, *, asked: Json, body: Any) -> None:
        if each not in self.drafts:
            raise Refused(404)
        self.delete(self.drafts.pop(each))

    def _send_as(self, *, asked: Json, body: Any) -> Json:
        own = [{"sendAsEmail": self.owner, "isPrimary": True}]
        return {"sendAs": own + [{"sendAsEmail": a, "verificationStatus": "accepted"} for a in self.sends_from]}

    def _held(self, each: str) -> Kept:
        if each not in self.mails:
            raise Refused(404)
        return self.mails[each]

    def _next(self) -> int:
        self._serial += 1
        return self._serial

    def _tell(self, each: str, how: str, labels: list[str] | None = None) -> None:
        self._next()
        mail = self.mails[each]
        told: Json = {"message": {"id": each, "threadId": mail.thread, "labelIds": list(mail.labels)}}
        if labels is not None:
            told["labelIds"] = labels
        self.history.append({"id": str(self._serial), "messages": [{"id": each, "threadId": mail.thread}], how: [told]})
