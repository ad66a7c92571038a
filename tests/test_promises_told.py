"""Promises in chats, in the whole product: asked about in Telegram, confirmed, reminded of, and done when the thing is sent."""

from datetime import timedelta
from pathlib import Path

from tests.doubles.clock import NOW, FakeClock
from tests.product_room import Product, open_product
from tools.corpora.following import Following
from tools.corpora.kind import kind_of, place_of

FIRST = "02.03.26, 08:00 - Anna Winter: Kannst du mir das Angebot bis Freitag schicken?\n02.03.26, 08:01 - Jo Baker: mach ich\n"
THEN = f"{FIRST}06.03.26, 09:30 - Jo Baker: Angebot.pdf (Datei angehängt)\n"


async def bring(product: Product, folder: Path, text: str) -> list[str]:
    """The chat is exported and brought in; what Stillbell writes."""
    path = folder / "WhatsApp Chat mit Anna Winter.txt"
    path.write_text(text)
    place = place_of(kind_of(path, "whatsapp"), path)
    await Following(place, ledger=product.house.ledger, owner_id=1, clock=product.clock).look()
    return await product.after(lambda: None)


async def test_a_promise_in_a_chat_goes_all_the_way(database: Path, tmp_path: Path) -> None:
    clock = FakeClock(NOW)
    async with open_product(database, clock, language="de") as product:
        (asked,) = await bring(product, tmp_path, FIRST)
        assert asked.splitlines()[:2] == [
            "Hast du das versprochen? An Anna Winter: WhatsApp",
            "dir das Angebot schicken – am Freitag, 6. März um 09:00",
        ]
        assert product.labels() == ["Offen halten", "Kein Versprechen"]
        assert "Ich erinnere dich am Freitag, 6. März um 09:00" in await product.taps("Offen halten")
        assert await bring(product, tmp_path, FIRST) == []
        clock.advance(timedelta(days=4, hours=2))
        said = await product.after_a_look()
        assert any("dir das Angebot schicken (Anna Winter)" in line for line in said)
        await bring(product, tmp_path, THEN)
        assert product.loops == {"dir das Angebot schicken (Anna Winter)": "done"}


async def test_to_remind_me_is_no_promise(database: Path) -> None:
    async with open_product(database, FakeClock(NOW)) as product:
        await product.says("I'll call Anna tomorrow, remind me at 9")
        assert product.value("SELECT count(*) FROM decisions WHERE subject LIKE 'promise:%'") == 0
