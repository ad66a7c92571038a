"""The shapes of Google's answers, as far as they are read here. What is unknown is left alone."""

from datetime import date, datetime

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class _Answer(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True, coerce_numbers_to_str=True
    )


class Nothing(_Answer):
    """What is asked for where the status says all, and the content may be none."""


# Gmail


class Profile(_Answer):
    """Whose mailbox it is, and where its history stands."""

    email_address: str
    history_id: str
    messages_total: int = 0


class Label(_Answer):
    """A label; system labels have their name for an id."""

    id: str
    name: str
    type: str = "user"


class Labels(_Answer):
    """All labels of the mailbox."""

    labels: tuple[Label, ...] = ()


class Mail(_Answer):
    """A mail. `raw` is base64url of the whole of it, when that was asked for; `internal_date` is in milliseconds."""

    id: str
    thread_id: str = ""
    label_ids: tuple[str, ...] = ()
    internal_date: int = 0
    raw: str = ""


class MailPage(_Answer):
    """A page of a listing, newest first; the mails bear nothing but ids."""

    messages: tuple[Mail, ...] = ()
    next_page_token: str = ""


class Touched(_Answer):
    """A mail in the history with its labels after the change; `label_ids` beside it are those added or taken away."""

    message: Mail
    label_ids: tuple[str, ...] = ()


class Record(_Answer):
    """One record of the history."""

    id: str
    messages_added: tuple[Touched, ...] = ()
    messages_deleted: tuple[Touched, ...] = ()
    labels_added: tuple[Touched, ...] = ()
    labels_removed: tuple[Touched, ...] = ()


class HistoryPage(_Answer):
    """A page of the history, oldest first; `history_id` is where the mailbox stands."""

    history: tuple[Record, ...] = ()
    next_page_token: str = ""
    history_id: str = ""


class Draft(_Answer):
    """A draft and the mail that it holds."""

    id: str
    message: Mail


class Identity(_Answer):
    """An address from which the account may send."""

    send_as_email: str
    is_primary: bool = False
    verification_status: str = "accepted"

    @property
    def is_usable(self) -> bool:
        """Whether Gmail has seen that it is the owner's."""
        return self.is_primary or self.verification_status == "accepted"


class SendAs(_Answer):
    """Every such address."""

    send_as: tuple[Identity, ...] = ()


# Calendar


class Moment(_Answer):
    """A day, or a moment with its offset and, usually, its zone."""

    day: date | None = Field(default=None, alias="date")
    date_time: datetime | None = None
    time_zone: str | None = None


class Person(_Answer):
    """An organizer or a guest. `own` marks the owner of the calendar."""

    email: str = ""
    display_name: str = ""
    own: bool = Field(default=False, alias="self")
    response_status: str = "needsAction"
    optional: bool = False
    resource: bool = False
    comment: str = ""


class EntryPoint(_Answer):
    """A way into a conference."""

    entry_point_type: str = ""
    uri: str = ""


class Conference(_Answer):
    """A conference of an event."""

    entry_points: tuple[EntryPoint, ...] = ()


class Event(_Answer):
    """An event, the master of a series, or one occurrence that differs; a cancelled one has little but its ids."""

    id: str
    status: str = "confirmed"
    etag: str = ""
    ical_uid: str = Field(default="", alias="iCalUID")
    summary: str = ""
    description: str = ""
    location: str = ""
    html_link: str = ""
    hangout_link: str = ""
    created: datetime | None = None
    updated: datetime | None = None
    start: Moment | None = None
    end: Moment | None = None
    recurrence: tuple[str, ...] = ()
    recurring_event_id: str = ""
    original_start_time: Moment | None = None
    transparency: str = "opaque"
    visibility: str = "default"
    sequence: int = 0
    organizer: Person | None = None
    attendees: tuple[Person, ...] = ()
    event_type: str = "default"
    conference_data: Conference | None = None

    @property
    def is_cancelled(self) -> bool:
        """Whether it is no longer there."""
        return self.status == "cancelled"


class EventPage(_Answer):
    """A page of events; the sync token comes with the last page. An item that can't be understood spoils no other."""

    items: tuple[object, ...] = ()
    next_page_token: str = ""
    next_sync_token: str = ""
    time_zone: str = "UTC"


class Entry(_Answer):
    """A calendar in the owner's list."""

    id: str
    summary: str = ""
    summary_override: str = ""
    access_role: str = ""
    deleted: bool = False
    primary: bool = False

    @property
    def name(self) -> str:
        """What the owner calls it."""
        return self.summary_override or self.summary or self.id


class EntryPage(_Answer):
    """A page of the list of calendars."""

    items: tuple[Entry, ...] = ()
    next_page_token: str = ""
