"""Write tables to a schema of a Postgres database."""
