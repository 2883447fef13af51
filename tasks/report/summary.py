"""Write the top of the page: what came in, how far the annotators agree, how good the systems are, what to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from markupsafe import Markup, escape

from tasks.report.formatting import NBSP, count, counted, day, foreign, joined, percent, percent_interval, reason_clause
from tasks.report.report_data import ReportData, Row
from tasks.report.report_data import questions as question_names
from tasks.report.sections.intake_section import alert_state, alert_words, commonest_reason, refused, totals
from tasks.report.sections.preference_section import PreferenceSection, ranking_sentences
from tasks.report.sections.question_section import QuestionSection
from tasks.report.sections.warnings_section import GroupedWarning, cause_in_brief, system_name
from tasks.report.standing_words import if_independent, standing_counts, standing_words
from tasks.summary.annotators import contradictions_by_question
from tasks.summary.finite import finite
from tasks.summary.question_state import POOR, is_poor

_MAX_IN_FULL = 4  # with more questions or systems than these the words give the range, and the table the rest
MAX_ALERTS_IN_WORDS = 3


@dataclass(frozen=True)
class SummaryParagraph:
    """A paragraph of the first screen. An urgent one asks somebody to act."""

    title: str
    sentences: list[Markup]
    urgent: bool = False


def summarise(
    data: ReportData, questions: Sequence[QuestionSection], preferences: Sequence[PreferenceSection] = ()
) -> list[SummaryParagraph]:
    """Summarise the data. `data` is the result of completed(), with only the open alerts."""
    attention = _attention(data, questions)
    calm = [Markup("Nothing: no open alerts, no rejected rows, no warnings.")]
    ranked = [SummaryParagraph("Which models people prefer", ranking_sentences(preferences))] if preferences else []
    return [
        SummaryParagraph("What came in", _intake(data)),
        *([] if ranked and not questions else _figures(questions)),
        *ranked,
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
    return [Markup("{} with {} came in{}: {}.").format(files, rows, when, joined(texts))]


def agreement_sentences(questions: Sequence[QuestionSection]) -> list[Markup]:
    """Say how far the annotators agree: each question, or the range of many."""
    defined = [question for question in questions if question.main and finite(question.main["estimate"]) is not None]
    if not defined:
        return [Markup("No question has an agreement figure yet.")]
    if len(defined) <= _MAX_IN_FULL:
        return [_agreement_sentence(question) for question in defined]
    beyond = [question for question in defined if question.main and question.main["coefficient"] != "percent_agreement"]
    if not beyond:
        return [Markup("No question has a figure of agreement beyond chance.")]
    beyond.sort(key=lambda question: float(question.main["estimate"]) if question.main else 0.0)
    low, high = beyond[0], beyond[-1]
    return [
        Markup("On {} agreement beyond chance runs from <strong>{}</strong> ({}) to <strong>{}</strong> ({}).").format(
            counted(len(beyond), "question"), low.value, _link(low), high.value, _link(high)
        )
    ]


def _agreement_sentence(question: QuestionSection) -> Markup:
    main = question.main or {}
    raw = Markup("two annotators give the same answer in {} of the cases; ").format(question.percent)
    beyond = Markup("{} is <strong>{}</strong>{}").format(
        question.main_name, question.value, _bracketed(question.limits) if finite(main["low"]) is not None else ""
    )
    plain = main["coefficient"] == "percent_agreement"
    return Markup("On {}, {}{}.").format(_link(question), "" if plain or not question.percent else raw, beyond)


def _systems(questions: Sequence[QuestionSection]) -> list[Markup]:
    evaluated = [question for question in questions if question.main_systems]
    defined = [(question, row) for question in evaluated for row in _with_accuracy(question)]
    if not evaluated:
        return [Markup("No system has been evaluated. Name your systems in kappaflow.toml to see how good they are.")]
    if not defined:
        n_systems = sum(len(question.main_systems) for question in evaluated)
        return [Markup("{} evaluated, none with an estimate.").format(counted(n_systems, "system"))]
    if len(evaluated) <= _MAX_IN_FULL:
        return [
            _systems_sentence(question, _with_accuracy(question)) for question in evaluated if _with_accuracy(question)
        ]
    best, row = max(defined, key=lambda pair: (not _copied_by(pair[1], pair[0]), float(pair[1]["accuracy"])))
    counts = standing_counts([(row, question.raters) for question, row in defined])
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
        for row in rows[1:_MAX_IN_FULL]
    ]
    if len(rows) > _MAX_IN_FULL:
        others.append(Markup("{} below these").format(counted(len(rows) - _MAX_IN_FULL, "system")))
    mean = question.raters.mean
    n_gold = finite(rows[0]["n_gold"])
    return Markup("On {}, {} is right on an estimated <strong>{}</strong> of the items{}{}{}{}{}.").format(
        _link(question),
        foreign(system_name(rows[0]), 60),
        percent(rows[0]["accuracy"]),
        *_limits(rows[0]),
        _rank_in_words(rows[0], question, ", and then {}" if not n_gold else ", {}") + _copying(rows[0], question),
        Markup("; {}").format(joined(others)) if others else "",
        f"; the annotators' accuracy is {percent(mean)}" if mean is not None else "",
    )


CONDITIONS = {"drawn": "", "worklist": ", which are no random sample (some are of a worklist)"}
"""What is said of gold items by their origin, where it is known."""


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
    """Return the annotators whose errors a system shares, by the checks. Gold tells its accuracy all the same."""
    copied = [check["rater"] for check in question.copying if check["system"] == row["system"]]
    return [] if finite(row["n_gold"]) else copied


def _copying(row: Row, question: QuestionSection) -> Markup:
    """Say in brackets that a system's accuracy is not to be believed, because it shares errors with an annotator."""
    raters = _copied_by(row, question)
    if not raters:
        return Markup()
    names = joined([foreign(rater, 60) for rater in raters[:_MAX_IN_FULL]])
    return Markup(" (perhaps far too high: its answers are too often those of {})").format(names)


def _attention(data: ReportData, questions: Sequence[QuestionSection]) -> list[Markup]:
    return [
        *_alerts(data),
        *_failed(data, questions),
        *_poor(questions),
        *_contrary(data, questions),
        *_rejected(data),
        *(
            Markup("{}, no agreement figure: {}.").format(_link(question), _why_not(question))
            for question in questions
            if question.main and finite(question.main["estimate"]) is None
        ),
        *_undefined_systems(questions),
        *_warned(questions),
    ]


def _failed(data: ReportData, questions: Sequence[QuestionSection]) -> list[Markup]:
    """Name the questions whose last evaluation failed: figures of theirs on the page are from an earlier one."""
    links = {str(question.name): _link(question) for question in questions}
    rows = data.failed.to_dicts()
    sentences = [
        Markup("{} could not be evaluated{}: {}").format(
            links.get(str(foreign(row["question"], 120)), foreign(row["question"], 60)),
            ", and its figures are from an earlier run" if str(foreign(row["question"], 120)) in links else "",
            foreign(row["detail"] or "the run failed.", 300),
        )
        for row in rows[:MAX_ALERTS_IN_WORDS]
    ]
    if len(rows) > len(sentences):
        n_more = counted(len(rows) - len(sentences), "further question")
        sentences.append(Markup("{} could not be evaluated.").format(n_more))
    return sentences


def _alerts(data: ReportData) -> list[Markup]:
    first = data.alerts.head(MAX_ALERTS_IN_WORDS).to_dicts()
    sentences = [
        Markup('{}{} <span class="quiet">(opened <time>{}</time>{})</span>').format(
            _about(row),
            alert_words(row),
            day(row["opened_at"]),
            "" if row["state"] in (None, "open") else Markup(", {}").format(alert_state(row)),
        )
        for row in first
    ]
    more = data.alerts.height - len(first)
    if more > 0:
        sentences.append(Markup('<a href="#alerts">{}</a>.').format(counted(more, "further open alert")))
    return sentences


def _poor(questions: Sequence[QuestionSection]) -> list[Markup]:
    """Name the questions whose agreement is low for sure, which the table above calls urgent."""
    links = [_link(question) for question in questions if is_poor(question.main)]
    if not links:
        return []
    where = joined(links) if len(links) <= _MAX_IN_FULL else counted(len(links), "question")
    return [Markup("The whole interval of agreement lies below {:g}: {}.").format(POOR, where)]


def _contrary(data: ReportData, questions: Sequence[QuestionSection]) -> list[Markup]:
    """Name the annotators who contradict the others."""
    links = dict(zip(question_names(data), map(_link, questions), strict=True))
    sentences = [
        Markup("{}: {}").format(links[question], foreign(contradiction.sentence, 300))
        for question, several in contradictions_by_question(data.pairwise).items()
        for contradiction in several
    ]
    more = [Markup("{} more contradict the others.").format(counted(len(sentences) - _MAX_IN_FULL, "annotator"))]
    return sentences if len(sentences) <= _MAX_IN_FULL else sentences[:_MAX_IN_FULL] + more


def _about(alert: Row) -> Markup:
    """Name the alert's question, unless its sentence does."""
    question = str(alert["question"] or "")
    is_named = not question or question in str(alert["detail"] or "")
    return Markup() if is_named else Markup("{}: ").format(foreign(question, 60))


def _rejected(data: ReportData) -> list[Markup]:
    sums = totals(data.batches)
    sentences = [Markup("Not read: {}.").format(file) for file in refused(data.batches)[:MAX_ALERTS_IN_WORDS]]
    n_more = len(refused(data.batches)) - len(sentences)
    if n_more > 0:
        sentences.append(Markup('<a href="#batches">{}</a> could not be read.').format(counted(n_more, "further file")))
    n_rejected = max(sums.n_rejected, data.rejected.height)
    if n_rejected:
        share = f" ({_share(n_rejected / sums.n_rows)})" if sums.n_rows >= n_rejected else ""
        reason = commonest_reason(data.rejected)
        rows = Markup('<a href="#rejected">{}</a>' if data.rejected.height else "{}").format(counted(n_rejected, "row"))
        sentences.append(Markup("{}{} rejected{}.").format(rows, share, f", most often: {reason}" if reason else ""))
    return sentences + _dated_in_future(data.batches)


def _dated_in_future(batches: pl.DataFrame) -> list[Markup]:
    """Name the files with ratings that are dated after they arrived."""
    rows = [row for row in batches.to_dicts() if row["n_future"]]
    sentences = [
        Markup("{} of {} dated in the future, up to {}: not drawn over time.").format(
            counted(row["n_future"], "rating"), foreign(row["file_name"], 100), day(row["last_future_at"])
        )
        for row in rows[:MAX_ALERTS_IN_WORDS]
    ]
    if len(rows) > len(sentences):
        n_more = counted(len(rows) - len(sentences), "further file")
        sentences.append(Markup("{} with ratings dated in the future.").format(n_more))
    return sentences


def _share(share: float) -> str:
    """Write a share that is not 0 as a percentage that is not 0 either.

    >>> _share(0.0003), _share(0.012)
    ('below 0.1\\xa0%', '1.2\\xa0%')
    """
    return f"below 0.1{NBSP}%" if share < 0.0005 else percent(share)


def _undefined_systems(questions: Sequence[QuestionSection]) -> list[Markup]:
    sentences = [
        Markup("{}, no accuracy for {}: {}.").format(
            _link(question), foreign(system_name(row), 60), reason_clause(row["reason"])
        )
        for question in questions
        for row in question.main_systems
        if finite(row["accuracy"]) is None
    ]
    more = [Markup("{} more without an estimate.").format(counted(len(sentences) - _MAX_IN_FULL, "system"))]
    return sentences if len(sentences) <= _MAX_IN_FULL else sentences[:_MAX_IN_FULL] + more


def _warned(questions: Sequence[QuestionSection]) -> list[Markup]:
    """Say each cause of warnings once, with its questions.

    A system that seems to copy an annotator comes first, because no interval covers that; then the cause with most
    questions.
    """
    causes: dict[str, list[tuple[QuestionSection, GroupedWarning]]] = {}
    for question in questions:
        for warning in question.warnings:
            if not warning.is_informative:
                causes.setdefault(warning.cause, []).append((question, warning))
    ordered = sorted(causes.values(), key=lambda group: (not any(_is_copying(*each) for each in group), -len(group)))
    sentences = [
        Markup("{}: {}.").format(
            cause_in_brief([warning for _, warning in group]),
            joined(links) if len(links) <= _MAX_IN_FULL else counted(len(links), "question"),
        )
        for group in ordered[:_MAX_IN_FULL]
        for links in [list(dict.fromkeys(_link(question) for question, _ in group))]
    ]
    n_more = len(ordered) - len(sentences)
    if n_more:
        more = counted(n_more, "further kind of warning", "further kinds of warnings")
        sentences.append(Markup("{}: see the questions.").format(more))
    return sentences


def _is_copying(question: QuestionSection, warning: GroupedWarning) -> bool:
    details = tuple(str(check["detail"]) for check in question.copying)
    return any(sentence.startswith(details) for sentence in warning.systems)


def _why_not(question: QuestionSection) -> str:
    return reason_clause((question.main or {}).get("reason"))


def _link(question: QuestionSection) -> Markup:
    return Markup('<a href="#{}">{}</a>').format(question.anchor, question.short_name)
