-- Copy the database `source` into the new file $draft, in the storage format of warehouse.connect.CONFIG.
attach $draft as draft (storage_version 'v1.4.0');

copy from database source to draft;
