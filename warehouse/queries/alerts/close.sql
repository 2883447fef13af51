-- Close the open alerts of a question whose condition no longer holds.
update alerts
set closed_at = $now
where question = $question and closed_at is null and kind not in (select kind from incoming_alerts)
returning alert_id;
