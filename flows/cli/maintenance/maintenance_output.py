"""Print the state of a warehouse, and turn it into JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from flows.cli.terminal import heading, line, note, print_table

if TYPE_CHECKING:
    from warehouse.maintenance.backup import Backup
    from warehouse.maintenance.compact import CompactResult
    from warehouse.maintenance.doctor import Finding

MAX_ROWS = 5  # of a finding on a terminal; --json has ten
COLUMNS = {"where": "where", "check": "check", "state": "", "n_rows": "rows", "found": "found"}


def findings_as_json(findings: Sequence["Finding"], warehouse: Path) -> dict[str, object]:
    """Return the value of `doctor --json`."""
    return {
        "ok": all(finding.ok for finding in findings),
        "warehouse": str(warehouse),
        "checks": [asdict(finding) for finding in findings],
    }


def print_findings(findings: Sequence["Finding"]) -> None:
    """Print the result of each check, and for each failed one its rows and what to do."""
    rows = [
        {**asdict(finding), "state": "ok" if finding.ok else "WRONG", "n_rows": finding.n_rows or None}
        for finding in findings
    ]
    print_table(rows, headers=COLUMNS)
    wrong = [finding for finding in findings if not finding.ok]
    for finding in wrong:
        print_table(list(finding.rows[:MAX_ROWS]), title=f"{finding.where}: {finding.check}")
        note(finding.to_do)
    heading(
        f"{len(wrong)} of {len(findings)} checks found something." if wrong else f"All {len(findings)} checks passed."
    )


def backup_as_json(backup: "Backup") -> dict[str, object]:
    """Return the value of `backup --json`."""
    return {
        "backup": str(backup.path),
        "bytes": backup.size,
        "checked": backup.checked,
        "broken": backup.broken,
        "removed": [str(path) for path in backup.removed],
    }


def print_backup(backup: "Backup") -> None:
    """Print where the backup is, which older ones were removed, and whether it passed the checks."""
    line(f"{backup.path} ({size(backup.size)})")
    for path in backup.removed:
        note(f"Removed {path.name}.", style="dim")
    if not backup.checked:
        note("Its schema is older than this kappaflow. It opens, but was not checked further.")
    if backup.broken:
        names = ", ".join(f"{name.replace('_', ' ')} ({n:,})" for name, n in backup.broken.items())
        note(f"The warehouse, and so its copy, has errors: {names}. No older backup was removed.")
        note("`kappaflow doctor` says what to do.")


def compacted_as_json(result: "CompactResult") -> dict[str, object]:
    """Return the value of `compact --json`."""
    return {"warehouse": str(result.path), "bytes_before": result.before, "bytes_after": result.after}


def print_compacted(result: "CompactResult") -> None:
    """Print the size of the warehouse before and after."""
    line(f"{result.path}: {size(result.before)} before, {size(result.after)} after.")


def size(n_bytes: int) -> str:
    """Return a number of bytes in MB or GB.

    >>> size(798_720), size(12_345_678), size(5_000_000_000)
    ('0.8 MB', '12.3 MB', '5.0 GB')
    """
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:,.1f} MB"
