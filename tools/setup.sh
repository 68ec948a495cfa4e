#!/bin/sh
# Prepares a Debian or Ubuntu machine for this project: system packages by apt,
# Python packages into .venv. It is safe and quick to run again: it leaves alone
# what is already there.
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
# ("" for none).
set -eu
cd "$(dirname "$0")/.."

packages='gcc g++ libc6-dev make ccache git pkg-config ca-certificates
          libgraphviz-dev graphviz libigraph-dev uthash-dev libzstd-dev libxxhash-dev
          zlib1g-dev libmicrohttpd-dev node-d3-hierarchy node-d3-selection node-d3-scale'
case ${1:-} in
'' | build | demo) ;;
checks)
    packages="$packages clang valgrind binutils libclang-rt-dev"
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

# True if this interpreter can build extensions and make virtual environments.
usable() {
    "$1" - >/dev/null 2>&1 <<'END'
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not (sys.version_info >= (3, 9) and os.path.exists(header)))
END
}

find_python() {
    for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
        if usable "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

known() {
    apt-cache show "$1" >/dev/null 2>&1
}

missing_packages() {
    for package in $packages; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null |
            grep -q ' installed$' || printf ' %s' "$package"
    done
}

install_packages() {
    if [ "$(id -u)" != 0 ]; then
        echo "Missing system packages:$1" >&2
        echo "Install them, then run this again:" >&2
        echo "    sudo apt-get install --no-install-recommends$1" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    # Older releases keep clang's run-time libraries in another package, and have
    # no newer Python besides their own. Ubuntu without its universe has neither d3
    # nor libmicrohttpd, and a build can do without these.
    wanted=
    for package in $1; do
        case $package in
        libclang-rt-dev | libmicrohttpd-dev | node-d3-* | python3.*) known "$package" || continue ;;
        esac
        wanted="$wanted $package"
    done
    # shellcheck disable=SC2086
    apt-get install -y --no-install-recommends $wanted
}

if command -v dpkg-query >/dev/null; then
    [ -n "$(find_python)" ] || packages="$packages python3-dev python3-venv"
    missing=$(missing_packages)
    [ -z "$missing" ] || install_packages "$missing"
else
    echo "Not a Debian or Ubuntu system: install these packages, whatever" \
        "their names here:" $packages >&2
fi

[ "${1:-}" != matrix ] || exit 0

python=$(find_python)
if [ -z "$python" ]; then
    echo "No usable Python: install CPython 3.9 or newer with its headers and" \
        "its venv module, or name one with PYTHON=..." >&2
    exit 1
fi

# Without its interpreter, the environment is useless.
[ ! -e .venv ] || .venv/bin/python -c '' 2>/dev/null || rm -rf .venv
[ -e .venv ] || "$python" -m venv .venv

torch=${TORCH-torch==2.13.0}
build=tools/requirements-build.txt
case ${1:-} in
build)
    torch=
    needed="-r $build" ;;
demo) needed="-r $build -r tools/requirements-demo.txt" ;;
*) needed="-r $build -r tools/requirements-demo.txt -r tools/requirements.txt" ;;
esac
users="-r tools/requirements-torch.txt"
[ "${1:-}" != demo ] || users=

# The stamp lists what is there, a line each, so that what needs less installs
# nothing.
stamp=.venv/installed.txt
wanted=$(cat $(echo "$needed${torch:+ $users}" | sed 's/-r//g') | grep -v '^#'; echo "$torch")
touch $stamp
if [ -n "$(echo "$wanted" | grep -vxFf $stamp)" ]; then
    echo "== pip installs tools${torch:+ and $torch} into .venv: minutes, the first time"
    # shellcheck disable=SC2086
    .venv/bin/python -m pip install -qq $needed
    # A test that lacks this is skipped.
    case ${1:-} in
    build | demo) ;;
    *) .venv/bin/python -m pip install -qq axe-core-python==0.1.0 ||
        echo "No axe-core-python: the accessibility of pages is not tested." >&2 ;;
    esac
    # shellcheck disable=SC2086
    if [ -n "$torch" ] && ! .venv/bin/python -m pip install -qq "$torch" $users
    then
        echo "No $torch for this Python: installing the newest one." >&2
        .venv/bin/python -m pip install -qq torch $users
    fi
    echo "$wanted" >>$stamp
fi
