"""The words that say by when, beside dates and times: "soon", "as soon as", "sobald"."""

from collections.abc import Mapping

from memory.owner import Language
from memory.promises.words import Phrases, phrases
from memory.when.words import word_set

SOON: Mapping[Language, Phrases] = {
    "en": phrases(
        """
        soon
        very soon
        later
        later in the day
        later on
        now
        right now
        right away
        straight away
        at once
        immediately
        shortly
        asap
        as soon as possible
        as soon as i can
        as soon as we can
        as early as possible
        at some point
        at your earliest convenience
        in due course
        in due time
        in time
        any minute
        anytime
        momentarily
        first thing
        first thing tomorrow
        next time
        sometime
        periodically
        going forward
        from now on
        this am
        this pm
        in a minute
        in a moment
        in a bit
        in a few minutes
        in a few
        in the meantime
        in the near future
        in the coming days
        over the next few days
        in the next few days
        overnight
        within hour
        within the hour
        after
        afterwards
        on next draft
        before long
        before then
        by then
        """
    ),
    "de": phrases(
        """
        bald
        sehr bald
        gleich
        jetzt gleich
        sofort
        ab sofort
        umgehend
        unverzueglich
        zeitnah
        zeitnahe
        kurzfristig
        schnellstmoeglich
        so schnell wie moeglich
        so bald wie moeglich
        spaeter
        nachher
        demnaechst
        in kuerze
        in buelde
        in baelde
        vorab
        heute noch
        noch heute
        jetzt
        rechtzeitig
        naechstes mal
        beim naechsten mal
        in den naechsten tagen
        in den kommenden tagen
        die naechsten tage
        die tage
        im laufe des tages
        im laufe der woche
        im lauf der woche
        im naechsten sprint
        asap
        am ersten
        bei der lieferung
        zum schluss
        danach
        """
    ),
}

TRIGGERS: Mapping[Language, Phrases] = {
    "en": phrases(
        """
        as soon as
        soon as
        as and when
        once
        when
        whenever
        upon
        after
        before
        until
        by the time
        while
        next time
        the next time
        the minute
        as things
        on days when
        """
    ),
    "de": phrases(
        """
        sobald
        wenn
        nachdem
        bevor
        sowie
        """
    ),
}

LEADS: Mapping[Language, frozenset[str]] = {
    "en": word_set("sometime later early late btw around"),
    "de": word_set("erst noch spaetestens ab am im in zum rechtzeitig"),
}
"""Before a date or time these belong to it."""

BEFORE_MATTER = word_set("about for re of regarding from the fuer vom ueber von")
"""Before or in a time these say that it is what is spoken of."""

CLAUSE_ENDS: Mapping[Language, frozenset[str]] = {
    "en": word_set("but so because since and which probably"),
    "de": word_set("aber und weil denn"),
}

EVENTS = phrases(
    """
    vor dem
    vor der
    vor meinem
    vor meiner
    vor unserem
    nach dem
    nach der
    nach meinem
    nach meiner
    bei der
    beim
    before the
    before my
    before our
    after the
    after my
    after our
    """
)
"""Before a noun these say when: "vor meinem Urlaub", "after the meeting"."""

NEED_CLAUSE = word_set("before after until while bevor nachdem")
"""These lead a trigger only when somebody does something behind them."""

PRONOUNS = word_set("i we you he she they it ich wir du sie er es ihr")
