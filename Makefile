# What a contributor runs; `make` alone lists it. Everything lands in this folder, most of it in .venv.

.DEFAULT_GOAL := help
VENV := .venv
READY := $(VENV)/.ready

# The first Python on PATH that is new enough. Another one: `make setup PYTHON=/path/to/python`.
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)

PIP := PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 $(VENV)/bin/python -m pip install --quiet
# The tests start some 200 processes: without the bytecode of the first one, each would compile the application again.
PYTEST := PYTHONDONTWRITEBYTECODE= $(VENV)/bin/python -m pytest
# A process more than there are CPUs: tests wait for servers and clocks about a third of their time.
PARALLEL := -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist worksteal
FAST := not (needs_mongod or race or slow or clients or browser or abuse)
FAST_TESTS := tests/contract tests/core/schemas $(addprefix tests/core/test_,etags.py slugs.py) \
	tests/documents/test_statuses.py tests/briefs tests/intents
COMPILE := $(VENV)/bin/uv --no-cache --no-config pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--generate-hashes --custom-compile-command 'make lock'
AUDIT := $(VENV)/bin/pip-audit --strict --require-hashes --disable-pip --progress-spinner off

FEATURES := events webhooks sections checks guards images review provenance sources planning transfers insights notices oauth packets actions changes representations search

.PHONY: help setup dev test test-features test-fast drills lint audit abuse chaos fuzz bench bench-growth bench-peers soak dist release docs screenshots sure lock clean

help: ## List these commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-12s %s\n' "$$name" "$$what"; done

setup: $(READY) ## Make .venv with the locked dependencies, and nothing outside this folder

$(READY): requirements.lock pyproject.toml
	@if [ -z "$(PYTHON)" ]; then \
		echo >&2 'No Python 3.11 or newer was found on PATH. Install one (Debian: apt-get install python3 python3-venv),'; \
		echo >&2 'or name yours: make setup PYTHON=/path/to/python'; exit 1; fi
	@if ! $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null; then \
		echo >&2 '$(PYTHON) can make no virtual environment. Install what it lacks: apt-get install python3-venv'; exit 1; fi
	@echo 'Setting up $(VENV) with the locked dependencies. The first time takes a minute or two.'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes --requirement requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

dev: setup ## Serve a demo project on a local MongoDB, and print its tokens
	@exec $(VENV)/bin/content-workflow dev

test: setup ## Run the suite on a real mongod, without the drills and the attacks
	$(PYTEST) $(PARALLEL) -m 'not abuse and not long'

drills: setup ## Run what takes a minute: failures of every kind, schemathesis, big projects
	$(PYTEST) $(PARALLEL) -m 'long and not abuse'

test-features: setup ## Run the contract's own tests without each feature (FEATURE=review: without one), and without all
	$(PYTEST) $(PARALLEL) tests/features
	@for name in $(or $(FEATURE),$(FEATURES) all); do echo "without $$name:"; \
		$(PYTEST) $(PARALLEL) -q -m 'not (slow or clients or browser or abuse)' --without $$name || exit 1; done

test-fast: setup ## Run the tables of fields and rules, drafts and briefs, in memory and in under 30 seconds
	CONTENT_WORKFLOW_TEST_STORE=mongomock $(PYTEST) $(PARALLEL) -m '$(FAST)' $(FAST_TESTS)

lint: setup ## Check style, types, imports, security, dependencies, the Dockerfile and compose.yaml
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(VENV)/bin/bandit --quiet --configfile pyproject.toml --recursive app graphql_app mcp_tools wsgi.py
	$(VENV)/bin/deptry app graphql_app mcp_tools
	$(VENV)/bin/hadolint Dockerfile
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml

audit: setup ## Look up known vulnerabilities of the locked packages, where PyPI tells those of pip 24.0
	@if echo pip==24.0 | $(VENV)/bin/pip-audit --no-deps --disable-pip --progress-spinner off \
			--requirement /dev/stdin 2>/dev/null | grep --quiet '^pip  *24'; then \
		$(AUDIT) --requirement requirements.lock; \
	else \
		echo 'The locked packages were not looked up: PyPI does not tell the known vulnerabilities of pip 24.0 here.'; \
	fi

abuse: setup ## Attack a running service in every way known, and print what everybody else met; leave it alone
	$(PYTEST) tests/abuse

chaos: setup ## Kill, freeze and step down what the service runs on, and check that nothing is lost (SECONDS=, SEED=)
	$(VENV)/bin/python -m chaos $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))

fuzz: setup ## Send INPUTS=1000 bad inputs of SEED=1 to every interface, and some of schemathesis to each operation
	FUZZ_EXAMPLES=$(or $(INPUTS),1000) $(PYTEST) tests/http/test_bad_input.py tests/oauth/test_odd_input.py --hypothesis-seed=$(or $(SEED),1)
	SCHEMATHESIS_EXAMPLES=20 SCHEMATHESIS_SEED=$(or $(SEED),1) $(PYTEST) tests/surface/test_schemathesis.py

bench: setup ## Measure requests beside the bare floor, and write docs/performance.md
	$(VENV)/bin/python -m bench

bench-growth: setup ## Measure how requests slow down to a project of DOCUMENTS=1000000; 5 minutes
	$(VENV)/bin/python -m bench --growth $(or $(DOCUMENTS),1000000)

bench-peers: setup ## Measure the same work on Strapi, Directus and Payload too; an hour, packages of npm (bench/peers)
	$(VENV)/bin/python -m bench.peers

soak: setup ## Send a mixed load for MINUTES=60, and print the memory of the service at each minute
	$(VENV)/bin/python -m bench.soak --minutes $(or $(MINUTES),60)

dist: setup ## Build the package, check what an index would show of it, and serve with it outside of this folder
	rm -rf dist
	$(VENV)/bin/python -m hatchling build
	$(VENV)/bin/twine check --strict dist/*
	$(VENV)/bin/python -m release.smoke dist/*.whl

release: setup ## Make release VERSION=1.2.3 (DIGEST= of the image): changelog, locks, package, bill of materials; docs/releasing.md
	$(VENV)/bin/python -m release $(VERSION) $(if $(DIGEST),--digest $(DIGEST))

docs: setup ## Build the site of the docs into build/docs
	npm ci --prefix docs_site --no-audit --no-fund --ignore-scripts --silent
	$(VENV)/bin/python -m docs_site
	$(VENV)/bin/zensical build --strict --clean

screenshots: setup ## Take the screenshots of the console in docs/images, of a demo of its own; two minutes
	$(VENV)/bin/python -m docs_site.screenshots

sure: lint audit dist docs test-fast test ## All that CI does

lock: setup ## Compile both locks from pyproject.toml (UPGRADE=1: with the newest versions)
	$(COMPILE) --extra dev $(if $(UPGRADE),--upgrade) --output-file requirements.lock
	$(COMPILE) --extra build --constraint requirements.lock --output-file requirements-run.lock

clean: ## Remove .venv, caches and builds; the data of `make dev` stay, in .mongod
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .schemathesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
