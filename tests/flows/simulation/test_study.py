"""Simulated studies as tasks: the sums are right, the page holds them, nothing in it runs, a browser shows it."""

import re
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from docs.browser import MISSING, find_browser
from flows.simulation import (
    Study,
    as_json,
    chosen_methods,
    closeness,
    overall,
    own_study,
    paper_studies,
    per_study,
    run_studies,
    summary,
    write_folder,
)
from flows.simulation.simulation_charts import (
    MARKS,
    N_COLOURS,
    Level,
    colour_class,
    expected_chart,
    in_sample_chart,
    mark,
)
from flows.simulation.simulation_page import render
from flows.simulation.study import in_words
from stats.accuracy import ESTIMATORS
from stats.simulate import FIGURES, PRINTED_KAPPA, SimulationSetting
from tasks.errors import InputError
from tasks.report.formatting import number

OWN = own_study(SimulationSetting(60, (0.6, 0.7, 0.7), (0.5, 0.9), n_labels=3, ordered=False))
VOID = {"meta", "path"}


def frame_of(rows: list[tuple[Any, ...]], figure: int | None = 3) -> pl.DataFrame:
    """Runs of one system as (method, expected, in-sample, estimate, low, high)."""
    names = ["method", "expected_accuracy", "in_sample_accuracy", "estimate", "low", "high"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(
        figure=pl.lit(figure, pl.Int64),
        run=pl.int_range(pl.len()) // 2,
        system_accuracy=pl.lit(0.9),
        kappa=0.2 + pl.int_range(pl.len()) / 10,
    )


HAND = frame_of(
    [
        ("lehner", 0.9, 0.8, 0.7, 0.5, 0.8),
        ("average", 0.9, 0.8, 0.85, 0.8, 0.95),
        ("lehner", 0.9, 1.0, None, None, None),
        ("average", 0.9, 1.0, 0.93, 0.91, 0.99),
    ]
)


@pytest.fixture(scope="module")
def two() -> pl.DataFrame:
    return run_studies(paper_studies([3, 13]), runs=12, seed=1, methods=chosen_methods(["one_coin"]))


def test_closeness_by_hand() -> None:
    rows = {row["method"]: row for row in closeness(HAND, paper_studies([3])).iter_rows(named=True)}
    average, lehner = rows["average"], rows["lehner"]
    # errors -.05 and +.03 of the expected accuracy, +.05 and -.07 of that on the items
    assert average["bias"] == pytest.approx(-0.01)
    assert average["rmse"] == pytest.approx(((0.05**2 + 0.03**2) / 2) ** 0.5)
    assert average["bias_in_sample"] == pytest.approx(-0.01)
    assert average["rmse_in_sample"] == pytest.approx(((0.05**2 + 0.07**2) / 2) ** 0.5)
    assert (average["within_0_1"], average["n_undefined"], average["runs"]) == (1.0, 0, 2)
    # [.80, .95] holds .9, [.91, .99] does not
    assert (average["n_intervals"], average["coverage"]) == (2, 0.5)
    assert average["mean_width"] == pytest.approx((0.15 + 0.08) / 2)
    # one run of lehner has no estimate and no interval; the other is off by -.2
    assert (lehner["n_undefined"], lehner["within_0_1"], lehner["n_intervals"]) == (1, 0.0, 1)
    assert lehner["bias"] == pytest.approx(-0.2)
    assert lehner["printed_kappa"] == PRINTED_KAPPA[3]
    total = overall(HAND, ["average", "lehner"])
    assert total["method"].to_list() == ["average", "lehner"]
    assert total["ratio_to_lehner"].to_list() == pytest.approx([average["rmse"] / 0.2, 1.0])


def test_rows_in_any_order_give_the_same_figures(two: pl.DataFrame) -> None:
    studies = paper_studies([3, 13])
    for seed in range(3):
        mixed = two.sample(fraction=1, shuffle=True, seed=seed)
        assert_frame_equal(closeness(mixed, studies), closeness(two, studies), check_exact=True)
        assert_frame_equal(
            overall(mixed, ["lehner", "one_coin"]), overall(two, ["lehner", "one_coin"]), check_exact=True
        )


def test_tables_agree_with_each_other(two: pl.DataFrame) -> None:
    studies, methods = paper_studies([3, 13]), ("lehner", "one_coin")
    result = as_json(two, studies, methods, [Path("x")])
    assert [outcome["figure"] for outcome in result["figures"]] == [3, 13]
    assert result["figures"][1] == summary(two, studies[1], methods)
    assert Path(result["files"][0]).is_absolute()
    rows = per_study(two, studies)
    assert [row["study"] for row in rows] == ["Figure 3", "Figure 13"]
    assert rows[0]["kappa"] == pytest.approx(result["figures"][0]["kappa"])
    assert rows[0]["printed_kappa"] == result["figures"][0]["printed_kappa"] == PRINTED_KAPPA[3]
    assert [rows[0][method] for method in methods] == [row["rmse"] for row in result["figures"][0]["overall"]]
    # as many runs and systems in each: the overall mean square is the mean of the settings'
    squares = [row["one_coin"] ** 2 for row in rows]
    assert result["overall"][1]["rmse"] == pytest.approx((sum(squares) / 2) ** 0.5)


def test_a_study_does_not_depend_on_the_others(two: pl.DataFrame) -> None:
    alone = run_studies(paper_studies([13]), runs=12, seed=1, methods=["lehner", "one_coin"])
    assert_frame_equal(two.filter(pl.col("figure") == 13), alone)


def test_progress_arrives_at_the_end() -> None:
    result: Counter[str] = Counter()
    studies = [*paper_studies([6]), OWN]

    def progress(study: Study, n: int) -> None:
        result[study.name] += n

    run_studies(studies, runs=3, seed=0, methods=["lehner"], confidence=0.9, progress=progress)
    assert result == {"Figure 6": 3 * 5, "Your design": 3 * 2}


def test_methods_and_figures_are_chosen() -> None:
    assert chosen_methods([]) == ("lehner",)
    assert chosen_methods(["all"]) == tuple(ESTIMATORS)
    assert chosen_methods(["one_coin", "one_coin", "lehner"]) == ("lehner", "one_coin")
    assert [study.figure for study in paper_studies()] == list(range(1, 15))
    for wrong in ([], [0], [3, 15]):
        with pytest.raises(InputError):
            paper_studies(wrong)


@pytest.mark.parametrize("figure", FIGURES)
def test_settings_in_words(figure: int) -> None:
    words = in_words(FIGURES[figure])
    assert f"{FIGURES[figure].n_items:,} items" in words
    assert ("fall evenly" in words) == (figure <= 7)
    assert ("2 times rarer" in words) == (figure > 7)


class Outline(HTMLParser):
    """The page's elements, their attributes, and its text outside the style."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        self.text = " ".join(self.text.replace("\N{NO-BREAK SPACE}", " ").split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, *attribute) for attribute in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, *attribute) for attribute in attrs]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag
        self.text += " "

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


@pytest.fixture(scope="module")
def all_figures() -> str:
    frame = run_studies(paper_studies(), runs=6, seed=0, methods=["lehner", "attenuation"])
    return render(frame, paper_studies(), seed=0)


def test_the_page_has_two_charts_for_each_figure_beside_the_printed_kappa(all_figures: str) -> None:
    outline = Outline(all_figures)
    assert outline.open == []
    assert all_figures.count('<svg class="chart"') == 28
    assert outline.tags["article"] == 14
    for figure, kappa in PRINTED_KAPPA.items():
        assert re.search(rf"Figure {figure} .*?Kappa 0\.\d{{3}}, the paper prints {kappa:.3f}\.", outline.text)
    assert re.search(
        r"Over 14 settings, (attenuation|lehner) is off by 0\.\d{3} and (attenuation|lehner) by", outline.text
    )
    assert "None" not in outline.text
    assert "nan" not in all_figures.lower().split("</style>")[1]


def test_every_figure_of_the_table_is_on_the_page(two: pl.DataFrame) -> None:
    studies = paper_studies([3, 13])
    outline = Outline(render(two, studies, seed=1))
    columns = ["expected_accuracy", "mean_estimate", "bias", "rmse", "in_sample_accuracy", "rmse_in_sample", "kappa"]
    shown = set(re.findall(r"−?\d\.\d{3}", outline.text))
    assert {number(value) for name in columns for value in closeness(two, studies)[name]} <= shown


def test_the_page_loads_and_runs_nothing(all_figures: str) -> None:
    outline = Outline(all_figures)
    assert not {"script", "img", "iframe", "object", "link", "base", "form"} & set(outline.tags)
    assert not [a for a in outline.attributes if a[1] in ("src", "href", "style", "action") or a[1].startswith("on")]
    (policy,) = (a[2] for a in outline.attributes if a[0] == "meta" and (a[2] or "").startswith("default-src"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "url(" not in all_figures
    assert "://" not in all_figures


def test_one_dot_per_run_up_to_a_hundred() -> None:
    for runs, dots in ((7, 7), (130, 100)):
        frame = run_studies([OWN], runs=runs, seed=0, methods=["lehner"])
        html = render(frame, [OWN], seed=0)
        far = re.findall(r'class="dots far m1" d="([^"]*)"', html)
        assert [path.count("h0") for path in far] == [2 * dots]


def test_an_own_design_whose_raters_agree_on_nothing_has_a_page() -> None:
    study = own_study(SimulationSetting(20, (0.0, 0.0), (0.5,), n_labels=2, ordered=False))
    frame = run_studies([study], runs=3, seed=0, methods=["lehner", "ordinal"])
    frame = frame.with_columns(estimate=pl.lit(None, pl.Float64))
    text = Outline(render(frame, [study], seed=0)).text
    assert "In your design, no method gave an estimate." in text
    assert "there is no estimate by lehner in 100.0 %" in text
    assert "None" not in text


def test_intervals_are_spoken_of() -> None:
    frame = run_studies([OWN], runs=4, seed=0, methods=["lehner", "one_coin"], confidence=0.8)
    text = Outline(render(frame, [OWN], seed=0, confidence=0.8)).text
    assert "Intervals of a nominal 80.0 % hold the expected accuracy" in text
    assert "Coverage Width" in text


def test_each_method_has_its_own_colour_and_mark() -> None:
    assert len(ESTIMATORS) <= N_COLOURS, "give the new method a colour of its own in simulate.css"
    assert len({colour_class(name) for name in ESTIMATORS}) == len(ESTIMATORS)
    assert len({mark(name) for name in list(ESTIMATORS)[: len(MARKS)]}) == len(MARKS)


@pytest.mark.parametrize("n_methods", [1, 2, 9])
@pytest.mark.parametrize("truths", [(0.1, 0.3, 0.5, 0.7, 0.9), (0.9,), (0.94, 0.95), (0.0, 1.0), (1.0,)])
def test_charts_stay_in_their_frame(n_methods: int, truths: tuple[float, ...]) -> None:
    methods = list(ESTIMATORS)[:n_methods]
    levels = [Level(name, t, t, max(t - 0.1, 0), min(t + 0.1, 1), [(t, t)]) for t in truths for name in methods]
    for chart in (expected_chart(levels, methods, label="<x>"), in_sample_chart(levels, methods, label="<x>")):
        assert "&lt;x&gt;" in chart
        for x, y in re.findall(r"M([\d.]+) ([\d.]+)", chart):
            assert -40 <= float(x) - 30 <= 298
            assert 0 <= float(y) <= 296
        ticks = re.findall(r'class="tick"[^>]*text-anchor="middle">([\d.]+)<', chart)
        assert ticks[-1] == "1"
        assert float(ticks[0]) <= min(truths)


def test_the_folder_is_made_and_files_are_replaced(tmp_path: Path) -> None:
    frame = run_studies([OWN], runs=2, seed=0, methods=["lehner"])
    folder = tmp_path / "a" / "b"
    first = write_folder(folder, frame, [OWN], seed=0)
    before = [path.read_bytes() for path in first]
    assert write_folder(folder, frame, [OWN], seed=0) == first
    assert [path.read_bytes() for path in first] == before
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in first)
    assert_frame_equal(pl.read_parquet(folder / "simulation.parquet"), frame)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a folder"):
        write_folder(tmp_path / "file", frame, [OWN], seed=0)


CHROMIUM = find_browser()


@pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
def test_a_browser_shows_it_without_complaint(all_figures: str, tmp_path: Path) -> None:
    path = tmp_path / "simulation.html"
    path.write_text(all_figures, encoding="utf-8")
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    flags += " --disable-component-update --disable-sync --enable-logging=stderr --dump-dom"
    result = subprocess.run(
        [str(CHROMIUM), *flags.split(), f"--user-data-dir={tmp_path / 'profile'}", path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert [line for line in result.stderr.splitlines() if "CONSOLE" in line] == []
    assert Outline(result.stdout).tags["article"] == 14
