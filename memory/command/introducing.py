"""Words that ask for an introduction: "introduce Anna to Jonas". Who asked for it is taken from them only where they say so."""

import re
from dataclasses import dataclass

NAME_MAX = 80

_POLITE = re.compile(r"^(?:(?:please|bitte|ok|okay)[,!. ]+)+|[ ,]*(?:please|bitte)?[.! ]*$", re.IGNORECASE)
_A, _B = rf"(?P<a>[^,:;]{{1,{NAME_MAX}}}?)", rf"(?P<b>[^,:;]{{1,{NAME_MAX}}}?)"
_WHO = rf"(?:[,;]?\s+(?:(?P<asker>[^,:;]{{1,{NAME_MAX}}}?)\s+(?:asked(?: (?:me|for it))?|hat(?: mich)? (?:darum )?(?:gefragt|gebeten))))?"


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_BOTH = (
    _pattern(rf"introduce\s+{_A}\s+(?:to|and|with)\s+{_B}{_WHO}"),
    _pattern(rf"(?:make|do)\s+an\s+intro(?:duction)?\s+(?:between|of)\s+{_A}\s+(?:to|and)\s+{_B}{_WHO}"),
    _pattern(rf"stelle?\s+{_A}\s+und\s+{_B}(?:\s+einander)?\s+vor{_WHO}"),
    _pattern(rf"stelle?\s+(?P<a>\S{{1,{NAME_MAX}}})\s+(?P<b>\S{{1,{NAME_MAX}}})\s+vor{_WHO}"),
    _pattern(rf"mach(?:e)?\s+{_A}\s+(?:mit|und)\s+{_B}\s+bekannt{_WHO}"),
)
_ASKED = (
    _pattern(rf"{_A}\s+(?:asked|asks)\s+(?:me\s+)?for an intro(?:duction)? to\s+{_B}"),
    _pattern(rf"{_A}\s+(?:wants|would like) to meet\s+{_B}[,:;]\s+introduce them"),
    _pattern(rf"{_A}\s+(?:möchte|will)\s+{_B}\s+kennen\s?lernen[,:;]\s+stelle? sie (?:einander )?vor"),
)
_STOP = (
    _pattern(r"(?:stop|end|cancel|drop)\s+the\s+introduction(?:\s+of\s+.{1,160})?"),
    _pattern(r"(?:brich|stopp|stoppe|beende)\s+die\s+vorstellung(?:\s+(?:von|mit)\s+.{1,160}?)?(?:\s+ab)?"),
)


@dataclass(frozen=True, slots=True)
class Introducing:
    """Two people by name or address. asker: which of the two asked, "" where the words don't say."""

    first: str
    second: str
    asker: str = ""

    @property
    def target(self) -> str:
        """The other one, once it is known who asked."""
        return self.second if self.asker == self.first else self.first


def read_introducing(text: str) -> Introducing | None:
    """Whom the words want introduced; None when they are about something else."""
    said = " ".join(_POLITE.sub("", text.strip()).split())
    if said.endswith("?"):
        return None
    for pattern in _BOTH:
        if found := pattern.fullmatch(said):
            return _known(found["a"], found["b"], found["asker"] or "")
    for pattern in _ASKED:
        if found := pattern.fullmatch(said):
            return Introducing(found["a"], found["b"], found["a"])
    return None


def is_stopping(text: str) -> bool:
    """Whether the words end an introduction that is on its way."""
    said = " ".join(_POLITE.sub("", text.strip()).split())
    return any(pattern.fullmatch(said) for pattern in _STOP)


def _known(first: str, second: str, asker: str) -> Introducing:
    """`asker` as one of the two: by the whole name or its beginning."""
    said = asker.casefold()
    is_first, is_second = (bool(said) and name.casefold().startswith(said) for name in (first, second))
    return Introducing(first, second, "" if is_first == is_second else first if is_first else second)
