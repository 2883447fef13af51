"""Know raters whose names say nothing: `vote #1`, `vote #2`, ... only number the votes of each item."""

import re
from collections.abc import Iterable

VOTE = re.compile(r"vote #[0-9]+")
UNNAMED = "unnamed_raters"
DETAIL = "The votes do not name the raters, and the figure depends on who gave which label."


def name_nobody(raters: Iterable[str]) -> bool:
    """Check whether some of these raters are unnamed votes. `vote #1` of two items may then be two people.

    >>> name_nobody(["vote #1", "vote #2"]), name_nobody(["ann", "vote"])
    (True, False)
    """
    return any(VOTE.fullmatch(rater) for rater in raters)
