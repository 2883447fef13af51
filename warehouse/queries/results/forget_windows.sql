-- Delete the windows of a question, which those of a newer run replace.
delete from label_windows
where question = $question;

delete from label_confusion_windows
where question = $question;

delete from rater_windows
where question = $question;

delete from system_windows
where question = $question;

delete from label_rate_windows
where question = $question;

delete from region_windows
where question = $question;
