"""What is said about promises, in the owner's languages."""

from collections.abc import Mapping

from memory.owner import Language

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "ask": ("**Did you promise this?** To {who}: {about}", "**Hast du das versprochen?** An {who}: {about}"),
    "nobody": ("somebody", "jemand"),
    "one": ("**{what}**{due}", "**{what}**{due}"),
    "several": ("{number}. **{what}**{due}", "{number}. **{what}**{due}"),
    "due": (" – {when}", " – {when}"),
    "due_past": (" – was due {when}", " – war fällig {when}"),
    "asked": ("_{who}: “{quote}”_", "_{who}: „{quote}“_"),
    "quote": ("_“{quote}”_", "_„{quote}“_"),
    "keep": ("Keep open", "Offen halten"),
    "keep_one": ("✓ {number}", "✓ {number}"),
    "keep_all": ("All", "Alle"),
    "drop": ("No promise", "Kein Versprechen"),
    "drop_all": ("None", "Keins"),
    "kept": ("Kept open: **{title}**", "Offen gehalten: **{title}**"),
    "kept_when": (
        "Kept open: **{title}**. I'll remind you {when}.",
        "Offen gehalten: **{title}**. Ich erinnere dich {when}.",
    ),
    "dropped": ("No promise: {what}", "Kein Versprechen: {what}"),
    "seen_to": ("You have seen to it since: {what}", "Inzwischen hast du dich darum gekümmert: {what}"),
    "taken_back": ("You took it back since: {what}", "Inzwischen hast du es zurückgenommen: {what}"),
    "again": (
        "You have said it again since; that is asked about instead.",
        "Du hast es seither noch einmal gesagt; danach wird gefragt.",
    ),
    "edited": (
        "You have changed what you wrote: nothing is promised in it any more.",
        "Du hast geändert, was du geschrieben hast: versprochen ist darin nichts mehr.",
    ),
    "gone": ("Nobody asks about that any more.", "Danach fragt niemand mehr."),
    "is_it_done": (
        "**{title}**: it looks as if you have seen to it. Is it done?",
        "**{title}**: es sieht aus, als hättest du dich darum gekümmert. Ist es erledigt?",
    ),
    "is_it_off": (
        "**{title}**: it looks as if you took that back. Is it settled?",
        "**{title}**: es sieht aus, als hättest du das zurückgenommen. Ist es damit erledigt?",
    ),
    "title": ("{what} ({who})", "{what} ({who})"),
    "found": (
        "In what you wrote in the last two weeks you seem to have promised {count} things: /today asks about them.",
        "In dem, was du in den letzten zwei Wochen geschrieben hast, hast du wohl {count} Dinge versprochen: /today fragt danach.",
    ),
    "found_one": (
        "In what you wrote in the last two weeks you seem to have promised something: /today asks about it.",
        "In dem, was du in den letzten zwei Wochen geschrieben hast, hast du wohl etwas versprochen: /today fragt danach.",
    ),
    "in_chats": (
        "In your chats of the last two weeks you seem to have promised something: /today asks about it.",
        "In deinen Chats der letzten zwei Wochen hast du wohl etwas versprochen: /today fragt danach.",
    ),
    "day": ("**You promised?**", "**Versprochen?**"),
    "day_line": ("- {who}: {what}{due}", "- {who}: {what}{due}"),
    "day_button": ("Promised? {who}", "Versprochen? {who}"),
}


def say(language: Language, key: str, **values: object) -> str:
    """The text of `key` with its blanks filled. Raises KeyError for a key or a blank that isn't there."""
    return TEXTS[key][language == "de"].format(**values)
