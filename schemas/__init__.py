"""The contracts between the stages. Each pandera model says what one row of a table is.

`rating_columns` and `ContractError` do not need pandera. `contracts` checks frames, and imports it.
"""


class ContractError(ValueError):
    """A frame breaks the contract between two stages: a fault of the program, not of the user's data."""
