"""The barest bot that answers, as a process of its own: getUpdates, sendMessage, nothing kept."""

import asyncio
import sys

from telegram import Bot
from telegram.request import HTTPXRequest


async def echo(url: str, token: str) -> None:
    """Send every text back, for ever."""
    bot = Bot(token, base_url=f"{url}/bot", request=HTTPXRequest(), get_updates_request=HTTPXRequest())
    offset = None
    while True:
        for update in await bot.get_updates(offset=offset, timeout=20):
            offset = update.update_id + 1
            if update.message is not None and update.message.text is not None:
                await bot.send_message(update.message.chat_id, update.message.text)


if __name__ == "__main__":
    asyncio.run(echo(*sys.argv[1:]))
