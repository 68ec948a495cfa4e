#!/bin/sh
# Builds a free-threaded CPython in a root of `make matrix`, from the source
# package of the release's own Python:
#
#   tools/free_threaded.sh NAME [CONFIGURE_OPTION...]
#
# Installs it in /opt/cpython/NAME, unless that exists.
set -eu
name=$1
shift
[ ! -e "/opt/cpython/$name/made" ] || exit 0

. /etc/os-release
package=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
sources=/opt/cpython/sources
mkdir -p "$sources"
tools/source.sh "$package" "$sources" "$VERSION_CODENAME" testing sid
tools/cpython.sh "$(ls "$sources/$package"_*.orig.tar.?z)" "/opt/cpython/$name" \
    --disable-gil "$@"
