# Everything on a machine with nothing but Python: make demo, make test.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist worksteal
OLDEST := .venv-oldest

.PHONY: demo test test-slow test-oldest lint docs paper paper-quick defaults tuning speed scale clean

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: $(VENV)/installed
	$(PYTEST)

test-slow: $(VENV)/installed  # the tests that "make test" leaves out
	$(PYTEST) -m slow

test-oldest: $(OLDEST)/installed  # "make test" with the oldest versions of constraints-oldest.txt
	$(OLDEST)/bin/python -m pytest -n 2 --dist worksteal

$(OLDEST)/installed: setup.py pyproject.toml constraints.txt constraints-oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --constraint constraints.txt torch
	$(OLDEST)/bin/python -m pip install --quiet --constraint constraints-oldest.txt --editable '.[test]'
	touch $@

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/docs-installed  # the site, into docs/_build/html; minutes
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --builder html docs docs/_build/html

paper: $(VENV)/installed  # hours; goes on where it was stopped
	$(BIN)/python benchmarks/search_presets.py
	$(BIN)/python benchmarks/paper_tables.py
	$(BIN)/python benchmarks/scalability.py

paper-quick: $(VENV)/installed  # minutes
	$(BIN)/python benchmarks/paper_tables.py --quick
	$(BIN)/python benchmarks/scalability.py --quick

defaults: $(VENV)/installed  # an hour; goes on where it was stopped
	$(BIN)/python benchmarks/defaults.py

tuning: $(VENV)/installed  # half an hour; goes on where it was stopped
	$(BIN)/python benchmarks/tuning.py

speed: $(VENV)/installed  # ten minutes, with nothing else running
	$(BIN)/python benchmarks/speed.py

scale: $(VENV)/installed  # ten minutes, 10 GB of memory and 2 GB of disk
	$(BIN)/python benchmarks/scale.py

$(VENV)/installed: setup.py pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[test]'
	touch $@

$(VENV)/docs-installed: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) build dist *.egg-info docs/_build docs/auto_examples docs/generated
