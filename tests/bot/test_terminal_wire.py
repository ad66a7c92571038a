import json
from datetime import UTC, datetime

import pytest

from bot.terminal import wire
from memory.errors import BadInput

SAID = wire.Said(
    id=7,
    role="stillbell",
    channel="telegram",
    text="Zwei Dinge – 🎄",
    at=datetime(2026, 3, 2, 7, 14, tzinfo=UTC),
    buttons=(wire.Button(label="Done", data="c:1:0123456789ab:done"),),
)
REQUESTS = (
    wire.Greet(),
    wire.Attach(history=5, after_id=3),
    wire.Say(id="a-1", text="hello\nyou", reply_to=4),
    wire.Tap(id="b", data="c:1:0123456789ab:done"),
    wire.Settle(),
    wire.Ask(id="c", what="find", args={"words": ["müll"], "limit": 3}),
)
ANSWERS = (
    wire.Hello(version="0.1.0"),
    SAID,
    wire.Typing(),
    wire.Heard(id="a"),
    wire.Settled(),
    wire.Progress(data={"done": 1}, ask="c"),
    wire.Result(data={"hits": []}, ask="c"),
    wire.End(ask="c"),
    wire.Error(text="no", kind="BadInput", about="c"),
)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda r: r.do)
def test_a_request_survives_the_wire(request_: wire.Request) -> None:
    line = wire.write(request_)
    assert line.count(b"\n") == 1
    assert wire.read_request(line) == request_


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda a: a.is_)
def test_an_answer_survives_the_wire(answer: wire.Answer) -> None:
    line = wire.write(answer)
    assert line.count(b"\n") == 1
    assert json.loads(line)["is"] == answer.is_
    assert wire.read_answer(line) == answer


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"hello\n", id="no JSON"),
        pytest.param(b"[1]\n", id="no object"),
        pytest.param(b'{"do":"dance"}\n', id="unknown word"),
        pytest.param(b'{"text":"x"}\n', id="no word at all"),
        pytest.param(b'{"do":"say","id":"a"}\n', id="no text"),
        pytest.param(b'{"do":"say","id":"a","text":""}\n', id="empty text"),
        pytest.param(b'{"do":"say","id":"a b","text":"x"}\n', id="strange id"),
        pytest.param(b'{"do":"attach","history":-1}\n', id="negative history"),
        pytest.param(b'{"do":"say","id":"a","text":"\xff"}\n', id="not UTF-8"),
        pytest.param(b'{"do":"say","id":"a","text":"\\ud800"}\n', id="half a character"),
        pytest.param(b"[" * 100_000, id="very deep"),
    ],
)
def test_an_unreadable_line_is_bad_input_with_a_reason(line: bytes) -> None:
    with pytest.raises(BadInput, match=r"not understood: .+"):
        wire.read_request(line)


def test_a_word_that_a_newer_side_added_is_passed_over() -> None:
    assert wire.read_request(b'{"do":"settle","kindly":true}') == wire.Settle()


def test_the_longest_text_fits_into_a_line_however_it_is_spelled() -> None:
    for character in ("\x01", "🎄", '"', "\u2028"):
        assert len(wire.write(wire.Say(id="a" * 64, text=character * wire.TEXT_MAX))) <= wire.LINE_MAX


def test_a_line_that_would_be_too_long_is_not_written() -> None:
    with pytest.raises(BadInput, match="say it in parts"):
        wire.write(wire.Ask(id="a", what="find", args={"words": "x" * wire.LINE_MAX}))
