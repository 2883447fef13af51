"""Read JSON record by record, and make tables of its records."""
