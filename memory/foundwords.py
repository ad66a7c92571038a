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
        "nothing holds these words; this is near in meaning",
        "nichts enthält diese Wörter; das hier ist in der Bedeutung nah",
    ),
    "found_any_time": (
        "nothing of that time: this is of any",
        "aus dieser Zeit nichts: das hier ist von irgendwann",
    ),
    "found_no_filter": ("without the filter {name}", "ohne den Filter {name}"),
    "found_gone": ("That is no longer there.", "Das ist nicht mehr da."),
    "found_to": ("to {who}", "an {who}"),
    "button_found_more": ("More ({count})", "Mehr ({count})"),
    "button_found_first": ("First ones", "Die ersten"),
    "button_found_back": ("Back", "Zurück"),
}
