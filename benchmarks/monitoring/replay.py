"""Replay half a year of a project day by day, and hold its alerts against what happened: `make replay`.

    python -m benchmarks.monitoring.replay                           # 20 seeds: 45 minutes of processor time
    python -m benchmarks.monitoring.replay --seeds 3 --prefect-days 5
    python -m benchmarks.monitoring.replay --keep FOLDER             # goes on with what an earlier call kept there
    python -m benchmarks.monitoring.replay --out replay.md           # writes a page, too

Seed 1 goes through the whole pipeline with Prefect, one run a day, with a webhook server on this machine. The others go
through the same stages in this process. Of these, each third one is quiet: nothing lasting happens in it.
"""

import argparse
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from benchmarks.monitoring.half_year import (
    DRIFT,
    DRIFT_DAYS,
    DRIFTER,
    MONTHS,
    NEW_VERSION,
    SYSTEM,
    half_year,
    is_true,
)
from benchmarks.monitoring.replay_days import Alert, replay_by_runs, replay_in_process
from benchmarks.page import Table, as_text, page

SEEDS, ALL_DAYS = 20, 1000
PROMISED = 1 / 12  # false alarms a month: false_alarms_per_year = 1
NEWS = {  # what happened: since when, and whether an alert is about it
    f"{DRIFTER} clicks at random": (DRIFT, lambda alert: alert.kind.startswith("rater") and alert.subject == DRIFTER),
    "agreement falls": (DRIFT, lambda alert: alert.kind == "agreement"),
    f"{SYSTEM} gets worse": (
        NEW_VERSION,
        lambda alert: alert.kind in ("system", "version") and alert.subject == SYSTEM,
    ),
}


@dataclass(frozen=True)
class Replay:
    """The alerts of a replay. n_messages: what a webhook server received, null where there was none."""

    seed: int
    quiet: bool
    n_days: int
    alerts: Sequence[Alert]
    seconds: float
    n_messages: int | None = None

    @property
    def false_alarms(self) -> list[Alert]:
        """The alerts about nothing that happened."""
        return [
            alert
            for alert in self.alerts
            if not is_true(alert.kind, alert.subject, alert.detected_on, quiet=self.quiet)
        ]

    @property
    def months(self) -> float:
        """The months that were replayed."""
        return MONTHS * min(1, self.n_days / len(list(half_year(self.seed, quiet=self.quiet))))


def main(arguments: Sequence[str] | None = None) -> None:
    """Replay, and print the tables."""
    chosen = _options().parse_args(arguments)
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["POLARS_MAX_THREADS"] = "1"  # the workers read it when they start
    seeds = [(seed, seed % 3 == 0, chosen.days, chosen.keep) for seed in range(2, chosen.seeds + 1)]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as workers:
        in_process = list(workers.map(replay_seed, seeds))
    by_runs = [replay_with_prefect(1, chosen.prefect_days, chosen.keep)] if chosen.prefect_days else []
    tables = [*alert_tables(by_runs), *summary_tables(in_process, by_runs)]
    for table in tables:
        print(f"\n{' '.join(table.about.split())}\n{as_text(table)}")
    if chosen.out:
        chosen.out.write_text(replay_page(by_runs, in_process, tables), encoding="utf-8")


def replay_seed(world: tuple[int, bool, int, Path | None]) -> Replay:
    """Replay one seed in this process: (seed, quiet, days, where replays are kept)."""
    seed, quiet, n_days, folder = world
    return kept(folder, f"seed-{seed}-{n_days}", lambda: _in_process(seed, quiet, n_days))


def kept(folder: Path | None, name: str, replay: Callable[[], Replay]) -> Replay:
    """Return the replay stored in the folder under this name, after making and storing it if it is not there."""
    if folder is None:
        return replay()
    file = folder / f"{name}.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(asdict(replay()), default=str), encoding="utf-8")
    values = json.loads(file.read_text(encoding="utf-8"))
    return Replay(**{**values, "alerts": [Alert.from_json(row) for row in values["alerts"]]})


def _in_process(seed: int, quiet: bool, n_days: int) -> Replay:
    days = list(half_year(seed, quiet=quiet))[:n_days]
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        alerts = replay_in_process(Path(folder), iter(days))
    return Replay(seed, quiet, len(days), alerts, time.process_time() - started)


def replay_with_prefect(seed: int, n_days: int, folder: Path | None = None) -> Replay:
    """Replay one seed by a run a day, and count what the webhook server receives."""
    n_days = min(n_days, len(list(half_year(seed))))
    with tempfile.TemporaryDirectory() as temporary:
        project = (folder or Path(temporary)) / f"project-{seed}"
        alerts, seconds, n_messages = replay_by_runs(project.resolve(), seed, n_days)
    return Replay(seed, False, n_days, alerts, seconds, n_messages)


def alert_tables(replays: Sequence[Replay]) -> list[Table]:
    """Return a table of the alerts of each replay."""
    header = ("alert", "subject", "found on", "since", "between", "closed", "true")
    return [
        Table(
            f"Seed {replay.seed}, by runs with Prefect",
            f"""{replay.n_days} days, one run with Prefect for each. The webhook server received {replay.n_messages}
            messages. The runs took {replay.seconds:.0f} s of processor time without Prefect's server,
            {replay.seconds / max(replay.n_days, 1):.1f} s each.""",
            header,
            [_row(alert, alert not in replay.false_alarms) for alert in replay.alerts],
        )
        for replay in replays
    ]


def summary_tables(replays: Sequence[Replay], by_runs: Sequence[Replay] = ()) -> list[Table]:
    """Return what the replays in this process found, and the false alarms of all."""
    if not replays:
        return []
    loud = [replay for replay in replays if not replay.quiet]
    rows = []
    for what, (since, about) in NEWS.items():
        first = [
            min((a.seen_on for a in replay.alerts if about(a) and a.detected_on >= since), default=None)
            for replay in loud
        ]
        later = [(day - since).days for day in first if day]
        rows.append([what, str(since), f"{len(later)} of {len(loud)}", f"{median(later):.0f}" if later else "—"])
    alarms = []
    every = [*by_runs, *replays]
    for name, some in (
        ("with news", [replay for replay in every if not replay.quiet]),
        ("quiet", [replay for replay in every if replay.quiet]),
        ("all", every),
    ):
        n, months = sum(len(replay.false_alarms) for replay in some), sum(replay.months for replay in some)
        if some:
            alarms.append([name, str(len(some)), f"{months:.0f}", str(n), f"{n / months:.3f}", f"{PROMISED:.3f}"])
    kinds = sorted(
        f"{a.kind} of {a.subject or 'all'} (seed {replay.seed})" for replay in every for a in replay.false_alarms
    )
    about = f"""Days are calendar days from the first day of the change to the run that opened the first alert about
    it. The clicks grow for {DRIFT_DAYS} days."""
    return [
        Table("What is found", about, ("what happened", "since", "found", "median days"), rows),
        Table(
            "False alarms",
            """Alerts of charts about nothing that happened, in this process and by runs. Promised is what
            `false_alarms_per_year = 1` allows.""",
            ("half years", "seeds", "months", "false alarms", "a month", "promised"),
            alarms,
            [f"False: {', '.join(kinds)}."] if kinds else [],
        ),
    ]


def replay_page(by_runs: Sequence[Replay], in_process: Sequence[Replay], tables: Sequence[Table]) -> str:
    """Return the whole page."""
    each = [replay.seconds for replay in in_process]
    facts = {
        "Machine": f"{os.cpu_count()} cores, Python {platform.python_version()}, {date.today().isoformat()}",
        "In this process": f"{len(in_process)} seeds, {median(each):.0f} s of processor time each" if each else "none",
        "By runs with Prefect": ", ".join(f"seed {replay.seed}, the first {replay.n_days} days" for replay in by_runs)
        or "none",
    }
    paragraphs = [
        """Half a year of a simulated project is replayed day by day: five annotators, two systems, one question, some
        240 ratings a day. An annotator begins to click at random in week 9, a system gets worse with a new version in
        week 18. The answers of week 11 arrive a week late, and one day is hard for all. Every third seed is quiet: of
        these only the last two happen. All settings are the default ones. `make replay` repeats it.""",
        "An alert is true if it names what happened, after it began. All others are false, also on the hard day.",
    ]
    note = "Written by `python -m benchmarks.monitoring.replay`."
    return page("Half a year, replayed", note, paragraphs, facts, tables)


def _row(alert: Alert, true: bool) -> list[str]:
    between = f"{alert.changed_low} to {alert.changed_high}"
    closed = alert.closed_because or "open"
    return [
        alert.kind, alert.subject or "all", str(alert.seen_on), str(alert.changed_on), between, closed,
        "yes" if true else "no",
    ]  # fmt: skip


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="the first one with Prefect, the others in process")
    parser.add_argument("--days", type=int, default=ALL_DAYS, help="replay only the first days in process")
    parser.add_argument("--prefect-days", type=int, default=ALL_DAYS, help="runs with Prefect; 0: none")
    parser.add_argument("--keep", type=Path, help="a folder that keeps what is done; a later call goes on with it")
    parser.add_argument("--out", type=Path, help="write the tables to this file as Markdown, too")
    return parser


if __name__ == "__main__":
    main()
