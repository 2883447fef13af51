-- Alerts on a limit say why they are over. Comments only.
comment on column alerts.closed_because is
    'recovered: the old level is back, or the limit is met again. revised: corrected data no longer show it. accepted: it is the new normal. replaced: a newer version answers. no figure, no limit: of a rule whose figure is undefined now, or which has no limit any more. Otherwise closed, or the words of the person who closed it. Null while open.';
