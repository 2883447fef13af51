"""Wait for a lock of the operating system on an open file or folder. It ends when that is closed, or with the process.

Windows and some network file systems have no such locks: there it is as if nobody else held one.
"""

import sys
import time

_PAUSE = 0.02


def wait_for_lock(handle: int, *, shared: bool = False, wait_seconds: float) -> bool:
    """Wait for the lock on the open file `handle`, and return whether this process has it.

    It has not if others held it for `wait_seconds`: anyone, or with `shared` one who holds it alone.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
        except OSError:
            return True
        else:
            return True
        time.sleep(_PAUSE)
