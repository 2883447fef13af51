"""Say what to do next on a question: the sentences under 'What to do next'."""

from collections.abc import Mapping, Sequence
from typing import Any

from stats.accuracy.planning import gold_half_width, more_items, score_correlation
from stats.accuracy.planning.one_coin_information import rater_accuracy
from stats.agreement.breakdowns.contradictions import Contradiction
from stats.errors import StatsError
from stats.verdict_interval import SURE, has_no_width, items_that_all_agree
from tasks.counted_words import counted
from tasks.summary.finite import finite
from tasks.summary.interval_width import longer_side, says_nothing
from tasks.summary.label_weights import is_plain
from tasks.summary.poor_agreement import Causes, is_low_for_sure, what_to_clarify

OTHER_ITEMS = (
    "Rate items for which another label may be right: as long as one is used, agreement cannot be told from chance."
)
LOOK_AT_ALERTS = "Look at its alerts."
AUDITS = (20, 30, 50, 100)  # items of an audit that are proposed, the smallest that helps
HELPS = 0.75  # an audit helps if its interval is at most this share of the one now
NARROWER = 0.9  # more items are proposed where they narrow an interval to this share of its width or less
HALF_WIDTHS = (0.1, 0.05)
FIRST_ITEMS = 10
BEGIN_WITH = 30  # items that are proposed where there are too few to plan by
ADJUDICATE = f"Adjudicate the {FIRST_ITEMS} items most in doubt."
_MOST_ITEMS = 100_000  # nobody rates more to narrow an interval
Row = Mapping[str, Any]


def next_steps(
    main: Row | None,
    agreement: Sequence[Row],
    systems: Sequence[Row],
    *,
    is_good: bool,
    has_one_label: bool,
    has_alerts: bool,
    has_doubtful: bool,
    contradictions: Sequence[Contradiction],
    causes: Causes,
) -> tuple[str, ...]:
    """Return what to do first, and then: no step, one, or two where it is clear that something is wrong.

    is_good: the state of the question is good; has_one_label: all ratings have the same label; has_alerts: one is open.
    The others are those of tasks.summary.question_state.
    """
    if causes.n_numbers is not None and (what_they_are := what_to_clarify(main, causes)):
        return (what_they_are,)  # the figures behind all other steps depend on it
    is_clear = has_alerts or is_low_for_sure(main)
    candidates = [
        *(f"Ask how they read the labels: {contradiction.sentence}" for contradiction in contradictions[:1]),
        "" if contradictions else what_to_clarify(main, causes),
        ADJUDICATE if has_doubtful and not is_good and is_clear else "",
        _missing(main) or (OTHER_ITEMS if has_one_label else ""),
        _audit(agreement, systems),
        _more_items(main, agreement),
        ADJUDICATE if has_doubtful and not is_good else "",
        LOOK_AT_ALERTS if has_alerts else "",
    ]
    wanted = list(dict.fromkeys(step for step in candidates if step))
    own = [step for step in wanted if step != LOOK_AT_ALERTS]
    return tuple((own or wanted)[: 2 if is_clear else 1])


def _missing(main: Row | None) -> str:
    """Ask for what agreement needs: a second annotator, items that two have rated, a second label."""
    if main is None:
        return ""
    n_items = _number(main, "n_items")
    if main["reason"] == "too_few_raters":
        items = f" of the {n_items:,.0f} items" if n_items and n_items >= BEGIN_WITH else " items"
        if _number(main, "n_raters") == 0:
            return f"Have two annotators rate the same {BEGIN_WITH} or more{items}: agreement needs two."
        return f"Have a second annotator rate {BEGIN_WITH} or more{items}: agreement needs two."
    if main["reason"] == "too_few_items":
        return (
            f"Have two annotators or more rate the same items, {BEGIN_WITH} or more: agreement needs items with two"
            " ratings."
        )
    if _number(main, "n_labels") == 1:
        return "Declare all labels of the question: as long as one is known, agreement cannot be told from chance."
    return ""


def _audit(agreement: Sequence[Row], systems: Sequence[Row]) -> str:
    """Propose an audit of the system about which most is in doubt, if gold would narrow its interval."""
    labelled = next((row for row in agreement if row["coefficient"] == "brennan_prediger"), None)
    if labelled is None or not is_plain(labelled.get("weights")):  # with weights: not how often labels are the same
        return ""
    kappa, n_labels = _number(labelled, "estimate"), _number(labelled, "n_labels")
    per_item = _per_item(labelled)
    widths = [(_half_width(row), row) for row in systems if not _number(row, "n_gold")]
    doubtful = [(half_width, row) for half_width, row in widths if half_width is not None]
    if not doubtful or kappa is None or not 0 < kappa < 1 or not n_labels or per_item is None:
        return ""
    half_width, system = max(doubtful, key=lambda pair: pair[0])
    s, confidence, n_items = (float(system[key] or 0) for key in ("accuracy", "confidence", "n_items"))
    if not 0 < s < 1 or half_width == 0:
        return ""
    try:
        right = rater_accuracy(int(n_labels), kappa)
        r = score_correlation(int(n_labels), min(max(round(per_item), 2), 10), right, s)
    except StatsError:
        return ""
    share = min(n_items / (_number(labelled, "n_items") or n_items), 1.0)  # of the items that the system answers
    for n_drawn in AUDITS:
        n_gold = int(n_drawn * share)
        if not 2 <= n_gold <= n_items:
            continue
        audited = gold_half_width(n_gold, confidence, s * (1 - s), r, n_items)
        if audited <= HELPS * half_width:
            return (
                f"Audit {n_drawn} random items: the interval of {system['system']} shrinks from ±{half_width:.2f} to"
                f" about ±{audited:.2f}."
            )
    return ""


def _more_items(main: Row | None, agreement: Sequence[Row]) -> str:
    """Say how many more items narrow the interval of agreement."""
    n_items, now = _number(main, "n_items"), None if main is None else longer_side(main)
    if main is None or now is None or not n_items:
        return ""
    if has_no_width(main):
        return _more_that_agree(main, int(n_items))
    if says_nothing(main) and n_items < BEGIN_WITH:
        return f"Rate {BEGIN_WITH} or more items: the few so far say nothing about agreement."
    wanted = next((half_width for half_width in HALF_WIDTHS if half_width <= NARROWER * now), None)
    if wanted is None:
        return ""
    missing = more_items(half_width_now=now, n_now=int(n_items), half_width=wanted)
    per_item = _per_item(main)
    if missing.n_more > _MOST_ITEMS or per_item is None:
        return ""
    return (
        f"Rate {counted(missing.n_more, 'more item')}, {_plain(per_item)} ratings each: the interval of agreement"
        f" shrinks from ±{now:.2f} to ±{wanted:g}."
    )


def _more_that_agree(main: Row, n_items: int) -> str:
    """Say how many more items must agree where all have agreed so far."""
    wanted = items_that_all_agree(SURE, main) if _number(main, "estimate") == 1 else None
    if wanted is None or wanted <= n_items:
        return ""
    more = counted(wanted - n_items, "more item")
    return f"Rate {more}: if all ratings agree on them, too, agreement lies above {SURE:g}."


def _plain(value: float) -> str:
    """Write a number with a decimal, unless that is 0.

    >>> _plain(2.84), _plain(3.0)
    ('2.8', '3')
    """
    return f"{value:.1f}".removesuffix(".0")


def _per_item(row: Row | None) -> float | None:
    n_ratings, n_items = _number(row, "n_ratings"), _number(row, "n_items")
    return n_ratings / n_items if n_ratings and n_items else None


def _half_width(system: Row) -> float | None:
    """Return half the width of the interval of a system: the outer one, if it has one."""
    for low, high in (("outer_low", "outer_high"), ("low", "high")):
        ends = _number(system, low), _number(system, high)
        if ends[0] is not None and ends[1] is not None and _number(system, "accuracy") is not None:
            return (ends[1] - ends[0]) / 2
    return None


def _number(row: Row | None, key: str) -> float | None:
    return None if row is None else finite(row.get(key))
