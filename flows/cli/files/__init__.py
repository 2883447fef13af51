"""Commands on bare files, without a project: agree, accuracy, inspect, judges, formats."""
