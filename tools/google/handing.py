"""What went wrong with an act that others see, in the words of the exit: certainly not done, or nobody can say."""

from collections.abc import Iterator
from contextlib import contextmanager

from tools.google.failures import Declined, Lost, NotThere, Overloaded, Throttled, Unreached
from tools.source import SignInRefused
from tools.transport import MaybeHanded, NotHanded


@contextmanager
def handing(*, is_safe: bool = False) -> Iterator[None]:
    """`is_safe`: what is done in here reaches nobody, so that a lost answer leaves no doubt. Raises NotHanded, MaybeHanded."""
    try:
        yield
    except Unreached as error:
        raise NotHanded(str(error), trouble="unreachable") from error
    except Throttled as error:
        raise NotHanded(str(error), trouble="busy", wait_for=error.wait_for) from error
    except SignInRefused as error:
        raise NotHanded(str(error), trouble="sign-in") from error
    except (Declined, NotThere) as error:
        raise NotHanded(str(error), trouble="refused", for_good=True) from error
    except (Lost, Overloaded) as error:
        if is_safe:
            raise NotHanded(str(error), trouble="unreachable") from error
        raise MaybeHanded(str(error)) from error
