# Two commands: `make demo` shows a graded sample class, `make test` runs the tests.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: install demo test slow lint verify prove bench release docs lock clean

# The lock needs no resolver and no compiler. torch follows: which build it is, the machine decides.
.venv/installed: pyproject.toml constraints.txt requirements.lock
	rm -f $@
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed")'
	$(PYTHON) -m venv .venv
	$(PIP) --no-deps --require-hashes --only-binary :all: -r requirements.lock
	$(PIP) -c constraints.txt torch
	$(PIP) --no-deps --no-build-isolation -e .
	touch $@

install: .venv/installed

demo: .venv/installed
	$(BIN)/autograder demo

test: lint
	$(BIN)/pytest -n auto --dist worksteal

slow: .venv/installed
	$(BIN)/pytest -n auto --dist worksteal -m slow

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

verify: .venv/installed
	$(BIN)/autograder verify

prove: .venv/installed
	$(BIN)/autograder prove $(PROVE)

bench: .venv/installed
	$(BIN)/python tests/benchmark.py $(BENCH)

release: .venv/installed
	$(BIN)/autograder release

docs: .venv/installed
	$(BIN)/mkdocs build --strict

# Releases of the lock that still fit are kept; without the file, the newest are taken. Left out are
# torch and what a CUDA build of it brings, and docopt, which has no wheel: the `num2words` command
# needs it, the library does not.
lock:
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet --disable-pip-version-check uv
	build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
		--generate-hashes --all-extras --constraints constraints.txt \
		--custom-compile-command 'make lock' --output-file requirements.lock pyproject.toml
	sed -Ei '/^[a-z]/h; x; /^(torch|triton|docopt)==|^(cuda|nvidia)-/{x;d}; x' requirements.lock

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache
