"""Write the top of the page: what came in, how far the annotators agree, how good the systems are, what to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from tasks.report.attention import MAX_IN_FULL, attention_sentences
from tasks.report.formatting import NBSP, count, counted, day, foreign, joined, percent, percent_interval
from tasks.report.report_data import ReportData, Row
from tasks.report.sections.intake_section import totals
from tasks.report.sections.preference_section import PreferenceSection, ranking_sentences
from tasks.report.sections.question_section import QuestionSection, link_to
from tasks.report.sections.region_section import RegionSection, region_sentences
from tasks.report.sections.warnings_section import system_name
from tasks.report.standing_words import copied_raters, if_independent, standing_counts, standing_words
from tasks.summary.finite import finite
from tasks.summary.interval_width import says_nothing

REGIONS_TITLE = "How far raters agree on spans, boxes, rankings and texts"
CONDITIONS = {"drawn": "", "worklist": ", which are no random sample (some are of a worklist)"}
"""What is said of gold items by their origin, where it is known."""


@dataclass(frozen=True)
class SummaryParagraph:
    """A paragraph of the first screen. An urgent one asks somebody to act."""

    title: str
    sentences: list[Markup]
    urgent: bool = False


def summarise(
    data: ReportData,
    questions: Sequence[QuestionSection],
    preferences: Sequence[PreferenceSection] = (),
    regions: Sequence[RegionSection] = (),
) -> list[SummaryParagraph]:
    """Summarise the data. `data` is the result of completed(), with only the open alerts."""
    attention = attention_sentences(data, questions)
    calm = [Markup("Nothing: no open alerts, no rejected rows, no warnings.")]
    ranked = [SummaryParagraph("Which models people prefer", ranking_sentences(preferences))] if preferences else []
    others = ranked + ([SummaryParagraph(REGIONS_TITLE, region_sentences(regions))] if regions else [])
    return [
        SummaryParagraph("What came in", _intake(data)),
        *([] if others and not questions else _figures(questions)),
        *others,
        SummaryParagraph("What needs attention", attention or calm, urgent=bool(attention)),
    ]


def _figures(questions: Sequence[QuestionSection]) -> list[SummaryParagraph]:
    return [
        SummaryParagraph("How far the annotators agree", agreement_sentences(questions)),
        SummaryParagraph("How good the systems are", _systems(questions)),
    ]


def _intake(data: ReportData) -> list[Markup]:
    if not data.batches.height:
        return [Markup("No batch is recorded.")]
    sums = totals(data.batches)
    days = sorted(day(value) for value in data.batches["ingested_at"] if value is not None)
    ends = [Markup("<time>{}</time>").format(value) for value in dict.fromkeys((*days[:1], *days[-1:]))]
    when = Markup(" {} {}").format("on" if len(ends) == 1 else "between", joined(ends)) if ends else Markup()
    kinds = ((sums.n_unchanged, "unchanged"), (sums.n_skipped, "skipped"), (sums.n_rejected, "rejected"))
    texts = [Markup("<strong>{}</strong> kept").format(counted(sums.n_ratings, "rating"))]
    texts += [Markup("{}{}{}").format(count(n), NBSP, name) for n, name in kinds if n]
    files, rows = counted(sums.n_batches, "file"), counted(sums.n_rows, "row")
    sentences = [Markup("{} with {} came in{}: {}.").format(files, rows, when, joined(texts))]
    if sums.n_deleted:
        deleted = counted(sums.n_deleted, "rating was", "ratings were")
        sentences.append(Markup("{} deleted: newer full exports or live sources lacked them.").format(deleted))
    return sentences


def agreement_sentences(questions: Sequence[QuestionSection]) -> list[Markup]:
    """Say how far the annotators agree: each question, or the range of many."""
    defined = [question for question in questions if question.main and finite(question.main["estimate"]) is not None]
    if not defined:
        return [Markup("No question has an agreement figure yet.")]
    if len(defined) <= MAX_IN_FULL:
        return [_agreement_sentence(question) for question in defined]
    beyond = [question for question in defined if question.main and question.main["coefficient"] != "percent_agreement"]
    if not beyond:
        return [Markup("No question has a figure of agreement beyond chance.")]
    telling = [question for question in beyond if question.main and not says_nothing(question.main)]
    if not telling:
        return [Markup("No question has items enough to tell how far annotators agree beyond chance.")]
    telling.sort(key=lambda question: float(question.main["estimate"]) if question.main else 0.0)
    low, high = telling[0], telling[-1]
    sentence = Markup("On {} agreement beyond chance runs from <strong>{}</strong> ({}) to <strong>{}</strong> ({}).")
    others = counted(len(beyond) - len(telling), "other question has", "other questions have")
    return [
        sentence.format(counted(len(telling), "question"), low.value, link_to(low), high.value, link_to(high)),
        *([Markup("{} too few items to tell.").format(others)] if len(beyond) > len(telling) else []),
    ]


def _agreement_sentence(question: QuestionSection) -> Markup:
    main = question.main or {}
    raw = Markup("two annotators give the same answer in {} of the cases; ").format(question.percent)
    beyond = Markup("{} is <strong>{}</strong>{}").format(
        question.main_name, question.value, _bracketed(question.limits) if finite(main["low"]) is not None else ""
    )
    plain = main["coefficient"] == "percent_agreement"
    return Markup("On {}, {}{}.").format(link_to(question), "" if plain or not question.percent else raw, beyond)


def _systems(questions: Sequence[QuestionSection]) -> list[Markup]:
    evaluated = [question for question in questions if question.main_systems]
    defined = [(question, row) for question in evaluated for row in _with_accuracy(question)]
    if not evaluated:
        hint = "If some of the raters are systems, name them in kappaflow.toml to see how good they are."
        return [Markup("No system has been evaluated. {}").format(hint)]
    if not defined:
        n_systems = sum(len(question.main_systems) for question in evaluated)
        return [Markup("{} evaluated, none with an estimate.").format(counted(n_systems, "system"))]
    if len(evaluated) <= MAX_IN_FULL:
        return [
            _systems_sentence(question, _with_accuracy(question)) for question in evaluated if _with_accuracy(question)
        ]
    best, row = max(defined, key=lambda pair: (not _copied_by(pair[1], pair[0]), float(pair[1]["accuracy"])))
    counts = standing_counts([(row, question.raters) for question, row in defined if not _copied_by(row, question)])
    copies = [(row, question.raters) for question, row in defined if _copied_by(row, question)]
    if copies and standing_counts(copies):
        counts.append(f"Not counted: {counted(len(copies), 'estimate')} of systems that seem to copy an annotator.")
    return [Markup("Best of all: {}").format(_systems_sentence(best, [row])), *map(escape, counts)]


def _systems_sentence(question: QuestionSection, rows: Sequence[Row]) -> Markup:
    """Describe the best system in full, up to three others in brief, and count the rest."""
    others = [
        Markup("{} on {}{}{}").format(
            foreign(system_name(row), 60),
            percent(row["accuracy"]),
            _limits(row)[0],
            _rank_in_words(row, question, ", {}") + _copying(row, question),
        )
        for row in rows[1:MAX_IN_FULL]
    ]
    if len(rows) > MAX_IN_FULL:
        others.append(Markup("{} below these").format(counted(len(rows) - MAX_IN_FULL, "system")))
    n_gold = finite(rows[0]["n_gold"])
    return Markup("On {}, {} is right on an estimated <strong>{}</strong> of the items{}{}{}{}{}.").format(
        link_to(question),
        foreign(system_name(rows[0]), 60),
        percent(rows[0]["accuracy"]),
        *_limits(rows[0]),
        _rank_in_words(rows[0], question, ", and then {}" if not n_gold else ", {}") + _copying(rows[0], question),
        Markup("; {}").format(joined(others)) if others else "",
        _of_annotators(question),
    )


def _of_annotators(question: QuestionSection) -> Markup:
    """Say how accurate the annotators are, and whose ratings do not count in that."""
    mean, left_out = question.raters.mean, question.raters.left_out
    if mean is None:
        return Markup()
    names = [foreign(rater, 60) for rater in left_out[:MAX_IN_FULL]]
    more = [f"{len(left_out) - MAX_IN_FULL:,} more"] if len(left_out) > MAX_IN_FULL else []
    without = Markup(" without {}").format(joined([*names, *more])) if names else ""
    return Markup("; the annotators' accuracy{} is {}").format(without, percent(mean))


def _with_accuracy(question: QuestionSection) -> list[Row]:
    return [row for row in question.main_systems if finite(row["accuracy"]) is not None]


def _limits(row: Row) -> tuple[Markup | str, str]:
    """Return the intervals of a system in brackets, and what the figure rests on."""
    inner, outer = _range(row["low"], row["high"]), _range(row["outer_low"], row["outer_high"])
    n_gold = finite(row["n_gold"])
    if n_gold:
        condition = CONDITIONS.get(row["gold_origin"], ", if they are a random sample")
        return _bracketed(inner) if inner else "", f", audited with {counted(n_gold, 'gold item')}{condition}"
    if not outer:
        return _bracketed(inner) if inner else "", if_independent(row)
    return _bracketed(f"{outer} if it errs as on real data"), f", {inner}{if_independent(row).lstrip(',')}"


def _range(low: Any, high: Any) -> str:
    return "" if finite(low) is None or finite(high) is None else percent_interval(low, high)


def _bracketed(limits: str) -> Markup:
    return Markup(' <span class="r">({})</span>').format(limits)


def _rank_in_words(row: Row, question: QuestionSection, pattern: str) -> str:
    words = standing_words(row, question.raters)
    return pattern.format(words) if words else ""


def _copied_by(row: Row, question: QuestionSection) -> list[str]:
    return copied_raters(row, question.copying)


def _copying(row: Row, question: QuestionSection) -> Markup:
    """Say in brackets that a system's accuracy is not to be believed, because it shares errors with an annotator."""
    raters = _copied_by(row, question)
    if not raters:
        return Markup()
    names = joined([foreign(rater, 60) for rater in raters[:MAX_IN_FULL]])
    return Markup(" (perhaps far too high: its answers are too often those of {})").format(names)
