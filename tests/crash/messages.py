"""`python -m tests.crash.messages --kills N`: kill -9 while alerts are opened and closed and their messages written and
sent to a webhook on this machine. Afterwards: no alert is lost, and each message reached the receiver once.

The receiver honours the keys, in both ways in which one can: by the ids of the messages in the body, and by the header
X-Idempotency-Key of the whole digest.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.messages_child import CHANNELS
from tests.crash.worker import Worker, worker
from tests.tasks.notify.webhook import Webhook, webhook
from warehouse.connect import connect
from warehouse.migrate import migrate

CHILD = "tests.crash.messages_child"
KILLS_PER_WAREHOUSE = 25
WAYS = ("step", "seconds", "receiver")  # at a step of the program, at a time, while the receiver has not answered


@dataclass
class Campaign:
    """What came of many kills: `lost`, `doubled` and `inconsistent` are sentences, none if all is well."""

    n_kills: int = 0
    n_hit: int = 0
    n_alerts: int = 0
    n_messages: int = 0
    n_repeats: int = 0  # messages that arrived again, and were dropped by their key
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    inconsistent: list[str] = field(default_factory=list)

    @property
    def is_well(self) -> bool:
        """Whether nothing was lost, doubled or inconsistent."""
        return not (self.lost or self.doubled or self.inconsistent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=15)
    options = parser.parse_args()
    started, total = time.monotonic(), Campaign()
    with tempfile.TemporaryDirectory() as scratch:
        for _ in kill_messages(options.kills, options.seed, Path(scratch), total):
            print(f"{total.n_kills:5} kills, {total.n_hit} hit, {total.n_messages} messages", flush=True)
    minutes = (time.monotonic() - started) / 60
    print(f"\nseed {options.seed}, {total.n_kills} kills ({total.n_hit} hit) in {minutes:.1f} minutes:")
    print(f"{total.n_alerts} alerts, {total.n_messages} messages, {total.n_repeats} repeats dropped by their key,")
    print(f"{len(total.lost)} lost, {len(total.doubled)} doubled, {len(total.inconsistent)} inconsistent")
    for sentence in (total.lost + total.doubled + total.inconsistent)[:20]:
        print(f"  {sentence}")
    return 0 if total.is_well else 1


def kill_messages(n_kills: int, seed: int, scratch: Path, total: Campaign) -> Iterator[None]:
    """Kill so often, with an empty warehouse after each KILLS_PER_WAREHOUSE, and add to `total` what came of it."""
    chance = random.Random(seed)
    with worker(CHILD) as child:
        template = scratch / "template.duckdb"
        with connect(template) as con:
            migrate(con)
        for first in range(0, n_kills, KILLS_PER_WAREHOUSE):
            with webhook() as receiver, _folder(template, scratch / str(first)) as folder:
                ended = child.do(folder, _work(receiver, chance), count=True)
                undisturbed = child.do(folder, _work(receiver, chance))
                if ended.code or undisturbed.code:
                    raise RuntimeError(f"without a kill: {ended.output}\n{undisturbed.output}")
                for number in range(first, min(first + KILLS_PER_WAREHOUSE, n_kills)):
                    _kill(child, folder, receiver, chance, WAYS[number % 3], ended.n_steps, undisturbed.seconds, total)
                _drain(child, folder, receiver)
                _judge(folder, receiver, total)
            yield


def _work(receiver: Webhook, chance: random.Random) -> list[list[str]]:
    """One run: some alerts are opened, one may be closed, and what waits is sent."""
    close = [["close"]] if chance.random() < 0.4 else []
    return [["open", str(chance.randint(1, 3))], *close, ["send", receiver.url("hook")]]


def _kill(
    child: Worker, folder: Path, receiver: Webhook, chance: random.Random, way: str, n_steps: int, seconds: float,
    total: Campaign,
) -> None:  # fmt: skip
    """One run that is killed. In one of five, the channel refuses what comes first."""
    receiver.answers[:] = [503] if chance.random() < 0.2 else []
    receiver.on_request = child.kill if way == "receiver" else lambda: None
    ended = child.do(
        folder,
        _work(receiver, chance),
        kill_at=chance.randint(1, n_steps) if way == "step" else None,
        kill_after=chance.uniform(0, seconds) if way == "seconds" else None,
    )
    receiver.on_request = lambda: None
    total.n_kills += 1
    total.n_hit += ended.code == -9
    if ended.code not in (0, -9):
        total.inconsistent.append(f"a run ends with {ended.code}: {ended.output[-1000:]}")


def _drain(child: Worker, folder: Path, receiver: Webhook) -> None:
    """Runs that nobody kills, long enough after the last failure."""
    receiver.answers.clear()
    for _ in range(2):
        with connect(folder / "warehouse.duckdb") as con:
            con.execute("update messages set next_attempt_at = written_at where sent_at is null")
        child.do(folder, [["send", receiver.url("hook")]])


def _judge(folder: Path, receiver: Webhook, total: Campaign) -> None:
    with connect(folder / "warehouse.duckdb", read_only=True) as con:
        opened = {row[0] for row in con.sql("select alert_id from alerts").fetchall()}
        closed = {row[0] for row in con.sql("select alert_id from alerts where closed_at is not null").fetchall()}
        rows = con.sql(
            "select message_id, event, channel, unnest(alert_ids), sent_at is not null from messages"
        ).fetchall()
    happened = {f"opened {alert}" for alert in opened} | {f"closed {alert}" for alert in closed}
    committed = set((folder / "committed").read_text().split("\n")) - {""}
    total.lost += [f"{event} was committed and is gone" for event in committed - happened]
    arrived, by_header = Counter(receiver.delivered()), _accepted_by_header(receiver)
    written = Counter((f"{event} {alert}", channel) for _, event, channel, alert, _ in rows)
    total.lost += [
        f"{event} has no message to {channel}"
        for event in happened
        for channel in CHANNELS
        if not written[event, channel]
    ]
    total.doubled += [f"{event} has {n} messages to {channel}" for (event, channel), n in written.items() if n > 1]
    for message_id, event, channel, alert, is_sent in rows:
        if not arrived[message_id]:
            total.lost.append(f"the message to {channel}, {event} {alert}, did not arrive")
        if by_header[message_id] > 1:
            total.doubled.append(f"the message to {channel}, {event} {alert}, arrived in two digests")
        if not is_sent:
            total.inconsistent.append(f"the message to {channel}, {event} {alert}, is not marked as sent")
    known = {row[0] for row in rows}
    total.inconsistent += [f"an unknown message {message_id} arrived" for message_id in arrived.keys() - known]
    total.n_alerts += len(opened)
    total.n_messages += len(arrived)
    total.n_repeats += arrived.total() - len(arrived)


def _accepted_by_header(receiver: Webhook) -> Counter[str]:
    """How often each message comes to a receiver that drops only whole digests, by the key in the header."""
    accepted: Counter[str] = Counter()
    seen = set()
    for body, headers in zip(receiver.bodies, receiver.headers, strict=True):
        if headers["X-Idempotency-Key"] not in seen:
            seen.add(headers["X-Idempotency-Key"])
            accepted.update(body["message_ids"])
    return accepted


@contextmanager
def _folder(template: Path, folder: Path) -> Iterator[Path]:
    folder.mkdir()
    (folder / "warehouse.duckdb").write_bytes(template.read_bytes())
    (folder / "committed").touch()
    yield folder


if __name__ == "__main__":
    sys.exit(main())
