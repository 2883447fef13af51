"""End a child of `kappaflow serve` when the supervisor is gone.

A supervisor that is killed ends no child. Without this its schedule would go on, and no command would know of it.
"""

import os
import signal
import threading
import time
from contextlib import suppress

SUPERVISOR = "KAPPAFLOW_SUPERVISOR"  # the process that started this one and ends it
SECONDS_BETWEEN_LOOKS = 0.5
MAX_SECONDS_TO_END = 10.0  # before the group is killed


def end_with_supervisor() -> None:
    """Watch the supervisor in a thread, if this process has one."""
    if supervisor := os.environ.pop(SUPERVISOR, None):
        threading.Thread(target=_end_after, args=(int(supervisor),), daemon=True).start()


def _end_after(supervisor: int) -> None:
    """Interrupt the group of this process once another process is its parent, and then kill it."""
    while os.getppid() == supervisor:
        time.sleep(SECONDS_BETWEEN_LOOKS)
    with suppress(ProcessLookupError):
        os.killpg(os.getpgrp(), signal.SIGINT)
        time.sleep(MAX_SECONDS_TO_END)
        os.killpg(os.getpgrp(), signal.SIGKILL)
