"""The process of the schedule, and its children: an interrupt while modules load prints nothing."""

import subprocess
import sys

import pytest

LOADED = """
import runpy, sys
class Interrupt:
    def find_spec(self, name, *rest):
        if name == "{module}":
            raise {error}
sys.meta_path.insert(0, Interrupt())
runpy.run_module("flows.service.scheduler", run_name="{run_name}", alter_sys=True)
"""


@pytest.mark.parametrize(
    ("run_name", "module"), [("__mp_main__", "flows.pipeline"), ("__main__", "flows.service.scheduled_runs")]
)
def test_an_interrupt_while_modules_load_prints_no_traceback(run_name: str, module: str) -> None:
    def stderr(error: str) -> str:
        code = LOADED.format(module=module, error=error, run_name=run_name)
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr

    assert stderr("KeyboardInterrupt") == ""
    assert "ValueError: broken" in stderr("ValueError('broken')")


HELD = """
import atexit, os, runpy, sys, types
sys.modules["flows.pipeline"] = types.ModuleType("flows.pipeline")
sys.modules["flows.service.scheduled_runs"] = types.SimpleNamespace(main=lambda: None)
runpy.run_module("flows.service.scheduler", run_name="{run_name}", alter_sys=True)
print("said while it works", file=sys.stderr)
atexit.register(os.write, 2, b"said by a handler of Prefect")
atexit._clear() if {loud} else None
import duckdb, gc
gc.callbacks.append(lambda *_, held=duckdb.connect(): None)  # as an interrupted run holds it
"""


@pytest.mark.parametrize("run_name", ["__mp_main__", "__main__"])
def test_an_interrupted_run_ends_without_a_list_of_what_duckdb_still_holds(run_name: str) -> None:
    def stderr(*, loud: bool) -> str:
        code = HELD.format(run_name=run_name, loud=loud)
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr

    assert stderr(loud=False) == "said while it works\nsaid by a handler of Prefect"
    assert "leaked" in stderr(loud=True)
