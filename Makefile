# make demo and make test need nothing but a Python of 3.12 or newer and a package index.
# PYTHON=/path/to/python chooses the Python; everything lands in .venv, which can be deleted at any time.

.PHONY: help demo quick test exhaustive browser required oldest newest pythons lint docs loaded package installed tag picture gallery notebooks benchmark boards clean

# What one process has compiled the next need not: the tests start hundreds, and make clean removes it.
unexport PYTHONDONTWRITEBYTECODE

bin := .venv/bin
made := examples/simulated/collection

help:
	@echo "make demo       set up .venv and make a report of the bundled example"
	@echo "make quick      set up .venv and run the quick tests"
	@echo "make test       set up .venv and run all tests but the long ones, some ten minutes on two cores"
	@echo "make exhaustive set up .venv and run all tests"
	@echo "make browser    run the tests of the report page in Chromium (chromium or google-chrome, else METAEVAL_BROWSER)"
	@echo "make required   run all tests beside the required packages alone, in .venv-required"
	@echo "make oldest     run the quick tests beside the oldest releases that pyproject.toml allows, in .venv-oldest"
	@echo "make newest     run the quick tests beside the newest releases, before their release too, in .venv-newest"
	@echo "make pythons    run the quick tests on every Python from 3.12 to 3.14 that is found, each in .venv-VERSION"
	@echo "make lint       style, types and the direction of imports"
	@echo "make docs       build the documentation into docs/_build/html"
	@echo "make loaded     load all tests without running them, which compiles them"
	@echo "make package    build the wheel and the sdist into dist, check them, and use the wheel away from the checkout"
	@echo "make installed  run all tests against that wheel, away from the checkout"
	@echo "make tag        name this commit as the release that pyproject.toml says, if all that name it agree"
	@echo "make picture    draw the picture in README.md anew"
	@echo "make gallery    draw the pictures of docs/gallery.md anew"
	@echo "make notebooks  run the notebooks of examples/ anew"
	@echo "make benchmark  time metaeval beside other packages"
	@echo "make boards     read public boards (DATA=FOLDER), and put published figures beside ours"
	@echo "make clean      remove .venv and everything built"

demo:
	@sh scripts/setup.sh
	$(bin)/metaeval report $(made)/runs --qrels $(made)/qrels.txt.gz --groups $(made)/groups.csv \
		--out metaeval-report --overwrite

quick:
	@sh scripts/setup.sh dev
	$(bin)/python -m pytest -n auto --maxprocesses=4 --dist worksteal --quick

test:
	@sh scripts/setup.sh dev
	$(bin)/python -m pytest -n auto --maxprocesses=4 --dist worksteal

exhaustive:
	@sh scripts/setup.sh dev
	$(bin)/python -m pytest -n auto --maxprocesses=4 --dist worksteal --exhaustive

browser:
	@sh scripts/setup.sh dev,browser
	$(bin)/python -m pytest tests/browser

required:
	@sh scripts/setup.sh test .venv-required
	.venv-required/bin/python -m pytest -n auto --maxprocesses=4 --dist worksteal --exhaustive

# Old releases may use what newer ones of their own dependencies announce to remove: that breaks nothing yet.
oldest:
	@sh scripts/setup.sh test,parquet .venv-oldest oldest
	.venv-oldest/bin/python -m pytest -n auto --maxprocesses=4 --dist worksteal --quick \
		-W ignore::DeprecationWarning -W ignore::FutureWarning

# What the next releases will break, while there is time; they may also be at fault themselves.
newest:
	@sh scripts/setup.sh test,parquet .venv-newest newest
	.venv-newest/bin/python -m pytest -n auto --maxprocesses=4 --dist worksteal --quick \
		-W ignore::DeprecationWarning -W ignore::FutureWarning

# A Python that is not there is named, and left out.
pythons:
	@failed=; for version in 3.12 3.13 3.14; do \
		python=$$(sh scripts/find_python.sh $$version 2>/dev/null) || { echo "No Python $$version here."; continue; }; \
		PYTHON=$$python sh scripts/setup.sh test,parquet .venv-$$version && \
		.venv-$$version/bin/python -m pytest -n auto --maxprocesses=4 --dist worksteal --quick || failed="$$failed $$version"; \
	done; [ -z "$$failed" ] || { echo "Failed on Python$$failed"; exit 1; }

lint:
	@sh scripts/setup.sh dev
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/lint-imports

docs:
	@sh scripts/setup.sh docs
	$(bin)/python scripts/write_docs.py
	$(bin)/sphinx-build --fail-on-warning --keep-going --quiet --builder html docs docs/_build/html
	@echo "Open docs/_build/html/index.html in a browser."

# Workers that load the tests side by side would each compile all of them.
loaded:
	@sh scripts/setup.sh dev
	$(bin)/python -m pytest --collect-only --quiet >/dev/null # what does not load, make test names

package:
	@sh scripts/setup.sh package
	rm -rf dist
	$(bin)/python -m build --outdir dist
	$(bin)/twine check --strict dist/*
	@sh scripts/try_package.sh

installed: package
	@sh scripts/try_package.sh tests

tag:
	@sh scripts/tag_release.sh

picture: demo
	$(bin)/python scripts/make_readme_picture.py

gallery:
	@sh scripts/setup.sh
	$(bin)/python scripts/make_gallery.py

notebooks:
	@sh scripts/setup.sh dev
	$(bin)/python scripts/run_notebooks.py

benchmark:
	@sh scripts/setup.sh dev
	@for script in $(wildcard benchmarks/speed_*.py) benchmarks/import_time.py; do \
		echo "== $$script"; $(bin)/python $$script || exit 1; done

boards:
	@sh scripts/setup.sh dev
	$(bin)/python benchmarks/studies/public_boards.py $(DATA)

clean:
	rm -rf .venv .venv-required .venv-oldest .venv-newest .venv-3.* build dist docs/_build metaeval-report .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
