"""The program `kappaflow`, also as `python -m flows`."""

import sys


def main() -> None:
    """Load the command line and run it. Ctrl-C while it loads ends it without a traceback, too."""
    try:
        from flows.cli import main as run_command_line
    except KeyboardInterrupt:
        sys.exit(130)
    run_command_line()


if __name__ == "__main__":
    main()
