"""Days counted from now: today, tomorrow, the day before yesterday, tonight."""

from memory.when.chart import a
from memory.when.grain import floor
from memory.when.node import Scene, Time
from memory.when.rules.dialect import ENGLISH, GERMAN, is_part
from memory.when.times import combine, days_from, fixed, part_of_day


@ENGLISH.rule("now immediately")
@GERMAN.rule("jetzt sofort")
@GERMAN.rule("im", "moment")
@ENGLISH.rule("at", "the", "moment")
def now(scene: Scene) -> Time:
    """A filler more often than a time."""
    return right_now(scene).but(doubtful=True)


@ENGLISH.rule("rightnow asap atm")
@ENGLISH.rule("right just", "now")
@ENGLISH.rule("at", "present")
@ENGLISH.rule("at", "this", "moment")
@GERMAN.rule("genau", "jetzt")
def right_now(scene: Scene) -> Time:
    return fixed(floor(scene.wall, "second"), "second", {"date", "clock"}).but(exact=scene.wall, exact_at=scene.now_at)


@ENGLISH.rule("today todays heute")
@ENGLISH.rule("at", "this", "time")
@GERMAN.rule("heute heut today")
@GERMAN.rule("zu", "dieser", "zeit")
def today(scene: Scene) -> Time:
    return days_from(scene, 0)


@ENGLISH.rule("tomorrow tomorow tommorow tommorrow tmrw tmr tmw tomorrows")
@GERMAN.rule("morgen tomorrow")
def tomorrow(scene: Scene) -> Time:
    return days_from(scene, 1)


@ENGLISH.rule("yesterday yesterdays")
@GERMAN.rule("gestern")
def yesterday(scene: Scene) -> Time:
    return days_from(scene, -1)


@ENGLISH.rule("the?", "day", "after", "tomorrow")
@GERMAN.rule("uebermorgen")
@ENGLISH.rule("uebermorgen")
def in_two_days(scene: Scene) -> Time:
    return days_from(scene, 2)


@ENGLISH.rule("the?", "day", "before", "yesterday")
@GERMAN.rule("vorgestern")
def two_days_ago(scene: Scene) -> Time:
    return days_from(scene, -2)


@GERMAN.rule("ueberuebermorgen")
def in_three_days(scene: Scene) -> Time:
    return days_from(scene, 3)


@GERMAN.rule("vorvorgestern")
def three_days_ago(scene: Scene) -> Time:
    return days_from(scene, -3)


@ENGLISH.rule("tonight tonite tonights")
def tonight(scene: Scene) -> Time | None:
    return combine(days_from(scene, 0), part_of_day("tonight"))


@ENGLISH.rule("last", "night")
def last_night(scene: Scene) -> Time | None:
    return combine(days_from(scene, -1), part_of_day("night"))


@GERMAN.rule("morgen", cost=0.2)
def morgen(_: Scene) -> Time:
    """ "Morgen" is the morning only beside a day or an article."""
    return part_of_day("morgen").but(latent=True)


@GERMAN.rule("am der dem diesem den des", a(Time, lambda t: is_part(t) and t.part == "morgen" and t.latent))
def am_morgen(_: Scene, part: Time) -> Time:
    return part.but(latent=False)
