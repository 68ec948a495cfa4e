#!/bin/sh
# Builds a free-threaded CPython from Debian's source package of the release's own
# Python, in a root of `make matrix`:
#
#   tools/free_threaded.sh NAME [CONFIGURE_OPTION...]
#
# It is installed as /opt/cpython/NAME; one that is there already is left alone.
set -eu
name=$1
shift
prefix=/opt/cpython/$name
[ ! -e "$prefix/made" ] || exit 0

. /etc/os-release
package=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
folder=/usr/src/$name
echo "== CPython $name from Debian's $package: configure $*"
mkdir -p "$folder/build" "$folder/source"
cd "$folder"
line=$(grep -h '^deb ' /etc/apt/sources.list | head -n 1)
echo "deb-src ${line#deb }" >/etc/apt/sources.list.d/source.list
apt-get update -qq
apt-get source -qq --download-only "$package"
tar xf "$package"_*.orig.tar.* -C source --strip-components=1

cd build
if ! { ../source/configure --prefix="$prefix" --with-ensurepip=install \
    --disable-test-modules --disable-gil "$@" &&
    make -j"$(nproc)" && make install; } >log 2>&1; then
    tail -n 40 log
    exit 1
fi
touch "$prefix/made"
rm -rf "$folder"
