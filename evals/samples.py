"""Samples: small good inputs for each door, from which the bad ones are made. All of them written for this."""

from typing import Any

OWNER, BOT = 1001, 700100
ZONES = ("Europe/Berlin", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe", "UTC")

_WHO = {"id": OWNER, "is_bot": False, "first_name": "Mira", "language_code": "de"}
_CHAT = {"id": OWNER, "type": "private", "first_name": "Mira"}
_SAID = {"message_id": 7, "from": _WHO, "chat": _CHAT, "date": 1_772_442_000}
UPDATES: tuple[Any, ...] = (
    {"update_id": 1, "message": {**_SAID, "text": "todo: call Anna"}},
    {"update_id": 2, "edited_message": {**_SAID, "edit_date": 1_772_442_060, "text": "todo: call Ben"}},
    {"update_id": 3, "callback_query": {"id": "438", "from": _WHO, "chat_instance": "1", "data": "c:1:0123456789ab:undo",
                                        "message": {**_SAID, "text": "Kept open: call Anna"}}},
    {"update_id": 4, "message": {**_SAID, "caption": "the bill", "media_group_id": "77", "message_thread_id": 3,
                                 "is_topic_message": True, "photo": [{"file_id": "A", "file_size": 90, "width": 1}]}},
    {"update_id": 5, "message": {**_SAID, "text": "look", "quote": {"text": "x", "position": 0},
                                 "reply_to_message": {**_SAID, "message_id": 6, "text": "x y"},
                                 "entities": [{"type": "text_link", "offset": 0, "length": 4, "url": "https://a.example"}],
                                 "forward_origin": {"type": "hidden_user", "sender_user_name": "A", "date": 1}}},
    {"update_id": 6, "message": {**_SAID, "voice": {"file_id": "V", "duration": 3, "mime_type": "audio/ogg"}}},
    {"update_id": 7, "message": {**_SAID, "venue": {"location": {"latitude": 52.5, "longitude": 13.4}, "title": "Bar",
                                                    "address": "Weg 1"}, "location": {"latitude": 1, "longitude": 2}}},
    {"update_id": 8, "message": {**_SAID, "contact": {"phone_number": "+49", "first_name": "Jo", "vcard": "BEGIN"}}},
    {"update_id": 9, "message": {**_SAID, "poll": {"question": "Q", "options": [{"text": "a", "voter_count": 0}]}}},
    {"update_id": 10, "message_reaction": {"chat": _CHAT, "user": _WHO, "message_id": 7, "date": 1_772_442_000,
                                           "old_reaction": [], "new_reaction": [{"type": "emoji", "emoji": "👍"}]}},
    {"update_id": 11, "my_chat_member": {"chat": _CHAT, "from": _WHO, "date": 1_772_442_000,
                                         "new_chat_member": {"status": "kicked", "user": _WHO}}},
    {"update_id": 12, "stopped_message_generation": {"chat": _CHAT, "draft_id": 5}},
)  # fmt: skip

MAILS = (
    b"From: Jonas Weber <jonas@example.org>\r\nTo: =?utf-8?q?M=C3=ADra?= <mira@example.org>\r\nSubject: =?utf-8?B?VmVydHJhZw==?=\r\n"
    b"Date: Thu, 19 Nov 2026 10:00:00 +0100\r\nMessage-ID: <a@example.org>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
    b"We need it by 11 December.\r\n> When?\r\n-- \r\nJ\r\n",
    b'From: "News, Inc." <no-reply@example.org>\nSubject: Sale\nList-Id: <n.example.org>\nMIME-Version: 1.0\nContent-Type: '
    b'multipart/alternative; boundary="b"\n\n--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: '
    b"quoted-printable\n\nSch=F6n\n--b\nContent-Type: text/html\n\n<p style='display:none'>x</p><p>Sch&ouml;n</p>\n--b--\n",
    b"From: a@example.org\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: application/pdf; name*=utf-8''%E2%82%AC.pdf\n"
    b"Content-Transfer-Encoding: base64\n\nJVBERi0=\n--c\nContent-Type: message/rfc822\n\nFrom: b@example.org\n\nhi\n--c--\n",
)
MBOX = b"".join(b"From a@example.org Mon Jan  5 09:00:00 2026\n" + mail + b"\n" for mail in MAILS)
PAGES = (
    "<html><head><style>.h{display:none} p>b{color:#fff}</style></head><body><p>Guten <b>Tag</b><br>Mira</p>"
    "<div class=h>hidden</div><table><tr><td>a<td>b</table><ul><li>1<li>2</ul><!-- x --></body></html>",
    "<div style='font-size:0;color:rgb(255,255,255)'>x</div><a href='https://a.example'>link</a><script>1</script>&nbsp;&#x41;",
)
LETTERS = (
    "# Title\n\n**bold _both_** `code` [a](https://a.example/x?y=1) ~~no~~\n\n> quote\n\n- [x] done\n- [ ] not\n\n"
    "```python\nprint(1)\n```\n\n| a | b |\n|--|:-:|\n| 1 | 2 |\n",
    "See <https://a.example> or www.b.example/path, [ref][1] ![p](http://p.example)\n\n[1]: http://c.example 'T'\n",
    "1. one\n   2. two\n      ```\n      x\n      ```\n<b>no</b> &amp; 2*3*4 snake_case_word \\*not\\*",
)
SENTENCES = (
    "remind me next friday at noon to send Jonas the contract", "erinnere mich morgen um 8 an den Müll",
    "every weekday at 8 take the pills", "jeden zweiten Dienstag im Monat um 9:30", "mark the first as done",
    "snooze it till Monday 9", "verschieb es auf übermorgen halb drei", "todo: book the dentist by 3/4/26",
    "waiting on Acme for the contract", "I'm in Tokyo until Friday", "quiet 22-7", "in 20 minutes", "heiligabend um 18 Uhr",
    "between 3 and 4 pm on the 31st of January", "the day after the third Thursday of next month", "in German", "undo",
)  # fmt: skip
CALLS: tuple[Any, ...] = (
    {"name": "loop_open", "arguments": {"title": "call Anna", "kind": "task"}},
    {"name": "loop_close", "arguments": {"loop_id": 1, "state": "done"}},
    {"name": "reminder_set", "arguments": {"text": "x", "wall": "2026-12-03T12:00", "rule": "FREQ=WEEKLY;BYDAY=MO 08:00"}},
    {"name": "reminder_cancel", "arguments": {"reminder_id": 1}},
    {"name": "search", "arguments": {"query": "contract jonas", "corpus": "mail"}},
    {"name": "loops_list", "arguments": {}},
)  # fmt: skip
CLAIMS = (
    "I've set a reminder for Friday at nine, and closed the loop about the rent. Anna sent the contract yesterday.",
    'Erledigt: ich habe die Erinnerung gelöscht. Wenn du magst, kann ich sie wieder setzen!\n\n> "I did it," she said.',
)
EVENTS: tuple[Any, ...] = (
    {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3, "output_tokens": 0}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", "name": "n", "input": {}}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a": 1}'}},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}},
)  # fmt: skip
LINES: tuple[Any, ...] = (
    {"do": "hello", "protocol": 1}, {"do": "attach", "history": 30, "after_id": 2}, {"do": "settle"},
    {"do": "say", "id": "a-1", "text": "hello", "reply_to": 2}, {"do": "tap", "id": "a-2", "data": "c:1:0123456789ab:undo"},
    {"do": "ask", "id": "a-3", "what": "find", "args": {"query": "x"}}, {"is": "hello", "protocol": 1, "version": "0.1.0"},
    {"is": "message", "id": 1, "role": "owner", "channel": "web", "text": "x", "at": "2026-03-02T08:14:00+01:00", "buttons": []},
    {"is": "error", "text": "no", "kind": "BadInput", "about": None},
)  # fmt: skip
REPLIES: tuple[Any, ...] = (
    {"reply": "On it.", "needs_thought": True},
    {"verdict": "notify", "consequence": 0.9, "reason": "a deadline today"},
)
SETTINGS = (
    b"STILLBELL_TELEGRAM_TOKEN=700100:not-a-real-token-but-as-long-as-one\nSTILLBELL_WEB_PORT=8787\nSTILLBELL_ZONE=Europe/Berlin\n",
    b"# a comment\nANTHROPIC_API_KEY='sk-not-a-key'\nSTILLBELL_MODEL=llama\nSTILLBELL_OLLAMA_URL=http://127.0.0.1:11434\n",
    b"export STILLBELL_MODEL_PRICE_IN=0\nSTILLBELL_WEB_HOSTS=\"a.example, b.example:9\"\nSTILLBELL_TRANSCRIBER_COMMAND=w '{file}'\n",
)
POLICIES = (b'[pins.thinker]\nmodel = "claude-haiku-5-5"\nmax_tokens = 4000\n', b"[pins]\ndiagnose = false\n")
RULES = (
    "FREQ=WEEKLY;BYDAY=MO,TU 08:00",
    "FREQ=MONTHLY;BYDAY=2TU;UNTIL=20271231 09:30",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29 10:00",
)
PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent "
    b"2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n4 0 obj<</Length 36>>stream\nBT /F 9 Tf 9 9 Td (Hello Mira) Tj ET\n"
    b"endstream endobj\n5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)
