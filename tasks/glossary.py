"""Define the names that people read in the report, in alerts and in messages, in a line each.

A name that is missing here is shown as it is. The reasons for a null figure are in `stats.reasons`.
"""

# coefficient -> (name, definition)
COEFFICIENTS = {
    "percent_agreement": ("Percent agreement", "share of pairs of ratings of an item that are equal; chance included"),
    "brennan_prediger": ("Brennan-Prediger", "agreement beyond chance, where chance is 1/k for k labels"),
    "bangdiwala_b": ("Bangdiwala's B", "area of agreement divided by the area that the margins allow; two raters"),
    "cohen_kappa": ("Cohen's kappa", "agreement beyond chance from each rater's own label shares; two raters"),
    "scott_pi": ("Scott's pi", "agreement beyond chance from the label shares of both raters together; two raters"),
    "yule_y": ("Yule's Y", "association in a 2 × 2 table that does not depend on its margins"),
    "fleiss_kappa": ("Fleiss' kappa", "Scott's pi for any number of raters: chance from the shares of all ratings"),
    "conger_kappa": ("Conger's kappa", "Cohen's kappa for any number of raters: chance from each rater's own shares"),
    "light_kappa": ("Light's kappa", "mean of Cohen's kappa over all pairs of raters"),
    "krippendorff_alpha": (
        "Krippendorff's alpha",
        "1 minus observed over expected disagreement, by the scale; any number of raters, missing ratings",
    ),
    "gwet_ac1": ("Gwet's AC1", "agreement beyond chance, little affected by one very frequent label"),
    "gwet_ac2": ("Gwet's AC2", "AC1 with weights: near misses count in part"),
    "information_agreement": (
        "Information agreement",
        "information that two raters share, divided by the most possible",
    ),
    "shah_kappa_s": ("Shah's kappa_S", "agreement beyond chance for a fixed group of raters"),
    "icc1": ("ICC(1,1)", "variance between items divided by all variance; each item has other raters"),
    "icc2": ("ICC(2,1)", "variance between items divided by all variance; raters drawn from a population"),
    "icc3": ("ICC(3,1)", "variance between items divided by all variance; these raters only"),
    "icc1k": ("ICC(1,k)", "ICC(1,1) of the mean of all raters"),
    "icc2k": ("ICC(2,k)", "ICC(2,1) of the mean of all raters"),
    "icc3k": ("ICC(3,k)", "ICC(3,1) of the mean of all raters"),
    "shah_s": ("Shah's S", "one rater or system against the group, relative to the best a rater could do"),
    "vanbelle_albert": ("Vanbelle-Albert", "one rater or system against the group's label shares"),
    "majority_kappa": ("Majority kappa", "one rater or system against the majority vote"),
    "mean_pairwise_kappa": ("Mean pairwise kappa", "mean of Cohen's kappa with each rater of the group"),
}
# The figure that speaks for a question: the first of these that is defined.
HEADLINES = ("krippendorff_alpha", "fleiss_kappa", "gwet_ac1", "brennan_prediger", "cohen_kappa", "percent_agreement")

METHODS = {
    "average": ("average of models", "average over fitted models by their BIC weights; the figure to quote"),
    "lehner": ("Lehner's method", "from agreement with the raters' most probable label, in bins of its probability"),
    "binless": ("binless Lehner", "Lehner's method by likelihood, without bins"),
    "attenuation": ("attenuation", "correlation with the raters, corrected for the raters' own errors"),
    "one_coin": ("one-coin model", "errors spread evenly over the other labels"),
    "pooled_free": ("free error model", "free error matrices, one shared by all raters"),
    "ordinal": ("ordinal model", "near misses more likely than far ones"),
    "dawid_skene": ("Dawid-Skene", "a free error matrix for each rater"),
    "difficulty": ("difficulty model", "easy and hard items"),
}

PERIODS = {"day": "By day", "week": "By week", "month": "By month", "batch": "By batch", "last_n": "Last ratings"}
