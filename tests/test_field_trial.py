"""The faults that a trial on unseen data, with three kinds of user and an attacker, found in November 2026.

Each has tests marked `field_trial(number)`, which stand beside the other tests of the code that was mended.
`pytest -m field_trial` runs all of them.
"""

import re
from pathlib import Path

FAULTS = {
    1: "gold is ignored in the verdicts",
    2: "the annotators have several accuracies",
    3: "independent systems are said to copy the best rater",
    4: "IA_C = 1 without agreement has se 0 and [1, 1]",
    5: "docs/errata.md names no versions of irrCAC and not the other Fleiss",
    6: "alerts and the recipe for drift promise more than they do",
    7: "names in the settings that no data have pass in silence",
    8: "the queue lists items that are certain, in another order than said, without their text",
    9: "the limits lack systems that avoid a trap of the raters; verdicts without gold have no hedge",
    10: "a text column is taken as the label",
    11: "of two sources that read different columns of one file only the first is stored",
    12: "one-hot columns, flags and aggregates are read as people",
    13: "a Prodigy annotator has two names once a second one starts",
    14: "a column of few values is taken as the item",
    15: "Label Studio's formats disagree about controls that are not read",
    16: "sets and truth values in cells have several spellings",
    17: "Inspect AI: the answer of a graded scorer is taken as its verdict; --columns is ignored",
    18: "pandas frames crash the Python functions",
    19: "live Label Studio gives up after 15 s and fetches all again",
    20: "refusals show few columns and no way on",
    21: "a read that failed for a passing reason refuses a file for ever",
    22: "one unreadable file stops the run",
    23: "a file that changes while it is read is stored under the wrong hash",
    24: "of equal files whose names are their questions only the first is stored",
    25: "warehouses of the first days are refused",
    26: "labels and ids that look the same are different",
    27: "sql --csv changes labels such as -1; control characters leave raw",
    28: "serve opens Prefect's API to web pages and other users",
    29: "modules in the current folder are imported in place of the program's own",
    30: "tracebacks for errors that a user can mend",
    31: "a schedule fills the disk",
    32: "serve waits a whole interval before its first run",
}


def test_each_fault_has_a_test() -> None:
    """Find each number in a mark beside a test, and no number that is not listed."""
    marks = re.compile(r"field_trial\(([\d, ]+)\)")
    texts = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("test_*.py")]
    numbers = {int(number) for text in texts for result in marks.findall(text) for number in result.split(",")}
    assert numbers == set(FAULTS)
