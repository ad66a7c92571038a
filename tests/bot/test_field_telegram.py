"""What went wrong with other bots on Telegram, where no other test already keeps it out (docs/decisions/0021)."""

import json
from pathlib import Path

from tests.doubles.clock import FakeClock
from tests.doubles.papers import pdf
from tests.product_room import INSTINCT, OWNER, THINKER, TOKEN, open_product
from tests.servers.bot_api import BotApiServer
from tests.servers.messages_api import Answer, Text

USED = {
    "answerCallbackQuery", "editMessageReplyMarkup", "editMessageText", "getFile", "getMe", "sendChatAction", "sendMessage",
    "setMyCommands",
}  # fmt: skip
"""No drafts, no rich messages, no streaming into a message that stands there."""

LONG = "The rent is due on the third, as the landlord wrote in January. " * 100


async def test_a_whole_conversation_takes_no_more_of_the_bot_api_than_this(database: Path, clock: FakeClock) -> None:
    async with open_product(database, clock, model=True) as product:
        product.provider.always(INSTINCT, json.dumps({"reply": "Let me look.", "needs_thought": True}))
        product.provider.always(THINKER, Answer([Text(LONG)], chunk_chars=40))
        await product.says("todo: call Anna")
        said = await product.says("when is the rent due?")
        await product.after(lambda: product.server.owner_sends_document(pdf("Invoice 4711"), file_name="a.pdf"))
        await product.says("/loops")
        await product.taps("✓ 1")
        assert {call.method for call in product.server.sent} <= USED
        # One message for each part of the answer, and none of them was written over.
        assert len(said) > 2
        edited = {call.params["message_id"] for call in product.server.calls("editMessageText")}
        assert edited.isdisjoint(m["message_id"] for m in product.server.bot_messages() if m["text"] in said)


async def test_a_button_of_the_run_before_still_does_what_it_says(database: Path, clock: FakeClock) -> None:
    async with BotApiServer(TOKEN, owner_id=OWNER) as server:
        async with open_product(database, clock, server=server) as product:
            await product.says("todo: call Anna")
            assert product.loops == {"call Anna": "open"}
        async with open_product(database, clock, server=server, paired=False) as product:
            await product.taps("Undo")
            assert product.loops == {"call Anna": "dropped"}
