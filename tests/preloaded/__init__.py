"""The command `kappaflow` without the second or more that each start takes for imports.

A process that has imported what the commands need waits at a socket (tests.preloaded.server). For each command it makes
a copy of itself by fork, which gets the caller's arguments, environment, folder and files, and runs the command as the
installed program does. Prefect, which reads the environment when it is imported, is out of sight there: it comes into
sight, and reads the environment, when the command imports it.

What it cannot show is left to tests that start the installed program: how it starts, how long that takes, what it
imports, its signals and its encodings.
"""
