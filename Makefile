# Each target does its own set-up: a fresh machine needs Python 3.11 to 3.14 and make.
PYTHON ?= python3
BIN := .venv/bin
# Without the compiled files each process compiles what it imports, and each worker of pytest rewrites all assertions.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help install demo test scheduled test-live test-spark test-dask check fuzz verdicts crash-test crash-messages growth bench-ingest bench-reevaluation bench-size bench-dashboard bench-first-chart bench-datasets bench-datasets-spark bench-cluster bench bench-agreement bench-accuracy bench-peers coverage power accuracy-coverage gold-coverage rates-coverage regions-coverage regions-alarms monitoring-power replay bench-monitoring real-data docs docs-site screenshots browser clean
.DEFAULT_GOAL := help

help: ## this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

# The stamp depends on what is installed, so an edit of the lock or of the project's metadata installs again.
.venv/stamp: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 14) else "kappaflow needs Python 3.11 to 3.14; $(PYTHON) is %d.%d. Try: make PYTHON=python3.12 demo" % v)'
	@echo "Installing into .venv (about a minute and a half) ..."
	@rm -rf .venv && $(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/pip check > /dev/null || $(BIN)/pip check
	@touch $@

install: .venv/stamp ## install into .venv, as every other target does first

demo: .venv/stamp ## run the main job on the bundled example exports; leaves ./demo
	@rm -rf demo && cp -r examples/demo demo
	@cp examples/literature/*.csv demo/late/*.json demo/inbox/
	@$(BIN)/kappaflow run --brief --project demo

test: .venv/stamp ## lint, types, import contracts, tests
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 --dist loadgroup --durations=10

test-live: .venv/stamp .label-studio/stamp ## follow a day in a real Label Studio, installed apart (about 1 GB)
	KAPPAFLOW_TEST_LIVE=.label-studio/bin/label-studio $(BIN)/pytest tests/live -s

.label-studio/stamp: tests/live/requirements.txt
	@echo "Installing Label Studio into .label-studio (a minute or two) ..."
	@rm -rf .label-studio && $(PYTHON) -m venv .label-studio
	@.label-studio/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

test-spark: .cluster/stamp ## a whole run on a Spark cluster of two workers, and Delta tables (needs Java), installed apart (about 0.6 GB)
	.cluster/bin/python -m pytest tests/cluster/test_spark.py tests/cluster/test_spark_dataset.py tests/stats/test_counts_spark.py \
	  tests/tasks/sources/datasets tests/tasks/sources/object_store/test_dataset_objects.py -s

test-dask: .cluster/stamp ## questions spread over the workers of a Dask cluster on this machine, installed apart
	.cluster/bin/python -m pytest tests/cluster/test_dask.py -s

# It sees what is installed in .venv, and has only Spark and Dask of its own.
.cluster/stamp: tests/cluster/requirements.txt .venv/stamp
	@echo "Installing Spark and Dask into .cluster (a minute) ..."
	@rm -rf .cluster && $(PYTHON) -m venv .cluster
	@$(BIN)/python -c 'import pathlib, sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))' \
	  > "$$(.cluster/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/kappaflow-venv.pth"
	@.cluster/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@

check: .venv/stamp ## only the quick checks
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

CASES ?= 10000

fuzz: .venv/stamp ## CASES=10000 hostile files over all formats; prints figures
	$(BIN)/python -W error -m tests.fuzz --cases $(CASES)

SETS ?= 2000

verdicts: .venv/stamp ## SETS=2000 random questions: no verdict contradicts the figures beside it; prints figures
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.verdicts --sets $(SETS)

KILLS ?= 200
SEED ?= 6

crash-test: .venv/stamp ## kill -9 at KILLS=200 random points, run again, compare; prints figures
	$(BIN)/python -m tests.crash --kills $(KILLS) --seed $(SEED)

crash-messages: KILLS = 1000
crash-messages: .venv/stamp ## kill -9 KILLS=1000 times while alerts are opened and told; no alert lost, none told twice; prints figures
	$(BIN)/python -m tests.crash.messages --kills $(KILLS)

RUNS ?= 672

growth: .venv/stamp ## RUNS=672 runs of a served project (ten minutes): what Prefect's part of it grows by; prints figures
	$(BIN)/python -m tests.growth --runs $(RUNS)

SCHEDULED ?= 50

scheduled: .venv/stamp ## serve a small project for SCHEDULED=50 runs, one every 20 s: how many are missed; prints figures
	$(BIN)/python -m tests.growth.scheduled --runs $(SCHEDULED)

bench: .venv/stamp ## whole-command timings as ratios
	$(BIN)/python -m benchmarks.commands

bench-agreement: .venv/stamp ## agreement beside its floor and the peers; writes docs/benchmarks.md
	$(BIN)/python -m benchmarks.agreement.speed

bench-accuracy: .venv/stamp ## accuracy beside its floor and crowd-kit; writes docs/benchmarks-accuracy.md
	$(BIN)/python -m benchmarks.accuracy.speed

PEERS := $(patsubst benchmarks/peers/%.txt,.peers/%/stamp,$(wildcard benchmarks/peers/*.txt))

SIZES ?= 1000000
JSON_MB ?= 200

bench-ingest: .venv/stamp ## ingest beside DuckDB's COPY; SIZES="1000000 10000000"; writes docs/benchmarks-ingest.md
	$(BIN)/python -m benchmarks.ingest.speed --sizes $(SIZES) --json-mb $(JSON_MB)

HISTORY ?= 100000 1000000 10000000

bench-reevaluation: .venv/stamp ## what a batch costs by the history before it; writes docs/benchmarks-reevaluation.md
	$(BIN)/python -m benchmarks.ingest.reevaluation --sizes $(HISTORY)

RATINGS ?= 1e6 1e7

bench-size: .venv/stamp ## a project of RATINGS="1e6 1e7" command by command, with time, memory and size; ADD=--add keeps the page's other sizes; writes docs/benchmarks-size.md
	$(BIN)/python -m benchmarks.size.project --sizes $(RATINGS) $(ADD)

bench-dashboard: .venv/stamp ## how long the live pages take to answer at 4 million ratings (5 minutes to make them)
	$(BIN)/python -m benchmarks.pages.dashboard

bench-datasets: .venv/stamp ## count datasets of 1e6 to 1e8 ratings where they lie (half an hour, 10 GB); writes docs/benchmarks-past-one-machine.md
	.venv/bin/python -m benchmarks.size.datasets

bench-datasets-spark: .cluster/stamp ## count 1e7 ratings on a Spark cluster of two workers; replaces that part of docs/benchmarks-past-one-machine.md
	.cluster/bin/python -m benchmarks.size.datasets --spark 1e7

bench-first-chart: .venv/stamp ## how soon a browser shows the first chart with 100 questions (10 minutes to make them); writes docs/benchmarks-pages.md
	$(BIN)/python -m benchmarks.pages.first_chart --out docs/benchmarks-pages.md

bench-cluster: .cluster/stamp ## counts on Spark, questions over workers; writes docs/benchmarks-cluster.md
	.cluster/bin/python -m benchmarks.size.cluster

bench-peers: $(PEERS) ## other programs to compare with, each in an environment of its own under .peers

.peers/%/stamp: benchmarks/peers/%.txt
	@echo "Installing $* ..."
	@rm -rf $(@D) && $(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip install --quiet --disable-pip-version-check -r $< && touch $@ || echo "$* could not be installed: it is left out"

coverage: .venv/stamp ## simulate how often the intervals hold the true value; writes docs/coverage.md
	$(BIN)/python -m benchmarks.agreement.coverage

power: .venv/stamp ## simulate what the checks of the assumptions find; writes docs/accuracy-checks.md
	$(BIN)/python -m benchmarks.accuracy.checks

rates-coverage: .venv/stamp ## simulate how often the intervals of corrected label rates hold
	$(BIN)/python -m benchmarks.gold.rates_coverage

regions-coverage: .venv/stamp ## simulate how often the intervals of spans, boxes, rankings and texts hold
	$(BIN)/python -m benchmarks.regions.coverage

regions-alarms: .venv/stamp ## simulate false alarms and power of the agreement chart of spans
	$(BIN)/python -m benchmarks.regions.alarms

gold-coverage: .venv/stamp ## simulate how often intervals hold with gold, drawn at random, by strata or mixed; writes docs/gold-coverage.md
	$(BIN)/python -m benchmarks.gold.coverage

accuracy-coverage: .venv/stamp ## simulate how good the accuracy estimates are; writes docs/accuracy-coverage.md
	$(BIN)/python -m benchmarks.accuracy.coverage

STREAMS ?= 1000

monitoring-power: .venv/stamp ## STREAMS=1000 of each setting: false alarms and power of the charts; writes docs/monitoring-power.md
	$(BIN)/python -m benchmarks.monitoring.power --streams $(STREAMS)

REPLAY ?= --seeds 20 --keep .replay --out docs/monitoring-replay.md

replay: .venv/stamp ## half a year day by day, 20 seeds (some hours; goes on with what .replay has; REPLAY="--seeds 3 --prefect-days 5": less); writes docs/monitoring-replay.md
	$(BIN)/python -m benchmarks.monitoring.replay $(REPLAY)

bench-monitoring: .venv/stamp ## an update of charts on 1e5, 1e6 and 1e7 ratings, of windows up to 1e6 (needs 6 GB of memory); writes docs/benchmarks-monitoring.md
	$(BIN)/python -m benchmarks.monitoring.updates --sizes $(HISTORY) --windows-up-to 1000000 --out docs/benchmarks-monitoring.md

REAL_DATA ?= data

real-data: .venv/stamp ## REAL_DATA=FOLDER of sets with gold; writes docs/accuracy-on-real-data.md
	$(BIN)/python -m benchmarks.real_data.accuracy $(REAL_DATA) --out docs/accuracy-on-real-data.md

docs: .venv/stamp ## write the generated pages and charts of docs/ again
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.charts

browser: .browser/chromium ## a Chromium for the browser tests, where none is on PATH (Playwright's, about 0.3 GB)

# Its installer lives apart, because nothing else here needs Playwright. The link is made last: without it nothing is there.
.browser/chromium:
	@echo "Downloading Chromium into .browser (a minute or two) ..."
	@rm -rf .browser && $(PYTHON) -m venv .browser/installer
	@.browser/installer/bin/pip install --quiet --disable-pip-version-check playwright==1.65.2
	@PLAYWRIGHT_BROWSERS_PATH=.browser/files .browser/installer/bin/playwright install --only-shell chromium > .browser/log 2>&1 || \
	  (echo "Chromium could not be downloaded: see .browser/log. A Chromium or Chrome on PATH serves as well."; exit 1)
	@ln -s "$$(find "$$PWD/.browser/files" -type f \( -name chrome-headless-shell -o -name headless_shell \) | head -n 1)" $@
	@$@ --headless --no-sandbox --dump-dom 'data:text/html,<p>It runs.</p>' | grep -q 'It runs.' || \
	  (rm -f $@; echo "Chromium was downloaded and does not run: install what .browser/installer/bin/playwright install-deps names."; exit 1)

docs-site: .venv/docs.stamp ## the pages of docs/ as a site with a search: site/index.html
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Wrote site/. Open site/index.html in a browser."

.venv/docs.stamp: .venv/stamp docs/requirements.txt
	@echo "Installing MkDocs into .venv ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check -r docs/requirements.txt
	@touch $@

screenshots: .venv/stamp ## pictures of the report and the live pages, in docs/images (needs a Chromium)
	$(BIN)/python -m docs.screenshots

clean: ## remove the environment, the demo and the site
	rm -rf .venv demo site
