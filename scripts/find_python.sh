#!/bin/sh
# Print the path of a Python that can run metaeval, or say on standard error what is missing and end with 1:
# scripts/find_python.sh [VERSION], such as 3.13 for no other.
#
# PYTHON=/path/to/python decides alone. Otherwise, in this order: python3 and python, the versions by name, those
# under pyenv. A name on the path proves nothing (a pyenv shim fails when its version is not selected), so every
# candidate is run. The releases that the compiled dependencies have wheels for come first; a newer one is taken
# only where there is no other.
set -u

oldest=12
newest=14 # numba has wheels up to here
wanted=${1:-}

# Prints "minor ways" of a Python 3, ways being what it can install with: ensurepip, pip or nothing.
probe='
import sys
assert sys.version_info[0] == 3
ways = "nothing"
try:
    import ssl, venv, zlib
    try:
        import ensurepip
        ensurepip.version()
        ways = "ensurepip"
    except Exception:
        import pip
        ways = "pip"
except Exception:
    pass
print("%d %s" % (sys.version_info[1], ways))
'

ask() {
    command -v "$1" >/dev/null 2>&1 || return 1
    answer=$("$1" -c "$probe" 2>/dev/null </dev/null) || { note "$1: does not run as a Python 3"; return 1; }
    minor=${answer% *}
    ways=${answer#* }
    if [ "$minor" -lt "$oldest" ]; then
        note "$1: Python 3.$minor, too old"
        return 1
    elif [ -n "$wanted" ] && [ "3.$minor" != "$wanted" ]; then
        note "$1: Python 3.$minor, not $wanted"
        return 1
    elif [ "$ways" = nothing ]; then
        note "$1: Python 3.$minor without venv and pip (on Debian and Ubuntu: apt install python3-venv)"
        return 1
    fi
}

note() {
    case $looked in
    *"$1"*) ;;
    *) looked="$looked
  $1" ;;
    esac
}

take() {
    "$1" -c 'import sys; print(sys.executable)'
    exit 0
}

looked=
if [ -n "${PYTHON:-}" ]; then
    ask "$PYTHON" && take "$PYTHON"
    echo "PYTHON=$PYTHON cannot be used; metaeval needs Python 3.$oldest or newer.${looked:-
  $PYTHON: not found}" >&2
    exit 1
fi

newer=
for candidate in python3 python python3.13 python3.12 python3.14 \
    "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/*/bin/python3 "${HOME:-}"/.pyenv/versions/*/bin/python3; do
    ask "$candidate" || continue
    [ "$minor" -le "$newest" ] && take "$candidate"
    newer=${newer:-$candidate}
done
[ -n "$newer" ] && take "$newer"

cat >&2 <<MESSAGE
metaeval needs Python 3.$oldest or newer, and none was found. Looked at:${looked:-
  python3 and others: not found}
Any of these gets one:
  apt install python3.13 python3.13-venv      (or your system's own package)
  pyenv install 3.13                          (https://github.com/pyenv/pyenv)
  uv python install 3.13                      (https://docs.astral.sh/uv)
  https://www.python.org/downloads
Where one is installed in an unusual place, name it: make PYTHON=/path/to/python3.13 demo
MESSAGE
exit 1
