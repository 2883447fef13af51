-- The batches of the source of an alert, with the share of rejected rows, the latest first.
select d.*
from data_quality as d
inner join alerts as a on a.subject = d.source
where a.alert_id = $alert_id
order by d.ingested_at desc
