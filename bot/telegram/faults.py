"""Faults: what can go wrong between us and Telegram, sorted by what it says about the request.

    TelegramError (python-telegram-bot's)
    ├── NotSent          no connection was made: the request certainly never left
    ├── AnswerLost       the request may have arrived, and no answer came back
    │   └── NotTelegram      something answered in Telegram's place: a proxy, with a 502
    ├── ServerFault      Telegram says that it failed: nothing was done
    ├── SlowDown         too many requests; comes with the time to wait
    └── the library's own: BadRequest, Forbidden, InvalidToken, Conflict, ChatMigrated

The first five are raised by our connection pool (bot/telegram/line), since the library folds them into one.
"""

from datetime import timedelta

from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, NetworkError, TelegramError

from memory.errors import OutOfReach, Refused
from tools.chat import MaybeShown, NotShown

AFTER_A_FAULT_FOR = timedelta(seconds=2)
WITHOUT_A_TOKEN_FOR = timedelta(minutes=1)


class NotSent(NetworkError):  # noqa: N818  a phrase reads better at every use
    """No connection was made, so the request certainly never left."""


class AnswerLost(NetworkError):  # noqa: N818
    """The request may have been carried out, but its answer was cut, late, or not Telegram's."""


class NotTelegram(AnswerLost):
    """Something between us and Telegram answered in its place."""


class ServerFault(NetworkError):  # noqa: N818
    """Telegram itself says that it could not do it."""


class SlowDown(TelegramError):  # noqa: N818
    """Too many requests: wait for `retry_for`.

    Stands in for the library's RetryAfter, which warns of a coming change of type each time it is made.
    """

    def __init__(self, retry_for: timedelta) -> None:
        super().__init__(f"too many requests, retry in {retry_for.total_seconds():g} s")
        self.retry_for = retry_for


class TokenRefused(Refused):
    """Telegram does not know the token (any more)."""

    def __init__(self) -> None:
        super().__init__(
            "Telegram refuses the token: get a new one from @BotFather (/token), put it into the settings and restart"
        )


class TelegramSilent(OutOfReach):
    """Requests go out and nothing ever comes back, not even after the connections were made anew."""


def shown_or_not(error: TelegramError) -> NotShown | MaybeShown:
    """What a failed sendMessage means for the part that was to be shown."""
    match error:
        case SlowDown():
            return NotShown(f"Telegram asks for a pause: {error}", retry_for=error.retry_for)
        case NotSent() | ServerFault():
            return NotShown(f"Telegram was not reached: {error}", retry_for=AFTER_A_FAULT_FOR)
        case InvalidToken():
            return NotShown("Telegram refuses the token: renew it with @BotFather", retry_for=WITHOUT_A_TOKEN_FOR)
        case Forbidden():
            return NotShown(f"the owner has blocked the bot: unblock it in Telegram ({error})", for_good=True)
        case BadRequest() | ChatMigrated():
            return NotShown(f"Telegram will not take this message: {error}", for_good=True)
        case _:
            return MaybeShown(f"the answer to a message was lost: {error}")
