"""`make monitoring-power` with a few streams: the plan is whole, a run repeats, the page shows what was measured."""

from itertools import product

import polars as pl
import pytest

from benchmarks.monitoring.power import CORRELATIONS, KAPPAS, LABELS, RATERS, SHARES, THRESHOLDS, Cell, plan, run
from benchmarks.monitoring.power_page import PAGE, page, tables
from benchmarks.monitoring.streams import StreamWorld
from benchmarks.page import as_text

EASY = StreamWorld(5, 5, 0.8, 0.0)


def test_the_plan_holds_every_setting() -> None:
    cells = plan(7)
    assert {cell.streams for cell in cells} == {7}
    healthy = {cell.world for cell in cells if cell.section == "healthy"}
    assert healthy == {StreamWorld(*each) for each in product(RATERS, LABELS, KAPPAS, CORRELATIONS, SHARES)}
    dropping = {cell.world for cell in cells if cell.section == "drop"}
    assert dropping == {world for world in healthy if world.correlation != 0.02}
    assert {cell.random_share for cell in cells if cell.section == "rater"} == {0.3, 1.0}
    assert {cell.section for cell in cells} == {"healthy", "hard day", "drop", "rater", "system", "people"}


def test_healthy_streams_and_a_repeated_run() -> None:
    cell = Cell("healthy", EASY, streams=6)
    rows = run(cell)
    assert rows == run(cell)
    assert [row["threshold"] for row in rows] == list(THRESHOLDS)
    shares = [row["alarms"] for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] == 0


def test_changes_are_found() -> None:
    drop = run(Cell("drop", EASY, streams=4))
    assert [row["alarms"] for row in drop] == [1, 1]
    assert all(40 <= row["median"] <= row["items_80"] <= 300 for row in drop)
    assert drop[0]["plan_80"] <= drop[1]["plan_80"]
    (at_2000, usual) = run(Cell("rater", StreamWorld(5, 5, 0.8, 0.0, items_per_look=10), 1.0, streams=4))
    assert (at_2000["threshold"], usual["threshold"]) == (2000, 10_000)
    assert usual["items_80"] <= 60
    assert usual["accused_after"] == 0
    system = run(Cell("system", EASY, streams=4))
    assert all(row["alarms"] == 1 for row in system)
    assert [row["threshold"] for row in run(Cell("hard day", EASY, streams=2))] == [1000, 6000]


def test_the_page_shows_every_section() -> None:
    text = page(pl.DataFrame([row for cell in plan(50) for row in made_up(cell)], infer_schema_length=None))
    for words in (
        "| 1,000 | 30.0 % | 17.3 % | 10.0 % |",
        "| 5 | 5 | even | 0 | 98.0 % | 40.0 % | 40.0 % | 40.0 % | 86.0 % |",
        "| 100 % | 5 | 2 | 0.6 | 2,000 | 50 | 200 |  | 4.50 % | 0.30 % | 0.10 % |",
        "| 3 | 2 | 500 | 300 | 200 |  | 2-14 % | 10.0 % |",
        "with even label shares: 1.00 to 1.00, in the median 1.00",
        "by more than .03: 0.",
    ):
        assert words in text


@pytest.mark.parametrize("title", ["False alarms", "A drop of .15 in kappa", "A rater who clicks at random"])
def test_the_written_page_is_up_to_date_in_form(title: str) -> None:
    rows = pl.DataFrame([row for cell in plan(50) for row in made_up(cell)], infer_schema_length=None)
    (table,) = [table for table in tables(rows) if table.title == title]
    assert title in as_text(table)
    written = PAGE.read_text(encoding="utf-8")
    assert f"## {title}\n" in written
    assert "| " + " | ".join(table.header) + " |" in written


def test_measured_false_alarms_keep_the_promise() -> None:
    """On the written page, in all settings: the largest share lies below the promise, T / A."""
    section = PAGE.read_text(encoding="utf-8").split("## False alarms")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| ")][2:]
    figures = {int(A.replace(",", "")): [float(cell.strip(" %")) for cell in cells] for A, *cells in rows}
    assert tuple(figures) == THRESHOLDS
    for A, (promise, _, largest, *others) in figures.items():
        assert promise == min(100, 30_000 / A)
        assert max(others) <= largest < promise


def made_up(cell: Cell) -> list[dict[str, object]]:
    """Rows of a cell as `run` returns them, with the same figures everywhere."""
    world = cell.world
    of_cell: dict[str, object] = {
        "section": cell.section, "raters": world.raters, "labels": world.labels, "kappa": world.kappa,
        "correlation": world.correlation, "shares": world.shares, "items_per_look": world.items_per_look,
        "random_share": cell.random_share, "streams": cell.streams, "alarms": 0.1,
    }  # fmt: skip
    if cell.section in ("healthy", "hard day"):
        return [of_cell | {"threshold": A} for A in THRESHOLDS]
    results = {"before": 0.0, "within": 0.4, "median": 200.0, "items_80": 300.0 if cell.section == "drop" else None}
    plans = {"plan_median": 200, "plan_80": 300, "plan_power": 0.4, "plan_best": 0.5}
    accused = {"accused_before": 0.003, "accused_after": 0.001}
    extra = {"drop": plans, "rater": accused}.get(cell.section, {})
    thresholds = {"drop": (1000, 6000), "rater": (2000, 2000 * world.raters)}.get(cell.section, (500, 1000))
    return [of_cell | results | extra | {"threshold": A} for A in thresholds]
