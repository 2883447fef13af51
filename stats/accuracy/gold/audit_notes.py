"""Notes of an audit, in sentences: what it rests on, and whether more gold items are worth it."""

from collections.abc import Sequence

from stats.accuracy.fitting.estimator import SystemFit
from stats.accuracy.warnings_in_words import FEW_GOLD

UNKNOWN_ORIGIN = (
    "Nobody has said how the gold items were chosen, so they are not treated as a random sample: the audit is right on"
    " condition that they are one. If they were picked (the difficult ones), it is off in the direction of the picking."
)
DRAWN = "The gold items were drawn at random, so the audited interval needs no model of how people err."
KNOWN_PROBABILITIES = (
    "The gold items were drawn with known probabilities that differ. Each counts for as many items as it stands for, so"
    " the audited estimate is one for all items that they stand for."
)
UNAUDITED = "Without the gold items the estimate is"
COMBINED = "The gold items and the model are combined by their errors."
WIDTH_WITH = "With {} gold items the half-width is"
POOLED_VERSIONS = "This figure is over the versions"
INFORMATIVE = (POOLED_VERSIONS, DRAWN, KNOWN_PROBABILITIES, UNAUDITED, COMBINED, WIDTH_WITH.split("{}")[0])
"""How the notes begin that tell how a figure came about, and warn of nothing."""
SIZES = (20, 50, 100, 200, 500, 1000, 2000, 5000)
SHOWN = 2
MAX_VERSIONS = 10  # of a system that a note names
HARDLY = 0.01  # gain of half-width below which more gold items are not worth the work


def sizes(m: int, n: int) -> tuple[int, ...]:
    """Return the next rounder numbers of gold items above m, below the n items that exist.

    >>> sizes(20, 200), sizes(30, 60)
    ((50, 100), (50,))
    """
    return tuple(size for size in SIZES if m < size < n)[:SHOWN]


def on_sample(*, drawn: bool, weighted: bool) -> str:
    """Return a note on how the gold items were chosen. drawn: with known probabilities; weighted: these differ."""
    return KNOWN_PROBABILITIES if weighted else DRAWN if drawn else UNKNOWN_ORIGIN


def pooled_versions(versions: Sequence[str]) -> str:
    """Return a note that a figure is over several versions of a system.

    >>> pooled_versions(["v1", "v2"])[:78]
    'This figure is over the versions v1, v2 together and may hold for none of them'
    """
    first = ", ".join(versions[:MAX_VERSIONS])
    more = f" and {len(versions) - MAX_VERSIONS} more" if len(versions) > MAX_VERSIONS else ""
    return (
        f"{POOLED_VERSIONS} {first}{more} together and may hold for none of them. The report and the table"
        " version_comparisons compare them if the charts of the question have their reference."
    )


def on_audit(
    fitted: SystemFit, m: int, n_elsewhere: int, sample: str, limits: tuple[float, float] = (0.0, 1.0)
) -> tuple[str, ...]:
    """Return notes on what the audited estimate rests on: `limits` are its interval, `sample` the note of `on_sample`.

    A model outside the interval is contradicted by gold. Then the estimate is not near the model's.
    """
    notes = [sample]
    contradicted = fitted.accuracy is not None and not limits[0] <= fitted.accuracy <= limits[1]
    if fitted.accuracy is None:
        notes.append(f"The model has no estimate here, so the gold items alone count ({m}). {fitted.detail}")
    else:
        notes.append(f"{UNAUDITED} {fitted.accuracy:.3f}.")
    if contradicted:
        notes.append(
            f"Gold contradicts the model: {fitted.accuracy:.3f}, the estimate without gold, lies outside the audited"
            f" interval, {limits[0]:.3f} to {limits[1]:.3f}. The model's assumptions on errors do not hold here"
            f"{', or the gold items are not like the others' if sample == UNKNOWN_ORIGIN else ''}."
        )
    if m < FEW_GOLD:
        notes.append(_on_few(m, contradicted=contradicted))
    if n_elsewhere:
        notes.append(f"Gold items that are not used, because the system did not answer them: {n_elsewhere}.")
    return tuple(notes)


def _on_few(m: int, *, contradicted: bool) -> str:
    if m == 1:
        return "One gold item is too few to correct the model. The model's estimate stays, without an interval."
    few_gold = f"Only {m} gold items (fewer than {FEW_GOLD})"
    return f"{few_gold}." if contradicted else f"{few_gold}: the estimate is little better than the model's."


def on_combined(accuracy: float, unbiased: float) -> tuple[str, ...]:
    """Return a note with the unbiased estimate, where it differs from the combined one."""
    if abs(accuracy - unbiased) < 0.0005:
        return ()
    return (
        f"{COMBINED} The estimate that is unbiased whatever the model"
        f" gets wrong is {unbiased:.3f}; the interval is for that one.",
    )


def on_more(
    m: int, half_width: float, more: tuple[tuple[int, float], ...], model_half_width: float | None
) -> tuple[str, ...]:
    """Return a note on how much more gold items would narrow the interval.

    >>> on_more(20, 0.11, ((50, 0.07), (100, 0.05)), 0.04)[0][:78]
    'With 20 gold items the half-width is 0.11; with 50 it would be about 0.07, wit'
    """
    if not more:
        return ()
    (size, width), *rest = more
    note = f"{WIDTH_WITH.format(m)} {half_width:.2f}; with {size} it would be about {width:.2f}"
    note += "".join(f", with {size_more:,} {other:.2f}" for size_more, other in rest) + "."
    if half_width - more[-1][1] < HARDLY:
        note += " More gold items are hardly worth it."
    if model_half_width is not None:
        note += f" The model alone has {model_half_width:.2f}, but that leaves out what the model may get wrong."
    return (note,)
