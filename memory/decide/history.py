"""History: what the owner did with mail up to now, fed one exchange after the other, in order of time.

What it says of a mail is asked before that mail is fed. So it can rest on nothing that came later: there is nothing later
in here.
"""

from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta

from memory.decide.activity import Activity
from memory.decide.circumstance import Moment, chains
from memory.decide.correspondent import DAY_S, Conversation, Correspondent, Met
from memory.decide.exchange import Exchange
from memory.decide.form import Form, form_of
from memory.decide.habit import ALL, Habits, log_odds
from memory.decide.labels import ACT_FOR, Act, Open
from memory.decide.topics import Topics, topic_words

FARED_MAILS, FARED_S, FARED_STRENGTH = 64, 2 * DAY_S, 5.0
"""How mail of the last two days fared: of at most so many mails, with the usual share counting as so many more."""
THREADS_MAX = 20_000
"""So many threads are remembered, the newest."""

Wall = Callable[[datetime], datetime]
"""What the owner's clock on the wall shows at a moment (aware UTC)."""


class History:
    """What the owner did with mail so far. `wall` gives their own time, for hours and weekdays. For one thread only."""

    def __init__(self, wall: Wall) -> None:
        self._wall = wall
        self._open = Open()
        self._habits = Habits()
        self._topics = Topics()
        self._activity = Activity()
        self._people: dict[str, Correspondent] = {}
        self._threads: dict[str, Conversation] = {}
        self._met: dict[str, Met] = {}
        self._fared: deque[Met] = deque(maxlen=FARED_MAILS)
        self._last_s = float("-inf")

    def numbers(self, exchange: Exchange, form: Form) -> dict[str, float]:
        """What the past says of a mail that has not been fed yet: always the same names, in the same order."""
        at_s = self._at_s(exchange)
        person = self._people.get(exchange.sender) or Correspondent()
        thread = self._threads.get(exchange.thread) or Conversation()
        return {
            **self._activity.numbers(at_s, self._wall(exchange.at)),
            **person.numbers(at_s),
            **thread.numbers(exchange, at_s),
            **self._topics.numbers(topic_words(exchange), self._habits.share((), at_s), at_s),
            **self._of_habits(exchange, form, at_s),
        }

    def feed(self, exchange: Exchange) -> Act | None:
        """Take in one exchange; of a mail of the owner's, on which received mail it acts.

        One that comes out of order counts as written when the one before it was.
        """
        self._last_s = at_s = self._at_s(exchange)
        act = self._sent(exchange, at_s) if exchange.by_owner else None
        if not exchange.by_owner:
            self._came(exchange, at_s)
        thread = self._threads.pop(exchange.thread, None) or Conversation()
        self._threads[exchange.thread] = thread  # the newest last, so that the oldest is let go of
        if len(self._threads) > THREADS_MAX:
            del self._threads[next(iter(self._threads))]
        thread.join(exchange, at_s)
        return act

    def _at_s(self, exchange: Exchange) -> float:
        return max(exchange.at.timestamp(), self._last_s)

    def _of_habits(self, exchange: Exchange, form: Form, at_s: float) -> dict[str, float]:
        usual = self._habits.share((), at_s)
        fared = [met.acted for met in self._fared if at_s - met.at_s < FARED_S]
        habits = {
            f"habit_{name}": log_odds(self._habits.share(chain, at_s))
            for name, chain in chains(exchange, form, self._moment(exchange, at_s)).items()
        }
        lately = (sum(fared) + FARED_STRENGTH * usual) / (len(fared) + FARED_STRENGTH)
        return {"habit_all": log_odds(usual), "habit_lately": log_odds(lately), **habits}

    def _moment(self, exchange: Exchange, at_s: float) -> Moment:
        person = self._people.get(exchange.sender) or Correspondent()
        return Moment(
            wall=self._wall(exchange.at),
            wrote_for=_since(at_s, self._activity.written.last_s),
            spoke_for=_since(at_s, person.written_s),
            spoke_last=person.spoke_last,
        )

    def _came(self, exchange: Exchange, at_s: float) -> None:
        named = chains(exchange, form_of(exchange), self._moment(exchange, at_s))
        circumstances = (ALL, *dict.fromkeys(each for chain in named.values() for each in chain))
        met = Met(at_s, exchange.sender, exchange.thread, circumstances, topic_words(exchange))
        self._habits.meet(circumstances, at_s)
        self._topics.came(met.words, at_s)
        self._open.receive(exchange)
        self._met[exchange.fingerprint] = met
        self._fared.append(met)
        self._activity.received(at_s, self._wall(exchange.at))
        self._person(exchange.sender).wrote(met)
        while self._met and at_s - (oldest := next(iter(self._met.items())))[1].at_s > ACT_FOR.total_seconds():
            del self._met[oldest[0]]

    def _sent(self, exchange: Exchange, at_s: float) -> Act | None:
        act = self._open.act(exchange)
        met = self._met.get(act.on) if act else None
        if met is not None and not met.acted:
            met.acted = True
            self._habits.act(met.circumstances, at_s)
            self._topics.acted(met.words, at_s)
            self._person(met.sender).acted_on(met, at_s)
            if met.thread in self._threads:
                self._threads[met.thread].acted += 1
        self._activity.wrote(at_s, self._wall(exchange.at))
        self._topics.written(topic_words(exchange), at_s)
        for key in exchange.people:
            self._person(key).written(at_s, exchange.said)
        return act

    def _person(self, key: str) -> Correspondent:
        return self._people.setdefault(key, Correspondent())


def _since(at_s: float, then_s: float | None) -> timedelta | None:
    return None if then_s is None else timedelta(seconds=at_s - then_s)
