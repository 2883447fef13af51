"""Make texts that a spreadsheet never runs as a formula."""

import polars as pl

# A spreadsheet reads a text with one of these beginnings as a formula. Numbers and signs alone (-1, +1e5, -2+3, -) are
# data and stay as they are, also with a decimal comma: without a letter, a quote or a bar they can name no cell,
# function or program.
FORMULA = r"^[=+\-@\t\r]"
NUMBERS = r"^(?:[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?)+$|^[+-]+$"


def without_formulas(text: pl.Series) -> pl.Series:
    """Return texts with an apostrophe before each that looks like a formula.

    >>> without_formulas(pl.Series(["=1+A1", "-1", "fine"])).to_list()
    ["'=1+A1", '-1', 'fine']
    """
    formula = text.str.contains(FORMULA) & ~text.str.contains(NUMBERS)
    return pl.select(pl.when(formula).then(pl.lit("'") + text).otherwise(text)).to_series().alias(text.name)
