import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.files.zones import zones

SIZE_CHARS = 1_000_000
ENOUGH_S = 12.0  # of the processor's time; the worst takes a sixth of it, and minutes were it not linear

HOSTILE = {
    "opener-without-end": "On " + "a " * 500_000,
    "opener-on-every-line": ("On " + "a " * 90 + "\n") * 5_400,
    "opener-and-blanks": "On " + "a " * 20_000 + "\n" + " " * 900_000,
    "marks": ">" * SIZE_CHARS,
    "marks-and-blanks": "> " * 500_000,
    "a-mark-a-line": ">\n" * 500_000,
    "marks-and-answers": ">\na\n" * 250_000,
    "ends-of-attributions": ("a\n" * 3 + "wrote:\n") * 77_000,
    "attributions": "On 1.1.20 10:00 wrote:\n" * 29_000 + "\n" * 330_000 + "x\n> x",
    "headers": "From: a@b.example\n\n\n" * 50_000,
    "fields": "a: b\n" * 200_000,
    "rulers": "_____\n" * 166_000,
    "dates": "1.1.2020 10:00\nTo: \n" * 50_000,
    "foreign": ("Den " + "skrev " * 60 + "\n") * 2_700,
    "endings": "x\nBest,\nBob\n> q\n" * 62_000,
    "footers": (">\n" + "this e-mail " * 24 + "\n") * 3_400,
    "blanks": " " * SIZE_CHARS,
    "empty-lines": "\n" * SIZE_CHARS,
    "one-word": "w" * SIZE_CHARS + ":",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_text_takes_time_in_proportion_to_its_length(text: str) -> None:
    began_s = time.process_time()
    zones(text[:SIZE_CHARS])
    assert time.process_time() - began_s < ENOUGH_S


PIECES = st.sampled_from(
    [
        "> ", ">", "On 3/2/26 9:12 AM, Ben wrote:", "From: ben@example.org", "Sent: Monday 9:12", "Subject: x", "\n", "\n\n", "-- ",
        "Best,", "Ben", "PS: x", "_" * 30, "mailing list", "-----Original Message-----", "Begin forwarded message:", ">:", "| ",
        "Ben> ", "Le 2 mars 2026 a écrit :", "Op 2 maart schreef Ben:", "Sent from my iPhone", " ", "\xa0", "x" * 70,
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES | st.text(max_size=10), max_size=40).map("".join))
def test_any_text_is_split_without_losing_a_line(text: str) -> None:
    found = zones(text)
    assert "\n".join(found.lines) == text
    assert len(found.labels) == len(found.lines)
