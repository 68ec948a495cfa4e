#!/bin/sh
# Builds a free-threaded CPython in a root of `make matrix`, from a source package
# of the release:
#
#   tools/free_threaded.sh NAME [CONFIGURE_OPTION...]
#
# Takes the version that NAME begins with, as in 3.15t; with another name, that of
# the release's own Python. Installs it in /opt/cpython/NAME, unless that exists.
set -eu
name=$1
shift
[ ! -e "/opt/cpython/$name/made" ] || exit 0

. /etc/os-release
case $name in
3.*t) package=python${name%t} ;;
*) package=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])') ;;
esac
sources=/opt/cpython/sources
mkdir -p "$sources"
release/source.sh "$package" "$sources" "$VERSION_CODENAME" testing sid
tools/cpython.sh "$(ls "$sources/$package"_*.orig.tar.?z)" "/opt/cpython/$name" \
    --disable-gil "$@"
