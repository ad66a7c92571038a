"""The words by which German promises are known, and those by which something only looks like one. Umlauts stand as ae."""

from collections.abc import Mapping

from memory.promises.words import phrases
from memory.when.words import word_set

_VERBS = """
    ab|aendern ab|bauen ab|bestellen ab|brechen ab|buchen ab|decken ab|geben ab|gleichen ab|haken ab|holen ab|klaeren
    ab|lehnen ab|liefern ab|melden ab|nehmen abonnieren ab|sagen ab|schicken ab|schliessen ab|sprechen ab|stellen
    ab|stimmen ab|tippen adressieren aendern aktivieren aktualisieren analysieren an|bringen an|fertigen an|fordern
    an|fragen an|geben an|haengen an|hoeren an|kuendigen an|legen an|melden an|passen an|rufen an|schauen an|schreiben
    an|sehen an|setzen an|stellen an|stossen antworten an|weisen archivieren auf|bauen auf|bereiten auf|fuehren
    auf|loesen auf|nehmen auf|raeumen auf|schreiben auf|setzen aus|arbeiten aus|bessern aus|drucken aus|fuehren
    aus|fuellen aus|haendigen aus|legen aus|leihen aus|lesen aus|machen aus|probieren aus|richten aus|stellen
    aus|tauschen aus|waehlen aus|werten beantragen beantworten bearbeiten beauftragen bedanken befassen begleichen
    begleiten begutachten beheben bekanntgeben belegen benachrichtigen benennen beraten berechnen bereinigen
    bereit|legen bereit|stellen berichten beruecksichtigen beschaffen bescheid|geben beschleunigen besorgen
    bestaetigen bestellen bezahlen blocken bringen buchen buendeln checken dazu|legen dazu|schreiben deaktivieren
    delegieren dokumentieren dran|bleiben drucken durch|fuehren durch|geben durch|gehen durch|lesen durch|rechnen
    durch|schauen durch|sehen durch|setzen durch|stellen durch|testen ein|arbeiten ein|bauen ein|bestellen ein|binden
    ein|bringen ein|fuegen ein|fuehren ein|geben ein|gehen ein|holen ein|laden ein|legen ein|leiten ein|lesen ein|pflegen
    ein|planen ein|reichen ein|richten ein|scannen ein|schalten ein|schicken ein|senden ein|setzen ein|spielen
    ein|stellen ein|steuern ein|tragen ein|weisen ein|ziehen entfernen entgegen|kommen entgegen|nehmen entschuldigen
    entwerfen erarbeiten erfassen erfragen ergaenzen erinnern erkundigen erledigen ermitteln erneuern eroeffnen
    erreichen ersetzen erstatten erstellen erteilen faxen fertig|machen fertig|schreiben fertig|stellen fest|halten
    fest|legen finalisieren fixen formulieren fort|fuehren fort|setzen fragen frei|geben frei|halten frei|schalten
    fuellen gegen|lesen genehmigen generieren gerade|ziehen gucken gut|schreiben heran|treten heraus|finden
    heraus|geben heraus|suchen herbei|fuehren her|richten her|schicken herum|fragen herum|schicken herunter|laden
    hin|bringen hin|gehen hin|schicken hinterher|schicken hinterlegen hinter|legen hin|weisen hinzu|fuegen hoch|laden
    hoch|stellen holen implementieren importieren informieren installieren integrieren investigieren kalkulieren
    kaufen klaeren kommunizieren konfigurieren kontaktieren kontrollieren kopieren korrektur|lesen korrigieren
    kuemmern kuendigen kuerzen laden legen leihen leiten liefern loeschen loesen los|schicken los|senden mailen
    markieren melden mit|bringen mit|geben mit|machen mit|nehmen mit|schicken mit|teilen nach|arbeiten nach|bearbeiten
    nach|bessern nach|bestellen nach|fassen nach|forschen nach|gehen nach|fragen nach|fuellen nach|haken nach|hoeren nach|holen
    nach|kaufen nach|lesen nach|liefern nach|machen nach|messen nach|pruefen nach|rechnen nach|reichen nach|schauen
    nach|schicken nach|schlagen nach|sehen nach|senden nach|tragen notieren optimieren ordnen organisieren pflegen
    planen posten praezisieren probieren protokollieren pruefen quittieren rauf|laden raus|finden raus|geben
    raus|holen raus|nehmen raus|schicken raus|suchen recherchieren reden reduzieren regeln reichen reinigen
    rein|schauen rein|schreiben rein|stellen reklamieren renovieren reparieren reservieren restarten revidieren
    rueber|bringen rueber|schicken rueck|bestaetigen rueck|melden rufen rum|fragen rum|schicken runter|laden sagen
    sammeln scannen schauen schicken schieben schildern schreiben sehen senden setzen sichern sichten signieren
    skizzieren sorgen sortieren speichern sperren sprechen stellen stornieren streichen suchen tauschen teilen
    telefonieren testen tippen tragen transportieren treffen ueberarbeiten uebergeben uebermitteln uebernehmen
    ueberpruefen uebersenden uebersetzen ueberweisen um|bauen um|buchen um|hoeren um|schreiben um|setzen um|stellen
    um|tauschen unterrichten unterschreiben untersuchen unterzeichnen updaten uploaden veranlassen verbessern
    verbinden verbuchen vereinbaren verfassen verguetten verlaengern verlegen vermerken vermitteln veroeffentlichen
    verschicken verschieben versenden verstaendigen verstauen verteilen vervollstaendigen verweisen vorbei|bringen
    vorbei|fahren vorbei|gehen vorbei|kommen vorbei|schauen vorbei|schicken vor|bereiten vor|legen vor|lesen
    vor|merken vor|schicken vor|stellen wechseln weg|bringen weg|raeumen weg|schicken weiter|geben weiter|leiten
    weiter|reichen weiter|schicken weiter|verfolgen widerrufen wiederholen zahlen zeichnen zeigen zu|kommen zu|leiten
    zu|mailen zu|ordnen zurueck|bringen zurueck|geben zurueck|kommen zurueck|melden zurueck|nehmen zurueck|rufen
    zurueck|schicken zurueck|schreiben zurueck|senden zurueck|setzen zurueck|ueberweisen zurueck|zahlen zu|sagen
    zusammen|bauen zusammen|fassen zusammen|schreiben zusammen|stellen zusammen|suchen zu|schicken zu|senden zustellen
    zu|stellen durch|klingeln an|klingeln hin|fahren heim|fahren ab|waschen aus|raeumen putzen giessen fuettern aus|probieren
"""

NEED_MORE = word_set(
    """
    bieten bleiben brechen denken erzaehlen fallen fahren fragen geben gehen haengen haken halten kommen lesen machen nehmen probieren sagen schlagen
    schliessen sehen setzen stellen stossen suchen teilen tragen treten ziehen
    """
)
"""Of these the bare verb says too little: only with a particle, or with what stands in `WITH`."""

ALSO_PREPOSITIONS = word_set("ab an auf aus durch ein mit nach um vor zu")
"""These are particles only at the end of what they belong to."""

WITH: Mapping[str, frozenset[str]] = {
    "geben": word_set("dir ihnen euch bescheid ihm ihr rueckmeldung"),
    "sagen": word_set("bescheid ihm ihr"),
    "machen": word_set(
        "das es fertig termin liste foto fotos plan entwurf kopie vorschlag angebot sofort gleich morgen heute nachher"
    ),
    "denken": word_set("dran daran"),
    "probieren": word_set("das es nochmal"),
    "erzaehlen": word_set("dir euch ihnen"),
    "fahren": word_set("dich euch sie"),
    "halten": word_set("laufenden"),
    "stellen": word_set("kanal verfuegung dir ihnen euch ordner antrag"),
    "setzen": word_set("verbindung liste cc"),
    "nehmen": word_set("kontakt"),
    "lesen": word_set("korrektur das es"),
    "tragen": word_set("ein nach dafuer"),
    "treten": word_set("kontakt verbindung"),
    "fragen": word_set("nach mal bei ihn herrn frau kollegen den die"),
    "suchen": word_set("das es dir ihnen euch alles"),
}
"""Words of the clause with which such a verb is a deed."""

PERFORMATIVE = word_set(
    """
    absagen bedanken bestaetigen bestellen beantragen einladen entschuldigen erinnern hinweisen informieren kuendigen mitteilen
    schreiben senden verweisen widerrufen zusagen benachrichtigen empfehlen
    """
) - word_set("senden")
"""Said in the present these are mostly done by saying so, and a promise only with a time."""

GIVING = word_set(
    """
    bringen geben leihen mailen sagen schicken schreiben senden zeigen zuschicken zusenden weiterleiten nachreichen mitbringen
    rueberschicken erstatten ueberweisen hochladen abholen zurueckgeben zurueckschreiben zurueckschicken
    """
)
"""Only these begin a sentence with "… dir" and mean me: "such dir einen Termin aus" is an order."""

GREETING = word_set("gruesse gruss kuss kuesse umarmung drueck druecker grueße recht sorgen gedanken")
"""With these nothing is promised."""

MODALS = word_set(
    "muessen koennen sollen wollen duerfen sollten koennten muessten wuerden haben hatten sind waren moechten duerften"
)
"""Before "wir" these are the verb: "das müssen wir prüfen"."""

ASKING = word_set("was wie wo wann warum wer welche welchen welcher welches wieso weshalb wohin woher wem wen")

OURS = word_set(
    """
    erstatten liefern holen schicken senden melden pruefen bestaetigen erstellen uebersenden ueberweisen informieren
    benachrichtigen kuemmern bearbeiten beheben ersetzen reparieren stornieren aktualisieren uebernehmen veranlassen reichen
    nachreichen nachliefern zusenden zuschicken zustellen zurueckrufen zurueckmelden nachbessern antworten anrufen mitteilen
    kontaktieren buchen bestellen reservieren verschicken versenden weiterleiten weitergeben bringen abholen umtauschen
    austauschen gutschreiben vorbereiten einreichen ueberarbeiten ergaenzen korrigieren anpassen einrichten freischalten
    zurueckerstatten zurueckzahlen zahlen bezahlen begleichen sorgen stellen geben leiten untersuchen nachschauen nachsehen
    nachfragen klaeren vorlegen bemuehen versuchen unterrichten sperren loeschen installieren testen uebergeben
    ausstellen verlaengern kuendigen vereinbaren organisieren beantworten erledigen setzen kommen einarbeiten einpflegen
    ausfuehren durchfuehren umsetzen veroeffentlichen hochladen bereitstellen lassen reichen halten rufen
    """
)
"""What "wir" do without the reader."""

TOGETHER = word_set("reden sprechen telefonieren treffen besprechen diskutieren unterhalten quatschen")
"""What "wir" do with the reader, unless somebody else is named."""

NO_DEEDS = word_set(
    """
    sein haben bleiben fahren fliegen gehen kommen wissen koennen muessen wollen sollen duerfen brauchen sehen wohnen vermissen
    vergessen freuen warten schlafen reisen werden verstehen glauben hoffen denken bekommen erhalten gewinnen lernen leben lieben
    heiraten feiern wandern ziehen umziehen verreisen ankommen eintreffen teilnehmen geniessen erwarten verlieren scheitern
    aufhoeren gewoehnen fehlen tun an morgen dann den ihnen von ihren meinen einen keinen allen schon gern nun wochen tagen
    stunden zeiten sachen unterlagen dateien daten einen deinen wann denn wenn
    """
)
"""After "werde": a state, a journey, or no verb at all."""

PARTNERS = word_set("dem der den meinem meiner unserem unserer herrn frau einem einer kollegen")
OTHERS_TOGETHER = word_set("dir ihnen euch dich sie gemeinsam zusammen")

FIRM = word_set(
    """
    techniker kollege kollegin kollegen mitarbeiter mitarbeiterin team support buchhaltung fachabteilung kundendienst aussendienst
    monteur hausmeister fahrer service kundenservice vertrieb sekretariat buero it-abteilung rechtsabteilung personalabteilung
    handwerker spediteur
    """
)
FIRM_DOES = word_set(
    "kommt meldet ruft prueft schickt sendet bringt holt kuemmert liefert klaert repariert kontaktiert schaut tauscht setzt informiert erledigt bearbeitet"
)

NOUNS = word_set(
    """
    angebot antwort bericht bestaetigung bilder daten details dokument dokumente entwurf ersatz feedback fotos
    gutschrift info infos informationen korrektur link liste nachtrag nachricht plan praesentation
    protokoll rechnung rueckmeldung rueckruf scan termin terminvorschlag terminvorschlaege ueberweisung unterlagen update
    vertrag vorschlag zahlung zusage zusammenfassung anzahlung erstattung
    """
)
"""What "kommt morgen" or "folgt" is said of."""

COMES = word_set("kommt kommen folgt folgen erfolgt erfolgen")
DONE = word_set(
    "erledigt gemacht nachgereicht nachgeholt nachgeliefert korrigiert gefixt versandt verschickt zugesandt zugeschickt ueberwiesen erstattet geliefert geprueft"
)

READER = word_set("dir dich euch ihnen sie du ihr")
SUBORDINATE = word_set(
    "dass ob weil da damit wenn als wie was wo wann warum wer welche welchen welcher falls sofern bis bevor nachdem waehrend obwohl sobald seit indem solange die der das den dem"
)
"""Before "ich" at the end of which the verb stands: no statement of its own."""

IFS = word_set("falls sofern gegebenenfalls ggf notfalls vorausgesetzt ansonsten andernfalls sonst soweit")
CONDITIONS = phrases(
    """
    es sei denn
    fuer den fall
    im falle
    im fall
    bei bedarf
    bei interesse
    bei gelegenheit
    bei rueckfragen
    bei fragen
    auf wunsch
    unter der bedingung
    unter der voraussetzung
    im notfall
    im zweifel
    wenn moeglich
    """
)
NO_DEEDS_HERE = phrases(
    """
    in der regel
    mach feierabend
    mach pause
    mach schluss
    mach sport
    mach urlaub
    im anhang
    im attachment
    """
)
WOULD = word_set(
    "wuerde wuerden koennte koennten haette haetten waere waeren sollte sollten moechte moechten duerfte muesste"
)
VERB_FIRST = word_set(
    "brauchst brauchen benoetigst benoetigen hast haben willst wollen kannst koennen moechtest moechten sollte sollten solltest solltet bist sind ist wird werden passt klappt geht kommt kommst gibt"
)
"""What a sentence begins with that says "if" without a word for it."""

WEAK = word_set(
    """
    vielleicht eventuell evtl wohl wahrscheinlich vermutlich hoffentlich moeglicherweise glaube glaub denke hoffe schaetze vermute
    plane ueberlege womoeglich unter umstaenden voraussichtlich theoretisch eigentlich
    """
) - word_set("unter")
REPORTED = word_set(
    "gesagt sagte sagt versprochen meinte meint schrieb geschrieben behauptet behauptete erzaehlt zugesagt angekuendigt"
)
NOT = word_set("nicht nichts nix nie niemals kein keine keinen keiner keinem kaum weder")
USUALLY = word_set(
    "normalerweise ueblicherweise gewoehnlich meist meistens immer stets oft manchmal regelmaessig gelegentlich"
)
GLADLY = word_set("gern gerne")
BY_THIS = word_set(
    "hier hiermit anbei beigefuegt angehaengt beiliegend nachfolgend unten untenstehend hierdurch nachstehend"
)
UNDER_WAY = word_set("gerade derzeit aktuell momentan")
ALREADY = word_set("bereits schon")

ASIDE = word_set(
    """
    ja jaja jo jep yep klar ok okay natuerlich selbstverstaendlich gut prima super perfekt alles danke sorry geht also und aber dann da nein nee doch
    hallo hi so freilich sicher gerne verstanden in ordnung kein problem leid tut mir stimmt passt
    """
)
"""What stands before a sentence and is none, or fills its first place."""

FILLERS = word_set(
    "dann da so also aber doch natuerlich selbstverstaendlich klar ja jo jep yep ok okay jedenfalls deshalb daher dafuer dazu zwar"
)

REFLEXIVE = word_set("melden kuemmern beeilen freuen erkundigen bedanken befassen bemuehen entschuldigen")
"""With "dich" these are orders: "melde dich"."""

FOR_MYSELF = word_set(
    "schauen sehen gucken notieren ueberlegen merken anschauen ansehen durchlesen durchsehen notieren vornehmen"
)
"""With "mir" these are no orders: "schau mir das an"."""

HANDS_OVER = word_set(
    """
    schicken senden mailen faxen liefern ueberweisen zuschicken zusenden nachreichen nachliefern nachsenden nachschicken uebersenden
    uebermitteln hochladen weiterleiten rueberschicken mitschicken verschicken versenden einreichen bereitstellen zurueckschicken
    zurueckgeben uebergeben geben zukommen bekommen erhalten kriegen kommen folgen
    """
)
ANSWERS = word_set(
    "melden antworten bestaetigen informieren benachrichtigen mitteilen berichten sagen rueckmelden zurueckmelden beantworten zurueckschreiben hoeren"
)


def _forms(infinitive: str) -> frozenset[str]:
    """The first person of a verb, with and without its e."""
    if infinitive.endswith(("ern", "eln")):
        stem, last = infinitive[:-1], infinitive[-2]
        return frozenset({f"{stem}e", stem, f"{stem[:-2]}{last}e"})
    stem = infinitive.removesuffix("n").removesuffix("e")
    return frozenset({f"{stem}e", stem})


def _split(verbs: str) -> Mapping[str, frozenset[str]]:
    """By each verb without its particle those particles with which it is a deed, "" for none."""
    found: dict[str, set[str]] = {}
    for verb in verbs.split():
        particle, _, bare = verb.rpartition("|")
        found.setdefault(bare, set()).add(particle.replace("|", ""))
    for bare in WITH:
        found.setdefault(bare, set())
    return {bare: frozenset(particles) for bare, particles in found.items()}


PARTICLES = _split(_VERBS)
FIRST_PERSON: Mapping[str, str] = {form: bare for bare in PARTICLES for form in _forms(bare)}
"""The verb by its form after "ich"."""

INFINITIVES = frozenset(verb.replace("|", "") for verb in _VERBS.split())
