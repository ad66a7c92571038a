"""From a partial time to the moments it may mean, likeliest first, seen from now."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import islice

from memory.when.grain import Grain, finer, floor, rank, step
from memory.when.habits import AWAKE, DAY_ANCHOR, PARTS, SURE_AFTERNOON, SURE_MORNING, WEEKEND_ANCHOR
from memory.when.node import Every, Scene, Time
from memory.when.reading import Kind, Reading
from memory.when.returning import readings_of_every
from memory.when.series import Series, Stretch, ahead_of, last_before
from memory.when.times import DAYS, END

READINGS_AT_MOST = 4
RECENT_FOR = timedelta(days=60)
WEEK_FOR = timedelta(days=7)
WEEKEND_FOR = timedelta(hours=54)
FAR_FOR = timedelta(days=400)
"""A full date with its weekday that fits within the last RECENT_FOR and then not for FAR_FOR was meant to be past."""


def readings_of(scene: Scene, node: Time | Every) -> tuple[Reading, ...]:
    """Every way to understand the node; none when it names no time that exists."""
    if isinstance(node, Every):
        return readings_of_every(scene, node, _first_wall)
    if node.exact is not None:
        return (_exact(scene, node, node.exact),)
    found: list[Stretch] = []
    for series in node.choices:
        found += [stretch for stretch in _candidates(scene, node, series) if stretch not in found]
    found = [stretch for stretch in found if stretch.end > scene.wall] or found
    return tuple(_reading(scene, node, stretch) for stretch in found[:READINGS_AT_MOST])


def _first_wall(scene: Scene, time: Time) -> datetime | None:
    """Where a time that bounds a rule of return lies."""
    readings = readings_of(scene, time)
    return readings[0].wall if readings else None


def _candidates(scene: Scene, time: Time, series: Series) -> list[Stretch]:
    ahead = list(islice(_ahead(scene, time, series), 6 if time.half else 2))
    if (
        "weekday" in time.facets
        and time.facets & {"day", "date"}
        and not time.past
        and (not ahead or ahead[0].start - scene.wall > FAR_FOR)
        and not _was_meant(scene, time, series, ahead)
    ):
        return _disagreeing(scene, time, ahead)
    if not ahead or (time.past and ahead[0].start > scene.wall):
        last = last_before(series, scene.wall)
        return [last] if last else ahead[:1]
    if _was_meant(scene, time, series, ahead):
        last = last_before(series, scene.wall)
        return [last] if last else []
    if time.half:
        return _halves(scene, time, ahead)
    return _later(scene, time, ahead)


def _ahead(scene: Scene, time: Time, series: Series) -> Iterator[Stretch]:
    """What is not over, and for a point on the clock, not begun."""
    running = time.interval or rank(time.grain) >= rank("day")
    return (s for s in ahead_of(series, scene.wall) if running or s.start >= floor(scene.wall, "minute"))


def _disagreeing(scene: Scene, time: Time, ahead: list[Stretch]) -> list[Stretch]:
    """Tuesday 9 May, when the next 9th of May is no Tuesday: the date, or the year in which they agree."""
    found = [s for series in time.loose for s in islice(_ahead(scene, time, series), 1)]
    if not found and time.loose:
        last = last_before(time.loose[0], scene.wall)
        found = [last] if last else []
    if "year" in time.facets:
        return ahead[:1] or found
    return [*(s for s in ahead[:1] if s.start - scene.wall < 2 * FAR_FOR), *found] if time.loose else []


def _was_meant(scene: Scene, time: Time, series: Series, ahead: list[Stretch]) -> bool:
    if not {"weekday", "month"} <= time.facets or (ahead and ahead[0].start - scene.wall < FAR_FOR):
        return False
    return any(stretch.start < scene.wall for stretch in series.spans(scene.wall - RECENT_FOR, scene.wall))


def _later(scene: Scene, time: Time, ahead: list[Stretch]) -> list[Stretch]:
    """Friday, said on a Friday, is the next; with an hour that is still to come, it may be today."""
    today = floor(scene.wall, "day")
    if (
        time.interval
        and len(ahead) > 1
        and ahead[0].start < today
        and ahead[1].start - ahead[0].start <= WEEK_FOR
        and "weekend" not in time.facets
    ):
        return [ahead[1], ahead[0]]
    if not time.later or floor(ahead[0].start, "day") != today:
        return ahead[:1]
    after = [s for s in ahead if s.start >= step(today, "day")][:1]
    return [ahead[0], *after] if time.facets & {"clock", "part"} else after


def _halves(scene: Scene, time: Time, ahead: list[Stretch]) -> list[Stretch]:
    """Morning or afternoon, when it was not said."""
    if not time.facets & DAYS:
        return _by_waking(ahead[:2])
    first = ahead[0]
    same_day = [s for s in ahead if s.start.date() == first.start.date()][:2]
    likely = _by_hour(scene, same_day)
    if time.later and floor(first.start, "day") == floor(scene.wall, "day"):
        then = next((s.start.date() for s in ahead if s.start.date() > first.start.date()), None)
        later = _by_hour(scene, [s for s in ahead if s.start.date() == then][:2])
        # Monday at 9, said on a Monday at 6 in the evening: when the usual half of today is over, next week comes first.
        return [*later, *likely] if later and later[0].start.time() != likely[0].start.time() else [*likely, *later]
    return likely


def _by_waking(next_two: list[Stretch]) -> list[Stretch]:
    """The next one, if people are awake then and it is this morning, or the other is in the night."""
    awake = [AWAKE[0] <= s.start.hour < AWAKE[1] for s in next_two]
    if awake == [False, True]:
        return next_two[::-1]
    if awake[0] and (len(next_two) == 1 or not awake[1] or next_two[0].start.hour < 12):
        return next_two[:1]
    return next_two


def _by_hour(scene: Scene, same_day: list[Stretch]) -> list[Stretch]:
    """On a day that was named: by the hour alone."""
    if len(same_day) < 2:
        return same_day
    morning, afternoon = same_day
    hour = morning.start.hour
    if hour in SURE_AFTERNOON and not (hour == 5 and morning.start.minute):
        return [afternoon] if scene.language == "en" else [afternoon, morning]
    if hour == 0:
        return [afternoon]
    if hour in SURE_MORNING or scene.language == "de":
        return [morning]
    return [morning, afternoon]


def _exact(scene: Scene, time: Time, exact: datetime) -> Reading:
    wall = exact.replace(microsecond=0, fold=0)
    kind: Kind = "duration" if time.duration else "instant"
    grain: Grain = time.grain if time.exact_at is not None or rank(time.grain) > rank("day") else finer(time.grain)
    if "clock" in time.facets:
        grain = time.grain
    return Reading(
        wall=wall,
        anchor=wall,
        grain=grain,
        kind=kind,
        bound=time.bound,
        at=time.exact_at,
        explanation=_said(wall, None, grain),
    )


def _reading(scene: Scene, time: Time, stretch: Stretch) -> Reading:
    closing = time.bound in ("until", "by", "before") and time.interval and time.value == END
    passing = time.bound == "after" and (time.interval or rank(time.grain) >= rank("day"))
    wall = stretch.end if closing or passing else stretch.start
    end = None if closing or passing or not time.interval else stretch.end
    kind: Kind = "interval" if end is not None else "instant"
    anchor = _anchor(scene, time, stretch, closing=closing) if not passing else _morning_after(wall)
    return Reading(
        wall=wall,
        anchor=anchor,
        grain=time.grain,
        kind=kind,
        end=end,
        bound=time.bound,
        explanation=_said(wall, end, time.grain),
    )


def _morning_after(wall: datetime) -> datetime:
    """After Friday, after the weekend: at the usual hour of the day that follows."""
    return datetime.combine(wall, DAY_ANCHOR) if wall == floor(wall, "day") else wall


def _anchor(scene: Scene, time: Time, stretch: Stretch, *, closing: bool) -> datetime:
    day = floor(stretch.start, "day")
    if closing or time.at_end:
        wished = (
            datetime.combine(floor(stretch.end - timedelta(seconds=1), "day"), DAY_ANCHOR)
            if rank(time.grain) >= rank("day")
            else stretch.end
        )
    elif time.part and time.interval:
        wished = max(datetime.combine(day, PARTS[time.part].anchor), stretch.start)
    elif "weekend" in time.facets or (time.interval and stretch.end - stretch.start == WEEKEND_FOR):
        wished = datetime.combine(step(floor(stretch.end, "day"), "day", -2), WEEKEND_ANCHOR)
    elif rank(time.grain) >= rank("day"):
        wished = datetime.combine(day, DAY_ANCHOR)
    else:
        return stretch.start
    if wished < scene.wall < stretch.end:
        soon = step(floor(scene.wall, "hour"), "hour")
        return soon if soon < stretch.end else scene.wall.replace(second=0, microsecond=0) + timedelta(minutes=1)
    return wished


def _said(wall: datetime, end: datetime | None, grain: Grain) -> str:
    """In words a person can check: "Friday, 6 March 2026, 15:00"."""
    day = f"{wall:%A}, {wall.day} {wall:%B} {wall.year}"
    if rank(grain) < rank("day"):
        day += f", {wall:%H:%M:%S}" if grain == "second" and wall.second else f", {wall:%H:%M}"
    elif grain != "day":
        day = {"week": f"the week of {day}", "month": f"{wall:%B} {wall.year}", "year": str(wall.year)}.get(
            grain, f"the {grain} from {day}"
        )
    if end is None:
        return day
    last = end if rank(grain) < rank("day") else end - timedelta(days=1)
    shown = (
        f"{last:%H:%M}"
        if last.date() == wall.date() and rank(grain) < rank("day")
        else f"{last:%A}, {last.day} {last:%B} {last.year}"
    )
    return f"{day} to {shown}"
