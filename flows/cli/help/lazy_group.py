"""The group of all commands, which imports the module of a command only when that command is called."""

import gc
import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from flows.cli.help.command_list import GROUPS, HELP, MODULE_OF
from flows.cli.help.plain_values import take_plain_values


class LazyCommands(dict[str, Any]):
    """The commands by name. The module of a command is imported when its value is asked for."""

    def __getitem__(self, name: str) -> Any:
        command = super().__getitem__(name)
        if command is None:
            command = self[name] = _load(name)
        return command

    def get(self, name: str, default: Any = None) -> Any:
        """Return the command of this name, or `default` if no command has it."""
        return self[name] if name in self else default  # noqa: SIM401

    def values(self) -> Any:
        """Import and return all commands."""
        return self._loaded().values()

    def items(self) -> Any:
        """Import all commands, and return them with their names."""
        return self._loaded().items()

    def _loaded(self) -> dict[str, Any]:
        return {name: self[name] for name in self}


class LazyGroup(TyperGroup):
    """A group that lists its commands without importing them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = LazyCommands(dict.fromkeys(HELP))

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options before the command."""
        return take_plain_values(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return what a list shows of the command: its name and the first paragraph of its help."""
        text = HELP.get(cmd_name)
        return text and TyperCommand(name=cmd_name, help=text, callback=None)

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, without importing anything."""
        return list(HELP)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command itself, which is imported now."""
        name, listed, rest = super().resolve_command(ctx, args)
        command = None if listed is None or name is None else self.commands[name]
        if "duckdb" not in sys.modules:  # see flows.__main__
            gc.freeze()  # modules stay, and need not be searched for garbage
        gc.enable()  # flows.__main__ has stopped it
        return name, command, rest


def _load(name: str) -> Any:
    group = typer.main.get_group(import_module(f"flows.cli.{MODULE_OF[name]}").app)
    group.name = name
    command = group if name in GROUPS else group.commands[name]
    for each in (command, *getattr(command, "commands", {}).values()):
        # Typer adds --help to the parameters here.
        each.get_params = lambda ctx, params=each.get_params: take_plain_values(params(ctx))
    return command
