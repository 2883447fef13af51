"""What a project holds, without the times and keys that differ between two runs, and how two of them differ."""

import filecmp
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from flows.project_folder import Project, find_project
from warehouse import sql
from warehouse.connect import connect
from warehouse.maintenance.doctor import examine
from warehouse.runs.run_results import TABLES

# Keys drawn anew in each run; and what tells how long something took.
OF_THE_RUN = {"run_id", "alert_id", "incident_id", "message_id", "digest_id", "rating_id"}
# Times that the data bring, not the clock.
OF_THE_DATA = {"rated_at", "period_start", "period_end"}
# The row of a whole run has no question: of those a killed project has more.
ONLY = {"runs": pl.col("question").is_not_null() & (pl.col("status") == "succeeded")}
# Each run of a question adds to these; the views latest_... have the last one of them.
HISTORY = {*TABLES, "runs"} - {"item_consensus"}

Picture = Mapping[str, pl.DataFrame]


@dataclass(frozen=True)
class Verdict:
    """Rows that are lost, rows that are there too often, and everything else that is not as it should be."""

    lost: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    inconsistent: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lost or self.doubled or self.inconsistent)


def picture(path: Path) -> Picture:
    """Each public table and view of a warehouse or snapshot, as a multiset of rows: one column `n` counts them."""
    with connect(path, read_only=True) as con:
        return {str(name): _rows(con, str(name)) for (name,) in sql.rows(con, "maintenance/public_names")}


def compare(expected: Picture, folder: Path, *, repeated: bool = False) -> Verdict:
    """The project beside what an undisturbed one holds: the warehouse, the snapshot, and what `doctor` looks at.

    `repeated`: questions may have been evaluated more often than once, with the same result.
    """
    project = find_project(folder)
    lost, doubled, inconsistent = [], [], []
    same = filecmp.cmp(project.warehouse, project.snapshot, shallow=False)  # the usual case: a copy, byte by byte
    for path in [project.warehouse] if same else [project.warehouse, project.snapshot]:
        differences = _differences(expected, picture(path))
        lost += [f"{path.name} {name}: {row}" for name, (fewer, _) in differences.items() for row in fewer]
        doubled += [
            f"{path.name} {name}: {row}"
            for name, (_, more) in differences.items()
            for row in more
            if not (repeated and name in HISTORY)
        ]
    inconsistent += _found_by_doctor(project)
    inconsistent += _broken(project.warehouse)
    if "</html>" not in project.report.read_text()[-200:]:
        inconsistent.append("the report is not whole")
    return Verdict(tuple(lost), tuple(doubled), tuple(inconsistent))


def _differences(expected: Picture, result: Picture) -> dict[str, tuple[list[str], list[str]]]:
    """Of each table and view some rows that are there less often, and more often, than they should."""
    return {name: _fewer_and_more(wanted, result[name]) for name, wanted in expected.items()}


def _rows(con: duckdb.DuckDBPyConnection, name: str) -> pl.DataFrame:
    table = sql.plain(con.table(name).pl())
    if name in ONLY:
        table = table.filter(ONLY[name])
    if name == "runs":  # the settings of a run of the windows name the evaluation that it used, by its id
        of_windows = pl.col("kind") == "monitor"
        table = table.with_columns(settings_hash=pl.when(~of_windows).then(pl.col("settings_hash")))
    columns = [
        pl.col(column).is_not_null() if isinstance(dtype, pl.Datetime) and column not in OF_THE_DATA
        else pl.col(column).list.join("|") if isinstance(dtype, pl.List) else pl.col(column)
        for column, dtype in table.schema.items() if column not in OF_THE_RUN
    ]  # fmt: skip
    return table.select(columns).group_by(pl.all()).agg(n=pl.len())


def _fewer_and_more(wanted: pl.DataFrame, result: pl.DataFrame) -> tuple[list[str], list[str]]:
    keys = [name for name in wanted.columns if name != "n"]
    both = wanted.join(result, on=keys, how="full", nulls_equal=True, coalesce=True, suffix="_found")
    change = pl.col("n_found").fill_null(0).cast(pl.Int64) - pl.col("n").fill_null(0).cast(pl.Int64)
    return (
        [str(row) for row in both.filter(change < 0).head(3).to_dicts()],
        [str(row) for row in both.filter(change > 0).head(3).to_dicts()],
    )


def _found_by_doctor(project: Project) -> list[str]:
    """What `kappaflow doctor --fix` leaves to be done: all but the half-written files of the killed."""
    folders = [project.folder, project.published, project.backups]
    result = examine(project.warehouse, project.snapshot, folders, fix=True)
    return [f"{each.where} {each.check}: {each.found} {each.rows}" for each in result if not each.ok]


def _broken(path: Path) -> list[str]:
    """Runs that are open, or contradict themselves."""
    with connect(path, read_only=True) as con:
        runs = con.sql("select kind, status, detail from runs").pl()
    succeeded = pl.col("status") == "succeeded"
    odd = runs.filter((succeeded & pl.col("detail").str.starts_with("The process")) | (pl.col("status") == "running"))
    return [f"run {row}" for row in odd.to_dicts()]
