#!/bin/bash
# `make wheels`: builds wheels for machines that have nothing but CPython, and tries them.
#
#   [MACHINE=aarch64] [WITHOUT=VERSIONS] release/wheels.sh [INTERPRETER...]
#
# With MACHINE, it builds for another machine with Debian's cross compiler and this
# machine's interpreters, and tries the wheels if this machine emulates that one.
#
# build/wheels keeps all that takes long, so the second run is quick, and a run
# continues after an interruption. If a version gets no wheel and WITHOUT does not
# name it, this fails, but only after it has tried the wheels of all others.
set -euo pipefail
cd "$(dirname "$0")/.."
. release/root.sh

wheels() {
    PYTHONPATH="tools:${PYTHONPATH:-}" .venv/bin/python release/wheels.py "$@"
}

machine=${MACHINE:-$(uname -m)}
require "make wheels" chroot debootstrap dpkg-source readelf unshare "$machine-linux-gnu-gcc"
release/wheels_root.sh
if [ $# = 0 ] && [ "$machine" = "$(uname -m)" ]; then
    # shellcheck disable=SC2046
    release/wheels_pythons.sh $(wheels --missing)
fi
wheels "$@"
.venv/bin/python release/check_wheel.py --alone build/wheels/*.whl
release/wheels_try.sh
[ "$machine" = aarch64 ] || echo "wheels for aarch64: make wheels MACHINE=aarch64"
wheels --judge "$@"
