"""Activity: when the owner writes, and when mail comes."""

import math
from bisect import bisect_left
from datetime import datetime, timedelta

from memory.decide.form import grown
from memory.decide.habit import Fading

WINDOWS = {"20m": 20 * 60, "1h": 3_600, "4h": 4 * 3_600, "24h": 86_400, "7d": 7 * 86_400}
"""In seconds."""
RECENT_S = 7 * 86_400
HOURS_FADE_FOR = timedelta(days=60)
NEVER = 13.0
"""The grown count of minutes that stands for "never": ten months."""


def minutes_since(at_s: float, then_s: float | None) -> float:
    """The grown count of minutes since then (both in seconds since 1970); NEVER for None."""
    return NEVER if then_s is None else min(NEVER, grown((at_s - then_s) / 60))


class Recent:
    """The moments of the last seven days, in order. In seconds since 1970."""

    def __init__(self) -> None:
        self._moments: list[float] = []

    @property
    def last_s(self) -> float | None:
        """The last one ever, None before the first."""
        return self._moments[-1] if self._moments else None

    def add(self, at_s: float) -> None:
        """Note a moment, and let go of the old ones now and then."""
        self._moments.append(at_s)
        if len(self._moments) % 256 == 0:
            del self._moments[: bisect_left(self._moments, at_s - RECENT_S)]

    def within(self, at_s: float, seconds: float) -> int:
        """How many lie in the last so many seconds."""
        return len(self._moments) - bisect_left(self._moments, at_s - seconds)


class Activity:
    """What came and what the owner wrote, by the hours of their weekdays and weekends, and in the last days."""

    def __init__(self) -> None:
        self.written, self.came = Recent(), Recent()
        self._hours = {name: [Fading(HOURS_FADE_FOR) for _ in range(48)] for name in ("written", "came")}

    def wrote(self, at_s: float, wall: datetime) -> None:
        """The owner wrote something."""
        self.written.add(at_s)
        self._hours["written"][_hour(wall)].add(at_s)

    def received(self, at_s: float, wall: datetime) -> None:
        """Something came."""
        self.came.add(at_s)
        self._hours["came"][_hour(wall)].add(at_s)

    def numbers(self, at_s: float, wall: datetime) -> dict[str, float]:
        """How the owner's day stands at a moment; `wall` is what their clock shows then."""
        turn = (wall.hour + wall.minute / 60) * math.pi / 12
        written = {f"wrote_{name}": grown(self.written.within(at_s, span)) for name, span in WINDOWS.items()}
        came = {f"came_{name}": grown(self.came.within(at_s, span)) for name, span in WINDOWS.items()}
        return {
            "hour_sin": math.sin(turn),
            "hour_cos": math.cos(turn),
            "weekend": float(wall.weekday() >= 5),
            "usual_hour": self._usual_hour(_hour(wall), at_s),
            "since_wrote": minutes_since(at_s, self.written.last_s),
            "since_came": minutes_since(at_s, self.came.last_s),
            "keeps_up": written["wrote_24h"] - came["came_24h"],
            **written,
            **came,
        }

    def _usual_hour(self, hour: int, at_s: float) -> float:
        """How much of the owner's writing falls into this hour of the day, against the mail that comes in it: log odds."""
        day = hour - hour % 24
        near = [day + (hour + step) % 24 for step in (-1, 0, 1)]
        shares = []
        for hours in self._hours.values():
            total = sum(each.at(at_s) for each in hours)
            shares.append((sum(hours[each].at(at_s) for each in near) + 0.5) / (total + 8))
        return math.log(shares[0] / shares[1])


def _hour(wall: datetime) -> int:
    """The hour of the day, weekends apart."""
    return wall.hour + (24 if wall.weekday() >= 5 else 0)
