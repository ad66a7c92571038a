"""What holds of joining whatever is known: the order does not matter, the owner's word stands, a bare name joins nobody."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.people.joining import clusters
from memory.people.known import Key, Known, Rulings, pair_of
from memory.people.signed import Signed

NAMES = ("Anna Winter", "Winter, Anna", "Anna Sommer", "Bill Ray", "William Ray", "Anna", "Anna & Tom Winter")
NUMBERS = ("17604069012", "3023125100", "4917604069012")
ADDRESSES = tuple(f"{local}@{host}" for local in ("aw77", "anna.winter", "ray") for host in ("web.de", "acme.example"))
KEYS: tuple[Key, ...] = (
    *(("address", one) for one in ADDRESSES),
    ("phone", "+4917604069012"),
    ("handle", "telegram:user7"),
)


@st.composite
def an_identity(draw: st.DrawFn, key: Key) -> Known:
    """Whatever may be known of one."""
    few = st.sets(st.integers(1, 3), max_size=2)
    return Known(
        key=key,
        names=dict(draw(st.dictionaries(st.sampled_from(NAMES), st.integers(1, 3), max_size=2))),
        stood=draw(few),
        threads={str(one) for one in draw(few)},
        asked={str(one) for one in draw(few)},
        replies=draw(st.sets(st.sampled_from(ADDRESSES), max_size=1)),
        written_to=draw(st.booleans()),
        records=dict.fromkeys(draw(few), "Anna Winter"),
        signed=Signed(
            numbers=tuple((one, True) for one in draw(st.sets(st.sampled_from(NUMBERS), max_size=1)))
            if key[0] == "address"
            else ()
        ),
    )


@st.composite
def a_world(draw: st.DrawFn) -> list[Known]:
    """Some identities, each once."""
    keys = draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=len(KEYS)))
    return [draw(an_identity(key)) for key in keys]


pairs = st.sets(st.sampled_from([pair_of(one, other) for one, other in combinations(KEYS, 2)]), max_size=4).map(
    frozenset
)


def groups(world: list[Known], rulings: Rulings) -> set[frozenset[Key]]:
    return {frozenset(box.key for box in one.members) for one in clusters(world, rulings)}


@settings(max_examples=60, deadline=None)
@given(world=a_world(), apart=pairs, together=pairs, order=st.randoms(use_true_random=False))
def test_the_order_in_which_identities_come_does_not_matter(world, apart, together, order) -> None:  # type: ignore[no-untyped-def]
    rulings = Rulings(together=together - apart, apart=apart)
    other = list(world)
    order.shuffle(other)
    assert groups(world, rulings) == groups(other, rulings)


@settings(max_examples=60, deadline=None)
@given(world=a_world(), choice=st.randoms(use_true_random=False))
def test_whom_the_owner_told_apart_evidence_never_joins(world, choice) -> None:  # type: ignore[no-untyped-def]
    joined = [pair_of(*pair) for group in groups(world, Rulings()) for pair in combinations(sorted(group), 2)]
    apart = frozenset(choice.sample(joined, min(len(joined), 3)))
    for group in groups(world, Rulings(apart=apart)):
        assert not {pair_of(one, other) for one, other in combinations(group, 2)} & apart


@settings(max_examples=60, deadline=None)
@given(world=a_world(), together=pairs)
def test_whom_the_owner_joined_are_one(world, together) -> None:  # type: ignore[no-untyped-def]
    there = {box.key for box in world}
    found = groups(world, Rulings(together=together))
    for one, other in together:
        if one in there and other in there:
            assert any({one, other} <= group for group in found)


@settings(max_examples=60, deadline=None)
@given(world=a_world())
def test_everybody_is_in_one_group_and_in_one_alone(world: list[Known]) -> None:
    found = groups(world, Rulings())
    assert sorted(key for group in found for key in group) == sorted(box.key for box in world)


@settings(max_examples=60, deadline=None)
@given(world=a_world())
def test_names_alone_join_nobody(world: list[Known]) -> None:
    bare = [Known(key=box.key, names=box.names, written_to=box.written_to) for box in world]
    # One odd name before the @ on two domains says more than a name.
    alone = {box.value.partition("@")[0]: box for box in bare}
    assert all(len(group) == 1 for group in groups(list(alone.values()), Rulings()))
