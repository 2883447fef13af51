"""The command line as users and programs call it: values, shapes of --json, exit codes, the two lines of an error."""

import csv
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Json = Callable[..., Any]
LITERATURE = Path(__file__).parents[3] / "examples" / "literature"
GWET, LEHNER = LITERATURE / "gwet_2014_four_raters.csv", LITERATURE / "lehner_2015_table_2.csv"
TWO_QUESTIONS = "item,rater,label,question\n" + "".join(
    f"{i},{r},{'yes' if (i + len(q)) % 3 else 'no'},{q}\n" for q in ("tone", "mood") for i in range(9) for r in "ab"
)


def test_agree_has_gwets_figures_and_the_promised_shape(kappaflow_json: Json) -> None:
    result = kappaflow_json("agree", GWET)
    assert list(result)[:7] == ["question", "labels", "scale", "n_items", "n_raters", "n_ratings", "coefficients"]
    assert (result["n_items"], result["n_raters"], result["n_ratings"]) == (12, 4, 41)
    estimates = {row["name"]: row["estimate"] for row in result["coefficients"]}
    assert estimates["fleiss_kappa"] == pytest.approx(0.76117, abs=5e-6)
    assert estimates["krippendorff_alpha"] == pytest.approx(0.74342, abs=5e-6)
    assert estimates["gwet_ac1"] == pytest.approx(0.77544, abs=5e-6)
    keys = {"name", "estimate", "se", "low", "high", "p_value", "observed", "expected"}
    keys |= {"n_items", "n_raters", "n_ratings", "reason"}
    assert all(keys <= set(row) for row in result["coefficients"])
    undefined = [row for row in result["coefficients"] if row["estimate"] is None]
    assert {row["reason"] for row in undefined} == {"not_applicable"}


def test_agree_breaks_down_by_label_rater_item_and_pair(kappaflow_json: Json) -> None:
    by = [part for name in ("label", "rater", "item", "pair") for part in ("--by", name)]
    result = kappaflow_json("agree", GWET, *by, "--against-group", "rater_2", "--benchmark", "landis_koch")
    assert [row["label"] for row in result["by_label"]] == ["1", "2", "3", "4", "5"]
    assert {row["coefficient"] for row in result["by_pair"]} == {"cohen_kappa"}
    assert len(result["by_pair"]) == 6
    assert [row["rater"] for row in result["by_rater"]] == ["rater_1", "rater_2", "rater_3", "rater_4"]
    assert result["by_item"][0]["item"] == "6"  # its four raters give four labels
    assert {row["system"] for row in result["against_group"]} == {"rater_2"}
    assert {row["name"]: row["level"] for row in result["benchmark"] if row["chosen"]}["gwet_ac1"] == "Moderate"
    assert result["prevalence"]["most_used_label"] == "2"


def test_agree_compares_each_system_with_the_group(kappaflow_json: Json) -> None:
    result = kappaflow_json("agree", LEHNER, "--system", "system", "--labels", "A,B,C,D")
    rows = {row["name"]: row for row in result["against_group"]}
    assert list(rows) == ["shah_s", "vanbelle_albert", "majority_kappa", "mean_pairwise_kappa"]
    assert all(row["low"] <= row["estimate"] <= row["high"] for row in rows.values())
    assert "system" not in {
        row["rater"] for row in kappaflow_json("agree", LEHNER, "--system", "system", "--by", "rater")["by_rater"]
    }


@pytest.mark.parametrize(
    ("rule", "agreement", "raters", "note"),
    [
        ("latest", 1.0, 2, "1 rating was superseded by a later one"),
        ("first", 0.75, 2, "1 rating was superseded by an earlier one"),
        ("error", 0.75, 2, "1 row was rejected: duplicate_rating."),
        ("repeats", 5 / 6, 3, None),
    ],
)
def test_agree_applies_the_rule_for_duplicates(
    rule: str, agreement: float, raters: int, note: str | None, tmp_path: Path, kappaflow_json: Json
) -> None:
    file = tmp_path / "twice.csv"
    rows = [(i, rater, "yes" if i % 2 else "no") for i in range(1, 4) for rater in ("ann", "bob")]
    rows = [(0, "ann", "yes"), (0, "bob", "no"), (0, "ann", "no"), *rows]
    file.write_text("item,rater,label\n" + "".join(f"{i},{rater},{label}\n" for i, rater, label in rows))
    result = kappaflow_json("agree", file, "--duplicates", rule)
    observed = next(row for row in result["coefficients"] if row["name"] == "percent_agreement")
    assert observed["estimate"] == pytest.approx(agreement)
    assert result["n_raters"] == raters
    assert [text for text in result["warnings"] if "superseded" in text or "rejected" in text] == (
        [] if note is None else [text for text in result["warnings"] if text.startswith(note)]
    )


@pytest.mark.field_trial(4)
def test_an_interval_without_width_is_explained(tmp_path: Path, kappaflow: Any) -> None:
    pairs = [("1", "2"), ("1", "2"), ("2", "1"), ("2", "1"), ("3", "3")]
    rows = [
        f"{item},{rater},{label}" for item, both in enumerate(pairs) for rater, label in zip("ab", both, strict=True)
    ]
    (tmp_path / "d.csv").write_text("\n".join(["item,rater,label", *rows]) + "\n")
    shown = kappaflow("agree", tmp_path / "d.csv", "--coefficients", "information_agreement,cohen_kappa").stdout
    assert "information_agreement: Degenerate: the estimate is the same whichever item is left out" in shown
    assert "cohen_kappa: Degenerate" not in shown


def test_an_unknown_rule_for_duplicates_is_refused(kappaflow: Callable[..., Any]) -> None:
    ended = kappaflow("agree", GWET, "--duplicates", "newest", code=2)
    assert "latest, first, error, repeats" in ended.stderr


@pytest.mark.parametrize("method", ["normal", "jackknife", "percentile", "bca"])
def test_agree_takes_an_interval_method_and_a_population(method: str, kappaflow_json: Json) -> None:
    chosen = ["--coefficients", "fleiss_kappa,gwet_ac1", "--interval", method]
    plain = kappaflow_json("agree", GWET, *chosen)["coefficients"]
    finite = kappaflow_json("agree", GWET, *chosen, "--population", "24")["coefficients"]
    assert [row["name"] for row in plain] == ["fleiss_kappa", "gwet_ac1"]
    assert {row["interval_method"] for row in plain} == {method}
    assert [row["se"] for row in finite] == pytest.approx([row["se"] * 0.5**0.5 for row in plain])


def test_rows_with_an_undeclared_label_are_rejected_and_counted(kappaflow_json: Json) -> None:
    result = kappaflow_json("agree", GWET, "--labels", "1,2,3,4")
    assert (result["n_ratings"], result["labels"]) == (38, ["1", "2", "3", "4"])
    assert "3 rows were rejected: unknown_label." in result["warnings"]


def test_accuracy_has_lehners_figures_and_the_promised_shape(kappaflow_json: Json) -> None:
    result = kappaflow_json("accuracy", LEHNER, "--system", "system", "--labels", "A,B,C,D")
    assert result["kappa"] == pytest.approx(1 / 9)
    assert result["rater_accuracy"] == pytest.approx(0.5)
    by_method = {row["method"]: row for row in result["systems"]}
    assert list(by_method) == ["average", "lehner", "binless", "attenuation", "one_coin", "pooled_free"]
    system = by_method["lehner"]
    assert system["accuracy"] == pytest.approx(0.73143, abs=5e-6)
    assert system["low"] <= system["accuracy"] <= system["high"]
    keys = {"system", "method", "accuracy", "se", "low", "high", "spread_low", "spread_high"}
    keys |= {"n_items", "n_gold", "reason", "warnings"}
    assert keys <= set(system)
    assert any("The interval is too narrow, because a bootstrap" in text for text in system["warnings"])
    bins = {round(row["bin_low"], 1): row for row in result["bins"]}
    assert bins[0.8]["estimate"] == pytest.approx(0.771, abs=5e-4)  # misprinted .776 in the paper
    assert bins[0.5]["estimate"] == pytest.approx(1.0)  # misprinted .452
    assert sum(row["n_items"] for row in result["bins"]) == 10
    assert {"pairs", "raters", "difficulty"} <= {row["name"] for row in result["checks"]}
    assert {row["compared_with"] for row in result["against_raters"]} == {"average_rater", "best_rater"}
    assert (result["comparison"], len(result["annotator_test"])) == ([], 1)


def test_accuracy_by_label_and_item_and_by_other_methods(kappaflow: Any, kappaflow_json: Json) -> None:
    arguments = ("accuracy", LEHNER, "--system", "system", "--labels", "A,B,C,D")
    result = kappaflow_json(
        *arguments, "--method", "one_coin", "--method", "dawid_skene", "--by", "label", "--by", "item"
    )
    assert [row["method"] for row in result["systems"]] == ["one_coin", "dawid_skene"]
    assert {row["label"] for row in result["by_label"] if row["rater"] == "system"} == set("ABCD")
    gains = [row["expected_gain"] for row in result["by_item"]]
    assert gains == sorted(gains, reverse=True)
    output = kappaflow(*arguments, "--by", "label", "--by", "item").stdout
    assert "Items whose next rating is worth most" in output
    assert output.count("The interval is too narrow") == 1
    assert "--by 'day' is unknown" in kappaflow(*arguments, "--by", "day", code=2).stderr
    assert "no method 'guess'" in kappaflow(*arguments, "--method", "guess", code=2).stderr


@pytest.mark.field_trial(8)
def test_the_items_to_rate_next_leave_out_the_certain_and_show_their_text(
    tmp_path: Path, kappaflow: Any, kappaflow_json: Json
) -> None:
    file = tmp_path / "labels.csv"
    rows = [f"{i},{who},{'yes' if (i < 30) != (i in odd) else 'no'},Message {i} about my parcel" for i in range(60)
            for who, odd in (("ann", {7}), ("bob", {7, 8}), ("cyd", ()), ("dan", ()), ("bot", ()))]  # fmt: skip
    file.write_text("\n".join(["item,rater,label,text", *rows]) + "\n")
    arguments = ("accuracy", file, "--system", "bot", "--by", "item")
    items = kappaflow_json(*arguments)["by_item"]
    assert (len(items), items[0]["item"], items[0]["item_text"]) == (60, "7", "Message 7 about my parcel")
    assert [row["item"] for row in items if row["probability"] < 0.95] == ["7"]
    output = kappaflow(*arguments).stdout
    table = output.partition("Items whose next rating is worth most")[2].partition("·")[0]
    assert "Message 7 about my parcel" in table
    assert "Message 9" not in table
    assert "Left out: 59 of 60 items, with a label of probability 95% or more." in output
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\n7,yes\n9,yes\n")  # their right label is known
    assert {row["item"] for row in kappaflow_json(*arguments, "--gold", gold)["by_item"]}.isdisjoint({"7", "9"})


def test_gold_moves_the_estimate_and_is_counted(tmp_path: Path, kappaflow_json: Json) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\n2,C\n3,C\n4,B\n5,A\n")
    result = kappaflow_json("accuracy", LEHNER, "--system", "system", "--labels", "A,B,C,D", "--gold", gold)
    assert result["systems"][0]["n_gold"] == 4
    assert any("random sample" in text for text in result["systems"][0]["warnings"])


def test_gold_with_unequal_probabilities_is_weighted(tmp_path: Path, kappaflow: Any, kappaflow_json: Json) -> None:
    arguments = ("accuracy", LEHNER, "--system", "system", "--labels", "A,B,C,D", "--rates", "--gold")
    rows = {"2": "C", "3": "C", "4": "B", "5": "A"}

    def gold(name: str, *probabilities: object) -> Path:
        lines = [f"{item},{label},{p}" for (item, label), p in zip(rows.items(), probabilities, strict=True)]
        path = tmp_path / name
        path.write_text("\n".join(["item,label,inclusion_probability", *lines]))
        return path

    alike = kappaflow_json(*arguments, gold("alike.csv", 0.4, 0.4, 0.4, 0.4))
    result = kappaflow_json(*arguments, gold("different.csv", 0.1, 0.9, 0.9, 0.9))
    assert [row["accuracy"] for row in alike["systems"]] != [row["accuracy"] for row in result["systems"]]
    assert "known probabilities that differ" in result["systems"][0]["warnings"][0]
    assert "drawn at random" in alike["systems"][0]["warnings"][0]
    of_c = [row for row in result["rates"] if (row["label"], row["method"]) == ("C", "gold_only")]
    assert of_c[0]["estimate"] == pytest.approx((1 / 0.1 + 1 / 0.9) / (1 / 0.1 + 3 / 0.9))
    output = kappaflow(*arguments, gold("wrong.csv", 0.1, 2, 0.9, 0.9), code=2).stderr
    assert "wrong.csv gives item '3' the inclusion_probability '2'." in output


def test_gold_audits_a_system_that_no_person_stands_beside(
    tmp_path: Path, kappaflow: Any, kappaflow_json: Json
) -> None:
    file, gold = tmp_path / "judge.csv", tmp_path / "gold.csv"
    file.write_text("item,rater,label\n" + "".join(f"{i},judge,{'AB'[i % 2]}\n" for i in range(40)))
    gold.write_text("item,label\n" + "".join(f"{i},{'AB'[i % 2] if i % 5 else 'A'}\n" for i in range(20)))
    arguments = ("accuracy", file, "--system", "judge", "--gold", gold, "--rates")
    result = kappaflow_json(*arguments)
    (row,) = result["systems"]
    assert (row["method"], row["accuracy"], row["n_gold"]) == ("average", 0.9, 20)
    assert (row["outer_low"], row["outer_high"]) == (row["low"], row["high"])
    assert result["checks"] == result["bins"] == result["against_raters"] == []
    assert {rate["method"] for rate in result["rates"]} == {"ppi", "rogan_gladen", "gold_only", "raw"}
    shown = kappaflow(*arguments).stdout
    assert "gold items alone count" in " ".join(shown.split())
    refused = kappaflow("accuracy", file, "--system", "judge", code=2)
    assert "or gold: right answers" in refused.stderr


def test_label_rates_with_and_without_gold(tmp_path: Path, kappaflow: Any, kappaflow_json: Json) -> None:
    gold = tmp_path / "gold.csv"
    gold.write_text("item,label\n2,C\n3,C\n4,B\n5,A\n")
    arguments = ("accuracy", LEHNER, "--system", "system", "--labels", "A,B,C,D", "--rates")
    audited = kappaflow_json(*arguments, "--gold", gold)["rates"]
    assert [row["method"] for row in audited[:4]] == ["ppi", "rogan_gladen", "gold_only", "raw"]
    assert {row["label"] for row in audited} == set("ABCD")
    assert {row["n_gold"] for row in audited if row["method"] == "ppi"} == {4}
    assert all((row["estimate"] is None) == (row["reason"] is not None) for row in audited)
    without = kappaflow_json(*arguments)["rates"]
    assert [row["method"] for row in without[:2]] == ["model", "raw"]
    assert sum(row["estimate"] for row in without if row["method"] == "raw") == pytest.approx(1)
    assert "Which share of the items has each label, audited with gold" in kappaflow(*arguments, "--gold", gold).stdout


def test_raters_that_the_file_calls_gold_are_gold(tmp_path: Path, kappaflow_json: Json) -> None:
    file = tmp_path / "labels.csv"
    rows = [f"{i},{who},{kind},{'yes' if (i + n) % 4 else 'no'}" for i in range(40)
            for n, (who, kind) in enumerate([("ann", "human"), ("bob", "human"), ("bot", "system")])]  # fmt: skip
    rows += [f"{i},lead,gold,{'yes' if i % 4 else 'no'}" for i in range(25)]
    file.write_text("item,rater,rater_kind,label\n" + "\n".join(rows) + "\n")
    result = kappaflow_json("accuracy", file)
    assert {(row["system"], row["n_gold"]) for row in result["systems"]} == {("bot", 25)}
    assert result["n_items"] == 40


def test_several_questions_must_be_named(tmp_path: Path, kappaflow: Any, kappaflow_json: Json) -> None:
    file = tmp_path / "two.csv"
    file.write_text(TWO_QUESTIONS)
    text = kappaflow("agree", file, code=2).stderr.splitlines()
    assert len(text) == 2
    assert "mood, tone" in text[0]
    assert "--question" in text[1]
    assert kappaflow_json("agree", file, "--question", "mood")["question"] == "mood"
    assert [result["question"] for result in kappaflow_json("agree", file, "--all-questions")] == ["mood", "tone"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["agree", "nowhere.csv"],
        ["agree", "."],
        ["agree", GWET, "--scale", "cardinal"],
        ["agree", GWET, "--weights", "heavy"],
        ["agree", GWET, "--columns", "thing=unit"],
        ["agree", GWET, "--columns", "item=unit,label=unit"],
        ["agree", GWET, "--system", "nobody"],
        ["agree", GWET, "--question", "other"],
        ["accuracy", LEHNER, "--system", "system", "--seed", "-1"],
        ["agree", GWET, "--format", "xml"],
        ["agree", GWET, "--confidence", "95"],
        ["accuracy"],
        ["as-of"],
        ["accuracy", LEHNER],
        ["accuracy", LEHNER, "--system", "system", "--labels", "X,Y"],
        ["accuracy", LEHNER, "--system", "\x1b[31mline\nbreak"],
        ["accuracy", LEHNER, "--system", "nobody"],
        ["accuracy", LEHNER, "--system", "system", "--gold", "nowhere.csv"],
        ["inspect", "nowhere.csv"],
        ["plan", "--n-labels", "5", "--n-raters", "3", "--kappa", "7", "--half-width", ".1"],
        ["plan", "--n-labels", "5", "--n-raters", "3", "--kappa", "1e-300", "--half-width", ".1"],
        ["plan", "--n-labels", "5", "--kappa", ".3", "--budget", "9" * 400],
        ["simulate", "--figure", "15"],
        ["sql", "select 1"],
        ["status", "--project", "nowhere"],
        ["report"],
        ["serve", "--cron", "daily"],
        ["serve", "--every", "soon"],
        ["--nonsense"],
        ["nonsense"],
    ],
    ids=lambda arguments: " ".join(getattr(argument, "name", str(argument)) for argument in arguments),
)
def test_bad_input_is_two_lines_and_exit_code_2(arguments: list[Any], kappaflow: Any) -> None:
    text = kappaflow(*arguments, code=2).stderr.strip().splitlines()
    assert len(text) == 2, text
    assert all(line.isprintable() for line in text)


def test_a_wrong_value_or_a_missing_one_is_named(kappaflow: Any) -> None:
    assert "--confidence" in kappaflow("accuracy", LEHNER, "--confidence", "1", code=2).stderr
    assert "FILE" in kappaflow("accuracy", code=2).stderr


def test_where_there_is_no_estimate_a_sentence_says_why(tmp_path: Path, kappaflow: Any) -> None:
    file = tmp_path / "one.csv"
    file.write_text("item,rater,label\n1,ann,a\n1,ben,b\n1,bot,a\n")
    output = kappaflow("accuracy", file, "--system", "bot").stdout
    assert "one: 1 item, kappa" in output
    assert output.count("no more than chance gives") == 1


@pytest.mark.field_trial(1)
def test_every_table_says_whether_it_is_audited(tmp_path: Path, kappaflow: Any) -> None:
    (tmp_path / "gold.csv").write_text("item,label\n" + "".join(f"{item},A\n" for item in range(1, 6)))
    arguments = ["accuracy", LEHNER, "--system", "system", "--labels", "A,B,C,D"]
    audited, alone = kappaflow(*arguments, "--gold", "gold.csv").stdout, kappaflow(*arguments).stdout
    assert audited.count("audited with gold") == 4  # the heading, systems, against the raters, the raters
    assert "people err independently" not in audited
    assert alone.count("without gold, if people err independently") == 4
    assert "audited" not in alone


def test_every_command_has_help_with_an_example(kappaflow: Any) -> None:
    from typer.main import get_command
    from typer.testing import CliRunner

    from flows.cli import app

    assert "kappaflow agree" in kappaflow("agree", "--help").stdout  # once as a user does; that takes a second
    for name in get_command(app).commands:  # type: ignore[attr-defined]
        assert f"kappaflow {name}" in CliRunner().invoke(app, [name, "--help"]).stdout


def test_init_writes_a_project_and_never_over_one(tmp_path: Path, kappaflow: Any) -> None:
    kappaflow("init", "mine")
    assert (tmp_path / "mine" / "inbox").is_dir()
    before = (tmp_path / "mine" / "kappaflow.toml").read_text()
    kappaflow("init", "mine", code=2)
    (tmp_path / "labels.csv").write_text("item,rater,label\n")
    error = kappaflow("init", "labels.csv", code=2).stderr
    assert error == "labels.csv is a file, and a project is a folder.\nName a folder, new or old.\n"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "inbox").touch()
    error = kappaflow("init", "other", code=2).stderr
    assert (
        error == "other/inbox is a file, and a project needs a folder there.\nMove it away, or choose another folder.\n"
    )
    assert (tmp_path / "mine" / "kappaflow.toml").read_text() == before


def test_sql_reads_only_the_snapshot(demo_project: Path, kappaflow: Any, kappaflow_json: Json) -> None:
    rows = kappaflow_json("sql", "select question, estimate from latest_agreement where period = 'all' "
                          "and coefficient = 'fleiss_kappa' order by question", "--project", demo_project)  # fmt: skip
    assert "intent" in [row["question"] for row in rows]
    for query in ("drop table agreement", "select * from read_csv('/etc/passwd')", "attach '/tmp/x.duckdb'",
                  "copy batches to '/tmp/x.csv'", "select 1; select 2", "select nothing from nowhere"):  # fmt: skip
        kappaflow("sql", query, "--project", demo_project, code=2)


def test_rejects_are_summed_up_and_listed(demo_project: Path, kappaflow: Any, kappaflow_json: Json) -> None:
    result = kappaflow_json("rejects", "--project", demo_project)
    assert {row["reason"]: row["n_rejected"] for row in result["summary"]} == {
        "unreadable": None, "bad_time": 1, "missing_label": 1, "missing_rater": 1, "ragged_row": 1, "unknown_label": 1,
    }  # fmt: skip
    only = kappaflow_json("rejects", "--file", "crowd.csv", "--reason", "unknown_label", "--project", demo_project)
    (row,) = only["rows"]
    assert (row["row_number"], row["value"], row["question"], row["item"], row["attempt"]) == (
        12, "NSFW", "toxicity", "comment-3", 1,
    )  # fmt: skip
    assert kappaflow_json("rejects", "--question", "intent", "--project", demo_project) == {"summary": [], "rows": []}
    text = kappaflow("rejects", "--csv", "--project", demo_project).stdout
    assert [row["row_number"] for row in csv.DictReader(io.StringIO(text))] == ["12", "59", "103", "152", "224"]
    assert "retry-rejects" in kappaflow("rejects", "--project", demo_project).stdout
    for wrong in (["--reason", "mood"], ["--file", "nowhere.csv"], ["--question", "no"], ["--csv", "--json"]):
        output = kappaflow("rejects", *wrong, "--project", demo_project, code=2).stderr.strip().splitlines()
        assert len(output) == 2, output


def test_csv_is_safe_to_open_in_a_spreadsheet(demo_project: Path, kappaflow: Any) -> None:
    query = "select '=cmd()' as a, '+x' as b, '-A1' as c, '@x' as d, 'fine' as e, -3 as f, ['=x'] as g"
    result = kappaflow("sql", query, "--csv", "--project", demo_project)
    header, row = csv.reader(io.StringIO(result.stdout))
    assert header == list("abcdefg")
    assert row == ["'=cmd()", "'+x", "'-A1", "'@x", "fine", "-3", '["=x"]']


def test_what_json_and_csv_have_no_word_for(demo_project: Path, kappaflow: Any, kappaflow_json: Json) -> None:
    results = kappaflow_json("sql", "select 1e308 * 10 as a, time '12:00' as b", "--project", demo_project)
    assert results == [{"a": None, "b": "12:00:00"}]
    result = kappaflow("sql", "select {'x': 1} as s, 1 as \"=y\"", "--csv", "--project", demo_project)
    header, row = csv.reader(io.StringIO(result.stdout))
    assert (header, row) == (["s", "'=y"], ['{"x": 1}', "1"])


def test_status_and_report_of_the_demo(demo_project: Path, kappaflow: Any, kappaflow_json: Json) -> None:
    result = kappaflow_json("status", "--project", demo_project)
    assert result["n_files_rejected"] == 1
    assert result["n_rejected"] == 5
    assert (result["poor_agreement"], result["low_slices"]) == ([], [])
    assert result["last_runs"][0]["status"] == "succeeded"
    kinds = [(alert["question"], alert["kind"]) for alert in result["open_alerts"]]
    assert sorted(kinds) == [("intent", "agreement"), ("intent", "low_agreement"), ("intent", "rater")]
    printed = " ".join(kappaflow("status", "--project", demo_project).stdout.split())
    assert "annotator 3 agrees with the others .14 less than they agree with each other on the same items" in printed
    assert "statistic" not in printed
    path = Path(kappaflow("report", "--project", demo_project).stdout.strip())
    assert path.read_text(encoding="utf-8").count("<h1") == 1


def test_simulate_and_plan_and_formats_print_what_was_promised(kappaflow_json: Json) -> None:
    result = kappaflow_json("simulate", "--figure", "3", "--runs", "20")
    assert result["kappa"] == pytest.approx(0.25, abs=0.03)
    assert set(result["systems"][0]) == {"system_accuracy", "expected_accuracy", "method", "mean", "rmse"}
    planned = kappaflow_json("plan", "--n-labels", "5", "--n-raters", "3", "--kappa", ".3", "--half-width", ".1")
    assert (planned["n_items"], planned["n_ratings"]) == (54, 162)
    assert {row["format"] for row in kappaflow_json("formats")} >= {"long", "wide", "label_studio"}


def test_hostile_labels_reach_the_json_as_they_are_and_the_terminal_harmless(
    tmp_path: Path, kappaflow: Any, kappaflow_json: Json
) -> None:
    labels = ["'; drop table ratings; --", "<script>alert(1)</script>", "\x1b[31mred", "=cmd()", "Ärger 好"]
    file = tmp_path / "hostile.jsonl"
    file.write_text("".join(
        json.dumps({"item": f"i{i}", "rater": r, "label": labels[(i * p) % 5]}) + "\n"
        for i in range(15) for p, r in enumerate(("a", "b"), 1)))  # fmt: skip
    assert sorted(kappaflow_json("agree", file)["labels"]) == sorted(labels)
    assert "\x1b[31mred" not in kappaflow("agree", file).stdout


def test_agree_with_one_rater_says_so(tmp_path: Path, kappaflow: Any) -> None:
    (tmp_path / "tone.csv").write_text("item,rater,label\n1,ann,yes\n2,ann,no\n")
    what, hint = kappaflow("agree", tmp_path / "tone.csv", code=2).stderr.splitlines()
    assert what == "tone has one rater, 'ann': agreement needs two."
    assert "--columns rater=COLUMN" in hint
    (tmp_path / "latin.csv").write_bytes("item,rater,label\n1,änn,yes\n2,änn,no\n1,bob,no\n".encode("latin-1"))
    what, hint = kappaflow("agree", tmp_path / "latin.csv", code=2).stderr.splitlines()
    assert what == "latin has one rater, 'bob': agreement needs two."
    assert hint.startswith("2 rows were rejected as not UTF-8")


def test_pairs_that_are_all_left_out_are_said(kappaflow: Any) -> None:
    text = " ".join(kappaflow("agree", GWET, "--by", "pair", "--min-items", "100").stdout.split())
    assert "No two people share as many items as --min-items asks for, so there is no pair to show." in text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--replicates", "1000"), "--replicates goes with --interval percentile or bca."),
        (("--min-items", "1", "--by", "rater"), "--min-items goes with --by pair."),
        (("--taxonomy", "", "--by", "label"), "--taxonomy '' names no separator."),
        (("--taxonomy", "/"), "--taxonomy goes with --by label."),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(options: tuple[str, ...], text: str, kappaflow: Any) -> None:
    assert kappaflow("agree", GWET, *options, code=2).stderr.splitlines()[0] == text


def test_replicates_have_a_limit(kappaflow: Any) -> None:
    error = kappaflow("agree", GWET, "--interval", "bca", "--replicates", "1000001", code=2).stderr
    assert "--replicates" in error.splitlines()[0]


def test_an_unknown_consensus_is_refused_without_a_breakdown_too(kappaflow: Any) -> None:
    what, hint = kappaflow("accuracy", GWET, "--consensus", "foo", code=2).stderr.splitlines()
    assert what == "--consensus 'foo' is unknown."
    assert hint == "Use one of mixture, glad, dawid_skene, lehner."


def test_agree_with_systems_only_says_so(tmp_path: Path, kappaflow: Any) -> None:
    (tmp_path / "tone.csv").write_text("id,a,b\n1,yes,yes\n2,no,no\n3,yes,no\n")
    result = kappaflow("agree", tmp_path / "tone.csv", "--system", "a", "--system", "b", code=2)
    what, hint = result.stderr.splitlines()
    assert what == "tone has systems only, and agreement needs a human rater."
    assert hint.startswith("Name with --system only those that are systems, or leave it out to compare all raters.")


def test_a_reader_that_ends_early_is_no_error(command: Path) -> None:
    for arguments in (["help", "warehouse"], ["help", "warehouse", "--json"], ["agree", str(GWET), "--by", "item"]):
        result = subprocess.run(["bash", "-o", "pipefail", "-c", '"$0" "$@" | true', command, *arguments],
                                capture_output=True, text=True, timeout=60)  # fmt: skip
        assert (result.returncode, result.stderr) == (0, "")
