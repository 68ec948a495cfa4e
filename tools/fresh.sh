#!/bin/bash
# Runs README's two commands as somebody with a fresh machine would: in a bare
# Debian root, made by debootstrap outside the checkout and removed afterwards,
# that holds git and make and nothing else. What is cloned there is HEAD.
#
# The host's settings for apt and pip, its certificates and its name servers
# are copied in, and the local folders that pip is told to look in are bound.
# Mounts live in a namespace of their own, so none can be left behind.
#
# SUITE names the release (default: the host's), MIRROR where it comes from,
# KEEP=1 keeps the root.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/root.sh

# What runs in the mount namespace, where --inside leads.
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

if [ "$(id -u)" != 0 ]; then
    echo "make fresh needs root: it makes a root file system" >&2
    exit 1
fi
. /etc/os-release
suite=${SUITE:-$VERSION_CODENAME}
root=$(mktemp -d "${TMPDIR:-/tmp}/leakgraph-fresh.XXXXXX")
[ -n "${KEEP:-}" ] || trap 'rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root"

[ -z "$(git status --porcelain)" ] ||
    echo "== not everything here is committed: HEAD is what is tried"
echo "== debootstrap $suite into $root"
bootstrap "$suite" "$root" git,make,ca-certificates
copy_settings "$suite" "$root"
git clone --quiet --no-hardlinks . "$root/srv/leakgraph"
unshare --mount --propagation private "$0" --inside "$root"
echo "== a fresh $suite needs nothing but README's two commands"
