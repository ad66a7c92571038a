"""The report of an eval: what held, what was seen, and the figures."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, in the database or on the wire."""

    what: str
    held: bool
    seen: str = ""


@dataclass(slots=True)
class Report:
    """What an eval found. `figures` are printed as they are."""

    name: str
    provider: str
    checks: list[Check] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)

    def check(self, what: str, held: object, seen: object = "") -> None:
        """Note one thing."""
        self.checks.append(Check(what, bool(held), str(seen)))

    @property
    def passed(self) -> bool:
        """Whether everything held."""
        return all(check.held for check in self.checks)

    def lines(self) -> list[str]:
        """The report for a terminal."""
        head = f"{self.name}: {'ok' if self.passed else 'NOT OK'} (provider: {self.provider})"
        checks = [f"  {'ok ' if c.held else 'NO '} {c.what}{f' – {c.seen}' if c.seen else ''}" for c in self.checks]
        return [head, *checks, *(f"  {figure}" for figure in self.figures)]
