"""Gold items: which audits drew them, and with which probability."""
