"""Write a share of all in percent."""


def share_in_percent(share: float) -> str:
    """Return a share in whole percent. A share just below all does not become 100%.

    >>> share_in_percent(0.754), share_in_percent(0.9967), share_in_percent(0.99999), share_in_percent(1.0)
    ('75%', '99.7%', '99.9%', '100%')
    """
    return f"{min(share, 0.999):.1%}" if 0.995 <= share < 1 else f"{share:.0%}"
