"""What the arguments of tools have in common."""

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

ID_MAX = 2**53
"""The largest whole number that JSON carries everywhere; SQLite's own goes further."""

YEAR_MIN, YEAR_MAX = 1970, 2200
"""A year that a model made up may lie anywhere, and outside of every calendar."""

Id = Annotated[int, Field(ge=1, le=ID_MAX)]


class Arguments(BaseModel):
    """The base of all arguments: what is not declared is refused."""

    model_config = ConfigDict(extra="forbid", strict=False)


def _date(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        on = date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"{text!r} is no date; one looks like 2026-12-03") from error
    if not YEAR_MIN <= on.year <= YEAR_MAX:
        raise ValueError(f"the year must lie between {YEAR_MIN} and {YEAR_MAX}")
    return on.isoformat()


DateOrNone = Annotated[str | None, AfterValidator(_date)]
"""A date on the owner's own clock, as 2026-12-03, or None."""
