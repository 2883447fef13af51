"""Speed of ingest, and of evaluation after one more batch."""
