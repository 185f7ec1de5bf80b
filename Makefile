# The front door. `make run` plays, `make test` tests, `make check` does everything CI does.
# Nothing but python3 (3.11 or newer), pip and make is needed; the rest is set up in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help
.SILENT:

# ---- Set-up: only when a lock has changed -----------------------------------------------------

$(VENV)/uv.stamp: requirements/bootstrap.lock
	$(PYTHON) -m venv $(VENV) >&2
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $< >&2
	touch $@

$(VENV)/run.stamp: requirements/run.lock $(VENV)/uv.stamp
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $< >&2
	touch $@

$(VENV)/dev.stamp: requirements/dev.lock $(VENV)/run.stamp
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $< >&2
	touch $@

.PHONY: lock
lock: $(VENV)/uv.stamp ## Resolve the dependencies again (needs the network)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--no-annotate pyproject.toml --group dev -o requirements/dev.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--no-annotate -c requirements/dev.lock pyproject.toml -o requirements/run.lock

# ---- Run --------------------------------------------------------------------------------------

.PHONY: run
run: $(VENV)/run.stamp ## Run the service with a playable game
	exec $(BIN)/python manage.py dewan_run

# ---- Test -------------------------------------------------------------------------------------

.PHONY: test test-slow test-engine test-web
# Each of several processes has servers of its own; more than four are no faster.
PARALLEL ?= -n auto --maxprocesses 4 --dist worksteal
test: $(VENV)/dev.stamp ## Run the tests, on real servers that they start themselves
	$(BIN)/python -m pytest tests -m "not slow" --ignore=tests/web $(PARALLEL)
	DEWAN_TEST_DATABASE=sqlite $(BIN)/python -m pytest tests -m "both_databases and not slow" --ignore=tests/web $(PARALLEL)

test-slow: $(VENV)/dev.stamp ## Run the tests that take seconds each
	$(BIN)/python -m pytest tests -m slow --ignore=tests/web $(PARALLEL)

test-engine: $(VENV)/dev.stamp ## Run the engine's tests alone
	$(BIN)/python -m pytest tests/engine $(PARALLEL)

MARKED ?= not slow
test-web: $(VENV)/dev.stamp ## Run the tests that drive a real browser; also those MARKED=slow
	$(BIN)/python -m pytest tests/web -m "$(MARKED)" -n 2 --dist worksteal

# ---- Check ------------------------------------------------------------------------------------

.PHONY: check lint types docs-check fuzz golden playthrough mail-game simulate-year never-lost bench
check: lint types docs-check test test-slow ## Everything that must hold before a change lands
	$(MAKE) fuzz GAMES=100
	$(MAKE) fuzz GAMES=10 SCENARIO=all
	$(MAKE) playthrough SMALLEST=--smallest
	$(MAKE) simulate-year GAMES=6

lint: $(VENV)/dev.stamp ## Style, architecture and templates
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/djlint --check --lint --quiet games notifications dewan_site

types: $(VENV)/dev.stamp ## Types
	$(BIN)/mypy

docs-check: $(VENV)/dev.stamp ## What must be documented is
	$(BIN)/python -m pytest tests/test_docs.py

GAMES ?= 2000
SCENARIO ?= base
SEED ?= 1
fuzz: $(VENV)/dev.stamp ## Play GAMES random games of SCENARIO (or all); check every law after every move
	$(BIN)/python -m tests.fuzz --games $(GAMES) --scenario $(SCENARIO)

golden: $(VENV)/dev.stamp ## Write the golden transcripts again; review the diff
	$(BIN)/python -m tests.golden

playthrough: $(VENV)/dev.stamp ## Whole games over REST and mail, on production's processes
	$(BIN)/python -m tests.playthrough $(SMALLEST)

mail-game: $(VENV)/dev.stamp ## A whole game by mail alone, with real mail servers and programs (of Debian)
	$(BIN)/python -m tests.mail_game

simulate-year: $(VENV)/dev.stamp ## GAMES games of a year with a clock that jumps; prove that nobody loses by it
	$(BIN)/python -m tests.simulate_year --games $(GAMES) --seed $(SEED)

KILLS ?= 100
never-lost: $(VENV)/dev.stamp ## Mails while servers go away and KILLS workers are killed; prove that none is lost
	$(BIN)/python -m tests.never_lost --kills $(KILLS)

bench: $(VENV)/dev.stamp ## Measure
	$(BIN)/python -m bench

.PHONY: help
help: ## Say what there is
	grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16
