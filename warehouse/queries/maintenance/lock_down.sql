-- Restrict the connection to its own file, and lock these settings.
set enable_external_access = false;
set lock_configuration = true;
