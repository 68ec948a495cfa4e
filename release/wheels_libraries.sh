#!/bin/sh
# Builds the libraries that the release of release/wheels_root.sh lacks or has too
# old, in its root, into /opt/leakgraph. That script unpacked their sources into
# /src. Leaves out all that a wheel can do without.
#
#   release/wheels_libraries.sh                 in the root
#   release/wheels_libraries.sh ROOT MACHINE    beside a root of another machine
set -eux
root=${1:-}
prefix=/opt/leakgraph
src=$root/src
toolchain=
host=
if [ -n "$root" ]; then
    here=$(pwd)
    compiler="$2-linux-gnu-gcc --sysroot=$root -B$root/usr/lib/$2-linux-gnu/"
    toolchain="-DCMAKE_TOOLCHAIN_FILE=$here/cmake/root.cmake
        -DLEAKGRAPH_ROOT=$root -DLEAKGRAPH_MACHINE=$2"
    host="--host=$2-linux-gnu"
    export CC="$compiler" DESTDIR="$root"
fi
rm -rf "${root}$prefix" "$src/build"
mkdir "$src/build"

# Only functions that leakgraph calls are linked. igraph compiles against all
# its own dependencies, but no wheel contains these. Only plfit is left out,
# because the release lacks it.
cd "$src/igraph"
sed -i '/power_law_fit\.c/d' src/CMakeLists.txt
sed -i 's/ GMP PLFIT)/ GMP)/' etc/cmake/dependencies.cmake
# shellcheck disable=SC2086
CFLAGS="-ffunction-sections -fdata-sections" \
    cmake -S . -B "$src/build/igraph" $toolchain \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_C_VISIBILITY_PRESET=hidden \
    -DIGRAPH_GLPK_SUPPORT=OFF -DIGRAPH_GRAPHML_SUPPORT=OFF \
    -DIGRAPH_OPENMP_SUPPORT=OFF -DIGRAPH_USE_INTERNAL_GMP=OFF \
    -DIGRAPH_USE_INTERNAL_BLAS=OFF -DIGRAPH_USE_INTERNAL_LAPACK=OFF \
    -DIGRAPH_USE_INTERNAL_ARPACK=OFF -DIGRAPH_ENABLE_TLS=ON
make -C "$src/build/igraph" -j"$(nproc)" igraph
make -C "$src/build/igraph" install

# A shared object of its own, as its licence requires. It serves pages to this
# machine.
mkdir "$src/build/libmicrohttpd"
cd "$src/build/libmicrohttpd"
# shellcheck disable=SC2086
"$src/libmicrohttpd/configure" $host --prefix="$prefix" --disable-static --disable-https \
    --disable-doc --disable-examples --disable-curl --disable-bauth --disable-dauth \
    --disable-postprocessor --disable-httpupgrade
make -j"$(nproc)"
make install-strip
