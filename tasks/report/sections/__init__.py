"""The sections of the report, one a module: tables come in, HTML comes out."""
