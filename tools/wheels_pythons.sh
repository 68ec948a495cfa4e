#!/bin/bash
# Builds the interpreters that `make wheels` is to build wheels for, that the machine
# lacks and that Debian has the source of, as build/wheels/pythons/VERSION. They are
# compiled in the root of tools/wheels_root.sh, so they run wherever its wheels run. What
# is there already stays.
#
# A source may be put into build/wheels/sources by hand, if the mirror has none:
# python3.14_3.14.7.orig.tar.xz.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/root.sh

root=$PWD/build/wheels/root
sources=$PWD/build/wheels/sources
pythons=$PWD/build/wheels/pythons
releases=(bullseye bookworm trixie testing sid)

# --inside PREFIX TARBALL [CONFIGURE_OPTION...]: what runs in the mount namespace. The
# interpreters build and try wheels, no more: they need no optimization. Other machines
# have no OpenSSL that fits, so what is not of glibc comes along.
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

# build VERSION: 3.14t is the free-threaded 3.14.
build() {
    local package=python${1%t} options=() tarball
    [ "$1" = "${1%t}" ] || options=(--disable-gil)
    [ ! -e "$pythons/$1/made" ] || return 0
    tools/source.sh "$package" "$sources" "${releases[@]}"
    tarball=$(ls "$sources/$package"_*.orig.tar.?z)
    unshare --mount --propagation private "$0" \
        --inside "$pythons/$1" "$tarball" "${options[@]}"
}

require "make wheels" chroot unshare apt-get
mkdir -p "$sources" "$pythons"
for version in "$@"; do
    build "$version"
done
