"""Write tables to files for spreadsheets, notebooks and documents."""
