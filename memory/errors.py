"""The one tree of errors that a person can act on.

    StillbellError
    ├── BadInput            what was typed or handed in can't be used as it is
    ├── Refused             a rule says no
    │   ├── AnotherWriter       another process writes this database
    │   ├── StrangeDatabase     the file is not ours, damaged, or another host's
    │   └── CapReached          the day's money is spent or reserved
    ├── NotFound            nothing goes by that id or name
    └── OutOfReach          an outside service can't be reached, or answers with nonsense

Every message says what to do next. Bugs are none of these: they are let through.
"""


class StillbellError(Exception):
    """The base of everything that goes wrong for a reason that a person can act on."""


class BadInput(StillbellError):  # noqa: N818  a noun phrase reads better at every use
    """What was typed or handed in can't be used as it is; nothing that was there has changed."""


class Refused(StillbellError):  # noqa: N818
    """A rule says no. The message names the rule and the way round it, if there is one."""


class AnotherWriter(Refused):
    """Another process holds the database of this data folder."""


class StrangeDatabase(Refused):
    """The database file is not Stillbell's, is damaged, or belongs to another host."""


class CapReached(Refused):
    """A model call could have passed the day's cap, so it was not made."""


class NotFound(StillbellError):  # noqa: N818
    """Nothing goes by that id or name."""


class OutOfReach(StillbellError):  # noqa: N818
    """An outside service could not be reached, or answered with something that is no answer."""
