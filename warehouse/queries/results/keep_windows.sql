-- Take over the rows of windows that did not change from the run that stored them, whose rows of agreement stay as well.
-- Those of labels, which are kept for one run only, become rows of this run.
insert into agreement by name
select a.* replace ($run_id as run_id)
from agreement as a
inner join internal.window_digests as d
    on a.run_id = d.run_id and a.question = d.question and a.period = d.period
        and a.period_start is not distinct from d.period_start and a.period_end is not distinct from d.period_end
        and a.batch_id is not distinct from d.batch_id
inner join incoming_windows as w
    on d.results = w.results and d.period = w.period and d.period_start is not distinct from w.period_start
        and d.period_end is not distinct from w.period_end and d.batch_id is not distinct from w.batch_id
where d.question = $question and d.results = 'agreement' and w.is_kept;

delete from label_windows as r
where r.question = $question and not exists (
    select 1
    from incoming_windows as w
    where
        w.is_kept and w.results = 'labels' and r.period = w.period and r.period_start is not distinct from w.period_start
        and r.period_end is not distinct from w.period_end and r.batch_id is not distinct from w.batch_id
);

update label_windows
set run_id = $run_id
where question = $question;

delete from label_confusion_windows as r
where r.question = $question and not exists (
    select 1
    from incoming_windows as w
    where
        w.is_kept and w.results = 'labels' and r.period = w.period and r.period_start is not distinct from w.period_start
        and r.period_end is not distinct from w.period_end and r.batch_id is not distinct from w.batch_id
);

update label_confusion_windows
set run_id = $run_id
where question = $question;

delete from internal.window_digests
where question = $question;

insert into internal.window_digests by name
select $question as question, results, period, period_start, period_end, batch_id, digest, $run_id as run_id
from incoming_windows;
