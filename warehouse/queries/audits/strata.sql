-- One row per sample of a question and stratum, with the items drawn; a random sample is one stratum.
select
    a.audit_id, coalesce(s.stratum, '') as stratum, coalesce(s.n_items, a.n_items) as n_items,
    coalesce(s.n_population, a.n_population) as n_population, a.drawn_at
from audits as a left join audit_strata as s on a.audit_id = s.audit_id
where a.question = $question
order by a.audit_id, stratum;
