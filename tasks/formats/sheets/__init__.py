"""Read survey sheets: respondents are rows, items are columns."""
