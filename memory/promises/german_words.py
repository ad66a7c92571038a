"""The words by which German promises are known, and those by which something only looks like one. Umlauts stand as ae."""

from collections.abc import Mapping

from memory.promises.words import phrases
from memory.when.words import word_set

_VERBS = """
    abaendern ab|bauen ab|bestellen ab|brechen ab|buchen ab|gleichen ab|geben ab|haken ab|holen ab|klaeren ab|lehnen ab|liefern
    ab|melden ab|sagen ab|schicken ab|schliessen ab|sprechen ab|stimmen abonnieren adressieren aktivieren aktualisieren
    aktualisiere an|bieten aendern analysieren an|bringen an|fertigen an|fordern an|fragen an|geben an|haengen an|hoeren an|kuendigen
    an|legen an|melden an|nehmen an|passen an|rufen an|schauen an|schreiben an|sehen an|setzen an|stossen an|weisen antworten
    archivieren auf|bauen auf|bereiten auf|fuehren auf|loesen auf|nehmen auf|raeumen auf|schreiben auf|setzen aus|arbeiten
    aus|bessern aus|drucken aus|fuellen aus|fuehren aus|haendigen aus|lesen aus|leihen aus|probieren aus|richten aus|stellen
    aus|tauschen aus|waehlen aus|werten backen beantragen beantworten bearbeiten beauftragen bedanken befassen begleichen
    begleiten begutachten beheben bekanntgeben belegen benachrichtigen benennen beraten berechnen bereit|legen bereit|stellen
    bereinigen berichten beruecksichtigen beschaffen beschleunigen besorgen bestaetigen bestellen bezahlen beziehen bitten
    blocken booten brauen brennen bringen buchen buendeln checken dazu|legen deaktivieren delegieren dokumentieren
    dranbleiben drucken durch|fuehren durch|geben durch|gehen durch|lesen durch|rechnen durch|schauen durch|sehen
    durch|stellen durch|testen ein|arbeiten ein|bauen ein|bestellen ein|bringen ein|binden ein|fuegen ein|fuehren ein|geben
    ein|holen ein|kaufen ein|laden ein|legen ein|leiten ein|lesen ein|pflegen ein|planen ein|reichen ein|richten ein|scannen
    ein|schicken ein|senden ein|setzen ein|spielen ein|stellen ein|tragen ein|weisen entfernen entgegen|nehmen entschuldigen
    entwerfen erarbeiten erfassen erfragen ergaenzen erinnern erkundigen erledigen ermitteln erneuern eroeffnen erreichen
    ersetzen erstatten erstellen erteilen ersuchen faxen fertig|machen fertig|stellen fest|halten fest|legen finalisieren
    fixen formulieren fort|fuehren fragen frei|geben frei|halten frei|schalten fuellen generieren genehmigen gerade|ziehen
    gucken gut|schreiben heraus|finden heraus|geben heraus|suchen her|richten herunter|laden hinterlegen hinzu|fuegen
    hin|bringen hin|weisen hoch|laden holen implementieren importieren informieren installieren integrieren investigieren
    kalkulieren kaufen klaeren klingeln kommunizieren konfigurieren kontaktieren kontrollieren kopieren korrigieren
    kuemmern kuendigen kuerzen laden legen leihen leiten liefern loeschen loesen los|schicken los|senden mailen markieren
    melden mit|bringen mit|geben mit|machen mit|nehmen mit|schicken mit|teilen nach|arbeiten nach|bearbeiten nach|bestellen nach|bessern
    nach|fassen nach|fragen nach|haken nach|holen nach|liefern nach|lesen nach|machen nach|messen nach|pruefen nach|rechnen
    nach|reichen nach|schauen nach|schicken nach|schlagen nach|sehen nach|senden nach|tragen notieren optimieren ordnen
    organisieren packen parken pflegen planen posten praezisieren probieren protokollieren pruefen quittieren rauf|laden
    raus|finden raus|geben raus|holen raus|nehmen raus|schicken raus|suchen recherchieren reduzieren regeln reichen rein|schauen
    rein|schreiben rein|stellen reinigen reklamieren renovieren reparieren reservieren restarten revidieren rueber|bringen
    rueber|schicken rueck|melden rufen runter|laden sagen sammeln scannen schauen schenken schicken schieben schildern
    schreiben sehen senden setzen sichern sichten signieren simsen skizzieren sorgen sortieren speichern sperren spenden
    sprechen stellen stornieren streichen suchen tauschen teilen telefonieren testen tippen tragen transportieren ueber|geben
    ueberarbeiten ueberdenken uebergeben uebermitteln uebernehmen ueberpruefen uebersenden uebersetzen ueberweisen
    ueberzeugen um|bauen um|buchen um|schreiben um|setzen um|stellen um|tauschen umtauschen unterrichten unterschreiben
    unterstuetzen unterzeichnen untersuchen updaten uploaden veranlassen verbessern verbinden verbuchen vereinbaren
    verfassen verguetten verguten verlaengern verlegen vermerken vermitteln veroeffentlichen verschicken verschieben versenden
    verstaendigen verstauen verteilen vertreten verweisen vervollstaendigen vor|bei|bringen vorbei|bringen vorbei|kommen
    vorbei|schauen vorbei|schicken vorbei|gehen vorbei|fahren vor|bereiten vor|legen vor|merken vor|schlagen vor|stellen
    waschen weg|raeumen weg|schicken weiter|geben weiter|leiten weiter|reichen weiter|verfolgen weiter|schicken wechseln
    widerrufen wiederholen zahlen zeichnen zeigen zu|sagen zu|schicken zu|senden zurueck|geben zurueck|kommen zurueck|melden
    zurueck|nehmen zurueck|rufen zurueck|schicken zurueck|schreiben zurueck|senden zurueck|setzen zurueck|ueberweisen
    zurueck|zahlen zurueck|bringen zusammen|fassen zusammen|stellen zusammen|schreiben zusammen|suchen zu|kommen zu|stellen
    zustellen hin|gehen aus|legen dran|bleiben bescheid|geben bescheid|sagen ausprobieren fertig|schreiben
    entgegen|kommen heran|treten rum|fragen rum|schicken herum|fragen herum|schicken um|hoeren nach|forschen ersetzen
    """

NEED_MORE = word_set("sehen kommen gehen halten nehmen stellen setzen geben denken bleiben machen ziehen schlagen treten fahren sagen tragen schliessen brechen bieten haengen haken stossen lesen fallen")
"""Of these the bare verb says too little: only with a particle, or with what stands in `WITH`."""

WITH: Mapping[str, frozenset[str]] = {
    "geben": word_set("dir ihnen euch bescheid ihm ihr ihnen rueckmeldung weiter"),
    "sagen": word_set("bescheid dir ihnen euch ihm ihr"),
    "machen": word_set("das es mach mache fertig termin liste foto plan entwurf kopie dir ihnen sofort gleich weg klar gern nachher morgen heute"),
    "denken": word_set("dran daran"),
    "bleiben": word_set("dran"),
    "halten": word_set("laufenden fest frei"),
    "gehen": word_set("hin durch nach vorbei ein"),
    "kommen": word_set("vorbei zurueck"),
    "stellen": word_set("kanal verfuegung dir ihnen euch rein bereit fertig zusammen ordner antrag"),
    "setzen": word_set("verbindung liste cc um auf ein"),
    "nehmen": word_set("kontakt mit auf vor an"),
    "lesen": word_set("korrektur das es ihn sie durch"),
    "tragen": word_set("ein nach dafuer"),
    "treten": word_set("kontakt verbindung"),
    "haken": word_set("nach"),
    "ziehen": word_set("gerade nach"),
}
"""Words of the clause with which such a verb is a deed."""

OURS = word_set(
    """
    erstatten liefern holen schicken senden melden pruefen bestaetigen erstellen uebersenden ueberweisen informieren
    benachrichtigen kuemmern bearbeiten beheben ersetzen reparieren stornieren aktualisieren uebernehmen veranlassen reichen
    nachreichen nachliefern zusenden zuschicken zustellen zurueckrufen zurueckmelden nachbessern antworten anrufen mitteilen
    kontaktieren buchen bestellen reservieren verschicken versenden weiterleiten weitergeben bringen abholen umtauschen
    austauschen gutschreiben vorbereiten einreichen ueberarbeiten ergaenzen korrigieren anpassen einrichten freischalten
    zurueckerstatten zurueckzahlen zahlen bezahlen begleichen sorgen stellen geben leiten untersuchen nachschauen nachsehen
    nachfragen klaeren vorlegen anbieten bemuehen versuchen unterrichten sperren loeschen installieren testen uebergeben
    ausstellen verlaengern kuendigen vereinbaren organisieren beantworten erledigen setzen kommen einarbeiten einpflegen
    ausfuehren durchfuehren umsetzen veroeffentlichen hochladen bereitstellen lassen reichen bitten halten rufen
    """
)
"""What "wir" do without the reader."""

TOGETHER = word_set("reden sprechen telefonieren treffen besprechen sehen diskutieren klaeren unterhalten quatschen schauen")
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
    angebot antwort bericht bescheid bestaetigung bild bilder daten details dokument dokumente entwurf ersatz feedback fotos
    gutschrift info infos informationen korrektur lieferung link liste mail nachtrag nachricht plan praesentation
    protokoll rechnung rueckmeldung rueckruf scan termin terminvorschlag terminvorschlaege ueberweisung unterlagen update
    vertrag vorschlag zahlung zusage zusammenfassung anzahlung erstattung paket
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
WOULD = word_set("wuerde wuerden koennte koennten haette haetten waere waeren sollte sollten moechte moechten duerfte muesste")
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
REPORTED = word_set("gesagt sagte sagt versprochen meinte meint schrieb geschrieben behauptet behauptete erzaehlt zugesagt angekuendigt")
NOT = word_set("nicht nichts nix nie niemals kein keine keinen keiner keinem kaum weder")
USUALLY = word_set("normalerweise ueblicherweise gewoehnlich meist meistens immer stets oft manchmal regelmaessig gelegentlich")
GLADLY = word_set("gern gerne")
BY_THIS = word_set("hiermit anbei beigefuegt angehaengt beiliegend nachfolgend unten untenstehend hierdurch nachstehend")
UNDER_WAY = word_set("gerade derzeit aktuell momentan")
ALREADY = word_set("bereits schon")

ASIDE = word_set(
    """
    ja jaja klar ok okay natuerlich selbstverstaendlich gut prima super perfekt alles danke sorry geht also und aber dann da nein nee doch
    hallo hi so freilich sicher gerne verstanden in ordnung kein problem leid tut mir stimmt passt
    """
)
"""What stands before a sentence and is none, or fills its first place."""

FILLERS = word_set("dann da so also aber doch natuerlich selbstverstaendlich klar ja jedenfalls deshalb daher dafuer dazu zwar")

REFLEXIVE = word_set("melden kuemmern beeilen freuen erkundigen bedanken befassen bemuehen entschuldigen")
"""With "dich" these are orders: "melde dich"."""

FOR_MYSELF = word_set("schauen sehen gucken notieren ueberlegen merken anschauen ansehen durchlesen")
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
