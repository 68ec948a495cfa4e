#!/bin/bash
# Downloads a source package of Debian: release/source.sh PACKAGE FOLDER SUITE...
#
# Takes the newest version of the package that the mirror has in these releases,
# but keeps a version that is already in the folder. The machine's package lists
# may lack sources, so this has its own lists in FOLDER/apt, and updates them
# after a day.
set -euo pipefail
package=$1
folder=$(realpath "$2")
shift 2
! ls "$folder/$package"_*.orig.tar.?z >/dev/null 2>&1 || exit 0
. "$(dirname "$0")/root.sh"

apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
url=$(mirror)
for suite in "$@"; do
    echo "deb-src $url $suite main"
done >"$apt/wanted.list"
cat >"$apt/apt.conf" <<END
Dir::State::lists "$apt/lists";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::Cache "$apt/cache";
APT::Sandbox::User "root";
END
export APT_CONFIG=$apt/apt.conf
if ! cmp -s "$apt/wanted.list" "$apt/sources.list" ||
    [ -z "$(find "$apt/lists" -maxdepth 1 -name '*_Sources*' -mtime -1)" ]; then
    cp "$apt/wanted.list" "$apt/sources.list"
    apt-get update -qq
fi

# A mirror may have the newest source in its list but not in its pool.
cd "$folder"
for version in $(apt-cache showsrc "$package" 2>/dev/null |
    sed -n 's/^Version: //p' | sort -rVu); do
    ! apt-get source -qq --download-only "$package=$version" 2>"$apt/errors" || exit 0
    rm -f "$package"_*
done
cat "$apt/errors" >&2
echo "$url has no source of $package in $*" >&2
exit 1
