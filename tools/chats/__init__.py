"""Chats that another program has written out (WhatsApp, Telegram, iMessage), read without trusting a byte of them."""
