"""What the figures were measured on."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path


def machine(packages: Sequence[str]) -> dict[str, str]:
    """Processor, cores that this process may use, memory, and the versions of Python and of these packages."""
    return {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "memory": f"{memory_mb() / 1024:.1f} GB",
        "system": platform.system(),
        "Python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def memory_mb() -> float:
    """Memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
