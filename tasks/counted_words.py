"""Write numbers with their nouns in sentences."""


def counted(n: int, singular: str, plural: str = "") -> str:
    """Write a number with its noun, or with more words that depend on it.

    >>> counted(1, "row"), counted(2000, "row"), counted(1, "row was", "rows were")
    ('1 row', '2,000 rows', '1 row was')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"
