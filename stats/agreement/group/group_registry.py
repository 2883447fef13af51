"""List the coefficients of one rater against the others by name. A new one needs a file, an entry and a golden file."""

from collections.abc import Callable
from dataclasses import dataclass

from stats.agreement.coefficients.coefficient import Coefficient, CoefficientResult
from stats.agreement.count_tables import CountTables
from stats.agreement.group.group_tables import GroupTables
from stats.agreement.group.majority_kappa import majority_kappa
from stats.agreement.group.mean_pairwise_kappa import mean_pairwise_kappa
from stats.agreement.group.shah_s import shah_s
from stats.agreement.group.vanbelle_albert import vanbelle_albert
from stats.agreement.weights import LabelSetting


@dataclass(frozen=True)
class GroupCoefficient:
    """An entry of GROUP_COEFFICIENTS. min_others: raters that the group needs. The rest as in `Coefficient`."""

    name: str
    compute: Callable[[CountTables, LabelSetting, GroupTables], CoefficientResult]
    min_others: int = 1
    weighted: bool = True
    by_rater: bool = False
    zero_denominator: str = "The expected agreement is 1 (all of these ratings have one label): nothing can exceed it."

    def against(self, group: GroupTables) -> Coefficient:
        """Return the coefficient of one system with its group."""
        n_others = int(group.tables.m.max(initial=1))  # of one item; without it, only their figures change
        return Coefficient(
            self.name,
            lambda tables, setting: self.compute(tables, setting, group),
            weighted=self.weighted,
            by_rater=self.by_rater,
            zero_denominator=self.zero_denominator,
            width=lambda k, r: k * n_others,
        )


_ALL = (
    GroupCoefficient(
        "shah_s",
        shah_s,
        min_others=2,
        weighted=False,
        by_rater=True,
        zero_denominator="The group's raters agree with each other no more than chance would have them: "
        "there is no agreement beyond chance to reach.",
    ),
    GroupCoefficient(
        "vanbelle_albert",
        vanbelle_albert,
        zero_denominator="The expected agreement is the most that this group allows: nothing can exceed it.",
    ),
    GroupCoefficient("majority_kappa", majority_kappa),
    GroupCoefficient(
        "mean_pairwise_kappa",
        mean_pairwise_kappa,
        by_rater=True,
        zero_denominator="The system has a kappa with no other rater: "
        "fewer than two common items, or one label throughout.",
    ),
)

GROUP_COEFFICIENTS: dict[str, GroupCoefficient] = {coefficient.name: coefficient for coefficient in _ALL}
