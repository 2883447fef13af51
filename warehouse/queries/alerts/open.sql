-- Insert the alerts of rules that were not open before, each as an incident of its own. Of an alert that a person closed,
-- the condition must have ended before a new one is opened.
insert into alerts by name
select
    i.alert_id, i.alert_id as incident_id, $question as question, i.kind, i.subject, i.severity, $now as opened_at,
    i.evidence, i.detail, i.owner, i.after, i.n_items
from (select uuid()::varchar as alert_id, * from incoming_alerts) as i
where not exists (
    from alerts as a
    where
        a.question = $question and a.kind = i.kind and a.subject is not distinct from i.subject
        and (
            a.closed_at is null
            or (
                a.recovered_at is null
                and (a.closed_by is not null or coalesce(a.closed_because, 'closed') not in ('recovered', 'no figure', 'no limit'))
            )
        )
)
returning alert_id, incident_id, question, kind, subject, severity, owner;
