"""What a unit of work may use, on one connection."""

from collections.abc import Callable

from sqlalchemy import Connection

from memory.exclusion import NOTHING, Exclusions
from memory.sql.accounts import SqlAccounts, SqlPreferences, SqlSenders
from memory.sql.bearing import Bearing
from memory.sql.calendars import SqlCalendars
from memory.sql.cards import SqlCards
from memory.sql.contacts import SqlContacts
from memory.sql.counters import SqlCounts, SqlCursors, SqlLinks
from memory.sql.decisions import SqlAudit, SqlDecisions
from memory.sql.exit import SqlApprovals, SqlDispatches, SqlDrafts
from memory.sql.facts import SqlFacts
from memory.sql.files import SqlFiles
from memory.sql.imports import SqlImports
from memory.sql.introductions import SqlIntroductions
from memory.sql.jobs import SqlJobs
from memory.sql.loops import SqlLoops, SqlReminders
from memory.sql.mails import SqlMails
from memory.sql.notices import SqlNotices
from memory.sql.owners import SqlOwners
from memory.sql.people import SqlPeople
from memory.sql.pieces import SqlPieces
from memory.sql.quotes import SqlQuotes
from memory.sql.recollections import SqlRecollections
from memory.sql.search import SqlSearch
from memory.sql.signals import SqlSignals
from memory.sql.spendings import SqlSpendings
from memory.sql.talk import SqlTalk
from memory.sql.thread import SqlThread
from memory.sql.verdicts import SqlVerdicts
from memory.sql.warm import Warm


class SqlTables:
    """See memory.ledger.Tables."""

    def __init__(
        self,
        connection: Connection,
        exclusions: Callable[[], Exclusions] = lambda: NOTHING,
        warm: Warm | None = None,
    ) -> None:
        bearing = self._bearing = Bearing(connection, exclusions)
        exclusions = bearing
        # What the writer tells those who wait: the lanes in which there are new jobs.
        self.touched: set[str] = set()
        # What a unit of work has read of others, by ref (see memory.tables.quotes): the writer empties it before each.
        self.looked: set[str] = set()
        self.quotes = SqlQuotes(connection, self.looked)
        self.owners = SqlOwners(connection)
        self.signals = SqlSignals(connection, self.touched)
        self.jobs = SqlJobs(connection, self.touched)
        self.thread = SqlThread(connection, self.looked)
        self.files = SqlFiles(connection)
        self.pieces = SqlPieces(connection, self.quotes)
        self.cards = SqlCards(connection)
        self.loops = SqlLoops(connection)
        self.reminders = SqlReminders(connection)
        self.notices = SqlNotices(connection)
        self.decisions = SqlDecisions(connection)
        self.audit = SqlAudit(connection)
        self.spendings = SqlSpendings(connection)
        self.accounts = SqlAccounts(connection)
        self.mails = SqlMails(connection, exclusions, self.looked, bearing)
        self.imports = SqlImports(connection, self.mails)
        self.verdicts = SqlVerdicts(connection)
        self.senders = SqlSenders(connection)
        self.contacts = SqlContacts(connection, bearing)
        self.drafts = SqlDrafts(connection)
        self.approvals = SqlApprovals(connection)
        self.dispatches = SqlDispatches(connection)
        self.introductions = SqlIntroductions(connection)
        self.preferences = SqlPreferences(connection)
        self.people = SqlPeople(connection, exclusions, self.mails.covered)
        self.recollections = SqlRecollections(connection, exclusions)
        self.facts = SqlFacts(connection, exclusions, self.mails.covered, self.looked)
        self.talk = SqlTalk(connection, exclusions)
        self.calendars = SqlCalendars(connection, exclusions, self.looked)
        self.search = SqlSearch(connection, exclusions, self.mails.covered, warm or Warm(), self.looked)
        self.counts = SqlCounts(connection)
        self.cursors = SqlCursors(connection)
        self.links = SqlLinks(connection)
        self._exclusions = exclusions

    def begin(self) -> None:
        """Another unit of work begins on the same connection."""
        self.looked.clear()
        self._bearing.begin()

    @property
    def exclusions(self) -> Exclusions:
        return self._exclusions()
