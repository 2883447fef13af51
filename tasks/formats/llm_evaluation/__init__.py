"""Read what tools that evaluate language models write: verdicts, scores and feedback of people, judges and code."""
