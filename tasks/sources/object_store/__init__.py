"""Read exports from object stores: Amazon S3 and compatible stores, Google Cloud Storage, Azure Blob Storage."""
