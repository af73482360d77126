#!/bin/sh
# Tag the last commit as the release that pyproject.toml names. Nothing is tagged where a file names another version,
# the changelog gives no day, something is not committed, or the tag is there already.
set -eu

cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml | head -n 1)

stop() {
    echo "Not tagged: $1" >&2
    exit 1
}
[ -z "$(git status --porcelain)" ] || stop "commit what git status lists first"
grep -q "^version: $version\$" CITATION.cff || stop "CITATION.cff names another version than $version"
grep -q "version: \"$version\"" scripts/conda/meta.yaml || stop "scripts/conda/meta.yaml names another version than $version"
day=$(sed -n "s/^## $version (\([0-9-]*\))\$/\1/p" CHANGELOG.md)
[ -n "$day" ] || stop "CHANGELOG.md needs the heading '## $version (YEAR-MONTH-DAY)'"
grep -q "^date-released: $day\$" CITATION.cff || stop "CITATION.cff names another day than $day"
git tag -a "v$version" -m "metaeval $version, $day"
echo "Tagged v$version; git push origin v$version publishes the tag."
