"""Spark and Dask are not part of the locked environment: `make test-spark` and `make test-dask` install them apart."""

from importlib.util import find_spec

collect_ignore = [
    file
    for module, file in (
        ("pyspark", "test_spark.py"),
        ("pyspark", "test_spark_dataset.py"),
        ("prefect_dask", "test_dask.py"),
    )
    if find_spec(module) is None
]
