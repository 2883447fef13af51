"""Values of the command line that need no conversion, so that a command need not import pydantic.

Typer builds a pydantic adapter for each parameter, also for one that was left out or is text. For a short command the
import takes longer than all else that Typer does.
"""

from typing import Any, get_args, get_origin

PLAIN = (str, int, float)


class PlainValue:
    """Take a value as it is if it has the type of its parameter. Leave any other value to Typer."""

    def __init__(self, param: Any) -> None:
        self._typer_coercion = param.get_runtime_param
        annotation = param.type_descriptor.annotation
        self._is_list = get_origin(annotation) is list
        self._type = get_args(annotation)[0] if self._is_list else annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter, converted by Typer if it must be."""
        if value is None:  # the option was left out
            return () if param.multiple or param.nargs == -1 else None
        several = isinstance(value, list | tuple)
        values = value if several else (value,)
        if self._type in PLAIN and several == self._is_list and all(type(each) is self._type for each in values):
            return list(value) if several else value
        return self._typer_coercion().coerce(value, param=param, ctx=ctx)


def take_plain_values(params: list[Any]) -> list[Any]:
    """Make parameters take plain values as they are, and return them."""
    for param in params:
        is_typers = hasattr(param, "type_descriptor") and "get_runtime_param" not in vars(param)
        if is_typers and param.type_descriptor.parameter_info.parser is None:
            plain = PlainValue(param)
            param.get_runtime_param = lambda plain=plain: plain
    return params
