"""Simulated studies, by the source paper's 14 figures or a design of the user: how near methods come to the truth.

`study` runs the simulations, `closeness` summarises the runs, `simulation_page` shows them, and `output_folder` writes
the files.
"""

from flows.simulation.closeness import as_json, closeness, overall, per_study, summary
from flows.simulation.output_folder import check_folder, write_folder
from flows.simulation.study import Study, chosen_methods, own_study, paper_studies, run_studies

__all__ = [
    "Study",
    "as_json",
    "check_folder",
    "chosen_methods",
    "closeness",
    "overall",
    "own_study",
    "paper_studies",
    "per_study",
    "run_studies",
    "summary",
    "write_folder",
]
