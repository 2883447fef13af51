-- Delete the windows of a question that each run computes: those of the new run replace them.
delete from rater_windows
where question = $question;

delete from system_windows
where question = $question;

delete from label_rate_windows
where question = $question;

delete from region_windows
where question = $question;
