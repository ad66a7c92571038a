"""Listening: the daemon's end of the Unix socket, its own user's alone."""

import os
import socket
import stat
import struct
from pathlib import Path

from memory.errors import AnotherWriter, BadInput, Refused

_PEER = struct.Struct("3i")
"""pid, uid, gid: what the kernel says of the other side."""


def listen(path: Path) -> socket.socket:
    """A listening socket at `path`, mode 0600 from its first moment; a dead daemon's socket is replaced.

    Raises AnotherWriter when a live daemon listens there, Refused when something else lies there, BadInput when the
    path can't be a socket's (the system allows about a hundred bytes).
    """
    clear(path)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # Between bind and chmod the socket would be open to others; the umask is the whole process's, for a moment.
        before = os.umask(0o177)
        try:
            listening.bind(str(path))
        finally:
            os.umask(before)
        listening.listen()
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise BadInput(
            f"can't listen at {path}: {error}. Point STILLBELL_HOME to a folder of your own with a short path."
        ) from error
    return listening


def clear(path: Path) -> None:
    """Remove a dead daemon's socket. Raises as `listen` does when what is there must stay."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise Refused(f"{path} is in the way and is no socket: move it, then start again.")
    if answers(path):
        raise AnotherWriter(f"Stillbell is running already and listens at {path}. Talk to it with: stillbell chat")
    path.unlink(missing_ok=True)


def answers(path: Path) -> bool:
    """Whether somebody listens at `path`."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True


def peer_uid(connected: socket.socket) -> int | None:
    """The user id of the process at the other end; None where the system doesn't tell (then 0600 has to do)."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    told = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    uid: int = _PEER.unpack(told)[1]
    return uid
