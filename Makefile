# make demo: install, run the main job on the embedded images, say where the report is.
# make test: everything that must hold before a change goes in.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test clean

demo: .venv/demo
	$(BIN)/hardgen sweep out=outputs/demo
	@echo "The report is outputs/demo/report.html"

test: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto

# Each target leaves a file that is newer than pyproject.toml when its install is up to date.
.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/test: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ .venv/demo

clean:
	rm -rf .venv outputs dist .mypy_cache .ruff_cache .hypothesis
