#!/bin/bash
# Builds the interpreters that `make wheels` needs and this machine lacks, if
# Debian has their source, as build/wheels/pythons/VERSION. Compiles them in the
# root of release/wheels_root.sh, so that they run wherever its wheels run. Leaves
# alone what is already there. Goes on with the others if the mirror lacks a source:
# put it into build/wheels/sources by hand, as python3.14_3.14.7.orig.tar.xz.
set -euo pipefail
cd "$(dirname "$0")/.."
. release/root.sh

root=$PWD/build/wheels/root
sources=$PWD/build/wheels/sources
pythons=$PWD/build/wheels/pythons
releases=(bullseye bookworm trixie testing sid)

# --inside PREFIX TARBALL [CONFIGURE_OPTION...]: this part runs in the mount
# namespace. The interpreters only build and try wheels, so they need no
# optimization. Other machines have no OpenSSL that fits, so they bring
# everything but glibc along.
if [ "${1:-}" = --inside ]; then
    prefix=$2
    mount_checkout "$root"
    enter_checkout "$root" tools/cpython.sh "$3" "$prefix" OPT='-O1 -DNDEBUG' \
        LDFLAGS="-L/opt/links -Wl,-rpath,$prefix/lib" "${@:4}"
    enter_checkout "$root" sh -c 'ldd "$1"/lib/python*/lib-dynload/*.so' sh "$prefix" |
        sed -nE 's/.* => (\S*lib(ssl|crypto|ffi|z|zstd)\.so\S*) .*/\1/p' | sort -u |
        while read -r library; do
            cp -L "$root$library" "$prefix/lib/"
        done
    exit
fi

# build VERSION, where 3.14t is the free-threaded 3.14.
build() {
    local package=python${1%t} options=() tarball
    [ "$1" = "${1%t}" ] || options=(--disable-gil)
    [ ! -e "$pythons/$1/made" ] || return 0
    if ! release/source.sh "$package" "$sources" "${releases[@]}"; then
        echo "== no CPython $1: no source of it" >&2
        return 0
    fi
    tarball=$(ls "$sources/$package"_*.orig.tar.?z)
    unshare --mount --propagation private "$0" \
        --inside "$pythons/$1" "$tarball" "${options[@]}"
}

require "make wheels" chroot unshare apt-get
mkdir -p "$sources" "$pythons"
for version in "$@"; do
    build "$version"
done
