# Everything runs in .venv, built once by the first target that needs it from requirements.lock.
# Needs GNU make and Python 3.11 or newer with pip (22.3 or newer) or ensurepip; nothing else.

.DEFAULT_GOAL := help
.PHONY: help setup report test lint lock bench proofs clean

# The Python that makes .venv: PYTHON if given, else the first on the path that is new enough.
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$p -c $(NEW_ENOUGH) 2>/dev/null && { echo $$p; exit; }; done; echo python3)
NEW_ENOUGH := 'import sys; sys.exit(sys.version_info < (3, 11))'
PYTEST_ARGS ?=
BENCH_ARGS ?=
LOCK_ARGS ?=

VENV := .venv
PY := $(VENV)/bin/python
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready
PIP_TOOLS := pip-tools==7.6.2

# What a shell may have set that would shadow a module or send an install elsewhere.
unexport VIRTUAL_ENV PYTHONHOME PYTHONOPTIMIZE PYTHONPATH MYPYPATH
unexport PIP_CONSTRAINT PIP_DRY_RUN PIP_PREFIX PIP_PYTHON PIP_REQUIRE_HASHES PIP_ROOT PIP_TARGET
# `user = true` in pip's configuration fails in a virtual environment; only a value overrides it.
export PIP_USER := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# $(call pip,ENVIRONMENT's python): leaves in "$@" a pip that installs there. It is the outer Python's
# pip, so the environment needs none of its own; without one, ensurepip provides it.
define pip
if $(PYTHON) -m pip --python $(1) --version >/dev/null 2>&1; then \
	set -- $(PYTHON) -m pip --python $(1); \
elif $(1) -m pip --version >/dev/null 2>&1 || $(1) -m ensurepip >/dev/null 2>&1; then \
	set -- $(1) -m pip; \
else \
	echo "derive: $(PYTHON) has no pip (22.3 or newer) and no ensurepip; install pip for it, or set PYTHON." >&2; \
	exit 1; \
fi
endef

define need_python
$(PYTHON) -c $(NEW_ENOUGH) 2>/dev/null || { \
	echo "derive needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>/dev/null || echo missing)." \
		"Set PYTHON, as in: make setup PYTHON=python3.11" >&2; exit 1; }
endef

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(READY) ## Build .venv (the other targets do it when needed)

report: $(READY) ## Derive and render everything under reports/
	$(PY) -m derivations report -o reports

test: $(READY) ## Run the tests (PYTEST_ARGS="-n auto -k mla")
	$(PY) -m pytest $(PYTEST_ARGS)

lint: $(READY) ## Check style, formatting and types
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

bench: $(READY) ## Measure start-up, search and proof times (BENCH_ARGS="--repeat 5")
	@status=0; for name in startup search claims; do \
		echo "$(PY) benchmarks/$$name.py $(BENCH_ARGS)"; \
		$(PY) benchmarks/$$name.py $(BENCH_ARGS) || status=$$?; \
	done; exit $$status

proofs: $(READY) ## Find the proofs that ship anew
	$(PY) -m derivations.storing

lock: ## Write requirements.lock anew (LOCK_ARGS=--upgrade for newer versions)
	@$(need_python)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
		echo "derive: lock with Python 3.11, the oldest supported: make lock PYTHON=python3.11" >&2; exit 1; }
	@set -e; env=$$(mktemp -d); trap 'rm -rf "$$env"' EXIT; \
	$(PYTHON) -m venv --without-pip "$$env"; \
	$(call pip,"$$env/bin/python"); \
	"$$@" install -qq $(PIP_TOOLS); \
	CUSTOM_COMPILE_COMMAND="make lock" "$$env/bin/python" -m piptools compile --quiet \
		--all-extras --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url \
		--no-emit-trusted-host --no-emit-find-links --no-emit-options $(LOCK_ARGS) \
		--output-file requirements.lock pyproject.toml

clean: ## Remove .venv, builds and caches
	rm -rf $(VENV) build dist htmlcov .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps. The first holds the path of the checkout, so that a moved or copied one, or one whose
# interpreter is gone, builds its own environment.
ifneq ($(shell test -x $(PY) && cat $(LOCKED) 2>/dev/null),$(CURDIR))
.PHONY: $(LOCKED)
endif

$(LOCKED): requirements.lock
	@$(need_python)
	@echo "Setting up $(VENV) with $(PYTHON) (once for each requirements.lock)"
	@$(PYTHON) -m venv --without-pip --clear $(VENV)
	@$(call pip,$(PY)); "$$@" install -qq --require-hashes -r requirements.lock
	@echo "$(CURDIR)" > $@

$(READY): $(LOCKED) pyproject.toml
	@$(call pip,$(PY)); "$$@" install -qq --no-deps --no-build-isolation --editable .
	@touch $@
