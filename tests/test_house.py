"""The habits that keep the code readable: folders, names, lengths, docstrings, and no circles of imports."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOP = ("flows", "tasks", "stats", "schemas", "warehouse")
MAX_MODULES = 20  # in a folder
MAX_LINES = 60  # of a function, without its docstring
Function = ast.FunctionDef | ast.AsyncFunctionDef
# Words that do not say what a name holds.
VAGUE = """asked bare both care complete conspicuous declared done drop due few found given known left_open lift
material named once one parts said silent speaking standing steps taken told work"""
# Those of them that no test and no benchmark uses.
VAGUE_IN_TESTS = "asked declared done found one said taken"
# Where such a word stays, and why.
KEPT = {
    ("done", "flows/settings/sources.py"): "a key of kappaflow.toml",
    ("done", "stats/regions/"): "public: who did which item",
    ("drop", "flows/cli/planning/"): "the option --drop",
    ("drop", "stats/monitoring/alarm_plan.py"): "public: a drop of a figure",
    ("drop", "tasks/single_file/plan_alarms.py"): "the option --drop",
    ("found", "stats/accuracy/labels/per_label.py"): "public",
    ("found", "stats/accuracy/prepared_ratings.py"): "public",
    ("found", "warehouse/maintenance/doctor.py"): "a key of `doctor --json`",
    ("known", "stats/monitoring/"): "public: the looks of an earlier run",
    ("once", "tasks/ingest/duplicates.py"): "the stored hash of the settings has its name",
    ("parts", "tasks/formats/"): "public: a large file is read in parts",
    ("parts", "tasks/ingest/spooled_export.py"): "a large file is kept in parts",
    ("parts", "warehouse/staging.py"): "a large file is kept in parts",
    ("steps", "flows/cli/runs/run_progress.py"): "the steps of a run",
    ("steps", "stats/accuracy/fitting/"): "steps of EM and of Newton's method are counted",
    ("steps", "stats/accuracy/warnings_in_words.py"): "steps of EM are counted",
    ("steps", "warehouse/batches.py"): "the numbered steps of the SQL",
}


@cache
def trees() -> dict[Path, ast.Module]:
    """Parse each module of the product: path below the project -> tree."""
    files = (path for top in TOP for path in sorted((ROOT / top).rglob("*.py")))
    results = {path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8")) for path in files}
    assert len(results) > 100
    return results


def test_a_folder_has_few_modules() -> None:
    product = Counter(path.parent for path in trees() if path.stem != "__init__")
    tests = Counter(path.parent.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py"))
    assert {str(folder): n for folder, n in (product + tests).items() if n > MAX_MODULES} == {}


def test_a_name_stands_for_one_module_and_one_class_within_a_top_folder() -> None:
    places = defaultdict(list)
    for path, tree in trees().items():
        if path.stem != "__init__":
            places[path.parts[0], path.stem].append(str(path))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[path.parts[0], node.name].append(str(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_names_say_what_they_hold() -> None:
    """Locals, parameters, functions, classes, fields and constants. KEPT lists the exceptions, all of them in use."""
    unexplained, needed = set(), set()
    for path, tree in trees().items():
        for word, name in _vague_names(tree):
            reasons = {(kept, place) for kept, place in KEPT if kept == word and str(path).startswith(place)}
            needed |= reasons
            if not reasons:
                unexplained.add(f"{path}: {name}")
    assert unexplained == set()
    assert KEPT.keys() - needed == set()


def test_names_in_tests_and_benchmarks_say_what_they_hold() -> None:
    files = [path for top in ("tests", "benchmarks") for path in (ROOT / top).rglob("*.py")]
    assert len(files) > 300
    names = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for word, name in _vague_names(ast.parse(path.read_text(encoding="utf-8")))
        if word in VAGUE_IN_TESTS.split()
    ]
    assert names == []


def test_a_vague_name_is_seen() -> None:
    planted = """
class Done:
    found: int

def given(known, *, _parts=1):
    self.taken = [one for one in known]
    with open(known) as told:
        STEPS = lambda few: few
    try:
        import due_dates as due
    except OSError as said:
        pass
    return parts.steps(named=parts)
"""
    words = [word for word, _ in _vague_names(ast.parse(planted))]
    assert " ".join(sorted(words)) == "done due few found given known one parts said steps taken told"


def test_functions_are_short() -> None:
    lengths = {f"{path}: {node.name}": _length(node) for path, node in _functions()}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def test_all_that_is_public_has_a_docstring() -> None:
    silent = [
        f"{path}: {name}"
        for path, tree in trees().items()
        for name, node in _public(tree)
        if not ast.get_docstring(node)
    ]
    assert silent == []


def test_imports_form_no_circle() -> None:
    """Imports for types alone, and those within functions, count too."""
    modules = {_module(path): tree for path, tree in trees().items()}
    sorter = TopologicalSorter({name: _imported(name, tree, modules.keys()) for name, tree in modules.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from error


def test_the_kind_of_a_rater_is_asked_for_by_name() -> None:
    """Conditions on `rater_kind` are those of schemas.rating_columns (IS_HUMAN, IS_SYSTEM, IS_GOLD)."""
    condition = re.compile(r"""col\("rater_kind"\) [!=]= ["']|filter\(rater_kind=""")
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in trees()}
    assert any("IS_HUMAN" in text for text in texts.values())
    assert [str(path) for path, text in texts.items() if condition.search(text)] == []


def _vague_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each vague word that a name in this module is, and the name."""
    for node in ast.walk(tree):
        for name in _bound_names(node):
            if (word := name.lower().strip("_")) in VAGUE.split():
                yield word, name


def _bound_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        return [name] if isinstance(node.ctx, ast.Store) else []
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, Function | ast.ClassDef | ast.ExceptHandler):
        return [node.name or ""]
    return [node.asname or ""] if isinstance(node, ast.alias) else []


def _functions() -> Iterator[tuple[Path, Function]]:
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, Function):
                yield path, node


def _length(node: Function) -> int:
    first = node.body[0]
    docstring = (first.end_lineno or 0) - first.lineno + 1 if ast.get_docstring(node) is not None else 0
    return (node.end_lineno or 0) - node.lineno + 1 - docstring


def _public(
    tree: ast.Module | ast.ClassDef, prefix: str = ""
) -> Iterator[tuple[str, ast.Module | ast.ClassDef | Function]]:
    """The module, its public classes with their public methods, and its public functions."""
    if isinstance(tree, ast.Module) and tree.body:  # an empty __init__.py says nothing
        yield "the module", tree
    for node in tree.body:
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _public(node, f"{node.name}.")


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imported(module: str, tree: ast.Module, known: Container[str]) -> set[str]:
    """The modules of the product that one imports."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in known else node.module for name in full}
    return {name for name in names if name in known} - {module}
