"""Write figures, times and foreign text for the page. The page's figures are rounded here and nowhere else."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any

from markupsafe import Markup, escape

from stats.reasons import REASONS
from tasks.glossary import COEFFICIENTS, METHODS
from tasks.summary.finite import finite

MARK = "—"  # what stands where a value is undefined
NBSP = "\N{NO-BREAK SPACE}"
_MAX_TEXT = 160  # characters of foreign text, unless a caller allows another number
# Characters that a page must show by their code point: control characters (no XML parser takes them), noncharacters,
# and the marks that reorder the text after them. LRM and RLM stay, because Arabic and Hebrew text needs them.
_WITHIN_NAME = re.compile(r"(?<=\w[_/])(?=[^\W_])|(?<=[^\W\d_]\.)(?=[^\W\d_])")  # where a name may wrap
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


def number(value: Any, digits: int = 3) -> str:
    """Write a coefficient or an accuracy with 3 decimals and a true minus sign.

    >>> number(0.67909), number(-0.0625, 2), number(-0.0001), number(None), number(float("nan"))
    ('0.679', '−0.06', '0.000', '—', '—')
    """
    figure = finite(value)
    if figure is None:
        return MARK
    shown = f"{figure:,.{digits}f}"
    return shown.lstrip("-") if float(shown.replace(",", "")) == 0 else shown.replace("-", "−")


def count(value: Any) -> str:
    """Write a whole number with commas.

    >>> count(1234567), count(None)
    ('1,234,567', '—')
    """
    figure = finite(value)
    return MARK if figure is None else f"{round(figure):,}"


def counted(value: float, singular: str, plural: str = "") -> str:
    """Write a number with its noun.

    >>> counted(1, "row"), counted(2000, "row"), counted(0, "batch", "batches")
    ('1\\xa0row', '2,000\\xa0rows', '0\\xa0batches')
    """
    return f"{count(value)}{NBSP}{singular if value == 1 else plural or singular + 's'}"


def percent(value: Any) -> str:
    """Write a share as a percentage with one decimal.

    >>> percent(0.72149)
    '72.1\\xa0%'
    """
    figure = finite(value)
    return MARK if figure is None else f"{number(100 * figure, 1)}{NBSP}%"


def probability(value: Any) -> str:
    """Write a probability as a percentage with one decimal. None is 0 % or 100 %: no comparison is that sure.

    >>> probability(0.72149), probability(1e-9), probability(0.99987)
    ('72.1\\xa0%', '<\\xa00.1\\xa0%', '>\\xa099.9\\xa0%')
    """
    figure = finite(value)
    if figure is None or 0.001 <= figure <= 0.999:
        return percent(figure)
    return f"<{NBSP}{percent(0.001)}" if figure < 0.001 else f">{NBSP}{percent(0.999)}"


def p_value(value: Any) -> str:
    """Write a p value with 3 decimals.

    >>> p_value(1e-9), p_value(0.0312)
    ('<\\xa00.001', '0.031')
    """
    figure = finite(value)
    return f"<{NBSP}0.001" if figure is not None and figure < 0.001 else number(figure)


def interval(low: Any, high: Any) -> str:
    """Write an interval; without both ends it is undefined.

    >>> interval(0.5801, 0.64), interval(None, 0.64)
    ('0.580\\xa0–\\xa00.640', '—')
    """
    if finite(low) is None or finite(high) is None:
        return MARK
    return f"{number(low)}{NBSP}–{NBSP}{number(high)}"


def percent_interval(low: Any, high: Any) -> str:
    """Write an interval of a share as percentages; without both ends it is undefined.

    >>> percent_interval(0.5801, 0.64), percent_interval(None, 0.64)
    ('58.0\\xa0–\\xa064.0\\xa0%', '—')
    """
    if finite(low) is None or finite(high) is None:
        return MARK
    return f"{number(100 * low, 1)}{NBSP}–{NBSP}{percent(high)}"


def confidence(values: Iterable[Any]) -> str:
    """Return the heading of an interval column: '95 % interval', or 'Interval' if rows differ or have no confidence."""
    levels = {f"{finite(value) or 0:.4g}" for value in values if value is not None}
    return f"{float(levels.pop()) * 100:.4g}{NBSP}% interval" if len(levels) == 1 else "Interval"


def outer_confidence(values: Iterable[Any]) -> tuple[str, str]:
    """Return the headings of the columns of outer and inner intervals: 'Outer 95 % interval', 'Inner 95 % interval'."""
    heading = confidence(values).removeprefix("Interval") or "interval"
    return f"Outer {heading}", f"Inner {heading}"


def moment(value: Any) -> str:
    """Write a time to the minute, or a date.

    >>> moment(datetime(2026, 3, 4, 9, 5)), moment(date(2026, 3, 4)), moment(None)
    ('2026-03-04 09:05', '2026-03-04', '—')
    """
    if value is None:
        return MARK
    return f"{value:%Y-%m-%d %H:%M}" if isinstance(value, datetime) else visible(str(value))


def day(value: Any) -> str:
    """Write a date as 2026-03-01."""
    return f"{value:%Y-%m-%d}" if isinstance(value, date) else moment(value)


def visible(value: str) -> str:
    """Show characters that are invisible or reorder the line by their code point.

    >>> visible("a\\x00b\\u202egpj.exe")
    'a‹U+0000›b‹U+202E›gpj.exe'
    """
    return _UNSEEN.sub(lambda match: f"‹U+{ord(match[0]):04X}›", value)


def shortened(value: Any, limit: int = _MAX_TEXT) -> str:
    """Return foreign text as one line of at most `limit` characters, for charts and tooltips.

    >>> shortened("one\\ntwo"), shortened("x" * 100, 4)
    ('one two', 'xxx…')
    """
    line = " ".join(visible(str(value)[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def foreign(value: Any, limit: int = _MAX_TEXT) -> Markup:
    """Return foreign text (a label, an id, a file name) as markup.

    It is escaped and cut, and it cannot reorder the text around it. A name may wrap after its underscores, slashes and
    dots, so that no word of it is broken.

    >>> str(foreign("tone_of_voice")), str(foreign("<b>"))
    ('<bdi>tone_<wbr>of_<wbr>voice</bdi>', '<bdi>&lt;b&gt;</bdi>')
    """
    if value is None or value == "":
        return Markup('<span class="mark">{}</span>').format(MARK)
    text = visible(str(value))
    if len(text) <= limit:
        return Markup("<bdi>{}</bdi>").format(_wrapped(text))
    return Markup('<bdi title="{}">{}</bdi><span class="quiet"> … ({})</span>').format(
        text[:1000], _wrapped(text[: limit - 1]), counted(len(text), "character")
    )


def _wrapped(text: str) -> Markup:
    """Escape a text, and allow a new line within its names."""
    return Markup(_WITHIN_NAME.sub("<wbr>", str(escape(text))))


def humanised(code: Any) -> str:
    """Write a code as words.

    >>> humanised("too_few_items"), humanised("gold_mismatch"), humanised(None)
    ('too few items', 'gold mismatch', 'no reason recorded')
    """
    if not code:
        return "no reason recorded"
    return shortened(str(code).replace("_", " "))


def reason_clause(code: Any) -> str:
    """Return the meaning of a reason for a null figure, to stand behind a colon.

    >>> reason_clause("too_few_raters"), reason_clause("my_own")
    ('fewer raters than the formula needs', 'my own')
    """
    sentence = REASONS.get(str(code), "").rstrip(".")
    return sentence[0].lower() + sentence[1:] if sentence else humanised(code)


def coefficient_name(name: str) -> str:
    """Return the name of a coefficient.

    >>> coefficient_name("scott_pi"), coefficient_name("my_own")
    ("Scott's pi", 'my own')
    """
    return COEFFICIENTS[name][0] if name in COEFFICIENTS else shortened(name.replace("_", " "), 60)


def method_name(name: str) -> str:
    """Return the name of an estimator as readers see it."""
    return METHODS[name][0] if name in METHODS else shortened(name.replace("_", " "), 60)


def undefined(reason: Any, detail: Any = None) -> Markup:
    """Say why there is no value: the reason and its detail, or the meaning of the reason if there is no detail."""
    if not detail:
        return Markup('<span class="reason">{}</span>').format(reason_clause(reason))
    return Markup('<span class="reason">{}: {}</span>').format(humanised(reason), foreign(detail, 400))


def number_or_reason(value: Any, row: Mapping[str, Any]) -> Markup | str:
    """Write a coefficient or an accuracy; without a value, the reason and detail of its row."""
    return number(value) if finite(value) is not None else undefined(row["reason"], row["detail"])


def joined(texts: Iterable[Markup | str], last: str = "and") -> Markup:
    """Join parts with commas and a last word.

    >>> joined(["a", "b", "<c>"])
    Markup('a, b and &lt;c&gt;')
    """
    items = [escape(part) for part in texts]
    if len(items) < 2:
        return items[0] if items else Markup()
    return Markup(", ").join(items[:-1]) + f" {last} " + items[-1]
