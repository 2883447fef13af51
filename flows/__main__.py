"""The program `kappaflow`, also as `python -m flows`."""

import atexit
import gc
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn

# New objects before Python searches for garbage. With its own 700 the search takes a tenth of the time of imports.
GC_THRESHOLD = 50_000


def main() -> None:
    """Load the command line and run it. Ctrl-C while it loads ends it without a traceback, too."""
    gc.set_threshold(GC_THRESHOLD)
    gc.disable()  # until the module of the command is loaded (flows.cli.help.lazy_group)
    try:
        from flows.cli import main as run_command_line
    except KeyboardInterrupt:
        sys.exit(130)
    try:
        run_command_line()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            end_process(ended.code or 0)
        raise


def end_process(code: int) -> NoReturn:
    """End as Python does, but leave the interpreter as it is.

    Threads of polars may still let go of Python objects then. In an interpreter that is being taken apart that is a
    segmentation fault, seen in 2 of some 280 commands on a busy machine.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as multiprocessing does
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # an output that cannot be written was an error before
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
