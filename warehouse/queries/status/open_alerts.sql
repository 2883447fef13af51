-- One row per open alert, the latest first, with its state: open, acknowledged or muted.
from alert_states
where closed_at is null
order by opened_at desc, question, kind, subject;
