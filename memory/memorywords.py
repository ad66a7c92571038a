"""What is said about what is remembered, in the owner's languages."""

from collections.abc import Mapping

from memory.owner import Language

TEXTS: Mapping[str, tuple[str, str]] = {
    # key: (English, German)
    "kept": ("I'll remember: **{text}**", "Gemerkt: **{text}**"),
    "kept_rule": ("I'll keep to this: **{text}**", "Daran halte ich mich: **{text}**"),
    "known": ("I know that already ({id}): **{text}**", "Das weiß ich schon ({id}): **{text}**"),
    "too_long": (
        "That is too long for one thing to remember (at most {most} letters). Say it in a sentence.",
        "Das ist zu lang für eine Erinnerung (höchstens {most} Zeichen). Sag es in einem Satz.",
    ),
    "not_own": (
        "I only remember what you say in your own words, not what is quoted or passed on.",
        "Ich merke mir nur, was du mit eigenen Worten sagst, nichts Zitiertes oder Weitergeleitetes.",
    ),
    "excluded": (
        "I don't keep that: it names what you have excluded.",
        "Das merke ich mir nicht: es nennt, was du ausgenommen hast.",
    ),
    "corrected": (
        "Instead of “{old}” I now remember: **{text}**",
        "Statt „{old}“ merke ich mir jetzt: **{text}**",
    ),
    "forgotten": (
        "Forgotten: number {id}, and its words wherever they stood in this chat.",
        "Vergessen: Nummer {id}, und ihre Worte überall in diesem Chat.",
    ),
    "stopped_too": (
        "I was thinking with it, so I stopped. Ask me again.",
        "Ich dachte gerade damit nach und habe aufgehört. Frag mich noch einmal.",
    ),
    "gone": ("There is nothing under number {id} any more.", "Unter Nummer {id} steht nichts mehr."),
    "none": (
        "I remember nothing yet. Say: remember that Jonas prefers calls",
        "Ich habe mir noch nichts gemerkt. Sag: merk dir, dass Jonas lieber telefoniert",
    ),
    "nothing_found": ("I remember nothing about “{words}”.", "Zu „{words}“ habe ich mir nichts gemerkt."),
    "head": ("**What I remember** ({count})", "**Was ich mir gemerkt habe** ({count})"),
    "found": ("**About “{words}”**", "**Zu „{words}“**"),
    "of_people": ("**Of people** (the rest: /who NAME)", "**Von Personen** (alles: /who NAME)"),
    "of_people_line": ("• {text}", "• {text}"),
    "of_people_more": ("… and {count} more", "… und {count} weitere"),
    "line": ("{id} · {text}", "{id} · {text}"),
    "line_others": ("{id} · {who}: “{text}”", "{id} · {who}: „{text}“"),
    "help": (
        "_A number shows one. /memory 7 is: … corrects it, /memory forget 7 forgets it._",
        "_Eine Nummer zeigt eine. /memory 7 ist: … berichtigt sie, /memory vergiss 7 vergisst sie._",
    ),
    "button_more": ("More", "Mehr"),
    "button_forget": ("Forget", "Vergessen"),
    "button_list": ("All", "Alle"),
    "said": ("You said {when}: “{quote}”", "Du sagtest {when}: „{quote}“"),
    "said_by": ("{who}, {when}: “{quote}”", "{who}, {when}: „{quote}“"),
    "before": ("Before that: “{text}”", "Vorher: „{text}“"),
    "last_recalled": ("Last in mind {when}.", "Zuletzt bedacht {when}."),
    "never_recalled": ("Never needed so far.", "Bisher nie gebraucht."),
    "somebody": ("quoted", "zitiert"),
    "superseded": ("Number {new} has taken its place.", "Nummer {new} ist an seine Stelle getreten."),
    "kind_instruction": ("**Your instructions**", "**Deine Anweisungen**"),
    "kind_preference": ("**Preferences**", "**Vorlieben**"),
    "kind_relation": ("**Who is who**", "**Wer zu wem gehört**"),
    "kind_project": ("**Projects**", "**Vorhaben**"),
    "kind_routine": ("**Routines**", "**Gewohnheiten**"),
    "kind_fact": ("**Facts**", "**Fakten**"),
    "kind_observation": ("**What others said**", "**Was andere sagten**"),
}


def say(language: Language, key: str, **values: object) -> str:
    """The text of `key` with its blanks filled. Raises KeyError for a key or a blank that isn't there."""
    return TEXTS[key][language == "de"].format(**values)
