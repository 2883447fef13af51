"""The report page: everything the frames hold is on it, nothing in them can run, and a browser shows it."""

import json
import math
import random
import re
import subprocess
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from html.parser import HTMLParser

import polars as pl
import pytest

from docs.browser import MISSING, find_browser
from tasks.report import ReportData, render
from tasks.report.charts import Point, trend_domain
from tasks.report.formatting import number
from tasks.report.write_report import in_local_days

START = datetime(2026, 2, 2, tzinfo=UTC)
HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</style><style>*{display:none}",
    "</title><img src=x onerror=alert(3)>",
    '"><svg/onload=alert(4)>',
    "' onmouseover='alert(5)",
    "{{ 7 * 7 }}{% raw %}",
    "abc\u202egpj.exe\u2066",
    "nul\x00 bell\x07 \ufffe",
    "x" * 5000,
    "]]><!-- & &lt;",
    "javascript:alert(6)",
]
RESULTS = ["agreement", "trend", "pairwise", "systems", "bins", "raters", "queue", "differences", "against", "checks"]
FRAMES = [*RESULTS, "batches", "rejected", "alerts"]
INLINE = {"a", "b", "bdi", "code", "span", "strong", "time", "wbr"}
VOID = {"meta", "br", "img", "hr", "input", "link", "path", "circle", "rect", "line", "wbr"}


def agreement_rows(
    question, rng, *, base, period="all", start=None, end=None, width=0.03, names=None, run="r-2026-06-01"
):
    """The rows of one evaluation, some of them undefined."""
    columns = {
        "percent_agreement": base * 0.6 + 0.4,
        "brennan_prediger": base * 0.98,
        "cohen_kappa": None,
        "scott_pi": None,
        "fleiss_kappa": base * 0.95,
        "conger_kappa": base * 0.955,
        "krippendorff_alpha": base * 0.951,
        "gwet_ac1": base * 1.03,
        "icc1": None,
        "yule_y": None,
    }
    return [
        {
            "run_id": run,
            "question": question,
            "scope": "humans",
            "period": period,
            "period_start": start,
            "period_end": end,
            "coefficient": name,
            "scale": "nominal",
            "weights": "identity",
            "interval_method": "analytic",
            "confidence": 0.95,
            "estimate": value,
            "se": None if value is None else width / 1.96,
            "low": None if value is None else value - width,
            "high": None if value is None else value + width,
            "p_value": None if value is None else 1e-12,
            "observed": base * 0.6 + 0.4,
            "expected": 0.31,
            "n_items": 812,
            "n_raters": 5,
            "n_ratings": rng.randrange(1000, 4060),
            "n_labels": 4,
            "reason": None if value is not None else "not_applicable",
            "detail": None,
        }
        for name, value in columns.items()
        if names is None or name in names
    ]


def trend_rows(question, rng, base):
    names = ("percent_agreement", "krippendorff_alpha")
    steps = {"day": (1, 45), "week": (7, 14), "month": (30, 4), "batch": (9, 8)}
    rows = []
    for period, (days, n) in steps.items():
        for place in range(n):
            start = START + timedelta(days=days * place)
            level = base + 0.08 * math.sin(place / 3) + rng.gauss(0, 0.02)
            result = agreement_rows(
                question,
                rng,
                base=level,
                period=period,
                start=start,
                end=start + timedelta(days=days),
                width=0.3 / math.sqrt(days + 2),
                names=names,
            )
            if period == "day" and place in (12, 13):
                for row in result:
                    row.update(estimate=None, low=None, high=None, se=None, reason="too_few_items", detail="1 item")
            rows += result
    return rows


def system_rows(question, rng, base):
    methods = ("average", "lehner", "one_coin", "attenuation", "pooled_free")
    warning = (
        "Agreement of the annotators is low (kappa 0.18): the estimate leans on the model more than on the data. "
        "Have 20 items audited and pass them with --gold."
    )
    rows = []
    for system, version, level in (
        ("gpt-judge", "v3", 0.13),
        ("keyword-rules", None, -0.21),
        ("distilbert", "2026-01", 0.02),
    ):
        for method in methods:
            value = min(base + level + rng.gauss(0, 0.012), 0.985)
            rows.append(
                {
                    "run_id": "r-2026-06-01",
                    "question": question,
                    "system": system,
                    "system_version": version,
                    "method": method,
                    "accuracy": value,
                    "se": 0.015,
                    "low": value - 0.03,
                    "high": min(value + 0.025, 0.999),
                    "confidence": 0.95,
                    "spread_low": value - 0.05,
                    "spread_high": min(value + 0.05, 0.99),
                    "n_items": 812,
                    "n_gold": 0,
                    "reason": None,
                    "detail": None,
                    "warnings": [warning] if system == "keyword-rules" else [],
                }
            )
    rows.append(
        {
            **rows[-1],
            "method": "dawid_skene",
            "accuracy": None,
            "se": None,
            "low": None,
            "high": None,
            "spread_low": None,
            "spread_high": None,
            "reason": "not_identified",
            "detail": "The raters agree no more than chance would let them.",
        }
    )
    return rows


def frames(n_questions=2, n_raters=5, names=None, seed=7):
    """Synthetic results as the warehouse's views give them."""
    rng = random.Random(seed)
    names = (
        names
        or ["sentiment", "reviews/toxicity", *(f"project {i}/relevance" for i in range(n_questions))][:n_questions]
    )
    raters = ["amira", "bo", "chiara", "deniz", "egil", *(f"worker {i:03d}" for i in range(n_raters))][:n_raters]
    out = {key: [] for key in RESULTS}
    for place, question in enumerate(names):
        base = 0.74 - 0.17 * (place % 4) + 0.01 * (place // 4)
        out["agreement"] += agreement_rows(question, rng, base=base)
        out["trend"] += trend_rows(question, rng, base)
        accuracy = 0.5 + base / 2.2
        out["systems"] += system_rows(question, rng, accuracy)
        skill = {rater: accuracy + rng.gauss(0, 0.04) for rater in raters}
        skill[raters[-1]] = accuracy - 0.2
        out["raters"] += [
            {
                "run_id": "r",
                "question": question,
                "rater": rater,
                "rater_kind": "human",
                "n_ratings": 812 - 9 * i,
                "accuracy": skill[rater],
                "low": skill[rater] - 0.03,
                "high": skill[rater] + 0.03,
                "agreement_with_others": skill[rater] - 0.1,
                "reason": None,
            }
            for i, rater in enumerate(raters)
        ]
        out["pairwise"] += [
            {
                "run_id": "r",
                "question": question,
                "rater_a": a,
                "rater_b": b,
                "coefficient": "cohen_kappa",
                "estimate": (v := skill[a] + skill[b] - 1.0 + rng.gauss(0, 0.05)),
                "se": 0.03,
                "low": v - 0.06,
                "high": v + 0.06,
                "n_items": 300 + i,
                "reason": None,
            }
            for i, a in enumerate(raters)
            for b in raters[i + 1 :]
        ]
        out["differences"].append(
            {
                "question": question,
                "system_a": "gpt-judge",
                "version_a": "v2",
                "system_b": "gpt-judge",
                "version_b": "v3",
                "difference": (v := 0.05 + rng.gauss(0, 0.02)),
                "low": v - 0.04,
                "high": v + 0.04,
                "confidence": 0.95,
                "p_a_better": 0.993,
                "n_items": 700,
                "reason": None,
                "detail": None,
            }
        )
        out["against"] += [
            {
                "question": question,
                "system": "gpt-judge",
                "compared_with": standard,
                "rater": rater,
                "rater_accuracy": accuracy,
                "difference": (v := 0.1 + rng.gauss(0, 0.02)),
                "low": v - 0.05,
                "high": v + 0.05,
                "confidence": 0.95,
                "p_system_better": 0.99,
                "reason": None,
                "detail": None,
            }
            for standard, rater in (("average_rater", None), ("best_rater", "amira"))
        ]
        out["checks"] += [
            {
                "question": question,
                "name": name,
                "system": system,
                "rater": rater,
                "other": None,
                "effect": (effect := 0.1 + rng.gauss(0, 0.03)),
                "p_value": 0.01 if system else 0.2 + effect,
                "p_adjusted": 0.03 if system else 1.0,
                "violated": system is not None,
                "reason": None,
                "detail": "gpt-judge agrees with amira more than the others explain." if system else "Nothing.",
            }
            for name, system, rater in (
                ("pairs", None, None),
                ("raters", None, None),
                ("copying", "gpt-judge", "amira"),
            )
        ]
        out["bins"] += [
            {
                "run_id": "r",
                "question": question,
                "system": system,
                "bin_low": low,
                "bin_high": low + 0.1,
                "mean_posterior": low + 0.06,
                "n_items": int(1000 * low),
                "agreement": low - 0.02 * k,
                "estimate": min(low + 0.03, 1.0),
            }
            for k, system in enumerate(("gpt-judge", "keyword-rules"))
            for low in (0.4, 0.6, 0.8, 0.9)
        ]
        out["queue"] += [
            {
                "question": question,
                "item": f"task-{4000 + 37 * i}",
                "label": rng.choice(["negative", "neutral"]),
                "probability": 0.36 + i / 100,
                "entropy": 1.58 - i / 60,
                "n_ratings": 5,
            }
            for i in range(25)
        ]
    return {key: pl.DataFrame(rows, infer_schema_length=None) for key, rows in out.items()}


def intake(n_rejected=63):
    files = [
        "2026-02 first batch.json",
        "2026-03 second batch.json",
        "late batch.csv",
        "crowd export.jsonl",
        "notes.pdf",
    ]
    rows = [
        (12000, 11800, 0, 120, 80),
        (13000, 900, 12080, 20, 0),
        (420, 400, 0, 0, 20),
        (5000, 4963, 0, 0, 37),
        (0,) * 5,
    ]
    batches = [
        {
            "batch_id": f"{i:064x}",
            "source": "inbox",
            "file_name": name,
            "sha256": f"{i:064x}",
            "reader": "label_studio",
            "status": "rejected" if name == "notes.pdf" else "stored",
            "reason": "unreadable" if name == "notes.pdf" else None,
            "detail": "This is a PDF file, not an export. Export as JSON or CSV." if name == "notes.pdf" else None,
            "n_rows": n[0],
            "n_ratings": n[1],
            "n_unchanged": n[2],
            "n_skipped": n[3],
            "n_rejected": n[4],
            "started_at": START + timedelta(days=31 * i),
            "ingested_at": START + timedelta(days=31 * i, seconds=2),
        }
        for i, (name, n) in enumerate(zip(files, rows, strict=True))
    ]
    rejected = [
        {
            "batch_id": f"{i % 3:064x}",
            "file_name": files[i % 3],
            "row_number": 17 * i + 2,
            "column_name": "label" if i % 4 else "rated_at",
            "value": "Posative" if i % 4 else "31/31/2026",
            "reason": "unknown_label" if i % 4 else "bad_time",
            "detail": "'Posative' is not a declared label of this question (positive, neutral, negative)."
            if i % 4
            else None,
            "attempt": 1,
            "rejected_at": START,
        }
        for i in range(n_rejected)
    ]
    alerts = [
        {
            "alert_id": "a1",
            "question": "sentiment",
            "kind": "agreement_below",
            "severity": "warning",
            "opened_at": START + timedelta(days=80),
            "acknowledged_at": START + timedelta(days=81),
            "acknowledged_by": "ann <b>",
            "muted_until": datetime(2026, 6, 30, tzinfo=UTC),
            "state": "muted",
            "closed_at": None,
            "evidence": "{}",
            "detail": "Krippendorff's alpha of the week from 2026-04-20 is 0.512, below the threshold of 0.600.",
        },
        {
            "alert_id": "a2",
            "question": "sentiment",
            "kind": "closed_one",
            "severity": "warning",
            "opened_at": START,
            "acknowledged_at": None,
            "closed_at": START,
            "evidence": "{}",
            "detail": "This one is closed.",
        },
    ]
    return {
        name: pl.DataFrame(rows) for name, rows in (("batches", batches), ("rejected", rejected), ("alerts", alerts))
    }


def full(n_questions=2, **options):
    return ReportData(
        title="Customer reviews",
        made_at=datetime(2026, 6, 1, 7, 30, tzinfo=UTC),
        code_version="0.1.0+abc123",
        run_id="r-2026-06-01",
        **frames(n_questions, **options),
        **intake(),
    )


@pytest.fixture(scope="module")
def page():
    return render(full())


def test_an_alert_shows_who_took_note_of_it_and_until_when_it_is_muted(page):
    assert "acknowledged by" in page
    assert "ann <b>" not in page
    assert re.search(r"muted until <time[^>]*>30 June 2026|muted until <time[^>]*>2026-06-30", page)


class Outline(HTMLParser):
    """What a browser would make of the page: its elements, their attributes, its text outside the style."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.texts, self.open = Counter(), [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.texts.append("" if tag in INLINE else " ")
        self.tags[tag] += 1
        self.attributes += [(tag, *attribute) for attribute in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, *attribute) for attribute in attrs]

    def handle_endtag(self, tag):
        self.texts.append("" if tag in INLINE else " ")
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join("".join(self.texts).replace("\N{NO-BREAK SPACE}", " ").split())


def test_elements_are_closed_in_order(page):
    assert Outline(page).open == []


def test_the_top_says_in_words_what_matters(page):
    text = Outline(page).text
    assert "5 files with 30,420 rows came in between 2026-02-02 and 2026-06-06: 18,063 ratings kept" in text
    assert "12,080 unchanged, 140 skipped and 137 rejected." in text
    assert re.search(
        r"On sentiment, two annotators give the same answer in 84\.4 % of the cases; Krippendorff's alpha", text
    )
    assert re.search(
        r"gpt-judge \(v3\) is right on an estimated 9\d\.\d % of the items .* better than every annotator", text
    )
    assert "below the threshold of 0.600" in text
    assert "Not read: notes.pdf: This is a PDF file" in text
    assert "137 rows (0.5 %) rejected, most often: unknown label." in text
    assert "This one is closed." not in text


@pytest.mark.parametrize("name", RESULTS)
def test_each_figure_of_the_frames_is_on_the_page(page, name):
    columns = {
        "agreement": ("estimate", "low", "high", "observed"),
        "trend": ("estimate", "low", "high"),
        "pairwise": ("estimate", "low", "high"),
        "systems": ("accuracy", "low", "high", "spread_low", "spread_high"),
        "bins": ("bin_low", "mean_posterior", "agreement", "estimate"),
        "queue": ("entropy",),
        "raters": ("accuracy", "low", "high", "agreement_with_others"),
        "differences": ("difference", "low", "high"),
        "against": ("rater_accuracy", "difference", "low", "high"),
        "checks": ("effect",),
    }[name]
    frame = getattr(full(), name)
    if name == "trend":
        frame = frame.filter(pl.col("coefficient") == "krippendorff_alpha")
    if name == "queue":
        frame = frame.filter(pl.col("entropy") > 1.26)  # the first 20 of each question
    figures = {number(value) for column in columns for value in frame[column] if value is not None}
    shown = set(re.findall(r"−?\d\.\d{3}", Outline(page).text))
    assert len(figures) > 5
    assert figures <= shown


def test_systems_raters_items_files_and_rejects_are_named(page):
    text = Outline(page).text
    for frame, column in (
        ("systems", "system"),
        ("raters", "rater"),
        ("batches", "file_name"),
        ("agreement", "question"),
    ):
        for value in getattr(full(), frame)[column].unique():
            assert value in text
    assert "task-4000" in text
    assert "task-4740" not in text  # the 21st
    assert "'Posative' is not a declared label" in text
    assert "The first 50 of 63 rejected rows." in text
    assert "unknown label unknown_label 47 3" in text
    assert "0.1.0+abc123" in text
    assert "r-2026-06-01" in text


@pytest.mark.field_trial(8)
def test_items_to_look_at_go_by_expected_gain_and_have_their_text():
    rows = [
        {"question": "tone", "item": item, "label": "A", "probability": 0.6, "entropy": entropy, "expected_gain": gain,
         "n_ratings": 3, "item_text": text, "n_doubtful": 47}
        for item, entropy, gain, text in (
            ("third", 1.9, 0.051, None), ("first", 0.7, 0.312, "Where is it?"), ("second", 1.2, 0.204, "x" * 500),
        )
    ]  # fmt: skip
    text = Outline(render(ReportData("t", START, "1", queue=pl.DataFrame(rows)))).text
    shown = text[text.index("Items to look at") :]
    assert shown.index("first Where is it?") < shown.index("second xxx") < shown.index("third")
    assert all(name in shown for name in ("Text", "Expected gain, bits", "0.312", "0.204", "0.051"))
    assert "x" * 121 not in shown
    assert "The first 20 of 47 items." in shown
    assert "one more rating by an average rater is expected to remove, if it counts in full." in shown
    assert "Entropy: doubt about the right label, in bits." in shown


@pytest.mark.field_trial(1, 9)
def test_the_table_of_questions_says_on_what_its_accuracies_rest(page):
    assert "Accuracies are without gold: they hold if people err independently." in Outline(page).text
    data = full()
    gold = pl.when(pl.col("question") == "sentiment").then(20).otherwise(0).cast(data.systems.schema["n_gold"])
    mixed = Outline(render(replace(data, systems=data.systems.with_columns(n_gold=gold)))).text
    assert (
        "on sentiment are audited with gold, if it is a random sample; all others hold if people err independently."
        in mixed
    )
    audited = render(replace(data, systems=data.systems.with_columns(n_gold=pl.lit(20))))
    assert "Accuracies are audited with gold, if it is a random sample." in Outline(audited).text


def test_an_undefined_value_is_a_mark_with_its_reason(page):
    text = Outline(page).text
    assert "— not identified: The raters agree no more than chance would let them." in text
    assert "4 coefficients do not apply here Cohen's kappa, Scott's pi, ICC(1,1), Yule's Y." in text
    assert "2 of 45 undefined (too few items)" in text
    assert "— too few items: 1 item" in text


@pytest.mark.parametrize("bad", [None, float("nan"), float("inf"), float("-inf")])
def test_no_undefined_figure_reaches_the_page(bad):
    data = full(1)
    figures = (
        "estimate",
        "se",
        "low",
        "high",
        "p_value",
        "observed",
        "expected",
        "accuracy",
        "spread_low",
        "spread_high",
        "mean_posterior",
        "probability",
        "entropy",
        "agreement_with_others",
    )
    frames_ = {
        name: frame.with_columns(pl.lit(bad, dtype=pl.Float64).alias(c) for c in figures if c in frame.columns)
        for name in FRAMES[:7]
        for frame in [getattr(data, name).with_columns(reason=pl.lit("too_few_raters"))]
    }
    html = render(replace(data, **frames_))
    text = Outline(html).text
    assert not re.search(r"\b(nan|NaN|inf|None|null|Infinity)\b", text)
    assert "NaN" not in html
    assert "no agreement figure: fewer raters than the formula needs." in text
    assert "no accuracy for gpt-judge (v3): fewer raters than the formula needs." in text


def test_why_a_system_has_no_accuracy_is_said_of_the_system():
    data = full(1)
    nothing = [pl.lit(None, dtype=pl.Float64).alias(name) for name in ("accuracy", "low", "high")]
    why = "The system answered none of the items that somebody rated."
    systems = data.systems.with_columns(*nothing, reason=pl.lit("too_few_items"), detail=pl.lit(why))
    text = Outline(render(replace(data, systems=systems, slices=systems.with_columns(scope=pl.lit("slice:a=b"))))).text
    assert f"no accuracy for gpt-judge (v3): {why}" in text
    assert "fewer items with two ratings or more than the formula needs" not in text


def standings(raters, systems, **more):
    """Each system's standing beside raters and systems of (name, accuracy, half-width)."""
    rows = [
        {"question": "q", "rater": name, "n_ratings": n, "accuracy": value, "low": value - h, "high": value + h}
        for name, n, value, h in raters
    ]
    estimates = [
        {"question": "q", "system": name, "method": "lehner", "accuracy": value, "low": value - h, "high": value + h}
        for name, value, h in systems
    ]
    data = ReportData("t", START, "1", systems=pl.DataFrame(estimates), raters=pl.DataFrame(rows), **more)
    text = Outline(render(data)).text
    return dict(re.findall(r"(s\d) is ([a-z ]+?)(?:,| and|\.)", text[text.index("Dotted line") :])), text


def test_standing_is_said_only_of_clear_differences():
    # mean (300 * .9 + 100 * .7) / 400 = .85; s1 beats a by .09 > sqrt(.03^2 + .04^2) = .05, s2 by .04 only, but the
    # mean by .09 > sqrt(.03^2 + .032^2), where .032 = sqrt((.75 * .04)^2 + (.25 * .04)^2)
    result, text = standings(
        [("a", 300, 0.9, 0.04), ("b", 100, 0.7, 0.04)],
        [("s1", 0.99, 0.03), ("s2", 0.94, 0.03), ("s3", 0.77, 0.03), ("s4", 0.88, 0.03)],
    )
    assert "Dotted line: the annotators' accuracy, 0.850." in text
    assert result == {
        "s1": "better than every annotator",
        "s2": "better than the average annotator",
        "s3": "worse than the average annotator",
        "s4": "not clearly apart from the average annotator",
    }


def test_standing_heeds_the_uncertainty_of_the_annotators():
    certain, _ = standings([("a", 50, 0.7, 0.0)], [("s1", 0.9, 0.15)])
    doubtful, _ = standings([("a", 50, 0.7, 0.2)], [("s1", 0.9, 0.15)])
    assert certain == {"s1": "better than every annotator"}
    assert doubtful == {"s1": "not clearly apart from the average annotator"}


def test_standing_goes_by_the_comparison_on_the_same_items_where_there_is_one():
    def verdict(low, high, best_low):
        against = [
            {"question": "q", "system": "s1", "compared_with": standard, "difference": 0.1, "low": low, "high": high}
            for standard, low, high in (("average_rater", low, high), ("best_rater", best_low, 0.9))
        ]
        result, _ = standings([("a", 50, 0.7, 0.1)], [("s1", 0.9, 0.05)], against=pl.DataFrame(against))
        return result["s1"]

    assert verdict(0.01, 0.2, -0.1) == "better than the average annotator"
    assert verdict(0.01, 0.2, 0.01) == "better than every annotator"
    assert verdict(-0.2, 0.001, -0.3) == "not clearly apart from the average annotator"
    assert verdict(-0.2, -0.01, -0.3) == "worse than the average annotator"


def test_nothing_is_said_twice():
    alerts = pl.DataFrame(
        {"question": ["mood", "mood"], "kind": ["low", "drift"], "detail": ["Raters of 'mood' drift.", "A."]}
    )
    batches = pl.DataFrame(
        {"file_name": ["in/a.csv"], "n_rows": [0], "status": ["rejected"], "detail": ["a.csv is empty."]}
    )
    systems = pl.DataFrame(
        {"question": ["q"], "system": ["judge"], "system_version": ["judge"], "method": ["lehner"], "accuracy": [0.9]}
    )
    text = Outline(render(ReportData("t", START, "1", alerts=alerts, batches=batches, systems=systems))).text
    assert " Raters of 'mood' drift." in text
    assert "mood: Raters" not in text
    assert "mood: A." in text
    assert "Not read: a.csv is empty." in text
    assert "On q, judge is right on an estimated 90.0 %" in text


def test_no_reason_is_called_the_most_frequent_when_two_are():
    rejected = pl.DataFrame({"row_number": [1, 2], "reason": ["bad_time", "no_label"]})
    text = Outline(render(ReportData("t", START, "1", rejected=rejected, batches=intake()["batches"]))).text
    assert "rejected." in text
    assert "most often" not in text


def test_systems_and_gold_among_the_raters_do_not_count_as_annotators():
    rows = [
        {"question": "q", "rater": kind, "rater_kind": kind, "n_ratings": 10, "accuracy": accuracy}
        for kind, accuracy in (("human", 0.6), ("system", 0.99), ("gold", 1.0))
    ]
    systems = pl.DataFrame({"question": ["q"], "system": ["s"], "method": ["lehner"], "accuracy": [0.9]})
    text = Outline(render(ReportData("t", START, "1", systems=systems, raters=pl.DataFrame(rows)))).text
    assert "the annotators' accuracy is 60.0 %" in text
    assert "0.990" not in text


@pytest.mark.parametrize("form", [list, "json", "lines"])
def test_warnings_stand_in_full_and_once(form):
    sentences = ["Agreement is low. " * 30 + "End one.", "Three raters copied <b>each other</b>."]
    value = {"json": json.dumps(sentences), "lines": "\n".join(sentences)}.get(form, sentences)
    rows = [
        {"question": "q", "system": s, "method": m, "accuracy": 0.8, "warnings": value}
        for s in ("s1", "s2")
        for m in ("lehner", "average")
    ]
    text = Outline(render(ReportData("t", START, "1", systems=pl.DataFrame(rows)))).text
    for sentence in sentences:
        assert text.count(sentence) == 1
    assert "s1 and s2: Agreement is low." in text
    assert "Agreement is low: q. Three raters copied <b>each other</b>: q." in text


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_is_text_everywhere(hostile):
    data = full(1, names=[hostile])
    named = {
        "item",
        "label",
        "rater",
        "rater_a",
        "system",
        "system_version",
        "file_name",
        "value",
        "column_name",
        "source",
        "detail",
        "reason",
        "scope",
        "coefficient",
        "scale",
        "weights",
        "method",
        "status",
        "kind",
        "severity",
    }

    def poisoned(frame):
        return frame.with_columns(pl.lit(hostile).alias(name) for name in frame.columns if name in named)

    half = {
        name: pl.concat([poisoned(frame), frame], how="vertical_relaxed")
        for name in FRAMES
        for frame in [getattr(data, name)]
    }
    html = render(replace(data, title=hostile, code_version=hostile, run_id=hostile, **half))
    clean, dirty = Outline(render(data)), Outline(html)
    assert set(dirty.tags) <= set(clean.tags) | {"section", "details", "summary", "table"}
    assert dirty.tags["style"] == 1
    assert not {"script", "img", "iframe", "object", "link", "base", "form"} & set(dirty.tags)
    assert not [a for a in dirty.attributes if a[1].startswith("on") or a[1] == "style"]
    assert dirty.open == []
    assert {value for _, name, value in dirty.attributes if name == "href"} <= {
        "#q1",
        "#q2",
        "#alerts",
        "#rejected",
        "#batches",
    }
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069\ufffe]", html)
    assert "49" not in Outline(render(ReportData(hostile, START, ""))).text  # no template in the data runs
    if len(hostile) < 100 and hostile.isprintable():
        assert hostile in dirty.text


def test_long_labels_are_cut_and_say_how_long_they_are():
    html = render(full(1, names=["x" * 5000]))
    assert "… (5,000 characters)" in Outline(html).text
    assert "x" * 1001 not in html


def test_the_page_loads_and_runs_nothing(page):
    outline = Outline(page)
    assert not outline.tags["script"]
    assert not [a for a in outline.attributes if a[1] in ("src", "srcset", "action", "data", "xlink:href", "style")]
    assert all(a[2].startswith("#") for a in outline.attributes if a[1] == "href")
    assert "http://" not in page
    assert "https://" not in page
    assert "@import" not in page
    assert "url(" not in page
    (policy,) = (a[2] for a in outline.attributes if a[0] == "meta" and (a[2] or "").startswith("default-src"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_an_empty_project_gets_a_friendly_page():
    outline = Outline(render(ReportData("demo", START, "0.1.0")))
    assert "Nothing ingested yet. Put exports of your annotation tool into inbox/ and run kappaflow run" in outline.text
    assert outline.tags["table"] == 0
    assert outline.open == []


@pytest.mark.parametrize("name", FRAMES)
def test_each_frame_may_be_empty_or_the_only_one(name):
    data = full(1)
    empty = getattr(data, name).clear()
    assert Outline(render(replace(data, **{name: empty}))).open == []
    alone = ReportData("demo", START, "0.1.0", **{name: getattr(data, name)})
    assert "None" not in Outline(render(alone)).text


def test_only_refused_files():
    batches = intake()["batches"].filter(pl.col("status") == "rejected")
    text = Outline(render(ReportData("demo", START, "0.1.0", batches=batches))).text
    assert "No question has an agreement figure yet." in text
    assert "Not read: notes.pdf" in text


def test_files_with_dates_in_the_future_are_named():
    batches = intake()["batches"].with_columns(
        n_future=pl.when(pl.col("file_name") == "late batch.csv").then(4).otherwise(0),
        last_future_at=pl.lit(datetime(2031, 11, 18, tzinfo=UTC)),
    )
    text = Outline(render(ReportData("demo", START, "0.1.0", batches=batches))).text
    assert "4 ratings of late batch.csv dated in the future, up to 2031-11-18: not drawn over time." in text
    assert text.count("dated in the future") == 1


def test_a_frame_of_other_columns_is_refused_by_name():
    with pytest.raises(ValueError, match="'systems' has no column question, method"):
        render(ReportData("demo", START, "0.1.0", systems=pl.DataFrame({"system": ["s"], "accuracy": [0.5]})))


@pytest.mark.parametrize(("n_raters", "cells"), [(2, 0), (3, 3), (30, 435), (31, 0)])
def test_pairs_are_drawn_for_three_to_thirty_annotators(n_raters, cells):
    html = render(full(1, n_raters=n_raters))
    charts = re.findall(r'<svg class="chart"[^>]*aria-label="Cohen\'s kappa of each pair.*?</svg>', html, re.DOTALL)
    assert sum(chart.count("<title>") for chart in charts) == cells
    assert f"Cohen's kappa of {n_raters * (n_raters - 1) // 2} pair" in Outline(html).text


def test_many_questions_stay_closed_and_small(page):
    many = render(full(30))
    assert page.count('class="question" open') == 2
    assert many.count('class="question">') == 30
    assert len(page.encode()) < 200_000
    assert len(many.encode()) < 2_250_000
    assert all(f'href="#q{place}"' in many and f'id="q{place}"' in many for place in range(1, 31))


def test_other_scopes_and_weights_are_shown_apart():
    data = full(1)
    extra = data.agreement.filter(pl.col("coefficient") == "fleiss_kappa").with_columns(
        scope=pl.lit("label:negative"), estimate=pl.lit(0.123), weights=pl.lit("linear")
    )
    text = Outline(render(replace(data, agreement=pl.concat([data.agreement, extra])))).text
    assert "label:negative Fleiss' kappa, linear weights 0.123" in text


def test_deleted_ratings_are_said():
    """The ratings that a full export deleted stood among those that were kept, and nothing said so."""
    batches = intake()["batches"]
    with_deleted = batches.with_columns(n_deleted=pl.when(pl.int_range(pl.len()) == 0).then(10).otherwise(0))
    text = Outline(render(ReportData("demo", START, "0.1.0", batches=with_deleted))).text
    assert "10 ratings were deleted: newer full exports or live sources lacked them." in text
    assert "Rejected Deleted Ingested" in text
    text = Outline(render(ReportData("demo", START, "0.1.0", batches=batches))).text
    assert "deleted" not in text.lower()


def test_the_latest_points_are_kept():
    rng = random.Random(1)
    rows = [
        row
        for i in range(100)
        for row in agreement_rows(
            "q", rng, base=0.5 + i / 1000, period="day", start=START + timedelta(days=i), names=("krippendorff_alpha",)
        )
    ]
    data = ReportData(
        "t", START + timedelta(days=100), "1", trend=pl.DataFrame(rows),
        agreement=pl.DataFrame(agreement_rows("q", rng, base=0.6)),
    )  # fmt: skip
    text = Outline(render(data)).text
    assert "the latest 60" in text
    assert "2026-05-12" in text
    assert "2026-03-13" not in text


def test_rows_of_other_periods_in_latest_agreement_are_not_taken_for_the_whole():
    data = full(1)
    week = data.agreement.with_columns(period=pl.lit("week"), estimate=pl.lit(0.111), low=pl.lit(0.1), high=pl.lit(0.2))
    assert (
        Outline(render(replace(data, agreement=pl.concat([week, data.agreement])))).text == Outline(render(data)).text
    )


def test_the_runs_are_named():
    data = replace(full(2), run_id="")
    assert "abc123, run r-2026-06-01." in Outline(render(data)).text
    many = data.agreement.with_columns(run_id=pl.format("r{}", pl.int_range(pl.len())))
    assert "abc123, 20 runs." in Outline(render(replace(data, agreement=many))).text


@pytest.mark.parametrize(
    "values", [(0.5, 0.5), (1.0, 1.0), (-1.0, -1.0), (0.0, 0.0), (-0.95, -0.9), (0.61, 0.79), (0.1, 0.95), (0.6, 0.8)]
)
def test_a_trend_chart_has_room_for_its_values(values):
    low, high = trend_domain([Point(0, "", "", value, value, value) for value in values])
    assert -1 <= low <= min(values) <= max(values) <= high <= 1
    assert high - low > 0.39


CHROMIUM = find_browser()


@pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
def test_a_browser_shows_it_without_complaint(tmp_path):
    data = full(2, names=HOSTILE[:2])
    path = tmp_path / "report.html"
    path.write_text(render(replace(data, title=HOSTILE[3])), encoding="utf-8")
    result = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--enable-logging=stderr",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    complaints = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    assert complaints == []
    outline = Outline(result.stdout)
    assert outline.tags["script"] == 0
    assert outline.tags["img"] == 0
    assert outline.tags["details"] == Outline(path.read_text(encoding="utf-8")).tags["details"]
    assert HOSTILE[0] in outline.text


def test_the_trend_shows_the_days_of_the_projects_time_zone() -> None:
    trend = pl.DataFrame(
        {
            "period": ["day", "batch"],
            "period_start": [datetime(2026, 1, 4, 23, tzinfo=UTC), datetime(2026, 1, 5, 7, tzinfo=UTC)],
            "first_day": [date(2026, 1, 5), date(2026, 1, 5)],
        },
        schema_overrides={"period_start": pl.Datetime("us", "UTC")},
    )
    starts = [datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 5, 7, tzinfo=UTC)]
    assert in_local_days(trend)["period_start"].to_list() == starts
