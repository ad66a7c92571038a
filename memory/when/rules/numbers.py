"""Numbers and lengths of time: twenty-two, 3rd, half an hour, zweieinhalb Stunden."""

from memory.when.chart import a, words
from memory.when.grain import length_of
from memory.when.node import Amount, Number, Ordinal, Scene, Span, Unit
from memory.when.rules.dialect import ENGLISH, GERMAN, is_long

_TENS = range(20, 100, 10)
_FRACTIONS = {(1, 2): 0.5, (1, 4): 0.25, (3, 4): 0.75}


def _is_tens(number: Number) -> bool:
    return number.value in _TENS and not number.digits


def _is_one_figure(node: Number | Ordinal) -> bool:
    return 0 < node.value < 10 and not getattr(node, "digits", 0)


def _is_written(number: Number) -> bool:
    return 0 < number.digits <= 2


@ENGLISH.rule(a(Number, _is_tens), "-?", a(Number, _is_one_figure))
def tens(_: Scene, tens_said: Number, ones: Number) -> Number:
    return Number(tens_said.value + ones.value)


@ENGLISH.rule(a(Number, _is_tens), "-?", a(Ordinal, _is_one_figure), cost=-0.3)
def tens_ordinal(_: Scene, tens_said: Number, ones: Ordinal) -> Ordinal:
    return Ordinal(tens_said.value + ones.value)


@ENGLISH.rule(
    a(Number, lambda n: n.value in range(18, 22) and not n.digits),
    a(Number, lambda n: 10 <= n.value < 100 and not n.digits),
)
def year_in_pairs(_: Scene, century: Number, years: Number) -> Number:
    return Number(century.value * 100 + years.value, 4)


@ENGLISH.rule(
    a(Number, lambda n: n.value == 2 and not n.digits),
    "thousand",
    "and?",
    a(Number, lambda n: 0 < n.value < 100 and not n.digits),
)
def year_in_thousands(_: Scene, _thousands: Number, years: Number) -> Number:
    return Number(2000 + years.value, 4)


@ENGLISH.rule(a(Number, _is_written), words("st nd rd th", glued=True))
def ordinal_in_figures(_: Scene, number: Number) -> Ordinal:
    return Ordinal(number.value)


@GERMAN.rule(a(Number, _is_written), words(".", glued=True))
def ordinal_with_dot(_: Scene, number: Number) -> Ordinal:
    return Ordinal(number.value, dotted=True)


@GERMAN.rule(a(Number, _is_written), "-?", words("te ten ter tes ste sten ster", glued=True))
def ordinal_with_ending(_: Scene, number: Number) -> Ordinal:
    return Ordinal(number.value)


@ENGLISH.rule("a an")
@GERMAN.rule("ein eine einer einem einen eines")
def one(_: Scene) -> Amount:
    return Amount(1)


@ENGLISH.rule("half", "a an?")
@ENGLISH.rule("a an", "half")
@GERMAN.rule("halbe halben halber halbes")
@GERMAN.rule("eine einer einem einen ein", "halbe halben halber halbes")
def half(_: Scene) -> Amount:
    return Amount(0.5)


@ENGLISH.rule("a?", "quarter", "of", "an a")
def quarter_of(_: Scene) -> Amount:
    return Amount(0.25)


@ENGLISH.rule("three 3", "quarters", "of", "an a")
def three_quarters_of(_: Scene) -> Amount:
    return Amount(0.75)


@ENGLISH.rule("a?", "couple pair", "of?")
@GERMAN.rule("ein", "paar")
def couple(scene: Scene) -> Amount:
    return Amount(2 if scene.language == "en" else 3)


@ENGLISH.rule("a?", "few")
@GERMAN.rule("einige einigen wenige wenigen")
def few(_: Scene) -> Amount:
    return Amount(3)


@ENGLISH.rule(a(Number), "and", "a an?", "half")
def and_a_half(_: Scene, number: Number) -> Amount:
    return Amount(number.value + 0.5)


@GERMAN.rule("anderthalb eineinhalb")
def one_and_a_half(_: Scene) -> Amount:
    return Amount(1.5)


@GERMAN.rule("zweieinhalb")
def two_and_a_half(_: Scene) -> Amount:
    return Amount(2.5)


@GERMAN.rule("dreieinhalb")
def three_and_a_half(_: Scene) -> Amount:
    return Amount(3.5)


@GERMAN.rule("viereinhalb")
def four_and_a_half(_: Scene) -> Amount:
    return Amount(4.5)


@GERMAN.rule("fuenfeinhalb")
def five_and_a_half(_: Scene) -> Amount:
    return Amount(5.5)


@ENGLISH.rule(a(Number, lambda n: n.digits), words("/", glued=True), a(Number, lambda n: n.digits, glued=True))
@GERMAN.rule(a(Number, lambda n: n.digits), words("/", glued=True), a(Number, lambda n: n.digits, glued=True))
def fraction(_: Scene, above: Number, below: Number) -> Amount | None:
    value = _FRACTIONS.get((above.value, below.value))
    return Amount(value) if value else None


@ENGLISH.rule(a(Number, lambda n: n.digits), words(".", glued=True), a(Number, lambda n: 0 < n.digits < 3, glued=True))
@GERMAN.rule(a(Number, lambda n: n.digits), words(", .", glued=True), a(Number, lambda n: 0 < n.digits < 3, glued=True))
def decimal(_: Scene, whole: Number, part: Number) -> Amount:
    return Amount(whole.value + part.value / 10**part.digits)


@ENGLISH.rule(a(Number), "more full whole good business working calendar?", a(Unit, is_long))
@GERMAN.rule(a(Number), "weitere weiteren volle vollen ganze ganzen gute?", a(Unit, is_long))
def span(_: Scene, number: Number, unit: Unit) -> Span:
    return Span(length_of(number.value * unit.count, unit.grain))


@ENGLISH.rule(a(Number, lambda n: 0 < n.digits < 4), a(Unit, lambda u: u.short and u.grain != "minute", glued=True))
@GERMAN.rule(a(Number, lambda n: 0 < n.digits < 4), a(Unit, lambda u: u.short and u.grain != "minute", glued=True))
@ENGLISH.rule(a(Amount), "h")
@GERMAN.rule(a(Amount), words("h", glued=True))
@GERMAN.rule(a(Number), "h")
def short_span(_: Scene, number: Number | Amount, unit: Unit | None = None) -> Span:
    grain = unit.grain if unit else "hour"
    return Span(length_of(number.value, grain))


@ENGLISH.rule(a(Amount), "more full whole good of?", "an a?", a(Unit, is_long))
@GERMAN.rule(a(Amount), "weitere weiteren volle vollen ganze ganzen gute gut?", a(Unit, is_long))
def span_of_amount(_: Scene, amount: Amount, unit: Unit) -> Span:
    return Span(length_of(amount.value * unit.count, unit.grain))


@ENGLISH.rule(a(Number), a(Unit, is_long), "and", "a", "half")
@ENGLISH.rule(a(Amount), a(Unit, is_long), "and", "a", "half")
def span_and_a_half(_: Scene, number: Number | Amount, unit: Unit) -> Span:
    return Span(length_of((number.value + 0.5) * unit.count, unit.grain))


@GERMAN.rule("eine einer?", "viertelstunde")
def quarter_hour(_: Scene) -> Span:
    return Span(length_of(15, "minute"))


@GERMAN.rule("eine einer?", "dreiviertelstunde")
def three_quarter_hour(_: Scene) -> Span:
    return Span(length_of(45, "minute"))


@GERMAN.rule("eine einer?", "halbstunde")
def half_hour(_: Scene) -> Span:
    return Span(length_of(30, "minute"))


@ENGLISH.rule(a(Span), "and ,?", a(Span))
@GERMAN.rule(a(Span), "und ,?", a(Span))
def spans(_: Scene, first: Span, second: Span) -> Span | None:
    """Two hours and ten minutes: only ever from coarse to fine."""
    if not _is_coarser(first, second):
        return None
    return Span(first.length.plus(second.length))


def _is_coarser(first: Span, second: Span) -> bool:
    lengths = (first.length, second.length)
    weight = [(each.months * 30 + each.days) * 86400 + each.seconds for each in lengths]
    return weight[0] > weight[1] and lengths[0].grain != lengths[1].grain
