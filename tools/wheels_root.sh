#!/bin/bash
# Makes build/wheels/root, the Debian root that `make wheels` links against, and the
# bundle of what a wheel brings along, build/wheels/bundle.
#
# The root is of the oldest release that Debian's servers still have, so that wheels
# run wherever glibc is as old as there. igraph is built in it from the source package
# of the host's release, without all parts that a wheel does without. What is there
# already stays; an interrupted set-up starts again. It must run as root.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/root.sh

suite=bullseye
root=$PWD/build/wheels/root
sources=$PWD/build/wheels/sources
libraries=$root/usr/lib/x86_64-linux-gnu

# What a wheel has inside, then what builds igraph.
packages=gcc,libc6-dev,pkg-config,libgraphviz-dev,libzstd-dev,libxxhash-dev,zlib1g-dev
packages=$packages,uthash-dev,fonts-dejavu-core,ca-certificates
packages=$packages,g++,make,cmake,flex,bison,libblas-dev,liblapack-dev
packages=$packages,libarpack2-dev,libgmp-dev

# The host's package lists need not have sources: these have lists of their own. A
# mirror may have the newest source in its list but not in its pool.
fetch_igraph() {
    local apt=$PWD/build/wheels/apt release version
    release=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$sources"
    echo "deb-src $(mirror) $release main" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<END
Dir::State::lists "$apt/lists";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
END
    export APT_CONFIG=$apt/apt.conf
    apt-get update -qq
    for version in $(apt-cache showsrc igraph | sed -n 's/^Version: //p' | sort -rVu); do
        (cd "$sources" && apt-get source -qq --download-only "igraph=$version") && break
    done
    unset APT_CONFIG
    rm -rf "$root/src"
    mkdir "$root/src"
    dpkg-source --no-check -x "$sources"/igraph_*.dsc "$root/src/igraph" >/dev/null
}

# Only functions that leakgraph calls are linked, so what igraph itself needs must be
# there to compile it, but is in no wheel: except plfit, which the release lacks.
build_igraph() {
    fetch_igraph
    sed -i '/power_law_fit\.c/d' "$root/src/igraph/src/CMakeLists.txt"
    sed -i 's/ GMP PLFIT)/ GMP)/' "$root/src/igraph/etc/cmake/dependencies.cmake"
    local option off=()
    for option in GLPK_SUPPORT GRAPHML_SUPPORT OPENMP_SUPPORT USE_INTERNAL_GMP \
        USE_INTERNAL_BLAS USE_INTERNAL_LAPACK USE_INTERNAL_ARPACK; do
        off+=("-DIGRAPH_$option=OFF")
    done
    enter "$root" cmake -S /src/igraph -B /src/build \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/opt/leakgraph \
        -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_C_VISIBILITY_PRESET=hidden \
        -DCMAKE_C_FLAGS="-ffunction-sections -fdata-sections" \
        -DIGRAPH_ENABLE_TLS=ON "${off[@]}"
    enter "$root" make -C /src/build -j"$(nproc)" igraph
    enter "$root" make -C /src/build install
}

# Seen from outside, a link must not leave the root. Without their links, the linker
# takes the static libraries: a process may have others of the same name.
make_linkable() {
    local link
    find "$libraries" "$root/usr/lib64" -maxdepth 1 -lname '/*' |
        while read -r link; do
            ln -sfr "$root$(readlink "$link")" "$link"
        done
    rm -f "$libraries"/lib{zstd,xxhash,z}.so
}

# --inside: what runs in the mount namespace.
if [ "${1:-}" = --inside ]; then
    mount_root "$root"
    build_igraph
    exit
fi

if [ "$(id -u)" != 0 ]; then
    echo "make wheels must run as root: it makes root file systems" >&2
    exit 1
fi
mkdir -p build/wheels
if [ tools/wheels_root.sh -nt "$root.made" ]; then
    echo "== debootstrap $suite into $root"
    rm -rf --one-file-system "$root"
    bootstrap "$suite" "$root" "$packages"
    copy_settings "$suite" "$root"
    echo "== igraph from Debian's source package"
    unshare --mount --propagation private "$0" --inside >"$root.log" 2>&1 ||
        { tail -n 40 "$root.log"; exit 1; }
    make_linkable
    touch "$root.made"
fi
.venv/bin/python tools/bundle.py "$root" build/wheels/bundle
