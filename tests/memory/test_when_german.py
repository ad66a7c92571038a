"""Zeiten auf Deutsch, gesagt an einem Mittwochmorgen: Mittwoch, 4. März 2026, 9:30 in Berlin."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory.when.reader import read
from memory.when.reading import Reading

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 4, 9, 30, tzinfo=BERLIN)


def only(text: str) -> tuple[str, Reading]:
    """The one mention of a text and its one reading."""
    mentions = read(text, now=NOW, zone=BERLIN)
    assert len(mentions) == 1, mentions
    assert len(mentions[0].readings) == 1, mentions[0].readings
    return mentions[0].text, mentions[0].readings[0]


@pytest.mark.parametrize(
    ("text", "said", "wall"),
    [
        ("erinnere mich morgen um 8 an den Müll", "morgen um 8", "2026-03-05 08:00"),
        ("Erinnere mich am 3. um 12 an den Zahnarzt", "am 3. um 12", "2026-04-03 12:00"),
        ("erinner mich in 20 Minuten an die Pizza", "in 20 Minuten", "2026-03-04 09:50"),
        ("in einer halben Stunde anrufen", "in einer halben Stunde", "2026-03-04 10:00"),
        ("in anderthalb Stunden los", "in anderthalb Stunden", "2026-03-04 11:00"),
        ("in einer Dreiviertelstunde", "in einer Dreiviertelstunde", "2026-03-04 10:15"),
        ("in 2,5 Stunden", "in 2,5 Stunden", "2026-03-04 12:00"),
        ("in zwei Stunden und 15 Minuten", "in zwei Stunden und 15 Minuten", "2026-03-04 11:45"),
        ("in vierzehn Tagen ist Schluss", "in vierzehn Tagen", "2026-03-18 09:30"),
        ("vor drei Tagen kam die Mail", "vor drei Tagen", "2026-03-01 09:30"),
        ("drei Tage vor Weihnachten", "drei Tage vor Weihnachten", "2026-12-22 00:00"),
        ("zwei Tage nach Ostern", "zwei Tage nach Ostern", "2026-04-07 00:00"),
        ("gestern war es kalt", "gestern", "2026-03-03 00:00"),
        ("vorgestern auch", "vorgestern", "2026-03-02 00:00"),
        ("übermorgen um 9 zum Arzt", "übermorgen um 9", "2026-03-06 09:00"),
        ("überübermorgen", "überübermorgen", "2026-03-07 00:00"),
        ("heute um 14 Uhr", "heute um 14 Uhr", "2026-03-04 14:00"),
        ("heute Abend um acht", "heute Abend um acht", "2026-03-04 20:00"),
        ("heute morgen um 10 noch", "heute morgen um 10", "2026-03-04 10:00"),
        ("morgen früh um 7 joggen", "morgen früh um 7", "2026-03-05 07:00"),
        ("morgen Nachmittag um 3", "morgen Nachmittag um 3", "2026-03-05 15:00"),
        ("morgen um viertel nach sieben", "morgen um viertel nach sieben", "2026-03-05 07:15"),
        ("um halb vier abholen", "um halb vier", "2026-03-04 15:30"),
        ("fünf vor halb drei", "fünf vor halb drei", "2026-03-04 14:25"),
        ("zehn nach halb drei", "zehn nach halb drei", "2026-03-04 14:40"),
        ("viertel vor drei", "viertel vor drei", "2026-03-04 14:45"),
        ("dreiviertel drei", "dreiviertel drei", "2026-03-04 14:45"),
        ("viertel drei", "viertel drei", "2026-03-04 14:15"),
        ("zwanzig nach eins", "zwanzig nach eins", "2026-03-04 13:20"),
        ("5 vor 12", "5 vor 12", "2026-03-04 11:55"),
        ("um 18 Uhr 12", "um 18 Uhr 12", "2026-03-04 18:12"),
        ("um 18.30 Uhr", "um 18.30 Uhr", "2026-03-04 18:30"),
        ("gegen 20 Uhr", "gegen 20 Uhr", "2026-03-04 20:00"),
        ("Punkt zwölf", "Punkt zwölf", "2026-03-04 12:00"),
        ("um 8 Uhr abends", "um 8 Uhr abends", "2026-03-04 20:00"),
        ("12 Uhr nachts", "12 Uhr nachts", "2026-03-05 00:00"),
        ("Freitag 15 Uhr", "Freitag 15 Uhr", "2026-03-06 15:00"),
        ("am Montag", "am Montag", "2026-03-09 00:00"),
        ("Montag Morgen um 8", "Montag Morgen um 8", "2026-03-09 08:00"),
        ("am Freitagabend um halb acht", "am Freitagabend um halb acht", "2026-03-06 19:30"),
        ("kommenden Freitag um 10", "kommenden Freitag um 10", "2026-03-06 10:00"),
        ("letzten Freitag", "letzten Freitag", "2026-02-27 00:00"),
        ("nächste Woche Mittwoch", "nächste Woche Mittwoch", "2026-03-11 00:00"),
        ("Mittwoch nächster Woche um 9", "Mittwoch nächster Woche um 9", "2026-03-11 09:00"),
        ("Freitag in einer Woche", "Freitag in einer Woche", "2026-03-13 00:00"),
        ("übernächste Woche", "übernächste Woche", "2026-03-16 00:00"),
        ("am dritten März", "am dritten März", "2027-03-03 00:00"),
        ("am 5. März um 15:30 Uhr", "am 5. März um 15:30 Uhr", "2026-03-05 15:30"),
        ("am 3.4. um 9", "am 3.4. um 9", "2026-04-03 09:00"),
        ("am 3.4 um 9", "am 3.4 um 9", "2026-04-03 09:00"),
        ("Rechnung fällig 03.04.2026", "03.04.2026", "2026-04-03 00:00"),
        ("Di., 10.03.2026, 14 Uhr", "Di., 10.03.2026, 14 Uhr", "2026-03-10 14:00"),
        ("am Dienstag, den 10. März um 14:30 Uhr", "am Dienstag, den 10. März um 14:30 Uhr", "2026-03-10 14:30"),
        ("am siebten vierten", "am siebten vierten", "2026-04-07 00:00"),
        ("im Mai 2027", "im Mai 2027", "2027-05-01 00:00"),
        ("am 15. des nächsten Monats", "am 15. des nächsten Monats", "2026-04-15 00:00"),
        ("am ersten des Monats um 8", "am ersten des Monats um 8", "2026-04-01 08:00"),
        ("letzter Sonntag im April", "letzter Sonntag im April", "2026-04-26 00:00"),
        ("zweiter Mittwoch im Oktober 2027", "zweiter Mittwoch im Oktober 2027", "2027-10-13 00:00"),
        ("in KW 12", "in KW 12", "2026-03-16 00:00"),
        ("nächstes Quartal", "nächstes Quartal", "2026-04-01 00:00"),
        ("bis Freitag", "bis Freitag", "2026-03-06 00:00"),
        ("bis zum 15.", "bis zum 15.", "2026-03-15 00:00"),
        ("bis spätestens Freitag 12 Uhr", "bis spätestens Freitag 12 Uhr", "2026-03-06 12:00"),
        ("bis Ende des Jahres", "bis Ende des Jahres", "2027-01-01 00:00"),
        ("ab Montag", "ab Montag", "2026-03-09 00:00"),
        ("seit Montag", "seit Montag", "2026-03-02 00:00"),
        ("Heiligabend", "Heiligabend", "2026-12-24 00:00"),
        ("Karfreitag", "Karfreitag", "2026-04-03 00:00"),
        ("Christi Himmelfahrt 2027", "Christi Himmelfahrt 2027", "2027-05-06 00:00"),
        ("am 2. Advent", "am 2. Advent", "2026-12-06 00:00"),
        ("Meeting am Friday um 10", "am Friday um 10", "2026-03-06 10:00"),
        ("Call mit Bob tomorrow um 16 Uhr", "tomorrow um 16 Uhr", "2026-03-05 16:00"),
    ],
)
def test_a_time_in_german_is_found_and_understood(text: str, said: str, wall: str) -> None:
    found, reading = only(text)
    assert found == said
    assert reading.wall == datetime.fromisoformat(wall)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Montag von 9 bis 11", "2026-03-09 09:00", "2026-03-09 11:00"),
        ("zwischen 14 und 16 Uhr", "2026-03-04 14:00", "2026-03-04 16:00"),
        ("am 12.3. zwischen 14 und 16 Uhr", "2026-03-12 14:00", "2026-03-12 16:00"),
        ("vom 14. bis 16. April", "2026-04-14 00:00", "2026-04-17 00:00"),
        ("14.-16. April", "2026-04-14 00:00", "2026-04-17 00:00"),
        ("vom 14.4. bis 16.4.", "2026-04-14 00:00", "2026-04-17 00:00"),
        ("zwischen dem 3. und dem 12. September", "2026-09-03 00:00", "2026-09-13 00:00"),
        ("morgen Abend", "2026-03-05 18:00", "2026-03-06 00:00"),
        ("am Wochenende", "2026-03-06 18:00", "2026-03-09 00:00"),
        ("die nächsten drei Tage", "2026-03-05 00:00", "2026-03-08 00:00"),
        ("Anfang nächster Woche", "2026-03-09 00:00", "2026-03-12 00:00"),
        ("Ende Mai", "2026-05-21 00:00", "2026-06-01 00:00"),
        ("im Herbst 2026", "2026-09-23 00:00", "2026-12-21 00:00"),
    ],
)
def test_a_stretch_in_german_has_its_start_and_end(text: str, start: str, end: str) -> None:
    found, reading = only(text)
    assert found == text
    assert (reading.wall, reading.end) == (datetime.fromisoformat(start), datetime.fromisoformat(end))


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("morgen früh", "2026-03-05 08:00"),
        ("morgen Vormittag", "2026-03-05 10:00"),
        ("morgen Mittag", "2026-03-05 12:00"),
        ("morgen Abend", "2026-03-05 19:00"),
        ("heute Nacht", "2026-03-04 22:00"),
        ("nach der Arbeit", "2026-03-04 18:00"),
        ("am Wochenende", "2026-03-07 10:00"),
        ("Ende des Monats", "2026-03-31 09:00"),
    ],
)
def test_a_vague_time_in_german_has_an_hour_at_which_to_remind(text: str, anchor: str) -> None:
    assert only(text)[1].anchor == datetime.fromisoformat(anchor)
