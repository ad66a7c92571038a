"""Texts and the questions that they answer, English and German, written for this purpose.

slice: "en words", "de words" share words with their text (or a form of them); "en meaning", "de meaning" hardly share any;
"de to en", "en to de" ask in the other language.
"""

from dataclasses import dataclass

from memory.search.passage import Corpus


@dataclass(frozen=True, slots=True)
class Pair:
    """A text, and what it must be found by."""

    slice: str
    corpus: Corpus
    text: str
    question: str


def _pairs(slice_: str, *told: tuple[Corpus, str, str]) -> list[Pair]:
    return [Pair(slice_, *one) for one in told]


PAIRS: list[Pair] = [
    *_pairs(
        "en words",
        ("mail", "The invoice for the awning, number 2207, is attached; please pay it by the end of the month.", "awning invoice"),
        ("note", "Passwords for the allotment gate: the code is the year the shed was built.", "allotment gate code"),
        ("whatsapp", "Priya is vegetarian now, so no lamb on Saturday.", "is Priya a vegetarian?"),
        ("meeting", "Decision: we drop the Lisbon office and renew the lease in Porto for two years.", "Porto lease renewed"),
        ("mail", "Your booking reference for the ferry to Harwich is QX77RB, departure 21:15.", "QX77RB"),
        ("file", "Warranty terms: the boiler is covered for seven years if serviced annually.", "boiler warranties"),
        ("chat", "Remember that Theo's shoe size is 43.", "Theo shoe sizes"),
        ("calendar", "Dentist, Dr Okafor, bring the X-rays", "dentist x-rays"),
        ("mail", "We have decided to go with the oak flooring rather than the laminate.", "oak flooring decision"),
        ("note", "Running routes: along the canal to the lock and back is 8.4 km.", "canal running route"),
        ("telegram", "The locksmith charged 140 for opening the cellar door.", "how much did the locksmith charge"),
        ("mail", "Subject to contract, the buyers agree to complete on 14 August.", "buyers complete in August"),
    ),
    *_pairs(
        "de words",
        ("mail", "Die Rechnung über die Markise hat die Nummer 2207 und ist bis Monatsende zu zahlen.", "Rechnungen Markise"),
        ("note", "Der Schlüssel zum Fahrradkeller hängt hinter der Küchentür.", "Schluessel Fahrradkeller"),
        ("whatsapp", "Jörg kommt erst mit dem späten Zug, gegen elf.", "wann kommt Joerg"),
        ("meeting", "Beschluss: Die Häuser in der Mühlgasse werden im Herbst gestrichen.", "Haus Muehlgasse streichen"),
        ("mail", "Ihre Kundennummer bei den Stadtwerken lautet 88-4410-7.", "Kundennummer Stadtwerke"),
        ("file", "Die Kündigungsfrist beträgt drei Monate zum Quartalsende.", "Kündigungsfristen"),
        ("chat", "Merk dir, dass Omas Geburtstag am 9. Juli ist.", "Geburtstag von Oma"),
        ("calendar", "Elternabend in der Grundschule, Raum 12", "Elternabende Grundschule"),
        ("mail", "Wir haben uns für die Eichendielen und gegen das Laminat entschieden.", "Eichendielen Entscheidung"),
        ("note", "Rezept: Apfelkuchen braucht 180 Grad und fünfzig Minuten.", "Apfelkuchen Grad"),
        ("telegram", "Der Schlosser wollte 140 Euro für die Kellertür.", "Schlosser Kellertuer"),
        ("mail", "Das Straßenfest wird wegen Regen auf den Sonntag verschoben.", "Strassenfest verschoben"),
    ),
    *_pairs(
        "en meaning",
        ("mail", "Sadly the flat below us was flooded when our washing machine leaked.", "water damage at the neighbours"),
        ("note", "To lower stress: lie on the mat for ten minutes, count breaths, phone in another room.", "how to relax"),
        ("whatsapp", "Lena has handed in her notice and starts at the bank in May.", "who changed jobs?"),
        ("meeting", "The board turned down the proposal because it would cost twice what we earn from it.", "why was the plan rejected"),
        ("mail", "We would be delighted if you could join us when Sofia and Marc tie the knot in June.", "wedding invitation"),
        ("file", "The tenant may keep a dog or cat provided the other residents do not object.", "are pets allowed in the apartment"),
        ("telegram", "My little one has had a temperature of 39 since last night.", "sick child with fever"),
        ("mail", "Our flight was cancelled and the airline only offers a voucher.", "refund for a trip that did not happen"),
        ("note", "Things Dad enjoys: crime novels, black tea, anything about trains.", "present ideas for father"),
        ("chat", "The car failed its inspection because the brakes are worn.", "problem with my vehicle"),
    ),
    *_pairs(
        "de meaning",
        ("mail", "Leider ist bei den Leuten unter uns die Decke nass, weil unsere Waschmaschine ausgelaufen ist.", "Wasserschaden beim Nachbarn"),
        ("note", "Gegen Stress: zehn Minuten auf die Matte legen und Atemzüge zählen.", "Entspannung"),
        ("whatsapp", "Lena hat gekündigt und fängt im Mai bei der Bank an.", "wer hat eine neue Stelle"),
        ("meeting", "Der Vorstand lehnt den Vorschlag ab, er würde doppelt so viel kosten, wie er bringt.", "warum wurde der Plan verworfen"),
        ("mail", "Wir würden uns freuen, wenn ihr dabei seid, wenn Sofia und Marc sich im Juni das Jawort geben.", "Einladung zur Hochzeit"),
        ("file", "Der Mieter darf einen Hund oder eine Katze halten, sofern niemand widerspricht.", "sind Haustiere in der Wohnung erlaubt"),
        ("telegram", "Der Kleine hat seit gestern Abend 39 Grad Temperatur.", "krankes Kind mit Fieber"),
        ("mail", "Unser Flug fiel aus und die Gesellschaft bietet nur einen Gutschein.", "Geld zurück für die ausgefallene Reise"),
        ("note", "Was Papa mag: Krimis, schwarzen Tee und alles über Eisenbahnen.", "Geschenkideen für den Vater"),
        ("chat", "Der Wagen ist nicht durch den TÜV gekommen, die Bremsen sind abgenutzt.", "Probleme mit dem Auto"),
    ),
    *_pairs(
        "de to en",
        ("mail", "The kitchen fitters will be here from Monday to Wednesday.", "wann kommen die Küchenbauer"),
        ("note", "The spare key is with Mrs Hall on the third floor.", "wo ist der Ersatzschlüssel"),
        ("whatsapp", "Grandma's operation went well, she is awake and asking for tea.", "wie war Omas Operation"),
        ("meeting", "Sales fell by nine percent in the second quarter.", "Umsatzrückgang im zweiten Quartal"),
        ("mail", "The landlord will raise the rent by forty euros from January.", "Mieterhöhung"),
        ("file", "The guarantee does not cover damage caused by frost.", "Frostschäden Garantie"),
        ("telegram", "We arrived at the hotel, the room looks out on the harbour.", "Hotelzimmer mit Hafenblick"),
        ("chat", "Ben is allergic to hazelnuts.", "Ben Allergie Nüsse"),
    ),
    *_pairs(
        "en to de",
        ("mail", "Der Gärtner schneidet die Hecke am Freitag, bitte das Tor offen lassen.", "when will the hedge be trimmed"),
        ("note", "Die Winterreifen lagern in der Werkstatt am Hafen.", "where are the winter tyres stored"),
        ("whatsapp", "Opas Hüfte ist operiert, er läuft schon wieder ein paar Schritte.", "grandfather's hip surgery"),
        ("meeting", "Wir stellen zwei Entwicklerinnen ein, sobald der Haushalt bewilligt ist.", "hiring engineers once the budget is approved"),
        ("mail", "Der Kindergarten schließt in den letzten zwei Augustwochen.", "nursery closed in summer"),
        ("file", "Die Versicherung zahlt nicht bei Diebstahl aus unverschlossenen Räumen.", "theft insurance exclusion"),
        ("telegram", "Unser Zug hat zwei Stunden Verspätung, wir essen unterwegs.", "train delay"),
        ("chat", "Mia mag keine Pilze.", "does Mia eat mushrooms?"),
    ),
]  # fmt: skip

BESIDE: list[str] = [
    "The plumber comes on Tuesday at nine and has a key.",
    "Please find attached the minutes of our last meeting.",
    "Can we move our call to Thursday afternoon?",
    "The parcel was delivered to the neighbour.",
    "Your electricity bill for March is now available online.",
    "I will be on leave until the 20th and answer when I am back.",
    "The children have swimming on Friday.",
    "Our new dishwasher is much quieter than the old one.",
    "The invoice for the curtains was paid in February.",
    "Theo needs new football boots.",
    "Priya sends her regards from Oslo.",
    "The gate at the station is closed for repairs.",
    "The office in Lisbon has a new coffee machine.",
    "Oak logs for the stove arrive in October.",
    "The dentist moved to the square next to the bakery.",
    "Along the canal there is a market on Sundays.",
    "Dad rang about the tax return.",
    "Lena asked for the recipe again.",
    "The bank has changed its opening hours.",
    "Sofia passed her driving test.",
    "The brakes of the bicycle squeak.",
    "We booked a table for six at the harbour.",
    "The flight to Rome leaves at seven.",
    "The dog next door barks every night.",
    "Der Klempner kommt am Dienstag um neun und hat einen Schlüssel.",
    "Im Anhang das Protokoll unserer letzten Sitzung.",
    "Können wir unser Gespräch auf Donnerstag verschieben?",
    "Das Paket liegt beim Nachbarn.",
    "Ihre Stromrechnung für März ist jetzt online.",
    "Ich bin bis zum 20. im Urlaub und melde mich danach.",
    "Die Kinder haben am Freitag Schwimmen.",
    "Der neue Geschirrspüler ist viel leiser als der alte.",
    "Die Rechnung für die Vorhänge wurde im Februar bezahlt.",
    "Theo braucht neue Fußballschuhe.",
    "Jörg lässt aus Oslo grüßen.",
    "Das Tor am Bahnhof wird repariert.",
    "Im Büro in Lissabon steht eine neue Kaffeemaschine.",
    "Das Eichenholz für den Ofen kommt im Oktober.",
    "Die Zahnärztin ist an den Platz neben der Bäckerei gezogen.",
    "Am Kanal ist sonntags Markt.",
    "Papa hat wegen der Steuererklärung angerufen.",
    "Lena fragt noch einmal nach dem Rezept.",
    "Die Bank hat ihre Öffnungszeiten geändert.",
    "Sofia hat die Führerscheinprüfung bestanden.",
    "Die Bremsen am Fahrrad quietschen.",
    "Wir haben einen Tisch für sechs am Hafen reserviert.",
    "Der Flug nach Rom geht um sieben.",
    "Der Hund von nebenan bellt jede Nacht.",
    "Die Haustür klemmt, wenn es regnet.",
    "Das Fahrrad von Oma steht noch im Keller.",
    "Die Katze hat heute kaum gefressen.",
    "Die Schule bleibt am Montag geschlossen.",
]
