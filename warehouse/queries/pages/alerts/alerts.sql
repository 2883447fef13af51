-- The alerts: open ones first, critical before warnings, the latest first. $alert_state: open, closed, or null for all.
select *
from alert_states
where
    ($question is null or question = $question)
    and ($rater is null or subject = $rater)
    and ($system is null or subject = $system)
    and ($alert_state is null or ($alert_state = 'closed') = (closed_at is not null))
order by closed_at is not null, severity <> 'critical', opened_at desc, question, kind, subject, alert_id
limit $n_rows;
