"""Find the tables within the tables of kappaflow.toml."""

from collections.abc import Sequence
from typing import Any, get_args, get_origin

from flows.settings.values import SettingsTable


def nested_table(annotation: Any) -> type[SettingsTable] | None:
    """Return the table that a setting holds: one, a list of them, or several by name. None if it holds a value.

    >>> class Inner(SettingsTable): ...
    >>> [nested_table(of).__name__ for of in (Inner, list[Inner], dict[str, Inner], Inner | None)], nested_table(int)
    (['Inner', 'Inner', 'Inner', 'Inner'], None)
    """
    if isinstance(annotation, type) and issubclass(annotation, SettingsTable):
        return annotation
    return next((table for part in get_args(annotation) if (table := nested_table(part))), None)


def table_with(location: Sequence[int | str], settings: type[SettingsTable]) -> type[SettingsTable]:
    """Return the table that holds, or would hold, the last key of a location: keys, names of tables, their numbers.

    >>> class Inner(SettingsTable): ...
    >>> class Outer(SettingsTable):
    ...     by_name: dict[str, Inner] = {}
    ...     several: list[Inner] = []
    >>> [table_with(location, Outer).__name__ for location in (("x",), ("by_name", "ann", "x"), ("several", 0, "x"))]
    ['Outer', 'Inner', 'Inner']
    """
    table = settings
    above = iter(location[:-1])
    for step in above:
        field = next((f for name, f in table.model_fields.items() if step == (f.alias or name)), None)
        nested = nested_table(field.annotation) if field else None
        if field is None or nested is None:
            continue
        table = nested
        if get_origin(field.annotation) is dict:
            next(above, None)  # the name that the user gave to the table
    return table
