"""Wilson's interval of a share."""

import numpy as np
import numpy.typing as npt

from stats.arrays import FloatArray
from stats.special_functions import ndtri


def share_interval(share: npt.ArrayLike, size: npt.ArrayLike, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the ends of Wilson's interval (1927), elementwise. It never ends at the estimate, not even at 0 and 1.

    >>> [round(float(end), 4) for end in share_interval(0.8, 10, 0.95)]  # Newcombe 1998, Statistics in Medicine 17
    [0.4902, 0.9433]
    """
    share, size = np.asarray(share, float), np.asarray(size, float)
    z = float(ndtri((1 + confidence) / 2))
    centre = (share + z * z / (2 * size)) / (1 + z * z / size)
    half = z * np.sqrt(np.maximum(share * (1 - share), 0) / size + z * z / (4 * size**2)) / (1 + z * z / size)
    return np.clip(centre - half, 0, share), np.clip(centre + half, share, 1)
