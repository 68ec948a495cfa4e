#!/bin/bash
# `make wheels`: builds wheels for machines that have nothing but CPython, and tries them.
#
#   [MACHINE=aarch64] tools/wheels.sh [INTERPRETER...]
#
# With MACHINE, it builds for another machine with Debian's cross compiler and this
# machine's interpreters, and tries the wheels if this machine emulates that one.
#
# build/wheels keeps all that takes long, so the second run is quick, and a run
# continues after an interruption. It fails if a wheel is missing, too large or
# broken, but only after it has tried all wheels.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/root.sh

machine=${MACHINE:-$(uname -m)}
require "make wheels" chroot debootstrap dpkg-source readelf unshare "$machine-linux-gnu-gcc"
tools/wheels_root.sh
if [ $# = 0 ] && [ "$machine" = "$(uname -m)" ]; then
    # shellcheck disable=SC2046
    tools/wheels_pythons.sh $(.venv/bin/python tools/wheels.py --missing)
fi
whole=0
.venv/bin/python tools/wheels.py "$@" || whole=1
.venv/bin/python tools/check_wheel.py --alone build/wheels/*.whl
tools/wheels_try.sh
[ "$machine" = aarch64 ] || echo "wheels for aarch64: make wheels MACHINE=aarch64"
exit "$whole"
