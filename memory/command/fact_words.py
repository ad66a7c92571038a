"""The sentences that tell a fact of somebody, in English and German: a pattern each, with the kind that it tells.

In a pattern WHO stands for a name or "she", WHOSE for "Anna's" or "Annas", NOW for an adverb that may stand or not, THING
for what is told, NAMED for something that has a name of its own (a firm, a place), DAY for a date, ROLE for a role.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memory.facts.role import SAID

Mode = Literal["is", "ended"]


@dataclass(frozen=True, slots=True)
class Telling:
    """A sentence that tells a fact. value: how it is written, None for the words themselves.

    ended: the words say that it no longer holds.
    """

    kind: str
    pattern: re.Pattern[str]
    value: str = "{thing}"
    mode: Mode = "is"


_WORD = r"[^\W\d_](?:[\w.-]|['’](?!s\b)(?=\w))*"
_NAMES = rf"{_WORD}(?:[ ]{_WORD}){{0,3}}?"
_NUMBER = (
    r"(?:a|an|one|two|three|four|five|six|\d{1,2}|no|ein|eine|einen|zwei|drei|vier|fünf|sechs|keine)(?: (?:small|little"
    r"|young|grown(?:-up)?|adult|new|kleine[ns]?|junge|erwachsene|neue[ns]?))?"
)
_DIET = (
    r"(?:strict(?:ly)? |strikte?[r]? |überzeugte[r]? )?(?P<thing>vegetarian|vegan|pescatarian|pescetarian|flexitarian"
    r"|lactose[- ]intolerant|gluten[- ]intolerant|gluten[- ]free|coeliac|celiac|teetotal|teetotaller|kosher|halal"
    r"|vegetarier(?:in)?|vegetarisch|veganer(?:in)?|pescetarier(?:in)?|flexitarier(?:in)?|laktoseintolerant|glutenfrei"
    r"|koscher)"
)
_FOOD = (
    r"(?P<thing>meat|red meat|pork|beef|lamb|chicken|fish|seafood|shellfish|dairy|gluten|sugar|nuts|peanuts|eggs|cheese|garlic"
    r"|onions?|mushrooms?|tomatoes|bread|fleisch|schweinefleisch|schwein|rindfleisch|rind|huhn|fisch|meeresfrüchte|milch(?:produkte)?|zucker"
    r"|nüsse|erdnüsse|eier|käse|knoblauch|zwiebeln|pilze|tomaten|brot)"
)
_DRINK = (
    r"(?P<thing>alcohol|wine|red wine|white wine|beer|whisky|gin|coffee|black coffee|espresso|decaf|tea|green tea|water|alkohol|wein|rotwein"
    r"|weißwein|bier|kaffee|schwarzen kaffee|tee|grünen tee|wasser)"
)
_SPORT = (
    r"(?P<thing>tennis|table tennis|golf|football|soccer|basketball|volleyball|handball|hockey|ice hockey|cricket|rugby|squash|badminton"
    r"|padel|chess|yoga|pilates|judo|karate|boxing|triathlons?|marathons?|half marathons?|tischtennis|fußball|eishockey|schach|triathlon|marathon)"
)
_ATHLETE = (
    r"(?P<thing>runner|swimmer|cyclist|climber|golfer|sailor|skier|rower|surfer|triathlete|läufer(?:in)?|schwimmer(?:in)?|radfahrer(?:in)?"
    r"|kletterer(?:in)?|golfer(?:in)?|segler(?:in)?|skifahrer(?:in)?|ruder(?:er|in)|surfer(?:in)?)"
)
_PETS = r"(?:dogs?|cats?|horses?|rabbits?|parrots?|hamsters?|hunde?|katzen?|pferde?|kaninchen|papagei|hamster|wellensittiche?)"
_CHILDREN = (
    r"(?:child(?:ren)?|kids?|sons?|daughters?|boys?|girls?|twins|babies|baby|kind(?:er)?|söhne?|sohn|töchter|tochter|zwillinge"
    r"|jungs?|mädchen)"
)
_CHANNEL = (
    r"(?P<thing>(?:phone |video )?calls?|a call|the phone|e-?mails?|mails?|texts?|text messages|sms|signal|whatsapp|telegram"
    r"|slack|teams|letters|meeting in person|in[- ]person meetings|anrufe|telefonate|das telefon|briefe|persönliche treffen)"
)
_TONGUE = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|swedish|danish|norwegian|finnish|polish|czech|hungarian|romanian"
    r"|russian|ukrainian|turkish|greek|arabic|hebrew|hindi|japanese|chinese|mandarin|korean|swiss german|englisch|deutsch|französisch"
    r"|spanisch|italienisch|portugiesisch|niederländisch|schwedisch|dänisch|norwegisch|finnisch|polnisch|tschechisch|ungarisch"
    r"|rumänisch|russisch|ukrainisch|türkisch|griechisch|arabisch|hebräisch|japanisch|chinesisch|koreanisch)"
)
_TONGUES = rf"(?P<thing>{_TONGUE}(?:(?:, | and | und ){_TONGUE}){{0,4}})"
_HOLDS = {
    "WHOSE": rf"(?:(?P<whose>{_NAMES})(?:['’]s|s['’]?|['’])?|(?P<pronoun>her|his|their|ihr|ihre|sein|seine))",
    "WHO": rf"(?P<who>{_NAMES})",
    "NOW": r"(?:(?:now|these days|again|currently|meanwhile|already|still|jetzt|nun|inzwischen|mittlerweile|wieder|aktuell|schon|noch) )?",
    "LATER": r"(?: (?:now|these days|again|currently|anymore|any more|any longer|jetzt|nun|inzwischen|mittlerweile|mehr))?",
    "THING": r"(?P<thing>[^.;!?\n]{2,80}?)",
    "NAMED": r"(?P<named>[^.;!?\n]{2,60}?)",
    "PLACE": r"(?P<place>[^.;!?\n]{2,40}?)",
    "DAY": r"(?P<day>[\w./, -]{3,30}?\.?)",
    "DIET": _DIET,
    "FOOD": _FOOD,
    "DRINK": _DRINK,
    "SPORT": _SPORT,
    "ATHLETE": _ATHLETE,
    "CHANNEL": _CHANNEL,
    "TONGUES": _TONGUES,
    "ROLE": rf"(?P<role>{SAID})",
    "COUNT": _NUMBER,
    "PETS": _PETS,
    "CHILDREN": _CHILDREN,
    "HASNOT": r"(?:does(?: not|n['’]t)|do(?: not|n['’]t)|never)",
}
_PLACEHOLDER = re.compile("|".join(sorted(_HOLDS, key=len, reverse=True)))


def _of(kind: str, *sentences: str, value: str = "{thing}", mode: Mode = "is") -> Sequence[Telling]:
    return [Telling(kind, _compiled(sentence), value, mode) for sentence in sentences]


def _compiled(sentence: str) -> re.Pattern[str]:
    spelled = _PLACEHOLDER.sub(lambda found: _HOLDS[found.group()], sentence)
    # An adverb that may be missing takes its space along.
    return re.compile(spelled, re.IGNORECASE)


TELLINGS: Sequence[Telling] = (
    # tastes
    *_of(
        "diet",
        r"WHO(?: is|['’]s) NOW(?:a |an )?DIET",
        r"WHO (?:eats|keeps|lives) NOWDIET",
        r"WHO ist NOW(?:ein |eine )?DIET",
        r"WHO isst NOWDIET",
    ),
    *_of("diet", r"WHO HASNOT eats? FOODLATER", value="no {thing}"),
    *_of("diet", r"WHO isst (?:kein|keine|keinen) FOOD", value="kein {thing}"),
    *_of(
        "diet",
        r"WHO(?: is(?: not|n['’]t| no longer)|['’]s (?:not|no longer)) (?:a |an )?DIETLATER",
        r"WHO ist (?:kein|keine|nicht)(?: mehr)? DIETLATER",
        mode="ended",
    ),
    *_of(
        "allergy",
        r"WHO(?: is|['’]s) allergic to THING",
        r"WHO has (?:a|an) THING allergy",
        r"WHO ist allergisch (?:gegen|auf) THING",
        r"WHO hat eine THING-?allergie",
    ),
    *_of("drink", r"WHO (?:only |always )?drinks (?:only )?DRINK", r"WHO trinkt (?:nur |immer |gern |lieber )?DRINK"),
    *_of("drink", r"WHO HASNOT drinks? DRINKLATER", value="no {thing}"),
    *_of("drink", r"WHO HASNOT drink", value="no alcohol"),
    *_of("drink", r"WHO trinkt (?:kein|keine|keinen) DRINK", value="kein {thing}"),
    *_of(
        "food", r"WHOSE favou?rite (?:food|dish|cuisine) is THING", r"WHOSE Lie(?:b)?lings(?:essen|gericht) ist THING"
    ),
    *_of("drink", r"WHOSE favou?rite drink is THING", r"WHOSE Lieblingsgetränk ist THING"),
    *_of(
        "team",
        r"WHO(?: is|['’]s) (?:a|an) (?:big |huge )?NAMED (?:fan|supporter)",
        r"WHO(?: is|['’]s) a (?:big |huge )?fan of NAMED",
        r"WHOSE favou?rite (?:team|club) is NAMED",
        r"WHO ist (?:ein |eine )?(?:großer |große )?NAMED[- ]fan",
        r"WHO ist (?:ein |eine )?(?:großer |große )?fan (?:von|vom|der|des) NAMED",
        r"WHOSE Lieblings(?:verein|mannschaft|team) ist NAMED",
        value="{named}",
    ),
    *_of(
        "sport",
        r"WHO (?:plays|does|practises|practices|runs) (?:a lot of )?SPORT",
        r"WHO(?: is|['’]s) (?:a|an) (?:keen |avid |passionate )?ATHLETE",
        r"WHO (?:spielt|macht|läuft) (?:gern |viel )?SPORT",
        r"WHO ist (?:begeisterte[r]? |leidenschaftliche[r]? )?ATHLETE",
    ),
    *_of(
        "pet",
        r"WHO has (?P<thing>COUNT PETS(?: (?:called|named) [^.;!?]{2,40})?)",
        r"WHO hat (?P<thing>COUNT PETS(?: namens [^.;!?]{2,40})?)",
    ),
    *_of(
        "pet",
        r"WHOSE (?P<what>PETS) (?:is|are) (?:called|named) NAMED",
        r"WHOSE (?P<what>PETS) heißt NAMED",
        value="{what} {named}",
    ),
    *_of("hobby", r"WHOSE hobby is THING", r"WHOSE hobbies are THING", r"WHOSE Hobby ist THING"),
    # preferences
    *_of(
        "called",
        r"WHO goes by NAMED",
        r"WHO (?:wants|likes|prefers) to be called NAMED",
        r"WHO wird NAMED genannt",
        r"WHO (?:will|möchte) NAMED genannt werden",
        value="{named}",
    ),
    *_of(
        "channel",
        r"WHO prefers CHANNEL(?: (?:to|over|rather than) .{2,40})?",
        r"WHO (?:bevorzugt|mag lieber|hat lieber|will lieber) CHANNEL(?: (?:als|statt) .{2,40})?",
    ),
    *_of("channel", r"WHO telefoniert (?:am liebsten|lieber)(?: als .{2,40})?", value="Anrufe"),
    *_of(
        "address_form",
        r"WHO and i are on first[- ]name terms",
        r"ich duze WHO",
        r"WHO und ich duzen uns",
        r"mit WHO bin ich per du",
        r"ich bin mit WHO per du",
        value="du",
    ),
    *_of(
        "address_form",
        r"ich sieze WHO",
        r"WHO und ich siezen uns",
        r"mit WHO bin ich per sie",
        r"ich bin mit WHO per sie",
        value="Sie",
    ),
    # personal details
    *_of(
        "children",
        r"WHO has (?P<thing>COUNT CHILDREN(?:(?:,| called| named| \().{2,60})?)",
        r"WHO hat (?P<thing>COUNT CHILDREN(?:(?:,| namens| \().{2,60})?)",
    ),
    *_of(
        "children",
        r"WHOSE (?P<what>(?:youngest |oldest |eldest )?CHILDREN) (?:is|are) (?:called|named) NAMED",
        r"WHOSE (?P<what>CHILDREN) (?:heißt|heißen) NAMED",
        value="{what} {named}",
    ),
    *_of(
        "partner",
        r"WHO(?: is|['’]s) married to NAMED",
        r"WHOSE (?:wife|husband|partner|girlfriend|boyfriend) is (?:called |named )NAMED",
        r"WHO ist mit NAMED verheiratet",
        r"WHOSE (?:Frau|Mann|Ehefrau|Ehemann|Partner|Partnerin|Freund|Freundin) heißt NAMED",
        value="{named}",
    ),
    *_of("residence", r"WHO NOWlives NOWin NAMEDLATER", r"WHO (?:wohnt|lebt) NOWin NAMEDLATER", value="{named}"),
    *_of(
        "residence",
        r"WHO (?:has |['’]s )?moved to PLACELATER",
        r"WHO ist NOWnach PLACE (?:um)?gezogen",
        value="{place}",
    ),
    *_of(
        "origin",
        r"WHO(?: is originally| comes| originally comes) from NAMED",
        r"WHO grew up in NAMED",
        r"WHO was born in PLACE",
        r"WHO (?:kommt|stammt) (?:ursprünglich )?aus NAMED",
        r"WHO ist in NAMED aufgewachsen",
        value="{named}{place}",
    ),
    *_of("language", r"WHO (?:also )?speaks (?:fluent )?TONGUES", r"WHO spricht (?:auch |fließend |gut )?TONGUES"),
    *_of(
        "birthday",
        r"WHOSE (?:birthday|bday|b-day) is (?:on )?(?:the )?DAY",
        r"WHO was born (?:on )?(?:the )?DAY",
        r"WHO has (?:her |his |their |a )?birthday on (?:the )?DAY",
        r"WHO hat am DAY Geburtstag",
        r"WHO hat Geburtstag am DAY",
        r"WHOSE Geburtstag ist (?:am |der )?DAY",
        r"WHO (?:ist|wurde) am DAY geboren",
        value="{day}",
    ),
    *_of(
        "name",
        r"WHO(?: is|['’]s) now called NAMED",
        r"WHO(?: is|['’]s) called NAMED now",
        r"WHOSE (?:new name|new last name|new surname) is NAMED",
        r"WHOSE (?:last |sur)?name is now NAMED",
        r"WHO heißt (?:jetzt|nun|inzwischen|mittlerweile|seit der hochzeit) NAMED",
        value="{named}",
    ),
    # working life
    *_of(
        "employer",
        r"WHO NOWworks (?:now )?(?:at|for) NAMEDLATER",
        r"WHO (?:has |['’]s )?(?:just )?joined NAMED",
        r"WHO (?:has |['’]s )?(?:just )?started (?:working )?at NAMED",
        r"WHO arbeitet NOW(?:bei|für) (?:der |dem )?NAMEDLATER",
        r"WHO ist NOWzu NAMED gewechselt",
        r"WHO hat NOWbei NAMED angefangen",
        r"WHO hat NOWzu NAMED gewechselt",
        value="{named}",
    ),
    *_of(
        "role",
        r"WHO(?: is|['’]s) (?P<sure>now |the new |our new |now the |now an? )?(?:the |an? )?ROLE(?:,? (?P<at>at|of|with|@) NAMED)?(?P<later> now| these days)?",
        r"WHO ist (?P<sure>jetzt |nun |inzwischen |die neue |der neue |neue |neuer )*(?:die |der |eine? )?ROLE(?: (?P<at>bei|von|der) NAMED)?(?P<later> jetzt)?",
        r"WHO (?P<sure>was|got|has been) promoted to ROLE",
        r"WHO (?P<sure>wurde) (?:zur |zum )?ROLE befördert",
        value="{role}",
    ),
    *_of(
        "employer",
        r"WHO (?:has |['’]s )?left NAMED",
        r"WHO (?:no longer works|does(?: not|n['’]t) work) (?:at|for) NAMEDLATER",
        r"WHO(?: is(?: no longer| not|n['’]t)|['’]s (?:no longer|not)) (?:at|with) NAMEDLATER",
        r"WHO (?:has )?(?:quit|resigned from|retired from) NAMED",
        r"WHO hat NAMED verlassen",
        r"WHO arbeitet nicht mehr (?:bei|für) (?:der |dem )?NAMED",
        r"WHO ist nicht mehr bei (?:der |dem )?NAMED",
        r"WHO hat bei NAMED (?:gekündigt|aufgehört)",
        value="{named}",
        mode="ended",
    ),
    *_of(
        "board_seat",
        r"WHO (?:is|sits) NOWon the (?:supervisory |advisory )?board (?:of|at) NAMED",
        r"WHO (?:has )?joined the (?:supervisory |advisory )?board of NAMED",
        r"WHO (?:ist|sitzt) NOWim (?:Vorstand|Aufsichtsrat|Beirat|Verwaltungsrat) (?:von|der|des|bei) NAMED",
        value="{named}",
    ),
    *_of(
        "investment",
        r"WHO (?:invests|has invested|invested) in NAMED",
        r"WHO investiert in NAMED",
        r"WHO hat in NAMED investiert",
        value="{named}",
    ),
    *_of(
        "expertise",
        r"WHO(?: is|['’]s) an expert (?:in|on|at) THING",
        r"WHO knows (?:a lot|everything|all) about THING",
        r"WHO speciali[sz]es in THING",
        r"WHO kennt sich (?:gut |sehr gut |bestens )?mit THING aus",
        r"WHO ist Expert(?:e|in) (?:für|in) THING",
    ),
    *_of(
        "phone",
        r"WHOSE (?:phone|mobile|cell|phone number|mobile number|number) is (?P<thing>\+?[\d ()/.-]{7,25})",
        r"WHOSE (?:Nummer|Handynummer|Telefonnummer|Handy) ist (?:die )?(?P<thing>\+?[\d ()/.-]{7,25})",
    ),
    # shared history
    *_of(
        "met",
        r"i (?:first met|know) WHO (?P<thing>(?:from|at|in|on|through|via) [^.;!?]{3,80})",
        r"WHO and i (?:first )?met (?P<thing>(?:at|in|on|through|via) [^.;!?]{3,80})",
        r"ich kenne WHO (?P<thing>(?:von|vom|aus|über|durch) [^.;!?]{3,80})",
        r"WHO und ich haben uns (?P<thing>(?:bei|beim|in|im|auf|über|durch|an) [^.;!?]{3,80}?) kennengelernt",
        r"ich habe? WHO (?P<thing>(?:bei|beim|in|im|auf|über|durch|an) [^.;!?]{3,80}?) kennengelernt",
    ),
)
"""Every sentence. The first that fits whole is meant."""
