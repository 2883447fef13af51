-- From here on this connection reaches nothing but its own file, and cannot be told otherwise.
set enable_external_access = false;
set lock_configuration = true;
