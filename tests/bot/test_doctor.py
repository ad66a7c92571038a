from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot import doctor
from bot.doctor import Begun, Finding, Held, Kept, Live, Meant, Parts, Seen
from memory.account import Account
from memory.audit_chain import Broken, Verified
from memory.decide.score import Fitted

NOW = datetime(2026, 3, 2, 7, 14, tzinfo=UTC)
KEPT = Kept(mails=3, newest_at=NOW, wall=datetime(2026, 3, 2, 8, 14), zone="Europe/Berlin")


def private(path: Path) -> Path:
    path.write_text("x")
    path.chmod(0o600)
    return path


def test_a_settings_file_that_others_can_read_is_a_warning(tmp_path: Path) -> None:
    file = private(tmp_path / "settings.env")
    assert doctor.check_settings(file).state == "ok"
    file.chmod(0o644)
    found = doctor.check_settings(file)
    assert (found.state, found.next_step) == ("warn", f"chmod 600 {file}")
    assert doctor.check_settings(tmp_path / "none").state == "ok"


def test_the_database_is_missing_strange_open_to_others_or_well(tmp_path: Path) -> None:
    file = private(tmp_path / "s.db")
    assert doctor.check_database(file, None, None).state == "off"
    assert doctor.check_database(file, None, "damaged: restore").text == "damaged: restore"
    assert doctor.check_database(file, None, "damaged: restore").state == "bad"
    assert doctor.check_database(file, KEPT, None).state == "ok"
    file.chmod(0o640)
    assert doctor.check_database(file, KEPT, None).state == "warn"


@pytest.mark.parametrize(
    ("is_held", "live", "state"),
    [
        pytest.param(False, None, "off", id="nobody runs"),
        pytest.param(True, None, "bad", id="held by one that does not answer"),
        pytest.param(True, Live(pid=1), "ok", id="running"),
        pytest.param(True, Live(pid=1, parked=("mail: boom",)), "warn", id="a job was given up"),
    ],
)
def test_the_lock_says_who_runs_and_whether_it_answers(is_held: bool, live: Live | None, state: str) -> None:
    found = doctor.check_lock(is_held=is_held, holder="process 1", live=live)
    assert found.state == state
    assert found.next_step or state == "ok"


def test_a_clock_before_the_newest_row_is_wrong() -> None:
    assert doctor.check_clock(NOW, KEPT).state == "ok"
    assert "Europe/Berlin" in doctor.check_clock(NOW, KEPT).text
    assert doctor.check_clock(NOW - timedelta(seconds=30), KEPT).state == "ok"
    assert doctor.check_clock(NOW - timedelta(hours=1), KEPT).state == "bad"
    assert doctor.check_clock(NOW, None).state == "ok"


@pytest.mark.parametrize(
    ("parts", "state", "text"),
    [
        pytest.param(Parts(telegram="paired", round_at=NOW - timedelta(seconds=9)), "ok", "9 s ago", id="well"),
        pytest.param(Parts(telegram="unpaired", round_at=NOW), "warn", "nobody is paired", id="not paired"),
        pytest.param(Parts(telegram="paired", round_at=NOW - timedelta(minutes=2)), "bad", "not answered", id="silent"),
        pytest.param(Parts(telegram="paired"), "ok", "first poll", id="just started"),
        pytest.param(
            Parts(telegram="paired", round_at=NOW, telegram_trouble="another poller runs"),
            "bad",
            "poller",
            id="trouble",
        ),
        pytest.param(Parts(telegram="off"), "warn", "without it", id="token set after the start"),
    ],
)
def test_telegram_is_judged_by_its_last_answer(parts: Parts, state: str, text: str) -> None:
    found = doctor.check_telegram(has_token=True, live=Live(pid=1, parts=parts), now=NOW)
    assert found.state == state
    assert text in found.text


def test_without_a_token_or_a_daemon_telegram_is_off_with_a_next_step() -> None:
    assert "STILLBELL_TELEGRAM_TOKEN" in doctor.check_telegram(has_token=False, live=None, now=NOW).next_step
    assert doctor.check_telegram(has_token=True, live=None, now=NOW).state == "off"


def test_the_model_is_named_off_or_in_trouble() -> None:
    assert doctor.check_model("a model", None) == Finding(name="model", state="ok", text="a model")
    assert "ANTHROPIC_API_KEY" in doctor.check_model(None, None).next_step
    assert doctor.check_model(None, "no price").state == "bad"


@pytest.mark.parametrize(
    ("free_bytes", "state"), [(50_000_000_000, "ok"), (500_000_000, "warn"), (1_000_000, "bad")], ids=str
)
def test_a_full_disk_is_seen_before_it_is_full(free_bytes: int, state: str) -> None:
    assert doctor.check_disk(Path("/somewhere"), free_bytes).state == state


def test_what_is_live_survives_the_wire() -> None:
    live = Live(pid=7, jobs={"pending": 2}, parked=("a: b",), parts=Parts(telegram="paired", round_at=NOW))
    assert doctor.live_from_json(doctor.live_as_json(live)) == live


@pytest.mark.parametrize(
    ("port", "live", "state"),
    [
        pytest.param(0, None, "off", id="turned off"),
        pytest.param(8787, None, "off", id="nobody runs"),
        pytest.param(8787, Live(pid=1), "warn", id="the port was taken"),
        pytest.param(8787, Live(pid=1, parts=Parts(web="http://127.0.0.1:8787")), "ok", id="it listens"),
    ],
)
def test_the_web_chat_is_off_in_trouble_or_told_with_its_address(port: int, live: Live | None, state: str) -> None:
    found = doctor.check_web(port=port, live=live)
    assert found.state == state
    assert found.next_step or "http://127.0.0.1:8787" in found.text


def held(*, mails: int = 0, events: int = 0, **given: object) -> Held:
    usual: dict[str, object] = {
        "id": 1, "owner_id": 1, "name": "work", "kind": "imap", "identity": "anna@gmx.de", "settings": {},
        "added_at": NOW, "seen_at": NOW - timedelta(minutes=2),
    }  # fmt: skip
    return Held(account=Account(**(usual | given)), mails=mails, events=events)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "live", "state", "text", "step"),
    [
        pytest.param(held(mails=1234), Live(pid=1), "ok", "seen 2 min ago, 1,234 mails", "", id="well"),
        pytest.param(held(kind="google", mails=1, events=2), None, "ok", "1 mails, 2 events", "", id="with a calendar"),
        pytest.param(
            held(state="refused", trouble="the password is refused"), None, "bad", "the password is refused",
            "stillbell accounts renew work", id="refused",
        ),
        pytest.param(
            held(state="refused", kind="google"), None, "bad", "refused", "stillbell auth google work",
            id="refused at Google",
        ),
        pytest.param(
            held(failures=3, trouble="no answer in time"), Live(pid=1), "warn", "3 times in a row: no answer in time",
            "by itself", id="in trouble",
        ),
        pytest.param(held(seen_at=None), Live(pid=1), "ok", "first reading is under way", "", id="being read"),
        pytest.param(held(seen_at=None), None, "off", "not read yet", "", id="not read yet"),
        pytest.param(
            held(seen_at=NOW - timedelta(hours=3)), Live(pid=1), "warn", "3 h ago", "stillbell accounts test work",
            id="stuck",
        ),
        pytest.param(held(seen_at=NOW - timedelta(days=5)), None, "ok", "5 days ago", "", id="long ago, and nobody runs"),
    ],
)  # fmt: skip
def test_each_account_is_well_waiting_in_trouble_or_refused(
    one: Held, live: Live | None, state: str, text: str, step: str
) -> None:
    (found,) = doctor.check_accounts([one], live=live, now=NOW)
    assert (found.name, found.state) == ("account", state)
    assert text in found.text
    assert step in found.next_step


def test_without_an_account_the_way_to_one_is_named() -> None:
    (found,) = doctor.check_accounts([], live=None, now=NOW)
    assert found.state == "off"
    assert "accounts add" in found.next_step


def test_exclusions_are_counted_and_a_list_that_can_not_be_read_is_bad() -> None:
    assert doctor.check_exclusions(0, 0, None).state == "off"
    assert doctor.check_exclusions(2, 31, None).text == "2 rules, 31 passed over so far"
    assert doctor.check_exclusions(0, 0, "line 1 is no rule").state == "bad"


def test_the_decision_model_is_cold_trained_or_not_to_be_used() -> None:
    fitted = Fitted(
        trained_at=NOW, since=NOW - timedelta(days=90), until=NOW, mails=4000, acted=300, names=(), means=(), scales=(),
        weights=(), marks={}, base=0.0,
    )  # fmt: skip
    assert "cold start" in doctor.check_decision(None, mails=3).text
    found = doctor.check_decision(fitted, mails=4000)
    assert found.state == "ok"
    assert "trained 2026-03-02 07:14 UTC on 4,000 mails from 2025-12-02 to 2026-03-02, 300 of them" in found.text
    assert doctor.check_decision(None, mails=3, trouble="it is damaged").state == "warn"


def test_a_chain_is_whole_broken_or_not_there_yet() -> None:
    assert doctor.check_chain(None).state == "off"
    assert "214 rows" in doctor.check_chain(Verified(None, 214, "a" * 64)).text
    found = doctor.check_chain(Verified(Broken(3, "a row was changed"), 214, "a" * 64))
    assert found.state == "bad"
    assert "place 3: a row was changed" in found.text


LOOKED = Seen(kind="notes", path="/n", looked_at=NOW - timedelta(minutes=1), items=3)


@pytest.mark.parametrize(
    ("place", "live", "state", "text"),
    [
        pytest.param(LOOKED, Live(pid=1), "ok", "looked at 1 min ago, 3 items", id="well"),
        pytest.param(replace(LOOKED, bad=2), Live(pid=1), "warn", "2 that can't be read", id="bad files"),
        pytest.param(replace(LOOKED, trouble="it is not there"), None, "warn", "not there", id="its folder is away"),
        pytest.param(replace(LOOKED, is_reading=True), Live(pid=1), "ok", "being read", id="a look is under way"),
        pytest.param(Seen(kind="notes", path="/n"), Live(pid=1), "ok", "not looked at yet", id="just begun"),
        pytest.param(Seen(kind="notes", path="/n"), None, "off", "while Stillbell runs", id="nobody looks"),
    ],
)
def test_a_watched_place_says_how_it_does(place: Seen, live: Live | None, state: str, text: str) -> None:
    (found,) = doctor.check_watched([place], live=live, now=NOW)
    assert found.state == state
    assert text in found.text
    assert found.next_step or state != "warn"
    assert doctor.check_watched((), live=live, now=NOW)[0].state == "off"


def test_an_import_that_was_stopped_is_a_warning_that_says_how_to_go_on() -> None:
    assert doctor.check_imports(()).state == "off"
    whole = Begun(path="/mail", is_done=True, bad=1)
    found = doctor.check_imports([whole])
    assert (found.state, found.text) == ("ok", "mail from 1 path, all whole, 1 mail unreadable")
    stopped = doctor.check_imports([whole, Begun(path="/more", is_done=False, bad=0)])
    assert (stopped.state, stopped.next_step) == ("warn", "stillbell import mail /more goes on with it")


@pytest.mark.parametrize(
    ("setting", "installed", "live", "state", "text"),
    [
        pytest.param("off", "/e5", Live(pid=1), "off", "turned off", id="turned off"),
        pytest.param(None, None, Live(pid=1), "off", "no model is installed", id="none installed"),
        pytest.param(None, "/e5", None, "off", "used while Stillbell runs; 9 passages", id="nobody runs"),
        pytest.param(None, "/e5", Live(pid=1), "ok", "being loaded", id="not loaded yet"),
        pytest.param(
            None, "/e5", Live(pid=1, meaning=Meant(model="e5", passages=9, embedded=4)), "ok", "4 of 9", id="on its way"
        ),
        pytest.param(
            "/own", None, Live(pid=1, meaning=Meant(model="own", passages=9, embedded=9)), "ok", "all of 9", id="done"
        ),
        pytest.param(
            "/own", None, Live(pid=1, parts=Parts(meaning_trouble="no model there")), "warn", "no model there", id="bad"
        ),
    ],
)
def test_finding_by_meaning_says_whether_by_what_and_how_far(
    setting: str | None, installed: str | None, live: Live | None, state: str, text: str
) -> None:
    path = Path(installed) if installed else None
    found = doctor.check_meaning(setting, installed=path, live=live, passages=9)
    assert found.state == state
    assert text in found.text
