"""Register the readers, one file for each format.

To add one, write a new file, a line in FORMATS and a fixture in tests/data/exports. Detection asks the formats in this
order. Formats with a distinctive mark come before the general tables. `vote_counts` also takes tables of numbers.
"""

from schemas.rating_columns import METADATA, REJECTS
from tasks.formats.argilla import ARGILLA
from tasks.formats.crowd.appen import APPEN
from tasks.formats.crowd.datasaur import DATASAUR
from tasks.formats.crowd.lighttag import LIGHTTAG
from tasks.formats.crowd.potato import POTATO
from tasks.formats.crowd.toloka import TOLOKA
from tasks.formats.crowd.zooniverse import ZOONIVERSE
from tasks.formats.cvat import CVAT
from tasks.formats.doccano import DOCCANO
from tasks.formats.inspect_ai import INSPECT_AI
from tasks.formats.label_studio import LABEL_STUDIO
from tasks.formats.label_studio_min import LABEL_STUDIO_MIN
from tasks.formats.labelbox import LABELBOX
from tasks.formats.llm_evaluation.deepeval import DEEPEVAL
from tasks.formats.llm_evaluation.helm import HELM
from tasks.formats.llm_evaluation.mlflow_traces import MLFLOW
from tasks.formats.llm_evaluation.mt_bench import MT_BENCH
from tasks.formats.llm_evaluation.openai_evals import OPENAI_EVALS
from tasks.formats.llm_evaluation.opik import OPIK
from tasks.formats.llm_evaluation.promptfoo import PROMPTFOO
from tasks.formats.llm_evaluation.weave import WEAVE
from tasks.formats.llm_feedback import LLM_FEEDBACK
from tasks.formats.lm_eval import LM_EVAL
from tasks.formats.long import LONG
from tasks.formats.mturk import MTURK
from tasks.formats.parsing.export import CANONICAL, Export, Format, ReadOptions
from tasks.formats.prodigy import PRODIGY
from tasks.formats.sagemaker import SAGEMAKER
from tasks.formats.sheets.google_forms import GOOGLE_FORMS
from tasks.formats.sheets.qualtrics import QUALTRICS
from tasks.formats.votes.nested_annotators import NESTED_ANNOTATORS
from tasks.formats.votes.vote_counts import VOTE_COUNTS
from tasks.formats.votes.vote_lists import VOTE_LISTS
from tasks.formats.wide import WIDE

__all__ = ["CANONICAL", "FORMATS", "METADATA", "REJECTS", "Export", "Format", "ReadOptions"]

FORMATS: dict[str, Format] = {
    "label_studio": LABEL_STUDIO,
    "label_studio_min": LABEL_STUDIO_MIN,
    "prodigy": PRODIGY,
    "argilla": ARGILLA,
    "doccano": DOCCANO,
    "cvat": CVAT,
    "mturk": MTURK,
    "llm_feedback": LLM_FEEDBACK,
    "sagemaker": SAGEMAKER,
    "labelbox": LABELBOX,
    "inspect_ai": INSPECT_AI,
    "lm_eval": LM_EVAL,
    "promptfoo": PROMPTFOO,
    "mlflow": MLFLOW,
    "opik": OPIK,
    "weave": WEAVE,
    "deepeval": DEEPEVAL,
    "openai_evals": OPENAI_EVALS,
    "helm": HELM,
    "mt_bench": MT_BENCH,
    "appen": APPEN,
    "toloka": TOLOKA,
    "zooniverse": ZOONIVERSE,
    "potato": POTATO,
    "lighttag": LIGHTTAG,
    "datasaur": DATASAUR,
    "google_forms": GOOGLE_FORMS,
    "qualtrics": QUALTRICS,
    "nested_annotators": NESTED_ANNOTATORS,
    "vote_lists": VOTE_LISTS,
    "long": LONG,
    "vote_counts": VOTE_COUNTS,
    "wide": WIDE,
}
