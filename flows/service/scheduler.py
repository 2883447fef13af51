"""The process that waits for the schedule and runs the pipeline. flows.service.supervisor starts it.

Each run is a child of this process, and loads this module first. An interrupt that comes while the other modules load
ends the process without a traceback: the supervisor says that it ends. An interrupted run ends without a list of what
DuckDB's binding still holds.
"""

import sys
from importlib import import_module
from types import TracebackType


def end_quietly(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error that nobody caught, unless it is an interrupt."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = end_quietly
if __name__ == "__mp_main__":  # a run: it needs the pipeline, and later Prefect would print an interrupt's traceback
    import_module("flows.service.environment").quiet_end()
    import_module("flows.pipeline")


def main() -> None:
    """Load the modules of the schedule, and run it."""
    from flows.service.environment import quiet_end
    from flows.service.supervised import end_with_supervisor

    quiet_end()
    end_with_supervisor()
    from flows.service.scheduled_runs import main as run_schedule

    run_schedule()


if __name__ == "__main__":
    main()
