"""The JUnit XML of a gate."""

from xml.etree import ElementTree

import pytest

from flows.cli.gate.check_junit import junit_text
from tasks.gate.judgement import GateResult, RuleResult, Verdict

HOSTILE = [
    "]]><failure/>", "a\x00b\x1b[31m\ud800\uffff", "<!DOCTYPE x>&amp;\"'", "a\nb\r\tc", "\u202e\x85", "|`*_[x](y)<b>",
]  # fmt: skip


def rule(verdict: Verdict, counts_as: Verdict, name: str = "tone") -> RuleResult:
    return RuleResult(
        "min_accuracy", verdict, 0.5, 0.6, f"Said of {name}.", counts_as, question=name, low=0.4, high=0.7,
        system=name, warnings=(f"Mind {name}.",),
    )  # fmt: skip


def cases(*rules: RuleResult) -> tuple[ElementTree.Element, list[ElementTree.Element]]:
    root = ElementTree.fromstring(junit_text(GateResult("place", rules, "interval")).encode())
    return root, root.findall("testsuite/testcase")


@pytest.mark.parametrize(
    ("verdict", "counts_as", "child"),
    [
        ("pass", "pass", None),
        ("finding", "finding", "failure"),
        ("unjudged", "unjudged", "skipped"),
        ("unjudged", "pass", "skipped"),
        ("unjudged", "finding", "failure"),
    ],
)
def test_a_finding_is_a_failure_and_an_unjudged_rule_is_skipped(
    verdict: Verdict, counts_as: Verdict, child: str | None
) -> None:
    root, (case,) = cases(rule(verdict, counts_as))
    results = [element for element in case if element.tag != "system-out"]
    assert [element.tag for element in results] == ([child] if child else [])
    assert all(verdict in element.attrib["message"] for element in results)
    for element in (root, root[0]):
        counts = {name: element.get(name) for name in ("tests", "failures", "errors", "skipped")}
        assert counts == {
            "tests": "1", "errors": "0", "failures": str(int(child == "failure")),
            "skipped": str(int(child == "skipped")),
        }  # fmt: skip
    assert case.attrib["name"] == "min_accuracy tone tone"


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("verdict", ["pass", "finding", "unjudged"])
def test_any_name_gives_well_formed_xml(name: str, verdict: Verdict) -> None:
    root, result = cases(rule(verdict, verdict, name), rule("pass", "pass"))
    assert len(result) == 2
    assert len(list(root.iter("failure"))) == (verdict == "finding")
