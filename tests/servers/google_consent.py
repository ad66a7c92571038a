"""A page of consent on a loopback port: an OpenID provider that was written by others, for authorising and for PKCE."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def consent_server() -> Iterator[str]:
    """The provider's address, until the end of the block."""
    # A library under it warns of its own future, whatever filters are set.
    with warnings.catch_warnings(record=True):
        import oidc_provider_mock  # noqa: PLC0415 - only here its warning can be caught
    with oidc_provider_mock.run_server_in_thread() as server:
        yield f"http://localhost:{server.server_port}"
