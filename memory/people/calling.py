"""Calling: what somebody is called, as words to compare; and which first names are used for one another.

What stands in a header is not always a name: a list passes mails on under its members' names, an assistant writes for
somebody, a couple signs together. Of such nothing is taken.
"""

import re
from functools import lru_cache

from memory.people.mailbox import folded_name
from memory.when.words import word_set

Name = tuple[str, str]
"""First and last name, folded."""

# Each line is one name with those used in its place, English and German.
_USED_FOR = """
alexander alex sascha sasha
alexandra alex sandra sascha
andreas andi andy
andrew andy drew
anna anne anni annie
anthony tony
barbara babs barb baerbel
benjamin ben benny
bernhard bernd
catherine cathy kate katie cat
charles charlie chuck
charlotte lotte charlie
christian chris
christiane chris
christina chris tina
christine chris tina
christoph chris
christopher chris kit
daniel dan danny
david dave
deborah deb debbie
dietrich dieter
dorothea doro dorothee
edward ed eddie ted
elisabeth lisa elli sissi betti lisbeth
elizabeth liz beth betty lizzie eliza
ferdinand ferdi
florian flo
francis frank
franziska franzi
friedrich fritz
gabriele gabi
georg schorsch
gregory greg
guenther guenter
hans johannes johann hannes
heinrich heiner heinz
henry harry hank
jacob jake
jakob jack
james jim jimmy jamie
jennifer jen jenny
joachim jochen achim jo
johannes hannes jo
johanna jo hanna
john jack johnny
jonathan jon
joseph joe joey
josef sepp jupp
katharina kathi katja kate katha kathrin
katherine kate kathy katie
kenneth ken
konstantin konsti
lawrence larry
leonard leo len
ludwig lutz
manfred manni
margaret maggie meg peggy
margarete grete gretel
maria mia mary
martin maddin
matthew matt
matthias matze hias
maximilian max
michael mike mick micha michi
nathaniel nate
nicholas nick
nikolaus klaus niko nick
patricia pat patty trish
patrick pat paddy
peter pete
philip phil
philipp phil
rebecca becky
richard rick dick rich
robert bob rob bobby robbie
roland roli
ronald ron
rudolf rudi
samuel sam
samantha sam
sebastian basti
siegfried sigi
stefan steffen stephan
stefanie steffi stephanie stephie
stephen steve
steven steve
susan sue susie
susanne susi sanne
silvia silvi
karin kari
theodore ted theo
theodor theo
thomas tom tommy
timothy tim
ulrich uli ulli
ulrike uli
ursula uschi ulla
valentin valli
veronika vroni
victoria vicky
walter walt
wilhelm willi willy
william bill will billy liam
wolfgang wolf
"""
_STANDS_FOR: dict[str, frozenset[str]] = {}
for _line in _USED_FOR.split("\n"):
    _first, *_others = _line.split() or [""]
    for _other in (_first, *_others) if _first else ():
        _STANDS_FOR[_other] = _STANDS_FOR.get(_other, frozenset()) | {_first}


_USED = {
    whole: frozenset(short for short, wholes in _STANDS_FOR.items() if whole in wholes)
    for whole in {whole for wholes in _STANDS_FOR.values() for whole in wholes}
}
_SEVERAL = re.compile(r"&|\+|\b(?:und|and|u\.)\b|^(?:familie|family|fam\.|ehepaar|the)\b", re.IGNORECASE)
_PASSED_ON = re.compile(r"\bvia\b|\b(?:im auftrag|on behalf of)\b", re.IGNORECASE)
_FOR_ANOTHER = re.compile(
    r"\(\s*(?:i\.?\s?[av]\.|p\.?\s?p\.)[^)]*\)|\S\s(?:i\.\s?[av]\.|p\.\s?p\.)\s+\S", re.IGNORECASE
)
_SIGNED_FOR = re.compile(r"^(?:i\.\s?[av]\.|p\.\s?p\.|ppa\.)\s|\s(?:i\.\s?[av]\.|p\.\s?p\.|ppa\.)$", re.IGNORECASE)
_REMARK = re.compile(r"\s+[-–—|/·•]\s+.*$|\s*,\s*(?:[A-Z]{2,6}|[A-Z][a-z]?\.(?:\s?[A-Z][a-z]?\.)*)$")
_QUALIFIERS = {
    **dict.fromkeys(("sen", "senior", "sr", "der aeltere"), "senior"),
    **dict.fromkeys(("jun", "junior", "jr", "jnr"), "junior"),
}
_QUALIFIER = re.compile(r"\b(sen|senior|sr|jun|junior|jr|jnr)\b\.?", re.IGNORECASE)


@lru_cache(maxsize=50_000)
def words_of(name: str) -> tuple[str, ...]:
    """The words of somebody's name, folded, without titles and remarks; () for what is nobody's, or several people's."""
    if not name or _PASSED_ON.search(name) or _FOR_ANOTHER.search(name) or is_several(name):
        return ()
    plain = _QUALIFIER.sub(" ", _REMARK.sub("", _SIGNED_FOR.sub(" ", name)))
    return folded_name(plain)


@lru_cache(maxsize=50_000)
def full_name_of(name: str) -> Name | None:
    """First and last of a name of two words or more; None for less, and where the first is an initial."""
    words = words_of(name)
    return (words[0], words[-1]) if len(words) > 1 and len(words[0]) > 1 and len(words[-1]) > 1 else None


_WORD = r"[^\W\d_][\w'’.-]*"
_TURNED = re.compile(
    rf"(?P<last>{_WORD}(?: {_WORD}){{0,2}}), (?P<first>{_WORD}(?: {_WORD}){{0,2}})(?P<rest> ?[(\[].*)?"
)
_NO_FIRST_NAME = word_set(
    "inc llc ltd gmbh mbh corp co ag kg ug ohg se plc sa bv nv jr sr jun sen phd md mba esq usa uk team support sales dept"
)


@lru_cache(maxsize=50_000)
def as_said(name: str) -> str:
    """The name as one says it: "Winter, Anna M." is "Anna M. Winter", as office programs turn names round; else as it stands."""
    found = _TURNED.fullmatch(name)
    if found is None or not words_of(name):
        return name
    if not _NO_FIRST_NAME.isdisjoint(found["first"].casefold().replace(".", "").split()):
        return name
    return f"{found['first']} {found['last']}{found['rest'] or ''}"


def is_several(name: str) -> bool:
    """Whether it names a couple, a family, a team."""
    return _SEVERAL.search(name) is not None


def is_passed_on(name: str) -> bool:
    """Whether a list or a program shows somebody's name there."""
    return _PASSED_ON.search(name) is not None


def qualifier_of(name: str) -> str:
    """ "senior" or "junior", as far as the name says."""
    found = _QUALIFIER.search(name)
    return _QUALIFIERS[found[1].lower()] if found else ""


@lru_cache(maxsize=50_000)
def keys_of(name: Name) -> tuple[Name, ...]:
    """Under what a full name is looked up: itself, and with the names that its first one is used for. Turned round it has
    the same: the order of family and given name differs from place to place."""
    turned = [tuple(sorted(name))] + [
        tuple(sorted((whole, other)))
        for first, other in (name, name[::-1])
        for whole in sorted(_STANDS_FOR.get(first, ()))
        if whole != first
    ]
    return tuple(dict.fromkeys((one[0], one[1]) for one in turned))


def are_alike(one: Name, other: Name) -> bool:
    """Whether two full names are one but for their order, or a first name that is used for the other."""
    if one == other:
        return False
    return one == other[::-1] or (one[1] == other[1] and bool(wholes_of(one[0]) & wholes_of(other[0])))


def wholes_of(first: str) -> frozenset[str]:
    """The names that a first name is used for, itself among them."""
    return _STANDS_FOR.get(first, frozenset()) | {first}


def used_for(whole: str) -> frozenset[str]:
    """The names that are used for a first name."""
    return _USED.get(whole, frozenset())


def are_used_alike(one: str, other: str) -> bool:
    """Whether one first name is used for the other: Bill and William; half of a double name counts."""
    return bool(wholes_of(one) & wholes_of(other))


def fits(one: str, other: str) -> bool:
    """Whether a short name may be the other's: "Tom" or "John S" of "Tom Keller", "John Smith". Letters of another script
    can't be compared, so they fit."""
    left, right = words_of(one), words_of(other)
    if not left or not right or left[0].isascii() != right[0].isascii():
        return True
    short, long = sorted((left, right), key=len)
    return all(any(_may_be(word, whole) for whole in long) for word in short) or _shares_a_name(left, right)


def _may_be(word: str, whole: str) -> bool:
    return word == whole or (len(word) == 1 and whole.startswith(word)) or are_used_alike(word, whole)


def _shares_a_name(left: tuple[str, ...], right: tuple[str, ...]) -> bool:
    """ "Lang Wiesner" and "Stefan Lang": what the owner calls somebody in a chat."""
    return any(len(word) > 2 and word in right for word in left)


_SOUNDS = (
    ("tsch", "c"), ("sch", "s"), ("sh", "s"), ("tz", "s"), ("ts", "s"), ("ck", "k"), ("kh", "h"), ("ch", "h"), ("ph", "f"),
    ("z", "s"), ("w", "v"), ("j", "i"), ("y", "i"), ("x", "ks"), ("c", "k"), ("q", "k"),
)  # fmt: skip


@lru_cache(maxsize=10_000)
def sound_of(word: str) -> str:
    """How a word sounds, roughly, so that what was put into Latin letters in two ways is one: Kusnezow, Kuznetsov."""
    for letters, sound in _SOUNDS:
        word = word.replace(letters, sound)
    return re.sub(r"(.)\1+", r"\1", word)
