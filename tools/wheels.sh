#!/bin/bash
# `make wheels`: builds wheels for machines that have nothing but CPython, and tries them.
#
#   tools/wheels.sh [INTERPRETER...]
#
# All that takes long stays in build/wheels, so the second run is quick, and a run that
# was interrupted goes on. It fails if a wheel is missing, too large or does not work, but
# only after it has tried all that there are.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/root.sh

require "make wheels" chroot debootstrap dpkg-source readelf unshare
tools/wheels_root.sh
if [ $# = 0 ]; then
    # shellcheck disable=SC2046
    tools/wheels_pythons.sh $(.venv/bin/python tools/wheels.py --missing)
fi
whole=0
.venv/bin/python tools/wheels.py "$@" || whole=1
.venv/bin/python tools/check_wheel.py --alone build/wheels/*.whl
tools/wheels_try.sh
exit "$whole"
