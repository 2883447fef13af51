"""The list of commands, for `kappaflow --help`: each with its module and the first paragraph of its help.

The module is imported only when its command is called, so the texts stand here, too. A test compares them.
"""

from typing import NamedTuple


class ListedCommand(NamedTuple):
    """A command as the list shows it. `module` is below flows.cli and has an `app`."""

    module: str
    help: str


COMMANDS: dict[str, ListedCommand] = {
    "init": ListedCommand(
        "project_commands",
        "Make a project folder: a commented kappaflow.toml and an inbox/ for the exports.",
    ),
    "run": ListedCommand(
        "runs.run_commands",
        "Run the whole pipeline once: ingest, evaluate, monitor, publish, report.",
    ),
    "ingest": ListedCommand(
        "runs.run_commands",
        "Store new export files. A file that is in the warehouse already changes nothing.",
    ),
    "evaluate": ListedCommand(
        "runs.run_commands",
        "Compute agreement and accuracy of the questions that changed since they were last evaluated.",
    ),
    "report": ListedCommand("project_commands", "Write report.html from the published results and print its path."),
    "status": ListedCommand(
        "project_commands",
        "Show what is in the warehouse: files, ratings, questions, last runs, open alerts.",
    ),
    "sql": ListedCommand(
        "export.sql_command",
        "Query the published snapshot with read-only SQL. Tables and views: `kappaflow help warehouse`.",
    ),
    "serve": ListedCommand(
        "project_commands",
        "Run the pipeline now and on a schedule until stopped. Starts a local Prefect server with a "
        "password, unless PREFECT_API_URL is set.",
    ),
    "agree": ListedCommand(
        "files.agree_command",
        "Measure how far the raters of a file agree, by every coefficient, with intervals.",
    ),
    "accuracy": ListedCommand(
        "files.accuracy_command",
        "Estimate how accurate each system is from the raters alone, even if it is better than they are.",
    ),
    "inspect": ListedCommand(
        "files.inspect_command",
        "Show what is in a file: format, questions, raters, labels, rows that would be rejected. Stores nothing.",
    ),
    "formats": ListedCommand("files.inspect_command", "List the export formats that can be read."),
    "check": ListedCommand(
        "gate.check_command",
        "Hold the figures of a project or a file to limits, for CI. Exit 0: pass, 1: a finding, 3: unjudged.",
    ),
    "audit": ListedCommand(
        "audit_command",
        "Draw items at random for an expert to label, and take the answers back as gold.",
    ),
    "worklist": ListedCommand(
        "worklist.worklist_command",
        "List the items whose label is most in doubt, to adjudicate them, and take the answers back.",
    ),
    "notebook": ListedCommand(
        "notebook.notebook_command",
        "Write a Jupyter notebook to edit. It opens the published results and draws the main figures.",
    ),
    "dashboard": ListedCommand(
        "dashboard_command",
        "Serve live pages of the project until stopped: questions, annotators, systems, alerts, items to look at.",
    ),
    "judges": ListedCommand(
        "files.judges_command",
        "Measure judges that were asked several times: how often they change their mind, and how versions drift.",
    ),
    "prefer": ListedCommand(
        "preferences.prefer_command",
        "Rank models by pairwise votes: strengths with intervals, agreement of the voters, position bias.",
    ),
    "plan": ListedCommand(
        "planning.plan_command",
        "Plan a study: how many items need ratings until the accuracy of a system is known to within a half-width.",
    ),
    "simulate": ListedCommand(
        "planning.simulate_command",
        "Test how near the estimates come to the truth, in the source paper's experiments or in a design of your own.",
    ),
    "show": ListedCommand("runs.history_commands", "Show a past run: its question, its settings and its results."),
    "reproduce": ListedCommand(
        "runs.history_commands",
        "Compute a past run again from the ratings and settings of that time. Exit 1 if a figure differs.",
    ),
    "as-of": ListedCommand(
        "runs.history_commands",
        "Compute the agreement on a question at any moment of the past, from the ratings that counted then.",
    ),
    "rejects": ListedCommand(
        "rejects.rejects_command",
        "List the rejected rows: how many for each reason, and each row with its place, its value and what is wrong.",
    ),
    "doctor": ListedCommand(
        "maintenance.maintenance_commands",
        "Check the warehouse, the snapshot and the names in kappaflow.toml, and say what to do. Exit 1 "
        "if something is wrong.",
    ),
    "backup": ListedCommand(
        "maintenance.maintenance_commands",
        "Copy the warehouse to a new file, open the copy and check it. Exit 1 if a check fails.",
    ),
    "compact": ListedCommand(
        "maintenance.maintenance_commands",
        "Rewrite the warehouse without the space of deleted rows, and publish it.",
    ),
    "scorecard": ListedCommand(
        "raters.scorecard_command",
        "Show how each annotator compares with the others on the same items.",
    ),
    "forget-rater": ListedCommand(
        "raters.forget_command",
        "Replace the name of a rater by a pseudonym everywhere in the warehouse, the snapshot and the report.",
    ),
    "export": ListedCommand(
        "export.export_command",
        "Write a table or view of the published snapshot to a file. No text in it runs as a formula in a spreadsheet.",
    ),
    "help": ListedCommand(
        "help.help_command",
        "Print the documentation of a topic or the help of a command, or list the topics.",
    ),
    "alerts": ListedCommand(
        "alerts.alerts_command",
        "List the open alerts, show one, acknowledge, close, accept or mute it. Without a command: list.",
    ),
}
GROUPS = ("alerts",)  # commands that have commands themselves
