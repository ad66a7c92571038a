"""The commands: the menu that Telegram shows behind the slash."""

from collections.abc import Mapping

from telegram import Bot, BotCommand, BotCommandScopeAllPrivateChats

from memory.owner import Language

MENU: Mapping[Language, tuple[tuple[str, str], ...]] = {
    "en": (
        ("brief", "The brief, now"),
        ("today", "What needs you today"),
        ("loops", "What is open"),
        ("remind", "Set a reminder: /remind tomorrow at 8 the bins"),
        ("find", "Search everything: /find invoice"),
        ("who", "Who somebody is, and what is open: /who Anna"),
        ("people", "Whom I take for one person, and why"),
        ("why", "Why a mail was told or not: /why contract"),
        ("memory", "What I remember: /memory Jonas"),
        ("audit", "What left, and what did not"),
        ("usage", "What the models cost today"),
        ("allowance", "The most they may cost a day: /allowance 8"),
        ("quiet", "Quiet hours: /quiet 22:00-07:00"),
        ("undo", "Take back what you just did"),
        ("forget", "Forget the message you answer with this"),
        ("stop", "Stop what is being worked on"),
        ("help", "What I can do"),
    ),
    "de": (
        ("brief", "Der Überblick, jetzt"),
        ("today", "Was dich heute braucht"),
        ("loops", "Was offen ist"),
        ("remind", "Erinnern: /remind morgen um 8 an den Müll"),
        ("find", "Alles durchsuchen: /find Rechnung"),
        ("who", "Wer jemand ist, und was offen ist: /who Anna"),
        ("people", "Wen ich für eine Person halte, und warum"),
        ("why", "Warum eine Mail gemeldet wurde oder nicht: /why Vertrag"),
        ("memory", "Was ich mir gemerkt habe: /memory Jonas"),
        ("audit", "Was hinausging, und was nicht"),
        ("usage", "Was die Modelle heute gekostet haben"),
        ("allowance", "Was sie am Tag höchstens kosten dürfen: /allowance 8"),
        ("quiet", "Ruhezeiten: /quiet 22:00-07:00"),
        ("undo", "Zurücknehmen, was du eben getan hast"),
        ("forget", "Die Nachricht vergessen, auf die du damit antwortest"),
        ("stop", "Aufhören mit dem, was gerade läuft"),
        ("help", "Was ich kann"),
    ),
}


async def set_commands(bot: Bot) -> None:
    """Put the menu into private chats: English, and German where the client is German. Raises TelegramError."""
    for language, menu in MENU.items():
        await bot.set_my_commands(
            [BotCommand(name, description) for name, description in menu],
            scope=BotCommandScopeAllPrivateChats(),
            # English is what every other language falls back to, which Telegram spells by leaving the code out.
            language_code=None if language == "en" else language,
        )
