"""Systems against each other and against the human raters, on the same items."""
