"""The coefficients by name. A new one is a file with its function, a line here and a golden file in the tests."""

from stats.agreement.brennan_prediger import brennan_prediger
from stats.agreement.coefficient import Coefficient
from stats.agreement.cohen_kappa import cohen_kappa
from stats.agreement.conger_kappa import conger_kappa
from stats.agreement.fleiss_kappa import fleiss_kappa
from stats.agreement.gwet_ac1 import gwet_ac
from stats.agreement.krippendorff_alpha import krippendorff_alpha
from stats.agreement.percent_agreement import percent_agreement
from stats.agreement.scott_pi import scott_pi

COEFFICIENTS: dict[str, Coefficient] = {
    "percent_agreement": Coefficient("percent_agreement", percent_agreement, chance=False),
    "brennan_prediger": Coefficient("brennan_prediger", brennan_prediger),
    "cohen_kappa": Coefficient("cohen_kappa", cohen_kappa, two_raters=True),
    "scott_pi": Coefficient("scott_pi", scott_pi, two_raters=True),
    "fleiss_kappa": Coefficient("fleiss_kappa", fleiss_kappa),
    "conger_kappa": Coefficient("conger_kappa", conger_kappa),
    "krippendorff_alpha": Coefficient("krippendorff_alpha", krippendorff_alpha),
    "gwet_ac1": Coefficient("gwet_ac1", gwet_ac, weighted=False),
}
