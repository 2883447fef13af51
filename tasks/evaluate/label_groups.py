"""Say which labels count as one when a label is compared with the rest: members of sets, subtrees of a taxonomy."""

from collections.abc import Sequence

from stats.agreement.label_sets import members_of

SUBTREE = "subtree:"


def label_groups(labels: Sequence[str], separator: str | None) -> dict[str, frozenset[str]] | None:
    """Return the labels that count as each label, and as each subtree of a taxonomy (`subtree:PATH`).

    A set of labels counts as each of its members. `separator` stands between the parts of a path; a label counts as
    each subtree that its path goes through. None if each label counts as itself alone.

    >>> groups = label_groups(['a', '["a", "b"]', 'c'], None)
    >>> {name: sorted(group) for name, group in groups.items()}
    {'a': ['["a", "b"]', 'a'], 'c': ['c'], 'b': ['["a", "b"]']}
    >>> {name: sorted(group) for name, group in label_groups(['x/a', 'x/b', 'y'], '/').items()}
    {'x/a': ['x/a'], 'x/b': ['x/b'], 'y': ['y'], 'subtree:x': ['x/a', 'x/b']}
    """
    members = {label: members_of(label) for label in labels}
    if separator is None and all(group == {label} for label, group in members.items()):
        return None
    names = dict.fromkeys(label for label in labels if members[label] == {label})
    names |= dict.fromkeys(sorted({name for group in members.values() for name in group} - names.keys()))
    groups = {name: frozenset(label for label in labels if name in members[label]) for name in names}
    if separator is None:
        return groups
    paths = {name: tuple(part.strip() for part in name.split(separator)) for name in names}
    trees = dict.fromkeys(path[:n] for path in paths.values() for n in range(1, len(path)))
    for tree in trees:
        inside = [name for name, path in paths.items() if path[: len(tree)] == tree]
        shown = f"{SUBTREE}{_joined(tree, inside[0], separator)}"
        groups[shown] = frozenset[str]().union(*(groups[name] for name in inside))
    return groups


def _joined(tree: tuple[str, ...], path: str, separator: str) -> str:
    """Write the beginning of a path as the path has it."""
    return separator.join(path.split(separator)[: len(tree)]).strip()
