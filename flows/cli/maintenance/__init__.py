"""Commands for the maintenance of the warehouse."""
