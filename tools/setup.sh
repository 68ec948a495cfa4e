#!/bin/bash
# Prepares a Debian or Ubuntu machine for this project: system packages by apt,
# Python packages into .venv. It is safe and quick to run again: it leaves alone
# what is already there, and an interrupted one goes on.
#
#   tools/setup.sh            what building, the tests and the demo need
#   tools/setup.sh build      only what building needs: no PyTorch
#   tools/setup.sh demo       only what building and the demo need
#   tools/setup.sh checks     and what the checks, the fuzzer and valgrind need
#   tools/setup.sh kernels    and what runs other kernels
#   tools/setup.sh fresh      and debootstrap
#   tools/setup.sh race       and the debugger that memray attach needs
#   tools/setup.sh wheels     and what builds igraph in an old Debian root, for MACHINE
#   tools/setup.sh matrix     in a root of `make matrix`: only system packages, with
#                             Debian's own Pythons and tools, and what builds CPython
#
# PYTHON names the interpreter for .venv, TORCH the PyTorch that pip installs
# ("" for none). Without them, any Python from 3.9 on and any PyTorch will do.
set -euo pipefail
cd "$(dirname "$0")/.."

packages='gcc g++ libc6-dev make ccache git pkg-config ca-certificates
          libgraphviz-dev graphviz libigraph-dev uthash-dev libzstd-dev libxxhash-dev
          zlib1g-dev libmicrohttpd-dev node-d3-hierarchy node-d3-selection node-d3-scale'
case ${1:-} in
'' | build | demo) ;;
checks)
    packages="$packages clang valgrind binutils libclang-rt-dev"
    # A test that lacks one of these is skipped.
    packages="$packages chromium zsh fish"
    # Any node runs the tests of the report page's script.
    command -v node >/dev/null || packages="$packages nodejs" ;;
kernels) packages="$packages qemu-system-x86 cpio" ;;
fresh) packages="$packages debootstrap" ;;
race) packages="$packages lldb" ;;
wheels)
    packages="$packages debootstrap dpkg-dev binutils"
    [ -z "${MACHINE:-}" ] ||
        packages="$packages gcc-$MACHINE-linux-gnu g++-$MACHINE-linux-gnu" ;;
matrix)
    packages="$packages cmake ninja-build python3-dev python3-venv python3-pytest
              python3-numpy python3-matplotlib xz-utils dpkg-dev
              libffi-dev libssl-dev libsqlite3-dev libbz2-dev liblzma-dev
              python3.15-dev python3.15-venv" ;;
*)
    echo "tools/setup.sh: unknown set '$1': give none, or build, demo, checks, kernels, fresh, race, wheels or matrix" >&2
    exit 2
    ;;
esac

fail() {
    echo "$@" >&2
    exit 1
}

# Shows the newest of the lines that it reads, in one line of the terminal.
show_newest() {
    local line columns
    columns=$({ stty size </dev/tty | cut -d' ' -f2; } 2>/dev/null || true)
    [ "${columns:-0}" -gt 0 ] || columns=80
    while IFS= read -r line; do
        printf '\r\033[K%s' "${line:0:$((columns - 1))}"
    done
    printf '\r\033[K'
}

# quietly WHAT COMMAND...: says WHAT. On a terminal, shows the command's newest line
# while it runs. $complaints has what it wrote to standard error.
complaints=$(mktemp)
trap 'rm -f "$complaints"' EXIT
quietly() {
    echo "== $1"
    shift
    if [ -t 1 ]; then
        "$@" 2>"$complaints" | show_newest
    else
        "$@" >/dev/null 2>"$complaints"
    fi
}

# complain WHAT: for a command that failed.
complain() {
    cat "$complaints" >&2
    fail "$@"
}

# Succeeds if this interpreter can build extensions and make virtual environments.
usable() {
    "$1" - >/dev/null 2>&1 <<'END'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not (sys.version_info >= (3, 9) and os.path.exists(header)))
END
}

# Prints the interpreter for .venv. Nobody is given another one than PYTHON.
find_python() {
    local candidate
    if [ -n "${PYTHON:-}" ]; then
        "$PYTHON" -c 'import sys
sys.exit(sys.implementation.name != "cpython" or sys.version_info < (3, 9))' 2>/dev/null ||
            fail "PYTHON=$PYTHON does not run, or is no CPython from 3.9 on: name another, or" \
                "leave it out."
        usable "$PYTHON" ||
            fail "PYTHON=$PYTHON lacks its headers or its venv module: install them (on" \
                "Debian python3-dev and python3-venv), name another, or leave it out."
        echo "$PYTHON"
        return
    fi
    for candidate in python3 /usr/bin/python3; do
        if usable "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

version_of() {
    "$1" -c 'import platform; print(platform.python_version())'
}

# Each missing one, in a line.
missing_packages() {
    local there
    # shellcheck disable=SC2086
    there=$(dpkg-query -W -f '${Package} ${Status}\n' $packages 2>/dev/null |
        sed -n 's/ .* installed$//p') || true
    # shellcheck disable=SC2086
    printf '%s\n' $packages | grep -vxFf <(echo "$there") || true
}

# obtainable PACKAGE...: leaves out packages that apt's lists lack and that a build
# can do without. Older releases keep clang's run-time libraries in another package,
# and have no newer Python besides their own. Ubuntu has no package with Chromium
# itself, and without its universe neither d3, libmicrohttpd nor fish. If apt has no
# lists yet, nothing is left out.
obtainable() {
    for package; do
        case $package in
        libclang-rt-dev | libmicrohttpd-dev | node-d3-* | python3.* | chromium | zsh | fish)
            ! ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 ||
                apt-cache show "$package" >/dev/null 2>&1 || continue ;;
        esac
        printf ' %s' "$package"
    done
}

install_packages() {
    local wanted
    export DEBIAN_FRONTEND=noninteractive
    quietly "apt-get updates its lists" apt-get update ||
        complain "apt-get cannot update its lists: mend that, and run this again."
    wanted=$(obtainable "$@")
    # shellcheck disable=SC2086
    quietly "apt-get installs system packages: minutes, the first time" \
        apt-get install -y --no-install-recommends -o Dpkg::Use-Pty=0 $wanted ||
        complain "apt-get cannot install$wanted: mend that, and run this again."
}

# An environment without its interpreter, or without pip because its making was
# interrupted, is useless. The stamp lists what is there, a line each, so that what
# needs less installs nothing.
stamp=.venv/installed.txt
works() {
    if [ -e $stamp ]; then
        .venv/bin/python -c ''
    else
        .venv/bin/python -m pip --version
    fi >/dev/null 2>&1
}

if [ "${1:-}" = matrix ] || { [ -z "${PYTHON:-}" ] && works; }; then
    python=python3
else
    python=$(find_python)
fi
if command -v dpkg-query >/dev/null; then
    [ -n "$python" ] || packages="$packages python3-dev python3-venv"
    # shellcheck disable=SC2046
    missing=$(obtainable $(missing_packages))
    if [ -n "$missing" ] && [ "$(id -u)" != 0 ]; then
        echo "Missing system packages:$missing" >&2
        echo "Install them, then run this again:" >&2
        fail "    sudo apt-get install --no-install-recommends$missing"
    fi
    # shellcheck disable=SC2086
    [ -z "$missing" ] || install_packages $missing
elif [ ! -e .venv/installed.txt ]; then
    echo "Not a Debian or Ubuntu system: install these packages, whatever" \
        "their names here:" $packages >&2
fi

[ "${1:-}" != matrix ] || exit 0

python=${python:-$(find_python)}
[ -n "$python" ] || fail "No usable Python: install CPython 3.9 or newer with its" \
    "headers and its venv module, or name one with PYTHON=..."

works || { .venv/bin/python -m ensurepip && works; } >/dev/null 2>&1 || rm -rf .venv
[ -e .venv ] || "$python" -m venv .venv
if [ -n "${PYTHON:-}" ] && [ "$(version_of "$PYTHON")" != "$(version_of .venv/bin/python)" ]; then
    fail ".venv has CPython $(version_of .venv/bin/python), and PYTHON=$PYTHON is" \
        "$(version_of "$PYTHON"): run 'make clean' first, or leave PYTHON out."
fi

pip_install() {
    local what=$1
    shift
    quietly "pip installs $what into .venv" .venv/bin/python -m pip install \
        --disable-pip-version-check --progress-bar off "$@"
}

# Only a PyTorch that nobody asked for may be another one.
install_torch() {
    ! pip_install "$torch (minutes, the first time)" "$torch" $users || return 0
    [ -z "${TORCH:-}" ] || complain "pip cannot install TORCH=$TORCH: name another," \
        "or leave PyTorch out by TORCH=''."
    grep -q 'No matching distribution' "$complaints" ||
        complain "pip cannot install $torch: mend that, and run this again."
    echo "No $torch for this Python: the newest one follows."
    pip_install torch torch $users ||
        complain "pip cannot install torch: mend that, and run this again."
}

torch=${TORCH-torch==2.13.0}
build=tools/requirements-build.txt
case ${1:-} in
build)
    torch=
    tools="tools for building"
    needed="-r $build" ;;
demo)
    tools="tools for building, NumPy and matplotlib"
    needed="-r $build -r tools/requirements-demo.txt" ;;
*)
    tools="tools for building and testing"
    needed="-r $build -r tools/requirements-demo.txt -r tools/requirements.txt" ;;
esac
users="-r tools/requirements-torch.txt"
[ "${1:-}" != demo ] || users=

wanted=$(cat $(echo "$needed${torch:+ $users}" | sed 's/-r//g') | grep -v '^#'; echo "$torch")
touch $stamp
# No pipe: grep ends at the first line, and what writes to it then fails.
if grep -qvxFf $stamp <<<"$wanted"; then
    # shellcheck disable=SC2086
    pip_install "$tools" $needed ||
        complain "pip cannot install $tools: mend that, and run this again."
    # A test that lacks this is skipped.
    case ${1:-} in
    build | demo) ;;
    *) pip_install axe-core-python axe-core-python==0.1.0 ||
        echo "No axe-core-python: the accessibility of pages is not tested." ;;
    esac
    if [ -n "$torch" ]; then
        install_torch
        sed -i '/^torch/d' $stamp
    fi
    echo "$wanted" >>$stamp
fi
