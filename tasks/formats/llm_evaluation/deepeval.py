"""Read a test run of DeepEval: a verdict per metric and test case. The shape is from memory; no real file was seen.

The item is the test case, with its number where several have one name. The question is the metric. The rater is the
judging model, `judge:MODEL`, or without one `code:METRIC`; both are systems. The label is `pass` or `fail`.
"""

from collections import Counter
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, text
from tasks.formats.parsing.tools.record_votes import RecordVotes, read_records

CASES = ("testCases", "conversationalTestCases")
NAMESAKES = "Several test cases have the same name, so the item is NAME|N, the name and the number in the file."
WITHOUT = "Test cases without a metric, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the parts of a test run."""
    names = keys(seen)
    return "testCases" in names and bool({CASES[1], "metricsScores", "testFile"} & names) and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read all verdicts. Errors: ReadError where the file holds no test cases."""
    records = read_records(path)
    votes = RecordVotes()
    cases = [case for row, record in records.rows for key in CASES for case in votes.objects(row, key, record.get(key))]
    often = Counter(text(case.get("name")) for case in cases)
    for n, case in enumerate(cases, start=1):
        name = text(case.get("name"))
        _add_case(votes, n, case, f"{name}|{n}" if name and often[name] > 1 else name)
    if not cases:
        raise ReadError.of(
            path,
            "holds no test cases of DeepEval.",
            "Give the JSON file of a test run (.deepeval/.latest_test_run.json, or DEEPEVAL_RESULTS_FOLDER).",
        )
    again = [NAMESAKES] if any(name and n > 1 for name, n in often.items()) else []
    return votes.export("deepeval", records, ["Read as a test run of DeepEval: the judges are systems.", *again])


def _add_case(votes: RecordVotes, row: int, case: dict[str, Any], item: str | None) -> None:
    metrics = votes.objects(row, "metricsData", case.get("metricsData"))
    if not metrics:
        votes.skip(WITHOUT)
    for metric in metrics:
        question, passed = text(metric.get("name")), metric.get("success")
        if text(metric.get("error")) or not isinstance(passed, bool):
            votes.reject(row, question, metric.get("error"), "empty_answer", "The metric has no verdict.")
            continue
        model = text(metric.get("evaluationModel"))
        votes.add(
            row, question, item, f"judge:{model}" if model else f"code:{question}", "pass" if passed else "fail",
            rater_kind="system", score=metric.get("score"),
        )  # fmt: skip
        if not votes.knows(question, item):
            votes.describe(question, item, {"input": case.get("input"), "actual_output": case.get("actualOutput")})


DEEPEVAL = Format(
    name="deepeval",
    describe="A test run of DeepEval: pass or fail per metric and test case, of the judging model.",
    extensions=(".json",),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
