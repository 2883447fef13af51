"""Alerts in the warehouse: opened and closed by runs, acted on by people, told by messages."""
