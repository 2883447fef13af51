"""The list of commands, for `kappaflow --help`: each with the first paragraph of its help, and with its module.

The module is imported only when its command is called, so the texts stand here, too. A test compares them.
"""

HELP = {
    "init": "Make a project folder: a commented kappaflow.toml and an inbox/ for the exports.",
    "run": "Run the whole pipeline once: ingest, evaluate, monitor, publish, report.",
    "ingest": "Store new export files. A file that is already stored changes nothing.",
    "evaluate": "Compute agreement and accuracy of the questions that changed since they were last evaluated.",
    "report": "Write report.html from the published results and print its path.",
    "status": "Show what is in the warehouse: files, ratings, questions, last runs, open alerts.",
    "sql": "Query the published snapshot with read-only SQL. Tables and views: `kappaflow help warehouse`.",
    "serve": "Run the pipeline now and on a schedule until stopped. Starts a local Prefect server with a "
    "password, unless PREFECT_API_URL is set.",
    "agree": "Measure how far the raters of a file agree, by every coefficient, with intervals.",
    "accuracy": "Estimate how accurate each system is from the raters alone, even if it is better than the raters.",
    "inspect": (
        "Show what is in a file: format, questions, raters, labels, rows that would be rejected. Stores nothing."
    ),
    "formats": "List the export formats that can be read.",
    "check": "Compare the figures of a project or a file with limits, for CI. Exit 0: pass, 1: a finding, 3: unjudged.",
    "audit": "Draw items at random for an expert to label, and take the answers back as gold.",
    "worklist": "List the items whose label is most in doubt, to adjudicate them, and take the answers back.",
    "notebook": "Write a Jupyter notebook to edit. It opens the published results and draws the main figures.",
    "dashboard": (
        "Serve live pages of the project until stopped: questions, annotators, systems, alerts, items to look at."
    ),
    "judges": "Measure judges that were asked several times: how often they change their mind, and how versions drift.",
    "prefer": "Rank models by pairwise votes: strengths with intervals, agreement of the voters, position bias.",
    "plan": "Plan a study: how many items need ratings until the accuracy of a system is known to within a half-width.",
    "simulate": (
        "Test how near the estimates come to the truth, in the experiments of Lehner (2015) or in your own design."
    ),
    "show": "Show a past run: its question, its settings and its results.",
    "reproduce": "Compute a past run again from the ratings and settings of that time. Exit 1 if a figure differs.",
    "as-of": "Compute the agreement on a question at a past moment, from its ratings and today's settings.",
    "rejects": (
        "List the rejected rows: how many for each reason, and each row with its place, its value and what is wrong."
    ),
    "withdraw": "Withdraw files that were taken in by mistake: none of their ratings counts any more.",
    "doctor": "Check the warehouse, the snapshot and the names in kappaflow.toml, and say what to do. Exit 1 if "
    "something is wrong.",
    "backup": "Copy the warehouse to a new file, open the copy and check it. Exit 1 if a check fails.",
    "compact": "Rewrite the warehouse without the space of deleted rows, and publish it.",
    "scorecard": "Show how each annotator compares with the others on the same items.",
    "forget-rater": (
        "Replace the name of a rater by a pseudonym everywhere in the warehouse, the snapshot and the report."
    ),
    "export": (
        "Write a table or view of the published snapshot to a file. No text in it runs as a formula in a spreadsheet."
    ),
    "help": "Print the documentation of a topic or the help of a command, or list the topics.",
    "alerts": "List the open alerts, show one, acknowledge, close, accept or mute it. Without a command: list.",
}
MODULES = {
    "project_commands": "init report status serve",
    "runs.run_commands": "run ingest evaluate",
    "export.sql_command": "sql",
    "files.agree_command": "agree",
    "files.accuracy_command": "accuracy",
    "files.inspect_command": "inspect formats",
    "gate.check_command": "check",
    "audit_command": "audit",
    "worklist.worklist_command": "worklist",
    "notebook.notebook_command": "notebook",
    "dashboard_command": "dashboard",
    "files.judges_command": "judges",
    "preferences.prefer_command": "prefer",
    "planning.plan_command": "plan",
    "planning.simulate_command": "simulate",
    "runs.history_commands": "show reproduce as-of",
    "rejects.rejects_command": "rejects",
    "maintenance.withdraw_command": "withdraw",
    "maintenance.maintenance_commands": "doctor backup compact",
    "raters.scorecard_command": "scorecard",
    "raters.forget_command": "forget-rater",
    "export.export_command": "export",
    "help.help_command": "help",
    "alerts.alerts_command": "alerts",
}
"""The modules below flows.cli, each with the commands of its `app`."""
MODULE_OF = {name: module for module, names in MODULES.items() for name in names.split()}
GROUPS = ("alerts",)  # commands that have commands themselves
