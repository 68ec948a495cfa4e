#!/bin/bash
# Runs a command in this checkout, inside a Debian root of another release:
#
#   release/matrix.sh SUITE COMMAND...
#
# The root is build/roots/SUITE. debootstrap makes it the first time, and later
# runs use it again. tools/setup.sh matrix installs its packages, and installs
# them again when that file is newer; an interrupted set-up starts again. The
# checkout has the same path inside as outside. This must run as root. MIRROR is
# the source of the packages.
set -euo pipefail
cd "$(dirname "$0")/.."
. release/root.sh

if [ "${1:-}" = --inside ]; then
    root=$2
    shift 2
    mount_checkout "$root"
    enter_checkout "$root" "$@"
    exit
fi

suite=$1
shift
root=$PWD/build/roots/$suite
inside() {
    unshare --mount --propagation private "$0" --inside "$root" "$@"
}

require "make matrix" chroot debootstrap unshare
if [ ! -e "$root.made" ]; then
    echo "== debootstrap $suite into $root"
    rm -rf --one-file-system "$root"
    mkdir -p "$root"
    bootstrap "$suite" "$root" ca-certificates
    touch "$root.made"
fi
copy_settings "$suite" "$root"
if [ tools/setup.sh -nt "$root.ready" ]; then
    inside tools/setup.sh matrix >"$root.log" 2>&1 || { tail -n 40 "$root.log"; exit 1; }
    touch "$root.ready"
fi
inside "$@"
