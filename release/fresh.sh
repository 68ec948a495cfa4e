#!/bin/bash
# Runs README's two commands as a user with a fresh machine would: in a bare
# Debian root that has only git and make. debootstrap makes the root outside the
# checkout, and this script removes it afterwards. It clones HEAD.
#
# It copies the host's settings for apt and pip, its certificates and its name
# servers, and binds the local folders from pip's settings. Mounts live in a
# namespace of their own, so that none can stay behind.
#
# SUITE names the release (default: the host's), MIRROR its source, KEEP=1 keeps
# the root.
set -euo pipefail
cd "$(dirname "$0")/.."
. release/root.sh

# --inside: this part runs in the mount namespace.
run_inside() {
    local root=$1 command attempt
    mount_root "$root"
    grep -xE 'make (demo|test)' README.md | sort -u | while read -r command; do
        for attempt in first second; do
            echo "== $command, $attempt time"
            local start=$SECONDS
            enter "$root" sh -c "cd /srv/leakgraph && $command"
            echo "== $command, $attempt time: fine after $((SECONDS - start)) s"
        done
    done
}

if [ "${1:-}" = --inside ]; then
    run_inside "$2"
    exit
fi

require "make fresh" chroot debootstrap unshare
. /etc/os-release
suite=${SUITE:-$VERSION_CODENAME}
root=$(mktemp -d "${TMPDIR:-/tmp}/leakgraph-fresh.XXXXXX")
[ -n "${KEEP:-}" ] || trap 'rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root"

[ -z "$(git status --porcelain)" ] ||
    echo "== not everything is committed: this tries HEAD"
echo "== debootstrap $suite into $root"
bootstrap "$suite" "$root" git,make,ca-certificates
copy_settings "$suite" "$root"
git clone --quiet --no-hardlinks . "$root/srv/leakgraph"
unshare --mount --propagation private "$0" --inside "$root"
echo "== README's two commands work on a fresh $suite"
