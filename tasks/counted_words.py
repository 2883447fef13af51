"""Write numbers with their nouns in sentences."""


def counted(n: int, singular: str, plural: str = "") -> str:
    """Write a number with its noun, or with more words that depend on it.

    >>> counted(1, "row"), counted(2000, "row"), counted(1, "row was", "rows were")
    ('1 row', '2,000 rows', '1 row was')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def short_name(name: str, most: int = 60) -> str:
    """Return the name for a sentence or a list: the beginning of a long one, and its length.

    >>> short_name("helpful"), short_name("abcdef", 3)
    ('helpful', 'abc... (6 characters)')
    """
    return name if len(name) <= most else f"{name[:most]}... ({len(name):,} characters)"
