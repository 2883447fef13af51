"""List the coefficients by name. A new one needs a file with its function, an entry here and a golden file."""

from stats.agreement.coefficients.bangdiwala_b import bangdiwala_b
from stats.agreement.coefficients.brennan_prediger import brennan_prediger
from stats.agreement.coefficients.coefficient import ALL_RATERS, Coefficient
from stats.agreement.coefficients.cohen_kappa import cohen_kappa
from stats.agreement.coefficients.conger_kappa import conger_kappa
from stats.agreement.coefficients.fleiss_kappa import fleiss_kappa
from stats.agreement.coefficients.gwet_ac1 import gwet_ac
from stats.agreement.coefficients.icc import icc1, icc1k, icc2, icc2k, icc3, icc3k
from stats.agreement.coefficients.information_agreement import information_agreement, too_few_items_for_labels
from stats.agreement.coefficients.krippendorff_alpha import krippendorff_alpha
from stats.agreement.coefficients.light_kappa import light_kappa
from stats.agreement.coefficients.percent_agreement import percent_agreement
from stats.agreement.coefficients.scott_pi import scott_pi
from stats.agreement.coefficients.yule_y import yule_y

_ALL = (
    Coefficient(
        "percent_agreement", percent_agreement, corrects_chance=False, by_rater=False, needs_names=False, lower_limit=0
    ),
    Coefficient("brennan_prediger", brennan_prediger, by_rater=False, needs_names=False),
    Coefficient(
        "bangdiwala_b",
        bangdiwala_b,
        two_raters=True,
        min_ratings=2,
        weighted=False,
        corrects_chance=False,
        lower_limit=0,
        has_p_value=False,
        zero_denominator="No label was used by both raters.",
    ),
    Coefficient("cohen_kappa", cohen_kappa, two_raters=True, min_ratings=2),
    Coefficient("scott_pi", scott_pi, two_raters=True, min_ratings=2, needs_names=False),
    Coefficient(
        "yule_y",
        yule_y,
        two_raters=True,
        min_ratings=2,
        two_labels=True,
        weighted=False,
        lower_limit=-1,
        zero_denominator="The odds ratio is infinite or undefined: a cell of the raters' table is empty.",
    ),
    Coefficient("fleiss_kappa", fleiss_kappa, by_rater=False, needs_names=False),
    Coefficient("conger_kappa", conger_kappa),
    Coefficient(
        "light_kappa",
        light_kappa,
        min_ratings=2,
        width=lambda k, r: (k * r) ** 2 // 2,
        zero_denominator="No pair of raters has a kappa.",
    ),
    Coefficient("krippendorff_alpha", krippendorff_alpha, by_rater=False, needs_names=False, min_ratings=2),
    Coefficient("gwet_ac1", gwet_ac, by_rater=False, needs_names=False, weighted=False, weighted_form="gwet_ac2"),
    Coefficient("gwet_ac2", gwet_ac, by_rater=False, needs_names=False),
    Coefficient(
        "information_agreement",
        information_agreement,
        caution=too_few_items_for_labels,
        two_raters=True,
        min_ratings=2,
        weighted=False,
        lower_limit=0,
        has_p_value=False,
    ),
    Coefficient("shah_kappa_s", conger_kappa, weighted=False, weighted_form="conger_kappa"),
    *(
        Coefficient(
            form.__name__,
            form,
            numeric=True,
            needs_names=form not in (icc1, icc1k),
            min_ratings=ALL_RATERS,
            width=lambda k, r: r + 3,
            weighted=False,
            corrects_chance=False,
            zero_denominator="There is no variance between the items to share out.",
        )
        for form in (icc1, icc2, icc3, icc1k, icc2k, icc3k)
    ),
)

COEFFICIENTS: dict[str, Coefficient] = {coefficient.name: coefficient for coefficient in _ALL}
