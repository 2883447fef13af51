"""Write "What needs attention" of the page: open alerts, failures, rejected rows, warnings."""

from collections.abc import Callable, Sequence

import polars as pl
from markupsafe import Markup

from stats.accuracy.raters.left_out import left_out_of
from stats.verdict_interval import POOR
from tasks.report.formatting import NBSP, counted, day, foreign, joined, percent, reason_clause
from tasks.report.report_data import ReportData, Row, of_question
from tasks.report.report_data import questions as question_names
from tasks.report.sections.intake_section import alert_state, alert_words, commonest_reason, refused, totals
from tasks.report.sections.question_section import QuestionSection, link_to
from tasks.report.sections.warnings_section import GroupedWarning, cause_in_brief, system_name
from tasks.summary.annotators import contradictions_by_question
from tasks.summary.contrary_voter_rows import contrary_voter_rows
from tasks.summary.finite import finite
from tasks.summary.poor_agreement import is_poor
from tasks.summary.region_raters import region_rater_sentences
from tasks.summary.slice_sentences import slice_sentences_by_question

MAX_IN_FULL = 4  # with more questions or systems than these the words give the range, and the table the rest
MAX_ALERTS_IN_WORDS = 3


def attention_sentences(data: ReportData, questions: Sequence[QuestionSection]) -> list[Markup]:
    """Say what is open or wrong, the most urgent first: alerts, failures, raters who contradict, slices with low
    accuracy, rejects, warnings."""
    return [
        *_alerts(data),
        *failed_sentences(data, questions),
        *_poor(questions),
        *_contrary(data, questions),
        *_left_out(data, questions),
        *_of_regions(data),
        *_of_votes(data),
        *low_slices(data.slices, _links(data, questions).__getitem__),
        *_rejected(data),
        *(
            Markup("{}, no agreement figure: {}.").format(
                link_to(question), reason_clause((question.main or {}).get("reason"))
            )
            for question in questions
            if question.main and finite(question.main["estimate"]) is None
        ),
        *_undefined_systems(questions),
        *_warned(questions),
    ]


def failed_sentences(data: ReportData, questions: Sequence[QuestionSection]) -> list[Markup]:
    """Name the questions whose last evaluation failed: figures of theirs on the page are from an earlier one."""
    links, rows = _links(data, questions), data.failed.to_dicts()
    sentences = [
        Markup("{} could not be evaluated{}: {}").format(
            links.get(row["question"], foreign(row["question"], 60)),
            ", and its figures are from an earlier run" if row["question"] in links else "",
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
    links = [link_to(question) for question in questions if is_poor(question.main)]
    if not links:
        return []
    where = joined(links) if len(links) <= MAX_IN_FULL else counted(len(links), "question")
    return [Markup("The whole interval of agreement lies below {:g}: {}.").format(POOR, where)]


def _contrary(data: ReportData, questions: Sequence[QuestionSection]) -> list[Markup]:
    """Name the annotators who contradict the others."""
    links = _links(data, questions)
    sentences = [
        Markup("{}: {}").format(links[question], foreign(contradiction.sentence, 300))
        for question, several in contradictions_by_question(data.pairwise).items()
        for contradiction in several
    ]
    return _in_brief(sentences, "more annotator contradicts the others.", "more annotators contradict the others.")


def _left_out(data: ReportData, questions: Sequence[QuestionSection]) -> list[Markup]:
    """Name the annotators who are left out of accuracies. Accuracies of systems have a warning that does so."""
    return [
        Markup("{}: {}").format(link_to(question), foreign(sentence, 600))
        for name, question in zip(question_names(data), questions, strict=True)
        if not question.main_systems
        for sentence in left_out_of(of_question(data.raters, name)).warnings()
    ]


def _of_regions(data: ReportData) -> list[Markup]:
    """Name the annotators of spans, boxes, rankings and texts who contradict the others or agree less with them."""
    sentences = [
        Markup("{}: {}").format(foreign(question, 60), foreign(sentence, 300))
        for question, several in region_rater_sentences(data.regions).items()
        for sentence in several
    ]
    return _in_brief(sentences, "more annotator stands out.", "more annotators stand out.")


def _of_votes(data: ReportData) -> list[Markup]:
    """Name the voters who contradict the others."""
    sentences = [
        Markup("{}, {}: {}").format(
            foreign(row["question"], 60), foreign(row["rater"], 60), foreign(row["detail"], 400)
        )
        for row in contrary_voter_rows(data.preferences)
    ]
    return _in_brief(sentences, "more voter contradicts the others.", "more voters contradict the others.")


def low_slices(systems: pl.DataFrame, link_of: Callable[[str], Markup], system: str | None = None) -> list[Markup]:
    """Name the systems that are less accurate on a slice than on the others. link_of: question -> a link to it.

    With `system` only this one is named.
    """
    sentences = [
        Markup("{}: {}").format(link_of(question), foreign(sentence, 600))
        for question, several in slice_sentences_by_question(systems, system).items()
        for sentence in several
    ]
    where = "less accurate on a slice: see the questions, By slice."
    return _in_brief(sentences, f"further system is {where}", f"further systems are {where}")


def _in_brief(sentences: list[Markup], singular: str, plural: str) -> list[Markup]:
    """Return the first sentences, and how many more there are."""
    if len(sentences) <= MAX_IN_FULL:
        return sentences
    n_more = counted(len(sentences) - MAX_IN_FULL, singular, plural)
    return [*sentences[:MAX_IN_FULL], Markup("{}").format(n_more)]


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
        Markup("{}, no accuracy for {}: {}.").format(link_to(question), foreign(system_name(row), 60), _why_none(row))
        for question in questions
        for row in question.main_systems
        if finite(row["accuracy"]) is None
    ]
    more = [Markup("{} more without an estimate.").format(counted(len(sentences) - MAX_IN_FULL, "system"))]
    return sentences if len(sentences) <= MAX_IN_FULL else sentences[:MAX_IN_FULL] + more


def _why_none(row: Row) -> Markup | str:
    """Say why a system has no accuracy: the case, else what the reason means."""
    return foreign(str(row["detail"]).rstrip("."), 300) if row["detail"] else reason_clause(row["reason"])


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
            joined(links) if len(links) <= MAX_IN_FULL else counted(len(links), "question"),
        )
        for group in ordered[:MAX_IN_FULL]
        for links in [list(dict.fromkeys(link_to(question) for question, _ in group))]
    ]
    n_more = len(ordered) - len(sentences)
    if n_more:
        more = counted(n_more, "further kind of warning", "further kinds of warnings")
        sentences.append(Markup("{}: see the questions.").format(more))
    return sentences


def _is_copying(question: QuestionSection, warning: GroupedWarning) -> bool:
    details = tuple(str(check["detail"]) for check in question.copying)
    return any(sentence.startswith(details) for sentence in warning.systems)


def _links(data: ReportData, questions: Sequence[QuestionSection]) -> dict[str, Markup]:
    """Return a link to the section of each question, by its name."""
    return dict(zip(question_names(data), map(link_to, questions), strict=True))
