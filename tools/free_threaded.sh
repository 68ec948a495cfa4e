#!/bin/sh
# Builds a free-threaded CPython from Debian's source package of the release's own
# Python, in a root of `make matrix`:
#
#   tools/free_threaded.sh NAME [CONFIGURE_OPTION...]
#
# Installs it as /opt/cpython/NAME, unless that exists.
set -eu
name=$1
shift
prefix=/opt/cpython/$name
[ ! -e "$prefix/made" ] || exit 0

. /etc/os-release
package=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
folder=/usr/src/$name
echo "== CPython $name from Debian's $package: configure $*"
rm -rf "$folder" # of a run that was interrupted
mkdir -p "$folder/build" "$folder/source"
cd "$folder"
# A mirror may have the newest source in its list but not in its pool.
mirror=$(awk '$1 == "deb" { print $2; exit }' /etc/apt/sources.list)
for suite in "$VERSION_CODENAME" testing sid; do
    echo "deb-src $mirror $suite main"
done | sort -u >/etc/apt/sources.list.d/source.list
apt-get update -qq
for version in $(apt-cache showsrc "$package" | sed -n 's/^Version: //p' | sort -rVu); do
    rm -f "$package"_*
    ! apt-get source -qq --download-only "$package=$version" || break
done
if ! ls "$package"_*.orig.tar.?z >/dev/null 2>&1; then
    echo "$mirror lists sources of $package, but has none of them" >&2
    exit 1
fi
tar xf "$package"_*.orig.tar.?z -C source --strip-components=1

cd build
if ! { ../source/configure --prefix="$prefix" --with-ensurepip=install \
    --disable-test-modules --disable-gil "$@" &&
    make -j"$(nproc)" && make install; } >log 2>&1; then
    tail -n 40 log
    exit 1
fi
touch "$prefix/made"
rm -rf "$folder"
