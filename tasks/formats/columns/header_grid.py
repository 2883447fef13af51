"""Find columns that are named by two things, such as question and rater: tone_anna, tone_bob, spam_anna, spam_bob."""

import re
from collections.abc import Sequence

from tasks.errors import quoted
from tasks.formats.columns.column_roles import AS_WIDE, listed
from tasks.formats.columns.header_words import PEOPLE, names_person, names_question, tokens

OCCASIONS = frozenset(
    ("round", "time", "pass", "phase", "wave", "week", "day", "session", "run", "trial", "pre", "post")
)
SEPARATORS = "_-.:/ "
PARTS = f"[{re.escape(SEPARATORS)}]+"
Grid = tuple[list[str], list[str], dict[tuple[str, str], str]]


def two_names(item: str, headers: Sequence[str]) -> str | None:
    """Return why the columns are not each a rater: their names have two parts, and each pair of parts is a column.

    Numbered people (`expert_1`, `expert_2`, `crowd_1`, `crowd_2`) are raters.
    """
    grid = _grid(headers)
    if grid is None:
        return None
    first, second, cells = grid
    by_first = [[cells[a, b] for b in second] for a in first]
    by_second = [[cells[a, b] for a in first] for b in second]
    if "" in second:
        questions = by_second
    elif _are_questions(first) == _are_questions(second):  # nobody knows which are the questions
        questions = [by_first[0], by_second[0]]
    else:
        questions = by_first if _are_questions(first) else by_second
    parts = f"{listed(first)} and {listed([part or 'none' for part in second])}"
    return (
        f"columns {listed(headers)} have names of two parts, {parts}, as of questions and raters."
        f"{as_questions(item, questions)} If each column is a rater: {AS_WIDE}{_mapping(item, headers)}."
    )


def as_questions(item: str, groups: Sequence[Sequence[str]]) -> str:
    """Return the mappings that read each group of columns as the raters of a question."""
    mappings = " or ".join(_mapping(item, group) for group in groups[:3])
    return f" Read one question at a time: {AS_WIDE}{mappings}."


def _grid(headers: Sequence[str]) -> Grid | None:
    """Return the parts of the names and the column of each pair. The second part may be blank: anna, anna_new."""
    if pairs := _with_suffix(headers):
        first, second = list(dict.fromkeys(a for a, _ in pairs)), list(dict.fromkeys(b for _, b in pairs))
        return first, second, dict(zip(pairs, headers, strict=True))
    for last in (False, True):
        pairs = [_split(header, last=last) for header in headers]
        first, second = list(dict.fromkeys(a for a, _ in pairs)), list(dict.fromkeys(b for _, b in pairs))
        if "" in second or min(len(first), len(second)) < 2 or len(first) * len(second) != len({*pairs}):
            continue
        numbered = any(
            all(part.isdigit() or len(part) == 1 for part in numbers) and all(map(_is_kind_of_person, people))
            for numbers, people in ((first, second), (second, first))
        )
        return None if numbered else (first, second, dict(zip(pairs, headers, strict=True)))
    return None


def _with_suffix(headers: Sequence[str]) -> list[tuple[str, str]]:
    """Split names where each is there with and without one suffix. Otherwise return nothing.

    >>> _with_suffix(["anna", "bob", "anna (new)", "bob (new)"]), _with_suffix(["anna", "bob", "bob_2"])
    ([('anna', ''), ('bob', ''), ('anna', '(new)'), ('bob', '(new)')], [])
    """
    place_of = {header: place for place, header in reversed([*enumerate(headers)])}
    lengths = sorted({*map(len, headers)})
    pairs = []
    for header in headers:
        starts = [header[:n] for n in lengths if n < len(header) and header[n] in SEPARATORS]
        base = min((start for start in starts if start in place_of), key=place_of.__getitem__, default=None)
        pairs.append((header, "") if base is None else (base, header[len(base) :].lstrip(SEPARATORS)))
    suffixes = {suffix for _, suffix in pairs}
    whole = len(suffixes) == 2 and len({*pairs}) == len(headers) == 2 * len({base for base, _ in pairs})
    return pairs if whole and len(headers) > 2 and not any(suffix.isdigit() for suffix in suffixes) else []


def _split(header: str, *, last: bool) -> tuple[str, str]:
    """Split a header at its first or last separator.

    >>> _split("tone_anna_k", last=False), _split("tone_anna_k", last=True)
    (('tone', 'anna_k'), ('tone_anna', 'k'))
    """
    places = [match.span() for match in re.finditer(PARTS, header)]
    start, end = (places[-1] if last else places[0]) if places else (len(header), len(header))
    return header[:start], header[end:]


def _are_questions(parts: Sequence[str]) -> bool:
    if all(OCCASIONS & set(tokens(part)) for part in parts):
        return True
    return any(map(names_question, parts)) and not any(map(names_person, parts))


def _is_kind_of_person(part: str) -> bool:
    return bool(PEOPLE & set(tokens(part)))


def _mapping(item: str, raters: Sequence[str]) -> str:
    return quoted(f"item={item},raters={'|'.join(raters)}")
