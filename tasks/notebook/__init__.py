"""A notebook that opens a project's published results and draws its main figures, to be edited."""
