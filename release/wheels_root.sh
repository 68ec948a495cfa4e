#!/bin/bash
# Makes build/wheels/root, the Debian root that `make wheels` links against, and
# build/wheels/bundle, which has the files that a wheel adds. With
# MACHINE=aarch64, Debian's cross compiler makes build/wheels/root-aarch64 and
# bundle-aarch64.
#
# The root has the oldest release on Debian's servers, so that wheels run
# wherever glibc is as old or newer. release/wheels_libraries.sh builds what that
# release lacks. What is already there stays; an interrupted set-up starts
# again.
set -euo pipefail
cd "$(dirname "$0")/.."
. release/root.sh

suite=bullseye
machine=${MACHINE:-$(uname -m)}
foreign=
[ "$machine" = "$(uname -m)" ] || foreign=-$machine
root=$PWD/build/wheels/root$foreign
sources=$PWD/build/wheels/sources
libraries=$root/usr/lib/$machine-linux-gnu

# First what a wheel contains or links, then what builds that and CPython.
packages=libc6-dev,libgraphviz-dev,libzstd-dev,libxxhash-dev,zlib1g-dev
packages=$packages,uthash-dev,fonts-dejavu-core
packages=$packages,libblas-dev,liblapack-dev,libarpack2-dev,libgmp-dev
builders=gcc,g++,pkg-config,make,cmake,flex,bison,ca-certificates
builders=$builders,xz-utils,libffi-dev,libssl-dev

# From outside, a link must not leave the root. Without links to shared
# libraries, the linker takes the static ones, because a process may have others
# of the same name. Interpreters link the shared ones, by /opt/links.
make_linkable() {
    local link
    mkdir -p "$root/usr/lib64" # some machines lack it
    find "$root/usr/lib64" "$libraries" -maxdepth 1 -lname '/*' |
        while read -r link; do
            ln -sfr "$root$(readlink "$link")" "$link"
        done
    rm -f "$libraries"/lib{zstd,xxhash,z}.so
    mkdir -p "$root/opt/links"
    ln -sfr "$libraries"/libz.so.1 "$root/opt/links/libz.so"
    ln -sfr "$libraries"/libzstd.so.1 "$root/opt/links/libzstd.so"
}

# unpack PACKAGE: unpacks the source of this machine's release into the root's
# /src/PACKAGE.
unpack() {
    release/source.sh "$1" "$sources" "$(. /etc/os-release && echo "$VERSION_CODENAME")"
    mkdir -p "$root/src"
    rm -rf "$root/src/$1"
    dpkg-source --no-check -x "$sources/$1"_*.dsc "$root/src/$1" >/dev/null
}

make_root() {
    echo "== debootstrap $suite into $root"
    rm -rf --one-file-system "$root"
    if [ -n "$foreign" ]; then
        mkdir -p "$root"
        unpack_foreign "$suite" "$root" "$packages" \
            "$(architecture "$machine")"
        # update-alternatives would make these links.
        ln -sr "$libraries"/{blas,lapack}/lib*.{a,so} "$libraries/"
    else
        bootstrap "$suite" "$root" "$packages,$builders"
        copy_settings "$suite" "$root"
    fi
    make_linkable
}

build_libraries() {
    if [ -n "$foreign" ]; then
        release/wheels_libraries.sh "$root" "$machine"
    else
        unshare --mount --propagation private "$0" --inside
    fi
}

# --inside: this part runs in the mount namespace.
if [ "${1:-}" = --inside ]; then
    mount_checkout "$root"
    enter_checkout "$root" release/wheels_libraries.sh
    exit
fi

mkdir -p "$sources"
if [ release/wheels_root.sh -nt "$root.made" ]; then
    make_root
    touch "$root.made"
fi
if [ release/wheels_libraries.sh -nt "$root.libraries" ] ||
    [ "$root.made" -nt "$root.libraries" ]; then
    echo "== igraph and libmicrohttpd from Debian's source packages"
    unpack igraph
    unpack libmicrohttpd
    build_libraries >"$root.log" 2>&1 || { tail -n 40 "$root.log"; exit 1; }
    touch "$root.libraries"
fi
.venv/bin/python release/bundle.py "$root" "build/wheels/bundle$foreign" "$machine"
