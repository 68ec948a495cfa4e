#!/bin/bash
# `make wheels`: builds wheels for machines that have nothing but CPython, and tries them.
#
#   [MACHINE=aarch64] release/wheels.sh [INTERPRETER...]
#
# With MACHINE, it builds for another machine with Debian's cross compiler and this
# machine's interpreters, and tries the wheels if this machine emulates that one.
#
# build/wheels keeps all that takes long, so the second run is quick, and a run
# continues after an interruption. It fails if a wheel is missing, too large or
# broken, but only after it has tried all wheels.
set -euo pipefail
cd "$(dirname "$0")/.."
. release/root.sh

machine=${MACHINE:-$(uname -m)}
require "make wheels" chroot debootstrap dpkg-source readelf unshare "$machine-linux-gnu-gcc"
release/wheels_root.sh
if [ $# = 0 ] && [ "$machine" = "$(uname -m)" ]; then
    # shellcheck disable=SC2046
    release/wheels_pythons.sh $(PYTHONPATH="tools:${PYTHONPATH:-}" .venv/bin/python release/wheels.py --missing)
fi
whole=0
PYTHONPATH="tools:${PYTHONPATH:-}" .venv/bin/python release/wheels.py "$@" || whole=1
.venv/bin/python release/check_wheel.py --alone build/wheels/*.whl
release/wheels_try.sh
[ "$machine" = aarch64 ] || echo "wheels for aarch64: make wheels MACHINE=aarch64"
exit "$whole"
