"""Learning apart: the worker ends with the process that wants it, however that one ends."""

import os
import select
import subprocess
import sys

import pytest

LEARNS = """
import asyncio
from tools.learning.apart import in_a_process

asyncio.run(in_a_process(exec, "import os, time; print(os.getpid(), flush=True); time.sleep(600)"))
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells without asking again that a process ended")
def test_a_worker_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", LEARNS], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = os.pidfd_open(int(parent.stdout.readline()))
        try:
            ended = select.poll()
            ended.register(worker, select.POLLIN)
            parent.kill()
            assert ended.poll(10_000), "the worker outlived its parent"
        finally:
            os.close(worker)
