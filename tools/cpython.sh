#!/bin/sh
# Builds a CPython from the tarball of a Debian source package, with this
# machine's compiler:
#
#   tools/cpython.sh TARBALL PREFIX [CONFIGURE_OPTION...]
#
# Installs it in PREFIX, unless a complete one is there.
set -eu
tarball=$1
prefix=$2
shift 2
[ ! -e "$prefix/made" ] || exit 0

work=$prefix.build
echo "== CPython from ${tarball##*/} into $prefix: configure $*"
rm -rf "$prefix" "$work" # left by an interrupted run
mkdir -p "$work/source" "$work/build"
tar xf "$tarball" -C "$work/source" --strip-components=1
cd "$work/build"
if ! { ../source/configure --prefix="$prefix" --with-ensurepip=install \
    --disable-test-modules "$@" && make -j"$(nproc)" && make install; } >log 2>&1; then
    tail -n 40 log
    exit 1
fi
cd /
rm -rf "$work"
touch "$prefix/made"
