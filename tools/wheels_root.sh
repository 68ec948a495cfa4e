#!/bin/bash
# Makes build/wheels/root, the Debian root that `make wheels` links against, and the
# bundle of what a wheel brings along, build/wheels/bundle.
#
# The root is of the oldest release that Debian's servers still have, so that wheels
# run wherever glibc is as old as there. tools/wheels_libraries.sh builds in it what the
# release lacks. What is there already stays; an interrupted set-up starts again.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/root.sh

suite=bullseye
root=$PWD/build/wheels/root
sources=$PWD/build/wheels/sources
libraries=$root/usr/lib/x86_64-linux-gnu

# What a wheel has inside, then what builds igraph, libmicrohttpd and CPython.
packages=gcc,libc6-dev,pkg-config,libgraphviz-dev,libzstd-dev,libxxhash-dev,zlib1g-dev
packages=$packages,uthash-dev,fonts-dejavu-core,ca-certificates
packages=$packages,g++,make,cmake,flex,bison,libblas-dev,liblapack-dev
packages=$packages,libarpack2-dev,libgmp-dev,xz-utils,libffi-dev,libssl-dev

# Seen from outside, a link must not leave the root. Without their links, the linker
# takes the static libraries: a process may have others of the same name. Interpreters
# are linked with the shared ones, by /opt/links.
make_linkable() {
    local link
    find "$libraries" "$root/usr/lib64" -maxdepth 1 -lname '/*' |
        while read -r link; do
            ln -sfr "$root$(readlink "$link")" "$link"
        done
    rm -f "$libraries"/lib{zstd,xxhash,z}.so
    mkdir -p "$root/opt/links"
    ln -sfr "$libraries"/libz.so.1 "$root/opt/links/libz.so"
    ln -sfr "$libraries"/libzstd.so.1 "$root/opt/links/libzstd.so"
}

# unpack PACKAGE: the source of this machine's release, into /src/PACKAGE of the root.
unpack() {
    tools/source.sh "$1" "$sources" "$(. /etc/os-release && echo "$VERSION_CODENAME")"
    mkdir -p "$root/src"
    rm -rf "$root/src/$1"
    dpkg-source --no-check -x "$sources/$1"_*.dsc "$root/src/$1" >/dev/null
}

# --inside: what runs in the mount namespace.
if [ "${1:-}" = --inside ]; then
    mount_checkout "$root"
    enter_checkout "$root" tools/wheels_libraries.sh
    exit
fi

mkdir -p "$sources"
if [ tools/wheels_root.sh -nt "$root.made" ]; then
    echo "== debootstrap $suite into $root"
    rm -rf --one-file-system "$root"
    bootstrap "$suite" "$root" "$packages"
    copy_settings "$suite" "$root"
    make_linkable
    touch "$root.made"
fi
if [ tools/wheels_libraries.sh -nt "$root.libraries" ] ||
    [ "$root.made" -nt "$root.libraries" ]; then
    echo "== igraph and libmicrohttpd from Debian's source packages"
    unpack igraph
    unpack libmicrohttpd
    unshare --mount --propagation private "$0" --inside >"$root.log" 2>&1 ||
        { tail -n 40 "$root.log"; exit 1; }
    touch "$root.libraries"
fi
.venv/bin/python tools/bundle.py "$root" build/wheels/bundle
