#!/bin/bash
# Runs a command in this checkout, seen from a Debian root of another release:
#
#   tools/matrix.sh SUITE COMMAND...
#
# The root is build/roots/SUITE. It is made by debootstrap the first time, gets
# what tools/setup.sh matrix installs, again when that file is newer, and stays
# for the next time; one whose making was interrupted is made anew. The checkout
# lies at the same place in it as outside. Needs to be root. MIRROR says where
# packages come from.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/root.sh

if [ "${1:-}" = --inside ]; then
    root=$2
    shift 2
    mount_root "$root"
    mkdir -p "$root$PWD"
    mount --bind "$PWD" "$root$PWD"
    enter "$root" sh -c 'cd "$1" && shift && "$@"' sh "$PWD" "$@"
    exit
fi

suite=$1
shift
root=$PWD/build/roots/$suite
inside() {
    unshare --mount --propagation private "$0" --inside "$root" "$@"
}

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "A root of Debian $suite needs root's rights, and debootstrap:" \
        "tools/setup.sh fresh" >&2
    exit 1
fi
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
