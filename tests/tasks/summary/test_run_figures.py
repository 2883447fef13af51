"""What a run and the status list at the end."""

from pathlib import Path

from tasks.summary.run_figures import read_brief_figures
from warehouse.connect import connect
from warehouse.questions import open_alerts
from warehouse.status import read_status


def test_open_alerts_are_listed_in_one_order(db: Path) -> None:
    with connect(db) as con:
        con.execute(
            "insert into alerts (alert_id, question, kind, subject, severity, opened_at) values"
            " ('1', 'q', 'rater', 'b', 'warning', '2026-03-01'), ('2', 'q', 'rater', 'a', 'warning', '2026-03-01'),"
            " ('3', 'q', 'agreement', null, 'warning', '2026-03-01'),"
            " ('4', 'p', 'rater', 'a', 'warning', '2026-03-02'),"
            " ('5', 'q', 'batch_late', null, 'critical', '2026-02-01'),"
            " ('6', 'q', 'batch_late', null, 'critical', '2026-02-09')"
        )
        in_order = read_status(con).open_alerts["kind", "subject", "alert_id"].rows()
        of_run = [alert["kind"] for alert in open_alerts(con)]
    assert [alert_id for *_, alert_id in in_order] == ["6", "5", "4", "3", "2", "1"]
    assert of_run == [kind for kind, *_ in in_order]
    assert [alert["alert_id"] for alert in read_brief_figures(db).open_alerts] == [row[-1] for row in in_order]
