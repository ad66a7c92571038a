"""What is said about what a search found. Part of memory/wording."""

from collections.abc import Mapping

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "corpus_mail": ("Mail", "Mail"),
    "corpus_chat": ("With me", "Mit mir"),
    "corpus_note": ("Notes", "Notizen"),
    "corpus_whatsapp": ("WhatsApp", "WhatsApp"),
    "corpus_imessage": ("iMessage", "iMessage"),
    "corpus_telegram": ("Telegram", "Telegram"),
    "corpus_calendar": ("Calendar", "Kalender"),
    "corpus_meeting": ("Meetings", "Besprechungen"),
    "corpus_person": ("People", "Personen"),
    "corpus_file": ("Files", "Dateien"),
    "found_by_words": ("found by words", "gefunden an Wörtern"),
    "found_by_meaning": ("found by words and meaning", "gefunden an Wörtern und Bedeutung"),
    "found_by_some_meaning": (
        "found by words; by meaning in {share:.0%} so far",
        "gefunden an Wörtern; nach Bedeutung bisher in {share:.0%}",
    ),
    "found_near": (
        "nothing holds any of these words; this is nearest in meaning",
        "nichts enthält eines dieser Wörter; das hier kommt dem Sinn am nächsten",
    ),
    "found_near_one": (
        "nothing holds this word; this is nearest in meaning",
        "nichts enthält dieses Wort; das hier kommt dem Sinn am nächsten",
    ),
    "found_any_time": (
        "nothing of that time: this is of any",
        "aus dieser Zeit nichts: das hier ist von irgendwann",
    ),
    "unmet_from": ("nothing is from “{value}”", "von „{value}“ ist nichts da"),
    "unmet_to": ("nothing went to “{value}”", "an „{value}“ ging nichts"),
    "unmet_after": ("“{value}” is no time I know", "„{value}“ kenne ich nicht als Zeit"),
    "unmet_before": ("“{value}” is no time I know", "„{value}“ kenne ich nicht als Zeit"),
    "unmet_in": ("nothing stands in “{value}”", "in „{value}“ steht nichts"),
    "unmet_has": ("nothing has “{value}”", "nichts hat „{value}“"),
    "unmet_empty": ("after “{name}:” stands nothing", "nach „{name}:“ steht nichts"),
    "unmet_mistyped": (
        "“{name}:” is no filter; there are from: to: after: before: in: has:",
        "„{name}:“ ist kein Filter; es gibt von: an: nach: vor: in: hat:",
    ),
    "unmet_without": (
        "“-{value}” leaves nothing out: it is looked for",
        "„-{value}“ schließt nichts aus: es wird mitgesucht",
    ),
    "takes_from": ("{name}: takes a name or an address", "{name}: nimmt einen Namen oder eine Adresse"),
    "takes_to": ("{name}: takes a name or an address", "{name}: nimmt einen Namen oder eine Adresse"),
    "takes_after": (
        '{name}: takes a day, a month or a time in words, such as 2026-05-01, march, "last week"',
        '{name}: nimmt einen Tag, einen Monat oder eine Zeit in Worten, etwa 2026-05-01, März, "letzte Woche"',
    ),
    "takes_before": (
        '{name}: takes a day, a month or a time in words, such as 2026-05-01, march, "last week"',
        '{name}: nimmt einen Tag, einen Monat oder eine Zeit in Worten, etwa 2026-05-01, März, "letzte Woche"',
    ),
    "takes_in": (
        "{name}: takes notes, mail, whatsapp, imessage, telegram, chat, calendar, meetings, people, files, or the name of a "
        "folder, an account or a chat",
        "{name}: nimmt notizen, mail, whatsapp, imessage, telegram, chat, kalender, besprechungen, personen, dateien oder "
        "den Namen eines Ordners, Kontos oder Chats",
    ),
    "takes_has": (
        "{name}: takes pdf, docx, photo, video, voice, link, attachment",
        "{name}: nimmt pdf, docx, foto, video, sprachnachricht, link, anhang",
    ),
    "found_gone": ("That is no longer there.", "Das ist nicht mehr da."),
    "found_to": ("to {who}", "an {who}"),
    "button_found_more": ("More ({count})", "Mehr ({count})"),
    "button_found_first": ("First ones", "Die ersten"),
    "button_found_back": ("Back", "Zurück"),
}
