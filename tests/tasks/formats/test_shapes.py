"""Each shape of the team's folder is read with the counts that its README expects, or refused as it asks for.

The samples lie in the team's shared folder beside the checkout; without it these tests are skipped.
"""

from collections import Counter
from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.formats.preferences.read_preferences import read_preferences
from tasks.formats.regions.read_regions import read_regions
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate

SHAPES = Path(__file__).parents[4] / "shared" / "data" / "samples" / "shapes"
pytestmark = pytest.mark.skipif(not SHAPES.exists(), reason=f"{SHAPES} is not there")

Counts = dict[tuple[str, str], int]
JIGSAW = ("toxic", "severe_toxic", "obscene", "identity_attack", "insult", "threat")
DICES = ("Q1_whole_conversation_evaluation", "Q2_harmful_content_overall", "Q3_bias_overall", "Q_overall")
TURNS = "question_id|model_a|model_b|turn"

READ: dict[str, tuple[Counts, int, int, ReadOptions]] = {
    "alpacaeval_annotations.json": (
        {("alpacaeval_annotations", "human"): 4}, 1, 0,
        ReadOptions(
            columns={"item": "instruction|generator_1|generator_2", "rater": "annotator", "label": "preference"}
        ),
    ),
    "appen_full_report.csv": (
        {("is_it_a_car", "human"): 2, ("is_it_a_car", "gold"): 1, ("colors", "human"): 1}, 1, 0, ReadOptions()
    ),
    "appen_full_report.jsonl": ({("is_it_a_car", "human"): 1, ("colors", "human"): 1}, 1, 0, ReadOptions()),
    "chaosnli_counts.jsonl": ({("chaosnli_counts", "human"): 200}, 0, 0, ReadOptions()),
    "crows_pairs_list_cells.csv": ({("crows_pairs_list_cells", "human"): 5}, 1, 0, ReadOptions()),
    "cvat_images.xml": ({("cvat", "human"): 2}, 1, 0, ReadOptions()),
    "datasaur_row_labeling.json": ({("Tone", "human"): 2}, 0, 0, ReadOptions()),
    "dawid_skene_obs_triples.csv": (
        {("dawid_skene_obs_triples", "human"): 10}, 0, 0,
        ReadOptions(columns={"item": "patient", "rater": "observer", "label": "response"}),
    ),
    "deepeval_test_run.json": (
        {("Answer Relevancy", "system"): 1, ("Faithfulness", "system"): 1}, 0, 0, ReadOptions()
    ),
    "dices_many_question_columns.csv": (
        {(question, "human"): 3 for question in DICES}, 0, 0,
        ReadOptions(columns={"item": "item_id", "label": "|".join(DICES)}),
    ),
    "fleiss_table_counts.csv": ({("fleiss_table_counts", "human"): 42}, 0, 0, ReadOptions()),
    "get_another_label_headerless.txt": (
        {("get_another_label_headerless", "human"): 4}, 0, 0,
        ReadOptions(header=False, columns={"rater": "1", "item": "2", "label": "3"}),
    ),
    "goemotions_onehot.csv": ({("goemotions_onehot", "human"): 4}, 0, 1, ReadOptions()),
    "google_forms_respondent_rows.csv": ({("google_forms_respondent_rows", "human"): 8}, 0, 0, ReadOptions()),
    "hatexplain_dict.json": ({("label", "human"): 6, ("target", "human"): 6}, 0, 0, ReadOptions()),
    "helm_per_instance_stats.json": ({("exact_match", "system"): 2}, 0, 0, ReadOptions()),
    "jigsaw_individual_annotations.csv": (
        {(question, "human"): 4 for question in JIGSAW}, 0, 0, ReadOptions(columns={"label": "|".join(JIGSAW)})
    ),
    "lewidi2_parallel_strings.json": ({("lewidi2_parallel_strings", "human"): 9}, 0, 0, ReadOptions()),
    "lewidi3_dict_by_annotator.json": ({("lewidi3_dict_by_annotator", "human"): 4}, 0, 0, ReadOptions()),
    "lighttag_export.json": ({("lighttag_export", "human"): 2}, 0, 0, ReadOptions()),
    "ls_pairwise_number_ranker.json": ({("num", "human"): 4}, 4, 0, ReadOptions()),
    "mace_headerless_matrix.csv": (
        {("mace_headerless_matrix", "human"): 13}, 0, 0, ReadOptions(header=False, columns={"raters": "1|2|3|4"})
    ),
    "mlflow_traces_assessments.json": (
        {("relevance", "human"): 2, ("relevance", "system"): 2, ("expected_response", "gold"): 1}, 0, 0, ReadOptions()
    ),
    "mtbench_human_judgments.jsonl": (
        {("mtbench_human_judgments", "human"): 5}, 0, 0,
        ReadOptions(columns={"item": TURNS, "rater": "judge", "label": "winner"}),
    ),
    "multi_q.csv": (
        {("sentiment", "human"): 4, ("toxicity", "human"): 4}, 0, 0,
        ReadOptions(columns={"label": "sentiment|toxicity"}),
    ),
    "openai_evals_log.jsonl": (
        {("x.dev.v0/match", "system"): 2, ("x.dev.v0/metrics", "system"): 1}, 0, 1, ReadOptions()
    ),
    "opik_traces_feedback_scores.jsonl": (
        {("helpful", "human"): 2, ("Hallucination", "system"): 1}, 0, 0, ReadOptions()
    ),
    "popquorn_survey_long.csv": (
        {("popquorn_survey_long", "human"): 3}, 0, 0, ReadOptions(columns={"label": "offensiveness"})
    ),
    "potato_annotated_instances.jsonl": ({("tone", "human"): 2, ("likert", "human"): 2}, 0, 0, ReadOptions()),
    "potato_user_state.json": ({("tone", "human"): 2}, 0, 0, ReadOptions()),
    "promptfoo_results_v3.json": (
        {("promptfoo_results_v3", "system"): 5, ("promptfoo_results_v3", "human"): 1}, 0, 0, ReadOptions()
    ),
    "qualtrics_three_header_rows.csv": ({("Q1", "human"): 4, ("Q2", "human"): 4}, 0, 1, ReadOptions()),
    "r_irr_diagnoses_no_id.csv": ({("r_irr_diagnoses_no_id", "human"): 9}, 0, 0, ReadOptions()),
    "r_write_csv_rownames.csv": ({("r_write_csv_rownames", "human"): 9}, 0, 0, ReadOptions()),
    "scale_rapid_wide_judges.csv": (
        {("scale_rapid_wide_judges", "human"): 4, ("scale_rapid_wide_judges", "system"): 2}, 0, 0,
        ReadOptions(
            columns={"item": "prompt", "raters": "human_rating_1|human_rating_2|llm_judge"},
            systems=frozenset({"llm_judge"}),
        ),
    ),
    "snli_annotator_labels.jsonl": ({("snli_annotator_labels", "human"): 5}, 0, 1, ReadOptions()),
    "toloka_assignments.tsv": ({("result", "human"): 2, ("result", "gold"): 1}, 1, 1, ReadOptions()),
    "weave_calls_feedback.jsonl": ({("tone", "human"): 1}, 0, 1, ReadOptions()),
    "zooniverse_classifications.csv": ({("T0", "human"): 3, ("T1", "human"): 2}, 1, 0, ReadOptions()),
}  # fmt: skip
"""For each file: ratings by question and kind, rejected, skipped, and the options."""

REFUSED = {
    "brat_doc1.ann": "spans of one document",
    "category_meta.csv": "'helpful' could be the label",
    "alpacaeval_annotations.json": "which of two models won",
    "chatbot_arena_battles.jsonl": "which of two models won",
    "mtbench_human_judgments.jsonl": "which of two models won",
    "coco_instances.json": "boxes on images in COCO",
    "inception_webanno33.tsv": "spans of one document",
    "jigsaw_train.csv": "hold only 0 and 1 under names that do not look like people's",
    "llm_eval_sheet.csv": "'score' could be the label",
    "qa_sheet.csv": "'score' could be the label",
    "sagemaker_output.manifest": "output manifest of SageMaker Ground Truth",
    "wide_gold.csv": "'gold_label' is named as an aggregate",
}
"""Regions, preferences, tables of which two readings are possible, and what holds no votes."""

REGIONS = {"doccano_spans_admin.jsonl", "ls_labels_spans.json"}
"""Read by other readers, without a rating of the whole item."""


PREFERENCES = {
    "alpacaeval_annotations.json": (4, 3, 1),
    "chatbot_arena_battles.jsonl": (3, 3, 0),
    "ls_pairwise_number_ranker.json": (4, 2, 0),
    "mtbench_human_judgments.jsonl": (5, 3, 0),
}
"""What `prefer` reads: votes, comparisons, rejected votes."""


MARKED = {
    "brat_doc1.ann": 2,
    "coco_instances.json": 1,
    "cvat_images.xml": 1,
    "doccano_spans_admin.jsonl": 2,
    "inception_webanno33.tsv": 2,
    "ls_labels_spans.json": 3,
}
"""What `agree` reads: marked spans and boxes."""


@pytest.mark.parametrize("name", MARKED)
def test_spans_and_boxes_are_read_with_the_expected_counts(name: str) -> None:
    held = read_regions([SHAPES / name], ReadOptions())
    assert held is not None
    assert (held.n_regions, held.rejects.height) == (MARKED[name], 0)


@pytest.mark.parametrize("name", PREFERENCES)
def test_preferences_are_read_with_the_expected_counts(name: str) -> None:
    export = read_preferences(SHAPES / name)
    assert (export.votes.height, export.n_comparisons, export.rejects.height) == PREFERENCES[name]


@pytest.mark.parametrize("name", READ)
def test_a_shape_is_read_with_the_expected_counts(name: str) -> None:
    counts, n_rejected, n_skipped, options = READ[name]
    checked = validate(read_export(SHAPES / name, options))
    assert Counter(checked.ratings.select("question", "rater_kind").rows()) == counts
    assert (checked.rejects.height, checked.n_skipped) == (n_rejected, n_skipped)


@pytest.mark.parametrize("name", REFUSED)
def test_a_shape_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(ReadError, match=REFUSED[name]):
        read_export(SHAPES / name)


def test_a_manifest_is_refused_with_the_folder_to_take() -> None:
    with pytest.raises(ReadError) as caught:
        read_export(SHAPES / "sagemaker_output.manifest")
    assert "annotations/worker-response" in caught.value.hint


@pytest.mark.parametrize("name", sorted(REGIONS))
def test_parts_of_items_and_pairs_are_no_ratings_of_items(name: str) -> None:
    assert validate(read_export(SHAPES / name)).ratings.is_empty()


def test_every_shape_has_its_test() -> None:
    assert {path.name for path in SHAPES.iterdir()} - {"README.md"} == {*READ, *REFUSED, *REGIONS}
