# Two commands: `make demo` shows a graded sample class, `make test` runs the tests.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint verify prove bench release clean

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: .venv/installed
	$(BIN)/autograder demo

test: lint
	$(BIN)/pytest -n auto --dist worksteal

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

verify: .venv/installed
	$(BIN)/autograder verify

prove: .venv/installed
	$(BIN)/autograder prove

bench: .venv/installed
	$(BIN)/python tests/benchmark.py $(BENCH)

release: .venv/installed
	$(BIN)/autograder release

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache
