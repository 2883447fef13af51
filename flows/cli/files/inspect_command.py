"""The commands `inspect` and `formats`: what is in a file, and which files can be read."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.files import file_options as fo
from flows.cli.files import inspection_output
from flows.cli.files.input_files import input_files
from flows.cli.runs.run_progress import run_progress
from tasks.formats import FORMATS, ReadOptions
from tasks.formats.columns.column_roles import MAPPABLE

if TYPE_CHECKING:
    from tasks.sources.object_store.store_source import ObjectStore

app = typer.Typer()


@app.command()
def inspect(
    file: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Exports, shown one by one. Addresses in an object store work, too: s3://bucket/labels/monday.json.",
        ),
    ],
    format: opt.Format = None,
    columns: opt.Columns = None,
    no_header: opt.NoHeader = False,
    regions: opt.Regions = ReadOptions.regions,
    system: opt.Systems = None,
    dataset: Annotated[
        bool,
        typer.Option(
            "--dataset",
            help="FILE is a dataset: a folder of Parquet files, a pattern, a Delta table, or one of these in an object "
            "store. Its ratings are not read.",
        ),
    ] = False,
    json: opt.Json = False,
) -> None:
    """Show what is in a file: format, questions, raters, labels, rows that would be rejected. Stores nothing.

    [bold]Examples[/bold]

    \b
      kappaflow inspect export.json
      kappaflow inspect sheet.csv --columns item=doc,rater=coder,label=code
      kappaflow inspect "exports/*.csv"
      kappaflow inspect s3://bucket/labels/monday.json
      kappaflow inspect --dataset ratings
    """
    from tasks.formats.preferences.pairwise_table import ROLES

    roles = tuple(dict.fromkeys((*MAPPABLE, *ROLES)))
    options = fo.read_options(format, columns, system, no_header=no_header, regions=regions, roles=roles)
    if dataset:
        _inspect_datasets(file, options, json)
        return
    from tasks.single_file.inspect_file import inspect_file, inspect_object
    from tasks.sources.object_store.address import is_address

    local = [name for name in file if not is_address(name)]
    with run_progress(quiet=json, step="reading"), input_files(local) as files:
        inspections = [{"file": name, **inspect_file(path, options)} for name, path in files.items()]
    for address in filter(is_address, file):
        inspections.append({"file": address, **inspect_object(_object_store(address), options)})
    if json:
        terminal.print_json(inspections if len(inspections) > 1 else inspections[0])
        return
    for inspection in inspections:
        inspection_output.print_inspection(inspection, several=len(inspections) > 1)


def _inspect_datasets(paths: list[str], options: ReadOptions, json: bool) -> None:
    from tasks.single_file.inspect_dataset import inspect_dataset
    from tasks.sources.dataset import PATTERN, DatasetSource
    from tasks.sources.object_store.address import is_address

    inspections = []
    for path in paths:
        source = DatasetSource(path, Path(path), options=options)
        if is_address(path):
            store = _object_store(path)
            pattern = store.address.pattern
            store = replace(store, pattern=pattern or PATTERN)
            source = replace(source, path=Path(store.address.base, pattern or ""), store=store)
        with run_progress(quiet=json, step="reading"):
            inspections.append({"file": path, **inspect_dataset(source)})
    if json:
        terminal.print_json(inspections if len(inspections) > 1 else inspections[0])
        return
    for inspection in inspections:
        inspection_output.print_dataset(inspection)


@app.command()
def formats(json: opt.Json = False) -> None:
    """List the export formats that can be read.

    [bold]Example[/bold]

    \b
      kappaflow formats
    """
    rows = [
        {"format": name, "files": " ".join(reader.extensions), "what": reader.describe}
        for name, reader in FORMATS.items()
    ]
    if json:
        terminal.print_json(rows)
    else:
        terminal.print_table(rows)


def _object_store(address: str) -> "ObjectStore":
    """Return the object store at an address.

    Endpoint and region are those of the current project, if there is one. Credentials are in the environment.
    """
    from flows.project_folder import find_project
    from flows.settings import task_inputs

    return task_inputs.sources_from_command_line(find_project(), [address])[1][0]
