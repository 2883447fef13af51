"""How soon the report and the live pages are there."""
