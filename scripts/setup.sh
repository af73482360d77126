#!/bin/sh
# Make or refresh .venv (or FOLDER), the private virtual environment of this checkout:
# scripts/setup.sh [EXTRA,…] [FOLDER] [oldest|newest]; with the last word, of the oldest releases that pyproject.toml
# allows, or of the newest there are, before their release too, whatever it allows.
#
# What was installed is noted in .venv; the note holds while pyproject.toml and the place of the checkout stay the
# same, so that a second call costs nothing. Every other way of installing is as good: see README.md.
set -eu

cd "$(dirname "$0")/.."
extras=${1:-}
venv=${2:-.venv}
ends=${3:-}
place=$(pwd -P)
state="$place $(cksum <pyproject.toml)"
note=$venv/metaeval-installed-${extras:-core}

home_of() { "$1" -c 'import sys; print(sys.base_prefix)' 2>/dev/null; }

# Whether .venv is of this checkout, works, and has the Python that PYTHON= asks for.
usable() {
    [ "$(cat $venv/metaeval-place 2>/dev/null)" = "$place" ] && found=$(home_of $venv/bin/python) || return 1
    [ -z "${PYTHON:-}" ] || [ "$found" = "$(home_of "$PYTHON")" ]
}

if [ -e $venv ] && [ ! -f $venv/metaeval-place ]; then
    echo "There is a $venv here that make did not make. Use it as README.md says, or move it away first." >&2
    exit 1
elif usable; then
    [ "$(cat "$note" 2>/dev/null)" = "$state" ] && exit 0
else
    python=$(sh scripts/find_python.sh)
    echo "Setting up $venv with $("$python" --version), $python"
    rm -rf $venv
    mkdir $venv
    echo "$place" >$venv/metaeval-place
    if "$python" -c 'import ensurepip; ensurepip.version()' 2>/dev/null; then
        "$python" -m venv $venv
    else # a Python packaged without ensurepip: its own pip puts one into the environment
        "$python" -m venv --without-pip $venv
        "$python" -m pip --python $venv/bin/python install --quiet --disable-pip-version-check pip
    fi
fi

echo "Installing metaeval${extras:+ with $extras} and what it needs into $venv (once; a minute or two)"
# Half of a minute goes by compiling modules that nothing here imports; Python compiles the others as it meets them.
pip="$venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile"
case $ends in
oldest)
    $venv/bin/python scripts/oldest.py >$venv/oldest.txt
    $pip --editable ".${extras:+[$extras]}" --constraint $venv/oldest.txt
    ;;
newest)
    $venv/bin/python scripts/oldest.py newest >$venv/newest.txt
    $pip --pre --upgrade --requirement $venv/newest.txt
    $pip --no-deps --editable .
    ;;
*) $pip --editable ".${extras:+[$extras]}" ;;
esac
echo "$state" >"$note"
for one in $(echo "$extras" | tr , ' '); do # each of several is there too
    echo "$state" >$venv/metaeval-installed-"$one"
done
