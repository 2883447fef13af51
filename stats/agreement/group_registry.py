"""The coefficients of one rater against the others, by name. A new one is a file, a line here and a golden file."""

from collections.abc import Callable
from dataclasses import dataclass

from stats.agreement.coefficient import Coefficient, Parts
from stats.agreement.group_tables import Group
from stats.agreement.majority_kappa import majority_kappa
from stats.agreement.mean_pairwise_kappa import mean_pairwise_kappa
from stats.agreement.shah_s import shah_s
from stats.agreement.tables import Tables
from stats.agreement.vanbelle_albert import vanbelle_albert
from stats.agreement.weights import Setting


@dataclass(frozen=True)
class GroupCoefficient:
    """A row of GROUP_COEFFICIENTS. others: raters that the group needs; the rest as in `Coefficient`."""

    name: str
    compute: Callable[[Tables, Setting, Group], Parts]
    others: int = 1
    weighted: bool = True
    by_rater: bool = False
    denominator: str = "The expected agreement is 1 (all of these ratings have one label): nothing can exceed it."

    def against(self, group: Group) -> Coefficient:
        """The coefficient of one system."""
        return Coefficient(
            self.name,
            lambda tables, setting: self.compute(tables, setting, group),
            weighted=self.weighted,
            by_rater=self.by_rater,
            denominator=self.denominator,
        )


_ALL = (
    GroupCoefficient(
        "shah_s",
        shah_s,
        others=2,
        weighted=False,
        by_rater=True,
        denominator="The group's raters agree with each other no more than chance would have them: "
        "there is no agreement beyond chance to reach.",
    ),
    GroupCoefficient(
        "vanbelle_albert",
        vanbelle_albert,
        denominator="The expected agreement is the most that this group allows: nothing can exceed it.",
    ),
    GroupCoefficient("majority_kappa", majority_kappa),
    GroupCoefficient(
        "mean_pairwise_kappa",
        mean_pairwise_kappa,
        by_rater=True,
        denominator="The system has a kappa with no other rater: fewer than two common items, or one label throughout.",
    ),
)

GROUP_COEFFICIENTS: dict[str, GroupCoefficient] = {coefficient.name: coefficient for coefficient in _ALL}
