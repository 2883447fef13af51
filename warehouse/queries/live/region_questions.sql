-- The questions of a stream with spans or boxes.
select distinct l.question
from internal.live_answers as l inner join internal.questions as q using (question)
where
    l.stream = $stream
    and q.question_id in (select question_id from internal.region_work where starts_with(regions, '['))
order by l.question;
