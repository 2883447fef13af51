"""The root error of the contracts."""


class ContractError(ValueError):
    """A frame that breaks the contract between two stages: a fault of the program, not of the user's data."""
