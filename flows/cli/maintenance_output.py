"""How the state of a warehouse looks on a terminal, and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from flows.cli.terminal import heading, line, note, print_table

if TYPE_CHECKING:
    from warehouse.maintenance.backup import Backup
    from warehouse.maintenance.compact import CompactResult
    from warehouse.maintenance.doctor import Finding

FIRST = 5  # rows of a finding on a terminal; --json has ten
COLUMNS = {"where": "where", "check": "check", "state": "", "n_rows": "rows", "found": "found"}


def findings_as_json(found: Sequence["Finding"], warehouse: Path) -> dict[str, object]:
    """The value of `doctor --json`."""
    return {
        "ok": all(finding.ok for finding in found),
        "warehouse": str(warehouse),
        "checks": [asdict(finding) for finding in found],
    }


def print_findings(found: Sequence["Finding"]) -> None:
    rows = [{**asdict(one), "state": "ok" if one.ok else "WRONG", "n_rows": one.n_rows or None} for one in found]
    print_table(rows, headers=COLUMNS)
    wrong = [finding for finding in found if not finding.ok]
    for finding in wrong:
        print_table(list(finding.rows[:FIRST]), title=f"{finding.where}: {finding.check}")
        note(finding.to_do)
    heading(f"{len(wrong)} of {len(found)} checks found something." if wrong else f"All {len(found)} checks are well.")


def backup_as_json(done: "Backup") -> dict[str, object]:
    """The value of `backup --json`."""
    return {
        "backup": str(done.path),
        "bytes": done.size,
        "checked": done.checked,
        "broken": done.broken,
        "removed": [str(path) for path in done.removed],
    }


def print_backup(done: "Backup") -> None:
    line(f"{done.path} ({size(done.size)})")
    for path in done.removed:
        note(f"Removed {path.name}.", style="dim")
    if not done.checked:
        note("Its schema is older than this kappaflow: it opens, but was not checked further.")
    if done.broken:
        names = ", ".join(f"{name.replace('_', ' ')} ({n:,})" for name, n in done.broken.items())
        note(f"The warehouse, and so the copy, is not sound: {names}. No older backup was removed.")
        note("See `kappaflow doctor` for what to do.")


def compacted_as_json(done: "CompactResult") -> dict[str, object]:
    """The value of `compact --json`."""
    return {"warehouse": str(done.path), "bytes_before": done.before, "bytes_after": done.after}


def print_compacted(done: "CompactResult") -> None:
    line(f"{done.path}: {size(done.before)} before, {size(done.after)} after.")


def size(n_bytes: int) -> str:
    """Bytes in the unit that suits.

    >>> size(798_720), size(12_345_678), size(5_000_000_000)
    ('0.8 MB', '12.3 MB', '5.0 GB')
    """
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:,.1f} MB"
