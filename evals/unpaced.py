"""Stillbell as its owner runs it, less the pace of one message a second that Telegram asks for: for measuring alone."""

import sys

from bot.__main__ import main
from bot.telegram import limiter

if __name__ == "__main__":
    limiter.INTERVAL_S = 0.0
    sys.argv = ["stillbell", "run", "--no-chat"]
    main()
