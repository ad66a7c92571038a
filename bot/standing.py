"""What is on, what is off, and what turns each on: four lines at every start."""

from collections.abc import Sequence
from datetime import datetime

from bot.settings import Settings
from memory.account import Account
from memory.owner import Owner

TEMPLATE = """# Settings of Stillbell. Take the # from a line to set it; every one has a default that works without.

# Telegram: the token that @BotFather gave you.
#STILLBELL_TELEGRAM_TOKEN=

# A model: one of these. An Anthropic key wins.
#ANTHROPIC_API_KEY=
#OPENROUTER_API_KEY=
#STILLBELL_OLLAMA_URL=http://127.0.0.1:11434
#STILLBELL_LLAMACPP_URL=http://127.0.0.1:8080
# With a local server: which of its models, and what a million tokens cost (0 is fine).
#STILLBELL_MODEL=
#STILLBELL_MODEL_PRICE_IN=0
#STILLBELL_MODEL_PRICE_OUT=0

# Mail and calendars are connected by a command, not here: stillbell accounts add NAME ADDRESS, stillbell auth google NAME.
# How wide the band of doubt is in which the model is asked about a mail: 0 never, 1 always.
#STILLBELL_BAND=0.3
# The client file of your own Google project, if it lies elsewhere than google-client.json beside this file.
#STILLBELL_GOOGLE_CLIENT=
# The folders that files may be attached from when something is sent, with : between.
#STILLBELL_ATTACH_FROM=~/Documents:~/Downloads:~/Desktop

# The web chat on this machine: another port, or 0 for none; and the names under which a tunnel reaches it.
#STILLBELL_WEB_PORT=8787
#STILLBELL_WEB_HOSTS=

# Voice messages: a server that transcribes as OpenAI's does, or a program that writes the words to its output.
#STILLBELL_TRANSCRIBER_URL=http://127.0.0.1:8000
#STILLBELL_TRANSCRIBER_KEY=
#STILLBELL_TRANSCRIBER_COMMAND=my-whisper {file}
"""


def lines(
    settings: Settings, owner: Owner, accounts: Sequence[Account], model: str | None, now: datetime
) -> tuple[str, str, str, str]:
    """The four lines: what needs nothing, mail and calendars, Telegram, the model."""
    file = settings.home / "settings.env"
    zone = owner.zones.zone_at(now).key
    web = "web chat (its link: stillbell web), " if settings.web_port else ""
    base = f"on   terminal chat, {web}loops, reminders, search, the brief at {owner.brief_at:%H:%M} ({zone})"
    if settings.telegram_token is None:
        telegram = f"off  Telegram: set STILLBELL_TELEGRAM_TOKEN in {file}"
    elif owner.telegram_id is None:
        telegram = "on   Telegram, not paired yet: the code follows"
    else:
        telegram = f"on   Telegram, paired with the user {owner.telegram_id}"
    said = (
        f"off  model: set ANTHROPIC_API_KEY in {file} (or OpenRouter, Ollama, llama.cpp: see there)"
        if model is None
        else f"on   model: {model}, at most {owner.cap_usd:.2f} USD a day"
    )
    return base, _accounts(accounts), telegram, said


def _accounts(accounts: Sequence[Account]) -> str:
    on = ", ".join(account.name for account in accounts if account.state == "on")
    refused = ", ".join(account.name for account in accounts if account.state == "refused")
    if not accounts:
        return "off  mail and calendars: stillbell accounts add NAME ADDRESS"
    told = [on, f"refused: {refused} (stillbell accounts list)" if refused else ""]
    return f"{'on ' if on else 'off'}  mail and calendars: {'; '.join(filter(None, told))}"
