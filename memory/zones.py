"""Wall time and zones: what the owner's clock shows, and when that is."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from unicodedata import combining, normalize
from zoneinfo import ZoneInfo, available_timezones

from memory.errors import BadInput


def to_wall(at: datetime, zone: ZoneInfo) -> datetime:
    """What the clock on the wall shows at an instant: naive, with fold=1 in the second pass of an autumn hour."""
    return at.astimezone(zone).replace(tzinfo=None)


def to_utc(wall: datetime, zone: ZoneInfo) -> datetime:
    """The instant (UTC) at which the clock shows `wall`.

    A time in the spring gap moves forward by the gap (02:30 is 03:30); one in the autumn fold is taken in its
    first pass. `wall` is naive; whatever fold it carries is not looked at.
    """
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class Stay:
    """From an instant on (aware UTC) the owner's wall clock follows a zone."""

    from_at: datetime
    zone: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Where the owner was, is and will be: stays in order, the first of which also holds for all time before it.

    Raises BadInput when there is no stay, or they are out of order.
    """

    stays: tuple[Stay, ...]

    def __post_init__(self) -> None:
        """An empty or disordered timeline could answer nothing."""
        starts = [stay.from_at for stay in self.stays]
        if not starts or starts != sorted(set(starts)):
            raise BadInput("a timeline needs at least one stay, in order of time, each with its own start")

    def zone_at(self, at: datetime) -> ZoneInfo:
        """The zone in force at an instant (aware)."""
        begun = [stay for stay in self.stays if stay.from_at <= at]
        return ZoneInfo((begun or self.stays)[-1 if begun else 0].zone)

    def wall_at(self, at: datetime) -> datetime:
        """What the owner's clock shows at an instant (aware)."""
        return to_wall(at, self.zone_at(at))

    def wall_to_utc(self, wall: datetime) -> datetime:
        """The first instant (UTC) at which the owner's own clock shows `wall`.

        A wall time that a journey east skips ("Saturday 03:00" while flying over it) is the moment of the change;
        one that a journey west repeats is taken in its first pass.
        """
        for number, stay in enumerate(self.stays):
            at = to_utc(wall, ZoneInfo(stay.zone))
            ends_at = self.stays[number + 1].from_at if number + 1 < len(self.stays) else None
            begun = number == 0 or at >= stay.from_at
            if begun and (ends_at is None or at < ends_at):
                return at
            if not begun:
                return stay.from_at
        return to_utc(wall, ZoneInfo(self.stays[-1].zone))


def find_zone(place: str) -> str | None:
    """The IANA name of the zone of a city, country or zone in English or German words; none when it is not known.

    A country with several zones that matter to its people (the United States, Brazil …) is not known: it would be a
    guess.
    """
    return _places().get(_plain(place))


def _plain(place: str) -> str:
    """One spelling for many: no case, no accents, no punctuation; ü is u, and ue too (both sides go through here)."""
    text = normalize("NFKD", place.casefold().replace("ß", "ss").replace("_", " ").replace("-", " ").replace("/", " "))
    text = "".join(c for c in text if not combining(c) and (c.isalnum() or c == " "))
    return " ".join(word for word in text.split() if word not in ("the", "die", "der", "time", "zeit", "city"))


@cache
def _places() -> dict[str, str]:
    """Every name known, in plain spelling. What is written down here wins over what the zone names say."""
    places: dict[str, str] = {}
    for zone in sorted(available_timezones()):
        region, _, city = zone.partition("/")
        places[_plain(zone)] = zone
        if city and region not in ("Etc", "SystemV", "US", "Brazil", "Canada", "Chile", "Mexico", "posix", "right"):
            places.setdefault(_plain(city.rpartition("/")[2]), zone)
    for zone, names in _NAMES.items():
        for name in names.split(","):
            places[_plain(name)] = zone
            for umlaut, spelt in (("ä", "ae"), ("ö", "oe"), ("ü", "ue")):
                places[_plain(name.casefold().replace(umlaut, spelt))] = zone
    return places


# Names that people use and the zone database does not: large cities, countries with one zone, German spellings.
_NAMES = {
    "Europe/Berlin": "Berlin,Germany,Deutschland,Munich,München,Hamburg,Cologne,Köln,Frankfurt,Frankfurt am Main,Stuttgart,"
    "Düsseldorf,Leipzig,Dresden,Hannover,Hanover,Nuremberg,Nürnberg,Bremen,Essen,Dortmund,Bonn,Münster,Karlsruhe,"
    "Mannheim,Freiburg,Heidelberg,Potsdam,Kiel,Rostock,Mainz,Augsburg,Aachen",
    "Europe/Vienna": "Vienna,Wien,Austria,Österreich,Graz,Linz,Salzburg,Innsbruck",
    "Europe/Zurich": "Zurich,Zürich,Switzerland,Schweiz,Geneva,Genf,Genève,Basel,Bern,Lausanne,Lugano,Davos",
    "Europe/Paris": "Paris,France,Frankreich,Lyon,Marseille,Nice,Nizza,Toulouse,Bordeaux,Strasbourg,Straßburg,Cannes",
    "Europe/London": "London,England,UK,United Kingdom,Great Britain,Großbritannien,Vereinigtes Königreich,Scotland,"
    "Schottland,Wales,Edinburgh,Glasgow,Manchester,Birmingham,Liverpool,Oxford,Cambridge,Bristol,Leeds",
    "Europe/Dublin": "Dublin,Ireland,Irland",
    "Europe/Rome": "Rome,Rom,Roma,Italy,Italien,Milan,Mailand,Milano,Naples,Neapel,Turin,Florence,Florenz,Venice,Venedig,"
    "Bologna,Genoa,Genua,Palermo,Sicily,Sizilien",
    "Europe/Madrid": "Madrid,Spain,Spanien,Barcelona,Valencia,Seville,Sevilla,Bilbao,Malaga,Mallorca,Palma",
    "Atlantic/Canary": "Tenerife,Teneriffa,Gran Canaria,Canary Islands,Kanaren,Kanarische Inseln,Lanzarote",
    "Europe/Lisbon": "Lisbon,Lissabon,Lisboa,Portugal,Porto",
    "Europe/Amsterdam": "Amsterdam,Netherlands,Niederlande,Holland,Rotterdam,The Hague,Den Haag,Utrecht,Eindhoven",
    "Europe/Brussels": "Brussels,Brüssel,Belgium,Belgien,Antwerp,Antwerpen,Bruges,Brügge,Ghent,Gent",
    "Europe/Luxembourg": "Luxembourg,Luxemburg",
    "Europe/Copenhagen": "Copenhagen,Kopenhagen,Denmark,Dänemark",
    "Europe/Stockholm": "Stockholm,Sweden,Schweden,Gothenburg,Göteborg,Malmö",
    "Europe/Oslo": "Oslo,Norway,Norwegen,Bergen",
    "Europe/Helsinki": "Helsinki,Finland,Finnland",
    "Atlantic/Reykjavik": "Iceland,Island,Reykjavik",
    "Europe/Warsaw": "Warsaw,Warschau,Poland,Polen,Krakow,Krakau,Gdansk,Danzig,Wroclaw,Breslau,Poznan,Posen",
    "Europe/Prague": "Prague,Prag,Czechia,Czech Republic,Tschechien,Brno,Brünn",
    "Europe/Bratislava": "Bratislava,Slovakia,Slowakei,Pressburg",
    "Europe/Budapest": "Budapest,Hungary,Ungarn",
    "Europe/Bucharest": "Bucharest,Bukarest,Romania,Rumänien",
    "Europe/Sofia": "Sofia,Bulgaria,Bulgarien",
    "Europe/Athens": "Athens,Athen,Greece,Griechenland,Thessaloniki,Crete,Kreta",
    "Europe/Zagreb": "Zagreb,Croatia,Kroatien,Split,Dubrovnik",
    "Europe/Ljubljana": "Ljubljana,Slovenia,Slowenien,Laibach",
    "Europe/Belgrade": "Belgrade,Belgrad,Serbia,Serbien",
    "Europe/Istanbul": "Istanbul,Turkey,Türkei,Ankara,Izmir,Antalya",
    "Europe/Kyiv": "Kyiv,Kiev,Kiew,Ukraine,Lviv,Lemberg,Odesa,Odessa",
    "Europe/Moscow": "Moscow,Moskau,St Petersburg,Saint Petersburg,Sankt Petersburg",
    "Europe/Vilnius": "Vilnius,Lithuania,Litauen",
    "Europe/Riga": "Riga,Latvia,Lettland",
    "Europe/Tallinn": "Tallinn,Estonia,Estland",
    "Asia/Tokyo": "Tokyo,Tokio,Japan,Osaka,Kyoto,Kioto,Nagoya,Sapporo,Yokohama",
    "Asia/Seoul": "Seoul,Korea,South Korea,Südkorea,Busan",
    "Asia/Shanghai": "Beijing,Peking,China,Shanghai,Schanghai,Shenzhen,Guangzhou,Hangzhou,Chengdu",
    "Asia/Hong_Kong": "Hong Kong,Hongkong",
    "Asia/Taipei": "Taipei,Taiwan,Taipeh",
    "Asia/Singapore": "Singapore,Singapur",
    "Asia/Bangkok": "Bangkok,Thailand,Phuket",
    "Asia/Ho_Chi_Minh": "Ho Chi Minh City,Saigon,Hanoi,Vietnam",
    "Asia/Manila": "Manila,Philippines,Philippinen",
    "Asia/Kuala_Lumpur": "Kuala Lumpur,Malaysia",
    "Asia/Jakarta": "Jakarta",
    "Asia/Makassar": "Bali",
    "Asia/Kolkata": "India,Indien,Mumbai,Bombay,Delhi,New Delhi,Neu-Delhi,Bangalore,Bengaluru,Chennai,Hyderabad,Kolkata,"
    "Kalkutta,Calcutta,Pune,IST",
    "Asia/Kathmandu": "Kathmandu,Katmandu,Nepal",
    "Asia/Colombo": "Colombo,Sri Lanka",
    "Asia/Karachi": "Pakistan,Karachi,Islamabad,Lahore",
    "Asia/Dubai": "Dubai,Abu Dhabi,United Arab Emirates,UAE,Vereinigte Arabische Emirate",
    "Asia/Qatar": "Qatar,Katar,Doha",
    "Asia/Riyadh": "Saudi Arabia,Saudi-Arabien,Riyadh,Riad",
    "Asia/Jerusalem": "Israel,Jerusalem,Tel Aviv",
    "Asia/Beirut": "Beirut,Lebanon,Libanon",
    "Asia/Tehran": "Iran,Tehran,Teheran",
    "Africa/Cairo": "Cairo,Kairo,Egypt,Ägypten",
    "Africa/Casablanca": "Casablanca,Morocco,Marokko,Marrakesh,Marrakesch",
    "Africa/Tunis": "Tunis,Tunisia,Tunesien",
    "Africa/Johannesburg": "Johannesburg,Cape Town,Kapstadt,South Africa,Südafrika,Durban,Pretoria",
    "Africa/Nairobi": "Nairobi,Kenya,Kenia",
    "Africa/Lagos": "Lagos,Nigeria,Abuja",
    "America/New_York": "New York,New York City,NYC,Boston,Washington,Washington DC,Philadelphia,Miami,Atlanta,Baltimore,"
    "Pittsburgh,Orlando,Charlotte,Cleveland,Eastern,ET,EST,EDT,Florida",
    "America/Chicago": "Chicago,Houston,Dallas,Austin,San Antonio,Minneapolis,St Louis,New Orleans,Kansas City,Nashville,"
    "Milwaukee,Memphis,Central",
    "America/Denver": "Denver,Salt Lake City,Albuquerque,Colorado,Utah,Mountain",
    "America/Phoenix": "Phoenix,Arizona,Tucson",
    "America/Los_Angeles": "Los Angeles,LA,San Francisco,SF,Seattle,San Diego,Portland,Las Vegas,Silicon Valley,San Jose,"
    "California,Kalifornien,Sacramento,Oakland,Palo Alto,Pacific,PT,PST,PDT",
    "America/Anchorage": "Alaska,Anchorage",
    "Pacific/Honolulu": "Hawaii,Honolulu",
    "America/Detroit": "Detroit,Michigan",
    "America/Toronto": "Toronto,Ottawa,Montreal,Quebec",
    "America/Vancouver": "Vancouver,Victoria",
    "America/Edmonton": "Calgary,Edmonton",
    "America/Mexico_City": "Mexico,Mexiko,Mexico City,Mexiko-Stadt,Guadalajara",
    "America/Cancun": "Cancun",
    "America/Sao_Paulo": "Sao Paulo,Rio,Rio de Janeiro,Brasilia",
    "America/Argentina/Buenos_Aires": "Buenos Aires,Argentina,Argentinien",
    "America/Santiago": "Santiago,Chile,Santiago de Chile",
    "America/Bogota": "Bogota,Colombia,Kolumbien",
    "America/Lima": "Lima,Peru",
    "America/Havana": "Havana,Havanna,Cuba,Kuba",
    "America/Caracas": "Caracas,Venezuela",
    "Australia/Sydney": "Sydney,Canberra,Newcastle",
    "Australia/Melbourne": "Melbourne",
    "Australia/Brisbane": "Brisbane,Gold Coast",
    "Australia/Perth": "Perth",
    "Pacific/Auckland": "Auckland,New Zealand,Neuseeland,Wellington,Christchurch",
    "UTC": "UTC,GMT,Zulu,Greenwich",
}
