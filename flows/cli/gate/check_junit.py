"""Write the result of a gate as JUnit XML, which CI systems show as tests."""

import re
from xml.etree import ElementTree

from flows.cli.gate.check_words import rule_name, rule_notes, rule_sentence
from tasks.gate.judgement import GateResult, RuleResult

NOT_XML = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)  # characters that XML 1.0 does not have


def junit_text(result: GateResult) -> str:
    """Return the XML: a test case for each rule, with a failure for a finding, and skipped where it is unjudged.

    An unjudged rule that counts as a finding is a failure.
    """
    counts = {
        "tests": len(result.rules),
        "failures": sum(rule.counts_as == "finding" for rule in result.rules),
        "errors": 0,
        "skipped": sum(_is_skipped(rule) for rule in result.rules),
    }
    attributes = {name: str(count) for name, count in counts.items()}
    suites = ElementTree.Element("testsuites", {"name": "kappaflow check", **attributes})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": _clean(result.place), **attributes})
    for rule in result.rules:
        _add_case(suite, rule)
    ElementTree.indent(suites)
    xml: bytes = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    return xml.decode() + "\n"


def _add_case(suite: ElementTree.Element, rule: RuleResult) -> None:
    names = {"classname": f"kappaflow.{rule.question or 'all'}", "name": rule_name(rule), "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", {name: _clean(text) for name, text in names.items()})
    sentence = _clean(rule_sentence(rule))
    if rule.counts_as == "finding":
        ElementTree.SubElement(case, "failure", {"type": rule.rule, "message": sentence}).text = sentence
    elif _is_skipped(rule):
        ElementTree.SubElement(case, "skipped", {"message": sentence})
    output = [*([rule_sentence(rule)] if rule.counts_as == rule.verdict == "pass" else []), *rule_notes(rule)]
    if output:
        ElementTree.SubElement(case, "system-out").text = _clean("\n".join(output))


def _is_skipped(rule: RuleResult) -> bool:
    return rule.verdict == "unjudged" and rule.counts_as != "finding"


def _clean(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
