"""Read votes that stand in one record per item: counts, lists, and lists or objects of annotators."""
