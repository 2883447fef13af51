"""The program `kappaflow`, also as `python -m flows`."""

import gc
import sys

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
    finally:
        if "duckdb" not in sys.modules:  # which then reports objects that were not collected
            gc.freeze()  # Python would search all modules for garbage before it ends


if __name__ == "__main__":
    main()
