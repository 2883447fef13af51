"""Summaries of published results: the headline accuracy, the state of a question, the ratings still needed."""
