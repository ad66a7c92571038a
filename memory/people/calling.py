"""Calling: what somebody is called, as words to compare; and which first names are used for one another."""

from functools import lru_cache

from memory.people.identity import folded_name

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
joachim jochen achim
johannes hannes jo
john jack johnny
jonathan jon
joseph joe joey
josef sepp jupp
katharina kathi katja kate
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
stephen steve
steven steve
susan sue susie
susanne susi
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


@lru_cache(maxsize=50_000)
def full_name_of(name: str) -> Name | None:
    """First and last of a name of two words or more; None for less. An initial is no first name."""
    folded = folded_name(name)
    return (folded[0], folded[-1]) if len(folded) > 1 else None


@lru_cache(maxsize=50_000)
def keys_of(name: Name) -> tuple[Name, ...]:
    """Under what a full name is looked up: itself, and with the names that its first one is used for."""
    first, last = name
    return (name, *((whole, last) for whole in sorted(_STANDS_FOR.get(first, ())) if whole != first))


def are_alike(one: Name, other: Name) -> bool:
    """Whether two full names have one last name and first names that are used for one another."""
    return one != other and one[1] == other[1] and bool(wholes_of(one[0]) & wholes_of(other[0]))


def wholes_of(first: str) -> frozenset[str]:
    """The names that a first name is used for, itself among them."""
    return _STANDS_FOR.get(first, frozenset()) | {first}
