"""The queue of updates behind getUpdates: what is kept, forgotten and waited for, as the official server does it."""

# ruff: noqa: SIM905 - long lists of words read better as words

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tests.servers.bot_api_rules import RefusedError

UPDATES_LIVE_FOR = timedelta(hours=24)
ANSWER_LIMIT_BYTES = 4 << 20
LONGEST_POLL_SECONDS = 50
KINDS = frozenset(
    "message edited_message channel_post edited_channel_post inline_query chosen_inline_result callback_query "
    "shipping_query pre_checkout_query poll poll_answer my_chat_member chat_member chat_join_request chat_boost "
    "removed_chat_boost message_reaction message_reaction_count business_connection business_message "
    "edited_business_message deleted_business_messages purchased_paid_media managed_bot guest_message "
    "stopped_message_generation".split()
)
# Only sent to a bot that asks for them by name.
ONLY_ON_REQUEST = frozenset({"chat_member", "message_reaction", "message_reaction_count"})

OTHER_POLL = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
WEBHOOK_SET = "Conflict: terminated by setWebhook request"


@dataclass(frozen=True, slots=True)
class _Queued:
    update_id: int
    pushed_at: datetime
    body: str


class UpdateQueue:
    """Updates wait here until a getUpdates confirms them with a higher offset, or for 24 hours of the given clock.

    One poll may wait at a time: a second one that has to wait sends the first away with 409.
    """

    def __init__(self, clock: Callable[[], datetime], *, first_update_id: int) -> None:
        self._clock = clock
        self._queued: list[_Queued] = []
        self._waiting: asyncio.Future[None] | None = None
        self.next_id = first_update_id
        self.allowed = KINDS - ONLY_ON_REQUEST

    def __len__(self) -> int:
        return len(self._queued)

    def allow(self, kinds: Collection[object] | None) -> None:
        """Remembers `allowed_updates`; absent leaves it as it was, empty or unknown names bring back the default."""
        if kinds is not None:
            self.allowed = KINDS.intersection(kinds) or KINDS - ONLY_ON_REQUEST

    def push(self, content: dict[str, Any], *, update_id: int | None = None, unasked: bool = False) -> dict[str, Any]:
        """Queues the update and wakes the poll that waits.

        A kind that the bot did not ask for is not queued and is returned without an id, unless `unasked`.
        """
        if not unasked and KINDS.intersection(content) and not self.allowed.intersection(content):
            return content
        update = {"update_id": self.next_id if update_id is None else update_id, **content}
        self.next_id = max(self.next_id, update["update_id"] + 1)
        self._queued.append(_Queued(update["update_id"], self._clock(), json.dumps(update)))
        self.finish_poll()
        return update

    async def poll(self, offset: int, limit: int, timeout_seconds: float) -> list[str]:
        """The bodies of what is due from the offset on, waiting for the first if there is none."""
        found = self._take(offset, limit)
        if found or timeout_seconds <= 0:
            return found
        self.terminate(OTHER_POLL)
        waiting = self._waiting = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout_seconds):
                await waiting
        except TimeoutError:
            pass
        finally:
            if self._waiting is waiting:
                self._waiting = None
        return self._take(offset, limit)

    def finish_poll(self) -> None:
        """The waiting poll looks again and answers with what is there."""
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(None)

    def terminate(self, description: str) -> None:
        """The waiting poll is answered with 409."""
        if self._waiting and not self._waiting.done():
            self._waiting.set_exception(RefusedError(409, description))

    def forget_all(self) -> None:
        """What `drop_pending_updates` asks for."""
        self._queued.clear()

    def _take(self, offset: int, limit: int) -> list[str]:
        self._forget_below(offset)
        bodies, left = [], ANSWER_LIMIT_BYTES
        for queued in self._queued[:limit]:
            left -= len(queued.body) + 50
            if left <= 0:
                break
            bodies.append(queued.body)
        return bodies

    def _forget_below(self, offset: int) -> None:
        if offset < 0:
            offset += self.next_id
        elif offset > self.next_id + 10:
            # An offset from another life (a changed token) is not believed, and nothing is lost by it.
            offset = 0
        oldest = self._clock() - UPDATES_LIVE_FOR
        self._queued = [kept for kept in self._queued if kept.update_id >= offset and kept.pushed_at > oldest]
