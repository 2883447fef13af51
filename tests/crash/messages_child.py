"""The process that is killed while it opens alerts, writes their messages and sends them: `python -m
tests.crash.messages_child`, told what to do as tests.crash.child is.

Commands: `open N` alerts, each with its messages in one transaction; `close` the oldest open one; `send URL`. What was
committed is noted in the file `committed` of the folder.
"""

import importlib
import os
from collections.abc import Sequence
from pathlib import Path

from tasks.notify.send_messages import send_messages
from tests.crash.child import DUCKDB, serve
from tests.tasks.notify.outbox import close_oldest, context, open_alert
from warehouse.alerting.messages import MessageRoute
from warehouse.connect import connect

CHANNELS = ("TEAM_URL", "BOSS_URL")
ROUTES = tuple(MessageRoute(channel) for channel in CHANNELS)
STEPS = (
    *DUCKDB,
    "warehouse/alerting/messages.py",
    "tasks/notify/send_messages.py",
    "tasks/notify/channels.py",
    "tasks/notify/sending_lock.py",
)


def main() -> None:
    for name in ("apprise", "apprise.plugins.custom_json", "apprise.plugins.custom_xml", "apprise.plugins.email"):
        importlib.import_module(name)
    serve(work, STEPS)


def work(arguments: Sequence[str], folder: str) -> int:
    """Do one command on the warehouse in the folder."""
    db = Path(folder) / "warehouse.duckdb"
    command, *rest = arguments
    if command == "send":
        os.environ.update({channel: f"{rest[0]}/{channel}" for channel in CHANNELS})
        send_messages(db, ROUTES, context(db.parent), run_id="run")
        return 0
    for _ in range(int(rest[0]) if rest else 1):
        with connect(db) as con:
            alert_id = open_alert(con, ROUTES) if command == "open" else close_oldest(con, ROUTES)
        if alert_id:
            _note(Path(folder) / "committed", f"{'opened' if command == 'open' else 'closed'} {alert_id}\n")
    return 0


def _note(path: Path, line: str) -> None:
    """Append a line that a kill cannot take back."""
    with path.open("a") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


if __name__ == "__main__":
    main()
