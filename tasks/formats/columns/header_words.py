"""Judge by its header whether a column of a wide table is a person, an aggregate, a flag, a question or a label.

The headers that a column of item, rater or label may have are in `tasks.formats.columns.column_roles`.
"""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PEOPLE = _words(
    "rater annotator annot ann worker coder labeler labeller judge assessor evaluator reviewer user participant "
    "respondent contributor human expert person crowd turker grader marker reader observer rad radiologist doctor "
    "nurse clinician psychiatrist pathologist student moderator editor referee member lead "
    "model gpt llm claude gemini llama mistral qwen bert system bot ai machine classifier baseline rules"
)
AGGREGATES = _words(
    "gold goldlabel truth truelabel groundtruth correct correctlabel reference target majority majoritylabel consensus "
    "correctanswer rightanswer trueanswer answerkey expectedanswer finalanswer agreed reconciled harmonized aggregate "
    "aggregated agg adjudicated adjudication adjudicator resolved resolution final finallabel hardlabel mode mean "
    "median average avg label labels"
)
AGGREGATE_TOKENS = AGGREGATES - {"label", "labels", "reference", "target", "correct", "mode", "final"}
FLAGS = frozenset(("is", "has", "was", "contains"))
TOPICS = _words(
    "toxic toxicity obscene insult threat hate hateful offensive offensiveness abusive racism sexism identity spam "
    "positive negative neutral joy anger sadness fear surprise disgust love admiration sarcasm irony humor humour "
    "helpful helpfulness harmless harmful honest honesty correctness relevant relevance fluent fluency coherent "
    "coherence consistent consistency faithful faithfulness accuracy adequacy quality sentiment tone stance bias "
    "politeness safety clarity conciseness grammar informativeness groundedness completeness usefulness"
)
ANSWERS = _words("yes no maybe unsure unknown true false agree disagree entailment contradiction other none")
COUNTS = _words("n num number count counts vote votes freq frequency")
NUMBERED_TOPICS = _words(
    "q question item cat category class topic tag option choice feature attribute aspect criterion dim dimension "
    "emotion symptom intent theme"
)
ABOUT_RATERS = _words(
    "gender sex age race ethnicity education country nationality region city locale language lang religion income "
    "ip channel device browser session phase split fold batch trust"
)
ABOUT_RATINGS = _words(
    "confidence confident conf certainty certain sure difficulty difficult ease easiness complexity effort duration "
    "spent ambiguity disagreement conflict"
)
ABOUT_ITEMS = ABOUT_RATINGS | _words(
    "agreement priority importance urgency stars star year month week day hour time times seconds minutes flag flagged "
    "skip skipped done duplicate duplicates escalate escalated review reviewed needs need status rating ratings score "
    "scores level levels rank length words chars pages size weight price version n number num of the to in is has"
)
SENTENCE = _words(
    "is are was were does did if how what which why whether should could have not the this match matches isn aren doesn"
)
TEXTS = _words(
    "comment comments note notes explanation rationale reason reasoning justification feedback text prompt instruction "
    "input output context title url link image path file premise hypothesis sentence"
)
PLACES_AND_TIMES = _words(
    "id uuid uid hash index row unnamed time date datetime timestamp created updated started submitted finished "
    "duration seconds ms utc link confidence probability prob"
)
ITEMS = _words(
    "id ids item doc document text unit task sample instance example subject patient case image record sentence tweet "
    "post comment prompt instruction question conversation pair uid"
)
STATES = _words(
    "status state tainted golden missed trust turn anony model generator system version name workflow worker "
    "assignment metadata meta reward"
)
QUESTIONS = _words("question questions criterion criteria dimension aspect attribute metric")
RATERS = _words(
    "rater annotator annot ann worker coder labeler labeller judge assessor evaluator reviewer user participant "
    "respondent contributor observer grader marker reader expert email username person member author by"
)


def tokens(header: str) -> list[str]:
    """Return the words of a header in lower case.

    >>> tokens("isTrain"), tokens("severe_toxic"), tokens("ASSIGNMENT:worker_id"), tokens("ann1")
    (['is', 'train'], ['severe', 'toxic'], ['assignment', 'worker', 'id'], ['ann', '1'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]", header)]


def names_person(header: str) -> bool:
    """Check whether the header is that of a person's or a system's column.

    >>> [names_person(h) for h in ("rater_2", "ann1", "A", "eva@x.org", "gpt-4", "toxic", "Q1", "severe_toxic", "eva")]
    [True, True, True, True, True, False, False, False, False]
    """
    words = tokens(header)
    if "@" in header or PEOPLE & set(words):
        return True
    if set(words) <= ANSWERS:
        return False
    stem = [word for word in words if not word.isdigit()]
    if len(stem) == 1 and len(stem) < len(words):
        return stem[0] not in NUMBERED_TOPICS | TOPICS
    return len(words) == 1 and len(words[0]) <= 2 and words[0] not in NUMBERED_TOPICS | ITEMS | PLACES_AND_TIMES


def names_aggregate(header: str) -> bool:
    """Check whether the header names the right answer, or one that was computed from the raters' answers.

    >>> [names_aggregate(h) for h in ("gold_label", "majority", "Final label", "Correct answer", "golda", "label_2")]
    [True, True, True, True, False, False]
    """
    words = tokens(header)
    if names_person(header) and not AGGREGATE_TOKENS & set(words):
        return False
    return bool(words) and (
        set(words) <= AGGREGATES or "".join(words) in AGGREGATES or bool(AGGREGATE_TOKENS & set(words))
    )


def names_remark(header: str) -> bool:
    """Check whether the header names something said of a rating or an item, not who rated: `confidence`, `stars`.

    >>> [names_remark(h) for h in ("Confidence (1-5)", "Annotator confidence", "time spent", "needs review", "stars")]
    [True, True, True, True, True]
    >>> [names_remark(h) for h in ("rating 1", "human score", "score_anna", "conf_b", "anna", "reviewer", "")]
    [False, False, False, False, False, False, False]
    """
    words = set(tokens(re.sub(r"[(\[].*?[)\]]", " ", header)))
    return bool(words) and (words <= ABOUT_ITEMS or (bool(words & ABOUT_RATINGS) and words <= ABOUT_ITEMS | PEOPLE))


def names_question(header: str) -> bool:
    """Check whether the header names a question, a label or a flag: `fluency`, `Q1`, `is_train`, `Shape is closed`.

    >>> [names_question(h) for h in ("fluency", "Q1", "cat3", "is_train", "no", "toxicity_rater_1", "eva", "ann1")]
    [True, True, True, True, True, False, False, False]
    >>> [names_question(h) for h in ("Shape(s) is closed", "Angles (if any)", "Eva Maria Lang", "score of eva")]
    [True, True, False, False]
    """
    words = tokens(header)
    if names_person(header) or not words:
        return False
    if len(words) > 2 and SENTENCE & set(words):
        return True
    numbered = len(words) > 1 and words[0] in NUMBERED_TOPICS
    return words[0] in FLAGS or numbered or bool((TOPICS | ANSWERS) & set(words))


def names_count(header: str) -> bool:
    """Check whether the header names a number of votes.

    >>> [names_count(h) for h in ("n_yes", "votes_no", "toxic_count", "yes", "n1")]
    [True, True, True, False, False]
    """
    words = tokens(header)
    return len(words) > 1 and not words[1].isdigit() and bool({words[0], words[-1]} & COUNTS)


def may_be_label(header: str) -> bool:
    """Check whether the header may name a label: it is no id, time, text or trait of a rater.

    >>> [may_be_label(h) for h in ("score", "toxic", "rater_gender", "answer_time_ms", "comment", "gold_label")]
    [True, True, False, False, False, False]
    """
    words = set(tokens(header))
    return not words & (ABOUT_RATERS | TEXTS | PLACES_AND_TIMES | RATERS) and (
        not names_aggregate(header) or "".join(tokens(header)) in ("label", "labels")
    )
