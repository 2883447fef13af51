"""Register the readers, one file for each format.

To add one, write a new file, a line in FORMATS and a fixture in tests/data/exports. Detection asks the formats in this
order. Formats with a distinctive mark come before the general tables.
"""

from schemas.rating_columns import METADATA, REJECTS
from tasks.formats.argilla import ARGILLA
from tasks.formats.doccano import DOCCANO
from tasks.formats.inspect_ai import INSPECT_AI
from tasks.formats.label_studio import LABEL_STUDIO
from tasks.formats.label_studio_min import LABEL_STUDIO_MIN
from tasks.formats.labelbox import LABELBOX
from tasks.formats.llm_feedback import LLM_FEEDBACK
from tasks.formats.lm_eval import LM_EVAL
from tasks.formats.long import LONG
from tasks.formats.mturk import MTURK
from tasks.formats.parsing.export import CANONICAL, Export, Format, ReadOptions
from tasks.formats.prodigy import PRODIGY
from tasks.formats.sagemaker import SAGEMAKER
from tasks.formats.wide import WIDE

__all__ = ["CANONICAL", "FORMATS", "METADATA", "REJECTS", "Export", "Format", "ReadOptions"]

FORMATS: dict[str, Format] = {
    "label_studio": LABEL_STUDIO,
    "label_studio_min": LABEL_STUDIO_MIN,
    "prodigy": PRODIGY,
    "argilla": ARGILLA,
    "doccano": DOCCANO,
    "mturk": MTURK,
    "llm_feedback": LLM_FEEDBACK,
    "sagemaker": SAGEMAKER,
    "labelbox": LABELBOX,
    "inspect_ai": INSPECT_AI,
    "lm_eval": LM_EVAL,
    "long": LONG,
    "wide": WIDE,
}
