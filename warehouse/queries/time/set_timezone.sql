-- Count days in another time zone from now on. Every question is evaluated again.
update internal.project_time
set timezone = $timezone;

update internal.questions
set revision = revision + 1;
