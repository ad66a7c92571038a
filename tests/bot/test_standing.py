from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot import standing
from bot.settings import Settings
from memory.account import Account
from tests.doubles.owner import an_owner

NOW = datetime(2026, 3, 2, 7, 14, tzinfo=UTC)


def account(name: str, state: str = "on") -> Account:
    return Account(id=1, owner_id=1, name=name, kind="imap", identity="", settings={}, state=state, added_at=NOW)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("accounts", "line"),
    [
        pytest.param([], "off  mail and calendars: stillbell accounts add NAME ADDRESS", id="none"),
        pytest.param([account("work"), account("cal")], "on   mail and calendars: work, cal", id="on"),
        pytest.param(
            [account("work"), account("cal", "refused")],
            "on   mail and calendars: work; refused: cal (stillbell accounts list)",
            id="one is refused",
        ),
        pytest.param(
            [account("cal", "refused")],
            "off  mail and calendars: refused: cal (stillbell accounts list)",
            id="all are refused",
        ),
    ],
)
def test_the_start_says_which_accounts_are_on(accounts: list[Account], line: str, tmp_path: Path) -> None:
    said = standing.lines(Settings(home=tmp_path), an_owner(), accounts, None, NOW)
    assert said[1] == line
    assert len(said) == 4
