-- A name that may also be a number or a word cannot be replaced in a sentence. The sentences of alerts that are about
-- the rater, or of the same incident, or that name the rater as a newcomer, are taken away.
update alerts
set detail = $removed, evidence = $removed
where
    incident_id in (select incident_id from alerts where subject = $pseudonym)
    or exists (
        from (select unnest($names) as name) as n
        where contains(alerts.evidence, '; newcomer ' || n.name || ' from ')
    );

update assumption_checks
set detail = $removed
where rater = $pseudonym or other = $pseudonym;

update missing_charts
set detail = $removed
where subject = $pseudonym;
