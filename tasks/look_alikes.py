"""Find names that count as different and that a reader takes for one: `Anna` and `anna `, 7 and 007, 1 and TRUE."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal

import polars as pl

NUMBER = r"^[+-]?\d+([.,]\d+)?$"
MIDNIGHT = r"^(\d{4}-\d\d-\d\d)[ t]00:00(:00(\.0+)?)?$"
A_DAY = len("2026-01-05")
SPREADSHEET_DAYS = (
    " A spreadsheet stores a day as a date with the time 00:00:00: write it there as text (format the column as text, "
    "and enter 2026-01-05 again), or write it in the other file as the spreadsheet does."
)
PERCENT = r"^([+-]?\d+(?:[.,]\d{1,2})?) ?%$"
# Cyrillic and Greek letters that look like Latin ones, small or capital. Keyboards of these scripts bring them in.
SCRIPTS = str.maketrans(
    "\u0430\u0432\u0435\u0455\u0456\u0458\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u03b1\u03b5\u03b9\u03ba\u03bf\u03c1\u03c4\u03c5\u03c7",
    "abesijkmhopctyxaeikoptyx",
)
TRUTH = {"true": "1", "yes": "1", "y": "1", "1": "1", "false": "0", "no": "0", "n": "0", "0": "0"}


def look_alikes(names: Iterable[str]) -> list[list[str]]:
    """Group names that differ in case, spaces, ligatures, invisible characters, letters of another script that look the
    same, or the spelling of a number only.

    >>> look_alikes(["cat", "Cat", "dog", "ca\\u200bt", "7", "007", "7.0", "1,5", "1.5"])
    [['007', '7', '7.0'], ['1,5', '1.5'], ['Cat', 'cat', 'ca\\u200bt']]
    """
    return _groups({name: plain_name(name) for name in names})


def plain_name(name: str) -> str:
    """Reduce a name to what a reader sees.

    >>> plain_name(" Anna  B"), plain_name("007.50"), plain_name("1,000"), plain_name("-0"), plain_name("50 %")
    ('anna b', '7.5', '1,000', '0', '0.5')
    """
    visible = "".join(char for char in unicodedata.normalize("NFKC", name) if unicodedata.category(char) != "Cf")
    plain = " ".join(visible.casefold().translate(SCRIPTS).split())
    if percent := re.match(PERCENT, plain):
        plain = f"{Decimal(percent[1].replace(',', '.')) / 100:f}"
    if not re.match(NUMBER, plain) or re.match(r".*,\d{3}$", plain):  # 1,000 may be a thousand
        return plain
    whole, _, decimals = plain.replace(",", ".").partition(".")
    number = (whole.lstrip("+-0") or "0") + f".{decimals.rstrip('0')}".rstrip(".")
    return f"-{number}" if whole.startswith("-") and number != "0" else number


def label_look_alikes(labels: Iterable[str]) -> list[list[str]]:
    """Group labels that look alike, and those for yes and for no where both are written in two ways.

    `50%` is alike with `0.5` if that is a label, else with `50`.

    >>> label_look_alikes(["0", "1", "false", "true"]), label_look_alikes(["0", "1", "n"])
    ([['0', 'false'], ['1', 'true']], [])
    >>> label_look_alikes(["50%", "50", "100 %"]), label_look_alikes(["50%", "50", "0.5"])
    ([['50', '50%']], [['0.5', '50%']])
    """
    plain = {label: plain_name(label) for label in labels}
    others = {name for label, name in plain.items() if "%" not in label}
    for label, name in plain.items():
        without_sign = plain_name(label.replace("%", ""))
        if "%" in label and name not in others and without_sign in others:
            plain[label] = without_sign
    as_truth = {label: TRUTH.get(name, name) for label, name in plain.items()}
    sides = [{name for name in plain.values() if TRUTH.get(name) == side} for side in "01"]
    return _groups(as_truth if all(len(side) > 1 for side in sides) else plain)


def note(groups: list[list[str]], what: str = "names") -> str | None:
    """Return a sentence on the names that look alike, or None.

    Invisible characters, and letters of another script that look the same, are shown by their codes.
    """
    if not groups:
        return None
    shown = "; ".join(" and ".join(map(shown_name, group[:3])) for group in groups[:3])
    shown += " ..." if len(groups) > 3 else ""
    is_day = any(len(name) > A_DAY and re.match(MIDNIGHT, name.lower()) for group in groups for name in group)
    return (
        f"Some {what} look alike and count as different: {shown}. Correct the export if they are the same."
        f"{SPREADSHEET_DAYS if is_day else ''}"
    )


def shown_name(name: str) -> str:
    """Quote a name. Letters that look like those of another script in the same name are shown by their codes.

    >>> print(shown_name("cat"), shown_name("c\u0430t"), shown_name("\u043d\u0435\u0442"))
    'cat' 'c\\u0430t' '\u043d\u0435\u0442'
    """
    letters = [char for char in name.casefold() if char.isalpha()]
    is_mixed = any(char.isascii() for char in letters) and any(ord(char) in SCRIPTS for char in letters)
    return ascii(name) if is_mixed else repr(name)


def item_note(items: pl.Series) -> str | None:
    """Return the sentence on items that look alike, or None. It takes a million items in a second."""
    text = pl.col("item")
    plain = text.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    plain = plain.str.replace(MIDNIGHT, "$1").str.replace(r"^'([=+@-])", "$1")  # what a spreadsheet makes of them
    number = plain.str.replace(",", ".", literal=True).str.replace(r"^[+]?0+(\d)", "$1").str.replace(r"\.0+$", "")
    is_number = plain.str.contains(NUMBER) & ~plain.str.contains(r",\d{3}$")
    names = items.cast(pl.String).alias("item").to_frame().drop_nulls().unique()
    keyed = names.with_columns(pl.when(is_number).then(number).otherwise(plain).alias("plain"))
    alike = keyed.filter(pl.len().over("plain") > 1).sort("plain", "item")
    groups = alike.group_by("plain", maintain_order=True).agg("item")["item"].to_list()
    return note(groups, f"items ({alike.height:,})")


def _groups(plain: Mapping[str, str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name in sorted(plain):
        groups.setdefault(plain[name], []).append(name)
    return [group for group in groups.values() if len(group) > 1]
