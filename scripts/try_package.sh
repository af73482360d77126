#!/bin/sh
# Use the wheel in dist as someone who never saw the checkout: in an environment and a folder of its own.
#
# scripts/try_package.sh        a few commands
# scripts/try_package.sh tests  all tests and the package's own examples, from a copy of tests; what needs the
#                               checkout is skipped by name
set -eu

cd "$(dirname "$0")/.."
root=$(pwd -P)
wheel=$(ls "$root"/dist/metaeval-*.whl)
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
trap 'exit 130' INT TERM
unset PYTHONPATH

echo "Installing $(basename "$wheel") and what it needs into $away/env (a minute or two)"
.venv/bin/python -m venv --without-pip "$away/env" # pip of .venv installs: not every Python brings its own
.venv/bin/python -m pip --python "$away/env/bin/python" install --quiet --disable-pip-version-check \
    "$wheel${1:+[test]}"
mkdir "$away/work"
cd "$away/work"

if [ "${1:-}" = tests ]; then
    METAEVAL_DATA=${METAEVAL_DATA:-$root/../shared/data}
    export METAEVAL_DATA
    cp "$root/pyproject.toml" . # settings of pytest
    cp -r "$root/tests" .
    "$away/env/bin/python" -m pytest -n auto --maxprocesses=4 --dist worksteal tests --pyargs metaeval
else
    metaeval=$away/env/bin/metaeval
    "$metaeval" doctor
    "$metaeval" simulate scores scores.csv --systems 8 --topics 25 --seed 1
    "$metaeval" power scores.csv
    "$metaeval" simulate collection made --groups 3 --runs-per-group 2 --topics 12 --seed 1
    "$metaeval" report made/runs --qrels made/qrels.txt --groups made/groups.csv --out report
    test -s report/index.html
fi
