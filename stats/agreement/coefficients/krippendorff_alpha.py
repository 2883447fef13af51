"""Krippendorff's alpha."""

import numpy as np

from stats.agreement.coefficients.coefficient import CoefficientResult, ratio, sums_at_rows, variance_of_mean
from stats.agreement.count_tables import CountTables
from stats.agreement.weights import LabelSetting, scale_weights
from stats.arrays import FloatArray


def krippendorff_alpha(tables: CountTables, setting: LabelSetting) -> CoefficientResult:
    """Compute 1 - observed / expected disagreement of the ratings that can be paired, by the metric of the scale.

    With weights w = 1 - metric / its maximum: P'_a = mean_i sum_j C_ij (sum_l w_jl C_il - 1) / (m (m_i - 1))
    over the items with two ratings or more (the others are left out altogether), m = their mean number of
    ratings, P_a = (1 - eps) P'_a + eps with eps = 1 / their ratings, P_e = sum_jl w_jl p_j p_l with p_j the
    share of label j among their ratings, alpha = (P_a - P_e) / (1 - P_e). At most 1; undefined where all of
    them have one label. Chosen weights replace the metric. Krippendorff (2011), Computing Krippendorff's
    Alpha-Reliability; the form and the variance (which takes the metric as given) are those of R irrCAC
    1.4 `krippen.alpha.raw`.
    """
    n, C, pairable = tables.n_pairable, tables.C, tables.pairable
    n_j = tables.sum_rows(C * pairable[:, None])
    n_ratings = n_j.sum(axis=1)
    w = scale_weights(n_j, setting)
    p = ratio(n_j, n_ratings[:, None])
    near = np.einsum("bk,bkl->bl", p, (w + w.swapaxes(1, 2)) / 2)
    P_e = (p * near).sum(axis=1)
    eps = ratio(np.ones_like(n), n_ratings)
    P_a_prime = ratio((tables.coincidences() * w).sum(axis=(1, 2)), n_ratings)
    P_a = (1 - eps) * P_a_prime + eps

    def variance() -> FloatArray:
        mean_m = ratio(n_ratings, n)[:, None]
        alpha_prime = ratio(P_a_prime - P_e, 1 - P_e)
        agreeing = np.einsum("qk,bqk->bq", C, C @ w.swapaxes(1, 2) - 1)
        excess = (tables.m - mean_m) / mean_m
        a_terms = agreeing / (mean_m * np.maximum(tables.m - 1, 1)) - P_a_prime[:, None] * excess
        e_terms = sums_at_rows(near, C) / mean_m - P_e[:, None] * excess
        terms = a_terms - P_e[:, None] - 2 * (1 - alpha_prime)[:, None] * (e_terms - P_e[:, None])
        return variance_of_mean(tables.items * pairable, ratio(terms, (1 - P_e)[:, None]), alpha_prime)

    return CoefficientResult(ratio(P_a - P_e, 1 - P_e), P_a, P_e, n, tables.n - 1, n, variance)
